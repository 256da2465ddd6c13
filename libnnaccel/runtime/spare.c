// SPDX-License-Identifier: MIT
/* Spare contexts, and the watchdog that frees those that no run uses (spare.h). */
#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/spare.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/clock.h"

#define MAX_SPARE_CONTEXTS 4u

void nna_spares_init(struct nna_spares *spares)
{
	spares->after_ns = NNA_SPARE_NS;
	nna_watchdog_init(&spares->watchdog);
}

void nna_spares_fini(struct nna_spares *spares)
{
	nna_watchdog_fini(&spares->watchdog);
}

void nna_spares_add(struct nna_program *program)
{
	struct nna_spares *spares = &program->device->spares;

	pthread_mutex_lock(&spares->watchdog.lock);
	program->next_of_device = spares->programs;
	spares->programs = program;
	pthread_mutex_unlock(&spares->watchdog.lock);
}

void nna_spares_remove(struct nna_program *program)
{
	struct nna_spares *spares = &program->device->spares;
	struct nna_program **link = &spares->programs;

	pthread_mutex_lock(&spares->watchdog.lock);
	while (*link && *link != program)
		link = &(*link)->next_of_device;
	if (*link)
		*link = program->next_of_device;
	pthread_mutex_unlock(&spares->watchdog.lock);
}

/* Moves spare contexts that are due to @freed. *@next: when the next one will be due. */
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

/* Does so for all programs, under the lock. Return: the contexts to be freed. */
static struct nna_context *take(struct nna_spares *spares, uint64_t *next)
{
	uint64_t now = nna_now_ns();
	struct nna_context *freed = NULL;

	*next = NNA_WATCHDOG_NEVER;
	for (struct nna_program *p = spares->programs; p; p = p->next_of_device) {
		if (p->preference == NNA_PREFER_SUSTAINED_SPEED)
			continue;
		pthread_mutex_lock(&p->lock);
		for (struct nna_variant *v = p->variants; v; v = v->next)
			take_from_variant(v, now, spares->after_ns, &freed, next);
		pthread_mutex_unlock(&p->lock);
	}
	return freed;
}

static void *watch(void *user)
{
	struct nna_device *device = user;
	struct nna_spares *spares = &device->spares;

	pthread_mutex_lock(&spares->watchdog.lock);
	while (!spares->watchdog.stop) {
		uint64_t next;
		struct nna_context *freed = take(spares, &next);

		if (freed) {
			pthread_mutex_unlock(&spares->watchdog.lock);
			while (freed) {
				struct nna_context *c = freed;

				freed = c->next;
				nna_context_destroy(device, c);
			}
			pthread_mutex_lock(&spares->watchdog.lock);
			continue;
		}
		nna_watchdog_sleep(&spares->watchdog, next);
	}
	pthread_mutex_unlock(&spares->watchdog.lock);
	return NULL;
}

/* A context of @program has become spare; the caller does not hold its lock. */
static void wake_watchdog(struct nna_program *program)
{
	struct nna_spares *spares = &program->device->spares;

	if (program->preference == NNA_PREFER_SUSTAINED_SPEED)
		return;
	pthread_mutex_lock(&spares->watchdog.lock);
	nna_watchdog_wake(&spares->watchdog, watch, program->device);
	pthread_mutex_unlock(&spares->watchdog.lock);
}

int nna_spares_get(struct nna_program *program, struct nna_variant *variant,
		   struct nna_context **out)
{
	struct nna_context *c;

	pthread_mutex_lock(&program->lock);
	c = variant->spare;
	if (c) {
		variant->spare = c->next;
		variant->spare_count--;
	}
	pthread_mutex_unlock(&program->lock);
	if (!c)
		return nna_context_create(program->device, program->priority, variant->code, out);
	*out = c;
	return 0;
}

void nna_spares_put(struct nna_program *program, struct nna_variant *variant,
		    struct nna_context *context)
{
	bool kept = false;

	if (!context)
		return;
	if (context->queue) {
		context->spare_since_ns = nna_now_ns();
		pthread_mutex_lock(&program->lock);
		if (variant->spare_count < MAX_SPARE_CONTEXTS) {
			context->next = variant->spare;
			variant->spare = context;
			variant->spare_count++;
			kept = true;
		}
		pthread_mutex_unlock(&program->lock);
	}
	if (kept)
		wake_watchdog(program);
	else
		nna_context_destroy(program->device, context);
}
