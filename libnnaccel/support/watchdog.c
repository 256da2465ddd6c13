// SPDX-License-Identifier: MIT
/* The thread of a watchdog (watchdog.h). */
#include "libnnaccel/support/watchdog.h"

#include <time.h>

#include "libnnaccel/support/thread.h"

void nna_watchdog_init(struct nna_watchdog *watchdog)
{
	*watchdog = (struct nna_watchdog){0};
	pthread_mutex_init(&watchdog->lock, NULL);
	nna_cond_init(&watchdog->changed);
}

void nna_watchdog_fini(struct nna_watchdog *watchdog)
{
	pthread_mutex_lock(&watchdog->lock);
	watchdog->stop = true;
	pthread_cond_signal(&watchdog->changed);
	pthread_mutex_unlock(&watchdog->lock);
	if (watchdog->runs)
		pthread_join(watchdog->thread, NULL);
	pthread_cond_destroy(&watchdog->changed);
	pthread_mutex_destroy(&watchdog->lock);
}

void nna_watchdog_wake(struct nna_watchdog *watchdog, void *(*run)(void *arg), void *arg)
{
	if (watchdog->sleeps)
		pthread_cond_signal(&watchdog->changed);
	else if (!watchdog->runs && !watchdog->stop)
		watchdog->runs = !nna_thread_start(&watchdog->thread, "nna-watchdog", run, arg);
}

bool nna_watchdog_sleep(struct nna_watchdog *watchdog, uint64_t until_ns)
{
	const struct timespec at = {
		.tv_sec = (time_t)(until_ns / 1000000000),
		.tv_nsec = (long)(until_ns % 1000000000),
	};

	if (until_ns != NNA_WATCHDOG_NEVER)
		return !pthread_cond_timedwait(&watchdog->changed, &watchdog->lock, &at);
	watchdog->sleeps = true;
	pthread_cond_wait(&watchdog->changed, &watchdog->lock);
	watchdog->sleeps = false;
	return true;
}
