# SPDX-License-Identifier: MIT
"""ONNX models of one operator, without the package onnx."""


def field(number, value):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    value = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(value)]) + value


def onnx(op, opset=17, dims=(1, 4)):
    """An ONNX model of one operator, in float, from x to y."""
    shape = field(2, b"".join(field(1, field(1, d)) for d in dims))
    x, y = (field(1, n) + field(2, field(1, field(1, 1) + shape)) for n in "xy")
    node = field(1, "x") + field(2, "y") + field(3, "again") + field(4, op)
    return field(1, 8) + field(7, field(1, node) + field(11, x) + field(12, y)) + \
        field(8, field(2, opset))
