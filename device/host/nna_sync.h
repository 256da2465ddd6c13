/* SPDX-License-Identifier: MIT */
/*
 * What the model needs of the host to wait and to tell time: a clock, a mutex, an event and a gate.
 *
 * All of them are plain memory: nothing to free but the mutex and the gate.
 */
#ifndef NNA_SYNC_H
#define NNA_SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NNA_FOREVER UINT64_MAX

/* Monotonic time in ns. */
uint64_t nna_clock_now(void);

struct nna_mutex {
	pthread_mutex_t m;
};

static inline int nna_mutex_init(struct nna_mutex *mutex)
{
	return -pthread_mutex_init(&mutex->m, NULL);
}

static inline void nna_mutex_fini(struct nna_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->m);
}

static inline void nna_mutex_lock(struct nna_mutex *mutex)
{
	pthread_mutex_lock(&mutex->m);
}

static inline void nna_mutex_unlock(struct nna_mutex *mutex)
{
	pthread_mutex_unlock(&mutex->m);
}

/**
 * struct nna_event - something happened
 * @seq: grows with every nna_event_raise()
 * @sleepers: threads in nna_event_wait()
 *
 * A waiter reads @seq, looks whether there is something to do, and if not waits with the value that
 * it read: what is raised in between is not lost. Raising costs no system call while nobody sleeps.
 * Any thread may do either.
 */
struct nna_event {
	_Atomic uint32_t seq;
	_Atomic uint32_t sleepers;
};

static inline uint32_t nna_event_read(struct nna_event *event)
{
	return atomic_load(&event->seq);
}

void nna_event_raise(struct nna_event *event);

/*
 * Sleep until @event is raised after it read as @seq, or until @until (nna_clock_now() time, or
 * NNA_FOREVER).
 */
void nna_event_wait(struct nna_event *event, uint32_t seq, uint64_t until);

/**
 * struct nna_gate - one owner that works for long, and guests that it lets in between
 * @m: guards all
 * @c: somebody left
 * @owned: the owner is inside
 * @visited: a guest is inside
 * @guests: guests inside or waiting
 *
 * The owner asks nna_gate_wanted() whenever it can afford to let go (a load), and then passes
 * through nna_gate_leave() and nna_gate_enter(); guests go first.
 */
struct nna_gate {
	pthread_mutex_t m;
	pthread_cond_t c;
	bool owned;
	bool visited;
	_Atomic uint32_t guests;
};

int nna_gate_init(struct nna_gate *gate);
void nna_gate_fini(struct nna_gate *gate);
void nna_gate_enter(struct nna_gate *gate);
void nna_gate_leave(struct nna_gate *gate);

static inline bool nna_gate_wanted(struct nna_gate *gate)
{
	return atomic_load_explicit(&gate->guests, memory_order_relaxed) != 0;
}

/* For others than the owner. @knock is raised so that the owner looks up from its work. */
void nna_gate_visit(struct nna_gate *gate, struct nna_event *knock);
void nna_gate_part(struct nna_gate *gate);

#endif
