# SPDX-License-Identifier: MIT
"""
Rows of STABLEHLO_COMPOSITE (table.py tells what a row is): decompositions as converters write them for
norms, softmax, attention and GELU, and forms that a decomposition may have: others within it, one that
serves several composites, results that are inputs or constants, scales of its own. LiteRT does not
write the first of two results that are one tensor, so no row asks for these.
Values of plain moves are those of rows_edge.py: NaN, infinities, zeros of both signs, limits.
"""

import numpy as np
from flatbuffers import flexbuffers

from rows_edge import TYPES, plain, small
from table import Row, T

NEAR = 1e-5
# Sums of products are in another order, and exponentials of them.
CLOSE = 5e-5
# LiteRT wants attributes, if only none.
NONE = np.frombuffer(flexbuffers.Dumps({}), np.uint8)
REAL = ("FLOAT32",)


class Graph:
    """A subgraph under construction."""

    def __init__(self, kind, *shapes, tensors=()):
        """Inputs of @shapes, or @tensors of the case."""
        self.kind, self.operators, self.tensors = kind, [], [dict(t) for t in tensors]
        self.inputs = [self.tensor(shape) for shape in shapes]

    def tensor(self, shape, kind=None, **more):
        self.tensors.append({"name": f"t{len(self.tensors)}", "type": kind or self.kind,
                             "shape": tuple(shape), **more})
        return len(self.tensors) - 1

    def constant(self, values, kind=None):
        return self.tensor(np.shape(values), kind, data=values)

    def shape(self, number):
        return self.tensors[number]["shape"]

    def add(self, operator, inputs, options=None, shape=None, **attributes):
        """The result of an operator, by default of the shape of its first input."""
        out = self.tensor(self.shape(inputs[0]) if shape is None else shape)
        self.operators.append((operator, inputs, [out], options, attributes))
        return out

    def two(self, operator, a, b):
        shape = np.broadcast_shapes(self.shape(a), self.shape(b))
        return self.add(operator, [a, b], operator.capitalize() + "Options", shape)

    def reduced(self, operator, x, *axes):
        shape = [1 if k in axes else n for k, n in enumerate(self.shape(x))]
        return self.add(operator, [x, self.constant(list(axes), "INT32")], "ReducerOptions", shape,
                        keepDims=True)

    def done(self, *results):
        return self.tensors, self.inputs, list(results), self.operators


def call(inputs, outputs, which=1, name="odml.test"):
    return "STABLEHLO_COMPOSITE", inputs, outputs, "StableHLOCompositeOptions", \
        {"name": name, "decompositionSubgraphIndex": which, "version": 1, "compositeAttributes": NONE}


def composite(name, inputs, decompose, types=REAL, outputs=1, **more):
    """@decompose: of a graph and its inputs the numbers of the results."""
    def graphs(case):
        g = Graph(case.type, *[t.shape for t in inputs])
        results = decompose(g, *g.inputs)
        for out, result in zip(case.outs, results):
            case.tensors[out]["shape"] = g.shape(result)
        return [(case.tensors, case.ins, case.outs, [call(case.ins, case.outs, name=f"odml.{name}")]),
                g.done(*results)]
    return Row("STABLEHLO_COMPOSITE", inputs, [T(scale=None)] * outputs, types,
               name=f"STABLEHLO_COMPOSITE-{name}", graphs=graphs, **more)


def rms_norm(g, x, weight):
    square = g.two("MUL", x, x)
    mean = g.two("ADD", g.reduced("MEAN", square, len(g.shape(x)) - 1), g.constant([1e-6]))
    return [g.two("MUL", g.two("MUL", x, g.add("RSQRT", [mean])), weight)]


def layer_norm(g, x, weight, bias):
    axis = len(g.shape(x)) - 1
    apart = g.two("SUB", x, g.reduced("MEAN", x, axis))
    spread = g.two("ADD", g.reduced("MEAN", g.two("MUL", apart, apart), axis), g.constant([1e-5]))
    return [g.two("ADD", g.two("MUL", g.two("DIV", apart, g.add("SQRT", [spread])), weight), bias)]


def group_norm(g, x, weight):
    b, h, w, c = g.shape(x)
    parts = (b, h, w, 2, c // 2)
    y = g.add("RESHAPE", [x, g.constant(parts, "INT32")], "ReshapeOptions", parts)
    mean = g.reduced("MEAN", y, 1, 2, 4)
    apart = g.two("SUB", y, mean)
    spread = g.reduced("MEAN", g.add("SQUARE", [apart], "SquareOptions"), 1, 2, 4)
    y = g.two("MUL", apart, g.add("RSQRT", [g.two("ADD", spread, g.constant([1e-5]))]))
    y = g.add("RESHAPE", [y, g.constant((b, h, w, c), "INT32")], "ReshapeOptions", (b, h, w, c))
    return [g.two("MUL", y, weight)]


def softmax(g, x):
    axis = len(g.shape(x)) - 1
    powers = g.add("EXP", [g.two("SUB", x, g.reduced("REDUCE_MAX", x, axis))], "ExpOptions")
    return [g.two("DIV", powers, g.reduced("SUM", powers, axis))]


def attention(g, q, k, v, mask):
    """Scaled dot products, with a mask that is added."""
    *batch, rows, depth = g.shape(q)
    columns = g.shape(k)[-2]
    y = g.two("MUL", q, g.constant([depth ** -0.5]))
    y = g.add("BATCH_MATMUL", [y, k], "BatchMatMulOptions", (*batch, rows, columns), adjY=True)
    y = g.add("SOFTMAX", [g.two("ADD", y, mask)], "SoftmaxOptions", beta=1.0)
    return [g.add("BATCH_MATMUL", [y, v], "BatchMatMulOptions", (*batch, rows, g.shape(v)[-1]))]


def gelu(g, x):
    """By its TANH."""
    cube = g.two("MUL", g.two("MUL", x, x), x)
    y = g.two("ADD", x, g.two("MUL", cube, g.constant([0.044715])))
    y = g.add("TANH", [g.two("MUL", y, g.constant([0.7978846]))])
    return [g.two("MUL", g.two("MUL", x, g.constant([0.5])), g.two("ADD", y, g.constant([1.0])))]


def moved(g, a, b):
    """An order of rows turned, an input, and a constant."""
    turned = g.add("REVERSE_V2", [a, g.constant([0], "INT32")], "ReverseV2Options")
    kept = g.tensor((10, 8), data=small("FLOAT32" if g.kind == "FLOAT16" else g.kind))
    return [turned, b, kept]


def turn(case, times):
    """Composites of one decomposition, one behind the other."""
    for out in case.outs:
        case.tensors[out]["shape"] = (10, 8)
    main = Graph(case.type, tensors=case.tensors)
    x = case.ins[0]
    for n in range(times):
        y = case.outs[0] if n == times - 1 else main.tensor((10, 8))
        main.operators.append(call([x], [y]))
        x = y
    return (main.tensors, case.ins, case.outs, main.operators)


def turned(kind, axis):
    g = Graph(kind, (10, 8))
    return g.done(g.add("REVERSE_V2", [0, g.constant([axis], "INT32")], "ReverseV2Options"))


def again(case):
    return [turn(case, 3), turned(case.type, 0)]


def nested(case):
    """A decomposition with two composites in it, one of which has another one."""
    first = Graph(case.type, (10, 8))
    first.operators = [call([0], [first.tensor((10, 8))], 2), call([1], [first.tensor((10, 8))], 3)]
    second = Graph(case.type, (10, 8))
    second.operators = [call([0], [second.tensor((10, 8))], 3)]
    return [turn(case, 2), first.done(2), second.done(1), turned(case.type, 1)]


def in_branch(case):
    """Composites in both branches of an IF."""
    for out in case.outs:
        case.tensors[out]["shape"] = (10, 8)
    run = "IF", case.ins, case.outs, "IfOptions", {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    branches = []
    for which in (3, 4):
        g = Graph(case.type, (10, 8))
        g.operators = [call([0], [g.tensor((10, 8))], which)]
        branches.append(g.done(1))
    return [(case.tensors, case.ins, case.outs, [run]), *branches, turned(case.type, 0),
            turned(case.type, 1)]


def rescaled(case):
    """A sum of stored numbers, whose scales the decomposition states."""
    for out in case.outs:
        case.tensors[out]["shape"] = (9, 30)
    g = Graph(case.type)
    g.tensors = [{**case.tensors[n], "name": f"d{n}"} for n in (*case.ins, *case.outs)]
    g.inputs = [0, 1]
    g.operators = [("ADD", [0, 1], [2], "AddOptions", {})]
    return [(case.tensors, case.ins, case.outs, [call(case.ins, case.outs)]), g.done(2)]


ROWS8 = plain(10, 8, given=lambda kind: np.asarray(small("FLOAT32" if kind == "FLOAT16" else kind)))
OTHER = plain(10, 8, given=lambda kind: np.asarray(small("FLOAT32" if kind == "FLOAT16" else kind))[::-1])
MASK = T(1, 1, 5, 6, values=(-4, 0))

ROWS = [
    composite("rms_norm", [T(2, 5, 32), T(32)], rms_norm, bound=NEAR),
    composite("layer_norm", [T(3, 7, 24), T(24), T(24)], layer_norm, bound=NEAR),
    composite("group_norm", [T(2, 3, 4, 6), T(6)], group_norm, bound=NEAR),
    composite("softmax", [T(4, 3, 17)], softmax, bound=NEAR),
    composite("scaled_dot_product_attention", [T(2, 3, 5, 8), T(2, 3, 6, 8), T(2, 3, 6, 7), MASK],
              attention, bound=CLOSE),
    composite("gelu", [T(5, 40)], gelu, bound=NEAR),
    composite("moved", [ROWS8, OTHER], moved, TYPES + ("FLOAT16",), outputs=3, once=True),
    *[Row("STABLEHLO_COMPOSITE", [*([plain(1, type="BOOL", given=[flag])] if flag is not None else []), ROWS8],
          [plain()], TYPES, name=f"STABLEHLO_COMPOSITE-{name}", graphs=graphs, once=True)
      for name, flag, graphs in (("again", None, again), ("nested", None, nested),
                                 ("then", True, in_branch), ("else", False, in_branch))],
    Row("STABLEHLO_COMPOSITE", [T(9, 30), T(9, 30)], [T()], ("INT8", "UINT8"),
        name="STABLEHLO_COMPOSITE-rescaled", graphs=rescaled),
]
