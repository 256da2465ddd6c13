// SPDX-License-Identifier: MIT
/*
 * Operators that TFLite has beyond NNAPI, each as a model of its own on the loopback, against
 * values computed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <nnaccel.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/tools/tflite/writer.h"
#include "tools/tflite/translate.h"

#define MAX_IO 5

/**
 * struct one - a model of one operator: tensors without data that it reads are the inputs, those it
 * writes the outputs
 * @inputs, @outputs: of the operator, ended by -1
 * @options: number of the schema's union, 0 for none; fields of 4 bytes
 */
struct one {
	int32_t code;
	struct tensor_spec tensors[6];
	uint32_t tensor_count;
	int32_t inputs[MAX_IO + 1], outputs[MAX_IO + 1];
	uint8_t options;
	int32_t fields[6];
	uint32_t field_count;
};

static uint32_t length(const int32_t *list)
{
	uint32_t n = 0;

	while (list[n] >= 0)
		n++;
	return n;
}

static void write_one(struct writer *w, const struct one *m)
{
	int32_t in[MAX_IO];
	size_t root, list, at, sub, op;
	uint32_t count = 0;

	for (uint32_t i = 0; i < length(m->inputs); i++)
		if (!m->tensors[m->inputs[i]].data && !m->tensors[m->inputs[i]].variable)
			in[count++] = m->inputs[i];
	root = model_begin(w);
	list = vector(w, root, 1, 1, 4, NULL);
	at = table(w, 4);
	refer(w, list, at);
	scalar(w, at, 3, m->code, 4);
	scalar(w, at, 2, 1, 4);
	list = vector(w, root, 2, 1, 4, NULL);
	sub = table(w, 5);
	refer(w, list, sub);
	write_tensors(w, sub, m->tensors, m->tensor_count);
	vector(w, sub, 1, count, 4, in);
	vector(w, sub, 2, length(m->outputs), 4, m->outputs);
	list = vector(w, sub, 3, 1, 4, NULL);
	op = table(w, 9);
	refer(w, list, op);
	vector(w, op, 1, length(m->inputs), 4, m->inputs);
	vector(w, op, 2, length(m->outputs), 4, m->outputs);
	if (m->options) {
		scalar(w, op, 3, m->options, 1);
		at = table(w, 6);
		refer(w, field(w, op, 4), at);
		for (uint32_t i = 0; i < m->field_count; i++)
			scalar(w, at, (int)i, m->fields[i], 4);
	}
	write_buffers(w, root, m->tensors, m->tensor_count);
}

/* Runs the model @runs times on its inputs; what comes out of the last run is in @out. */
static void run_times(const struct one *m, const void *const *in, void *const *out, int runs)
{
	struct nna_device_options options = { .threads = 1 };
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_origin origin;
	struct tflite_model *model;
	struct nna_execution *execution;
	struct nna_program *program;
	struct nna_device *device;
	struct nna_graph *graph;
	struct nna_io_info info;

	assert_non_null(w);
	write_one(w, m);
	if (tflite_parse(w->bytes, w->size, &model, error) ||
	    tflite_to_graph(model, NULL, &graph, &origin, error))
		fail_msg("%s", error);
	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	assert_int_equal(nna_program_create(device, graph, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	for (uint32_t i = 0; i < nna_program_input_count(program); i++) {
		assert_int_equal(nna_program_get_input(program, i, &info), 0);
		assert_int_equal(nna_execution_set_input(execution, i, 0, NULL, in[i], info.size),
				 0);
	}
	for (uint32_t i = 0; i < nna_program_output_count(program); i++) {
		assert_int_equal(nna_program_get_output(program, i, &info), 0);
		assert_int_equal(nna_execution_set_output(execution, i, 0, NULL, out[i], info.size),
				 0);
	}
	while (runs--)
		assert_int_equal(nna_execution_compute(execution), 0);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_device_close(device);
	tflite_origin_free(&origin);
	nna_graph_unref(graph);
	tflite_free(model);
	free(w);
}

static void run(const struct one *m, const void *const *in, void *const *out)
{
	run_times(m, in, out, 1);
}

#define F32(...) { TFLITE_FLOAT32, __VA_ARGS__ }
#define S32(...) { TFLITE_INT32, __VA_ARGS__ }

static void check_floats(const float *got, const float *want, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-6f * fmaxf(1, fabsf(want[i]))))
			fail_msg("element %u is %g, not %g", i, (double)got[i], (double)want[i]);
}

/* One float tensor of four in, one out. */
static void check_unary(int32_t code, const float in[4], const float want[4])
{
	const struct one m = {
		.code = code,
		.tensors = { F32(1, { 4 }), F32(1, { 4 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	float out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
}

static void test_unary(void **state)
{
	check_unary(TFLITE_CEIL, (float[]){ 1.5f, -1.5f, 2, -0.25f }, (float[]){ 2, -1, 2, 0 });
	check_unary(TFLITE_COS, (float[]){ 0, 1, -2, 3 },
		    (float[]){ 1, 0.540302306f, -0.416146837f, -0.989992497f });
	check_unary(TFLITE_SQUARE, (float[]){ 0, 1.5f, -2, 3 }, (float[]){ 0, 2.25f, 4, 9 });
	check_unary(TFLITE_ZEROS_LIKE, (float[]){ 0, 1, -2, INFINITY },
		    (float[]){ 0, 0, 0, 0 });
}

static void test_leaky_relu(void **state)
{
	const float alpha = 0.25f, in[] = { -4, -0.5f, 0, 8 }, want[] = { -1, -0.125f, 0, 8 };
	struct one m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { F32(1, { 4 }), F32(1, { 4 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	float out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
}

static void test_leaky_relu_quantised(void **state)
{
	const float alpha = 0.25f;
	/* In steps of 0.5 from 10 on, out in steps of 0.25 from 20 on. */
	const uint8_t in[] = { 2, 9, 10, 30 }, want[] = { 16, 20, 20, 60 };
	struct one m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { { TFLITE_UINT8, 1, { 4 }, NULL, 0, 0.5f, 10 },
			     { TFLITE_UINT8, 1, { 4 }, NULL, 0, 0.25f, 20 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	uint8_t out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	/* -0.125 is half a step: either neighbour. */
	assert_int_equal(out[0], want[0]);
	assert_in_range(out[1], 19, 20);
	assert_int_equal(out[2], want[2]);
	assert_int_equal(out[3], want[3]);
}

static void test_floor_div_and_mod(void **state)
{
	static const int32_t a[] = { 7, -7, 7, -7, 6, 0 }, b[] = { 3, 3, -3, -3, 2, 5 };
	static const int32_t quotient[] = { 2, -3, -3, 2, 3, 0 }, rest[] = { 1, 2, -2, -1, 0, 0 };
	struct one m = {
		.code = TFLITE_FLOOR_DIV,
		.tensors = { S32(1, { 6 }), S32(1, { 6 }), S32(1, { 6 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[6];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, quotient, sizeof(out));
	m.code = TFLITE_FLOOR_MOD;
	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, rest, sizeof(out));
}

static void test_floor_mod_of_floats(void **state)
{
	static const float a[] = { 5.5f, -5.5f, 5.5f }, b = 2, want[] = { 1.5f, 0.5f, 1.5f };
	const struct one m = {
		.code = TFLITE_FLOOR_MOD,
		.tensors = { F32(1, { 3 }), F32(1, { 1 }, &b, sizeof(b)), F32(1, { 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[3];

	run(&m, (const void *[]){ a }, (void *[]){ out });
	check_floats(out, want, 3);
}

static void test_squared_difference(void **state)
{
	static const int32_t a[] = { 1, 2, 3, 4 }, b[] = { 3, -1 }, want[] = { 4, 9, 0, 25 };
	static const float fa[] = { 1, 2, 3, 4 }, fb[] = { 1.5f, -1 },
			   fwant[] = { 0.25f, 9, 2.25f, 25 };
	struct one m = {
		.code = TFLITE_SQUARED_DIFFERENCE,
		.tensors = { F32(2, { 2, 2 }), F32(1, { 2 }), F32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[4];
	int32_t whole[4];

	run(&m, (const void *[]){ fa, fb }, (void *[]){ out });
	check_floats(out, fwant, 4);
	for (int i = 0; i < 3; i++)
		m.tensors[i].type = TFLITE_INT32;
	run(&m, (const void *[]){ a, b }, (void *[]){ whole });
	assert_memory_equal(whole, want, sizeof(whole));
}

static void test_gather_nd(void **state)
{
	static const float in[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	static const int32_t index[] = { 1, 2, 0, 1 };
	static const float points[] = { 10, 11, 2, 3 };
	const struct one m = {
		.code = TFLITE_GATHER_ND,
		/* Rows (1, 2) and (0, 1) of [2, 3, 2]. */
		.tensors = { F32(3, { 2, 3, 2 }), S32(2, { 2, 2 }), F32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[4];

	run(&m, (const void *[]){ in, index }, (void *[]){ out });
	check_floats(out, points, 4);
}

static void test_unpack(void **state)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 6 },
			     columns[3][2] = { { 1, 4 }, { 2, 5 }, { 3, 6 } };
	const struct one m = {
		.code = TFLITE_UNPACK,
		.tensors = { S32(2, { 2, 3 }), S32(1, { 2 }), S32(1, { 2 }), S32(1, { 2 }) },
		.tensor_count = 4,
		.inputs = { 0, -1 },
		.outputs = { 1, 2, 3, -1 },
		.options = 64,
		.fields = { 3, -1 },
		.field_count = 2,
	};
	int32_t out[3][2];

	run(&m, (const void *[]){ in }, (void *[]){ out[0], out[1], out[2] });
	assert_memory_equal(out, columns, sizeof(out));
}

static void test_int64_output(void **state)
{
	static const float in[] = { 1, 5, 3, 9, 2, 4 };
	static const int32_t axis = -1;
	static const int64_t want[] = { 1, 0 };
	const struct one m = {
		.code = TFLITE_ARG_MAX,
		.tensors = { F32(2, { 2, 3 }), S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_INT64, 1, { 2 } } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int64_t out[2];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void test_range_and_fill(void **state)
{
	static const int32_t start = 7, limit = 0, step = -3, dims[] = { 2, 2 }, value = 9;
	static const int32_t range[] = { 7, 4, 1 }, filled[] = { 9, 9, 9, 9 };
	const struct one r = {
		.code = TFLITE_RANGE,
		.tensors = { S32(0, { 0 }, &start, 4), S32(0, { 0 }, &limit, 4),
			     S32(0, { 0 }, &step, 4), S32(1, { 3 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	const struct one f = {
		.code = TFLITE_FILL,
		.tensors = { S32(1, { 2 }, dims, sizeof(dims)), S32(0, { 0 }, &value, 4),
			     S32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[4];

	run(&r, NULL, (void *[]){ out });
	assert_memory_equal(out, range, sizeof(range));
	run(&f, NULL, (void *[]){ out });
	assert_memory_equal(out, filled, sizeof(filled));
}

static void test_shape_and_rank(void **state)
{
	static const float in[6];
	struct one m = {
		.code = TFLITE_SHAPE,
		.tensors = { F32(2, { 2, 3 }), S32(1, { 2 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 55,
		.fields = { TFLITE_INT32 },
		.field_count = 1,
	};
	int32_t out[2];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_int_equal(out[0], 2);
	assert_int_equal(out[1], 3);
	m.code = TFLITE_RANK;
	m.options = 0;
	m.tensors[1].rank = 0;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_int_equal(out[0], 2);
}

static void test_add_n(void **state)
{
	static const float a[] = { 1, 2 }, b[] = { 10, 20 }, c[] = { 100, 200 },
			   want[] = { 111, 222 };
	const struct one m = {
		.code = TFLITE_ADD_N,
		.tensors = { F32(1, { 2 }), F32(1, { 2 }), F32(1, { 2 }), F32(1, { 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[2];

	run(&m, (const void *[]){ a, b, c }, (void *[]){ out });
	check_floats(out, want, 2);
}

static void test_broadcast_to(void **state)
{
	static const int32_t in[] = { 1, 2 }, dims[] = { 2, 2, 2 },
			     want[] = { 1, 1, 2, 2, 1, 1, 2, 2 };
	const struct one m = {
		.code = TFLITE_BROADCAST_TO,
		.tensors = { S32(2, { 2, 1 }), S32(1, { 3 }, dims, sizeof(dims)),
			     S32(3, { 2, 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[8];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* A variable tensor: RNN h' = relu(x * 1 + h * 1 + 0), so the output is the sum over all runs. */
static void test_variable(void **state)
{
	static const float one = 1, zero = 0, in[] = { 2.5f };
	const struct one m = {
		.code = TFLITE_RNN,
		.tensors = { F32(2, { 1, 1 }), F32(2, { 1, 1 }, &one, 4), F32(2, { 1, 1 }, &one, 4),
			     F32(1, { 1 }, &zero, 4), F32(2, { 1, 1 }, .variable = true),
			     F32(2, { 1, 1 }) },
		.tensor_count = 6,
		.inputs = { 0, 1, 2, 3, 4, -1 },
		.outputs = { 5, -1 },
		.options = 7,
		.fields = { TFLITE_ACT_RELU },
		.field_count = 1,
	};
	float out[1];

	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 3);
	check_floats(out, (float[]){ 7.5f }, 1);
}

/*
 * A Dense layer as today's converter writes it: a scale per unit. In steps: (2 + 1) * 0.5 * 1 and
 * (2 * 3 - 4) * 0.5 * 0.25, in 0.25 from -10 on; the bias adds 2 * 0.5 and 8 * 0.125.
 */
static void test_fully_connected_per_channel(void **state)
{
	static const int8_t in[] = { 7, 6 }, weights[] = { 1, 1, 3, -4 };
	static const int32_t bias[] = { 2, 8 };
	static const float scales[] = { 1, 0.25f };
	const int8_t want[2][2] = { { -10 + 6, -10 + 1 }, { -10 + 6 + 4, -10 + 1 + 4 } };

	for (uint32_t i = 0; i < 2; i++) {
		const struct one m = {
			.code = TFLITE_FULLY_CONNECTED,
			.tensors = { { TFLITE_INT8, 2, { 1, 2 }, NULL, 0, 0.5f, 5 },
				     { TFLITE_INT8, 2, { 2, 2 }, weights, 4, .channel_count = 2,
				       .channel_scales = scales },
				     { TFLITE_INT8, 2, { 1, 2 }, NULL, 0, 0.25f, -10 },
				     S32(1, { 2 }, bias, sizeof(bias)) },
			.tensor_count = 4,
			.inputs = { 0, 1, i ? 3 : -1, -1 },
			.outputs = { 2, -1 },
			.options = 8,
		};
		int8_t out[2];

		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, want[i], sizeof(out));
	}
}

/*
 * The mean of a window: halves go away from zero, by (sum -+ count / 2) / count without the rest.
 * NNAPI would round to -121 and 122, as its unsigned types do.
 */
static void test_average_pool_rounding(void **state)
{
	static const int8_t in[] = { -121, -122, 121, 122, -1, 0, -3, -3 },
			    want[] = { -122, 122, -1, -3 };
	const struct one m = {
		.code = TFLITE_AVERAGE_POOL_2D,
		.tensors = { { TFLITE_INT8, 4, { 1, 1, 8, 1 }, NULL, 0, 0.5f, 3 },
			     { TFLITE_INT8, 4, { 1, 1, 4, 1 }, NULL, 0, 0.5f, 3 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 5,
		.fields = { 1, 2, 1, 2, 1 },
		.field_count = 5,
	};
	int8_t out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/*
 * The mean of an axis, from numbers less the zero point, of 2: the multiplier is 2^30 and the shift
 * 31, so halves go up. Of 4: the shift is 32, -1.5 is -3 * 2^31 in the first rounding and goes away
 * from zero in the second.
 */
static void test_mean_rounding(void **state)
{
	static const int32_t axis = 1;
	static const int8_t in[] = { -3, 0, 3, 0, -3, -3, 0, 0 }, want2[] = { -1, 2, -3, 0 },
			    want4[] = { 0, -2 };

	for (int32_t n = 2; n <= 4; n += 2) {
		const struct one m = {
			.code = TFLITE_MEAN,
			.tensors = { { TFLITE_INT8, 2, { 8 / n, n }, NULL, 0, 0.5f, 0 },
				     S32(1, { 1 }, &axis, sizeof(axis)),
				     { TFLITE_INT8, 1, { 8 / n }, NULL, 0, 0.5f, 0 } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = 27,
		};
		int8_t out[4];

		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, n == 2 ? want2 : want4, (size_t)(8 / n));
	}
}

/*
 * Sums in units of 2^-20, each factor rounded once to 31 fewer bits: scales of 0.3 and 0.1 to 0.2
 * are not quite factors of 1.5 and 0.5, and the stages lose that little, so that these sums (-1.5 +
 * 2, -1.5 + 3 ...) are taken for halves, which go away from zero.
 */
static void test_add_rounding(void **state)
{
	static const int8_t a[] = { -1, -1, 1, 1, 1 }, b[] = { 4, 6, -6, -4, 1 },
			    want[] = { 1, 2, -2, -1, 2 };
	const struct one m = {
		.code = TFLITE_ADD,
		.tensors = { { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.3f, 0 },
			     { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.1f, 0 },
			     { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.2f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 11,
	};
	int8_t out[5];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/*
 * Steps of 0.1 to steps of 0.4: the multiplier is 2^30, the shift 32. The first rounding makes 0.25
 * (1 * 2^30 of 2^31) a half, the second 1.
 */
static void test_requantize_rounding(void **state)
{
	static const uint8_t in[] = { 11, 15, 19, 9, 12, 8 }, want[] = { 21, 22, 23, 20, 21, 19 };
	const struct one m = {
		.code = TFLITE_QUANTIZE,
		.tensors = { { TFLITE_UINT8, 1, { 6 }, NULL, 0, 0.1f, 10 },
			     { TFLITE_UINT8, 1, { 6 }, NULL, 0, 0.4f, 20 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	uint8_t out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* The same factor for a sum. */
static void test_sum_rounding(void **state)
{
	static const int32_t axis = 1;
	static const uint8_t in[] = { 10, 11, 7, 18, 15, 14 }, want[] = { 21, 22, 23 };
	const struct one m = {
		.code = TFLITE_SUM,
		.tensors = { { TFLITE_UINT8, 2, { 3, 2 }, NULL, 0, 0.1f, 10 },
			     S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_UINT8, 1, { 3 }, NULL, 0, 0.4f, 20 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 27,
	};
	uint8_t out[3];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* A factor of 0.5 below zero: the shift is 31, halves go up. */
static void test_leaky_relu_rounding(void **state)
{
	static const int8_t in[] = { -1, -3, -4, 5 }, want[] = { 0, -1, -2, 5 };
	const float alpha = 0.5f;
	struct one m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	int8_t out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* A product of 0.25 is 0.5 after the first rounding and 1 after the second, as above. */
static void test_mul_rounding(void **state)
{
	static const int8_t a[] = { 1, 5, -1, -2 }, b[] = { 1, 1, 1, 1 }, want[] = { 1, 2, 0, -1 };
	const struct one m = {
		.code = TFLITE_MUL,
		.tensors = { { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 1, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 21,
	};
	int8_t out[4];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/*
 * FULLY_CONNECTED rounds once, since LiteRT 2: a factor of 0.25 makes 0.25, 0.5, -0.5 and 1.25 of
 * these sums. Rounded twice, as a convolution's, the first would be 1 and the last 2.
 */
static void test_fully_connected_rounding(void **state)
{
	static const int8_t in[] = { 1 }, weights[] = { 1, 2, -2, 5 }, want[] = { 0, 1, -1, 1 };
	const struct one m = {
		.code = TFLITE_FULLY_CONNECTED,
		.tensors = { { TFLITE_INT8, 2, { 1, 1 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 2, { 4, 1 }, weights, 4, 0.5f, 0 },
			     { TFLITE_INT8, 2, { 1, 4 }, NULL, 0, 1, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1, -1 },
		.outputs = { 2, -1 },
		.options = 8,
	};
	int8_t out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unary),
		cmocka_unit_test(test_leaky_relu),
		cmocka_unit_test(test_leaky_relu_quantised),
		cmocka_unit_test(test_floor_div_and_mod),
		cmocka_unit_test(test_floor_mod_of_floats),
		cmocka_unit_test(test_squared_difference),
		cmocka_unit_test(test_gather_nd),
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_int64_output),
		cmocka_unit_test(test_range_and_fill),
		cmocka_unit_test(test_shape_and_rank),
		cmocka_unit_test(test_add_n),
		cmocka_unit_test(test_broadcast_to),
		cmocka_unit_test(test_variable),
		cmocka_unit_test(test_fully_connected_per_channel),
		cmocka_unit_test(test_average_pool_rounding),
		cmocka_unit_test(test_mean_rounding),
		cmocka_unit_test(test_add_rounding),
		cmocka_unit_test(test_requantize_rounding),
		cmocka_unit_test(test_sum_rounding),
		cmocka_unit_test(test_leaky_relu_rounding),
		cmocka_unit_test(test_mul_rounding),
		cmocka_unit_test(test_fully_connected_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
