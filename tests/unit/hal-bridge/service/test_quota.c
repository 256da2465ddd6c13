// SPDX-License-Identifier: MIT
/*
 * Whose memory is whose: bytes that a client makes the service or the device hold are its user's,
 * from before they are taken until their object is freed. Sparse files count by their size.
 */
#include "tests/unit/hal-bridge/service/fixture.h"

#include "hal-bridge/hidl/fmq.h"
#include "hal-bridge/service/hidl/face.h"
#include "hal-bridge/service/prepared_model.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/variant.h"

#define HOLE (UINT64_C(8) << 20)

/**
 * struct fixture - a service and a model of one client
 * @service: on the loopback; no context of a program is freed for being idle
 * @model: a reference
 * @used: of the client's user
 */
struct fixture {
	struct nnb_service *service;
	struct nnb_object *model;
	const struct nnb_quota *used;
};

static void begin(struct fixture *f)
{
	f->service = hal_service(NNB_AIDL_VERSION, NULL);
	f->model = hal_prepared(f->service, &hal_me);
	f->used = &f->service->users->used;
	f->service->clients->device->spares.after_ns = UINT64_MAX / 2;
}

static void end(struct fixture *f)
{
	nnb_object_unref(f->model);
	assert_int_equal(nnb_service_count_clients(f->service), 0);
	nnb_service_destroy(f->service);
}

/* The user may have @more bytes than it has now. */
static void limit(struct fixture *f, uint64_t more)
{
	f->service->options.quota.bytes = f->used->bytes + more;
}

/* A request whose memory is a hole of HOLE bytes before the arguments, sealed. */
static void sparse_request(struct hal_request *r)
{
	static const float in[] = {0, 1, 2, 3};

	hal_request_init(r, false);
	assert_int_equal(ftruncate(r->fd, (off_t)HOLE), 0);
	assert_int_equal(fcntl(r->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(pwrite(r->fd, in, sizeof(in), 0), sizeof(in));
	hal_memory(&r->pool.pool, r->fd, HOLE);
}

/* What bursts keep, by the size of the file; the memory that is one too many is refused. */
static void bursts(void **state)
{
	struct hal_request r[4];
	struct nnb_object *one;
	struct fixture f;
	uint64_t before;

	begin(&f);
	for (int i = 0; i < 4; i++)
		sparse_request(&r[i]);
	assert_int_equal(hal_execute(f.model, &r[0]), 0);
	before = f.used->bytes;
	limit(&f, 3 * HOLE + HOLE / 2);
	one = hal_burst(f.model);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hal_execute_burst(one, &r[i], i), 0);
		assert_int_equal(f.used->bytes, before + (i + 1) * HOLE);
	}
	assert_int_equal(hal_execute_burst(one, &r[3], 3), HAL_EXHAUSTED);
	assert_int_equal(hal_execute_burst(one, &r[0], 0), 0);
	assert_int_equal(f.used->bytes, before + 3 * HOLE);
	nnb_object_unref(one);
	/* The first one came twice without a token, so the cache keeps it until two sweeps. */
	assert_int_equal(f.used->bytes, before + HOLE);
	nnb_service_sweep(f.service);
	nnb_service_sweep(f.service);
	assert_int_equal(f.used->bytes, before);
	for (int i = 0; i < 4; i++)
		hal_request_fini(&r[i]);
	end(&f);
}

/* A burst keeps 256 memories. Later ones are opened for each call, and the call works. */
static void memories_of_a_burst(void **state)
{
	struct nnb_object *burst;
	struct hal_request r;
	struct fixture f;
	uint64_t before;

	begin(&f);
	hal_request_init(&r, true);
	burst = hal_burst(f.model);
	assert_int_equal(f.used->objects, 1);
	for (int64_t token = 0; token < 256; token++)
		assert_int_equal(hal_execute_burst(burst, &r, token), 0);
	assert_int_equal(f.used->objects, 257);
	before = f.used->bytes;
	assert_int_equal(hal_execute_burst(burst, &r, 256), 0);
	assert_int_equal(f.used->objects, 257);
	assert_int_equal(f.used->bytes, before);
	nnb_object_unref(burst);
	assert_int_equal(f.used->objects, 0);
	hal_request_fini(&r);
	end(&f);
}

/* A memory that may only be read is mapped where it is kept, and counts like a shared one. */
static void mapped(void **state)
{
	struct nnb_memory_range range = {.size = HOLE, .protect = PROT_READ};
	struct nnb_aidl_call call = {.caller = &hal_me};
	struct nnb_memory *memory;
	struct nnb_client *client;
	struct fixture f;
	uint64_t before;

	begin(&f);
	range.fd = hal_memfd(HOLE, true);
	assert_int_equal(nnb_client_get(f.service->devices, &hal_me, &client), 0);
	before = f.used->bytes;
	assert_int_equal(nnb_memory_open(client, &call, &range, false, &memory), 0);
	assert_non_null(memory->map);
	assert_int_equal(f.used->bytes, before + HOLE);
	limit(&f, HOLE - 1);
	nnb_memory_unref(memory);
	assert_int_equal(f.used->bytes, before);
	f.service->options.quota.bytes = before + HOLE - 1;
	assert_int_equal(nnb_memory_open(client, &call, &range, false, &memory), HAL_EXHAUSTED);
	assert_non_null(strstr(call.message, "exceed what the client's user may have"));
	assert_int_equal(f.used->bytes, before);
	nnb_client_put(client);
	close(range.fd);
	end(&f);
}

/* The model with tensors of HOLE bytes, whose constants are a hole of an unsealed file. */
static void sparse_model(struct hal_model *m)
{
	hal_model_init(m);
	m->dims[0] = (int32_t)(HOLE / 8);
	m->operands[HAL_POOLED].location.offset = 0;
	m->operands[HAL_POOLED].location.length = (int64_t)HOLE;
	m->operands[HAL_COPIED].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL;
	m->operands[HAL_COPIED].location = m->operands[HAL_POOLED].location;
	assert_int_equal(ftruncate(m->pool.mappable_file.fd, (off_t)HOLE), 0);
	m->pool.mappable_file.length = (int64_t)HOLE;
}

/* Constants of the graph and of the program, as long as the model lives. */
static void constants(void **state)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;
	struct fixture f;
	uint64_t before;
	uint32_t count;

	begin(&f);
	before = f.used->bytes;
	sparse_model(&m);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), 0);
	/* Twice in the graph, and in the program once for each of two operations. */
	assert_true(f.used->bytes >= before + 4 * HOLE);
	assert_true(f.used->bytes < before + 5 * HOLE);
	nnb_object_unref(model);
	assert_int_equal(f.used->bytes, before);
	/* The graph fits, and its program does not. */
	limit(&f, 3 * HOLE + HOLE / 2);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), HAL_EXHAUSTED);
	assert_int_equal(f.used->bytes, before);
	assert_int_equal(f.used->models, 1);
	/* The copy that is read from the file counts while the graph is built. */
	limit(&f, 2 * HOLE + HOLE / 2);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), HAL_EXHAUSTED);
	assert_int_equal(hal_supported(f.service, &m, &count), HAL_EXHAUSTED);
	assert_int_equal(f.used->bytes, before);
	limit(&f, 3 * HOLE + HOLE / 2);
	assert_int_equal(hal_supported(f.service, &m, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(f.used->bytes, before);
	hal_model_fini(&m);
	end(&f);
}

/* Scratch and staging memory is the client's from the first run on, and refused like the rest. */
static void scratch(void **state)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_request r;
	struct hal_model m;
	struct fixture f;
	uint64_t before;

	begin(&f);
	sparse_model(&m);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), 0);
	before = f.used->bytes;
	hal_request_init(&r, false);
	assert_int_equal(ftruncate(r.fd, 2 * (off_t)HOLE), 0);
	hal_memory(&r.pool.pool, r.fd, 2 * HOLE);
	r.in.location.length = (int64_t)HOLE;
	r.out.location.offset = (int64_t)HOLE;
	r.out.location.length = (int64_t)HOLE;
	/* The copies of both arguments fit, and their staging memory does not. */
	limit(&f, 3 * HOLE);
	assert_int_equal(hal_execute(model, &r), HAL_EXHAUSTED);
	assert_true(f.used->bytes < before + HOLE);
	limit(&f, 64 * HOLE);
	assert_int_equal(hal_execute(model, &r), 0);
	assert_true(f.used->bytes >= before + 2 * HOLE);
	hal_request_fini(&r);
	nnb_object_unref(model);
	hal_model_fini(&m);
	end(&f);
}

/* A pool in which no argument or constant lies is not looked at: here it is a pipe. */
static void unused_pools(void **state)
{
	struct nnb_aidl_request_memory_pool pools[2];
	struct nnb_aidl_memory model_pools[2];
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_request r;
	struct hal_model m;
	struct fixture f;
	int pipes[2];

	begin(&f);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	hal_model_init(&m);
	model_pools[0] = m.pool;
	hal_memory(&model_pools[1], pipes[0], 64);
	m.model.pools.count = 2;
	m.model.pools.data = model_pools;
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), 0);
	m.operands[HAL_POOLED].location.pool_index = 1;
	hal_request_init(&r, true);
	memset(pools, 0, sizeof(pools));
	pools[0] = r.pool;
	hal_memory(&pools[1].pool, pipes[0], 128);
	r.request.pools.count = 2;
	r.request.pools.data = pools;
	assert_int_equal(hal_execute(model, &r), 0);
	assert_true(hal_request_done(&r));
	nnb_object_unref(model);
	/* Its description is checked all the same, and it is opened where something lies in it. */
	r.in.location.pool_index = 1;
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	r.in.location.pool_index = 0;
	pools[1].pool.mappable_file.length = -1;
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	assert_int_equal(hal_prepare(f.service, &hal_me, &in, &model), HAL_INVALID);
	close(pipes[0]);
	close(pipes[1]);
	hal_request_fini(&r);
	hal_model_fini(&m);
	end(&f);
}

/* The callback of a fenced execution is an object of its client until the client drops it. */
static void fenced_callbacks(void **state)
{
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_arena arena = {0};
	struct hal_request r;
	struct fixture f;

	begin(&f);
	hal_request_init(&r, true);
	in.request = r.request;
	f.service->options.quota.objects = 2;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(HAL_CALL(f.model, &hal_me, prepared_model,
					  NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in, &arena,
					  &out),
				 i < 2 ? 0 : HAL_EXHAUSTED);
		assert_int_equal(f.used->objects, i < 2 ? i + 1 : 2);
	}
	nnb_arena_fini(&arena);
	assert_int_equal(f.used->objects, 0);
	hal_request_fini(&r);
	end(&f);
}

/* A refusal writes a line that names the user, what is exceeded, and the limit. */
static void refusal_is_logged(void **state)
{
	const struct nnb_caller root = {0};
	struct hal_request r;
	struct fixture f;
	char text[8192] = "";
	int fd = hal_memfd(0, false);

	begin(&f);
	sparse_request(&r);
	limit(&f, HOLE - 1);
	assert_int_equal(hal_execute(f.model, &r), HAL_EXHAUSTED);
	nnb_service_dump(f.service, &root, fd);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "hal: uid 1000, pid 1: its user has too many bytes: 8388608 "
				     "more bytes wanted"));
	close(fd);
	hal_request_fini(&r);
	end(&f);
}

/* A queue in a file of HOLE bytes, whose ring has two elements. */
static struct nnb_hidl_queue queue_in(const struct nnb_hidl_fds *file, uint32_t element,
				      struct nnb_hidl_grantor *parts)
{
	parts[0] = (struct nnb_hidl_grantor){.offset = 0, .extent = 8};
	parts[1] = (struct nnb_hidl_grantor){.offset = 8, .extent = 8};
	parts[2] = (struct nnb_hidl_grantor){.offset = 16, .extent = 2 * (uint64_t)element};
	return (struct nnb_hidl_queue){
		.grantors = {parts, 3, 0}, .fds = file, .quantum = element, .flags = 1,
	};
}

/* The memory of a burst's queues is its client's, and so are the copies of packets. */
static void queues_of_a_burst(void **state)
{
	struct hal_callback *callback = hal_callback_new();
	struct nnb_hidl_grantor parts[2][3];
	struct nnb_hidl_queue requests, results;
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in in = {
		.callback = &callback->object,
		.request_channel = &requests,
		.result_channel = &results,
	};
	struct {
		struct nnb_hidl_fds fds;
		int32_t data[1];
	} files[2];
	struct nnb_aidl_call core = {.caller = &hal_me};
	struct nnb_hidl_call call = {.caller = &hal_me};
	struct nnb_object *burst;
	struct fixture f;
	uint64_t before;

	begin(&f);
	for (int i = 0; i < 2; i++) {
		files[i].fds = (struct nnb_hidl_fds){.version = NNB_HIDL_FDS_VERSION,
						     .fd_count = 1};
		files[i].fds.data[0] = hal_memfd(HOLE, true);
	}
	requests = queue_in(&files[0].fds, sizeof(struct nnb_hidl_1_2_fmq_request_datum),
			    parts[0]);
	results = queue_in(&files[1].fds, sizeof(struct nnb_hidl_1_2_fmq_result_datum), parts[1]);
	before = f.used->bytes;
	limit(&f, 4 * HOLE - 1);
	assert_int_equal(nnb_hidl_burst_create(nnb_prepared_model_of(f.model), &call, &core, &in,
					       &burst), HAL_EXHAUSTED);
	assert_int_equal(f.used->bytes, before);
	limit(&f, 4 * HOLE);
	assert_int_equal(nnb_hidl_burst_create(nnb_prepared_model_of(f.model), &call, &core, &in,
					       &burst), 0);
	assert_int_equal(f.used->bytes, before + 4 * HOLE);
	nnb_object_unref(burst);
	assert_int_equal(f.used->bytes, before);
	for (int i = 0; i < 2; i++)
		close(files[i].fds.data[0]);
	nnb_object_unref(&callback->object);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts),    cmocka_unit_test(memories_of_a_burst),
		cmocka_unit_test(mapped),    cmocka_unit_test(constants),
		cmocka_unit_test(scratch),   cmocka_unit_test(unused_pools),
		cmocka_unit_test(fenced_callbacks), cmocka_unit_test(refusal_is_logged),
		cmocka_unit_test(queues_of_a_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
