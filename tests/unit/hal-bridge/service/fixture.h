/* SPDX-License-Identifier: MIT */
/*
 * A service on the loopback, and a client that calls it through parcels in memory.
 *
 * The model that tests vary: in[2, 2] -> ADD (a constant of a pool) -> tmp -> MUL (a constant that
 * is sent along) -> out, all float32: out = (in + {1, 2, 3, 4}) * {10, 10, 10, 10}.
 */
#ifndef TEST_HAL_FIXTURE_H
#define TEST_HAL_FIXTURE_H

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/service.h"

#define HAL_INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define HAL_FAILURE NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE
#define HAL_UNAVAILABLE NNB_AIDL_ERROR_STATUS_DEVICE_UNAVAILABLE
#define HAL_LATE NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT
#define HAL_EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

static const struct nnb_caller hal_me = {.euid = 1000, .pid = 1};

/* Return: the first IDevice of a service. */
static inline struct nnb_object *hal_dev(struct nnb_service *service)
{
	return &service->devices[0].object;
}

/* ------------------------------------------------------------------------------------- callback */

/**
 * struct hal_callback - a client's IPreparedModelCallback
 * @object: the callback's
 * @lock: of what follows
 * @changed: it was told
 * @told: how often
 * @status: what it was told
 * @model: what it was told, a reference
 */
struct hal_callback {
	struct nnb_object object;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int told;
	int status;
	struct nnb_object *model;
};

static int hal_on_notify(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			 void *out)
{
	const struct nnb_aidl_prepared_model_callback_notify_in *args = in;
	struct hal_callback *callback = (struct hal_callback *)object;

	pthread_mutex_lock(&callback->lock);
	callback->told++;
	callback->status = args->status;
	nnb_object_unref(callback->model);
	callback->model = args->prepared_model ? nnb_object_ref(args->prepared_model) : NULL;
	pthread_cond_broadcast(&callback->changed);
	pthread_mutex_unlock(&callback->lock);
	return 0;
}

static int hal_callback_transact(struct nnb_object *object, const struct nnb_caller *caller,
				 uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
				 struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = {hal_on_notify};

	return nnb_aidl_answer(object, &nnb_aidl_prepared_model_callback, NNB_AIDL_VERSION,
			       handlers, caller, code, in, arena, out);
}

static void hal_callback_release(struct nnb_object *object)
{
	struct hal_callback *callback = (struct hal_callback *)object;

	nnb_object_unref(callback->model);
	pthread_cond_destroy(&callback->changed);
	pthread_mutex_destroy(&callback->lock);
	free(callback);
}

static inline struct hal_callback *hal_callback_new(void)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks.IPreparedModelCallback",
		.release = hal_callback_release,
		.transact = hal_callback_transact,
	};
	struct hal_callback *callback = calloc(1, sizeof(*callback));

	assert_non_null(callback);
	nnb_object_init(&callback->object, &ops);
	pthread_mutex_init(&callback->lock, NULL);
	pthread_cond_init(&callback->changed, NULL);
	return callback;
}

/* -------------------------------------------------------------------------------------- process */

/**
 * struct hal_process - an object of a client's process, whose death the test reports
 * @object: the object
 * @death: who watches it
 */
struct hal_process {
	struct nnb_object object;
	struct nnb_death *death;
};

static inline int hal_process_watch(struct nnb_object *object, struct nnb_death *death)
{
	((struct hal_process *)object)->death = death;
	return 0;
}

static inline void hal_process_unwatch(struct nnb_object *object, struct nnb_death *death)
{
	((struct hal_process *)object)->death = NULL;
}

static inline void hal_process_release(struct nnb_object *object)
{
}

/* Lets the service watch the process. Return: the client that it is, a reference. */
static inline struct nnb_client *hal_process_begin(struct hal_process *process,
						   struct nnb_service *service,
						   const struct nnb_caller *caller)
{
	static const struct nnb_object_ops ops = {
		.release = hal_process_release,
		.watch = hal_process_watch,
		.unwatch = hal_process_unwatch,
	};
	struct nnb_client *client;

	memset(process, 0, sizeof(*process));
	nnb_object_init(&process->object, &ops);
	assert_int_equal(nnb_client_get(service->devices, caller, &client), 0);
	nnb_client_watch(client, &process->object);
	assert_non_null(process->death);
	return client;
}

static inline void hal_process_kill(struct hal_process *process)
{
	process->death->died(process->death);
}

/* ---------------------------------------------------------------------------------------- model */

enum { HAL_IN, HAL_POOLED, HAL_ACT, HAL_TMP, HAL_COPIED, HAL_OUT, HAL_OPERANDS };

/**
 * struct hal_model - the model, with all that it points to
 * @model: what is sent
 */
struct hal_model {
	struct nnb_aidl_model model;
	struct nnb_aidl_operand operands[HAL_OPERANDS];
	struct nnb_aidl_operation operations[2];
	struct nnb_aidl_memory pool;
	int32_t dims[2], add[3], mul[3], tmp, in, out;
	uint8_t values[24];
	struct nnb_aidl_subgraph referenced[2];
	struct nnb_aidl_operand_extra_params extra;
	struct nnb_aidl_extension_name_and_prefix extensions[2];
};

static inline int hal_memfd(size_t size, bool sealed)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	if (sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	return fd;
}

static inline void hal_memory(struct nnb_aidl_memory *memory, int fd, size_t size)
{
	*memory = (struct nnb_aidl_memory){.tag = NNB_AIDL_MEMORY_MAPPABLE_FILE};
	memory->mappable_file.length = (int64_t)size;
	memory->mappable_file.prot = PROT_READ | PROT_WRITE;
	memory->mappable_file.fd = fd;
}

static inline void hal_model_init(struct hal_model *m)
{
	static const float pooled[] = {1, 2, 3, 4}, copied[] = {10, 10, 10, 10};
	int fd = hal_memfd(64, false);

	memset(m, 0, sizeof(*m));
	m->dims[0] = 2;
	m->dims[1] = 2;
	for (int i = 0; i < HAL_OPERANDS; i++) {
		m->operands[i].type = NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32;
		m->operands[i].dimensions = (struct nnb_ints){2, m->dims};
	}
	m->operands[HAL_IN].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT;
	m->operands[HAL_OUT].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	m->operands[HAL_POOLED].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL;
	m->operands[HAL_POOLED].location.offset = 16;
	m->operands[HAL_POOLED].location.length = 16;
	m->operands[HAL_ACT].type = NNB_AIDL_OPERAND_TYPE_INT32;
	m->operands[HAL_ACT].dimensions.count = 0;
	m->operands[HAL_ACT].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY;
	m->operands[HAL_ACT].location.length = 4;
	m->operands[HAL_COPIED].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY;
	m->operands[HAL_COPIED].location.offset = 8;
	m->operands[HAL_COPIED].location.length = 16;
	memcpy(m->values + 8, copied, sizeof(copied));
	assert_int_equal(pwrite(fd, pooled, sizeof(pooled), 16), sizeof(pooled));
	hal_memory(&m->pool, fd, 64);
	m->add[0] = HAL_IN;
	m->add[1] = HAL_POOLED;
	m->add[2] = HAL_ACT;
	m->mul[0] = HAL_TMP;
	m->mul[1] = HAL_COPIED;
	m->mul[2] = HAL_ACT;
	m->tmp = HAL_TMP;
	m->in = HAL_IN;
	m->out = HAL_OUT;
	m->operations[0].type = NNB_AIDL_OPERATION_TYPE_ADD;
	m->operations[0].inputs = (struct nnb_ints){3, m->add};
	m->operations[0].outputs = (struct nnb_ints){1, &m->tmp};
	m->operations[1].type = NNB_AIDL_OPERATION_TYPE_MUL;
	m->operations[1].inputs = (struct nnb_ints){3, m->mul};
	m->operations[1].outputs = (struct nnb_ints){1, &m->out};
	m->model.main.operands.count = HAL_OPERANDS;
	m->model.main.operands.data = m->operands;
	m->model.main.operations.count = 2;
	m->model.main.operations.data = m->operations;
	m->model.main.input_indexes = (struct nnb_ints){1, &m->in};
	m->model.main.output_indexes = (struct nnb_ints){1, &m->out};
	m->model.operand_values = (struct nnb_bytes){sizeof(m->values), m->values};
	m->model.pools.count = 1;
	m->model.pools.data = &m->pool;
	m->model.referenced.data = m->referenced;
	m->model.extension_name_to_prefix.data = m->extensions;
}

/* Makes the activation a second input, which is a parameter of both operations. */
static inline void hal_model_open_activation(struct hal_model *m)
{
	static const int32_t inputs[] = {HAL_IN, HAL_ACT};

	m->operands[HAL_ACT].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT;
	m->operands[HAL_ACT].location = (struct nnb_aidl_data_location){0};
	m->model.main.input_indexes = (struct nnb_ints){2, inputs};
}

static inline void hal_model_fini(struct hal_model *m)
{
	close(m->pool.mappable_file.fd);
}

/* ---------------------------------------------------------------------------------------- calls */

#ifndef HAL_CALL /* tests/hal/client.h has its own */
#define HAL_CALL(object, caller, interface, method, in, arena, out)                                \
	nnb_aidl_call(object, caller, &nnb_aidl_##interface.methods[(method)-1], in, arena, out)
#endif

/* getSupportedOperations(): the status; *@count is how many are supported. */
static inline int hal_supported(struct nnb_service *service, const struct hal_model *m,
				uint32_t *count)
{
	struct nnb_aidl_device_get_supported_operations_in in = {m->model};
	struct nnb_aidl_device_get_supported_operations_out out = {0};
	struct nnb_arena arena = {0};
	int ret = HAL_CALL(hal_dev(service), &hal_me, device,
			   NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS, &in, &arena, &out);

	*count = 0;
	for (uint32_t i = 0; i < out.result.count; i++)
		*count += out.result.data[i];
	nnb_arena_fini(&arena);
	return ret;
}

/*
 * The end of a call that has a callback and returned @ret: the status that the callback was told,
 * which is told once. *@model is a reference, or NULL.
 */
static inline int hal_told(struct nnb_service *service, struct hal_callback *callback, int ret,
			   struct nnb_object **model)
{
	int status;

	pthread_mutex_lock(&callback->lock);
	while (!callback->told)
		pthread_cond_wait(&callback->changed, &callback->lock);
	status = callback->status;
	pthread_mutex_unlock(&callback->lock);
	nnb_workers_drain(&service->workers);
	assert_int_equal(callback->told, 1);
	assert_int_equal(!status, !!callback->model);
	/* An error of the call is the callback's, too. */
	if (ret)
		assert_int_equal(ret, status);
	*model = callback->model;
	callback->model = NULL;
	nnb_object_unref(&callback->object);
	return status;
}

/* prepareModel() by @caller, and its end. */
static inline int hal_prepare(struct nnb_service *service, const struct nnb_caller *caller,
			      const struct nnb_aidl_device_prepare_model_in *from,
			      struct nnb_object **model)
{
	struct nnb_aidl_device_prepare_model_in in = *from;
	struct hal_callback *callback = hal_callback_new();
	struct nnb_arena arena = {0};
	int ret;

	in.callback = &callback->object;
	ret = HAL_CALL(hal_dev(service), caller, device, NNB_AIDL_DEVICE_PREPARE_MODEL, &in, &arena,
		       NULL);
	nnb_arena_fini(&arena);
	return hal_told(service, callback, ret, model);
}

static inline struct nnb_aidl_device_prepare_model_in hal_prepare_in(const struct hal_model *m)
{
	return (struct nnb_aidl_device_prepare_model_in){
		.model = m->model,
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_FAST_SINGLE_ANSWER,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline_ns = -1,
	};
}

/* The model, prepared for @caller. */
static inline struct nnb_object *hal_prepared(struct nnb_service *service,
					      const struct nnb_caller *caller)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(service, caller, &in, &model), 0);
	hal_model_fini(&m);
	return model;
}

/**
 * struct hal_request - a request for the model: in at 0, out at 64 of one memory
 * @request: what is sent
 * @fd: of the memory, 128 bytes
 */
struct hal_request {
	struct nnb_aidl_request request;
	struct nnb_aidl_request_argument in, out;
	struct nnb_aidl_request_memory_pool pool;
	int fd;
};

static inline void hal_request_init(struct hal_request *r, bool sealed)
{
	static const float in[] = {0, 1, 2, 3};

	memset(r, 0, sizeof(*r));
	r->fd = hal_memfd(128, sealed);
	assert_int_equal(pwrite(r->fd, in, sizeof(in), 0), sizeof(in));
	hal_memory(&r->pool.pool, r->fd, 128);
	r->in.location.length = 16;
	r->out.location.offset = 64;
	r->out.location.length = 16;
	r->request.inputs.count = 1;
	r->request.inputs.data = &r->in;
	r->request.outputs.count = 1;
	r->request.outputs.data = &r->out;
	r->request.pools.count = 1;
	r->request.pools.data = &r->pool;
}

/* Whether the output is there. */
static inline bool hal_request_done(const struct hal_request *r)
{
	static const float expected[] = {10, 30, 50, 70};
	float out[4];

	return pread(r->fd, out, sizeof(out), 64) == sizeof(out) &&
	       !memcmp(out, expected, sizeof(out));
}

static inline void hal_request_fini(struct hal_request *r)
{
	close(r->fd);
}

/* executeSynchronously() with these times. */
static inline int hal_execute_with(struct nnb_object *model, const struct hal_request *r,
				   int64_t deadline_ns, int64_t loop_ns)
{
	struct nnb_aidl_prepared_model_execute_synchronously_in in = {
		.request = r->request,
		.deadline_ns = deadline_ns,
		.loop_timeout_duration_ns = loop_ns,
	};
	struct nnb_aidl_prepared_model_execute_synchronously_out out;
	struct nnb_arena arena = {0};
	int ret = HAL_CALL(model, &hal_me, prepared_model,
			   NNB_AIDL_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY, &in, &arena, &out);

	nnb_arena_fini(&arena);
	return ret;
}

static inline int hal_execute(struct nnb_object *model, const struct hal_request *r)
{
	return hal_execute_with(model, r, -1, -1);
}

static inline struct nnb_object *hal_burst(struct nnb_object *model)
{
	struct nnb_aidl_prepared_model_configure_execution_burst_out made = {0};
	struct nnb_arena arena = {0};

	if (!HAL_CALL(model, &hal_me, prepared_model,
		      NNB_AIDL_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST, NULL, &arena, &made))
		nnb_object_ref(made.result);
	else
		made.result = NULL;
	nnb_arena_fini(&arena);
	return made.result;
}

/* A burst that keeps the request's memory by the token. */
static inline int hal_execute_burst(struct nnb_object *burst, const struct hal_request *r,
				int64_t token)
{
	struct nnb_aidl_burst_execute_synchronously_in in = {
		.request = r->request,
		.memory_identifier_tokens = {1, &token},
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_burst_execute_synchronously_out out;
	struct nnb_arena arena = {0};
	int ret = HAL_CALL(burst, &hal_me, burst, NNB_AIDL_BURST_EXECUTE_SYNCHRONOUSLY, &in, &arena,
			   &out);

	nnb_arena_fini(&arena);
	return ret;
}

/* -------------------------------------------------------------------------------------- service */

static inline struct nnb_service *hal_service(int version, const struct nnb_quota *quota)
{
	struct nnb_service_options options = {
		.device = "loopback",
		.version = version,
		.workers = 2,
	};
	struct nnb_service *service;

	if (quota)
		options.quota = *quota;
	assert_int_equal(nnb_service_create(&options, &service), 0);
	return service;
}

static inline int hal_setup(void **state)
{
	*state = hal_service(NNB_AIDL_VERSION, NULL);
	return 0;
}

/* Nothing of any client is left. */
static inline int hal_teardown(void **state)
{
	struct nnb_service *service = *state;
	uint32_t clients = nnb_service_count_clients(service);

	nnb_service_destroy(service);
	return clients ? -1 : 0;
}

#endif
