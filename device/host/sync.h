/* SPDX-License-Identifier: MIT */
/*
 * Waiting and time: a clock, an event and a gate. Events are plain memory, with nothing to free.
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
 * Spin until @done returns true, for at most @ns. For events that come sooner than a thread that
 * sleeps would wake up. With 0 it asks once. Return: what @done returned last.
 */
bool nnadev_spin(bool (*done)(const void *context), const void *context, uint64_t ns);

/**
 * struct nnadev_event - threads wait for a counter to change
 * @seq: incremented by nnadev_event_raise()
 * @sleepers: threads in nnadev_event_wait()
 *
 * A waiter reads @seq, looks whether there is work, and if not waits with the value that it read.
 * So it cannot miss an event that is raised in between. Raising makes no system call while no
 * thread sleeps. Any thread may wait or raise.
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

/* Spin, as nnadev_spin(), until @event differs from @seq. Return: whether it does. */
bool nnadev_event_spin(const struct nnadev_event *event, uint32_t seq, uint64_t ns);

/*
 * Sleep until @event differs from @seq, or until @until (nnadev_clock_now() time, or
 * NNADEV_FOREVER).
 */
void nnadev_event_wait(struct nnadev_event *event, uint32_t seq, uint64_t until);

/**
 * struct nnadev_gate - a lock that one owner holds most of the time, and guests hold briefly
 * @m: guards the other members
 * @c: signalled when the owner or a guest has left
 * @owned: the owner is inside
 * @visited: a guest is inside
 * @guests: number of guests inside or waiting
 *
 * At each point where the owner can give the gate up it calls nnadev_gate_wanted(), which is one
 * load. If that is true it calls nnadev_gate_leave() and nnadev_gate_enter(). The latter waits
 * until all guests have left.
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

/*
 * For guests: enter and leave. If the owner is inside, @knock is raised to make it call
 * nnadev_gate_wanted().
 */
void nnadev_gate_visit(struct nnadev_gate *gate, struct nnadev_event *knock);
void nnadev_gate_part(struct nnadev_gate *gate);

#endif
