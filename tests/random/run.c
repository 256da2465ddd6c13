// SPDX-License-Identifier: MIT
/* Builds a graph in the library, compiles it and runs it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/random/random.h"

#define DEADLINE_NS 20000000000ull
#define GUARD 64
/* Most elements of an output; only a mutant has more. */
#define MAX_OUTPUT (1u << 26)
#define GUARD_BYTE 0xa5

static _Thread_local struct nnr_log *current_log;

void nnr_log_use(struct nnr_log *log)
{
	current_log = log;
}

void nnr_log_line(void *user, enum nna_log_level level, const char *text)
{
	if (level != NNA_LOG_ERROR || !current_log)
		return;
	current_log->lines++;
	snprintf(current_log->last, sizeof(current_log->last), "%s", text);
}

static bool is_output(const struct nnr_operand *operand, bool all)
{
	return operand->kind == NNR_TEMPORARY && (all || operand->output);
}

/* Adds an operand to subgraph @where. @numbers: of the subgraphs that it may refer to. */
static int build_operand(struct nna_graph *graph, uint32_t where, const uint32_t *numbers,
			 const struct nnr_operand *operand)
{
	/* One more than there may be: a rank may be wrong. */
	uint32_t dims[NNACCEL_MAX_RANK + 1] = { 0 };
	const struct nna_operand_desc desc = {
		.type = operand->type,
		.rank = operand->rank,
		.dims = dims,
		.scale = operand->scale,
		.zero_point = operand->zero_point,
		.channel_dim = operand->channel_dim,
		.channel_count = operand->channel_count,
		.channel_scales = operand->channel_scales,
	};
	int number;

	if (!operand->hidden)
		memcpy(dims, operand->dims, sizeof(operand->dims));
	number = nna_graph_add_operand(graph, where, &desc);
	if (number < 0)
		return number;
	if (operand->kind == NNR_NO_VALUE)
		return nna_graph_set_no_value(graph, where, (uint32_t)number);
	if (operand->kind == NNR_CONSTANT && operand->type == NNA_OPERAND_SUBGRAPH &&
	    !operand->data)
		return nna_graph_set_subgraph(graph, where, (uint32_t)number,
					      numbers[operand->subgraph]);
	if (operand->kind == NNR_CONSTANT)
		return nna_graph_set_constant(graph, where, (uint32_t)number, operand->data,
					      operand->size, false);
	return 0;
}

/* Adds @graph as subgraph @where of @built, and its own subgraphs after it. */
static int build_subgraph(struct nna_graph *built, uint32_t where, const struct nnr_graph *graph,
			  bool all)
{
	uint32_t in[NNR_MAX_OPERANDS], out[NNR_MAX_OPERANDS], in_count = 0, out_count = 0;
	uint32_t numbers[NNR_MAX_SUBGRAPHS] = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < graph->subgraph_count && !ret; i++) {
		int number = nna_graph_add_subgraph(built);

		if (number < 0)
			return number;
		numbers[i] = (uint32_t)number;
		ret = build_subgraph(built, numbers[i], graph->subgraphs[i], false);
	}
	for (uint32_t i = 0; i < graph->operand_count && !ret; i++) {
		ret = build_operand(built, where, numbers, graph->operands[i]);
		if (graph->operands[i]->kind == NNR_INPUT)
			in[in_count++] = i;
		if (is_output(graph->operands[i], all))
			out[out_count++] = i;
	}
	for (uint32_t i = 0; i < graph->operation_count && !ret; i++) {
		const struct nnr_operation *o = &graph->operations[i];

		ret = nna_graph_add_operation(built, where, o->type, o->input_count, o->in,
					      o->output_count, o->out);
	}
	return ret ? ret : nna_graph_set_io(built, where, in_count, in, out_count, out);
}

int nnr_build(const struct nnr_graph *graph, bool all, struct nna_graph **out)
{
	const struct nna_log log = { .line = nnr_log_line };
	struct nna_graph *built;
	int ret = nna_graph_create(&log, &built);

	if (ret)
		return ret;
	ret = build_subgraph(built, 0, graph, all);
	if (!ret)
		ret = nna_graph_set_relaxed(built, graph->relaxed);
	if (!ret && graph->as_tflite)
		ret = nna_graph_set_rounding(built, NNA_ROUNDING_TFLITE);
	if (!ret)
		ret = nna_graph_finish(built);
	if (ret)
		nna_graph_unref(built);
	else
		*out = built;
	return ret;
}

/* New memory for an output, with a guard behind it that must not change. */
static int prepare_output(struct nnr_operand *operand)
{
	uint64_t count = nnr_elements(operand);
	size_t size = count * nna_operand_type_size(operand->type);
	uint8_t *data = count > MAX_OUTPUT ? NULL : malloc(size + GUARD);

	if (!data)
		return -ENOMEM;
	memset(data, GUARD_BYTE, size + GUARD);
	free(operand->data);
	operand->data = data;
	operand->size = size;
	return 0;
}

static int bind(struct nna_execution *execution, struct nnr_graph *graph, bool all)
{
	uint32_t in = 0, out = 0;
	struct timespec now;
	int ret = 0;

	for (uint32_t i = 0; i < graph->operand_count && !ret; i++) {
		struct nnr_operand *operand = graph->operands[i];

		if (operand->kind == NNR_INPUT)
			ret = nna_execution_set_input(execution, in++, operand->rank, operand->dims,
						      operand->data, operand->size);
		if (!is_output(operand, all))
			continue;
		ret = prepare_output(operand);
		/* The library takes no buffer of 0 bytes; that of an empty output has 1. */
		if (!ret)
			ret = nna_execution_set_output(execution, out++, 0, NULL, operand->data,
						       operand->size ? operand->size : 1);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ret ? ret
		   : nna_execution_set_deadline(execution, (uint64_t)now.tv_sec * 1000000000 +
								   (uint64_t)now.tv_nsec +
								   DEADLINE_NS);
}

/* Reads the dimensions that the device reports; -EOVERFLOW: it wrote behind an output. */
static int collect(struct nna_execution *execution, struct nnr_graph *graph, bool all)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < graph->operand_count; i++) {
		struct nnr_operand *operand = graph->operands[i];
		size_t size;
		int ret;

		if (!is_output(operand, all))
			continue;
		for (size_t k = operand->size + (operand->size ? 0 : 1); k < operand->size + GUARD;
		     k++) {
			if (operand->data[k] != GUARD_BYTE)
				return -EOVERFLOW;
		}
		ret = nna_execution_get_output_dims(execution, out++, &operand->rank,
						    operand->dims);
		if (ret)
			return ret;
		size = nnr_elements(operand) * nna_operand_type_size(operand->type);
		if (size > operand->size)
			return -EPROTO;
		operand->size = size;
	}
	return 0;
}

bool nnr_supports(struct nna_device *device, const struct nnr_graph *graph)
{
	bool supported[NNR_MAX_OPERATIONS] = { false }, all = true;
	struct nna_graph *built;

	if (graph->operation_count > NNR_MAX_OPERATIONS || nnr_build(graph, true, &built))
		return true;
	if (!nna_graph_get_supported(built, device, supported))
		for (uint32_t i = 0; i < graph->operation_count; i++)
			all = all && supported[i];
	nna_graph_unref(built);
	return all;
}

int nnr_run_graph(struct nna_device *device, struct nnr_graph *graph, bool all, const char **step)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	struct nna_execution *execution = NULL;
	struct nna_program *program = NULL;
	struct nna_graph *built;
	int ret;

	*step = "model";
	ret = nnr_build(graph, all, &built);
	if (ret)
		return ret;
	*step = "compile";
	ret = nna_program_create(device, built, &options, &program);
	if (!ret)
		ret = nna_execution_create(program, &execution);
	if (!ret) {
		*step = "bind";
		ret = bind(execution, graph, all);
	}
	if (!ret) {
		*step = "run";
		ret = nna_execution_compute(execution);
	}
	/* The second run shows that the first one left nothing behind. */
	if (!ret && !all)
		ret = nna_execution_compute(execution);
	if (!ret) {
		*step = "outputs";
		ret = collect(execution, graph, all);
	}
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(built);
	return ret;
}
