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
    nothing = operator == NOTHING
    add_graph(model, [{"name": name, "type": kind, "shape": []} for name in "abc"], [0, 1],
              [1 if nothing else 2], [] if nothing else [(operator, [0, 1], [2])])


def sparse_rows(values):
    """The schema's object for a matrix that states the elements other than 0 of each row, and these."""
    sparsity, dense, sparse = schema.SparsityParametersT(), schema.DimensionMetadataT(), \
        schema.DimensionMetadataT()
    used = (values != 0) | np.isnan(np.float64(values))
    dense.format, dense.denseSize = schema.DimensionType.DENSE, len(values)
    sparse.format = schema.DimensionType.SPARSE_CSR
    kind = schema.SparseIndexVector.Int32Vector
    sparse.arraySegmentsType = sparse.arrayIndicesType = kind
    sparse.arraySegments, sparse.arrayIndices = schema.Int32VectorT(), schema.Int32VectorT()
    sparse.arraySegments.values = [0, *np.cumsum(used.sum(1)).tolist()]
    sparse.arrayIndices.values = np.nonzero(used)[1].tolist()
    sparsity.traversalOrder, sparsity.dimMetadata = [0, 1], [dense, sparse]
    return sparsity, values[used]


def add_tensors(model, graph, tensors):
    """Adds tensors, as write() takes them, to a subgraph."""
    for tensor in tensors:
        t = schema.TensorT()
        t.name, t.type = tensor["name"], getattr(schema.TensorType, tensor["type"])
        t.shape = [int(n) for n in tensor["shape"]]
        t.isVariable = bool(tensor.get("variable"))
        data = tensor.get("data")
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
        if tensor.get("sparse"):
            t.sparsity, data = sparse_rows(np.asarray(data))
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = packed(data, PACKED[tensor["type"]]) \
                if tensor["type"] in PACKED else np.frombuffer(
                    np.ascontiguousarray(data, TYPES[tensor["type"]]).tobytes(), np.uint8)
            t.buffer = len(model.buffers)
            model.buffers.append(buffer)
        graph.tensors.append(t)


def add_operator(model, graph, operator, inputs, outputs, options=None, attributes=None, version=1):
    """Adds an operator, as write() takes it, to a subgraph; returns it."""
    code, op = schema.OperatorCodeT(), schema.OperatorT()
    custom = operator.partition(":")[2]
    number = schema.BuiltinOperator.CUSTOM if custom else getattr(schema.BuiltinOperator, operator)
    code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
    code.version, code.customCode = version, custom or None
    op.opcodeIndex, op.inputs, op.outputs = len(model.operatorCodes), list(inputs), list(outputs)
    if isinstance(options, bytes):
        op.customOptions = np.frombuffer(options, np.uint8)
    elif options:
        second, kind, made = options_of(options, attributes or {})
        if second:
            op.builtinOptions2Type, op.builtinOptions2 = kind, made
        else:
            op.builtinOptionsType, op.builtinOptions = kind, made
    model.operatorCodes.append(code)
    graph.operators.append(op)
    return op


def add_graph(model, tensors, inputs, outputs, operators):
    """Adds a subgraph; @operators: lists of arguments for add_operator()."""
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = [], []
    graph.inputs, graph.outputs = list(inputs), list(outputs)
    add_tensors(model, graph, tensors)
    for arguments in operators:
        add_operator(model, graph, *arguments)
    model.subgraphs.append(graph)
    return graph


def new_model():
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, [], []
    model.buffers = [schema.BufferT()]
    return model


def packed_model(model):
    """The bytes of a file."""
    builder = flatbuffers.Builder(1 << 14)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def write_graphs(graphs):
    """The bytes of a file with several subgraphs: lists of arguments for add_graph()."""
    model = new_model()
    for arguments in graphs:
        add_graph(model, *arguments)
    return packed_model(model)


def write(operator, tensors, inputs, outputs, options=None, attributes=None, version=1,
          intermediates=(), body=None):
    """
    The bytes of a file with one operator.

    @operator: its name in the schema, or "CUSTOM:" and the name of a custom one
    @tensors: dicts with name, shape, type, and, where they have them, scale (one or a list), zero,
        axis (that of several scales), data (an array: a constant), sparse (it states the elements
        other than 0), variable, blocks (of how many elements of the last dimension, and the number
        of the tensor of their scales)
    @inputs, @outputs: numbers of tensors; -1 is an optional input that is omitted
    @options: the name of the schema's table, or the bytes of a custom operator's
    @intermediates: numbers of tensors that state what is quantised within the operator
    @body: the name of the operator of subgraph 1, which takes two scalars of the first input's
        type, or NOTHING
    """
    model = new_model()
    given = [i for i in dict.fromkeys(inputs) if i >= 0 and
             tensors[i].get("data") is None and not tensors[i].get("variable")]
    graph = add_graph(model, tensors, given, outputs, [])
    op = add_operator(model, graph, operator, inputs, outputs, options, attributes, version)
    if intermediates:
        op.intermediates = list(intermediates)
    if body:
        add_body(model, body, tensors[inputs[0]]["type"])
    return packed_model(model)
