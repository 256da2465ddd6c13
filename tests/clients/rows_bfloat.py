# SPDX-License-Identifier: MIT
"""
Rows of BFLOAT16 (table.py tells what a row is): the operators whose kernels in LiteRT 2.3 take it,
on numbers with ties between two BFLOAT16, NaN, infinities, zeros of both signs and small numbers.
"""

import numpy as np

from onefile import schema
from rows_edge import INF, NAN, const
from table import Row, T

BRAIN = ("BFLOAT16",)
BOTH = [False, True]
# Ties are halfway between two BFLOAT16: the even one counts.
SPECIAL = [0.0, -0.0, 1.0, -1.0, NAN, INF, -INF, 3.4e38, -3.4e38, 1e-40, -1e-40, 0.5, -0.5, 1.5, 2.5,
           -2.5, 1.00390625, 1.01171875, -1.00390625, 1.00585, 257, 259, 65537, 88.7, -104.0]
FLOATS = np.float32(np.resize(SPECIAL, 600) + np.repeat([0, 0.37, -3.3, 40.1], 150)).reshape(30, 20)
OTHER = FLOATS[::-1, ::-1]
NUMBERS = np.where(np.isnan(FLOATS), np.float32(2.75), FLOATS)
SMALL = FLOATS[:4, :6]


def brain(values=FLOATS, **more):
    return T(*np.shape(values), given=values, **more)


def row(operator, inputs, outputs=None, options=None, **more):
    return Row(operator, inputs, outputs or [T()], BRAIN, options, once=True, **more)


def casts():
    """To BFLOAT16 and from it."""
    numbers = np.array([0, 1, -1, 2, 100, 127, -128, 257, 259, -257, 33023, 65537, 131585, 2 ** 24 + 1,
                        2 ** 31 - 1, -2 ** 31])
    for kind in ("FLOAT32", "FLOAT16", "INT32", "INT64", "INT16", "INT8", "UINT8", "BOOL"):
        values = FLOATS if kind == "FLOAT32" else np.clip(FLOATS, -6e4, 6e4) if kind == "FLOAT16" \
            else numbers > 0 if kind == "BOOL" else \
            numbers[(numbers >= np.iinfo(kind.lower()).min) & (numbers <= np.iinfo(kind.lower()).max)]
        back = FLOATS if kind in ("FLOAT32", "BOOL") else \
            np.array([0.0, -0.0, 1.5, 2.5, 7.75, 100, 127, 0.99, 1])
        code = getattr(schema.TensorType, kind)
        bfloat = schema.TensorType.BFLOAT16
        yield row("CAST", [T(*values.shape, type=kind, scale=None, given=values)], None,
                  "CastOptions", name=f"CAST-bfloat-{kind}", inDataType=[code], outDataType=[bfloat])
        yield row("CAST", [brain(back)], [T(type=kind, scale=None)], "CastOptions",
                  name=f"CAST-{kind}-bfloat", inDataType=[bfloat], outDataType=[code])


PICTURE = FLOATS.ravel()[:72].reshape(1, 6, 6, 2)
INDEX = T(7, type="INT32", values=(0, 3))

ROWS = [
    *casts(),
    *[row(o, [brain()], None, p) for o, p in (
        ("FLOOR", None), ("LOGISTIC", None), ("NEG", "NegOptions"), ("ROUND", None),
        ("TANH", None), ("SQUEEZE", "SqueezeOptions"))],
    row("ATAN2", [brain(), brain(OTHER)], None, "ATan2Options"),
    # Without NaN, for which rows_edge.py lists the difference.
    *[row(o, [brain(NUMBERS), T(30, 20, data=NUMBERS[::-1])], None, p) for o, p in (
        ("MAXIMUM", "MaximumMinimumOptions"),
        ("MINIMUM", "MaximumMinimumOptions"))],
    *[row(o, [brain(), brain(OTHER)], [T(type="BOOL")], p) for o, p in (
        ("GREATER", "GreaterOptions"), ("LESS", "LessOptions"))],
    *[row(o, [T(30, 20, type="BOOL", scale=None), brain(), brain(OTHER)], None, p) for o, p in (
        ("SELECT", "SelectOptions"), ("SELECT_V2", "SelectV2Options"))],
    row("CONCATENATION", [brain(SMALL), brain(SMALL), brain(SMALL)], None, "ConcatenationOptions",
        axis=[0, 1], fusedActivationFunction=[0]),
    row("UNPACK", [brain(SMALL)], [T(), T(), T(), T()], "UnpackOptions", axis=[0], num=[4]),
    row("GATHER", [brain(SMALL), INDEX], None, "GatherOptions", axis=[0, 1]),
    row("GATHER_ND", [brain(SMALL), T(5, 2, type="INT32", values=(0, 3))], None, "GatherNdOptions"),
    row("DYNAMIC_UPDATE_SLICE", [brain(), brain(SMALL), T(2, type="INT32", values=(-3, 30))], None,
        "DynamicUpdateSliceOptions"),
    row("REVERSE_V2", [brain(SMALL), const([1])], None, "ReverseV2Options"),
    row("SLICE", [brain(), const([3, 1]), const([5, -1])], None, "SliceOptions"),
    row("STRIDED_SLICE", [brain(), const([1, 19]), const([30, 0]), const([3, -2])], None,
        "StridedSliceOptions", beginMask=[0], endMask=[0], ellipsisMask=[0], newAxisMask=[0],
        shrinkAxisMask=[0]),
    row("PAD", [brain(SMALL), const([[1, 2], [0, 3]])], None, "PadOptions"),
    row("PADV2", [brain(SMALL), const([[1, 2], [0, 3]]), T(1, data=[1.5])], None, "PadV2Options"),
    row("MIRROR_PAD", [brain(SMALL), const([[1, 2], [0, 3]])], None, "MirrorPadOptions", mode=[0, 1]),
    row("TILE", [brain(SMALL), const([2, 3])], None, "TileOptions"),
    row("TRANSPOSE", [brain(SMALL), const([1, 0])], None, "TransposeOptions"),
    row("FILL", [const([2, 3]), brain(1.00585)], None, "FillOptions"),
    row("RESHAPE", [brain(SMALL), const([2, 12])], None, "ReshapeOptions"),
    row("EXPAND_DIMS", [brain(SMALL), const(1)], None, "ExpandDimsOptions"),
    row("SHAPE", [brain(SMALL)], [T(type="INT32")], "ShapeOptions", outType=[2]),
    row("SPACE_TO_BATCH_ND", [brain(PICTURE), const([2, 2]), const([[0, 0], [1, 1]])], None,
        "SpaceToBatchNDOptions"),
    row("BATCH_TO_SPACE_ND", [brain(PICTURE.reshape(4, 3, 3, 2)), const([2, 2]),
                              const([[0, 0], [1, 1]])], None, "BatchToSpaceNDOptions"),
    row("RESIZE_NEAREST_NEIGHBOR", [brain(PICTURE), const([9, 4])], None,
        "ResizeNearestNeighborOptions", alignCorners=BOTH, halfPixelCenters=[False]),
]
