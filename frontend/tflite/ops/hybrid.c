// SPDX-License-Identifier: MIT
/*
 * Layers with quantised weights and a float input ("dynamic range"), as TFLite's kernels compute
 * them: each row of the input (of a convolution each image) is quantised to 8 bits by its own
 * range, integers are multiplied and summed, and the sums are scaled back.
 *
 *	scale, zero	from the minimum and maximum of the row and 0, or symmetric
 *	q		x / scale, rounded, + zero, in 8 bits
 *	y		layer(q - zero, weights as integers) * scale * scale of the weights + bias
 *
 * The integers are held in FLOAT32. The compiler makes a layer of q, which is INT8 before, a
 * product of 8 bits (libnnaccel/compiler/whole.c), whose sums are exact and rounded once, as TFLite
 * rounds them. So that q is what a layer multiplies, the zero point is taken off its sums:
 *
 *	layer(q - zero)	layer(q) - zero * sums of the weights
 *
 * Both terms are at most 128 times the sum of the weights' sizes. Where that is at most 2^24 they
 * are exact in FLOAT32, and the difference is rounded once. Else q - zero is multiplied as FLOAT32,
 * which is exact for sums up to 2^24.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows of more elements are computed in pieces, so that the compiler can join what is computed on
 * them (libnnaccel/compiler/join.c): a row of it has LONGEST elements at most.
 */
#define LONGEST 4096u
#define MOST_PIECE 2048u
#define LEAST_PIECE 16u
/* The greatest size of a term that FLOAT32 holds exactly, whatever its last bits are. */
#define MOST_EXACT (1 << 24)

bool tflite_is_hybrid(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);

	return !t->ret && !t->real && x->type == TFLITE_FLOAT32 && w->type == TFLITE_INT8 &&
	       w->data && w->scale_count;
}

bool tflite_has_scales(const struct tflite_tensor *w)
{
	for (uint32_t i = 1; i < w->scale_count; i++)
		if (w->scales[i] != w->scales[0])
			return true;
	return false;
}

/* Rounds to the whole numbers of a type with scale 1; halves away from zero, as TFLite rounds. */
static struct tflite_value rounded(struct tflite_translation *t, struct tflite_value x,
				   uint32_t type)
{
	struct tflite_value q = { .o = x.o }, wide;

	q.o.desc.type = type;
	q.o.desc.scale = 1;
	q.operand = tflite_add_operand(t, &q.o);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_QUANTIZE, q.operand);
	wide = tflite_like(t, &q, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, q.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide.operand);
	return wide;
}

/* Return: elements of a piece of a row of @n. */
static uint32_t piece_of(uint32_t n)
{
	for (uint32_t k = MOST_PIECE; n > LONGEST && k >= LEAST_PIECE; k--)
		if (n % k == 0)
			return k;
	return n;
}

/* @x [rows, n], or one element a row, in pieces: [rows, pieces, @piece] or [rows, 1, 1]. */
static struct tflite_value in_pieces(struct tflite_translation *t, struct tflite_value x,
				     uint32_t piece)
{
	const uint32_t pieces = x.o.dims[1] == 1 ? 1 : x.o.dims[1] / piece;

	return tflite_reshaped(t, x, 3,
			       (uint32_t[]){ x.o.dims[0], pieces, x.o.dims[1] / pieces });
}

/* The least or greatest number of each row of @x, which may be in pieces, as [rows, 1]. */
static struct tflite_value extreme(struct tflite_translation *t, uint32_t type,
				   struct tflite_value x)
{
	if (x.o.desc.rank == 3) {
		x = tflite_reduced(t, type, x, 2);
		x = tflite_reshaped(t, x, 2, x.o.dims);
	}
	return tflite_reduced(t, type, x, 1);
}

/*
 * The scale of rows @x, which may be in pieces, by their largest size: [rows, 1]. Scale and inverse
 * are the floats that TFLite's kernels have: with the next one a number between two steps goes to
 * the other one. A row of zeros is divided by 1.
 */
static struct tflite_value symmetric_scale(struct tflite_translation *t, struct tflite_value x,
					   struct tflite_value *inverse)
{
	struct tflite_value high, empty;

	high = extreme(t, NNA_OPERATION_REDUCE_MAX, tflite_unary(t, NNA_OPERATION_ABS, x));
	empty = tflite_binary(t, NNA_OPERATION_EQUAL, high, tflite_float(t, 0));
	high = tflite_select(t, empty, tflite_float(t, 1), high);
	*inverse = tflite_binary(t, NNA_OPERATION_DIV, tflite_float(t, 127), high);
	return tflite_binary(t, NNA_OPERATION_DIV, high, tflite_float(t, 127));
}

/* The same by their range; @offset gets their zero points, [rows, 1]. */
static struct tflite_value range_scale(struct tflite_translation *t, struct tflite_value x,
				       struct tflite_value *inverse, struct tflite_value *offset)
{
	struct tflite_value zero = tflite_float(t, 0), one = tflite_float(t, 1), low, high, scale,
			    empty;

	low = extreme(t, NNA_OPERATION_REDUCE_MIN, x);
	low = tflite_binary(t, NNA_OPERATION_MINIMUM, low, zero);
	high = extreme(t, NNA_OPERATION_REDUCE_MAX, x);
	high = tflite_binary(t, NNA_OPERATION_MAXIMUM, high, zero);
	scale = tflite_binary(t, NNA_OPERATION_SUB, high, low);
	empty = tflite_binary(t, NNA_OPERATION_EQUAL, scale, zero);
	scale = tflite_binary(t, NNA_OPERATION_DIV, scale, tflite_float(t, 255));
	scale = tflite_select(t, empty, one, scale);
	*inverse = tflite_binary(t, NNA_OPERATION_DIV, one, scale);
	*offset = tflite_binary(t, NNA_OPERATION_DIV, low, scale);
	*offset = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, -128), *offset);
	*offset = rounded(t, *offset, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	return scale;
}

/*
 * @x [rows, n] as whole numbers in FLOAT32: q, if @zero_points gets the zero points, [rows, 1]; or,
 * if it is NULL, q minus the zero point. @scale gets [rows, 1].
 */
struct tflite_value tflite_hybrid_rows(struct tflite_translation *t, struct tflite_value x,
				       bool asymmetric, struct tflite_value *scale,
				       struct tflite_value *zero_points)
{
	const uint32_t rows = x.o.dims[0], n = x.o.dims[1], piece = piece_of(n);
	struct tflite_value inverse, offset = { 0 }, low, high;

	if (piece != n)
		x = in_pieces(t, x, piece);
	*scale = asymmetric ? range_scale(t, x, &inverse, &offset) :
			      symmetric_scale(t, x, &inverse);
	if (asymmetric && zero_points)
		*zero_points = offset;
	if (piece != n) {
		inverse = in_pieces(t, inverse, 1);
		if (asymmetric)
			offset = in_pieces(t, offset, 1);
	}
	x = tflite_binary(t, NNA_OPERATION_MUL, x, inverse);
	/* A number is rounded first, and the zero point added to that. */
	x = rounded(t, x, asymmetric ? NNA_OPERAND_TENSOR_QUANT16_SYMM :
				       NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	if (asymmetric && zero_points) {
		x = tflite_binary(t, NNA_OPERATION_ADD, x, offset);
		x = rounded(t, x, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	} else if (asymmetric) {
		low = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, -128), offset);
		high = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, 127), offset);
		x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, low);
		x = tflite_binary(t, NNA_OPERATION_MINIMUM, x, high);
	}
	return piece == n ? x : tflite_reshaped(t, x, 2, (uint32_t[]){ rows, n });
}

struct tflite_value tflite_hybrid_input(struct tflite_translation *t, uint32_t rows,
					bool asymmetric, struct tflite_value *scale,
					struct tflite_value *zero_points)
{
	struct tflite_value x = tflite_value(t, 0), q;
	uint64_t elements = tflite_input(t, 0)->elements;

	if (!rows || !elements || elements % rows) {
		tflite_refuse(t, tflite_input(t, 0), "%llu elements", "%u rows of 1 or more",
			      (unsigned long long)elements, rows);
		return x;
	}
	q = tflite_reshaped(t, x, 2, (uint32_t[]){ rows, (uint32_t)(elements / rows) });
	return tflite_hybrid_rows(t, q, asymmetric, scale, zero_points);
}

/* Adds up @count weights, @step apart. Return: false if 128 times their sizes are too much. */
static bool add_up(const int8_t *from, uint64_t count, uint64_t step, float *sum)
{
	int64_t all = 0, size = 0;

	for (uint64_t i = 0; i < count; i++) {
		all += from[i * step];
		size += abs(from[i * step]);
	}
	*sum = (float)all;
	return size * 128 <= MOST_EXACT;
}

bool tflite_hybrid_sums(struct tflite_translation *t, const struct tflite_weights *shape,
			struct tflite_value *sums)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	const uint64_t inner = shape->inner, count = shape->count;
	uint64_t elements = 1;
	bool exact = !t->ret && w->data;
	float *to;

	for (uint32_t k = 0; k < shape->rank; k++)
		elements *= shape->dims[k];
	if (!exact || !elements || elements * count != w->elements)
		return false;
	to = calloc(elements, sizeof(*to));
	if (!to) {
		tflite_no_memory(t);
		return false;
	}
	for (uint64_t i = 0; i < elements && exact; i++)
		exact = add_up((const int8_t *)w->data + i / inner * count * inner + i % inner,
			       count, inner, &to[i]);
	if (exact)
		*sums = tflite_float_tensor(t, shape->rank, shape->dims, to);
	free(to);
	return exact;
}

struct tflite_value tflite_hybrid_centred(struct tflite_translation *t, struct tflite_value sum,
					  struct tflite_value zero_points,
					  struct tflite_value sums)
{
	return tflite_binary(t, NNA_OPERATION_SUB, sum,
			     tflite_binary(t, NNA_OPERATION_MUL, zero_points, sums));
}

struct tflite_value tflite_hybrid_weights(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *w = tflite_input(t, index);
	struct tflite_value v = { 0 }, wide;

	memcpy(v.o.dims, w->dims, w->rank * sizeof(w->dims[0]));
	v.o.desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED,
					      .rank = w->rank,
					      .scale = 1 };
	v.operand = tflite_add_operand(t, &v.o);
	tflite_set_constant(t, v.operand, w->data, w->size);
	wide = tflite_like(t, &v, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, v.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide.operand);
	return wide;
}

void tflite_finish_biased(struct tflite_translation *t, struct tflite_value sum)
{
	struct tflite_value bias = tflite_has_input(t, 2) ? tflite_value(t, 2) : tflite_float(t, 0);
	struct tflite_operand_desc o;

	tflite_describe(t, tflite_output(t, 0), &o);
	sum = tflite_reshaped(t, sum, o.desc.rank, o.dims);
	tflite_push(t, sum.operand);
	tflite_push(t, bias.operand);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, NNA_OPERATION_ADD);
}

void tflite_finish_hybrid(struct tflite_translation *t, struct tflite_value sum,
			  struct tflite_value scale)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	struct tflite_value factor = tflite_float_tensor(t, 1, &w->scale_count, w->scales);

	/* A convolution by channels multiplies by one factor after the other. */
	if (t->op->code == TFLITE_CONV_2D && tflite_has_scales(w)) {
		sum = tflite_binary(t, NNA_OPERATION_MUL, sum, factor);
		factor = scale;
	} else {
		factor = tflite_binary(t, NNA_OPERATION_MUL, scale, factor);
	}
	tflite_finish_biased(t, tflite_binary(t, NNA_OPERATION_MUL, sum, factor));
}

struct tflite_value tflite_hybrid_product(struct tflite_translation *t, struct tflite_value x,
					  struct tflite_value scale,
					  struct tflite_value weights, uint32_t index)
{
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { weights.o.dims[0] } };
	struct tflite_value y = x, factor = tflite_float(t, tflite_scale(tflite_input(t, index)));

	y.o.dims[1] = weights.o.dims[0];
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push(t, weights.operand);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)bias.dims[0] * 4));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_FULLY_CONNECTED, y.operand);
	factor = tflite_binary(t, NNA_OPERATION_MUL, scale, factor);
	return tflite_binary(t, NNA_OPERATION_MUL, y, factor);
}
