# SPDX-License-Identifier: MIT
"""
Rows of operators that come from StableHLO (table.py tells what a row is) and have TFLite kernels:
padding between elements and less than none around them, windows with strides and dilations, slices
at indices in many forms, some of them out of range, and operators on bits. The values are those of
rows_edge.py, and random ones: stored numbers of 8 and 16 bits have scales that differ.
"""

import numpy as np

from rows_edge import NAN, INF, TYPES, const, finite, small
from table import Row, T

MOVED = TYPES + ("FLOAT16",)
NUMBERS = TYPES[:-1]
NEAR = 1e-5


def shaped(*shape):
    """Random stored numbers of all types; of floats with NaN, infinities and zeros of both signs."""
    strange = np.resize([NAN, 1, INF, 0.0, -0.0, -INF, 2, -7.5, 0.1], shape)
    return T(*shape, given=lambda kind: strange if kind.startswith("FLOAT") else
             np.random.default_rng(shape).integers(*bounds(kind), shape, endpoint=True))


def bounds(kind):
    return (0, 1) if kind == "BOOL" else (np.iinfo(kind.lower()).min, np.iinfo(kind.lower()).max)


def number(constant):
    """A number to pad with, of the row's type."""
    return T(data=[1]) if constant else T(given=lambda kind: 1 if kind == "BOOL" else 3)


def row(operator, name, inputs, types, options=None, shape=(), **more):
    return Row(operator, inputs, [T(*shape)], types, options, name=f"{operator}-hlo-{name}", once=True,
               **more)


def dilate(name, shape, factors, constant=True):
    return row("DILATE", name, [shaped(*shape), const(factors), number(constant)], MOVED)


def pad(name, shape, low, high, between, constant=True):
    return row("STABLEHLO_PAD", name, [shaped(*shape), number(constant)], MOVED, "StablehloPadOptions",
               edgePaddingLow=[low], edgePaddingHigh=[high], interiorPadding=[between])


REDUCTIONS = {"ADD": 1, "MUL": 2, "MINIMUM": 3, "MAXIMUM": 4, "ALL": 5, "ANY": 6}


def window(function, name, shape, sizes, strides, dilations, constant=True, first=1):
    # Sums of floats are finite: the order of sums is open.
    def given(kind):
        count = int(np.prod(shape))
        return np.resize(finite(kind) if kind == "FLOAT32" else small(kind), count)
    start = T(scale=None, **({"data": [first]} if constant else {"given": [first]}))
    return row("REDUCE_WINDOW", f"{function}-{name}",
               [T(*shape, scale=None, given=given), start, const(sizes, "INT64"), const(strides, "INT64"),
                const(dilations, "INT64")], NUMBERS, "ReduceWindowOptions", bound=NEAR,
               reduceFunction=[REDUCTIONS[function]])


WINDOWS = {
    "1D": ((11,), (3,), (2,), (2,)), "2D": ((10, 8), (3, 2), (1, 2), (1, 1)),
    "4D": ((1, 7, 7, 3), (1, 2, 3, 1), (1, 2, 2, 1), (1, 2, 1, 1)),
    "dilated": ((10, 8), (3, 2), (1, 1), (2, 5)), "whole": ((10, 8), (10, 8), (1, 1), (1, 1)),
    "6D": ((2, 1, 3, 2, 1, 4), (2, 1, 2, 1, 1, 2), (1, 1, 1, 1, 1, 2), (1, 1, 1, 1, 1, 1)),
    "one": ((10, 8), (1, 1), (1, 1), (1, 1)),
}

# name: operand, indices, offsetDims, collapsedSliceDims, startIndexMap, indexVectorDim, sliceSizes
SLICES = {
    "rows": ((6, 8), (5, 1), [1], [0], [0], 1, [1, 8]),
    "elements": ((6, 8), (9, 2), [], [0, 1], [1, 0], 1, [1, 1]),
    "windows": ((6, 8), (3, 2), [1, 2], [], [0, 1], 1, [2, 4]),
    # LiteRT 2.3 ends the process where an index is a number: indexVectorDim is the rank.
    "columns": ((6, 8), (3, 1), [0], [1], [1], 1, [6, 1]),
    "batches": ((4, 5, 4, 3), (2, 2, 3), [2, 3], [0, 1], [0, 1], 0, [1, 1, 4, 3]),
    "behind": ((4, 5, 4, 3), (2, 3, 2), [0, 1], [0, 1], [0, 1], 2, [1, 1, 3, 2]),
    "middle": ((4, 5, 6), (7, 2), [0], [0, 2], [2, 0], 1, [1, 4, 1]),
    "around": ((4, 5, 6), (3, 2, 2), [0, 3], [1], [1, 2], 2, [3, 1, 2]),
    "whole": ((4, 6), (1, 1), [1, 2], [], [0], 1, [4, 6]),
    "one": ((7, 3), (1,), [0, 1], [], [0], 0, [2, 3]),
    "none": ((3, 2), (4, 0), [1, 2], [], [], 1, [2, 2]),
    "single": ((3, 1, 4), (4, 2), [1], [0, 1], [0, 1], 1, [1, 1, 4]),
}


def gather(name, form, **index):
    x, indices, offsets, collapsed, starts, vector, sizes = form
    # The kernel takes the rank of the output from the file.
    batch = iter([n for k, n in enumerate(indices) if k != vector])
    part = iter([n for k, n in enumerate(sizes) if k not in collapsed])
    rank = len(indices) - (vector < len(indices)) + len(offsets)
    shape = [next(part if k in offsets else batch) for k in range(rank)]
    return row("STABLEHLO_GATHER", name, [shaped(*x), T(*indices, **{"type": "INT32", **index})], MOVED,
               "StablehloGatherOptions", shape, offsetDims=[offsets], collapsedSliceDims=[collapsed],
               startIndexMap=[starts], indexVectorDim=[vector], sliceSizes=[sizes])


def random(shape):
    """Constant indices, some of them out of range."""
    return lambda rng: rng.integers(-2, 8, shape)


def bits(kind):
    """Numbers whose bits meet in all ways, of one type, and another list of them."""
    low, high = bounds(kind)
    some = [0, 1, -1, 2, 3, 5, 0x55, 0x33, 0x0f, -0x56, high, low, high - 1, low + 1, high // 3, low // 3,
            1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 32, (1 << 33) - 7, -(1 << 33) - 5, 1 << 62]
    return np.array([n for n in some if low <= n <= high])


def both(turn):
    """All pairs of them, of which one is the first, or the second."""
    def given(kind):
        some = bits(kind)
        return np.resize(np.tile(some, len(some)) if turn else np.repeat(some, len(some)), 600)
    return T(20, 30, given=given)


INTEGERS = ("INT8", "UINT8", "INT16", "INT32", "INT64")
SHORT = ("INT8", "INT16", "INT32")

ROWS = [
    *[dilate(name, *form, constant) for constant in (True, False) for name, form in (
        (f"2D-{constant}", ((3, 4), [2, 3])), (f"1D-{constant}", ((5,), [4])),
        (f"first-{constant}", ((3, 2, 2), [3, 1, 1])), (f"5D-{constant}", ((2, 1, 3, 2, 2), [1, 2, 1, 3, 2])),
        (f"same-{constant}", ((3, 4), [1, 1])), (f"6D-{constant}", ((1, 2, 1, 2, 3, 2), [2, 1, 3, 1, 1, 2])))],
    *[pad(f"{name}-{constant}", *form, constant) for constant in (True, False) for name, form in (
        ("edges", ((3, 4), [1, 0], [2, 3], [0, 0])), ("between", ((3, 4), [0, 0], [0, 0], [1, 2])),
        ("all", ((3, 4), [1, 2], [3, 0], [2, 1])), ("crop", ((5, 6), [-1, 0], [-2, -3], [0, 0])),
        ("both", ((5, 6), [-1, 2], [1, -4], [0, 0])), ("into", ((3, 4), [-2, -1], [-1, -3], [2, 3])),
        ("into-more", ((3, 4), [-4, 3], [2, -5], [2, 3])), ("over", ((2, 3), [-3, 0], [4, 0], [0, 0])),
        ("same", ((3, 4), [0, 0], [0, 0], [0, 0])),
        ("4D", ((1, 3, 2, 2), [0, 1, -1, 0], [0, 1, 2, 1], [1, 1, 0, 2])),
        ("6D", ((2, 1, 2, 1, 2, 3), [0, 1, 0, 0, 1, -1], [1, 0, 0, 2, 0, 0], [0, 0, 1, 0, 1, 1])))],
    *[window(function, name, *form, constant) for function in REDUCTIONS
      for name, form, constant in ((f"{key}-{c}", form, c) for key, form in WINDOWS.items()
                                   for c in (True, False))],
    *[window(function, "zero", *WINDOWS["2D"], True, 0) for function in REDUCTIONS],
    # An input without elements is left to LiteRT.
    *[gather(name, form, **index) for key, form in SLICES.items() for name, index in (
        (key, {"values": (-2, 8)}), (key + "-long", {"values": (-2, 8), "type": "INT64"}),
        (key + "-constant", {"data": random(form[1])})) if key != "none" or "data" in index],
    *[gather(f"far-{kind}", SLICES["rows"], type=kind, given=numbers) for kind, numbers in (
        ("INT32", [2 ** 31 - 1, -2 ** 31, 1, 2 ** 29, -2 ** 29]),
        ("INT64", [2 ** 31 - 1, -2 ** 31, 2, 2 ** 33, -2 ** 40]))],
    Row("STABLEHLO_AND", [both(False), both(True)], [T()], INTEGERS, name="STABLEHLO_AND-hlo", once=True),
    Row("STABLEHLO_AND", [T(4, type="BOOL", given=[0, 1, 0, 1]), T(4, type="BOOL", given=[0, 0, 1, 1])],
        [T()], ("BOOL",), name="STABLEHLO_AND-hlo-truth", once=True),
    Row("STABLEHLO_SHIFT_LEFT", [both(False), T(20, 30, values=(0, 31))], [T()], SHORT,
        "StablehloShiftLeftOptions", name="STABLEHLO_SHIFT_LEFT-hlo", once=True),
    Row("STABLEHLO_SHIFT_LEFT", [both(False), T(20, 30, values=(0, 7))], [T()], SHORT,
        "StablehloShiftLeftOptions", name="STABLEHLO_SHIFT_LEFT-hlo-few", once=True),
]
