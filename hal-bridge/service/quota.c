// SPDX-License-Identifier: MIT
/* Charges the clients of a user against their quota (quota.h). */
#include "hal-bridge/service/quota.h"

#include <errno.h>
#include <pthread.h>

#include "hal-bridge/service/service.h"
#include "libnnaccel/support/message.h"

static bool nnb_quota_fits(uint64_t used, uint64_t amount, uint64_t limit)
{
	return !amount || (amount <= limit && used <= limit - amount);
}

/* Return: what would be exceeded, for the log; NULL if all of it fits. */
static const char *nnb_quota_exceeded(const struct nnb_quota *used, const struct nnb_quota *amount,
				      const struct nnb_quota *limit)
{
	if (!nnb_quota_fits(used->models, amount->models, limit->models))
		return "prepared models";
	if (!nnb_quota_fits(used->bytes, amount->bytes, limit->bytes))
		return "bytes";
	if (!nnb_quota_fits(used->objects, amount->objects, limit->objects))
		return "objects";
	if (!nnb_quota_fits(used->jobs, amount->jobs, limit->jobs))
		return "executions under way";
	if (!nnb_quota_fits(used->kept, amount->kept, limit->kept))
		return "kept memories";
	return NULL;
}

int nnb_quota_charge(struct nnb_client *client, const struct nnb_quota *amount)
{
	const struct nnb_quota *limit = &client->service->options.quota;
	struct nnb_quota *used = &client->user->used;
	const char *exceeded;
	uint64_t bytes;

	pthread_mutex_lock(&client->service->quota_lock);
	exceeded = nnb_quota_exceeded(used, amount, limit);
	bytes = used->bytes;
	if (!exceeded) {
		used->models += amount->models;
		used->bytes += amount->bytes;
		used->objects += amount->objects;
		used->jobs += amount->jobs;
		used->kept += amount->kept;
	}
	pthread_mutex_unlock(&client->service->quota_lock);
	if (!exceeded)
		return 0;
	/* Without a kept memory the next call opens it again, so nothing is refused then. */
	if (!amount->kept)
		nna_message(DRIVER,
			    "hal: uid %u, pid %d: its user has too many %s: %llu more bytes wanted, "
			    "%llu of %llu held", (unsigned int)client->caller.euid,
			    (int)client->caller.pid, exceeded, (unsigned long long)amount->bytes,
			    (unsigned long long)bytes, (unsigned long long)limit->bytes);
	return -EAGAIN;
}

void nnb_quota_discharge(struct nnb_client *client, const struct nnb_quota *amount)
{
	struct nnb_quota *used = &client->user->used;

	pthread_mutex_lock(&client->service->quota_lock);
	used->models -= amount->models;
	used->bytes -= amount->bytes;
	used->objects -= amount->objects;
	used->jobs -= amount->jobs;
	used->kept -= amount->kept;
	pthread_mutex_unlock(&client->service->quota_lock);
}

bool nnb_client_charge(void *client, uint64_t bytes)
{
	const struct nnb_quota amount = {.bytes = bytes};

	return !nnb_quota_charge(client, &amount);
}

void nnb_client_discharge(void *client, uint64_t bytes)
{
	const struct nnb_quota amount = {.bytes = bytes};

	nnb_quota_discharge(client, &amount);
}
