// SPDX-License-Identifier: MIT
/*
 * Files that are not in memory: helpers read and write them. A helper whose file never answers
 * (here a full pipe) is abandoned, counts until it is gone, and holds up nobody but its user.
 */
#include "tests/unit/hal-bridge/service/fixture.h"

#include <errno.h>

#include "hal-bridge/service/file.h"

static int helpers; /* started before any thread */

/* A service with helpers, which have @helper_ns for a transfer. */
static struct nnb_service *serve(uint64_t helper_ns)
{
	const struct nnb_service_options options = {
		.device = "loopback",
		.version = NNB_AIDL_VERSION,
		.workers = 2,
		.helpers = helpers,
		.helper_ns = helper_ns,
	};
	struct nnb_service *service;

	assert_int_equal(nnb_service_create(&options, &service), 0);
	return service;
}

static void end(struct nnb_service *service)
{
	assert_int_equal(nnb_service_count_clients(service), 0);
	nnb_service_destroy(service);
}

/* A file of the file system that the tests are built on, without a name. */
static int plain_file(void)
{
	char path[] = "build/tests/helper-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	if (nnb_file_is_memory(fd)) {
		print_message("the build is on a tmpfs\n");
		close(fd);
		skip();
	}
	return fd;
}

/* Bytes of several pieces there and back, and the ends of the file. */
static void transfers(void **state)
{
	enum { SIZE = 300001 };
	struct nnb_service *service = serve(0);
	struct nnb_client *client;
	struct nnb_transfer t = {.fd = plain_file(), .size = SIZE};
	char *data = malloc(SIZE), *back = calloc(1, SIZE);

	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	for (int i = 0; i < SIZE; i++)
		data[i] = (char)(i * 7 + i / 251);
	t.dead = &client->dead;
	t.op = NNB_HELPER_WRITE;
	t.data = data;
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -ENODATA);
	t.op = NNB_HELPER_REPLACE;
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), 0);
	t.op = NNB_HELPER_READ;
	t.data = back;
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), 0);
	assert_memory_equal(data, back, SIZE);
	t.offset = 1;
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -ENODATA);
	t.size = 5;
	t.op = NNB_HELPER_WRITE;
	t.data = memcpy(back, "hello", 5);
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), 0);
	assert_int_equal(pread(t.fd, data, 7, 0), 7);
	assert_memory_equal(data + 1, "hello", 5);
	/* Each of them was gone when its transfer returned. */
	pthread_mutex_lock(&service->lock);
	nnb_helpers_reap(service, client->user);
	assert_int_equal(client->user->helper_count, 0);
	assert_int_equal(service->helper_count, 0);
	pthread_mutex_unlock(&service->lock);
	t.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	t.op = NNB_HELPER_APPEND;
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -ENOSPC);
	close(t.fd);
	nnb_client_put(client);
	free(back);
	free(data);
	end(service);
}

/* Constants, arguments and cache files in such files. */
static void memory_and_cache(void **state)
{
	static const uint8_t token[32] = {1, 2, 3};
	struct nnb_service *service = serve(0);
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_aidl_device_prepare_model_from_cache_in from = {.deadline_ns = -1};
	struct nnb_object *model;
	struct nnb_arena arena = {0};
	struct hal_callback *callback;
	struct hal_request r;
	struct hal_model m;
	int cache = plain_file(), pool = plain_file(), memory = plain_file(), ret;
	float bytes[16] = {0};

	hal_model_init(&m);
	assert_int_equal(pread(m.pool.mappable_file.fd, bytes, 64, 0), 64);
	assert_int_equal(pwrite(pool, bytes, 64, 0), 64);
	close(m.pool.mappable_file.fd);
	m.pool.mappable_file.fd = pool;
	in = hal_prepare_in(&m);
	in.model_cache = (struct nnb_fds){1, &cache};
	in.token = (struct nnb_bytes){sizeof(token), token};
	assert_int_equal(hal_prepare(service, &hal_me, &in, &model), 0);
	nnb_object_unref(model);
	callback = hal_callback_new();
	from.model_cache = in.model_cache;
	from.token = in.token;
	from.callback = &callback->object;
	ret = HAL_CALL(hal_dev(service), &hal_me, device, NNB_AIDL_DEVICE_PREPARE_MODEL_FROM_CACHE,
		       &from, &arena, NULL);
	nnb_arena_fini(&arena);
	assert_int_equal(hal_told(service, callback, ret, &model), 0);
	hal_request_init(&r, false);
	assert_int_equal(pread(r.fd, bytes, 64, 0), 64);
	assert_int_equal(pwrite(memory, bytes, 64, 0), 64);
	assert_int_equal(ftruncate(memory, 128), 0);
	close(r.fd);
	r.fd = r.pool.pool.mappable_file.fd = memory;
	assert_int_equal(hal_execute(model, &r), 0);
	assert_true(hal_request_done(&r));
	/* It is cut while the service has it. */
	assert_int_equal(ftruncate(memory, 70), 0);
	assert_int_equal(hal_execute(model, &r), HAL_INVALID);
	hal_request_fini(&r);
	hal_model_fini(&m);
	nnb_object_unref(model);
	close(cache);
	end(service);
}

/* A pipe that takes nothing more; *@other is its other end. */
static int full_pipe(int *other)
{
	int ends[2];
	char bytes[4096] = {0};

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	*other = ends[0];
	return ends[1];
}

/*
 * Each transfer that hangs ends after its time, and its helper counts. One too many is refused at
 * once, also after all clients of the user are gone; other users have theirs. When the file answers
 * the helpers end, and the user has all of them again.
 */
static void hanging(void **state)
{
	static const struct nnb_caller other = {.euid = 1001, .pid = 2};
	struct nnb_service *service = serve(20000000);
	struct nnb_client *client;
	struct nnb_transfer t = {.op = NNB_HELPER_APPEND, .size = 5, .data = (char[]){"hello"}};
	int end_of_pipe;

	t.fd = full_pipe(&end_of_pipe);
	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	for (uint32_t i = 0; i < NNB_HELPERS_PER_USER; i++) {
		assert_int_equal(nnb_helper_transfer(service, client->user, &t), -EIO);
		assert_int_equal(client->user->helper_count, i + 1);
	}
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -EAGAIN);
	nnb_client_put(client);
	assert_int_equal(nnb_service_count_clients(service), 0);
	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	assert_int_equal(client->user->helper_count, NNB_HELPERS_PER_USER);
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -EAGAIN);
	nnb_client_put(client);
	assert_int_equal(nnb_client_get(service->devices, &other, &client), 0);
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -EIO);
	nnb_client_put(client);
	/* Nobody can read the pipe any more, which ends the writes. */
	close(end_of_pipe);
	close(t.fd);
	t.fd = plain_file();
	service->options.helper_ns = 0;
	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	while (nnb_helper_transfer(service, client->user, &t) == -EAGAIN)
		;
	nnb_client_put(client);
	close(t.fd);
	end(service);
}

/* A transfer without an end in sight ends with its client. */
static void dead_client(void **state)
{
	struct nnb_service *service = serve(0);
	struct hal_process process;
	struct nnb_client *client = hal_process_begin(&process, service, &hal_me);
	struct nnb_transfer t = {.op = NNB_HELPER_APPEND, .size = 1, .data = (char[]){"x"}};
	int end_of_pipe;

	t.fd = full_pipe(&end_of_pipe);
	t.dead = &client->dead;
	hal_process_kill(&process);
	assert_int_equal(nnb_helper_transfer(service, client->user, &t), -ECANCELED);
	nnb_client_put(client);
	close(end_of_pipe);
	close(t.fd);
	end(service);
}

/* A dump to a pipe that nobody reads ends, and the next caller gets its own. */
static void dump(void **state)
{
	struct nnb_service *service = serve(20000000);
	int end_of_pipe, fd = full_pipe(&end_of_pipe);
	char text[256] = "";
	int ends[2];

	hal_dev(service)->ops->dump(hal_dev(service), &hal_me, fd);
	close(end_of_pipe);
	close(fd);
	service->options.helper_ns = 0;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	hal_dev(service)->ops->dump(hal_dev(service), &hal_me, ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "loopback"));
	close(ends[0]);
	close(ends[1]);
	end(service);
}

/* Files of a file system are closed by threads for that, and counted until then. */
static void closes(void **state)
{
	struct nnb_service *service = serve(0);
	struct nnb_client *client;
	int file = plain_file(), ends[2], fds[8];

	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	for (int i = 0; i < 8; i++) {
		fds[i] = nnb_file_keep(client, file);
		assert_true(fds[i] >= 0 && fds[i] != file);
	}
	for (int i = 0; i < 8; i++)
		nnb_file_close(client, fds[i]);
	nnb_workers_drain(&service->closers);
	pthread_mutex_lock(&service->lock);
	assert_int_equal(client->user->closing, 0);
	assert_int_equal(client->user->clients, 1);
	/* A user with files that cannot be closed has no more of them kept. */
	client->user->closing = NNB_CLOSING_PER_USER;
	pthread_mutex_unlock(&service->lock);
	for (int i = 0; i < 8; i++)
		assert_int_equal(fcntl(fds[i], F_GETFD), -1);
	assert_int_equal(nnb_file_keep(client, file), -EAGAIN);
	client->user->closing = 0;
	/* What has no file system is closed at once. */
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	nnb_file_close(client, ends[0]);
	assert_int_equal(fcntl(ends[0], F_GETFD), -1);
	nnb_file_close(client, -1);
	close(ends[1]);
	close(file);
	nnb_client_put(client);
	end(service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers),   cmocka_unit_test(memory_and_cache),
		cmocka_unit_test(hanging),     cmocka_unit_test(dead_client),
		cmocka_unit_test(dump),        cmocka_unit_test(closes),
	};

	helpers = nnb_helpers_start(NULL);
	if (helpers < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
