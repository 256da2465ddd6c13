/* SPDX-License-Identifier: MIT */
/*
 * All operations, one NNA_OP(name, NAME, forms) each: NNA_OPERATION_NAME is the number,
 * nna_op_<name> the operation (ops/), and the forms are its signature; signature.h has their data
 * model. The names of operations, the prototypes and the table of ops/ and the table of signatures
 * are made from this list. There is no include guard: the includer defines NNA_OP, with another
 * meaning each time.
 *
 * A row reads like a definition in NeuralNetworks.h. A form is one of
 *
 *	FORM(android, support, IN(...), OUT(...))	T is one of the types of each column
 *	FORM_ANDROID(types, ...)	only Android's column has it
 *	FORM_SUPPORT(types, ...)	only the support column has it
 *	FORM_FIXED(...)			no type follows from another one
 *
 * and a formal operand, after its names,
 *
 *	T("a", ...)			one operand of T. MANY_T: all that the others leave
 *	FILTER, BIAS, BOX, ANCHOR, DELTA	likewise, of a type that follows from T
 *	FLOAT("a"), ELEMENT("a")	scalars that follow from T
 *	TENSOR(INT32, "a", ...)		a tensor of this type
 *	FIXED("a", TYPES(android, support), ...)	of one of these types
 *	INT("a"), BOOLEAN("a")		scalars
 *	..._N(n, "a, b, c", ...)	n operands
 *
 * with, where it is not the default,
 *
 *	EXACT(n), FROM(n)	support's rank, or lowest rank; any by default
 *	EXACT_ANDROID(n)	the rank in both columns
 *	UP_TO(n)		Android's highest rank; support has none
 *	RANKS(a, b, c, d)	a to b for Android, c to d for support; 0 and 0 for any
 *	OPTIONAL		may be without a value
 *	LAST			the operands may end before it, or it may be without a value
 *	FLAGS(android, support)	where columns differ: O is optional, L is last, 0 is neither
 *
 * Types are TENSORs: F FLOAT32 and FLOAT16; Q8 QUANT8_ASYMM and QUANT8_ASYMM_SIGNED; I32, I64, B8
 * (BOOL8), S8 and S16 (QUANT8_SYMM, QUANT16_SYMM), A16 (QUANT16_ASYMM), C8
 * (QUANT8_SYMM_PER_CHANNEL); ALL is all of them but C8.
 */
NNA_OP(add, ADD, ARITHMETIC(F | Q8 | I32, F | Q8 | I32 | I64 | S16))
NNA_OP(sub, SUB, ARITHMETIC(F | Q8 | I32, F | Q8 | I32 | I64 | S16))
NNA_OP(mul, MUL, ARITHMETIC(F | Q8 | I32, F | Q8 | I32 | I64 | S16))
NNA_OP(div, DIV, ARITHMETIC(F | I32, F | I32 | I64))

NNA_OP(conv, CONV_2D,
       CONVOLUTION_OF(EXACT_ANDROID(4), INT_N(7, PADDINGS ", " STRIDES ", activation"), LAYOUT(),
		      DILATIONS()),
       CONVOLUTION_OF(EXACT_ANDROID(4), INT_N(4, "padding scheme, " STRIDES ", activation"),
		      LAYOUT(), DILATIONS()))
NNA_OP(grouped_conv, GROUPED_CONV_2D,
       CONVOLUTION(INT_N(8, PADDINGS ", " STRIDES ", groups, activation"),
		   BOOLEAN("nchw", FLAGS(0, O | L))),
       CONVOLUTION(INT_N(5, "padding scheme, " STRIDES ", groups, activation"),
		   BOOLEAN("nchw", FLAGS(0, O | L))))
NNA_OP(depthwise_conv, DEPTHWISE_CONV_2D,
       CONVOLUTION(INT_N(8, PADDINGS ", " STRIDES ", multiplier, activation"), LAYOUT(),
		   DILATIONS()),
       CONVOLUTION(INT_N(5, "padding scheme, " STRIDES ", multiplier, activation"), LAYOUT(),
		   DILATIONS()))
/* Android knows no weights that are quantised per channel here. */
NNA_OP(fully_connected, FULLY_CONNECTED,
       FORM_ANDROID(F | Q8,
		    IN(T("input", FROM(1)), T("weights", EXACT(2)), BIAS("bias", EXACT(1)),
		       INT("activation")),
		    OUT(T("output"))),
       FORM_SUPPORT(F | Q8,
		    IN(T("input", FROM(1)), FILTER("weights", EXACT(2)),
		       BIAS("bias", EXACT(1), OPTIONAL), INT("activation", OPTIONAL)),
		    OUT(T("output"))))
NNA_OP(average_pool, AVERAGE_POOL_2D, POOL(F | Q8))
NNA_OP(max_pool, MAX_POOL_2D, POOL(F | Q8))
NNA_OP(l2_pool, L2_POOL_2D, POOL(F))

NNA_OP(floor, FLOOR, UNARY(F, F, UP_TO(4)))
NNA_OP(relu, RELU, UNARY(F | Q8, F | Q8, UP_TO(4)))
NNA_OP(relu1, RELU1, UNARY(F | Q8, F | Q8, UP_TO(4)))
NNA_OP(relu6, RELU6, UNARY(F | Q8, F | Q8, UP_TO(4)))
NNA_OP(tanh, TANH, UNARY(F | Q8, F | Q8, UP_TO(4)))
NNA_OP(logistic, LOGISTIC, UNARY(F | Q8, F | Q8, UP_TO(4)))
NNA_OP(abs, ABS, UNARY(F | I32, F | I32 | I64))
NNA_OP(neg, NEG, UNARY(F | I32, F | I32 | I64))
NNA_OP(exp, EXP, UNARY(F, F))
NNA_OP(log, LOG, UNARY(F, F))
NNA_OP(sqrt, SQRT, UNARY(F, F))
NNA_OP(rsqrt, RSQRT, UNARY(F | Q8, F | Q8))
NNA_OP(sin, SIN, UNARY(F, F))
NNA_OP(cos, COS, FORM_SUPPORT(F, IN(T("input")), OUT(T("output"))))
NNA_OP(logical_not, LOGICAL_NOT, UNARY(B8, B8))
NNA_OP(hard_swish, HARD_SWISH, UNARY(F | Q8, F | Q8))
NNA_OP(elu, ELU, FORM(F, F, IN(T("input"), FLOAT("alpha", FLAGS(0, O))), OUT(T("output"))))
NNA_OP(leaky_relu, LEAKY_RELU,
       FORM_SUPPORT(F | Q8, IN(T("input"), FLOAT("alpha", OPTIONAL)), OUT(T("output"))))

NNA_OP(equal, EQUAL, COMPARISON())
NNA_OP(not_equal, NOT_EQUAL, COMPARISON())
NNA_OP(less, LESS, COMPARISON())
NNA_OP(less_equal, LESS_EQUAL, COMPARISON())
NNA_OP(greater, GREATER, COMPARISON())
NNA_OP(greater_equal, GREATER_EQUAL, COMPARISON())
NNA_OP(logical_and, LOGICAL_AND, BINARY(B8, B8))
NNA_OP(logical_or, LOGICAL_OR, BINARY(B8, B8))
NNA_OP(maximum, MAXIMUM, BINARY(F | Q8 | I32, F | Q8 | I32 | I64))
NNA_OP(minimum, MINIMUM, BINARY(F | Q8 | I32, F | Q8 | I32 | I64))
NNA_OP(pow, POW, BINARY(F, F))
NNA_OP(prelu, PRELU, BINARY(F | Q8, F | Q8))
NNA_OP(floor_div, FLOOR_DIV,
       FORM_SUPPORT(F | I32 | I64, IN(T_N(2, "a, b")), OUT(T("output"))))
NNA_OP(floor_mod, FLOOR_MOD,
       FORM_SUPPORT(F | I32 | I64, IN(T_N(2, "a, b")), OUT(T("output"))))
NNA_OP(squared_difference, SQUARED_DIFFERENCE,
       FORM_SUPPORT(F | Q8 | I32 | I64, IN(T_N(2, "a, b")), OUT(T("output"))))
NNA_OP(select, SELECT,
       FORM(F | Q8 | I32, F | Q8 | I32 | I64 | B8, IN(TENSOR(B8, "condition"), T_N(2, "a, b")),
	    OUT(T("output"))))

NNA_OP(cast, CAST,
       FORM_ANDROID(F | I32 | U8, IN(T("input")), OUT(TENSOR(F | I32 | U8, "output"))),
       FORM_ANDROID(S16 | A16 | B8 | N8 | S8, IN(T("input")), OUT(T("output"))),
       FORM_SUPPORT(ALL, IN(T("input")), OUT(TENSOR(ALL, "output"))))
NNA_OP(quantize, QUANTIZE,
       FORM(F, F | Q8, IN(T("input")), OUT(FIXED(Q8, Q8 | S16, "output"))))
NNA_OP(dequantize, DEQUANTIZE,
       FORM(Q8 | C8 | S8, Q8 | C8 | S8 | S16 | F16, IN(T("input", UP_TO(4))),
	    OUT(TENSOR(F, "output"))))
NNA_OP(softmax, SOFTMAX,
       FORM(F | Q8, F | Q8, IN(T("input", UP_TO(4)), FLOAT("beta"), INT("axis", LAST)),
	    OUT(T("output"))))
NNA_OP(log_softmax, LOG_SOFTMAX,
       FORM(F, F, IN(T("input", FROM(1)), FLOAT("beta"), INT("axis", FLAGS(0, O))),
	    OUT(T("output"))))

NNA_OP(reshape, RESHAPE,
       FORM(F | Q8 | I32, ALL, IN(T("input", UP_TO(4)), TENSOR(I32, "dims", EXACT(1))),
	    OUT(T("output"))))
NNA_OP(squeeze, SQUEEZE,
       FORM(F | Q8, ALL, IN(T("input", UP_TO(4)), TENSOR(I32, "axes", EXACT(1), FLAGS(O, O | L))),
	    OUT(T("output"))))
NNA_OP(expand_dims, EXPAND_DIMS,
       FORM(F | Q8 | I32, ALL, IN(T("input"), INT("axis")), OUT(T("output"))))
NNA_OP(bitcast, BITCAST, FORM_SUPPORT(ALL, IN(T("input")), OUT(TENSOR(ALL, "output"))))
NNA_OP(bitwise_xor, BITWISE_XOR,
       FORM_SUPPORT(I32 | I64, IN(T_N(2, "a, b")), OUT(T("output"))))
NNA_OP(right_shift, RIGHT_SHIFT,
       FORM_SUPPORT(I32 | I64, IN(T_N(2, "input, bits")), OUT(T("output"))))
NNA_OP(fibonacci, FIBONACCI,
       FORM_FIXED_SUPPORT(IN(TENSOR(I64 | F32, "n", EXACT(1)), TENSOR(I64, "scaling", EXACT(1))),
			  OUT(TENSOR(I64 | F32, "numbers"))))

NNA_OP(reduce_all, REDUCE_ALL, REDUCTION(B8, B8))
NNA_OP(reduce_any, REDUCE_ANY, REDUCTION(B8, B8))
NNA_OP(reduce_max, REDUCE_MAX, REDUCTION(F | Q8, F | Q8 | I32 | I64))
NNA_OP(reduce_min, REDUCE_MIN, REDUCTION(F | Q8, F | Q8 | I32 | I64))
NNA_OP(reduce_prod, REDUCE_PROD, REDUCTION(F, F | Q8 | I32 | I64))
NNA_OP(reduce_sum, REDUCE_SUM, REDUCTION(F, F | Q8 | I32 | I64))
NNA_OP(mean, MEAN,
       FORM(F | Q8, F | Q8,
	    IN(T("input", UP_TO(4)), TENSOR(I32, "axes"), INT("keep dims")),
	    OUT(T("output"))))
NNA_OP(topk, TOPK_V2,
       FORM(F | Q8 | I32, F | Q8 | I32 | I64, IN(T("input", FROM(1)), INT("k")),
	    OUT(T("values"), TENSOR(I32, "indices"))))
NNA_OP(lsh_projection, LSH_PROJECTION,
       FORM(F, F,
	    IN(T("hash functions", EXACT(2)), TENSOR(F | I32 | U8, "input", FROM(1)),
	       T("weights", EXACT(1), OPTIONAL), INT("type")),
	    OUT(TENSOR(I32, "output", EXACT(1)))))
NNA_OP(multinomial, RANDOM_MULTINOMIAL,
       FORM(F, F, IN(T("logits", EXACT(2)), INT("samples"), TENSOR(I32, "seeds", EXACT(1))),
	    OUT(TENSOR(I32, "classes", EXACT(2)))))
NNA_OP(keypoint, HEATMAP_MAX_KEYPOINT,
       FORM(F | Q8, F | Q8, IN(T("heat maps", EXACT(4)), BOX("boxes", EXACT(2)), BOOLEAN("nchw")),
	    OUT(T("scores", EXACT(2)), BOX("keypoints", EXACT(3)))))
NNA_OP(argmax, ARGMAX,
       FORM(F | Q8 | I32, F | Q8 | I32 | I64 | B8, IN(T("input"), INT("axis")),
	    OUT(TENSOR(I32, "indices"))))
NNA_OP(argmin, ARGMIN,
       FORM(F | Q8 | I32, F | Q8 | I32 | I64 | B8, IN(T("input"), INT("axis")),
	    OUT(TENSOR(I32, "indices"))))
NNA_OP(argmax_int64, ARGMAX_INT64,
       FORM_SUPPORT(F | Q8 | I32 | I64 | B8, IN(T("input"), INT("axis")),
		    OUT(TENSOR(I64, "indices"))))

/* Indices of 8 bits address a table of a function. */
NNA_OP(gather, GATHER,
       FORM(F | Q8 | I32, ALL, IN(T("input"), INT("axis"), FIXED(I32, I32 | I64 | Q8, "indices")),
	    OUT(T("output"))))
NNA_OP(embedding_lookup, EMBEDDING_LOOKUP,
       FORM(F | Q8 | I32, F | Q8 | I32, IN(TENSOR(I32, "indices", EXACT(1)), T("table", FROM(2))),
	    OUT(T("output", FROM(2)))))
NNA_OP(gather_nd, GATHER_ND,
       FORM_SUPPORT(ALL, IN(T("input"), TENSOR(I32, "indices", FROM(1))), OUT(T("output"))))
NNA_OP(concatenation, CONCATENATION,
       FORM(F | Q8, ALL, IN(MANY_T("input", RANKS(1, 4, 1, 4)), INT("axis")),
	    OUT(T("output"))))
/* The output has one dimension more. */
NNA_OP(pack, PACK,
       FORM(F | Q8 | I32, ALL,
	    IN(INT("axis"), MANY_T("input", RANKS(0, 0, 1, NNACCEL_MAX_RANK - 1))),
	    OUT(T("output"))))
NNA_OP(split, SPLIT,
       FORM(F | Q8 | I32, ALL, IN(T("input"), INT_N(2, "axis, parts")), OUT(MANY_T("output"))))
NNA_OP(unpack, UNPACK, FORM_SUPPORT(ALL, IN(T("input"), INT("axis")), OUT(MANY_T("output"))))
NNA_OP(transpose, TRANSPOSE,
       FORM(F | Q8, ALL,
	    IN(T("input", UP_TO(4)), TENSOR(I32, "permutation", FLAGS(O, O | L))),
	    OUT(T("output"))))
NNA_OP(reverse, REVERSE,
       FORM(F | Q8 | I32, ALL, IN(T("input"), TENSOR(I32, "axis", EXACT_ANDROID(1))), OUT(T("output"))))
NNA_OP(pad, PAD,
       FORM(F | Q8, ALL, IN(T("input", UP_TO(4)), TENSOR(I32, "paddings", EXACT(2))),
	    OUT(T("output"))))
NNA_OP(pad_v2, PAD_V2,
       FORM(F | Q8, ALL,
	    IN(T("input", UP_TO(4)), TENSOR(I32, "paddings", EXACT(2)), ELEMENT("value")),
	    OUT(T("output"))))
NNA_OP(mirror_pad, MIRROR_PAD,
       FORM(F | Q8 | I32, ALL,
	    IN(T("input"), TENSOR(I32, "paddings", EXACT_ANDROID(2)), INT("mode")), OUT(T("output"))))
NNA_OP(slice, SLICE,
       FORM(F | Q8 | I32, ALL, IN(T("input"), TENSOR_N(2, I32, "begin, size", EXACT(1))),
	    OUT(T("output"))))
NNA_OP(strided_slice, STRIDED_SLICE,
       FORM(F | Q8, ALL,
	    IN(T("input", UP_TO(4)), TENSOR_N(3, I32, "begin, end, strides", EXACT(1)),
	       INT_N(3, "begin mask, end mask, shrink mask")),
	    OUT(T("output"))))
NNA_OP(tile, TILE,
       FORM(F | Q8 | I32, ALL, IN(T("input"), TENSOR(I32, "multiples", EXACT(1))),
	    OUT(T("output"))))
NNA_OP(fill, FILL,
       FORM(F | I32, F | I32, IN(TENSOR(I32, "dims", EXACT(1)), ELEMENT("value")),
	    OUT(T("output"))))
NNA_OP(rank, RANK, FORM(TENSORS, ALL | C8, IN(T("input")), OUT(INT("rank"))))

NNA_OP(space_to_depth, SPACE_TO_DEPTH,
       FORM(F | Q8, ALL, IN(T("input", EXACT(4)), INT("block size"), LAYOUT()),
	    OUT(T("output", EXACT(4)))))
NNA_OP(depth_to_space, DEPTH_TO_SPACE,
       FORM(F | Q8, ALL, IN(T("input", EXACT(4)), INT("block size"), LAYOUT()),
	    OUT(T("output", EXACT(4)))))
NNA_OP(space_to_batch, SPACE_TO_BATCH_ND,
       FORM(F | Q8, ALL,
	    IN(T("input", EXACT(4)), TENSOR(I32, "block sizes"), TENSOR(I32, "paddings"),
	       LAYOUT()),
	    OUT(T("output", EXACT(4)))))
NNA_OP(batch_to_space, BATCH_TO_SPACE_ND,
       FORM(F | Q8, ALL,
	    IN(T("input", EXACT(4)), TENSOR(I32, "block sizes"), LAYOUT()),
	    OUT(T("output", EXACT(4)))))
NNA_OP(channel_shuffle, CHANNEL_SHUFFLE,
       FORM(F | Q8, ALL, IN(T("input", UP_TO(4)), INT_N(2, "groups, axis")),
	    OUT(T("output"))))
NNA_OP(resize_bilinear, RESIZE_BILINEAR, RESIZE(INT_N(2, "width, height"), LAYOUT()),
       RESIZE(FLOAT_N(2, "width, height"), LAYOUT()))
NNA_OP(resize_nearest, RESIZE_NEAREST_NEIGHBOR,
       RESIZE(INT_N(2, "width, height"), BOOLEAN("nchw", FLAGS(0, O | L))),
       RESIZE(FLOAT_N(2, "width, height"), BOOLEAN("nchw", FLAGS(0, O | L))))
NNA_OP(transpose_conv, TRANSPOSE_CONV_2D,
       CONVOLUTION(INT_N(7, PADDINGS ", " STRIDES ", activation"), BOOLEAN("nchw", FLAGS(0, O))),
       CONVOLUTION(TENSOR(I32, "output shape"),
		   INT_N(4, "padding scheme, " STRIDES ", activation"),
		   BOOLEAN("nchw", FLAGS(0, O))))
NNA_OP(batch_matmul, BATCH_MATMUL,
       FORM(F | I32 | N8, F | I32 | Q8,
	    IN(T_N(2, "a, b", FROM(2)),
	       BOOLEAN_N(2, "transpose a, transpose b", FLAGS(0, O | L))),
	    OUT(T("output"))))
NNA_OP(l2_normalization, L2_NORMALIZATION,
       FORM(F | Q8, F | Q8, IN(T("input", UP_TO(4)), INT("axis", LAST)),
	    OUT(T("output"))))
NNA_OP(local_response_normalization, LOCAL_RESPONSE_NORMALIZATION,
       FORM(F, F,
	    IN(T("input", UP_TO(4)), INT("radius"), FLOAT_N(3, "bias, alpha, beta"),
	       INT("axis", LAST)),
	    OUT(T("output"))))
NNA_OP(instance_normalization, INSTANCE_NORMALIZATION,
       FORM(F, F,
	    IN(T("input", EXACT(4)), FLOAT_N(3, "gamma, beta, epsilon"), BOOLEAN("nchw")),
	    OUT(T("output", EXACT(4)))))
NNA_OP(hashtable_lookup, HASHTABLE_LOOKUP,
       FORM(F32 | I32 | U8, F | I32 | Q8,
	    IN(TENSOR_N(2, I32, "lookups, keys", EXACT(1)), T("values")),
	    OUT(T("output", FROM(2)), TENSOR(U8, "hits", EXACT(1)))))

/* For Android an activation may be without a value. */
NNA_OP(rnn, RNN,
       FORM(F, F,
	    IN(T_N(3, "input, weights, recurrent weights", EXACT(2)), T("bias", EXACT(1)),
	       T("state", EXACT(2)), INT("activation", FLAGS(O, 0))),
	    OUT(T_N(2, "state, output", EXACT(2)))))
NNA_OP(unidirectional_rnn, UNIDIRECTIONAL_SEQUENCE_RNN,
       FORM(F, F,
	    IN(T("input", EXACT(3)), T_N(2, "weights, recurrent weights", EXACT(2)),
	       T("bias", EXACT(1)), T("state", EXACT(2)), INT_N(2, "activation, time major")),
	    OUT(T("outputs", EXACT(3)), T("last state", EXACT(2), FLAGS(L, L)))))
NNA_OP(bidirectional_rnn, BIDIRECTIONAL_SEQUENCE_RNN,
       BIDIRECTIONAL_RNN(T_N(2, "forward outputs, backward outputs", EXACT(3)),
			 T_N(2, "last forward state, last backward state", EXACT(2), FLAGS(L, L))),
       BIDIRECTIONAL_RNN(T("outputs", EXACT(3)),
			 T_N(2, "last forward state, last backward state", EXACT(2), FLAGS(L, L))))
NNA_OP(lstm, LSTM,
       FORM(F, F,
	    IN(T("input", EXACT(2)), CELL(""), T_N(2, "output state, cell state", EXACT(2)),
	       INT("activation"), FLOAT_N(2, "cell clip, projection clip"),
	       T_N(4, NORMS(""), EXACT(1), LAST)),
	    OUT(T_N(4, "scratch, output state, cell state, output", EXACT(2)))))
NNA_OP(unidirectional_lstm, UNIDIRECTIONAL_SEQUENCE_LSTM,
       FORM(F, F,
	    IN(T("input", EXACT(3)), CELL(""), T_N(2, "output state, cell state", EXACT(2)),
	       INT("activation"), FLOAT_N(2, "cell clip, projection clip"), BOOLEAN("time major"),
	       T_N(4, NORMS(""), EXACT(1), FLAGS(O, O | L))),
	    OUT(T("outputs", EXACT(3)), T_N(2, "output state, cell state", EXACT(2), FLAGS(L, L)))),
       FORM(N8, N8,
	    IN(T("input", EXACT(3)), CELL8(), T("output state", EXACT(2)),
	       TENSOR(S16, "cell state", EXACT(2)), INT("activation"),
	       FLOAT_N(2, "cell clip, projection clip"), BOOLEAN("time major"),
	       FIXED_N(4, S16 | F32, S16, NORMS(""), EXACT(1), FLAGS(O, O | L))),
	    OUT(T("outputs", EXACT(3)), T("output state", EXACT(2), FLAGS(L, L)),
		TENSOR(S16, "cell state", EXACT(2)))))
/* With or without state outputs, merged or not: 1, 2, 5 or 6 outputs. */
NNA_OP(bidirectional_lstm, BIDIRECTIONAL_SEQUENCE_LSTM,
       BIDIRECTIONAL_LSTM(T_N(2, "forward outputs, backward outputs", EXACT(3))),
       BIDIRECTIONAL_LSTM(T("outputs", EXACT(3))))
NNA_OP(svdf, SVDF,
       FORM(F, F,
	    IN(T_N(3, "input, feature weights, time weights", EXACT(2)),
	       T("bias", EXACT(1), OPTIONAL), T("state", EXACT(2)), INT("rank"),
	       INT("activation", FLAGS(O, 0))),
	    OUT(T_N(2, "state, output", EXACT(2)))))

NNA_OP(axis_aligned_bbox_transform, AXIS_ALIGNED_BBOX_TRANSFORM,
       FORM(F | A16, F | A16,
	    IN(T("boxes", EXACT(2)), DELTA("deltas", EXACT(2)), TENSOR(I32, "images", EXACT(1)),
	       T("sizes", EXACT(2))),
	    OUT(T("boxes", EXACT(2)))))
NNA_OP(box_with_nms_limit, BOX_WITH_NMS_LIMIT,
       FORM(F | Q8, F | Q8,
	    IN(T("scores", EXACT(2)), BOX("boxes", EXACT(2)), TENSOR(I32, "images", EXACT(1)),
	       FLOAT("score threshold"), INT_N(2, "most, kernel"),
	       FLOAT_N(3, "IoU threshold, sigma, score floor")),
	    OUT(T("scores", EXACT(1)), BOX("boxes", EXACT(2)),
		TENSOR_N(2, I32, "classes, images", EXACT(1)))))
NNA_OP(generate_proposals, GENERATE_PROPOSALS,
       FORM(F | Q8, F | Q8,
	    IN(T_N(2, "scores, deltas", EXACT(4)), ANCHOR("anchors", EXACT(2)),
	       BOX("sizes", EXACT(2)), FLOAT_N(2, "stride h, stride w"),
	       INT_N(2, "most before, most after"), FLOAT_N(2, "IoU threshold, least size"),
	       BOOLEAN("nchw")),
	    OUT(T("scores", EXACT(1)), BOX("boxes", EXACT(2)), TENSOR(I32, "images", EXACT(1)))))
NNA_OP(detection_postprocessing, DETECTION_POSTPROCESSING,
       FORM(F, F,
	    IN(T_N(2, "scores, deltas", EXACT(3)), T("anchors", EXACT(2)),
	       FLOAT_N(4, "dy scale, dx scale, dh scale, dw scale"), BOOLEAN("regular"),
	       INT_N(3, "most, classes, most of class"),
	       FLOAT_N(2, "score threshold, IoU threshold"), BOOLEAN("background")),
	    OUT(T("scores", EXACT(2)), T("boxes", EXACT(3)), TENSOR(I32, "labels", EXACT(2)),
		TENSOR(I32, "count", EXACT(1)))))
NNA_OP(roi_align, ROI_ALIGN,
       FORM(F | Q8, F | Q8,
	    IN(T("images", EXACT(4)), BOX("regions", EXACT(2)), TENSOR(I32, "batches", EXACT(1)),
	       INT_N(2, "height, width"), FLOAT_N(2, "stride h, stride w"),
	       INT_N(2, "samples h, samples w"), BOOLEAN("nchw")),
	    OUT(T("output", EXACT(4)))))
NNA_OP(roi_pooling, ROI_POOLING,
       FORM(F | Q8, F | Q8,
	    IN(T("images", EXACT(4)), BOX("regions", EXACT(2)), TENSOR(I32, "batches", EXACT(1)),
	       INT_N(2, "height, width"), FLOAT_N(2, "stride h, stride w"), BOOLEAN("nchw")),
	    OUT(T("output", EXACT(4)))))

/* The subgraphs say which types the inputs and outputs have. */
/* Android takes a condition without a value, and no device can run it. */
NNA_OP(if, IF,
       FORM_FIXED(IN(TENSOR(B8, "condition", FLAGS(O, 0)),
		     SUBGRAPH_N(2, "then, else"),
		     FIXED_N(NNA_MANY, ANDROID_TYPES, ANY_TYPE, "input",
			     FLAGS(O | NNA_NONE_WILL_DO, O | NNA_NONE_WILL_DO))),
		  OUT(FIXED_N(NNA_MANY, ANDROID_TYPES, ANY_TYPE, "output"))))
NNA_OP(while, WHILE,
       FORM_FIXED(IN(SUBGRAPH_N(2, "condition, body"),
		     FIXED_N(NNA_MANY, ANDROID_TYPES, ANY_TYPE, "input", OPTIONAL)),
		  OUT(FIXED_N(NNA_MANY, ANDROID_TYPES, ANY_TYPE, "output"))))
NNA_OP(quantized_16bit_lstm, QUANTIZED_16BIT_LSTM,
       FORM_FIXED(IN(TENSOR(U8, "input", EXACT(2)),
		     TENSOR_N(8, U8, WEIGHTS_OF("") ", " RECURRENT_OF(""), EXACT(2)),
		     TENSOR_N(4, I32, BIASES_OF(""), EXACT(1)), TENSOR(S16, "cell state", EXACT(2)),
		     TENSOR(U8, "last output", EXACT(2))),
		  OUT(TENSOR(S16, "cell state", EXACT(2)), TENSOR(U8, "output", EXACT(2)))))
/* For Android the clips may be without a value. */
NNA_OP(quantized_lstm, QUANTIZED_LSTM,
       FORM_FIXED(IN(TENSOR(N8, "input", EXACT(2)),
		     FIXED_CELL(S8, S8, S8, S8, S16, S16, I32, I32),
		     TENSOR(N8, "output state", EXACT(2)), TENSOR(S16, "cell state", EXACT(2)),
		     TENSOR_N(4, S16, NORMS(""), EXACT(1), OPTIONAL),
		     SCALAR_N(2, FLOAT32, "cell clip, projection clip", FLAGS(O, 0)),
		     SCALAR_N(4, FLOAT32, "input gate scale, forget gate scale, cell gate scale, "
					  "output gate scale"),
		     INT("hidden zero point"), SCALAR_N(1, FLOAT32, "hidden scale")),
		  OUT(TENSOR(N8, "output state", EXACT(2)), TENSOR(S16, "cell state", EXACT(2)),
		      TENSOR(N8, "output", EXACT(2)))))
