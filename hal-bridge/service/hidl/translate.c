// SPDX-License-Identifier: MIT
/* Structs of HIDL and of AIDL (translate.h). */
#include "hal-bridge/service/hidl/translate.h"

#include <errno.h>
#include <string.h>

#include "hal-bridge/service/extension.h"
#include "hal-bridge/service/status.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/message.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

/* The last type and operation that each version has; extensions came with 1.2. */
static const struct nnb_hidl_range {
	int32_t type, operation;
	bool extensions;
} nnb_hidl_ranges[] = {
	[NNB_HIDL_1_0] = {NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM,
			  NNB_AIDL_OPERATION_TYPE_TANH, false},
	[NNB_HIDL_1_1] = {NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM,
			  NNB_AIDL_OPERATION_TYPE_TRANSPOSE, false},
	[NNB_HIDL_1_2] = {NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_SYMM,
			  NNB_AIDL_OPERATION_TYPE_RESIZE_NEAREST_NEIGHBOR, true},
	[NNB_HIDL_1_3] = {NNB_AIDL_OPERAND_TYPE_SUBGRAPH, NNB_AIDL_OPERATION_TYPE_RANK, true},
};

static bool nnb_hidl_has(enum nnb_hidl_version version, int32_t value, int32_t last)
{
	return (value >= 0 && value <= last) || (nnb_hidl_ranges[version].extensions &&
						 (value >= NNB_EXTENSION_FIRST || value < 0));
}

/* --------------------------------------------------------------------------------------- memory */

int nnb_hidl_to_memory(struct nnb_aidl_call *call, const struct nnb_hidl_memory *from,
		       struct nnb_aidl_memory *to)
{
	const struct nnb_hidl_fds *fds = from->handle.fds;
	struct nnb_aidl_hardware_buffer *hardware = &to->hardware_buffer;

	memset(to, 0, sizeof(*to));
	if (!fds || !fds->fd_count || from->size > INT64_MAX)
		return nnb_aidl_fail(call, INVALID,
				     "memory \"%.40s\" has no descriptor, or %llu "
				     "bytes",
				     from->name.data, (unsigned long long)from->size);
	if (!strcmp(from->name.data, "ashmem") && fds->fd_count == 1 && !fds->int_count) {
		to->tag = NNB_AIDL_MEMORY_ASHMEM;
		to->ashmem.fd = fds->data[0];
		to->ashmem.size = (int64_t)from->size;
		return 0;
	}
	if (!strcmp(from->name.data, "mmap_fd") && fds->fd_count == 1 && fds->int_count == 3) {
		to->tag = NNB_AIDL_MEMORY_MAPPABLE_FILE;
		to->mappable_file.fd = fds->data[0];
		to->mappable_file.prot = fds->data[1];
		to->mappable_file.offset =
			(int64_t)((uint64_t)(uint32_t)fds->data[3] << 32 | (uint32_t)fds->data[2]);
		to->mappable_file.length = (int64_t)from->size;
		return 0;
	}
	if (!strcmp(from->name.data, "hardware_buffer_blob") && from->size <= INT32_MAX) {
		to->tag = NNB_AIDL_MEMORY_HARDWARE_BUFFER;
		hardware->description.format = NNB_AIDL_PIXEL_FORMAT_BLOB;
		hardware->description.width = (int32_t)from->size;
		hardware->description.height = 1;
		hardware->description.layers = 1;
		hardware->handle.fds = (struct nnb_fds){fds->fd_count, fds->data};
		return 0;
	}
	return nnb_aidl_fail(call, INVALID,
			     "memory \"%.40s\" of %llu bytes with %u descriptors and "
			     "%u numbers is not known",
			     from->name.data, (unsigned long long)from->size, fds->fd_count,
			     fds->int_count);
}

static int nnb_hidl_to_pools(struct nnb_aidl_call *call, const struct nnb_hidl_memory *from,
			     uint32_t count, struct nnb_aidl_model *to)
{
	int ret = 0;

	to->pools.data = nnb_arena_alloc(call->arena, count, sizeof(*to->pools.data));
	if (!to->pools.data)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	to->pools.count = count;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = nnb_hidl_to_memory(call, &from[i], &to->pools.data[i]);
	return ret;
}

int nnb_hidl_to_fds(struct nnb_aidl_call *call, const char *what, const struct nnb_hidl_vec *from,
		    struct nnb_fds *to)
{
	const struct nnb_hidl_handle *handles = from ? from->data : NULL;
	const uint32_t count = from ? from->count : 0;
	int *fds = nnb_arena_alloc(call->arena, count, sizeof(*fds));

	if (!fds)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	for (uint32_t i = 0; i < count; i++) {
		if (!handles[i].fds || handles[i].fds->fd_count != 1)
			return nnb_aidl_fail(call, INVALID, "%s %u is not one descriptor", what, i);
		fds[i] = handles[i].fds->data[0];
	}
	*to = (struct nnb_fds){count, fds};
	return 0;
}

/* ---------------------------------------------------------------------------------------- model */

void nnb_hidl_to_location(const struct nnb_hidl_1_0_data_location *from,
			  struct nnb_aidl_data_location *to)
{
	/* A number that is no index of AIDL is none that exists. */
	to->pool_index = (int32_t)from->pool_index;
	to->offset = from->offset;
	to->length = from->length;
	to->padding = 0;
}

static int nnb_hidl_to_extra(struct nnb_aidl_call *call,
			     const struct nnb_hidl_1_2_operand_extra_params *from,
			     struct nnb_aidl_operand *to)
{
	struct nnb_aidl_operand_extra_params *extra;

	if (from->tag == NNB_HIDL_1_2_OPERAND_EXTRA_PARAMS_NONE)
		return 0;
	extra = nnb_arena_alloc(call->arena, 1, sizeof(*extra));
	if (!extra)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	if (from->tag == NNB_HIDL_1_2_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT) {
		extra->tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT;
		extra->channel_quant.scales = (struct nnb_floats){from->channel_quant.scales.count,
								  from->channel_quant.scales.data};
		extra->channel_quant.channel_dim = (int32_t)from->channel_quant.channel_dim;
	} else {
		extra->tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION;
		extra->extension = (struct nnb_bytes){from->extension.count, from->extension.data};
	}
	to->extra_params = extra;
	return 0;
}

/* The parts of a model that each version has; operands begin as those of 1.0 in all of them. */
struct nnb_hidl_subgraph {
	const void *operands;
	uint32_t operand_count;
	const struct nnb_hidl_1_3_operation *operations;
	uint32_t operation_count;
	struct nnb_ints inputs, outputs;
};

_Static_assert(sizeof(struct nnb_hidl_1_0_operation) == sizeof(struct nnb_hidl_1_3_operation) &&
		       sizeof(struct nnb_hidl_1_1_operation) ==
			       sizeof(struct nnb_hidl_1_3_operation) &&
		       sizeof(struct nnb_hidl_1_2_operation) ==
			       sizeof(struct nnb_hidl_1_3_operation) &&
		       sizeof(struct nnb_hidl_1_2_operand) == sizeof(struct nnb_hidl_1_3_operand) &&
		       offsetof(struct nnb_hidl_1_0_operand, location) ==
			       offsetof(struct nnb_hidl_1_3_operand, location),
	       "versions differ in layout");

#define NNB_HIDL_SUBGRAPH(model)                                                                   \
	{                                                                                          \
		.operands = (model)->operands.data, .operand_count = (model)->operands.count,      \
		.operations = (const void *)(model)->operations.data,                              \
		.operation_count = (model)->operations.count,                                      \
		.inputs = {(model)->input_indexes.count,                                           \
			   (const int32_t *)(model)->input_indexes.data},                          \
		.outputs = {(model)->output_indexes.count,                                         \
			    (const int32_t *)(model)->output_indexes.data},                        \
	}

static const struct nnb_hidl_1_0_operand *nnb_hidl_operand(enum nnb_hidl_version version,
							   const struct nnb_hidl_subgraph *from,
							   uint32_t i)
{
	const size_t size = version < NNB_HIDL_1_2 ? sizeof(struct nnb_hidl_1_0_operand)
						   : sizeof(struct nnb_hidl_1_3_operand);

	return (const void *)((const char *)from->operands + i * size);
}

static int nnb_hidl_to_operand(struct nnb_aidl_call *call, enum nnb_hidl_version version,
			       const struct nnb_hidl_1_0_operand *from, uint32_t i,
			       struct nnb_aidl_operand *to)
{
	const int32_t last = version < NNB_HIDL_1_3 ? NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE
						    : NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH;

	if (!nnb_hidl_has(version, from->type, nnb_hidl_ranges[version].type))
		return nnb_aidl_fail(call, INVALID, "operand %u: there is no type %d in 1.%d", i,
				     from->type, version);
	if (from->lifetime < 0 || from->lifetime > last)
		return nnb_aidl_fail(call, INVALID, "operand %u: there is no lifetime %d in 1.%d",
				     i, from->lifetime, version);
	to->type = from->type;
	to->dimensions =
		(struct nnb_ints){from->dimensions.count, (const int32_t *)from->dimensions.data};
	to->scale = from->scale;
	to->zero_point = from->zero_point;
	to->lifetime = from->lifetime;
	nnb_hidl_to_location(&from->location, &to->location);
	if (version < NNB_HIDL_1_2)
		return 0;
	return nnb_hidl_to_extra(call, &((const struct nnb_hidl_1_3_operand *)from)->extra_params,
				 to);
}

static int nnb_hidl_to_operands(struct nnb_aidl_call *call, enum nnb_hidl_version version,
				const struct nnb_hidl_subgraph *from, struct nnb_aidl_subgraph *to)
{
	int ret = 0;

	to->operands.data =
		nnb_arena_alloc(call->arena, from->operand_count, sizeof(*to->operands.data));
	if (!to->operands.data)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	to->operands.count = from->operand_count;
	for (uint32_t i = 0; i < from->operand_count && !ret; i++)
		ret = nnb_hidl_to_operand(call, version, nnb_hidl_operand(version, from, i), i,
					  &to->operands.data[i]);
	return ret;
}

/* Checks what only HIDL states: how many inputs of operations each operand is. */
static int nnb_hidl_check_consumers(struct nnb_aidl_call *call, enum nnb_hidl_version version,
				    const struct nnb_hidl_subgraph *from)
{
	uint32_t *counts = nnb_arena_alloc(call->arena, from->operand_count, sizeof(*counts));

	if (!counts)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	for (uint32_t i = 0; i < from->operation_count; i++) {
		const struct nnb_hidl_1_3_operation *operation = &from->operations[i];

		for (uint32_t k = 0; k < operation->inputs.count; k++) {
			if (operation->inputs.data[k] < from->operand_count)
				counts[operation->inputs.data[k]]++;
		}
	}
	for (uint32_t i = 0; i < from->operand_count; i++) {
		const struct nnb_hidl_1_0_operand *operand = nnb_hidl_operand(version, from, i);

		if (operand->number_of_consumers != counts[i])
			return nnb_aidl_fail(call, INVALID, "operand %u has %u consumers, not %u",
					     i, counts[i], operand->number_of_consumers);
	}
	return 0;
}

static int nnb_hidl_to_subgraph(struct nnb_aidl_call *call, enum nnb_hidl_version version,
				const struct nnb_hidl_subgraph *from, struct nnb_aidl_subgraph *to)
{
	int ret = nnb_hidl_to_operands(call, version, from, to);

	if (ret)
		return ret;
	to->operations.data =
		nnb_arena_alloc(call->arena, from->operation_count, sizeof(*to->operations.data));
	if (!to->operations.data)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	to->operations.count = from->operation_count;
	for (uint32_t i = 0; i < from->operation_count; i++) {
		const struct nnb_hidl_1_3_operation *operation = &from->operations[i];

		if (!nnb_hidl_has(version, operation->type, nnb_hidl_ranges[version].operation))
			return nnb_aidl_fail(call, INVALID,
					     "operation %u: there is no type %d in "
					     "1.%d",
					     i, operation->type, version);
		to->operations.data[i] = (struct nnb_aidl_operation){
			.type = operation->type,
			.inputs = {operation->inputs.count,
				   (const int32_t *)operation->inputs.data},
			.outputs = {operation->outputs.count,
				    (const int32_t *)operation->outputs.data},
		};
	}
	to->input_indexes = from->inputs;
	to->output_indexes = from->outputs;
	return nnb_hidl_check_consumers(call, version, from);
}

static int nnb_hidl_to_names(struct nnb_aidl_call *call,
			     const struct nnb_hidl_1_2_model_extension_name_and_prefix *from,
			     uint32_t count, struct nnb_aidl_model *to)
{
	struct nnb_aidl_extension_name_and_prefix *names =
		nnb_arena_alloc(call->arena, count, sizeof(*names));

	if (!names)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	for (uint32_t i = 0; i < count; i++) {
		names[i].name = from[i].name.data;
		names[i].prefix = from[i].prefix;
	}
	to->extension_name_to_prefix.count = count;
	to->extension_name_to_prefix.data = names;
	return 0;
}

/* Values and pools, which all versions have. */
#define NNB_HIDL_TO_POOLS(call, from, to)                                                          \
	((to)->operand_values =                                                                    \
		 (struct nnb_bytes){(from)->operand_values.count, (from)->operand_values.data},    \
	 nnb_hidl_to_pools(call, (from)->pools.data, (from)->pools.count, to))

static int nnb_hidl_to_model_1_3(struct nnb_aidl_call *call, const struct nnb_hidl_1_3_model *from,
				 struct nnb_aidl_model *to)
{
	const struct nnb_hidl_subgraph main = NNB_HIDL_SUBGRAPH(&from->main);
	int ret = nnb_hidl_to_subgraph(call, NNB_HIDL_1_3, &main, &to->main);

	if (ret)
		return ret;
	to->referenced.data =
		nnb_arena_alloc(call->arena, from->referenced.count, sizeof(*to->referenced.data));
	if (!to->referenced.data)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	to->referenced.count = from->referenced.count;
	for (uint32_t i = 0; i < from->referenced.count && !ret; i++) {
		const struct nnb_hidl_subgraph subgraph =
			NNB_HIDL_SUBGRAPH(&from->referenced.data[i]);

		ret = nnb_hidl_to_subgraph(call, NNB_HIDL_1_3, &subgraph, &to->referenced.data[i]);
	}
	to->relax_computation_float32to_float16 = from->relax_computation_float32to_float16;
	if (!ret)
		ret = NNB_HIDL_TO_POOLS(call, from, to);
	return ret ? ret
		   : nnb_hidl_to_names(call, from->extension_name_to_prefix.data,
				       from->extension_name_to_prefix.count, to);
}

static int nnb_hidl_to_model_1_2(struct nnb_aidl_call *call, const struct nnb_hidl_1_2_model *from,
				 struct nnb_aidl_model *to)
{
	const struct nnb_hidl_subgraph main = NNB_HIDL_SUBGRAPH(from);
	int ret = nnb_hidl_to_subgraph(call, NNB_HIDL_1_2, &main, &to->main);

	to->relax_computation_float32to_float16 = from->relax_computation_float32to_float16;
	if (!ret)
		ret = NNB_HIDL_TO_POOLS(call, from, to);
	return ret ? ret
		   : nnb_hidl_to_names(call, from->extension_name_to_prefix.data,
				       from->extension_name_to_prefix.count, to);
}

static int nnb_hidl_to_model_1_1(struct nnb_aidl_call *call, const struct nnb_hidl_1_1_model *from,
				 struct nnb_aidl_model *to)
{
	const struct nnb_hidl_subgraph main = NNB_HIDL_SUBGRAPH(from);
	int ret = nnb_hidl_to_subgraph(call, NNB_HIDL_1_1, &main, &to->main);

	to->relax_computation_float32to_float16 = from->relax_computation_float32to_float16;
	return ret ? ret : NNB_HIDL_TO_POOLS(call, from, to);
}

static int nnb_hidl_to_model_1_0(struct nnb_aidl_call *call, const struct nnb_hidl_1_0_model *from,
				 struct nnb_aidl_model *to)
{
	const struct nnb_hidl_subgraph main = NNB_HIDL_SUBGRAPH(from);
	int ret = nnb_hidl_to_subgraph(call, NNB_HIDL_1_0, &main, &to->main);

	return ret ? ret : NNB_HIDL_TO_POOLS(call, from, to);
}

int nnb_hidl_to_model(struct nnb_aidl_call *call, enum nnb_hidl_version version, const void *from,
		      struct nnb_aidl_model *to)
{
	memset(to, 0, sizeof(*to));
	switch (version) {
	case NNB_HIDL_1_0:
		return nnb_hidl_to_model_1_0(call, from, to);
	case NNB_HIDL_1_1:
		return nnb_hidl_to_model_1_1(call, from, to);
	case NNB_HIDL_1_2:
		return nnb_hidl_to_model_1_2(call, from, to);
	default:
		return nnb_hidl_to_model_1_3(call, from, to);
	}
}

/* -------------------------------------------------------------------------------------- request */

static struct nnb_aidl_request_argument *
nnb_hidl_to_arguments(struct nnb_aidl_call *call, const struct nnb_hidl_1_0_request_argument *from,
		      uint32_t count)
{
	struct nnb_aidl_request_argument *to = nnb_arena_alloc(call->arena, count, sizeof(*to));

	for (uint32_t i = 0; to && i < count; i++) {
		to[i].has_no_value = from[i].has_no_value;
		nnb_hidl_to_location(&from[i].location, &to[i].location);
		to[i].dimensions = (struct nnb_ints){from[i].dimensions.count,
						     (const int32_t *)from[i].dimensions.data};
	}
	return to;
}

/* All of a request but the contents of its pools. */
static int nnb_hidl_begin_request(struct nnb_aidl_call *call,
				  const struct nnb_hidl_1_0_request_argument *inputs,
				  uint32_t input_count,
				  const struct nnb_hidl_1_0_request_argument *outputs,
				  uint32_t output_count, uint32_t pool_count,
				  struct nnb_aidl_request *to)
{
	memset(to, 0, sizeof(*to));
	to->inputs.data = nnb_hidl_to_arguments(call, inputs, input_count);
	to->outputs.data = nnb_hidl_to_arguments(call, outputs, output_count);
	to->pools.data = nnb_arena_alloc(call->arena, pool_count, sizeof(*to->pools.data));
	if (!to->inputs.data || !to->outputs.data || !to->pools.data)
		return nnb_aidl_fail(call, EXHAUSTED, "out of memory");
	to->inputs.count = input_count;
	to->outputs.count = output_count;
	to->pools.count = pool_count;
	return 0;
}

int nnb_hidl_to_request(struct nnb_aidl_call *call, const struct nnb_hidl_1_0_request *from,
			struct nnb_aidl_request *to)
{
	int ret = nnb_hidl_begin_request(call, from->inputs.data, from->inputs.count,
					 from->outputs.data, from->outputs.count, from->pools.count,
					 to);

	for (uint32_t i = 0; i < from->pools.count && !ret; i++) {
		to->pools.data[i].tag = NNB_AIDL_REQUEST_MEMORY_POOL_POOL;
		ret = nnb_hidl_to_memory(call, &from->pools.data[i], &to->pools.data[i].pool);
	}
	return ret;
}

int nnb_hidl_to_request_1_3(struct nnb_aidl_call *call, const struct nnb_hidl_1_3_request *from,
			    struct nnb_aidl_request *to)
{
	int ret = nnb_hidl_begin_request(call, from->inputs.data, from->inputs.count,
					 from->outputs.data, from->outputs.count, from->pools.count,
					 to);

	for (uint32_t i = 0; i < from->pools.count && !ret; i++) {
		const struct nnb_hidl_1_3_request_memory_pool *pool = &from->pools.data[i];

		if (pool->tag == NNB_HIDL_1_3_REQUEST_MEMORY_POOL_TOKEN) {
			to->pools.data[i].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
			to->pools.data[i].token = (int32_t)pool->token;
			continue;
		}
		to->pools.data[i].tag = NNB_AIDL_REQUEST_MEMORY_POOL_POOL;
		ret = nnb_hidl_to_memory(call, &pool->hidl_memory, &to->pools.data[i].pool);
	}
	return ret;
}

/* ----------------------------------------------------------------------------------------- time */

int64_t nnb_hidl_to_deadline(const struct nnb_hidl_1_3_optional_time_point *from)
{
	int64_t slept, deadline;

	if (from->tag == NNB_HIDL_1_3_OPTIONAL_TIME_POINT_NONE)
		return -1;
	slept = nnb_status_now() - (int64_t)nna_now_ns();
	if (from->nanoseconds_since_epoch > INT64_MAX ||
	    __builtin_add_overflow((int64_t)from->nanoseconds_since_epoch, slept, &deadline))
		return INT64_MAX;
	return deadline < 0 ? 0 : deadline;
}

int64_t nnb_hidl_to_duration(const struct nnb_hidl_1_3_optional_timeout_duration *from)
{
	if (from->tag == NNB_HIDL_1_3_OPTIONAL_TIMEOUT_DURATION_NONE)
		return -1;
	return from->nanoseconds > INT64_MAX ? INT64_MAX : (int64_t)from->nanoseconds;
}

const struct nnb_hidl_1_2_timing nnb_hidl_no_timing = {UINT64_MAX, UINT64_MAX};

static uint64_t nnb_hidl_of_duration(int64_t ns)
{
	return ns < 0 ? UINT64_MAX : (uint64_t)ns / 1000;
}

struct nnb_hidl_1_2_timing nnb_hidl_of_timing(const struct nnb_aidl_timing *from)
{
	return (struct nnb_hidl_1_2_timing){
		.time_on_device = nnb_hidl_of_duration(from->time_on_device_ns),
		.time_in_driver = nnb_hidl_of_duration(from->time_in_driver_ns),
	};
}

/* -------------------------------------------------------------------------------------- results */

int32_t nnb_hidl_status(enum nnb_hidl_version version, int status)
{
	if (status < 0)
		return NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
	if (version < NNB_HIDL_1_3 && status > NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT)
		return NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
	return status;
}

int nnb_hidl_of_shapes(struct nnb_arena *arena, const struct nnb_aidl_execution_result *from,
		       struct nnb_hidl_shapes *to)
{
	struct nnb_hidl_1_2_output_shape *shapes =
		nnb_arena_alloc(arena, from->output_shapes.count, sizeof(*shapes));

	if (!shapes)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->output_shapes.count; i++) {
		const struct nnb_aidl_output_shape *shape = &from->output_shapes.data[i];

		shapes[i].dimensions.data = (const uint32_t *)shape->dimensions.data;
		shapes[i].dimensions.count = shape->dimensions.count;
		shapes[i].is_sufficient = shape->is_sufficient;
	}
	to->data = shapes;
	to->count = from->output_shapes.count;
	return 0;
}

const struct nnb_hidl_fds *nnb_hidl_of_fd(struct nnb_arena *arena, int fd)
{
	struct nnb_hidl_fds *fds = nnb_arena_alloc(arena, 1, sizeof(*fds) + sizeof(fds->data[0]));

	if (!fds)
		return NULL;
	fds->version = NNB_HIDL_FDS_VERSION;
	fds->fd_count = 1;
	fds->data[0] = fd;
	return fds;
}

int nnb_hidl_log(const struct nnb_hidl_call *call, const struct nnb_aidl_call *core, int status)
{
	if (status)
		nna_message(DRIVER, "hal: %s.%s of uid %u, pid %d: status %d: %s",
			    call->method->interface->descriptor, call->method->name,
			    (unsigned int)call->caller->euid, (int)call->caller->pid, status,
			    core->message);
	return status;
}
