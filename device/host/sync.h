/* SPDX-License-Identifier: MIT */
/*
 * What the model needs of the host to wait and to tell time: a clock, an event and a gate.
 *
 * All of them are plain memory: only the gate has something to free.
 */
#ifndef NNADEV_SYNC_H
#define NNADEV_SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NNADEV_FOREVER UINT64_MAX

/* Monotonic time in ns. */
uint64_t nnadev_clock_now(void);

/*
 * Ask for @ns, but do not sleep, whether something is @done; for what comes sooner than a sleeper
 * wakes up. With 0 it asks once. Return: whether it is.
 */
bool nnadev_spin(bool (*done)(const void *context), const void *context, uint64_t ns);

/**
 * struct nnadev_event - something happened
 * @seq: grows with every nnadev_event_raise()
 * @sleepers: threads in nnadev_event_wait()
 *
 * A waiter reads @seq, looks whether there is something to do, and if not waits with the value that
 * it read: so it does not miss what is raised in between. Raising costs no system call while nobody
 * sleeps. Any thread may do either.
 */
struct nnadev_event {
	_Atomic uint32_t seq;
	_Atomic uint32_t sleepers;
};

static inline uint32_t nnadev_event_read(const struct nnadev_event *event)
{
	return atomic_load(&event->seq);
}

void nnadev_event_raise(struct nnadev_event *event);

/* Whether @event is raised after it read as @seq, as nnadev_spin() asks. */
bool nnadev_event_spin(const struct nnadev_event *event, uint32_t seq, uint64_t ns);

/*
 * Sleep until @event is raised after it read as @seq, or until @until (nnadev_clock_now() time, or
 * NNADEV_FOREVER).
 */
void nnadev_event_wait(struct nnadev_event *event, uint32_t seq, uint64_t until);

/**
 * struct nnadev_gate - a lock with one owner that keeps it for long, and guests that come in
 * between
 * @m: guards the other members
 * @c: signalled when somebody has left
 * @owned: the owner is inside
 * @visited: a guest is inside
 * @guests: how many guests are inside or waiting
 *
 * Whenever the owner could let others in it asks nnadev_gate_wanted(), which costs one load; if so
 * it calls nnadev_gate_leave() and then nnadev_gate_enter(), which waits until all guests have
 * left.
 */
struct nnadev_gate {
	pthread_mutex_t m;
	pthread_cond_t c;
	bool owned;
	bool visited;
	_Atomic uint32_t guests;
};

int nnadev_gate_init(struct nnadev_gate *gate);
void nnadev_gate_fini(struct nnadev_gate *gate);
void nnadev_gate_enter(struct nnadev_gate *gate);
void nnadev_gate_leave(struct nnadev_gate *gate);

static inline bool nnadev_gate_wanted(struct nnadev_gate *gate)
{
	return atomic_load_explicit(&gate->guests, memory_order_relaxed) != 0;
}

/* For guests: enter and leave. @knock is raised so that an owner who is inside asks for guests. */
void nnadev_gate_visit(struct nnadev_gate *gate, struct nnadev_event *knock);
void nnadev_gate_part(struct nnadev_gate *gate);

#endif
