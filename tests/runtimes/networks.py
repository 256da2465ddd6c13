#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
networks: whole networks as ONNX models, the way exporters of PyTorch write them, with random weights.

    networks.py FOLDER [NAME...]        with the packages onnx, onnxruntime and numpy

NAME.onnx is in float, NAME-half.onnx in float16, NAME-qdq.onnx quantised by onnxruntime.quantization. Axes that are
called "batch", "sequence" or "frames" are open. Widths and depths are smaller than those of the families where these
would take long; what counts is the operators and how they hang together. Numbers come from a generator with a seed.
"""
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

F = np.float32
# What an open axis is while a network is calibrated.
SIZES = {"batch": 1, "sequence": 24, "frames": 100}


class Net:
    """A graph under construction. A value is its name."""

    def __init__(self, name, opset=17, of=F):
        self.name, self.opset, self.of = name, opset, of
        self.random = np.random.default_rng(sum(map(ord, name)))
        self.nodes, self.constants, self.inputs, self.outputs, self.count = [], {}, [], [], 0

    def op(self, kind, *inputs, outputs=1, **attributes):
        self.count += 1
        names = ["%s_%d_%d" % (kind.lower(), self.count, i) for i in range(outputs)]
        inputs = [self.constant(i) if isinstance(i, np.ndarray) else i for i in inputs]
        self.nodes.append(helper.make_node(kind, inputs, names, names[0], **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, array, keep=False):
        """A constant; floats have the type of the network, unless the operator wants float."""
        name = "c%d" % len(self.constants)
        self.constants[name] = array.astype(self.of) if array.dtype == F and not keep else array
        return name

    def input(self, name, shape, of=None):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(of or self.of))
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value, name="output"):
        self.nodes.append(helper.make_node("Identity", [value], [name], name))
        self.outputs.append(name)

    def weights(self, *shape, fan=None, gain=1.0):
        fan = fan or int(np.prod(shape[1:]))
        return self.random.normal(0, gain / math.sqrt(fan), shape).astype(F)

    def bias(self, count):
        return self.random.normal(0, 0.05, count).astype(F)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs,
                                  [helper.make_empty_tensor_value_info(o) for o in self.outputs],
                                  [numpy_helper.from_array(v, k) for k, v in self.constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True)

    # -------------------------------------------------------------------------------------------- images

    def conv(self, x, i, o, kernel=3, stride=1, group=1, act="Relu", gain=1.4):
        x = self.op("Conv", x, self.weights(o, i // group, kernel, kernel, gain=gain), self.bias(o),
                    kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=group,
                    dilations=[1, 1])
        return self.act(x, act)

    def act(self, x, act):
        if act == "Relu6":
            return self.op("Clip", x, np.array(0, F), np.array(6, F))
        if act == "Silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        if act == "HardSwish" and self.opset < 14:
            return self.op("Mul", x, self.op("HardSigmoid", x, alpha=1 / 6, beta=0.5))
        return self.op(act, x) if act else x

    def squeeze_excite(self, x, c, inner, gate, act="Relu"):
        s = self.op("GlobalAveragePool", x)
        s = self.conv(self.conv(s, c, inner, 1, act=act), inner, c, 1, act=None)
        return self.op("Mul", x, self.op("HardSigmoid", s, alpha=1 / 6, beta=0.5) if gate else self.op("Sigmoid", s))

    def inverted(self, x, i, o, stride, expand, kernel=3, act="Relu6", squeeze=None):
        y = self.conv(x, i, i * expand, 1, act=act) if expand > 1 else x
        y = self.conv(y, i * expand, i * expand, kernel, stride, i * expand, act)
        if squeeze:
            y = self.squeeze_excite(y, i * expand, max(8, i * expand // 4), *squeeze)
        y = self.conv(y, i * expand, o, 1, act=None, gain=1)
        return self.op("Add", x, y) if stride == 1 and i == o else y

    def classes(self, x, c, count=1000):
        x = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        self.output(self.op("Gemm", x, self.weights(count, c, gain=3), self.bias(count), transB=1))

    # ---------------------------------------------------------------------------------------------- text

    def norm(self, x, width):
        scale, bias = (1 + self.bias(width)), self.bias(width)
        if self.opset >= 17:
            return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
        d = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        v = self.op("ReduceMean", self.op("Pow", d, np.array(2, F)), axes=[-1])
        d = self.op("Div", d, self.op("Sqrt", self.op("Add", v, np.array(1e-5, F))))
        return self.op("Add", self.op("Mul", d, scale), bias)

    def linear(self, x, i, o, gain=1.0):
        return self.op("Add", self.op("MatMul", x, self.weights(i, o, fan=i, gain=gain)), self.bias(o))

    def gelu(self, x):
        y = self.op("Erf", self.op("Div", x, np.array(math.sqrt(2), F)))
        y = self.op("Mul", x, self.op("Add", y, np.array(1, F)))
        return self.op("Mul", y, np.array(0.5, F))

    def size(self, x, axis):
        shape = self.op("Shape", x)
        return self.op("Unsqueeze", self.op("Gather", shape, np.array(axis), axis=0), np.array([0]))

    def heads(self, x, heads, width, order):
        """[batch, n, width] as [batch, heads, n, width / heads], in an order."""
        shape = self.op("Concat", self.size(x, 0), self.size(x, 1), np.array([heads]), np.array([width // heads]),
                        axis=0)
        return self.op("Transpose", self.op("Reshape", x, shape), perm=order)

    def attention(self, x, heads, width, mask=None):
        q, k, v = (self.linear(x, width, width) for _ in range(3))
        q, v = (self.heads(t, heads, width, [0, 2, 1, 3]) for t in (q, v))
        k = self.heads(k, heads, width, [0, 2, 3, 1])
        scores = self.op("Div", self.op("MatMul", q, k), np.array(math.sqrt(width // heads), F))
        if mask:
            scores = self.op("Add", scores, mask)
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        shape = self.op("Concat", self.size(y, 0), self.size(y, 1), np.array([width]), axis=0)
        return self.linear(self.op("Reshape", y, shape), width, width, 0.5)

    def block(self, x, heads, width, before=True, mask=None):
        """A layer of a transformer."""
        def feed(t):
            return self.linear(self.gelu(self.linear(t, width, 4 * width)), 4 * width, width, 0.5)
        if before:
            x = self.op("Add", x, self.attention(self.norm(x, width), heads, width, mask))
            return self.op("Add", x, feed(self.norm(x, width)))
        x = self.norm(self.op("Add", x, self.attention(x, heads, width, mask)), width)
        return self.norm(self.op("Add", x, feed(x)), width)


def mobilenet_v1(n):
    x = n.conv(n.input("image", ["batch", 3, 128, 128]), 3, 16, 3, 2)
    c = 16
    for o, stride in (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (256, 1), (512, 2), (512, 1):
        x = n.conv(n.conv(x, c, c, 3, stride, c), c, o, 1)
        c = o
    n.classes(x, c)


def mobilenet_v2(n):
    x, c = n.conv(n.input("image", ["batch", 3, 128, 128]), 3, 32, 3, 2, act="Relu6"), 32
    for expand, o, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 3, 2), (6, 96, 2, 1),
                                     (6, 160, 2, 2), (6, 320, 1, 1)):
        for i in range(count):
            x, c = n.inverted(x, c, o, 1 if i else stride, expand), o
    n.classes(n.conv(x, c, 1280, 1, act="Relu6"), 1280)


def mobilenet_v3(n):
    x, c = n.conv(n.input("image", [1, 3, 128, 128]), 3, 16, 3, 2, act="HardSwish"), 16
    for kernel, expand, o, squeeze, act, stride in (
            (3, 1, 16, (True,), "Relu", 2), (3, 4, 24, None, "Relu", 2), (3, 3, 24, None, "Relu", 1),
            (5, 4, 40, (True,), "HardSwish", 2), (5, 6, 40, (True,), "HardSwish", 1),
            (5, 3, 48, (True,), "HardSwish", 1), (5, 6, 96, (True,), "HardSwish", 2),
            (5, 6, 96, (True,), "HardSwish", 1)):
        x, c = n.inverted(x, c, o, stride, expand, kernel, act, squeeze), o
    n.classes(n.conv(x, c, 576, 1, act="HardSwish"), 576)


def efficientnet(n):
    x, c = n.conv(n.input("image", ["batch", 3, 128, 128]), 3, 32, 3, 2, act="Silu"), 32
    for kernel, expand, o, count, stride in ((3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (5, 6, 40, 2, 2), (3, 6, 80, 2, 2),
                                             (5, 6, 112, 2, 1), (5, 6, 192, 2, 2)):
        for i in range(count):
            x, c = n.inverted(x, c, o, 1 if i else stride, expand, kernel, "Silu", (False, "Silu")), o
    n.classes(n.conv(x, c, 640, 1, act="Silu"), 640)


def resnet(n, deep):
    x = n.conv(n.input("image", ["batch", 3, 128, 128]), 3, 64, 7, 2)
    x, c = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), 64
    for stage, count in enumerate((3, 4, 6, 3) if deep else (2, 2, 2, 2)):
        width = 64 << stage
        o = width * 4 if deep else width
        for i in range(count):
            stride = 2 if stage and not i else 1
            if deep:
                y = n.conv(n.conv(x, c, width, 1), width, width, 3, stride)
                y = n.conv(y, width, o, 1, act=None, gain=0.7)
            else:
                y = n.conv(n.conv(x, c, width, 3, stride), width, o, 3, act=None, gain=0.7)
            short = n.conv(x, c, o, 1, stride, act=None, gain=1) if c != o or stride > 1 else x
            x, c = n.op("Relu", n.op("Add", y, short)), o
    n.classes(x, c)


def resnet18(n):
    resnet(n, False)


def resnet50(n):
    resnet(n, True)


def squeezenet(n):
    x, c = n.conv(n.input("image", ["batch", 3, 128, 128]), 3, 64, 3, 2), 64
    for number, (inner, o) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (64, 256))):
        if number in (0, 2, 4):
            x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
        x = n.conv(x, c, inner, 1)
        x, c = n.op("Concat", n.conv(x, inner, o, 1), n.conv(x, inner, o, 3), axis=1), 2 * o
    x = n.op("GlobalAveragePool", n.conv(x, c, 1000, 1))
    n.output(n.op("Flatten", x, axis=1))


def shufflenet(n):
    x, c = n.conv(n.input("image", [1, 3, 128, 128]), 3, 24, 3, 2), 24
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    size = 32
    for o, count in (116, 3), (232, 5), (464, 3):
        for i in range(count):
            half = o // 2
            if i:
                left, right = n.op("Split", x, np.array([half, half]), outputs=2, axis=1)
            else:
                left = n.conv(n.conv(x, c, c, 3, 2, c, None), c, half, 1)
                right, size = x, size // 2
            right = n.conv(right, half if i else c, half, 1)
            right = n.conv(n.conv(right, half, half, 3, 1 if i else 2, half, None), half, half, 1)
            x, c = n.op("Concat", left, right, axis=1), o
            x = n.op("Reshape", x, np.array([1, 2, half, size, size]))
            x = n.op("Transpose", x, perm=[0, 2, 1, 3, 4])
            x = n.op("Reshape", x, np.array([1, o, size, size]))
    n.classes(n.conv(x, c, 512, 1), 512)


def densenet(n):
    x, c = n.conv(n.input("image", ["batch", 3, 96, 96]), 3, 32, 7, 2), 32
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for stage in range(3):
        for _ in range(4):
            y = n.op("BatchNormalization", x, 1 + n.bias(c), n.bias(c), n.bias(c), 1 + np.abs(n.bias(c)))
            y = n.conv(n.conv(n.op("Relu", y), c, 64, 1), 64, 16, 3, act=None)
            x, c = n.op("Concat", x, y, axis=1), c + 16
        if stage < 2:
            x, c = n.conv(x, c, c // 2, 1), c // 2
            x = n.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    n.classes(x, c)


def convnext(n):
    x, c = n.input("image", ["batch", 3, 96, 96]), 48
    x = n.op("Conv", x, n.weights(c, 3, 4, 4), n.bias(c), kernel_shape=[4, 4], strides=[4, 4])

    def norm(t, width):
        t = n.norm(n.op("Transpose", t, perm=[0, 2, 3, 1]), width)
        return n.op("Transpose", t, perm=[0, 3, 1, 2])
    x = norm(x, c)
    for stage in range(3):
        if stage:
            x = n.op("Conv", norm(x, c), n.weights(2 * c, c, 2, 2), n.bias(2 * c), kernel_shape=[2, 2], strides=[2, 2])
            c *= 2
        for _ in range(2):
            y = n.conv(x, c, c, 7, group=c, act=None)
            y = n.norm(n.op("Transpose", y, perm=[0, 2, 3, 1]), c)
            y = n.linear(n.gelu(n.linear(y, c, 4 * c)), 4 * c, c)
            y = n.op("Mul", y, n.bias(c) + F(0.5))
            x = n.op("Add", x, n.op("Transpose", y, perm=[0, 3, 1, 2]))
    x = n.op("Flatten", n.op("GlobalAveragePool", x), axis=1)
    n.output(n.op("Gemm", n.norm(x, c), n.weights(100, c, gain=3), n.bias(100), transB=1))


def yolo(n):
    def repeat(x, i, o, count):
        x = n.conv(x, i, o, 1, act="Silu")
        parts = list(n.op("Split", x, np.array([o // 2, o // 2]), outputs=2, axis=1))
        for _ in range(count):
            y = n.conv(n.conv(parts[-1], o // 2, o // 2, act="Silu"), o // 2, o // 2, act="Silu")
            parts.append(n.op("Add", parts[-1], y))
        return n.conv(n.op("Concat", *parts, axis=1), o // 2 * len(parts), o, 1, act="Silu")

    def double(x):
        return n.op("Resize", x, "", n.constant(np.array([1, 1, 2, 2], F), True), mode="nearest", nearest_mode="floor",
                    coordinate_transformation_mode="asymmetric")
    w, classes = 16, 20
    x = n.conv(n.conv(n.input("images", ["batch", 3, 160, 160]), 3, w, 3, 2, act="Silu"), w, 2 * w, 3, 2, act="Silu")
    x = n.conv(repeat(x, 2 * w, 2 * w, 1), 2 * w, 4 * w, 3, 2, act="Silu")
    a = repeat(x, 4 * w, 4 * w, 2)
    b = repeat(n.conv(a, 4 * w, 8 * w, 3, 2, act="Silu"), 8 * w, 8 * w, 2)
    x = repeat(n.conv(b, 8 * w, 16 * w, 3, 2, act="Silu"), 16 * w, 16 * w, 1)
    pools = [n.conv(x, 16 * w, 8 * w, 1, act="Silu")]
    for _ in range(3):
        pools.append(n.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    c = n.conv(n.op("Concat", *pools, axis=1), 32 * w, 16 * w, 1, act="Silu")
    b = repeat(n.op("Concat", double(c), b, axis=1), 24 * w, 8 * w, 1)
    a = repeat(n.op("Concat", double(b), a, axis=1), 12 * w, 4 * w, 1)
    b = repeat(n.op("Concat", n.conv(a, 4 * w, 4 * w, 3, 2, act="Silu"), b, axis=1), 12 * w, 8 * w, 1)
    c = repeat(n.op("Concat", n.conv(b, 8 * w, 8 * w, 3, 2, act="Silu"), c, axis=1), 24 * w, 16 * w, 1)
    boxes, scores = [], []
    for x, width in (a, 4 * w), (b, 8 * w), (c, 16 * w):
        t = n.conv(n.conv(x, width, 32, act="Silu"), 32, 64, 1, act=None)
        s = n.conv(n.conv(x, width, 32, act="Silu"), 32, classes, 1, act=None)
        boxes.append(n.op("Reshape", t, n.op("Concat", n.size(t, 0), np.array([64, -1]), axis=0)))
        scores.append(n.op("Reshape", s, n.op("Concat", n.size(s, 0), np.array([classes, -1]), axis=0)))
    t = n.op("Concat", *boxes, axis=2)
    cells = 20 * 20 + 10 * 10 + 5 * 5
    t = n.op("Reshape", t, n.op("Concat", n.size(t, 0), np.array([4, 16, cells]), axis=0))
    t = n.op("Softmax", n.op("Transpose", t, perm=[0, 2, 1, 3]), axis=1)
    t = n.op("Conv", t, np.arange(16, dtype=F).reshape(1, 16, 1, 1), kernel_shape=[1, 1])
    t = n.op("Reshape", t, n.op("Concat", n.size(t, 0), np.array([4, cells]), axis=0))
    low = n.op("Slice", t, np.array([0]), np.array([2]), np.array([1]))
    high = n.op("Slice", t, np.array([2]), np.array([4]), np.array([1]))
    grid = n.random.uniform(0, 20, (1, 2, cells)).astype(F)
    low, high = n.op("Sub", grid, low), n.op("Add", grid, high)
    middle = n.op("Div", n.op("Add", low, high), np.array(2, F))
    t = n.op("Mul", n.op("Concat", middle, n.op("Sub", high, low), axis=1), np.array(8, F))
    n.output(n.op("Concat", t, n.op("Sigmoid", n.op("Concat", *scores, axis=2)), axis=1))


def unet(n):
    x, c, left = n.input("image", ["batch", 3, 96, 96]), 3, []
    for o in 16, 32, 64:
        x, c = n.conv(n.conv(x, c, o), o, o), o
        left.append((x, c))
        x = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x, c = n.conv(n.conv(x, c, 128), 128, 128), 128
    for skip, o in reversed(left):
        x = n.op("ConvTranspose", x, n.weights(c, o, 2, 2, fan=c), n.bias(o), kernel_shape=[2, 2], strides=[2, 2])
        x, c = n.conv(n.conv(n.op("Concat", x, skip, axis=1), 2 * o, o), o, o), o
    n.output(n.op("Sigmoid", n.conv(x, c, 2, 1, act=None)))


def vit(n, width=192, depth=6):
    x = n.input("image", ["batch", 3, 96, 96])
    x = n.op("Conv", x, n.weights(width, 3, 16, 16), n.bias(width), kernel_shape=[16, 16], strides=[16, 16])
    x = n.op("Reshape", x, n.op("Concat", n.size(x, 0), np.array([width, -1]), axis=0))
    x = n.op("Transpose", x, perm=[0, 2, 1])
    first = n.op("Expand", n.weights(1, 1, width, fan=4), n.op("Concat", n.size(x, 0), np.array([1, width]), axis=0))
    x = n.op("Add", n.op("Concat", first, x, axis=1), n.weights(1, 37, width, fan=4))
    for _ in range(depth):
        x = n.block(x, 3, width)
    x = n.op("Gather", n.norm(x, width), np.array(0), axis=1)
    n.output(n.op("Gemm", x, n.weights(1000, width, gain=3), n.bias(1000), transB=1))


def mixer(n, width=128, tokens=36):
    x = n.input("image", ["batch", 3, 96, 96])
    x = n.op("Conv", x, n.weights(width, 3, 16, 16), n.bias(width), kernel_shape=[16, 16], strides=[16, 16])
    x = n.op("Reshape", x, n.op("Concat", n.size(x, 0), np.array([width, -1]), axis=0))
    x = n.op("Transpose", x, perm=[0, 2, 1])
    for _ in range(4):
        y = n.op("Transpose", n.norm(x, width), perm=[0, 2, 1])
        y = n.linear(n.gelu(n.linear(y, tokens, 64)), 64, tokens)
        x = n.op("Add", x, n.op("Transpose", y, perm=[0, 2, 1]))
        x = n.op("Add", x, n.linear(n.gelu(n.linear(n.norm(x, width), width, 512)), 512, width))
    x = n.op("ReduceMean", n.norm(x, width), axes=[1], keepdims=0)
    n.output(n.op("Gemm", x, n.weights(100, width, gain=3), n.bias(100), transB=1))


def bert(n, width=192, depth=4, words=1000):
    ids = n.input("input_ids", ["batch", "sequence"], np.int64)
    mask = n.input("attention_mask", ["batch", "sequence"], np.int64)
    x = n.op("Gather", n.weights(words, width, fan=1), ids, axis=0)
    places = n.op("Slice", n.constant(n.weights(1, 128, width, fan=4)), np.array([0]), n.size(ids, 1), np.array([1]))
    x = n.norm(n.op("Add", x, places), width)
    m = n.op("Unsqueeze", n.op("Unsqueeze", mask, np.array([1])), np.array([2]))
    to = TensorProto.FLOAT16 if n.of == np.float16 else TensorProto.FLOAT
    m = n.op("Sub", np.array(1, F), n.op("Cast", m, to=to))
    m = n.op("Mul", m, np.array(-10000, F))
    for _ in range(depth):
        x = n.block(x, 3, width, False, m)
    first = n.op("Gather", x, np.array(0), axis=1)
    x = n.op("Tanh", n.op("Gemm", first, n.weights(width, width), n.bias(width), transB=1))
    n.output(n.op("Gemm", x, n.weights(8, width, gain=3), n.bias(8), transB=1))


def gpt(n, width=192, depth=4, words=1000):
    ids = n.input("input_ids", ["batch", "sequence"], np.int64)
    table = n.weights(words, width, fan=4)
    x = n.op("Gather", table, ids, axis=0)
    length = n.size(ids, 1)
    x = n.op("Add", x, n.op("Slice", n.constant(n.weights(1, 128, width, fan=4)), np.array([0]), length, np.array([1])))
    causal = np.triu(np.full((1, 1, 128, 128), -10000, F), 1)
    mask = n.op("Slice", n.constant(causal), np.array([0, 0]), n.op("Concat", length, length, axis=0), np.array([2, 3]))
    for _ in range(depth):
        x = n.block(x, 3, width, True, mask)
    n.output(n.op("MatMul", n.norm(x, width), np.ascontiguousarray(table.T)))


def whisper(n, width=192, depth=4):
    """The encoder; its frames are open, too."""
    x = n.input("input_features", ["batch", 80, "frames"])
    for i, stride in (80, 1), (width, 2):
        x = n.gelu(n.op("Conv", x, n.weights(width, i, 3, gain=1.4), n.bias(width), kernel_shape=[3], strides=[stride],
                        pads=[1, 1]))
    x = n.op("Transpose", x, perm=[0, 2, 1])
    x = n.op("Add", x, n.op("Slice", n.constant(n.weights(1, 512, width, fan=4)), np.array([0]), n.size(x, 1),
                            np.array([1])))
    for _ in range(depth):
        x = n.block(x, 3, width)
    n.output(n.norm(x, width))


def keywords(n):
    """Words in sound: convolutions in one dimension."""
    x, c = n.input("sound", ["batch", 40, 98]), 40
    for o, kernel, stride in (64, 9, 1), (64, 9, 2), (96, 9, 1), (96, 9, 2), (128, 9, 1):
        y = n.op("Conv", x, n.weights(c, 1, kernel, gain=1.4), n.bias(c), kernel_shape=[kernel], strides=[stride],
                 pads=[4, 4], group=c)
        y = n.op("Conv", y, n.weights(o, c, 1, gain=1.4), n.bias(o), kernel_shape=[1])
        x, c = n.op("Relu", y), o
    x = n.op("ReduceMean", x, axes=[2], keepdims=0)
    n.output(n.op("Softmax", n.op("Gemm", x, n.weights(12, c, gain=3), n.bias(12), transB=1), axis=-1))


# Of each network: how it is built, and in which forms. Operator set 13 has no LayerNormalization.
NETWORKS = {
    "mobilenet-v1": (mobilenet_v1, 13, ("qdq",)),
    "mobilenet-v2": (mobilenet_v2, 13, ("float", "qdq")),
    "mobilenet-v3": (mobilenet_v3, 17, ("float", "qdq")),
    "efficientnet": (efficientnet, 17, ("float", "qdq")),
    "resnet18": (resnet18, 13, ("float", "qdq")),
    "resnet50": (resnet50, 17, ("float", "qdq")),
    "squeezenet": (squeezenet, 13, ("float", "qdq")),
    "shufflenet": (shufflenet, 17, ("float",)),
    "densenet": (densenet, 13, ("float",)),
    "convnext": (convnext, 17, ("float",)),
    "yolo": (yolo, 17, ("float", "half", "qdq")),
    "unet": (unet, 17, ("float", "qdq")),
    "vit": (vit, 17, ("float", "qdq")),
    "vit-13": (vit, 13, ("float",)),
    "mixer": (mixer, 17, ("float",)),
    "bert": (bert, 17, ("float", "half", "qdq")),
    "bert-13": (bert, 13, ("float",)),
    "gpt": (gpt, 17, ("float",)),
    "whisper-encoder": (whisper, 17, ("float", "qdq")),
    "keywords": (keywords, 17, ("float", "qdq")),
}


def feeds(inputs, sizes, seed):
    """Random inputs: of each (name, shape, whether it is of whole numbers)."""
    random = np.random.default_rng(seed)
    result = {}
    for name, shape, of in inputs:
        shape = [d if isinstance(d, int) else sizes[d] for d in shape]
        if of == np.int64:
            result[name] = (np.ones(shape, of) if name.endswith("mask") else random.integers(0, 1000, shape, of))
            if name.endswith("mask"):
                result[name][:, shape[1] * 3 // 4:] = 0
        else:
            result[name] = random.uniform(-1, 1, shape).astype(of)
    return result


class Reader(CalibrationDataReader):
    def __init__(self, inputs, count=4):
        self.data = iter([feeds(inputs, SIZES, seed) for seed in range(count)])

    def get_next(self):
        return next(self.data, None)


def quantise(model, inputs, to):
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/float.onnx")
        quant_pre_process(f"{folder}/float.onnx", f"{folder}/ready.onnx", skip_symbolic_shape=True)
        quantize_static(f"{folder}/ready.onnx", to, Reader(inputs), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QInt8, weight_type=QuantType.QInt8)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (build, opset, forms) in NETWORKS.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        for form in forms:
            to = folder / f"{name}-{form}.onnx"
            if to.exists():
                continue
            n = Net(name, opset, np.float16 if form == "half" else F)
            build(n)
            model = n.model()
            part = folder / "part"
            if form == "qdq":
                shapes = [(i.name, [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim],
                           helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type).type) for i in n.inputs]
                quantise(model, shapes, str(part))
            else:
                onnx.save(model, str(part))
            part.rename(to)
            print(to.name, len(onnx.load(str(to)).graph.node), "nodes", flush=True)


if __name__ == "__main__":
    main()
