/* SPDX-License-Identifier: MIT */
/*
 * Threads of the library, of its plug-in and of the bridge. They live in other people's processes,
 * so none of a process's signals goes to them. Every folder may include this file.
 */
#ifndef NNA_THREAD_H
#define NNA_THREAD_H

#include <pthread.h>

/**
 * nna_thread_start() - start a thread that takes none of the process's signals
 * @thread: written; NULL for one that nobody joins
 * @name: of up to 15 characters, which debuggers show; NULL for the process's, as of those that
 *	nobody joins
 * @run: what it runs, with @arg
 *
 * A signal that a thread brings upon itself, such as SIGBUS, still finds the process's handler.
 *
 * Return: 0 or a negative errno.
 */
int nna_thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

/* Initialises a condition whose timed waits tell the time as nna_now_ns() does. */
void nna_cond_init(pthread_cond_t *cond);

#endif
