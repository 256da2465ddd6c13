// SPDX-License-Identifier: MIT
/* A graph as a conformance vector of one case, see tests/conformance/file.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/file.h"
#include "tests/random/random.h"

struct writer {
	uint8_t *bytes;
	size_t size, room;
	bool failed;
};

/* Puts @size bytes at the next multiple of 8. Return: the offset, 0 for no bytes. */
static uint32_t put(struct writer *w, const void *data, size_t size)
{
	size_t at = (w->size + 7) & ~(size_t)7;
	uint8_t *grown;

	if (!size)
		return 0;
	if (at + size > w->room) {
		grown = realloc(w->bytes, 2 * (at + size));
		if (!grown) {
			w->failed = true;
			return 0;
		}
		w->bytes = grown;
		w->room = 2 * (at + size);
	}
	memset(w->bytes + w->size, 0, at - w->size);
	if (data)
		memcpy(w->bytes + at, data, size);
	else
		memset(w->bytes + at, 0, size);
	w->size = at + size;
	return (uint32_t)at;
}

static uint32_t lifetime(const struct nnr_operand *operand, bool all)
{
	switch (operand->kind) {
	case NNR_INPUT:
		return NNV_INPUT;
	case NNR_CONSTANT:
		return operand->type == NNA_OPERAND_SUBGRAPH ? NNV_SUBGRAPH : NNV_CONSTANT_COPY;
	case NNR_NO_VALUE:
		return NNV_NO_VALUE;
	default:
		return all || operand->output ? NNV_OUTPUT : NNV_TEMPORARY;
	}
}

static void put_operand(struct writer *w, const struct nnr_operand *operand, bool all,
			struct nnv_operand *record)
{
	*record = (struct nnv_operand){
		.type = operand->type,
		.lifetime = lifetime(operand, all),
		.scale = operand->scale,
		.zero_point = operand->zero_point,
		.rank = operand->rank,
		.channel_dim = operand->channel_dim,
		.channel_scale_count = operand->channel_count,
	};
	record->dims_off = put(w, operand->dims, operand->rank * sizeof(operand->dims[0]));
	record->channel_scales_off =
		put(w, operand->channel_scales, operand->channel_count * sizeof(float));
	if (record->lifetime == NNV_TEMPORARY || record->lifetime == NNV_NO_VALUE ||
	    record->lifetime == NNV_SUBGRAPH)
		return;
	record->data_off = put(w, operand->data, operand->size);
	record->data_size = (uint32_t)operand->size;
}

/* More subgraphs in all than makers make. */
#define MAX_SUBGRAPHS 64

/* Records of a subgraph and those that it refers to. @count: how many there are, updated. */
static void put_subgraph(struct writer *w, const struct nnr_graph *graph, bool all,
			 struct nnv_subgraph *records, uint32_t *count)
{
	struct nnv_subgraph *record = &records[(*count)++];
	uint32_t numbers[NNR_MAX_SUBGRAPHS] = { 0 };
	uint32_t in[NNR_MAX_OPERANDS], out[NNR_MAX_OPERANDS], in_count = 0, out_count = 0;
	struct nnv_operation *operations = calloc(graph->operation_count, sizeof(*operations));
	struct nnv_operand *operands = calloc(graph->operand_count, sizeof(*operands));

	w->failed |= !operations || !operands;
	for (uint32_t i = 0; i < graph->subgraph_count; i++) {
		/* Subgraphs are numbered without the main one. */
		numbers[i] = *count - 1;
		if (*count == MAX_SUBGRAPHS)
			w->failed = true;
		else
			put_subgraph(w, graph->subgraphs[i], false, records, count);
	}
	for (uint32_t i = 0; !w->failed && i < graph->operand_count; i++) {
		put_operand(w, graph->operands[i], all, &operands[i]);
		if (operands[i].lifetime == NNV_SUBGRAPH) {
			operands[i].data_size = sizeof(numbers[0]);
			operands[i].data_off =
				put(w, &numbers[graph->operands[i]->subgraph], sizeof(numbers[0]));
		}
		if (operands[i].lifetime == NNV_INPUT)
			in[in_count++] = i;
		if (operands[i].lifetime == NNV_OUTPUT)
			out[out_count++] = i;
	}
	for (uint32_t k = 0; !w->failed && k < graph->operation_count; k++) {
		const struct nnr_operation *o = &graph->operations[k];

		operations[k] = (struct nnv_operation){ .type = o->type,
							.input_count = o->input_count,
							.output_count = o->output_count };
		operations[k].inputs_off = put(w, o->in, o->input_count * sizeof(o->in[0]));
		operations[k].outputs_off = put(w, o->out, o->output_count * sizeof(o->out[0]));
		for (uint32_t i = 0; i < o->input_count; i++)
			operands[o->in[i]].consumers++;
	}
	*record = (struct nnv_subgraph){
		.operand_count = graph->operand_count,
		.operation_count = graph->operation_count,
		.input_count = in_count,
		.output_count = out_count,
	};
	if (!w->failed) {
		record->operands_off = put(w, operands, graph->operand_count * sizeof(*operands));
		record->operations_off =
			put(w, operations, graph->operation_count * sizeof(*operations));
		record->inputs_off = put(w, in, in_count * sizeof(in[0]));
		record->outputs_off = put(w, out, out_count * sizeof(out[0]));
	}
	free(operands);
	free(operations);
}

int nnr_save(const struct nnr_graph *graph, bool all, const char *path, const char *name)
{
	struct nnv_header header = { .magic = { 'N', 'N', 'V', 'E', 'C', '\r', '\n', 0x1a },
				     .version = NNV_VERSION,
				     .header_size = sizeof(header),
				     .case_count = 1,
				     .spec_name = 1,
				     .spec_dir = 1 };
	struct nnv_case item = { .name = 1, .group_version = 7 };
	struct nnv_subgraph subgraphs[MAX_SUBGRAPHS];
	struct writer w = { 0 };
	char strings[128] = "";
	FILE *file;
	int ret;

	put(&w, NULL, sizeof(header));
	put_subgraph(&w, graph, all, subgraphs, &item.subgraph_count);
	item.flags = graph->relaxed ? NNV_CASE_RELAXED : 0;
	item.subgraphs_off = put(&w, subgraphs, item.subgraph_count * sizeof(subgraphs[0]));
	header.cases_off = put(&w, &item, sizeof(item));
	snprintf(strings + 1, sizeof(strings) - 1, "%s", name);
	header.strings_size = (uint32_t)strlen(name) + 2;
	header.strings_off = put(&w, strings, header.strings_size);
	header.file_size = (uint32_t)w.size;
	ret = w.failed ? -ENOMEM : 0;
	if (!ret) {
		memcpy(w.bytes, &header, sizeof(header));
		file = fopen(path, "wb");
		if (!file || fwrite(w.bytes, w.size, 1, file) != 1)
			ret = -EIO;
		if (file && fclose(file))
			ret = -EIO;
	}
	free(w.bytes);
	return ret;
}
