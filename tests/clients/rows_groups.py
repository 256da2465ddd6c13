# SPDX-License-Identifier: MIT
"""
CONV_2D in groups, on FLOAT32 by INT8 (hybrid) and on INT16, and hybrid layers whose scales of
channels are the same: LiteRT takes those for one scale, and quantises the input symmetrically.
"""

import numpy as np

from table import NONE, RELU, SAME, VALID, Row, T, exactly, near

CONV = {"options": "Conv2DOptions", "strideW": [1, 2], "strideH": [1], "padding": [SAME, VALID]}


def filters(groups, kind="INT8", **more):
    return T(8, 3, 2, 8 // groups, type=kind, data="any", zero=0,
             **{"scale": (2.0 ** -8, 2.0 ** -5), "axis": 0, **more})


def same(rng, scales):
    return np.full(8, rng.uniform(0.01, 0.1), np.float32)


ROWS = []
for groups in (1, 2, 4):
    ROWS += [
        Row("CONV_2D", [T(2, 7, 6, 8), filters(groups), T(8, data="any")], [T()], ("FLOAT32",),
            name=f"CONV_2D-hybrid-groups{groups}", version=6,
            fusedActivationFunction=[NONE, RELU], **CONV),
        Row("CONV_2D", [T(2, 7, 6, 8, scale=(2.0 ** -14, 2.0 ** -10)), filters(groups),
                        T(8, type="INT64", data="any", values=(-100000, 100000),
                          scale=exactly(lambda s: s[0] * s[1]))],
            [T(scale=near(lambda s: s[0] * np.max(s[1]) * 100))], ("INT16",), version=6,
            name=f"CONV_2D-groups{groups}", **CONV)]
ROWS += [Row("CONV_2D", [T(2, 7, 6, 8), filters(1, kind, scale=same),
                         T(8, data="any")], [T()], ("FLOAT32",), version=6,
             name=f"CONV_2D-hybrid-{kind}-same", **CONV) for kind in ("INT8", "INT4")]
ROWS += [Row("DEPTHWISE_CONV_2D",
             [T(2, 7, 6, 8), T(1, 3, 2, 8, type="INT8", data="any", zero=0, axis=3, scale=scale),
              T(8, data="any")], [T()], ("FLOAT32",), "DepthwiseConv2DOptions", version=6,
             name=f"DEPTHWISE_CONV_2D-hybrid{name}", strideW=[1, 2], strideH=[1],
             depthMultiplier=[1], padding=[SAME, VALID])
         for name, scale in (("", (2.0 ** -8, 2.0 ** -5)), ("-same", same))]
