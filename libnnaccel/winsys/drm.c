// SPDX-License-Identifier: MIT
/*
 * The DRM backend: nna.ko through its ioctls and the syncobj ioctls of the DRM core.
 *
 * Data and ownership
 *
 * One open file, one VM in it. A BO is a GEM handle that is bound for as long as it lives; handles
 * are counted, because importing the same dma-buf twice gives the same handle. A queue is a
 * context. A fence holds a syncobj, taken from a pool and given back when nobody looks at it any
 * more.
 *
 * BOs and queues may be destroyed while jobs still use them. The kernel would unmap at once and
 * drop jobs, so they become zombies that hold the syncobjs of all jobs outstanding then, and go
 * when those have signalled.
 *
 * Lock: one mutex for all tables; ioctls that may sleep for long (waits) are made without it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

#include <drm/nna_accel.h>

#include "libnnaccel/clock.h"
#include "libnnaccel/graph/graph.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

#define ACCEL_DIR "/dev/accel"
#define DRIVER_NAME "nna"
/* Outstanding jobs after which a submission looks for finished ones. */
#define OUTSTANDING_SOFT_LIMIT 64u
#define CLOCK_MAX_AGE_NS 1000000000ull

struct gem {
	struct gem *next;
	uint32_t handle;
	uint32_t references;
};

struct bo {
	struct nna_winsys_bo base;
	struct gem *gem;
	uint64_t va_size; /* addresses that it has taken, from @base.va on; 0: none yet */
};

struct queue {
	uint32_t ctx_id;
};

/* A syncobj of one job. */
struct sync {
	struct sync *next; /* spare ones, or outstanding ones in the order of submission */
	uint32_t handle;
	uint32_t references;
	bool signalled; /* known to have */
};

struct fence {
	struct sync *sync;
	pthread_mutex_t lock;
	bool done;
	int status; /* valid when done */
};

struct zombie {
	struct zombie *next;
	struct bo *bo; /* one of both */
	struct queue *queue;
	uint32_t count;
	struct sync *syncs[];
};

struct drm {
	struct nna_winsys base;
	int fd;
	char path[64];
	char driver[32];
	uint32_t vm_id;
	struct drm_nna_hw_info hw;

	pthread_mutex_t lock;
	struct gem *gems;
	struct nna_va *small_va, *large_va;
	struct sync *spare;
	struct sync *outstanding, **outstanding_end;
	uint32_t outstanding_count;
	struct zombie *zombies;

	pthread_mutex_t clock_lock;
	struct drm_nna_timestamp clock;
};

static struct drm *to_drm(struct nna_winsys *ws)
{
	return (struct drm *)ws;
}

static int ioctl_errno(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

/* ----------------------------------------------------------------------------- device addresses */

static struct nna_va *va_of(struct drm *drm, uint64_t size)
{
	return size >= NNA_VA_LARGE_PAGE ? drm->large_va : drm->small_va;
}

static int va_alloc(struct drm *drm, struct bo *bo)
{
	uint64_t unit = bo->base.size >= NNA_VA_LARGE_PAGE ? NNA_VA_LARGE_PAGE : NNA_VA_PAGE;
	uint64_t size = (bo->base.size + unit - 1) & ~(unit - 1);
	int ret = nna_va_take(va_of(drm, size), size, unit, &bo->base.va);

	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	bo->va_size = size;
	return 0;
}

static void va_free(struct drm *drm, struct bo *bo)
{
	nna_va_give(va_of(drm, bo->va_size), bo->base.va, bo->va_size);
}

static int va_init(struct drm *drm)
{
	uint64_t end = drm->hw.va_end < NNA_VA_END ? drm->hw.va_end : NNA_VA_END;

	drm->small_va = nna_va_create(NNA_VA_SMALL_START, NNA_VA_LARGE_START - NNA_VA_SMALL_START);
	drm->large_va = nna_va_create(NNA_VA_LARGE_START, end - NNA_VA_LARGE_START);
	return drm->small_va && drm->large_va ? 0 : -ENOMEM;
}

static void va_fini(struct drm *drm)
{
	nna_va_destroy(drm->small_va);
	nna_va_destroy(drm->large_va);
}

/* ------------------------------------------------------------------------------------- syncobjs */

static struct sync *sync_get(struct drm *drm)
{
	struct sync *sync = drm->spare;

	if (sync) {
		drm->spare = sync->next;
	} else {
		sync = calloc(1, sizeof(*sync));
		if (!sync)
			return NULL;
		if (drmSyncobjCreate(drm->fd, 0, &sync->handle)) {
			free(sync);
			return NULL;
		}
	}
	sync->next = NULL;
	sync->references = 1;
	sync->signalled = false;
	return sync;
}

static void sync_put(struct drm *drm, struct sync *sync)
{
	if (--sync->references)
		return;
	sync->next = drm->spare;
	drm->spare = sync;
}

static bool sync_has_signalled(struct drm *drm, struct sync *sync)
{
	if (!sync->signalled)
		sync->signalled = !drmSyncobjWait(drm->fd, &sync->handle, 1, 0, 0, NULL);
	return sync->signalled;
}

/* Forgets outstanding jobs that have ended. */
static void outstanding_prune(struct drm *drm)
{
	struct sync **link = &drm->outstanding, *sync;

	while ((sync = *link)) {
		if (sync_has_signalled(drm, sync)) {
			*link = sync->next;
			drm->outstanding_count--;
			sync_put(drm, sync);
		} else {
			link = &sync->next;
		}
	}
	drm->outstanding_end = link;
}

static void outstanding_add(struct drm *drm, struct sync *sync)
{
	sync->references++;
	sync->next = NULL;
	*drm->outstanding_end = sync;
	drm->outstanding_end = &sync->next;
	drm->outstanding_count++;
}

/* ------------------------------------------------------------------------------ BOs and zombies */

static struct gem *gem_get(struct drm *drm, uint32_t handle)
{
	struct gem *gem;

	for (gem = drm->gems; gem; gem = gem->next)
		if (gem->handle == handle) {
			gem->references++;
			return gem;
		}
	gem = malloc(sizeof(*gem));
	if (!gem) {
		drmCloseBufferHandle(drm->fd, handle);
		return NULL;
	}
	gem->handle = handle;
	gem->references = 1;
	gem->next = drm->gems;
	drm->gems = gem;
	return gem;
}

static void gem_put(struct drm *drm, struct gem *gem)
{
	struct gem **link = &drm->gems;

	if (--gem->references)
		return;
	while (*link != gem)
		link = &(*link)->next;
	*link = gem->next;
	drmCloseBufferHandle(drm->fd, gem->handle);
	free(gem);
}

static int vm_bind(struct drm *drm, uint32_t type, uint32_t flags, uint32_t handle, uint64_t va,
		   uint64_t size)
{
	struct drm_nna_vm_bind_op op = {
		.type = type, .flags = flags, .bo_handle = handle, .va = va, .size = size
	};
	struct drm_nna_vm_bind bind = { .vm_id = drm->vm_id, .ops = DRM_NNA_OBJ_ARRAY(1, &op) };

	return ioctl_errno(drm->fd, DRM_IOCTL_NNA_VM_BIND, &bind);
}

/* Frees what has been made of a BO so far. */
static void bo_free(struct drm *drm, struct bo *bo, bool bound)
{
	/* Addresses that are still bound must not be handed out again. */
	if (bound && vm_bind(drm, DRM_NNA_VM_BIND_OP_UNMAP, 0, 0, bo->base.va, bo->base.size))
		bo->va_size = 0;
	if (bo->va_size)
		va_free(drm, bo);
	if (bo->gem)
		gem_put(drm, bo->gem);
	if (bo->base.map)
		munmap(bo->base.map, bo->base.size);
	free(bo);
}

static void queue_free(struct drm *drm, struct queue *queue)
{
	struct drm_nna_ctx_destroy destroy = { .id = queue->ctx_id };

	ioctl_errno(drm->fd, DRM_IOCTL_NNA_CTX_DESTROY, &destroy);
	free(queue);
}

static void zombie_free(struct drm *drm, struct zombie *zombie)
{
	for (uint32_t i = 0; i < zombie->count; i++)
		sync_put(drm, zombie->syncs[i]);
	if (zombie->bo)
		bo_free(drm, zombie->bo, true);
	if (zombie->queue)
		queue_free(drm, zombie->queue);
	free(zombie);
}

static void zombies_reap(struct drm *drm)
{
	struct zombie **link = &drm->zombies, *zombie;

	while ((zombie = *link)) {
		while (zombie->count && sync_has_signalled(drm, zombie->syncs[zombie->count - 1]))
			sync_put(drm, zombie->syncs[--zombie->count]);
		if (zombie->count) {
			link = &zombie->next;
		} else {
			*link = zombie->next;
			zombie_free(drm, zombie);
		}
	}
}

/* Frees now or, if jobs are outstanding, when they have ended. */
static void retire(struct drm *drm, struct bo *bo, struct queue *queue)
{
	struct zombie *zombie;
	struct sync *sync;

	outstanding_prune(drm);
	zombie = calloc(1, sizeof(*zombie) + drm->outstanding_count * sizeof(zombie->syncs[0]));
	for (sync = drm->outstanding; sync; sync = sync->next) {
		if (zombie) {
			sync->references++;
			zombie->syncs[zombie->count++] = sync;
		} else {
			/* No memory to wait later: wait now. Jobs end in bounded time. */
			drmSyncobjWait(drm->fd, &sync->handle, 1, INT64_MAX, 0, NULL);
		}
	}
	if (!zombie) {
		if (bo)
			bo_free(drm, bo, true);
		else
			queue_free(drm, queue);
		return;
	}
	zombie->bo = bo;
	zombie->queue = queue;
	zombie->next = drm->zombies;
	drm->zombies = zombie;
	zombies_reap(drm);
}

static int bo_bind(struct drm *drm, struct bo *bo, uint32_t flags)
{
	int ret = va_alloc(drm, bo);

	if (ret)
		return ret;
	return vm_bind(drm, DRM_NNA_VM_BIND_OP_MAP,
		       flags & NNA_WINSYS_BO_DEVICE_READ_ONLY ? DRM_NNA_VM_BIND_OP_READONLY : 0,
		       bo->gem->handle, bo->base.va, bo->base.size);
}

static int drm_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out)
{
	struct drm *drm = to_drm(ws);
	struct drm_nna_bo_create create = {
		.size = size,
		/* Such a BO costs a submission nothing, but cannot be exported. */
		.vm_id = flags & NNA_WINSYS_BO_SHAREABLE ? 0 : drm->vm_id,
	};
	struct drm_nna_bo_mmap_offset offset = { 0 };
	struct bo *bo;
	int ret;

	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	pthread_mutex_lock(&drm->lock);
	if (drm->zombies)
		zombies_reap(drm);
	ret = ioctl_errno(drm->fd, DRM_IOCTL_NNA_BO_CREATE, &create);
	if (ret)
		goto err;
	bo->gem = gem_get(drm, create.handle);
	if (!bo->gem) {
		ret = -ENOMEM;
		goto err;
	}
	bo->base.size = create.size;
	offset.handle = create.handle;
	ret = ioctl_errno(drm->fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset);
	if (ret)
		goto err;
	bo->base.map = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, drm->fd,
			    (off_t)offset.offset);
	if (bo->base.map == MAP_FAILED) {
		bo->base.map = NULL;
		ret = -errno;
		goto err;
	}
	ret = bo_bind(drm, bo, flags);
	if (ret)
		goto err;
	pthread_mutex_unlock(&drm->lock);
	*out = &bo->base;
	return 0;
err:
	bo_free(drm, bo, false);
	pthread_mutex_unlock(&drm->lock);
	return ret;
}

/* A memfd that cannot shrink becomes a dma-buf through udmabuf. Return: a new fd, or an error. */
static int memfd_to_dmabuf(int fd, uint64_t size)
{
	struct udmabuf_create create = { .memfd = (uint32_t)fd,
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = size };
	int seals = fcntl(fd, F_GET_SEALS), udmabuf, ret;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || (seals & F_SEAL_WRITE))
		return -EINVAL;
	udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (udmabuf < 0)
		return -errno;
	ret = ioctl(udmabuf, UDMABUF_CREATE, &create);
	if (ret < 0)
		ret = -errno;
	close(udmabuf);
	return ret;
}

static int drm_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	struct drm *drm = to_drm(ws);
	int dmabuf = -1, ret;
	uint32_t handle = 0;
	struct bo *bo;
	off_t end;

	if (!size || size > SIZE_MAX - NNA_VA_PAGE)
		return -EINVAL;
	size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	end = lseek(fd, 0, SEEK_END);
	if (end >= 0 && (uint64_t)end < size)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = size;

	/* Importing and closing a handle must not cross: they may be about the same one. */
	pthread_mutex_lock(&drm->lock);
	if (drm->zombies)
		zombies_reap(drm);
	ret = drmPrimeFDToHandle(drm->fd, fd, &handle) ? -errno : 0;
	if (ret == -EINVAL) {
		dmabuf = memfd_to_dmabuf(fd, size);
		if (dmabuf >= 0)
			ret = drmPrimeFDToHandle(drm->fd, dmabuf, &handle) ? -errno : 0;
	}
	if (ret)
		goto err;
	bo->gem = gem_get(drm, handle);
	if (!bo->gem) {
		ret = -ENOMEM;
		goto err;
	}
	bo->base.map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bo->base.map == MAP_FAILED) {
		bo->base.map = NULL;
		ret = -errno;
		goto err;
	}
	ret = bo_bind(drm, bo, 0);
	if (ret)
		goto err;
	pthread_mutex_unlock(&drm->lock);
	if (dmabuf >= 0)
		close(dmabuf);
	*out = &bo->base;
	return 0;
err:
	bo_free(drm, bo, false);
	pthread_mutex_unlock(&drm->lock);
	if (dmabuf >= 0)
		close(dmabuf);
	return ret;
}

static int drm_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct bo *bo = (struct bo *)base;
	int fd;

	if (drmPrimeHandleToFD(to_drm(ws)->fd, bo->gem->handle, DRM_CLOEXEC | DRM_RDWR, &fd))
		return errno == EPERM ? -ENOTSUP : -errno;
	return fd;
}

static void drm_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct drm *drm = to_drm(ws);

	if (!base)
		return;
	pthread_mutex_lock(&drm->lock);
	retire(drm, (struct bo *)base, NULL);
	pthread_mutex_unlock(&drm->lock);
}

/* ------------------------------------------------------------------------------ queues and jobs */

static int drm_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			    struct nna_winsys_queue **out)
{
	static const uint32_t priorities[] = {
		[NNA_PRIORITY_LOW] = DRM_NNA_CTX_PRIORITY_LOW,
		[NNA_PRIORITY_MEDIUM] = DRM_NNA_CTX_PRIORITY_MEDIUM,
		[NNA_PRIORITY_HIGH] = DRM_NNA_CTX_PRIORITY_HIGH,
	};
	struct drm *drm = to_drm(ws);
	struct drm_nna_ctx_create create = { .vm_id = drm->vm_id };
	struct queue *queue;
	int ret;

	if ((unsigned int)priority >= sizeof(priorities) / sizeof(priorities[0]))
		return -EINVAL;
	create.priority = priorities[priority];
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	ret = ioctl_errno(drm->fd, DRM_IOCTL_NNA_CTX_CREATE, &create);
	if (ret) {
		free(queue);
		return ret;
	}
	queue->ctx_id = create.id;
	*out = (struct nna_winsys_queue *)queue;
	return 0;
}

static void drm_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	struct drm *drm = to_drm(ws);

	if (!queue)
		return;
	pthread_mutex_lock(&drm->lock);
	retire(drm, NULL, (struct queue *)queue);
	pthread_mutex_unlock(&drm->lock);
}

/* Takes syncobjs for the job and its in-fences: syncs[0] is what the job signals. */
static int syncs_get(struct drm *drm, const struct nna_winsys_job *job, struct sync **syncs)
{
	int ret = 0;

	pthread_mutex_lock(&drm->lock);
	if (drm->outstanding_count >= OUTSTANDING_SOFT_LIMIT)
		outstanding_prune(drm);
	for (uint32_t i = 0; i <= job->fence_count && !ret; i++) {
		syncs[i] = sync_get(drm);
		if (!syncs[i])
			ret = -ENOMEM;
	}
	pthread_mutex_unlock(&drm->lock);

	for (uint32_t i = 0; i < job->fence_count && !ret; i++)
		if (drmSyncobjImportSyncFile(drm->fd, syncs[i + 1]->handle, job->fence_fds[i]))
			ret = -errno;
	return ret;
}

static int drm_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *base,
			    const struct nna_winsys_job *job, struct nna_winsys_fence **out)
{
	struct drm *drm = to_drm(ws);
	struct queue *queue = (struct queue *)base;
	struct drm_nna_submit submit = {
		.ctx_id = queue->ctx_id,
		.stream_va = job->stream_va,
		.stream_size = job->stream_size,
		.start = job->start,
		.base_table_va = job->base_table_va,
		.slot_count = job->slot_count,
		.report_va = job->report_va,
		.deadline_ns = job->deadline_ns,
		.duration_ns = job->duration_ns,
		.budget_ns = job->budget_ns,
		.loop_limit_ns = job->loop_limit_ns,
	};
	/* The usual few without an allocation. */
	struct drm_nna_sync few_args[9] = { 0 }, *args = few_args;
	struct sync *few[9] = { 0 }, **syncs = few;
	uint32_t count = job->fence_count;
	struct fence *fence;
	int ret = -ENOMEM;

	if (count >= drm->hw.max_syncs)
		return -E2BIG;
	fence = calloc(1, sizeof(*fence));
	if (count >= 9) {
		args = calloc(count + 1, sizeof(*args));
		syncs = calloc(count + 1, sizeof(*syncs));
	}
	if (!fence || !args || !syncs)
		goto out;
	ret = syncs_get(drm, job, syncs);
	if (ret)
		goto out;
	for (uint32_t i = 0; i <= count; i++) {
		args[i].handle = syncs[i]->handle;
		args[i].flags = DRM_NNA_SYNC_TYPE_SYNCOBJ | (i ? 0 : DRM_NNA_SYNC_SIGNAL);
	}
	submit.syncs.stride = sizeof(*args);
	submit.syncs.count = count + 1;
	submit.syncs.array = (uintptr_t)args;

	/*
	 * The lock is held so that a BO or queue that is destroyed after this submission finds the
	 * job outstanding, and a queue's jobs are submitted in the order of the calls.
	 */
	pthread_mutex_lock(&drm->lock);
	ret = ioctl_errno(drm->fd, DRM_IOCTL_NNA_SUBMIT, &submit);
	if (!ret) {
		syncs[0]->references++;
		outstanding_add(drm, syncs[0]);
	}
	pthread_mutex_unlock(&drm->lock);
	if (!ret) {
		fence->sync = syncs[0];
		pthread_mutex_init(&fence->lock, NULL);
		*out = (struct nna_winsys_fence *)fence;
		fence = NULL;
	}
out:
	if (syncs) {
		pthread_mutex_lock(&drm->lock);
		for (uint32_t i = 0; i <= count; i++)
			if (syncs[i])
				sync_put(drm, syncs[i]);
		pthread_mutex_unlock(&drm->lock);
	}
	if (syncs != few)
		free(syncs);
	if (args != few_args)
		free(args);
	free(fence);
	return ret;
}

/* A syncobj says only that its fence has signalled; how, only a sync_file says. */
static int sync_status(struct drm *drm, struct sync *sync)
{
	struct sync_file_info info = { 0 };
	int fd, ret;

	if (drmSyncobjExportSyncFile(drm->fd, sync->handle, &fd))
		return -errno;
	ret = ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(fd);
	return ret < 0 ? ret : 0;
}

static int drm_fence_wait(struct nna_winsys *ws, struct nna_winsys_fence *base, int64_t deadline_ns)
{
	struct fence *fence = (struct fence *)base;
	struct drm *drm = to_drm(ws);
	int ret;

	ret = drmSyncobjWait(drm->fd, &fence->sync->handle, 1, deadline_ns, 0, NULL);
	if (ret)
		return ret;
	pthread_mutex_lock(&fence->lock);
	if (!fence->done) {
		fence->status = sync_status(drm, fence->sync);
		fence->done = true;
	}
	ret = fence->status;
	pthread_mutex_unlock(&fence->lock);

	pthread_mutex_lock(&drm->lock);
	fence->sync->signalled = true;
	/* The usual case: jobs are waited for in order. */
	while (drm->outstanding && drm->outstanding->signalled) {
		struct sync *sync = drm->outstanding;

		drm->outstanding = sync->next;
		if (!drm->outstanding)
			drm->outstanding_end = &drm->outstanding;
		drm->outstanding_count--;
		sync_put(drm, sync);
	}
	if (drm->zombies)
		zombies_reap(drm);
	pthread_mutex_unlock(&drm->lock);
	return ret;
}

static int drm_fence_export(struct nna_winsys *ws, struct nna_winsys_fence *base)
{
	int fd;

	if (drmSyncobjExportSyncFile(to_drm(ws)->fd, ((struct fence *)base)->sync->handle, &fd))
		return -errno;
	return fd;
}

static void drm_fence_destroy(struct nna_winsys *ws, struct nna_winsys_fence *base)
{
	struct fence *fence = (struct fence *)base;
	struct drm *drm = to_drm(ws);

	if (!fence)
		return;
	pthread_mutex_lock(&drm->lock);
	sync_put(drm, fence->sync);
	pthread_mutex_unlock(&drm->lock);
	pthread_mutex_destroy(&fence->lock);
	free(fence);
}

/* --------------------------------------------------------------------------------------- device */

static int query(int fd, uint32_t type, void *data, uint32_t size)
{
	struct drm_nna_dev_query q = { .type = type, .size = size, .pointer = (uintptr_t)data };

	return ioctl_errno(fd, DRM_IOCTL_NNA_DEV_QUERY, &q);
}

static void drm_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	struct drm *drm = to_drm(ws);

	*info = (struct nna_device_info){
		.sync_files = true,
		.abi_major = drm->hw.abi_major,
		.abi_minor = drm->hw.abi_minor,
		.stream_version = drm->hw.stream_version,
		.layout_version = drm->hw.layout_version,
		.job_rings = drm->hw.job_rings,
		.va_bits = drm->hw.va_bits,
		.max_slots = drm->hw.max_slots,
		.job_limit_ns = drm->hw.job_limit_ns,
	};
	snprintf(info->name, sizeof(info->name), "%s", drm->path);
	snprintf(info->driver, sizeof(info->driver), "%s", drm->driver);
}

static uint64_t drm_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	struct drm *drm = to_drm(ws);
	struct drm_nna_timestamp t;
	double delta;

	pthread_mutex_lock(&drm->clock_lock);
	if (nna_now_ns() - drm->clock.monotonic_ns > CLOCK_MAX_AGE_NS) {
		struct drm_nna_timestamp fresh;

		if (!query(drm->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &fresh, sizeof(fresh)))
			drm->clock = fresh;
	}
	t = drm->clock;
	pthread_mutex_unlock(&drm->clock_lock);

	if (drm->hw.tick_hz == 1000000000u)
		return tick - t.tick + t.monotonic_ns;
	delta = (double)(int64_t)(tick - t.tick) * 1e9 / (double)drm->hw.tick_hz;
	return t.monotonic_ns + (uint64_t)(int64_t)delta;
}

static void drm_destroy(struct nna_winsys *ws)
{
	struct drm *drm = to_drm(ws);
	struct sync *sync;

	/* Nobody else uses the winsys any more, but jobs may: let them end before the VM goes. */
	for (sync = drm->outstanding; sync; sync = sync->next)
		drmSyncobjWait(drm->fd, &sync->handle, 1, INT64_MAX, 0, NULL);
	outstanding_prune(drm);
	while (drm->zombies) {
		struct zombie *zombie = drm->zombies;

		drm->zombies = zombie->next;
		zombie_free(drm, zombie);
	}
	while ((sync = drm->spare)) {
		drm->spare = sync->next;
		drmSyncobjDestroy(drm->fd, sync->handle);
		free(sync);
	}
	va_fini(drm);
	if (drm->fd >= 0)
		close(drm->fd);
	pthread_mutex_destroy(&drm->lock);
	pthread_mutex_destroy(&drm->clock_lock);
	free(drm);
}

static const struct nna_winsys_ops drm_ops = {
	.destroy = drm_destroy,
	.get_info = drm_get_info,
	.tick_to_ns = drm_tick_to_ns,
	.bo_create = drm_bo_create,
	.bo_import = drm_bo_import,
	.bo_export = drm_bo_export,
	.bo_destroy = drm_bo_destroy,
	.queue_create = drm_queue_create,
	.queue_destroy = drm_queue_destroy,
	.queue_submit = drm_queue_submit,
	.fence_wait = drm_fence_wait,
	.fence_export = drm_fence_export,
	.fence_destroy = drm_fence_destroy,
};

/*
 * Opens a node if the nna driver serves it. Return: an fd, -ENODEV (another driver), or an error.
 */
static int open_node(const char *path, char *driver, size_t size)
{
	drmVersionPtr version;
	int fd, ret = -ENODEV;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	version = drmGetVersion(fd);
	if (version && version->name && !strcmp(version->name, DRIVER_NAME)) {
		snprintf(driver, size, "%s %d.%d", version->name, version->version_major,
			 version->version_minor);
		ret = fd;
	}
	drmFreeVersion(version);
	if (ret < 0)
		close(fd);
	return ret;
}

/* Opens the node of the lowest number; when there are some but none can be opened, says why. */
static int find_node(char *path, size_t path_size, char *driver, size_t driver_size)
{
	struct dirent **names;
	int count, ret = -ENOENT;

	count = scandir(ACCEL_DIR, &names, NULL, versionsort);
	if (count < 0)
		return -ENOENT;
	for (int i = 0; i < count; i++) {
		if (ret < 0 && !strncmp(names[i]->d_name, "accel", 5)) {
			int fd;

			snprintf(path, path_size, ACCEL_DIR "/%.40s", names[i]->d_name);
			fd = open_node(path, driver, driver_size);
			if (fd >= 0 || (fd != -ENODEV && ret == -ENOENT))
				ret = fd;
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int nna_winsys_drm_create(const char *path, const struct nna_device_options *options,
			  struct nna_winsys **out)
{
	struct drm_nna_vm_create vm = { 0 };
	struct drm *drm;
	int ret;

	drm = calloc(1, sizeof(*drm));
	if (!drm)
		return -ENOMEM;
	drm->base.ops = &drm_ops;
	if (options)
		drm->base.log = options->log;
	drm->outstanding_end = &drm->outstanding;
	drm->fd = -1;
	pthread_mutex_init(&drm->lock, NULL);
	pthread_mutex_init(&drm->clock_lock, NULL);

	if (path) {
		snprintf(drm->path, sizeof(drm->path), "%s", path);
		ret = open_node(path, drm->driver, sizeof(drm->driver));
	} else {
		ret = find_node(drm->path, sizeof(drm->path), drm->driver, sizeof(drm->driver));
	}
	if (ret < 0)
		goto err;
	drm->fd = ret;
	ret = query(drm->fd, DRM_NNA_DEV_QUERY_HW_INFO, &drm->hw, sizeof(drm->hw));
	if (ret)
		goto err;
	ret = query(drm->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &drm->clock, sizeof(drm->clock));
	if (ret)
		goto err;
	ret = va_init(drm);
	if (ret)
		goto err;
	ret = ioctl_errno(drm->fd, DRM_IOCTL_NNA_VM_CREATE, &vm);
	if (ret)
		goto err;
	drm->vm_id = vm.id;
	*out = &drm->base;
	return 0;
err:
	drm_destroy(&drm->base);
	return ret;
}
