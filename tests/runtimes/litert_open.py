#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_open: a model with an open batch in LiteRT beside nnaccel.

    litert_open.py --libraries DIR

LiteRT resizes inputs of its own operators, but no partition: its outputs keep the shape that the file has. So the
operators are left to LiteRT's CPU, where the model runs at each size, and a line says so; on the NPU alone no model is
made. Prints "N passed, N failed, N skipped" last.
"""
import argparse
import os
import sys
import tempfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.environment import Environment
from ai_edge_litert.hardware_accelerator import HardwareAccelerator

from litert_models import captured

COLUMNS = 4
counts = [0, 0]


def tell(right, what):
    counts[not right] += 1
    print("%s %s" % ("ok" if right else "not ok", what), flush=True)


def make_model(path):
    """y = -(x * x), with shapes [open, COLUMNS], of which the file's example is [1, COLUMNS]."""
    model, graph, signature = schema.ModelT(), schema.SubGraphT(), schema.SignatureDefT()
    operators = [schema.BuiltinOperator.SQUARE, schema.BuiltinOperator.NEG]
    graph.tensors, graph.operators, model.operatorCodes = [], [], []
    for name in b"x", b"m", b"y":
        tensor = schema.TensorT()
        tensor.name, tensor.type, tensor.buffer = name, schema.TensorType.FLOAT32, 0
        tensor.shape, tensor.shapeSignature = [1, COLUMNS], [-1, COLUMNS]
        tensor.hasRank = True
        graph.tensors.append(tensor)
    for number, kind in enumerate(operators):
        code, operator = schema.OperatorCodeT(), schema.OperatorT()
        code.builtinCode = code.deprecatedBuiltinCode = kind
        code.version = 1
        operator.opcodeIndex, operator.inputs, operator.outputs = number, [number], [number + 1]
        model.operatorCodes.append(code)
        graph.operators.append(operator)
    ends = [schema.TensorMapT(), schema.TensorMapT()]
    for end, (name, index) in zip(ends, ((b"x", 0), (b"y", 2))):
        end.name, end.tensorIndex = name, index
    graph.inputs, graph.outputs = [0], [2]
    signature.signatureKey, signature.subgraphIndex = b"serving_default", 0
    signature.inputs, signature.outputs = ends[:1], ends[1:]
    model.version, model.subgraphs, model.buffers, model.signatureDefs = 3, [graph], [schema.BufferT()], [signature]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    with open(path, "wb") as file:
        file.write(bytes(builder.Output()))


def run(model, rows):
    """Whether the model is right at a size."""
    model.resize_input_tensor(0, [rows, COLUMNS])
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    x = np.arange(rows * COLUMNS, dtype=np.float32) + 1
    inputs[0].write(x)
    model.run_by_index(0, inputs, outputs)
    return np.array_equal(outputs[0].read(x.size, np.float32), -x * x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", required=True)
    folder = os.path.abspath(parser.parse_args().libraries)
    environment = Environment.create(compiler_plugin_path=folder, dispatch_library_path=folder)
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "open.tflite")
        make_model(path)
        models = []

        def make(accelerators):
            try:
                models.append(CompiledModel.from_file(path, accelerators, environment))
            except RuntimeError:
                models.append(None)
        lines = captured(make, HardwareAccelerator.NPU | HardwareAccelerator.CPU)
        tell(models[0] and "nnaccel:" in lines and "dimension 0 is open" in lines, "a line says what is left, and why")
        for rows in 1, 3, 2:
            tell(run(models[0], rows), "the model runs with %d rows" % rows)
        lines = captured(make, HardwareAccelerator.NPU)
        tell(not models[1] and "dimension 0 is open" in lines, "on the NPU alone there is no model")
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
