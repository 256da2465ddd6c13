// SPDX-License-Identifier: MIT
/* The service's watchdog (idle.h). */
#include "hal-bridge/service/idle.h"

#include "hal-bridge/service/service.h"
#include "libnnaccel/support/clock.h"

void nnb_idle_init(struct nnb_idle *idle, struct nnb_service *service)
{
	*idle = (struct nnb_idle){.service = service, .period_ns = NNB_IDLE_NS};
	nna_watchdog_init(&idle->watchdog);
}

void nnb_idle_fini(struct nnb_idle *idle)
{
	nna_watchdog_fini(&idle->watchdog);
}

static void *nnb_idle_run(void *arg)
{
	struct nnb_idle *idle = arg;
	bool left;

	pthread_mutex_lock(&idle->watchdog.lock);
	while (!idle->watchdog.stop) {
		uint64_t end;

		if (!idle->kept) {
			nna_watchdog_sleep(&idle->watchdog, NNA_WATCHDOG_NEVER);
			continue;
		}
		end = nna_now_ns() + idle->period_ns;
		while (!idle->watchdog.stop && nna_watchdog_sleep(&idle->watchdog, end))
			;
		/* What is kept from here on may come too late for this sweep. */
		idle->kept = false;
		pthread_mutex_unlock(&idle->watchdog.lock);
		left = nnb_service_sweep(idle->service);
		pthread_mutex_lock(&idle->watchdog.lock);
		idle->kept |= left;
	}
	pthread_mutex_unlock(&idle->watchdog.lock);
	return NULL;
}

void nnb_idle_watch(struct nnb_idle *idle)
{
	pthread_mutex_lock(&idle->watchdog.lock);
	idle->kept = true;
	nna_watchdog_wake(&idle->watchdog, nnb_idle_run, idle);
	pthread_mutex_unlock(&idle->watchdog.lock);
}
