// SPDX-License-Identifier: MIT
/* Asks the backend whether it accepts the ir operations of an operation. */
#include "libnnaccel/compiler/passes.h"

int nna_pass_accept(struct nna_lower *l, const struct nna_backend *backend, uint32_t from)
{
	const struct nna_subgraph *sg = &l->graph->subgraphs[0];
	char reason[256];

	for (uint32_t i = from; i < l->op_count; i++) {
		int ret = backend->accepts(l, &l->ops[i], reason, sizeof(reason));
		const char *name;

		if (!ret)
			continue;
		name = nna_operation_name(sg->operations[l->origin].type);
		nna_log_print(&l->log, NNA_LOG_ERROR, "operation %u (%s): %s", l->origin,
			      name ? name : "?", reason);
		return ret;
	}
	return 0;
}
