// SPDX-License-Identifier: MIT
#include "tools/nnactl/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/memory.h"
#include "tools/nnactl/outputs.h"

/* Numbers in [-1, 1) and bytes of any value; zeros of other types. */
static void fill(const struct nna_io_info *info, void *data)
{
	uint32_t state = 1;

	for (size_t i = 0; i < nnactl_io_elements(info); i++) {
		state = state * 1664525 + 1013904223;
		if (info->type == NNA_OPERAND_TENSOR_FLOAT32)
			((float *)data)[i] = (float)(state >> 8) * 0x1p-23f - 1.0f;
		else if (nna_operand_type_size(info->type) == 1)
			((uint8_t *)data)[i] = (uint8_t)(state >> 24);
	}
}

int nnactl_inputs_bind(struct nnactl_inputs *inputs, struct nnactl_execution *execution,
		       bool shared)
{
	struct nnactl_session *s = execution->session;
	int ret;

	*inputs = (struct nnactl_inputs){ .count = nnactl_session_count(s, true) };
	inputs->data = calloc(inputs->count + 1, sizeof(*inputs->data));
	inputs->buffers = calloc(inputs->count + 1, sizeof(*inputs->buffers));
	if (!inputs->data || !inputs->buffers)
		return nnactl_error("out of memory");
	for (uint32_t i = 0; i < inputs->count; i++) {
		struct nna_io_info info;

		ret = nnactl_session_io(s, true, i, &info);
		if (ret || !info.size)
			return nnactl_error("%s: the size of input %u is not known", s->path, i);
		inputs->data[i] = nnactl_memory_make(s, info.size, shared, &inputs->buffers[i]);
		if (!inputs->data[i])
			return 1;
		fill(&info, inputs->data[i]);
		ret = nnactl_execution_bind(execution, true, i, inputs->data[i], info.size,
					    inputs->buffers[i]);
		if (ret)
			return nnactl_failed(&s->log, "input %u: %s", i, strerror(-ret));
	}
	return 0;
}

void nnactl_inputs_free(struct nnactl_inputs *inputs)
{
	nnactl_memory_free(inputs->data, inputs->buffers, inputs->count);
	*inputs = (struct nnactl_inputs){ 0 };
}
