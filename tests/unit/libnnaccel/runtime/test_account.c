// SPDX-License-Identifier: MIT
/*
 * The account of a device: its memory is charged before it is taken, and discharged when its object
 * is destroyed. Each charge is refused in turn: the call fails with -ENOMEM, and nothing stays
 * charged.
 */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 100000u
#define SHARED (8u << 20) /* bytes of a memfd, all of it a hole */

/**
 * struct account - an account
 * @used: bytes
 * @most: the most bytes so far
 * @calls: charges so far
 * @refused: the number of the charge that is refused; 0 for none
 * @limit: the most bytes; 0 for no limit
 */
struct account {
	pthread_mutex_t lock;
	uint64_t used, most;
	uint32_t calls, refused;
	uint64_t limit;
};

static bool charge(void *user, uint64_t bytes)
{
	struct account *account = user;
	bool allowed = true;

	pthread_mutex_lock(&account->lock);
	if (++account->calls == account->refused ||
	    (account->limit && bytes > account->limit - account->used))
		allowed = false;
	else
		account->used += bytes;
	if (account->used > account->most)
		account->most = account->used;
	pthread_mutex_unlock(&account->lock);
	return allowed;
}

static void discharge(void *user, uint64_t bytes)
{
	struct account *account = user;

	pthread_mutex_lock(&account->lock);
	assert_true(bytes <= account->used);
	account->used -= bytes;
	pthread_mutex_unlock(&account->lock);
}

static struct nna_device *open_charged(struct account *account)
{
	const struct nna_device_options options = {
		.log = test_log,
		.threads = 1,
		.charge = charge,
		.discharge = discharge,
		.account = account,
	};
	struct nna_device *device;

	*account = (struct account){.lock = PTHREAD_MUTEX_INITIALIZER};
	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	return device;
}

/* A blob in memory, as a writer's and as a reader's. */
struct blob {
	uint8_t *bytes;
	size_t size, at;
};

static int write_bytes(void *user, const void *data, size_t size)
{
	struct blob *blob = user;

	blob->bytes = realloc(blob->bytes, blob->size + size);
	assert_non_null(blob->bytes);
	memcpy(blob->bytes + blob->size, data, size);
	blob->size += size;
	return 0;
}

static int read_bytes(void *user, void *data, size_t size)
{
	struct blob *blob = user;

	if (size > blob->size - blob->at)
		return -ENODATA;
	memcpy(data, blob->bytes + blob->at, size);
	blob->at += size;
	return 0;
}

static void both_or_neither(void **state)
{
	struct nna_device_options options = { .log = test_log, .charge = charge };
	struct nna_device *device;

	assert_int_equal(nna_device_open("loopback", &options, &device), -EINVAL);
	assert_non_null(strstr(last_line, "both of charge and discharge"));
}

/* A buffer takes whole pages; one that is shared takes the size of the memfd, which is a hole. */
static void buffers(void **state)
{
	struct nna_buffer *own, *shared;
	struct nna_device *device;
	struct account account;
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, SHARED), 0);
	device = open_charged(&account);
	assert_int_equal(nna_buffer_create(device, 5000, &own), 0);
	assert_int_equal(account.used, 8192);
	assert_int_equal(nna_buffer_import(device, fd, SHARED, &shared), 0);
	assert_int_equal(account.used, 8192 + SHARED);
	nna_buffer_destroy(own);
	assert_int_equal(account.used, SHARED);
	nna_buffer_destroy(shared);
	assert_int_equal(account.used, 0);
	account.limit = SHARED - 1;
	assert_int_equal(nna_buffer_import(device, fd, SHARED, &shared), -ENOMEM);
	assert_int_equal(nna_buffer_create(device, SHARED, &own), -ENOMEM);
	assert_int_equal(nna_buffer_create(device, SIZE_MAX, &own), -ENOMEM);
	assert_int_equal(account.used, 0);
	nna_device_close(device);
	close(fd);
}

/*
 * Compiles a graph whose constant is folded, runs it, saves and loads it, and runs that. Return: 0,
 * or the first error.
 */
static int life(struct nna_device *device, struct account *account)
{
	float *c = calloc(N, sizeof(*c)), *a = calloc(N, sizeof(*a));
	float *out = calloc(N, sizeof(*out));
	struct nna_program *programs[2] = { NULL };
	struct nna_graph *graph = folded_graph(c, N);
	struct blob blob = { 0 };
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++) {
		const struct nna_blob_writer writer = { write_bytes, &blob };
		struct nna_blob_reader reader = { read_bytes, &blob, blob.size };
		struct nna_execution *e = NULL;

		ret = i ? nna_program_load(device, NULL, NULL, &reader, &programs[i])
			: nna_program_create(device, graph, NULL, &programs[i]);
		if (!ret)
			/* The folded constant, and the stream. */
			assert_true(account->used > (i + 1) * N * sizeof(float));
		if (!ret && !i)
			ret = nna_program_save(programs[i], &writer);
		if (!ret)
			ret = nna_execution_create(programs[i], &e);
		if (!ret)
			ret = nna_execution_set_input(e, 0, 0, NULL, a, N * sizeof(*a)) ?:
			      nna_execution_set_output(e, 0, 0, NULL, out, N * sizeof(*out)) ?:
			      nna_execution_compute(e);
		nna_execution_destroy(e);
	}
	nna_program_destroy(programs[0]);
	nna_program_destroy(programs[1]);
	nna_graph_unref(graph);
	free(blob.bytes);
	free(out);
	free(a);
	free(c);
	return ret;
}

static void everything_is_given_back(void **state)
{
	struct account account;
	struct nna_device *device = open_charged(&account);

	assert_int_equal(life(device, &account), 0);
	assert_int_equal(account.used, 0);
	/* Two programs, each with its constant, scratch and staging memory of two tensors. */
	assert_true(account.most >= 4 * N * sizeof(float));
	nna_device_close(device);
}

static void each_charge_is_refused(void **state)
{
	uint32_t refused = 0;
	int ret;

	do {
		struct account account;
		struct nna_device *device = open_charged(&account);

		account.refused = ++refused;
		ret = life(device, &account);
		assert_int_equal(account.used, 0);
		nna_device_close(device);
		assert_true(!ret || ret == -ENOMEM);
	} while (ret);
	assert_true(refused > 10);
}

/* A small graph whose folded constants are many times as large as it is does not get them. */
static void folded_constants_are_bounded(void **state)
{
	float *c = calloc(N, sizeof(*c));
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_device *device;
	struct account account;

	graph = folded_graph(c, N);
	device = open_charged(&account);
	account.limit = N * sizeof(*c);
	assert_int_equal(nna_program_create(device, graph, NULL, &program), -ENOMEM);
	assert_int_equal(account.used, 0);
	assert_true(account.most <= account.limit);
	nna_device_close(device);
	nna_graph_unref(graph);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_or_neither),
		cmocka_unit_test(buffers),
		cmocka_unit_test(everything_is_given_back),
		cmocka_unit_test(each_charge_is_refused),
		cmocka_unit_test(folded_constants_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
