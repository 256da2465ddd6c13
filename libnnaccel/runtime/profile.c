// SPDX-License-Identifier: MIT
/*
 * Profiles: the times of each command of a run. An execution has a BO that the device fills; a job
 * that is resumed appends to it.
 */
#include <errno.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/support/sized.h"

int nna_execution_set_profile(struct nna_execution *execution, uint32_t commands)
{
	struct nna_device *d = execution->program->device;
	struct nna_winsys_bo *bo = NULL;
	size_t size;
	int ret = 0;

	if (nna_execution_is_running(execution))
		return -EBUSY;
	if (!d->ws->profiles)
		return -ENOTSUP;
	size = d->backend->profile_size(commands);
	if (!size) {
		nna_log_print(&d->log, NNA_LOG_ERROR,
			      "a profile of %u commands is larger than a profile can be: record "
			      "fewer", commands);
		return -EINVAL;
	}
	if (commands)
		ret = nna_winsys_bo_create(d->ws, size, 0, &bo);
	if (ret)
		return ret;
	nna_winsys_bo_destroy(d->ws, execution->profile);
	execution->profile = bo;
	execution->profile_size = bo ? size : 0;
	execution->run = NNA_RUN_IDLE;
	return 0;
}

int nna_execution_get_profile_sized(const struct nna_execution *execution,
				    struct nna_profile_command *commands, size_t size,
				    uint32_t room, uint32_t *count, uint32_t *dropped)
{
	struct nna_execution *e = (struct nna_execution *)execution;
	const struct nna_device *d = e->program->device;
	struct nna_profile_command own;
	int ret = 0;

	pthread_mutex_lock(&e->lock);
	if (!e->profile || e->run != NNA_RUN_ENDED) {
		nna_log_print(&d->log, NNA_LOG_ERROR, e->profile ?
			      "there is no profile yet: no run has ended since "
			      "nna_execution_set_profile()" :
			      "there is no profile: call nna_execution_set_profile() before a run");
		ret = -EINVAL;
		goto out;
	}
	*count = d->backend->count_profile(e->profile->map, e->profile_size, dropped);
	for (uint32_t i = 0; i < *count && i < room; i++) {
		d->backend->read_profile(e->profile->map, d->ws->tick_hz, i, &own);
		own.begin = d->ws->ops->tick_to_ns(d->ws, own.begin);
		own.end = d->ws->ops->tick_to_ns(d->ws, own.end);
		nna_sized_write((char *)commands + i * size, size, &own, sizeof(own));
	}
out:
	pthread_mutex_unlock(&e->lock);
	return ret;
}
