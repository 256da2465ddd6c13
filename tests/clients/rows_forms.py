# SPDX-License-Identifier: MIT
"""
Rows of random forms: ranks, shapes that broadcast, axes of both signs and twice the same, windows,
strides, groups, slices and indices. A seed of the file's own draws them, so that all runs have the
same rows; each has one case with random scales and zero points.
"""

import zlib

import numpy as np

from rows_eight import TO_BOOL, TO_FLOAT
from table import (EIGHT, LIKE_INPUT, NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Row, T, exactly,
                   near)

ACTS = [NONE, RELU, RELU_N1_TO_1, RELU6]
KEEP = T(scale=LIKE_INPUT)
FLOATS, INTS = ("FLOAT32",), ("INT32", "INT64")
MOVED = ("FLOAT32", "INT8", "UINT8", "INT16", "INT32", "INT64", "BOOL")
PLAIN = ("FLOAT32", "INT32", "INT64")
FORMS = 8
SMALL = (2.0 ** -14, 2.0 ** -8)
BETAS = [1.0, 0.3, 4.0]
# Sums of products are in another order, and may be small beside them.
CLOSE = 5e-5


def draws(name, count=FORMS):
    """Generators of a row's forms, one for each."""
    return [(k, np.random.default_rng([7, zlib.crc32(name.encode()), k])) for k in range(count)]


def dims(rng, low=1, high=5, most=5):
    return tuple(int(n) for n in rng.integers(1, most + 1, rng.integers(low, high + 1)))


def pair(rng, high=5, most=4):
    """Two shapes that broadcast against each other."""
    both = dims(rng, 1, high, most)
    def side():
        cut = tuple(1 if rng.random() < 0.35 else n for n in both)
        return cut[rng.integers(0, len(cut)):] if rng.random() < 0.3 else cut
    return side(), side()


def const(values, kind="INT32"):
    values = np.array(values)
    return T(*values.shape, type=kind, data=values.tolist(), scale=None)


def axes(rng, rank, most=None):
    """Some axes, of both signs."""
    some = rng.permutation(rank)[:rng.integers(1, (most or rank) + 1)]
    return [int(a) - rank if rng.integers(2) else int(a) for a in some]


def axis(rng, rank):
    return int(rng.integers(-rank, rank))


def forms(operator, make, types, options=None, count=FORMS, name="", **more):
    """@make: of a generator (inputs, outputs, attributes)."""
    rows = []
    title = f"{operator}-form{name}"
    for k, rng in draws(title, count):
        made = make(rng)
        if made is None:
            continue
        inputs, outputs, attributes = made
        rows.append(Row(operator, inputs, outputs, types, options, name=f"{title}-{k}", once=True,
                        **{**more, **{key: [value] for key, value in attributes.items()}}))
    return rows


# Two inputs that broadcast.

def binary(output, act=True, scale=None, high=5, **values):
    def make(rng):
        a, b = pair(rng, high)
        more = {} if scale is None else {"scale": scale}
        return [T(*a, **more, **values), T(*b, **more, **values)], [output], \
            {"fusedActivationFunction": ACTS[rng.integers(4)]} if act else {}
    return make


SUM = T(scale=near(lambda s: (s[0] + s[1]) / 2))
PRODUCT = T(scale=near(lambda s: s[0] * s[1] * 60))
PRODUCT16 = T(scale=near(lambda s: s[0] * s[1] * 9000, 6))
UNSCALED = T(scale=None)


def pick(shape, most):
    return lambda rng: rng.integers(0, most, shape)


ROWS = []
for op, out8, out16 in (("ADD", SUM, SUM), ("SUB", SUM, SUM), ("MUL", PRODUCT, PRODUCT16)):
    table = op.capitalize() + "Options"
    ROWS += forms(op, binary(UNSCALED, scale=None), PLAIN, table)
    ROWS += forms(op, binary(out8), EIGHT, table, name="8", count=12)
    ROWS += forms(op, binary(out16, scale=SMALL), ("INT16",), table, name="16",
                  **({} if op == "MUL" else {"potScaleInt16": [False]}))
ROWS += forms("DIV", binary(UNSCALED, values=(1, 9)), ("FLOAT32", "INT32"), "DivOptions")
for op, table in (("MAXIMUM", "MaximumMinimumOptions"), ("MINIMUM", "MaximumMinimumOptions")):
    ROWS += forms(op, binary(UNSCALED, False), PLAIN, table)
    ROWS += forms(op, lambda rng: ((lambda p: ([T(*p[0]), T(*p[1], scale=LIKE_INPUT)], [KEEP], {}))
                                   (pair(rng))), EIGHT + ("INT16",), table, name="8")
ROWS += forms("SQUARED_DIFFERENCE", binary(UNSCALED, False), ("FLOAT32", "INT32"),
              "SquaredDifferenceOptions")
SQUARE = T(scale=near(lambda s: max(s[0], s[1]) ** 2 * 60))
ROWS += forms("SQUARED_DIFFERENCE", binary(SQUARE, False), ("INT8",), "SquaredDifferenceOptions",
              name="8")
for op, table in (("FLOOR_DIV", "FloorDivOptions"), ("FLOOR_MOD", "FloorModOptions")):
    ROWS += forms(op, binary(UNSCALED, False, scale=None, values=(1, 100)),
                  ("FLOAT32", "INT32", "INT64", "INT16", "INT8"), table)
ROWS += forms("POW", binary(UNSCALED, False, values=(0, 3)), ("FLOAT32", "INT32"), "PowOptions",
              bound=1e-5)
for op, table in (("EQUAL", "EqualOptions"), ("NOT_EQUAL", "NotEqualOptions"),
                  ("LESS", "LessOptions"), ("LESS_EQUAL", "LessEqualOptions"),
                  ("GREATER", "GreaterOptions"),
                  ("GREATER_EQUAL", "GreaterEqualOptions")):
    ROWS += forms(op, binary(TO_BOOL, False), PLAIN, table, count=4)
    ROWS += forms(op, binary(TO_BOOL, False, scale=(2.0 ** -9, 0.7)), EIGHT, table, name="8")
for op, table in (("LOGICAL_AND", "LogicalAndOptions"), ("LOGICAL_OR", "LogicalOrOptions")):
    ROWS += forms(op, binary(UNSCALED, False), ("BOOL",), table)
ROWS += forms("BITWISE_XOR", binary(UNSCALED, False, scale=None),
              ("INT8", "UINT8", "INT16", "INT32"), "BitwiseXorOptions")
ROWS += forms("RIGHT_SHIFT", binary(UNSCALED, False, values=(0, 7)), ("INT32",),
              "RightShiftOptions")


def select(rng):
    # Of three single elements LiteRT's result has no dimensions, whatever theirs are.
    whole = (2, *dims(rng, 0, 4, 4))
    parts = [tuple(1 if rng.random() < 0.35 else n for n in whole)
             [rng.integers(0, 2) * rng.integers(0, len(whole)):] for _ in range(3)]
    return [T(*parts[0], type="BOOL", scale=None), T(*parts[1], scale=1.0, zero=0),
            T(*parts[2], scale=1.0, zero=0)], [T(scale=1.0, zero=0)], {}


def select_rows(rng):
    whole = (2, *dims(rng, 0, 3, 4))
    first = whole[:1] if rng.integers(2) else whole
    return [T(*first, type="BOOL", scale=None), T(*whole, scale=1.0, zero=0),
            T(*whole, scale=1.0, zero=0)], [T(scale=1.0, zero=0)], {}


ROWS += forms("SELECT_V2", select, MOVED, "SelectV2Options", count=16)
ROWS += forms("SELECT", select_rows, MOVED, "SelectOptions")


# Reductions, orders and positions.

def reduction(out, low=1):
    def make(rng):
        x = dims(rng, low, 5, 6)
        some = axes(rng, len(x))
        if rng.random() < 0.2:
            some.append(some[0])
        return [T(*x), const(some)], [out], {"keepDims": bool(rng.integers(2))}
    return make


for op, types in (("SUM", FLOATS + INTS), ("MEAN", FLOATS + INTS), ("REDUCE_PROD", FLOATS + INTS),
                  ("REDUCE_MAX", PLAIN), ("REDUCE_MIN", PLAIN), ("REDUCE_ANY", ("BOOL",)),
                  ("REDUCE_ALL", ("BOOL",))):
    ROWS += forms(op, reduction(UNSCALED), types, "ReducerOptions", bound=1e-5)
for op in ("REDUCE_MAX", "REDUCE_MIN"):
    ROWS += forms(op, reduction(KEEP), EIGHT + ("INT16",), "ReducerOptions", name="8")
ROWS += forms("MEAN", reduction(T(scale=near(lambda s: s[0] / 2))), EIGHT + ("INT16",),
              "ReducerOptions", name="8", count=16)
THRICE = reduction(T(scale=near(lambda s: s[0] * 3)))
ROWS += forms("SUM", THRICE, ("UINT8",), "ReducerOptions", name="8")
ROWS += forms("SUM", THRICE, ("INT8", "INT16"), "ReducerOptions", name="own",
              own="the reference SUM of INT8 and INT16 is wrong")


def place(kind):
    def make(rng):
        x = dims(rng, 1, 5, 6)
        return [T(*x, values=(-3, 3)), const(axis(rng, len(x)))], [T(type=kind)], \
            {"outputType": {"INT32": 2, "INT64": 4}[kind]}
    return make


for op, table in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")):
    for kind in ("INT32", "INT64"):
        ROWS += forms(op, place(kind), ("FLOAT32", "INT8", "UINT8", "INT32"), table, name=kind)


def top(rng):
    x = dims(rng, 1, 4, 9)
    k = const(int(rng.integers(1, x[-1] + 1)))
    return [T(*x, values=(-3, 3) if rng.integers(2) else None), k], \
        [KEEP, T(type="INT32", scale=None)], {}


ROWS += forms("TOPK_V2", lambda rng: top(rng), ("FLOAT32", "INT8", "INT16", "INT32", "INT64"),
              "TopKV2Options")


def cumsum(rng):
    x = dims(rng, 1, 6, 4)
    return [T(*x), const(axis(rng, len(x)))], [UNSCALED], \
        {"exclusive": bool(rng.integers(2)), "reverse": bool(rng.integers(2))}


ROWS += forms("CUMSUM", cumsum, PLAIN, "CumsumOptions", count=16)


def reverse(rng):
    x = dims(rng, 1, 6, 4)
    return [T(*x), const(axes(rng, len(x)))], [KEEP], {}


ROWS += forms("REVERSE_V2", reverse, MOVED, "ReverseV2Options", count=12)


def reverse_sequence(rng):
    x = dims(rng, 2, 4, 5)
    seq, batch = (int(a) for a in rng.permutation(len(x))[:2])
    constant = {"data" if rng.integers(2) else "given": rng.integers(0, x[seq] + 1, x[batch])}
    return [T(*x), T(x[batch], type="INT32", scale=None, **constant)], [KEEP], \
        {"seqDim": seq, "batchDim": batch}


ROWS += forms("REVERSE_SEQUENCE", reverse_sequence, ("FLOAT32", "INT32", "INT64", "INT16", "UINT8"),
              "ReverseSequenceOptions")


# What moves numbers.

def gather(rng):
    x = dims(rng, 1, 5, 5)
    at = int(rng.integers(0, len(x)))
    batch = int(rng.integers(0, at + 1))
    tail = dims(rng, 0, 2, 3)
    shape = x[:batch] + tail
    data = pick(shape, x[at]) if rng.integers(2) else None
    return [T(*x), T(*shape, type="INT32", scale=None, data=data, values=(0, x[at] - 1))], [KEEP], \
        {"axis": at - len(x) if rng.integers(2) else at, "batchDims": batch}


def gather_nd(rng):
    x = dims(rng, 1, 5, 4)
    depth = int(rng.integers(1, len(x) + 1))
    shape = dims(rng, 0, 2, 4) + (depth,)
    return [T(*x), T(*shape, type="INT32", scale=None, values=(0, min(x[:depth]) - 1))], [KEEP], {}


def scatter_nd(rng):
    """Indices are constants, or those of a run."""
    x = dims(rng, 1, 4, 4)
    depth = int(rng.integers(1, len(x) + 1))
    outer = dims(rng, 1, 2, 3)
    indices = np.stack([rng.integers(0, n, outer) for n in x[:depth]], -1)
    constant = {"data" if rng.integers(2) else "given": indices}
    return [T(*indices.shape, type="INT32", scale=None, **constant),
            T(*outer, *x[depth:], scale=None), const(x)], [UNSCALED], {}


def transpose(rng):
    x = dims(rng, 1, 6, 4)
    return [T(*x), const(rng.permutation(len(x)))], [KEEP], {}


def tile(rng):
    x = dims(rng, 1, 5, 3)
    return [T(*x), const(rng.integers(1, 4, len(x)))], [KEEP], {}


def pad(rng):
    x = dims(rng, 1, 5, 4)
    return [T(*x), const(rng.integers(0, 3, (len(x), 2)))], [KEEP], {}


def pad_v2(rng):
    x = dims(rng, 1, 5, 4)
    return [T(*x), const(rng.integers(0, 3, (len(x), 2)).astype(np.int32)),
            T(scale=LIKE_INPUT, data="any")], [KEEP], {}


def mirror(rng):
    x = dims(rng, 1, 4, 5)
    mode = int(rng.integers(2))
    most = [n - (mode == 0) for n in x]
    pads = [[int(rng.integers(0, m + 1)) for _ in range(2)] for m in most]
    return [T(*x), const(pads)], [KEEP], \
        {"mode": mode}


def strided(rng):
    x = dims(rng, 1, 5, 6)
    n = len(x)
    begin, end, step = [], [], []
    shrink = 0
    for k, size in enumerate(x):
        s = int(rng.choice([-3, -2, -1, 1, 1, 1, 2, 3]))
        a, b = sorted(int(v) for v in rng.integers(0, size + 1, 2))
        if s < 0:
            a, b = b - 1, a - 1
            b = b if b >= 0 else -size - 1
            a = max(a, 0)
        if rng.random() < 0.3 and 0 <= a < size:
            a -= size
        if rng.random() < 0.15:
            shrink |= 1 << k
            a, s = int(rng.integers(-size, size)), 1
            b = a + 1
        begin.append(a)
        end.append(b)
        step.append(s)
    masks = [int(rng.integers(1 << n)) & ~shrink if rng.integers(2) else 0 for _ in range(2)]
    return [T(*x), const(begin), const(end), const(step)], [KEEP], \
        {"beginMask": masks[0], "endMask": masks[1], "shrinkAxisMask": shrink}


def sliced(rng):
    x = dims(rng, 1, 5, 6)
    begin = [int(rng.integers(0, n)) for n in x]
    size = [-1 if rng.random() < 0.3 else int(rng.integers(1, n - b + 1)) for n, b in zip(x, begin)]
    return [T(*x), const(begin), const(size)], [KEEP], {}


def concatenation(rng):
    x = dims(rng, 1, 6, 4)
    at = int(rng.integers(len(x)))
    parts = [T(*x[:at], int(rng.integers(1, 4)), *x[at + 1:],
               scale=LIKE_INPUT if k else (2.0 ** -9, 1.0),
               data="any" if rng.random() < 0.2 and k else None)
             for k in range(rng.integers(1, 5))]
    return parts, [KEEP], {"axis": at - len(x) if rng.integers(2) else at}


def packed(rng):
    x = dims(rng, 0, 4, 4)
    count = int(rng.integers(1, 4))
    return [T(*x)] + [T(*x, scale=LIKE_INPUT)] * (count - 1), [KEEP], \
        {"valuesCount": count, "axis": int(rng.integers(-len(x) - 1, len(x) + 1))}


def unpacked(rng):
    x = dims(rng, 1, 5, 4)
    at = axis(rng, len(x))
    return [T(*x)], [KEEP] * x[at], {"num": x[at], "axis": at}


def split(rng):
    x = dims(rng, 1, 5, 3)
    at, count = axis(rng, len(x)), int(rng.integers(1, 4))
    x = list(x)
    x[at] *= count
    return [const(at), T(*x)], [KEEP] * count, {"numSplits": count}


def split_v(rng):
    x = list(dims(rng, 1, 5, 4))
    at, sizes = axis(rng, len(x)), [int(n) for n in rng.integers(1, 4, rng.integers(1, 4))]
    x[at] = sum(sizes)
    if rng.integers(2):
        sizes[rng.integers(len(sizes))] = -1
    return [T(*x), const(sizes), const(at)], [KEEP] * len(sizes), {"numSplits": len(sizes)}


def broadcast(rng):
    to = dims(rng, 1, 5, 4)
    cut = tuple(1 if rng.random() < 0.4 else n for n in to)[rng.integers(0, len(to)):]
    return [T(*cut), const(to)], [KEEP], {}


def to_batch(rng):
    x = dims(rng, 3, 4, 5)
    n = len(x) - 2
    block = [int(b) for b in rng.integers(1, 4, n)]
    front = [int(p) for p in rng.integers(0, 3, n)]
    behind = [(-(s + p)) % b + b * int(rng.integers(2)) for s, p, b in zip(x[1:], front, block)]
    return [T(*x), const(block), const(list(zip(front, behind)))], [KEEP], {}


def from_batch(rng):
    x = list(dims(rng, 3, 4, 4))
    n = len(x) - 2
    block = [int(b) for b in rng.integers(1, 4, n)]
    x[0] *= int(np.prod(block))
    crops = [[int(rng.integers(0, max(1, s * b // 2))) for _ in range(2)]
             for s, b in zip(x[1:], block)]
    return [T(*x), const(block), const(crops)], [KEEP], {}


def one_hot(rng):
    x = dims(rng, 1, 3, 4)
    return [T(*x, type="INT32", values=(-1, 5), scale=None), const(int(rng.integers(1, 6))),
            T(data=[1], scale=None), T(data=[0], scale=None)], [UNSCALED], \
        {"axis": int(rng.integers(-1, len(x) + 1))}


def expand(rng):
    x = dims(rng, 0, 4, 4)
    return [T(*x), const(int(rng.integers(-len(x) - 1, len(x) + 1)))], [KEEP], {}


for op, make, table, types in (
        ("GATHER", gather, "GatherOptions", MOVED),
        ("GATHER_ND", gather_nd, "GatherNdOptions", MOVED),
        ("SCATTER_ND", scatter_nd, "ScatterNdOptions",
         ("FLOAT32", "INT32", "INT64", "INT8", "UINT8", "BOOL")),
        ("TRANSPOSE", transpose, "TransposeOptions", MOVED), ("TILE", tile, "TileOptions", MOVED),
        ("PAD", pad, "PadOptions", MOVED), ("PADV2", pad_v2, "PadV2Options", MOVED),
        ("MIRROR_PAD", mirror, "MirrorPadOptions", MOVED),
        ("STRIDED_SLICE", strided, "StridedSliceOptions", MOVED),
        ("SLICE", sliced, "SliceOptions", MOVED),
        ("CONCATENATION", concatenation, "ConcatenationOptions", MOVED),
        ("PACK", packed, "PackOptions", MOVED), ("UNPACK", unpacked, "UnpackOptions", MOVED),
        ("SPLIT", split, "SplitOptions", MOVED), ("SPLIT_V", split_v, "SplitVOptions", MOVED),
        ("BROADCAST_TO", broadcast, "BroadcastToOptions", MOVED),
        ("SPACE_TO_BATCH_ND", to_batch, "SpaceToBatchNDOptions", MOVED),
        ("BATCH_TO_SPACE_ND", from_batch, "BatchToSpaceNDOptions", MOVED),
        ("ONE_HOT", one_hot, "OneHotOptions", MOVED),
        ("EXPAND_DIMS", expand, "ExpandDimsOptions", MOVED)):
    ROWS += forms(op, make, types, table, version=3 if op == "BROADCAST_TO" else 1)


# Layers.

def window(rng):
    return {"padding": int(rng.integers(2)), "strideW": int(rng.integers(1, 4)),
            "strideH": int(rng.integers(1, 4))}


def conv(kind, channels=False, groups=(1, 1, 2)):
    def make(rng):
        group = int(rng.choice(groups))
        c, units = group * int(rng.integers(1, 6)), group * int(rng.integers(1, 6))
        kh, kw = (int(n) for n in rng.integers(1, 5, 2))
        dh, dw = (int(n) for n in rng.choice([1, 1, 2, 3], 2))
        size = [int(n) for n in rng.integers(0, 6, 2)]
        attributes = {**window(rng), "dilationHFactor": dh, "dilationWFactor": dw,
                      "fusedActivationFunction": ACTS[rng.integers(4)]}
        x = (int(rng.integers(1, 4)), (kh - 1) * dh + 1 + size[0], (kw - 1) * dw + 1 + size[1], c)
        if attributes["padding"] == SAME:
            x = (x[0], int(rng.integers(1, 8)), int(rng.integers(1, 8)), c)
        terms = kh * kw * c // group
        return (*weighted(kind, x, (units, kh, kw, c // group), units, terms,
                          0 if channels else None), attributes)
    return make


def weighted(kind, x, w, units, terms, at):
    """Inputs and output of a layer."""
    if kind == "FLOAT32":
        return [T(*x), T(*w, data="any"), T(units, data="any")], [T()]
    if kind == "hybrid":
        # LiteRT's products with -128 are wrong; no converter writes it.
        return [T(*x, type="FLOAT32"), T(*w, type="INT8", data="any", zero=0, axis=at,
                                         scale=(2.0 ** -8, 2.0 ** -5), values=(-127, 127)),
                T(units, type="FLOAT32", data="any")], [T(type="FLOAT32")]
    if kind == "INT16":
        return [T(*x, scale=SMALL),
                T(*w, type="INT8", data="any", zero=0, axis=at, scale=(2.0 ** -8, 0.1)),
                T(units, type="INT64", data="any", values=(-10 ** 6, 10 ** 6), scale=None)], \
            [T(scale=near(lambda s: s[0] * np.max(s[1]) * 9000 * terms ** 0.5))]
    weights = {"type": "UINT8"} if kind == "UINT8" else {"type": kind, "zero": 0, "axis": at}
    scale, span = ((2.0 ** -5, 0.5), 6) if kind == "INT4" else ((2.0 ** -8, 0.1), 60)
    return [T(*x), T(*w, data="any", scale=scale, **weights),
            T(units, type="INT32", data="any", values=(-20000, 20000),
              scale=exactly(lambda s: s[0] * s[1]))], \
        [T(scale=near(lambda s: s[0] * np.max(s[1]) * span * terms ** 0.5))]


def depthwise(kind, channels=False):
    def make(rng):
        c, multiplier = int(rng.integers(1, 10)), int(rng.choice([1, 1, 2, 3]))
        kh, kw = (int(n) for n in rng.integers(1, 5, 2))
        dh, dw = (int(n) for n in rng.choice([1, 1, 2], 2))
        attributes = {**window(rng), "depthMultiplier": multiplier, "dilationHFactor": dh,
                      "dilationWFactor": dw, "fusedActivationFunction": ACTS[rng.integers(4)]}
        extra = [int(n) for n in rng.integers(0, 6, 2)]
        x = (int(rng.integers(1, 3)), (kh - 1) * dh + 1 + extra[0], (kw - 1) * dw + 1 + extra[1], c)
        inputs, outputs = weighted(kind, x, (1, kh, kw, c * multiplier), c * multiplier, kh * kw,
                                   3 if channels else None)
        return inputs, outputs, attributes
    return make


def transposed(kind, channels=False):
    def make(rng):
        c, units = int(rng.integers(1, 7)), int(rng.integers(1, 7))
        kh, kw = (int(n) for n in rng.integers(1, 5, 2))
        sh, sw = (int(n) for n in rng.integers(1, 4, 2))
        h, w, n = (int(v) for v in rng.integers(1, 5, 3))
        padding = int(rng.integers(2))
        out = (n, h * sh, w * sw, units) if padding == SAME else \
            (n, (h - 1) * sh + kh, (w - 1) * sw + kw, units)
        inputs, outputs = weighted(kind, (n, h, w, c), (units, kh, kw, c), units, kh * kw * c,
                                   0 if channels else None)
        if kind not in ("FLOAT32",):
            x, wt, b = inputs
            wt.scale, x.scale, b.scale = x.scale, wt.scale, exactly(lambda s: s[1] * s[2]) \
                if kind in EIGHT else None
            wt.scale = (2.0 ** -8, 0.1)
            x.scale = SMALL if kind == "INT16" else (2.0 ** -9, 1.0)
            span = 9000 if kind == "INT16" else 60
            outputs = [T(scale=near(lambda s: s[2] * np.max(s[1]) * span * (kh * kw * c) ** 0.5))]
        bias = [inputs[2]] if rng.integers(2) else []
        return [const(out), inputs[1], inputs[0], *bias], outputs, \
            {"padding": padding, "strideW": sw, "strideH": sh,
             "fusedActivationFunction": [NONE, RELU, RELU6][rng.integers(3)]}
    return make


for op, make, table in (("CONV_2D", conv, "Conv2DOptions"),
                        ("DEPTHWISE_CONV_2D", depthwise, "DepthwiseConv2DOptions"),
                        ("TRANSPOSE_CONV", transposed, "TransposeConvOptions")):
    more = {"version": {"CONV_2D": 6, "DEPTHWISE_CONV_2D": 6, "TRANSPOSE_CONV": 5}[op]}
    ROWS += forms(op, make("FLOAT32"), FLOATS, table, bound=CLOSE, count=16, **more)
    ROWS += forms(op, make("INT8", True), ("INT8",), table, name="channels", count=24, **more)
    ROWS += forms(op, make("INT8"), ("INT8",), table, name="8", count=12, **more)
    ROWS += forms(op, make("UINT8"), ("UINT8",), table, name="8", count=12, **more)
    ROWS += forms(op, make("INT16", True), ("INT16",), table, name="16", count=16, **more)
    if op != "TRANSPOSE_CONV":
        ROWS += forms(op, make("hybrid", True), FLOATS, table, name="hybrid", count=16,
                      bound=CLOSE, **more)
        ROWS += forms(op, make("INT4", True), ("INT8",), table, name="4", count=12, **more)


def connected(kind, channels=False, low=1):
    def make(rng):
        lead, terms, units = dims(rng, low, 3, 4), *(int(n) for n in rng.integers(1, (40, 12)))
        inputs, outputs = weighted(kind, (*lead, terms), (units, terms), units, terms,
                                   0 if channels else None)
        if rng.integers(2):
            inputs[2] = None
        attributes = {"fusedActivationFunction": ACTS[rng.integers(4)],
                      "keepNumDims": bool(rng.integers(2))}
        if kind == "hybrid":
            attributes["asymmetricQuantizeInputs"] = bool(rng.integers(2))
        return inputs, outputs, attributes
    return make


for kind, types in (("FLOAT32", FLOATS), ("INT8", ("INT8",)), ("UINT8", ("UINT8",)),
                    ("INT16", ("INT16",)), ("hybrid", FLOATS), ("INT4", ("INT8",))):
    for channels in (False, True):
        if channels and kind in ("FLOAT32", "UINT8"):
            continue
        ROWS += forms("FULLY_CONNECTED", connected(kind, channels), types, "FullyConnectedOptions",
                      count=12, name=kind + "-channels" * channels,
                      version=9 if kind != "INT16" else 11,
                      bound=CLOSE if kind in ("FLOAT32", "hybrid") else None)


def matmul(kind):
    def make(rng):
        lead = pair(rng, 3, 3) if rng.integers(2) else ((), ())
        n, k, m = (int(v) for v in rng.integers(1, 9, 3))
        adj = [bool(v) for v in rng.integers(0, 2, 2)]
        a = (*lead[0], *((k, n) if adj[0] else (n, k)))
        b = (*lead[1], *((m, k) if adj[1] else (k, m)))
        if kind == "FLOAT32":
            inputs, out = [T(*a), T(*b)], T()
        elif kind == "INT16":
            inputs = [T(*a, scale=SMALL), T(*b, scale=SMALL)]
            out = T(scale=near(lambda s: s[0] * s[1] * 9000 ** 2 / 60 * k ** 0.5))
        else:
            inputs = [T(*a), T(*b)]
            out = T(scale=near(lambda s: s[0] * s[1] * 60 * k ** 0.5))
        return inputs, [out], {"adjX": adj[0], "adjY": adj[1]}
    return make


for kind in ("FLOAT32", "INT8", "INT16"):
    ROWS += forms("BATCH_MATMUL", matmul(kind), (kind,), "BatchMatMulOptions", count=16, name=kind,
                  bound=CLOSE if kind == "FLOAT32" else None)


def pool(rng):
    h, w = (int(n) for n in rng.integers(1, 10, 2))
    padding = int(rng.integers(2))
    fh, fw = (int(rng.integers(1, (n if padding == VALID else 6) + 1)) for n in (h, w))
    return [T(int(rng.integers(1, 3)), h, w, int(rng.integers(1, 7)))], [KEEP], \
        {"padding": padding, "strideW": int(rng.integers(1, 4)), "strideH": int(rng.integers(1, 4)),
         "filterWidth": fw, "filterHeight": fh, "fusedActivationFunction": ACTS[rng.integers(4)]}


for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
    ROWS += forms(op, pool, FLOATS + (() if op == "L2_POOL_2D" else EIGHT + ("INT16",)),
                  "Pool2DOptions", count=16, bound=1e-5)


def resize(rng):
    x = (int(rng.integers(1, 3)), *(int(n) for n in rng.integers(1, 9, 2)), int(rng.integers(1, 5)))
    corners = bool(rng.integers(2))
    return [T(*x), const(rng.integers(1, 14, 2))], [KEEP], \
        {"alignCorners": corners, "halfPixelCenters": not corners and bool(rng.integers(2))}


for op, table in (("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                  ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")):
    ROWS += forms(op, resize, FLOATS + EIGHT + ("INT16",), table, count=16, bound=1e-5)


def normal(out8, **attributes):
    def make(rng):
        x = dims(rng, 1, 4, 9)
        return [T(*x, scale=(2.0 ** -9, 0.4))], [out8], \
            {k: v[rng.integers(len(v))] for k, v in attributes.items()}
    return make


for op, make, types, table in (
        ("SOFTMAX", normal(T(scale=2.0 ** -8, zero=-128), beta=BETAS), ("INT8",), "SoftmaxOptions"),
        ("SOFTMAX", normal(T(scale=2.0 ** -8, zero=0), beta=BETAS), ("UINT8",), "SoftmaxOptions"),
        ("SOFTMAX", normal(T(), beta=BETAS), FLOATS, "SoftmaxOptions"),
        ("LOG_SOFTMAX", normal(T(scale=16 / 256, zero=127)), ("INT8",), "LogSoftmaxOptions"),
        ("LOG_SOFTMAX", normal(T()), FLOATS, "LogSoftmaxOptions"),
        ("L2_NORMALIZATION", normal(T(scale=2.0 ** -7, zero=0)), ("INT8",), "L2NormOptions"),
        ("L2_NORMALIZATION", normal(T()), FLOATS, "L2NormOptions")):
    ROWS += forms(op, make, types, table, bound=1e-5, name=types[0])


def prelu(rng):
    x = dims(rng, 2, 4, 5)
    alpha = tuple(1 if rng.random() < 0.4 else n for n in x[1:])
    return [T(*x), T(*alpha, data="any")], [T(scale=near(lambda s: s[0] * max(1, s[1] * 60)))], {}


ROWS += forms("PRELU", prelu, FLOATS + EIGHT, bound=1e-5)
