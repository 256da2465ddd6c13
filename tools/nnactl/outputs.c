// SPDX-License-Identifier: MIT
/* Outputs of a run: memory, and elements of every type as real numbers. */
#include "tools/nnactl/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/memory.h"

int nnactl_outputs_bind(struct nnactl_outputs *o, struct nnactl_execution *execution, bool shared)
{
	struct nnactl_session *s = execution->session;
	uint32_t i;
	int ret;

	*o = (struct nnactl_outputs){ .count = nnactl_session_count(s, false) };
	o->info = calloc(o->count ? o->count : 1, sizeof(*o->info));
	o->data = calloc(o->count ? o->count : 1, sizeof(*o->data));
	o->buffers = calloc(o->count ? o->count : 1, sizeof(*o->buffers));
	if (!o->info || !o->data || !o->buffers)
		return nnactl_error("out of memory");
	for (i = 0; i < o->count; i++) {
		ret = nnactl_session_io(s, false, i, &o->info[i]);
		if (ret || !o->info[i].size)
			return nnactl_error("%s: the size of output %u is not known", s->path, i);
		o->data[i] = nnactl_memory_make(s, o->info[i].size, shared, &o->buffers[i]);
		if (!o->data[i])
			return 1;
		ret = nnactl_execution_bind(execution, false, i, o->data[i], o->info[i].size,
					    o->buffers[i]);
		if (ret)
			return nnactl_failed(&s->log, "output %u: %s", i, strerror(-ret));
	}
	return 0;
}

void nnactl_outputs_free(struct nnactl_outputs *o)
{
	nnactl_memory_free(o->data, o->buffers, o->count);
	free(o->info);
	*o = (struct nnactl_outputs){ 0 };
}

size_t nnactl_io_elements(const struct nna_io_info *info)
{
	uint32_t size = nna_operand_type_size(info->type);

	return size ? info->size / size : 0;
}

double nnactl_io_value(const struct nna_io_info *info, const void *data, size_t index)
{
	switch (info->type) {
	case NNA_OPERAND_TENSOR_FLOAT32:
		return ((const float *)data)[index];
	case NNA_OPERAND_TENSOR_FLOAT16:
		return (double)tflite_half_to_float(((const uint16_t *)data)[index]);
	case NNA_OPERAND_TENSOR_INT32:
		return ((const int32_t *)data)[index];
	case NNA_OPERAND_TENSOR_INT64:
		return (double)((const int64_t *)data)[index];
	case NNA_OPERAND_TENSOR_BOOL8:
		return ((const uint8_t *)data)[index] != 0;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return (((const uint8_t *)data)[index] - info->zero_point) * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
		return (((const int8_t *)data)[index] - info->zero_point) * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return ((const int16_t *)data)[index] * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return (((const uint16_t *)data)[index] - info->zero_point) * (double)info->scale;
	default:
		return 0;
	}
}

const char *nnactl_io_describe(const struct nna_io_info *info, char *to, size_t size)
{
	const char *name = nna_operand_type_name(info->type);
	size_t n;
	uint32_t i;

	n = (size_t)snprintf(to, size, "%s [", name ? name : "?");
	for (i = 0; i < info->rank && n < size; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%u", i ? ", " : "", info->dims[i]);
	if (n < size)
		snprintf(to + n, size - n, "]");
	return to;
}

json_t *nnactl_io_json(const struct nna_io_info *info, const char *name)
{
	const char *type = nna_operand_type_name(info->type);
	json_t *dims = json_array();

	for (uint32_t i = 0; i < info->rank; i++)
		json_array_append_new(dims, json_integer(info->dims[i]));
	return json_pack("{s:o?, s:s, s:o, s:f, s:i}", "name", nnactl_json_text(name), "type",
			 type ? type : "?", "dims", dims, "scale", (double)info->scale,
			 "zero_point", info->zero_point);
}
