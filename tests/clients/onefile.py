# SPDX-License-Identifier: MIT
"""Writes TFLite files of one operator, out of the schema that LiteRT brings along."""

import flatbuffers
import ml_dtypes
import numpy as np
from ai_edge_litert import schema_py_generated as schema

# The schema's name of a type, and NumPy's.
TYPES = {"FLOAT32": np.float32, "FLOAT16": np.float16, "INT8": np.int8, "UINT8": np.uint8,
         "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "BOOL": np.bool_,
         "COMPLEX64": np.complex64, "INT4": np.int8, "INT2": np.int8,
         "BFLOAT16": ml_dtypes.bfloat16}
# Bits of the types that share bytes.
PACKED = {"INT4": 4, "INT2": 2}
# The body of a subgraph without an operator.
NOTHING = "NOTHING"


def packed(values, bits):
    """The bytes of signed numbers of @bits; the first of a byte is in its lowest bits."""
    flat = np.asarray(values).reshape(-1).astype(np.uint8) & (1 << bits) - 1
    flat = np.concatenate([flat, np.zeros(-len(flat) % (8 // bits), np.uint8)])
    return np.bitwise_or.reduce(flat.reshape(-1, 8 // bits) << np.arange(0, 8, bits, np.uint8), 1) \
        .astype(np.uint8)


def options_of(name, attributes):
    """The schema's (number, object) of the options called @name, with @attributes set."""
    options = getattr(schema, name + "T")()
    for key, value in attributes.items():
        if not hasattr(options, key):
            raise KeyError(f"{name} has no {key}: it has {', '.join(vars(options))}")
        setattr(options, key, value)
    second = hasattr(schema.BuiltinOptions2, name)
    return second, getattr(schema.BuiltinOptions2 if second else schema.BuiltinOptions, name), \
        options


def add_body(model, operator, kind):
    """Adds a subgraph: an operator of two scalars, or none, whose result is the second one."""
    code, op, graph = schema.OperatorCodeT(), schema.OperatorT(), schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs, graph.operators = [], [0, 1], [1], []
    for name in "abc":
        tensor = schema.TensorT()
        tensor.name, tensor.type, tensor.shape = name, getattr(schema.TensorType, kind), []
        graph.tensors.append(tensor)
    model.subgraphs.append(graph)
    if operator == NOTHING:
        return
    code.builtinCode = getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = 1
    op.opcodeIndex, op.inputs, op.outputs = len(model.operatorCodes), [0, 1], [2]
    graph.outputs, graph.operators = [2], [op]
    model.operatorCodes.append(code)


def write(operator, tensors, inputs, outputs, options=None, attributes=None, version=1,
          intermediates=(), body=None):
    """
    The bytes of a file with one operator.

    @operator: its name in the schema, or "CUSTOM:" and the name of a custom one
    @tensors: dicts with name, shape, type, and, where they have them, scale (one or a list), zero,
        axis (that of several scales), data (an array: a constant), variable, blocks (of how many
        elements of the last dimension, and the number of the tensor of their scales)
    @inputs, @outputs: numbers of tensors; -1 is an optional input that is omitted
    @options: the name of the schema's table, or the bytes of a custom operator's
    @intermediates: numbers of tensors that state what is quantised within the operator
    @body: the name of the operator of subgraph 1, which takes two scalars of the first input's
        type, or NOTHING
    """
    model, graph, code = schema.ModelT(), schema.SubGraphT(), schema.OperatorCodeT()
    custom = operator.partition(":")[2]
    number = schema.BuiltinOperator.CUSTOM if custom else getattr(schema.BuiltinOperator, operator)
    code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
    code.version, code.customCode = version, custom or None
    model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
    model.buffers = [schema.BufferT()]
    graph.tensors = []
    for tensor in tensors:
        t = schema.TensorT()
        t.name, t.type = tensor["name"], getattr(schema.TensorType, tensor["type"])
        t.shape = [int(n) for n in tensor["shape"]]
        t.isVariable = bool(tensor.get("variable"))
        if tensor.get("scale") is not None:
            scale = np.atleast_1d(np.float32(tensor["scale"]))
            q = t.quantization = schema.QuantizationParametersT()
            q.scale = [float(s) for s in scale]
            zero = np.atleast_1d(tensor.get("zero", 0))
            q.zeroPoint = [int(z) for z in (zero if len(zero) > 1 else [zero[0]] * len(scale))]
            q.quantizedDimension = tensor.get("axis") or 0
        if tensor.get("blocks"):
            q = t.quantization = schema.QuantizationParametersT()
            q.detailsType = schema.QuantizationDetails.BlockwiseQuantization
            q.details = schema.BlockwiseQuantizationT()
            q.details.blockSize, q.details.scales = tensor["blocks"]
            q.details.zeroPoints = -1
        if tensor.get("data") is not None:
            buffer = schema.BufferT()
            buffer.data = packed(tensor["data"], PACKED[tensor["type"]]) \
                if tensor["type"] in PACKED else np.frombuffer(
                    np.ascontiguousarray(tensor["data"], TYPES[tensor["type"]]).tobytes(), np.uint8)
            t.buffer = len(model.buffers)
            model.buffers.append(buffer)
        graph.tensors.append(t)
    op = schema.OperatorT()
    op.opcodeIndex, op.inputs, op.outputs = 0, list(inputs), list(outputs)
    if intermediates:
        op.intermediates = list(intermediates)
    if isinstance(options, bytes):
        op.customOptions = np.frombuffer(options, np.uint8)
    elif options:
        second, kind, made = options_of(options, attributes or {})
        if second:
            op.builtinOptions2Type, op.builtinOptions2 = kind, made
        else:
            op.builtinOptionsType, op.builtinOptions = kind, made
    graph.operators = [op]
    graph.inputs = [i for i in dict.fromkeys(inputs) if i >= 0 and
                    tensors[i].get("data") is None and not tensors[i].get("variable")]
    graph.outputs = list(outputs)
    if body:
        add_body(model, body, tensors[inputs[0]]["type"])
    builder = flatbuffers.Builder(1 << 14)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
