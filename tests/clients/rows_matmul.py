# SPDX-License-Identifier: MIT
"""
BATCH_MATMUL with weights of INT8: hybrid, which multiplies FLOAT32 by them, and with a scale for
each column. LiteRT's kernels of INT8 and INT16 take such weights' scale to be 0.
"""

from table import NONE, RELU, Row, T, near

BROADCAST = "LiteRT adds the rows of input 0 anew for each batch that it broadcasts to"


def weights(adjoint, batch=(), axis=False, data="any"):
    shape = (*batch, 6, 8) if adjoint else (*batch, 8, 6)
    return T(*shape, type="INT8", data=data, zero=0, scale=(2.0 ** -6, 2.0 ** -3),
             axis=len(shape) - (2 if adjoint else 1) if axis else None)


ROWS = []
for name, left, batch in (("", (3, 8), ()), ("-batches", (2, 3, 8), (2,)),
                          ("-one", (2, 3, 8), (1,)), ("-rank4", (2, 1, 3, 8), (2, 3))):
    for adjoint in (False, True):
        for axis, data, kind in ((False, "any", ""), (True, "any", "-channels"),
                                 (False, None, "-input")):
            w = weights(adjoint, batch, axis, data)
            for asymmetric in (False, True):
                ROWS.append(Row(
                    "BATCH_MATMUL", [T(*left), w], [T()], ("FLOAT32",), "BatchMatMulOptions",
                    name=f"BATCH_MATMUL-hybrid{kind}{name}-{'adjY' if adjoint else 'plain'}"
                         f"-{'asymmetric' if asymmetric else 'symmetric'}",
                    version=4, adjX=[False], adjY=[adjoint],
                    asymmetricQuantizeInputs=[asymmetric],
                    listed=BROADCAST if asymmetric and name == "-rank4" else None))
        ROWS.append(Row("BATCH_MATMUL", [T(*left), weights(adjoint, batch, True)], [T()],
                        ("INT8", "INT16"), "BatchMatMulOptions", version=4, adjX=[False],
                        name=f"BATCH_MATMUL-channels{name}-{'adjY' if adjoint else 'plain'}",
                        adjY=[adjoint]))
ROWS.append(Row("BATCH_MATMUL", [T(8, 3), weights(False)], [T()], ("FLOAT32",),
                "BatchMatMulOptions", name="BATCH_MATMUL-hybrid-adjX", version=4, adjX=[True],
                adjY=[False], asymmetricQuantizeInputs=[False, True]))
ROWS += [Row("FULLY_CONNECTED", [T(*left, scale=(2.0 ** -15, 2.0 ** -10)),
                                 T(5, terms, scale=(2.0 ** -15, 2.0 ** -10)), None],
             [T(scale=near(lambda s: s[0] * s[1] * 2.0 ** 14 * terms ** 0.5))], ("INT16",),
             "FullyConnectedOptions", version=11, name=f"FULLY_CONNECTED-wide-{terms}",
             fusedActivationFunction=[NONE, RELU])
         for left, terms in (((9, 8), 8), ((2, 3, 64), 64), ((4, 1000), 1000))]
