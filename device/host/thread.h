/* SPDX-License-Identifier: MIT */
/* Threads of the model. */
#ifndef NNADEV_THREAD_H
#define NNADEV_THREAD_H

#include <pthread.h>

/**
 * nnadev_thread_create() - start a thread that takes none of the process's signals
 * @thread: written
 * @main: what it runs, with @arg
 *
 * All signals are blocked in it. Those that the thread itself causes, such as SIGBUS, are delivered
 * all the same.
 *
 * Return: 0 or a negative errno.
 */
int nnadev_thread_create(pthread_t *thread, void *(*main)(void *arg), void *arg);

#endif
