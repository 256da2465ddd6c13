/* SPDX-License-Identifier: MIT */
/*
 * A listening unix socket with a name in the file system.
 */
#ifndef NNADEV_LISTENER_H
#define NNADEV_LISTENER_H

#include <stddef.h>

/**
 * nnadev_listener_open() - listen at a path
 * @path: must be free, or a socket that nobody listens on any more, which is replaced
 * @why: gets one line for people on failure
 *
 * The name appears when connections are accepted, so that its presence means ready. Only the owner
 * may connect.
 *
 * Return: the socket, or a negative errno.
 */
int nnadev_listener_open(const char *path, char *why, size_t why_size);

/* Close it and remove the name. */
void nnadev_listener_close(int listener, const char *path);

#endif
