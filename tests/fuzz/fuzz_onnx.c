// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the whole way of an ONNX file: the reader, the translation, with and without
 * what it refuses, and, of what is small, the compiler and a run on the loopback. All are under
 * AddressSanitizer. Any bytes may be refused, with a line that says why; none may crash, leak or
 * run for ever.
 */
#include <nnaccel.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "frontend/onnx/translate.h"
#include "tests/fuzz/work.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Elements of a model that is still compiled and run. */
#define FUZZ_ELEMENTS 65536u
#define FUZZ_COMPILE_NS 2000000000u
#define FUZZ_RUN_NS 1000000000u

static struct nna_device *fuzz_device;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct nna_device_options options = { .threads = 1 };

	return nna_device_open("loopback", &options, &fuzz_device) ? abort(), 1 : 0;
}

static uint64_t fuzz_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A refusal without a reason is a defect, too. */
static void fuzz_demand_reason(const char *error)
{
	if (!error[0])
		abort();
}

/* Whether its inputs, and what it states of other values, are small. */
static bool fuzz_is_small(const struct onnx_model *model)
{
	uint64_t all = 0, elements;

	if (model->node_count > 64)
		return false;
	for (uint32_t i = 0; i < model->value_count; i++) {
		const struct onnx_tensor *x = &model->values[i].tensor;
		int64_t dims[ONNX_MAX_RANK];

		for (uint32_t k = 0; k < x->rank; k++)
			dims[k] = x->dims[k] < 1 ? 1 : x->dims[k];
		if (!onnx_count_elements(x->rank, dims, &elements))
			return false;
		all += elements;
		if (all > FUZZ_ELEMENTS)
			return false;
	}
	return true;
}

static void fuzz_run(struct nna_program *program)
{
	uint32_t inputs = nna_program_input_count(program);
	uint32_t outputs = nna_program_output_count(program);
	struct nna_execution *execution;
	struct nna_io_info info;
	uint8_t **data = calloc((size_t)inputs + outputs + 1, sizeof(*data));

	if (!data || nna_execution_create(program, &execution)) {
		free(data);
		return;
	}
	nna_execution_set_duration(execution, FUZZ_RUN_NS);
	for (uint32_t i = 0; i < inputs + outputs; i++) {
		const bool input = i < inputs;
		const uint32_t number = input ? i : i - inputs;

		if (input ? nna_program_get_input(program, number, &info) :
			    nna_program_get_output(program, number, &info))
			goto out;
		if (info.size > (size_t)FUZZ_ELEMENTS * 16)
			goto out;
		data[i] = malloc(info.size + 1);
		if (!data[i])
			goto out;
		for (size_t k = 0; input && k < info.size; k++)
			data[i][k] = (uint8_t)(k * 37 + number);
		if (input ? nna_execution_set_input(execution, number, 0, NULL, data[i],
						    info.size) :
			    nna_execution_set_output(execution, number, 0, NULL, data[i],
						     info.size))
			goto out;
	}
	nna_execution_compute(execution);
out:
	nna_execution_destroy(execution);
	for (uint32_t i = 0; i < inputs + outputs; i++)
		free(data[i]);
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	char error[ONNX_ERROR_SIZE] = "";
	struct nna_program *program;
	struct onnx_origin origin;
	struct onnx_model *model;
	struct nna_graph *graph;

	if (onnx_parse(data, size, &model, error)) {
		fuzz_demand_reason(error);
		return 0;
	}
	error[0] = 0;
	if (!onnx_to_partial_graph(model, NULL, NULL, &graph, &origin, error)) {
		onnx_origin_free(&origin);
		nna_graph_unref(graph);
	} else {
		fuzz_demand_reason(error);
	}
	error[0] = 0;
	if (onnx_to_graph(model, NULL, NULL, &graph, &origin, error)) {
		fuzz_demand_reason(error);
		onnx_model_free(model);
		return 0;
	}
	options.deadline_ns = fuzz_now() + FUZZ_COMPILE_NS;
	if (fuzz_is_small(model) && !nna_program_create(fuzz_device, graph, &options, &program)) {
		fuzz_run(program);
		nna_program_destroy(program);
	}
	onnx_origin_free(&origin);
	nna_graph_unref(graph);
	onnx_model_free(model);
	return 0;
}
