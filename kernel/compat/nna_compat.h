/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interfaces of newer kernels on older ones. The driver is written for the newest kernel, and
 * builds there without this directory. Kbuild includes this file before each source file; probe.sh
 * defines NNA_HAVE_* for each interface that it finds in the kernel's headers.
 */
#ifndef NNA_COMPAT_H
#define NNA_COMPAT_H

#include <linux/module.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_ioctl.h>
#include <drm/gpu_scheduler.h>

#ifndef NNA_HAVE_IMPORT_NS_STRING
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)
#endif

/* Older kernels make a workqueue per CPU unless WQ_UNBOUND is given. */
#ifndef NNA_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#ifndef NNA_HAVE_SCHED_INIT_ARGS
struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *submit_wq;
	struct workqueue_struct *timeout_wq;
	u32 num_rqs;
	u32 credit_limit;
	unsigned int hang_limit;
	long timeout;
	atomic_t *score;
	const char *name;
	struct device *dev;
};

static inline int nna_compat_sched_init(struct drm_gpu_scheduler *sched,
					const struct drm_sched_init_args *a)
{
	return drm_sched_init(sched, a->ops, a->submit_wq, a->num_rqs, a->credit_limit,
			      a->hang_limit, a->timeout, a->timeout_wq, a->score, a->name, a->dev);
}

#define drm_sched_init nna_compat_sched_init
#endif

#ifndef NNA_HAVE_SCHED_CLIENT_ID
#define drm_sched_job_init(job, entity, credits, owner, client_id) \
	((void)(client_id), (drm_sched_job_init)(job, entity, credits, owner))
#endif

#ifndef NNA_HAVE_SCHED_STAT_RESET
#define DRM_GPU_SCHED_STAT_RESET DRM_GPU_SCHED_STAT_NOMINAL
#endif

#ifndef NNA_HAVE_SCHED_STAT_NO_HANG
/*
 * The scheduler takes the job off its pending list before it calls timedout_job. On kernels without
 * NO_HANG it does not put the job back, and never frees it. drm_sched_stop() puts it back, but the
 * drm_sched_start() that must follow ends all jobs that are still running.
 */
static inline enum drm_gpu_sched_stat nna_compat_no_hang(struct drm_sched_job *job)
{
	struct drm_gpu_scheduler *sched = job->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	/* The job may have ended while it was off the list, where the free work did not find it. */
	if (!READ_ONCE(sched->pause_submit))
		queue_work(sched->submit_wq, &sched->work_free_job);
	return DRM_GPU_SCHED_STAT_RESET;
}

#define nna_job_no_hang nna_compat_no_hang
#endif

/*
 * Older kernels have a feature flag for drm_gpuvm. (A macro's name is not expanded within itself.)
 */
#ifdef NNA_HAVE_DRIVER_GEM_GPUVA
#define DRIVER_GEM (DRIVER_GEM | DRIVER_GEM_GPUVA)
#endif

#ifndef NNA_HAVE_GPUVM_MAP_REQ
struct drm_gpuvm_map_req {
	struct drm_gpuva_op_map map;
};

static inline int nna_compat_sm_map(struct drm_gpuvm *gpuvm, void *priv,
				    const struct drm_gpuvm_map_req *req)
{
	return drm_gpuvm_sm_map(gpuvm, priv, req->map.va.addr, req->map.va.range, req->map.gem.obj,
				req->map.gem.offset);
}

#define drm_gpuvm_sm_map nna_compat_sm_map
#endif

#ifndef NNA_HAVE_GPUVM_BO_OBTAIN_LOCKED
#define drm_gpuvm_bo_obtain_locked drm_gpuvm_bo_obtain
#endif

/* On older kernels the functions that expect a locked reservation have no suffix. */
#ifndef NNA_HAVE_SHMEM_LOCKED
#define drm_gem_shmem_madvise_locked drm_gem_shmem_madvise
#define drm_gem_shmem_purge_locked drm_gem_shmem_purge
#endif

/* On older kernels the number of users of an object's pages is a plain integer. */
#ifndef NNA_HAVE_SHMEM_REFCOUNT
#define nna_shmem_page_users(shmem) ((shmem)->pages_use_count)
#endif

#ifndef NNA_HAVE_GEM_IS_IMPORTED
static inline bool drm_gem_is_imported(const struct drm_gem_object *obj)
{
	return obj->import_attach;
}
#endif

#endif
