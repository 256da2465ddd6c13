# SPDX-License-Identifier: MIT
"""
Rows for the Ethos-U beside those of tests/clients: shapes of several blocks, of all micro-blocks
and of both traversal orders; strides of 3; what Vela computes only without a batch.
"""

from rows_eight import ALL, INT8, KEEP, SUM, ints, layer, near, product
from table import EIGHT, LIKE_INPUT, NONE, RELU6, SAME, VALID, Row, T

THREE = EIGHT + ("INT16",)


def named(suffix, rows):
    for row in rows:
        row.name += suffix
    return rows


def convolutions(suffix, x, weights, padding=SAME, stride=(1, 1), dilation=(1, 1)):
    units, height, width, depth = weights
    return named(suffix, layer(
        "CONV_2D", "Conv2DOptions", T(1, *x), weights, 0, units, height * width * depth,
        padding=[padding], strideW=[stride[1]], strideH=[stride[0]],
        dilationWFactor=[dilation[1]], dilationHFactor=[dilation[0]],
        fusedActivationFunction=[NONE, RELU6]))


def depthwise(suffix, x, weights, padding=SAME, stride=(1, 1)):
    rows = named(suffix, layer(
        "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", T(1, *x), (1, *weights), 3, weights[2],
        weights[0] * weights[1], padding=[padding], strideW=[stride[1]], strideH=[stride[0]],
        depthMultiplier=[weights[2] // x[2]], dilationWFactor=[1], dilationHFactor=[1],
        fusedActivationFunction=[NONE, RELU6]))
    return [row for row in rows if "nobias" not in row.name]


ROWS = [
    *convolutions("-1x1", (17, 19, 40), (70, 1, 1, 40)),
    *convolutions("-3x3", (20, 21, 24), (33, 3, 3, 24)),
    *convolutions("-first", (31, 29, 3), (16, 3, 3, 3), stride=(2, 2)),
    *convolutions("-3-strides", (22, 25, 9), (10, 5, 4, 9), VALID, stride=(3, 3)),
    *convolutions("-dilated", (15, 16, 17), (19, 3, 3, 17), dilation=(2, 2)),
    *convolutions("-9x7", (12, 13, 5), (8, 9, 7, 5)),
    *convolutions("-deep", (4, 5, 260), (40, 1, 1, 260)),
    *convolutions("-row", (1, 40, 16), (24, 1, 5, 16)),
    *depthwise("-5x5", (19, 18, 36), (5, 5, 36)),
    *depthwise("-strides", (21, 22, 20), (3, 3, 20), stride=(2, 2)),
    *depthwise("-times-4", (9, 8, 1), (3, 3, 4), VALID),
    *named("-one", layer("FULLY_CONNECTED", "FullyConnectedOptions", T(1, 130), (33, 130), 0, 33,
                         130, fusedActivationFunction=ALL, keepNumDims=[False])),
    *[Row(name, [T(1, 14, 15, 20)], [KEEP], THREE, "Pool2DOptions", name=f"{name}-{h}x{w}",
          padding=[padding], strideW=[s], strideH=[s], filterWidth=[w], filterHeight=[h],
          fusedActivationFunction=[NONE, RELU6])
      for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")
      for h, w, s, padding in ((2, 2, 2, VALID), (3, 3, 1, SAME), (7, 5, 3, SAME), (8, 8, 1, VALID),
                               (14, 15, 1, VALID))],
    *[Row(name, [T(1, 9, 8, 21), ints(*axes)], [T(scale=LIKE_INPUT)], THREE, "ReducerOptions",
          name=f"{name}-one-{'-'.join(map(str, axes))}", keepDims=[True])
      for name in ("REDUCE_MAX", "REDUCE_MIN") for axes in ((1,), (2,), (1, 2))],
    Row("MEAN", [T(1, 9, 8, 21), ints(1, 2)], [T(scale=near(lambda s: s[0] / 2))], THREE,
        "ReducerOptions", name="MEAN-one-1-2", keepDims=[True]),
    Row("ADD", [T(1, 15, 17, 20), T(1, 15, 17, 20)], [T(scale=SUM)], EIGHT, "AddOptions",
        name="ADD-maps", fusedActivationFunction=ALL),
    Row("MUL", [T(1, 15, 17, 20), T(1, 1, 1, 20)], [T(scale=near(lambda s: s[0] * s[1] * 60))],
        EIGHT, "MulOptions", name="MUL-channels", fusedActivationFunction=ALL),
    Row("MIRROR_PAD", [T(1, 6, 7, 8), T(4, 2, type="INT32", data=[0, 0, 2, 1, 1, 3, 0, 0])], [KEEP],
        THREE, "MirrorPadOptions", name="MIRROR_PAD-one", mode=[0, 1]),
    Row("SOFTMAX", [T(1, 12, 11, 33, scale=(2.0 ** -8, 0.3))], [T(scale=2.0 ** -8, zero=-128)],
        INT8, "SoftmaxOptions", name="SOFTMAX-maps", beta=[1.0]),
    Row("BATCH_MATMUL", [T(1, 20, 33), T(1, 33, 18)], [T(scale=product(33))], INT8,
        "BatchMatMulOptions", name="BATCH_MATMUL-one", adjX=[False], adjY=[False]),
]
