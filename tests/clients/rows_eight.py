# SPDX-License-Identifier: MIT
"""Operators on numbers of 8 bits; nnaccel.h promises the bits of TFLite's kernels for them."""

import numpy as np

from table import (EIGHT, LIKE_INPUT, NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Row, T, exactly,
                   near)

ALL = [NONE, RELU, RELU_N1_TO_1, RELU6]
BOTH = [False, True]
INT8, UINT8 = ("INT8",), ("UINT8",)
SUM = near(lambda s: (s[0] + s[1]) / 2)
KEEP = T(scale=LIKE_INPUT)
# LiteRT ends the process at a comparison of numbers with a scale of 1 or more.
BELOW_1 = (2.0 ** -9, 0.7)
TO_FLOAT = T(type="FLOAT32")
TO_BOOL = T(type="BOOL")
TO_INT32 = T(type="INT32")


def ints(*values, type="INT32"):
    """A constant list."""
    return T(len(values), type=type, data=list(values))


def scalar(value, type="INT32"):
    return T(type=type, data=[value])


def per_channel(x, units):
    """The scale of a bias."""
    return exactly(lambda s: s[x] * s[x + 1])


def product(terms):
    """The scale of a sum of products."""
    return near(lambda s: s[0] * np.max(s[1]) * 60 * terms ** 0.5)


def layer(operator, options, x, weights, axis, units, terms, front=(), **attributes):
    """Layers: weights per tensor and per channel, with bias and without."""
    rows = []
    for types, w in (INT8, T(*weights, type="INT8", data="any", zero=0, scale=(2.0 ** -8, 0.1))), \
            (INT8, T(*weights, type="INT8", data="any", zero=0, scale=(2.0 ** -8, 0.1),
                     axis=axis)), \
            (UINT8, T(*weights, type="UINT8", data="any", scale=(2.0 ** -8, 0.1))):
        b = T(units, type="INT32", data="any", values=(-20000, 20000),
              scale=exactly(lambda s: s[0] * s[1] if not front else s[1] * s[2]))
        name = operator + ("-channels" if w.axis is not None else "")
        # CONV_2D has to have a bias.
        for bias in [b] if operator == "CONV_2D" else [b, None]:
            inputs = [*front, w, x] if front else [x, w]
            inputs += [bias] if bias else []
            out = T(scale=product(terms) if not front else
                    near(lambda s: s[2] * np.max(s[1]) * 60 * terms ** 0.5))
            rows.append(Row(operator, inputs, [out], types, options, **attributes,
                            name=name + ("" if bias else "-nobias")))
    return rows


def unary(operator, options=None, out=near(lambda s: s[0]), scale=(2.0 ** -9, 0.5), types=EIGHT,
          **attributes):
    return Row(operator, [T(2, 160, scale=scale)], [T(scale=out)], types, options, **attributes)


def moved(operator, more, options=None, shape=(2, 6, 4, 8), outputs=1, first=0, types=EIGHT,
          **attributes):
    """An operator that moves numbers."""
    x = T(*shape)
    inputs = [x, *more] if not first else [*more[:first], x, *more[first:]]
    return Row(operator, inputs, [KEEP] * outputs, types, options, **attributes)


ROWS = [
    # Arithmetic.
    Row("ADD", [T(4, 80), T(4, 80)], [T(scale=SUM)], EIGHT, "AddOptions",
        fusedActivationFunction=ALL),
    Row("ADD", [T(4, 80), T(80)], [T(scale=SUM)], EIGHT, "AddOptions", name="ADD-broadcast",
        fusedActivationFunction=ALL),
    Row("ADD", [T(4, 1, 5), T(6, 1, data="any")], [T(scale=SUM)], EIGHT, "AddOptions",
        name="ADD-broadcast-both", fusedActivationFunction=ALL),
    Row("SUB", [T(4, 80), T(4, 80)], [T(scale=SUM)], EIGHT, "SubOptions",
        fusedActivationFunction=ALL),
    Row("SUB", [T(80), T(4, 80)], [T(scale=SUM)], EIGHT, "SubOptions", name="SUB-broadcast",
        fusedActivationFunction=ALL),
    Row("MUL", [T(4, 80), T(4, 80)], [T(scale=near(lambda s: s[0] * s[1] * 60))], EIGHT,
        "MulOptions", fusedActivationFunction=ALL),
    Row("MUL", [T(4, 80), T(4, 1)], [T(scale=near(lambda s: s[0] * s[1] * 60))], EIGHT,
        "MulOptions", name="MUL-broadcast", fusedActivationFunction=ALL),
    # Nothing is divided by zero, and no quotient is so small that LiteRT shifts by more than 31.
    *[Row("DIV", [T(4, 80, zero=zero, values=values), T(*shape, zero=0, values=(1, 255))],
          [T(scale=near(lambda s: s[0] / s[1] / 20))], UINT8, "DivOptions", name=name,
          fusedActivationFunction=ALL)
      for name, zero, values, shape in (("DIV", 0, (32, 255), (4, 80)),
                                        ("DIV-below", 128, (0, 90), (4, 80)),
                                        ("DIV-broadcast", 128, (170, 255), (4, 1)))],
    Row("SQUARED_DIFFERENCE", [T(4, 80), T(4, 80)],
        [T(scale=near(lambda s: max(s[0], s[1]) ** 2 * 60))], INT8, "SquaredDifferenceOptions"),
    Row("SQUARED_DIFFERENCE", [T(4, 80), T(80)],
        [T(scale=near(lambda s: max(s[0], s[1]) ** 2 * 60))], INT8, "SquaredDifferenceOptions",
        name="SQUARED_DIFFERENCE-broadcast"),
    Row("MAXIMUM", [T(4, 80), T(4, 80, scale=LIKE_INPUT)], [KEEP], EIGHT,
        "MaximumMinimumOptions"),
    Row("MINIMUM", [T(4, 80), T(80, scale=LIKE_INPUT)], [KEEP], EIGHT, "MaximumMinimumOptions"),
    Row("FLOOR_DIV", [T(4, 80, scale=None), T(4, 80, scale=None, values=(1, 127))],
        [T(scale=None)], INT8, "FloorDivOptions"),
    Row("FLOOR_MOD", [T(4, 80, scale=None), T(4, 80, scale=None, values=(1, 127))],
        [T(scale=None)], INT8, "FloorModOptions"),
    *[Row(name, [T(4, 80, scale=BELOW_1), T(4, 80, scale=scale)], [TO_BOOL], EIGHT, options,
          name=name + ("-like" if scale == LIKE_INPUT else ""))
      for name, options in (("EQUAL", "EqualOptions"), ("NOT_EQUAL", "NotEqualOptions"),
                            ("LESS", "LessOptions"), ("LESS_EQUAL", "LessEqualOptions"),
                            ("GREATER", "GreaterOptions"),
                            ("GREATER_EQUAL", "GreaterEqualOptions"))
      for scale in (BELOW_1, LIKE_INPUT)],
    Row("BITWISE_XOR", [T(4, 80, scale=None), T(4, 80, scale=None)], [T(scale=None)], EIGHT,
        "BitwiseXorOptions"),
    Row("RIGHT_SHIFT", [T(4, 80, scale=None), T(4, 80, scale=None, values=(0, 12))],
        [T(scale=None)], EIGHT, "RightShiftOptions"),
    # Functions of one number.
    unary("RELU"), unary("RELU6"), unary("RELU_N1_TO_1"), unary("RELU_0_TO_1"),
    unary("LEAKY_RELU", "LeakyReluOptions", alpha=[0.01, 0.2, 0.5, 1.5, -0.3]),
    Row("PRELU", [T(2, 5, 5, 8), T(1, 1, 8, data="any")],
        [T(scale=near(lambda s: s[0] * max(1, s[1] * 60)))], EIGHT),
    Row("PRELU", [T(2, 5, 5, 8), T(5, 8, data="any")],
        [T(scale=near(lambda s: s[0]))], EIGHT, name="PRELU-elements"),
    Row("PRELU", [T(2, 5, 5, 8), T(2, 5, 5, 8)],
        [T(scale=near(lambda s: s[0]))], EIGHT, name="PRELU-input"),
    Row("LOGISTIC", [T(2, 160, scale=(2.0 ** -9, 0.5))], [T(scale=2.0 ** -8, zero=-128)], INT8),
    Row("LOGISTIC", [T(2, 160, scale=(2.0 ** -9, 0.5))], [T(scale=2.0 ** -8, zero=0)], UINT8),
    Row("TANH", [T(2, 160, scale=(2.0 ** -9, 0.5))], [T(scale=2.0 ** -7, zero=0)], INT8),
    Row("TANH", [T(2, 160, scale=(2.0 ** -9, 0.5))], [T(scale=2.0 ** -7, zero=128)], UINT8),
    unary("ELU", types=INT8),
    unary("HARD_SWISH", "HardSwishOptions", scale=(2.0 ** -7, 0.3)),
    unary("GELU", "GeluOptions", approximate=BOTH, scale=(2.0 ** -8, 0.2)),
    unary("EXP", "ExpOptions", types=INT8, out=near(lambda s: np.exp(min(s[0] * 100, 20)) / 200),
          scale=(2.0 ** -9, 0.1)),
    Row("LOG", [T(2, 160, zero=-128, scale=(2.0 ** -9, 1), values=(-127, 127))],
        [T(scale=near(lambda s: 0.02))], INT8),
    Row("SQRT", [T(2, 160, zero=-128, scale=(2.0 ** -9, 1))],
        [T(scale=near(lambda s: np.sqrt(s[0] / 250)))], INT8),
    Row("RSQRT", [T(2, 160, zero=-128, scale=(2.0 ** -9, 1), values=(-127, 127))],
        [T(scale=near(lambda s: 1 / np.sqrt(s[0]) / 250, 3))], INT8),
    unary("ABS", "AbsOptions", types=INT8), unary("NEG", "NegOptions", types=INT8),
    unary("SIN", types=INT8), unary("COS", "CosOptions", types=INT8),
    unary("SQUARE", "SquareOptions", types=INT8), unary("SIGN", types=INT8),
    unary("FLOOR", types=INT8), unary("CEIL", types=INT8), unary("ROUND", types=INT8),
    # Rows.
    Row("SOFTMAX", [T(5, 64, scale=(2.0 ** -8, 0.3))], [T(scale=2.0 ** -8, zero=-128)], INT8,
        "SoftmaxOptions", beta=[1.0, 0.5, 2.0]),
    Row("SOFTMAX", [T(5, 64, scale=(2.0 ** -8, 0.3))], [T(scale=2.0 ** -8, zero=0)], UINT8,
        "SoftmaxOptions", beta=[1.0, 0.5, 2.0]),
    Row("SOFTMAX", [T(2, 3, 4, 10, scale=(2.0 ** -8, 0.3))], [T(scale=2.0 ** -8, zero=-128)], INT8,
        "SoftmaxOptions", name="SOFTMAX-4D", beta=[1.0]),
    Row("LOG_SOFTMAX", [T(5, 64, scale=(2.0 ** -8, 0.3))], [T(scale=16 / 256, zero=127)], INT8,
        "LogSoftmaxOptions"),
    Row("LOG_SOFTMAX", [T(5, 64, scale=(2.0 ** -8, 0.3))], [T(scale=16 / 256, zero=255)], UINT8,
        "LogSoftmaxOptions"),
    Row("L2_NORMALIZATION", [T(6, 40)], [T(scale=2.0 ** -7, zero=0)], INT8, "L2NormOptions"),
    Row("L2_NORMALIZATION", [T(6, 40)], [T(scale=2.0 ** -7, zero=128)], UINT8, "L2NormOptions"),
    Row("L2_NORMALIZATION", [T(2, 3, 2, 5)], [T(scale=2.0 ** -7, zero=0)], INT8, "L2NormOptions",
        name="L2_NORMALIZATION-4D"),
    Row("L2_NORMALIZATION", [T(2, 3, 2, 5)], [T(scale=2.0 ** -7, zero=128)], UINT8,
        "L2NormOptions", name="L2_NORMALIZATION-4D"),
    # Reductions.
    *[Row(operator, [T(2, 7, 6, 5), ints(*axes)], [T(scale=out)], types, "ReducerOptions",
          name=f"{operator}-{'-'.join(map(str, axes))}", keepDims=BOTH, own=own)
      for axes in ((1, 2), (3,), (-1, 0), (0, 1, 2, 3))
      for operator, out, types, own in (
          ("MEAN", near(lambda s: s[0] / 2), EIGHT, None), ("MEAN", LIKE_INPUT, EIGHT, None),
          ("SUM", near(lambda s: s[0] * 4), INT8, "the reference SUM of INT8 is wrong"),
          ("SUM", LIKE_INPUT, INT8, "the reference SUM of INT8 is wrong"),
          ("SUM", near(lambda s: s[0] * 4), UINT8, None), ("SUM", LIKE_INPUT, UINT8, None),
          ("REDUCE_MAX", LIKE_INPUT, EIGHT, None), ("REDUCE_MIN", LIKE_INPUT, EIGHT, None),
          ("REDUCE_PROD", near(lambda s: 1), EIGHT, None))],
    *[Row(name, [T(5, 12), scalar(axis)], [T(type=kind)], EIGHT, options, name=f"{name}-{kind}",
          outputType=[{"INT32": 2, "INT64": 4}[kind]])
      for name, options in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions"))
      for axis in (0, 1, -1) for kind in ("INT32", "INT64")],
    Row("TOPK_V2", [T(5, 40), scalar(7)], [KEEP, TO_INT32], EIGHT, "TopKV2Options"),
    # Windows.
    *[Row(name, [T(1, 9, 8, 5)], [KEEP], EIGHT, "Pool2DOptions", padding=[SAME, VALID],
          strideW=[1, 2], strideH=[1, 3], filterWidth=[2, 3], filterHeight=[2, 5],
          fusedActivationFunction=ALL) for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")],
    *layer("CONV_2D", "Conv2DOptions", T(1, 7, 6, 5), (8, 3, 2, 5), 0, 8, 30,
           padding=[SAME, VALID], strideW=[1, 2], strideH=[1, 2], dilationWFactor=[1, 2],
           dilationHFactor=[1], fusedActivationFunction=ALL),
    *layer("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", T(1, 7, 6, 4), (1, 3, 3, 8), 3, 8, 9,
           padding=[SAME, VALID], strideW=[1, 2], strideH=[1, 2], depthMultiplier=[2],
           dilationWFactor=[1, 2], dilationHFactor=[1], fusedActivationFunction=ALL),
    *layer("FULLY_CONNECTED", "FullyConnectedOptions", T(3, 24), (10, 24), 0, 10, 24,
           fusedActivationFunction=ALL, keepNumDims=BOTH),
    *layer("TRANSPOSE_CONV", "TransposeConvOptions", T(1, 5, 4, 6), (5, 3, 3, 6), 0, 5, 54,
           front=(ints(1, 10, 8, 5),), padding=[SAME], strideW=[2], strideH=[2]),
    Row("BATCH_MATMUL", [T(2, 5, 12), T(2, 12, 6)], [T(scale=product(12))], INT8,
        "BatchMatMulOptions", adjX=[False], adjY=[False]),
    Row("BATCH_MATMUL", [T(2, 5, 12), T(2, 6, 12)], [T(scale=product(12))], INT8,
        "BatchMatMulOptions", name="BATCH_MATMUL-adjY", adjX=[False], adjY=[True]),
    Row("BATCH_MATMUL", [T(2, 12, 5), T(12, 6)], [T(scale=product(12))], INT8,
        "BatchMatMulOptions", name="BATCH_MATMUL-adjX", adjX=[True], adjY=[False]),
    *[Row(name, [T(2, 6, 7, 3), ints(*size)], [KEEP], EIGHT, options, name=f"{name}-{size[0]}",
          **flags)
      for size in ((9, 11), (3, 4), (12, 14), (6, 7), (1, 1), (17, 5))
      for name, options, flags in (
          ("RESIZE_BILINEAR", "ResizeBilinearOptions",
           {"alignCorners": BOTH, "halfPixelCenters": [False]}),
          ("RESIZE_BILINEAR", "ResizeBilinearOptions",
           {"alignCorners": [False], "halfPixelCenters": [True]}),
          ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions",
           {"alignCorners": BOTH, "halfPixelCenters": BOTH}))],
    # To and from other types.
    Row("DEQUANTIZE", [T(300)], [TO_FLOAT], EIGHT, "DequantizeOptions"),
    Row("QUANTIZE", [T(300, type="FLOAT32", values=(-40, 40))], [T()], EIGHT, "QuantizeOptions",
        name="QUANTIZE-FLOAT32"),
    *[Row("QUANTIZE", [T(600, type=kind)], [T(scale=near(lambda s: s[0]))], EIGHT,
          "QuantizeOptions", name=f"QUANTIZE-{kind}") for kind in EIGHT],
    Row("QUANTIZE", [T(600, type="INT16")], [T(scale=near(lambda s: s[0] * 256, 3))], INT8,
        "QuantizeOptions", name="QUANTIZE-INT16"),
    Row("QUANTIZE", [T(600, type="INT32", scale=(2.0 ** -20, 2.0 ** -12),
                       values=(-9 ** 6, 9 ** 6))],
        [T(scale=near(lambda s: s[0] * 3000, 3))], INT8, "QuantizeOptions", name="QUANTIZE-INT32"),
    *[Row("CAST", [T(300, scale=None)], [T(type=kind, scale=None)], EIGHT, "CastOptions",
          name=f"CAST-{kind}")
      for kind in ("FLOAT32", "INT8", "UINT8", "INT16", "INT32", "INT64", "BOOL")],
    *[Row("CAST", [T(300, type=kind, scale=None, values=values)], [T(scale=None)], EIGHT,
          "CastOptions", name=f"CAST-from-{kind}")
      for kind, values in (("FLOAT32", (0, 127)), ("INT16", None), ("INT32", (-400, 400)),
                           ("INT64", (-400, 400)), ("BOOL", None))],
    # What moves numbers.
    moved("RESHAPE", [ints(12, 32)], "ReshapeOptions"),
    moved("SQUEEZE", [], "SqueezeOptions", (1, 6, 1, 8), squeezeDims=[[], [0], [2]]),
    moved("EXPAND_DIMS", [scalar(1)], "ExpandDimsOptions"),
    moved("TRANSPOSE", [ints(0, 3, 1, 2)], "TransposeOptions"),
    moved("TRANSPOSE", [ints(2, 1, 3, 0)], "TransposeOptions"),
    moved("TILE", [ints(1, 2, 1, 3)], "TileOptions"),
    moved("BROADCAST_TO", [ints(3, 2, 6, 8)], "BroadcastToOptions", (2, 1, 8), version=2),
    moved("REVERSE_V2", [ints(1)], "ReverseV2Options"),
    moved("REVERSE_SEQUENCE", [ints(4, 1)], "ReverseSequenceOptions", seqDim=[1], batchDim=[0]),
    moved("SLICE", [ints(0, 2, 1, 3), ints(2, 3, -1, 4)], "SliceOptions"),
    moved("STRIDED_SLICE", [ints(0, 5, 1, 7), ints(2, 0, 3, 0), ints(1, -2, 1, -1)],
          "StridedSliceOptions", beginMask=[0, 2], endMask=[0, 8], shrinkAxisMask=[0, 4]),
    moved("PAD", [T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0])], "PadOptions"),
    Row("PADV2", [T(2, 6, 4, 8), T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0]),
                  T(1, scale=LIKE_INPUT, data="any")], [KEEP], EIGHT, "PadV2Options"),
    moved("MIRROR_PAD", [T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0])],
          "MirrorPadOptions", mode=[0, 1]),
    moved("SPACE_TO_DEPTH", [], "SpaceToDepthOptions", blockSize=[2]),
    moved("DEPTH_TO_SPACE", [], "DepthToSpaceOptions", blockSize=[2]),
    moved("SPACE_TO_BATCH_ND", [ints(3, 2), T(2, 2, type="INT32", data=[1, 2, 0, 2])],
          "SpaceToBatchNDOptions"),
    moved("BATCH_TO_SPACE_ND", [ints(2, 3), T(2, 2, type="INT32", data=[1, 0, 0, 2])],
          "BatchToSpaceNDOptions", (12, 4, 3, 5)),
    moved("GATHER", [ints(2, 0, 1, 1)], "GatherOptions", axis=[2], batchDims=[0]),
    moved("GATHER_ND", [T(3, 2, type="INT32", data=[0, 1, 1, 5, 0, 0])], "GatherNdOptions"),
    moved("SPLIT", [scalar(3)], "SplitOptions", outputs=4, first=1, numSplits=[4]),
    moved("SPLIT_V", [ints(1, 3, 2), scalar(1)], "SplitVOptions", outputs=3, numSplits=[3]),
    moved("UNPACK", [], "UnpackOptions", outputs=4, num=[4], axis=[2]),
    moved("PACK", [T(2, 6, 4, 8, scale=LIKE_INPUT)] * 2, "PackOptions", valuesCount=[3],
          axis=[0, 2, -1]),
    moved("CONCATENATION", [T(2, 6, 4, 8, scale=LIKE_INPUT)] * 2, "ConcatenationOptions",
          axis=[0, 2, -1]),
    Row("CONCATENATION", [T(2, 60), T(3, 60), T(1, 60)], [T(scale=SUM)], UINT8,
        "ConcatenationOptions", name="CONCATENATION-scaled", axis=[0]),
    Row("SELECT", [T(4, 80, type="BOOL"), T(4, 80, scale=1.0, zero=3),
                   T(4, 80, scale=1.0, zero=3)], [T(scale=1.0, zero=3)], EIGHT, "SelectOptions"),
    Row("SELECT_V2", [T(4, 80, type="BOOL"), T(4, 80, scale=1.0, zero=3),
                      T(4, 80, scale=1.0, zero=3)], [T(scale=1.0, zero=3)], EIGHT,
        "SelectV2Options"),
    Row("FILL", [ints(3, 5), T(data="any", scale=0.5, zero=1)], [T(scale=0.5, zero=1)], INT8,
        "FillOptions"),
    Row("ZEROS_LIKE", [T(3, 5, scale=None)], [T(scale=None)], INT8, "ZerosLikeOptions"),
    Row("EMBEDDING_LOOKUP", [T(5, type="INT32", values=(0, 9)), T(10, 12, data="any",
                                                                scale=0.5, zero=1)],
        [T(scale=0.5, zero=1)], EIGHT),
    Row("SCATTER_ND", [T(3, 1, type="INT32", data=[4, 0, 2]), T(3, 40, scale=None),
                       ints(6, 40)], [T(scale=None)], EIGHT, "ScatterNdOptions"),
    Row("ONE_HOT", [T(6, type="INT32", values=(0, 5)), scalar(5), T(data=[7], scale=None),
                    T(data=[3], scale=None)], [T(scale=None)], EIGHT, "OneHotOptions",
        axis=[-1, 0]),
    Row("SPARSE_TO_DENSE", [ints(0, 2, 5), ints(9), T(3, scale=None), T(data=[4], scale=None)],
        [T(scale=None)], EIGHT, "SparseToDenseOptions"),
    Row("MATRIX_DIAG", [T(3, 7, scale=None)], [T(scale=None)], EIGHT, "MatrixDiagOptions"),
    Row("MATRIX_SET_DIAG", [T(3, 7, 7, scale=None), T(3, 7, scale=None)], [T(scale=None)], EIGHT,
        "MatrixSetDiagOptions"),
    Row("DYNAMIC_UPDATE_SLICE", [T(6, 40), T(2, 10, scale=LIKE_INPUT), ints(3, 4)], [KEEP], INT8,
        "DynamicUpdateSliceOptions"),
    Row("BITCAST", [T(40, scale=None)], [T(scale=None)], EIGHT, "BitcastOptions"),
    Row("CUMSUM", [T(3, 7), scalar(1)], [KEEP], INT8, "CumsumOptions"),
]
