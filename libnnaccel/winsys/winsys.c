// SPDX-License-Identifier: MIT
/* Selects the winsys of the table that opens a device, and drops references to fences. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/log.h"
#include "libnnaccel/winsys/winsys.h"

static int open_first(const struct nna_device_options *options, struct nna_winsys **out)
{
	int ret = -ENOENT;

	for (size_t i = 0; nna_winsys_backends[i].open && ret == -ENOENT; i++) {
		if (i && options)
			nna_log_print(&options->log, NNA_LOG_INFO,
				      "no NNA device node: computing in this process (%s)",
				      nna_winsys_backends[i].name);
		ret = nna_winsys_backends[i].open(NULL, options, out);
	}
	return ret;
}

int nna_winsys_open(const char *name, const struct nna_device_options *options,
		    struct nna_winsys **out)
{
	if (!name || !strcmp(name, "auto"))
		return open_first(options, out);
	for (size_t i = 1; nna_winsys_backends[i].open; i++)
		if (!strcmp(name, nna_winsys_backends[i].name))
			return nna_winsys_backends[i].open(NULL, options, out);
	return nna_winsys_backends[0].open(name, options, out);
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
	nna_fence_fini(fence);
	free(fence);
}
