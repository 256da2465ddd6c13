/* SPDX-License-Identifier: MIT */
/*
 * Quotas: limits of what the clients of a user hold together. What a client makes the service hold
 * is charged before it is taken, and discharged when its object is freed. A refusal writes a line
 * to the log.
 *
 *	memory			charged by
 *	BOs, compiled programs	the library (nnb_client_charge()): device buffers, constants that
 *				are packed, streams, scratch, staging; and memory of clients that
 *				is imported, by its size, since to pin a hole fills it
 *	mapped memory		nnb_memory_open(), by its size
 *	queues of a burst	nnb_hidl_burst_create(): the size of their files, and as much
 *				again for copies of packets
 *	constants and tables	nnb_graph_create(), until the last reference to the graph is dropped
 *	of a graph
 *	copied arguments,	nnb_run_init()
 *	tables of a run
 *	roles of a buffer	nnb_buffer_allocate()
 */
#ifndef NNB_QUOTA_H
#define NNB_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct nnb_client;

/**
 * struct nnb_quota - a limit, or an amount, of what the clients of a user hold together
 * @models: prepared models, including those being compiled
 * @bytes: of memory, as above
 * @objects: bursts, reusable executions, fenced executions until the client drops their callback,
 *	device buffers, and memories that the first two keep; each may take one of the descriptors
 *	that all clients share
 * @jobs: executions under way
 * @kept: memories of calls that are kept for later calls (memory_cache.h)
 */
struct nnb_quota {
	uint64_t models, bytes, objects, jobs, kept;
};

#define NNB_QUOTA_OBJECTS 4096u /* the default */

/*
 * Charges the client's user with an amount. Return: 0, or -EAGAIN if that would exceed the quota;
 * then nothing is charged, and a line in the log says what is exceeded. No lock is taken inside.
 */
int nnb_quota_charge(struct nnb_client *client, const struct nnb_quota *amount);
void nnb_quota_discharge(struct nnb_client *client, const struct nnb_quota *amount);

/* The account of a client's device (struct nna_device_options). @client: a struct nnb_client. */
bool nnb_client_charge(void *client, uint64_t bytes);
void nnb_client_discharge(void *client, uint64_t bytes);

#endif
