// SPDX-License-Identifier: MIT
/*
 * Whose rounding a graph wants (nna_graph_set_rounding()): fusing an ADD into a convolution changes
 * no bit in any, and ONNX' products are rounded once.
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

#define PIXELS 37
#define CHANNELS 24
#define COUNT (PIXELS * CHANNELS)

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static uint32_t tensor(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims,
		       float scale, int32_t zero_point)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims, .scale = scale,
					 .zero_point = zero_point };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return (uint32_t)ret;
}

static uint32_t scalar(struct nna_graph *g, int32_t value)
{
	uint32_t o = tensor(g, NNA_OPERAND_INT32, 0, NULL, 0, 0);

	assert_int_equal(nna_graph_set_constant(g, 0, o, &value, sizeof(value), false), 0);
	return o;
}

/* A scale, and one that is in a ratio of small numbers to it: sums near the middle of two steps. */
static float near(float scale)
{
	return scale * (float)(1 + next(12)) / 4;
}

/* out = conv(in) + other, on images of one row. */
static struct nna_graph *build(uint32_t type, enum nna_rounding rounding)
{
	uint32_t image[] = { 1, 1, PIXELS, CHANNELS }, filter[] = { CHANNELS, 1, 1, CHANNELS };
	uint32_t channels[] = { CHANNELS };
	int32_t zero = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 100 : -20;
	float scale = 0.01f * (float)(1 + next(30));
	uint32_t in, other, sum, out, weights, bias, act, layer[7];
	uint8_t numbers[CHANNELS * CHANNELS];
	int32_t biases[CHANNELS];
	struct nna_graph *g;

	for (uint32_t i = 0; i < sizeof(numbers); i++)
		numbers[i] = (uint8_t)next(256);
	for (uint32_t i = 0; i < CHANNELS; i++)
		biases[i] = (int32_t)next(4000) - 2000;
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = tensor(g, type, 4, image, 0.5f, zero);
	other = tensor(g, type, 4, image, near(scale * 1000), zero + 3);
	weights = tensor(g, type, 4, filter, 0.25f, zero);
	bias = tensor(g, NNA_OPERAND_TENSOR_INT32, 1, channels, 0.125f, 0);
	sum = tensor(g, type, 4, image, scale * 1000, zero);
	act = scalar(g, 0);
	out = tensor(g, type, 4, image, near(scale * 1000), zero - 1);
	assert_int_equal(nna_graph_set_constant(g, 0, weights, numbers, sizeof(numbers), false), 0);
	assert_int_equal(nna_graph_set_constant(g, 0, bias, biases, sizeof(biases), false), 0);
	layer[0] = in;
	layer[1] = weights;
	layer[2] = bias;
	layer[3] = scalar(g, 2); /* VALID */
	layer[4] = layer[5] = scalar(g, 1);
	layer[6] = act;
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_CONV_2D, 7, layer, 1, &sum),
			 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ sum, other, act }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, other }, 1, &out), 0);
	assert_int_equal(nna_graph_set_rounding(g, rounding), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/* Return: how many commands ran. */
static uint64_t run(struct nna_device *device, struct nna_graph *g, const uint8_t *const *in,
		    uint8_t *out)
{
	struct nna_execution *e;
	struct nna_timing timing;
	struct nna_program *p;

	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_execution_set_input(e, i, 0, NULL, in[i], COUNT), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, COUNT), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_int_equal(nna_execution_get_timing(e, &timing), 0);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	return timing.commands;
}

static void test_fused_sum(void **state)
{
	static const enum nna_rounding RULES[] = { NNA_ROUNDING_NNAPI, NNA_ROUNDING_TFLITE,
						   NNA_ROUNDING_ONNX };
	uint8_t a[COUNT], b[COUNT], separately[COUNT], out[3][COUNT];
	const uint8_t *in[] = { a, b };
	uint32_t apart = 0, other = 0, before;

	for (uint32_t i = 0; i < 400; i++) {
		uint32_t type = i & 1 ? NNA_OPERAND_TENSOR_QUANT8_ASYMM :
					NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
		uint64_t fused, separate;
		struct nna_graph *g;

		for (uint32_t k = 0; k < COUNT; k++) {
			a[k] = (uint8_t)next(256);
			b[k] = (uint8_t)next(256);
		}
		before = seed;
		for (uint32_t k = 0; k < 3; k++) {
			seed = before;
			g = build(type, RULES[k]);
			setenv("NNACCEL_DEBUG", "no-fuse", 1);
			separate = run(*state, g, in, separately);
			unsetenv("NNACCEL_DEBUG");
			fused = run(*state, g, in, out[k]);
			assert_true(fused < separate);
			assert_memory_equal(out[k], separately, COUNT);
			nna_graph_unref(g);
		}
		apart += memcmp(out[0], out[1], COUNT) != 0;
		other += memcmp(out[1], out[2], COUNT) != 0;
	}
	assert_true(apart && other); /* or this shows nothing */
}

static void test_set_rounding(void **state)
{
	struct nna_graph *g = build(NNA_OPERAND_TENSOR_QUANT8_ASYMM, NNA_ROUNDING_NNAPI);

	assert_int_equal(nna_graph_set_rounding(g, NNA_ROUNDING_TFLITE), -EINVAL);
	assert_int_equal(nna_graph_set_rounding(NULL, NNA_ROUNDING_TFLITE), -EINVAL);
	nna_graph_unref(g);
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	assert_int_equal(nna_graph_set_rounding(g, (enum nna_rounding)3), -EINVAL);
	nna_graph_unref(g);
}

/* Products of all pairs of 8-bit numbers: elements of a MUL, or of a BATCH_MATMUL. */
static void multiply(struct nna_device *device, uint32_t operation, const float *scales,
		     int8_t *out)
{
	const uint32_t column[] = { 1, 256, 1 }, row[] = { 1, 1, 256 }, all[] = { 1, 256, 256 };
	const uint32_t type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	struct nna_execution *e;
	struct nna_program *p;
	uint32_t in[4], result;
	struct nna_graph *g;
	int8_t numbers[256];
	uint8_t no = 0;

	for (int i = 0; i < 256; i++)
		numbers[i] = (int8_t)(i - 128);
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in[0] = tensor(g, type, 3, column, scales[0], 5);
	in[1] = tensor(g, type, 3, row, scales[1], -7);
	result = tensor(g, type, 3, all, scales[2], 3);
	for (uint32_t i = 2; i < 4; i++) {
		in[i] = operation == NNA_OPERATION_MUL ? scalar(g, 0) :
			tensor(g, NNA_OPERAND_BOOL, 0, NULL, 0, 0);
		if (operation != NNA_OPERATION_MUL)
			assert_int_equal(nna_graph_set_constant(g, 0, in[i], &no, 1, false), 0);
	}
	assert_int_equal(nna_graph_add_operation(g, 0, operation, operation == NNA_OPERATION_MUL ?
						 3 : 4, in, 1, &result), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, in, 1, &result), 0);
	assert_int_equal(nna_graph_set_rounding(g, NNA_ROUNDING_ONNX), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_execution_set_input(e, i, 0, NULL, numbers, 256), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, 256 * 256), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/*
 * Each is the nearest number to the exact product; only one within 1e-5 of the middle of two may be
 * either.
 */
static void test_onnx_products(void **state)
{
	static const float SCALES[][3] = { { .01f, .023f, .021f }, { .01f, .007f, .1f },
					   { .0171f, .31f, .77f }, { 1, 1, 300 } };
	static int8_t out[2][256 * 256];

	for (uint32_t s = 0; s < sizeof(SCALES) / sizeof(SCALES[0]); s++) {
		const double factor = (double)SCALES[s][0] * SCALES[s][1] / SCALES[s][2];

		multiply(*state, NNA_OPERATION_MUL, SCALES[s], out[0]);
		multiply(*state, NNA_OPERATION_BATCH_MATMUL, SCALES[s], out[1]);
		for (int i = 0; i < 256 * 256; i++) {
			const int a = i / 256 - 128 - 5, b = i % 256 - 128 + 7;
			const double exact = a * b * factor, low = floor(exact) + 3;
			const double middle = fabs(exact - floor(exact) - .5);

			for (int k = 0; k < 2; k++) {
				const double got = out[k][i];
				const double all = fmin(fmax(floor(exact + .5) + 3, -128), 127);

				if (got == all || (middle < 1e-5 && got >= low && got <= low + 1))
					continue;
				fail_msg("%d * %d * %g: %g, expected %g", a, b, factor, got, all);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fused_sum, open_device, close_device),
		cmocka_unit_test(test_set_rounding),
		cmocka_unit_test_setup_teardown(test_onnx_products, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
