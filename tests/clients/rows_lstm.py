# SPDX-License-Identifier: MIT
"""
Rows of the sweeps: recurrent layers of integers, and of floats with INT8 weights (table.py tells what
a row is).

Weights of many scales: in the larger ones the product of the state, or of a peephole, lies beyond 16
bits by itself, and the sum of a gate may come back; cell states reach their limits.
"""

import numpy as np

from table import NONE, RELU, Row, T, exactly

TIME, BATCH, SIZE, UNITS = 5, 2, 7, 6
TANH = 4
ONE = (-1, 1)
# Of weights: quiet to loud.
WEIGHTS = (2.0 ** -9, 2.0 ** -4)


def bias(rng):
    return rng.integers(-30000, 30000, UNITS)


def rows():
    made = []
    for time_major, coupled, peepholes, scale, zero, cell in [
            (0, False, False, 2.0 ** -7, 0, -11), (1, False, True, 0.0091, -5, -11),
            (0, True, False, 0.0123, 31, -12), (1, True, True, 0.0083, 0, -15),
            (0, False, True, 0.0067, 127, -9), (1, False, False, 0.0151, -128, -13)]:
        def weight(n, gate):
            return None if coupled and gate == 0 else \
                T(UNITS, n, type="INT8", scale=WEIGHTS, zero=0, data="any", values=(-127, 127))

        def peephole(gate):
            return None if not peepholes or coupled and gate == 0 else \
                T(UNITS, type="INT16", scale=(2.0 ** -14, 2.0 ** -11), data="any")

        inputs = [T(*[TIME, BATCH][::1 if time_major else -1], SIZE, scale=(2.0 ** -8, 2.0 ** -5))]
        inputs += [weight(SIZE, g) for g in range(4)] + [weight(UNITS, g) for g in range(4)]
        inputs += [peephole(g) for g in (0, 1, 2)]
        inputs += [None if coupled and g == 0 else
                   T(UNITS, type="INT32", scale=2.0 ** -13, data=bias) for g in range(4)]
        inputs += [None, None, T(BATCH, UNITS, type="INT8", scale=scale, zero=zero, variable=True),
                   T(BATCH, UNITS, type="INT16", scale=2.0 ** cell, zero=0, variable=True)]
        inputs += [None] * 4
        gate = T(1, type="INT16", scale=2.0 ** -12, zero=0)
        hidden = T(1, type="INT8", scale=scale, zero=zero)
        name = "UNIDIRECTIONAL_SEQUENCE_LSTM" + (" cifg" if coupled else "") + \
            (" peephole" if peepholes else "")
        made.append(Row("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs,
                        [T(type="INT8", scale=scale, zero=zero)], ["INT8"],
                        "UnidirectionalSequenceLSTMOptions", name=name, version=3,
                        intermediates=[gate] * 4 + [hidden], fusedActivationFunction=[TANH],
                        cellClip=[0.0, 0.7301], timeMajor=[bool(time_major)]))
    return made


def single(row):
    """The LSTM that is one step of a row's sequence."""
    inputs = [T(BATCH, SIZE, scale=(2.0 ** -8, 2.0 ** -5))] + row.inputs[1:]
    attributes = {k: v for k, v in row.attributes.items() if k != "timeMajor"}
    return Row("LSTM", inputs, row.outputs, ["INT8"], "LSTMOptions",
               name=row.name.replace("UNIDIRECTIONAL_SEQUENCE_", "") + f" {row.outputs[0].zero}",
               version=4, intermediates=row.intermediates, kernelType=[0], **attributes)


def hybrid_lstm():
    """Floats with INT8 weights. Sums of floats are in another order."""
    weights = [T(UNITS, n, type="INT8", scale=(2.0 ** -8, 2.0 ** -6), zero=0, data="any",
                 values=(-127, 127)) for n in (SIZE, UNITS) for _ in range(4)]
    biases = [T(UNITS, data="any", values=(-1, 1)) for _ in range(4)]
    state = [T(BATCH, UNITS, variable=True)] * 2
    return Row("LSTM", [T(BATCH, SIZE)] + weights + [None] * 3 + biases + [None] * 2 + state +
               [None] * 4, [T()], ["FLOAT32"], "LSTMOptions", name="LSTM hybrid", version=4,
               fusedActivationFunction=[TANH], cellClip=[0.0, 0.73], kernelType=[0],
               asymmetricQuantizeInputs=[False, True], bound=1e-5)


def svdf():
    """Filter banks: sums of whole numbers to the bit, of floats in another order."""
    made = []
    for memory, rank, batch in ((5, 1, 1), (1, 1, 2), (4, 2, 2), (10, 3, 1)):
        features = T(6, 8, type="INT8", scale=(2.0 ** -8, 2.0 ** -5), zero=0, data="any",
                     values=(-127, 127))
        state = T(batch, 6 * memory, type="INT16", scale=(2.0 ** -12, 2.0 ** -8), variable=True)
        times = T(6, memory, type="INT16", scale=(2.0 ** -14, 2.0 ** -10), zero=0, data="any",
                  values=(-3000, 3000))
        # The kernel does not read the scale of the bias.
        bias = T(6 // rank, type="INT32", scale=2.0 ** -20,
                 data=lambda rng, n=6 // rank: rng.integers(-100000, 100000, n))
        made.append(Row("SVDF", [T(batch, 8), features, times, bias, state],
                        [T(scale=(2.0 ** -6, 1.0))], ["INT8"], "SVDFOptions",
                        name=f"SVDF-{memory}-{rank}", version=3, rank=[rank],
                        fusedActivationFunction=[RELU]))
        real = T(batch, 6 * memory, type="FLOAT32", variable=True)
        small = T(6, memory, type="INT8", scale=(2.0 ** -8, 2.0 ** -6), zero=0, data="any",
                  values=(-127, 127))
        made.append(Row("SVDF", [T(batch, 8), features, small, T(6 // rank, data="any"), real], [T()],
                        ["FLOAT32"], "SVDFOptions", name=f"SVDF hybrid-{memory}-{rank}", version=3,
                        rank=[rank], fusedActivationFunction=[NONE, RELU],
                        asymmetricQuantizeInputs=[False, True], bound=1e-5))
        made += [Row("SVDF", [given, T(6, 8, data="any", values=ONE),
                              T(6, memory, data="any", values=ONE), T(6 // rank, data="any"), real],
                     [T()], ["FLOAT32"], "SVDFOptions", name=f"SVDF{name}-{memory}-{rank}", rank=[rank],
                     fusedActivationFunction=[NONE, RELU][:count], bound=1e-5)
                 for name, count, given in (("", 2, T(batch, 8)),
                                            # A RELU of LiteRT's own makes NaN another number.
                                            (" edge", 1, T(batch, 8, given=edges(batch, 8))))]
    return made


def edges(rows, columns):
    """NaN, both infinities, zeros of both signs, and numbers whose product overflows."""
    return np.resize([1, np.nan, 2, -0.0, 3, np.inf, 3e38, -np.inf, 0.5], rows * columns)


def floats():
    """Cells of floats; sums are in another order."""
    def weight(*shape):
        return T(*shape, data="any", values=ONE)

    made = []
    state = T(BATCH, UNITS, variable=True)
    for name, given in (("", None), (" edge", edges(BATCH, SIZE))):
        cell = [T(BATCH, SIZE, given=given), weight(UNITS, SIZE), weight(UNITS, UNITS), weight(UNITS)]
        made.append(Row("RNN", cell + [state], [T()], ["FLOAT32"], "RNNOptions", name="RNN" + name,
                        fusedActivationFunction=[NONE, TANH], bound=1e-5))
    for time_major in (False, True):
        shape = [TIME, BATCH][::1 if time_major else -1]
        made.append(Row("UNIDIRECTIONAL_SEQUENCE_RNN",
                        [T(*shape, SIZE)] + cell[1:] + [state], [T()], ["FLOAT32"],
                        "SequenceRNNOptions", name="UNIDIRECTIONAL_SEQUENCE_RNN",
                        timeMajor=[time_major], fusedActivationFunction=[NONE, TANH][1:], bound=1e-5))
    for name, coupled, peepholes, projected, norms, given in (
            ("", False, False, False, False, None), (" cifg", True, False, False, False, None),
            (" peephole", False, True, False, False, None), (" projection", False, False, True, False, None),
            (" norm", False, False, True, True, None),
            (" edge", False, False, False, False, edges(BATCH, SIZE))):
        outputs = 4 if projected else UNITS
        first = [not coupled, True, True, True]
        inputs = [T(BATCH, SIZE, given=given)]
        inputs += [weight(UNITS, SIZE) if here else None for here in first]
        inputs += [weight(UNITS, outputs) if here else None for here in first]
        inputs += [weight(UNITS) if peepholes else None for _ in range(3)]
        inputs += [weight(UNITS) if here else None for here in first]
        inputs += [weight(outputs, UNITS), weight(outputs)] if projected else [None, None]
        inputs += [T(BATCH, outputs, variable=True), T(BATCH, UNITS, variable=True)]
        inputs += [weight(UNITS) if norms else None for _ in range(4)]
        made.append(Row("LSTM", inputs, [T()], ["FLOAT32"], "LSTMOptions", name="LSTM" + name,
                        version=1, kernelType=[0], fusedActivationFunction=[TANH],
                        cellClip=[0.0, 0.73], projClip=[0.0, 0.6] if projected else [0.0],
                        bound=1e-5))
    return made


def basic():
    """The kernel of type 1: one matrix, and states that are inputs."""
    inputs = [T(BATCH, SIZE), T(BATCH, UNITS),
              T(4 * UNITS, SIZE + UNITS, data="any", values=(-1, 1)),
              T(4 * UNITS, data="any", values=(-1, 1)), T(BATCH, UNITS)]
    return Row("LSTM", inputs, [T()] * 4, ["FLOAT32"], "LSTMOptions", name="LSTM basic", version=2,
               bound=1e-5, kernelType=[1], fusedActivationFunction=[TANH])


def basic_whole(size, units):
    """The same on UINT8; more than 512 products of a sum are added in parts."""
    def data(*shape, zero=128, **more):
        return T(*shape, scale=1 / 128, zero=zero, **more)

    def cell(*shape, scale=1 / 2048):
        return T(*shape, type="INT16", scale=scale)

    inputs = [data(BATCH, size), data(BATCH, units),
              T(4 * units, size + units, data="any", scale=(2.0 ** -10, 2.0 ** -4)),
              T(4 * units, type="INT32", data="any", values=(-20000, 20000),
                scale=exactly(lambda s: s[0] * s[2])), cell(BATCH, units)]
    return Row("LSTM", inputs, [data(), cell(), data(), cell(scale=1 / 4096)], ["UINT8"], "LSTMOptions",
               name=f"LSTM basic {size}", version=2, kernelType=[1], fusedActivationFunction=[TANH])


SEQUENCES = rows()
ROWS = SEQUENCES + [single(row) for row in SEQUENCES] + [hybrid_lstm()] + svdf() + floats() + \
    [basic(), basic_whole(SIZE, UNITS), basic_whole(37, 70), basic_whole(1000, 9)]
