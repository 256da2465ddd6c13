// SPDX-License-Identifier: MIT
/* The service's watchdog (idle.h). */
#include "hal-bridge/service/idle.h"

#include <time.h>

#include "hal-bridge/service/service.h"
#include "libnnaccel/clock.h"

void nnb_idle_init(struct nnb_idle *idle, struct nnb_service *service)
{
	pthread_condattr_t attributes;

	*idle = (struct nnb_idle){.service = service, .period_ns = NNB_IDLE_NS};
	pthread_mutex_init(&idle->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&idle->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

void nnb_idle_fini(struct nnb_idle *idle)
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

/* With the lock. */
static void nnb_idle_sleep(struct nnb_idle *idle)
{
	const uint64_t end = nna_now_ns() + idle->period_ns;
	const struct timespec at = {(time_t)(end / 1000000000), (long)(end % 1000000000)};

	while (!idle->stop && !pthread_cond_timedwait(&idle->changed, &idle->lock, &at))
		;
}

static void *nnb_idle_run(void *arg)
{
	struct nnb_idle *idle = arg;
	bool left;

	pthread_mutex_lock(&idle->lock);
	while (!idle->stop) {
		if (!idle->kept) {
			pthread_cond_wait(&idle->changed, &idle->lock);
			continue;
		}
		nnb_idle_sleep(idle);
		/* What is kept from here on may come too late for this sweep. */
		idle->kept = false;
		pthread_mutex_unlock(&idle->lock);
		left = nnb_service_sweep(idle->service);
		pthread_mutex_lock(&idle->lock);
		idle->kept |= left;
	}
	pthread_mutex_unlock(&idle->lock);
	return NULL;
}

void nnb_idle_watch(struct nnb_idle *idle)
{
	pthread_mutex_lock(&idle->lock);
	idle->kept = true;
	if (!idle->runs && !idle->stop)
		idle->runs = !pthread_create(&idle->thread, NULL, nnb_idle_run, idle);
	pthread_cond_signal(&idle->changed);
	pthread_mutex_unlock(&idle->lock);
}
