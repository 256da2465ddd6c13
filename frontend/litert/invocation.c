// SPDX-License-Identifier: MIT
/* Partitions that run (invocation.h). */
#include "frontend/litert/invocation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/litert/device.h"
#include "frontend/tflite/supported.h"
#include "libnnaccel/support/array.h"
#include "libnnaccel/support/cursor.h"
#include "libnnaccel/support/message.h"

static int load_program(struct litert_invocation *v, const struct nna_program_options *options,
			struct nna_program **out)
{
	struct nna_cursor cursor = { (uint8_t *)v->module.bytes + v->part.offset, v->part.size };
	const struct nna_blob_reader reader = { nna_cursor_read, &cursor, v->part.size };

	return nna_program_load(v->context->device, NULL, options, &reader, out);
}

/* Makes the partition's graph of the module's model, once. */
static int make_graph(struct litert_invocation *v)
{
	char error[TFLITE_ERROR_SIZE];
	int ret;

	if (v->graph)
		return 0;
	ret = tflite_parse(v->module.bytes + v->module.head.model_offset,
			   v->module.head.model_size, &v->model, error);
	if (!ret && v->index >= v->model->subgraph_count) {
		strcpy(error, "the model lacks its subgraph");
		ret = -EBADMSG;
	}
	if (!ret) {
		v->model->main = v->index;
		ret = tflite_to_supported_graph(v->model, v->context->device, &nna_message_log,
						&v->graph, error);
	}
	if (ret) {
		nna_message_insist(NNA_MESSAGE_COMPILATION, "partition %u cannot be compiled: %s",
				   v->index, error);
		tflite_free(v->model);
		v->model = NULL;
	}
	return ret;
}

static int make_program(struct litert_invocation *v, enum nna_priority priority,
			struct nna_program **out)
{
	const struct nna_program_options options = { .priority = priority };
	int ret = -ESTALE;

	if (v->part.size && !v->graph)
		ret = load_program(v, &options, out);
	if (!ret || ret == -ENOMEM || ret == -ENODEV)
		return ret;
	if (v->part.size && !v->graph)
		nna_message_insist(NNA_MESSAGE_COMPILATION,
				   "partition %u is compiled again, its program is of another "
				   "build of nnaccel or for another device: %s", v->index,
				   strerror(-ret));
	return make_graph(v) ?: nna_program_create(v->context->device, v->graph, &options, out);
}

/* Return: the lane of the next run, or NULL with LiteRT's status at *@status. */
static struct litert_lane *get_lane(struct litert_invocation *v, int *status)
{
	struct litert_lane *lane = &v->lanes[v->priority];
	int ret = 0;

	if (!lane->program)
		ret = make_program(v, v->priority, &lane->program);
	if (!ret && !lane->execution)
		ret = nna_execution_create(lane->program, &lane->execution);
	if (!ret)
		return lane;
	nna_message_insist(NNA_MESSAGE_EXECUTION, "partition %u cannot be prepared: %s", v->index,
			   strerror(-ret));
	*status = litert_status(ret);
	return NULL;
}

static int describe(struct litert_invocation *v, const struct nna_program *program,
		    int input_count, int output_count)
{
	v->input_count = nna_program_input_count(program);
	v->output_count = nna_program_output_count(program);
	if (input_count < 0 || output_count < 0 || v->input_count != (uint32_t)input_count ||
	    v->output_count != (uint32_t)output_count) {
		nna_message_insist(NNA_MESSAGE_COMPILATION,
				   "partition %u has %u inputs and %u outputs, LiteRT's operator "
				   "%d and %d", v->index, v->input_count, v->output_count,
				   input_count, output_count);
		return LITERT_INVALID_ARGUMENT;
	}
	v->inputs = calloc((size_t)v->input_count + 1, sizeof(*v->inputs));
	v->outputs = calloc((size_t)v->output_count + 1, sizeof(*v->outputs));
	if (!v->inputs || !v->outputs)
		return LITERT_NO_MEMORY;
	for (uint32_t i = 0; i < v->input_count; i++)
		nna_program_get_input(program, i, &v->inputs[i].info);
	for (uint32_t i = 0; i < v->output_count; i++)
		nna_program_get_output(program, i, &v->outputs[i].info);
	return LITERT_OK;
}

static int open_module(struct litert_invocation *v, const struct LiteRtMemBuffer *bytes,
		       const char *function)
{
	const uint8_t *base = bytes->base_addr;

	if (!base || bytes->offset > SIZE_MAX - (uintptr_t)base ||
	    litert_module_open(base + bytes->offset, bytes->size, &v->module)) {
		nna_message_insist(NNA_MESSAGE_COMPILATION,
				   "the bytes of a partition are not nnaccel's, or damaged: compile "
				   "the model again");
		return LITERT_INCOMPATIBLE_BYTE_CODE;
	}
	if (litert_module_find(&v->module, function, &v->index)) {
		nna_message_insist(NNA_MESSAGE_COMPILATION,
				   "there is no partition \"%.64s\" among %u", function ?: "",
				   v->module.head.count);
		return LITERT_NOT_FOUND;
	}
	litert_module_get(&v->module, v->index, &v->part);
	return LITERT_OK;
}

int litert_invocation_create(struct litert_context *context, const struct LiteRtMemBuffer *bytes,
			     const char *function, int input_count, int output_count,
			     struct litert_invocation **out)
{
	struct litert_invocation *v = calloc(1, sizeof(*v));
	struct litert_lane *lane;
	int status;

	if (!v)
		return LITERT_NO_MEMORY;
	v->context = context;
	v->priority = NNA_PRIORITY_MEDIUM;
	status = open_module(v, bytes, function);
	if (!status) {
		lane = get_lane(v, &status);
		if (lane)
			status = describe(v, lane->program, input_count, output_count);
	}
	if (status) {
		litert_invocation_destroy(v);
		return status;
	}
	*out = v;
	return LITERT_OK;
}

static void drop_events(struct litert_invocation *v)
{
	while (v->fd_count)
		close(v->fds[--v->fd_count]);
}

static void put_all(struct litert_invocation *v, struct litert_io *ios, uint32_t count)
{
	for (uint32_t i = 0; ios && i < count; i++)
		litert_memory_put(v->context, ios[i].memory);
	free(ios);
}

void litert_invocation_destroy(struct litert_invocation *v)
{
	for (uint32_t i = 0; i < LITERT_LANES; i++) {
		nna_fence_destroy(v->lanes[i].pending);
		nna_execution_destroy(v->lanes[i].execution);
		nna_program_destroy(v->lanes[i].program);
	}
	nna_graph_unref(v->graph);
	tflite_free(v->model);
	put_all(v, v->inputs, v->input_count);
	put_all(v, v->outputs, v->output_count);
	drop_events(v);
	free(v->fds);
	free(v);
}

static struct litert_io *find_io(struct litert_invocation *v, bool input, int index)
{
	uint32_t count = input ? v->input_count : v->output_count;

	if (index < 0 || (uint32_t)index >= count)
		return NULL;
	return input ? &v->inputs[index] : &v->outputs[index];
}

static void replace(struct litert_invocation *v, struct litert_io *io, struct litert_memory *memory)
{
	litert_memory_put(v->context, io->memory);
	io->memory = memory;
	for (uint32_t i = 0; i < LITERT_LANES; i++)
		v->lanes[i].bound = false;
}

int litert_invocation_attach(struct litert_invocation *v, bool input, int index, uint64_t handle)
{
	struct litert_io *io = find_io(v, input, index);
	struct litert_memory *memory;

	if (!io)
		return LITERT_INVALID_ARGUMENT;
	memory = litert_memory_get(v->context, handle);
	if (!memory)
		return LITERT_NOT_FOUND;
	if (memory->size < io->info.size) {
		nna_message_insist(NNA_MESSAGE_EXECUTION,
				   "%s %d of partition %u needs %zu bytes, its buffer has %zu",
				   input ? "input" : "output", index, v->index, io->info.size,
				   memory->size);
		litert_memory_put(v->context, memory);
		return LITERT_INVALID_ARGUMENT;
	}
	replace(v, io, memory);
	return LITERT_OK;
}

int litert_invocation_detach(struct litert_invocation *v, bool input, int index)
{
	struct litert_io *io = find_io(v, input, index);

	if (!io)
		return LITERT_INVALID_ARGUMENT;
	replace(v, io, NULL);
	return LITERT_OK;
}

int litert_invocation_add_event(struct litert_invocation *v, struct LiteRtEventT *event)
{
	const struct LiteRtRuntimeContext *r = v->context->runtime;
	int type = 0, fd = -1, *fds, status;

	status = r->get_event_event_type(event, &type);
	if (status)
		return status;
	/* An event of another kind is one that this CPU has to wait for. */
	if (type != LITERT_SYNC_FENCE || !r->get_event_sync_fence_fd)
		return r->wait_event(event, -1);
	status = r->get_event_sync_fence_fd(event, &fd);
	if (status)
		return status;
	fds = nna_array_reserve(v->fds, (uint64_t)v->fd_count + 1, &v->fd_room, sizeof(*fds));
	if (!fds)
		return LITERT_NO_MEMORY;
	v->fds = fds;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return LITERT_INVALID_ARGUMENT;
	v->fds[v->fd_count++] = fd;
	return LITERT_OK;
}

/* Binds a buffer. Its dimensions are stated only if the program leaves them open. */
static int bind(struct nna_execution *execution, uint32_t i, bool input, const struct litert_io *io)
{
	const struct litert_memory *m = io->memory;
	uint32_t rank = 0, dims[8], *shape = NULL;
	size_t size = io->info.size ?: m->size;

	if (!io->info.size) {
		rank = m->type.rank < 8 ? m->type.rank : 8;
		for (uint32_t k = 0; k < rank; k++)
			dims[k] = (uint32_t)m->type.dimensions[k];
		shape = dims;
	}
	if (!input)
		return m->buffer ? nna_execution_set_output_buffer(execution, i, rank, shape,
								   m->buffer, 0, size) :
		       nna_execution_set_output(execution, i, rank, shape, m->host, size);
	return m->buffer ? nna_execution_set_input_buffer(execution, i, rank, shape, m->buffer, 0,
							  size) :
	       nna_execution_set_input(execution, i, rank, shape, m->host, size);
}

static int bind_all(struct litert_invocation *v, struct litert_lane *lane)
{
	int ret = 0;

	for (uint32_t i = 0; i < v->input_count && !ret; i++)
		ret = v->inputs[i].memory ? bind(lane->execution, i, true, &v->inputs[i]) : -EFAULT;
	for (uint32_t i = 0; i < v->output_count && !ret; i++)
		ret = v->outputs[i].memory ? bind(lane->execution, i, false, &v->outputs[i]) :
		      -EFAULT;
	lane->bound = !ret;
	return ret;
}

static void count_run(struct litert_invocation *v, const struct litert_lane *lane)
{
	struct nna_timing timing;

	if (!v->collecting || nna_execution_get_timing(lane->execution, &timing))
		return;
	v->runs++;
	v->device_ns += timing.run;
}

/* Waits for the run that is under way. Return: its error. */
static int finish(struct litert_invocation *v, struct litert_lane *lane)
{
	int ret;

	if (!lane->pending)
		return 0;
	ret = nna_fence_wait(lane->pending, -1);
	nna_fence_destroy(lane->pending);
	lane->pending = NULL;
	if (!ret)
		count_run(v, lane);
	return ret;
}

/*
 * Makes an event of a run for each output. Return: -ENOTSUP if there is none for this run: then it
 * has to be waited for.
 */
static int make_events(struct litert_invocation *v, struct nna_fence *fence,
		       struct LiteRtEventT **events)
{
	const struct LiteRtRuntimeContext *r = v->context->runtime;
	int fd, own;

	if (!r->create_event_from_sync_fence_fd)
		return -ENOTSUP;
	fd = nna_fence_export(fence);
	if (fd < 0)
		return fd;
	for (uint32_t i = 0; i < v->output_count; i++) {
		own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (own < 0 || r->create_event_from_sync_fence_fd(NULL, own, true, &events[i])) {
			if (own >= 0)
				close(own);
			events[i] = NULL;
			close(fd);
			return -ENOTSUP;
		}
	}
	close(fd);
	return 0;
}

static int submit(struct litert_invocation *v, struct litert_lane *lane,
		  struct LiteRtEventT **events)
{
	int ret;

	ret = nna_execution_submit(lane->execution, v->fds, v->fd_count, &lane->pending);
	if (ret) {
		lane->pending = NULL;
		return ret;
	}
	if (events && !make_events(v, lane->pending, events))
		return 0;
	return finish(v, lane);
}

int litert_invocation_run(struct litert_invocation *v, int count, struct LiteRtEventT **events)
{
	int ret, status = LITERT_OK;
	struct litert_lane *lane;

	if (events && (count < 0 || (uint32_t)count < v->output_count))
		return LITERT_INVALID_ARGUMENT;
	for (int i = 0; i < count && events; i++)
		events[i] = NULL;
	lane = get_lane(v, &status);
	if (!lane) {
		drop_events(v);
		return status;
	}
	/* The error of an earlier run was its events' affair. */
	finish(v, lane);
	ret = lane->bound ? 0 : bind_all(v, lane);
	if (!ret && !events && !v->fd_count) {
		ret = nna_execution_compute(lane->execution);
		if (!ret)
			count_run(v, lane);
	} else if (!ret) {
		ret = submit(v, lane, events);
	}
	drop_events(v);
	if (!ret)
		return LITERT_OK;
	nna_message_insist(NNA_MESSAGE_EXECUTION, "partition %u: the run failed: %s", v->index,
			   ret == -EFAULT ? "an input or output has no buffer" : strerror(-ret));
	return litert_status(ret);
}
