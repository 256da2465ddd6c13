/* SPDX-License-Identifier: MIT */
/* Models of one operator, run on the loopback. */
#ifndef TFLITE_ONE_OPERATOR_H
#define TFLITE_ONE_OPERATOR_H

#include <errno.h>
#include <math.h>
#include <nnaccel.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/tflite/writer.h"
#include "frontend/tflite/translate.h"

#define MAX_IO 5

/**
 * struct one_operator - a model of one operator
 * @code: enum tflite_code
 * @tensors: the operator's; those that it reads and that have no data are inputs of the model
 * @inputs: tensors that the operator reads, ended by -1
 * @outputs: tensors that it writes, which are the outputs of the model, ended by -1
 * @options: which options it has, a number of the schema's union; 0 for none
 * @fields: of the options, 4 bytes each
 */
struct one_operator {
	int32_t code;
	struct tensor_spec tensors[6];
	uint32_t tensor_count;
	int32_t inputs[MAX_IO + 1], outputs[MAX_IO + 1];
	uint8_t options;
	int32_t fields[6];
	uint32_t field_count;
};

static inline uint32_t length(const int32_t *list)
{
	uint32_t n = 0;

	while (list[n] >= 0)
		n++;
	return n;
}

static inline void write_one(struct writer *w, const struct one_operator *m)
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

/*
 * Run a model that has been written @runs times on the same inputs; @out has what the last run
 * gave.
 * @rows: dimension 0 of input 0 where the file leaves it open; else 0.
 */
static inline void run_written(const struct writer *w, uint32_t rows, const void *const *in,
			       void *const *out, int runs)
{
	struct nna_device_options options = { .threads = 1 };
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_origin origin;
	struct tflite_model *model;
	struct nna_execution *execution;
	struct nna_program *program;
	struct nna_device *device;
	struct nna_graph *graph;
	struct nna_io_info info;

	if (tflite_parse(w->bytes, w->size, &model, error))
		fail_msg("%s", error);
	if (rows) {
		struct tflite_tensor *x =
			&model->subgraphs[0].tensors[model->subgraphs[0].inputs.at[0]];
		uint32_t dims[TFLITE_MAX_RANK];

		memcpy(dims, x->dims, sizeof(dims));
		dims[0] = rows;
		assert_int_equal(tflite_set_input_shape(model, 0, x->rank, dims, error), 0);
	}
	if (tflite_to_graph(model, NULL, &graph, &origin, error))
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
}

static inline void run_times(const struct one_operator *m, const void *const *in, void *const *out,
			     int runs)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	write_one(w, m);
	run_written(w, 0, in, out, runs);
	free(w);
}

static inline void run(const struct one_operator *m, const void *const *in, void *const *out)
{
	run_times(m, in, out, 1);
}

/* The model of one operator is refused with a line that has @why in it. */
static inline void check_refused(const struct one_operator *m, const char *why)
{
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_model *model;
	struct nna_graph *graph;

	assert_non_null(w);
	write_one(w, m);
	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	assert_int_equal(tflite_to_graph(model, NULL, &graph, NULL, error), -ENOTSUP);
	assert_non_null(strstr(error, why));
	tflite_free(model);
	free(w);
}

#define F32(...) { TFLITE_FLOAT32, __VA_ARGS__ }
#define S32(...) { TFLITE_INT32, __VA_ARGS__ }

static inline void check_floats(const float *got, const float *want, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-6f * fmaxf(1, fabsf(want[i]))))
			fail_msg("element %u is %g, not %g", i, (double)got[i], (double)want[i]);
}

/* One float tensor of four in, one out. */
static inline void check_unary(int32_t code, const float in[4], const float want[4])
{
	const struct one_operator m = {
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

#endif
