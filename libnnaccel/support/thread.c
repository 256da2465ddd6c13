// SPDX-License-Identifier: MIT
#include "libnnaccel/support/thread.h"

#include <signal.h>
#include <time.h>

int nna_thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg)
{
	static const int own[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP };
	pthread_attr_t attributes;
	sigset_t blocked, before;
	pthread_t made;
	int ret;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&blocked, own[i]);
	pthread_attr_init(&attributes);
	if (!thread)
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* A thread inherits the mask of the one that starts it. */
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	ret = pthread_create(&made, &attributes, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (!ret && name)
		pthread_setname_np(made, name);
	if (!ret && thread)
		*thread = made;
	return -ret;
}

void nna_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}
