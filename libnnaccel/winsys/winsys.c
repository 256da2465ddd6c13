// SPDX-License-Identifier: MIT
/* The table of backends, which of them opens a device, and the last reference to a fence. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/log.h"
#include "libnnaccel/winsys/winsys.h"

/*
 * In the order in which "auto" tries them. The one without a name comes first: it takes every name
 * that is no other's.
 */
static const struct nna_winsys_backend backends[] = {
	{ NULL, nna_winsys_drm_create },
	{ "loopback", nna_winsys_loopback_create },
};

#define BACKEND_COUNT (sizeof(backends) / sizeof(backends[0]))

static int open_first(const struct nna_device_options *options, struct nna_winsys **out)
{
	int ret = -ENOENT;

	for (size_t i = 0; i < BACKEND_COUNT && ret == -ENOENT; i++) {
		if (i && options)
			nna_log_print(&options->log, NNA_LOG_INFO,
				      "no NNA device node: computing in this process (%s)",
				      backends[i].name);
		ret = backends[i].open(NULL, options, out);
	}
	return ret;
}

int nna_winsys_open(const char *name, const struct nna_device_options *options,
		    struct nna_winsys **out)
{
	if (!name || !strcmp(name, "auto"))
		return open_first(options, out);
	for (size_t i = 1; i < BACKEND_COUNT; i++)
		if (!strcmp(name, backends[i].name))
			return backends[i].open(NULL, options, out);
	return backends[0].open(name, options, out);
}

void nna_fence_put(struct nna_fence *fence)
{
	if (!fence ||
	    atomic_fetch_sub_explicit(&fence->references, 1, memory_order_acq_rel) != 1)
		return;
	if (fence->ws) {
		fence->ws->ops->fence_release(fence->ws, fence);
		return;
	}
	pthread_mutex_destroy(&fence->lock);
	free(fence);
}
