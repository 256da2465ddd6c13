// SPDX-License-Identifier: MIT
/* Conformance cases through libnnaccel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/case.h"
#include "tests/conformance/clock.h"

/* One of the two executions of a run. */
struct nnv_library_execution {
	struct nna_execution *execution;
	struct nna_fence *fence;
};

struct nnv_library {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_buffer *buffer;
	struct nnv_library_execution executions[2];
};

static void nnv_library_log(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR)
		nnv_runner_log(text);
}

static void nnv_device_log(void *user, enum nna_log_level level, const char *text)
{
	nnv_library_log(NULL, level, text);
	if (!((const struct nnv_device *)user)->handle)
		fprintf(stderr, "nnv_run: %s\n", text);
}

static int nnv_library_open(const char *name, uint32_t threads, struct nnv_device *device)
{
	const struct nna_device_options options = {
		.log = { .line = nnv_device_log, .user = device },
		.threads = threads,
		.isa = device->isa,
	};
	struct nna_device *handle;
	struct nna_device_info info;
	int ret;

	ret = nna_device_open(name, &options, &handle);
	if (ret)
		return ret;
	nna_device_get_info(handle, &info);
	device->handle = handle;
	device->sync_files = info.sync_files;
	snprintf(device->name, sizeof(device->name), "%s", info.name);
	return 0;
}

static void nnv_library_close(struct nnv_device *device)
{
	nna_device_close(device->handle);
}

static int nnv_library_operand(struct nnv_run *run, struct nna_graph *graph, uint32_t subgraph,
			       uint32_t index, const struct nnv_operand *operand)
{
	const struct nna_operand_desc desc = {
		.type = nnv_run_type(run, operand),
		.rank = operand->rank,
		.dims = nnv_run_dims(run, subgraph, operand),
		.scale = operand->scale,
		.zero_point = nnv_run_zero_point(run, operand),
		.channel_dim = operand->channel_dim,
		.channel_count = operand->channel_scale_count,
		.channel_scales = nnv_file_at(run->file, operand->channel_scales_off),
	};
	uint8_t *copy;
	uint32_t which;
	int ret;

	ret = nna_graph_add_operand(graph, subgraph, &desc);
	if (ret < 0)
		return ret;
	if ((uint32_t)ret != index)
		return -EPROTO;
	switch (operand->lifetime) {
	case NNV_CONSTANT_COPY:
	case NNV_CONSTANT_REFERENCE:
		if (!nnv_run_coupled(run, operand))
			return nna_graph_set_constant(graph, subgraph, index,
						      nnv_file_at(run->file, operand->data_off),
						      operand->data_size, true);
		copy = malloc(operand->data_size + 1);
		if (!copy)
			return -ENOMEM;
		nnv_run_copy_data(run, operand, copy);
		ret = nna_graph_set_constant(graph, subgraph, index, copy, operand->data_size,
					     false);
		free(copy);
		return ret;
	case NNV_NO_VALUE:
		return nna_graph_set_no_value(graph, subgraph, index);
	case NNV_SUBGRAPH:
		memcpy(&which, nnv_file_at(run->file, operand->data_off), sizeof(which));
		return nna_graph_set_subgraph(graph, subgraph, index, which + 1);
	default:
		return 0;
	}
}

static int nnv_library_subgraph(struct nnv_run *run, struct nna_graph *graph, uint32_t number)
{
	const struct nnv_subgraph *subgraph = nnv_run_subgraph(run, number);
	const struct nnv_operand *operands = nnv_file_at(run->file, subgraph->operands_off);
	const struct nnv_operation *operations = nnv_file_at(run->file, subgraph->operations_off);
	int ret;

	for (uint32_t i = 0; i < subgraph->operand_count; i++) {
		ret = nnv_library_operand(run, graph, number, i, &operands[i]);
		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < subgraph->operation_count; i++) {
		const struct nnv_operation *operation = &operations[i];

		ret = nna_graph_add_operation(
			graph, number, operation->type, operation->input_count,
			nnv_file_at(run->file, operation->inputs_off), operation->output_count,
			nnv_file_at(run->file, operation->outputs_off));
		if (ret)
			return ret;
	}
	return nna_graph_set_io(graph, number, subgraph->input_count,
				nnv_file_at(run->file, subgraph->inputs_off),
				subgraph->output_count,
				nnv_file_at(run->file, subgraph->outputs_off));
}

static int nnv_library_build(struct nnv_run *run)
{
	const struct nna_log log = { .line = nnv_library_log };
	struct nnv_library *self = calloc(1, sizeof(*self));
	int ret;

	run->state = self;
	ret = self ? nna_graph_create(&log, &self->graph) : -ENOMEM;
	if (ret)
		return ret;
	for (uint32_t i = 1; i < run->item->subgraph_count; i++) {
		ret = nna_graph_add_subgraph(self->graph);
		if (ret != (int)i)
			return ret < 0 ? ret : -EPROTO;
	}
	for (uint32_t i = 0; i < run->item->subgraph_count; i++) {
		ret = nnv_library_subgraph(run, self->graph, i);
		if (ret)
			return ret;
	}
	ret = nna_graph_set_relaxed(self->graph, run->item->flags & NNV_CASE_RELAXED);
	return ret ? ret : nna_graph_finish(self->graph);
}

static int nnv_library_supported(struct nnv_run *run, bool *supported)
{
	const struct nnv_library *self = run->state;

	return nna_graph_get_supported(self->graph, run->runner->device->handle, supported);
}

static int nnv_library_compile(struct nnv_run *run)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	struct nnv_library *self = run->state;

	return nna_program_create(run->runner->device->handle, self->graph, &options,
				  &self->program);
}

/* Shared and device memory are one thing here: the device's buffers are mapped into the process. */
static int nnv_library_allocate(struct nnv_run *run)
{
	struct nnv_library *self = run->state;
	int ret;

	if (run->kind == NNV_MEMORY_HEAP) {
		run->memory = malloc(run->size);
	} else {
		ret = nna_buffer_create(run->runner->device->handle, run->size, &self->buffer);
		if (ret)
			return ret;
		run->memory = nna_buffer_map(self->buffer);
	}
	return run->memory ? 0 : -ENOMEM;
}

static int nnv_library_bind(struct nnv_run *run, struct nna_execution *execution,
			    const struct nnv_slot *slot)
{
	struct nna_buffer *buffer = ((struct nnv_library *)run->state)->buffer;
	uint8_t *bytes = run->memory + slot->offset;

	if (slot->omitted)
		return nna_execution_set_input(execution, slot->number, 0, NULL, NULL, 0);
	if (slot->output && buffer)
		return nna_execution_set_output_buffer(execution, slot->number, 0, NULL, buffer,
						       slot->offset, slot->bound);
	if (slot->output)
		return nna_execution_set_output(execution, slot->number, 0, NULL, bytes,
						slot->bound);
	if (buffer)
		return nna_execution_set_input_buffer(execution, slot->number, 0, NULL, buffer,
						      slot->offset, slot->bound);
	return nna_execution_set_input(execution, slot->number, 0, NULL, bytes, slot->bound);
}

static int nnv_library_prepare(struct nnv_run *run, uint32_t which)
{
	struct nnv_library *self = run->state;
	struct nna_execution *execution;
	int ret;

	ret = nna_execution_create(self->program, &execution);
	if (ret)
		return ret;
	self->executions[which].execution = execution;
	for (uint32_t i = 0; i < run->slot_count && !ret; i++)
		ret = nnv_library_bind(run, execution, &run->slots[i]);
	if (!ret)
		ret = nna_execution_set_deadline(execution,
						 nnv_clock_now() + run->runner->timeout_ns);
	if (!ret)
		ret = nna_execution_set_loop_limit(execution, nnv_run_loop_limit_ns(run));
	return ret;
}

static int nnv_library_compute(struct nnv_run *run)
{
	struct nna_execution *execution =
		((struct nnv_library *)run->state)->executions[0].execution;
	int ret = nna_execution_compute(execution);

	if (!ret && run->runner->mode == NNV_MODE_BURST)
		ret = nna_execution_compute(execution);
	return ret;
}

static int nnv_library_submit(struct nnv_run *run, uint32_t which, int fence)
{
	struct nnv_library_execution *e = &((struct nnv_library *)run->state)->executions[which];

	return nna_execution_submit(e->execution, &fence, fence >= 0, &e->fence);
}

static int nnv_library_export_fence(struct nnv_run *run, uint32_t which)
{
	return nna_fence_export(((struct nnv_library *)run->state)->executions[which].fence);
}

static int nnv_library_wait(struct nnv_run *run, uint32_t which)
{
	return nna_fence_wait(((struct nnv_library *)run->state)->executions[which].fence,
			      run->runner->timeout_ns);
}

static int nnv_library_fetch(struct nnv_run *run)
{
	return 0;
}

static int nnv_library_output_dims(struct nnv_run *run, uint32_t index, uint32_t *rank,
				   uint32_t *dims)
{
	const struct nnv_library *self = run->state;

	return nna_execution_get_output_dims(self->executions[0].execution, index, rank, dims);
}

static void nnv_library_release(struct nnv_run *run)
{
	struct nnv_library *self = run->state;

	if (!self)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		nna_fence_destroy(self->executions[i].fence);
		nna_execution_destroy(self->executions[i].execution);
	}
	nna_program_destroy(self->program);
	nna_graph_unref(self->graph);
	if (self->buffer)
		nna_buffer_destroy(self->buffer);
	else
		free(run->memory);
	free(self);
}

const struct nnv_api nnv_api_nnaccel = {
	.name = "libnnaccel",
	.open = nnv_library_open,
	.close = nnv_library_close,
	.build = nnv_library_build,
	.supported = nnv_library_supported,
	.compile = nnv_library_compile,
	.allocate = nnv_library_allocate,
	.prepare = nnv_library_prepare,
	.compute = nnv_library_compute,
	.submit = nnv_library_submit,
	.export_fence = nnv_library_export_fence,
	.wait = nnv_library_wait,
	.fetch = nnv_library_fetch,
	.output_dims = nnv_library_output_dims,
	.release = nnv_library_release,
};
