// SPDX-License-Identifier: MIT
/* The thread of a watchdog (watchdog.h). */
#include "libnnaccel/watchdog.h"

#include <signal.h>

void nna_watchdog_init(struct nna_watchdog *watchdog)
{
	pthread_condattr_t attributes;

	*watchdog = (struct nna_watchdog){0};
	pthread_mutex_init(&watchdog->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watchdog->changed, &attributes);
	pthread_condattr_destroy(&attributes);
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

bool nna_watchdog_start(struct nna_watchdog *watchdog, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;

	if (watchdog->runs || watchdog->stop)
		return false;
	/* A thread inherits the mask of the one that starts it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	watchdog->runs = !pthread_create(&watchdog->thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return watchdog->runs;
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
