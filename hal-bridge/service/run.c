// SPDX-License-Identifier: MIT
/* Binds and runs requests (run.h). */
#include "hal-bridge/service/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/service/status.h"
#include "hal-bridge/service/validate.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/trace.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

static const struct nnb_quota nnb_one_job = {.jobs = 1};

/* Bytes that an argument or a pool takes in a run, and in its execution. */
#define NNB_RUN_ENTRY 512u

/* -------------------------------------------------------------------------------------- binding */

/* Notes which pools arguments of a list lie in. */
static void nnb_run_find_used(struct nnb_run *run,
			      const struct nnb_aidl_request_argument *arguments, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const int32_t pool = arguments[i].location.pool_index;

		if (!arguments[i].has_no_value && pool >= 0 && (uint32_t)pool < run->pool_count)
			run->pools[pool].used = true;
	}
}

static int nnb_run_open_pool(struct nnb_run *run, struct nnb_aidl_call *call,
			     const struct nnb_aidl_request *request, struct nnb_memory *kept,
			     uint32_t i)
{
	const struct nnb_aidl_request_memory_pool *pool = &request->pools.data[i];
	struct nnb_memory_range range;

	if (pool->tag == NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN) {
		run->pools[i].buffer = nnb_buffer_find(run->model->client, pool->token);
		return run->pools[i].buffer
			       ? 0
			       : nnb_aidl_fail(call, INVALID, "pool %u: there is no device buffer "
					       "with token %d", i, pool->token);
	}
	if (kept) {
		run->pools[i].memory = nnb_memory_ref(kept);
		return 0;
	}
	if (!run->pools[i].used)
		return nnb_memory_find_range(call, &pool->pool, &range);
	return nnb_memory_cache_open(run->model->client, call, &pool->pool, run->options.brief,
				     &run->pools[i].memory);
}

static int nnb_run_open_pools(struct nnb_run *run, struct nnb_aidl_call *call,
			      const struct nnb_aidl_request *request,
			      struct nnb_memory *const *memories)
{
	int ret = 0;

	run->pool_count = request->pools.count;
	nnb_run_find_used(run, request->inputs.data, request->inputs.count);
	nnb_run_find_used(run, request->outputs.data, request->outputs.count);
	for (uint32_t i = 0; i < run->pool_count && !ret; i++)
		ret = nnb_run_open_pool(run, call, request, memories ? memories[i] : NULL, i);
	return ret;
}

/**
 * struct nnb_run_shape - the shape of an argument, from the model and the request
 * @rank: entries of @dims
 * @dims: 0 for an unknown one
 * @given: @dims if the library needs them, NULL if the model has all dimensions
 * @stated: model and request state all dimensions, without what operations give
 * @known: all dimensions are known
 * @size: bytes, if @known
 */
struct nnb_run_shape {
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	const uint32_t *given;
	bool stated, known;
	size_t size;
};

static int nnb_run_find_shape(struct nnb_aidl_call *call, const struct nna_io_info *info,
			      const struct nnb_ints *dims, const char *what, uint32_t index,
			      struct nnb_run_shape *shape)
{
	shape->rank = info->rank;
	memcpy(shape->dims, info->dims, sizeof(shape->dims));
	shape->given = NULL;
	shape->stated = info->stated || dims->count;
	if (dims->count) {
		if (dims->count > NNACCEL_MAX_RANK || !nnb_type_is_tensor(info->type) ||
		    (info->rank && dims->count != info->rank))
			return nnb_aidl_fail(call, INVALID, "%s %u has rank %u instead of %u", what,
					     index, dims->count, info->rank);
		shape->rank = dims->count;
		for (uint32_t i = 0; i < dims->count; i++) {
			uint32_t known = info->rank ? info->dims[i] : 0;

			if (dims->data[i] < 0 || (known && known != (uint32_t)dims->data[i]))
				return nnb_aidl_fail(call, INVALID,
						     "%s %u: dimension %u is %d instead of %u",
						     what, index, i, dims->data[i], known);
			shape->dims[i] = (uint32_t)dims->data[i];
			shape->stated &= dims->data[i] > 0;
		}
		if (!info->size)
			shape->given = shape->dims;
	}
	shape->known = nnb_type_bytes(info->type, shape->rank, shape->dims, &shape->size);
	return 0;
}

/* Checks the location of an argument: inside its pool. */
static int nnb_run_find_place(struct nnb_run *run, struct nnb_aidl_call *call,
			      const struct nnb_aidl_request_argument *from, const char *what,
			      uint32_t index, struct nnb_run_argument *argument)
{
	const struct nnb_aidl_data_location *at = &from->location;
	const struct nnb_run_pool *pool;
	int64_t end;

	if (at->pool_index < 0 || (uint32_t)at->pool_index >= run->pool_count)
		return nnb_aidl_fail(call, INVALID, "%s %u: there is no pool %d", what, index,
				     at->pool_index);
	pool = &run->pools[at->pool_index];
	if (at->offset < 0 || at->length < 0 || at->padding < 0 ||
	    __builtin_add_overflow(at->offset, at->length, &end) ||
	    __builtin_add_overflow(end, at->padding, &end) ||
	    (pool->memory && (uint64_t)end > pool->memory->size) || (pool->buffer && end))
		return nnb_aidl_fail(call, INVALID,
				     "%s %u: %lld bytes at offset %lld exceed pool %d", what, index,
				     (long long)at->length, (long long)at->offset, at->pool_index);
	argument->pool = pool;
	argument->offset = (size_t)at->offset;
	argument->size = (size_t)at->length;
	return 0;
}

/* Binds an argument to a device buffer: checks its role, and for an input its value. */
static int nnb_run_use_buffer(struct nnb_run *run, struct nnb_aidl_call *call, bool output,
			      uint32_t index, struct nnb_run_shape *shape,
			      struct nnb_run_argument *argument)
{
	struct nnb_buffer *buffer = argument->pool->buffer;
	uint32_t rank, dims[NNACCEL_MAX_RANK];

	if (!nnb_buffer_has_role(buffer, run->model, output, index))
		return nnb_aidl_fail(call, INVALID, "%s %u is no role of device buffer %d",
				     output ? "output" : "input", index, buffer->token);
	argument->size = buffer->memory->size;
	if (output) {
		if (shape->known && !nnb_buffer_fits(buffer, shape->rank, shape->dims))
			return nnb_aidl_fail(call, INVALID, "output %u must have the dimensions of "
					     "buffer %d", index, buffer->token);
		return 0;
	}
	if (!nnb_buffer_get(buffer, &rank, dims))
		return nnb_aidl_fail(call, NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE,
				     "input %u: buffer %d holds no value yet", index,
				     buffer->token);
	for (uint32_t i = 0; shape->known && i < rank; i++) {
		if (rank != shape->rank || dims[i] != shape->dims[i])
			return nnb_aidl_fail(call, INVALID, "input %u must have the dimensions of "
					     "the value in buffer %d", index, buffer->token);
	}
	if (!shape->known) {
		shape->rank = rank;
		memcpy(shape->dims, dims, sizeof(dims));
		shape->given = shape->dims;
		shape->known = nnb_type_bytes(buffer->info.type, rank, dims, &shape->size);
	}
	argument->size = shape->size;
	return 0;
}

/*
 * Binds an argument to memory of the client: checks the access, and makes a copy if one is needed.
 */
static int nnb_run_use_memory(struct nnb_run *run, struct nnb_aidl_call *call, bool output,
			      uint32_t index, const struct nnb_run_shape *shape,
			      struct nnb_run_argument *argument)
{
	const struct nnb_memory *memory = argument->pool->memory;
	const struct nnb_quota copy = {.bytes = argument->size};

	if (!(output ? memory->writable : memory->readable))
		return nnb_aidl_fail(call, INVALID, "%s %u: its memory may not be %s",
				     output ? "output" : "input", index,
				     output ? "written" : "read");
	if (!output && argument->size != shape->size)
		return nnb_aidl_fail(call, INVALID, "input %u has %zu bytes instead of %zu", index,
				     argument->size, shape->size);
	if (memory->buffer)
		return 0;
	if (nnb_quota_charge(run->model->client, &copy))
		return nnb_aidl_fail(call, EXHAUSTED,
				     "the client's user has too many bytes in copied arguments");
	argument->copy = malloc(argument->size ? argument->size : 1);
	if (argument->copy)
		return 0;
	nnb_quota_discharge(run->model->client, &copy);
	return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
}

static void nnb_run_drop_copy(struct nnb_run *run, struct nnb_run_argument *argument)
{
	const struct nnb_quota copy = {.bytes = argument->size};

	if (!argument->copy)
		return;
	free(argument->copy);
	nnb_quota_discharge(run->model->client, &copy);
}

static int nnb_run_hand_over(struct nnb_run *run, bool output, uint32_t index,
			     const struct nnb_run_shape *shape,
			     const struct nnb_run_argument *argument)
{
	struct nna_execution *execution = run->execution;
	const uint32_t rank = shape->given ? shape->rank : 0;
	const struct nnb_memory *memory;

	if (!argument->pool)
		return output ? nna_execution_set_output(execution, index, 0, NULL, NULL, 0)
			      : nna_execution_set_input(execution, index, 0, NULL, NULL, 0);
	if (argument->copy)
		return output ? nna_execution_set_output(execution, index, rank, shape->given,
							 argument->copy, argument->size)
			      : nna_execution_set_input(execution, index, rank, shape->given,
							argument->copy, argument->size);
	memory = argument->pool->memory ? argument->pool->memory : argument->pool->buffer->memory;
	return output ? nna_execution_set_output_buffer(
				execution, index, rank, shape->given, memory->buffer,
				memory->offset + argument->offset, argument->size)
		      : nna_execution_set_input_buffer(
				execution, index, rank, shape->given, memory->buffer,
				memory->offset + argument->offset, argument->size);
}

static int nnb_run_bind(struct nnb_run *run, struct nnb_aidl_call *call,
			const struct nnb_aidl_request_argument *from, bool output, uint32_t index)
{
	struct nnb_run_argument *argument = output ? &run->outputs[index] : &run->inputs[index];
	const char *what = output ? "output" : "input";
	const struct nnb_aidl_data_location *at = &from->location;
	struct nnb_run_shape shape;
	int ret;

	ret = nnb_run_find_shape(call,
				 output ? &run->model->outputs[index] : &run->model->inputs[index],
				 &from->dimensions, what, index, &shape);
	if (ret)
		return ret;
	if (from->has_no_value) {
		if (at->pool_index || at->offset || at->length || at->padding ||
		    from->dimensions.count)
			return nnb_aidl_fail(call, INVALID, "%s %u is omitted, but has a location",
					     what, index);
		shape.given = NULL;
		shape.stated = true;
	} else {
		ret = nnb_run_find_place(run, call, from, what, index, argument);
		if (!ret && argument->pool->buffer)
			ret = nnb_run_use_buffer(run, call, output, index, &shape, argument);
		if (!ret && !output && !shape.known)
			ret = nnb_aidl_fail(call, INVALID, "input %u has unknown dimensions",
					    index);
		if (!ret && argument->pool->memory)
			ret = nnb_run_use_memory(run, call, output, index, &shape, argument);
		if (ret)
			return ret;
	}
	argument->stated = shape.stated;
	ret = nnb_run_hand_over(run, output, index, &shape, argument);
	if (ret)
		return nnb_aidl_fail(call, nnb_status(ret), "%s %u cannot be bound: %s", what,
				     index, strerror(-ret));
	return 0;
}

/* Return: the device buffer of an argument; NULL if it lies elsewhere. */
static struct nnb_buffer *nnb_run_find_buffer(const struct nnb_run *run,
					      const struct nnb_aidl_request_argument *argument)
{
	const int32_t pool = argument->location.pool_index;

	return argument->has_no_value || pool < 0 || (uint32_t)pool >= run->pool_count
		       ? NULL
		       : run->pools[pool].buffer;
}

static int nnb_buffer_compare(const void *a, const void *b)
{
	const struct nnb_buffer *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Checks that a device buffer that is written is no other argument: several pools may be one
 * buffer. Return: 0 or an ErrorStatus.
 */
static int nnb_run_check_buffers(const struct nnb_run *run, struct nnb_aidl_call *call,
				 const struct nnb_aidl_request *request)
{
	struct nnb_buffer **written, *buffer;
	uint32_t count = 0, buffers = 0;

	for (uint32_t i = 0; i < run->pool_count; i++)
		buffers += run->pools[i].buffer != NULL;
	if (!buffers)
		return 0;
	written = nnb_arena_alloc(call->arena, request->outputs.count, sizeof(*written));
	if (!written)
		return EXHAUSTED;
	for (uint32_t i = 0; i < request->outputs.count; i++) {
		buffer = nnb_run_find_buffer(run, &request->outputs.data[i]);
		if (buffer)
			written[count++] = buffer;
	}
	qsort(written, count, sizeof(*written), nnb_buffer_compare);
	for (uint32_t i = 1; i < count; i++) {
		if (written[i] == written[i - 1])
			return nnb_aidl_fail(call, INVALID, "device buffer %d is two outputs",
					     written[i]->token);
	}
	for (uint32_t i = 0; i < request->inputs.count; i++) {
		buffer = nnb_run_find_buffer(run, &request->inputs.data[i]);
		if (buffer &&
		    bsearch(&buffer, written, count, sizeof(*written), nnb_buffer_compare))
			return nnb_aidl_fail(call, INVALID, "device buffer %d is input %u and an "
					     "output", buffer->token, i);
	}
	return 0;
}

/*
 * Makes the tables of a run: in the call's arena if the run ends before the call. Return: false
 * without memory.
 */
static bool nnb_run_make_tables(struct nnb_run *run, struct nnb_arena *arena, uint32_t pool_count)
{
	const struct nnb_prepared_model *model = run->model;
	const size_t arguments = (size_t)model->input_count + model->output_count;
	size_t size = arguments * sizeof(*run->inputs) + pool_count * sizeof(*run->pools);
	char *tables;

	if (run->options.brief)
		tables = nnb_arena_alloc(arena, 1, size);
	else
		tables = run->tables = calloc(1, size + 1);
	if (!tables)
		return false;
	run->inputs = (struct nnb_run_argument *)tables;
	run->outputs = run->inputs + model->input_count;
	run->pools = (struct nnb_run_pool *)(run->inputs + arguments);
	return true;
}

int nnb_run_init(struct nnb_run *run, struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		 const struct nnb_aidl_request *request, struct nnb_memory *const *memories,
		 const struct nnb_run_options *options)
{
	const uint64_t entries = (uint64_t)model->input_count + model->output_count +
				 request->pools.count;
	const struct nnb_quota charged = {.bytes = (entries + 1) * NNB_RUN_ENTRY};
	uint64_t limit_ns;
	int ret;

	*run = (struct nnb_run){.options = *options};
	run->model = model;
	nnb_object_ref(&model->object);
	if (request->inputs.count != model->input_count ||
	    request->outputs.count != model->output_count)
		return nnb_aidl_fail(call, INVALID, "%u inputs and %u outputs instead of %u and %u",
				     request->inputs.count, request->outputs.count,
				     model->input_count, model->output_count);
	if (nnb_status_loop_limit(options->loop_timeout_ns, &limit_ns))
		return nnb_aidl_fail(call, INVALID, "the loop timeout of %lld ns is invalid",
				     (long long)options->loop_timeout_ns);
	if (nnb_quota_charge(model->client, &charged))
		return nnb_aidl_fail(call, EXHAUSTED, "the client's user has too many bytes");
	run->charged = charged;
	if (!nnb_run_make_tables(run, call->arena, request->pools.count))
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	ret = nnb_run_open_pools(run, call, request, memories);
	if (!ret)
		ret = nnb_run_check_buffers(run, call, request);
	if (ret)
		return ret;
	ret = nna_execution_create(model->program, &run->execution);
	if (!ret)
		ret = nna_execution_set_loop_limit(run->execution, limit_ns);
	if (ret)
		return nnb_aidl_fail(call, nnb_status(ret), "cannot create an execution: %s",
				     strerror(-ret));
	for (uint32_t i = 0; i < model->input_count && !ret; i++)
		ret = nnb_run_bind(run, call, &request->inputs.data[i], false, i);
	for (uint32_t i = 0; i < model->output_count && !ret; i++)
		ret = nnb_run_bind(run, call, &request->outputs.data[i], true, i);
	return ret;
}

void nnb_run_fini(struct nnb_run *run)
{
	nna_execution_destroy(run->execution);
	for (uint32_t i = 0; run->inputs && i < run->model->input_count; i++)
		nnb_run_drop_copy(run, &run->inputs[i]);
	for (uint32_t i = 0; run->outputs && i < run->model->output_count; i++)
		nnb_run_drop_copy(run, &run->outputs[i]);
	for (uint32_t i = 0; i < run->pool_count; i++) {
		nnb_memory_unref(run->pools[i].memory);
		if (run->pools[i].buffer)
			nnb_object_unref(&run->pools[i].buffer->object);
	}
	free(run->tables);
	nnb_quota_discharge(run->model->client, &run->charged);
	nnb_object_unref(&run->model->object);
}

/* -------------------------------------------------------------------------------------- running */

int nnb_run_begin(struct nnb_run *run, uint64_t deadline_ns, uint64_t duration_ns)
{
	int ret = nnb_client_begin_run(run->model->client, &run->under_way, run->execution);

	nnb_deadline_begin_at(&run->deadline, deadline_ns);
	nnb_deadline_limit(&run->deadline, duration_ns);
	for (uint32_t i = 0; i < run->model->input_count && !ret; i++) {
		const struct nnb_run_argument *input = &run->inputs[i];

		if (input->copy)
			ret = nnb_memory_read(input->pool->memory, input->offset, input->copy,
					      input->size);
	}
	if (!ret)
		ret = nna_execution_set_deadline(run->execution, deadline_ns);
	return ret ? ret : nna_execution_set_duration(run->execution, duration_ns);
}

/* Writes the copy of an output to the client's memory, as many bytes as the output has. */
static int nnb_run_write_back(const struct nnb_run *run, uint32_t index)
{
	const struct nnb_run_argument *output = &run->outputs[index];
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	size_t size;
	int ret = nna_execution_get_output_dims(run->execution, index, &rank, dims);

	if (ret)
		return ret;
	if (!nnb_value_bytes(run->model->outputs[index].type, rank, dims, &size) ||
	    size > output->size)
		return -EIO;
	return nnb_memory_write(output->pool->memory, output->offset, output->copy, size);
}

/*
 * Return: false if an output that was computed, or did not fit, has other dimensions than the
 * device buffer that it is for.
 */
static bool nnb_run_fits_buffers(const struct nnb_run *run)
{
	for (uint32_t i = 0; i < run->model->output_count; i++) {
		const struct nnb_run_pool *pool = run->outputs[i].pool;
		uint32_t rank = 0, dims[NNACCEL_MAX_RANK];
		int ret;

		if (!pool || !pool->buffer)
			continue;
		ret = nna_execution_get_output_dims(run->execution, i, &rank, dims);
		if ((ret && ret != -ENOSPC) || nnb_buffer_fits(pool->buffer, rank, dims))
			continue;
		nna_message(DRIVER, "hal: output %u must have the dimensions of device buffer %d",
			    i, pool->buffer->token);
		return false;
	}
	return true;
}

int nnb_run_end(struct nnb_run *run, int error)
{
	int ret = error;

	nnb_client_end_run(run->model->client, &run->under_way);
	if ((!ret || ret == -ENOSPC) && !nnb_run_fits_buffers(run))
		ret = -EINVAL;
	for (uint32_t i = 0; i < run->model->output_count; i++) {
		const struct nnb_run_argument *output = &run->outputs[i];
		uint32_t rank = 0, dims[NNACCEL_MAX_RANK] = {0};

		if (!ret && output->copy)
			ret = nnb_run_write_back(run, i);
		if (output->pool && output->pool->buffer) {
			bool filled = !ret && !nna_execution_get_output_dims(run->execution, i,
									     &rank, dims);

			nnb_buffer_set(output->pool->buffer, filled, rank, dims);
		}
	}
	return ret;
}

int nnb_run_status(const struct nnb_run *run, int error)
{
	struct nna_timing timing;

	switch (-error) {
	case ETIMEDOUT:
		if (!run->execution || nna_execution_get_timing(run->execution, &timing))
			timing.run = 0;
		return nnb_status_missed(&run->deadline, timing.run);
	case EINVAL:
	case EACCES:
		return NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
	default:
		return nnb_status(error);
	}
}

/* Gets the shapes of the outputs, after success or if an output did not fit. */
static int nnb_run_shapes(const struct nnb_run *run, struct nnb_aidl_call *call,
			  struct nnb_aidl_execution_result *result)
{
	const uint32_t count = run->model->output_count;

	result->output_shapes.data =
		nnb_arena_alloc(call->arena, count, sizeof(*result->output_shapes.data));
	if (!result->output_shapes.data)
		return EXHAUSTED;
	result->output_shapes.count = count;
	result->output_sufficient_size = true;
	for (uint32_t i = 0; i < count; i++) {
		struct nnb_aidl_output_shape *shape = &result->output_shapes.data[i];
		uint32_t rank = 0, dims[NNACCEL_MAX_RANK];
		int32_t *copy;
		int ret = nna_execution_get_output_dims(run->execution, i, &rank, dims);

		if (ret && ret != -ENOSPC)
			rank = 0;
		copy = nnb_arena_alloc(call->arena, rank, sizeof(*copy));
		if (!copy)
			return EXHAUSTED;
		memcpy(copy, dims, rank * sizeof(*copy));
		shape->dimensions = (struct nnb_ints){rank, copy};
		shape->is_sufficient = ret != -ENOSPC;
		result->output_sufficient_size &= shape->is_sufficient;
	}
	return 0;
}

int nnb_run_execute(struct nnb_run *run, struct nnb_aidl_call *call, int64_t deadline_ns,
		    struct nnb_aidl_execution_result *result)
{
	const uint64_t start = run->options.measure ? nna_now_ns() : 0;
	struct nna_timing timing;
	uint64_t deadline;
	int ret, shapes;

	NNA_TRACE(DRIVER, EXECUTION, "execute");
	ret = nnb_status_deadline(deadline_ns, &deadline);
	if (ret)
		return nnb_aidl_fail(call, ret, "the deadline of %lld ns is invalid or past",
				     (long long)deadline_ns);
	ret = nnb_quota_charge(run->model->client, &nnb_one_job);
	if (ret)
		return nnb_aidl_fail(call, nnb_status(ret),
				     "the client's user has too many executions under way");
	ret = nnb_run_begin(run, deadline, 0);
	if (!ret)
		ret = nna_execution_compute(run->execution);
	ret = nnb_run_end(run, ret);
	nnb_quota_discharge(run->model->client, &nnb_one_job);
	if (ret && ret != -ENOSPC)
		return nnb_aidl_fail(call, nnb_run_status(run, ret), "the execution ended with: %s",
				     strerror(-ret));
	shapes = nnb_run_shapes(run, call, result);
	if (shapes)
		return nnb_aidl_fail(call, shapes, "out of memory");
	result->timing.time_on_device_ns = -1;
	result->timing.time_in_driver_ns = -1;
	if (run->options.measure && !ret && !nna_execution_get_timing(run->execution, &timing)) {
		if (timing.begin)
			result->timing.time_on_device_ns = (int64_t)timing.run;
		result->timing.time_in_driver_ns = (int64_t)(nna_now_ns() - start);
	}
	return 0;
}

bool nnb_run_is_direct(const struct nnb_run *run)
{
	for (uint32_t i = 0; i < run->model->output_count; i++) {
		if (run->outputs[i].copy)
			return false;
	}
	return true;
}

bool nnb_run_has_parameters(const struct nnb_run *run)
{
	struct nna_io_info info;

	for (uint32_t i = 0; i < run->model->input_count; i++) {
		if (!nna_program_get_input(run->model->program, i, &info) && info.parameter)
			return true;
	}
	return false;
}

bool nnb_run_is_stated(const struct nnb_run *run)
{
	for (uint32_t i = 0; i < run->model->output_count; i++) {
		if (!run->outputs[i].stated)
			return false;
	}
	return true;
}

int nnb_run_check_config(struct nnb_aidl_call *call, const struct nnb_aidl_execution_config *config)
{
	/* Hints belong to vendors; hints of other vendors are ignored. */
	return nnb_validate_extensions(call, config->extension_name_to_prefix.data,
				       config->extension_name_to_prefix.count);
}
