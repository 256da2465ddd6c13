/* SPDX-License-Identifier: MIT */
/* A listening unix socket with a name in the file system. */
#ifndef NNADEV_LISTENER_H
#define NNADEV_LISTENER_H

#include <stddef.h>

/**
 * nnadev_listener_open() - listen at a path
 * @path: must be free, or a socket that nobody listens on any more, which is replaced
 * @why: on failure: written, one line for people
 * @why_size: bytes that @why has room for
 *
 * The name appears when connections are accepted, so who waits for the server can wait for the
 * name. Only the user who runs the process may connect.
 *
 * Return: the socket, or a negative errno.
 */
int nnadev_listener_open(const char *path, char *why, size_t why_size);

/* Close the socket and remove the name. */
void nnadev_listener_close(int listener, const char *path);

#endif
