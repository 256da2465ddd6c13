// SPDX-License-Identifier: MIT
/* The device: opening and closing, its properties, its clock. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/log.h"
#include "libnnaccel/support/thread.h"
#include "libnnaccel/winsys/loopback/loopback.h"

/* Bus addresses begin here, so that 0 stands for no address. */
#define FIRST_IOVA 0x40000000ull
/* Longer than the time between two commands, and too short to be noticed by a user. */
#define SPIN_NS 20000u

static void lb_destroy(struct nna_winsys *ws)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;

	if (lb->worker_runs) {
		atomic_store(&lb->stop, true);
		nna_loopback_worker_wake(lb);
		pthread_join(lb->worker, NULL);
	}
	if (lb->standby_runs) {
		atomic_store(&lb->stop, true);
		nnadev_knock(lb->dev);
		nna_loopback_leader_call(lb);
		pthread_join(lb->standby, NULL);
	}
	/* After this the model makes no callback, and does not use the chunks any more. */
	nnadev_destroy(lb->dev);
	while (lb->oldest)
		nna_loopback_job_end(lb, lb->oldest, -ENODEV);
	while (lb->spare) {
		struct nna_loopback_job *next = lb->spare->next;

		nna_fence_fini(&lb->spare->base);
		free(lb->spare);
		lb->spare = next;
	}
	while (lb->zombies) {
		struct nna_loopback_bo *next = lb->zombies->next;

		free(lb->zombies);
		lb->zombies = next;
	}
	while (lb->chunks) {
		struct nna_loopback_chunk *c = lb->chunks;

		lb->chunks = c->next;
		nna_loopback_chunk_destroy(c);
	}
	nna_va_destroy(lb->small_va);
	nna_va_destroy(lb->large_va);
	if (lb->wake >= 0)
		close(lb->wake);
	pthread_mutex_destroy(&lb->jobs);
	pthread_mutex_destroy(&lb->memory);
	pthread_mutex_destroy(&lb->control);
	pthread_mutex_destroy(&lb->turn);
	free(lb);
}

static void lb_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	uint32_t version = nnadev_reg_read(lb->dev, NNAHW_REG_VERSION, 4);
	uint32_t stream = nnadev_reg_read(lb->dev, NNAHW_REG_STREAM_VERSION, 4);

	*info = (struct nna_device_info){
		.name = "loopback",
		.driver = "loopback",
		.loopback = true,
		.abi_major = version >> 16,
		.abi_minor = version & 0xffff,
		.stream_version = stream & 0xffff,
		.layout_version = stream >> 16,
		.job_rings = nnadev_reg_read(lb->dev, NNAHW_REG_JOB_RING_COUNT, 4),
		.va_bits = NNAHW_VA_BITS,
		.max_slots = NNAHW_MAX_SLOTS,
		.job_limit_ns = nnadev_reg_read(lb->dev, NNAHW_REG_JOB_LIMIT, 8),
	};
	snprintf(info->engine, sizeof(info->engine), "%s", nnadev_isa_name(lb->dev));
}

static int lb_check(struct nna_winsys *ws)
{
	return 0;
}

static uint64_t lb_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	return tick - ((struct nna_loopback *)ws)->tick_offset;
}

static const struct nna_winsys_ops loopback_ops = {
	.destroy = lb_destroy,
	.get_info = lb_get_info,
	.check = lb_check,
	.tick_to_ns = lb_tick_to_ns,
	.bo_create = nna_loopback_bo_create,
	.bo_import = nna_loopback_bo_import,
	.bo_export = nna_loopback_bo_export,
	.bo_destroy = nna_loopback_bo_destroy,
	.queue_create = nna_loopback_queue_create,
	.queue_destroy = nna_loopback_queue_destroy,
	.queue_cancel = nna_loopback_queue_cancel,
	.queue_submit = nna_loopback_queue_submit,
	.fence_wait = nna_loopback_fence_wait,
	.fence_status = nna_loopback_fence_status,
	.fence_poll = nna_loopback_fence_poll,
	.fence_export = nna_loopback_fence_export,
	.fence_release = nna_loopback_fence_release,
};

static void device_log(void *user, const char *line)
{
	struct nna_loopback *lb = user;

	nna_log_print(&lb->base.log, NNA_LOG_WARNING, "loopback: %s", line);
}

/* enum nna_isa has the numbers of the model's enum. */
_Static_assert((int)NNA_ISA_AUTO == (int)NNADEV_ISA_AUTO &&
		       (int)NNA_ISA_SCALAR == (int)NNADEV_ISA_SCALAR &&
		       (int)NNA_ISA_AVX2 == (int)NNADEV_ISA_AVX2 &&
		       (int)NNA_ISA_AVX512 == (int)NNADEV_ISA_AVX512 &&
		       (int)NNA_ISA_NEON == (int)NNADEV_ISA_NEON &&
		       (int)NNA_ISA_DOTPROD == (int)NNADEV_ISA_DOTPROD &&
		       (int)NNA_ISA_AVXVNNI == (int)NNADEV_ISA_AVXVNNI &&
		       (int)NNA_ISA_I8MM == (int)NNADEV_ISA_I8MM &&
		       (int)NNA_ISA_VECTOR == (int)NNADEV_ISA_VECTOR,
	       "enum nna_isa and enum nnadev_isa");

int nna_winsys_loopback_create(const char *path, const struct nna_device_options *options,
			       struct nna_winsys **out)
{
	struct nna_loopback *lb = calloc(1, sizeof(*lb));
	struct nnadev_params params = {
		.threads = options ? options->threads : 0,
		.isa = options ? (enum nnadev_isa)options->isa : NNADEV_ISA_AUTO,
		.spin_ns = SPIN_NS,
		.lent = true,
		.raise_irq = nna_loopback_ring_irq,
		.log = device_log,
		.user = lb,
	};
	struct nna_loopback_chunk *c;
	uint64_t offset, before, tick;
	int ret;

	if (!lb)
		return -ENOMEM;
	lb->base.ops = &loopback_ops;
	lb->base.accelerator = "nna";
	lb->base.profiles = true;
	if (options)
		lb->base.log = options->log;
	pthread_mutex_init(&lb->jobs, NULL);
	pthread_mutex_init(&lb->memory, NULL);
	pthread_mutex_init(&lb->control, NULL);
	pthread_mutex_init(&lb->turn, NULL);
	lb->next_iova = FIRST_IOVA;
	lb->next_ticket = 1;
	lb->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (lb->wake < 0) {
		ret = -errno;
		goto fail;
	}
	ret = nnadev_create(&params, &lb->dev);
	if (ret)
		goto fail;
	ret = -ENOMEM;
	lb->small_va = nna_va_create(NNA_VA_SMALL_START, NNA_VA_LARGE_START - NNA_VA_SMALL_START);
	lb->large_va = nna_va_create(NNA_VA_LARGE_START, NNA_VA_END - NNA_VA_LARGE_START);
	if (!lb->small_va || !lb->large_va)
		goto fail;
	ret = nna_loopback_memory_take(lb, NNA_VA_PAGE, NNA_VA_PAGE, &c, &offset);
	if (ret)
		goto fail;
	lb->root = c->iova + offset;
	for (uint32_t i = 0; !ret && i < NNAHW_JOB_RINGS; i++)
		ret = nna_loopback_ring_setup(lb, i, &lb->rings[i].entries,
					      &lb->rings[i].completions);
	if (!ret)
		ret = nna_loopback_ring_setup(lb, NNAHW_CONTROL_RING, &lb->control_entries,
					      &lb->control_completions);
	if (ret)
		goto fail;
	nnadev_reg_write(lb->dev, NNAHW_REG_CONTROL, 4, NNAHW_REG_CONTROL_ENABLE);
	lb->base.tick_hz = nnadev_reg_read(lb->dev, NNAHW_REG_TIMESTAMP_HZ, 8);
	nna_winsys_set_limits(&lb->base, nnadev_reg_read(lb->dev, NNAHW_REG_JOB_LIMIT, 8),
			      nnadev_reg_read(lb->dev, NNAHW_REG_WORK_RATE, 8));
	before = nna_now_ns();
	tick = nnadev_reg_read(lb->dev, NNAHW_REG_TIMESTAMP, 8);
	lb->tick_offset = (int64_t)(tick - (before + nna_now_ns()) / 2);
	ret = nna_thread_start(&lb->worker, "nna-worker", nna_loopback_worker_run, lb);
	if (ret)
		goto fail;
	lb->worker_runs = true;
	ret = nna_thread_start(&lb->standby, "nna-standby", nna_loopback_leader_stand_by, lb);
	if (ret)
		goto fail;
	lb->standby_runs = true;
	*out = &lb->base;
	return 0;
fail:
	lb_destroy(&lb->base);
	return ret;
}
