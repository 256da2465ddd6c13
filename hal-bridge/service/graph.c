// SPDX-License-Identifier: MIT
/* Graphs of clients' models (graph.h). */
#include "hal-bridge/service/graph.h"

#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/model.h"
#include "hal-bridge/service/extension.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/service.h"
#include "hal-bridge/service/status.h"
#include "hal-bridge/service/validate.h"
#include "libnnaccel/support/message.h"

/* Bytes that an operand or an operation takes in a graph, and in a program that is made of it. */
#define NNB_GRAPH_ENTRY 1024u

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

/* Adds the memory that a subgraph takes. *@copy: the largest constant of a pool. */
static void nnb_graph_measure(const struct nnb_aidl_subgraph *subgraph, uint64_t *bytes,
			      uint64_t *copy)
{
	*bytes += (uint64_t)subgraph->operands.count * NNB_GRAPH_ENTRY;
	for (uint32_t i = 0; i < subgraph->operations.count; i++) {
		const struct nnb_aidl_operation *operation = &subgraph->operations.data[i];

		*bytes += NNB_GRAPH_ENTRY + sizeof(uint32_t) * ((uint64_t)operation->inputs.count +
								operation->outputs.count);
	}
	for (uint32_t i = 0; i < subgraph->operands.count; i++) {
		const struct nnb_aidl_operand *operand = &subgraph->operands.data[i];
		const uint64_t length = (uint64_t)operand->location.length;

		if (operand->lifetime != NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY &&
		    operand->lifetime != NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL)
			continue;
		/* The model is valid: lengths are those of operands, and lie in a pool. */
		if (__builtin_add_overflow(*bytes, length, bytes))
			*bytes = UINT64_MAX;
		if (operand->lifetime == NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL && length > *copy)
			*copy = length;
	}
}

/*
 * Charges the client for a graph: its tables and constants, and while it is built for the copy of
 * a constant that is read from a file. Return: 0 or an ErrorStatus.
 */
static int nnb_graph_charge(struct nnb_client *client, struct nnb_aidl_call *call,
			    const struct nnb_aidl_model *model, struct nnb_quota *lasting,
			    struct nnb_quota *building)
{
	uint64_t bytes = 0, copy = 0;
	struct nnb_quota all = {0};

	nnb_graph_measure(&model->main, &bytes, &copy);
	for (uint32_t i = 0; i < model->referenced.count; i++)
		nnb_graph_measure(&model->referenced.data[i], &bytes, &copy);
	if (__builtin_add_overflow(bytes, copy, &all.bytes) || nnb_quota_charge(client, &all))
		return nnb_aidl_fail(call, nnb_status(-EAGAIN),
				     "%llu bytes of constants and %u operations exceed what the "
				     "client's user may have", (unsigned long long)bytes,
				     model->main.operations.count);
	lasting->bytes = bytes;
	building->bytes = copy;
	return 0;
}

/* Notes which pools a subgraph's constants lie in. @used: an entry for each pool of the model. */
static void nnb_graph_find_used(const struct nnb_aidl_subgraph *subgraph, uint32_t pool_count,
				bool *used)
{
	for (uint32_t i = 0; i < subgraph->operands.count; i++) {
		const struct nnb_aidl_operand *operand = &subgraph->operands.data[i];
		const int32_t pool = operand->location.pool_index;

		if (operand->lifetime == NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL && pool >= 0 &&
		    (uint32_t)pool < pool_count)
			used[pool] = true;
	}
}

/**
 * struct nnb_graph_pools - the pools of a model
 * @memories: an entry for each; NULL for one that no constant uses
 * @sizes: bytes of each
 * @used: a constant uses it
 */
struct nnb_graph_pools {
	struct nnb_memory **memories;
	size_t *sizes;
	bool *used;
};

/* Checks all pools, and finds which are used. Return: 0 or an ErrorStatus. */
static int nnb_graph_check_pools(struct nnb_aidl_call *call, const struct nnb_aidl_model *model,
				 struct nnb_graph_pools *pools)
{
	const uint32_t count = model->pools.count;
	struct nnb_memory_range range;
	int ret = 0;

	pools->memories = nnb_arena_alloc(call->arena, count, sizeof(*pools->memories));
	pools->sizes = nnb_arena_alloc(call->arena, count, sizeof(*pools->sizes));
	pools->used = nnb_arena_alloc(call->arena, count, sizeof(*pools->used));
	if (!pools->memories || !pools->sizes || !pools->used)
		return nnb_status(-ENOMEM);
	for (uint32_t i = 0; i < count && !ret; i++) {
		ret = nnb_memory_find_range(call, &model->pools.data[i], &range);
		pools->sizes[i] = range.size;
	}
	nnb_graph_find_used(&model->main, count, pools->used);
	for (uint32_t i = 0; i < model->referenced.count; i++)
		nnb_graph_find_used(&model->referenced.data[i], count, pools->used);
	return ret;
}

/* Opens the pools that are used, builds the graph, and closes them. Return: 0 or an ErrorStatus. */
static int nnb_graph_read(struct nnb_client *client, struct nnb_aidl_call *call,
			  const struct nnb_aidl_model *model, struct nnb_graph_pools *pools,
			  struct nna_graph **out)
{
	int ret = 0;

	for (uint32_t i = 0; i < model->pools.count && !ret; i++) {
		if (pools->used[i])
			ret = nnb_memory_borrow(client, call, &model->pools.data[i],
						&pools->memories[i]);
	}
	if (!ret) {
		ret = nnb_graph_build(model, pools->memories, out);
		if (ret) {
			ret = nnb_status(ret == -ENODATA || ret == -EACCES ? -EINVAL : ret);
			nnb_aidl_fail(call, ret, "libnnaccel refuses the model; its log says why");
		}
	}
	for (uint32_t i = 0; i < model->pools.count; i++)
		nnb_memory_unref(pools->memories[i]);
	return ret;
}

int nnb_graph_create(struct nnb_client *client, struct nnb_aidl_call *call,
		     const struct nnb_aidl_model *model, struct nnb_quota *charged,
		     struct nna_graph **out)
{
	struct nnb_quota building = {0};
	struct nnb_graph_pools pools;
	int ret;

	*out = NULL;
	*charged = (struct nnb_quota){0};
	ret = nnb_graph_check_pools(call, model, &pools);
	if (!ret)
		ret = nnb_validate_model(call, client->service->options.version, model,
					 pools.sizes);
	if (!ret)
		ret = nnb_graph_charge(client, call, model, charged, &building);
	if (ret)
		return ret;
	ret = nnb_graph_read(client, call, model, &pools, out);
	nnb_quota_discharge(client, &building);
	if (ret) {
		nnb_quota_discharge(client, charged);
		*charged = (struct nnb_quota){0};
	}
	return ret;
}
