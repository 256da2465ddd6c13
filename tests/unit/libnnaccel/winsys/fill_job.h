/* SPDX-License-Identifier: MIT */
/* The smallest job that shows whether memory and queues work; the loopback as a test's state. */
#ifndef NNA_TEST_FILL_JOB_H
#define NNA_TEST_FILL_JOB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hw/gen/nnahw.h"
#include "libnnaccel/winsys/job.h"
#include "libnnaccel/winsys/winsys.h"

static inline int open_winsys(void **state)
{
	struct nna_device_options options = { .threads = 2 };
	struct nna_winsys *ws;

	if (nna_winsys_loopback_create(NULL, &options, &ws))
		return -1;
	*state = ws;
	return 0;
}

static inline int close_winsys(void **state)
{
	struct nna_winsys *ws = *state;

	ws->ops->destroy(ws);
	return 0;
}

/**
 * struct fill_job - a job that fills memory with one value
 * @bo: holds its stream, base table and report; to be destroyed
 * @job: what the device shall do
 * @report: in @bo
 */
struct fill_job {
	struct nna_winsys_bo *bo;
	struct nna_job job;
	struct nnahw_report *report;
};

/* Fills @words words of 32 bits from device address @target on with @value. */
static inline void fill_job_make(struct fill_job *f, struct nna_winsys *ws, uint64_t target,
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
	f->job = (struct nna_job){
		.stream_va = f->bo->va,
		.stream_size = header.size,
		.base_table_va = f->bo->va + 1024,
		.slot_count = 1,
		.report_va = f->bo->va + 2048,
	};
}

/* Submits a job. Return: 0 and its fence, or a negative errno. */
static inline int submit(struct nna_winsys *ws, struct nna_winsys_queue *q,
			 const struct fill_job *f, const int *fds, uint32_t count,
			 struct nna_fence **fence)
{
	struct nna_winsys_job job = { .job = &f->job, .fence_fds = fds, .fence_count = count };

	return ws->ops->queue_submit(ws, q, &job, fence);
}

/* Submits a job and waits for its end. Return: its error, or that of the submission. */
static inline int run(struct nna_winsys *ws, struct nna_winsys_queue *q, const struct fill_job *f)
{
	struct nna_fence *fence;
	int ret = submit(ws, q, f, NULL, 0, &fence);

	if (ret)
		return ret;
	assert_int_equal(ws->ops->fence_wait(ws, fence, INT64_MAX), 0);
	ret = ws->ops->fence_status(ws, fence);
	nna_fence_put(fence);
	return ret;
}

static inline void check_words(const void *map, uint64_t words, uint32_t value)
{
	const uint32_t *at = map;

	for (uint64_t i = 0; i < words; i++)
		assert_int_equal(at[i], value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_winsys, close_winsys)

#endif
