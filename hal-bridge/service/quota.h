/* SPDX-License-Identifier: MIT */
/* Quotas: limits of what the clients of a user hold together. */
#ifndef NNB_QUOTA_H
#define NNB_QUOTA_H

#include <stdint.h>

struct nnb_client;

/**
 * struct nnb_quota - a limit, or an amount, of what the clients of a user hold together
 * @models: prepared models, including those being compiled
 * @bytes: of device buffers, and of copied inputs and outputs, while their execution exists
 * @objects: bursts, reusable executions, device buffers, and memories that the first two keep; each
 *	may take one of the descriptors that all clients share
 * @jobs: executions under way
 * @kept: memories of calls that are kept for later calls (memory_cache.h)
 */
struct nnb_quota {
	uint64_t models, bytes, objects, jobs, kept;
};

#define NNB_QUOTA_OBJECTS 4096u /* the default */

/*
 * Charges the client's user with an amount. Return: 0, or -EAGAIN if that would exceed the quota;
 * then nothing is charged.
 */
int nnb_quota_charge(struct nnb_client *client, const struct nnb_quota *amount);
void nnb_quota_discharge(struct nnb_client *client, const struct nnb_quota *amount);

#endif
