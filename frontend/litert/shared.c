// SPDX-License-Identifier: MIT
/* What the dispatch library keeps for the whole process (shared.h). */
#include "frontend/litert/shared.h"

#include <pthread.h>

#include "frontend/litert/device.h"

static struct {
	pthread_mutex_t lock;
	struct nna_device *device;
	uint64_t users;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

int litert_shared_get(struct nna_device **out)
{
	int ret = 0;

	pthread_mutex_lock(&shared.lock);
	if (!shared.users)
		ret = litert_device_open(&shared.device);
	if (!ret) {
		shared.users++;
		*out = shared.device;
	}
	pthread_mutex_unlock(&shared.lock);
	return ret;
}

void litert_shared_put(void)
{
	pthread_mutex_lock(&shared.lock);
	if (!--shared.users) {
		nna_device_close(shared.device);
		shared.device = NULL;
	}
	pthread_mutex_unlock(&shared.lock);
}
