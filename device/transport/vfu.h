/* SPDX-License-Identifier: MIT */
/*
 * The vfio-user server: a device model as a PCI function on a socket, one client at a time.
 *
 * Threads
 *
 * nnadev_vfu_serve() is the transport thread. It receives all messages. It answers those that take
 * no time at once: register and configuration accesses, queries, interrupt set-up. It never waits
 * for a job: a client that gets no answer for five seconds closes the connection for good.
 *
 * The memory thread handles messages that may wait (DMA_UNMAP until no tile uses the range,
 * DEVICE_RESET, bus mastering), and DMA_MAP, which must stay in order with them. It answers when
 * the message is done. Accesses may overtake such a message: a client that depends on it waits for
 * the answer. If the client has asked for no answer, the transport thread waits for the memory
 * thread before it continues.
 *
 * Ownership
 *
 * The session owns the device, its bus and its pool of threads, every fd that arrives, and the
 * client's socket while it serves. When a client has left, the device is reset, and all mappings
 * and eventfds are closed.
 *
 * Hostile clients
 *
 * A well-formed message with wrong contents gets an error reply. A malformed stream (bad size, bad
 * type, unexpected reply, too many fds) ends the connection. So does a client that sends no
 * VERSION, stops within a message, or does not read a reply, for client_timeout_ms. Between
 * messages it may be silent for ever. Signalling its eventfds cannot block (notifier.h). It may
 * truncate its files: the process handles SIGBUS (nnadev_bus_sigbus()).
 */
#ifndef NNADEV_VFU_H
#define NNADEV_VFU_H

#include <stdbool.h>
#include <stdint.h>

#include "device/model.h"

struct nnadev_vfu;

/**
 * struct nnadev_vfu_params - how to serve
 * @model: what to serve
 * @config: its configuration, of @model->config_size bytes; read while it is made
 * @threads: threads that run tiles, one of the model's among them; 0 is one per online CPU
 * @client_timeout_ms: how long a client may keep the server waiting; 0 is 10 s
 * @verbose: also log connections, mappings and refused messages
 * @log: takes a line for the log, from any thread
 * @user: handed to @log
 */
struct nnadev_vfu_params {
	const struct nnadev_model *model;
	const void *config;
	uint32_t threads;
	uint32_t client_timeout_ms;
	bool verbose;
	void (*log)(void *user, const char *line);
	void *user;
};

/*
 * Make the device and its PCI function. Return: 0, -EINVAL when the model's table makes no PCI
 * function, another negative errno, or what @create of the model returns.
 */
int nnadev_vfu_create(const struct nnadev_vfu_params *params, struct nnadev_vfu **out);
void nnadev_vfu_destroy(struct nnadev_vfu *vfu);

/* The model's device, for what does not come over the bus (fault injection). */
void *nnadev_vfu_device(struct nnadev_vfu *vfu);

/**
 * nnadev_vfu_serve() - serve one client until it leaves
 * @vfu: the server
 * @client: a connected stream socket; taken over
 * @stop: readable when serving is to end; not consumed
 *
 * Blocks. Not reentrant.
 *
 * Return: 0 when the client left, -ECANCELED when @stop became readable, -EPROTO when the client
 * broke the protocol, -ETIMEDOUT when it kept the server waiting, another negative errno of the
 * socket.
 */
int nnadev_vfu_serve(struct nnadev_vfu *vfu, int client, int stop);

#endif
