// SPDX-License-Identifier: MIT
/*
 * The loopback: the model of the NNA in this process, over memfds, with real rings and page tables.
 *
 * Data and ownership
 *
 * Memory comes from chunks: a memfd each, mapped into this process and into the model's bus
 * addresses. A BO is a range of one chunk, so it is contiguous on both sides; BOs that are shared
 * or imported have a chunk of their own. Free memory is always zero. There is one address space
 * (ASID 1); its page tables are pages of chunks too.
 *
 * A job is its fence: it is made by submit and lives until the device is done with it and the fence
 * has been destroyed. Jobs of a queue wait in the queue until their in-fences have signalled and
 * the ring has room, and go to the ring in order. A destroyed BO goes when every job submitted
 * before has ended: jobs do not name the BOs that they touch.
 *
 * Threads: completions are taken in the model's interrupt callback. A worker polls in-fences, moves
 * waiting jobs to the rings and frees BOs. Locks: @jobs (short, taken in the callback), then
 * nothing; @memory (BOs, page tables), then
 * @control (the control ring). @jobs and @memory are never held together.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "libnnaccel/clock.h"
#include "libnnaccel/graph/graph.h"
#include "hw/gen/nnahw.h"
#include "device/include/nnadev.h"
#include "libnnaccel/winsys/status.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

#define CHUNK (64ull << 20)
#define RING_SIZE 256u
#define ASID 1u
#define FIRST_IOVA 0x40000000ull

struct chunk {
	struct chunk *next;
	int fd;
	uint64_t iova, size;
	uint8_t *map;
	struct nna_va *free;
	bool own; /* of a single BO */
};

struct bo {
	struct nna_winsys_bo base;
	struct chunk *chunk;
	uint64_t offset; /* in the chunk */
	uint64_t va_size;
	struct bo *next; /* among those that wait for jobs */
	uint64_t ticket;
};

struct queue {
	uint32_t ring;
	uint32_t references; /* the creator and each job */
	bool banned;
	struct job *first, *last; /* not yet in the ring */
	struct queue *next; /* of all queues with waiting jobs */
	bool listed;
};

/* Also the fence. */
struct job {
	atomic_uint done; /* futex */
	int error; /* valid when done */
	uint32_t references; /* the device's side, and the fence's owner; under @jobs */
	struct queue *queue;
	struct job *next; /* in the queue, or among the spare ones */
	struct job *older, *newer; /* active jobs in the order of submission */
	uint64_t ticket;
	uint64_t duration_ns;
	uint64_t deadline_ns;
	struct nnahw_ring_entry entry;
	int *fds;
	uint32_t fd_count;
};

struct ring {
	struct nnahw_ring_entry *entries;
	struct nnahw_completion *completions;
	uint32_t tail, head; /* free-running */
	struct job *jobs[RING_SIZE];
};

struct loopback {
	struct nna_winsys base;
	struct nnadev *dev;
	uint32_t threads;
	int64_t tick_offset; /* tick - CLOCK_MONOTONIC */

	pthread_mutex_t jobs;
	struct ring rings[NNAHW_JOB_RINGS];
	struct job *oldest, *newest;
	uint64_t next_ticket;
	struct queue *waiting;
	struct bo *zombies;
	struct job *spare;

	pthread_mutex_t memory;
	struct chunk *chunks;
	uint64_t next_iova;
	struct nna_va *small_va, *large_va;
	uint64_t root; /* bus address */
	/* bus address of the first free page table, linked by their first entry */
	uint64_t spare_tables;

	pthread_mutex_t control;
	struct nnahw_ring_entry *control_entries;
	struct nnahw_completion *control_completions;
	uint32_t control_tail;
	atomic_uint control_done;

	pthread_t worker;
	bool worker_runs;
	atomic_bool stop;
	int wake; /* eventfd */
};

static long futex(atomic_uint *word, int op, uint32_t value, const struct timespec *deadline)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, deadline, NULL,
		       FUTEX_BITSET_MATCH_ANY);
}

/* --------------------------------------------------------------------------------------- memory */

static void chunk_free(struct loopback *lb, struct chunk *c)
{
	struct chunk **link = &lb->chunks;

	while (*link && *link != c)
		link = &(*link)->next;
	if (*link)
		*link = c->next;
	nnadev_dma_unmap(lb->dev, c->iova, c->size);
	munmap(c->map, c->size);
	close(c->fd);
	nna_va_destroy(c->free);
	free(c);
}

/* A chunk over @fd, which it takes over also on failure. */
static int chunk_add(struct loopback *lb, int fd, uint64_t size, bool own, struct chunk **out)
{
	struct chunk *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		goto fail;
	c->fd = fd;
	c->size = size;
	c->own = own;
	c->iova = lb->next_iova;
	c->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (c->map == MAP_FAILED) {
		ret = -errno;
		goto fail;
	}
	if (!own) {
		c->free = nna_va_create(0, size);
		if (!c->free) {
			munmap(c->map, size);
			goto fail;
		}
	}
	ret = nnadev_dma_map(lb->dev, c->iova, size, fd, 0, NNADEV_PROT_READ | NNADEV_PROT_WRITE);
	if (ret) {
		munmap(c->map, size);
		nna_va_destroy(c->free);
		goto fail;
	}
	lb->next_iova += (size + NNA_VA_LARGE_PAGE - 1) & ~(NNA_VA_LARGE_PAGE - 1);
	c->next = lb->chunks;
	lb->chunks = c;
	*out = c;
	return 0;
fail:
	free(c);
	close(fd);
	return ret;
}

static int chunk_create(struct loopback *lb, uint64_t size, bool own, struct chunk **out)
{
	int fd = memfd_create("nna", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (size > INT64_MAX || ftruncate(fd, size)) {
		int ret = size > INT64_MAX ? -ENOMEM : -errno;

		close(fd);
		return ret;
	}
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	return chunk_add(lb, fd, size, own, out);
}

/* Zeroed memory of a shared chunk. */
static int memory_take(struct loopback *lb, uint64_t size, uint64_t align, struct chunk **chunk,
		       uint64_t *offset)
{
	uint64_t room = (size + CHUNK - 1) & ~(CHUNK - 1);
	struct chunk *c;
	int ret;

	for (c = lb->chunks; c; c = c->next) {
		if (c->own)
			continue;
		ret = nna_va_take(c->free, size, align, offset);
		if (!ret) {
			*chunk = c;
			return 0;
		}
		if (ret != -ENOSPC)
			return ret;
	}
	if (room < size)
		return -ENOMEM;
	ret = chunk_create(lb, room, false, &c);
	if (ret)
		return ret;
	*chunk = c;
	return nna_va_take(c->free, size, align, offset);
}

static void memory_give(struct loopback *lb, struct chunk *c, uint64_t offset, uint64_t size)
{
	if (c->own) {
		chunk_free(lb, c);
		return;
	}
	if (size < NNA_VA_LARGE_PAGE ||
	    fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size))
		memset(c->map + offset, 0, size);
	nna_va_give(c->free, offset, size);
}

static void *bus_to_cpu(struct loopback *lb, uint64_t address)
{
	for (struct chunk *c = lb->chunks; c; c = c->next)
		if (address >= c->iova && address - c->iova < c->size)
			return c->map + (address - c->iova);
	return NULL;
}

/* ---------------------------------------------------------------------------------- page tables */

/* The model reads entries while we write them: each is one atomic word. */
static void pte_write(uint64_t *entry, uint64_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

static int table_take(struct loopback *lb, uint64_t *bus)
{
	struct chunk *c;
	uint64_t offset;
	int ret;

	if (lb->spare_tables) {
		uint64_t *table = bus_to_cpu(lb, lb->spare_tables);

		*bus = lb->spare_tables;
		lb->spare_tables = table[0];
		table[0] = 0;
		return 0;
	}
	ret = memory_take(lb, NNA_VA_PAGE, NNA_VA_PAGE, &c, &offset);
	if (ret)
		return ret;
	*bus = c->iova + offset;
	return 0;
}

static void table_give(struct loopback *lb, uint64_t bus)
{
	uint64_t *table = bus_to_cpu(lb, bus);

	memset(table, 0, NNA_VA_PAGE);
	table[0] = lb->spare_tables;
	lb->spare_tables = bus;
}

/*
 * The entry of @va at @level (0 or 1); tables above are made when @make, else NULL where there is
 * none.
 */
static int pt_entry(struct loopback *lb, uint64_t va, unsigned int level, bool make, uint64_t **out)
{
	uint64_t *table = bus_to_cpu(lb, lb->root);

	for (unsigned int at = NNAHW_PT_LEVELS - 1;; at--) {
		uint64_t *entry =
			&table[va >> (NNAHW_PAGE_SHIFT + 9 * at) & (NNAHW_PT_ENTRIES - 1)];
		uint64_t bus;
		int ret;

		if (at == level) {
			*out = entry;
			return 0;
		}
		if (!(*entry & NNAHW_PTE_VALID) || (at == 1 && *entry & NNAHW_PTE_LARGE)) {
			*out = NULL;
			if (!make)
				return 0;
			ret = table_take(lb, &bus);
			if (ret)
				return ret;
			pte_write(entry, bus | NNAHW_PTE_VALID);
		}
		table = bus_to_cpu(lb, *entry & NNAHW_PTE_ADDRESS);
	}
}

static int pt_map(struct loopback *lb, uint64_t va, uint64_t bus, uint64_t size, bool write)
{
	uint64_t flags = NNAHW_PTE_VALID | (write ? NNAHW_PTE_WRITE : 0);

	while (size) {
		uint64_t *entry;
		int ret;

		if (!((va | bus) & (NNA_VA_LARGE_PAGE - 1)) && size >= NNA_VA_LARGE_PAGE) {
			ret = pt_entry(lb, va, 1, true, &entry);
			if (ret)
				return ret;
			if (!(*entry & NNAHW_PTE_VALID)) {
				pte_write(entry, bus | flags | NNAHW_PTE_LARGE);
				va += NNA_VA_LARGE_PAGE;
				bus += NNA_VA_LARGE_PAGE;
				size -= NNA_VA_LARGE_PAGE;
				continue;
			}
		}
		ret = pt_entry(lb, va, 0, true, &entry);
		if (ret)
			return ret;
		/* The rest of this table at once. */
		do {
			pte_write(entry++, bus | flags);
			va += NNA_VA_PAGE;
			bus += NNA_VA_PAGE;
			size -= NNA_VA_PAGE;
		} while (size && va & (NNA_VA_LARGE_PAGE - 1));
	}
	return 0;
}

/*
 * Clears a range. A BO with slots of 2 MiB of its own has one table at most, that of its tail: it
 * is taken out, and *table names it, to be given back after the invalidation.
 */
static void pt_unmap(struct loopback *lb, uint64_t va, uint64_t size, bool own_slots,
		     uint64_t *table)
{
	while (size) {
		uint64_t step = NNA_VA_LARGE_PAGE - (va & (NNA_VA_LARGE_PAGE - 1));
		uint64_t *entry, *leaf;

		if (step > size)
			step = size;
		pt_entry(lb, va, 1, false, &entry);
		if (entry && *entry & NNAHW_PTE_VALID) {
			if (*entry & NNAHW_PTE_LARGE) {
				pte_write(entry, 0);
			} else if (own_slots) {
				*table = *entry & NNAHW_PTE_ADDRESS;
				pte_write(entry, 0);
			} else {
				pt_entry(lb, va, 0, false, &leaf);
				for (uint64_t at = 0; at < step; at += NNA_VA_PAGE)
					pte_write(leaf++, 0);
			}
		}
		va += step;
		size -= step;
	}
}

/* --------------------------------------------------------------------------------- control ring */

/* Returns when no translation of the range is in use any more. */
static void invalidate(struct loopback *lb, uint64_t va, uint64_t size)
{
	uint32_t slot;

	pthread_mutex_lock(&lb->control);
	slot = lb->control_tail & (RING_SIZE - 1);
	lb->control_entries[slot] = (struct nnahw_ring_entry){
		.type = NNAHW_ENTRY_INVALIDATE,
		.seqno = lb->control_tail + 1,
		.asid = ASID,
		.address = va,
		.length = size,
	};
	lb->control_tail++;
	atomic_thread_fence(memory_order_release);
	nnadev_reg_write(lb->dev, NNAHW_DOORBELLS + 4 * NNAHW_CONTROL_RING, 4, lb->control_tail);
	for (;;) {
		uint32_t done = atomic_load_explicit(&lb->control_done, memory_order_acquire);

		if (done == lb->control_tail)
			break;
		futex(&lb->control_done, FUTEX_WAIT_BITSET, done, NULL);
	}
	pthread_mutex_unlock(&lb->control);
}

static void control_irq(struct loopback *lb)
{
	uint32_t done = atomic_load_explicit(&lb->control_done, memory_order_relaxed);

	for (;;) {
		struct nnahw_completion *c = &lb->control_completions[done & (RING_SIZE - 1)];
		uint16_t flags = __atomic_load_n(&c->flags, __ATOMIC_ACQUIRE);

		if ((flags & NNAHW_COMPLETION_PHASE) != !(done / RING_SIZE & 1))
			break;
		done++;
	}
	atomic_store_explicit(&lb->control_done, done, memory_order_release);
	futex(&lb->control_done, FUTEX_WAKE_BITSET, INT32_MAX, NULL);
}

/* ------------------------------------------------------------------------------------------ BOs */

static int bo_map(struct loopback *lb, struct bo *bo, uint32_t flags)
{
	bool large = bo->base.size >= NNA_VA_LARGE_PAGE;
	uint64_t unit = large ? NNA_VA_LARGE_PAGE : NNA_VA_PAGE, table = 0;
	int ret;

	bo->va_size = (bo->base.size + unit - 1) & ~(unit - 1);
	ret = nna_va_take(large ? lb->large_va : lb->small_va, bo->va_size, unit, &bo->base.va);
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	ret = pt_map(lb, bo->base.va, bo->chunk->iova + bo->offset, bo->base.size,
		     !(flags & NNA_WINSYS_BO_DEVICE_READ_ONLY));
	if (!ret)
		return 0;
	pt_unmap(lb, bo->base.va, bo->base.size, large, &table);
	invalidate(lb, bo->base.va, bo->base.size);
	if (table)
		table_give(lb, table);
	nna_va_give(large ? lb->large_va : lb->small_va, bo->base.va, bo->va_size);
	return ret;
}

static int bo_finish(struct loopback *lb, struct bo *bo, uint32_t flags, struct nna_winsys_bo **out)
{
	int ret;

	bo->base.map = bo->chunk->map + bo->offset;
	ret = bo_map(lb, bo, flags);
	if (ret) {
		memory_give(lb, bo->chunk, bo->offset, bo->base.size);
		free(bo);
		return ret;
	}
	*out = &bo->base;
	return 0;
}

static int lb_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			struct nna_winsys_bo **out)
{
	struct loopback *lb = (struct loopback *)ws;
	struct bo *bo;
	int ret;

	if (!size || size > (1ull << 40))
		return size ? -ENOMEM : -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	pthread_mutex_lock(&lb->memory);
	if (flags & NNA_WINSYS_BO_SHAREABLE)
		ret = chunk_create(lb, bo->base.size, true, &bo->chunk);
	else
		ret = memory_take(lb, bo->base.size,
				  bo->base.size >= NNA_VA_LARGE_PAGE ? NNA_VA_LARGE_PAGE
								     : NNA_VA_PAGE,
				  &bo->chunk, &bo->offset);
	if (ret)
		free(bo);
	else
		ret = bo_finish(lb, bo, flags, out);
	pthread_mutex_unlock(&lb->memory);
	return ret;
}

static int lb_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	struct loopback *lb = (struct loopback *)ws;
	struct stat st;
	struct bo *bo;
	int copy, ret;

	if (!size || size > (1ull << 40))
		return -EINVAL;
	if (fstat(fd, &st))
		return -errno;
	/* Anything but a file of memory would be written back, or has no pages to share. */
	if (!S_ISREG(st.st_mode) || fcntl(fd, F_GET_SEALS) < 0)
		return -ENOTSUP;
	if ((uint64_t)st.st_size < size)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0) {
		ret = -errno;
		free(bo);
		return ret;
	}
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	pthread_mutex_lock(&lb->memory);
	ret = chunk_add(lb, copy, bo->base.size, true, &bo->chunk);
	if (ret)
		free(bo);
	else
		ret = bo_finish(lb, bo, 0, out);
	pthread_mutex_unlock(&lb->memory);
	/* Sealed or opened against writing. */
	return ret == -EPERM || ret == -EACCES ? -ENOTSUP : ret;
}

static int lb_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct bo *bo = (struct bo *)base;
	int fd;

	if (!bo->chunk->own)
		return -ENOTSUP;
	fd = fcntl(bo->chunk->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static void bo_free(struct loopback *lb, struct bo *bo)
{
	bool large = bo->base.size >= NNA_VA_LARGE_PAGE;
	uint64_t table = 0;

	pthread_mutex_lock(&lb->memory);
	pt_unmap(lb, bo->base.va, bo->base.size, large, &table);
	invalidate(lb, bo->base.va, bo->base.size);
	if (table)
		table_give(lb, table);
	nna_va_give(large ? lb->large_va : lb->small_va, bo->base.va, bo->va_size);
	memory_give(lb, bo->chunk, bo->offset, bo->base.size);
	pthread_mutex_unlock(&lb->memory);
	free(bo);
}

static void lb_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct loopback *lb = (struct loopback *)ws;
	struct bo *bo = (struct bo *)base;
	bool busy;

	if (!bo)
		return;
	pthread_mutex_lock(&lb->jobs);
	busy = lb->oldest;
	if (busy) {
		bo->ticket = lb->next_ticket;
		bo->next = lb->zombies;
		lb->zombies = bo;
	}
	pthread_mutex_unlock(&lb->jobs);
	if (!busy)
		bo_free(lb, bo);
}

/* ----------------------------------------------------------------------------------------- jobs */

static void wake_worker(struct loopback *lb)
{
	uint64_t one = 1;

	while (write(lb->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void close_fds(struct job *job)
{
	for (uint32_t i = 0; i < job->fd_count; i++)
		if (job->fds[i] >= 0)
			close(job->fds[i]);
	free(job->fds);
	job->fds = NULL;
	job->fd_count = 0;
}

static void queue_put(struct queue *q)
{
	if (!--q->references)
		free(q);
}

/* Under @jobs. */
static void job_put(struct loopback *lb, struct job *job)
{
	if (--job->references)
		return;
	job->next = lb->spare;
	lb->spare = job;
}

/*
 * Under @jobs: the job has ended. Its memory stays valid until the caller has woken waiters: spare
 * jobs are never freed.
 */
static void job_end(struct loopback *lb, struct job *job, int error)
{
	if (job->older)
		job->older->newer = job->newer;
	else
		lb->oldest = job->newer;
	if (job->newer)
		job->newer->older = job->older;
	else
		lb->newest = job->older;
	job->error = error;
	close_fds(job);
	queue_put(job->queue);
	job->queue = NULL;
	atomic_store_explicit(&job->done, 1, memory_order_release);
	futex(&job->done, FUTEX_WAKE_BITSET, INT32_MAX, NULL);
	job_put(lb, job);
}

static void raise_irq(void *user, uint32_t vector)
{
	struct loopback *lb = user;
	struct ring *ring;
	bool more;

	if (vector == NNAHW_CONTROL_RING) {
		control_irq(lb);
		return;
	}
	if (vector >= NNAHW_JOB_RINGS)
		return;
	pthread_mutex_lock(&lb->jobs);
	ring = &lb->rings[vector];
	while (ring->head != ring->tail) {
		struct nnahw_completion *c = &ring->completions[ring->head & (RING_SIZE - 1)];
		uint16_t flags = __atomic_load_n(&c->flags, __ATOMIC_ACQUIRE);
		struct job *job = ring->jobs[ring->head & (RING_SIZE - 1)];
		int error;

		if ((flags & NNAHW_COMPLETION_PHASE) != !(ring->head / RING_SIZE & 1))
			break;
		error = nna_status_error(c->status);
		if (c->seqno != job->entry.seqno)
			error = -EIO;
		ring->head++;
		job->queue->banned |= nna_status_bans(c->status);
		job_end(lb, job, error);
	}
	more = lb->waiting ||
	       (lb->zombies && (!lb->oldest || lb->oldest->ticket >= lb->zombies->ticket));
	pthread_mutex_unlock(&lb->jobs);
	if (more)
		wake_worker(lb);
}

static bool ring_full(const struct ring *ring)
{
	return ring->tail - ring->head == RING_SIZE;
}

/* Under @jobs: the job's in-fences have signalled and the ring has room. */
static void ring_push(struct loopback *lb, struct job *job)
{
	uint32_t number = job->queue->ring;
	struct ring *ring = &lb->rings[number];
	uint32_t slot = ring->tail & (RING_SIZE - 1);
	uint64_t deadline = job->deadline_ns;

	if (job->duration_ns) {
		uint64_t end = nna_now_ns();

		if (__builtin_add_overflow(end, job->duration_ns, &end))
			end = INT64_MAX;
		if (!deadline || end < deadline)
			deadline = end;
	}
	if (deadline) {
		int64_t tick;

		if (deadline > INT64_MAX ||
		    __builtin_add_overflow((int64_t)deadline, lb->tick_offset, &tick))
			tick = INT64_MAX;
		job->entry.deadline = tick > 0 ? tick : 1;
	}
	job->entry.seqno = ring->tail + 1;
	ring->jobs[slot] = job;
	ring->entries[slot] = job->entry;
	ring->tail++;
	atomic_thread_fence(memory_order_release);
	nnadev_reg_write(lb->dev, NNAHW_DOORBELLS + 4 * number, 4, ring->tail);
}

/* Under @jobs. */
static struct job *job_make(struct loopback *lb)
{
	struct job *job = lb->spare;

	if (job) {
		lb->spare = job->next;
		memset(job, 0, sizeof(*job));
	} else {
		job = calloc(1, sizeof(*job));
	}
	return job;
}

static int lb_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			   const struct nna_winsys_job *what, struct nna_winsys_fence **out)
{
	struct loopback *lb = (struct loopback *)ws;
	struct queue *q = (struct queue *)queue;
	struct job *job;
	int *fds = NULL;
	bool wake = false;

	if (what->want_fd)
		return -ENOTSUP;
	if (what->fence_count) {
		fds = malloc(sizeof(*fds) * what->fence_count);
		if (!fds)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < what->fence_count; i++) {
		fds[i] = fcntl(what->fence_fds[i], F_DUPFD_CLOEXEC, 0);
		if (fds[i] < 0) {
			int ret = -errno;

			while (i--)
				close(fds[i]);
			free(fds);
			return ret;
		}
	}
	pthread_mutex_lock(&lb->jobs);
	job = q->banned ? NULL : job_make(lb);
	if (!job) {
		int ret = q->banned ? -ECANCELED : -ENOMEM;

		pthread_mutex_unlock(&lb->jobs);
		for (uint32_t i = 0; i < what->fence_count; i++)
			close(fds[i]);
		free(fds);
		return ret;
	}
	job->references = 2;
	job->queue = q;
	job->ticket = lb->next_ticket++;
	job->deadline_ns = what->deadline_ns;
	job->duration_ns = what->duration_ns;
	job->fds = fds;
	job->fd_count = what->fence_count;
	job->entry = (struct nnahw_ring_entry){
		.type = NNAHW_ENTRY_JOB,
		.asid = ASID,
		.root = lb->root,
		.stream = what->stream_va,
		.stream_size = what->stream_size,
		.start = what->start,
		.base_table = what->base_table_va,
		.slot_count = what->slot_count,
		.report = what->report_va,
		.budget = what->budget_ns,
		.loop_limit = what->loop_limit_ns,
	};
	q->references++;
	job->older = lb->newest;
	if (lb->newest)
		lb->newest->newer = job;
	else
		lb->oldest = job;
	lb->newest = job;
	*out = (struct nna_winsys_fence *)job;
	if (!q->first && !job->fd_count && !ring_full(&lb->rings[q->ring])) {
		ring_push(lb, job);
	} else {
		if (q->last)
			q->last->next = job;
		else
			q->first = job;
		q->last = job;
		if (!q->listed) {
			q->listed = true;
			q->next = lb->waiting;
			lb->waiting = q;
		}
		wake = true;
	}
	pthread_mutex_unlock(&lb->jobs);
	if (wake)
		wake_worker(lb);
	return 0;
}

static int lb_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			   struct nna_winsys_queue **out)
{
	struct queue *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->references = 1;
	q->ring = priority <= NNA_PRIORITY_HIGH ? (uint32_t)priority : NNA_PRIORITY_HIGH;
	*out = (struct nna_winsys_queue *)q;
	return 0;
}

static void lb_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	struct loopback *lb = (struct loopback *)ws;
	struct queue *q = (struct queue *)queue;

	if (!q)
		return;
	pthread_mutex_lock(&lb->jobs);
	queue_put(q);
	pthread_mutex_unlock(&lb->jobs);
}

static int lb_fence_wait(struct nna_winsys *ws, struct nna_winsys_fence *fence, int64_t deadline_ns)
{
	struct job *job = (struct job *)fence;
	struct timespec deadline = { deadline_ns / 1000000000, deadline_ns % 1000000000 };

	while (!atomic_load_explicit(&job->done, memory_order_acquire)) {
		if (futex(&job->done, FUTEX_WAIT_BITSET, 0,
			  deadline_ns == INT64_MAX ? NULL : &deadline) &&
		    errno == ETIMEDOUT)
			return atomic_load_explicit(&job->done, memory_order_acquire) ? job->error
										      : -ETIME;
	}
	return job->error;
}

static int lb_fence_export(struct nna_winsys *ws, struct nna_winsys_fence *fence)
{
	return -ENOTSUP;
}

static void lb_fence_destroy(struct nna_winsys *ws, struct nna_winsys_fence *fence)
{
	struct loopback *lb = (struct loopback *)ws;

	if (!fence)
		return;
	pthread_mutex_lock(&lb->jobs);
	job_put(lb, (struct job *)fence);
	pthread_mutex_unlock(&lb->jobs);
}

/* --------------------------------------------------------------------------------------- worker */

/* Whether a signalled fd says that what it stands for has failed. */
static int in_fence_error(int fd, short revents)
{
	struct sync_file_info info = { 0 };

	if (revents & POLLNVAL)
		return -EBADF;
	if (!ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return info.status < 0 ? info.status : 0;
	return revents & POLLERR ? -EIO : 0;
}

/* Under @jobs: the first job of a queue; true when it has no in-fences left. */
static bool fences_done(struct job *job)
{
	for (uint32_t i = 0; i < job->fd_count; i++)
		if (job->fds[i] >= 0)
			return false;
	return true;
}

/*
 * Under @jobs: looks at the fds of waiting jobs, and moves jobs whose turn has come to their rings.
 * Return: fds that are still to be polled, also in *polls when it has room for them.
 */
static uint32_t advance(struct loopback *lb, struct pollfd *polls, uint32_t room)
{
	struct queue **link = &lb->waiting;
	uint32_t count = 0;

	while (*link) {
		struct queue *q = *link;

		while (q->first) {
			struct job *job = q->first;
			int error = q->banned ? -ECANCELED : 0;

			for (uint32_t i = 0; i < job->fd_count && !error; i++) {
				struct pollfd p = { .fd = job->fds[i], .events = POLLIN };

				if (job->fds[i] < 0)
					continue;
				if (poll(&p, 1, 0) <= 0) {
					if (count < room)
						polls[count] = p;
					count++;
					continue;
				}
				error = in_fence_error(p.fd, p.revents);
				close(p.fd);
				job->fds[i] = -1;
			}
			if (!error && (!fences_done(job) || ring_full(&lb->rings[q->ring])))
				break;
			q->first = job->next;
			if (!q->first)
				q->last = NULL;
			job->next = NULL;
			if (error) {
				/* A reference keeps the queue for this loop. */
				q->references++;
				job_end(lb, job, error == -ECANCELED ? error : -ECANCELED);
				q->references--;
			} else {
				ring_push(lb, job);
			}
		}
		if (q->first) {
			link = &q->next;
		} else {
			*link = q->next;
			q->listed = false;
			q->next = NULL;
			if (!q->references)
				free(q);
		}
	}
	return count;
}

/* BOs that no job before their end can touch any more. */
static void free_zombies(struct loopback *lb)
{
	struct bo *ready = NULL, **link;

	pthread_mutex_lock(&lb->jobs);
	link = &lb->zombies;
	while (*link) {
		struct bo *bo = *link;

		if (lb->oldest && lb->oldest->ticket < bo->ticket) {
			link = &bo->next;
			continue;
		}
		*link = bo->next;
		bo->next = ready;
		ready = bo;
	}
	pthread_mutex_unlock(&lb->jobs);
	while (ready) {
		struct bo *next = ready->next;

		bo_free(lb, ready);
		ready = next;
	}
}

static void *worker(void *user)
{
	struct loopback *lb = user;
	struct pollfd *polls = NULL;
	uint32_t room = 0;

	while (!atomic_load(&lb->stop)) {
		struct pollfd one = { .fd = lb->wake, .events = POLLIN };
		struct pollfd *list;
		uint32_t count;
		uint64_t ignored;
		int timeout = -1;

		pthread_mutex_lock(&lb->jobs);
		count = advance(lb, polls ? polls + 1 : NULL, room);
		pthread_mutex_unlock(&lb->jobs);
		free_zombies(lb);
		if (count > room) {
			struct pollfd *grown = realloc(polls, sizeof(*polls) * ((size_t)count + 1));

			if (grown) {
				polls = grown;
				room = count;
				continue;
			}
			/* Without memory: look again from time to time. */
			count = room;
			timeout = 10;
		}
		list = polls ? polls : &one;
		list[0] = one;
		if (poll(list, (polls ? count : 0) + 1, timeout) > 0 && list[0].revents & POLLIN &&
		    read(lb->wake, &ignored, sizeof(ignored)) < 0)
			continue; /* taken already */
	}
	free(polls);
	return NULL;
}

/* ------------------------------------------------------------------------------- set-up and end */

static void lb_destroy(struct nna_winsys *ws)
{
	struct loopback *lb = (struct loopback *)ws;

	if (lb->worker_runs) {
		atomic_store(&lb->stop, true);
		wake_worker(lb);
		pthread_join(lb->worker, NULL);
	}
	/* Callbacks end with the model; chunks are unmapped with it. */
	nnadev_destroy(lb->dev);
	while (lb->oldest)
		job_end(lb, lb->oldest, -ENODEV);
	while (lb->spare) {
		struct job *next = lb->spare->next;

		free(lb->spare);
		lb->spare = next;
	}
	while (lb->zombies) {
		struct bo *next = lb->zombies->next;

		free(lb->zombies);
		lb->zombies = next;
	}
	while (lb->chunks) {
		struct chunk *c = lb->chunks;

		lb->chunks = c->next;
		munmap(c->map, c->size);
		close(c->fd);
		nna_va_destroy(c->free);
		free(c);
	}
	nna_va_destroy(lb->small_va);
	nna_va_destroy(lb->large_va);
	if (lb->wake >= 0)
		close(lb->wake);
	pthread_mutex_destroy(&lb->jobs);
	pthread_mutex_destroy(&lb->memory);
	pthread_mutex_destroy(&lb->control);
	free(lb);
}

static void lb_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	struct loopback *lb = (struct loopback *)ws;
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

static uint64_t lb_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	return tick - ((struct loopback *)ws)->tick_offset;
}

static const struct nna_winsys_ops loopback_ops = {
	.destroy = lb_destroy,
	.get_info = lb_get_info,
	.tick_to_ns = lb_tick_to_ns,
	.bo_create = lb_bo_create,
	.bo_import = lb_bo_import,
	.bo_export = lb_bo_export,
	.bo_destroy = lb_bo_destroy,
	.queue_create = lb_queue_create,
	.queue_destroy = lb_queue_destroy,
	.queue_submit = lb_queue_submit,
	.fence_wait = lb_fence_wait,
	.fence_export = lb_fence_export,
	.fence_destroy = lb_fence_destroy,
};

static void device_log(void *user, const char *line)
{
	struct loopback *lb = user;

	nna_log_print(&lb->base.log, NNA_LOG_WARNING, "loopback: %s", line);
}

/* A ring's two arrays lie in pages of a chunk; entries first. */
static int ring_setup(struct loopback *lb, uint32_t number, struct nnahw_ring_entry **entries,
		      struct nnahw_completion **completions)
{
	uint64_t at = NNAHW_RING_REGS + (uint64_t)number * NNAHW_RING_STRIDE;
	uint64_t entry_bytes =
		(RING_SIZE * sizeof(**entries) + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	uint64_t bytes = entry_bytes + ((RING_SIZE * sizeof(**completions) + NNA_VA_PAGE - 1) &
					~(NNA_VA_PAGE - 1));
	struct chunk *c;
	uint64_t offset;
	int ret = memory_take(lb, bytes, NNA_VA_PAGE, &c, &offset);

	if (ret)
		return ret;
	*entries = (void *)(c->map + offset);
	*completions = (void *)(c->map + offset + entry_bytes);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_BASE, 8, c->iova + offset);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_CQ_BASE, 8, c->iova + offset + entry_bytes);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_SIZE, 4, RING_SIZE);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_VECTOR, 4, number);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_CONTROL, 4, NNAHW_RING_REG_CONTROL_ENABLE);
	if (nnadev_reg_read(lb->dev, at + NNAHW_RING_REG_STATUS, 4) & NNAHW_RING_REG_STATUS_ERROR)
		return -EIO;
	return 0;
}

int nna_winsys_loopback_create(const struct nna_device_options *options, struct nna_winsys **out)
{
	struct loopback *lb = calloc(1, sizeof(*lb));
	struct nnadev_params params = {
		.threads = options ? options->threads : 0,
		.isa = options ? options->isa : NNADEV_ISA_AUTO,
		.raise_irq = raise_irq,
		.log = device_log,
		.user = lb,
	};
	struct chunk *c;
	uint64_t offset, before, tick;
	int ret;

	if (!lb)
		return -ENOMEM;
	lb->base.ops = &loopback_ops;
	if (options)
		lb->base.log = options->log;
	pthread_mutex_init(&lb->jobs, NULL);
	pthread_mutex_init(&lb->memory, NULL);
	pthread_mutex_init(&lb->control, NULL);
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
	ret = memory_take(lb, NNA_VA_PAGE, NNA_VA_PAGE, &c, &offset);
	if (ret)
		goto fail;
	lb->root = c->iova + offset;
	for (uint32_t i = 0; !ret && i < NNAHW_JOB_RINGS; i++)
		ret = ring_setup(lb, i, &lb->rings[i].entries, &lb->rings[i].completions);
	if (!ret)
		ret = ring_setup(lb, NNAHW_CONTROL_RING, &lb->control_entries,
				 &lb->control_completions);
	if (ret)
		goto fail;
	nnadev_reg_write(lb->dev, NNAHW_REG_CONTROL, 4, NNAHW_REG_CONTROL_ENABLE);
	before = nna_now_ns();
	tick = nnadev_reg_read(lb->dev, NNAHW_REG_TIMESTAMP, 8);
	lb->tick_offset = (int64_t)(tick - (before + nna_now_ns()) / 2);
	ret = -pthread_create(&lb->worker, NULL, worker, lb);
	if (ret)
		goto fail;
	lb->worker_runs = true;
	*out = &lb->base;
	return 0;
fail:
	lb_destroy(&lb->base);
	return ret;
}
