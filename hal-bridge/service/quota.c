// SPDX-License-Identifier: MIT
/* Charges the clients of a user against their quota (quota.h). */
#include "hal-bridge/service/quota.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "hal-bridge/service/service.h"

static bool nnb_quota_fits(uint64_t used, uint64_t amount, uint64_t limit)
{
	return amount <= limit && used <= limit - amount;
}

int nnb_quota_charge(struct nnb_client *client, const struct nnb_quota *amount)
{
	const struct nnb_quota *limit = &client->service->options.quota;
	struct nnb_quota *used = &client->user->used;
	int ret = -EAGAIN;

	pthread_mutex_lock(&client->service->lock);
	if (nnb_quota_fits(used->models, amount->models, limit->models) &&
	    nnb_quota_fits(used->bytes, amount->bytes, limit->bytes) &&
	    nnb_quota_fits(used->objects, amount->objects, limit->objects) &&
	    nnb_quota_fits(used->jobs, amount->jobs, limit->jobs) &&
	    nnb_quota_fits(used->kept, amount->kept, limit->kept)) {
		used->models += amount->models;
		used->bytes += amount->bytes;
		used->objects += amount->objects;
		used->jobs += amount->jobs;
		used->kept += amount->kept;
		ret = 0;
	}
	pthread_mutex_unlock(&client->service->lock);
	return ret;
}

void nnb_quota_discharge(struct nnb_client *client, const struct nnb_quota *amount)
{
	struct nnb_quota *used = &client->user->used;

	pthread_mutex_lock(&client->service->lock);
	used->models -= amount->models;
	used->bytes -= amount->bytes;
	used->objects -= amount->objects;
	used->jobs -= amount->jobs;
	used->kept -= amount->kept;
	pthread_mutex_unlock(&client->service->lock);
}
