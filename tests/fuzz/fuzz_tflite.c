// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the whole way of a TFLite file: the reader, the translation, the compiler,
 * and a run on the loopback; and of the readers of what Vela has compiled, which nothing runs here.
 * All are under AddressSanitizer. Any bytes may be refused, with a line that says why; none may
 * crash, leak or run for ever.
 *
 * A file may ask for as much memory and time as any sound one: what is large is therefore only
 * translated, and runs have a duration and a limit for their loops.
 */
#include <nnaccel.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/fuzz/vela.h"
#include "tests/fuzz/work.h"
#include "frontend/tflite/translate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Elements of a model that is still compiled and run. */
#define FUZZ_ELEMENTS 65536u
#define FUZZ_COMPILE_NS 2000000000u
#define FUZZ_RUN_NS 1000000000u
#define FUZZ_LOOP_NS 10000000u

static struct nna_device *fuzz_device;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct nna_device_options options = { .threads = 1 };

	return nna_device_open("loopback", &options, &fuzz_device) ? abort(), 1 : 0;
}

static bool fuzz_is_small(const struct tflite_model *model)
{
	uint64_t elements = 0;

	for (uint32_t i = 0; i < model->subgraph_count; i++)
		for (uint32_t k = 0; k < model->subgraphs[i].tensor_count; k++) {
			elements += model->subgraphs[i].tensors[k].elements;
			if (elements > FUZZ_ELEMENTS)
				return false;
		}
	return true;
}

static uint64_t fuzz_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Runs twice, so that state and scratch memory of the first run meet the second. */
static void fuzz_run(struct nna_program *program)
{
	uint32_t inputs = nna_program_input_count(program), i;
	uint32_t outputs = nna_program_output_count(program);
	struct nna_execution *execution;
	struct nna_io_info info;
	uint8_t **data;

	data = calloc((size_t)inputs + outputs + 1, sizeof(*data));
	if (!data || nna_execution_create(program, &execution)) {
		free(data);
		return;
	}
	nna_execution_set_duration(execution, FUZZ_RUN_NS);
	nna_execution_set_loop_limit(execution, FUZZ_LOOP_NS);
	for (i = 0; i < inputs + outputs; i++) {
		bool input = i < inputs;
		uint32_t number = input ? i : i - inputs;

		if (input ? nna_program_get_input(program, number, &info) :
			    nna_program_get_output(program, number, &info))
			goto out;
		/* An output of a shape that is known only after the run gets some bytes, too. */
		if (!info.size)
			info.size = 256;
		if (info.size > (size_t)FUZZ_ELEMENTS * 16)
			goto out;
		data[i] = malloc(info.size);
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
	if (!nna_execution_compute(execution))
		nna_execution_compute(execution);
out:
	nna_execution_destroy(execution);
	for (i = 0; i < inputs + outputs; i++)
		free(data[i]);
	free(data);
}

/* A refusal without a reason is a defect, too. */
static void fuzz_demand_reason(const char *error)
{
	if (!error[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	struct nna_program *program;
	struct tflite_origin origin;
	struct tflite_model *model;
	struct nna_graph *graph;

	fuzz_ethosu_bytes(data, size);
	if (tflite_parse(data, size, &model, error)) {
		fuzz_demand_reason(error);
		return 0;
	}
	fuzz_vela_model(model);
	if (tflite_to_graph(model, NULL, &graph, &origin, error)) {
		fuzz_demand_reason(error);
		goto out;
	}
	options.deadline_ns = fuzz_now() + FUZZ_COMPILE_NS;
	if (fuzz_is_small(model) &&
	    !nna_program_create(fuzz_device, graph, &options, &program)) {
		fuzz_run(program);
		nna_program_destroy(program);
	}
	tflite_origin_free(&origin);
	nna_graph_unref(graph);
out:
	tflite_free(model);
	return 0;
}
