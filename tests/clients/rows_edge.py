# SPDX-License-Identifier: MIT
"""
Values at which operators are apt to part: ties, zeros of both signs, NaN, infinities, the limits of
integers, divisors of zero, shifts beyond the width, indices out of range and twice the same, empty
tensors and axes. docs/tflite.md says what remains.
"""

import numpy as np

import edge_known
import onefile
from table import NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Row, T

ALL = [NONE, RELU, RELU_N1_TO_1, RELU6]
BOTH = [False, True]
TYPES = ("FLOAT32", "INT32", "INT64", "INT16", "INT8", "UINT8", "BOOL")
NAN, INF = float("nan"), float("inf")
# Operators whose floats need not be the same bits.
NEAR = 1e-5
COUNT = 40

REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 7.0, 6.0, -7.0, 0.3,
         NAN, INF, -INF, 3.4e38, -3.4e38, 1.2e-38, 1e-45, -1e-45, 0.49999997, -0.49999997,
         8388607.5, 8388609.0, -8388607.5, 16777217.0, 2147483520.0, -2147483648.0, 88.7, 89.0,
         -87.0, -104.0, 10.0, -10.0, 1e10, -1e10]
FINITE = [v for v in REALS if np.isfinite(v)]


def numbers(kind, reals=None):
    """COUNT values of a type."""
    if kind in ("FLOAT32", "FLOAT16"):
        values = REALS if reals is None else reals
    elif kind == "BOOL":
        values = [0, 1, 1]
    else:
        info = np.iinfo(onefile.TYPES[kind])
        values = [info.min, info.min + 1, -3, -2, -1, 0, 1, 2, 3, 5, 7, -7, 8, 9, 15, 16, 17, 31,
                  32, 33, 63, 64, 65, 46341, -46341, 65536, 2 ** 31, 2 ** 31 - 1, 2 ** 32 + 5,
                  -2 ** 31 - 1, 2 ** 53 + 1, 2 ** 62, info.max - 1, info.max]
        values = [v for v in values if info.min <= v <= info.max]
    return np.resize(np.array(values, onefile.TYPES[kind]), COUNT)


def left(kind):
    return np.repeat(numbers(kind), COUNT)


def right(kind):
    return np.tile(numbers(kind), COUNT)


def divisors(kind):
    """Those of integers that C has a quotient for."""
    a, b = left(kind), right(kind)
    if kind != "FLOAT32":
        b[b == 0] = 5
        if kind != "UINT8":
            b[b == -1] = -4
    return b


def plain(*shape, **more):
    return T(*shape, scale=None, **more)


def given(values, type=None, shape=None):
    values = np.array(values)
    return plain(*(values.shape if shape is None else shape), type=type, given=values)


def const(values, type="INT32"):
    values = np.array(values)
    return plain(*values.shape, type=type, data=values)


def like(count):
    """Outputs of the row's type."""
    return [plain()] * count


def edge(operator, inputs, outputs=None, types=TYPES, options=None, name="", **more):
    outputs = like(1) if outputs is None else outputs
    name = f"{operator}-edge" + (f"-{name}" if name else "")
    return Row(operator, inputs, outputs, types, options, name=name, once=True,
               listed=edge_known.of(name), **more)


A, B = (plain(COUNT, COUNT, given=f) for f in (left, right))
X = plain(COUNT, given=numbers)
FLAG, INDEX = plain(type="BOOL"), plain(type="INT32")
F, INTEGERS = ("FLOAT32",), ("INT32", "INT64")


def unary(operator, options=None, types=TYPES, **more):
    return edge(operator, [X], types=types, options=options, **more)


def finite(kind):
    """Numbers between -8 and 8."""
    return np.arange(80) * 7 % 17 - 8.0


def small(kind):
    """Rows of 8 in which ties, NaN first and last, zeros of both signs and limits occur."""
    if kind == "FLOAT32":
        rows = [[1, 3, 3, 2, 3, -1, -1, 0], [0.0, -0.0, 0.0, -0.0, -0.0, 0.0, 0, 0],
                [NAN, 1, 2, 5, 4, 3, 2, 1], [1, 2, NAN, 5, 4, 3, 2, 6], [1, 2, 3, 4, 5, 6, 7, NAN],
                [INF, -INF, INF, 1, -INF, INF, 0, 2], [3.4e38, 3.4e38, -3.4e38, 1, 2, 3, 4, 5],
                [-INF] * 8, [1e-45, 1e-40, 0, 0, 0, 0, 0, 0], [1e8, 1, -1e8, 1, 1e8, 1, -1e8, 1]]
    elif kind == "BOOL":
        rows = [[0] * 8, [1] * 8, [0, 0, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1, 1, 0]] + [[0, 1] * 4] * 6
    else:
        info = np.iinfo(onefile.TYPES[kind])
        low, high = info.min, info.max
        rows = [[1, 3, 3, 2, 3, 1, 1, 0], [high] * 8, [low] * 8, [low, high] * 4,
                [high, low, 1, 2, 3, 4, 5, 6], [0] * 8, [high, 1, 0, 0, 0, 0, 0, 0],
                [low, max(low, -1) if low else 1, 0, 0, 0, 0, 0, 0], [7, 2, 3, 2, 1, 1, 1, 1],
                [max(low, -7) if low else 7, 2, 3, 2, 1, 1, 1, 1]]
    return np.array(rows, onefile.TYPES[kind])


ROWS8 = plain(10, 8, given=small)


def reduced(operator, axes, shape=None, **more):
    x = ROWS8 if shape is None else plain(*shape)
    return edge(operator, [x, const(np.array(axes, np.int32))], options="ReducerOptions",
                name=f"{'-'.join(map(str, axes)) or 'none'}" + (f"-{shape}" if shape else ""),
                keepDims=BOTH, **more)


def pairs(operator, options=None, outputs=None, b=B, **more):
    return edge(operator, [A, b], outputs, options=options, **more)


D = plain(COUNT, COUNT, given=divisors)
REDUCTIONS = ("SUM", "MEAN", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL")
CASTS = TYPES + ("FLOAT16",)
NUMBER = {"FLOAT32": 0, "FLOAT16": 1, "INT32": 2, "UINT8": 3, "INT64": 4, "BOOL": 6, "INT16": 7,
          "INT8": 9}
IMAGE = np.zeros((1, 6, 6, 2), np.float32)
IMAGE[0, 1, 2, 0], IMAGE[0, 4, 4, 1], IMAGE[0, 3, 0, 0], IMAGE[0, 0, 5, 1] = NAN, INF, -INF, 3e38
HUGE = np.full((1, 6, 6, 2), 3e38, np.float32)
PICTURE = given(IMAGE)

ROWS = [
    # Two numbers.
    *[pairs(o, p, fusedActivationFunction=ALL) for o, p in (("ADD", "AddOptions"),
                                                            ("SUB", "SubOptions"),
                                                            ("MUL", "MulOptions"))],
    pairs("DIV", "DivOptions", b=D, fusedActivationFunction=ALL),
    pairs("DIV", "DivOptions", name="zero"),
    pairs("FLOOR_DIV", "FloorDivOptions", b=D), pairs("FLOOR_MOD", "FloorModOptions", b=D),
    pairs("FLOOR_DIV", "FloorDivOptions", name="zero"),
    pairs("FLOOR_MOD", "FloorModOptions", name="zero"),
    pairs("MAXIMUM", "MaximumMinimumOptions"), pairs("MINIMUM", "MaximumMinimumOptions"),
    pairs("POW", "PowOptions", types=F, bound=NEAR),
    edge("POW", [plain(8, type="INT32", given=[0, 0, 1, -1, 2, -3, 46340, 7]),
                 plain(8, type="INT32", given=[0, 5, 40, 41, 30, 19, 2, 0])],
         [plain(type="INT32")], ("INT32",), "PowOptions", name="int"),
    pairs("SQUARED_DIFFERENCE", "SquaredDifferenceOptions"),
    pairs("ATAN2", "ATan2Options", bound=NEAR),
    *[pairs(o, p, [FLAG]) for o, p in (
        ("EQUAL", "EqualOptions"), ("NOT_EQUAL", "NotEqualOptions"), ("LESS", "LessOptions"),
        ("LESS_EQUAL", "LessEqualOptions"), ("GREATER", "GreaterOptions"),
        ("GREATER_EQUAL", "GreaterEqualOptions"))],
    pairs("LOGICAL_AND", "LogicalAndOptions"), pairs("LOGICAL_OR", "LogicalOrOptions"),
    pairs("BITWISE_XOR", "BitwiseXorOptions"), pairs("RIGHT_SHIFT", "RightShiftOptions"),
    pairs("STABLEHLO_ADD"), pairs("STABLEHLO_MULTIPLY"), pairs("STABLEHLO_MAXIMUM"),
    pairs("STABLEHLO_MINIMUM"),
    edge("ADD_N", [A, B, A], options="AddNOptions"),
    edge("ADD_N", [A], options="AddNOptions", name="one"),
    # One number.
    *[unary(o, p) for o, p in (
        ("RELU", None), ("RELU6", None), ("RELU_N1_TO_1", None), ("RELU_0_TO_1", None),
        ("ABS", "AbsOptions"), ("NEG", "NegOptions"), ("FLOOR", None), ("CEIL", None),
        ("ROUND", None), ("SIGN", "SignOptions"), ("SQUARE", "SquareOptions"), ("SQRT", None),
        ("LOGICAL_NOT", "LogicalNotOptions"), ("ZEROS_LIKE", "ZerosLikeOptions"))],
    *[unary(o, p, bound=NEAR) for o, p in (
        ("RSQRT", None), ("EXP", "ExpOptions"), ("LOG", None), ("SIN", None), ("COS", "CosOptions"),
        ("ELU", None), ("LOGISTIC", None), ("TANH", None), ("HARD_SWISH", "HardSwishOptions"))],
    unary("GELU", "GeluOptions", approximate=BOTH, bound=NEAR),
    unary("LEAKY_RELU", "LeakyReluOptions", alpha=[0.0, -1.0, 0.2, 2.0]),
    edge("PRELU", [plain(1, COUNT, COUNT, given=left), const(np.resize(FINITE, COUNT), "FLOAT32")],
         types=F),
    unary("FAKE_QUANT", "FakeQuantOptions", types=F, min=[-1.0, 0.0], max=[1.0, 2.55], numBits=[8, 4],
          narrowRange=BOTH, bound=NEAR),
    *[edge("CAST", [X], [plain(type=to)], CASTS, "CastOptions", name=to) for to in CASTS],
    *[edge("CAST", [plain(COUNT, given=[v % 128 / 2 for v in range(COUNT)])], [plain(type=to)], F,
           "CastOptions", name=f"{to}-halves") for to in CASTS],
    edge("CAST", [plain(COUNT, given=[(v - 20) * 0.75 for v in range(COUNT)])],
         [INDEX], F, "CastOptions", name="negative"),
    edge("BITCAST", [X], [INDEX], ("FLOAT32",), "BitcastOptions"),
    edge("BITCAST", [X], [plain(type="FLOAT32")], ("INT32",), "BitcastOptions"),
    edge("QUANTIZE", [plain(COUNT, type="FLOAT32", given=lambda kind: numbers(kind))],
         [T(scale=0.5, zero=0)], ("INT8", "UINT8", "INT16"), "QuantizeOptions"),
    edge("DEQUANTIZE", [plain(COUNT, given=numbers)], [plain(type="FLOAT32")], ("FLOAT16",),
         "DequantizeOptions"),
    edge("BUCKETIZE", [X], [INDEX], ("FLOAT32", "INT32", "INT64"), "BucketizeOptions",
         boundaries=[[-1.0, 0.0, 0.5, 7.0], [0.0, 0.0, 1.0]]),
    # Reductions, positions, order.
    *[reduced(o, axes, bound=NEAR) for o in REDUCTIONS
      for axes in ([1], [-1], [0], [0, 1], [1, 1], [1, -1], [])],
    *[reduced(o, axes, shape, bound=NEAR) for o in REDUCTIONS
      for axes, shape in (([1], (3, 0)), ([0], (3, 0)), ([0, 1], (0, 3)))],
    *[edge(o, [ROWS8, const(axis)], [plain(type=kind)], options=p, name=f"{axis}-{kind}",
           outputType=[NUMBER[kind]])
      for o, p in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions"))
      for axis in (0, 1, -1) for kind in ("INT32", "INT64")],
    *[edge("TOPK_V2", [plain(6, 8, given=lambda kind: small(kind)[[0, 1, 5, 6, 7, 8]]), const(k)],
           [plain(), INDEX], options="TopKV2Options", name=str(k)) for k in (0, 1, 3, 8)],
    edge("CUMSUM", [ROWS8, const(1)], options="CumsumOptions", exclusive=BOTH, reverse=BOTH),
    edge("CUMSUM", [ROWS8, const(-2)], options="CumsumOptions", exclusive=BOTH, reverse=BOTH,
         name="axis"),
    edge("CUMSUM", [plain(1, 2, 2, 5, 4, given=small), const(3)], options="CumsumOptions",
         exclusive=BOTH, reverse=BOTH, name="5D"),
    edge("SOFTMAX", [ROWS8], types=F, options="SoftmaxOptions", beta=[1.0, 0.0, -1.0, 100.0],
         bound=NEAR),
    edge("LOG_SOFTMAX", [ROWS8], types=F, options="LogSoftmaxOptions", bound=NEAR),
    edge("L2_NORMALIZATION", [ROWS8], types=F, options="L2NormOptions",
         fusedActivationFunction=[NONE], bound=NEAR),
    edge("LOCAL_RESPONSE_NORMALIZATION", [plain(1, 1, 10, 8, given=small)], types=F,
         options="LocalResponseNormalizationOptions", radius=[1, 20], bias=[0.0, 1.0],
         alpha=[1.0, 0.0], beta=[0.5, 0.75], bound=NEAR),
    # Layers.
    *[edge(o, [x], types=F, options="Pool2DOptions", padding=[SAME, VALID], strideW=[1, 2],
           strideH=[2], filterWidth=[2, 3], filterHeight=[3], fusedActivationFunction=ALL,
           bound=NEAR, name=n)
      for o in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
      for n, x in (("nan", PICTURE), ("huge", given(HUGE)), ("low", given(np.full((1, 6, 6, 2), -INF))))],
    *[edge("STABLEHLO_REDUCE_WINDOW", [plain(1, 10, 8, 1, given=values), plain(data=[first])],
           types=types, options="StablehloReduceWindowOptions", body=body, bodySubgraphIndex=[1],
           windowDimensions=[[1, 3, 2, 1]], windowStrides=[[1, 1, 1, 1], [1, 2, 3, 1]],
           windowDilations=[[1, 1, 1, 1], [1, 2, 3, 1]], baseDilations=[[1, 1, 1, 1]],
           padding=[[0] * 8, [0, 0, 2, 1, 0, 3, 0, 0]], name=f"{body}-{first}", bound=NEAR)
      for body, first, types, values in (
          ("MAXIMUM", -INF, F, finite), ("MINIMUM", INF, F, finite), ("ADD", 0, F, finite),
          ("MUL", 1, F, finite), ("MAXIMUM", 3, TYPES[1:-1], small), ("ADD", 1, TYPES[1:-1], small),
          ("MINIMUM", 3, TYPES[1:-1], small), ("MUL", 2, TYPES[1:-1], small),
          ("LOGICAL_AND", 1, ("BOOL",), small), ("LOGICAL_OR", 0, ("BOOL",), small))],
    edge("CONV_2D", [PICTURE, const(np.ones((2, 3, 3, 2)) * [0, 1], "FLOAT32"),
                     const([0, 1], "FLOAT32")], types=F, options="Conv2DOptions",
         padding=[SAME, VALID], strideW=[1, 2], strideH=[1], dilationWFactor=[1, 2],
         dilationHFactor=[1], fusedActivationFunction=ALL, bound=NEAR),
    edge("DEPTHWISE_CONV_2D", [PICTURE, const(np.ones((1, 3, 3, 2)) * [0, 1], "FLOAT32"),
                               const([0, 1], "FLOAT32")], types=F, options="DepthwiseConv2DOptions",
         padding=[SAME, VALID], strideW=[1, 2], strideH=[1], depthMultiplier=[1],
         dilationWFactor=[1], dilationHFactor=[1], fusedActivationFunction=ALL, bound=NEAR),
    edge("TRANSPOSE_CONV", [const([1, 12, 12, 2]), const(np.ones((2, 3, 3, 2)) * [0, 1], "FLOAT32"),
                            PICTURE], types=F, options="TransposeConvOptions", padding=[SAME],
         strideW=[2], strideH=[2], bound=NEAR),
    edge("FULLY_CONNECTED", [ROWS8, const([[0, 1] * 4, [0] * 8, [1] * 8], "FLOAT32"),
                             const([0, 1, 2], "FLOAT32")], types=F,
         options="FullyConnectedOptions", fusedActivationFunction=ALL, bound=NEAR),
    edge("BATCH_MATMUL", [ROWS8, plain(8, 3, given=[[0, 1, INF]] * 8)], types=F,
         options="BatchMatMulOptions", bound=NEAR, adjX=[False], adjY=[False]),
    *[edge(o, [PICTURE, const(size)], types=F, options=p, bound=NEAR,
           name=f"{size[0]}" + "-half" * (flags["halfPixelCenters"] == [True]), **flags)
      for size in ([12, 12], [3, 3], [1, 1], [7, 5], [6, 6])
      for o, p, flags in (
          ("RESIZE_BILINEAR", "ResizeBilinearOptions", {"alignCorners": BOTH,
                                                        "halfPixelCenters": [False]}),
          ("RESIZE_BILINEAR", "ResizeBilinearOptions", {"alignCorners": [False],
                                                        "halfPixelCenters": [True]}),
          ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions",
           {"alignCorners": BOTH, "halfPixelCenters": BOTH}))],
    *[edge("RESIZE_NEAREST_NEIGHBOR", [plain(1, 5, 4, 4, given=small), const(size)],
           options="ResizeNearestNeighborOptions", alignCorners=BOTH, halfPixelCenters=BOTH,
           name="numbers-" + "x".join(map(str, size)))
      for size in ([10, 8], [3, 3], [1, 1], [7, 9], [5, 4], [11, 2])],
    edge("CONV_3D", [plain(1, 3, 4, 4, 2, given=IMAGE.ravel()[:72].tolist() + [1] * 24),
                     const(np.ones((2, 2, 2, 2, 2)) * [0, 1], "FLOAT32"),
                     const([0, 1], "FLOAT32")], types=F, options="Conv3DOptions",
         padding=[SAME, VALID], strideD=[1], strideW=[1], strideH=[1], dilationDFactor=[1],
         dilationWFactor=[1], dilationHFactor=[1], fusedActivationFunction=[NONE, RELU],
         bound=NEAR),
    edge("RFFT2D", [ROWS8, const([8, 8])], [plain(type="COMPLEX64")], F, "Rfft2dOptions",
         bound=NEAR),
    edge("RFFT2D", [plain(8, 8, given=np.eye(8)), const([8, 8])], [plain(type="COMPLEX64")], F,
         "Rfft2dOptions", bound=NEAR, name="finite"),
    *[edge(o, [plain(COUNT, COUNT, type="COMPLEX64", given=lambda kind: left("FLOAT32") + 0j)],
           types=F, options=None, bound=NEAR) for o in ("REAL", "IMAG", "COMPLEX_ABS")],
    # What is picked and put.
    *[edge("GATHER", [ROWS8, given(indices, kind)], options="GatherOptions", axis=axis,
           name=f"{kind}-{name}")
      for kind in ("INT32", "INT64", "INT16")
      for name, indices, axis in (("twice", [3, 3, 0, 7], [0, 1, -1, -2]), ("negative", [-1, 2], [0, 1]),
                                  ("beyond", [10, 1 << 14], [0, 1]), ("empty", [], [0, 1]))],
    edge("GATHER", [ROWS8, plain(10, 2, type="INT32", given=[1, 7] * 10)], options="GatherOptions",
         axis=[1], batchDims=[1, -1], name="batch"),
    edge("GATHER", [ROWS8, plain(10, 2, type="INT32", given=[-1, 8] * 10)], options="GatherOptions",
         axis=[1], batchDims=[1], name="batch-beyond"),
    *[edge("GATHER_ND", [ROWS8, given(indices, kind)], options="GatherNdOptions",
           name=f"{kind}-{name}")
      for kind in ("INT32", "INT64", "INT16")
      for name, indices in (("twice", [[9, 7], [9, 7], [0, 0]]), ("rows", [[2], [2]]),
                            ("negative", [[-1, 0]]), ("beyond", [[10, 0]]), ("beyond-2", [[0, 8]]))],
    *[edge("EMBEDDING_LOOKUP", [given(indices, "INT32"), const(small("FLOAT32"), "FLOAT32")],
           types=F, name=name)
      for name, indices in (("twice", [3, 3, 9]), ("negative", [-1]), ("beyond", [10]))],
    *[edge("SCATTER_ND", [const(indices), plain(len(indices), 8, given=lambda kind, n=len(indices):
                                                small(kind)[2:2 + n]), const([6, 8])],
           options="ScatterNdOptions", name=name)
      for name, indices in (("once", [[4], [0], [2]]), ("twice", [[1], [1], [1]]),
                            ("negative", [[-1]]), ("beyond", [[6]]))],
    edge("SCATTER_ND", [const([[1], [1]]), plain(2, 8, given=lambda kind: small(kind)[[1, 6]]),
                        const([2, 8])], options="ScatterNdOptions", name="overflow"),
    *[edge("ONE_HOT", [given([-1, 0, 4, 5, 4, 1 << 20], kind), const(5),
                       plain(data=[on]), plain(data=[off])], types=types, options="OneHotOptions",
           axis=[-1, 0, 1], name=f"{kind}-{on}")
      for kind in ("INT32", "INT64", "UINT8")[:2]
      for on, off, types in ((1, 0, TYPES), (NAN, INF, F))],
    *[edge("SEGMENT_SUM", [ROWS8, const(ids)], options="SegmentSumOptions", name=name)
      for name, ids in (("gaps", [0, 0, 0, 2, 2, 2, 2, 5, 5, 5]), ("first", [2] * 10))],
    *[edge(o, [ROWS8, const(ids), const(count)], options=p, name=name)
      for o, p in (("UNSORTED_SEGMENT_SUM", "UnsortedSegmentSumOptions"),
                   ("UNSORTED_SEGMENT_PROD", "UnsortedSegmentProdOptions"),
                   ("UNSORTED_SEGMENT_MAX", "UnsortedSegmentMaxOptions"),
                   ("UNSORTED_SEGMENT_MIN", "UnsortedSegmentMinOptions"))
      for name, ids, count in (("gaps", [3, 1, 3, 0, 0, 5, 5, 0, 1, 3], 7),
                               ("negative", [-1, 1, 3, -2, 0, -1, 0, 0, 1, 3], 4),
                               ("same", [0] * 10, 1))],
    *[edge("SPARSE_TO_DENSE", [const(indices), const(shape), plain(3, given=lambda kind:
                                                                   numbers(kind)[15:18]),
                               plain(data=[off])], types=types, options="SparseToDenseOptions",
           name=f"{name}-{off}", validateIndices=[False])
      for name, indices, shape in (("once", [0, 2, 5], [9]), ("twice", [4, 4, 4], [9]),
                                   ("pairs", [[0, 1], [1, 1], [2, 0]], [3, 2]))
      for off, types in ((1, TYPES), (INF, F))],
    edge("MATRIX_DIAG", [ROWS8], options="MatrixDiagOptions"),
    *[edge("MATRIX_SET_DIAG", [plain(10, *shape, given=lambda kind, n=shape[0] * shape[1]:
                                     np.resize(small(kind), 10 * n)),
                               plain(10, 3, given=lambda kind: small(kind)[:, :3])],
           options="MatrixSetDiagOptions", name=f"{shape}") for shape in ((3, 3), (3, 5), (5, 3))],
    *[edge("DYNAMIC_UPDATE_SLICE", [ROWS8, plain(2, 3, given=lambda kind: small(kind)[2:4, :3]),
                                    at], options="DynamicUpdateSliceOptions", name=name)
      for name, at in (("within", const([2, 2])), ("beyond", const([9, 7])),
                       ("negative", const([-1, -5])), ("far", const([2 ** 31 - 1, -2 ** 31])),
                       ("given", given([3, 9], "INT32")))],
    edge("SELECT", [plain(COUNT, COUNT, type="BOOL", given=np.arange(COUNT ** 2) % 3 == 0), A, B],
         options="SelectOptions"),
    edge("SELECT_V2", [plain(COUNT, COUNT, type="BOOL", given=np.arange(COUNT ** 2) % 3 == 0), A, B],
         options="SelectV2Options"),
    edge("SELECT", [plain(10, type="BOOL", given=[0, 1] * 5), ROWS8, ROWS8],
         options="SelectOptions", name="rows"),
    # Each input broadcasts against the others.
    *[edge("SELECT_V2", [plain(*c, type="BOOL", given=np.arange(int(np.prod(c))) % 2),
                         plain(*a, given=lambda kind, a=a: numbers(kind)[:int(np.prod(a))]),
                         plain(*b, given=lambda kind, b=b: numbers(kind)[7:7 + int(np.prod(b))])],
           options="SelectV2Options", name=f"{c}{a}{b}")
      for c, a, b in (((3, 4), (4,), (1,)), ((1, 1, 4), (3, 1), (2, 1, 1)), ((2, 3), (2, 1), ()),
                      ((), (2, 3), (3,)))],
    *[edge("REVERSE_SEQUENCE", [ROWS8, given(lengths, "INT32")], options="ReverseSequenceOptions",
           seqDim=[1], batchDim=[0], name=name)
      for name, lengths in (("given", [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]),)],
    edge("REVERSE_SEQUENCE", [ROWS8, const([0, 1, 2, 3, 4, 5, 6, 7, 8, 8])],
         options="ReverseSequenceOptions", seqDim=[1], batchDim=[0], name="const"),
    *[edge("REVERSE_V2", [ROWS8, const(axes)], options="ReverseV2Options", name=str(axes))
      for axes in ([0], [-1], [0, 1], [1, 1], [])],
    # What is moved.
    *[edge("SLICE", [ROWS8, const(begin), const(size)], options="SliceOptions", name=name)
      for name, begin, size in (("end", [2, 3], [-1, -1]), ("none", [2, 3], [0, 2]),
                                ("beyond", [2, 3], [20, 2]), ("negative", [-1, 0], [1, 1]),
                                ("edge", [10, 0], [-1, 8]))],
    *[edge("STRIDED_SLICE", [ROWS8, const(begin), const(end), const(step)],
           options="StridedSliceOptions", beginMask=masks, endMask=masks,
           shrinkAxisMask=[0, 2] if step[1] > 0 else [0], offset=[False], name=f"{begin}{end}{step}")
      for masks in ([0, 1, 2],)
      for begin, end, step in (([0, 0], [10, 8], [3, 3]), ([-1, -1], [-11, -9], [-1, -2]),
                               ([20, 20], [-20, -20], [-3, -3]), ([-20, -20], [20, 20], [4, 3]),
                               ([5, 5], [5, 7], [1, 1]), ([7, 1], [2, 7], [1, 1]),
                               ([2, 1], [7, 7], [-1, 1]), ([9, 7], [0, 0], [-2, -2]))],
    # Ends that are offsets. An end mask beside them, or an offset beyond the dimension, makes LiteRT
    # write beyond the memory of its output: its shape follows the offset, its loop the mask.
    *[edge("STRIDED_SLICE", [ROWS8, const(begin), const(end), const(step)],
           options="StridedSliceOptions", beginMask=[0, 1, 2], endMask=[0], shrinkAxisMask=[0, 2],
           offset=[True], name=f"offset-{begin}{end}{step}")
      for begin, end, step in (([7, 1], [2, 7], [1, 1]), ([-4, -3], [3, 3], [1, 1]),
                               ([2, 1], [7, 6], [2, 3]), ([0, 0], [0, 8], [1, 1]))],
    *[edge("STRIDED_SLICE", [ROWS8, const([1, 0]), const([5, 3]), const([2, 1])],
           options="StridedSliceOptions", ellipsisMask=[e], newAxisMask=[n],
           shrinkAxisMask=[s], name=f"{e}{n}{s}")
      for e, n, s in ((1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 2, 0), (1, 2, 0), (1, 0, 2), (0, 1, 2),
                      (0, 3, 0), (0, 1, 1))],
    *[edge("PAD", [ROWS8, const(pads)], options="PadOptions", name=str(pads))
      for pads in ([[1, 2], [0, 3]], [[0, 0], [0, 0]], [[-1, 0], [0, -2]])],
    *[edge("PADV2", [ROWS8, const([[1, 2], [0, 3]]), plain(data=[value])], types=types,
           options="PadV2Options", name=str(value))
      for value, types in ((1, TYPES), (NAN, F), (-INF, F), (-0.0, F))],
    *[edge("MIRROR_PAD", [ROWS8, const(pads)], options="MirrorPadOptions", mode=[0, 1],
           name=str(pads)) for pads in ([[9, 9], [7, 7]], [[10, 0], [0, 8]], [[0, 0], [0, 0]])],
    *[edge("TILE", [ROWS8, const(times)], options="TileOptions", name=str(times))
      for times in ([2, 3], [1, 1], [0, 1])],
    *[edge("TRANSPOSE", [ROWS8, const(order)], options="TransposeOptions", name=str(order))
      for order in ([1, 0], [0, 1], [-1, 0], [1, -2])],
    *[edge("SPLIT", [const(axis), ROWS8], like(2), options="SplitOptions", numSplits=[2],
           name=str(axis)) for axis in (0, 1, -1, -2)],
    *[edge("SPLIT_V", [ROWS8, const(sizes), const(axis)], like(len(sizes)), options="SplitVOptions",
           numSplits=[len(sizes)], name=f"{sizes}{axis}")
      for sizes, axis in (([3, 5], 1), ([-1, 5], -1), ([10, 0], 0), ([8], 1))],
    edge("CONCATENATION", [ROWS8, ROWS8], options="ConcatenationOptions", axis=[0, 1, -1, -2],
         fusedActivationFunction=[NONE]),
    edge("CONCATENATION", [ROWS8, ROWS8], options="ConcatenationOptions", axis=[0],
         fusedActivationFunction=[RELU, RELU6], name="fused"),
    edge("CONCATENATION", [ROWS8, plain(0, 8), ROWS8], options="ConcatenationOptions", axis=[0],
         name="empty"),
    edge("CONCATENATION", [plain(1, 2, 2, 5, 4, given=small), plain(1, 2, 2, 5, 4, given=small)],
         options="ConcatenationOptions", axis=[0, 1, 2, 3, -1], fusedActivationFunction=[NONE],
         name="5D"),
    edge("PACK", [ROWS8, ROWS8], options="PackOptions", valuesCount=[2], axis=[0, 1, 2, -1, -3]),
    edge("UNPACK", [ROWS8], like(8), options="UnpackOptions", num=[8], axis=[1, -1]),
    edge("BROADCAST_TO", [plain(1, 8, given=lambda kind: small(kind)[0]), const([3, 4, 8])],
         options="BroadcastToOptions"),
    edge("BROADCAST_TO", [plain(1, 8, given=lambda kind: small(kind)[0]), const([0, 8])],
         options="BroadcastToOptions", name="empty"),
    *[edge("FILL", [const(shape), plain(data=[value])], types=types, options="FillOptions",
           name=f"{shape}{value}")
      for shape in ([2, 3], [0, 3], []) for value, types in ((1, TYPES), (NAN, F), (-0.0, F))],
    *[edge("RANGE", [const(a, kind), const(b, kind), const(c, kind)], [plain(type=kind)], (kind,),
           "RangeOptions", name=f"{a},{b},{c}")
      for kind, a, b, c in (("INT32", 0, 7, 2), ("INT32", 5, -4, -3), ("INT32", 3, 3, 1),
                            ("INT32", 3, 0, 1), ("FLOAT32", 0.0, 1.0, 0.1), ("INT64", 0, 9, 4),
                            ("INT32", 2 ** 31 - 3, 2 ** 31 - 1, 1))],
    edge("RESHAPE", [ROWS8, const([4, -1])], options="ReshapeOptions"),
    edge("RESHAPE", [plain(0, 8), const([4, 0])], options="ReshapeOptions", name="empty"),
    edge("SHAPE", [ROWS8], [INDEX], options="ShapeOptions", outType=[2]),
    edge("SHAPE", [ROWS8], [plain(type="INT64")], options="ShapeOptions", outType=[4],
         name="INT64"),
    edge("RANK", [ROWS8], [INDEX], options="RankOptions"),
    *[edge("EXPAND_DIMS", [ROWS8, const(axis)], options="ExpandDimsOptions", name=str(axis))
      for axis in (0, 2, -1, -3)],
    edge("SQUEEZE", [plain(1, 8, 1, given=lambda kind: small(kind)[0])], options="SqueezeOptions",
         squeezeDims=[[], [0], [-1], [-1, 0], [0, 0]]),
    edge("SPACE_TO_DEPTH", [plain(1, 10, 8, 1, given=small)], options="SpaceToDepthOptions",
         blockSize=[1, 2]),
    edge("DEPTH_TO_SPACE", [plain(1, 2, 5, 8, given=small)], options="DepthToSpaceOptions",
         blockSize=[1, 2]),
    edge("SPACE_TO_BATCH_ND", [plain(1, 10, 8, 1, given=small), const([3, 2]),
                               const([[2, 0], [1, 1]])], options="SpaceToBatchNDOptions"),
    edge("SPACE_TO_BATCH_ND", [plain(1, 10, 8, given=small), const([3]), const([[2, 0]])],
         options="SpaceToBatchNDOptions", name="3D"),
    edge("BATCH_TO_SPACE_ND", [plain(10, 4, 2, given=small), const([5]), const([[4, 3]])],
         options="BatchToSpaceNDOptions", name="3D"),
    edge("BATCH_TO_SPACE_ND", [plain(10, 2, 2, 2, given=small), const([5, 2]),
                               const([[4, 3], [1, 3]])], options="BatchToSpaceNDOptions"),
    # Two times nothing.
    *[edge(o, [plain(0, 3), plain(0, 3)], types=("FLOAT32", "INT32"), options=p, name="empty")
      for o, p in (("ADD", "AddOptions"), ("MUL", "MulOptions"), ("MAXIMUM", "MaximumMinimumOptions"))],
]
