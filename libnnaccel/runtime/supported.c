// SPDX-License-Identifier: MIT
/* Asks the compiler of a device which operations of a graph it supports. */
#include <errno.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/runtime/device.h"

int nna_graph_get_supported(const struct nna_graph *graph, const struct nna_device *device,
			    bool *supported)
{
	if (!graph)
		return -EINVAL;
	if (!graph->finished || graph->failed || !supported) {
		nna_log_print(device ? &device->log : &graph->log, NNA_LOG_ERROR,
			      "the operations of the graph cannot be judged: %s",
			      graph->failed ? "it failed to finish, build another one" :
			      graph->finished ? "the list for the answers is NULL" :
						"call nna_graph_finish() first");
		return -EINVAL;
	}
	return nna_compile_get_supported(graph, device ? device->backend : nna_backends[0],
					 device ? device->ws->configuration : 0, supported);
}
