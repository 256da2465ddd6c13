// SPDX-License-Identifier: MIT
/*
 * Capabilities: every operand type but SUBGRAPH, in ascending order, as Android's runtime wants it.
 *
 * The figures say that the device is as fast as the CPU (1.0): nothing has been measured for this
 * table yet.
 */
#include "hal-bridge/service/capabilities.h"

#include <errno.h>

int nnb_capabilities_get(struct nnb_arena *arena, struct nnb_aidl_capabilities *out)
{
	static const struct nnb_aidl_performance_info same = {1.0f, 1.0f};
	const uint32_t count = NNB_AIDL_OPERAND_TYPE_SUBGRAPH;
	struct nnb_aidl_operand_performance *list = nnb_arena_alloc(arena, count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct nnb_aidl_operand_performance){(int32_t)i, same};
	out->relaxed_float32to_float16_performance_scalar = same;
	out->relaxed_float32to_float16_performance_tensor = same;
	out->operand_performance.count = count;
	out->operand_performance.data = list;
	out->if_performance = same;
	out->while_performance = same;
	return 0;
}
