/* SPDX-License-Identifier: MIT */
/*
 * The operators that are translated, one row each:
 *
 *	ONNX_OP(name, oldest, newest, attributes, translation, folding, test)
 *
 * ONNX_MICROSOFT is an operator of com.microsoft. Versions are those since which the operator is
 * what it is: the one that opset 13 has, and the newest that is known. An attribute that is not
 * listed is refused by name, unless it is only for training. The translation is
 * onnx_translate_NAME() of ops/, the folding onnx_fold_NAME() of fold.c, none for what is never
 * computed here. The test is the prefix of its cases in tests/onnx. tests/onnx/operators compares
 * the rows with docs/onnx.md.
 */
ONNX_OP(Conv, 11, 22, " auto_pad dilations group kernel_shape pads strides ", conv, none, "conv")
ONNX_OP(ConvTranspose, 11, 22,
	" auto_pad dilations group kernel_shape output_padding output_shape pads strides ",
	conv_transpose, none, "conv_transpose")
ONNX_OP(Gemm, 13, 13, " alpha beta transA transB ", gemm, none, "gemm")
ONNX_OP(MatMul, 13, 13, " ", matmul, none, "matmul")

ONNX_OP(MaxPool, 12, 22, " auto_pad ceil_mode dilations kernel_shape pads storage_order strides ",
	max_pool, none, "max_pool")
ONNX_OP(AveragePool, 11, 22,
	" auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides ", average_pool,
	none, "average_pool")
ONNX_OP(GlobalAveragePool, 1, 22, " ", global_average_pool, none, "global_average_pool")
ONNX_OP(GlobalMaxPool, 1, 22, " ", global_max_pool, none, "global_max_pool")

ONNX_OP(Add, 13, 14, " ", add, arithmetic, "add")
ONNX_OP(Sub, 13, 14, " ", sub, arithmetic, "sub")
ONNX_OP(Mul, 13, 14, " ", mul, arithmetic, "mul")
ONNX_OP(Div, 13, 14, " ", div, arithmetic, "div")
ONNX_OP(Pow, 13, 15, " ", pow, arithmetic, "pow")
ONNX_OP(Mod, 13, 28, " fmod ", mod, arithmetic, "mod")
ONNX_OP(Max, 13, 13, " ", max, arithmetic, "max")
ONNX_OP(Min, 13, 13, " ", min, arithmetic, "min")
ONNX_OP(Sum, 13, 13, " ", sum, arithmetic, "sum")
ONNX_OP(Mean, 13, 13, " ", mean, none, "mean")
ONNX_OP(PRelu, 9, 16, " ", prelu, none, "prelu")
ONNX_OP(Equal, 13, 19, " ", equal, arithmetic, "equal")
ONNX_OP(Greater, 13, 13, " ", greater, arithmetic, "greater")
ONNX_OP(GreaterOrEqual, 12, 16, " ", greater_equal, arithmetic, "greater_equal")
ONNX_OP(Less, 13, 13, " ", less, arithmetic, "less")
ONNX_OP(LessOrEqual, 12, 16, " ", less_equal, arithmetic, "less_equal")
ONNX_OP(And, 7, 7, " ", and, arithmetic, "and")
ONNX_OP(Or, 7, 7, " ", or, arithmetic, "or")
ONNX_OP(Xor, 7, 7, " ", xor, arithmetic, "xor")
ONNX_OP(Where, 9, 16, " ", where, where, "where")

ONNX_OP(Abs, 13, 13, " ", abs, unary, "abs")
ONNX_OP(Neg, 13, 13, " ", neg, unary, "neg")
ONNX_OP(Ceil, 13, 13, " ", ceil, unary, "ceil")
ONNX_OP(Floor, 13, 13, " ", floor, unary, "floor")
ONNX_OP(Round, 11, 22, " ", round, none, "round")
ONNX_OP(Sign, 13, 13, " ", sign, none, "sign")
ONNX_OP(Not, 1, 1, " ", not, unary, "not")
ONNX_OP(Exp, 13, 13, " ", exp, none, "exp")
ONNX_OP(Log, 13, 13, " ", log, none, "log")
ONNX_OP(Sqrt, 13, 13, " ", sqrt, unary, "sqrt")
ONNX_OP(Reciprocal, 13, 13, " ", reciprocal, none, "reciprocal")
ONNX_OP(Sin, 7, 22, " ", sin, none, "sin")
ONNX_OP(Cos, 7, 22, " ", cos, none, "cos")
ONNX_OP(Erf, 13, 13, " ", erf, none, "erf")
ONNX_OP(Tanh, 13, 13, " ", tanh, none, "tanh")
ONNX_OP(Sigmoid, 13, 13, " ", sigmoid, none, "sigmoid")
ONNX_OP(Relu, 13, 14, " ", relu, none, "relu")
ONNX_OP(LeakyRelu, 6, 16, " alpha ", leaky_relu, none, "leaky_relu")
ONNX_OP(ThresholdedRelu, 10, 22, " alpha ", thresholded_relu, none, "thresholded_relu")
ONNX_OP(Elu, 6, 22, " alpha ", elu, none, "elu")
ONNX_OP(Selu, 6, 22, " alpha gamma ", selu, none, "selu")
ONNX_OP(Celu, 12, 28, " alpha ", celu, none, "celu")
ONNX_OP(HardSigmoid, 6, 22, " alpha beta ", hard_sigmoid, none, "hard_sigmoid")
ONNX_OP(HardSwish, 14, 22, " ", hard_swish, none, "hard_swish")
ONNX_OP(Softplus, 1, 22, " ", softplus, none, "softplus")
ONNX_OP(Softsign, 1, 22, " ", softsign, none, "softsign")
ONNX_OP(Mish, 18, 22, " ", mish, none, "mish")
ONNX_OP(Gelu, 20, 20, " approximate ", gelu, none, "gelu")
ONNX_MICROSOFT(Gelu, 1, 1, " ", gelu, none, "gelu")
ONNX_OP(Clip, 13, 13, " ", clip, none, "clip")

ONNX_OP(Softmax, 13, 13, " axis ", softmax, none, "softmax")
ONNX_OP(LogSoftmax, 13, 13, " axis ", log_softmax, none, "logsoftmax")
ONNX_OP(BatchNormalization, 9, 15, " epsilon momentum training_mode ", batch_normalization, none,
	"batchnorm")
ONNX_OP(InstanceNormalization, 6, 22, " epsilon ", instance_normalization, none, "instancenorm")
ONNX_OP(LayerNormalization, 17, 17, " axis epsilon stash_type ", layer_normalization, none,
	"layer_normalization")
ONNX_OP(LRN, 13, 13, " alpha beta bias size ", lrn, none, "lrn")

ONNX_OP(ReduceMean, 13, 18, " axes keepdims noop_with_empty_axes ", reduce_mean, none,
	"reduce_mean")
ONNX_OP(ReduceSum, 13, 13, " axes keepdims noop_with_empty_axes ", reduce_sum, none, "reduce_sum")
ONNX_OP(ReduceMax, 13, 20, " axes keepdims noop_with_empty_axes ", reduce_max, none, "reduce_max")
ONNX_OP(ReduceMin, 13, 20, " axes keepdims noop_with_empty_axes ", reduce_min, none, "reduce_min")
ONNX_OP(ReduceProd, 13, 18, " axes keepdims noop_with_empty_axes ", reduce_prod, reduce_prod,
	"reduce_prod")
ONNX_OP(ReduceL1, 13, 18, " axes keepdims noop_with_empty_axes ", reduce_l1, none, "reduce_l1")
ONNX_OP(ReduceL2, 13, 18, " axes keepdims noop_with_empty_axes ", reduce_l2, none, "reduce_l2")
ONNX_OP(ReduceLogSum, 13, 28, " axes keepdims noop_with_empty_axes ", reduce_log_sum, none,
	"reduce_log_sum")
ONNX_OP(ReduceLogSumExp, 13, 28, " axes keepdims noop_with_empty_axes ", reduce_log_sum_exp, none,
	"reduce_log_sum_exp")
ONNX_OP(ReduceSumSquare, 13, 18, " axes keepdims noop_with_empty_axes ", reduce_sum_square, none,
	"reduce_sum_square")
ONNX_OP(ArgMax, 13, 13, " axis keepdims select_last_index ", arg_max, none, "argmax")
ONNX_OP(ArgMin, 13, 13, " axis keepdims select_last_index ", arg_min, none, "argmin")
ONNX_OP(TopK, 11, 24, " axis largest sorted ", topk, none, "top_k")

ONNX_OP(Constant, 13, 25, " value value_float value_floats value_int value_ints ", constant,
	constant, "constant")
ONNX_OP(ConstantOfShape, 9, 25, " value ", needs_constant, constant_of_shape, "constantofshape")
ONNX_OP(Shape, 13, 25, " start end ", shape, none, "shape")
ONNX_OP(Size, 13, 25, " ", size, none, "size")
ONNX_OP(Range, 11, 27, " stash_type ", needs_constant, range, "range")
ONNX_OP(Identity, 13, 25, " ", identity, same, "identity")
ONNX_OP(Dropout, 13, 22, " seed ", dropout, same, "dropout")
ONNX_OP(Cast, 13, 28, " round_mode saturate to ", cast, cast, "cast")
ONNX_OP(Reshape, 13, 25, " allowzero ", reshape, none, "reshape")
ONNX_OP(Flatten, 13, 25, " axis ", flatten, none, "flatten")
ONNX_OP(Squeeze, 13, 25, " ", squeeze, none, "squeeze")
ONNX_OP(Unsqueeze, 13, 25, " ", unsqueeze, none, "unsqueeze")
ONNX_OP(Expand, 13, 13, " ", expand, expand, "expand")
ONNX_OP(Tile, 13, 13, " ", tile, none, "tile")
ONNX_OP(Transpose, 13, 25, " perm ", transpose, transpose, "transpose")
ONNX_OP(DepthToSpace, 13, 28, " blocksize mode ", depth_to_space, none, "depthtospace")
ONNX_OP(SpaceToDepth, 13, 28, " blocksize mode ", space_to_depth, none, "spacetodepth")

ONNX_OP(Concat, 13, 13, " axis ", concat, concat, "concat")
ONNX_OP(Split, 13, 18, " axis num_outputs ", split, none, "split")
ONNX_OP(Slice, 13, 13, " ", slice, slice, "slice")
ONNX_OP(Pad, 13, 25, " mode ", pad, none, "pad")
ONNX_OP(Gather, 13, 13, " axis ", gather, gather, "gather")
ONNX_OP(GatherND, 13, 13, " batch_dims ", gather_nd, none, "gathernd")
ONNX_OP(Resize, 13, 19,
	" antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
	"extrapolation_value keep_aspect_ratio_policy mode nearest_mode ",
	resize, none, "resize")

ONNX_OP(QuantizeLinear, 13, 28, " axis block_size output_dtype precision saturate ", quantize,
	none, "quantizelinear")
ONNX_OP(DequantizeLinear, 13, 28, " axis block_size output_dtype ", dequantize, none,
	"dequantizelinear")
#undef ONNX_OP
#undef ONNX_MICROSOFT
