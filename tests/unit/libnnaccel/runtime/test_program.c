// SPDX-License-Identifier: MIT
/*
 * Programs on the loopback: what passes leave out or fold does not change a result; dumps; what a
 * program says of itself; calls that are refused.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static int open_device(void **state)
{
	struct nna_device_options options = { .threads = 2 };
	struct nna_device *device;

	if (nna_device_open("loopback", &options, &device))
		return -1;
	*state = device;
	return 0;
}

static int close_device(void **state)
{
	nna_device_close(*state);
	return 0;
}

static uint32_t tensor(struct nna_graph *g, uint32_t type, uint32_t h, uint32_t w, uint32_t c,
		       float scale, int32_t zero_point)
{
	uint32_t dims[4] = { 1, h, w, c };
	struct nna_operand_desc desc = { .type = type, .rank = 4, .dims = dims, .scale = scale,
					 .zero_point = zero_point };
	int ret;

	/* Floats have no quantisation. */
	if (type == NNA_OPERAND_TENSOR_FLOAT32) {
		desc.scale = 0;
		desc.zero_point = 0;
	}
	ret = nna_graph_add_operand(g, 0, &desc);
	assert_true(ret >= 0);
	return ret;
}

static uint32_t scalar(struct nna_graph *g, int32_t value)
{
	struct nna_operand_desc desc = { .type = NNA_OPERAND_INT32 };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	assert_int_equal(nna_graph_set_constant(g, 0, ret, &value, sizeof(value), false), 0);
	return ret;
}

static uint32_t constant(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims,
			 float scale, int32_t zero_point)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims, .scale = scale,
					 .zero_point = zero_point };
	int ret = nna_graph_add_operand(g, 0, &desc);
	size_t count = 1, size = nna_operand_type_size(type);
	uint8_t *data;

	assert_true(ret >= 0);
	for (uint32_t k = 0; k < rank; k++)
		count *= dims[k];
	data = malloc(count * size);
	for (size_t i = 0; i < count; i++) {
		if (type == NNA_OPERAND_TENSOR_FLOAT32)
			((float *)data)[i] = (int)next(200) / 100.0f - 1;
		else if (type == NNA_OPERAND_TENSOR_INT32)
			((int32_t *)data)[i] = (int32_t)next(2000) - 1000;
		else
			data[i] = next(256);
	}
	assert_int_equal(nna_graph_set_constant(g, 0, ret, data, count * size, false), 0);
	free(data);
	return ret;
}

static void operation(struct nna_graph *g, uint32_t type, uint32_t count, const uint32_t *inputs,
		      uint32_t output)
{
	assert_int_equal(nna_graph_add_operation(g, 0, type, count, inputs, 1, &output), 0);
}

/* Types of a network and its operands. */
struct kind {
	uint32_t type;
	float scale;
	int32_t zero_point;
};

static uint32_t conv(struct nna_graph *g, const struct kind *k, uint32_t in, uint32_t depth,
		     uint32_t n, uint32_t kernel, int32_t act, float scale, int32_t zero_point)
{
	bool floats = k->type == NNA_OPERAND_TENSOR_FLOAT32;
	uint32_t wdims[4] = { n, kernel, kernel, depth };
	uint32_t w = constant(g, k->type, 4, wdims, floats ? 0 : 0.02f,
			      k->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 120 : 0);
	uint32_t b = constant(g, floats ? NNA_OPERAND_TENSOR_FLOAT32 : NNA_OPERAND_TENSOR_INT32, 1,
			      &n, floats ? 0 : k->scale * 0.02f, 0);
	uint32_t out = tensor(g, k->type, 6, 7, n, scale, zero_point);
	uint32_t inputs[] = { in, w, b, scalar(g, 1), scalar(g, 1), scalar(g, 1), scalar(g, act) };

	operation(g, NNA_OPERATION_CONV_2D, 7, inputs, out);
	return out;
}

/*
 * conv -> RELU6 -> conv -> ADD with the first -> PAD -> depthwise conv; a CONCATENATION of two of
 * these, and a RESHAPE to the output: something for each pass.
 */
static struct nna_graph *make_network(const struct kind *k, uint32_t depth)
{
	bool floats = k->type == NNA_OPERAND_TENSOR_FLOAT32;
	float scale = floats ? 0 : 0.11f;
	int32_t zero = floats ? 0 : k->zero_point + 3;
	uint32_t in, first, relu, second, sum, padded, third, joined, out, pads, shape;
	static const int32_t pad_values[8] = { 0, 0, 1, 2, 2, 1, 0, 0 };
	uint32_t pad_dims[2] = { 4, 2 }, one = 1;
	int32_t flat;
	struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_INT32,
					 .rank = 2,
					 .dims = pad_dims };
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(NULL, &g), 0);
	in = tensor(g, k->type, 6, 7, depth, k->scale, k->zero_point);
	first = conv(g, k, in, depth, 19, 3, 0, scale, zero);
	relu = tensor(g, k->type, 6, 7, 19, scale, zero);
	operation(g, NNA_OPERATION_RELU6, 1, &first, relu);
	second = conv(g, &(struct kind){ k->type, scale, zero }, relu, 19, 19, 1, 1,
		      floats ? 0 : 0.07f, zero + 1);
	sum = tensor(g, k->type, 6, 7, 19, floats ? 0 : 0.13f, zero - 2);
	operation(g, NNA_OPERATION_ADD, 3, (uint32_t[]){ second, relu, scalar(g, 1) }, sum);
	pads = nna_graph_add_operand(g, 0, &desc);
	assert_int_equal(nna_graph_set_constant(g, 0, pads, pad_values, sizeof(pad_values), false),
			 0);
	padded = tensor(g, k->type, 9, 10, 19, floats ? 0 : 0.13f, zero - 2);
	operation(g, NNA_OPERATION_PAD, 2, (uint32_t[]){ sum, pads }, padded);
	{
		uint32_t wdims[4] = { 1, 4, 4, 19 }, n = 19;
		uint32_t w = constant(g, k->type, 4, wdims, floats ? 0 : 0.02f,
				      k->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 140 : 0);
		uint32_t b =
			constant(g, floats ? NNA_OPERAND_TENSOR_FLOAT32 : NNA_OPERAND_TENSOR_INT32,
				 1, &n, floats ? 0 : 0.13f * 0.02f, 0);
		uint32_t inputs[] = {
			padded,	      w,	   b, scalar(g, 2), scalar(g, 1), scalar(g, 1),
			scalar(g, 1), scalar(g, 0)
		};

		third = tensor(g, k->type, 6, 7, 19, floats ? 0 : 0.13f, zero - 2);
		operation(g, NNA_OPERATION_DEPTHWISE_CONV_2D, 8, inputs, third);
	}
	joined = tensor(g, k->type, 6, 7, 38, floats ? 0 : 0.13f, zero - 2);
	operation(g, NNA_OPERATION_CONCATENATION, 3, (uint32_t[]){ third, sum, scalar(g, 3) },
		  joined);
	flat = 6 * 7 * 38;
	desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_INT32,
					  .rank = 1,
					  .dims = &one };
	shape = nna_graph_add_operand(g, 0, &desc);
	assert_int_equal(nna_graph_set_constant(g, 0, shape, &flat, 4, false), 0);
	desc = (struct nna_operand_desc){ .type = k->type,
					  .rank = 1,
					  .dims = (uint32_t[]){ flat },
					  .scale = floats ? 0 : 0.13f,
					  .zero_point = floats ? 0 : zero - 2 };
	out = nna_graph_add_operand(g, 0, &desc);
	operation(g, NNA_OPERATION_RESHAPE, 2, (uint32_t[]){ joined, shape }, out);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &in, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/* Runs without the passes that @debug turns off. Return: how many commands ran. */
static uint32_t run_with(struct nna_device *device, struct nna_graph *g, const char *debug,
			 const void *in, size_t in_size, void *out, size_t out_size)
{
	struct nna_program *p;
	struct nna_execution *e;
	struct nna_timing timing;

	if (debug)
		setenv("NNACCEL_DEBUG", debug, 1);
	else
		unsetenv("NNACCEL_DEBUG");
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	unsetenv("NNACCEL_DEBUG");
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, in, in_size), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, out_size), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_int_equal(nna_execution_get_timing(e, &timing), 0);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	return timing.commands;
}

static void test_passes(void **state)
{
	static const struct kind kinds[] = {
		{ NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.05f, 130 },
		{ NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 0.05f, -7 },
		{ NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
	};
	static const char *const debugs[] = {
		"no-fuse",  "no-elide", "no-pack",
		"no-reuse", "no-fold",	"no-fuse,no-elide,no-pack,no-reuse,no-fold"
	};

	for (uint32_t round = 0; round < 12; round++) {
		const struct kind *k = &kinds[round % 3];
		uint32_t depth = 1 + next(20), count = 6 * 7 * depth;
		size_t size = nna_operand_type_size(k->type), out_size = 6 * 7 * 38 * size;
		struct nna_graph *g = make_network(k, depth);
		uint8_t *in = malloc(count * size), *out = malloc(out_size),
			*plain = malloc(out_size);
		uint32_t commands;

		for (uint32_t i = 0; i < count; i++) {
			if (size == 4)
				((float *)in)[i] = (int)next(400) / 100.0f - 2;
			else
				in[i] = next(256);
		}
		commands = run_with(*state, g, NULL, in, count * size, out, out_size);
		/* Three convolutions, one of them with the sum, END, and perhaps copies. */
		assert_in_range(commands, 3, 6);
		for (size_t i = 0; i < sizeof(debugs) / sizeof(debugs[0]); i++) {
			uint32_t more;

			memset(plain, 0x5a, out_size);
			if (getenv("NNA_TEST_VERBOSE"))
				fprintf(stderr, "round %u: %s\n", round, debugs[i]);
			more = run_with(*state, g, debugs[i], in, count * size, plain, out_size);
			assert_true(more >= commands);
			if (k->type != NNA_OPERAND_TENSOR_FLOAT32 ||
			    !strstr(debugs[i], "no-pack")) {
				assert_memory_equal(out, plain, out_size);
				continue;
			}
			/* Another kernel may add floats in another order. */
			for (uint32_t at = 0; at < 6 * 7 * 38; at++) {
				float a = ((float *)out)[at], b = ((float *)plain)[at];

				assert_true(a - b < 1e-3f && b - a < 1e-3f);
			}
		}
		free(in);
		free(out);
		free(plain);
		nna_graph_unref(g);
	}
}

/* Weights that a DEQUANTIZE makes from constants are folded on the device, then packed. */
static void test_fold(void **state)
{
	struct kind floats = { NNA_OPERAND_TENSOR_FLOAT32, 0, 0 };
	uint32_t dims[4] = { 8, 1, 1, 4 }, n = 8, in, stored, w, b, out;
	float data[6 * 7 * 4], result[6 * 7 * 8], plain[6 * 7 * 8];
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(NULL, &g), 0);
	in = tensor(g, floats.type, 6, 7, 4, 0, 0);
	stored = constant(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 4, dims, 0.1f, 128);
	w = nna_graph_add_operand(g, 0,
				  &(struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_FLOAT32,
							      .rank = 4,
							      .dims = dims });
	operation(g, NNA_OPERATION_DEQUANTIZE, 1, &stored, w);
	b = constant(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	out = tensor(g, floats.type, 6, 7, 8, 0, 0);
	operation(g, NNA_OPERATION_CONV_2D, 7,
		  (uint32_t[]){ in, w, b, scalar(g, 1), scalar(g, 1), scalar(g, 1), scalar(g, 0) },
		  out);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &in, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	for (int i = 0; i < 6 * 7 * 4; i++)
		data[i] = (int)next(100) / 10.0f;
	/* The convolution and END; without folding DEQUANTIZE, too. */
	assert_int_equal(run_with(*state, g, NULL, data, sizeof(data), result, sizeof(result)), 2);
	assert_int_equal(run_with(*state, g, "no-fold", data, sizeof(data), plain, sizeof(plain)),
			 3);
	for (int i = 0; i < 6 * 7 * 8; i++)
		assert_true(result[i] - plain[i] < 1e-3f && plain[i] - result[i] < 1e-3f);
	nna_graph_unref(g);
}

static void test_dump(void **state)
{
	struct nna_graph *g =
		make_network(&(struct kind){ NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.05f, 130 }, 3);
	struct nna_program *p;
	struct nna_io_info info;
	size_t size;
	char *text;
	FILE *to;

	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	to = open_memstream(&text, &size);
	assert_int_equal(nna_program_dump(p, to), 0);
	fclose(to);
	assert_non_null(strstr(text, "CONV (operation 0) layout=PACKED8"));
	assert_non_null(strstr(text, "output0"));
	assert_non_null(strstr(text, "memory: constants"));
	free(text);
	assert_int_equal(nna_program_input_count(p), 1);
	assert_int_equal(nna_program_get_input(p, 0, &info), 0);
	assert_int_equal(info.size, 6 * 7 * 3);
	assert_int_equal(nna_program_get_input(p, 1, &info), -EINVAL);
	assert_int_equal(nna_program_get_output(p, 0, &info), 0);
	assert_int_equal(info.dims[0], 6 * 7 * 38);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* Asked for the @user-th time it says yes. */
static bool is_cancelled(void *user)
{
	int *left = user;

	return !--*left;
}

/* A compilation that nobody wants any more ends where it is. */
static void test_cancelled(void **state)
{
	struct nna_graph *g = make_network(&(struct kind){ NNA_OPERAND_TENSOR_FLOAT32, 0, 0 }, 3);
	int left = INT_MAX, asked;
	struct nna_program_options options = { .is_cancelled = is_cancelled, .user = &left };
	struct nna_program *p;

	assert_int_equal(nna_program_create(*state, g, &options, &p), 0);
	nna_program_destroy(p);
	asked = INT_MAX - left;
	/* For each operation, at least. */
	assert_true(asked > 3);
	for (int i = 1; i <= asked; i++) {
		left = i;
		assert_int_equal(nna_program_create(*state, g, &options, &p), -ECANCELED);
		assert_int_equal(left, 0);
	}
	nna_graph_unref(g);
}

static void test_refused(void **state)
{
	struct nna_program_options options = { .deadline_ns = 1 };
	struct nna_graph *g = make_network(&(struct kind){ NNA_OPERAND_TENSOR_FLOAT32, 0, 0 }, 3),
			 *open;
	struct nna_program *p;

	assert_int_equal(nna_program_create(*state, g, &options, &p), -ETIMEDOUT);
	assert_int_equal(nna_program_create(NULL, g, NULL, &p), -EINVAL);
	nna_graph_unref(g);
	assert_int_equal(nna_graph_create(NULL, &open), 0);
	assert_int_equal(nna_program_create(*state, open, NULL, &p), -EINVAL);
	nna_graph_unref(open);
	nna_program_destroy(NULL);
	nna_execution_destroy(NULL);
	nna_fence_destroy(NULL);
	nna_buffer_destroy(NULL);
	nna_device_close(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_passes),
		TEST(test_fold),
		TEST(test_dump),
		TEST(test_cancelled),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
