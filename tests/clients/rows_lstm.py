# SPDX-License-Identifier: MIT
"""
Rows of the sweeps: integer LSTMs (table.py tells what a row is).

Weights of many scales: in the larger ones the product of the state, or of a peephole, lies beyond 16
bits by itself, and the sum of a gate may come back; cell states reach their limits.
"""

from table import Row, T

TIME, BATCH, SIZE, UNITS = 5, 2, 7, 6
TANH = 4
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


ROWS = rows()
