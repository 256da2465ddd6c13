// SPDX-License-Identifier: MIT
/*
 * The reader of TFLite models. It reads or copies a file into aligned memory once and walks its
 * tables with flatbuffer.h, which checks every access; this file checks the contents. Fields are
 * named by their numbers in the schema's tables. Subgraphs, tensors and operators get structures,
 * one allocation of each for a subgraph; everything else stays in the file's bytes.
 */
#include "frontend/tflite/tflite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tflite/composite.h"
#include "frontend/tflite/flatbuffer.h"
#include "frontend/tflite/signature.h"
#include "frontend/tflite/packed.h"
#include "frontend/tflite/sparse.h"

#define ALIGNMENT 64
#define LARGE_PAGE ((size_t)2 << 20)
#define MAX_FILE ((uint64_t)4 << 30)
/* No real model has more. The limit bounds the work for a small hostile file. */
#define MAX_SUBGRAPHS 1024
/* The schema's number of BlockwiseQuantization in the union QuantizationDetails. */
#define QUANTISED_BY_BLOCKS 2
/*
 * Limit of tensor numbers of all operators. The size of the file does not bound them, since tables
 * may share vectors.
 */
#define MAX_REFS ((uint64_t)1 << 24)

/**
 * struct unpacked - a buffer of packed numbers in their wider type
 * @data: NULL before it is unpacked; the model owns it
 * @bits: of each of its @elements in the file
 */
struct unpacked {
	const void *data;
	uint64_t elements;
	uint32_t bits;
};

/**
 * struct parser - a model while it is read
 * @codes: the file's table of operator codes
 * @buffers: the file's table of buffers
 * @aligned: for each buffer NULL, or an aligned copy of its bytes, which the model owns
 * @unpacked: for each buffer its numbers in their wider type, if they are packed; NULL if none is
 * @copied: bytes of all copies
 * @dense: bytes of all sparse constants in dense form
 * @refs: tensor numbers read so far
 * @tensor_count: of the subgraph that is being read
 * @tensor, @operator: what is being read; NULL for none
 * @index: its number
 * @error: the caller's memory for a message
 */
struct parser {
	struct tflite_model *model;
	struct flatbuffer fb;
	struct flatbuffer_vector codes, buffers;
	const void **aligned;
	struct unpacked *unpacked;
	uint64_t copied, dense;
	uint64_t refs;
	uint32_t tensor_count;
	const struct tflite_tensor *tensor;
	const struct tflite_operator *operator;
	uint32_t index;
	char *error;
};

/*
 * Refuses a file: one line with what is wrong and what it must have, both string literals, with the
 * arguments of both. Evaluates to -EINVAL.
 */
#define refuse(p, wrong, ...) say(p, -EINVAL, wrong "; expected " __VA_ARGS__)

/* Writes the line, which names the tensor or operator that is being read. Return: @ret. */
static __attribute__((format(printf, 3, 4))) int say(struct parser *p, int ret, const char *format,
						     ...)
{
	char name[64] = "";
	size_t n = 0;
	va_list ap;

	if (p->tensor && p->tensor->name)
		tflite_printable(p->tensor->name, name, sizeof(name));
	if (p->tensor)
		n = (size_t)snprintf(p->error, TFLITE_ERROR_SIZE, "tensor %u%s%s%s: ", p->index,
				     *name ? " \"" : "", name, *name ? "\"" : "");
	else if (p->operator)
		n = (size_t)snprintf(p->error, TFLITE_ERROR_SIZE, "operator %u: ", p->index);
	va_start(ap, format);
	vsnprintf(p->error + n, TFLITE_ERROR_SIZE - n, format, ap);
	va_end(ap);
	return ret;
}

static int damaged(struct parser *p, const char *what)
{
	return refuse(p, "a truncated or damaged file (%s)",
		      "a whole one: download or convert it again", what);
}

static int too_few(struct parser *p, uint64_t size, uint64_t bytes)
{
	return refuse(p, "%llu bytes of data", "%llu or more, for its shape",
		      (unsigned long long)size, (unsigned long long)bytes);
}

/* -------------------------------------------------------------------------------------- options */

enum option_kind { I8, I32, I64, F32, BOOLEAN, INTS, LONGS, STRING };

/*
 * The place of each member of tflite_options in the file: number of the table in the schema's
 * union, number of the field in the table.
 */
static const struct option_field {
	uint8_t type;
	uint8_t field;
	uint8_t kind;
	uint16_t offset;
} OPTION_FIELDS[] = {
#define F(type, field, kind, member) { type, field, kind, offsetof(struct tflite_options, member) }
	/* Conv2D */
	F(1, 0, I8, padding),
	F(1, 1, I32, stride_w),
	F(1, 2, I32, stride_h),
	F(1, 3, I8, activation),
	F(1, 4, I32, dilation_w),
	F(1, 5, I32, dilation_h),
	/* DepthwiseConv2D */
	F(2, 0, I8, padding),
	F(2, 1, I32, stride_w),
	F(2, 2, I32, stride_h),
	F(2, 3, I32, depth_multiplier),
	F(2, 4, I8, activation),
	F(2, 5, I32, dilation_w),
	F(2, 6, I32, dilation_h),
	/* Pool2D */
	F(5, 0, I8, padding),
	F(5, 1, I32, stride_w),
	F(5, 2, I32, stride_h),
	F(5, 3, I32, filter_w),
	F(5, 4, I32, filter_h),
	F(5, 5, I8, activation),
	/* SVDF, RNN */
	F(6, 0, I32, rank),
	F(6, 1, I8, activation),
	F(7, 0, I8, activation),
	/* FullyConnected */
	F(8, 0, I8, activation),
	F(8, 1, I8, weights_format),
	F(8, 2, BOOLEAN, keep_num_dims),
	/* Softmax, Concatenation, Add, L2Norm */
	F(9, 0, F32, beta),
	F(10, 0, I32, axis),
	F(10, 1, I8, activation),
	F(11, 0, I8, activation),
	F(11, 1, BOOLEAN, power_scales),
	F(12, 0, I8, activation),
	/* LocalResponseNormalization */
	F(13, 0, I32, radius),
	F(13, 1, F32, bias),
	F(13, 2, F32, alpha),
	F(13, 3, F32, beta),
	/* LSTM */
	F(14, 0, I8, activation),
	F(14, 1, F32, cell_clip),
	F(14, 2, F32, proj_clip),
	F(14, 3, I8, kernel_type),
	/* ResizeBilinear; current converters do not write its first two fields */
	F(15, 2, BOOLEAN, align_corners),
	F(15, 3, BOOLEAN, half_pixel_centers),
	/* Reshape, SpaceToDepth, Mul, Gather, Reducer, Sub, Div, Squeeze */
	F(17, 0, INTS, ints),
	F(19, 0, I32, block_size),
	F(21, 0, I8, activation),
	F(23, 0, I32, axis),
	F(23, 1, I32, batch_dims),
	F(27, 0, BOOLEAN, keep_dims),
	F(28, 0, I8, activation),
	F(28, 1, BOOLEAN, power_scales),
	F(29, 0, I8, activation),
	F(30, 0, INTS, ints),
	/* SequenceRNN */
	F(31, 0, BOOLEAN, time_major),
	F(31, 1, I8, activation),
	/* StridedSlice */
	F(32, 0, I32, begin_mask),
	F(32, 1, I32, end_mask),
	F(32, 2, I32, ellipsis_mask),
	F(32, 3, I32, new_axis_mask),
	F(32, 4, I32, shrink_axis_mask),
	F(32, 5, BOOLEAN, end_is_offset),
	/* Split, ArgMax, TransposeConv, Shape, ArgMin, Pack, Unpack */
	F(35, 0, I32, num),
	F(40, 0, I8, out_type),
	F(49, 0, I8, padding),
	F(49, 1, I32, stride_w),
	F(49, 2, I32, stride_h),
	F(49, 3, I8, activation),
	F(49, 4, I8, bias_type),
	F(55, 0, I8, out_type),
	F(57, 0, I8, out_type),
	F(59, 0, I32, num),
	F(59, 1, I32, axis),
	F(64, 0, I32, num),
	F(64, 1, I32, axis),
	/* UnidirectionalSequenceLSTM */
	F(71, 0, I8, activation),
	F(71, 1, F32, cell_clip),
	F(71, 2, F32, proj_clip),
	F(71, 3, BOOLEAN, time_major),
	/* ResizeNearestNeighbor, LeakyRelu, MirrorPad, SplitV */
	F(74, 0, BOOLEAN, align_corners),
	F(74, 1, BOOLEAN, half_pixel_centers),
	F(75, 0, F32, alpha),
	F(77, 0, I8, mirror_mode),
	F(79, 0, I32, num),
	/* If, While, DepthToSpace, BatchMatMul */
	F(92, 0, I32, subgraph_a),
	F(92, 1, I32, subgraph_b),
	F(93, 0, I32, subgraph_a),
	F(93, 1, I32, subgraph_b),
	F(94, 0, I32, block_size),
	F(101, 0, BOOLEAN, adj_x),
	F(101, 1, BOOLEAN, adj_y),
	F(101, 2, BOOLEAN, asymmetric),
	/* SVDF, RNN, FullyConnected, LSTM, SequenceRNN, UnidirectionalSequenceLSTM */
	F(6, 2, BOOLEAN, asymmetric),
	F(7, 1, BOOLEAN, asymmetric),
	F(8, 3, BOOLEAN, asymmetric),
	F(14, 4, BOOLEAN, asymmetric),
	F(31, 2, BOOLEAN, asymmetric),
	F(71, 4, BOOLEAN, asymmetric),
	/* FakeQuant, OneHot, BidirectionalSequenceLSTM, BidirectionalSequenceRNN */
	F(58, 0, F32, min),
	F(58, 1, F32, max),
	F(58, 2, I32, num_bits),
	F(58, 3, BOOLEAN, narrow_range),
	F(61, 0, I32, axis),
	F(69, 0, I8, activation),
	F(69, 1, F32, cell_clip),
	F(69, 2, F32, proj_clip),
	F(69, 3, BOOLEAN, merge_outputs),
	F(69, 4, BOOLEAN, time_major),
	F(69, 5, BOOLEAN, asymmetric),
	F(70, 0, BOOLEAN, time_major),
	F(70, 1, I8, activation),
	F(70, 2, BOOLEAN, merge_outputs),
	F(70, 3, BOOLEAN, asymmetric),
	/* ReverseSequence, Cumsum, CallOnce, Conv3D */
	F(87, 0, I32, axis),
	F(87, 1, I32, batch_dims),
	F(102, 0, BOOLEAN, exclusive),
	F(102, 1, BOOLEAN, reverse),
	F(103, 0, I32, subgraph_a),
	F(106, 0, I8, padding),
	F(106, 1, I32, stride_d),
	F(106, 2, I32, stride_w),
	F(106, 3, I32, stride_h),
	F(106, 4, I8, activation),
	F(106, 5, I32, dilation_d),
	F(106, 6, I32, dilation_w),
	F(106, 7, I32, dilation_h),
	/* VarHandle, Bucketize, Gelu */
	F(111, 0, STRING, container),
	F(111, 1, STRING, shared_name),
	F(115, 0, INTS, ints),
	F(116, 0, BOOLEAN, approximate),
	/* StablehloScatter, StablehloPad, StablehloReduceWindow, StablehloGather */
	F(TFLITE_OPTIONS_2 + 7, 1, LONGS, window_dims),
	F(TFLITE_OPTIONS_2 + 7, 2, LONGS, inserted_dims),
	F(TFLITE_OPTIONS_2 + 7, 3, LONGS, scatter_dims),
	F(TFLITE_OPTIONS_2 + 7, 4, I64, vector_dim),
	F(TFLITE_OPTIONS_2 + 7, 6, I32, subgraph_a),
	F(TFLITE_OPTIONS_2 + 10, 0, LONGS, pads_before),
	F(TFLITE_OPTIONS_2 + 10, 1, LONGS, pads_after),
	F(TFLITE_OPTIONS_2 + 10, 2, LONGS, pads_between),
	F(TFLITE_OPTIONS_2 + 13, 0, LONGS, window_dims),
	F(TFLITE_OPTIONS_2 + 13, 1, LONGS, window_strides),
	F(TFLITE_OPTIONS_2 + 13, 2, LONGS, base_dilations),
	F(TFLITE_OPTIONS_2 + 13, 3, LONGS, window_dilations),
	F(TFLITE_OPTIONS_2 + 13, 4, LONGS, paddings),
	F(TFLITE_OPTIONS_2 + 13, 5, I32, subgraph_a),
	F(TFLITE_OPTIONS_2 + 16, 0, LONGS, window_dims),
	F(TFLITE_OPTIONS_2 + 16, 1, LONGS, inserted_dims),
	F(TFLITE_OPTIONS_2 + 16, 2, LONGS, scatter_dims),
	F(TFLITE_OPTIONS_2 + 16, 3, I64, vector_dim),
	F(TFLITE_OPTIONS_2 + 16, 4, LONGS, slice_sizes),
	/* ReduceWindow, StableHLOComposite, StablehloCase */
	F(TFLITE_OPTIONS_2 + 20, 0, I32, reduction),
	F(TFLITE_OPTIONS_2 + 21, 0, STRING, name),
	F(TFLITE_OPTIONS_2 + 21, 1, I32, subgraph_a),
	F(TFLITE_OPTIONS_2 + 23, 0, INTS, ints),
#undef F
};

static struct tflite_ints ints_of(const struct parser *p, const struct flatbuffer_vector *v)
{
	struct tflite_ints ints = { NULL, v->count };

	/* Both the vector and the base are 4-byte aligned. */
	if (v->count)
		ints.at = (const int32_t *)(const void *)(p->fb.base + v->at);
	return ints;
}

static int parse_options(struct parser *p, const struct flatbuffer_table *operator,
			 struct tflite_options *o)
{
	struct flatbuffer_table table;
	struct flatbuffer_vector v;
	uint8_t type = 0, flag;
	bool present;
	size_t i;

	o->dilation_w = 1;
	o->dilation_h = 1;
	o->dilation_d = 1;
	if (!flatbuffer_scalar(&p->fb, operator, 3, 1, &type) ||
	    !flatbuffer_table(&p->fb, operator, 4, &table, &present))
		return damaged(p, "operator options");
	if (!type) {
		if (!flatbuffer_scalar(&p->fb, operator, 11, 1, &type) ||
		    !flatbuffer_table(&p->fb, operator, 12, &table, &present))
			return damaged(p, "operator options");
		type = type && type < TFLITE_OPTIONS_2 ? type + TFLITE_OPTIONS_2 : 0;
	}
	if (!type || !present)
		return 0;
	o->type = type;
	/* BidirectionalSequenceLSTM, Add and Sub; the schema's other defaults are 0. */
	o->time_major = type == 69;
	o->power_scales = type == 11 || type == 28;
	for (i = 0; i < sizeof(OPTION_FIELDS) / sizeof(OPTION_FIELDS[0]); i++) {
		const struct option_field *f = &OPTION_FIELDS[i];
		char *to = (char *)o + f->offset;

		if (f->type != type)
			continue;
		switch (f->kind) {
		case I8:
			if (!flatbuffer_scalar(&p->fb, &table, f->field, 1, to))
				return damaged(p, "operator options");
			break;
		case I32:
		case F32:
			if (!flatbuffer_scalar(&p->fb, &table, f->field, 4, to))
				return damaged(p, "operator options");
			break;
		case I64:
			if (!flatbuffer_scalar(&p->fb, &table, f->field, 8, to))
				return damaged(p, "operator options");
			break;
		case BOOLEAN:
			flag = *(const bool *)to;
			if (!flatbuffer_scalar(&p->fb, &table, f->field, 1, &flag))
				return damaged(p, "operator options");
			*(bool *)to = flag != 0;
			break;
		case STRING:
			if (!flatbuffer_string(&p->fb, &table, f->field,
					       (const char **)(void *)to))
				return damaged(p, "operator options");
			break;
		case INTS:
			if (!flatbuffer_vector(&p->fb, &table, f->field, 4, &v))
				return damaged(p, "operator options");
			*(struct tflite_ints *)(void *)to = ints_of(p, &v);
			break;
		case LONGS:
			if (!flatbuffer_vector(&p->fb, &table, f->field, 8, &v))
				return damaged(p, "operator options");
			*(struct tflite_longs *)(void *)to = (struct tflite_longs){
				v.count ? p->fb.base + v.at : NULL, v.count };
			break;
		}
	}
	return 0;
}

/* --------------------------------------------------------------------------- tensors, operators */

/*
 * The bytes of a buffer: a vector, or in large models an offset from the start of the file to bytes
 * after the flatbuffer.
 */
static int parse_buffer(struct parser *p, uint32_t index, const void **data, uint64_t *size)
{
	struct flatbuffer_table table;
	struct flatbuffer_vector v;
	uint64_t offset = 0, length = 0;

	*data = NULL;
	*size = 0;
	if (index >= p->buffers.count)
		return damaged(p, "a tensor's buffer does not exist");
	if (!flatbuffer_element(&p->fb, &p->buffers, index, &table) ||
	    !flatbuffer_vector(&p->fb, &table, 0, 1, &v) ||
	    !flatbuffer_scalar(&p->fb, &table, 1, 8, &offset) ||
	    !flatbuffer_scalar(&p->fb, &table, 2, 8, &length))
		return damaged(p, "buffers");
	if (v.count) {
		*data = p->fb.base + v.at;
		*size = v.count;
	} else if (offset > 1) {
		if (offset > p->fb.size || p->fb.size - offset < length)
			return damaged(p, "buffers");
		*data = length ? p->fb.base + offset : NULL;
		*size = length;
	}
	return 0;
}

/*
 * Aligns the bytes of a constant to its elements. Converters align them to 4 or 16 bytes, other
 * tools not at all. Each buffer is copied once. Buffers of a sound file do not overlap, so the
 * copies take no more memory than the file.
 */
static int align_constant(struct parser *p, uint32_t buffer, uint32_t element, uint64_t size,
			  const void **data)
{
	void *copy;

	if ((uintptr_t)*data % element == 0)
		return 0;
	if (!p->aligned) {
		p->aligned = calloc(p->buffers.count, sizeof(*p->aligned));
		if (!p->aligned)
			return -ENOMEM;
	}
	if (!p->aligned[buffer]) {
		if (p->fb.size - p->copied < size)
			return damaged(p, "buffers overlap");
		p->copied += size;
		copy = tflite_derive(p->model, size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, *data, size);
		p->aligned[buffer] = copy;
	}
	*data = p->aligned[buffer];
	return 0;
}

/*
 * Unpacks a constant of a packed type. Tensors of several subgraphs share a buffer, which is
 * unpacked once. As buffers of a sound file do not overlap, the numbers take four times its size at
 * most.
 */
static int unpack_constant(struct parser *p, uint32_t buffer, uint32_t bits,
			   struct tflite_tensor *t, const void **data, uint64_t *size)
{
	const uint32_t wide = tflite_unpacked_type(bits);
	const uint64_t bytes = (t->elements * bits + 7) / 8;
	struct unpacked *u;
	void *to;

	if (*size < bytes)
		return too_few(p, *size, bytes);
	if (!p->unpacked) {
		p->unpacked = calloc(p->buffers.count, sizeof(*p->unpacked));
		if (!p->unpacked)
			return -ENOMEM;
	}
	u = &p->unpacked[buffer];
	if (!u->data) {
		if (p->fb.size - p->copied < bytes)
			return damaged(p, "buffers overlap");
		p->copied += bytes;
		to = tflite_derive(p->model, t->elements * tflite_type_size(wide));
		if (!to)
			return -ENOMEM;
		tflite_unpack(*data, bits, t->elements, to);
		*u = (struct unpacked){ to, t->elements, bits };
	}
	if (u->bits != bits || u->elements < t->elements)
		return damaged(p, "buffers overlap");
	t->type = wide;
	*data = u->data;
	*size = t->elements * tflite_type_size(wide);
	return 0;
}

/* Scales of blocks lie in a tensor of their own. @q: the quantisation. */
static int parse_blocks(struct parser *p, const struct flatbuffer_table *q, struct tflite_tensor *t)
{
	struct flatbuffer_table blocks;
	int32_t scales = -1, size = 0;
	uint8_t type = 0;
	bool present;

	if (!flatbuffer_scalar(&p->fb, q, 4, 1, &type))
		return damaged(p, "quantisation");
	if (type != QUANTISED_BY_BLOCKS)
		return 0;
	if (!flatbuffer_table(&p->fb, q, 5, &blocks, &present) ||
	    (present && (!flatbuffer_scalar(&p->fb, &blocks, 0, 4, &scales) ||
			 !flatbuffer_scalar(&p->fb, &blocks, 2, 4, &size))))
		return damaged(p, "quantisation");
	if (size < 1 || scales < 0 || (uint32_t)scales >= p->tensor_count)
		return refuse(p, "blocks of %d with scales in tensor %d",
			      "1 or more, and a tensor", size, scales);
	t->block_size = (uint32_t)size;
	t->block_scales = (uint32_t)scales;
	return 0;
}

static int parse_quantisation(struct parser *p, const struct flatbuffer_table *table,
			      struct tflite_tensor *t)
{
	struct flatbuffer_vector scales, zero_points;
	struct flatbuffer_table q;
	int32_t dim = 0;
	bool present;
	int ret;

	if (!flatbuffer_table(&p->fb, table, 4, &q, &present))
		return damaged(p, "quantisation");
	if (!present)
		return 0;
	ret = parse_blocks(p, &q, t);
	if (ret || t->block_size)
		return ret;
	if (!flatbuffer_vector(&p->fb, &q, 2, 4, &scales) ||
	    !flatbuffer_vector(&p->fb, &q, 3, 8, &zero_points) ||
	    !flatbuffer_scalar(&p->fb, &q, 6, 4, &dim))
		return damaged(p, "quantisation");
	if (!scales.count)
		return 0;
	if (zero_points.count && zero_points.count != 1 && zero_points.count != scales.count)
		return refuse(p, "%u zero points", "0, 1 or %u, the number of scales",
			      zero_points.count, scales.count);
	if (scales.count > 1 && (dim < 0 || (uint32_t)dim >= t->rank ||
				 scales.count != t->dims[dim]))
		return refuse(p, "%u scales along dimension %d",
			      "1, or one for each element of a dimension", scales.count, dim);
	t->scale_count = scales.count;
	t->scales = (const float *)(const void *)(p->fb.base + scales.at);
	t->zero_point_count = zero_points.count;
	if (zero_points.count)
		t->zero_points = p->fb.base + zero_points.at;
	t->channel_dim = (uint32_t)dim;
	/*
	 * Zero points of channels are checked when the tensor is used: many tensors may share one
	 * vector, so a check of each element here could take hours.
	 */
	if (zero_points.count &&
	    (tflite_zero_point_at(t, 0) < INT32_MIN || tflite_zero_point_at(t, 0) > INT32_MAX))
		return refuse(p, "zero point %lld", "one of 32 bits",
			      (long long)tflite_zero_point_at(t, 0));
	return 0;
}

/* Makes a sparse constant dense, so that no other code handles sparse ones. */
static int parse_sparse(struct parser *p, const struct flatbuffer_table *sparsity,
			const struct tflite_tensor *t, const void **data, uint64_t *size)
{
	uint64_t bytes = t->elements * tflite_type_size(t->type);
	const char *wrong;
	void *dense;

	if (bytes > TFLITE_MAX_DENSE - p->dense)
		return refuse(p, "sparse constants of more than %llu MiB in dense form",
			      "fewer: convert the model with dense weights",
			      (unsigned long long)TFLITE_MAX_DENSE >> 20);
	p->dense += bytes;
	dense = tflite_derive(p->model, bytes);
	if (!dense)
		return -ENOMEM;
	wrong = tflite_densify(&p->fb, sparsity, t, *data, *size, dense);
	if (wrong)
		return refuse(p, "sparse data with %s", "sparse data of its shape", wrong);
	*data = dense;
	*size = bytes;
	return 0;
}

static int parse_tensor(struct parser *p, const struct flatbuffer_table *table,
			struct tflite_tensor *t)
{
	struct flatbuffer_vector shape, signature;
	struct tflite_ints dims;
	uint8_t type = 0, variable = 0;
	uint64_t size, bytes, whole;
	uint32_t buffer = 0, element, i;
	const void *data;
	bool sparse;
	struct flatbuffer_table sparsity;
	int ret;

	if (!flatbuffer_vector(&p->fb, table, 0, 4, &shape) ||
	    !flatbuffer_scalar(&p->fb, table, 1, 1, &type) ||
	    !flatbuffer_scalar(&p->fb, table, 2, 4, &buffer) ||
	    !flatbuffer_string(&p->fb, table, 3, &t->name) ||
	    !flatbuffer_scalar(&p->fb, table, 5, 1, &variable) ||
	    !flatbuffer_table(&p->fb, table, 6, &sparsity, &sparse) ||
	    !flatbuffer_vector(&p->fb, table, 7, 4, &signature))
		return damaged(p, "tensors");
	if (shape.count > TFLITE_MAX_RANK)
		return refuse(p, "%u dimensions", "%u or fewer", shape.count, TFLITE_MAX_RANK);
	dims = ints_of(p, &shape);
	t->type = type;
	t->rank = dims.count;
	t->variable = variable != 0;
	for (i = 0; i < dims.count; i++) {
		if (dims.at[i] < 0)
			return refuse(p, "dimension %u of %d", "0 or more elements", i,
				      dims.at[i]);
		t->dims[i] = (uint32_t)dims.at[i];
	}
	if (!tflite_count_elements(t->rank, t->dims, &t->elements))
		return refuse(p, "more than %u elements", "fewer", UINT32_MAX);
	dims = ints_of(p, &signature);
	for (i = 0; i < dims.count && i < TFLITE_MAX_RANK; i++)
		t->dynamic |= dims.at[i] < 0;
	ret = parse_quantisation(p, table, t);
	if (ret)
		return ret;
	if (type == TFLITE_BFLOAT16 && !sparse) {
		t->type = TFLITE_FLOAT32;
		t->bfloat = true;
	}
	ret = parse_buffer(p, buffer, &data, &size);
	/* A sparse constant of zeros alone has no data. */
	if (ret || (!data && !sparse))
		return ret;
	if (sparse) {
		ret = parse_sparse(p, &sparsity, t, &data, &size);
		if (ret)
			return ret;
		buffer = 0;
	}
	if (tflite_packed_bits(type) && !sparse) {
		ret = unpack_constant(p, buffer, tflite_packed_bits(type), t, &data, &size);
		if (ret)
			return ret;
	}
	whole = size;
	element = tflite_type_size(t->type);
	if (element) {
		bytes = t->elements * element;
		if (size < bytes)
			return too_few(p, size, bytes);
		size = bytes;
		ret = align_constant(p, buffer, element, whole, &data);
		if (ret)
			return ret;
	}
	if (t->variable)
		return 0;
	t->data = data;
	t->size = size;
	return 0;
}

/* Tensor numbers; if @optional, -1 stands for an omitted tensor. */
static int parse_refs(struct parser *p, const struct flatbuffer_table *table, uint32_t field,
		      uint32_t tensor_count, bool optional, struct tflite_ints *refs)
{
	struct flatbuffer_vector v;
	uint32_t i;

	if (!flatbuffer_vector(&p->fb, table, field, 4, &v))
		return damaged(p, "tensor numbers");
	*refs = ints_of(p, &v);
	p->refs += refs->count;
	if (p->refs > MAX_REFS)
		return refuse(p, "more than %llu tensor numbers of all operators", "fewer",
			      (unsigned long long)MAX_REFS);
	for (i = 0; i < refs->count; i++) {
		if (refs->at[i] == -1 && optional)
			continue;
		if (refs->at[i] < 0 || (uint32_t)refs->at[i] >= tensor_count)
			return refuse(p, "tensor number %d", "0 or more, and less than %u",
				      refs->at[i], tensor_count);
	}
	return 0;
}

static int parse_code(struct parser *p, uint32_t index, struct tflite_operator *op)
{
	struct flatbuffer_table table;
	int32_t code = 0;
	int8_t old = 0;

	op->version = 1;
	if (index >= p->codes.count)
		return damaged(p, "an operator's code does not exist");
	if (!flatbuffer_element(&p->fb, &p->codes, index, &table) ||
	    !flatbuffer_scalar(&p->fb, &table, 0, 1, &old) ||
	    !flatbuffer_string(&p->fb, &table, 1, &op->custom) ||
	    !flatbuffer_scalar(&p->fb, &table, 2, 4, &op->version) ||
	    !flatbuffer_scalar(&p->fb, &table, 3, 4, &code))
		return damaged(p, "operator codes");
	/*
	 * Field 0 holds codes up to 127, field 3 any code, and older files lack field 3: the larger
	 * number is the code.
	 */
	if (old > code)
		code = old;
	if (code < 0)
		return refuse(p, "operator code %d", "0 or more", code);
	op->code = (uint32_t)code;
	return 0;
}

static int parse_operator(struct parser *p, const struct flatbuffer_table *table,
			  uint32_t tensor_count, struct tflite_operator *op)
{
	struct flatbuffer_vector custom;
	uint32_t code = 0;
	int ret;

	if (!flatbuffer_scalar(&p->fb, table, 0, 4, &code) ||
	    !flatbuffer_vector(&p->fb, table, 5, 1, &custom))
		return damaged(p, "operators");
	op->custom_data = p->fb.base + custom.at;
	op->custom_size = custom.count;
	ret = parse_code(p, code, op);
	if (!ret)
		ret = parse_refs(p, table, 1, tensor_count, true, &op->inputs);
	if (!ret)
		ret = parse_refs(p, table, 2, tensor_count, false, &op->outputs);
	if (!ret)
		ret = parse_refs(p, table, 8, tensor_count, false, &op->intermediates);
	if (!ret)
		ret = parse_options(p, table, &op->options);
	return ret;
}

/*
 * A tensor that an operator writes in each run is no state, even if the file marks it as a
 * variable: the converter marks the dequantised zeros that a float16 LSTM starts from.
 */
static void find_variables(struct tflite_subgraph *s)
{
	for (uint32_t i = 0; i < s->operator_count; i++)
		for (uint32_t k = 0; k < s->operators[i].outputs.count; k++)
			s->tensors[s->operators[i].outputs.at[k]].variable = false;
}

/*
 * A tensor without elements that nothing writes is a constant: the file has no data to tell it by.
 */
static void find_empty_constants(struct tflite_subgraph *s)
{
	static const uint64_t nothing;

	for (uint32_t i = 0; i < s->tensor_count; i++)
		if (!s->tensors[i].elements && !s->tensors[i].data && !s->tensors[i].variable)
			s->tensors[i].data = &nothing;
	for (uint32_t i = 0; i < s->operator_count; i++)
		for (uint32_t k = 0; k < s->operators[i].outputs.count; k++)
			if (s->tensors[s->operators[i].outputs.at[k]].data == &nothing)
				s->tensors[s->operators[i].outputs.at[k]].data = NULL;
	for (uint32_t i = 0; i < s->inputs.count; i++)
		if (s->tensors[s->inputs.at[i]].data == &nothing)
			s->tensors[s->inputs.at[i]].data = NULL;
}

/* Scales of blocks lie in plain tensors: what follows them would not end with a chain of them. */
static int check_blocks(struct parser *p, const struct tflite_subgraph *s)
{
	for (uint32_t i = 0; i < s->tensor_count; i++) {
		const struct tflite_tensor *t = &s->tensors[i];

		if (!t->block_size || !s->tensors[t->block_scales].block_size)
			continue;
		p->tensor = t;
		p->index = i;
		return refuse(p, "blocks with scales in tensor %u", "a tensor without blocks",
			      t->block_scales);
	}
	return 0;
}

static int parse_subgraph(struct parser *p, const struct flatbuffer_table *table,
			  uint32_t number, struct tflite_subgraph *s)
{
	struct flatbuffer_vector tensors, operators;
	struct flatbuffer_table child;
	uint32_t i;
	int ret;

	if (!flatbuffer_vector(&p->fb, table, 0, 4, &tensors) ||
	    !flatbuffer_vector(&p->fb, table, 3, 4, &operators) ||
	    !flatbuffer_string(&p->fb, table, 4, &s->name))
		return damaged(p, "subgraphs");
	if (tensors.count) {
		s->tensors = calloc(tensors.count, sizeof(*s->tensors));
		if (!s->tensors)
			return -ENOMEM;
	}
	s->tensor_count = tensors.count;
	p->tensor_count = tensors.count;
	if (operators.count) {
		s->operators = calloc(operators.count, sizeof(*s->operators));
		if (!s->operators)
			return -ENOMEM;
	}
	s->operator_count = operators.count;
	for (i = 0; i < tensors.count; i++) {
		if (!flatbuffer_element(&p->fb, &tensors, i, &child))
			return damaged(p, "tensors");
		p->tensor = &s->tensors[i];
		p->index = i;
		ret = parse_tensor(p, &child, &s->tensors[i]);
		if (ret)
			return ret;
		p->tensor = NULL;
	}
	ret = check_blocks(p, s);
	if (!ret)
		ret = parse_refs(p, table, 1, s->tensor_count, false, &s->inputs);
	if (!ret)
		ret = parse_refs(p, table, 2, s->tensor_count, false, &s->outputs);
	for (i = 0; i < operators.count && !ret; i++) {
		if (!flatbuffer_element(&p->fb, &operators, i, &child))
			return damaged(p, "operators");
		p->operator = &s->operators[i];
		p->index = i;
		s->operators[i].number = i;
		s->operators[i].subgraph = number;
		ret = parse_operator(p, &child, s->tensor_count, &s->operators[i]);
		if (!ret)
			p->operator = NULL;
	}
	if (!ret) {
		find_variables(s);
		find_empty_constants(s);
	}
	return ret;
}

/* Operators run subgraphs that exist, and not too many. */
static int check_called(struct parser *p)
{
	const struct tflite_model *m = p->model;
	uint64_t branches = 0;

	for (uint32_t i = 0; i < m->subgraph_count; i++) {
		for (uint32_t j = 0; j < m->subgraphs[i].operator_count; j++) {
			const struct tflite_operator *op = &m->subgraphs[i].operators[j];
			const uint32_t count = tflite_called_count(op);

			if (op->code == TFLITE_STABLEHLO_CASE) {
				branches += count;
				if (!count || branches > TFLITE_MAX_BRANCHES)
					return refuse(p, "operator %u of subgraph %u has %u "
						      "branches", "1 or more, and %u or fewer in "
						      "the model", j, i, count,
						      TFLITE_MAX_BRANCHES);
			}
			for (uint32_t k = 0; k < count; k++) {
				int32_t which = tflite_called(op, k);

				if (which < 0 || (uint32_t)which >= m->subgraph_count)
					return refuse(p, "operator %u of subgraph %u runs subgraph "
						      "%d", "numbers of 0 to %u", j, i, which,
						      m->subgraph_count - 1);
			}
		}
	}
	return 0;
}

static int parse_model(struct parser *p)
{
	struct flatbuffer_vector subgraphs;
	struct flatbuffer_table root, child;
	uint64_t total = 0;
	uint32_t version = 0, i;
	int ret;

	/* Bytes 4 to 7 name the schema. */
	if (p->fb.size < 16 || memcmp(p->fb.base + 4, "TFL3", 4))
		return refuse(p, "a file without the mark TFL3", "a TFLite model");
	if (!flatbuffer_root(&p->fb, &root) ||
	    !flatbuffer_scalar(&p->fb, &root, 0, 4, &version) ||
	    !flatbuffer_vector(&p->fb, &root, 1, 4, &p->codes) ||
	    !flatbuffer_vector(&p->fb, &root, 2, 4, &subgraphs) ||
	    !flatbuffer_string(&p->fb, &root, 3, &p->model->description) ||
	    !flatbuffer_vector(&p->fb, &root, 4, 4, &p->buffers))
		return damaged(p, "header");
	if (version != 3)
		return refuse(p, "schema version %u", "3: convert the model again", version);
	if (!subgraphs.count)
		return refuse(p, "no subgraph", "1 or more");
	if (subgraphs.count > MAX_SUBGRAPHS)
		return refuse(p, "%u subgraphs", "%u or fewer", subgraphs.count, MAX_SUBGRAPHS);
	p->model->subgraphs = calloc(subgraphs.count, sizeof(*p->model->subgraphs));
	if (!p->model->subgraphs)
		return -ENOMEM;
	p->model->subgraph_count = subgraphs.count;
	for (i = 0; i < subgraphs.count; i++) {
		struct tflite_subgraph *s = &p->model->subgraphs[i];

		if (!flatbuffer_element(&p->fb, &subgraphs, i, &child))
			return damaged(p, "subgraphs");
		ret = parse_subgraph(p, &child, i, s);
		if (ret)
			return ret;
		/*
		 * Subgraphs may share tables, so a small file could ask for gigabytes of
		 * structures.
		 */
		total += (uint64_t)s->tensor_count + s->operator_count;
		if (total > p->fb.size)
			return damaged(p, "subgraphs");
	}
	ret = check_called(p);
	if (ret)
		return ret;
	ret = tflite_parse_signatures(p->model, &p->fb, &root, p->error);
	return ret ? ret : tflite_inline_composites(p->model, p->error);
}

static int parse_owned(void *bytes, size_t size, struct tflite_model **out, char *error)
{
	struct parser p = { .fb = { bytes, size }, .error = error };
	int ret;

	p.model = calloc(1, sizeof(*p.model));
	if (!p.model) {
		free(bytes);
		return say(&p, -ENOMEM, "out of memory");
	}
	p.model->bytes = bytes;
	p.model->size = size;
	p.model->description = "";
	ret = parse_model(&p);
	free(p.aligned);
	free(p.unpacked);
	if (ret == -ENOMEM)
		say(&p, ret, "out of memory");
	if (ret) {
		tflite_free(p.model);
		return ret;
	}
	*out = p.model;
	return 0;
}

/*
 * A model of megabytes gets large pages if the kernel has any: a thousand page faults take longer
 * than reading the file.
 */
static void *allocate(size_t size)
{
	const size_t unit = size < LARGE_PAGE ? ALIGNMENT : LARGE_PAGE;
	const size_t room = (size + unit) / unit * unit;
	void *bytes = aligned_alloc(unit, room);

	if (bytes && unit == LARGE_PAGE)
		madvise(bytes, room, MADV_HUGEPAGE);
	return bytes;
}

static int too_large(struct parser *p)
{
	return refuse(p, "a file of more than %llu bytes", "a model",
		      (unsigned long long)MAX_FILE);
}

int tflite_parse(const void *data, size_t size, struct tflite_model **out, char *error)
{
	struct parser p = { .error = error };
	void *bytes;

	error[0] = 0;
	if (size > MAX_FILE)
		return too_large(&p);
	bytes = allocate(size);
	if (!bytes)
		return say(&p, -ENOMEM, "out of memory");
	if (size)
		memcpy(bytes, data, size);
	return parse_owned(bytes, size, out, error);
}

int tflite_load(const char *path, struct tflite_model **out, char *error)
{
	struct parser p = { .error = error };
	uint8_t *bytes = NULL;
	size_t size, done = 0;
	struct stat st;
	int fd, ret;

	error[0] = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		ret = say(&p, -errno, "%s", strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		ret = refuse(&p, "no regular file", "a model file");
		goto fail;
	}
	if (st.st_size < 0 || (uint64_t)st.st_size > MAX_FILE) {
		ret = too_large(&p);
		goto fail;
	}
	size = (size_t)st.st_size;
	bytes = allocate(size);
	if (!bytes) {
		ret = say(&p, -ENOMEM, "out of memory");
		goto fail;
	}
	while (done < size) {
		ssize_t n = read(fd, bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = say(&p, -errno, "%s", strerror(errno));
			goto fail;
		}
		if (!n)
			break;
		done += (size_t)n;
	}
	close(fd);
	return parse_owned(bytes, done, out, error);
fail:
	free(bytes);
	if (fd >= 0)
		close(fd);
	return ret;
}
