#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the models of check-clients with TensorFlow's converter.

    models.py DIRECTORY [NAME...]

Each model is a function below with @model; what it returns is written to DIRECTORY/NAME.tflite. A
model that is there already is kept, since the converter takes seconds for each: remove the
directory after a change. Weights come from fixed seeds, so that everybody has the same files.
"""

import os
import sys
import tempfile
import traceback
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
import tf_keras

keras = tf.keras
F32 = tf.float32
# Suffixes of names, and how the converter quantises.
WAYS = ["float", "float16", "dynamic", "int8", "int16x8"]
MODELS = {}


def model(*ways):
    """Registers a function; for each of WAYS given, it returns (what to convert, input shapes)."""
    def register(function):
        name = function.__name__
        if not ways:
            MODELS[name] = function
        for way in ways:
            MODELS[f"{name}-{way}"] = lambda way=way: convert(*function(), way=way)
        return function
    return register


def samples(shapes, dtype=np.float32):
    rng = np.random.default_rng(7)
    for _ in range(8):
        yield [(rng.random(shape) * 2 - 1).astype(dtype) for shape in shapes]


def convert(what, shapes, way="float"):
    """A Keras model of either version, or a tf.Module with __call__, as the bytes of a file."""
    tf.random.set_seed(1)
    signature = [s if isinstance(s, tf.TensorSpec) else tf.TensorSpec(s, F32) for s in shapes]
    shapes = [s.shape for s in signature]
    if isinstance(what, (tf_keras.Model, keras.Model)):
        call = tf.function(lambda *x: what(x if len(x) > 1 else x[0]))
    else:
        call = tf.function(what.__call__ if isinstance(what, tf.Module) else what)
    concrete = call.get_concrete_function(*signature)
    if isinstance(what, tf_keras.Model):
        # Only this way does the converter see which functions are LSTM layers.
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(what, folder, signatures=concrete)
            return quantise(tf.lite.TFLiteConverter.from_saved_model(folder), shapes, way)
    # Without the object that holds the variables they become constants.
    holder = [what] if way == "variables" else []
    return quantise(tf.lite.TFLiteConverter.from_concrete_functions([concrete], *holder), shapes,
                    way)


def quantise(converter, shapes, way):
    if way == "float16":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]
    elif way == "dynamic":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    elif way in ("int8", "int16x8"):
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: samples(shapes)
        # Inputs and outputs as well, so that differences are in steps.
        converter.inference_input_type = tf.int16 if way == "int16x8" else tf.int8
        converter.inference_output_type = converter.inference_input_type
        if way == "int16x8":
            converter.target_spec.supported_ops = [
                tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
    elif way == "sparse":
        converter.optimizations = [tf.lite.Optimize.EXPERIMENTAL_SPARSITY]
    if way == "variables":
        converter.experimental_enable_resource_variables = True
    return converter.convert()


def seeded(built):
    """Weights of a Keras model that do not depend on the version's initialisers."""
    rng = np.random.default_rng(3)
    weights = []
    for w in built.get_weights():
        spread = 1.0 / max(1.0, np.sqrt(np.prod(w.shape[:-1])))
        name_like_variance = w.ndim == 1 and np.all(w == 1)
        weights.append(rng.uniform(0.5, 1.5, w.shape).astype(w.dtype) if name_like_variance
                       else (rng.standard_normal(w.shape) * spread).astype(w.dtype))
    built.set_weights(weights)
    return built


def sequential(shape, *layers):
    built = keras.Sequential([keras.Input(shape, batch_size=1), *layers])
    return seeded(built), [(1, *shape)]


L = keras.layers


# ------------------------------------------------------------------------------------ networks

@model(*WAYS)
def dense():
    return sequential((64,), L.Dense(48, activation="relu"), L.Dense(32, activation="tanh"),
                      L.Dense(10, activation="softmax"))


@model(*WAYS)
def convnet():
    return sequential((28, 28, 1), L.Conv2D(8, 3, activation="relu"), L.MaxPool2D(2),
                      L.DepthwiseConv2D(3, padding="same"), L.Conv2D(16, 1, activation="relu6"),
                      L.AveragePooling2D(2), L.Flatten(), L.Dense(10))


@model(*WAYS)
def residual():
    x = i = keras.Input((16, 16, 8), batch_size=1)
    for _ in range(2):
        y = L.Conv2D(8, 3, padding="same", activation="relu")(x)
        y = L.Conv2D(8, 3, padding="same")(y)
        x = L.ReLU()(L.Add()([x, y]))
    x = L.Dense(5)(L.GlobalAveragePooling2D()(x))
    return seeded(keras.Model(i, x)), [(1, 16, 16, 8)]


@model(*WAYS)
def mobilenet_v2():
    return seeded(keras.applications.MobileNetV2((64, 64, 3), alpha=0.35, weights=None,
                                                 classes=20)), [(1, 64, 64, 3)]


@model("float", "dynamic", "int8")
def mobilenet_v3():
    return seeded(keras.applications.MobileNetV3Small((64, 64, 3), weights=None, classes=20,
                                                      minimalistic=False)), [(1, 64, 64, 3)]


@model("float", "int8")
def efficientnet():
    return seeded(keras.applications.EfficientNetV2B0(
        weights=None, input_shape=(64, 64, 3), classes=10)), [(1, 64, 64, 3)]


@model("float", "int8")
def densenet():
    return seeded(keras.applications.DenseNet121(
        weights=None, input_shape=(32, 32, 3), classes=10)), [(1, 32, 32, 3)]


@model("float", "int8")
def unet():
    i = keras.Input((32, 32, 3), batch_size=1)
    a = L.Conv2D(8, 3, padding="same", activation="relu")(i)
    b = L.Conv2D(16, 3, strides=2, padding="same", activation="relu")(a)
    c = L.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu")(b)
    d = L.Concatenate()([a, c])
    e = L.UpSampling2D(2, interpolation="bilinear")(d)
    return seeded(keras.Model(i, L.Conv2D(2, 1, activation="sigmoid")(e))), [(1, 32, 32, 3)]


@model("float", "float16", "dynamic", "int8")
def attention():
    i = keras.Input((12, 16), batch_size=1)
    x = L.MultiHeadAttention(2, 8)(i, i)
    x = L.LayerNormalization()(L.Add()([x, i]))
    y = L.Dense(32, activation="gelu")(x)
    y = L.Dense(16)(y)
    x = L.LayerNormalization()(L.Add()([x, y]))
    return seeded(keras.Model(i, x)), [(1, 12, 16)]


@model("float", "dynamic", "int8")
def separable_1d():
    return sequential((32, 6), L.SeparableConv1D(8, 3, activation="elu"), L.MaxPool1D(2),
                      L.Conv1D(8, 3, padding="causal", dilation_rate=2), L.PReLU(),
                      L.GlobalMaxPooling1D(), L.Dense(4))


# ----------------------------------------------------------------------------------- recurrent

def recurrent(library, *layers, shape=(10, 32)):
    # Large enough for the converter, which leaves small weights as floats.
    built = library.Sequential([library.layers.InputLayer(shape, batch_size=1), *layers])
    return seeded(built), [(1, *shape)]


@model("float", "float16", "dynamic", "int8")
def lstm_fused():
    """A Keras 2 LSTM, which the converter makes one operator of."""
    return recurrent(tf_keras, tf_keras.layers.LSTM(32, return_sequences=True),
                     tf_keras.layers.LSTM(24), tf_keras.layers.Dense(4))


@model("float", "float16", "dynamic")
def lstm_loop():
    """A Keras 3 LSTM, which becomes a WHILE."""
    return recurrent(keras, L.LSTM(32, return_sequences=True), L.LSTM(24), L.Dense(4))


@model("float", "dynamic", "int8")
def lstm_unrolled():
    return recurrent(keras, L.LSTM(32, unroll=True), L.Dense(4))


@model("float", "float16", "dynamic")
def gru_loop():
    return recurrent(keras, L.GRU(32, return_sequences=True), L.GRU(24), L.Dense(4))


@model("float", "dynamic")
def gru_fused():
    return recurrent(tf_keras, tf_keras.layers.GRU(32), tf_keras.layers.Dense(4))


@model("float", "dynamic")
def bidirectional():
    return recurrent(keras, L.Bidirectional(L.LSTM(32)), L.Dense(4))


@model("float", "dynamic", "int8")
def bidirectional_fused():
    layers = tf_keras.layers
    return recurrent(tf_keras, layers.Bidirectional(layers.LSTM(32, return_sequences=True)),
                     layers.Dense(4))


@model("float", "dynamic")
def simple_rnn():
    return recurrent(keras, L.SimpleRNN(40), L.Dense(4))


# ---------------------------------------------------------------------------- single operators

def const(shape, seed=5):
    return tf.constant(np.random.default_rng(seed).standard_normal(shape), F32)


def operator(name, shapes, function, *ways):
    for way in ways or ["float"]:
        MODELS[f"{name}-{way}"] = lambda way=way: convert(function, shapes, way=way)


def spec(shape, dtype):
    return tf.TensorSpec(shape, dtype)


INT32, INT64 = tf.int32, tf.int64
operator("gelu", [(4, 33)], tf.nn.gelu, "float", "int8")
operator("gelu_tanh", [(4, 33)], lambda x: tf.nn.gelu(x, approximate=True), "float", "int8")
operator("conv_3d", [(1, 5, 6, 7, 3)],
         lambda x: tf.nn.conv3d(x, const((2, 3, 3, 3, 4)), (1, 1, 2, 1, 1), "SAME"), "float")
operator("conv_3d_dilated", [(1, 6, 7, 7, 3)],
         lambda x: tf.nn.conv3d(x, const((2, 2, 2, 3, 4)), (1, 1, 1, 1, 1), "VALID",
                                dilations=(1, 1, 2, 2, 1)), "float")
operator("conv_3d_transpose", [(1, 3, 4, 4, 3)],
         lambda x: tf.nn.conv3d_transpose(x, const((2, 2, 2, 5, 3)), (1, 6, 8, 8, 5),
                                          (1, 2, 2, 2, 1)), "float")
operator("shrink", [(3, 5, 4)], lambda x: x[-1:, 1:4, :2] + x[-1, 0] [None, None, :2], "float",
         "int8")
operator("shrink_last", [(3, 5)], lambda x: x[:, -1] * 2.0, "float", "int8")
operator("new_axis", [(3, 5)], lambda x: x[:, tf.newaxis, ..., 1:] * 2.0, "float")
operator("sign", [(40,)], tf.sign)
operator("round", [(40,)], lambda x: tf.round(x * 4))
operator("cumsum", [(3, 7)], lambda x: tf.cumsum(x, 1))
operator("cumsum_exclusive", [(3, 7)], lambda x: tf.cumsum(x, 0, exclusive=True, reverse=True))
operator("one_hot", [spec((5,), INT32)], lambda x: tf.one_hot(x, 4, 2.0, -1.0))
operator("gather_batch", [(2, 5, 3), spec((2, 4), INT32)],
         lambda x, i: tf.gather(x, tf.clip_by_value(i, 0, 4), batch_dims=1))
operator("where", [(3, 4), (3, 4)], lambda x, y: tf.where(x > y, x, y * 2))
operator("scatter_nd", [(3, 4)],
         lambda x: tf.scatter_nd(tf.constant([[4], [0], [2]]), x, (6, 4)))
operator("reverse_sequence", [(2, 6, 3)],
         lambda x: tf.reverse_sequence(x, tf.constant([4, 6]), 1, 0))
operator("atan2", [(30,), (30,)], tf.atan2)
operator("floor_mod", [(30,)], lambda x: tf.math.floormod(x * 8, 3.0))
operator("segment_sum", [(5, 3)],
         lambda x: tf.math.segment_sum(x, tf.constant([0, 0, 1, 2, 2])))
operator("unsorted_segments", [(5, 3)],
         lambda x: (tf.math.unsorted_segment_sum(x, tf.constant([2, 0, 1, 2, 0]), 3),
                    tf.math.unsorted_segment_max(x, tf.constant([2, 0, 1, 2, 0]), 3)))
operator("matrix_diag", [(4,), (4, 4)],
         lambda x, y: (tf.linalg.diag(x), tf.linalg.set_diag(y, x)))
operator("sparse_to_dense", [(3,)],
         lambda x: tf.raw_ops.SparseToDense(sparse_indices=tf.constant([0, 2, 5]),
                                            output_shape=tf.constant([7]), sparse_values=x,
                                            default_value=0.5))
operator("bitwise", [spec((6,), INT32), spec((6,), INT32)],
         lambda x, y: (tf.bitwise.bitwise_xor(x, y), tf.bitwise.right_shift(x, y)))
operator("bucketize", [(20,)],
         lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[-0.5, 0.0, 0.25]))
operator("nms", [(20, 4), (20,)],
         lambda b, s: tf.image.non_max_suppression_padded(
             b, s, 6, pad_to_max_output_size=True, iou_threshold=0.5))
operator("rfft2d", [(2, 8, 8)], lambda x: tf.abs(tf.signal.rfft2d(x)))
operator("spectrogram", [(1, 1600)], lambda x: tf.abs(tf.signal.stft(x, 400, 160, 512)))
operator("pool_same", [(1, 7, 7, 3)],
         lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME") + tf.nn.max_pool2d(x, 3, 2, "SAME"),
         "float", "int8", "int16x8")
operator("argmax_int64", [(4, 9)], lambda x: (tf.argmax(x, -1), tf.argmin(x, 0)))
operator("topk", [(3, 12)], lambda x: tf.math.top_k(x, 4))
operator("leaky_relu", [(4, 33)], lambda x: tf.nn.leaky_relu(x, 0.3), "float", "int8", "int16x8")
operator("squared_difference", [(4, 9), (4, 9)], tf.math.squared_difference, "float", "int8")
operator("batch_matmul", [(2, 4, 6), (2, 6, 5)], tf.matmul, "float", "int8", "int16x8")
operator("concat", [(2, 4), (2, 5)], lambda x, y: tf.concat([x, y * 3], 1), "float", "int8",
         "int16x8")
operator("resize", [(1, 6, 6, 2)],
         lambda x: (tf.image.resize(x, (9, 11)), tf.image.resize(x, (3, 4), "nearest")),
         "float", "int8", "int16x8")
operator("reduce", [(2, 5, 6)],
         lambda x: (tf.reduce_max(x, 1), tf.reduce_sum(x, [0, 2]), tf.reduce_mean(x, 2),
                    tf.reduce_prod(x, 1)), "float", "int8")
operator("activations", [(4, 33)],
         lambda x: (tf.nn.tanh(x * 3), tf.nn.sigmoid(x * 3), tf.nn.elu(x), tf.nn.relu6(x * 9),
                    tf.nn.softplus(x), tf.nn.swish(x)), "float", "int8")
operator("softmaxes", [(4, 33)], lambda x: (tf.nn.softmax(x * 4), tf.nn.log_softmax(x)),
         "float", "int8")
operator("softmax", [(4, 33)], lambda x: tf.nn.softmax(x * 4), "int16x8")
operator("sigmoids", [(4, 33)], lambda x: (tf.nn.tanh(x * 3), tf.nn.sigmoid(x * 3)), "int16x8")
operator("divisions", [(4, 9), (4, 9)],
         lambda x, y: (x / (y + 2.0), tf.math.rsqrt(y + 2.0), tf.sqrt(x + 2.0), tf.pow(y + 2.0, x),
                       tf.exp(x), tf.math.log(y + 2.0)), "float", "int8")
operator("relus", [(4, 33)], lambda x: tf.nn.relu(x), "float", "int8", "int16x8")
operator("pads", [(2, 5, 3)],
         lambda x: (tf.pad(x, [[0, 0], [1, 2], [0, 1]]),
                    tf.pad(x, [[0, 0], [1, 2], [0, 0]], "REFLECT"),
                    tf.pad(x, [[0, 0], [1, 2], [0, 0]], constant_values=1.0)),
         "float", "int8")
operator("transposes", [(2, 3, 4, 5)],
         lambda x: (tf.transpose(x, (0, 3, 1, 2)), tf.reverse(x, [1]),
                    tf.tile(x, (1, 2, 1, 1)), tf.space_to_batch(x[:, :2, :4], (2, 2),
                                                                [[0, 0], [0, 0]])),
         "float", "int8")
operator("logic", [spec((4, 5), INT32), spec((4, 5), INT32)],
         lambda x, y: (x + y, x * y, x // (y * y + 1), x % (y * y + 1), tf.maximum(x, y),
                       tf.cast(x > y, INT32), tf.reduce_any(x > y, 1)))
operator("broadcast", [(1, 5), (4, 1)],
         lambda x, y: (x + y, x * y, x - y, tf.broadcast_to(x, (3, 5))), "float", "int8",
         "int16x8")
operator("einsum", [(2, 4, 6), (2, 5, 6)], lambda x, y: tf.einsum("bik,bjk->bij", x, y), "float")
operator("embedding", [spec((1, 7), INT32)],
         lambda i: tf.reduce_mean(tf.nn.embedding_lookup(const((20, 6)),
                                                         tf.clip_by_value(i, 0, 19)), 1),
         "float")


@model()
def condition():
    """A branch that only passes its input through, and one with operations."""
    def call(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: x * 2.0 + 1.0)
    return convert(call, [(3, 4)])


@model()
def loop():
    def call(x):
        return tf.while_loop(lambda i, v, k: i < 5, lambda i, v, k: (i + 1, v * 0.5 + k, k),
                             (tf.constant(0), x, x))[1]
    return convert(call, [(3, 4)])


@model()
def variables():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.total = tf.Variable(tf.fill((4,), 2.0))

        def __call__(self, x):
            self.total.assign(self.total * 0.5 + x)
            return self.total + 1.0
    return convert(Counter(), [(4,)], way="variables")


@model()
def sparse():
    built, shapes = sequential((64,), L.Dense(64, activation="relu"), L.Dense(16))
    weights = built.get_weights()
    mask = np.zeros((64, 64), np.float32)
    mask[::4] = 1
    weights[0] *= np.kron((np.random.default_rng(1).random((16, 64)) > 0.8), np.ones((4, 1)))
    built.set_weights(weights)
    return convert(built, shapes, way="sparse")


@model()
def detection():
    """TFLite_Detection_PostProcess, as the object detection API makes it."""
    boxes, classes = 30, 5
    anchors = np.random.default_rng(2).random((boxes, 4)).astype(np.float32) * 0.8 + 0.1
    attributes = " ".join([
        "name: 'TFLite_Detection_PostProcess'",
        "attr { key: 'max_detections' value { i: 10 } }",
        "attr { key: 'max_classes_per_detection' value { i: 1 } }",
        "attr { key: 'detections_per_class' value { i: 100 } }",
        "attr { key: 'use_regular_nms' value { b: false } }",
        "attr { key: 'nms_score_threshold' value { f: 0.1 } }",
        "attr { key: 'nms_iou_threshold' value { f: 0.6 } }",
        "attr { key: 'y_scale' value { f: 10.0 } }", "attr { key: 'x_scale' value { f: 10.0 } }",
        "attr { key: 'h_scale' value { f: 5.0 } }", "attr { key: 'w_scale' value { f: 5.0 } }",
        f"attr {{ key: 'num_classes' value {{ i: {classes} }} }}"])

    @tf.function(experimental_implements=attributes)
    def post(b, s, a):
        return (tf.zeros((1, 10, 4)), tf.zeros((1, 10)), tf.zeros((1, 10)), tf.zeros((1,)))

    def call(b, s):
        return post(b, tf.nn.sigmoid(s * 3), tf.constant(anchors))
    holder = tf.Module()
    concrete = tf.function(call).get_concrete_function(
        tf.TensorSpec((1, boxes, 4)), tf.TensorSpec((1, boxes, classes + 1)))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete], holder)
    converter.allow_custom_ops = True
    return converter.convert()


@model()
def dynamic_shape():
    """A batch that only the run states."""
    built = seeded(keras.Sequential([keras.Input((8, 8, 2)), L.Conv2D(4, 3, activation="relu"),
                                     L.GlobalAveragePooling2D(), L.Dense(3)]))
    return convert(built, [(None, 8, 8, 2)])


def make(name, function, path):
    """Converts one model. Return: the exit status."""
    try:
        data = function()
        temporary = path.with_suffix(".part")
        temporary.write_bytes(data)
        temporary.rename(path)
        return 0
    except Exception as error:
        text = str(error).strip().splitlines() or [type(error).__name__]
        print(f"{name}: not converted: {text[0][:150]}", flush=True)
        if os.environ.get("TRACE"):
            traceback.print_exc()
        return 1


def main():
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, function in MODELS.items():
        path = to / f"{name}.tflite"
        if path.exists() or (sys.argv[2:] and not any(name.startswith(n) for n in sys.argv[2:])):
            continue
        # The converter may crash, and keeps much memory: each model has a process of its own. The
        # parent never runs an operator, so that it has no threads that a fork would lose.
        child = os.fork()
        if not child:
            os._exit(make(name, function, path))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            failed += 1
            if status < 0:
                print(f"{name}: the converter crashed (signal {-status})", flush=True)
    print(f"{len(list(to.glob('*.tflite')))} models, {failed} not converted")


if __name__ == "__main__":
    main()
