// SPDX-License-Identifier: MIT
/*
 * Memories that calls bring again: which are kept, that nothing else is ever taken for one of them,
 * and that they are given back. The model's output is looked for in the memory that the call has
 * brought, and in none that another call had.
 */
#include "hal-bridge/service/memory_cache.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/unit/hal-bridge/service/fixture.h"

/**
 * struct fixture - a service, and a client of it
 * @service: on the loopback
 * @model: the client's, a reference
 * @client: a reference
 * @cache: the client's
 */
struct fixture {
	struct nnb_service *service;
	struct nnb_object *model;
	struct nnb_client *client;
	const struct nnb_memory_cache *cache;
};

static void begin(struct fixture *f, const struct nnb_quota *quota)
{
	f->service = hal_service(NNB_AIDL_VERSION, quota);
	f->model = hal_prepared(f->service, &hal_me);
	assert_int_equal(nnb_client_get(f->service->devices, &hal_me, &f->client), 0);
	f->cache = &f->client->memories;
}

static void end(struct fixture *f)
{
	nnb_object_unref(f->model);
	nnb_client_put(f->client);
	assert_int_equal(nnb_service_count_clients(f->service), 0);
	nnb_service_destroy(f->service);
}

static unsigned int count_files(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void clear_output(const struct hal_request *r)
{
	static const float zeros[4];

	assert_int_equal(pwrite(r->fd, zeros, sizeof(zeros), 64), sizeof(zeros));
}

/* Runs, and looks for the output that this run has written. */
static void run(const struct fixture *f, const struct hal_request *r)
{
	clear_output(r);
	assert_int_equal(hal_execute(f->model, r), 0);
	assert_true(hal_request_done(r));
}

/* A request whose memory is kept from now on. */
static void run_until_kept(const struct fixture *f, struct hal_request *r)
{
	uint32_t before = f->cache->count;

	hal_request_init(r, true);
	run(f, r);
	assert_int_equal(f->cache->count, before);
	run(f, r);
	assert_int_equal(f->cache->count, before + 1);
}

/* Moves the request to another descriptor. */
static void use(struct hal_request *r, int fd)
{
	r->fd = fd;
	r->pool.pool.mappable_file.fd = fd;
}

/* The second call has it kept; its contents are those of each call. */
static void kept(void **state)
{
	static const float ones[] = {1, 1, 1, 1}, expected[] = {20, 30, 40, 50};
	const struct nnb_memory *memory;
	struct hal_request r;
	struct fixture f;
	float out[4];

	begin(&f, NULL);
	run_until_kept(&f, &r);
	memory = f.cache->entries[0].memory;
	run(&f, &r);
	assert_int_equal(f.cache->count, 1);
	assert_ptr_equal(f.cache->entries[0].memory, memory);
	assert_int_equal(pwrite(r.fd, ones, sizeof(ones), 0), sizeof(ones));
	assert_int_equal(hal_execute(f.model, &r), 0);
	assert_int_equal(pread(r.fd, out, sizeof(out), 64), sizeof(out));
	assert_memory_equal(out, expected, sizeof(out));
	hal_request_fini(&r);
	end(&f);
}

/* What the device does not take is mapped: here, as its input may not be written. */
static void mapped(void **state)
{
	struct nnb_aidl_request_memory_pool pools[2];
	struct hal_request r, out;
	struct fixture f;

	begin(&f, NULL);
	hal_request_init(&r, true);
	hal_request_init(&out, true);
	pools[0] = r.pool;
	pools[0].pool.mappable_file.prot = PROT_READ;
	pools[1] = out.pool;
	r.request.pools.count = 2;
	r.request.pools.data = pools;
	r.out.location.pool_index = 1;
	for (int i = 0; i < 4; i++) {
		clear_output(&out);
		assert_int_equal(hal_execute(f.model, &r), 0);
		assert_true(hal_request_done(&out));
		assert_int_equal(f.cache->count, i ? 2 : 0);
	}
	assert_int_equal(!!f.cache->entries[0].memory->map + !!f.cache->entries[1].memory->map, 1);
	hal_request_fini(&r);
	hal_request_fini(&out);
	end(&f);
}

/* A file that may be cut is looked at, read and written at each call. */
static void files(void **state)
{
	struct hal_request r;
	struct fixture f;

	begin(&f, NULL);
	hal_request_init(&r, false);
	for (int i = 0; i < 3; i++)
		run(&f, &r);
	assert_int_equal(f.cache->count, 0);
	assert_int_equal(ftruncate(r.fd, 100), 0);
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	assert_int_equal(ftruncate(r.fd, 128), 0);
	assert_int_equal(hal_execute(f.model, &r), 0);
	/* Once it is sealed it may be kept. */
	assert_int_equal(fcntl(r.fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	run(&f, &r);
	run(&f, &r);
	assert_int_equal(f.cache->count, 1);
	hal_request_fini(&r);
	end(&f);
}

/* Memory that is new in each call is not kept. */
static void new_each_time(void **state)
{
	struct hal_request r;
	struct fixture f;

	begin(&f, NULL);
	for (uint32_t i = 0; i < 2 * NNB_MEMORY_CACHE_ENTRIES; i++) {
		hal_request_init(&r, true);
		run(&f, &r);
		hal_request_fini(&r);
	}
	assert_int_equal(f.cache->count, 0);
	end(&f);
}

/*
 * The client closes what is kept, and another file has its descriptor's number; once it is given
 * back, the next file may have its inode's number, too.
 */
static void numbers_used_again(void **state)
{
	struct hal_request r, other;
	struct fixture f;
	int number;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	number = r.fd;
	hal_request_init(&other, true);
	assert_int_equal(dup3(other.fd, number, O_CLOEXEC), number);
	close(other.fd);
	use(&other, number);
	run(&f, &other);
	run(&f, &other);
	assert_int_equal(f.cache->count, 2);
	hal_request_fini(&other);
	end(&f);
}

/* A number of an inode, and of its file system, that is another memory's now. */
static void inode_used_again(void **state)
{
	struct nnb_memory *memory;
	struct hal_request r, other;
	struct fixture f;
	struct stat st;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	hal_request_init(&other, true);
	assert_int_equal(fstat(other.fd, &st), 0);
	memory = f.cache->entries[0].memory;
	memory->device = st.st_dev;
	memory->inode = st.st_ino;
	clear_output(&r);
	run(&f, &other);
	run(&f, &other);
	assert_false(hal_request_done(&r));
	hal_request_fini(&r);
	hal_request_fini(&other);
	end(&f);
}

/* What the kept descriptor may do, another one of the same inode need not. */
static void read_only(void **state)
{
	struct hal_request r;
	struct fixture f;
	char path[64];
	int fd, writable;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	clear_output(&r);
	writable = r.fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", writable);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	use(&r, fd);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	assert_false(hal_request_done(&r));
	/* Nor what a kept range may. */
	use(&r, writable);
	r.pool.pool.mappable_file.prot = PROT_READ;
	for (int i = 0; i < 3; i++)
		assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	assert_false(hal_request_done(&r));
	close(fd);
	close(writable);
	end(&f);
}

/* Another range of the same file is other memory. */
static void range(void **state)
{
	struct hal_request r;
	struct fixture f;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	r.pool.pool.mappable_file.length = 129;
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	r.pool.pool.mappable_file.length = 64;
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	r.pool.pool.mappable_file.offset = 1;
	r.pool.pool.mappable_file.length = 128;
	assert_int_equal(hal_execute(f.model, &r), HAL_INVALID);
	r.pool.pool.mappable_file.length = 127;
	clear_output(&r);
	assert_int_equal(hal_execute(f.model, &r), 0);
	assert_false(hal_request_done(&r));
	hal_request_fini(&r);
	end(&f);
}

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/* Once its memory is sealed a client cannot have the service write it, kept or not. */
static void seal_added(void **state)
{
	struct hal_request r;
	struct fixture f;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	clear_output(&r);
	assert_int_equal(fcntl(r.fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(hal_execute(f.model, &r), 0);
		assert_false(hal_request_done(&r));
	}
	hal_request_fini(&r);
	end(&f);
}

/* What a client has kept is nobody else's, of the same user neither. */
static void two_clients(void **state)
{
	const struct nnb_caller caller = {.euid = hal_me.euid, .pid = hal_me.pid + 1};
	struct nnb_client *client;
	struct nnb_object *model;
	struct hal_request r;
	struct fixture f, other;

	begin(&f, NULL);
	run_until_kept(&f, &r);
	model = hal_prepared(f.service, &caller);
	assert_int_equal(nnb_client_get(f.service->devices, &caller, &client), 0);
	assert_ptr_not_equal(client, f.client);
	other = (struct fixture){f.service, model, client, &client->memories};
	run(&other, &r);
	assert_int_equal(client->memories.count, 0);
	run(&other, &r);
	assert_int_equal(client->memories.count, 1);
	assert_ptr_not_equal(client->memories.entries[0].memory, f.cache->entries[0].memory);
	assert_int_equal(f.client->user->used.kept, 2);
	/* With a client goes what it has kept, and that alone. */
	nnb_object_unref(model);
	nnb_client_put(client);
	assert_int_equal(f.client->user->used.kept, 1);
	run(&f, &r);
	hal_request_fini(&r);
	end(&f);
}

/* Descriptors come back when the memory has not been used for two sweeps, and with the client. */
static void given_back(void **state)
{
	unsigned int before;
	struct hal_request r;
	struct fixture f;

	begin(&f, NULL);
	/* The first run makes what the program keeps. */
	hal_request_init(&r, false);
	run(&f, &r);
	hal_request_fini(&r);
	before = count_files();
	for (int i = 0; i < 2; i++) {
		run_until_kept(&f, &r);
		hal_request_fini(&r);
		assert_true(count_files() > before);
		assert_int_equal(f.client->user->used.kept, 1);
		assert_true(nnb_service_sweep(f.service));
		assert_false(nnb_service_sweep(f.service));
		assert_int_equal(f.cache->count, 0);
		assert_int_equal(f.client->user->used.kept, 0);
		assert_int_equal(count_files(), before);
	}
	run_until_kept(&f, &r);
	assert_true(nnb_service_sweep(f.service));
	run(&f, &r);
	assert_true(nnb_service_sweep(f.service));
	hal_request_fini(&r);
	end(&f);
	assert_true(count_files() < before);
}

/* The watchdog does that by itself. */
static void watchdog(void **state)
{
	struct hal_request r;
	struct fixture f;
	bool left;

	begin(&f, NULL);
	f.service->idle.period_ns = 1000000;
	hal_request_init(&r, true);
	run(&f, &r);
	run(&f, &r);
	do {
		pthread_mutex_lock(&f.client->memories.lock);
		left = f.cache->count;
		pthread_mutex_unlock(&f.client->memories.lock);
	} while (left);
	run(&f, &r);
	hal_request_fini(&r);
	end(&f);
}

/* A client has room for so many, of which the latest are there; a user, over all its clients. */
static void bounds(void **state)
{
	const struct nnb_quota quota = {.kept = NNB_MEMORY_CACHE_ENTRIES + 1};
	const struct nnb_caller caller = {.euid = hal_me.euid, .pid = hal_me.pid + 1};
	struct hal_request r[NNB_MEMORY_CACHE_ENTRIES + 1], last;
	struct fixture f, other;

	begin(&f, &quota);
	for (uint32_t i = 0; i < NNB_MEMORY_CACHE_ENTRIES; i++)
		run_until_kept(&f, &r[i]);
	hal_request_init(&r[NNB_MEMORY_CACHE_ENTRIES], true);
	for (int i = 0; i < 3; i++) {
		run(&f, &r[NNB_MEMORY_CACHE_ENTRIES]);
		assert_int_equal(f.cache->count, NNB_MEMORY_CACHE_ENTRIES);
		assert_int_equal(f.client->user->used.kept, NNB_MEMORY_CACHE_ENTRIES);
	}
	for (uint32_t i = 0; i <= NNB_MEMORY_CACHE_ENTRIES; i++) {
		run(&f, &r[i]);
		hal_request_fini(&r[i]);
	}
	other.service = f.service;
	other.model = hal_prepared(f.service, &caller);
	assert_int_equal(nnb_client_get(f.service->devices, &caller, &other.client), 0);
	other.cache = &other.client->memories;
	run_until_kept(&other, &last);
	hal_request_fini(&last);
	hal_request_init(&last, true);
	for (int i = 0; i < 3; i++)
		run(&other, &last);
	assert_int_equal(other.cache->count, 1);
	hal_request_fini(&last);
	nnb_object_unref(other.model);
	nnb_client_put(other.client);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(mapped),
		cmocka_unit_test(files),
		cmocka_unit_test(new_each_time),
		cmocka_unit_test(numbers_used_again),
		cmocka_unit_test(inode_used_again),
		cmocka_unit_test(read_only),
		cmocka_unit_test(range),
		cmocka_unit_test(seal_added),
		cmocka_unit_test(two_clients),
		cmocka_unit_test(given_back),
		cmocka_unit_test(watchdog),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
