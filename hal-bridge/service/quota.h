/* SPDX-License-Identifier: MIT */
/* Quotas: the most that the clients of a user may have at a time, and what they have. */
#ifndef NNB_QUOTA_H
#define NNB_QUOTA_H

#include <stdint.h>

struct nnb_client;

/**
 * struct nnb_quota - the most that the clients of a user may have at a time
 * @models: prepared models, those that are being compiled included
 * @bytes: of device buffers, and of inputs and outputs that have to be copied, for as long as their
 *	execution is there
 * @objects: bursts, reusable executions, device buffers, and memories of the client's that the
 *	first two keep, which may each take one of the descriptors that all clients share
 * @jobs: executions under way
 * @kept: memories of calls that are kept for the next ones (memory_cache.h)
 */
struct nnb_quota {
	uint64_t models, bytes, objects, jobs, kept;
};

#define NNB_QUOTA_OBJECTS 4096u /* the default */

/*
 * Charges the client's user with so much more of each. Return: 0, or -EAGAIN when that is more than
 * the quota allows; then nothing is charged.
 */
int nnb_quota_charge(struct nnb_client *client, const struct nnb_quota *amount);
void nnb_quota_discharge(struct nnb_client *client, const struct nnb_quota *amount);

#endif
