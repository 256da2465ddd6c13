// SPDX-License-Identifier: MIT
/*
 * TFLite keeps the options of each kind of operator in a structure of ints, enums, floats and
 * bools. A table gives, for each member of struct tflite_options, its byte offset in TFLite's
 * structure. TFLite only appends to these structures. Its enums are the schema's plus 1 where
 * TFLite has a number 0 for "unknown".
 */
#include "frontend/delegate/parameters.h"

#include <string.h>

/* SHRUNK is an enum whose numbers are the schema's plus 1. */
enum kind { SMALL, SHRUNK, TYPE, I32, I64, F32, BOOLEAN, LIST, BOUNDARIES, LONGS, EIGHT_LONGS };

/* The most numbers of a list: TFLite's structures hold 8, followed by their count but for one. */
#define LIST_ROOM 8

static const struct field {
	uint16_t code;
	uint8_t kind;
	uint8_t from;
	uint16_t to;
} FIELDS[] = {
#define F(name, kind, from, member) \
	{ TFLITE_##name, kind, from, offsetof(struct tflite_options, member) }
#define POOL(name) \
	F(name, SHRUNK, 0, padding), \
	F(name, I32, 4, stride_w), \
	F(name, I32, 8, stride_h), \
	F(name, I32, 12, filter_w), \
	F(name, I32, 16, filter_h), \
	F(name, SMALL, 20, activation)
#define VOLUME(name) \
	F(name, SHRUNK, 0, padding), \
	F(name, I32, 4, stride_w), \
	F(name, I32, 8, stride_h), \
	F(name, I32, 12, stride_d), \
	F(name, I32, 16, dilation_w), \
	F(name, I32, 20, dilation_h), \
	F(name, I32, 24, dilation_d), \
	F(name, SMALL, 28, activation)
	F(ADD, SMALL, 0, activation),
	F(ADD, BOOLEAN, 4, power_scales),
	F(SUB, SMALL, 0, activation),
	F(SUB, BOOLEAN, 4, power_scales),
	F(MUL, SMALL, 0, activation),
	F(DIV, SMALL, 0, activation),
	F(L2_NORMALIZATION, SMALL, 0, activation),
	POOL(AVERAGE_POOL_2D),
	POOL(MAX_POOL_2D),
	POOL(L2_POOL_2D),
	F(CONCATENATION, I32, 0, axis),
	F(CONCATENATION, SMALL, 4, activation),
	F(CONV_2D, SHRUNK, 0, padding),
	F(CONV_2D, I32, 4, stride_w),
	F(CONV_2D, I32, 8, stride_h),
	F(CONV_2D, SMALL, 12, activation),
	F(CONV_2D, I32, 16, dilation_w),
	F(CONV_2D, I32, 20, dilation_h),
	F(DEPTHWISE_CONV_2D, SHRUNK, 0, padding),
	F(DEPTHWISE_CONV_2D, I32, 4, stride_w),
	F(DEPTHWISE_CONV_2D, I32, 8, stride_h),
	F(DEPTHWISE_CONV_2D, I32, 12, depth_multiplier),
	F(DEPTHWISE_CONV_2D, SMALL, 16, activation),
	F(DEPTHWISE_CONV_2D, I32, 20, dilation_w),
	F(DEPTHWISE_CONV_2D, I32, 24, dilation_h),
	VOLUME(CONV_3D),
	VOLUME(CONV_3D_TRANSPOSE),
	F(TRANSPOSE_CONV, SHRUNK, 0, padding),
	F(TRANSPOSE_CONV, I32, 4, stride_w),
	F(TRANSPOSE_CONV, I32, 8, stride_h),
	F(TRANSPOSE_CONV, SMALL, 12, activation),
	F(TRANSPOSE_CONV, SMALL, 16, bias_type),
	F(FULLY_CONNECTED, SMALL, 0, activation),
	F(FULLY_CONNECTED, SMALL, 4, weights_format),
	F(FULLY_CONNECTED, BOOLEAN, 8, keep_num_dims),
	F(FULLY_CONNECTED, BOOLEAN, 9, asymmetric),
	F(BATCH_MATMUL, BOOLEAN, 0, adj_x),
	F(BATCH_MATMUL, BOOLEAN, 1, adj_y),
	F(BATCH_MATMUL, BOOLEAN, 2, asymmetric),
	F(LOCAL_RESPONSE_NORMALIZATION, I32, 0, radius),
	F(LOCAL_RESPONSE_NORMALIZATION, F32, 4, bias),
	F(LOCAL_RESPONSE_NORMALIZATION, F32, 8, alpha),
	F(LOCAL_RESPONSE_NORMALIZATION, F32, 12, beta),
	F(SOFTMAX, F32, 0, beta),
	F(LEAKY_RELU, F32, 0, alpha),
	F(GELU, BOOLEAN, 0, approximate),
	F(FAKE_QUANT, F32, 0, min),
	F(FAKE_QUANT, F32, 4, max),
	F(FAKE_QUANT, I32, 8, num_bits),
	F(FAKE_QUANT, BOOLEAN, 12, narrow_range),
	F(RESHAPE, LIST, 0, ints),
	F(SQUEEZE, LIST, 0, ints),
	F(BUCKETIZE, BOUNDARIES, 0, ints),
	F(SPACE_TO_DEPTH, I32, 0, block_size),
	F(DEPTH_TO_SPACE, I32, 0, block_size),
	F(GATHER, I32, 0, axis),
	F(GATHER, I32, 4, batch_dims),
	F(MEAN, BOOLEAN, 0, keep_dims),
	F(SUM, BOOLEAN, 0, keep_dims),
	F(REDUCE_PROD, BOOLEAN, 0, keep_dims),
	F(REDUCE_MAX, BOOLEAN, 0, keep_dims),
	F(REDUCE_MIN, BOOLEAN, 0, keep_dims),
	F(REDUCE_ANY, BOOLEAN, 0, keep_dims),
	F(REDUCE_ALL, BOOLEAN, 0, keep_dims),
	F(STRIDED_SLICE, I32, 0, begin_mask),
	F(STRIDED_SLICE, I32, 4, end_mask),
	F(STRIDED_SLICE, I32, 8, ellipsis_mask),
	F(STRIDED_SLICE, I32, 12, new_axis_mask),
	F(STRIDED_SLICE, I32, 16, shrink_axis_mask),
	F(STRIDED_SLICE, BOOLEAN, 20, end_is_offset),
	F(SPLIT, I32, 0, num),
	F(SPLIT_V, I32, 0, num),
	F(PACK, I32, 0, num),
	F(PACK, I32, 4, axis),
	F(UNPACK, I32, 0, num),
	F(UNPACK, I32, 4, axis),
	F(ONE_HOT, I32, 0, axis),
	F(ARG_MAX, TYPE, 0, out_type),
	F(ARG_MIN, TYPE, 0, out_type),
	F(SHAPE, TYPE, 0, out_type),
	F(MIRROR_PAD, SHRUNK, 0, mirror_mode),
	F(RESIZE_BILINEAR, BOOLEAN, 0, align_corners),
	F(RESIZE_BILINEAR, BOOLEAN, 1, half_pixel_centers),
	F(RESIZE_NEAREST_NEIGHBOR, BOOLEAN, 0, align_corners),
	F(RESIZE_NEAREST_NEIGHBOR, BOOLEAN, 1, half_pixel_centers),
	F(REVERSE_SEQUENCE, I32, 0, axis),
	F(REVERSE_SEQUENCE, I32, 4, batch_dims),
	F(CUMSUM, BOOLEAN, 0, exclusive),
	F(CUMSUM, BOOLEAN, 1, reverse),
	F(SVDF, I32, 0, rank),
	F(SVDF, SMALL, 4, activation),
	F(SVDF, BOOLEAN, 8, asymmetric),
	F(RNN, SMALL, 0, activation),
	F(RNN, BOOLEAN, 4, asymmetric),
	F(UNIDIRECTIONAL_SEQUENCE_RNN, BOOLEAN, 0, time_major),
	F(UNIDIRECTIONAL_SEQUENCE_RNN, SMALL, 4, activation),
	F(UNIDIRECTIONAL_SEQUENCE_RNN, BOOLEAN, 8, asymmetric),
	F(LSTM, SMALL, 0, activation),
	F(LSTM, F32, 4, cell_clip),
	F(LSTM, F32, 8, proj_clip),
	F(LSTM, SMALL, 12, kernel_type),
	F(LSTM, BOOLEAN, 16, asymmetric),
	F(UNIDIRECTIONAL_SEQUENCE_LSTM, SMALL, 0, activation),
	F(UNIDIRECTIONAL_SEQUENCE_LSTM, F32, 4, cell_clip),
	F(UNIDIRECTIONAL_SEQUENCE_LSTM, F32, 8, proj_clip),
	F(UNIDIRECTIONAL_SEQUENCE_LSTM, BOOLEAN, 12, time_major),
	F(UNIDIRECTIONAL_SEQUENCE_LSTM, BOOLEAN, 13, asymmetric),
	F(REDUCE_WINDOW, I32, 0, reduction),
	F(STABLEHLO_PAD, EIGHT_LONGS, 0, pads_before),
	F(STABLEHLO_PAD, EIGHT_LONGS, 64, pads_after),
	F(STABLEHLO_PAD, EIGHT_LONGS, 128, pads_between),
	F(STABLEHLO_GATHER, LONGS, 0, window_dims),
	F(STABLEHLO_GATHER, LONGS, 72, inserted_dims),
	F(STABLEHLO_GATHER, LONGS, 144, scatter_dims),
	F(STABLEHLO_GATHER, I64, 216, vector_dim),
	F(STABLEHLO_GATHER, LONGS, 224, slice_sizes),
#undef POOL
#undef VOLUME
#undef F
};

void delegate_parameters_read(uint32_t code, const void *data, struct tflite_options *options)
{
	size_t i;

	*options = (struct tflite_options){ .dilation_w = 1, .dilation_h = 1, .dilation_d = 1 };
	if (!data)
		return;
	/* Not 0: operators only ask whether there are options. */
	options->type = 1;
	for (i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
		const struct field *f = &FIELDS[i];
		const char *from = (const char *)data + f->from;
		char *to = (char *)options + f->to;
		struct tflite_ints ints = { 0 };
		struct tflite_longs longs = { from, LIST_ROOM };
		int32_t value;

		if (f->code != code)
			continue;
		if (f->kind == BOOLEAN) {
			*(bool *)to = *from != 0;
			continue;
		}
		memcpy(&value, from, sizeof(value));
		switch (f->kind) {
		case SMALL:
			*to = (char)value;
			break;
		case SHRUNK:
			*to = (char)(value - 1);
			/* TFLite has "unknown" where the file has no options. */
			if (!value)
				options->type = 0;
			break;
		case TYPE:
			*to = (char)tflite_runtime_type(value);
			break;
		case LIST:
			memcpy(&value, from + LIST_ROOM * sizeof(int32_t), sizeof(value));
			if (value <= 0 || value > LIST_ROOM)
				break;
			ints.at = (const int32_t *)(const void *)from;
			ints.count = (uint32_t)value;
			memcpy(to, &ints, sizeof(ints));
			break;
		case I64:
			memcpy(to, from, sizeof(int64_t));
			break;
		case LONGS:
			memcpy(&value, from + LIST_ROOM * sizeof(int64_t), sizeof(value));
			longs.count = value > 0 && value <= LIST_ROOM ? (uint32_t)value : 0;
			memcpy(to, &longs, sizeof(longs));
			break;
		case EIGHT_LONGS:
			memcpy(to, &longs, sizeof(longs));
			break;
		case BOUNDARIES:
			ints.count = value > 0 ? (uint32_t)value : 0;
			memcpy(&ints.at, from + sizeof(void *), sizeof(ints.at));
			memcpy(to, &ints, sizeof(ints));
			break;
		default:
			memcpy(to, &value, sizeof(value));
		}
	}
}
