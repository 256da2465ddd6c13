// SPDX-License-Identifier: MIT
/* Networks of 8 bits out of networks of floats: their form, their results, and what has none. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "demo/quantise.h"

#define SIDE 6
#define CHANNELS 4
#define INPUT (SIDE * SIDE * 2)
#define BOTH (2 * SIDE * SIDE / 4 * 6)
#define MOST_OPERANDS 64

/* ------------------------------------------------------------------------------------- networks */

static uint32_t operand(struct network *n, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	const struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int number = network_sink.add_operand(n, 0, &desc);

	assert_true(number >= 0);
	return (uint32_t)number;
}

static uint32_t tensor(struct network *n, uint32_t h, uint32_t w, uint32_t c)
{
	return operand(n, NNA_OPERAND_TENSOR_FLOAT32, 4, (uint32_t[]){ 1, h, w, c });
}

static uint32_t constant(struct network *n, uint32_t type, uint32_t rank, const uint32_t *dims,
			 const void *data, size_t size)
{
	uint32_t number = operand(n, type, rank, dims);

	assert_int_equal(network_sink.set_constant(n, 0, number, data, size), 0);
	return number;
}

/* A scalar; the translation has one of its own for each use, too. */
static uint32_t scalar(struct network *n, int32_t value)
{
	static const int32_t values[] = { 0, 1, 2, 3 };

	return constant(n, NNA_OPERAND_INT32, 0, NULL, &values[value], sizeof(*values));
}

static void operation(struct network *n, uint32_t type, uint32_t count, const uint32_t *inputs,
		      uint32_t output)
{
	assert_int_equal(network_sink.add_operation(n, 0, type, count, inputs, 1, &output), 0);
}

static uint32_t relu(struct network *n, uint32_t x, uint32_t side)
{
	uint32_t out = tensor(n, side, side, CHANNELS);

	operation(n, NNA_OPERATION_RELU, 1, &x, out);
	return out;
}

static uint32_t sum(struct network *n, uint32_t a, uint32_t b)
{
	uint32_t out = tensor(n, SIDE, SIDE, CHANNELS);

	operation(n, NNA_OPERATION_ADD, 3, (uint32_t[]){ a, b, scalar(n, 0) }, out);
	return out;
}

/* A window of 3x3 in steps of 1, such that the size stays; as the translation writes it. */
static uint32_t convolution(struct network *n, uint32_t x, uint32_t weights, uint32_t bias,
			    bool depthwise)
{
	static const uint8_t no;
	uint32_t out = tensor(n, SIDE, SIDE, CHANNELS), in[16], count = 0;

	in[count++] = x;
	in[count++] = weights;
	in[count++] = bias;
	in[count++] = scalar(n, 1);
	in[count++] = scalar(n, 1);
	in[count++] = scalar(n, 1);
	if (depthwise)
		in[count++] = scalar(n, 1);
	in[count++] = scalar(n, 0);
	in[count++] = constant(n, NNA_OPERAND_BOOL, 0, NULL, &no, sizeof(no));
	in[count++] = scalar(n, 1);
	in[count++] = scalar(n, 1);
	operation(n, depthwise ? NNA_OPERATION_DEPTHWISE_CONV_2D : NNA_OPERATION_CONV_2D, count, in,
		  out);
	return out;
}

/* Numbers of -1 to 1 from a fixed sequence. */
static void fill(float *to, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525 + 1013904223;
		to[i] = (float)(int32_t)seed / 2147483648.f;
	}
}

static float wide[CHANNELS * 3 * 3 * 2], deep[3 * 3 * CHANNELS], biases[2][CHANNELS];

static uint32_t wide_weights(struct network *n)
{
	return constant(n, NNA_OPERAND_TENSOR_FLOAT32, 4, (uint32_t[]){ CHANNELS, 3, 3, 2 }, wide,
			sizeof(wide));
}

static uint32_t bias(struct network *n, int which)
{
	return constant(n, NNA_OPERAND_TENSOR_FLOAT32, 1, (uint32_t[]){ CHANNELS }, biases[which],
			sizeof(biases[which]));
}

/* Operands of the network below. */
struct parts {
	uint32_t input, first, second, sum, pooled, padded, flat, other, both;
};

/*
 * first  = relu(conv(input))
 * second = depthwise(first)
 * sum    = relu(first + second)
 * padded = pad(max_pool(sum)), flat = reshape(padded); other = reshape(pad(max_pool(first)))
 * both   = [flat, other]
 */
static struct parts build(struct network *n)
{
	static const int32_t pads[8] = { 0, 0, 0, 0, 0, 0, 0, 2 };
	static const int32_t shape[2] = { 1, BOTH / 2 };
	struct parts p;
	uint32_t ends[2];

	fill(wide, sizeof(wide) / sizeof(*wide), 1);
	fill(deep, sizeof(deep) / sizeof(*deep), 2);
	fill(biases[0], CHANNELS, 3);
	fill(biases[1], CHANNELS, 4);
	*n = (struct network){ 0 };
	p.input = tensor(n, SIDE, SIDE, 2);
	p.first = relu(n, convolution(n, p.input, wide_weights(n), bias(n, 0), false), SIDE);
	p.second = convolution(n, p.first,
			       constant(n, NNA_OPERAND_TENSOR_FLOAT32, 4,
					(uint32_t[]){ 1, 3, 3, CHANNELS }, deep, sizeof(deep)),
			       bias(n, 1), true);
	p.sum = relu(n, sum(n, p.first, p.second), SIDE);
	for (int i = 0; i < 2; i++) {
		p.pooled = tensor(n, SIDE / 2, SIDE / 2, CHANNELS);
		operation(n, NNA_OPERATION_MAX_POOL_2D, 7,
			  (uint32_t[]){ i ? p.sum : p.first, scalar(n, 1), scalar(n, 2),
					scalar(n, 2), scalar(n, 2), scalar(n, 2), scalar(n, 0) },
			  p.pooled);
		p.padded = tensor(n, SIDE / 2, SIDE / 2, CHANNELS + 2);
		operation(n, NNA_OPERATION_PAD, 2,
			  (uint32_t[]){ p.pooled, constant(n, NNA_OPERAND_TENSOR_INT32, 2,
							   (uint32_t[]){ 4, 2 }, pads,
							   sizeof(pads)) }, p.padded);
		ends[i] = operand(n, NNA_OPERAND_TENSOR_FLOAT32, 2, (uint32_t[]){ 1, BOTH / 2 });
		operation(n, NNA_OPERATION_RESHAPE, 2,
			  (uint32_t[]){ p.padded, constant(n, NNA_OPERAND_TENSOR_INT32, 1,
							   (uint32_t[]){ 2 }, shape,
							   sizeof(shape)) }, ends[i]);
	}
	p.other = ends[0];
	p.flat = ends[1];
	p.both = operand(n, NNA_OPERAND_TENSOR_FLOAT32, 2, (uint32_t[]){ 1, BOTH });
	operation(n, NNA_OPERATION_CONCATENATION, 3,
		  (uint32_t[]){ p.flat, p.other, scalar(n, 1) }, p.both);
	assert_int_equal(network_sink.set_io(n, 0, 1, &p.input, 1, &p.both), 0);
	return p;
}

static void run(const struct network *n, const void *in, size_t in_size, void *out, size_t out_size)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct nna_execution *execution;
	struct nna_program *program;
	struct nna_device *device;
	struct nna_graph *graph;

	assert_int_equal(nna_device_open("loopback", NULL, &device), 0);
	assert_int_equal(nna_graph_create(NULL, &graph), 0);
	assert_int_equal(network_write(n, &tflite_graph_sink, graph, error), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_program_create(device, graph, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	assert_int_equal(nna_execution_set_input(execution, 0, 0, NULL, in, in_size), 0);
	assert_int_equal(nna_execution_set_output(execution, 0, 0, NULL, out, out_size), 0);
	assert_int_equal(nna_execution_compute(execution), 0);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	nna_device_close(device);
}

/* Ranges of -@most to @most for all. */
static const struct range *ranges_of(float most)
{
	static struct range ranges[MOST_OPERANDS];

	for (int i = 0; i < MOST_OPERANDS; i++)
		ranges[i] = (struct range){ -most, most };
	return ranges;
}

/* ---------------------------------------------------------------------------------------- tests */

static float inputs[2][INPUT];

static void quantise(struct network *n)
{
	const float *const both[] = { inputs[0], inputs[1] };
	struct range ranges[MOST_OPERANDS];
	char error[TFLITE_ERROR_SIZE] = "";

	fill(inputs[0], INPUT, 5);
	fill(inputs[1], INPUT, 6);
	assert_true(n->operand_count <= MOST_OPERANDS);
	if (range_measure(n, both, 2, ranges, error) || quantise_network(n, ranges, error))
		fail_msg("%s", error);
}

/* The results are those of the floats, but for some steps of their scale. */
static void test_results(void **state)
{
	float expected[BOTH], got[BOTH], greatest = 0;
	int8_t numbers[INPUT], results[BOTH];
	const struct nna_operand_desc *in, *out;
	struct network floats, n;

	build(&floats);
	build(&n);
	quantise(&n);
	in = &n.operands[n.inputs[0]].desc;
	out = &n.operands[n.outputs[0]].desc;
	for (int i = 0; i < 2; i++) {
		run(&floats, inputs[i], sizeof(inputs[i]), expected, sizeof(expected));
		quantise_floats(in, inputs[i], INPUT, numbers);
		run(&n, numbers, sizeof(numbers), results, sizeof(results));
		quantise_to_floats(out, results, BOTH, got);
		for (int k = 0; k < BOTH; k++) {
			greatest = fmaxf(greatest, fabsf(expected[k]));
			assert_true(fabsf(got[k] - expected[k]) <= 4 * out->scale);
		}
	}
	/* So that the test above says something. */
	assert_true(greatest > 60 * out->scale);
	network_fini(&floats);
	network_fini(&n);
}

static const struct network_operation *find(const struct network *n, uint32_t type)
{
	for (uint32_t i = 0; i < n->operation_count; i++)
		if (n->operations[i].type == type)
			return &n->operations[i];
	fail_msg("there is no %s", nna_operation_name(type));
	return NULL;
}

static bool same(const struct network *n, uint32_t a, uint32_t b)
{
	const struct nna_operand_desc *x = &n->operands[a].desc, *y = &n->operands[b].desc;

	assert_int_equal(x->type, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	assert_int_equal(y->type, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	return x->scale == y->scale && x->zero_point == y->zero_point;
}

static int32_t value(const struct network *n, uint32_t number)
{
	int32_t number_of;

	memcpy(&number_of, n->operands[number].data, sizeof(number_of));
	return number_of;
}

static void test_form(void **state)
{
	static const uint32_t moves[] = { NNA_OPERATION_MAX_POOL_2D, NNA_OPERATION_PAD,
					  NNA_OPERATION_RESHAPE };
	const struct network_operation *conv, *deep_conv, *add, *concat;
	const struct network_operand *o;
	struct network n;

	build(&n);
	quantise(&n);
	/* Both RELU became activations, and no operand is left without a writer. */
	assert_int_equal(n.operation_count, 10);
	conv = find(&n, NNA_OPERATION_CONV_2D);
	deep_conv = find(&n, NNA_OPERATION_DEPTHWISE_CONV_2D);
	add = find(&n, NNA_OPERATION_ADD);
	concat = find(&n, NNA_OPERATION_CONCATENATION);
	assert_int_equal(value(&n, conv->inputs[6]), NNA_ACT_RELU);
	assert_int_equal(value(&n, deep_conv->inputs[7]), NNA_ACT_NONE);
	assert_int_equal(value(&n, add->inputs[2]), NNA_ACT_RELU);
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		const struct network_operation *move = find(&n, moves[i]);

		assert_true(same(&n, move->inputs[0], move->outputs[0]));
	}
	assert_true(same(&n, add->inputs[0], add->inputs[1]));
	assert_false(same(&n, add->inputs[0], add->outputs[0]));
	assert_false(same(&n, concat->inputs[0], concat->inputs[1]));
	/* Numbers that a RELU makes start at 0. */
	assert_int_equal(n.operands[add->outputs[0]].desc.zero_point, -128);

	o = &n.operands[conv->inputs[1]];
	assert_int_equal(o->desc.type, NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL);
	assert_int_equal(o->desc.channel_dim, 0);
	assert_int_equal(o->desc.channel_count, CHANNELS);
	for (int c = 0; c < CHANNELS; c++) {
		const int8_t *w = (const int8_t *)o->data + c * 18;
		int greatest = 0;

		for (int i = 0; i < 18; i++) {
			assert_true(fabsf((float)w[i] * o->scales[c] - wide[c * 18 + i]) <=
				    o->scales[c] * 0.501f);
			greatest = abs(w[i]) > greatest ? abs(w[i]) : greatest;
		}
		assert_int_equal(greatest, 127);
	}
	o = &n.operands[deep_conv->inputs[1]];
	assert_int_equal(o->desc.channel_dim, 3);
	for (int i = 0; i < 9 * CHANNELS; i++)
		assert_true(fabsf((float)((const int8_t *)o->data)[i] * o->scales[i % CHANNELS] -
				  deep[i]) <= o->scales[i % CHANNELS] * 0.501f);
	o = &n.operands[conv->inputs[2]];
	assert_int_equal(o->desc.type, NNA_OPERAND_TENSOR_INT32);
	for (int c = 0; c < CHANNELS; c++) {
		const float scale = n.operands[conv->inputs[0]].desc.scale *
				    n.operands[conv->inputs[1]].scales[c];

		assert_true(fabsf((float)((const int32_t *)o->data)[c] * scale - biases[0][c]) <=
			    scale * 0.51f);
	}
	network_fini(&n);
}

/* Only a RELU that is alone to read what it reads goes. */
static void test_relu_that_stays(void **state)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct network n = { 0 };
	uint32_t x = tensor(&n, SIDE, SIDE, CHANNELS), y = sum(&n, x, x), z = relu(&n, y, SIDE);
	uint32_t outputs[] = { y, z };

	assert_int_equal(network_sink.set_io(&n, 0, 1, &x, 2, outputs), 0);
	assert_int_equal(quantise_network(&n, ranges_of(3), error), 0);
	assert_int_equal(n.operation_count, 2);
	assert_true(same(&n, n.outputs[0], n.outputs[1]));
	network_fini(&n);
}

/* Zeros, and weights so small beside their bias that it would not fit into 32 bits. */
static void test_small_weights(void **state)
{
	static float weights[CHANNELS * 18], large[CHANNELS] = { 0, 1e6f, -1e6f, 1 };
	char error[TFLITE_ERROR_SIZE] = "";
	struct network n = { 0 };
	const struct network_operation *conv;
	const int32_t *got;
	const float *scales;
	uint32_t x = tensor(&n, SIDE, SIDE, 2), y;

	for (int i = 0; i < 3 * 18; i++)
		weights[i] = i < 18 ? 0 : 1e-8f;
	y = convolution(&n, x,
			constant(&n, NNA_OPERAND_TENSOR_FLOAT32, 4,
				 (uint32_t[]){ CHANNELS, 3, 3, 2 }, weights, sizeof(weights)),
			constant(&n, NNA_OPERAND_TENSOR_FLOAT32, 1, (uint32_t[]){ CHANNELS },
				 large, sizeof(large)), false);
	assert_int_equal(network_sink.set_io(&n, 0, 1, &x, 1, &y), 0);
	assert_int_equal(quantise_network(&n, ranges_of(1), error), 0);
	conv = find(&n, NNA_OPERATION_CONV_2D);
	got = n.operands[conv->inputs[2]].data;
	scales = n.operands[conv->inputs[1]].scales;
	for (int c = 0; c < CHANNELS; c++) {
		const double made = (double)got[c] * (double)scales[c] *
				    (double)n.operands[conv->inputs[0]].desc.scale;

		assert_true(scales[c] > 0 && abs(got[c]) <= 1 << 30);
		assert_true(fabs(made - (double)large[c]) <= fabs((double)large[c]) * 1e-5);
	}
	network_fini(&n);
}

static void test_numbers(void **state)
{
	static const float from[] = { -100, -1, -0.26f, 0, 0.24f, 0.26f, 1, 100 };
	static const int8_t expected[] = { -128, 8, 9, 10, 10, 11, 12, 127 };
	const struct nna_operand_desc desc = { .scale = 0.5f, .zero_point = 10 };
	int8_t to[8];
	float back[8];

	quantise_floats(&desc, from, 8, to);
	assert_memory_equal(to, expected, sizeof(expected));
	quantise_to_floats(&desc, to, 8, back);
	assert_true(back[0] == -69 && back[1] == -1 && back[3] == 0 && back[7] == 58.5f);
}

/* ------------------------------------------------------------------------------------- refusals */

/* Ends the network at @y; it is an empty one then. */
static void refuses(struct network *n, uint32_t x, uint32_t y, const struct range *ranges,
		    const char *what)
{
	char error[TFLITE_ERROR_SIZE] = "";

	assert_int_equal(network_sink.set_io(n, 0, 1, &x, 1, &y), 0);
	assert_int_equal(quantise_network(n, ranges, error), -ENOTSUP);
	if (!strstr(error, what))
		fail_msg("'%s' does not say '%s'", error, what);
	network_fini(n);
}

static void test_refusals(void **state)
{
	static const float ones[SIDE * SIDE * CHANNELS];
	struct network n = { 0 };
	struct range ranges[MOST_OPERANDS];
	uint32_t x = tensor(&n, SIDE, SIDE, CHANNELS), y = tensor(&n, SIDE, SIDE, CHANNELS), w, b;

	operation(&n, NNA_OPERATION_TANH, 1, &x, y);
	refuses(&n, x, y, ranges_of(1), "operation 0 (TANH) has no form of 8 bits");

	x = tensor(&n, SIDE, SIDE, CHANNELS);
	y = sum(&n, x, constant(&n, NNA_OPERAND_TENSOR_FLOAT32, 4,
				(uint32_t[]){ 1, SIDE, SIDE, CHANNELS }, ones, sizeof(ones)));
	refuses(&n, x, y, ranges_of(1), "operation 0 (ADD) has no form of 8 bits: its input 1");

	x = tensor(&n, SIDE, SIDE, 2);
	w = wide_weights(&n);
	b = bias(&n, 0);
	y = sum(&n, convolution(&n, x, w, b, false), convolution(&n, x, w, b, false));
	refuses(&n, x, y, ranges_of(1), "operation 1 (CONV_2D)");

	/* What is not computed when ranges are measured, or overflows. */
	x = tensor(&n, SIDE, SIDE, CHANNELS);
	y = sum(&n, x, x);
	memcpy(ranges, ranges_of(1), sizeof(ranges));
	ranges[y] = (struct range){ INFINITY, -INFINITY };
	refuses(&n, x, y, ranges, "operation 0 (ADD)");

	x = tensor(&n, SIDE, SIDE, CHANNELS);
	y = sum(&n, x, x);
	memcpy(ranges, ranges_of(1), sizeof(ranges));
	ranges[x].high = INFINITY;
	refuses(&n, x, y, ranges, "operation 0 (ADD)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_relu_that_stays),
		cmocka_unit_test(test_small_weights),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
