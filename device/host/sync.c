// SPDX-License-Identifier: MIT
#include "device/host/sync.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t nnadev_clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void nnadev_event_raise(struct nnadev_event *event)
{
	atomic_fetch_add(&event->seq, 1);
	if (atomic_load(&event->sleepers))
		syscall(SYS_futex, &event->seq, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static inline void pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

bool nnadev_spin(bool (*done)(const void *context), const void *context, uint64_t ns)
{
	uint64_t until = 0, now;

	/* The clock is read once for several calls of @done: reading it takes longer than those. */
	while (ns && !done(context)) {
		for (uint32_t i = 0; i < 32 && !done(context); i++)
			pause_cpu();
		now = nnadev_clock_now();
		until = until ? until : now + ns;
		if (now >= until)
			break;
	}
	return done(context);
}

/* An event, and the value that was read from it. */
struct reading {
	const struct nnadev_event *event;
	uint32_t seq;
};

static bool is_raised(const void *context)
{
	const struct reading *reading = context;

	return nnadev_event_read(reading->event) != reading->seq;
}

bool nnadev_event_spin(const struct nnadev_event *event, uint32_t seq, uint64_t ns)
{
	const struct reading reading = { event, seq };

	return nnadev_spin(is_raised, &reading, ns);
}

void nnadev_event_wait(struct nnadev_event *event, uint32_t seq, uint64_t until)
{
	struct timespec t, *limit = NULL;

	if (until != NNADEV_FOREVER) {
		t.tv_sec = (time_t)(until / 1000000000u);
		t.tv_nsec = (long)(until % 1000000000u);
		limit = &t;
	}
	atomic_fetch_add(&event->sleepers, 1);
	while (atomic_load(&event->seq) == seq) {
		/* WAIT_BITSET takes an absolute CLOCK_MONOTONIC time. */
		long r = syscall(SYS_futex, &event->seq, FUTEX_WAIT_BITSET_PRIVATE, seq, limit,
				 NULL, FUTEX_BITSET_MATCH_ANY);

		if (r && until != NNADEV_FOREVER && nnadev_clock_now() >= until)
			break;
	}
	atomic_fetch_sub(&event->sleepers, 1);
}

int nnadev_gate_init(struct nnadev_gate *gate)
{
	int r = pthread_mutex_init(&gate->m, NULL);

	if (r)
		return -r;
	r = pthread_cond_init(&gate->c, NULL);
	if (r)
		pthread_mutex_destroy(&gate->m);
	gate->owned = false;
	gate->visited = false;
	atomic_init(&gate->guests, 0);
	return -r;
}

void nnadev_gate_fini(struct nnadev_gate *gate)
{
	pthread_cond_destroy(&gate->c);
	pthread_mutex_destroy(&gate->m);
}

void nnadev_gate_enter(struct nnadev_gate *gate)
{
	pthread_mutex_lock(&gate->m);
	while (atomic_load(&gate->guests))
		pthread_cond_wait(&gate->c, &gate->m);
	gate->owned = true;
	pthread_mutex_unlock(&gate->m);
}

void nnadev_gate_leave(struct nnadev_gate *gate)
{
	pthread_mutex_lock(&gate->m);
	gate->owned = false;
	if (atomic_load(&gate->guests))
		pthread_cond_broadcast(&gate->c);
	pthread_mutex_unlock(&gate->m);
}

void nnadev_gate_visit(struct nnadev_gate *gate, struct nnadev_event *knock)
{
	pthread_mutex_lock(&gate->m);
	atomic_fetch_add(&gate->guests, 1);
	if (gate->owned)
		nnadev_event_raise(knock);
	while (gate->owned || gate->visited)
		pthread_cond_wait(&gate->c, &gate->m);
	gate->visited = true;
	pthread_mutex_unlock(&gate->m);
}

void nnadev_gate_part(struct nnadev_gate *gate)
{
	pthread_mutex_lock(&gate->m);
	gate->visited = false;
	atomic_fetch_sub(&gate->guests, 1);
	pthread_cond_broadcast(&gate->c);
	pthread_mutex_unlock(&gate->m);
}
