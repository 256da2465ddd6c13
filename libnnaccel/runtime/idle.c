// SPDX-License-Identifier: MIT
/* Freeing contexts that have been spare for some seconds (idle.h). */
#include "libnnaccel/runtime/idle.h"

#include <signal.h>

#include "libnnaccel/runtime/runtime.h"

void nna_idle_init(struct nna_idle *idle)
{
	pthread_condattr_t attributes;

	idle->after_ns = NNA_IDLE_NS;
	pthread_mutex_init(&idle->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&idle->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

void nna_idle_fini(struct nna_idle *idle)
{
	pthread_mutex_lock(&idle->lock);
	idle->stop = true;
	pthread_cond_signal(&idle->changed);
	pthread_mutex_unlock(&idle->lock);
	if (idle->runs)
		pthread_join(idle->thread, NULL);
	pthread_cond_destroy(&idle->changed);
	pthread_mutex_destroy(&idle->lock);
}

void nna_idle_add(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;

	pthread_mutex_lock(&idle->lock);
	program->next_of_device = idle->programs;
	idle->programs = program;
	pthread_mutex_unlock(&idle->lock);
}

void nna_idle_remove(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;
	struct nna_program **link = &idle->programs;

	pthread_mutex_lock(&idle->lock);
	while (*link && *link != program)
		link = &(*link)->next_of_device;
	if (*link)
		*link = program->next_of_device;
	pthread_mutex_unlock(&idle->lock);
}

/* Moves spare contexts that are due to @freed. *@next: when the earliest of the others is. */
static void take_from_variant(struct nna_variant *v, uint64_t now, uint64_t after,
			      struct nna_context **freed, uint64_t *next)
{
	struct nna_context **link = &v->spare, *c;

	while ((c = *link)) {
		if (c->spare_since_ns + after > now) {
			if (c->spare_since_ns + after < *next)
				*next = c->spare_since_ns + after;
			link = &c->next;
			continue;
		}
		*link = c->next;
		v->spare_count--;
		c->next = *freed;
		*freed = c;
	}
}

/* The same of all programs, under @lock. Return: the contexts to be freed. */
static struct nna_context *take(struct nna_idle *idle, uint64_t *next)
{
	uint64_t now = nna_now_ns();
	struct nna_context *freed = NULL;

	*next = UINT64_MAX;
	for (struct nna_program *p = idle->programs; p; p = p->next_of_device) {
		if (p->preference == NNA_PREFER_SUSTAINED_SPEED)
			continue;
		pthread_mutex_lock(&p->lock);
		for (struct nna_variant *v = p->variants; v; v = v->next)
			take_from_variant(v, now, idle->after_ns, &freed, next);
		pthread_mutex_unlock(&p->lock);
	}
	return freed;
}

static void *watch(void *user)
{
	struct nna_device *device = user;
	struct nna_idle *idle = &device->idle;

	pthread_mutex_lock(&idle->lock);
	while (!idle->stop) {
		uint64_t next;
		struct nna_context *freed = take(idle, &next);

		if (freed) {
			pthread_mutex_unlock(&idle->lock);
			while (freed) {
				struct nna_context *c = freed;

				freed = c->next;
				nna_context_destroy(device, c);
			}
			pthread_mutex_lock(&idle->lock);
			continue;
		}
		if (next == UINT64_MAX) {
			idle->sleeps = true;
			pthread_cond_wait(&idle->changed, &idle->lock);
			idle->sleeps = false;
		} else {
			const struct timespec at = { next / 1000000000, next % 1000000000 };

			pthread_cond_timedwait(&idle->changed, &idle->lock, &at);
		}
	}
	pthread_mutex_unlock(&idle->lock);
	return NULL;
}

/* Starts the thread, without signals, which are for the threads of the process. */
static void start(struct nna_device *device)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	device->idle.runs = !pthread_create(&device->idle.thread, NULL, watch, device);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void nna_idle_watch(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;

	if (program->preference == NNA_PREFER_SUSTAINED_SPEED)
		return;
	pthread_mutex_lock(&idle->lock);
	/* One that waits for a time sees the new context then, which is due later. */
	if (!idle->runs && !idle->stop)
		start(program->device);
	else if (idle->sleeps)
		pthread_cond_signal(&idle->changed);
	pthread_mutex_unlock(&idle->lock);
}
