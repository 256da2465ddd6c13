// SPDX-License-Identifier: MIT
/* IDevice: what it answers, how models are prepared, and that nothing of a client is left. */
#include <dirent.h>
#include <errno.h>

#include "libnnaccel/support/message.h"
#include "hal-bridge/service/cache.h"
#include "tests/unit/hal-bridge/service/fixture.h"

static bool is_measured(const struct nnb_aidl_performance_info *info)
{
	return info->exec_time > 0 && info->power_usage > 0;
}

/* Sorted by type, every type once, none for subgraphs; relaxed equals normal. */
static void capabilities(void **state)
{
	struct nnb_service *service = *state;
	struct nnb_aidl_device_get_capabilities_out out;
	const struct nnb_aidl_operand_performance *types;
	struct nnb_arena arena = {0};

	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device,
				  NNB_AIDL_DEVICE_GET_CAPABILITIES, NULL, &arena, &out),
			 0);
	assert_int_equal(out.result.operand_performance.count, 15);
	types = out.result.operand_performance.data;
	for (int32_t i = 0; i < 15; i++) {
		assert_int_equal(types[i].type, i);
		assert_true(is_measured(&types[i].info));
	}
	assert_memory_equal(&out.result.relaxed_float32to_float16_performance_scalar,
			    &types[NNB_AIDL_OPERAND_TYPE_FLOAT32].info, sizeof(types->info));
	assert_memory_equal(&out.result.relaxed_float32to_float16_performance_tensor,
			    &types[NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32].info, sizeof(types->info));
	assert_true(is_measured(&out.result.if_performance));
	assert_true(is_measured(&out.result.while_performance));
	nnb_arena_fini(&arena);
}

static void answers(void **state)
{
	struct nnb_service *service = *state;
	struct nnb_aidl_device_get_number_of_cache_files_needed_out files;
	struct nnb_aidl_device_get_type_out type;
	struct nnb_aidl_device_get_version_string_out version;
	struct nnb_arena arena = {0};

	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device,
				  NNB_AIDL_DEVICE_GET_NUMBER_OF_CACHE_FILES_NEEDED, NULL, &arena,
				  &files),
			 0);
	assert_int_equal(files.result.num_data_cache, 0);
	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device, NNB_AIDL_DEVICE_GET_TYPE, NULL,
				  &arena, &type),
			 0);
	assert_int_equal(type.result, NNB_AIDL_DEVICE_TYPE_ACCELERATOR);
	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device,
				  NNB_AIDL_DEVICE_GET_VERSION_STRING, NULL, &arena, &version),
			 0);
	assert_memory_equal(version.result, "nnaccel", 7);
	nnb_arena_fini(&arena);
	/* None of that needs anything of the caller's own. */
	assert_int_equal(nnb_service_count_clients(service), 0);
}

static void versions(void **state)
{
	for (int version = 1; version <= NNB_AIDL_VERSION; version++) {
		struct nnb_service *service = hal_service(version, NULL);
		struct nnb_object *model = hal_prepared(service, &hal_me);
		struct nnb_aidl_prepared_model_create_reusable_execution_in in = {
			.config.loop_timeout_duration_ns = -1,
		};
		struct nnb_aidl_prepared_model_create_reusable_execution_out out;
		struct nnb_arena arena = {0};
		struct hal_request r;
		const char *hash;
		int claimed;

		hal_request_init(&r, true);
		in.request = r.request;
		assert_int_equal(nnb_aidl_get_version(hal_dev(service), &hal_me, &nnb_aidl_device,
						      &claimed),
				 0);
		assert_int_equal(claimed, version);
		assert_int_equal(nnb_aidl_get_version(model, &hal_me, &nnb_aidl_prepared_model,
						      &claimed),
				 0);
		assert_int_equal(claimed, version);
		assert_int_equal(nnb_aidl_get_hash(model, &hal_me, &nnb_aidl_prepared_model, &arena,
						   &hash),
				 0);
		assert_string_equal(hash, nnb_aidl_hash(version));
		assert_int_equal(hal_execute(model, &r), 0);
		assert_int_equal(HAL_CALL(model, &hal_me, prepared_model,
					  NNB_AIDL_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, &in,
					  &arena, &out),
				 version < 4 ? NNB_UNKNOWN_TRANSACTION : 0);
		nnb_arena_fini(&arena);
		hal_request_fini(&r);
		nnb_object_unref(model);
		assert_int_equal(nnb_service_count_clients(service), 0);
		nnb_service_destroy(service);
	}
}

/* What is wrong beside the model: the call fails, and the callback is told the same, once. */
static void bad_arguments(void **state)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	in.priority = 3;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	in.priority = -1;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	in = hal_prepare_in(&m);
	in.preference = 3;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	in = hal_prepare_in(&m);
	in.deadline_ns = -2;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	/* What is wrong is wrong at any time. */
	in = hal_prepare_in(&m);
	in.deadline_ns = 1;
	in.priority = 3;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	in.priority = NNB_AIDL_PRIORITY_MEDIUM;
	m.operations[0].type = -1;
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_INVALID);
	hal_model_fini(&m);
}

/* A deadline that has passed is no bad argument: the call succeeds, the callback is told, once. */
static void late(void **state)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_aidl_device_prepare_model_with_config_in with = {0};
	struct nnb_aidl_device_prepare_model_from_cache_in from = {0};
	static const uint8_t token[NNB_TOKEN_BYTES];
	struct nnb_service *service = *state;
	int fd = hal_memfd(0, false);
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	in.deadline_ns = 1;
	with.model = m.model;
	with.config.preference = in.preference;
	with.config.priority = in.priority;
	with.config.deadline_ns = 1;
	from.deadline_ns = 1;
	from.token = (struct nnb_bytes){sizeof(token), token};
	from.model_cache = (struct nnb_fds){1, &fd};
	for (int way = 0; way < 3; way++) {
		struct hal_callback *callback = hal_callback_new();
		struct nnb_arena arena = {0};
		struct nnb_object *model;

		in.callback = with.callback = from.callback = &callback->object;
		assert_int_equal(
			way == 0 ? HAL_CALL(hal_dev(service), &hal_me, device,
					    NNB_AIDL_DEVICE_PREPARE_MODEL, &in, &arena, NULL) :
			way == 1 ? HAL_CALL(hal_dev(service), &hal_me, device,
					    NNB_AIDL_DEVICE_PREPARE_MODEL_WITH_CONFIG, &with,
					    &arena, NULL) :
				   HAL_CALL(hal_dev(service), &hal_me, device,
					    NNB_AIDL_DEVICE_PREPARE_MODEL_FROM_CACHE, &from,
					    &arena, NULL), 0);
		nnb_arena_fini(&arena);
		assert_int_equal(hal_told(service, callback, 0, &model), HAL_LATE);
		assert_null(model);
	}
	hal_model_fini(&m);
	close(fd);
}

static void no_callback(void **state)
{
	struct nnb_service *service = *state;
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_arena arena = {0};
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device, NNB_AIDL_DEVICE_PREPARE_MODEL,
				  &in, &arena, NULL),
			 HAL_INVALID);
	nnb_arena_fini(&arena);
	hal_model_fini(&m);
}

/* A model counts against its uid from the call to its end, whichever process asks. */
static void quota_of_models(void **state)
{
	const struct nnb_quota quota = {.models = 2};
	const struct nnb_caller same_uid = {.euid = hal_me.euid, .pid = 2};
	const struct nnb_caller other_uid = {.euid = hal_me.euid + 1, .pid = 3};
	struct nnb_service *service = hal_service(NNB_AIDL_VERSION, &quota);
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *models[3], *refused;
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	models[0] = hal_prepared(service, &hal_me);
	models[1] = hal_prepared(service, &same_uid);
	assert_int_equal(nnb_service_count_clients(service), 2);
	assert_int_equal(hal_prepare(service, &hal_me, &in, &refused), HAL_EXHAUSTED);
	assert_int_equal(hal_prepare(service, &same_uid, &in, &refused), HAL_EXHAUSTED);
	models[2] = hal_prepared(service, &other_uid);
	nnb_object_unref(models[1]);
	models[1] = hal_prepared(service, &hal_me);
	for (int i = 0; i < 3; i++)
		nnb_object_unref(models[i]);
	assert_int_equal(nnb_service_count_clients(service), 0);
	hal_model_fini(&m);
	nnb_service_destroy(service);
}

/* IDevice.allocate() for the model's input, or its output. */
static int allocate(struct nnb_service *service, const struct nnb_caller *caller,
		    struct nnb_object *model, bool output, struct nnb_arena *arena,
		    struct nnb_aidl_device_buffer *buffer)
{
	struct nnb_aidl_i_prepared_model_parcel models = {model};
	struct nnb_aidl_buffer_role role = {0, 0, 1.0f};
	struct nnb_aidl_device_allocate_in in = {.prepared_models = {1, &models}};
	struct nnb_aidl_device_allocate_out out;
	int ret;

	if (output) {
		in.output_roles.count = 1;
		in.output_roles.data = &role;
	} else {
		in.input_roles.count = 1;
		in.input_roles.data = &role;
	}
	ret = HAL_CALL(hal_dev(service), caller, device, NNB_AIDL_DEVICE_ALLOCATE, &in, arena,
		       &out);
	if (!ret)
		*buffer = out.result;
	return ret;
}

static void buffers(void **state)
{
	const struct nnb_quota quota = {.objects = 2};
	const struct nnb_caller other = {.euid = 2000, .pid = 4};
	struct nnb_service *service = hal_service(NNB_AIDL_VERSION, &quota);
	struct nnb_object *model = hal_prepared(service, &hal_me);
	struct nnb_object *foreign = hal_prepared(service, &other);
	struct nnb_aidl_device_buffer in, out, none;
	struct nnb_aidl_buffer_copy_from_in from = {0};
	struct nnb_aidl_buffer_copy_to_in to = {0};
	struct nnb_arena arena = {0};
	struct nnb_aidl_request_memory_pool pools[2] = {0};
	struct hal_request r;

	hal_request_init(&r, false);
	assert_int_equal(allocate(service, &hal_me, model, false, &arena, &in), 0);
	assert_int_equal(allocate(service, &hal_me, model, true, &arena, &out), 0);
	assert_int_not_equal(in.token, out.token);
	/* A third object is too many; another's model is nobody's. */
	assert_int_equal(allocate(service, &hal_me, model, true, &arena, &none), HAL_EXHAUSTED);
	service->options.quota.objects = 3;
	assert_int_equal(allocate(service, &hal_me, foreign, false, &arena, &none), HAL_INVALID);
	assert_int_equal(allocate(service, &hal_me, NULL, false, &arena, &none), HAL_INVALID);
	assert_int_equal(allocate(service, &hal_me, in.buffer, false, &arena, &none), HAL_INVALID);

	pools[0].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
	pools[0].token = in.token;
	pools[1].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
	pools[1].token = out.token;
	r.request.pools.count = 2;
	r.request.pools.data = pools;
	r.out.location.pool_index = 1;
	r.in.location.length = 0;
	r.out.location = (struct nnb_aidl_data_location){.pool_index = 1};
	assert_int_equal(hal_execute(model, &r), HAL_FAILURE); /* nothing is in it */
	hal_memory(&from.src, r.fd, 12);
	assert_int_equal(HAL_CALL(in.buffer, &hal_me, buffer, 1, &from, &arena, NULL), HAL_INVALID);
	hal_memory(&from.src, r.fd, 16);
	assert_int_equal(HAL_CALL(in.buffer, &hal_me, buffer, 1, &from, &arena, NULL), 0);
	hal_memory(&to.dst, r.fd, 16);
	to.dst.mappable_file.offset = 64;
	assert_int_equal(HAL_CALL(out.buffer, &hal_me, buffer, 2, &to, &arena, NULL), HAL_FAILURE);
	assert_int_equal(hal_execute(model, &r), 0);
	assert_int_equal(HAL_CALL(out.buffer, &hal_me, buffer, 2, &to, &arena, NULL), 0);
	assert_true(hal_request_done(&r));
	/* Only in its role, only its client, and not after it is gone. */
	pools[0].token = out.token;
	assert_int_equal(hal_execute(model, &r), HAL_INVALID);
	pools[0].token = in.token;
	assert_int_equal(hal_execute(foreign, &r), HAL_INVALID);
	r.in.location.length = 16;
	assert_int_equal(hal_execute(model, &r), HAL_INVALID);
	r.in.location.length = 0;
	nnb_arena_fini(&arena);
	assert_int_equal(hal_execute(model, &r), HAL_INVALID);
	assert_int_equal(allocate(service, &hal_me, model, false, &arena, &in), 0);
	nnb_arena_fini(&arena);
	nnb_object_unref(model);
	nnb_object_unref(foreign);
	assert_int_equal(nnb_service_count_clients(service), 0);
	hal_request_fini(&r);
	nnb_service_destroy(service);
}

static unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* A client that dies has dropped everything: no descriptor of it is left. */
static void nothing_left(void **state)
{
	struct nnb_service *service = *state;
	unsigned int before = count_fds();

	for (int i = 0; i < 20; i++) {
		const struct nnb_caller caller = {.euid = (uid_t)i, .pid = i};
		struct nnb_object *model = hal_prepared(service, &caller);
		struct nnb_aidl_device_buffer buffer;
		struct nnb_arena arena = {0};
		struct hal_request r;

		hal_request_init(&r, i & 1);
		assert_int_equal(allocate(service, &caller, model, i & 2, &arena, &buffer), 0);
		assert_int_equal(hal_execute(model, &r), 0);
		hal_request_fini(&r);
		nnb_object_unref(model);
		nnb_arena_fini(&arena);
	}
	assert_int_equal(nnb_service_count_clients(service), 0);
	assert_int_equal(count_fds(), before);
}

/* Many clients at once. */
static void *be_client(void *arg)
{
	struct nnb_service *service = arg;
	static atomic_int pids;
	const struct nnb_caller caller = {.euid = 1, .pid = atomic_fetch_add(&pids, 1) + 100};
	long good = 0;

	for (int i = 0; i < 5; i++) {
		struct nnb_object *model = hal_prepared(service, &caller);
		struct hal_request r;

		hal_request_init(&r, i & 1);
		good += !hal_execute(model, &r) && hal_request_done(&r);
		hal_request_fini(&r);
		nnb_object_unref(model);
	}
	return (void *)good;
}

static void many_clients(void **state)
{
	pthread_t threads[8];
	void *good;

	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, be_client, *state), 0);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_int_equal((long)good, 5);
	}
	assert_int_equal(nnb_service_count_clients(*state), 0);
}

/* What to do when a model is about to be compiled, in the worker's thread. */
static void (*before_compiling)(const struct nna_program_options *options);

int __real_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out);
int __wrap_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out);
int __wrap_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out)
{
	if (before_compiling)
		before_compiling(options);
	return __real_nna_program_create_sized(device, graph, options, size, out);
}

static int marks_fd; /* NNACCEL_TRACE names it */

/* Marks of a compilation and a run, in the file that the environment names: each ends. */
static void spans_are_marked(void **state)
{
	struct nnb_object *model = hal_prepared(*state, &hal_me);
	unsigned int begins = 0, ends = 0;
	char path[64], line[128];
	struct hal_request r;
	bool ran = false;
	FILE *marks;

	hal_request_init(&r, true);
	assert_int_equal(hal_execute(model, &r), 0);
	hal_request_fini(&r);
	nnb_object_unref(model);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", marks_fd);
	marks = fopen(path, "r");
	assert_non_null(marks);
	while (fgets(line, sizeof(line), marks)) {
		begins += line[0] == 'B';
		ends += line[0] == 'E';
		ran |= strstr(line, "[NN_LD_PE]execute") != NULL;
	}
	fclose(marks);
	assert_true(ran && begins >= 3);
	assert_int_equal(begins, ends);
}

static struct hal_process dying;
static bool cancelled_before, cancelled_after;

static void die(const struct nna_program_options *options)
{
	cancelled_before = options->is_cancelled(options->user);
	hal_process_kill(&dying);
	cancelled_after = options->is_cancelled(options->user);
}

/* A compilation under way ends when the client dies; there is nobody to be told. */
static void client_dies(void **state)
{
	const struct nnb_caller caller = {.euid = 1000, .pid = 3};
	struct hal_callback *callback = hal_callback_new();
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_service *service = *state;
	struct nnb_arena arena = {0};
	struct nnb_client *client;
	struct hal_model m;

	client = hal_process_begin(&dying, service, &caller);
	hal_model_init(&m);
	in = hal_prepare_in(&m);
	in.callback = &callback->object;
	before_compiling = die;
	assert_int_equal(HAL_CALL(hal_dev(service), &caller, device, NNB_AIDL_DEVICE_PREPARE_MODEL,
				  &in, &arena, NULL),
			 0);
	nnb_workers_drain(&service->workers);
	before_compiling = NULL;
	assert_false(cancelled_before);
	assert_true(cancelled_after);
	assert_int_equal(callback->told, 0);
	assert_int_equal(client->user->used.models, 0);
	nnb_arena_fini(&arena);
	nnb_client_put(client);
	nnb_object_unref(&callback->object);
	hal_model_fini(&m);
}

static enum nna_priority asked;

static void keep_priority(const struct nna_program_options *options)
{
	asked = options->priority;
}

/* Nobody gets ahead of other clients by asking for it; who wants to be behind them is. */
static void priorities(void **state)
{
	static const enum nna_priority expected[] = {
		[NNB_AIDL_PRIORITY_LOW] = NNA_PRIORITY_LOW,
		[NNB_AIDL_PRIORITY_MEDIUM] = NNA_PRIORITY_MEDIUM,
		[NNB_AIDL_PRIORITY_HIGH] = NNA_PRIORITY_MEDIUM,
	};

	before_compiling = keep_priority;
	for (int32_t i = NNB_AIDL_PRIORITY_LOW; i <= NNB_AIDL_PRIORITY_HIGH; i++) {
		struct nnb_aidl_device_prepare_model_in in;
		struct nnb_object *model;
		struct hal_model m;

		hal_model_init(&m);
		in = hal_prepare_in(&m);
		in.priority = i;
		assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), 0);
		assert_int_equal(asked, expected[i]);
		nnb_object_unref(model);
		hal_model_fini(&m);
	}
	before_compiling = NULL;
}

/* The text that the service writes for @caller, in @text. */
static void dump_for(struct nnb_service *service, uid_t euid, char *text, size_t size)
{
	const struct nnb_caller caller = {.euid = euid, .pid = 99};
	int fd = hal_memfd(0, false);
	ssize_t got;

	hal_dev(service)->ops->dump(hal_dev(service), &caller, fd);
	got = pread(fd, text, size - 1, 0);
	assert_true(got > 0);
	text[got] = '\0';
	close(fd);
}

/* Root and the service's user get all of the state; another user gets that user's. */
static void dump_by_caller(void **state)
{
	static const struct nnb_caller other = {.euid = 1001, .pid = 2};
	struct nnb_service *service = *state;
	struct nnb_object *mine = hal_prepared(service, &hal_me);
	struct nnb_object *theirs = hal_prepared(service, &other);
	const uid_t all[] = {0, geteuid()};
	char text[8192];

	nna_message(DRIVER, "of uid 1001 alone");
	for (int i = 0; i < 2; i++) {
		dump_for(service, all[i], text, sizeof(text));
		assert_non_null(strstr(text, "\nuser 1000: 1 clients, 1 of"));
		assert_non_null(strstr(text, "\nuser 1001: 1 clients, 1 of"));
		assert_non_null(strstr(text, "\nclient uid 1000, pid 1:"));
		assert_non_null(strstr(text, "\nclient uid 1001, pid 2:"));
		assert_non_null(strstr(text, "of uid 1001 alone"));
	}
	dump_for(service, hal_me.euid, text, sizeof(text));
	assert_non_null(strstr(text, "\nuser 1000: 1 clients, 1 of"));
	assert_non_null(strstr(text, "\nclient uid 1000, pid 1:"));
	assert_null(strstr(text, "1001"));
	dump_for(service, 1002, text, sizeof(text));
	assert_non_null(strstr(text, "loopback"));
	assert_null(strstr(text, "1000"));
	assert_null(strstr(text, "1001"));
	nnb_object_unref(mine);
	nnb_object_unref(theirs);
}

/* A caller has a file of each device, and one quota on all. */
static void several_devices(void **state)
{
	const struct nnb_service_options options = {
		.device = "loopback,loopback",
		.version = NNB_AIDL_VERSION,
		.workers = 2,
		.quota.models = 2,
	};
	const struct nnb_quota two = {.models = 2}, one = {.models = 1};
	struct nnb_aidl_device_get_type_out type;
	struct nnb_client *first, *second, *again;
	struct nnb_service *service;
	struct nnb_arena arena = {0};

	assert_int_equal(nnb_service_create(&options, &service), 0);
	assert_int_equal(service->device_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(HAL_CALL(&service->devices[i].object, &hal_me, device,
					  NNB_AIDL_DEVICE_GET_TYPE, NULL, &arena, &type), 0);
		assert_int_equal(type.result, NNB_AIDL_DEVICE_TYPE_ACCELERATOR);
	}
	nnb_arena_fini(&arena);
	assert_int_equal(nnb_client_get(&service->devices[0], &hal_me, &first), 0);
	assert_int_equal(nnb_client_get(&service->devices[1], &hal_me, &second), 0);
	assert_int_equal(nnb_client_get(&service->devices[1], &hal_me, &again), 0);
	assert_ptr_equal(second, again);
	assert_ptr_not_equal(first, second);
	assert_ptr_not_equal(first->device, second->device);
	assert_ptr_equal(first->user, second->user);
	assert_int_equal(nnb_quota_charge(first, &two), 0);
	assert_int_equal(nnb_quota_charge(second, &one), -EAGAIN);
	nnb_quota_discharge(first, &two);
	nnb_client_put(again);
	nnb_client_put(second);
	nnb_client_put(first);
	assert_int_equal(nnb_service_count_clients(service), 0);
	nnb_service_destroy(service);
}

/* Devices that are listed have to be there, and a service has a limit of them. */
static void wrong_devices(void **state)
{
	struct nnb_service_options options = {.version = NNB_AIDL_VERSION};
	struct nnb_service *service;

	options.device = "loopback,/dev/accel/none";
	assert_int_equal(nnb_service_create(&options, &service), -ENOENT);
	options.device = ",";
	assert_int_equal(nnb_service_create(&options, &service), -ENODEV);
	options.device = "loopback,loopback,loopback,loopback,loopback,loopback,loopback,loopback,"
			 "loopback";
	assert_int_equal(nnb_service_create(&options, &service), -E2BIG);
}

int main(void)
{
	char path[64];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_marked),
		cmocka_unit_test(answers),	   cmocka_unit_test(capabilities),
		cmocka_unit_test(versions),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(late),   cmocka_unit_test(no_callback),
		cmocka_unit_test(quota_of_models), cmocka_unit_test(buffers),
		cmocka_unit_test(nothing_left),	   cmocka_unit_test(many_clients),
		cmocka_unit_test(client_dies),	   cmocka_unit_test(priorities),
		cmocka_unit_test(dump_by_caller),  cmocka_unit_test(several_devices),
		cmocka_unit_test(wrong_devices),
	};

	marks_fd = hal_memfd(0, false);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", marks_fd);
	setenv("NNACCEL_TRACE", path, 1);
	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
