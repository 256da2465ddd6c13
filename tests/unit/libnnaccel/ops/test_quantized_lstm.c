// SPDX-License-Identifier: MIT
/*
 * QUANTIZED_16BIT_LSTM twice: in real numbers, which share nothing with the library, within what 16
 * bits may take a result from them; and in integers to the last bit, sums and both roundings, where
 * the 16-bit functions are the library's own (test_fixed_point has those against the reals).
 *
 * UNIDIRECTIONAL_SEQUENCE_LSTM of 8-bit types, and a QUANTIZED_LSTM for each of its steps, in
 * integers to the byte: a quiet layer, and a loud one, of which sums leave 16 bits and come back.
 *
 * Results at the limits of 16 and 8 bits are counted, so that no test passes for want of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"
#include "libnnaccel/ops/fixed_point.h"

#define BATCH 3
#define SIZE 21
#define UNITS 17
#define GATES 4

enum { INPUT, FORGET, CELL, OUTPUT };

static uint32_t seed = 7;

static int32_t next(int32_t low, int32_t high)
{
	seed = seed * 1664525 + 1013904223;
	return low + (int32_t)((seed >> 8) % (uint32_t)(high - low + 1));
}

static struct {
	uint8_t x[BATCH][SIZE], weights[GATES][UNITS][SIZE], recurrent[GATES][UNITS][UNITS],
		h[BATCH][UNITS];
	int32_t bias[GATES][UNITS];
	int16_t c[BATCH][UNITS];
	float scale;
	int32_t zero;
} in;

static void fill(void)
{
	uint8_t *bytes[] = { in.x[0], in.weights[0][0], in.recurrent[0][0], in.h[0] };
	size_t sizes[] = { sizeof(in.x), sizeof(in.weights), sizeof(in.recurrent), sizeof(in.h) };

	for (int k = 0; k < 4; k++)
		for (size_t i = 0; i < sizes[k]; i++)
			bytes[k][i] = (uint8_t)next(0, 255);
	for (int i = 0; i < GATES * UNITS; i++)
		in.bias[i / UNITS][i % UNITS] = next(-60000, 60000);
	for (int i = 0; i < BATCH * UNITS; i++)
		in.c[i / UNITS][i % UNITS] =
			(int16_t)(i % 3	     ? next(INT16_MIN, INT16_MAX) :
				  next(0, 1) ? INT16_MAX - next(0, 99) :
					       INT16_MIN + next(0, 99));
	in.scale = (float)exp2(-6.001 - (double)next(0, 1000) / 400);
	in.zero = next(90, 160);
}

/* acc * factor, which has 31 bits, rounded twice: halves up, then halves away from zero. */
static int32_t requantise(int32_t acc, double factor)
{
	int exponent, up, down;
	int64_t multiplier = llround(ldexp(frexp(factor, &exponent), 31)), once, size;

	up = exponent > 0 ? exponent : 0;
	down = exponent < 0 ? -exponent : 0;
	once = ((int64_t)acc * ((int64_t)1 << up) * multiplier + (1ll << 30)) >> 31;
	size = llabs(once);
	size = (size + (down ? 1ll << (down - 1) : 0)) >> down;
	return (int32_t)(once < 0 ? -size : size);
}

/* How often a number left its limits, and how often a sum did and came back. */
static struct {
	uint32_t gates, cells, outputs, back;
} met;

static int16_t saturate(int64_t x)
{
	return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

/* The product of two numbers with 15 bits behind the point: halves up. */
static int64_t product15(int64_t a, int64_t b)
{
	return (a * b + (1 << 14)) >> 15;
}

/* x / 2^shift, halves away from zero */
static int64_t shifted(int64_t x, int shift)
{
	int64_t size = (llabs(x) + (1ll << (shift - 1))) >> shift;

	return x < 0 ? -size : size;
}

/*
 * The sum of a gate, in steps of in.scale / 128: [input, last output] times [recurrent weights,
 * input weights], as all implementations have it.
 */
static int32_t gate_sum(int g, int b, int u)
{
	int32_t acc = in.bias[g][u];

	for (int k = 0; k < SIZE + UNITS; k++) {
		int32_t data = k < SIZE ? in.x[b][k] : in.h[b][k - SIZE];
		int32_t weight = k < UNITS ? in.recurrent[g][u][k] : in.weights[g][u][k - UNITS];

		acc += (data - 128) * (weight - in.zero);
	}
	return acc;
}

static int16_t gate(int g, int b, int u)
{
	int32_t sum = requantise(gate_sum(g, b, u), (double)(in.scale * 0x1p-7f) / 0x1p-12);

	met.gates += sum != saturate(sum);
	return nna_fixed_evaluate(g == CELL ? NNA_FIXED_TANH : NNA_FIXED_LOGISTIC, 3,
				  saturate(sum));
}

/* A real number, and how far off a computation in 16 bits may be. */
struct real {
	double v, err;
};

static struct real real_product(struct real a, struct real b)
{
	return (struct real){ a.v * b.v, fabs(a.v) * b.err + fabs(b.v) * a.err + a.err * b.err };
}

/* Functions are right to 13/32768 (test_fixed_point), and no steeper than 1. */
static struct real real_tanh(struct real x)
{
	return (struct real){ tanh(x.v), x.err + 13 * 0x1p-15 };
}

/* A gate's sum has 3 bits before the point, and is rounded to 1/4096. */
static struct real real_gate(int g, int b, int u)
{
	double x = gate_sum(g, b, u) * (double)in.scale * 0x1p-7;
	struct real sum = { fmin(fmax(x, -8), 8), 0x1p-12 };

	if (g == CELL)
		return real_tanh(sum);
	return (struct real){ 1 / (1 + exp(-sum.v)), sum.err + 13 * 0x1p-15 };
}

/* Element @u of batch @b: the cell state @c in 1/2048, the output @h in 1/128 around 128. */
static void check_real(int b, int u, int16_t c, uint8_t h)
{
	struct real kept = real_product(real_gate(FORGET, b, u),
					(struct real){ in.c[b][u] * 0x1p-11, 0 });
	struct real fresh = real_product(real_gate(INPUT, b, u), real_gate(CELL, b, u));
	/* Each of the two is rounded to 1/2048. */
	struct real cell = { fmin(fmax(kept.v + fresh.v, INT16_MIN * 0x1p-11),
				  INT16_MAX * 0x1p-11),
			     kept.err + fresh.err + 0x1p-11 + 0x1p-16 }, out;

	out = real_product(real_gate(OUTPUT, b, u), real_tanh(cell));
	if (fabs(c * 0x1p-11 - cell.v) > cell.err)
		fail_msg("cell [%d, %d] is %g, not %g", b, u, c * 0x1p-11, cell.v);
	if (fabs((h - 128) * 0x1p-7 - fmin(out.v, 127 * 0x1p-7)) > out.err + 0x1p-8 + 0x1p-16)
		fail_msg("output [%d, %d] is %g, not %g", b, u, (h - 128) * 0x1p-7, out.v);
}

static uint32_t add(struct nna_graph *g, uint32_t type, uint32_t rank, uint32_t rows,
		    uint32_t columns, float scale, int32_t zero)
{
	const uint32_t dims[2] = { rows, columns };
	const struct nna_operand_desc desc = {
		.type = type, .rank = rank, .dims = dims, .scale = scale, .zero_point = zero,
	};
	int operand = nna_graph_add_operand(g, 0, &desc);

	assert_true(operand >= 0);
	return (uint32_t)operand;
}

/* Weights are constants or, without @constant, inputs. */
static void run(struct nna_device *device, bool constant, int16_t *c, uint8_t *h)
{
	const struct nna_program_options how = { .priority = NNA_PRIORITY_MEDIUM };
	uint32_t operands[15], inputs[15], outputs[2], count = 0;
	struct nna_execution *execution;
	struct nna_program *program;
	const void *data[15];
	size_t sizes[15];
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(NULL, &g), 0);
	for (int i = 0; i < 15; i++) {
		bool small = i == 0 || i > 12, bias = i > 8 && i < 13;
		int k = (i - 1) % GATES;

		data[i] = i == 0 ? in.x[0] : i < 5 ? in.weights[k][0] : i < 9 ? in.recurrent[k][0] :
			  bias ? (const void *)in.bias[k] : i == 13 ? (const void *)in.c : in.h[0];
		sizes[i] = i == 0    ? sizeof(in.x)
			   : i < 5   ? sizeof(in.weights[0])
			   : i < 9   ? sizeof(in.recurrent[0])
			   : bias    ? sizeof(in.bias[0])
			   : i == 13 ? sizeof(in.c)
				     : sizeof(in.h);
		if (i == 13)
			operands[i] = add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 2, BATCH, UNITS,
					  0x1p-11f, 0);
		else if (bias)
			operands[i] = add(g, NNA_OPERAND_TENSOR_INT32, 1, UNITS, 0,
					  in.scale * 0x1p-7f, 0);
		else if (small)
			operands[i] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, BATCH,
					  i ? UNITS : SIZE, 0x1p-7f, 128);
		else
			operands[i] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, UNITS,
					  i < 5 ? SIZE : UNITS, in.scale, in.zero);
		if (constant && !small)
			assert_int_equal(
				nna_graph_set_constant(g, 0, operands[i], data[i], sizes[i], false),
				0);
		else
			inputs[count++] = (uint32_t)i;
	}
	outputs[0] = add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 2, BATCH, UNITS, 0x1p-11f, 0);
	outputs[1] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, BATCH, UNITS, 0x1p-7f, 128);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_QUANTIZED_16BIT_LSTM, 15,
						 operands, 2, outputs),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, count, inputs, 2, outputs), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, &how, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(nna_execution_set_input(execution, i, 0, NULL, data[inputs[i]],
							 sizes[inputs[i]]),
				 0);
	assert_int_equal(nna_execution_set_output(execution, 0, 0, NULL, c, sizeof(in.c)), 0);
	assert_int_equal(nna_execution_set_output(execution, 1, 0, NULL, h, sizeof(in.h)), 0);
	assert_int_equal(nna_execution_compute(execution), 0);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

static void test_16bit(void **state)
{
	const struct nna_device_options options = { .threads = 1 };
	struct nna_device *device;

	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	for (int round = 0; round < 120; round++) {
		int16_t c[BATCH][UNITS];
		uint8_t h[BATCH][UNITS];

		fill();
		run(device, round & 1, c[0], h[0]);
		for (int i = 0; i < BATCH * UNITS; i++) {
			int b = i / UNITS, u = i % UNITS;
			int64_t kept = product15(gate(FORGET, b, u), in.c[b][u]);
			int64_t fresh = shifted(
				product15(gate(INPUT, b, u), gate(CELL, b, u)), 4);
			int16_t next_c = saturate(kept + fresh);
			int64_t active = nna_fixed_evaluate(NNA_FIXED_TANH, 4, next_c);
			int64_t out = shifted(product15(gate(OUTPUT, b, u), active), 8) + 128;

			met.cells += next_c != kept + fresh;
			met.outputs += out < 0 || out > 255;
			assert_int_equal(c[b][u], next_c);
			assert_int_equal(h[b][u], out < 0 ? 0 : out > 255 ? 255 : out);
			check_real(b, u, c[b][u], h[b][u]);
		}
	}
	if (!(met.gates > 100 && met.cells > 10 && met.outputs > 10))
		fail_msg("%u gates, %u cells, %u outputs beyond their limits", met.gates, met.cells,
			 met.outputs);
	nna_device_close(device);
}

#define TIME 3

/* A layer that is run as a sequence, or step by step. */
static struct {
	int8_t x[TIME][BATCH][SIZE], weights[GATES][UNITS][SIZE], recurrent[GATES][UNITS][UNITS];
	int8_t h[BATCH][UNITS];
	int16_t peephole[GATES - 1][UNITS], c[BATCH][UNITS];
	int32_t bias[GATES][UNITS];
	bool coupled, peepholes;
	float clip, scale; /* of the weights */
	float cell_scale; /* 2^-11, in all digits or in few */
} layer;

/* A layer is loud where @round has bit 3. */
static void fill_layer(int round)
{
	const bool loud = round & 8;
	int8_t *bytes[] = { layer.x[0][0], layer.weights[0][0], layer.recurrent[0][0], layer.h[0] };
	size_t sizes[] = { sizeof(layer.x), sizeof(layer.weights), sizeof(layer.recurrent),
			   sizeof(layer.h) };

	for (int k = 0; k < 4; k++)
		for (size_t i = 0; i < sizes[k]; i++)
			bytes[k][i] = (int8_t)next(-127, 127);
	for (int i = 0; i < GATES * UNITS; i++)
		layer.bias[i / UNITS][i % UNITS] = next(-20000, 20000);
	for (int i = 0; i < BATCH * UNITS; i++)
		layer.c[i / UNITS][i % UNITS] =
			(int16_t)(loud ? next(INT16_MIN, INT16_MAX) : next(-9000, 9000));
	for (int i = 0; i < (GATES - 1) * UNITS; i++)
		layer.peephole[i / UNITS][i % UNITS] =
			(int16_t)(loud ? next(INT16_MIN, INT16_MAX) : next(-5000, 5000));
	layer.cell_scale = round & 1 ? 0.00048828f : 0x1p-11f;
	layer.scale = loud ? 0x1.2345p-5f : 0x1.8abp-8f;
	layer.coupled = round & 1;
	layer.peepholes = round & 2;
	/* In steps of the cell state 3072.75, of which 3072 count. */
	layer.clip = round & 4 ? 1.50037f : 0;
}

static uint32_t add_constant(struct nna_graph *g, uint32_t operand, const void *data, size_t size)
{
	assert_int_equal(nna_graph_set_constant(g, 0, operand, data, size, false), 0);
	return operand;
}

static uint32_t add_scalar(struct nna_graph *g, uint32_t type, const void *value, size_t size)
{
	return add_constant(g, add(g, type, 0, 0, 0, 0, 0), value, size);
}

static uint32_t add_omitted(struct nna_graph *g, uint32_t type)
{
	float scale = type == NNA_OPERAND_TENSOR_FLOAT32 ? 0 : 1;
	uint32_t operand = add(g, type, 1, 0, 0, scale, 0);

	assert_int_equal(nna_graph_set_no_value(g, 0, operand), 0);
	return operand;
}

/* Inputs 1 to 19 of both operations, with weights of @type. */
static void add_cell(struct nna_graph *g, uint32_t type, uint32_t *operands)
{
	const uint32_t none = NNA_OPERAND_TENSOR_FLOAT32;

	for (uint32_t i = 1; i < 18; i++) {
		uint32_t k = (i - 1) % GATES, p = i - 9;
		bool input_gate = i == 1 || i == 5 || i == 9 || i == 12;

		if ((layer.coupled && input_gate) || (i > 8 && i < 12 && !layer.peepholes) ||
		    i > 15)
			operands[i] = add_omitted(g, none);
		else if (i < 9)
			operands[i] = add_constant(
				g, add(g, type, 2, UNITS, i < 5 ? SIZE : UNITS,
				       layer.scale, 0),
				i < 5 ? layer.weights[k][0] : layer.recurrent[k][0],
				i < 5 ? sizeof(layer.weights[k]) : sizeof(layer.recurrent[k]));
		else if (i < 12)
			operands[i] = add_constant(
				g,
				add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 1, UNITS, 0, 0x1p-13f, 0),
				layer.peephole[p], sizeof(layer.peephole[p]));
		else
			operands[i] = add_constant(
				g,
				add(g, NNA_OPERAND_TENSOR_INT32, 1, UNITS, 0,
				    layer.scale * 0x1p-7f, 0),
				layer.bias[i - 12], sizeof(layer.bias[i - 12]));
	}
	operands[18] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, BATCH, UNITS, 0x1.2p-7f,
			   3);
	operands[19] = add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 2, BATCH, UNITS,
			   layer.cell_scale, 0);
}

/*
 * Runs an operation of the graph, which this frees, on @in: the input, the states; of @sizes, as
 * the outputs are.
 */
static void run_graph(struct nna_device *device, struct nna_graph *g, const void *const *in,
		      const size_t *in_sizes, uint32_t outputs, void *const *out,
		      const size_t *sizes)
{
	struct nna_execution *execution;
	struct nna_program *program;

	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(nna_execution_set_input(execution, i, 0, NULL, in[i], in_sizes[i]),
				 0);
	for (uint32_t i = 0; i < outputs; i++)
		assert_int_equal(nna_execution_set_output(execution, i, 0, NULL, out[i], sizes[i]),
				 0);
	assert_int_equal(nna_execution_compute(execution), 0);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

/* A step from the states @h and @c to the next ones, in place. */
static void run_step(struct nna_device *device, const int8_t *x, int8_t *h, int16_t *c)
{
	const float none = 0, hidden = 0x1.2p-7f;
	int8_t state[BATCH][UNITS], y[BATCH][UNITS];
	uint32_t operands[32], outputs[3], inputs[3];
	const int32_t zero = 3;
	int16_t next_c[BATCH][UNITS];
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(NULL, &g), 0);
	operands[0] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, BATCH, SIZE, 0x1p-7f, -5);
	add_cell(g, NNA_OPERAND_TENSOR_QUANT8_SYMM, operands);
	for (int i = 20; i < 24; i++)
		operands[i] = add_omitted(g, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	operands[24] = add_scalar(g, NNA_OPERAND_FLOAT32, &layer.clip, 4);
	for (int i = 25; i < 30; i++)
		operands[i] = add_scalar(g, NNA_OPERAND_FLOAT32, &none, 4);
	operands[30] = add_scalar(g, NNA_OPERAND_INT32, &zero, 4);
	operands[31] = add_scalar(g, NNA_OPERAND_FLOAT32, &hidden, 4);
	for (int i = 0; i < 3; i++)
		outputs[i] = i == 1 ? add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 2, BATCH, UNITS,
					  layer.cell_scale, 0) :
				      add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, BATCH,
					  UNITS, 0x1.2p-7f, 3);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_QUANTIZED_LSTM, 32, operands,
						 3, outputs), 0);
	inputs[0] = operands[0];
	inputs[1] = operands[18];
	inputs[2] = operands[19];
	assert_int_equal(nna_graph_set_io(g, 0, 3, inputs, 3, outputs), 0);
	run_graph(device, g, (const void *[]){ x, h, c },
		  (size_t[]){ sizeof(layer.x[0]), sizeof(layer.h), sizeof(layer.c) }, 3,
		  (void *[]){ state, next_c, y },
		  (size_t[]){ sizeof(state), sizeof(next_c), sizeof(y) });
	assert_memory_equal(state, y, sizeof(y));
	memcpy(h, y, sizeof(y));
	memcpy(c, next_c, sizeof(next_c));
}

/* All steps; @x and @y are in the layout that @time_major says. The states only where wanted. */
static void run_sequence(struct nna_device *device, bool time_major, bool states, const int8_t *x,
			 int8_t *y, int8_t *h, int16_t *c)
{
	uint32_t in_dims[3] = { time_major ? TIME : BATCH, time_major ? BATCH : TIME, SIZE };
	uint32_t out_dims[3] = { in_dims[0], in_dims[1], UNITS };
	struct nna_operand_desc desc = {
		.type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, .rank = 3, .dims = in_dims,
		.scale = 0x1p-7f, .zero_point = -5,
	};
	uint32_t operands[28], outputs[3], inputs[3];
	const int32_t tanh_act = 4;
	const float none = 0;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(NULL, &g), 0);
	operands[0] = (uint32_t)nna_graph_add_operand(g, 0, &desc);
	add_cell(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, operands);
	operands[20] = add_scalar(g, NNA_OPERAND_INT32, &tanh_act, 4);
	operands[21] = add_scalar(g, NNA_OPERAND_FLOAT32, &layer.clip, 4);
	operands[22] = add_scalar(g, NNA_OPERAND_FLOAT32, &none, 4);
	operands[23] = add_scalar(g, NNA_OPERAND_BOOL, &time_major, 1);
	for (int i = 24; i < 28; i++)
		operands[i] = add_omitted(g, NNA_OPERAND_TENSOR_FLOAT32);
	desc.dims = out_dims;
	desc.scale = 0x1.2p-7f;
	desc.zero_point = 3;
	outputs[0] = (uint32_t)nna_graph_add_operand(g, 0, &desc);
	outputs[1] = add(g, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, BATCH, UNITS, 0x1.2p-7f, 3);
	outputs[2] = add(g, NNA_OPERAND_TENSOR_QUANT16_SYMM, 2, BATCH, UNITS,
			   layer.cell_scale, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM,
						 28, operands, states ? 3 : 1, outputs), 0);
	inputs[0] = operands[0];
	inputs[1] = operands[18];
	inputs[2] = operands[19];
	assert_int_equal(nna_graph_set_io(g, 0, 3, inputs, states ? 3 : 1, outputs), 0);
	run_graph(device, g, (const void *[]){ x, layer.h, layer.c },
		  (size_t[]){ sizeof(layer.x), sizeof(layer.h), sizeof(layer.c) },
		  states ? 3 : 1, (void *[]){ y, h, c },
		  (size_t[]){ TIME * BATCH * UNITS, sizeof(layer.h), sizeof(layer.c) });
}

/* sum + more in 16 bits; @more may be beyond them. */
static int16_t accumulate(int16_t sum, int32_t more)
{
	const int16_t alone = saturate(more), both = saturate((int64_t)sum + more);

	met.gates += both != sum + more;
	met.back += both != saturate((int64_t)sum + alone);
	return both;
}

/* A gate: products of input, output state and cell state, of which each is requantised. */
static int16_t layer_gate(int g, int u, const int8_t *x, const int8_t *h, int16_t c)
{
	static const int peephole_of[GATES] = { 0, 1, -1, 2 };
	int32_t from_input = layer.bias[g][u], from_state = 0;
	int16_t sum;

	for (int k = 0; k < SIZE; k++)
		from_input += (x[k] + 5) * layer.weights[g][u][k];
	for (int k = 0; k < UNITS; k++)
		from_state += (h[k] - 3) * layer.recurrent[g][u][k];
	sum = accumulate(0, requantise(from_input,
				       (double)(layer.scale * 0x1p-7f / 0x1p-12f)));
	sum = accumulate(sum, requantise(from_state,
					 (double)(layer.scale * 0x1.2p-7f / 0x1p-12f)));
	if (layer.peepholes && peephole_of[g] >= 0)
		sum = accumulate(sum, requantise(c * layer.peephole[peephole_of[g]][u],
						 0x1p-11 * 0x1p-13 / 0x1p-12));
	return nna_fixed_evaluate(g == CELL ? NNA_FIXED_TANH : NNA_FIXED_LOGISTIC, 3, sum);
}

/* A step of one element of the batch, from the states @h and @c to the next ones, in place. */
static void expect_step(const int8_t *x, int8_t *h, int16_t *c)
{
	const int32_t clip = (int32_t)(layer.clip / 0x1p-11f);
	int8_t next_h[UNITS];

	for (int u = 0; u < UNITS; u++) {
		int16_t forget = layer_gate(FORGET, u, x, h, c[u]);
		int16_t fresh = layer_gate(CELL, u, x, h, c[u]);
		int16_t input = layer.coupled ? (int16_t)(INT16_MAX - forget) :
						layer_gate(INPUT, u, x, h, c[u]);
		int64_t sum = shifted((int64_t)forget * c[u], 15) +
			      shifted((int64_t)input * fresh, 19);
		int32_t out;

		c[u] = saturate(sum);
		if (clip)
			c[u] = (int16_t)(c[u] < -clip ? -clip : c[u] > clip ? clip : c[u]);
		met.cells += c[u] != sum;
		out = requantise(layer_gate(OUTPUT, u, x, h, c[u]) *
					 nna_fixed_evaluate(NNA_FIXED_TANH, 4, c[u]),
				 (double)(0x1p-30f / 0x1.2p-7f)) + 3;
		next_h[u] = (int8_t)(out < INT8_MIN ? INT8_MIN : out > INT8_MAX ? INT8_MAX : out);
		met.outputs += next_h[u] != out;
	}
	memcpy(h, next_h, sizeof(next_h));
}

static void test_sequence(void **state)
{
	const struct nna_device_options options = { .threads = 1 };
	struct nna_device *device;

	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	memset(&met, 0, sizeof(met));
	for (int round = 0; round < 32; round++) {
		int8_t x[BATCH][TIME][SIZE], y[TIME * BATCH * UNITS], h[BATCH][UNITS];
		int8_t last[BATCH][UNITS];
		int16_t c[BATCH][UNITS], last_c[BATCH][UNITS];
		bool time_major = round & 16, states = round % 3;

		fill_layer(round);
		for (int i = 0; i < TIME * BATCH; i++)
			memcpy(x[i % BATCH][i / BATCH], layer.x[i / BATCH][i % BATCH], SIZE);
		run_sequence(device, time_major, states, time_major ? layer.x[0][0] : x[0][0], y,
			     last[0], last_c[0]);
		memcpy(h, layer.h, sizeof(h));
		memcpy(c, layer.c, sizeof(c));
		for (int t = 0; t < TIME; t++) {
			int8_t want_h[BATCH][UNITS];
			int16_t want_c[BATCH][UNITS];

			memcpy(want_h, h, sizeof(h));
			memcpy(want_c, c, sizeof(c));
			for (int b = 0; b < BATCH; b++)
				expect_step(layer.x[t][b], want_h[b], want_c[b]);
			run_step(device, layer.x[t][0], h[0], c[0]);
			assert_memory_equal(h, want_h, sizeof(h));
			assert_memory_equal(c, want_c, sizeof(c));
			for (int b = 0; b < BATCH; b++)
				assert_memory_equal(y + (time_major ? t * BATCH + b :
								      b * TIME + t) * UNITS,
						    h[b], UNITS);
		}
		if (states) {
			assert_memory_equal(last, h, sizeof(h));
			assert_memory_equal(last_c, c, sizeof(c));
		}
	}
	if (!(met.gates > 1000 && met.back > 100 && met.cells > 100))
		fail_msg("%u sums, %u that came back, %u cells beyond their limits", met.gates,
			 met.back, met.cells);
	nna_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_16bit),
		cmocka_unit_test(test_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
