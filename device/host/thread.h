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
 * Signals are the process's concern, but for those that a thread brings upon itself, such as
 * SIGBUS.
 *
 * Return: 0 or a negative errno.
 */
int nnadev_thread_create(pthread_t *thread, void *(*main)(void *arg), void *arg);

#endif
