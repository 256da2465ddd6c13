/* SPDX-License-Identifier: MIT */
/*
 * Accepts clients: one at a time, others are refused at once.
 *
 * A thread serves the client (vfu.h: the transport thread). Meanwhile the caller of
 * nnadev_server_run() accepts connections. It closes each further connection, so that no client
 * waits for one that may stay for ever. A connection that comes after the client has hung up waits
 * until the state of that client is gone.
 */
#ifndef NNADEV_SERVER_H
#define NNADEV_SERVER_H

#include <stdbool.h>

#include "device/transport/vfu.h"

struct nnadev_server;

/**
 * nnadev_server_create() - start the thread
 * @vfu: must outlive it
 * @stop: readable when serving is to end; not consumed
 * @out: to be given to nnadev_server_destroy()
 *
 * Return: 0, or a negative errno.
 */
int nnadev_server_create(struct nnadev_vfu *vfu, int stop, struct nnadev_server **out);

/* End the thread. Either @stop is readable, or there is no client. NULL is fine. */
void nnadev_server_destroy(struct nnadev_server *server);

/**
 * nnadev_server_run() - serve client after client
 * @server: the server
 * @listener: a listening stream socket, non-blocking
 * @once: end when the first client has left
 *
 * Return: 0 when @stop is readable or, with @once, the client has hung up; or a negative errno.
 */
int nnadev_server_run(struct nnadev_server *server, int listener, bool once);

/* End the connection of the client, if there is one. May be called from any thread. */
void nnadev_server_disconnect(struct nnadev_server *server);

#endif
