// SPDX-License-Identifier: MIT
/* What a device's compiler says to the operations of a graph. */
#include <errno.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/runtime/device.h"

int nna_graph_get_supported(const struct nna_graph *graph, const struct nna_device *device,
			    bool *supported)
{
	if (!graph || !graph->finished || graph->failed || !supported)
		return -EINVAL;
	return nna_compile_get_supported(graph, device ? device->backend : nna_backends[0],
					 supported);
}
