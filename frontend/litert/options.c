// SPDX-License-Identifier: MIT
/*
 * LiteRT has a getter for each option. The table below has them in the order of the runtime's, each
 * with its operator and the member of struct tflite_options that it fills.
 */
#include "frontend/litert/options.h"

#include <string.h>

/* WORD: a uint32_t for a member of 8 bits; LIST: a pointer and its count. SKIP: of no use. */
enum kind { I32, WORD, F32, BOOLEAN, LIST, SKIP };

static const struct getter {
	uint16_t code;
	uint8_t kind;
	uint16_t to;
} GETTERS[LITERT_OPTION_GETTERS] = {
#define G(name, kind, member) { TFLITE_##name, kind, offsetof(struct tflite_options, member) }
#define POOL(name) \
	G(name, WORD, padding), \
	G(name, I32, stride_w), \
	G(name, I32, stride_h), \
	G(name, I32, filter_w), \
	G(name, I32, filter_h), \
	G(name, WORD, activation)
	G(STRIDED_SLICE, I32, begin_mask),
	G(STRIDED_SLICE, I32, end_mask),
	G(STRIDED_SLICE, I32, shrink_axis_mask),
	G(STRIDED_SLICE, I32, ellipsis_mask),
	G(STRIDED_SLICE, I32, new_axis_mask),
	G(STRIDED_SLICE, BOOLEAN, end_is_offset),
	G(SUB, WORD, activation),
	G(SUM, BOOLEAN, keep_dims),
	G(CONV_2D, WORD, padding),
	G(CONV_2D, I32, stride_w),
	G(CONV_2D, I32, stride_h),
	G(CONV_2D, WORD, activation),
	G(CONV_2D, I32, dilation_w),
	G(CONV_2D, I32, dilation_h),
	G(DEPTHWISE_CONV_2D, WORD, padding),
	G(DEPTHWISE_CONV_2D, I32, stride_w),
	G(DEPTHWISE_CONV_2D, I32, stride_h),
	G(DEPTHWISE_CONV_2D, I32, depth_multiplier),
	G(DEPTHWISE_CONV_2D, WORD, activation),
	G(DEPTHWISE_CONV_2D, I32, dilation_w),
	G(DEPTHWISE_CONV_2D, I32, dilation_h),
	G(TRANSPOSE_CONV, WORD, padding),
	G(TRANSPOSE_CONV, I32, stride_w),
	G(TRANSPOSE_CONV, I32, stride_h),
	G(TRANSPOSE_CONV, WORD, activation),
	G(ADD, WORD, activation),
	G(MUL, WORD, activation),
	G(DIV, WORD, activation),
	G(FULLY_CONNECTED, WORD, activation),
	G(FULLY_CONNECTED, WORD, weights_format),
	G(FULLY_CONNECTED, BOOLEAN, keep_num_dims),
	G(FULLY_CONNECTED, SKIP, type),
	G(FULLY_CONNECTED, BOOLEAN, asymmetric),
	G(SOFTMAX, F32, beta),
	G(CONCATENATION, I32, axis),
	G(CONCATENATION, WORD, activation),
	G(SPLIT, I32, num),
	G(MEAN, BOOLEAN, keep_dims),
	G(REDUCE_MAX, BOOLEAN, keep_dims),
	G(RESIZE_BILINEAR, BOOLEAN, align_corners),
	G(RESIZE_BILINEAR, BOOLEAN, half_pixel_centers),
	G(RESIZE_NEAREST_NEIGHBOR, BOOLEAN, align_corners),
	G(RESIZE_NEAREST_NEIGHBOR, BOOLEAN, half_pixel_centers),
	G(BATCH_MATMUL, BOOLEAN, adj_x),
	G(BATCH_MATMUL, BOOLEAN, adj_y),
	G(BATCH_MATMUL, BOOLEAN, asymmetric),
	POOL(AVERAGE_POOL_2D),
	POOL(MAX_POOL_2D),
	G(LEAKY_RELU, F32, alpha),
	G(RESHAPE, LIST, ints),
	G(REDUCE_MIN, BOOLEAN, keep_dims),
	G(REDUCE_ANY, BOOLEAN, keep_dims),
	G(REDUCE_ALL, BOOLEAN, keep_dims),
	G(PACK, I32, axis),
	G(PACK, I32, num),
	G(ONE_HOT, I32, axis),
	G(UNPACK, I32, axis),
	G(UNPACK, I32, num),
	G(GATHER, I32, axis),
	G(GATHER, I32, batch_dims),
	G(CONV_3D, WORD, padding),
	G(CONV_3D, I32, stride_d),
	G(CONV_3D, I32, stride_w),
	G(CONV_3D, I32, stride_h),
	G(CONV_3D, WORD, activation),
	G(CONV_3D, I32, dilation_d),
	G(CONV_3D, I32, dilation_w),
	G(CONV_3D, I32, dilation_h),
	POOL(L2_POOL_2D),
	G(DEPTH_TO_SPACE, I32, block_size),
	G(SPACE_TO_DEPTH, I32, block_size),
	G(CUMSUM, BOOLEAN, exclusive),
	G(CUMSUM, BOOLEAN, reverse),
	G(GELU, BOOLEAN, approximate),
	G(MIRROR_PAD, WORD, mirror_mode),
	G(SQUEEZE, LIST, ints),
#undef POOL
#undef G
};

_Static_assert(sizeof(GETTERS) / sizeof(GETTERS[0]) == 91, "a getter too many or too few");

static bool read_list(void (*get)(void), struct LiteRtOpT *op, struct tflite_ints *to)
{
	int (*call)(struct LiteRtOpT *, const int32_t **, int32_t *) = (void *)get;
	const int32_t *list = NULL;
	int32_t count = 0;

	if (call(op, &list, &count))
		return false;
	*to = (struct tflite_ints){ 0 };
	if (list && count > 0)
		*to = (struct tflite_ints){ list, (uint32_t)count };
	return true;
}

static bool read_one(const struct getter *g, void (*get)(void), struct LiteRtOpT *op, char *to)
{
	int (*call)(struct LiteRtOpT *, void *) = (void *)get;
	uint32_t word = 0;
	bool yes = false;

	switch (g->kind) {
	case LIST:
		return read_list(get, op, (void *)to);
	case BOOLEAN:
		if (call(op, &yes))
			return false;
		*(bool *)to = yes;
		return true;
	case WORD:
		if (call(op, &word))
			return false;
		*to = (char)word;
		return true;
	case I32:
	case F32:
		if (call(op, &word))
			return false;
		memcpy(to, &word, sizeof(word));
		return true;
	default:
		return false;
	}
}

void litert_options_read(const struct LiteRtCompilerContext *context, struct LiteRtOpT *op,
			 struct tflite_operator *operator)
{
	struct tflite_options *o = &operator->options;

	*o = (struct tflite_options){ .dilation_w = 1, .dilation_h = 1, .dilation_d = 1 };
	for (uint32_t i = 0; i < LITERT_OPTION_GETTERS; i++) {
		const struct getter *g = &GETTERS[i];

		/* Not 0: operators only ask whether there are options. */
		if (g->code == operator->code && LITERT_HAS(context, options[i]) &&
		    read_one(g, context->options[i], op, (char *)o + g->to))
			o->type = 1;
	}
}

static const struct tflite_tensor *tensor_at(const struct tflite_subgraph *sub,
					     const struct tflite_ints *list, uint32_t index)
{
	return index < list->count && list->at[index] >= 0 ? &sub->tensors[list->at[index]] : NULL;
}

/* The stride of a transposed convolution with padding SAME: its output is that much larger. */
static int32_t stride_of(const struct tflite_tensor *x, const struct tflite_tensor *y, uint32_t dim)
{
	if (dim >= x->rank || dim >= y->rank || !x->dims[dim])
		return 1;
	return (int32_t)((y->dims[dim] + x->dims[dim] - 1) / x->dims[dim]);
}

void litert_options_guess(const struct tflite_subgraph *sub, struct tflite_operator *operator)
{
	static const float boundary;
	const struct tflite_tensor *x = tensor_at(sub, &operator->inputs, 0);
	const struct tflite_tensor *y = tensor_at(sub, &operator->outputs, 0);
	struct tflite_options *o = &operator->options;

	if (!x || !y)
		return;
	switch (operator->code) {
	case TFLITE_ARG_MAX:
	case TFLITE_ARG_MIN:
	case TFLITE_SHAPE:
		o->out_type = (int8_t)y->type;
		break;
	case TFLITE_REDUCE_PROD:
		o->keep_dims = x->rank == y->rank;
		break;
	case TFLITE_SPLIT_V:
		o->num = (int32_t)operator->outputs.count;
		break;
	case TFLITE_FAKE_QUANT:
		o->min = -1;
		o->max = 1;
		o->num_bits = 8;
		break;
	case TFLITE_LOCAL_RESPONSE_NORMALIZATION:
		o->radius = 5;
		o->bias = 1;
		o->alpha = 1;
		o->beta = 0.5f;
		break;
	case TFLITE_BUCKETIZE:
		o->ints = (struct tflite_ints){ (const int32_t *)(const void *)&boundary, 1 };
		break;
	case TFLITE_REVERSE_SEQUENCE:
		o->axis = 1;
		break;
	case TFLITE_CONV_3D_TRANSPOSE:
		x = tensor_at(sub, &operator->inputs, 2);
		if (!x)
			return;
		o->stride_d = stride_of(x, y, 1);
		o->stride_h = stride_of(x, y, 2);
		o->stride_w = stride_of(x, y, 3);
		break;
	case TFLITE_L2_NORMALIZATION:
	case TFLITE_SVDF:
	case TFLITE_RNN:
	case TFLITE_LSTM:
	case TFLITE_UNIDIRECTIONAL_SEQUENCE_RNN:
	case TFLITE_UNIDIRECTIONAL_SEQUENCE_LSTM:
		break;
	default:
		return;
	}
	o->type = 1;
}
