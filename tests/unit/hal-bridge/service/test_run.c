// SPDX-License-Identifier: MIT
/* Requests: those that run, in all kinds of memory, and those that are refused or fail. */
#include <errno.h>
#include <sched.h>

#include "hal-bridge/service/prepared_model.h"
#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"
#include "tests/unit/hal-bridge/service/fixture.h"

static void runs(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct hal_request r;

	for (int sealed = 0; sealed < 2; sealed++) {
		hal_request_init(&r, sealed);
		assert_int_equal(hal_execute(model, &r), 0);
		assert_true(hal_request_done(&r));
		hal_request_fini(&r);
	}
	nnb_object_unref(model);
}

#define MUTATIONS(X)                                                                               \
	X(no_inputs, r->request.inputs.count = 0)                                                  \
	X(no_outputs, r->request.outputs.count = 0)                                                \
	X(no_pools, r->request.pools.count = 0)                                                    \
	X(pool, r->in.location.pool_index = 1)                                                     \
	X(pool_negative, r->out.location.pool_index = -1)                                          \
	X(offset_negative, r->in.location.offset = -4)                                             \
	X(offset, r->in.location.offset = 113)                                                     \
	X(offset_overflow, r->in.location.offset = INT64_MAX)                                      \
	X(length_negative, r->in.location.length = -16)                                            \
	X(length_short, r->in.location.length = 12)                                                \
	X(length_long, r->in.location.length = 20)                                                 \
	X(padding, r->in.location.padding = 113)                                                   \
	X(padding_negative, r->out.location.padding = -1)                                          \
	X(output_offset, r->out.location.offset = 120)                                             \
	X(rank, {                                                                                  \
		static const int32_t dims[] = {2, 2, 1};                                           \
		r->in.dimensions = (struct nnb_ints){3, dims};                                     \
	})                                                                                         \
	X(dimension, {                                                                             \
		static const int32_t dims[] = {2, 3};                                              \
		r->in.dimensions = (struct nnb_ints){2, dims};                                     \
	})                                                                                         \
	X(output_dimension, {                                                                      \
		static const int32_t dims[] = {4, 1};                                              \
		r->out.dimensions = (struct nnb_ints){2, dims};                                    \
	})                                                                                         \
	X(no_value_with_place, r->in.has_no_value = true)                                          \
	X(token, {                                                                                 \
		r->pool.tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;                                  \
		r->pool.token = 1;                                                                 \
	})                                                                                         \
	X(token_negative, {                                                                        \
		r->pool.tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;                                  \
		r->pool.token = -1;                                                                \
	})                                                                                         \
	X(memory_size, r->pool.pool.mappable_file.length = 129)                                    \
	X(memory_unreadable, r->pool.pool.mappable_file.prot = PROT_WRITE)                         \
	X(memory_unwritable, r->pool.pool.mappable_file.prot = PROT_READ)                          \
	X(memory_truncated, assert_int_equal(ftruncate(r->fd, 64), 0))                             \
	X(hardware_buffer, {                                                                       \
		r->pool.pool.tag = NNB_AIDL_MEMORY_HARDWARE_BUFFER;                                \
		memset(&r->pool.pool.hardware_buffer, 0, sizeof(r->pool.pool.hardware_buffer));    \
	})

#define MUTATION(name, ...)                                                                        \
	static void mutate_##name(struct hal_request *r)                                           \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
MUTATIONS(MUTATION)

#define ENTRY(name, ...) {#name, mutate_##name},
static const struct {
	const char *name;
	void (*mutate)(struct hal_request *r);
} mutations[] = {MUTATIONS(ENTRY)};

static void refused(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);

	for (size_t i = 0; i < sizeof(mutations) / sizeof(mutations[0]); i++) {
		struct hal_request r;
		int ret;

		hal_request_init(&r, false);
		mutations[i].mutate(&r);
		ret = hal_execute(model, &r);
		if (ret != HAL_INVALID)
			fail_msg("%s: %d", mutations[i].name, ret);
		hal_request_fini(&r);
	}
	nnb_object_unref(model);
}

static void times(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct hal_request r;

	hal_request_init(&r, true);
	assert_int_equal(hal_execute_with(model, &r, -2, -1), HAL_INVALID);
	assert_int_equal(hal_execute_with(model, &r, 1, -1), HAL_LATE);
	assert_int_equal(hal_execute_with(model, &r, 0, -1), HAL_LATE);
	assert_int_equal(hal_execute_with(model, &r, INT64_MAX, -1), 0);
	assert_int_equal(hal_execute_with(model, &r, -1, -2), HAL_INVALID);
	assert_int_equal(hal_execute_with(model, &r, -1, INT64_C(15000000001)), HAL_INVALID);
	assert_int_equal(hal_execute_with(model, &r, -1, INT64_C(15000000000)), 0);
	assert_int_equal(hal_execute_with(model, &r, -1, 0), 0);
	hal_request_fini(&r);
	nnb_object_unref(model);
}

/* An output that does not fit is a result, not an error. */
static void too_small(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct nnb_aidl_prepared_model_execute_synchronously_in in = {
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.measure_timing = true,
	};
	struct nnb_aidl_prepared_model_execute_synchronously_out out;
	struct nnb_arena arena = {0};
	struct hal_request r;

	hal_request_init(&r, true);
	in.request = r.request;
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 1, &in, &arena, &out), 0);
	assert_true(out.result.output_sufficient_size);
	assert_int_equal(out.result.output_shapes.count, 1);
	assert_true(out.result.output_shapes.data[0].is_sufficient);
	assert_int_equal(out.result.output_shapes.data[0].dimensions.count, 2);
	assert_int_equal(out.result.output_shapes.data[0].dimensions.data[1], 2);
	assert_true(out.result.timing.time_in_driver_ns >= out.result.timing.time_on_device_ns);
	assert_true(out.result.timing.time_on_device_ns >= 0);
	r.out.location.length = 8;
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 1, &in, &arena, &out), 0);
	assert_false(out.result.output_sufficient_size);
	assert_false(out.result.output_shapes.data[0].is_sufficient);
	assert_int_equal(out.result.timing.time_on_device_ns, -1);
	nnb_arena_fini(&arena);
	hal_request_fini(&r);
	nnb_object_unref(model);
}

/* A burst keeps memory: what is sent under a token that it knows is not looked at again. */
static void burst(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct nnb_aidl_prepared_model_configure_execution_burst_out made;
	const int64_t token = 5, bad = -2;
	struct nnb_aidl_burst_execute_synchronously_in in = {
		.memory_identifier_tokens = {1, &token},
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_burst_execute_synchronously_out out;
	struct nnb_aidl_burst_release_memory_resource_in release = {token};
	struct nnb_arena arena = {0};
	struct hal_request r;
	float zeros[4] = {0};

	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model,
				  NNB_AIDL_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST, NULL, &arena,
				  &made),
			 0);
	hal_request_init(&r, false);
	in.request = r.request;
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), 0);
	assert_true(hal_request_done(&r));
	assert_int_equal(pwrite(r.fd, zeros, sizeof(zeros), 64), sizeof(zeros));
	r.pool.pool.mappable_file.prot = 0;
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), 0);
	assert_true(hal_request_done(&r));
	/* What is kept may still be cut: that is an error, and nobody's death. */
	assert_int_equal(ftruncate(r.fd, 8), 0);
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), HAL_FAILURE);
	assert_int_equal(ftruncate(r.fd, 128), 0);
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 2, &release, &arena, NULL), 0);
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 2, &release, &arena, NULL), 0);
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), HAL_INVALID);
	in.memory_identifier_tokens.data = &bad;
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), HAL_INVALID);
	in.memory_identifier_tokens.count = 0;
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 1, &in, &arena, &out), HAL_INVALID);
	release.memory_identifier_token = -1;
	assert_int_equal(HAL_CALL(made.result, &hal_me, burst, 2, &release, &arena, NULL),
			 HAL_INVALID);
	/* The burst outlives the client's reference to its model. */
	nnb_object_unref(model);
	hal_request_fini(&r);
	nnb_arena_fini(&arena);
}

static void fenced(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.measure_timing = true,
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out info;
	struct nnb_arena arena = {0};
	struct hal_request r;
	int pipes[2];
	char byte;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	hal_request_init(&r, true);
	in.request = r.request;
	in.wait_for = (struct nnb_fds){1, &pipes[0]};
	/* On the loopback what polls readable is a fence that has signalled. */
	assert_int_equal(write(pipes[1], "", 1), 1);
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 2, &in, &arena, &out), 0);
	assert_int_equal(out.result.sync_fence, -1);
	assert_true(hal_request_done(&r));
	assert_int_equal(HAL_CALL(out.result.callback, &hal_me, fenced_execution_callback, 1, NULL,
				  &arena, &info),
			 0);
	assert_int_equal(info.result, 0);
	assert_true(info.timing_launched.time_in_driver_ns >= info.timing_fenced.time_in_driver_ns);
	assert_true(info.timing_fenced.time_on_device_ns >= 0);
	in.duration_ns = -2;
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 2, &in, &arena, &out),
			 HAL_INVALID);
	in.duration_ns = -1;
	/* A fence that has failed already: nobody can signal it any more. */
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	close(pipes[1]);
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 2, &in, &arena, &out),
			 HAL_INVALID);
	close(pipes[0]);
	/* A file polls readable, too, but its file system might not answer. */
	in.wait_for.data = &r.fd;
	assert_int_equal(HAL_CALL(model, &hal_me, prepared_model, 2, &in, &arena, &out),
			 HAL_INVALID);
	nnb_arena_fini(&arena);
	hal_request_fini(&r);
	nnb_object_unref(model);
}

/**
 * struct waiting - a fenced execution in a thread of its own
 * @model: what runs
 * @caller: for whom
 * @request: the request
 * @fence: what never signals
 * @status: what the call has returned
 */
struct waiting {
	struct nnb_object *model;
	struct nnb_caller caller;
	struct hal_request request;
	int fence;
	int status;
};

static void *execute_fenced(void *arg)
{
	struct waiting *w = arg;
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.request = w->request.request,
		.wait_for = {1, &w->fence},
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_arena arena = {0};

	w->status = HAL_CALL(w->model, &w->caller, prepared_model, 2, &in, &arena, &out);
	nnb_arena_fini(&arena);
	return NULL;
}

static bool has_runs(struct nnb_client *client)
{
	bool any;

	pthread_mutex_lock(&client->runs_lock);
	any = client->runs;
	pthread_mutex_unlock(&client->runs_lock);
	return any;
}

/* What a dead client's execution waits for never comes: it ends all the same, and none begins. */
static void dead_client(void **state)
{
	struct waiting w = {.caller = {.euid = 1000, .pid = 2}};
	struct nnb_client *client;
	struct hal_process process;
	pthread_t thread;
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	w.fence = pipes[0];
	w.model = hal_prepared(*state, &w.caller);
	hal_request_init(&w.request, true);
	client = hal_process_begin(&process, *state, &w.caller);
	assert_int_equal(pthread_create(&thread, NULL, execute_fenced, &w), 0);
	while (!has_runs(client))
		sched_yield();
	hal_process_kill(&process);
	pthread_join(thread, NULL);
	assert_int_not_equal(w.status, 0);
	assert_false(hal_request_done(&w.request));
	assert_false(has_runs(client));
	assert_int_not_equal(hal_execute(w.model, &w.request), 0);
	assert_false(hal_request_done(&w.request));
	nnb_client_put(client);
	nnb_object_unref(w.model);
	hal_request_fini(&w.request);
	close(pipes[0]);
	close(pipes[1]);
}

/* createReusableExecution(): the status, and an execution that the arena keeps. */
static int create_execution(struct nnb_object *model, const struct hal_request *r,
			    struct nnb_arena *arena, struct nnb_object **out)
{
	struct nnb_aidl_prepared_model_create_reusable_execution_in in = {
		.request = r->request,
		.config.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_create_reusable_execution_out made;
	int ret = HAL_CALL(model, &hal_me, prepared_model,
			   NNB_AIDL_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, &in, arena, &made);

	*out = ret ? NULL : made.result;
	return ret;
}

static struct nnb_object *prepare_parameter(struct nnb_service *service)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;

	hal_model_init(&m);
	hal_model_open_activation(&m);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(service, &hal_me, &in, &model), 0);
	hal_model_fini(&m);
	return model;
}

/*
 * What the service itself waits for is not waited for without end, whatever the reason: inputs or
 * outputs that are copied, parameters, an execution that is reused, a device without sync_files.
 */
static void fence_without_end(void **state)
{
	struct nnb_service *service = hal_service(NNB_AIDL_VERSION, NULL);
	struct nnb_object *models[] = {hal_prepared(service, &hal_me), prepare_parameter(service)};
	const struct nnb_quota *used = &service->users->used;
	int pipes[2];

	service->options.fence_ns = 20000000;
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	for (int way = 0; way < 12; way++) {
		const bool sealed = way & 1, parameter = way >= 6;
		struct nnb_object *model = models[parameter], *execution = NULL;
		struct nnb_aidl_prepared_model_execute_fenced_in in = {
			.wait_for = {1, &pipes[0]},
			.deadline_ns = way % 6 >= 4 ? INT64_MAX : -1,
			.loop_timeout_duration_ns = -1,
			.duration_ns = -1,
		};
		struct nnb_aidl_prepared_model_execute_fenced_out out;
		const struct nnb_aidl_execution_execute_fenced_in reused = {
			.wait_for = in.wait_for,
			.deadline_ns = in.deadline_ns,
			.duration_ns = -1,
		};
		struct nnb_aidl_execution_execute_fenced_out reused_out;
		struct nnb_aidl_request_argument inputs[2];
		struct nnb_arena arena = {0};
		struct hal_request r;

		hal_request_init(&r, sealed);
		inputs[0] = r.in;
		inputs[1] = (struct nnb_aidl_request_argument){.location = {0, 32, 4, 0}};
		r.request.inputs.data = inputs;
		r.request.inputs.count = parameter ? 2 : 1;
		in.request = r.request;
		if (way % 6 >= 2 && way % 6 < 4) {
			assert_int_equal(create_execution(model, &r, &arena, &execution), 0);
			assert_int_equal(HAL_CALL(execution, &hal_me, execution,
						  NNB_AIDL_EXECUTION_EXECUTE_FENCED, &reused,
						  &arena, &reused_out),
					 HAL_EXHAUSTED);
		} else {
			assert_int_equal(HAL_CALL(model, &hal_me, prepared_model,
						  NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in,
						  &arena, &out),
					 HAL_EXHAUSTED);
		}
		nnb_arena_fini(&arena);
		assert_int_equal(used->jobs, 0);
		assert_false(has_runs(service->clients));
		assert_false(hal_request_done(&r));
		assert_int_equal(hal_execute(model, &r), 0);
		assert_true(hal_request_done(&r));
		hal_request_fini(&r);
	}
	close(pipes[0]);
	close(pipes[1]);
	nnb_object_unref(models[0]);
	nnb_object_unref(models[1]);
	nnb_service_destroy(service);
}

/* The number of a process that has died may be another's before all that the first had is gone. */
static void pid_of_a_dead_client(void **state)
{
	struct nnb_service *service = *state;
	struct hal_process process;
	struct nnb_client *dead = hal_process_begin(&process, service, &hal_me), *next;
	struct nnb_object *model;
	struct hal_request r;

	hal_request_init(&r, true);
	hal_process_kill(&process);
	assert_int_equal(nnb_client_get(service->devices, &hal_me, &next), 0);
	assert_ptr_not_equal(next, dead);
	nnb_client_put(next);
	model = hal_prepared(service, &hal_me);
	assert_int_equal(hal_execute(model, &r), 0);
	assert_true(hal_request_done(&r));
	assert_int_equal(nnb_service_count_clients(service), 2);
	nnb_object_unref(model);
	nnb_client_put(dead);
	hal_request_fini(&r);
}

/*
 * What a client makes the service keep counts against its uid until it is given back: descriptors
 * are everybody's, and each memory may need one.
 */
static void quota_of_objects(void **state)
{
	const struct nnb_quota quota = {.objects = 4};
	struct nnb_service *service = hal_service(NNB_AIDL_VERSION, &quota);
	const struct nnb_quota *used;
	struct nnb_object *model = hal_prepared(service, &hal_me), *execution, *one, *two;
	struct nnb_aidl_burst_release_memory_resource_in release = {1};
	struct nnb_arena arena = {0}, other = {0};
	struct hal_request r;

	used = &service->users->used;
	hal_request_init(&r, false);
	one = hal_burst(model);
	assert_non_null(one);
	assert_int_equal(used->objects, 1);
	assert_int_equal(hal_execute_burst(one, &r, 1), 0);
	assert_int_equal(hal_execute_burst(one, &r, 1), 0);
	assert_int_equal(used->objects, 2);
	/* The execution and its memory. */
	assert_int_equal(create_execution(model, &r, &arena, &execution), 0);
	assert_int_equal(used->objects, 4);
	assert_null(hal_burst(model));
	assert_int_equal(create_execution(model, &r, &other, &execution), HAL_EXHAUSTED);
	/* A burst without room for a memory works all the same. */
	assert_int_equal(hal_execute_burst(one, &r, 2), 0);
	assert_true(hal_request_done(&r));
	assert_int_equal(used->objects, 4);
	assert_int_equal(HAL_CALL(one, &hal_me, burst, NNB_AIDL_BURST_RELEASE_MEMORY_RESOURCE,
				  &release, &other, NULL),
			 0);
	assert_int_equal(used->objects, 3);
	assert_int_equal(create_execution(model, &r, &other, &execution), HAL_EXHAUSTED);
	two = hal_burst(model);
	assert_non_null(two);
	nnb_arena_fini(&arena);
	assert_int_equal(used->objects, 2);
	assert_int_equal(hal_execute_burst(one, &r, 1), 0);
	nnb_object_unref(one);
	assert_int_equal(used->objects, 1);
	nnb_object_unref(two);
	assert_int_equal(used->objects, 0);
	nnb_arena_fini(&other);
	hal_request_fini(&r);
	nnb_object_unref(model);
	assert_int_equal(nnb_service_count_clients(service), 0);
	nnb_service_destroy(service);
}

/* Copies of inputs and outputs that cannot be shared are the client's bytes. */
static void quota_of_copies(void **state)
{
	struct nnb_service *service = hal_service(NNB_AIDL_VERSION, NULL);
	struct nnb_object *model = hal_prepared(service, &hal_me), *execution;
	const struct nnb_quota *used = &service->users->used;
	struct nnb_arena arena = {0};
	struct hal_request r;
	uint64_t before, tables;

	service->clients->device->spares.after_ns = UINT64_MAX / 2;
	hal_request_init(&r, false);
	assert_int_equal(hal_execute(model, &r), 0);
	before = used->bytes;
	assert_int_equal(hal_execute(model, &r), 0);
	assert_int_equal(used->bytes, before);
	assert_int_equal(create_execution(model, &r, &arena, &execution), 0);
	tables = used->bytes - before - 32;
	assert_in_range(tables, 1, 1 << 20);
	/* One more run needs as much again, and a byte of it is missing. */
	service->options.quota.bytes = used->bytes + tables + 31;
	assert_int_equal(hal_execute(model, &r), HAL_EXHAUSTED);
	assert_int_equal(used->bytes, before + tables + 32);
	service->options.quota.bytes++;
	assert_int_equal(hal_execute(model, &r), 0);
	nnb_arena_fini(&arena);
	assert_int_equal(used->bytes, before);
	hal_request_fini(&r);
	nnb_object_unref(model);
	assert_int_equal(nnb_service_count_clients(service), 0);
	nnb_service_destroy(service);
}

/* What a run leaves behind is the program's, where the library's watchdog frees it. */
static void memory_is_given_back(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	struct nna_program *program = nnb_prepared_model_of(model)->program;
	struct hal_request r;

	hal_request_init(&r, true);
	assert_int_equal(hal_execute(model, &r), 0);
	pthread_mutex_lock(&program->lock);
	assert_int_equal(program->stated->spare_count, 1);
	pthread_mutex_unlock(&program->lock);
	hal_request_fini(&r);
	nnb_object_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs),	     cmocka_unit_test(refused), cmocka_unit_test(times),
		cmocka_unit_test(too_small), cmocka_unit_test(burst),	cmocka_unit_test(fenced),
		cmocka_unit_test(dead_client), cmocka_unit_test(pid_of_a_dead_client),
		cmocka_unit_test(fence_without_end),
		cmocka_unit_test(quota_of_objects),
		cmocka_unit_test(quota_of_copies), cmocka_unit_test(memory_is_given_back),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
