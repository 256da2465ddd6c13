# SPDX-License-Identifier: MIT
"""
Rows of operators that run or keep something else (table.py tells what a row is): IF and WHILE with
branches that do nothing, loops that never or often run, conditions of the inputs; resource variables
that are read, assigned and read again, with and without CALL_ONCE; sparse constants. The values are
those of rows_edge.py: NaN, infinities, zeros of both signs, limits.
"""

import numpy as np

from rows_edge import TYPES, finite, plain, small
from table import Row, T

ROWS8 = plain(10, 8, given=small)
COUNTS = (0, 1, 2, 5, -1)


def numbers(kind):
    return np.asarray(small("FLOAT32" if kind == "FLOAT16" else kind))


def row(operator, name, inputs, outputs, graphs, types=TYPES, **more):
    return Row(operator, inputs, [plain() for _ in range(outputs)], types,
               name=f"{operator}-control-{name}", once=True, graphs=graphs, **more)


def tensor(name, kind, shape, **more):
    return {"name": name, "type": kind, "shape": shape, **more}


def rows(case, *names):
    """Tensors like ROWS8."""
    return [tensor(name, case.type, (10, 8)) for name in names]


def first_axis(name="axis"):
    return tensor(name, "INT32", (1,), data=[0])


def turned(source, axis, target):
    """An operator that reverses the order of rows."""
    return "REVERSE_V2", [source, axis], [target], "ReverseV2Options"


def case_graph(case, more, operators):
    """The main subgraph: the case's tensors, then @more."""
    for number in case.outs:
        case.tensors[number]["shape"] = (10, 8)
    return [*case.tensors, *more], case.ins, case.outs, operators


def branches(case):
    """IF: the rows turned and the other ones; or the first ones twice, which no operator writes."""
    run = "IF", case.ins, case.outs, "IfOptions", {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    then = [*rows(case, "a", "b", "turned"), first_axis()], [0, 1], [2, 1], [turned(0, 3, 2)]
    other = rows(case, "a", "b"), [0, 1], [0, 0], []
    return [case_graph(case, [], [run]), then, other]


def nested(case):
    """IF in a branch, by a constant."""
    run = "IF", [0, 1, 2], case.outs, "IfOptions", {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    inner = [*rows(case, "a", "b", "c"), tensor("known", "BOOL", (1,), data=[False])], [0, 1], [2], \
        [("IF", [3, 0, 1], [2], "IfOptions", {"thenSubgraphIndex": 2, "elseSubgraphIndex": 3})]
    second = rows(case, "a", "b"), [0, 1], [1], []
    last = [*rows(case, "a", "b", "turned"), first_axis()], [0, 1], [2], [turned(0, 3, 2)]
    return [case_graph(case, [], [run]), inner, second, last]


def several(case):
    """STABLEHLO_CASE of five: either of the inputs, one of them turned, a constant, sums of both."""
    run = "STABLEHLO_CASE", [0, 1, 2], case.outs, "StablehloCaseOptions", \
        {"branchSubgraphIndices": [1, 2, 3, 4, 5]}
    made = [rows(case, "a", "b"), [0, 1], [0], []], [rows(case, "a", "b"), [0, 1], [1], []], \
        [[*rows(case, "a", "b", "turned"), first_axis()], [0, 1], [2], [turned(0, 3, 2)]], \
        [[*rows(case, "a", "b"), tensor("c", case.type, (10, 8), data=small(case.type))], [0, 1], [2],
         []], \
        [[*rows(case, "a", "b", "most")], [0, 1], [2], [("SELECT", [3, 0, 1], [2], "SelectOptions")]]
    made[4][0].append(tensor("flags", "BOOL", (10, 8), data=np.resize([1, 1, 0], (10, 8))))
    return [case_graph(case, [], [run]), *map(tuple, made)]


def only(count):
    """STABLEHLO_CASE of one branch, or of two."""
    def graphs(case):
        run = "STABLEHLO_CASE", [0, 1, 2], case.outs, "StablehloCaseOptions", \
            {"branchSubgraphIndices": [2, 1][-count:]}
        return [case_graph(case, [], [run]), (rows(case, "a", "b"), [0, 1], [1], []),
                ([*rows(case, "a", "b", "turned"), first_axis()], [0, 1], [2], [turned(0, 3, 2)])]
    return graphs


def loop(case):
    """WHILE: count up to an input, turn the rows each time, keep the other ones."""
    at = len(case.tensors)
    run = "WHILE", [at, 0, 1, 2], [at + 1, at + 2, *case.outs], "WhileOptions", \
        {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    numbers = [tensor(name, "INT32", (1,)) for name in ("i", "n")]
    condition = [*numbers, *rows(case, "a", "b"), tensor("more", "BOOL", (1,))], [0, 1, 2, 3], [4], \
        [("LESS", [0, 1], [4], "LessOptions")]
    body = [*numbers, *rows(case, "a", "b", "turned"), first_axis(), tensor("next", "INT32", (1,)),
            tensor("one", "INT32", (1,), data=[1])], [0, 1, 2, 3], [6, 1, 4, 3], \
        [("ADD", [0, 7], [6], "AddOptions"), turned(2, 5, 4)]
    more = [tensor("zero", "INT32", (1,), data=[0]), tensor("end", "INT32", (1,)),
            tensor("same", "INT32", (1,))]
    return [case_graph(case, more, [run]), condition, body]


def sums(case):
    """WHILE: x becomes x + x, which wraps or becomes an infinity."""
    at = len(case.tensors)
    run = "WHILE", [at, 0, 1], [at + 1, at + 2, case.outs[0]], "WhileOptions", \
        {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    numbers = [tensor(name, "INT32", (1,)) for name in ("i", "n")]
    condition = [*numbers, *rows(case, "x"), tensor("more", "BOOL", (1,))], [0, 1, 2], [3], \
        [("NOT_EQUAL", [0, 1], [3], "NotEqualOptions")]
    body = [*numbers, *rows(case, "x", "twice"), tensor("next", "INT32", (1,)),
            tensor("one", "INT32", (1,), data=[1])], [0, 1, 2], [4, 1, 3], \
        [("ADD", [0, 5], [4], "AddOptions"), ("MUL", [2, 6], [3], "MulOptions")]
    body[0].append(tensor("two", case.type, (1,), data=[2]))
    more = [tensor("zero", "INT32", (1,), data=[0]), tensor("end", "INT32", (1,)),
            tensor("same", "INT32", (1,))]
    return [case_graph(case, more, [run]), condition, body]


HANDLE = {"container": "", "sharedName": "state"}


def handle(number):
    return "VAR_HANDLE", [], [number], "VarHandleOptions", HANDLE


def resource(name="handle"):
    return tensor(name, "RESOURCE", (1,))


def assigned(case):
    """The variable gets the input, is read, gets the rows in another order, and is read again."""
    at = len(case.tensors)
    return [case_graph(case, [resource(), first_axis(), *rows(case, "turned")], [
        handle(at), ("ASSIGN_VARIABLE", [at, 0], [], "AssignVariableOptions"),
        ("READ_VARIABLE", [at], [case.outs[0]], "ReadVariableOptions"),
        turned(case.outs[0], at + 1, at + 2),
        ("ASSIGN_VARIABLE", [at, at + 2], [], "AssignVariableOptions"),
        ("READ_VARIABLE", [at], [case.outs[1]], "ReadVariableOptions")])]


def begun(case):
    """CALL_ONCE gives the variable its first value, a constant; then it gets the input."""
    at = len(case.tensors)
    first = [resource(), tensor("first", case.type, (10, 8), data=small(case.type))], [], [], \
        [handle(0), ("ASSIGN_VARIABLE", [0, 1], [], "AssignVariableOptions")]
    return [case_graph(case, [resource()], [
        ("CALL_ONCE", [], [], "CallOnceOptions", {"initSubgraphIndex": 1}),
        handle(at), ("READ_VARIABLE", [at], [case.outs[0]], "ReadVariableOptions"),
        ("ASSIGN_VARIABLE", [at, 0], [], "AssignVariableOptions"),
        ("READ_VARIABLE", [at], [case.outs[1]], "ReadVariableOptions")]), first]


def dense(values):
    """DENSIFY of a constant, of which the input selects elements."""
    def graphs(case):
        at = len(case.tensors)
        constant = numbers(case.type) if values is None else np.full((10, 8), values)
        return [case_graph(case, [tensor("sparse", case.type, (10, 8), data=constant, sparse=True),
                                  *rows(case, "dense")],
                           [("DENSIFY", [at], [at + 1], "DensifyOptions"),
                            ("SELECT_V2", [0, at + 1, 1], case.outs, "SelectV2Options")])]
    return graphs


def summed(kind):
    return finite(kind) if kind == "FLOAT32" else small(kind)


FLAGS = T(10, 8, type="BOOL", scale=None, given=np.resize([1, 1, 0, 1, 1], (10, 8)))
OTHER = plain(10, 8, given=lambda kind: numbers(kind)[::-1])

ROWS = [
    *[row("IF", f"{name}-{flag}", [plain(1, type="BOOL", given=[flag]), ROWS8, OTHER], outputs, graphs)
      for name, outputs, graphs in (("branches", 2, branches), ("nested", 1, nested))
      for flag in (True, False)],
    *[row("STABLEHLO_CASE", f"{name}-{n}", [plain(1, type="INT32", given=[n]), ROWS8, OTHER], 1, graphs)
      for name, graphs in (("five", several), ("one", only(1)), ("two", only(2)))
      for n in (0, 1, 2, 3, 4, 5, -1, 2 ** 31 - 1, -2 ** 31)],
    *[row("WHILE", f"loop-{n}", [plain(1, type="INT32", given=[n]), ROWS8, OTHER], 2, loop)
      for n in COUNTS],
    # Floats that stay finite: LiteRT clamps infinities.
    *[row("WHILE", f"sums-{n}", [plain(1, type="INT32", given=[n]), plain(10, 8, given=summed)], 1, sums,
          ("FLOAT32", "INT32", "INT64")) for n in (0, 1, 35)],
    row("ASSIGN_VARIABLE", "assigned", [ROWS8], 2, assigned),
    row("READ_VARIABLE", "assigned", [ROWS8], 2, assigned),
    row("VAR_HANDLE", "begun", [ROWS8], 2, begun),
    row("CALL_ONCE", "begun", [ROWS8], 2, begun),
    *[row("DENSIFY", name, [FLAGS, OTHER], 1, dense(values), ("FLOAT32", "FLOAT16", "INT8"))
      for name, values in (("rows", None), ("full", 3), ("empty", 0))],
]
