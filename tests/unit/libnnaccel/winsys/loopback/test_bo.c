// SPDX-License-Identifier: MIT
/* Memory of the loopback: what process and device see, and BOs that are destroyed in use. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/libnnaccel/winsys/fill_job.h"

/*
 * BOs of sizes around those of pages and of large pages: zero at first, aligned for the device, and
 * what a job writes there is what this process reads. Three rounds, so that memory is used again.
 */
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

/* BO and queue destroyed while a job that uses them waits: the job runs to its end. */
static void test_destroy_in_use(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_fence *fence;
	struct nna_winsys_bo *bo, *reuse;
	struct fill_job f;
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	assert_int_equal(ws->ops->bo_create(ws, 3 << 20, 0, &bo), 0);
	fill_job_make(&f, ws, bo->va, bo->size / 4, 0xdead);
	assert_int_equal(submit(ws, q, &f, &fd, 1, &fence), 0);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	/* Its memory and its addresses are nobody else's yet. */
	assert_int_equal(ws->ops->bo_create(ws, 3 << 20, 0, &reuse), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	assert_int_equal(ws->ops->fence_wait(ws, fence, INT64_MAX), 0);
	check_words(reuse->map, reuse->size / 4, 0);
	nna_fence_put(fence);
	ws->ops->bo_destroy(ws, reuse);
	ws->ops->bo_destroy(ws, f.bo);
	close(fd);
}

/* ---- mmap and munmap that take their time, in the thread that asks for it */

static __thread bool waits_in_mmap;
static sem_t in_mmap, go_on;

static void wait_there(void)
{
	if (!waits_in_mmap)
		return;
	waits_in_mmap = false;
	sem_post(&in_mmap);
	while (sem_wait(&go_on))
		;
}

void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	wait_there();
	return __real_mmap(at, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t size)
{
	wait_there();
	return __real_munmap(at, size);
}

/* Makes a BO with memory of its own, and destroys it; each waits in the middle. */
static void *map_slowly(void *arg)
{
	struct nna_winsys *ws = arg;
	struct nna_winsys_bo *bo;
	int ret;

	waits_in_mmap = true;
	ret = ws->ops->bo_create(ws, 8192, NNA_WINSYS_BO_SHAREABLE, &bo);
	if (ret)
		return (void *)(intptr_t)ret;
	waits_in_mmap = true;
	ws->ops->bo_destroy(ws, bo);
	return NULL;
}

/* While one thread waits for the kernel, others go on. */
static void test_no_lock_over_mmap(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	pthread_t thread;
	void *failed;

	sem_init(&in_mmap, 0, 0);
	sem_init(&go_on, 0, 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	assert_int_equal(pthread_create(&thread, NULL, map_slowly, ws), 0);
	for (int i = 0; i < 2; i++) {
		struct nna_winsys_bo *bo;
		struct fill_job f;

		while (sem_wait(&in_mmap))
			;
		assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
		fill_job_make(&f, ws, bo->va, 1024, 77);
		assert_int_equal(run(ws, q, &f), 0);
		check_words(bo->map, 1024, 77);
		ws->ops->bo_destroy(ws, bo);
		ws->ops->bo_destroy(ws, f.bo);
		sem_post(&go_on);
	}
	pthread_join(thread, &failed);
	assert_null(failed);
	ws->ops->queue_destroy(ws, q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_memory),
		TEST(test_random_memory),
		TEST(test_destroy_in_use),
		TEST(test_no_lock_over_mmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
