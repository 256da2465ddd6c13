# SPDX-License-Identifier: MIT
"""
Rows of STABLEHLO_SCATTER (table.py tells what a row is): what becomes of an element and an update,
windows of many forms, indices that are constants or inputs, some of them out of range, and several
updates of one element. Scales differ, since the kernel takes the stored numbers.
"""

import numpy as np

from onefile import NOTHING
from table import Row, T

TYPES = ("FLOAT32", "FLOAT16", "INT8", "UINT8", "INT16", "INT32", "INT64", "BOOL")
BODIES = (NOTHING, "STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM")
NAN, INF = float("nan"), float("inf")

# name: operand, indices, updates, updateWindowDims, insertedWindowDims, scatterDimsToOperandDims,
# indexVectorDim
FORMS = {
    "rows": ((6, 8), (5, 1), (5, 8), [1], [0], [0], 1),
    "elements": ((6, 8), (9, 2), (9,), [], [0, 1], [1, 0], 1),
    "windows": ((6, 8), (3, 2), (3, 2, 4), [1, 2], [], [0, 1], 1),
    "columns": ((6, 8), (3,), (6, 3), [0], [1], [1], 1),
    "batches": ((4, 5, 4, 3), (2, 2, 3), (2, 3, 4, 3), [2, 3], [0, 1], [0, 1], 0),
    "behind": ((4, 5, 4, 3), (2, 3, 2), (4, 3, 2, 3), [0, 1], [0, 1], [0, 1], 2),
    "middle": ((4, 5, 6), (7, 2), (5, 7), [0], [0, 2], [2, 0], 1),
    "whole": ((4, 6), (1, 1), (1, 4, 6), [1, 2], [], [0], 1),
    "one": ((7, 3), (1,), (1, 3), [0, 1], [], [0], 0),
    "many": ((3, 2), (40, 1), (40, 2), [1], [0], [0], 1),
}


def attributes(windows, inserted, starts, vector):
    return {"updateWindowDims": [windows], "insertedWindowDims": [inserted],
            "scatterDimsToOperandDims": [starts], "indexVectorDim": [vector],
            "updateComputationSubgraphIndex": [1]}


def row(name, form, body, types=TYPES, special=None, **index):
    """@special: a function that gives the values of the operand and of the updates by their shape."""
    x, indices, updates, *dims = form
    return Row("STABLEHLO_SCATTER",
               [T(*x, given=special and special(x)), T(*indices, **{"type": "INT32", **index}),
                T(*updates, given=special and special(updates))],
               [T()], types, "StablehloScatterOptions", body=body, once=True,
               name=f"STABLEHLO_SCATTER-{body}-{name}", **attributes(*dims))


def strange(shape):
    """NaN, infinities and zeros of both signs."""
    return np.resize([NAN, 1, INF, 0.0, -0.0, -INF, 2, -0.0, NAN, 0.0, -INF, -0.0, 3], shape)


def random(shape):
    """Constant indices, some of them out of range."""
    return lambda rng: rng.integers(-2, 8, shape)


ROWS = [
    *[row(name, form, body, **index)
      for key, form in FORMS.items() for body in BODIES
      for name, index in ((key, {"values": (-2, 8)}),
                          (key + "-constant", {"data": random(form[1])}))],
    *[row("strange" + name, FORMS[form], body, ("FLOAT32", "FLOAT16"), strange, **index)
      for form in ("many", "rows") for body in BODIES
      for name, index in ((f"-{form}", {"values": (0, 2)}),
                          (f"-{form}-constant", {"data": random(FORMS[form][1])}))],
    # Numbers that leave 32 bits, or come back into the operand where they do.
    *[row(f"far-{kind}", FORMS["rows"], NOTHING, type=kind, given=values)
      for kind, values in (("INT32", [2 ** 31 - 1, -2 ** 31, 1, 2 ** 29, -2 ** 29]),
                           ("INT64", [2 ** 32, 2 ** 63 - 1, -2 ** 63, 2, 2 ** 32 + 3]))],
]
