// SPDX-License-Identifier: MIT
/*
 * Capabilities of all operand types but SUBGRAPH, in ascending order, as Android's runtime
 * requires.
 */
#include "hal-bridge/service/capabilities.h"

#include <errno.h>

#include "hal-bridge/common/performance.h"

_Static_assert(NNB_PERFORMANCE_TYPES == NNB_AIDL_OPERAND_TYPE_SUBGRAPH, "all but SUBGRAPH");

static struct nnb_aidl_performance_info nnb_performance_info(float figure)
{
	return (struct nnb_aidl_performance_info){.exec_time = figure, .power_usage = figure};
}

int nnb_capabilities_get(struct nnb_arena *arena, struct nnb_aidl_capabilities *out)
{
	struct nnb_aidl_operand_performance *list =
		nnb_arena_alloc(arena, NNB_PERFORMANCE_TYPES, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < NNB_PERFORMANCE_TYPES; i++) {
		list[i].type = (int32_t)i;
		list[i].info = nnb_performance_info(nnb_performance_types[i]);
	}
	out->operand_performance.count = NNB_PERFORMANCE_TYPES;
	out->operand_performance.data = list;
	out->relaxed_float32to_float16_performance_scalar =
		list[NNB_AIDL_OPERAND_TYPE_FLOAT32].info;
	out->relaxed_float32to_float16_performance_tensor =
		list[NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32].info;
	out->if_performance = nnb_performance_info(nnb_performance_if);
	out->while_performance = nnb_performance_info(nnb_performance_while);
	return 0;
}
