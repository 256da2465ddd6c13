// SPDX-License-Identifier: MIT
#include "device/host/thread.h"

#include <signal.h>

int nnadev_thread_create(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
	sigset_t blocked, old;
	int r;

	sigfillset(&blocked);
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGFPE);
	sigdelset(&blocked, SIGILL);
	sigdelset(&blocked, SIGTRAP);
	/* A new thread inherits the signal mask of its creator. */
	pthread_sigmask(SIG_SETMASK, &blocked, &old);
	r = pthread_create(thread, NULL, main, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -r;
}
