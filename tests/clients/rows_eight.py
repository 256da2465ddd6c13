# SPDX-License-Identifier: MIT
"""Operators on numbers of 8 bits; nnaccel.h promises the bits of TFLite's kernels for them."""

from table import (EIGHT, LIKE_INPUT, NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Row, T, exactly,
                   near)

ALL = [NONE, RELU, RELU_N1_TO_1, RELU6]
SUM = near(lambda s: (s[0] + s[1]) / 2)

ROWS = [
    Row("ADD", [T(4, 80), T(4, 80)], [T(scale=SUM)], EIGHT, "AddOptions",
        fusedActivationFunction=ALL),
    Row("ADD", [T(4, 80), T(80)], [T(scale=SUM)], EIGHT, "AddOptions", name="ADD-broadcast",
        fusedActivationFunction=ALL),
    Row("SUB", [T(4, 80), T(4, 80)], [T(scale=SUM)], EIGHT, "SubOptions",
        fusedActivationFunction=ALL),
    Row("MUL", [T(4, 80), T(4, 80)], [T(scale=near(lambda s: s[0] * s[1] * 60))], EIGHT,
        "MulOptions", fusedActivationFunction=ALL),
    Row("SQUARED_DIFFERENCE", [T(4, 80), T(4, 80)],
        [T(scale=near(lambda s: max(s[0], s[1]) ** 2 * 60))], EIGHT, "SquaredDifferenceOptions"),
    Row("PRELU", [T(2, 5, 5, 8), T(1, 1, 8, data="any")],
        [T(scale=near(lambda s: s[0] * max(1, s[1] * 60)))], EIGHT),
    Row("HARD_SWISH", [T(2, 160, scale=(2.0 ** -6, 0.2))], [T(scale=near(lambda s: s[0]))], EIGHT,
        "HardSwishOptions"),
    Row("L2_NORMALIZATION", [T(6, 40)], [T(scale=2.0 ** -7, zero=0)], ("INT8",), "L2NormOptions"),
    Row("L2_NORMALIZATION", [T(6, 40)], [T(scale=2.0 ** -7, zero=128)], ("UINT8",),
        "L2NormOptions"),
    Row("RESIZE_BILINEAR", [T(1, 6, 7, 3), T(2, type="INT32", data=[9, 11])],
        [T(scale=LIKE_INPUT)], EIGHT, "ResizeBilinearOptions", alignCorners=[False, True],
        halfPixelCenters=[False]),
]
