// SPDX-License-Identifier: MIT
/*
 * RFFT2D, and the operators that turn its complex numbers into real ones. A complex number is a
 * pair of FLOAT32 along a last dimension of 2, which has the layout of TFLite's COMPLEX64.
 *
 * The transform is two products with tables of sines and cosines, which the translation computes:
 * one along the rows, whose result is pairs, and one along the columns of pairs. The tables grow
 * with the square of the length; tflite_make_room() limits rows and columns to 2,048 elements.
 */
#include "frontend/tflite/compose.h"

#include <math.h>

/* Cosine and sine of 2 * pi * @k * @i / @n. */
static void turn(uint32_t k, uint32_t i, uint32_t n, float *cosine, float *sine)
{
	double angle = 2 * M_PI * (double)((uint64_t)k * i % n) / n;

	*cosine = (float)cos(angle);
	*sine = (float)sin(angle);
}

/* Memory for a table of @rows rows of @columns; NULL after an error. */
static float *make_table(struct tflite_translation *t, uint64_t rows, uint64_t columns)
{
	float *table;

	tflite_make_room(t, rows * columns);
	table = t->ret ? NULL : tflite_derive(t->model, (size_t)(rows * columns) * sizeof(*table));
	if (!table)
		tflite_no_memory(t);
	return table;
}

/* Rows [rows, n] times a table [units, n]: [rows, units]. */
static struct tflite_value multiply(struct tflite_translation *t, uint32_t type,
				    struct tflite_value x, const float *table, uint32_t units)
{
	struct tflite_operand_desc w = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2 },
					 .dims = { units, x.o.dims[1] } };
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { units } };
	struct tflite_value y = x;
	uint32_t weights = tflite_add_operand(t, &w);

	tflite_set_constant(t, weights, table, (size_t)units * w.dims[1] * sizeof(*table));
	y.o.dims[1] = units;
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push(t, weights);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)units * sizeof(*table)));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, type, y.operand);
	return y;
}

/* The DFT of real rows [rows, n]: coefficients 0 to @count - 1 as pairs, [rows, count * 2]. */
static struct tflite_value transform_rows(struct tflite_translation *t, uint32_t type,
					  struct tflite_value x, uint32_t count)
{
	uint32_t n = x.o.dims[1];
	float *table = make_table(t, 2 * (uint64_t)count, n);

	if (!table)
		return x;
	for (uint32_t k = 0; k < count; k++) {
		float *re = table + (size_t)2 * k * n, *im = re + n;

		for (uint32_t i = 0; i < n; i++) {
			turn(k, i, n, &re[i], &im[i]);
			im[i] = -im[i];
		}
	}
	return multiply(t, type, x, table, 2 * count);
}

/* The DFT of rows of @n pairs, [rows, n * 2]; the result has the same shape. */
static struct tflite_value transform_pairs(struct tflite_translation *t, uint32_t type,
					   struct tflite_value x, uint32_t n)
{
	float *table = make_table(t, 2 * (uint64_t)n, 2 * (uint64_t)n);

	if (!table)
		return x;
	for (uint32_t k = 0; k < n; k++) {
		float *re = table + (size_t)4 * k * n, *im = re + 2 * (size_t)n;

		for (uint32_t i = 0; i < n; i++) {
			turn(k, i, n, &re[2 * i], &re[2 * i + 1]);
			im[2 * i] = -re[2 * i + 1];
			im[2 * i + 1] = re[2 * i];
		}
	}
	return multiply(t, type, x, table, 2 * n);
}

/* Crops the last two dimensions of @x [images, height, width] to @size, or pads them with zeros. */
static struct tflite_value fit(struct tflite_translation *t, struct tflite_value x,
			       const int32_t *size)
{
	int32_t pads[6] = { 0 };

	for (uint32_t k = 0; k < 2; k++) {
		if (x.o.dims[k + 1] > (uint32_t)size[k])
			x = tflite_part(t, x, k + 1, 0, (uint32_t)size[k]);
		pads[2 * k + 3] = size[k] - (int32_t)x.o.dims[k + 1];
	}
	return tflite_padded(t, x, pads);
}

void tflite_translate_rfft2d(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	uint32_t images = 1, h, w, half;
	struct tflite_value v;
	int32_t size[2];

	tflite_need(t, 2, 1);
	tflite_need_type(t, x, x->type == TFLITE_FLOAT32, "FLOAT32");
	tflite_need_least_rank(t, x, 2);
	if (tflite_exact_ints(t, 1, size, 2, "height and width") && (size[0] < 1 || size[1] < 1))
		tflite_refuse(t, tflite_input(t, 1), "a transform of %d by %d",
			      "1 or more by 1 or more", size[0], size[1]);
	if (t->ret)
		return;
	h = (uint32_t)size[0];
	w = (uint32_t)size[1];
	half = w / 2 + 1;
	for (uint32_t i = 0; i + 2 < x->rank; i++)
		images *= x->dims[i];
	v = tflite_reshaped(t, tflite_value(t, 0), 3,
			    (uint32_t[]){ images, x->dims[x->rank - 2], x->dims[x->rank - 1] });
	v = tflite_reshaped(t, fit(t, v, size), 2, (uint32_t[]){ images * h, w });
	v = transform_rows(t, type, v, half);
	if (h > 1) {
		v = tflite_reshaped(t, v, 4, (uint32_t[]){ images, h, half, 2 });
		v = tflite_transposed(t, v, (int32_t[]){ 0, 2, 1, 3 });
		v = tflite_reshaped(t, v, 2, (uint32_t[]){ images * half, h * 2 });
		v = transform_pairs(t, type, v, h);
		v = tflite_reshaped(t, v, 4, (uint32_t[]){ images, half, h, 2 });
		v = tflite_transposed(t, v, (int32_t[]){ 0, 2, 1, 3 });
	}
	tflite_result(t, v, 0);
}

/* Part 0 or 1 of each pair: real or imaginary. */
static struct tflite_value take(struct tflite_translation *t, struct tflite_value x, uint32_t part)
{
	return tflite_part(t, x, x.o.desc.rank - 1, part, 1);
}

static struct tflite_value pairs(struct tflite_translation *t)
{
	tflite_need(t, 1, 1);
	tflite_need_type(t, tflite_input(t, 0), tflite_input(t, 0)->type == TFLITE_COMPLEX64,
			 "COMPLEX64");
	return tflite_value(t, 0);
}

void tflite_translate_complex_part(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x = pairs(t);

	if (!t->ret)
		tflite_result(t, take(t, x, t->op->code == TFLITE_IMAG), 0);
}

/* larger * sqrt(1 + (smaller / larger)^2): its squares neither overflow nor underflow. */
void tflite_translate_complex_abs(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x = pairs(t), re, im, small, large, one, safe, ratio;

	if (t->ret)
		return;
	x = tflite_unary(t, NNA_OPERATION_ABS, x);
	re = take(t, x, 0);
	im = take(t, x, 1);
	one = tflite_float(t, 1);
	small = tflite_binary(t, NNA_OPERATION_MINIMUM, re, im);
	large = tflite_binary(t, NNA_OPERATION_MAXIMUM, re, im);
	safe = tflite_select(t, tflite_binary(t, NNA_OPERATION_EQUAL, large, tflite_float(t, 0)),
			     one, large);
	ratio = tflite_binary(t, NNA_OPERATION_DIV, small, safe);
	ratio = tflite_binary(t, NNA_OPERATION_MUL, ratio, ratio);
	ratio = tflite_unary(t, type, tflite_binary(t, NNA_OPERATION_ADD, ratio, one));
	tflite_result(t, tflite_binary(t, NNA_OPERATION_MUL, large, ratio), 0);
}
