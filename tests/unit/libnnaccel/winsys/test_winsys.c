// SPDX-License-Identifier: MIT
/*
 * The loopback below the library: memory, jobs, faults that stay with one queue, in-fences, what is
 * destroyed in use.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "hw/gen/nnahw.h"
#include "libnnaccel/winsys/winsys.h"

static int open_winsys(void **state)
{
	struct nna_device_options options = { .threads = 2 };
	struct nna_winsys *ws;

	if (nna_winsys_loopback_create(&options, &ws))
		return -1;
	*state = ws;
	return 0;
}

static int close_winsys(void **state)
{
	struct nna_winsys *ws = *state;

	ws->ops->destroy(ws);
	return 0;
}

/*
 * A stream that fills @words words of slot 0 with @value; stream, base table and report in one BO.
 */
struct fill_job {
	struct nna_winsys_bo *bo;
	struct nna_winsys_job job;
	struct nnahw_report *report;
};

static void fill_job_make(struct fill_job *f, struct nna_winsys *ws, uint64_t target,
			  uint32_t words, uint32_t value)
{
	struct nnahw_stream_header header = {
		.magic = NNAHW_STREAM_MAGIC,
		.version = NNAHW_STREAM_ABI,
		.layout = NNAHW_LAYOUT_ABI,
		.size = sizeof(header) + sizeof(struct nnahw_cmd_fill),
		.command_count = 1,
	};
	struct nnahw_cmd_fill fill = {
		.head = { .opcode = NNAHW_OP_FILL, .size = sizeof(fill) },
		.output = { .type = NNAHW_TYPE_U32,
			    .rank = 1,
			    .slot = 0,
			    .dims = { words },
			    .strides = { 1 } },
		.value = value,
	};
	struct nnahw_base base = { .address = target, .size = (uint64_t)words * 4 };
	uint8_t *map;

	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &f->bo), 0);
	map = f->bo->map;
	memcpy(map, &header, sizeof(header));
	memcpy(map + sizeof(header), &fill, sizeof(fill));
	memcpy(map + 1024, &base, sizeof(base));
	f->report = (struct nnahw_report *)(map + 2048);
	f->job = (struct nna_winsys_job){
		.stream_va = f->bo->va,
		.stream_size = header.size,
		.base_table_va = f->bo->va + 1024,
		.slot_count = 1,
		.report_va = f->bo->va + 2048,
	};
}

static int run(struct nna_winsys *ws, struct nna_winsys_queue *q, const struct fill_job *f)
{
	struct nna_winsys_fence *fence;
	int ret = ws->ops->queue_submit(ws, q, &f->job, &fence);

	if (ret)
		return ret;
	ret = ws->ops->fence_wait(ws, fence, INT64_MAX);
	ws->ops->fence_destroy(ws, fence);
	return ret;
}

static void check_words(const void *map, uint64_t words, uint32_t value)
{
	const uint32_t *at = map;

	for (uint64_t i = 0; i < words; i++)
		assert_int_equal(at[i], value);
}

static void test_memory(void **state)
{
	static const uint64_t sizes[] = { 1,
					  4096,
					  5000,
					  1 << 20,
					  (2 << 20) - 4096,
					  2 << 20,
					  (2 << 20) + 1,
					  (5 << 20) + 12345,
					  70 << 20 };
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct nna_winsys_bo *bo;
			struct fill_job f;
			uint32_t words;

			assert_int_equal(ws->ops->bo_create(ws, sizes[i], 0, &bo), 0);
			assert_true(bo->size >= sizes[i] && !(bo->size % 4096));
			assert_int_equal(bo->va % (bo->size >= 2 << 20 ? 2 << 20 : 4096), 0);
			words = bo->size / 4;
			/* Zero, whoever had it before. */
			check_words(bo->map, words, 0);
			fill_job_make(&f, ws, bo->va, words, 0x1234567 + i);
			assert_int_equal(run(ws, q, &f), 0);
			assert_int_equal(f.report->status, NNAHW_STATUS_OK);
			check_words(bo->map, words, 0x1234567 + i);
			ws->ops->bo_destroy(ws, f.bo);
			ws->ops->bo_destroy(ws, bo);
		}
	ws->ops->queue_destroy(ws, q);
}

/* Random BOs come and go; each keeps its own bytes, for the device and for us. */
static void test_random_memory(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_bo *bos[40] = { NULL };
	uint32_t marks[40], seed = 7;
	struct nna_winsys_queue *q;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_LOW, &q), 0);
	for (uint32_t step = 0; step < 600; step++) {
		uint32_t i, size;
		struct fill_job f;

		seed = seed * 1664525 + 1013904223;
		i = seed >> 8 & 63;
		if (i >= 40)
			continue;
		if (bos[i]) {
			check_words(bos[i]->map, bos[i]->size / 4, marks[i]);
			ws->ops->bo_destroy(ws, bos[i]);
			bos[i] = NULL;
			continue;
		}
		size = seed >> 31 ? (seed >> 14 & 0xff) * 16384 + 1 : (seed >> 14 & 0xf) * 4096 + 1;
		assert_int_equal(ws->ops->bo_create(ws, size, 0, &bos[i]), 0);
		for (uint32_t k = 0; k < 40; k++)
			assert_true(k == i || !bos[k] || bos[k]->va + bos[k]->size <= bos[i]->va ||
				    bos[i]->va + bos[i]->size <= bos[k]->va);
		marks[i] = step + 1;
		fill_job_make(&f, ws, bos[i]->va, bos[i]->size / 4, marks[i]);
		assert_int_equal(run(ws, q, &f), 0);
		ws->ops->bo_destroy(ws, f.bo);
	}
	for (uint32_t i = 0; i < 40; i++)
		ws->ops->bo_destroy(ws, bos[i]);
	ws->ops->queue_destroy(ws, q);
}

/* A fault bans its queue only; the neighbour runs on. */
static void test_faults(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *bad, *good;
	struct nna_winsys_bo *bo, *constant;
	struct fill_job f, g;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &good), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, NNA_WINSYS_BO_DEVICE_READ_ONLY, &constant),
			 0);
	fill_job_make(&f, ws, bo->va, 1024, 5);
	/* No such page. */
	fill_job_make(&g, ws, 0x700000000000, 1024, 1);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	assert_int_equal(g.report->status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(g.report->fault, NNAHW_FAULT_KIND_UNMAPPED);
	assert_int_equal(run(ws, bad, &f), -ECANCELED);
	assert_int_equal(run(ws, good, &f), 0);
	check_words(bo->map, 1024, 5);
	ws->ops->bo_destroy(ws, g.bo);
	ws->ops->queue_destroy(ws, bad);
	/* A page that the device may only read. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	fill_job_make(&g, ws, constant->va, 1024, 1);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	assert_int_equal(g.report->fault, NNAHW_FAULT_KIND_READ_ONLY);
	check_words(constant->map, 1024, 0);
	ws->ops->queue_destroy(ws, bad);
	ws->ops->bo_destroy(ws, g.bo);
	/* Memory that is gone. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	fill_job_make(&g, ws, bo->va, 1024, 9);
	ws->ops->bo_destroy(ws, bo);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	ws->ops->queue_destroy(ws, bad);
	/* A stream that is none. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	memset(g.bo->map, 0, 64);
	assert_int_equal(run(ws, bad, &g), -EINVAL);
	ws->ops->queue_destroy(ws, bad);
	ws->ops->bo_destroy(ws, g.bo);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, constant);
	ws->ops->queue_destroy(ws, good);
}

/* In-fences hold back their queue, in order, and no other. */
static void test_in_fences(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q, *free_queue;
	struct nna_winsys_fence *fences[3];
	struct nna_winsys_bo *bo;
	struct fill_job jobs[3];
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_HIGH, &q), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_HIGH, &free_queue), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	for (int i = 0; i < 3; i++) {
		fill_job_make(&jobs[i], ws, bo->va, 16, i + 1);
		jobs[i].job.fence_fds = &fd;
		jobs[i].job.fence_count = i == 0;
		assert_int_equal(ws->ops->queue_submit(ws, q, &jobs[i].job, &fences[i]), 0);
	}
	/* The fd is ours again. */
	assert_int_equal(ws->ops->fence_wait(ws, fences[0], 0), -ETIME);
	assert_int_equal(ws->ops->fence_wait(ws, fences[2], 0), -ETIME);
	{
		struct fill_job other;

		fill_job_make(&other, ws, bo->va + 1024, 16, 77);
		assert_int_equal(run(ws, free_queue, &other), 0);
		ws->ops->bo_destroy(ws, other.bo);
	}
	check_words(bo->map, 16, 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (int i = 2; i >= 0; i--)
		assert_int_equal(ws->ops->fence_wait(ws, fences[i], INT64_MAX), 0);
	/* The last one wrote last. */
	check_words(bo->map, 16, 3);
	for (int i = 0; i < 3; i++) {
		ws->ops->fence_destroy(ws, fences[i]);
		ws->ops->bo_destroy(ws, jobs[i].bo);
	}
	fd = (close(fd), -1);
	jobs[0].job.fence_fds = &fd;
	jobs[0].job.fence_count = 1;
	assert_int_equal(ws->ops->queue_submit(ws, q, &jobs[0].job, &fences[0]), -EBADF);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	ws->ops->queue_destroy(ws, free_queue);
}

/* BO and queue destroyed while a job that uses them waits: the job runs to its end. */
static void test_destroy_in_use(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_winsys_fence *fence;
	struct nna_winsys_bo *bo, *reuse;
	struct fill_job f;
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	assert_int_equal(ws->ops->bo_create(ws, 3 << 20, 0, &bo), 0);
	fill_job_make(&f, ws, bo->va, bo->size / 4, 0xdead);
	f.job.fence_fds = &fd;
	f.job.fence_count = 1;
	assert_int_equal(ws->ops->queue_submit(ws, q, &f.job, &fence), 0);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	/* Its memory and its addresses are nobody else's yet. */
	assert_int_equal(ws->ops->bo_create(ws, 3 << 20, 0, &reuse), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	assert_int_equal(ws->ops->fence_wait(ws, fence, INT64_MAX), 0);
	check_words(reuse->map, reuse->size / 4, 0);
	ws->ops->fence_destroy(ws, fence);
	ws->ops->bo_destroy(ws, reuse);
	ws->ops->bo_destroy(ws, f.bo);
	close(fd);
}

/* More jobs than a ring holds, from several queues, without anyone waiting. */
static void test_many_jobs(void **state)
{
	enum { COUNT = 1000, QUEUES = 5 };
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q[QUEUES];
	struct nna_winsys_fence *fences[COUNT];
	struct nna_winsys_bo *bo;
	struct fill_job jobs[QUEUES];

	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	for (int i = 0; i < QUEUES; i++) {
		assert_int_equal(ws->ops->queue_create(ws, i % 3, &q[i]), 0);
		fill_job_make(&jobs[i], ws, bo->va + 512 * i, 64, i + 1);
	}
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(
			ws->ops->queue_submit(ws, q[i % QUEUES], &jobs[i % QUEUES].job, &fences[i]),
			0);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(ws->ops->fence_wait(ws, fences[i], INT64_MAX), 0);
		ws->ops->fence_destroy(ws, fences[i]);
	}
	for (int i = 0; i < QUEUES; i++) {
		check_words((char *)bo->map + 512 * i, 64, i + 1);
		ws->ops->queue_destroy(ws, q[i]);
		ws->ops->bo_destroy(ws, jobs[i].bo);
	}
	ws->ops->bo_destroy(ws, bo);
}

static void test_close_with_waiting_jobs(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_winsys_fence *fence;
	struct fill_job f;
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	fill_job_make(&f, ws, 0x1000, 16, 1);
	f.job.fence_fds = &fd;
	f.job.fence_count = 1;
	assert_int_equal(ws->ops->queue_submit(ws, q, &f.job, &fence), 0);
	ws->ops->fence_destroy(ws, fence);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->queue_destroy(ws, q);
	close(fd);
}

struct user {
	struct nna_winsys *ws;
	uint32_t value;
	int failures;
};

static void *use_everything(void *arg)
{
	struct user *u = arg;
	struct nna_winsys *ws = u->ws;

	for (int i = 0; i < 50; i++) {
		struct nna_winsys_queue *q;
		struct nna_winsys_bo *bo;
		struct fill_job f;

		u->failures += ws->ops->queue_create(ws, i % 3, &q) != 0;
		u->failures += ws->ops->bo_create(ws, i % 5 ? 8192 : 3 << 20, 0, &bo) != 0;
		fill_job_make(&f, ws, bo->va, bo->size / 4, u->value + i);
		u->failures += run(ws, q, &f) != 0;
		for (uint64_t k = 0; k < bo->size / 4; k++)
			u->failures += ((uint32_t *)bo->map)[k] != u->value + i;
		ws->ops->bo_destroy(ws, f.bo);
		ws->ops->bo_destroy(ws, bo);
		ws->ops->queue_destroy(ws, q);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	struct user users[4];

	for (int i = 0; i < 4; i++) {
		users[i] = (struct user){ *state, 1000 * (i + 1), 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, use_everything, &users[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].failures, 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_winsys, close_winsys)
	const struct CMUnitTest tests[] = {
		TEST(test_memory),	TEST(test_random_memory),	     TEST(test_faults),
		TEST(test_in_fences),	TEST(test_destroy_in_use),	     TEST(test_many_jobs),
		TEST(test_threads),	TEST(test_close_with_waiting_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
