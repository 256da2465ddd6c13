# SPDX-License-Identifier: MIT
"""
Operators that move, choose or compare numbers, with an output whose scale and zero point are not
those of the inputs. TFLite's kernels copy the stored numbers, requantise them, or refuse the file;
converters write none of these files, but other tools do.
"""

from rows_eight import ints, scalar
from table import EIGHT, Row, T

ALL = (*EIGHT, "INT16")
PADS = T(4, 2, type="INT32", data=[0, 0, 1, 2, 0, 0, 3, 0])


def apart(operator, more, options=None, shape=(2, 6, 4, 8), outputs=1, first=0, types=ALL,
          **attributes):
    """Each tensor has a scale of its own."""
    x = T(*shape)
    inputs = [x, *more] if not first else [*more[:first], x, *more[first:]]
    return Row(operator, inputs, [T()] * outputs, types, options, name=operator + "-apart",
               **attributes)


ROWS = [
    # CONCATENATION of UINT8 with three scales is in rows_eight.py.
    apart("CONCATENATION", [T(2, 6, 4, 8)] * 2, "ConcatenationOptions", axis=[0, 2, -1]),
    Row("CONCATENATION", [T(3, 60), T(2, 60, data="any"), T(1, 60)], [T()], ("INT16",),
        "ConcatenationOptions", name="CONCATENATION-apart-constant", axis=[0]),
    apart("PACK", [T(2, 6, 4, 8)] * 2, "PackOptions", valuesCount=[3], axis=[0, 2, -1]),
    apart("UNPACK", [], "UnpackOptions", outputs=4, num=[4], axis=[2]),
    apart("SPLIT", [scalar(3)], "SplitOptions", outputs=4, first=1, numSplits=[4]),
    apart("SPLIT_V", [ints(1, 3, 2), scalar(1)], "SplitVOptions", outputs=3, numSplits=[3]),
    apart("RESHAPE", [ints(12, 32)], "ReshapeOptions"),
    apart("SQUEEZE", [], "SqueezeOptions", (1, 6, 1, 8), squeezeDims=[[], [0]]),
    apart("EXPAND_DIMS", [scalar(1)], "ExpandDimsOptions"),
    apart("TRANSPOSE", [ints(0, 3, 1, 2)], "TransposeOptions"),
    apart("TILE", [ints(1, 2, 1, 3)], "TileOptions"),
    apart("BROADCAST_TO", [ints(3, 2, 6, 8)], "BroadcastToOptions", (2, 1, 8), version=2),
    apart("REVERSE_V2", [ints(1)], "ReverseV2Options"),
    apart("REVERSE_SEQUENCE", [ints(4, 1)], "ReverseSequenceOptions", seqDim=[1], batchDim=[0]),
    apart("SLICE", [ints(0, 2, 1, 3), ints(2, 3, -1, 4)], "SliceOptions"),
    apart("STRIDED_SLICE", [ints(0, 5, 1, 7), ints(2, 0, 3, 0), ints(1, -2, 1, -1)],
          "StridedSliceOptions", beginMask=[0, 2], endMask=[0, 8], shrinkAxisMask=[0, 4]),
    apart("PAD", [PADS], "PadOptions"),
    apart("PADV2", [PADS, T(1, data="any")], "PadV2Options"),
    # LiteRT takes another quantisation of the input alone.
    *[Row("PADV2", [T(2, 6, 4, 8), PADS, T(1, data="any", scale=0.5, zero=zero)],
          [T(scale=0.5, zero=zero)], types, "PadV2Options", name="PADV2-apart-input")
      for types, zero in ((EIGHT, 3), (("INT16",), 0))],
    apart("MIRROR_PAD", [PADS], "MirrorPadOptions", mode=[0, 1]),
    apart("SPACE_TO_DEPTH", [], "SpaceToDepthOptions", blockSize=[2]),
    apart("DEPTH_TO_SPACE", [], "DepthToSpaceOptions", blockSize=[2]),
    apart("SPACE_TO_BATCH_ND", [ints(3, 2), T(2, 2, type="INT32", data=[1, 2, 0, 2])],
          "SpaceToBatchNDOptions"),
    apart("BATCH_TO_SPACE_ND", [ints(2, 3), T(2, 2, type="INT32", data=[1, 0, 0, 2])],
          "BatchToSpaceNDOptions", (12, 4, 3, 5)),
    apart("GATHER", [ints(2, 0, 1, 1)], "GatherOptions", axis=[2], batchDims=[0]),
    apart("GATHER_ND", [T(3, 2, type="INT32", data=[0, 1, 1, 5, 0, 0])], "GatherNdOptions"),
    Row("TOPK_V2", [T(5, 60), scalar(7)], [T(), T(type="INT32", scale=None)], ALL, "TopKV2Options",
        name="TOPK_V2-apart"),
    *[Row(name, [T(4, 80), T(*shape)], [T()], ALL, "MaximumMinimumOptions",
          name=f"{name}-apart{suffix}")
      for name in ("MAXIMUM", "MINIMUM")
      for shape, suffix in (((4, 80), ""), ((80,), "-broadcast"))],
    Row("SELECT", [T(4, 80, type="BOOL", scale=None), T(4, 80), T(4, 80)], [T()], ALL,
        "SelectOptions", name="SELECT-apart"),
    *[Row("SELECT_V2", [T(4, 80, type="BOOL", scale=None), T(4, 80), T(*shape)], [T()], ALL,
          "SelectV2Options", name="SELECT_V2-apart" + suffix)
      for shape, suffix in (((4, 80), ""), ((80,), "-broadcast"))],
]
