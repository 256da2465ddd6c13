// SPDX-License-Identifier: MIT
/* Freeing contexts that have been spare for some seconds (idle.h). */
#include "libnnaccel/runtime/idle.h"

#include "libnnaccel/runtime/runtime.h"

void nna_idle_init(struct nna_idle *idle)
{
	idle->after_ns = NNA_IDLE_NS;
	nna_watchdog_init(&idle->watchdog);
}

void nna_idle_fini(struct nna_idle *idle)
{
	nna_watchdog_fini(&idle->watchdog);
}

void nna_idle_add(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;

	pthread_mutex_lock(&idle->watchdog.lock);
	program->next_of_device = idle->programs;
	idle->programs = program;
	pthread_mutex_unlock(&idle->watchdog.lock);
}

void nna_idle_remove(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;
	struct nna_program **link = &idle->programs;

	pthread_mutex_lock(&idle->watchdog.lock);
	while (*link && *link != program)
		link = &(*link)->next_of_device;
	if (*link)
		*link = program->next_of_device;
	pthread_mutex_unlock(&idle->watchdog.lock);
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

/* The same of all programs, under the lock. Return: the contexts to be freed. */
static struct nna_context *take(struct nna_idle *idle, uint64_t *next)
{
	uint64_t now = nna_now_ns();
	struct nna_context *freed = NULL;

	*next = NNA_WATCHDOG_NEVER;
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

	pthread_mutex_lock(&idle->watchdog.lock);
	while (!idle->watchdog.stop) {
		uint64_t next;
		struct nna_context *freed = take(idle, &next);

		if (freed) {
			pthread_mutex_unlock(&idle->watchdog.lock);
			while (freed) {
				struct nna_context *c = freed;

				freed = c->next;
				nna_context_destroy(device, c);
			}
			pthread_mutex_lock(&idle->watchdog.lock);
			continue;
		}
		nna_watchdog_sleep(&idle->watchdog, next);
	}
	pthread_mutex_unlock(&idle->watchdog.lock);
	return NULL;
}

void nna_idle_watch(struct nna_program *program)
{
	struct nna_idle *idle = &program->device->idle;

	if (program->preference == NNA_PREFER_SUSTAINED_SPEED)
		return;
	pthread_mutex_lock(&idle->watchdog.lock);
	nna_watchdog_wake(&idle->watchdog, watch, program->device);
	pthread_mutex_unlock(&idle->watchdog.lock);
}
