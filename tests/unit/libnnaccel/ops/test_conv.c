// SPDX-License-Identifier: MIT
/*
 * Weights with a scale per channel, for every operation that takes them: with u8 and s8 inputs,
 * with and without a bias, as a constant (packed) and as an input of the model.
 *
 * Each result must be the nearest step to the sum of products of real numbers, which is computed
 * here in double precision; near the middle between two steps, the rounding of the factor decides.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/loopback.h"

#define MAX_ELEMENTS 256

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/**
 * struct consumer - an operation, and its shapes
 * @in, @weights, @out: dims
 * @channel_dim: of the weights, the one that has scales
 * @scalars: what follows the bias, by type: n of them INT32, then a BOOL where @flag is set
 */
struct consumer {
	uint32_t type;
	uint32_t in_rank, in[4];
	uint32_t weights_rank, weights[4];
	uint32_t out_rank, out[4];
	uint32_t channel_dim;
	uint32_t scalar_count;
	int32_t scalars[9];
	bool flag;
};

/* Paddings (left, right, top, bottom) are 1, 0, 0, 1; strides (w, h) 1 and 2. */
static const struct consumer consumers[] = {
	{ NNA_OPERATION_CONV_2D,
	  4,
	  { 2, 4, 3, 4 },
	  4,
	  { 5, 2, 2, 4 },
	  4,
	  { 2, 2, 3, 5 },
	  0,
	  7,
	  { 1, 0, 0, 1, 1, 2, 0 },
	  false },
	{ NNA_OPERATION_DEPTHWISE_CONV_2D,
	  4,
	  { 2, 4, 3, 3 },
	  4,
	  { 1, 2, 2, 6 },
	  4,
	  { 2, 2, 3, 6 },
	  3,
	  8,
	  { 1, 0, 0, 1, 1, 2, 2, 0 },
	  false },
	{ NNA_OPERATION_GROUPED_CONV_2D,
	  4,
	  { 2, 4, 3, 4 },
	  4,
	  { 6, 2, 2, 2 },
	  4,
	  { 2, 2, 3, 6 },
	  0,
	  8,
	  { 1, 0, 0, 1, 1, 2, 2, 0 },
	  true },
	{ NNA_OPERATION_TRANSPOSE_CONV_2D,
	  4,
	  { 2, 3, 3, 4 },
	  4,
	  { 5, 2, 2, 4 },
	  4,
	  { 2, 5, 3, 5 },
	  0,
	  7,
	  { 1, 0, 0, 1, 1, 2, 0 },
	  true },
	{ NNA_OPERATION_FULLY_CONNECTED,
	  2,
	  { 3, 8 },
	  2,
	  { 5, 8 },
	  2,
	  { 3, 5 },
	  0,
	  1,
	  { 0 },
	  false },
	{ NNA_OPERATION_FULLY_CONNECTED,
	  3,
	  { 3, 2, 4 },
	  2,
	  { 1, 8 },
	  2,
	  { 3, 1 },
	  0,
	  1,
	  { 0 },
	  false },
};

static uint32_t count_of(uint32_t rank, const uint32_t *dims)
{
	uint32_t count = 1;

	for (uint32_t k = 0; k < rank; k++)
		count *= dims[k];
	return count;
}

#define IN_SCALE 0.043f
#define OUT_SCALE 0.31f

static int32_t zero_of(uint32_t type)
{
	return type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 117 : -9;
}

static float channel_scale(uint32_t n)
{
	return 0.0031f * (float)(n + 1);
}

static double number(uint32_t type, const uint8_t *data, uint32_t i)
{
	return (type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? data[i] : (int8_t)data[i]) -
	       zero_of(type);
}

/* The products of one pair of input and output pixels, in real numbers. */
static double pixel(const struct consumer *c, uint32_t type, const uint8_t *in, uint32_t at,
		    const int8_t *w, uint32_t ky, uint32_t kx, uint32_t n)
{
	uint32_t channels = c->in[3], depth = c->weights[3], first = 0;
	double sum = 0;

	if (c->type == NNA_OPERATION_DEPTHWISE_CONV_2D)
		return number(type, in, at * channels + n / 2) *
		       w[(ky * c->weights[2] + kx) * depth + n];
	if (c->type == NNA_OPERATION_GROUPED_CONV_2D)
		first = n / (c->weights[0] / 2) * depth;
	for (uint32_t i = 0; i < depth; i++)
		sum += number(type, in, at * channels + first + i) *
		       w[((n * c->weights[1] + ky) * c->weights[2] + kx) * depth + i];
	return sum;
}

/* What output element (b, y, x, n) would be in steps of the output, unrounded. */
static double expected(const struct consumer *c, uint32_t type, const uint8_t *in, const int8_t *w,
		       const int32_t *bias, const uint32_t *at)
{
	uint32_t n = at[3];
	double sum = bias ? bias[n] : 0;

	if (c->type == NNA_OPERATION_FULLY_CONNECTED) {
		for (uint32_t i = 0; i < c->weights[1]; i++)
			sum += number(type, in, at[0] * c->weights[1] + i) *
			       w[n * c->weights[1] + i];
	} else {
		for (uint32_t ky = 0; ky < c->weights[1]; ky++)
			for (uint32_t kx = 0; kx < c->weights[2]; kx++) {
				int y = (int)(at[1] * 2 + ky), x = (int)(at[2] + kx) - 1;

				if (c->type == NNA_OPERATION_TRANSPOSE_CONV_2D) {
					y = (int)(at[1] - ky);
					x = (int)(at[2] + 1 - kx);
					if (y < 0 || y % 2)
						continue;
					y /= 2;
				}
				if (y < 0 || y >= (int)c->in[1] || x < 0 || x >= (int)c->in[2])
					continue;
				sum += pixel(c, type, in,
					     (at[0] * c->in[1] + (uint32_t)y) * c->in[2] +
						     (uint32_t)x, w, ky, kx, n);
			}
	}
	return sum * IN_SCALE * channel_scale(n) / OUT_SCALE;
}

static uint32_t add(struct nna_graph *g, const struct nna_operand_desc *desc)
{
	int ret = nna_graph_add_operand(g, 0, desc);

	assert_true(ret >= 0);
	return (uint32_t)ret;
}

static void constant(struct nna_graph *g, uint32_t operand, const void *data, size_t size)
{
	assert_int_equal(nna_graph_set_constant(g, 0, operand, data, size, false), 0);
}

/* Operands: 0 the input, 1 the weights, 2 the bias, then scalars, last the output. */
static struct nna_graph *build(const struct consumer *c, uint32_t type, const int8_t *weights,
			       const int32_t *bias, bool fixed)
{
	uint32_t n = c->weights[c->channel_dim], in[16], count = 0, out;
	struct nna_operand_desc desc;
	struct nna_graph *g;
	float scales[8];
	uint8_t no = 0;

	for (uint32_t i = 0; i < n; i++)
		scales[i] = channel_scale(i);
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	desc = (struct nna_operand_desc){ .type = type, .rank = c->in_rank, .dims = c->in,
					  .scale = IN_SCALE, .zero_point = zero_of(type) };
	in[count++] = add(g, &desc);
	desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL,
					  .rank = c->weights_rank, .dims = c->weights,
					  .channel_dim = c->channel_dim, .channel_count = n,
					  .channel_scales = scales };
	in[count++] = add(g, &desc);
	if (fixed)
		constant(g, in[1], weights, count_of(c->weights_rank, c->weights));
	desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_INT32, .rank = 1, .dims = &n };
	in[count++] = add(g, &desc);
	if (bias)
		constant(g, in[2], bias, n * sizeof(*bias));
	else
		assert_int_equal(nna_graph_set_no_value(g, 0, in[2]), 0);
	for (uint32_t i = 0; i < c->scalar_count; i++) {
		desc = (struct nna_operand_desc){ .type = NNA_OPERAND_INT32 };
		in[count] = add(g, &desc);
		constant(g, in[count++], &c->scalars[i], sizeof(c->scalars[i]));
	}
	if (c->flag) {
		desc = (struct nna_operand_desc){ .type = NNA_OPERAND_BOOL };
		in[count] = add(g, &desc);
		constant(g, in[count++], &no, sizeof(no));
	}
	desc = (struct nna_operand_desc){ .type = type, .rank = c->out_rank, .dims = c->out,
					  .scale = OUT_SCALE, .zero_point = zero_of(type) };
	out = add(g, &desc);
	assert_int_equal(nna_graph_add_operation(g, 0, c->type, count, in, 1, &out), 0);
	assert_int_equal(nna_graph_set_io(g, 0, fixed ? 1 : 2, in, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

static void check(const struct consumer *c, uint32_t type, const uint8_t *in, const int8_t *w,
		  const int32_t *bias, const uint8_t *out)
{
	uint32_t dims[4] = { c->out[0], 1, 1, c->out[1] }, i = 0, at[4], inside = 0;
	double low = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 0 : -128;

	if (c->out_rank == 4)
		memcpy(dims, c->out, sizeof(dims));
	for (at[0] = 0; at[0] < dims[0]; at[0]++)
		for (at[1] = 0; at[1] < dims[1]; at[1]++)
			for (at[2] = 0; at[2] < dims[2]; at[2]++)
				for (at[3] = 0; at[3] < dims[3]; at[3]++, i++) {
					double want = expected(c, type, in, w, bias, at) +
						      zero_of(type);
					double got = number(type, out, i) + zero_of(type);

					inside += want > low && want < low + 255;
					want = fmin(fmax(want, low), low + 255);
					if (!(fabs(got - want) <= 0.501))
						fail_msg("operation %u, element %u: %g, not %g",
							 c->type, i, got, want);
				}
	assert_true(inside * 2 > i); /* saturated ones say little */
}

static void test_consumers(void **state)
{
	static const uint32_t types[] = { NNA_OPERAND_TENSOR_QUANT8_ASYMM,
					  NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED };
	uint8_t in[MAX_ELEMENTS], out[MAX_ELEMENTS];
	int8_t weights[MAX_ELEMENTS];
	int32_t bias[8];

	for (uint32_t i = 0; i < MAX_ELEMENTS; i++) {
		in[i] = (uint8_t)next(256);
		weights[i] = (int8_t)(next(255) - 127);
	}
	for (uint32_t i = 0; i < 8; i++)
		bias[i] = (int32_t)next(20000) - 10000;
	for (uint32_t i = 0; i < sizeof(consumers) / sizeof(consumers[0]) * 8; i++) {
		const struct consumer *c = &consumers[i / 8];
		uint32_t type = types[i & 1], out_size = count_of(c->out_rank, c->out);
		const int32_t *b = i & 2 ? bias : NULL;
		bool fixed = i & 4;
		struct nna_execution *e;
		struct nna_program *p;
		struct nna_graph *g = build(c, type, weights, b, fixed);

		assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
		assert_int_equal(nna_execution_create(p, &e), 0);
		assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, in,
							 count_of(c->in_rank, c->in)), 0);
		if (!fixed)
			assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, weights,
								 count_of(c->weights_rank,
									  c->weights)), 0);
		assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, out_size), 0);
		assert_int_equal(nna_execution_compute(e), 0);
		check(c, type, in, weights, b, out);
		nna_execution_destroy(e);
		nna_program_destroy(p);
		nna_graph_unref(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_consumers, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
