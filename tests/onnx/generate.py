#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/onnx/cases.tar.xz: small ONNX models, their inputs, and what ONNX Runtime computes.

    generate.py FOLDER        with the packages onnx, onnxruntime and numpy

A case is a folder as ONNX' own test data are (onnx_run.c). The name of a case begins with the test
that operator_list.h names for its operator. What ONNX Runtime's CPU provider computes is expected,
with session.x64quantprecision=1: its 8-bit products saturate on some CPUs else. Numbers come from a
generator with a seed.
"""
import io
import lzma
import sys
import tarfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType,
                                      quantize_static)

OPSET = 21
F, H, I, L, B = np.float32, np.float16, np.int32, np.int64, np.bool_
random = np.random.default_rng(38)
cases = {}


def real(*shape, of=F, low=-2.0, high=2.0):
    return random.uniform(low, high, shape).astype(of)


def ints(*values, of=L):
    return np.array(values, of)


def info(name, array, shape=None):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                         array.shape if shape is None else shape)


def save(name, model, inputs):
    """Runs the model, and keeps it with its inputs and outputs."""
    options = ort.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    outputs = session.run(None, inputs)
    assert name not in cases, name
    files = cases[name] = {"model.onnx": model.SerializeToString()}
    for what, values in (("input", inputs.values()), ("output", outputs)):
        for i, value in enumerate(values):
            files[f"test_data_set_0/{what}_{i}.pb"] = \
                numpy_helper.from_array(value).SerializeToString()


def graph(name, nodes, inputs, constants, outputs, opset=OPSET, open_dims=None, keep=True):
    """A model; shapes of outputs are inferred."""
    g = helper.make_graph(
        nodes, name,
        [info(k, v, (open_dims or {}).get(k)) for k, v in inputs.items()],
        [helper.make_empty_tensor_value_info(o) for o in outputs],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    model = helper.make_model(g, opset_imports=[helper.make_opsetid("", opset),
                                                helper.make_opsetid("com.microsoft", 1)],
                              ir_version=10)
    model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    if keep:
        save(name, model, inputs)
    return model


def one(name, op, inputs, constants=(), outputs=1, opset=OPSET, domain="", **attributes):
    """A model of one operator. An input that is None is left out."""
    given = {f"x{i}": v for i, v in enumerate(inputs)}
    fixed = {f"c{i}": v for i, v in enumerate(constants) if v is not None}
    names = list(given) + [f"c{i}" if v is not None else "" for i, v in enumerate(constants)]
    results = [f"y{i}" for i in range(outputs)]
    graph(name, [helper.make_node(op, names, results, domain=domain, **attributes)], given, fixed,
          results, opset)


def convolutions():
    x = real(1, 4, 9, 8)
    one("conv", "Conv", [x], [real(6, 4, 3, 3), real(6)], pads=[1, 1, 1, 1])
    one("conv_13", "Conv", [x], [real(6, 4, 3, 3), real(6)], pads=[1, 1, 1, 1], opset=13)
    one("conv_stride", "Conv", [x], [real(5, 4, 3, 2)], strides=[2, 1], pads=[0, 1, 2, 0])
    one("conv_dilation", "Conv", [x], [real(5, 4, 3, 3)], dilations=[2, 2], pads=[2, 2, 2, 2])
    one("conv_lower", "Conv", [x], [real(5, 4, 2, 2)], auto_pad="SAME_LOWER")
    one("conv_group", "Conv", [x], [real(6, 2, 3, 3), real(6)], group=2)
    one("conv_group_dilation", "Conv", [x], [real(6, 2, 3, 3)], group=2, dilations=[2, 1])
    one("conv_depthwise", "Conv", [x], [real(4, 1, 3, 3), real(4)], group=4, strides=[2, 2])
    one("conv_depthwise_2", "Conv", [x], [real(8, 1, 3, 3)], group=4, dilations=[2, 2])
    one("conv_1d", "Conv", [real(2, 3, 20)], [real(5, 3, 4), real(5)], strides=[2], pads=[1, 2])
    one("conv_1d_depthwise", "Conv", [real(1, 3, 20)], [real(3, 1, 3)], group=3, dilations=[3])
    one("conv_half", "Conv", [x.astype(H)], [real(6, 4, 3, 3, of=H), real(6, of=H)])
    one("conv_transpose", "ConvTranspose", [x], [real(4, 5, 3, 3), real(5)], strides=[2, 2])
    one("conv_transpose_pads", "ConvTranspose", [x], [real(4, 5, 3, 4)], strides=[2, 1],
        pads=[1, 0, 1, 2], output_padding=[1, 0])
    one("conv_transpose_more", "ConvTranspose", [x], [real(4, 5, 2, 2)], strides=[3, 3],
        output_padding=[1, 2])
    one("conv_transpose_group", "ConvTranspose", [x], [real(4, 3, 3, 3), real(6)], group=2)
    one("conv_transpose_dilation", "ConvTranspose", [x], [real(4, 2, 3, 3)], dilations=[2, 2])
    one("conv_transpose_1d", "ConvTranspose", [real(1, 3, 7)], [real(3, 2, 4)], strides=[2],
        pads=[1, 1])


def products():
    a, b = real(3, 5), real(5, 4)
    one("gemm", "Gemm", [a], [b, real(4)])
    one("gemm_turned", "Gemm", [real(5, 3)], [real(4, 5), real(3, 4)], transA=1, transB=1,
        alpha=0.5, beta=2.0)
    one("gemm_row", "Gemm", [a], [real(4, 5), real(1, 4)], transB=1)
    one("gemm_both", "Gemm", [a, b, real(3, 1)])
    one("matmul", "MatMul", [real(2, 3, 5)], [b])
    one("matmul_both", "MatMul", [real(2, 1, 3, 5), real(4, 5, 2)])
    one("matmul_vectors", "MatMul", [real(5), real(5)])
    one("matmul_vector_left", "MatMul", [real(5), real(3, 5, 2)])
    one("matmul_vector_right", "MatMul", [real(3, 2, 5), real(5)])
    one("matmul_half", "MatMul", [real(3, 5, of=H)], [real(5, 4, of=H)])


def pools():
    x = real(1, 3, 9, 8)
    one("max_pool", "MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    one("max_pool_ceil", "MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    one("max_pool_1d", "MaxPool", [real(1, 3, 9)], kernel_shape=[3], auto_pad="SAME_UPPER")
    one("average_pool", "AveragePool", [x], kernel_shape=[3, 2], strides=[2, 2],
        pads=[1, 0, 1, 1])
    one("average_pool_counts", "AveragePool", [x], kernel_shape=[3, 3], pads=[1, 1, 1, 1],
        count_include_pad=1)
    one("average_pool_ceil", "AveragePool", [x], kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1)
    one("global_average_pool", "GlobalAveragePool", [x])
    one("global_average_pool_1d", "GlobalAveragePool", [real(2, 3, 7)])
    one("global_max_pool", "GlobalMaxPool", [x])


def elements():
    a, b = real(2, 3, 4, 5), real(3, 1, 5)
    for op in "Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean":
        one(op.lower(), op, [a, b])
        one(op.lower() + "_half", op, [a.astype(H), b.astype(H)])
    for op in "Add", "Sub", "Mul", "Div", "Max", "Min":
        one(op.lower() + "_int", op, [ints(7, 9, 100, of=I), ints(2, 3, 7, of=I)])
        one(op.lower() + "_long", op, [ints(7, 9, 100), ints(2, 3, 7)])
    one("mod", "Mod", [ints(7, -9, 100, -5), ints(2, 4, -7, -3)])
    one("pow", "Pow", [real(3, 4, low=0.1)], [np.array(1.7, F)])
    one("pow_square", "Pow", [a], [np.array(2, L)])
    one("pow_both", "Pow", [real(3, 4, low=0.1), b[:, 0, :4]])
    one("prelu", "PRelu", [a], [real(3, 1, 1)])
    for op, name in (("Equal", "equal"), ("Greater", "greater"), ("Less", "less"),
                     ("GreaterOrEqual", "greater_equal"), ("LessOrEqual", "less_equal")):
        one(name, op, [ints(1, 2, 3), ints(3, 2, 1)])
        one(name + "_float", op, [a, b])
    one("equal_bool", "Equal", [np.array([True, False]), np.array([True, True])])
    p, q = random.random((2, 3, 4)) > .5, random.random((3, 1)) > .5
    for op in "And", "Or", "Xor":
        one(op.lower(), op, [p, q])
    one("not", "Not", [p])
    one("where", "Where", [p, real(3, 4), real(2, 1, 4)])
    one("where_long", "Where", [ints(1, 0, 1).astype(B), ints(1, 2, 3), ints(4, 5, 6)])


def functions():
    x, positive = real(2, 3, 4, low=-4, high=4), real(2, 3, 4, low=0.1, high=5)
    for op in ("Abs", "Neg", "Ceil", "Floor", "Round", "Sign", "Exp", "Reciprocal", "Sin", "Cos",
               "Erf", "Tanh", "Sigmoid", "Relu", "Elu", "Selu", "Celu", "Softplus", "Softsign",
               "Mish"):
        one(op.lower(), op, [x])
    one("log", "Log", [positive])
    one("sqrt", "Sqrt", [positive])
    one("round_even", "Round", [np.array([.5, 1.5, 2.5, -.5, -1.5, 4e6, 1e9], F)])
    one("abs_long", "Abs", [ints(-3, 0, 5)])
    one("neg_int", "Neg", [ints(-3, 0, 5, of=I)])
    one("sign_long", "Sign", [ints(-3, 0, 5)])
    one("leaky_relu", "LeakyRelu", [x], alpha=0.2)
    one("thresholded_relu", "ThresholdedRelu", [x], alpha=0.7)
    one("hard_sigmoid", "HardSigmoid", [x], alpha=0.3, beta=0.4)
    one("hard_swish", "HardSwish", [x])
    one("gelu", "Gelu", [x])
    one("gelu_tanh", "Gelu", [x], approximate="tanh")
    one("gelu_microsoft", "Gelu", [x], domain="com.microsoft")
    one("clip", "Clip", [x], [np.array(-1, F), np.array(1.5, F)])
    one("clip_6", "Clip", [3 * x], [np.array(0, F), np.array(6, F)])
    one("clip_low", "Clip", [x], [np.array(0, F)])
    one("clip_high", "Clip", [x], [None, np.array(1, F)])
    one("clip_long", "Clip", [ints(-3, 0, 5)], [np.array(-1, L), np.array(2, L)])
    one("sigmoid_half", "Sigmoid", [x.astype(H)])


def norms():
    x = real(2, 6, 4, 5)
    one("softmax", "Softmax", [x])
    one("softmax_1", "Softmax", [x], axis=1)
    one("logsoftmax", "LogSoftmax", [x], axis=2)
    one("batchnorm", "BatchNormalization", [x], [real(6), real(6), real(6),
                                                 real(6, low=.5)], epsilon=1e-3)
    one("batchnorm_2d", "BatchNormalization", [real(3, 4)],
        [real(4), real(4), real(4), real(4, low=.5)])
    one("instancenorm", "InstanceNormalization", [x], [real(6), real(6)])
    one("layer_normalization", "LayerNormalization", [x], [real(5), real(5)])
    one("layer_normalization_2", "LayerNormalization", [x], [real(4, 5)], axis=2, epsilon=1e-3)
    one("lrn", "LRN", [x], size=3, alpha=0.5, beta=0.6, bias=1.5)


def reductions():
    x = real(2, 3, 4, 5, low=0.5)
    for op, name in (("ReduceMean", "reduce_mean"), ("ReduceSum", "reduce_sum"),
                     ("ReduceMax", "reduce_max"), ("ReduceMin", "reduce_min"),
                     ("ReduceProd", "reduce_prod"), ("ReduceL1", "reduce_l1"),
                     ("ReduceL2", "reduce_l2"), ("ReduceLogSum", "reduce_log_sum"),
                     ("ReduceLogSumExp", "reduce_log_sum_exp"),
                     ("ReduceSumSquare", "reduce_sum_square")):
        one(name, op, [x], [ints(1, -1)])
        one(name + "_gone", op, [x], [ints(2)], keepdims=0)
        one(name + "_all", op, [x[0, 0]], keepdims=0)
        if name != "reduce_sum":
            one(name + "_13", op, [x], opset=13, axes=[1, 2])
    one("reduce_sum_none", "ReduceSum", [x], noop_with_empty_axes=1)
    one("reduce_max_int", "ReduceMax", [ints(3, 9, 2, of=I)], [ints(0)])
    one("argmax", "ArgMax", [x], axis=2)
    one("argmax_gone", "ArgMax", [x], axis=1, keepdims=0)
    one("argmin", "ArgMin", [x], axis=-1)
    one("top_k", "TopK", [x], [ints(3)], outputs=2)
    one("top_k_axis", "TopK", [x], [ints(2)], outputs=2, axis=1, largest=0)


def shapes():
    x = real(2, 3, 4, 6)
    one("constantofshape", "ConstantOfShape", [], [ints(2, 3)],
        value=numpy_helper.from_array(np.array([7], F)))
    one("reshape", "Reshape", [x], [ints(0, -1, 6)])
    one("flatten", "Flatten", [x], axis=2)
    one("squeeze", "Squeeze", [real(1, 3, 1, 2)], [ints(0, -2)])
    one("squeeze_all", "Squeeze", [real(1, 3, 1, 2)])
    one("unsqueeze", "Unsqueeze", [real(3, 2)], [ints(0, -1)])
    one("expand", "Expand", [real(3, 1)], [ints(2, 1, 4)])
    one("tile", "Tile", [real(3, 2)], [ints(2, 3)])
    one("transpose", "Transpose", [x], perm=[0, 3, 1, 2])
    one("transpose_reverse", "Transpose", [x])
    one("depthtospace", "DepthToSpace", [real(1, 8, 2, 3)], blocksize=2)
    one("depthtospace_crd", "DepthToSpace", [real(1, 8, 2, 3)], blocksize=2, mode="CRD")
    one("spacetodepth", "SpaceToDepth", [real(1, 2, 4, 6)], blocksize=2)
    one("identity", "Identity", [x])
    one("dropout", "Dropout", [x])
    one("cast", "Cast", [x], to=TensorProto.INT32)
    one("cast_half", "Cast", [x], to=TensorProto.FLOAT16)
    one("cast_bool", "Cast", [ints(0, 3, -1)], to=TensorProto.BOOL)
    one("cast_long", "Cast", [ints(0, 3, -1, of=I)], to=TensorProto.INT64)
    one("shape", "Shape", [x])
    one("shape_part", "Shape", [x], start=1, end=-1)
    one("size", "Size", [x])
    one("range", "Range", [], [np.array(2, L), np.array(11, L), np.array(3, L)])
    n = helper.make_node
    # [batch, h * w] by arithmetic on the shape, as exporters write it.
    graph("shape_arithmetic",
          [n("Shape", ["x"], ["s"]), n("Gather", ["s", "i0"], ["b"]),
           n("Slice", ["s", "i1", "i4", "i0v"], ["hw"]), n("ReduceProd", ["hw"], ["p"], keepdims=0),
           n("Unsqueeze", ["b", "i0v"], ["bv"]), n("Unsqueeze", ["p", "i0v"], ["pv"]),
           n("Concat", ["bv", "pv"], ["t"], axis=0), n("Reshape", ["x", "t"], ["y"])],
          {"x": x}, {"i0": np.array(0, L), "i0v": ints(0), "i1": ints(1), "i4": ints(4)}, ["y"])
    graph("constant", [n("Constant", [], ["c"], value_floats=[1.0, 2.0, 3.0]),
                       n("Constant", [], ["d"], value_int=2), n("Cast", ["d"], ["e"], to=1),
                       n("Mul", ["c", "e"], ["f"]), n("Add", ["x", "f"], ["y"])],
          {"x": real(2, 3)}, {}, ["y"])


def moves():
    x = real(2, 3, 4, 6)
    one("concat", "Concat", [x, real(2, 2, 4, 6)], axis=1)
    one("concat_5d", "Concat", [real(1, 2, 2, 3, 2), real(1, 2, 1, 3, 2)], axis=2)
    one("split", "Split", [x], outputs=2, axis=3, num_outputs=2)
    one("split_sizes", "Split", [x], [ints(1, 5)], outputs=2, axis=3)
    one("slice", "Slice", [x], [ints(1, 0), ints(3, 5), ints(2, 3)])
    one("slice_steps", "Slice", [x], [ints(-1, 0), ints(-100, 6), ints(2, 3), ints(-1, 2)])
    one("slice_back", "Slice", [x], [ints(4), ints(0), ints(3), ints(-2)])
    one("pad", "Pad", [x], [ints(0, 0, 1, 2, 0, 0, 2, 1)])
    one("pad_value", "Pad", [x], [ints(0, 0, 1, 2, 0, 0, 2, 1), np.array(1.5, F)])
    one("pad_axes", "Pad", [x], [ints(1, 2), None, ints(-1)])
    one("pad_reflect", "Pad", [x], [ints(0, 0, 1, 2, 0, 0, 2, 1)], mode="reflect")
    one("gather", "Gather", [x], [ints(2, 0, -1)], axis=1)
    one("gather_scalar", "Gather", [x], [np.array(-1, L)], axis=2)
    one("gather_indices", "Gather", [real(7, 3), np.array([[1, -2], [3, 6]], L)])
    one("gathernd", "GatherND", [x, np.array([[0, 1], [1, 2]], L)])
    up = [None, np.array([1, 1, 2, 3], F)]
    one("resize", "Resize", [x], up, mode="nearest")
    one("resize_floor", "Resize", [x], up, mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    one("resize_13", "Resize", [x], up, mode="nearest", opset=13)
    one("resize_down", "Resize", [x], [None, np.array([1, 1, .5, .5], F)], mode="nearest")
    one("resize_sizes", "Resize", [x], [None, None, ints(2, 3, 7, 9)], mode="nearest",
        nearest_mode="ceil")
    one("resize_linear", "Resize", [x], up, mode="linear")
    one("resize_corners", "Resize", [x], [None, None, ints(2, 3, 7, 9)], mode="linear",
        coordinate_transformation_mode="align_corners")
    one("resize_asymmetric", "Resize", [x], up, mode="linear",
        coordinate_transformation_mode="asymmetric")
    one("resize_pytorch", "Resize", [x], [None, None, ints(2, 3, 7, 9)], mode="linear",
        coordinate_transformation_mode="pytorch_half_pixel")


def quantisation():
    x = real(2, 3, 4)
    for of, zero in ((np.int8, -3), (np.uint8, 130), (np.int16, 0)):
        scale = [np.array(0.0171, F), np.array(zero, of)]
        one(f"quantizelinear_{of.__name__}", "QuantizeLinear", [x], scale)
        stored = random.integers(-100 if zero <= 0 else 0, 100, (2, 3, 4)).astype(of)
        one(f"dequantizelinear_{of.__name__}", "DequantizeLinear", [stored], scale)
    one("dequantizelinear_axis", "DequantizeLinear", [],
        [random.integers(-100, 100, (2, 3, 4)).astype(np.int8), real(3, low=.01, high=.1)],
        axis=1)


def unit(name, op, of, inputs, constants=(), out=0.05, activation=None, **attributes):
    """DequantizeLinear, an operator, QuantizeLinear: inputs are stored numbers."""
    n, zero = helper.make_node, 3 if of is np.int8 else 130
    nodes, given, fixed = [], {}, {"so": np.array(out, F), "zo": np.array(zero, of)}
    names = []
    for i, shape in enumerate(inputs):
        low = -128 if of is np.int8 else 0
        given[f"x{i}"] = random.integers(low, low + 256, shape).astype(of)
        fixed |= {f"s{i}": np.array(0.01 + 0.013 * i, F), f"z{i}": np.array(low + 120 + i, of)}
        nodes.append(n("DequantizeLinear", [f"x{i}", f"s{i}", f"z{i}"], [f"d{i}"]))
        names.append(f"d{i}")
    for i, (value, scale, dims) in enumerate(constants):
        fixed |= {f"c{i}": value, f"cs{i}": scale, f"cz{i}": np.zeros(scale.shape, value.dtype)}
        nodes.append(n("DequantizeLinear", [f"c{i}", f"cs{i}", f"cz{i}"], [f"cd{i}"], **dims))
        names.append(f"cd{i}")
    nodes.append(n(op, names, ["r"], **attributes))
    if activation:
        nodes.append(n(activation, ["r"], ["ra"]))
    nodes.append(n("QuantizeLinear", ["ra" if activation else "r", "so", "zo"], ["y"]))
    graph(f"qdq_unit_{name}_{of.__name__}", nodes, given, fixed, ["y"])


def units():
    for of in np.int8, np.uint8:
        w = random.integers(-127, 128, (8, 6, 3, 3)).astype(np.int8)
        bias = random.integers(-9000, 9000, 8).astype(I)
        one_scale, scales = np.array(.007, F), real(8, low=.002, high=.01)
        x = [(1, 6, 12, 12)]
        unit("conv", "Conv", of, x, [(w, one_scale, {}), (bias, np.array(.00007, F), {})], .15)
        unit("conv_channels", "Conv", of, x, [(w, scales, {"axis": 0}),
                                              (bias, F(.01) * scales, {"axis": 0})], .15)
        unit("conv_relu", "Conv", of, x, [(w, one_scale, {})], .1, "Relu", pads=[1, 1, 1, 1])
        unit("conv_depthwise", "Conv", of, [(1, 8, 12, 12)], [(w[:, :1], scales, {"axis": 0})],
             .05, group=8)
        unit("conv_unsigned", "Conv", of, x, [((w.astype(I) + 127).astype(np.uint8), one_scale,
                                               {})], .5)
        unit("matmul", "MatMul", of, [(20, 24)], [(w.reshape(18, 24).T.copy(), one_scale, {})], .1)
        unit("matmul_both", "MatMul", of, [(4, 5, 24), (4, 24, 6)], (), .2)
        unit("gemm", "Gemm", of, [(20, 24)], [(w.reshape(18, 24), one_scale, {})], .1, transB=1)
        for op in "Add", "Sub", "Mul":
            unit(op.lower(), op, of, [(2, 3, 20, 20)] * 2, (), .021)
        unit("global_average_pool", "GlobalAveragePool", of, [(3, 16, 5, 5)], (), .004)
        unit("average_pool", "AveragePool", of, [(3, 16, 6, 6)], (), .01, kernel_shape=[2, 2])
        unit("max_pool", "MaxPool", of, [(3, 16, 6, 6)], (), .01, kernel_shape=[2, 2])
        unit("sigmoid", "Sigmoid", of, [(2, 400)], (), 1 / 256)
        unit("softmax", "Softmax", of, [(20, 40)], (), 1 / 256)
        unit("concat", "Concat", of, [(2, 30), (2, 20)], (), .03, axis=1)


def network(name, opset=OPSET, keep=True):
    """A convolutional network with most of what such networks have."""
    n = helper.make_node
    c = {"w0": real(8, 3, 3, 3, low=-.5, high=.5), "b0": real(8), "w1": real(8, 1, 3, 3),
         "w2": real(8, 8, 1, 1, low=-.5, high=.5), "b2": real(8), "w3": real(8, 8, 3, 3, low=-.3,
                                                                           high=.3),
         "g": real(5, 16), "gb": real(5), "zero": np.array(0, F), "six": np.array(6, F)}
    nodes = [n("Conv", ["x", "w0", "b0"], ["a"], strides=[2, 2], pads=[1, 1, 1, 1]),
             n("Clip", ["a", "zero", "six"], ["b"]),
             n("Conv", ["b", "w1"], ["d"], group=8, pads=[1, 1, 1, 1]), n("Relu", ["d"], ["e"]),
             n("Conv", ["e", "w2", "b2"], ["f"]), n("Add", ["f", "b"], ["h"]),
             n("MaxPool", ["h"], ["i"], kernel_shape=[2, 2], strides=[2, 2]),
             n("Conv", ["i", "w3"], ["j"], pads=[1, 1, 1, 1]), n("Sigmoid", ["j"], ["k"]),
             n("Mul", ["j", "k"], ["l"]), n("Concat", ["i", "l"], ["m"], axis=1),
             n("GlobalAveragePool", ["m"], ["o"]), n("Flatten", ["o"], ["p"]),
             n("Gemm", ["p", "g", "gb"], ["q"], transB=1), n("Softmax", ["q"], ["y"])]
    return graph(name, nodes, {"x": real(1, 3, 16, 16)}, c, ["y"], opset, keep=keep)


def networks():
    n = helper.make_node
    network("network_cnn")
    network("network_cnn_13", 13)
    # A head of a detector: features of two sizes, a path upwards, boxes and scores in one tensor.
    graph("network_detector", [
        n("Conv", ["x", "w0"], ["a"], strides=[2, 2], pads=[1, 1, 1, 1]),
        n("Sigmoid", ["a"], ["as"]), n("Mul", ["a", "as"], ["b"]),
        n("Split", ["b"], ["b0", "b1"], axis=1, num_outputs=2),
        n("Conv", ["b1", "w1"], ["d"], pads=[1, 1, 1, 1]), n("Add", ["d", "b1"], ["e"]),
        n("Concat", ["b0", "b1", "e"], ["f"], axis=1),
        n("MaxPool", ["f"], ["g"], kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        n("Conv", ["g", "w2"], ["h"], strides=[2, 2], pads=[1, 1, 1, 1]),
        n("Resize", ["h", "", "s"], ["i"], mode="nearest", nearest_mode="floor",
          coordinate_transformation_mode="asymmetric"),
        n("Concat", ["i", "f"], ["j"], axis=1), n("Conv", ["j", "w3"], ["k"]),
        n("Reshape", ["k", "r"], ["l"]), n("Slice", ["l", "i0", "i4", "i1"], ["m"]),
        n("Slice", ["l", "i4", "i9", "i1"], ["o"]), n("Sigmoid", ["o"], ["p"]),
        n("Sub", ["m", "half"], ["q"]), n("Div", ["q", "two"], ["t"]),
        n("Concat", ["t", "p"], ["u"], axis=1), n("Transpose", ["u"], ["y"], perm=[0, 2, 1])],
        {"x": real(1, 3, 16, 16)},
        {"w0": real(8, 3, 3, 3), "w1": real(4, 4, 3, 3), "w2": real(6, 12, 3, 3),
         "w3": real(9, 18, 1, 1), "s": np.array([1, 1, 2, 2], F), "r": ints(0, 9, -1),
         "i0": ints(0), "i4": ints(4), "i9": ints(9), "i1": ints(1), "half": np.array(.5, F),
         "two": np.array(2, F)}, ["y"])
    # Attention over a sequence, with a mask, as exporters of PyTorch write it.
    graph("network_attention", [
        n("Gather", ["table", "ids"], ["t"]), n("Add", ["t", "position"], ["x"]),
        n("LayerNormalization", ["x", "ls", "lb"], ["a"], axis=-1),
        n("MatMul", ["a", "wq"], ["q0"]), n("MatMul", ["a", "wk"], ["k0"]),
        n("MatMul", ["a", "wv"], ["v0"]), n("Reshape", ["q0", "heads"], ["q1"]),
        n("Reshape", ["k0", "heads"], ["k1"]), n("Reshape", ["v0", "heads"], ["v1"]),
        n("Transpose", ["q1"], ["q"], perm=[0, 2, 1, 3]),
        n("Transpose", ["k1"], ["k"], perm=[0, 2, 3, 1]),
        n("Transpose", ["v1"], ["v"], perm=[0, 2, 1, 3]), n("MatMul", ["q", "k"], ["s0"]),
        n("Div", ["s0", "root"], ["s1"]), n("Cast", ["mask"], ["m0"], to=1),
        n("Sub", ["one", "m0"], ["m1"]), n("Mul", ["m1", "low"], ["m2"]),
        n("Unsqueeze", ["m2", "i12"], ["m3"]), n("Add", ["s1", "m3"], ["s2"]),
        n("Softmax", ["s2"], ["p"]), n("MatMul", ["p", "v"], ["o0"]),
        n("Transpose", ["o0"], ["o1"], perm=[0, 2, 1, 3]), n("Reshape", ["o1", "flat"], ["o2"]),
        n("MatMul", ["o2", "wo"], ["o3"]), n("Add", ["o3", "bo"], ["o4"]),
        n("Add", ["o4", "x"], ["r"]), n("MatMul", ["r", "w1"], ["f0"]),
        n("Gelu", ["f0"], ["f1"]), n("MatMul", ["f1", "w2"], ["f2"]), n("Add", ["f2", "r"], ["y"])],
        {"ids": random.integers(0, 20, (2, 6)).astype(L),
         "mask": np.array([[1] * 6, [1, 1, 1, 1, 0, 0]], L)},
        {"table": real(20, 8), "position": real(6, 8), "ls": real(8), "lb": real(8),
         "wq": real(8, 8), "wk": real(8, 8), "wv": real(8, 8), "heads": ints(0, 0, 2, 4),
         "root": np.array(2, F), "one": np.array(1, F), "low": np.array(-1e4, F),
         "i12": ints(1, 2), "flat": ints(0, 0, 8), "wo": real(8, 8), "bo": real(8),
         "w1": real(8, 16), "w2": real(16, 8)}, ["y"])
    # Channels last with transposes around each convolution, as from TensorFlow.
    graph("network_transposed", [
        n("Transpose", ["x"], ["a"], perm=[0, 3, 1, 2]), n("Conv", ["a", "w0"], ["b"]),
        n("Relu", ["b"], ["c"]), n("Transpose", ["c"], ["d"], perm=[0, 2, 3, 1]),
        n("Mul", ["d", "scale"], ["e"]), n("Transpose", ["e"], ["f"], perm=[0, 3, 1, 2]),
        n("Conv", ["f", "w1"], ["g"], group=4), n("Transpose", ["g"], ["h"], perm=[0, 2, 3, 1]),
        n("ReduceMean", ["h", "hw"], ["y"], keepdims=0)],
        {"x": real(1, 8, 8, 3)}, {"w0": real(4, 3, 3, 3), "w1": real(4, 1, 3, 3),
                                  "scale": real(4), "hw": ints(1, 2)}, ["y"])
    # A graph whose batch is open.
    graph("network_open", [n("Conv", ["x", "w"], ["a"]), n("Shape", ["a"], ["s"], end=1),
                           n("Concat", ["s", "rest"], ["t"], axis=0),
                           n("Reshape", ["a", "t"], ["y"])],
          {"x": real(3, 2, 5, 5)}, {"w": real(4, 2, 3, 3), "rest": ints(-1)}, ["y"],
          open_dims={"x": ["batch", 2, 5, 5]})


class Reader(CalibrationDataReader):
    def __init__(self, inputs):
        self.left = list(inputs)

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(name, model, shape, **how):
    """The model after ONNX Runtime's static quantisation (QDQ)."""
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    before, after = folder / "float.onnx", folder / "quantised.onnx"
    before.write_bytes(model.SerializeToString())
    data = [{"x": real(*shape)} for _ in range(4)]
    quantize_static(before, after, Reader(data), quant_format=QuantFormat.QDQ, **how)
    save(name, onnx.load(after), data[0])
    before.unlink()
    after.unlink()


def quantised_networks():
    model = network("", keep=False)
    shape, s8, u8 = (1, 3, 16, 16), QuantType.QInt8, QuantType.QUInt8
    quantised("qdq_s8", model, shape, activation_type=s8, weight_type=s8)
    quantised("qdq_s8_channels", model, shape, activation_type=s8, weight_type=s8,
              per_channel=True)
    quantised("qdq_u8", model, shape, activation_type=u8, weight_type=u8)
    quantised("qdq_u8_s8", model, shape, activation_type=u8, weight_type=s8, per_channel=True)
    quantised("qdq_s16", model, shape, activation_type=QuantType.QInt16, weight_type=s8,
              extra_options={"ActivationSymmetric": True})
    n = helper.make_node
    product = graph("", [n("MatMul", ["x", "w"], ["a"]), n("Add", ["a", "b"], ["c"]),
                         n("Relu", ["c"], ["d"]), n("MatMul", ["d", "v"], ["y"])],
                    {"x": real(2, 3, 8)}, {"w": real(8, 6), "b": real(6), "v": real(6, 4)}, ["y"],
                    keep=False)
    quantised("qdq_matmul", product, (2, 3, 8), activation_type=u8, weight_type=s8)
    # Weights of 4 bits with a scale for each block of 4.
    table = random.integers(-8, 8, (8, 6))
    packed = helper.make_tensor("w", TensorProto.INT4, table.shape, table.flatten())
    g = helper.make_graph(
        [n("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=4),
         n("MatMul", ["x", "d"], ["y"])], "qdq_int4", [info("x", real(3, 8))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 6])],
        [packed, numpy_helper.from_array(real(2, 6, low=.01, high=.2), "s")])
    save("qdq_int4", helper.make_model(g, opset_imports=[helper.make_opsetid("", OPSET)],
                                       ir_version=10), {"x": real(3, 8)})


def corners():
    """What a translation easily gets wrong; no number here comes from the generator."""
    n, x = helper.make_node, np.linspace(-2, 3, 12).astype(F).reshape(3, 4)
    for of in I, L:
        for to, name in ((TensorProto.UINT8, "uint8"), (TensorProto.INT8, "int8")):
            one(f"cast_wraps_{of.__name__}_{name}", "Cast",
                [ints(300, -1, 5, 200, -129, 70000, of=of)], to=to)
    one("cast_wraps_int16", "Cast", [ints(300, -1, 40000, 70000, of=I)], to=TensorProto.INT16)
    one("cast_wraps_signed", "Cast", [ints(0, 127, 128, 255, of=np.uint8)], to=TensorProto.INT8)
    one("sign_nan", "Sign", [np.array([np.nan, 0, 3, -np.inf], F)])
    one("reduce_log_sum_exp_infinite", "ReduceLogSumExp",
        [np.array([[-np.inf, -np.inf], [1, np.inf], [1, 2]], F)], [ints(1)])
    one("top_k_least", "TopK", [ints(-2**31, 5, -3, 2**31 - 1, of=I)], [ints(3)], 2, largest=0)
    image, filters = np.arange(16).astype(F).reshape(1, 1, 4, 4), np.arange(9).astype(F)
    for pad in "NOTSET", "SAME_UPPER", "SAME_LOWER":
        one(f"conv_transpose_shape_{pad.lower()}", "ConvTranspose", [image],
            [filters.reshape(1, 1, 3, 3)], strides=[2, 2], output_shape=[8, 8], auto_pad=pad)
    one("conv_transpose_shape_more", "ConvTranspose", [image], [filters.reshape(1, 1, 3, 3)],
        strides=[2, 2], output_shape=[10, 10], output_padding=[1, 1])
    for of, zeros in ((np.uint8, (3, 200)), (np.int8, (-5, 60))):
        fixed = {"s1": F(.02), "s2": F(.05), "z1": of(zeros[0]), "z2": of(zeros[1]),
                 "p": ints(1, 0, 0, 2)}
        fixed = {k: np.array(v) for k, v in fixed.items()}
        stored = [n("QuantizeLinear", [k, f"s{i}", f"z{i}"], [f"q{k}"])
                  for i, k in ((1, "a"), (2, "b"))]
        for name, node, more in (
                ("concat", n("Concat", ["qa", "qb"], ["y"], axis=1), {}),
                ("where", n("Where", ["c", "qa", "qb"], ["y"]), {"c": x > 0})):
            graph(f"{name}_stored_{of.__name__}", [*stored, node], {"a": x, "b": x + 1} | more,
                  fixed, ["y"])
        graph(f"pad_stored_{of.__name__}", [stored[1], n("Pad", ["qb", "p"], ["y"])], {"b": x},
              fixed, ["y"])
        fixed = {"w": np.arange(16).astype(np.int8).reshape(4, 4), "s": F(.02), "z": of(3),
                 "sc": F(.0004), "so": F(.01), "c": ints(0, 1000, 2000, 3000, of=I).reshape(4, 1)}
        graph(f"qdq_gemm_column_{of.__name__}",
              [n("DequantizeLinear", ["a", "s", "z"], ["da"]), n("DequantizeLinear", ["w", "s"],
                                                                ["dw"]),
               n("DequantizeLinear", ["c", "sc"], ["dc"]), n("Gemm", ["da", "dw", "dc"], ["r"]),
               n("QuantizeLinear", ["r", "so", "z"], ["y"])],
              {"a": np.arange(16).astype(of).reshape(4, 4)},
              {k: np.array(v) for k, v in fixed.items()}, ["y"])


def main():
    for make in (convolutions, products, pools, elements, functions, norms, reductions, shapes,
                 moves, quantisation, units, networks, quantised_networks, corners):
        make()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, files in sorted(cases.items()):
            for path, data in sorted(files.items()):
                member = tarfile.TarInfo(f"{name}/{path}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    target = Path(__file__).with_name("cases.tar.xz")
    target.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(cases)} cases, {target.stat().st_size} bytes")


main()
