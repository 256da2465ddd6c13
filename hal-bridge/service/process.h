/* SPDX-License-Identifier: MIT */
/*
 * Processes beside the service's, which do for it what it cannot do itself or must not be able to:
 * the one that starts helpers (helper.h), and the one that names users (namer.h).
 *
 * A process is started before the service has threads and files. It is reached by a socket of
 * messages, which carry descriptors, and dies with the service.
 */
#ifndef NNB_PROCESS_H
#define NNB_PROCESS_H

#include <stddef.h>

#define NNB_PROCESS_FDS 3 /* descriptors that a message has at most */

/*
 * Starts a process. It closes all descriptors but its socket and the standard ones, calls @enter,
 * which returns 0 or a negative errno that ends the process (NULL for none), and then @run. Return:
 * the service's socket, or a negative errno.
 */
int nnb_process_start(void (*run)(int socket), int (*enter)(void));

/* Sends a message with descriptors, which stay the caller's. Return: 0 or a negative errno. */
int nnb_process_send(int socket, const void *data, size_t size, const int *fds, size_t count);
/*
 * Receives a message of exactly @size bytes with @count descriptors, which are the caller's then.
 * @flags: as for recvmsg(). Return: 0, -EPIPE after the last message of a peer that is gone, or
 * another negative errno.
 */
int nnb_process_receive(int socket, void *data, size_t size, int *fds, size_t count, int flags);

#endif
