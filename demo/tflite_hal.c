// SPDX-License-Identifier: MIT
/*
 * The sink of the translation that builds a model of the NN HAL. It is walked twice: the first time
 * counts, the second time fills tables of that size.
 */
#include "demo/tflite_hal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/tflite/translate.h"

#define ALIGN 64 /* of a constant in the file */

/**
 * struct sink - a model without subgraphs
 * @arena: for all that is copied
 * @operands: NULL while operands and operations are counted
 * @operations: likewise
 * @operand_count: so far
 * @operation_count: so far
 * @inputs: of the model
 * @outputs: of the model
 * @fd: file of the constants
 * @size: bytes in it so far
 */
struct sink {
	struct nnb_arena *arena;
	struct nnb_aidl_operand *operands;
	struct nnb_aidl_operation *operations;
	uint32_t operand_count, operation_count;
	struct nnb_ints inputs, outputs;
	int fd;
	int64_t size;
};

static int copy_ints(struct nnb_arena *arena, uint32_t count, const uint32_t *from,
		     struct nnb_ints *out)
{
	int32_t *to = nnb_arena_alloc(arena, count, sizeof(*to));

	if (!to)
		return -ENOMEM;
	if (count)
		memcpy(to, from, count * sizeof(*to));
	*out = (struct nnb_ints){ count, to };
	return 0;
}

static int copy_scales(struct nnb_arena *arena, const struct nna_operand_desc *desc,
		       struct nnb_aidl_operand *operand)
{
	float *scales = nnb_arena_alloc(arena, desc->channel_count, sizeof(*scales));

	operand->extra_params = nnb_arena_alloc(arena, 1, sizeof(*operand->extra_params));
	if (!scales || !operand->extra_params)
		return -ENOMEM;
	memcpy(scales, desc->channel_scales, desc->channel_count * sizeof(*scales));
	operand->extra_params->tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT;
	operand->extra_params->channel_quant.channel_dim = (int32_t)desc->channel_dim;
	operand->extra_params->channel_quant.scales =
		(struct nnb_floats){ desc->channel_count, scales };
	return 0;
}

static int add_operand(void *opaque, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	struct sink *sink = opaque;
	struct nnb_aidl_operand *operand;
	int ret;

	/* Types behind SUBGRAPH are libnnaccel's extensions, which NNAPI does not have. */
	if (desc->type > NNA_OPERAND_SUBGRAPH)
		return -ENOTSUP;
	if (!sink->operands)
		return (int)sink->operand_count++;
	operand = &sink->operands[sink->operand_count];
	operand->type = (int32_t)desc->type;
	operand->scale = desc->scale;
	operand->zero_point = desc->zero_point;
	operand->lifetime = NNB_AIDL_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE;
	ret = copy_ints(sink->arena, desc->rank, desc->dims, &operand->dimensions);
	if (!ret && desc->channel_count)
		ret = copy_scales(sink->arena, desc, operand);
	return ret ? ret : (int)sink->operand_count++;
}

static int set_constant(void *opaque, uint32_t subgraph, uint32_t operand, const void *data,
			size_t size)
{
	struct sink *sink = opaque;
	struct nnb_aidl_operand *to;

	if (!sink->operands)
		return 0;
	to = &sink->operands[operand];
	to->lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL;
	to->location.offset = sink->size;
	to->location.length = (int64_t)size;
	if (pwrite(sink->fd, data, size, sink->size) != (ssize_t)size)
		return -EIO;
	sink->size = (sink->size + (int64_t)size + ALIGN - 1) / ALIGN * ALIGN;
	return 0;
}

static int set_no_value(void *opaque, uint32_t subgraph, uint32_t operand)
{
	struct sink *sink = opaque;

	if (sink->operands)
		sink->operands[operand].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE;
	return 0;
}

static int add_operation(void *opaque, uint32_t subgraph, uint32_t type, uint32_t input_count,
			 const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct sink *sink = opaque;
	struct nnb_aidl_operation *operation;
	int ret;

	if (type >= NNA_OPERATION_EXTENSION)
		return -ENOTSUP;
	sink->operation_count++;
	if (!sink->operations)
		return 0;
	operation = &sink->operations[sink->operation_count - 1];
	operation->type = (int32_t)type;
	ret = copy_ints(sink->arena, input_count, inputs, &operation->inputs);
	return ret ? ret : copy_ints(sink->arena, output_count, outputs, &operation->outputs);
}

static int set_io(void *opaque, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		  uint32_t output_count, const uint32_t *outputs)
{
	struct sink *sink = opaque;
	int ret;

	if (!sink->operands)
		return 0;
	for (uint32_t i = 0; i < input_count; i++)
		sink->operands[inputs[i]].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT;
	for (uint32_t i = 0; i < output_count; i++)
		sink->operands[outputs[i]].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	ret = copy_ints(sink->arena, input_count, inputs, &sink->inputs);
	return ret ? ret : copy_ints(sink->arena, output_count, outputs, &sink->outputs);
}

static const struct tflite_sink HAL_SINK = {
	.add_subgraph = network_refuse_subgraph,
	.add_operand = add_operand,
	.set_constant = set_constant,
	.set_no_value = set_no_value,
	.set_variable = network_refuse_variable,
	.set_subgraph = network_refuse_reference,
	.add_operation = add_operation,
	.set_io = set_io,
};

/* Room for the operands and operations that have been counted, and the file of the constants. */
static int make_room(struct sink *sink)
{
	sink->operands =
		nnb_arena_alloc(sink->arena, sink->operand_count, sizeof(*sink->operands));
	sink->operations =
		nnb_arena_alloc(sink->arena, sink->operation_count, sizeof(*sink->operations));
	sink->operand_count = 0;
	sink->operation_count = 0;
	if (!sink->operands || !sink->operations)
		return -ENOMEM;
	sink->fd = memfd_create("nna-demo-constants", MFD_CLOEXEC);
	if (sink->fd < 0)
		return -errno;
	return nnb_arena_own_fd(sink->arena, sink->fd);
}

/* The sink's tables as a model. */
static int finish(struct sink *sink, struct nnb_aidl_model *out)
{
	struct nnb_aidl_memory *pool = nnb_arena_alloc(sink->arena, 1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	if (ftruncate(sink->fd, sink->size))
		return -errno;
	pool->tag = NNB_AIDL_MEMORY_MAPPABLE_FILE;
	pool->mappable_file.fd = sink->fd;
	pool->mappable_file.length = sink->size;
	pool->mappable_file.prot = PROT_READ;
	*out = (struct nnb_aidl_model){ 0 };
	out->pools.count = 1;
	out->pools.data = pool;
	out->main.operands.count = sink->operand_count;
	out->main.operands.data = sink->operands;
	out->main.operations.count = sink->operation_count;
	out->main.operations.data = sink->operations;
	out->main.input_indexes = sink->inputs;
	out->main.output_indexes = sink->outputs;
	return 0;
}

static int walk(struct tflite_model *model, const struct network *instead, struct sink *sink,
		char *error)
{
	return instead ? network_write(instead, &HAL_SINK, sink, error)
		       : tflite_translate(model, &HAL_SINK, sink, NULL, error);
}

int tflite_to_hal(struct tflite_model *model, const struct network *instead,
		  struct nnb_arena *arena, struct nnb_aidl_model *out, char *error)
{
	struct sink sink = { .arena = arena };
	int ret = walk(model, instead, &sink, error);

	if (ret)
		return ret;
	ret = make_room(&sink);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "no memory for the model: %s", strerror(-ret));
		return ret;
	}
	ret = walk(model, instead, &sink, error);
	if (ret)
		return ret;
	ret = finish(&sink, out);
	if (ret)
		snprintf(error, TFLITE_ERROR_SIZE, "no model: %s", strerror(-ret));
	return ret;
}
