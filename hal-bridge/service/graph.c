// SPDX-License-Identifier: MIT
/* Graphs of clients' models (graph.h). */
#include "hal-bridge/service/graph.h"

#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/model.h"
#include "hal-bridge/service/extension.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/status.h"
#include "hal-bridge/service/validate.h"
#include "libnnaccel/support/message.h"

/* Reads a constant of a pool into memory of this process, before the graph copies it. */
static int nnb_graph_set_pooled(struct nna_graph *graph, uint32_t subgraph, uint32_t index,
				const struct nnb_memory *pool,
				const struct nnb_aidl_data_location *at)
{
	const size_t size = (size_t)at->length;
	void *copy;
	int ret;

	if (pool->buffer)
		return nna_graph_set_constant(graph, subgraph, index,
					      (unsigned char *)nna_buffer_map(pool->buffer) +
						      pool->offset + at->offset,
					      size, false);
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	ret = nnb_memory_read(pool, (size_t)at->offset, copy, size);
	if (!ret)
		ret = nna_graph_set_constant(graph, subgraph, index, copy, size, false);
	free(copy);
	return ret;
}

/* Return: the library's description of an operand; OPAQUE if the library cannot hold it. */
static struct nna_operand_desc nnb_graph_describe(const struct nnb_aidl_model *model,
						  const struct nnb_aidl_operand *operand)
{
	const struct nnb_aidl_operand_extra_params *extra = operand->extra_params;
	const uint32_t rank = operand->dimensions.count;
	struct nna_operand_desc desc = {
		.type = (enum nna_operand_type)nnb_extension_translate(model, operand->type),
		.rank = rank,
		.dims = rank ? (const uint32_t *)operand->dimensions.data : NULL,
		.scale = nnb_type_scale(operand->type, operand->scale),
		.zero_point = operand->type == NNA_OPERAND_TENSOR_INT32 ? 0 : operand->zero_point,
	};

	if (!nnb_type_fits(desc.type, rank, desc.dims))
		return (struct nna_operand_desc){.type = NNA_OPERAND_OPAQUE};
	if (extra && extra->tag == NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT) {
		desc.channel_dim = (uint32_t)extra->channel_quant.channel_dim;
		desc.channel_count = extra->channel_quant.scales.count;
		desc.channel_scales = extra->channel_quant.scales.data;
	}
	nnb_extension_describe(&desc);
	return desc;
}

/*
 * Adds an operand. A constant that the library cannot hold gets no value; operations that read it
 * are unsupported.
 */
static int nnb_graph_add_operand(struct nna_graph *graph, uint32_t subgraph,
				 const struct nnb_aidl_model *model,
				 const struct nnb_aidl_operand *operand,
				 struct nnb_memory *const *pools)
{
	const struct nnb_aidl_data_location *at = &operand->location;
	const struct nna_operand_desc desc = nnb_graph_describe(model, operand);
	const bool opaque = desc.type == NNA_OPERAND_OPAQUE;
	int index;

	index = nna_graph_add_operand(graph, subgraph, &desc);
	if (index < 0)
		return index;
	switch (operand->lifetime) {
	case NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY:
		if (opaque)
			break;
		return nna_graph_set_constant(graph, subgraph, (uint32_t)index,
					      model->operand_values.data + at->offset,
					      (size_t)at->length, false);
	case NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL:
		if (opaque)
			break;
		return nnb_graph_set_pooled(graph, subgraph, (uint32_t)index, pools[at->pool_index],
					    at);
	case NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE:
		break;
	case NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH:
		return nna_graph_set_subgraph(graph, subgraph, (uint32_t)index,
					      (uint32_t)at->offset + 1);
	default:
		return 0;
	}
	return nna_graph_set_no_value(graph, subgraph, (uint32_t)index);
}

static int nnb_graph_add_operation(struct nna_graph *graph, uint32_t number,
				   const struct nnb_aidl_model *model,
				   const struct nnb_aidl_subgraph *subgraph,
				   const struct nnb_aidl_operation *operation)
{
	const uint32_t code = nnb_extension_translate(model, operation->type);
	const uint32_t *inputs = (const uint32_t *)operation->inputs.data;
	const uint32_t *outputs = (const uint32_t *)operation->outputs.data;
	const struct nnb_aidl_operand_extra_params *extra = NULL;

	if (!nnb_extension_has(code))
		return nna_graph_add_operation(graph, number, (enum nna_operation_type)code,
					       operation->inputs.count, inputs,
					       operation->outputs.count, outputs);
	if (operation->outputs.count)
		extra = subgraph->operands.data[outputs[0]].extra_params;
	if (extra && extra->tag != NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION)
		extra = NULL;
	return nnb_extension_add_operation(graph, number, code, operation->inputs.count, inputs,
					   operation->outputs.count, outputs,
					   extra ? extra->extension.data : NULL);
}

static int nnb_graph_fill(struct nna_graph *graph, uint32_t number,
			  const struct nnb_aidl_model *model,
			  const struct nnb_aidl_subgraph *subgraph, struct nnb_memory *const *pools)
{
	int ret = 0;

	for (uint32_t i = 0; i < subgraph->operands.count && !ret; i++)
		ret = nnb_graph_add_operand(graph, number, model, &subgraph->operands.data[i],
					    pools);
	for (uint32_t i = 0; i < subgraph->operations.count && !ret; i++)
		ret = nnb_graph_add_operation(graph, number, model, subgraph,
					      &subgraph->operations.data[i]);
	if (ret)
		return ret;
	return nna_graph_set_io(graph, number, subgraph->input_indexes.count,
				(const uint32_t *)subgraph->input_indexes.data,
				subgraph->output_indexes.count,
				(const uint32_t *)subgraph->output_indexes.data);
}

static int nnb_graph_build(const struct nnb_aidl_model *model, struct nnb_memory *const *pools,
			   struct nna_graph **out)
{
	struct nna_graph *graph;
	int ret = nna_graph_create(&nna_message_log, &graph);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < model->referenced.count && ret >= 0; i++)
		ret = nna_graph_add_subgraph(graph);
	if (ret >= 0)
		ret = nnb_graph_fill(graph, 0, model, &model->main, pools);
	for (uint32_t i = 0; i < model->referenced.count && !ret; i++)
		ret = nnb_graph_fill(graph, i + 1, model, &model->referenced.data[i], pools);
	if (!ret)
		ret = nna_graph_set_relaxed(graph, model->relax_computation_float32to_float16);
	if (!ret)
		ret = nna_graph_finish_leniently(graph);
	if (ret)
		nna_graph_unref(graph);
	else
		*out = graph;
	return ret;
}

int nnb_graph_create(struct nnb_aidl_call *call, int version, struct nna_device *device,
		     const struct nnb_aidl_model *model, struct nna_graph **out)
{
	struct nnb_memory **pools = calloc(model->pools.count + 1, sizeof(*pools));
	size_t *sizes = calloc(model->pools.count + 1, sizeof(*sizes));
	int ret = 0;

	*out = NULL;
	if (!pools || !sizes)
		ret = nnb_status(-ENOMEM);
	for (uint32_t i = 0; i < model->pools.count && !ret; i++) {
		ret = nnb_memory_borrow(device, call, &model->pools.data[i], &pools[i]);
		sizes[i] = pools[i] ? pools[i]->size : 0;
	}
	if (!ret)
		ret = nnb_validate_model(call, version, model, sizes);
	if (!ret) {
		ret = nnb_graph_build(model, pools, out);
		if (ret) {
			ret = nnb_status(ret == -ENODATA || ret == -EACCES ? -EINVAL : ret);
			nnb_aidl_fail(call, ret, "libnnaccel refuses the model; its log says why");
		}
	}
	for (uint32_t i = 0; pools && i < model->pools.count; i++)
		nnb_memory_unref(pools[i]);
	free(pools);
	free(sizes);
	return ret;
}
