/* SPDX-License-Identifier: MIT */
/* A listening unix socket with a name in the file system. */
#ifndef NNADEV_LISTENER_H
#define NNADEV_LISTENER_H

#include <stddef.h>

/**
 * nnadev_listener_open() - listen at a path
 * @path: must not exist, or be a socket without a listener, which is replaced
 * @why: on failure: written, a message of one line
 * @why_size: bytes that @why has room for
 *
 * The path appears only when the socket listens, so a client can wait for the path. Only the user
 * who runs the process may connect.
 *
 * Return: the socket, or a negative errno.
 */
int nnadev_listener_open(const char *path, char *why, size_t why_size);

/* Close the socket and unlink @path. */
void nnadev_listener_close(int listener, const char *path);

#endif
