#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A TFLite model for each operand type, for `make capabilities`: type_models.py FOLDER

    float32 int8 int16    a small network, as TensorFlow's converter makes it
    uint8                 that of int8 with one scale for each weight tensor, and all values moved
    float16               that of float32 with another type of all tensors; only the NNA runs it
    int32 bool8           element-wise operations
    if while              control flow

A model that is there already is kept: remove the folder after a change.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))

import models  # noqa: E402  (first: it quietens TensorFlow)
import numpy as np
import tensorflow as tf
from tensorflow.lite.tools import flatbuffer_utils

L = tf.keras.layers
TensorType = flatbuffer_utils.schema_fb.TensorType
BIG = (64, 64, 32)


def network():
    """The start of a mobile network: convolutions of every kind, pooling and a product."""
    return models.sequential(
        (96, 96, 3), L.Conv2D(32, 3, strides=2, activation="relu6"),
        L.DepthwiseConv2D(3, padding="same", activation="relu6"), L.Conv2D(64, 1),
        L.Conv2D(64, 3, padding="same", activation="relu"), L.AveragePooling2D(4), L.Flatten(),
        L.Dense(100), L.Softmax())


def constants(model):
    """Each tensor of a model with its values, None where it is computed."""
    for subgraph in model.subgraphs:
        for tensor in subgraph.tensors:
            data = model.buffers[tensor.buffer].data
            yield tensor, data if data is not None and len(data) else None


def set_data(model, tensor, values):
    model.buffers[tensor.buffer].data = np.frombuffer(values.tobytes(), np.uint8)


def uint8():
    built, shapes = network()
    call = tf.function(lambda x: built(x))
    concrete = call.get_concrete_function(tf.TensorSpec(shapes[0], tf.float32))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter._experimental_disable_per_channel = True
    converter._experimental_disable_per_channel_quantization_for_dense_layers = True
    data = models.quantise(converter, shapes, "int8")
    model = flatbuffer_utils.convert_bytearray_to_object(bytearray(data))
    for tensor, values in constants(model):
        if tensor.type == TensorType.INT8:
            tensor.type = TensorType.UINT8
            tensor.quantization.zeroPoint = np.asarray(tensor.quantization.zeroPoint) + 128
            if values is not None:
                set_data(model, tensor, np.asarray(values, np.uint8) ^ 0x80)
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def float16():
    data = models.convert(*network())
    model = flatbuffer_utils.convert_bytearray_to_object(bytearray(data))
    for tensor, values in constants(model):
        if tensor.type == TensorType.FLOAT32:
            tensor.type = TensorType.FLOAT16
            if values is not None:
                set_data(model, tensor, np.asarray(values, np.uint8).view("<f4").astype("<f2"))
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def element_wise(dtype, function):
    spec = tf.TensorSpec(BIG, dtype)
    return models.convert(tf.function(function), [spec, spec])


def condition(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 0.5, lambda: x * 2.0 + 1.0)


def loop(x):
    return tf.while_loop(lambda i, v: i < 10, lambda i, v: (i + 1, v * 0.5 + 1.0),
                         (tf.constant(0), x))[1]


MAKERS = {
    "float32": lambda: models.convert(*network()),
    "float16": float16,
    "uint8": uint8,
    "int8": lambda: models.convert(*network(), way="int8"),
    "int16": lambda: models.convert(*network(), way="int16x8"),
    "int32": lambda: element_wise(tf.int32, lambda a, b: tf.maximum(a + b, a - b)),
    "bool8": lambda: element_wise(tf.bool, lambda a, b: tf.logical_or(
        tf.logical_and(a, b), tf.logical_not(a))),
    "if": lambda: models.convert(condition, [BIG]),
    "while": lambda: models.convert(loop, [BIG]),
}


def main():
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    for name, maker in MAKERS.items():
        path = to / f"{name}.tflite"
        if not path.exists():
            path.with_suffix(".part").write_bytes(maker())
            path.with_suffix(".part").rename(path)


main()
