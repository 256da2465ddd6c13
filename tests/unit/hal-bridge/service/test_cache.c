// SPDX-License-Identifier: MIT
/* Models that clients keep in files: saved by prepareModel(), loaded by prepareModelFromCache(). */
#include "tests/unit/hal-bridge/service/fixture.h"

#include <stdio.h>

#include "libnnaccel/support/message.h"

static const uint8_t token[32] = {1, 2, 3, [31] = 9};

/* Prepares the model with these files to save it to: always well. */
static void save(struct nnb_service *service, const int *fds, uint32_t count)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	in.model_cache = (struct nnb_fds){count, fds};
	in.token = (struct nnb_bytes){sizeof(token), token};
	assert_int_equal(hal_prepare(service, &hal_me, &in, &model), 0);
	nnb_object_unref(model);
	hal_model_fini(&m);
}

static int load(struct nnb_service *service, const struct nnb_fds *models,
		const struct nnb_fds *data, const uint8_t *with, struct nnb_object **model)
{
	struct hal_callback *callback = hal_callback_new();
	struct nnb_aidl_device_prepare_model_from_cache_in in = {
		.deadline_ns = -1,
		.model_cache = *models,
		.data_cache = *data,
		.token = {32, with},
		.callback = &callback->object,
	};
	struct nnb_arena arena = {0};
	int ret = HAL_CALL(hal_dev(service), &hal_me, device,
			   NNB_AIDL_DEVICE_PREPARE_MODEL_FROM_CACHE, &in, &arena, NULL);

	nnb_arena_fini(&arena);
	return hal_told(service, callback, ret, model);
}

/* Loads from one file; a model that comes out of it has to work. */
static int try(struct nnb_service *service, int fd, const uint8_t *with)
{
	const struct nnb_fds files = {1, &fd}, none = {0};
	struct nnb_object *model;
	struct hal_request r;
	int ret = load(service, &files, &none, with, &model);

	if (ret)
		return ret;
	hal_request_init(&r, true);
	assert_int_equal(hal_execute(model, &r), 0);
	assert_true(hal_request_done(&r));
	hal_request_fini(&r);
	nnb_object_unref(model);
	return 0;
}

static void saved_and_loaded(void **state)
{
	int fd = hal_memfd(100000, false);
	off_t size;

	/* Whatever is in the file, and wherever its offset is. */
	assert_int_equal(lseek(fd, 777, SEEK_SET), 777);
	save(*state, &fd, 1);
	size = lseek(fd, 0, SEEK_END);
	assert_true(size > 100 && size < 100000);
	assert_int_equal(try(*state, fd, token), 0);
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	assert_int_equal(try(*state, fd, token), 0);
	close(fd);
}

static void wrong_token(void **state)
{
	int fd = hal_memfd(0, false);
	uint8_t other[32];

	save(*state, &fd, 1);
	for (int bit = 0; bit < 256; bit++) {
		memcpy(other, token, sizeof(other));
		other[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(try(*state, fd, other), HAL_FAILURE);
	}
	assert_int_equal(try(*state, fd, token), 0);
	close(fd);
}

static void tampered(void **state)
{
	int fd = hal_memfd(0, false);
	off_t size;

	save(*state, &fd, 1);
	size = lseek(fd, 0, SEEK_END);
	for (off_t at = 0; at < size; at += 1 + size / 300) {
		uint8_t byte, flipped;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		flipped = byte ^ (uint8_t)(1 << at % 8);
		assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
		assert_int_equal(try(*state, fd, token), HAL_FAILURE);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_int_equal(try(*state, fd, token), 0);
	assert_int_equal(pwrite(fd, "x", 1, size), 1);
	assert_int_equal(try(*state, fd, token), HAL_FAILURE);
	for (; size > 0; size -= 1 + size / 50) {
		assert_int_equal(ftruncate(fd, size - 1), 0);
		assert_int_equal(try(*state, fd, token), HAL_FAILURE);
	}
	close(fd);
}

static int reopen(int fd, int mode)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, mode | O_CLOEXEC);
	assert_true(again >= 0);
	return again;
}

/* Whether a line of the log has this in it, of those since the last call. */
static bool has_said(const char *what)
{
	char *text = NULL;
	size_t size;
	bool said;
	FILE *log = open_memstream(&text, &size);

	assert_non_null(log);
	nna_message_print_recent(log);
	assert_int_equal(fclose(log), 0);
	said = strstr(text, what);
	free(text);
	for (int i = 0; i < 16; i++)
		nna_message(DRIVER, "-");
	return said;
}

/* Saving never fails a model; loading says what is wrong. */
static void counts_and_modes(void **state)
{
	int fds[2] = {hal_memfd(0, false), hal_memfd(0, false)};
	int readable = reopen(fds[0], O_RDONLY), writable = reopen(fds[0], O_WRONLY), pipes[2];
	const struct nnb_fds none = {0}, one = {1, fds}, two = {2, fds};
	struct nnb_object *model;

	has_said("");
	save(*state, &readable, 1);
	assert_int_equal(lseek(fds[0], 0, SEEK_END), 0);
	/* It was not even tried. */
	assert_true(has_said("a cache file is not writable"));
	save(*state, &readable, 1);
	assert_false(has_said("cannot write a cache file"));
	save(*state, fds, 2);
	assert_int_equal(lseek(fds[0], 0, SEEK_END), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	save(*state, &pipes[1], 1);
	assert_int_equal(try(*state, pipes[0], token), HAL_FAILURE);
	save(*state, &writable, 1);
	assert_int_equal(try(*state, readable, token), 0);
	assert_int_equal(try(*state, writable, token), HAL_INVALID);
	assert_int_equal(load(*state, &none, &none, token, &model), HAL_INVALID);
	assert_int_equal(load(*state, &two, &none, token, &model), HAL_INVALID);
	assert_int_equal(load(*state, &one, &one, token, &model), HAL_INVALID);
	assert_int_equal(load(*state, &one, &none, token, &model), 0);
	nnb_object_unref(model);
	close(pipes[0]);
	close(pipes[1]);
	close(readable);
	close(writable);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved_and_loaded),
		cmocka_unit_test(wrong_token),
		cmocka_unit_test(tampered),
		cmocka_unit_test(counts_and_modes),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
