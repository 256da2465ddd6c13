# SPDX-License-Identifier: MIT
"""
Rows of values without elements within a model, whose inputs and outputs have some (table.py tells what a
row is): slices of nothing, constants of nothing, what operators make of them, and what becomes of both.
"""

import numpy as np

from rows_composite import Graph
from rows_edge import TYPES, plain
from table import Row

SHAPE = (10, 8)
NUMBERS = TYPES[:-1]
REAL = ("FLOAT32",)


def nothing(g, x, axis=0):
    """A slice of @x without elements along @axis."""
    size = list(g.shape(x))
    size[axis] = 0
    return g.add("SLICE", [x, g.constant([0] * len(size), "INT32"), g.constant(size, "INT32")],
                 "SliceOptions", size)


def joined(g, *parts, axis=0):
    shape = list(g.shape(parts[0]))
    shape[axis] = sum(g.shape(p)[axis] for p in parts)
    return g.add("CONCATENATION", list(parts), "ConcatenationOptions", shape, axis=axis)


def numbers(kind):
    return np.arange(80).reshape(SHAPE) % 2 if kind == "BOOL" else np.arange(80).reshape(SHAPE) - \
        (0 if kind == "UINT8" else 33)


def row(operator, name, make, types=TYPES, **more):
    def graphs(case):
        g = Graph(case.type, tensors=[case.tensors[n] for n in case.ins])
        result = make(g, 0)
        out = g.tensors[result]
        out["name"] = case.tensors[case.outs[0]]["name"]
        return [(g.tensors, [0], [result], g.operators)]
    return Row(operator, [plain(*SHAPE, given=numbers)], [plain()], types, once=True, graphs=graphs,
               name=f"{operator}-empty-{name}", **more)


def listed(g, values):
    return g.constant(np.array(values, np.int32), "INT32")


def reduced(operator, axis=0):
    def make(g, x):
        return g.add(operator, [nothing(g, x), listed(g, [axis])], "ReducerOptions", (8,) if not axis else (0,),
                     keepDims=False)
    return make


def product(g, x):
    """[10, 0] by [0, 8]."""
    return g.add("BATCH_MATMUL", [nothing(g, x, 1), nothing(g, x)], "BatchMatMulOptions", SHAPE)


def turned(g, x):
    return g.add("TRANSPOSE", [x, listed(g, [1, 0])], "TransposeOptions", g.shape(x)[::-1])


def unary(operator, options=None, types=TYPES):
    return row(operator, "unary", lambda g, x: joined(g, g.add(operator, [nothing(g, x)], options), x), types)


ROWS = [
    row("SLICE", "first", lambda g, x: joined(g, nothing(g, x), x)),
    row("SLICE", "columns", lambda g, x: joined(g, x, nothing(g, x, 1), x, axis=1)),
    row("CONCATENATION", "constant",
        lambda g, x: joined(g, x, g.constant(np.zeros((0, 8), np.int8)), x)),
    row("CONCATENATION", "both", lambda g, x: joined(g, joined(g, nothing(g, x), nothing(g, x)), x)),
    row("GATHER", "indices", lambda g, x: joined(g, g.add(
        "GATHER", [x, listed(g, [])], "GatherOptions", (0, 8), axis=0), x)),
    row("TILE", "never", lambda g, x: joined(g, g.add("TILE", [x, listed(g, [0, 1])], "TileOptions", (0, 8)), x)),
    row("PAD", "all", lambda g, x: g.add("PAD", [nothing(g, x), listed(g, [[2, 1], [0, 1]])], "PadOptions", (3, 9))),
    row("RESHAPE", "nothing", lambda g, x: joined(g, x, g.add(
        "RESHAPE", [g.add("RESHAPE", [nothing(g, x), listed(g, [0, 2, 4])], "ReshapeOptions", (0, 2, 4)),
                    listed(g, [0, 8])], "ReshapeOptions", (0, 8)))),
    row("TRANSPOSE", "nothing", lambda g, x: joined(g, turned(g, turned(g, nothing(g, x))), x)),
    *[row(o, "two", lambda g, x, o=o: joined(g, g.two(o, nothing(g, x), nothing(g, x)), x), NUMBERS[:3])
      for o in ("ADD", "MUL", "SUB")],
    *[row(o, "rows", reduced(o), ("FLOAT32", "INT32")) for o in ("SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")],
    row("MEAN", "rows", reduced("MEAN"), REAL),
    row("BATCH_MATMUL", "inner", product, REAL),
    unary("RELU", types=REAL), unary("EXP", "ExpOptions", REAL), unary("NEG", "NegOptions", ("FLOAT32", "INT32")),
    unary("ABS", "AbsOptions", REAL), unary("LOGISTIC", None, REAL),
]
