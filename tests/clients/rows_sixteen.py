# SPDX-License-Identifier: MIT
"""
Operators on numbers of 16 bits, and layers with 8-bit weights on them. docs/tflite.md tells how
each is computed.

DIV is not among them: where a quotient is small, LiteRT's kernel shifts by more bits than a number
has, which C leaves undefined. Weights of PRELU are INT8: of INT16 ones LiteRT 2.3 reads each
byte as a number.
"""

import numpy as np

from rows_eight import ALL, BOTH, KEEP, TO_BOOL, TO_FLOAT, TO_INT32, ints, moved, scalar
from table import LIKE_INPUT, NONE, RELU, RELU6, SAME, VALID, Row, T, exactly, near

WIDE = ("INT16",)
SMALL = (2.0 ** -15, 2.0 ** -7)
LIKE = near(lambda s: s[0])
# Scales that are powers of two, the second one below the first.
POWERS = [(-9, -9), (-9, -10), (-9, -12), (-10, -9), (-13, -9)]


def x(*shape, scale=SMALL, **more):
    return T(*shape, scale=scale, **more)


def unary(operator, options=None, out=LIKE, scale=SMALL, values=None, **attributes):
    return Row(operator, [x(2, 400, scale=scale, values=values)], [T(scale=out)], WIDE, options,
               **attributes)


def sums(name, options):
    """
    ADD and SUB: any scales, and powers of two, which have a rule of their own; by that rule LiteRT
    does not broadcast, and ends the process.
    """
    rows = [Row(name, [x(4, 80), x(*shape)], [T(scale=near(lambda s: s[0] + s[1]))], WIDE, options,
                name=name + suffix, fusedActivationFunction=ALL, potScaleInt16=[False])
            for shape, suffix in (((4, 80), ""), ((80,), "-broadcast"))]
    rows.append(Row(name, [x(4, 1, 5), x(6, 1, data="any")], [T(scale=LIKE)], WIDE, options,
                    name=name + "-broadcast-both", fusedActivationFunction=ALL,
                    potScaleInt16=[False]))
    return rows + [Row(name, [x(4, 80, scale=2.0 ** a), x(4, 80, scale=2.0 ** b)],
                       [T(scale=2.0 ** -9)], WIDE, options, name=name + "-powers",
                       potScaleInt16=BOTH, fusedActivationFunction=[NONE, RELU6])
                   for a, b in POWERS]


def layer(operator, options, shape, weights, axis, units, terms, front=(), biases=None,
          **attributes):
    """Layers with weights of 8 bits: per tensor and per channel, by both types of bias."""
    rows = []
    at = 1 if front else 0
    for channels in (None, axis):
        for bias in biases or ("INT64", None):
            w = T(*weights, type="INT8", data="any", zero=0, scale=(2.0 ** -8, 0.1), axis=channels)
            b = T(units, type=bias, data="any", values=(-10 ** 6, 10 ** 6), scale=None) \
                if bias else None
            inputs = [*front, w, x(*shape)] if front else [x(*shape), w]
            if bias or not front:
                inputs.append(b)
            out = near(lambda s: s[2 * at] * np.max(s[1]) * 9000 * terms ** 0.5)
            rows.append(Row(operator, inputs, [T(scale=out)], WIDE, options,
                            name=operator + ("-channels" if channels is not None else "") +
                            f"-{bias or 'nobias'}",
                            **({"quantizedBiasType": [{"INT64": 4, "INT32": 2}[bias]]}
                               if bias and operator != "DEPTHWISE_CONV_2D" else {}),
                            **attributes))
    return rows


def matmul(a, b, terms, kind=None, name="", **flags):
    return Row("BATCH_MATMUL", [x(*a), T(*b, type=kind, scale=SMALL if not kind else
                                         (2.0 ** -8, 0.1), zero=0)],
               [T(scale=near(lambda s: s[0] * s[1] * (9000 if not kind else 60) ** 2 / 60 *
                             terms ** 0.5))], WIDE, "BatchMatMulOptions",
               name="BATCH_MATMUL" + name + ("-INT8" if kind else ""), **flags)


ROWS = [
    # Functions of one number.
    unary("EXP", "ExpOptions", out=near(lambda s: np.exp(min(s[0] * 30000, 20)) / 30000)),
    unary("LOG", out=near(lambda s: 0.0003)),
    unary("SQRT", out=near(lambda s: np.sqrt(s[0] / 30000)), values=(0, 32767)),
    unary("RSQRT", out=near(lambda s: 1 / np.sqrt(s[0]) / 30000, 3), values=(0, 32767)),
    unary("GELU", "GeluOptions", approximate=BOTH),
    unary("LOGISTIC", out=2.0 ** -15), unary("TANH", out=2.0 ** -15),
    unary("RELU"), unary("RELU6"),
    unary("LEAKY_RELU", "LeakyReluOptions", alpha=[0.01, 0.2, 0.5, 1.5, -0.3]),
    unary("ABS", "AbsOptions"), unary("ABS", "AbsOptions", out=LIKE_INPUT),
    unary("NEG", "NegOptions"),
    # To and from other types.
    Row("DEQUANTIZE", [x(600)], [TO_FLOAT], WIDE, "DequantizeOptions"),
    Row("QUANTIZE", [T(600, type="FLOAT32", values=(-40, 40))], [T(scale=SMALL)], WIDE,
        "QuantizeOptions", name="QUANTIZE-FLOAT32"),
    Row("QUANTIZE", [x(600)], [T(scale=near(lambda s: s[0], 4))], WIDE, "QuantizeOptions"),
    Row("QUANTIZE", [x(600)], [T(type="INT8", scale=near(lambda s: s[0] * 256, 3))], WIDE,
        "QuantizeOptions", name="QUANTIZE-to-INT8"),
    Row("QUANTIZE", [x(600)], [T(type="INT32", scale=near(lambda s: s[0] / 256, 3))], WIDE,
        "QuantizeOptions", name="QUANTIZE-to-INT32"),
    *[Row("QUANTIZE", [T(600, type=kind)], [T(scale=near(lambda s: s[0] / 100, 3))], WIDE,
          "QuantizeOptions", name=f"QUANTIZE-{kind}") for kind in ("INT8", "UINT8")],
    Row("QUANTIZE", [T(600, type="INT32", scale=(2.0 ** -20, 2.0 ** -12), values=(-9 ** 8, 9 ** 8))],
        [T(scale=near(lambda s: s[0] * 3000, 3))], WIDE, "QuantizeOptions", name="QUANTIZE-INT32"),
    # Arithmetic.
    *sums("ADD", "AddOptions"), *sums("SUB", "SubOptions"),
    *[Row("MUL", [x(4, 80), x(*shape)], [T(scale=near(lambda s: s[0] * s[1] * 9000, 6))], WIDE,
          "MulOptions", name="MUL" + suffix, fusedActivationFunction=ALL)
      for shape, suffix in (((4, 80), ""), ((4, 1), "-broadcast"))],
    Row("MAXIMUM", [x(4, 80), T(4, 80, scale=LIKE_INPUT)], [KEEP], WIDE, "MaximumMinimumOptions"),
    Row("MINIMUM", [x(4, 80), T(80, scale=LIKE_INPUT)], [KEEP], WIDE, "MaximumMinimumOptions"),
    Row("PRELU", [x(2, 5, 5, 8), T(1, 1, 8, type="INT8", data="any", zero=0)],
        [T(scale=near(lambda s: s[0] * max(1, s[1] * 60)))], WIDE),
    *[Row(name, [x(4, 80), x(4, 80, values=(1, 32767))], [T(scale=SMALL)], WIDE, options)
      for name, options in (("FLOOR_DIV", "FloorDivOptions"), ("FLOOR_MOD", "FloorModOptions"))],
    *[Row(name, [x(4, 80, values=(-99, 99)), x(4, 80, values=(-99, 99))], [TO_BOOL], WIDE, options)
      for name, options in (("EQUAL", "EqualOptions"), ("NOT_EQUAL", "NotEqualOptions"),
                            ("LESS", "LessOptions"), ("LESS_EQUAL", "LessEqualOptions"),
                            ("GREATER", "GreaterOptions"),
                            ("GREATER_EQUAL", "GreaterEqualOptions"))],
    # Rows and reductions.
    *[Row("SOFTMAX", [x(*shape, scale=(2.0 ** -14, 2.0 ** -5))], [T(scale=2.0 ** -15)], WIDE,
          "SoftmaxOptions", name=f"SOFTMAX-{shape[-1]}", beta=[1.0, 0.5, 2.0])
      for shape in ((5, 64), (2, 3, 4, 10), (3, 1), (2, 700))],
    *[Row(operator, [x(2, 7, 6, 5), ints(*axes)], [T(scale=out)], WIDE, "ReducerOptions",
          name=f"{operator}-{'-'.join(map(str, axes))}", keepDims=BOTH,
          own="the reference SUM uses a factor that it never sets" if operator == "SUM" else None)
      for axes in ((1, 2), (3,), (-1, 0), (0, 1, 2, 3))
      for operator, out in (("MEAN", near(lambda s: s[0] / 2)), ("MEAN", LIKE_INPUT),
                            ("SUM", near(lambda s: s[0] * 4)), ("REDUCE_MAX", LIKE_INPUT),
                            ("REDUCE_MIN", LIKE_INPUT))],
    # Windows.
    *[Row(name, [x(1, 9, 8, 5)], [KEEP], WIDE, "Pool2DOptions", padding=[SAME, VALID],
          strideW=[1, 2], strideH=[1, 3], filterWidth=[2, 3], filterHeight=[2, 5],
          fusedActivationFunction=ALL) for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")],
    Row("AVERAGE_POOL_2D", [x(1, 40, 40, 3)], [KEEP], WIDE, "Pool2DOptions",
        name="AVERAGE_POOL_2D-40", padding=[VALID], strideW=[1], strideH=[1], filterWidth=[40],
        filterHeight=[39, 40], fusedActivationFunction=[NONE]),
    *layer("CONV_2D", "Conv2DOptions", (1, 7, 6, 5), (8, 3, 2, 5), 0, 8, 30,
           biases=("INT64", "INT32"), padding=[SAME, VALID], strideW=[1, 2], strideH=[1, 2],
           dilationWFactor=[1, 2], dilationHFactor=[1], fusedActivationFunction=ALL),
    *layer("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", (1, 7, 6, 4), (1, 3, 3, 8), 3, 8, 9,
           padding=[SAME, VALID], strideW=[1, 2], strideH=[1, 2], depthMultiplier=[2],
           biases=("INT64",), dilationWFactor=[1, 2], dilationHFactor=[1],
           fusedActivationFunction=ALL),
    *layer("FULLY_CONNECTED", "FullyConnectedOptions", (3, 24), (10, 24), 0, 10, 24,
           biases=("INT64", "INT32", None), fusedActivationFunction=ALL, keepNumDims=BOTH),
    *layer("TRANSPOSE_CONV", "TransposeConvOptions", (1, 5, 4, 6), (5, 3, 3, 6), 0, 5, 54,
           front=(ints(1, 10, 8, 5),), biases=("INT64", "INT32", None), padding=[SAME],
           strideW=[2], strideH=[2], fusedActivationFunction=[NONE, RELU]),
    # Without a bias the options tell the type of sums.
    Row("TRANSPOSE_CONV", [ints(1, 10, 8, 5), T(5, 3, 3, 6, type="INT8", data="any", zero=0,
                                                scale=(2.0 ** -8, 0.1), axis=0), x(1, 5, 4, 6)],
        [T(scale=near(lambda s: s[2] * np.max(s[1]) * 60000))], WIDE, "TransposeConvOptions",
        name="TRANSPOSE_CONV-sums", padding=[SAME], strideW=[2], strideH=[2],
        quantizedBiasType=[2, 4]),
    matmul((2, 5, 12), (2, 12, 6), 12, adjX=[False], adjY=[False]),
    matmul((2, 5, 12), (2, 6, 12), 12, name="-adjY", adjX=[False], adjY=[True]),
    matmul((2, 12, 5), (12, 6), 12, name="-adjX", adjX=[True], adjY=[False]),
    matmul((3, 2500), (2500, 4), 2500, name="-2500", adjX=[False], adjY=[False]),
    matmul((2, 5, 12), (2, 12, 6), 12, kind="INT8", adjX=BOTH[:1], adjY=BOTH[:1]),
    *[Row(name, [x(2, 6, 7, 3), ints(*size)], [KEEP], WIDE, options, name=f"{name}-{size[0]}",
          **flags)
      for size in ((9, 11), (3, 4), (12, 14), (6, 7), (1, 1), (17, 5))
      for name, options, flags in (
          ("RESIZE_BILINEAR", "ResizeBilinearOptions",
           {"alignCorners": BOTH, "halfPixelCenters": [False]}),
          ("RESIZE_BILINEAR", "ResizeBilinearOptions",
           {"alignCorners": [False], "halfPixelCenters": [True]}),
          ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions",
           {"alignCorners": BOTH, "halfPixelCenters": [False]}))],
    # What moves numbers.
    *[moved(name, more, options, types=WIDE, **flags) for name, more, options, flags in (
        ("RESHAPE", [ints(12, 32)], "ReshapeOptions", {}),
        ("TRANSPOSE", [ints(0, 3, 1, 2)], "TransposeOptions", {}),
        ("TILE", [ints(1, 2, 1, 3)], "TileOptions", {}),
        ("REVERSE_V2", [ints(1)], "ReverseV2Options", {}),
        ("SLICE", [ints(0, 2, 1, 3), ints(2, 3, -1, 4)], "SliceOptions", {}),
        ("PAD", [T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0])], "PadOptions", {}),
        ("MIRROR_PAD", [T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0])], "MirrorPadOptions",
         {"mode": [0, 1]}),
        ("GATHER", [ints(2, 0, 1)], "GatherOptions", {"axis": [1]}))],
    Row("CONCATENATION", [x(2, 3), x(2, 4, scale=LIKE_INPUT)], [KEEP], WIDE,
        "ConcatenationOptions", axis=[1]),
    Row("SELECT", [T(4, 5, type="BOOL", scale=None), x(4, 5), T(4, 5, scale=LIKE_INPUT)], [KEEP],
        WIDE, "SelectOptions"),
]
