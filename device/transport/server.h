/* SPDX-License-Identifier: MIT */
/*
 * Who may be the client: one at a time, and others are told at once.
 *
 * A thread serves the client (vfu.h: the transport thread). The caller of nnadev_server_run()
 * answers the door meanwhile: it closes the connection of whoever else comes, so that nobody waits
 * for a client that stays. Who comes after the client has hung up waits until its traces are gone.
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

/* End the thread; @stop must be readable, or no client there. NULL is fine. */
void nnadev_server_destroy(struct nnadev_server *server);

/**
 * nnadev_server_run() - serve client after client
 * @server: the server
 * @listener: a listening stream socket, non-blocking
 * @once: end when the first client has left
 *
 * Return: 0 when @stop said so or, with @once, the client has left in order; or a negative errno.
 */
int nnadev_server_run(struct nnadev_server *server, int listener, bool once);

/* End the connection of the client, if there is one. From any thread. */
void nnadev_server_disconnect(struct nnadev_server *server);

#endif
