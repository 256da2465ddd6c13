// SPDX-License-Identifier: MIT
/* The service's watchdog (idle.h). */
#include "hal-bridge/service/idle.h"

#include "libnnaccel/support/clock.h"

void nnb_idle_init(struct nnb_idle *idle)
{
	*idle = (struct nnb_idle){.period_ns = NNB_IDLE_NS};
	nna_watchdog_init(&idle->watchdog);
}

void nnb_idle_fini(struct nnb_idle *idle)
{
	nna_watchdog_fini(&idle->watchdog);
}

void nnb_idle_start(struct nnb_idle *idle, void *(*run)(void *arg), void *arg)
{
	pthread_mutex_lock(&idle->watchdog.lock);
	nna_watchdog_wake(&idle->watchdog, run, arg);
	pthread_mutex_unlock(&idle->watchdog.lock);
}

void nnb_idle_watch(struct nnb_idle *idle)
{
	pthread_mutex_lock(&idle->watchdog.lock);
	idle->kept = true;
	if (idle->watchdog.sleeps)
		pthread_cond_signal(&idle->watchdog.changed);
	pthread_mutex_unlock(&idle->watchdog.lock);
}

bool nnb_idle_wait(struct nnb_idle *idle)
{
	struct nna_watchdog *watchdog = &idle->watchdog;
	uint64_t end;
	bool due;

	pthread_mutex_lock(&watchdog->lock);
	while (!watchdog->stop && !idle->kept)
		nna_watchdog_sleep(watchdog, NNA_WATCHDOG_NEVER);
	end = nna_now_ns() + idle->period_ns;
	while (!watchdog->stop && nna_watchdog_sleep(watchdog, end))
		;
	/* Memory that is kept from here on may miss this sweep. */
	idle->kept = false;
	due = !watchdog->stop;
	pthread_mutex_unlock(&watchdog->lock);
	return due;
}

void nnb_idle_tell(struct nnb_idle *idle, bool left)
{
	pthread_mutex_lock(&idle->watchdog.lock);
	idle->kept |= left;
	pthread_mutex_unlock(&idle->watchdog.lock);
}
