# SPDX-License-Identifier: MIT
"""
What a row of the sweeps is (sweep.py), and the case that a random number generator makes of it.

    Row("ADD", [T(2, 30), T(2, 30)], [T()], EIGHT, "AddOptions",
        fusedActivationFunction=[NONE, RELU])

is ADD of two tensors of one of the types EIGHT, each with a random scale and zero point, with each
of two activations. An output's shape is what LiteRT makes of the inputs'. Where a scale is not to
be any, it is a number, two limits, or a function of the generator and the scales of the tensors
before it: near(lambda s: s[0] * s[1]) is about that product.
"""

import itertools

import numpy as np

import onefile

EIGHT = ("INT8", "UINT8")
NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
SAME, VALID = range(2)
# Scales of inputs, unless a row says others.
SCALES = (2.0 ** -9, 1.0)
# Types that have a scale and a zero point, unless a row says scale=None.
QUANTISED = ("INT8", "UINT8", "INT16", "INT4", "INT2")


def near(function, octaves=1.5):
    """A scale about function(scales), at times exactly that, at times a power of two."""
    def scale(rng, scales):
        value = float(np.max(function(scales)))
        way = rng.integers(6)
        if way == 0:
            return value
        value *= 2.0 ** rng.uniform(-octaves, octaves)
        return 2.0 ** round(np.log2(value)) if way == 1 else value
    return scale


def exactly(function):
    return lambda rng, scales: function(scales)


# The scale of a tensor that shares the quantisation of the first one that has any.
LIKE_INPUT = "like the input"


class T:
    """
    A tensor.

    @shape: dims; of an output none, they follow from the inputs
    @type: a type of the schema, or None: that of the row
    @scale: see above; None: without quantisation, where the type needs none; LIKE_INPUT
    @zero: a zero point, or None: any of the type, 0 for types wider than 8 bits
    @axis: the dimension with a scale for each of its elements, or None
    @data: None: an input; "any": a constant of random values; else the values of a constant, or a
        function of the generator that gives them
    @values: two limits of random values (integers, or reals of a float tensor); None: all the type
        has, of floats those between -8 and 8
    @variable: state, which begins as zeros
    @blocks: the number of elements of the last dimension that share a scale, or None
    @given: the values of an input, or a function of its type that gives them; None: random ones
    """

    def __init__(self, *shape, type=None, scale=SCALES, zero=None, axis=None, data=None,
                 values=None, variable=False, given=None, blocks=None):
        self.shape, self.type, self.scale, self.zero = shape, type, scale, zero
        self.axis, self.data, self.values, self.variable = axis, data, values, variable
        self.given, self.blocks = given, blocks


class Row:
    """
    An operator and what it is tried with.

    @operator: its name in the schema, or "CUSTOM:" and a name
    @inputs, @outputs: tensors; None among the inputs is an optional one that is omitted
    @types: those that stand for T(type=None)
    @options: the schema's table of options, or bytes of a custom operator's
    @name: of the row, if one operator has several
    @own: why LiteRT's own kernels judge instead of the reference ones, or None
    @steps: the largest difference that passes; a row that has more than 0 says why beside
    @intermediates: tensors that state what is quantised within the operator
    @bound: of floats the largest difference, as a part of the value, or of 1 where that is less;
        infinities and NaN have to be the same. None: bit by bit
    @once: a case for each combination of attributes, since its values are given
    @listed: {type: why a case may differ, or be left to LiteRT, as docs/tflite.md has it}, or one
        reason for all types: such a case counts as skipped. A reason that no case needs is a failure
    @body: the operator of subgraph 1 (onefile.py)
    @graphs: a function of the case that gives all subgraphs of its file (onefile.write_graphs());
        the first one has the case's tensors first
    @attributes: for each a list of values; each combination is tried
    """

    def __init__(self, operator, inputs, outputs, types, options=None, name=None, own=None,
                 steps=0, version=1, intermediates=(), bound=None, once=False,
                 listed=None, body=None, graphs=None, **attributes):
        self.operator, self.inputs, self.outputs = operator, inputs, outputs
        self.types, self.options, self.name = types, options, name or operator
        self.own, self.steps, self.version = own, steps, version
        self.attributes, self.intermediates = attributes, intermediates
        self.bound, self.once, self.body, self.graphs = bound, once, body, graphs
        self.listed = dict.fromkeys(types, listed) if isinstance(listed, str) else listed or {}

    def variants(self):
        """All combinations of attributes, one {} at least."""
        return [dict(zip(self.attributes, values))
                for values in itertools.product(*self.attributes.values())]


def limits(kind):
    if kind in onefile.PACKED:
        return -(1 << onefile.PACKED[kind] - 1), (1 << onefile.PACKED[kind] - 1) - 1
    return (0, 1) if kind == "BOOL" else (np.iinfo(onefile.TYPES[kind]).min,
                                          np.iinfo(onefile.TYPES[kind]).max)


def fill(rng, tensor, values):
    """
    Values of an input. Of 8 bits: as far as there is place all that the type has, so that no tie is
    missed, in random order. Of others: random ones, with the limits, 0, 1 and -1 strewn in.
    """
    kind, shape = tensor["type"], tensor["shape"]
    count, dtype = int(np.prod(shape)), onefile.TYPES[kind]
    if kind in ("FLOAT32", "FLOAT16", "BFLOAT16"):
        low, high = values or (-8, 8)
        flat = rng.uniform(low, high, count)
        special = [v for v in (low, high, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5) if low <= v <= high]
    else:
        low, high = values or limits(kind)
        zero = int(np.max(tensor.get("zero", 0))) if tensor.get("scale") is not None else 0
        special = [v for v in (low, low, high, high, zero, zero - 1, zero + 1) if low <= v <= high]
        if high - low < 256 <= count + high - low:
            flat = np.concatenate([rng.permutation(np.arange(low, high + 1))
                                   for _ in range(1 + count // (high - low + 1))])[:count]
        else:
            flat = rng.integers(low, high + 1, count)
        if kind == "INT16" and rng.integers(2):
            # Small numbers: where the limits are reached, ties are rare.
            flat = np.where(rng.random(count) < 0.5, flat >> rng.integers(1, 12), flat)
            flat = np.clip(flat, low, high)
    if special:
        some = rng.random(count) < (0.15 if count >= 16 else 0.4)
        flat = np.where(some, rng.choice(special, count), flat)
    return flat.astype(dtype).reshape(shape)


class Case:
    """The file of a row's case @number, and the values of its inputs by name."""

    def __init__(self, row, kind, number, rng):
        variants = row.variants()
        self.row, self.type, self.number = row, kind, number
        self.attributes = variants[number % len(variants)]
        self.inputs, self.tensors, self.scales = {}, [], []
        self.ins = [self.add(rng, t, f"in{i}") if t else -1 for i, t in enumerate(row.inputs)]
        self.outs = [self.add(rng, t, f"out{i}", True) for i, t in enumerate(row.outputs)]
        self.mids = [self.add(rng, t, f"mid{i}", True) for i, t in enumerate(row.intermediates)]
        # State differs from zeros from the second run on.
        self.runs = 3 if any(t.get("variable") for t in self.tensors) else 1
        told = [f"{k} {v}" for k, v in self.attributes.items()]
        told += [f"{t['name']} {np.max(t['scale']):.6g} * (q - {t['zero']})"
                 for t in self.tensors if t.get("scale") is not None]
        self.told = ", ".join(told)

    def pick_scale(self, rng, t, kind, shape):
        if t.scale is None or kind not in QUANTISED + ("INT32",) or \
                (kind == "INT32" and t.scale is SCALES):
            return None
        if callable(t.scale):
            return np.float32(t.scale(rng, self.scales))
        if not isinstance(t.scale, tuple):
            return np.float32(t.scale)
        low, high = np.log2(t.scale)
        count = shape[t.axis] if t.axis is not None else None
        value = 2.0 ** rng.uniform(low, high, count)
        # Powers of two make ties.
        return np.float32(2.0 ** np.round(np.log2(value)) if rng.integers(5) == 0 else value)

    def add(self, rng, t, name, output=False):
        kind = t.type or self.type
        tensor = {"name": name, "shape": t.shape, "type": kind, "axis": t.axis,
                  "variable": t.variable}
        if t.scale == LIKE_INPUT:
            first = next((x for x in self.tensors if x["scale"] is not None), {"scale": None})
            tensor.update({k: first.get(k) for k in ("scale", "zero")})
        else:
            tensor["scale"] = self.pick_scale(rng, t, kind, t.shape)
        if tensor["scale"] is not None and t.scale != LIKE_INPUT:
            low, high = limits(kind)
            if t.zero is not None:
                tensor["zero"] = t.zero
            elif kind not in EIGHT or t.axis is not None:
                tensor["zero"] = 0
            else:
                tensor["zero"] = int(rng.choice([low, high, (low + high + 1) // 2,
                                                 *rng.integers(low, high + 1, 3)]))
        self.scales.append(tensor["scale"])
        self.tensors.append(tensor)
        if not output and not t.variable:
            values = t.data(rng) if callable(t.data) else t.data
            if t.given is not None:
                given = t.given(kind) if callable(t.given) else t.given
                self.inputs[name] = np.array(given, onefile.TYPES[kind]).reshape(t.shape)
            elif t.data is None:
                self.inputs[name] = fill(rng, tensor, t.values)
            else:
                tensor["data"] = fill(rng, tensor, t.values) if isinstance(values, str) else \
                    np.array(values, onefile.TYPES[kind]).reshape(t.shape)
        number = len(self.tensors) - 1
        if t.blocks:
            shape = (*t.shape[:-1], t.shape[-1] // t.blocks)
            tensor["blocks"] = (t.blocks, len(self.tensors))
            self.tensors.append({"name": f"{name} scales", "shape": shape, "type": "FLOAT16",
                                 "data": np.float16(rng.uniform(0.01, 0.2, shape))})
            self.scales.append(None)
        return number

    def set_shapes(self, shapes):
        for index, shape in zip(self.outs, shapes):
            self.tensors[index]["shape"] = shape

    def file(self):
        if self.row.graphs:
            return onefile.write_graphs(self.row.graphs(self))
        return onefile.write(self.row.operator, self.tensors, self.ins, self.outs,
                             self.row.options, self.attributes, self.row.version, self.mids,
                             self.row.body)
