/* SPDX-License-Identifier: MIT */
/*
 * The loopback: the model of the NNA in this process, over memfds, with real rings and page tables.
 *
 *	plugin.c   the symbol that the loopback exports as a plug-in
 *	device.c   opens and closes, properties of the device, its clock
 *	memory.c   memory that the model reaches by bus addresses
 *	pgtable.c  page tables, which translate device addresses to bus addresses
 *	bo.c       BOs: create, import, export
 *	control.c  the control ring: invalidations
 *	ring.c     job rings: pushing jobs, and taking their completions
 *	job.c      jobs, from submission to their end
 *	queue.c    queues, and submission to them
 *	fence.c    waiting for a job's end
 *	leader.c   who runs the model
 *	wake.c     how threads wake each other
 *	worker.c   the thread that waits for in-fences, full rings and BOs in use
 *
 * Data and ownership
 *
 * A struct nna_loopback owns the model. Its opener owns the struct, and destroys it after all BOs,
 * queues and fences that it has created there.
 *
 * Memory comes from chunks. A chunk is memory of this process that bus addresses of the model
 * reach. A BO is a range of one chunk, so it is contiguous on both sides. A BO that is shared or
 * imported has a chunk of its own, a memfd, which is freed with the BO. The other chunks are
 * private memory, and are freed when the device is closed. Free memory is always zero. There is one
 * address space (ASID). Its page tables are pages of chunks, too, and are kept for reuse.
 *
 * A job is its own fence. The device's side and the owner of the fence hold a reference each. A job
 * without references is spare: it is reused, and freed when the device is closed. Jobs wait in
 * their queue until their in-fences have signalled and the ring has room, and go to the ring in
 * order. A queue is freed when it has been destroyed and its last job has ended.
 *
 * A destroyed BO is freed when every job that was submitted before has ended, because jobs do not
 * name the BOs that they use. Until then it is a zombie. Jobs are numbered by tickets, so a zombie
 * is free when the oldest job's ticket is not below its own.
 *
 * Threads
 *
 * The model has no threads but those that run tiles. A thread that waits for a job or an
 * invalidation runs the model, so a job whose submitter waits for it wakes no other thread. One
 * thread at a time is the leader: it serves all rings, by priority, until the event that it waits
 * for has happened. The other threads that wait are followers, and sleep. A leader that leaves
 * while there is work makes the follower that has waited longest the next leader. A leader without
 * work, whose job waits for an in-fence for example, becomes a follower, and no thread leads.
 *
 * A thread that gives work to the model without waiting for it makes a call. If no thread leads,
 * the call makes a follower the leader, or wakes the standby thread. That thread leads if no other
 * thread does 50 us later, until no work is left.
 *
 * Completions are taken in the model's interrupt callback, in the leader. The worker polls
 * in-fences, moves waiting jobs to the rings and frees zombies.
 *
 * Locks
 *
 * @jobs guards jobs, queues, rings and the list of zombies. It is held for short times only,
 * because the callback takes it. @memory guards chunks, addresses and page tables; @control guards
 * the control ring. A thread holds at most one of these three, and none of them over a system call
 * that may take long (mmap, munmap), an invalidation, or the clearing of memory. @turn guards the
 * leader and the list of followers; it may be taken within @jobs. No lock is held while a thread
 * leads. The control ring's callback and waiters use atomic variables, and need no lock.
 */
#ifndef NNA_WINSYS_LOOPBACK_H
#define NNA_WINSYS_LOOPBACK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "device/include/nnadev.h"
#include "hw/gen/nnahw.h"
#include "libnnaccel/winsys/job.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

/* Entries of each ring; a power of two. */
#define NNA_LOOPBACK_RING_SIZE 256u
/* The one address space. */
#define NNA_LOOPBACK_ASID 1u

/**
 * struct nna_loopback_chunk - memory of this process and of the model
 * @next: the next of nna_loopback.chunks
 * @fd: of a chunk that belongs to one BO: the memfd, or a copy of the caller's fd; the BO begins at
 *	its first byte. Closed with the chunk. Else -1
 * @iova: its first bus address
 * @size: bytes
 * @map: where it is mapped in this process
 * @free: allocator of its offsets; NULL for a memfd
 */
struct nna_loopback_chunk {
	struct nna_loopback_chunk *next;
	int fd;
	uint64_t iova, size;
	uint8_t *map;
	struct nna_va *free;
};

/**
 * struct nna_loopback_bo - a BO
 * @base: the part that users of the winsys see
 * @chunk: where its memory is
 * @offset: in @chunk, bytes
 * @va_size: bytes of addresses that it has taken, from @base.va on
 * @next: the next of nna_loopback.zombies
 * @ticket: of a zombie: jobs with smaller tickets may still use it
 */
struct nna_loopback_bo {
	struct nna_winsys_bo base;
	struct nna_loopback_chunk *chunk;
	uint64_t offset;
	uint64_t va_size;
	struct nna_loopback_bo *next;
	uint64_t ticket;
};

/**
 * struct nna_loopback_queue - a queue; @jobs guards all of it but @ring, which never changes
 * @ring: number of the ring that its jobs go to, which is its priority
 * @references: the creator's, and one for each job that has not ended
 * @banned: one of its jobs has faulted, or it has been cancelled; it takes no more
 * @first: the first of its jobs that are not in the ring yet
 * @last: the last of them
 * @next: the next of nna_loopback.waiting
 * @listed: it is among nna_loopback.waiting
 */
struct nna_loopback_queue {
	uint32_t ring;
	uint32_t references;
	bool banned;
	struct nna_loopback_job *first, *last;
	struct nna_loopback_queue *next;
	bool listed;
};

/**
 * struct nna_loopback_job - a job and its fence
 * @base: the part that users of the winsys see; the device has a reference until the job has ended,
 *	and @jobs guards @event
 * @ended: the job has ended; read without a lock
 * @error: 0 or a negative errno, written before @ended
 * @queue: with a reference, until the job has ended
 * @next: the next that waits in the queue, or the next spare one
 * @older: the active job that was submitted before
 * @newer: the active job that was submitted after
 * @ticket: numbers the jobs in the order of submission
 * @duration_ns: limit from when all in-fences have signalled, 0 none
 * @deadline_ns: absolute CLOCK_MONOTONIC, 0 none
 * @entry: its entry of the ring
 * @fds: copies of the in-fences' fds; -1: has signalled and is closed
 * @fd_count: length of @fds
 */
struct nna_loopback_job {
	struct nna_fence base;
	atomic_uint ended;
	int error;
	struct nna_loopback_queue *queue;
	struct nna_loopback_job *next;
	struct nna_loopback_job *older, *newer;
	uint64_t ticket;
	uint64_t duration_ns;
	uint64_t deadline_ns;
	struct nnahw_ring_entry entry;
	int *fds;
	uint32_t fd_count;
};

/**
 * struct nna_loopback_follower - a thread that waits, on its stack; under @turn but for @word
 * @next: the follower that came next, while this one is in the list
 * @previous: the follower that came before
 * @is_over: returns true when its event has happened; uses atomics, takes no lock
 * @what: the argument of @is_over
 * @until: CLOCK_MONOTONIC time in ns until which it waits; UINT64_MAX is for ever
 * @word: the futex on which it sleeps; changes when it must check @is_over again
 * @leads: it is the leader, or was made the leader while it slept; then it is not in the list
 */
struct nna_loopback_follower {
	struct nna_loopback_follower *next, *previous;
	bool (*is_over)(const void *what);
	const void *what;
	uint64_t until;
	atomic_uint word;
	bool leads;
};

/**
 * struct nna_loopback_ring - a job ring; under @jobs
 * @entries: NNA_LOOPBACK_RING_SIZE entries, which the model reads
 * @completions: as many completions, which the model writes
 * @tail: entries that have been written; it runs on and wraps at 2^32
 * @head: completions that have been taken; likewise
 * @jobs: the job of each entry between @head and @tail
 */
struct nna_loopback_ring {
	struct nnahw_ring_entry *entries;
	struct nnahw_completion *completions;
	uint32_t tail, head;
	struct nna_loopback_job *jobs[NNA_LOOPBACK_RING_SIZE];
};

/**
 * struct nna_loopback - an open loopback
 * @base: the part that users of the winsys see
 * @dev: the model
 * @threads: not used
 * @tick_offset: the device's tick minus CLOCK_MONOTONIC in ns
 * @jobs: guards all from @rings to @spare
 * @rings: one for each priority
 * @oldest: the oldest active job, that is, one which has been submitted and has not ended
 * @newest: the newest one
 * @next_ticket: of the next job
 * @waiting: queues with jobs that are not in a ring yet
 * @zombies: BOs that were destroyed while jobs were active, the latest first
 * @spare: jobs without references
 * @next_iova: bus address for the next chunk; none is used twice
 * @memory: guards all from @chunks to @spare_table_count
 * @chunks: all of them
 * @small_va: addresses for BOs below NNA_VA_LARGE_PAGE
 * @large_va: addresses for the others
 * @root: bus address of the page table's top level
 * @spare_tables: bus address of the first page table that is not used; its first entry is that of
 *	the next one. 0: none
 * @spare_table_count: their number
 * @control: guards all from @control_entries to @control_tail
 * @control_entries: of the control ring
 * @control_completions: of the control ring
 * @control_tail: entries that have been written; it runs on and wraps at 2^32
 * @control_done: completions that have been seen; written by the callback alone
 * @turn: guards all from @led to @last_follower
 * @led: a thread is the leader
 * @first_follower: of those that wait and do not lead, the one that came first
 * @last_follower: the last one
 * @calls: counts the calls, whose threads rely on the leader; changed under @turn
 * @standby: the thread that leads when no thread waits; valid if @standby_runs
 * @standby_runs: it has been started
 * @standby_calls: the futex on which it sleeps; counts the calls that need it
 * @standby_leads: how often it has led; for tests
 * @worker: the thread; valid if @worker_runs
 * @worker_runs: it has been started
 * @stop: tells both threads to end
 * @wake: an eventfd that it polls; -1: none
 */
struct nna_loopback {
	struct nna_winsys base;
	struct nnadev *dev;
	uint32_t threads;
	int64_t tick_offset;

	pthread_mutex_t jobs;
	struct nna_loopback_ring rings[NNAHW_JOB_RINGS];
	struct nna_loopback_job *oldest, *newest;
	uint64_t next_ticket;
	struct nna_loopback_queue *waiting;
	struct nna_loopback_bo *zombies;
	struct nna_loopback_job *spare;

	atomic_uint_least64_t next_iova;

	pthread_mutex_t memory;
	struct nna_loopback_chunk *chunks;
	struct nna_va *small_va, *large_va;
	uint64_t root;
	uint64_t spare_tables;
	uint64_t spare_table_count;

	pthread_mutex_t control;
	struct nnahw_ring_entry *control_entries;
	struct nnahw_completion *control_completions;
	uint32_t control_tail;
	atomic_uint control_done;

	pthread_mutex_t turn;
	bool led;
	struct nna_loopback_follower *first_follower, *last_follower;
	atomic_uint calls;
	pthread_t standby;
	bool standby_runs;
	atomic_uint standby_calls, standby_leads;

	pthread_t worker;
	bool worker_runs;
	atomic_bool stop;
	int wake;
};

/* futex(2) on a word of this process. @deadline: absolute CLOCK_MONOTONIC, NULL for ever. */
long nna_loopback_futex(atomic_uint *word, int op, uint32_t value, const struct timespec *deadline);

/* Memory and page tables. They take @memory, if nothing else is said. */

/*
 * Makes a chunk for one BO over @fd, which it owns from here on, also after a failure. Return: 0 or
 * a negative errno.
 */
int nna_loopback_chunk_add(struct nna_loopback *lb, int fd, uint64_t size,
			   struct nna_loopback_chunk **out);
/* The same over a new memfd. */
int nna_loopback_chunk_create(struct nna_loopback *lb, uint64_t size,
			      struct nna_loopback_chunk **out);
/* Frees a chunk that is in no list and that the model does not know. Takes no lock. */
void nna_loopback_chunk_destroy(struct nna_loopback_chunk *c);
/*
 * Takes zeroed memory of a chunk that several share, at an offset that is a multiple of @align.
 * Return: 0 or a negative errno.
 */
int nna_loopback_memory_take(struct nna_loopback *lb, uint64_t size, uint64_t align,
			     struct nna_loopback_chunk **chunk, uint64_t *offset);
/* Clears memory and gives it back. A chunk that belongs to one BO is freed. */
void nna_loopback_memory_give(struct nna_loopback *lb, struct nna_loopback_chunk *c,
			      uint64_t offset, uint64_t size);
/*
 * Return: the address of a bus address in this process; NULL when no chunk is there. Under @memory.
 */
void *nna_loopback_memory_of_bus(struct nna_loopback *lb, uint64_t address);

/*
 * Maps pages of the device to bus addresses. After a failure none is mapped. Return: 0 or a
 * negative errno.
 */
int nna_loopback_pgtable_map(struct nna_loopback *lb, uint64_t va, uint64_t bus, uint64_t size,
			     bool write);
/*
 * Clears a mapping of nna_loopback_pgtable_map(), and returns when the device uses no old
 * translation of it any more. @own_slots: no other BO lies in the large pages of the range, so the
 * table of small pages for its end, if there is one, is freed, too.
 */
void nna_loopback_pgtable_unmap(struct nna_loopback *lb, uint64_t va, uint64_t size,
				bool own_slots);

/* Returns when the device uses no old translation of the range any more. Takes @control. */
void nna_loopback_control_invalidate(struct nna_loopback *lb, uint64_t va, uint64_t size);
/* The control ring's interrupt, in a thread of the model. Takes no lock. */
void nna_loopback_control_irq(struct nna_loopback *lb);

/* Unmaps and frees a BO that no job uses. Takes @memory. */
void nna_loopback_bo_free(struct nna_loopback *lb, struct nna_loopback_bo *bo);

/* Jobs, queues and rings: under @jobs, if nothing else is said. */

/* Return: a job with one reference and all other members zero; NULL without memory. */
struct nna_loopback_job *nna_loopback_job_make(struct nna_loopback *lb);
/* nna_fence_put() for a caller that holds @jobs. */
void nna_loopback_job_put(struct nna_loopback *lb, struct nna_loopback_job *job);
/* The job has ended: signals the fd that is polled for it. */
void nna_loopback_job_signal(struct nna_loopback_job *job);
/* The job has ended: wakes its waiters, and drops the references on it and its queue. */
void nna_loopback_job_end(struct nna_loopback *lb, struct nna_loopback_job *job, int error);
/* Drops one reference to a job. */
void nna_loopback_queue_put(struct nna_loopback_queue *q);

/*
 * Takes memory for ring @number and tells the model. Called when the device is opened, by one
 * thread, without a lock. Return: 0 or a negative errno.
 */
int nna_loopback_ring_setup(struct nna_loopback *lb, uint32_t number,
			    struct nnahw_ring_entry **entries,
			    struct nnahw_completion **completions);
bool nna_loopback_ring_full(const struct nna_loopback_ring *ring);
/* Gives a job to the device: its in-fences have signalled, and its ring is not full. */
void nna_loopback_ring_push(struct nna_loopback *lb, struct nna_loopback_job *job);
/* The model's interrupt callback; @user is the struct nna_loopback. Takes @jobs. */
void nna_loopback_ring_irq(void *user, uint32_t vector);

/*
 * Waits until @is_over(@what) is true, which followers check when nna_loopback_leader_tell() is
 * called, or until @deadline_ns (INT64_MAX: for ever). Meanwhile runs the model, if no other thread
 * does. Without locks. Return: 0 or -ETIME.
 */
int nna_loopback_leader_wait(struct nna_loopback *lb, bool (*is_over)(const void *what),
			     const void *what, int64_t deadline_ns);
/* A doorbell was rung by a thread that will not wait. Without locks. */
void nna_loopback_leader_call(struct nna_loopback *lb);
/* An event has happened that followers may wait for. With or without @jobs. */
void nna_loopback_leader_tell(struct nna_loopback *lb);
/* The thread that stands by; @user is the struct nna_loopback. */
void *nna_loopback_leader_stand_by(void *user);

/* The thread; @user is the struct nna_loopback. Takes @jobs, and @memory for zombies. */
void *nna_loopback_worker_run(void *user);
/* Makes the worker check all queues and zombies again. With or without locks. */
void nna_loopback_worker_wake(struct nna_loopback *lb);

/* Operations of the winsys: winsys.h describes them. They take the locks that they need. */
int nna_loopback_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			   struct nna_winsys_bo **out);
int nna_loopback_bo_import(struct nna_winsys *ws, int fd, uint64_t size,
			   struct nna_winsys_bo **out);
int nna_loopback_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base);
void nna_loopback_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base);
int nna_loopback_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			      struct nna_winsys_queue **out);
void nna_loopback_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue);
void nna_loopback_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue);
int nna_loopback_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			      const struct nna_winsys_job *what, struct nna_fence **out);
int nna_loopback_fence_wait(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns);
int nna_loopback_fence_status(struct nna_winsys *ws, struct nna_fence *fence);
int nna_loopback_fence_poll(struct nna_winsys *ws, struct nna_fence *fence);
int nna_loopback_fence_export(struct nna_winsys *ws, struct nna_fence *fence);
void nna_loopback_fence_release(struct nna_winsys *ws, struct nna_fence *fence);

#endif
