// SPDX-License-Identifier: MIT
/*
 * The winsys over nna.ko. Finds nodes; nothing speaks to the driver yet, so that every node is refused with a reason.
 */
#include <errno.h>

#include "graph/nna_graph.h"
#include "winsys/nna_winsys.h"

int nna_winsys_drm_create(const char *path, const struct nna_device_options *options, struct nna_winsys **out)
{
	static const struct nna_log silent;

	if (!path)
		return -ENOENT;
	nna_log_print(options ? &options->log : &silent, NNA_LOG_ERROR, "%s: device nodes are not supported yet",
		      path);
	return -ENODEV;
}
