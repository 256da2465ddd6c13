// SPDX-License-Identifier: MIT
/* A client of the NN HAL in HIDL (hidl_client.h). */
#include "tests/conformance/hidl_client.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/hidl/fmq.h"

/* ---------------------------------------------------------------------------------------- model */

static int nnv_hidl_version_of_subgraph(const struct nnb_aidl_subgraph *subgraph, int version)
{
	for (uint32_t i = 0; i < subgraph->operands.count; i++) {
		const struct nnb_aidl_operand *operand = &subgraph->operands.data[i];

		if (operand->type > NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_SYMM ||
		    operand->lifetime == NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH)
			return 3;
		if (operand->type > NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM ||
		    operand->extra_params)
			version = version < 2 ? 2 : version;
	}
	for (uint32_t i = 0; i < subgraph->operations.count; i++) {
		const int32_t type = subgraph->operations.data[i].type;
		const int least = type > NNB_AIDL_OPERATION_TYPE_RESIZE_NEAREST_NEIGHBOR ? 3
				  : type > NNB_AIDL_OPERATION_TYPE_TRANSPOSE		 ? 2
				  : type > NNB_AIDL_OPERATION_TYPE_TANH			 ? 1
											 : 0;

		version = version < least ? least : version;
	}
	return version;
}

int nnv_hidl_version_of(const struct nnb_aidl_model *model, int least)
{
	int version = nnv_hidl_version_of_subgraph(&model->main, least);

	if (model->referenced.count)
		return 3;
	if (model->extension_name_to_prefix.count && version < 2)
		version = 2;
	if (model->relax_computation_float32to_float16 && version < 1)
		version = 1;
	return version;
}

static const struct nnb_hidl_fds *nnv_hidl_fds(struct nnb_arena *arena, int fd, uint32_t ints)
{
	struct nnb_hidl_fds *fds = nnb_arena_alloc(arena, 1, sizeof(*fds) + (1 + ints) * 4);

	fds->version = NNB_HIDL_FDS_VERSION;
	fds->fd_count = 1;
	fds->int_count = ints;
	fds->data[0] = fd;
	return fds;
}

static struct nnb_hidl_memory nnv_hidl_memory(struct nnb_arena *arena,
					      const struct nnb_aidl_memory *from)
{
	struct nnb_hidl_memory to = {.name = nnb_hidl_string_of("mmap_fd", 7)};
	struct nnb_hidl_fds *fds;

	to.size = (uint64_t)from->mappable_file.length;
	to.handle.fds = nnv_hidl_fds(arena, from->mappable_file.fd, 3);
	fds = (struct nnb_hidl_fds *)(uintptr_t)to.handle.fds;
	fds->data[1] = from->mappable_file.prot;
	fds->data[2] = (int32_t)from->mappable_file.offset;
	fds->data[3] = (int32_t)(from->mappable_file.offset >> 32);
	return to;
}

/* HIDL's numbers have 32 bits: what does not fit is as far off as can be. */
static uint32_t nnv_hidl_place(int64_t value)
{
	return value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/*
 * HIDL has no padding, but a number of consumers, which the caller counts: a mutated model whose
 * padding is wrong has a wrong number here.
 */
static void nnv_hidl_operand(const struct nnb_aidl_operand *from, bool extra,
			     struct nnb_hidl_1_3_operand *to)
{
	to->number_of_consumers = from->location.padding != 0;
	to->type = from->type;
	to->dimensions.count = from->dimensions.count;
	to->dimensions.data = (const uint32_t *)from->dimensions.data;
	to->scale = from->scale;
	to->zero_point = from->zero_point;
	to->lifetime = from->lifetime;
	to->location.pool_index = (uint32_t)from->location.pool_index;
	to->location.offset = nnv_hidl_place(from->location.offset);
	to->location.length = nnv_hidl_place(from->location.length);
	if (!extra || !from->extra_params)
		return;
	if (from->extra_params->tag == NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT) {
		to->extra_params.tag = NNB_HIDL_1_2_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT;
		to->extra_params.channel_quant.scales.count =
			from->extra_params->channel_quant.scales.count;
		to->extra_params.channel_quant.scales.data =
			from->extra_params->channel_quant.scales.data;
		to->extra_params.channel_quant.channel_dim =
			(uint32_t)from->extra_params->channel_quant.channel_dim;
	} else {
		to->extra_params.tag = NNB_HIDL_1_2_OPERAND_EXTRA_PARAMS_EXTENSION;
		to->extra_params.extension.count = from->extra_params->extension.count;
		to->extra_params.extension.data = from->extra_params->extension.data;
	}
}

/* Operands of 1.0 are shorter than those of 1.2 and 1.3, and begin alike. */
static struct nnb_hidl_1_3_subgraph nnv_hidl_subgraph(struct nnb_arena *arena, int version,
						      const struct nnb_aidl_subgraph *from)
{
	const size_t size = version < 2 ? sizeof(struct nnb_hidl_1_0_operand)
					: sizeof(struct nnb_hidl_1_3_operand);
	char *operands = nnb_arena_alloc(arena, from->operands.count + 1, size);
	struct nnb_hidl_1_3_operation *operations =
		nnb_arena_alloc(arena, from->operations.count, sizeof(*operations));
	struct nnb_hidl_1_3_subgraph to = {
		.operands = {(void *)operands, from->operands.count, 0},
		.operations = {operations, from->operations.count, 0},
		.input_indexes = {(const uint32_t *)from->input_indexes.data,
				  from->input_indexes.count, 0},
		.output_indexes = {(const uint32_t *)from->output_indexes.data,
				   from->output_indexes.count, 0},
	};

	for (uint32_t i = 0; i < from->operands.count; i++) {
		struct nnb_hidl_1_3_operand operand = {0};

		nnv_hidl_operand(&from->operands.data[i], version >= 2, &operand);
		memcpy(operands + i * size, &operand, size);
	}
	for (uint32_t i = 0; i < from->operations.count; i++) {
		const struct nnb_aidl_operation *operation = &from->operations.data[i];

		operations[i].type = operation->type;
		operations[i].inputs.count = operation->inputs.count;
		operations[i].inputs.data = (const uint32_t *)operation->inputs.data;
		operations[i].outputs.count = operation->outputs.count;
		operations[i].outputs.data = (const uint32_t *)operation->outputs.data;
		for (uint32_t k = 0; k < operation->inputs.count; k++) {
			const uint32_t index = (uint32_t)operation->inputs.data[k];

			if (index < from->operands.count)
				((struct nnb_hidl_1_0_operand *)(operands + index * size))
					->number_of_consumers++;
		}
	}
	return to;
}

static void *nnv_hidl_model(struct nnb_arena *arena, int version, const struct nnb_aidl_model *from)
{
	struct nnb_hidl_1_3_model *to = nnb_arena_alloc(arena, 1, sizeof(*to));
	struct nnb_hidl_1_2_model *old = nnb_arena_alloc(arena, 1, sizeof(*old));
	struct nnb_hidl_1_3_subgraph *referenced =
		nnb_arena_alloc(arena, from->referenced.count, sizeof(*referenced));
	struct nnb_hidl_memory *pools = nnb_arena_alloc(arena, from->pools.count, sizeof(*pools));
	struct nnb_hidl_1_2_model_extension_name_and_prefix *names =
		nnb_arena_alloc(arena, from->extension_name_to_prefix.count, sizeof(*names));

	for (uint32_t i = 0; i < from->pools.count; i++)
		pools[i] = nnv_hidl_memory(arena, &from->pools.data[i]);
	for (uint32_t i = 0; i < from->referenced.count; i++)
		referenced[i] = nnv_hidl_subgraph(arena, version, &from->referenced.data[i]);
	for (uint32_t i = 0; i < from->extension_name_to_prefix.count; i++) {
		const char *name = from->extension_name_to_prefix.data[i].name;

		names[i].name = nnb_hidl_string_of(name, strlen(name));
		names[i].prefix = from->extension_name_to_prefix.data[i].prefix;
	}
	to->main = nnv_hidl_subgraph(arena, version, &from->main);
	to->referenced.data = referenced;
	to->referenced.count = from->referenced.count;
	to->operand_values.data = from->operand_values.data;
	to->operand_values.count = from->operand_values.count;
	to->pools.data = pools;
	to->pools.count = from->pools.count;
	to->relax_computation_float32to_float16 = from->relax_computation_float32to_float16;
	to->extension_name_to_prefix.data = names;
	to->extension_name_to_prefix.count = from->extension_name_to_prefix.count;
	if (version == 3)
		return to;
	/* The models of 1.0 and 1.1 are the beginning of that of 1.2. */
	memcpy(&old->operands, &to->main, sizeof(to->main));
	memcpy(&old->operand_values, &to->operand_values, sizeof(old->operand_values));
	memcpy(&old->pools, &to->pools, sizeof(old->pools));
	old->relax_computation_float32to_float16 = to->relax_computation_float32to_float16;
	memcpy(&old->extension_name_to_prefix, &to->extension_name_to_prefix,
	       sizeof(old->extension_name_to_prefix));
	return old;
}

/* -------------------------------------------------------------------------------------- request */

static struct nnb_hidl_1_0_request_argument *
nnv_hidl_arguments(struct nnb_arena *arena, const struct nnb_aidl_request_argument *from,
		   uint32_t count)
{
	struct nnb_hidl_1_0_request_argument *to = nnb_arena_alloc(arena, count, sizeof(*to));

	for (uint32_t i = 0; i < count; i++) {
		to[i].has_no_value = from[i].has_no_value;
		to[i].location.pool_index = (uint32_t)from[i].location.pool_index;
		to[i].location.offset = (uint32_t)from[i].location.offset;
		to[i].location.length = (uint32_t)from[i].location.length;
		to[i].dimensions.count = from[i].dimensions.count;
		to[i].dimensions.data = (const uint32_t *)from[i].dimensions.data;
	}
	return to;
}

static void *nnv_hidl_request(struct nnb_arena *arena, int version,
			      const struct nnb_aidl_request *from)
{
	struct nnb_hidl_1_3_request *to = nnb_arena_alloc(arena, 1, sizeof(*to));
	struct nnb_hidl_1_0_request *old = nnb_arena_alloc(arena, 1, sizeof(*old));
	struct nnb_hidl_1_3_request_memory_pool *pools =
		nnb_arena_alloc(arena, from->pools.count, sizeof(*pools));
	struct nnb_hidl_memory *memories =
		nnb_arena_alloc(arena, from->pools.count, sizeof(*memories));

	for (uint32_t i = 0; i < from->pools.count; i++) {
		if (from->pools.data[i].tag == NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN) {
			pools[i].tag = NNB_HIDL_1_3_REQUEST_MEMORY_POOL_TOKEN;
			pools[i].token = (uint32_t)from->pools.data[i].token;
			continue;
		}
		memories[i] = nnv_hidl_memory(arena, &from->pools.data[i].pool);
		pools[i].hidl_memory = memories[i];
	}
	to->inputs.data = nnv_hidl_arguments(arena, from->inputs.data, from->inputs.count);
	to->inputs.count = from->inputs.count;
	to->outputs.data = nnv_hidl_arguments(arena, from->outputs.data, from->outputs.count);
	to->outputs.count = from->outputs.count;
	to->pools.data = pools;
	to->pools.count = from->pools.count;
	if (version == 3)
		return to;
	memcpy(&old->inputs, &to->inputs, sizeof(old->inputs));
	memcpy(&old->outputs, &to->outputs, sizeof(old->outputs));
	old->pools.data = memories;
	old->pools.count = from->pools.count;
	return old;
}

static struct nnb_hidl_1_3_optional_time_point *nnv_hidl_deadline(struct nnb_arena *arena,
								  int64_t deadline_ns)
{
	struct nnb_hidl_1_3_optional_time_point *to = nnb_arena_alloc(arena, 1, sizeof(*to));
	struct timespec boot, steady;

	if (deadline_ns < 0)
		return to;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	to->tag = NNB_HIDL_1_3_OPTIONAL_TIME_POINT_NANOSECONDS_SINCE_EPOCH;
	to->nanoseconds_since_epoch =
		(uint64_t)(deadline_ns - (boot.tv_sec - steady.tv_sec) * INT64_C(1000000000) -
			   (boot.tv_nsec - steady.tv_nsec));
	return to;
}

static struct nnb_hidl_1_3_optional_timeout_duration *nnv_hidl_duration(struct nnb_arena *arena,
									int64_t ns)
{
	struct nnb_hidl_1_3_optional_timeout_duration *to = nnb_arena_alloc(arena, 1, sizeof(*to));

	if (ns >= 0) {
		to->tag = NNB_HIDL_1_3_OPTIONAL_TIMEOUT_DURATION_NANOSECONDS;
		to->nanoseconds = (uint64_t)ns;
	}
	return to;
}

/*
 * ------------------------------------------------------------------------------------- callbacks
 */

/**
 * struct nnv_hidl_listener - a callback of any version, for a model or an execution
 * @object: of HIDL
 * @interface: of the callback
 * @target: AIDL's callback of the runner, which is told of a model; NULL for an execution
 * @lock: guards the fields below
 * @changed: it has been told
 * @told: how often
 * @status: ErrorStatus
 * @shapes: of an execution, in @arena
 * @arena: owns @shapes
 */
struct nnv_hidl_listener {
	struct nnb_object object;
	const struct nnb_hidl_interface *interface;
	struct nnb_object *target;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int told;
	int status;
	struct nnb_arena arena;
	uint32_t shape_count;
	struct nnb_aidl_output_shape *shapes;
};

static int nnv_hidl_on_model(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			     void *out)
{
	const struct nnb_hidl_1_3_prepared_model_callback_notify_1_3_in *args = in;
	struct nnv_hidl_listener *self = (struct nnv_hidl_listener *)object;
	struct nnb_aidl_prepared_model_callback_notify_in notify = {
		.status = args->status,
		.prepared_model = args->prepared_model,
	};

	return nnb_aidl_call(self->target, call->caller,
			     &nnb_aidl_prepared_model_callback.methods[0], &notify, call->arena,
			     NULL);
}

static void nnv_hidl_listener_tell(struct nnv_hidl_listener *self, int status,
				   const struct nnb_hidl_vec *shapes)
{
	pthread_mutex_lock(&self->lock);
	self->status = status;
	if (shapes) {
		const struct nnb_hidl_1_2_output_shape *from = shapes->data;

		self->shapes = nnb_arena_alloc(&self->arena, shapes->count, sizeof(*self->shapes));
		self->shape_count = shapes->count;
		for (uint32_t i = 0; i < shapes->count; i++) {
			int32_t *dims = nnb_arena_alloc(&self->arena, from[i].dimensions.count, 4);

			memcpy(dims, from[i].dimensions.data, from[i].dimensions.count * 4);
			self->shapes[i].dimensions =
				(struct nnb_ints){from[i].dimensions.count, dims};
			self->shapes[i].is_sufficient = from[i].is_sufficient;
		}
	}
	self->told++;
	pthread_cond_broadcast(&self->changed);
	pthread_mutex_unlock(&self->lock);
}

static int nnv_hidl_on_first(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			     void *out)
{
	const struct nnb_hidl_1_0_execution_callback_notify_in *args = in;

	nnv_hidl_listener_tell((struct nnv_hidl_listener *)object, args->status, NULL);
	return 0;
}

static int nnv_hidl_on_executed(struct nnb_object *object, struct nnb_hidl_call *call,
				const void *in, void *out)
{
	const struct nnb_hidl_1_3_execution_callback_notify_1_3_in *args = in;

	nnv_hidl_listener_tell((struct nnv_hidl_listener *)object, args->status,
			       args->output_shapes);
	return 0;
}

static int nnv_hidl_listener_answer(struct nnb_object *object, const struct nnb_caller *caller,
				    const char *descriptor, uint32_t code, struct nnb_hw *in,
				    struct nnb_arena *arena, struct nnb_hw *out)
{
	static const nnb_hidl_handler model[] = {nnv_hidl_on_model};
	static const nnb_hidl_handler first[] = {nnv_hidl_on_first};
	static const nnb_hidl_handler executed[] = {nnv_hidl_on_executed};
	struct nnv_hidl_listener *self = (struct nnv_hidl_listener *)object;
	struct nnb_hidl_handlers handlers[3];
	uint32_t count = 0;

	for (const struct nnb_hidl_interface *at = self->interface; at; at = at->parent)
		handlers[count++] = (struct nnb_hidl_handlers){
			at, self->target			     ? model
			    : at == &nnb_hidl_1_0_execution_callback ? first
								     : executed};
	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

static void nnv_hidl_listener_release(struct nnb_object *object)
{
	struct nnv_hidl_listener *self = (struct nnv_hidl_listener *)object;

	nnb_object_unref(self->target);
	nnb_arena_fini(&self->arena);
	pthread_cond_destroy(&self->changed);
	pthread_mutex_destroy(&self->lock);
	free(self);
}

/* An object of the interface of a version. */
#define NNV_HIDL_OPS(text, names)                                                                  \
	{                                                                                          \
		.descriptor = text, .chain = names, .release = nnv_hidl_listener_release,          \
		.answer = nnv_hidl_listener_answer,                                                \
	}
#define NN(version) "android.hardware.neuralnetworks@1." #version "::"

static struct nnv_hidl_listener *nnv_hidl_listener_create(int version, struct nnb_object *target)
{
	/* Each version's chain is the end of the next one's. */
	static const char *const model[] = {
		NN(3) "IPreparedModelCallback",
		NN(2) "IPreparedModelCallback",
		NN(0) "IPreparedModelCallback",
		NULL,
	};
	static const char *const execution[] = {
		NN(3) "IExecutionCallback",
		NN(2) "IExecutionCallback",
		NN(0) "IExecutionCallback",
		NULL,
	};
	static const struct nnb_object_ops models[] = {
		NNV_HIDL_OPS(NN(0) "IPreparedModelCallback", model + 2),
		NNV_HIDL_OPS(NN(0) "IPreparedModelCallback", model + 2),
		NNV_HIDL_OPS(NN(2) "IPreparedModelCallback", model + 1),
		NNV_HIDL_OPS(NN(3) "IPreparedModelCallback", model),
	};
	static const struct nnb_object_ops executions[] = {
		NNV_HIDL_OPS(NN(0) "IExecutionCallback", execution + 2),
		NNV_HIDL_OPS(NN(0) "IExecutionCallback", execution + 2),
		NNV_HIDL_OPS(NN(2) "IExecutionCallback", execution + 1),
		NNV_HIDL_OPS(NN(3) "IExecutionCallback", execution),
	};
	static const struct nnb_hidl_interface *const interfaces[][2] = {
		{&nnb_hidl_1_0_execution_callback, &nnb_hidl_1_0_prepared_model_callback},
		{&nnb_hidl_1_0_execution_callback, &nnb_hidl_1_0_prepared_model_callback},
		{&nnb_hidl_1_2_execution_callback, &nnb_hidl_1_2_prepared_model_callback},
		{&nnb_hidl_1_3_execution_callback, &nnb_hidl_1_3_prepared_model_callback},
	};
	struct nnv_hidl_listener *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	nnb_object_init(&self->object, target ? &models[version] : &executions[version]);
	self->interface = interfaces[version][target != NULL];
	self->target = target ? nnb_object_ref(target) : NULL;
	pthread_mutex_init(&self->lock, NULL);
	pthread_cond_init(&self->changed, NULL);
	return self;
}

/*
 * ----------------------------------------------------------------------------------------- calls
 */

/* Calls one of the methods of the four versions; the first result of all is a status. */
static int nnv_hidl_exchange(const struct nnb_hidl_method *method, struct nnb_object *object,
			     const struct nnb_caller *me, const void *in, struct nnb_arena *arena,
			     void *out)
{
	int32_t status;
	int ret = nnb_hidl_call(object, me, method, in, arena, out);

	memcpy(&status, out, sizeof(status));
	return ret ? ret : status;
}

static int nnv_hidl_supported(int version, struct nnb_object *object, const struct nnb_caller *me,
			      const struct nnb_aidl_model *model, struct nnb_arena *arena,
			      struct nnb_aidl_device_get_supported_operations_out *out)
{
	static const struct nnb_hidl_method *methods[4];
	struct nnb_hidl_1_3_device_get_supported_operations_1_3_out results;
	const struct nnb_hidl_1_3_device_get_supported_operations_1_3_in in = {
		nnv_hidl_model(arena, version, model),
	};
	int ret;

	methods[0] = &nnb_hidl_1_0_device.methods[1];
	methods[1] = &nnb_hidl_1_1_device.methods[1];
	methods[2] = &nnb_hidl_1_2_device.methods[4];
	methods[3] = &nnb_hidl_1_3_device.methods[1];
	ret = nnv_hidl_exchange(methods[version], object, me, &in, arena, &results);
	if (!ret)
		out->result = (struct nnb_bools){results.supported_operations->count,
						 results.supported_operations->data};
	return ret;
}

static int nnv_hidl_prepare(int version, struct nnb_object *object, const struct nnb_caller *me,
			    const struct nnb_aidl_device_prepare_model_in *args,
			    struct nnb_arena *arena)
{
	static const struct nnb_hidl_vec none;
	static const uint8_t token[32];
	struct nnv_hidl_listener *listener = nnv_hidl_listener_create(version, args->callback);
	void *model = nnv_hidl_model(arena, version, &args->model);
	const struct nnb_hidl_1_0_device_prepare_model_in in_0 = {model, &listener->object};
	const struct nnb_hidl_1_1_device_prepare_model_1_1_in in_1 = {model, args->preference,
								      &listener->object};
	const struct nnb_hidl_1_2_device_prepare_model_1_2_in in_2 = {
		model, args->preference, &none, &none, token, &listener->object};
	const struct nnb_hidl_1_3_device_prepare_model_1_3_in in_3 = {
		model,		args->preference,
		args->priority, nnv_hidl_deadline(arena, args->deadline_ns),
		&none,		&none,
		token,		&listener->object};
	struct nnb_hidl_1_3_device_prepare_model_1_3_out out;
	int ret;

	switch (version) {
	case 0:
		ret = nnv_hidl_exchange(&nnb_hidl_1_0_device.methods[2], object, me, &in_0, arena,
					&out);
		break;
	case 1:
		ret = nnv_hidl_exchange(&nnb_hidl_1_1_device.methods[2], object, me, &in_1, arena,
					&out);
		break;
	case 2:
		ret = nnv_hidl_exchange(&nnb_hidl_1_2_device.methods[6], object, me, &in_2, arena,
					&out);
		break;
	default:
		ret = nnv_hidl_exchange(&nnb_hidl_1_3_device.methods[2], object, me, &in_3, arena,
					&out);
		break;
	}
	nnb_object_unref(&listener->object);
	return ret;
}

static int nnv_hidl_allocate(struct nnb_object *object, const struct nnb_caller *me,
			     const struct nnb_aidl_device_allocate_in *args,
			     struct nnb_arena *arena, struct nnb_aidl_device_allocate_out *out)
{
	struct nnb_object *model = args->prepared_models.data[0].prepared_model;
	/* The numbers of a role are alike. */
	const struct nnb_hidl_vec inputs = {args->input_roles.data, args->input_roles.count, 0};
	const struct nnb_hidl_vec outputs = {args->output_roles.data, args->output_roles.count, 0};
	const struct nnb_hidl_1_3_buffer_desc desc = {
		{(const uint32_t *)args->desc.dimensions.data, args->desc.dimensions.count, 0}};
	const struct nnb_hidl_1_3_device_allocate_in in = {&desc, {&model, 1}, &inputs, &outputs};
	struct nnb_hidl_1_3_device_allocate_out results;
	int ret = nnv_hidl_exchange(&nnb_hidl_1_3_device.methods[4], object, me, &in, arena,
				    &results);

	if (!ret) {
		out->result.buffer = results.buffer;
		out->result.token = (int32_t)results.token;
	}
	return ret;
}

/* Makes AIDL's result of HIDL's. Return: 0, or @status. */
static int nnv_hidl_result(struct nnb_arena *arena, int status, const struct nnb_hidl_vec *shapes,
			   struct nnb_aidl_execution_result *result)
{
	const struct nnb_hidl_1_2_output_shape *from = shapes->data;

	if (status && status != NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE)
		return status;
	memset(result, 0, sizeof(*result));
	result->output_sufficient_size = !status;
	result->output_shapes.count = shapes->count;
	result->output_shapes.data =
		nnb_arena_alloc(arena, shapes->count, sizeof(*result->output_shapes.data));
	for (uint32_t i = 0; i < shapes->count; i++) {
		result->output_shapes.data[i].dimensions = (struct nnb_ints){
			from[i].dimensions.count, (const int32_t *)from[i].dimensions.data};
		result->output_shapes.data[i].is_sufficient = from[i].is_sufficient;
	}
	return 0;
}

int nnv_hidl_execute_async(int version, struct nnb_object *model, const struct nnb_caller *me,
			   const struct nnb_aidl_request *request, int64_t deadline_ns,
			   int64_t loop_timeout_ns, struct nnb_arena *arena,
			   struct nnb_aidl_execution_result *result)
{
	struct nnv_hidl_listener *listener = nnv_hidl_listener_create(version, NULL);
	void *sent = nnv_hidl_request(arena, version, request);
	const struct nnb_hidl_1_0_prepared_model_execute_in in_0 = {sent, &listener->object};
	const struct nnb_hidl_1_2_prepared_model_execute_1_2_in in_2 = {
		sent, NNB_HIDL_1_2_MEASURE_TIMING_YES, &listener->object};
	const struct nnb_hidl_1_3_prepared_model_execute_1_3_in in_3 = {
		sent, NNB_HIDL_1_2_MEASURE_TIMING_NO, nnv_hidl_deadline(arena, deadline_ns),
		nnv_hidl_duration(arena, loop_timeout_ns), &listener->object};
	struct nnb_hidl_1_3_prepared_model_execute_1_3_out out;
	int ret;

	if (version < 2)
		ret = nnv_hidl_exchange(&nnb_hidl_1_0_prepared_model.methods[0], model, me, &in_0,
					arena, &out);
	else if (version == 2)
		ret = nnv_hidl_exchange(&nnb_hidl_1_2_prepared_model.methods[0], model, me, &in_2,
					arena, &out);
	else
		ret = nnv_hidl_exchange(&nnb_hidl_1_3_prepared_model.methods[0], model, me, &in_3,
					arena, &out);
	if (!ret) {
		pthread_mutex_lock(&listener->lock);
		while (!listener->told)
			pthread_cond_wait(&listener->changed, &listener->lock);
		ret = listener->status;
		memset(result, 0, sizeof(*result));
		result->output_sufficient_size = !ret;
		if (ret == NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE && version >= 2)
			ret = 0;
		result->output_shapes.count = listener->shape_count;
		result->output_shapes.data = listener->shapes;
		pthread_mutex_unlock(&listener->lock);
		/* The shapes live as long as what the execution has returned. */
		if (nnb_arena_own_object(arena, &listener->object))
			ret = -ENOMEM;
		return ret;
	}
	nnb_object_unref(&listener->object);
	return ret;
}

static int nnv_hidl_execute(int version, struct nnb_object *model, const struct nnb_caller *me,
			    const struct nnb_aidl_prepared_model_execute_synchronously_in *args,
			    struct nnb_arena *arena, struct nnb_aidl_execution_result *result)
{
	const struct nnb_hidl_1_2_prepared_model_execute_synchronously_in in_2 = {
		nnv_hidl_request(arena, 2, &args->request), args->measure_timing};
	const struct nnb_hidl_1_3_prepared_model_execute_synchronously_1_3_in in_3 = {
		nnv_hidl_request(arena, 3, &args->request), args->measure_timing,
		nnv_hidl_deadline(arena, args->deadline_ns),
		nnv_hidl_duration(arena, args->loop_timeout_duration_ns)};
	struct nnb_hidl_1_3_prepared_model_execute_synchronously_1_3_out out;
	int ret;

	if (version < 2)
		return nnv_hidl_execute_async(version, model, me, &args->request, args->deadline_ns,
					      args->loop_timeout_duration_ns, arena, result);
	ret = version == 2 ? nnb_hidl_call(model, me, &nnb_hidl_1_2_prepared_model.methods[1],
					   &in_2, arena, &out)
			   : nnb_hidl_call(model, me, &nnb_hidl_1_3_prepared_model.methods[1],
					   &in_3, arena, &out);
	return ret ? ret : nnv_hidl_result(arena, out.status, out.output_shapes, result);
}

static int nnv_hidl_fenced(struct nnb_object *model, const struct nnb_caller *me,
			   const struct nnb_aidl_prepared_model_execute_fenced_in *args,
			   struct nnb_arena *arena, struct nnb_aidl_fenced_execution_result *result)
{
	struct nnb_hidl_handle *handles =
		nnb_arena_alloc(arena, args->wait_for.count, sizeof(*handles));
	const struct nnb_hidl_vec wait_for = {handles, args->wait_for.count, 0};
	const struct nnb_hidl_1_3_prepared_model_execute_fenced_in in = {
		nnv_hidl_request(arena, 3, &args->request),
		&wait_for,
		args->measure_timing,
		nnv_hidl_deadline(arena, args->deadline_ns),
		nnv_hidl_duration(arena, args->loop_timeout_duration_ns),
		nnv_hidl_duration(arena, args->duration_ns)};
	struct nnb_hidl_1_3_prepared_model_execute_fenced_out out;
	int ret;

	for (uint32_t i = 0; i < args->wait_for.count; i++)
		handles[i].fds = nnv_hidl_fds(arena, args->wait_for.data[i], 0);
	ret = nnv_hidl_exchange(&nnb_hidl_1_3_prepared_model.methods[2], model, me, &in, arena,
				&out);
	if (!ret) {
		result->callback = out.callback;
		result->sync_fence = out.sync_fence ? out.sync_fence->data[0] : -1;
	}
	return ret;
}

static int nnv_hidl_info(struct nnb_object *object, const struct nnb_caller *me,
			 struct nnb_arena *arena,
			 struct nnb_aidl_fenced_execution_callback_get_execution_info_out *out)
{
	struct nnb_hidl_1_3_fenced_execution_callback_get_execution_info_out results;
	int ret = nnb_hidl_call(object, me, &nnb_hidl_1_3_fenced_execution_callback.methods[0],
				NULL, arena, &results);

	out->result = ret ? 0 : results.status;
	return ret;
}

static int nnv_hidl_copy(struct nnb_object *object, const struct nnb_caller *me, bool from,
			 const void *args, struct nnb_arena *arena)
{
	const struct nnb_aidl_buffer_copy_from_in *in_from = args;
	const struct nnb_aidl_buffer_copy_to_in *in_to = args;
	const struct nnb_hidl_memory memory =
		nnv_hidl_memory(arena, from ? &in_from->src : &in_to->dst);
	const struct nnb_hidl_vec dims = {0};
	const struct nnb_hidl_1_3_buffer_copy_from_in in = {&memory, &dims};
	const struct nnb_hidl_1_3_buffer_copy_to_in to = {&memory};
	struct nnb_hidl_1_3_buffer_copy_to_out out;

	return from ? nnv_hidl_exchange(&nnb_hidl_1_3_buffer.methods[1], object, me, &in, arena,
					&out)
		    : nnv_hidl_exchange(&nnb_hidl_1_3_buffer.methods[0], object, me, &to, arena,
					&out);
}

/* ---------------------------------------------------------------------------------------- burst */

#define NNV_HIDL_ELEMENTS 1024 /* of a queue */
#define NNV_HIDL_QUANTUM sizeof(struct nnb_hidl_1_2_fmq_request_datum)

/**
 * struct nnv_hidl_queue - a queue that the client makes
 * @fd: its memory
 * @grantors: its parts
 * @queue: its descriptor
 * @open: this side of it
 */
struct nnv_hidl_queue {
	int fd;
	struct nnb_hidl_grantor grantors[4];
	struct nnb_hidl_queue queue;
	struct nnb_fmq open;
};

/* @event: with an event flag, else both sides look from time to time. */
static int nnv_hidl_queue_make(struct nnv_hidl_queue *self, struct nnb_arena *arena, bool event,
			       bool reads)
{
	const uint64_t ring = NNV_HIDL_ELEMENTS * NNV_HIDL_QUANTUM;
	const size_t size = 16 + ring + 8;

	self->fd = memfd_create("nnv_queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (self->fd < 0 || ftruncate(self->fd, (off_t)size))
		return -errno;
	self->grantors[0] = (struct nnb_hidl_grantor){.offset = 0, .extent = 8};
	self->grantors[1] = (struct nnb_hidl_grantor){.offset = 8, .extent = 8};
	self->grantors[2] = (struct nnb_hidl_grantor){.offset = 16, .extent = ring};
	self->grantors[3] = (struct nnb_hidl_grantor){.offset = 16 + (uint32_t)ring, .extent = 4};
	self->queue.grantors.data = self->grantors;
	self->queue.grantors.count = event ? 4 : 3;
	self->queue.fds = nnv_hidl_fds(arena, self->fd, 0);
	self->queue.quantum = NNV_HIDL_QUANTUM;
	self->queue.flags = 1;
	return nnb_fmq_open(&self->queue, size, NNV_HIDL_QUANTUM, reads, &self->open);
}

static void nnv_hidl_queue_free(struct nnv_hidl_queue *self)
{
	nnb_fmq_close(&self->open);
	if (self->fd >= 0)
		close(self->fd);
}

/**
 * struct nnv_hidl_memories - IBurstCallback
 * @object: of HIDL
 * @memories: of the run that is under way
 * @slots: of these
 * @count: entries of @memories
 * @asked: how often it has been asked
 */
struct nnv_hidl_memories {
	struct nnb_object object;
	const struct nnb_hidl_memory *memories;
	const int64_t *slots;
	uint32_t count;
	atomic_uint asked;
};

/**
 * struct nnv_hidl_burst - a burst, an object for the runner alone
 * @object: in the place of AIDL's IBurst
 * @callback: a reference
 * @requests: written
 * @results: read
 * @packet: room for a request
 * @context: IBurstContext: with it the thread that answers ends
 * @arena: owns what the queues point to, and @context
 */
struct nnv_hidl_burst {
	struct nnb_object object;
	struct nnv_hidl_memories *callback;
	struct nnv_hidl_queue requests, results;
	struct nnb_hidl_1_2_fmq_request_datum packet[NNV_HIDL_ELEMENTS];
	struct nnb_object *context;
	struct nnb_arena arena;
};

static int nnv_hidl_on_memories(struct nnb_object *object, struct nnb_hidl_call *call,
				const void *in, void *out)
{
	const struct nnb_hidl_1_2_burst_callback_get_memories_in *args = in;
	struct nnb_hidl_1_2_burst_callback_get_memories_out *results = out;
	struct nnv_hidl_memories *self = (struct nnv_hidl_memories *)object;
	struct nnb_hidl_vec *vec = nnb_arena_alloc(call->arena, 1, sizeof(*vec));
	struct nnb_hidl_memory *to = nnb_arena_alloc(call->arena, args->slots->count, sizeof(*to));
	const int32_t *slots = args->slots->data;

	atomic_fetch_add(&self->asked, 1);
	results->buffers = vec;
	vec->data = to;
	for (uint32_t i = 0; i < args->slots->count; i++) {
		uint32_t at = 0;

		while (at < self->count && self->slots[at] != slots[i])
			at++;
		if (at == self->count) {
			results->status = NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT;
			return 0;
		}
		to[i] = self->memories[at];
	}
	vec->count = args->slots->count;
	return 0;
}

static int nnv_hidl_memories_answer(struct nnb_object *object, const struct nnb_caller *caller,
				    const char *descriptor, uint32_t code, struct nnb_hw *in,
				    struct nnb_arena *arena, struct nnb_hw *out)
{
	static const nnb_hidl_handler list[] = {nnv_hidl_on_memories};
	static const struct nnb_hidl_handlers handlers[] = {{&nnb_hidl_1_2_burst_callback, list}};

	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

static void nnv_hidl_memories_release(struct nnb_object *object)
{
	free(object);
}

/* The elements of arguments. */
static uint32_t nnv_hidl_put_arguments(struct nnb_hidl_1_2_fmq_request_datum *to,
				       const struct nnb_aidl_request_argument *from, uint32_t count,
				       uint8_t tag)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		to[at].tag = tag;
		to[at].input_operand_information.has_no_value = from[i].has_no_value;
		to[at].input_operand_information.location.pool_index =
			(uint32_t)from[i].location.pool_index;
		to[at].input_operand_information.location.offset =
			(uint32_t)from[i].location.offset;
		to[at].input_operand_information.location.length =
			(uint32_t)from[i].location.length;
		to[at++].input_operand_information.number_of_dimensions = from[i].dimensions.count;
		for (uint32_t k = 0; k < from[i].dimensions.count; k++) {
			to[at].tag = tag + 1;
			to[at++].input_operand_dimension_value =
				(uint32_t)from[i].dimensions.data[k];
		}
	}
	return at;
}

static uint32_t nnv_hidl_put_request(struct nnb_hidl_1_2_fmq_request_datum *to,
				     const struct nnb_aidl_request *from, const int64_t *slots)
{
	uint32_t at = 1;

	memset(to, 0, sizeof(*to));
	at += nnv_hidl_put_arguments(to + at, from->inputs.data, from->inputs.count,
				     NNB_HIDL_1_2_FMQ_REQUEST_DATUM_INPUT_OPERAND_INFORMATION);
	at += nnv_hidl_put_arguments(to + at, from->outputs.data, from->outputs.count,
				     NNB_HIDL_1_2_FMQ_REQUEST_DATUM_OUTPUT_OPERAND_INFORMATION);
	for (uint32_t i = 0; i < from->pools.count; i++) {
		to[at].tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_POOL_IDENTIFIER;
		to[at++].pool_identifier = (int32_t)slots[i];
	}
	to[at].measure_timing = NNB_HIDL_1_2_MEASURE_TIMING_NO;
	to[at++].tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_MEASURE_TIMING;
	to[0].tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_PACKET_INFORMATION;
	to[0].packet_information.packet_size = at;
	to[0].packet_information.number_of_input_operands = from->inputs.count;
	to[0].packet_information.number_of_output_operands = from->outputs.count;
	to[0].packet_information.number_of_pools = from->pools.count;
	return at;
}

/* Waits for a result. Return: its ErrorStatus. */
static int nnv_hidl_take_result(struct nnv_hidl_queue *results, struct nnb_arena *arena,
				struct nnb_aidl_execution_result *result)
{
	struct nnb_hidl_1_2_fmq_result_datum *from;
	uint32_t at = 1;
	int64_t bytes;

	while (!(bytes = nnb_fmq_readable(&results->open)))
		nnb_fmq_wait(&results->open, NNB_FMQ_NOT_EMPTY, 100);
	if (bytes < 0)
		return (int)bytes;
	from = nnb_arena_alloc(arena, 1, (size_t)bytes);
	nnb_fmq_peek(&results->open, from, (size_t)bytes);
	nnb_fmq_consume(&results->open, (size_t)bytes);
	memset(result, 0, sizeof(*result));
	result->output_sufficient_size = !from[0].packet_information.error_status;
	result->output_shapes.count = from[0].packet_information.number_of_operands;
	result->output_shapes.data = nnb_arena_alloc(arena, result->output_shapes.count,
						     sizeof(*result->output_shapes.data));
	for (uint32_t i = 0; i < result->output_shapes.count; i++) {
		struct nnb_aidl_output_shape *shape = &result->output_shapes.data[i];
		const uint32_t rank = from[at].operand_information.number_of_dimensions;
		int32_t *dims = nnb_arena_alloc(arena, rank, sizeof(*dims));

		shape->is_sufficient = from[at++].operand_information.is_sufficient;
		for (uint32_t k = 0; k < rank; k++)
			dims[k] = (int32_t)from[at++].operand_dimension_value;
		shape->dimensions = (struct nnb_ints){rank, dims};
	}
	if (from[at].tag != NNB_HIDL_1_2_FMQ_RESULT_DATUM_EXECUTION_TIMING ||
	    from[0].packet_information.packet_size != at + 1)
		return -EPROTO;
	return from[0].packet_information.error_status;
}

static void nnv_hidl_burst_release(struct nnb_object *object)
{
	struct nnv_hidl_burst *self = (struct nnv_hidl_burst *)object;

	nnb_arena_fini(&self->arena);
	nnb_object_unref(&self->callback->object);
	nnv_hidl_queue_free(&self->requests);
	nnv_hidl_queue_free(&self->results);
	free(self);
}

/* Return: 0 and a burst, a reference; an ErrorStatus, or a negative errno. */
static int nnv_hidl_burst_create(struct nnb_object *model, const struct nnb_caller *me, bool event,
				 struct nnv_hidl_burst **out)
{
	static const char *const chain[] = {NN(2) "IBurstCallback", NULL};
	static const struct nnb_object_ops memories = {
		.descriptor = NN(2) "IBurstCallback",
		.chain = chain,
		.release = nnv_hidl_memories_release,
		.answer = nnv_hidl_memories_answer,
	};
	static const struct nnb_object_ops ops = {.release = nnv_hidl_burst_release};
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in in;
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_out results;
	struct nnv_hidl_burst *self = calloc(1, sizeof(*self));
	int ret;

	if (!self)
		return -ENOMEM;
	self->callback = calloc(1, sizeof(*self->callback));
	if (!self->callback) {
		free(self);
		return -ENOMEM;
	}
	nnb_object_init(&self->object, &ops);
	nnb_object_init(&self->callback->object, &memories);
	self->results.fd = -1;
	ret = nnv_hidl_queue_make(&self->requests, &self->arena, event, false);
	if (!ret)
		ret = nnv_hidl_queue_make(&self->results, &self->arena, event, true);
	in.callback = &self->callback->object;
	in.request_channel = &self->requests.queue;
	in.result_channel = &self->results.queue;
	if (!ret)
		ret = nnv_hidl_exchange(&nnb_hidl_1_2_prepared_model.methods[2], model, me, &in,
					&self->arena, &results);
	if (ret) {
		nnb_object_unref(&self->object);
		return ret;
	}
	self->context = results.context;
	*out = self;
	return 0;
}

/* Runs a request whose memories have @slots. Return: an ErrorStatus. */
static int nnv_hidl_burst_run(struct nnv_hidl_burst *self, const struct nnb_aidl_request *request,
			      const int64_t *slots, struct nnb_arena *arena,
			      struct nnb_aidl_execution_result *result)
{
	const struct nnb_hidl_1_0_request *sent = nnv_hidl_request(arena, 2, request);
	uint32_t count;
	int ret;

	self->callback->memories = sent->pools.data;
	self->callback->slots = slots;
	self->callback->count = sent->pools.count;
	count = nnv_hidl_put_request(self->packet, request, slots);
	nnb_fmq_write(&self->requests.open, self->packet, count * sizeof(*self->packet));
	ret = nnv_hidl_take_result(&self->results, arena, result);
	return ret == NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE ? 0 : ret;
}

int nnv_hidl_execute_burst(struct nnb_object *model, const struct nnb_caller *me,
			   const struct nnb_aidl_request *request, bool event,
			   struct nnb_arena *arena, struct nnb_aidl_execution_result *result,
			   unsigned int *asked)
{
	int64_t *slots = nnb_arena_alloc(arena, request->pools.count, sizeof(*slots));
	struct nnv_hidl_burst *burst;
	int ret = nnv_hidl_burst_create(model, me, event, &burst);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < request->pools.count; i++)
		slots[i] = i;
	for (int i = 0; i < 2 && !ret; i++)
		ret = nnv_hidl_burst_run(burst, request, slots, arena, result);
	/* What the service has given up it has to ask for again. */
	for (uint32_t i = 0; i < request->pools.count && !ret; i++)
		ret = nnb_hidl_call(burst->context, me, &nnb_hidl_1_2_burst_context.methods[0],
				    &(struct nnb_hidl_1_2_burst_context_free_memory_in){(int32_t)i},
				    arena, NULL);
	if (!ret)
		ret = nnv_hidl_burst_run(burst, request, slots, arena, result);
	*asked = atomic_load(&burst->callback->asked);
	nnb_object_unref(&burst->object);
	return ret;
}

/* What AIDL's bursts have, for programs of both HALs. */
static int nnv_hidl_configure(struct nnb_object *model, const struct nnb_caller *me,
			      struct nnb_arena *arena,
			      struct nnb_aidl_prepared_model_configure_execution_burst_out *out)
{
	struct nnv_hidl_burst *burst;
	int ret = nnv_hidl_burst_create(model, me, true, &burst);

	if (ret)
		return ret;
	out->result = &burst->object;
	return nnb_arena_own_object(arena, out->result);
}

static int nnv_hidl_type(struct nnb_object *object, const struct nnb_caller *me,
			 struct nnb_arena *arena, struct nnb_aidl_device_get_type_out *out)
{
	struct nnb_hidl_1_2_device_get_type_out results;
	int ret = nnv_hidl_exchange(&nnb_hidl_1_2_device.methods[1], object, me, NULL, arena,
				    &results);

	out->result = results.type;
	return ret;
}

int nnv_hidl_call(int version, struct nnb_object *object, const struct nnb_caller *me,
		  const struct nnb_aidl_interface *interface, uint32_t code, const void *in,
		  struct nnb_arena *arena, void *out)
{
	if (interface == &nnb_aidl_device && code == NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS)
		return nnv_hidl_supported(version, object, me, in, arena, out);
	if (interface == &nnb_aidl_device && code == NNB_AIDL_DEVICE_PREPARE_MODEL)
		return nnv_hidl_prepare(version, object, me, in, arena);
	if (interface == &nnb_aidl_device && code == NNB_AIDL_DEVICE_ALLOCATE)
		return nnv_hidl_allocate(object, me, in, arena, out);
	if (interface == &nnb_aidl_prepared_model &&
	    code == NNB_AIDL_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY)
		return nnv_hidl_execute(version, object, me, in, arena, out);
	if (interface == &nnb_aidl_prepared_model && code == NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED)
		return nnv_hidl_fenced(object, me, in, arena, out);
	if (interface == &nnb_aidl_prepared_model &&
	    code == NNB_AIDL_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST)
		return nnv_hidl_configure(object, me, arena, out);
	if (interface == &nnb_aidl_burst && code == NNB_AIDL_BURST_EXECUTE_SYNCHRONOUSLY) {
		const struct nnb_aidl_burst_execute_synchronously_in *args = in;

		return nnv_hidl_burst_run((struct nnv_hidl_burst *)object, &args->request,
					  args->memory_identifier_tokens.data, arena, out);
	}
	if (interface == &nnb_aidl_device && code == NNB_AIDL_DEVICE_GET_TYPE)
		return nnv_hidl_type(object, me, arena, out);
	if (interface == &nnb_aidl_fenced_execution_callback)
		return nnv_hidl_info(object, me, arena, out);
	if (interface == &nnb_aidl_buffer)
		return nnv_hidl_copy(object, me, code == NNB_AIDL_BUFFER_COPY_FROM, in, arena);
	return -ENOSYS;
}
