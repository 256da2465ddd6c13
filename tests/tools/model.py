# SPDX-License-Identifier: MIT
"""Writes small TFLite files, front to back: a table's children follow it."""

import struct

FLOAT32, INT32, UINT8, INT8 = 0, 2, 3, 9
# Operators: code, and the number of their options in the schema's union.
ADD, SOFTMAX, NEG, CONV_2D, GATHER = (0, 11), (25, 9), (59, 42), (3, 1), (36, 23)
RESHAPE = (22, 17)


class Writer:
    def __init__(self):
        self.bytes = bytearray()

    def align(self, to):
        while len(self.bytes) % to:
            self.bytes.append(0)

    def refer(self, at):
        """The place at @at refers to what is written next."""
        struct.pack_into("<I", self.bytes, at, len(self.bytes) - at)

    def table(self, fields, at=None):
        """@fields: number -> ("b", "i" and so on, value), or a function that writes a child."""
        count = max(fields, default=-1) + 1
        self.align(8)
        vtable = len(self.bytes)
        self.bytes += struct.pack("<HH", 4 + 2 * count, 8 + 8 * count)
        for n in range(count):
            self.bytes += struct.pack("<H", 8 + 8 * n if n in fields else 0)
        self.align(8)
        if at is not None:
            self.refer(at)
        start = len(self.bytes)
        self.bytes += struct.pack("<i4x", start - vtable) + bytes(8 * count)
        for n, field in fields.items():
            if not callable(field):
                struct.pack_into("<" + field[0], self.bytes, start + 8 + 8 * n, field[1])
        for n, field in fields.items():
            if callable(field):
                field(start + 8 + 8 * n)

    def vector(self, kind, values):
        def write(at):
            # Elements of up to 8 bytes start at a multiple of 16.
            while len(self.bytes) % 16 != 12:
                self.bytes.append(0)
            self.refer(at)
            self.bytes.extend(struct.pack("<I", len(values)))
            self.bytes.extend(struct.pack(f"<{len(values)}{kind}", *values))
        return write

    def text(self, text):
        def write(at):
            self.align(4)
            self.refer(at)
            data = text.encode()
            self.bytes.extend(struct.pack("<I", len(data)) + data + b"\0")
        return write

    def tables(self, list_of_fields):
        def write(at):
            self.align(4)
            self.refer(at)
            self.bytes.extend(struct.pack("<I", len(list_of_fields)))
            first = len(self.bytes)
            self.bytes.extend(bytes(4 * len(list_of_fields)))
            for i, fields in enumerate(list_of_fields):
                self.table(fields, first + 4 * i)
        return write


def tensor(name, shape, kind=FLOAT32, scale=None, signature=None, data=None):
    """@data: the bytes of a constant."""
    return {"name": name, "shape": shape, "type": kind, "scale": scale, "signature": signature,
            "data": data}


def model(tensors, operators, inputs, outputs):
    """@operators: ((code, options' type), inputs, outputs, options) each."""
    return several([(tensors, operators, inputs, outputs)], [])


def several(subgraphs, signatures):
    """
    @subgraphs: the arguments of model() of each; @signatures: (key, subgraph, {name: tensor} of
    inputs, {name: tensor} of outputs) each.
    """
    w = Writer()
    w.bytes += bytes(4) + b"TFL3"
    # Buffer 0 is that of tensors without data.
    buffers = [{}]

    def tensor_fields(t):
        if t["data"]:
            buffers.append({0: w.vector("B", t["data"])})
        fields = {0: w.vector("i", t["shape"]), 1: ("b", t["type"]),
                  2: ("I", len(buffers) - 1 if t["data"] else 0), 3: w.text(t["name"])}
        if t["scale"]:
            fields[4] = lambda at: w.table({2: w.vector("f", [t["scale"][0]]),
                                            3: w.vector("q", [t["scale"][1]])}, at)
        if t["signature"]:
            fields[7] = w.vector("i", t["signature"])
        return fields

    codes = []

    def operator_fields(op):
        _, ins, outs, options = op
        codes.append(op[0][0])
        return {0: ("I", len(codes) - 1), 1: w.vector("i", ins), 2: w.vector("i", outs), 3: ("B", op[0][1]),
                4: lambda at: w.table(options, at)}

    def subgraph_fields(tensors, operators, inputs, outputs):
        return {0: w.tables([tensor_fields(t) for t in tensors]), 1: w.vector("i", inputs),
                2: w.vector("i", outputs), 3: w.tables([operator_fields(op) for op in operators]),
                4: w.text("main")}

    def names(tensors):
        return w.tables([{0: w.text(name), 1: ("I", tensor)} for name, tensor in tensors.items()])
    parts = [subgraph_fields(*s) for s in subgraphs]
    root = {0: ("I", 3), 1: w.tables([{0: ("b", c), 3: ("i", c)} for c in codes]),
            2: w.tables(parts), 3: w.text("a test's"), 4: w.tables(buffers)}
    if signatures:
        root[7] = w.tables([{0: names(ins), 1: names(outs), 2: w.text(key), 4: ("I", subgraph)}
                            for key, subgraph, ins, outs in signatures])
    w.table(root, 0)
    return bytes(w.bytes)


def each(tensors, code):
    """A model that applies an operator without options to each of some tensors."""
    outs = [dict(t, name=t["name"] + "_out") for t in tensors]
    n = len(tensors)
    return model(tensors + outs, [(code, [i], [n + i], {}) for i in range(n)],
                 list(range(n)), list(range(n, 2 * n)))


def softmax(shape, kind=FLOAT32):
    return model([tensor("logits", shape, kind), tensor("scores", shape, kind)],
                 [(SOFTMAX, [0], [1], {0: ("f", 1.0)})], [0], [1])
