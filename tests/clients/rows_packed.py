# SPDX-License-Identifier: MIT
"""
Layers with weights of 4 and 2 bits, on quantised numbers and on FLOAT32 (hybrid), and
EMBEDDING_LOOKUP of integers that gives FLOAT32. LiteRT has no DEPTHWISE_CONV_2D of 2 bits, and of 4
bits none on FLOAT32.
"""

import numpy as np

from table import NONE, RELU, RELU6, SAME, VALID, Row, T, exactly, near


def weights(bits, *shape, axis=None):
    return T(*shape, type=f"INT{bits}", data="any", zero=0, scale=(2.0 ** -5, 0.5), axis=axis)


def layer(name, operator, options, x, w, units, terms, version, types=("INT8",), bias=True, **more):
    out = T(scale=near(lambda s: s[0] * np.max(s[1]) * 60 * terms ** 0.5))
    b = [T(units, type="INT32", data="any", values=(-20000, 20000),
           scale=exactly(lambda s: s[0] * s[1]))] if bias else []
    return Row(operator, [x, w, *b], [out], types, options, name=name, version=version, **more)


ROWS = [Row("EMBEDDING_LOOKUP", [T(12, type="INT32", values=(0, 28)),
                                 T(29, 15, type="INT8", data="any", zero=0, axis=axis)], [T()],
            ("FLOAT32",), name=f"EMBEDDING_LOOKUP-8bits{kind}", version=4)
        for axis, kind in ((None, ""), (0, "-channels"))]
ROWS += [Row("DEQUANTIZE", [T(6, 3, 5, 4, type="INT8", data="any", zero=zero, axis=axis)], [T()],
             ("FLOAT32",), name=f"DEQUANTIZE-channel{axis}-zeros", version=5)
         for axis, zero in ((0, [3, -128, 0, 127, -5, 1]), (3, [0, -2, 9, 100]))]
for bits in 4, 2:
    for axis, kind in (None, ""), (0, "-channels"):
        # An odd number of elements in a row: rows start within bytes.
        for columns, odd in (32, ""), (31, "-odd"):
            w = weights(bits, 17, columns, axis=axis)
            name = f"FULLY_CONNECTED-{bits}bits{kind}{odd}"
            ROWS += [
                layer(name, "FULLY_CONNECTED", "FullyConnectedOptions", T(9, columns), w, 17,
                      columns, 9, fusedActivationFunction=[NONE, RELU, RELU6]),
                Row("FULLY_CONNECTED", [T(9, columns), w, None], [T()], ("FLOAT32",),
                    "FullyConnectedOptions", name=name + "-hybrid", version=9,
                    fusedActivationFunction=[NONE, RELU],
                    asymmetricQuantizeInputs=[False, True])]
        ROWS += [Row("EMBEDDING_LOOKUP", [T(12, type="INT32", values=(0, 28)), w], [T()],
                     ("FLOAT32",), name=f"EMBEDDING_LOOKUP-{name}", version=4)
                 for name, w in ((f"{bits}bits{kind}", weights(bits, 29, 16, axis=axis)),
                                 (f"{bits}bits{kind}-rank3", weights(bits, 29, 3, 4, axis=axis)))]
    if bits == 4:
        ROWS += [layer(f"DEPTHWISE_CONV_2D-{bits}bits{kind}", "DEPTHWISE_CONV_2D",
                       "DepthwiseConv2DOptions", T(2, 9, 8, 6),
                       weights(bits, 1, 3, 3, 6, axis=axis), 6, 9, 6, strideW=[1, 2], strideH=[1],
                       depthMultiplier=[1], padding=[SAME, VALID])
                 for axis, kind in ((None, ""), (3, "-channels"))]
        ROWS += [layer(f"CONV_2D-{bits}bits{kind}", "CONV_2D", "Conv2DOptions", T(2, 9, 8, 5),
                       weights(bits, 7, 3, 3, 5, axis=axis), 7, 45, 6, strideW=[1, 2], strideH=[1],
                       padding=[SAME, VALID])
                 for axis, kind in ((None, ""), (0, "-channels"))]

# Scales of blocks. The order of sums is open.
ROWS += [Row("FULLY_CONNECTED",
             [T(9, 64), T(17, 64, type="INT4", data="any", scale=None, blocks=size), bias], [T()],
             ("FLOAT32",), "FullyConnectedOptions", version=12, bound=1e-5,
             name=f"FULLY_CONNECTED-4bits-blocks{size}{'' if bias else '-plain'}"
                  f"{'-relu' if act else ''}",
             own="the reference kernel takes scales of blocks to be 0",
             listed="LiteRT's own kernel leaves out the activation" if act else None,
             fusedActivationFunction=[act], asymmetricQuantizeInputs=[False, True])
         for size in (32, 64) for bias in (None, T(17, type="FLOAT32", data="any"))
         for act in (NONE, RELU)]


def extremes(columns, special, large=3.4e38):
    """Rows of zeros of both signs, of @large and of the smallest floats, and of @special ones."""
    rows = np.random.default_rng(5).uniform(-4, 4, (9, columns)).astype(np.float32)
    rows[1], rows[2], rows[3], rows[4, 1], rows[5, 2] = 0, -0.0, 1e-42, large, -large
    rows[6, 3], rows[7] = 1e-40, 1e-38
    for row, number in special:
        rows[row, 5] = number
    return rows


def hybrid(name, operator, options, values, w, version, more=(), **attributes):
    """
    Layers of FLOAT32 whose inputs, @values of special ones, are quantised; with NaN and infinities the
    differences are listed.
    """
    for suffix, special in (("", ()), ("-nan", ((0, np.nan), (4, np.inf), (8, -np.inf)))):
        x = values(special)
        yield Row(operator, [T(*x.shape, given=x), w, *more],
                  [T()], ("FLOAT32",), options, name=f"{operator}-hybrid-{name}{suffix}", version=version,
                  once=True, bound=1e-5, own="the reference kernel takes scales of blocks to be 0"
                  if w.blocks else None,
                  listed="C leaves the byte of a NaN undefined" if special else None, **attributes)


def loud(*shape, bits=8, **more):
    """Weights; LiteRT's products of bytes do not hold one of -128."""
    return T(*shape, **{"type": f"INT{bits}", "data": "any", "zero": 0, "scale": (2.0 ** -5, 0.5),
                        "values": (-127, 127) if bits == 8 else None, **more})


def of(columns):
    return lambda special: extremes(columns, special)


def picture(special):
    # LiteRT clamps infinite results.
    return extremes(32, special, 1e33).reshape(1, 6, 6, 8)


BOTH = [False, True]
for bits in 8, 4, 2:
    ROWS += hybrid(f"{bits}bits", "FULLY_CONNECTED", "FullyConnectedOptions", of(32), loud(17, 32, bits=bits),
                   9, (None,), fusedActivationFunction=[NONE, RELU], asymmetricQuantizeInputs=BOTH)
ROWS += hybrid("blocks", "FULLY_CONNECTED", "FullyConnectedOptions", of(64),
               loud(17, 64, bits=4, scale=None, blocks=32), 12, (None,), fusedActivationFunction=[NONE],
               asymmetricQuantizeInputs=BOTH)
ROWS += hybrid("rows", "BATCH_MATMUL", "BatchMatMulOptions", of(32), loud(32, 7), 4,
               asymmetricQuantizeInputs=[True])
ROWS += hybrid("picture", "CONV_2D", "Conv2DOptions", picture, loud(5, 3, 3, 8), 5,
               (T(5, type="FLOAT32", data="any"),), padding=[SAME], strideW=[1, 2], strideH=[1])


def long_rows(name, x, w, **attributes):
    return Row("FULLY_CONNECTED", [x, w, None], [T()], ("FLOAT32",), "FullyConnectedOptions",
               name=f"FULLY_CONNECTED-hybrid-{name}", version=9, fusedActivationFunction=[NONE], **attributes)


# Sums beyond 2^24, which FLOAT32 does not hold, and rows that are quantised in pieces.
positive = np.random.default_rng(6).uniform(0.7, 1, (5, 1500)).astype(np.float32)
ROWS += [long_rows("sums", T(5, 1500, given=positive), loud(6, 1500, values=(100, 127)),
                   asymmetricQuantizeInputs=[False]),
         long_rows("zeros", T(5, 1000, given=positive[:, :1000]), loud(6, 1000, values=(-90, 127), axis=0),
                   asymmetricQuantizeInputs=[True]),
         long_rows("pieces", T(2, 5760), loud(3, 5760), asymmetricQuantizeInputs=BOTH)]
ROWS += [Row("CONV_2D", [T(2, 24, 30, 8), loud(5, 3, 2, 8, axis=axis), T(5, type="FLOAT32", data="any")], [T()],
             ("FLOAT32",), "Conv2DOptions", name=f"CONV_2D-hybrid-pieces{kind}", version=5, padding=[SAME, VALID],
             strideW=[1, 2], strideH=[1], dilationWFactor=[1], dilationHFactor=[1, 3])
         for axis, kind in ((None, ""), (0, "-channels"))]
