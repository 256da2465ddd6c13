// SPDX-License-Identifier: MIT
/* Collects a model, checks its structure, and makes a graph of it (model.h). */
#include "hal-bridge/common/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/backing.h"
#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/signature.h"
#include "libnnaccel/support/array.h"
#include "libnnaccel/support/message.h"

#define NNB_MAX_OPERANDS (1u << 24)
#define NNB_OEM_SCALAR NNB_OEM
#define NNB_TENSOR_OEM_BYTE (NNB_OEM + 1)

/* ---------------------------------------------------------------------------------------- types */

bool nnb_type_is_tensor(uint32_t type)
{
	if (nnb_extension_has(type))
		return nnb_extension_operand(type) && nnb_extension_operand(type)->tensor;
	switch (type) {
	case NNA_OPERAND_FLOAT32:
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_UINT32:
	case NNA_OPERAND_BOOL:
	case NNA_OPERAND_FLOAT16:
	case NNA_OPERAND_SUBGRAPH:
		return false;
	case NNB_TENSOR_OEM_BYTE:
	/* A type of the library, which clients reach through extensions only. */
	case NNA_OPERAND_TENSOR_INT64:
		return true;
	default:
		return type < NNA_OPERAND_SUBGRAPH;
	}
}

/* Return: bytes of an element; 0 if the size is unknown. */
static uint32_t nnb_type_size(uint32_t type)
{
	if (nnb_extension_has(type))
		return nnb_extension_operand(type) ? nnb_extension_operand(type)->size : 0;
	return type == NNB_TENSOR_OEM_BYTE ? 1 : nna_operand_type_size(type);
}

bool nnb_type_may_be_computed(uint32_t type)
{
	return type <= NNA_OPERAND_SUBGRAPH || nnb_extension_operand(type);
}

bool nnb_type_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes)
{
	size_t total = nnb_type_size(type);

	if (!total || (nnb_type_is_tensor(type) && !rank))
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		if (!dims[i] || __builtin_mul_overflow(total, dims[i], &total))
			return false;
	}
	*bytes = total;
	return true;
}

bool nnb_type_fits(uint32_t type, uint32_t rank, const uint32_t *dims)
{
	uint64_t bytes = nnb_type_size(type);

	if (!nnb_type_may_be_computed(type) || rank > NNACCEL_MAX_RANK)
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i] && __builtin_mul_overflow(bytes, dims[i], &bytes))
			return false;
		if (dims[i] > INT32_MAX || bytes > INT32_MAX)
			return false;
	}
	return true;
}

/* Return: true if the type allows this scale and zero point. */
static bool nnb_type_check_quantisation(const struct nna_operand_desc *desc)
{
	bool positive = desc->scale > 0.0f && isfinite(desc->scale);

	switch ((uint32_t)desc->type) {
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return positive && desc->zero_point >= 0 && desc->zero_point <= 255;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		return positive && desc->zero_point >= -128 && desc->zero_point <= 127;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return positive && desc->zero_point >= 0 && desc->zero_point <= 65535;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
		return positive && desc->zero_point == 0;
	/* The scale of a bias is not 0; Android's runtime checks neither field. */
	case NNA_OPERAND_TENSOR_INT32:
		return true;
	case NNB_OEM_SCALAR:
	case NNB_TENSOR_OEM_BYTE:
		return true; /* defined by the vendor */
	default:
		return desc->scale == 0.0f && desc->zero_point == 0;
	}
}

bool nnb_value_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes)
{
	*bytes = nna_operand_type_size(type);
	for (uint32_t i = 0; i < rank; i++) {
		if (__builtin_mul_overflow(*bytes, dims[i], bytes))
			return false;
	}
	return true;
}

float nnb_type_scale(uint32_t type, float scale)
{
	if (type == NNA_OPERAND_TENSOR_INT32 && !(scale > 0.0f && isfinite(scale)))
		return 0.0f;
	return scale;
}

int nnb_type_check(const struct nna_operand_desc *desc, uint32_t index)
{
	const char *name = nna_operand_type_name(desc->type);
	uint64_t bytes = nnb_type_size(desc->type);

	if (desc->type != NNB_OEM_SCALAR && desc->type != NNB_TENSOR_OEM_BYTE &&
	    !nnb_type_may_be_computed(desc->type)) {
		nna_message(MODEL, "operand %u: there is no operand type %#x", index, desc->type);
		return -EINVAL;
	}
	if (!nnb_type_is_tensor(desc->type) && desc->rank) {
		nna_message(MODEL, "operand %u: %s is a scalar and has %u dimensions", index,
			    name ? name : "of an extension or OEM", desc->rank);
		return -EINVAL;
	}
	if (!desc->rank != !desc->dims) {
		nna_message(MODEL, "operand %u: %u dimensions, but the pointer to them is %s",
			    index, desc->rank, desc->dims ? "an address" : "NULL");
		return -EINVAL;
	}
	for (uint32_t i = 0; i < desc->rank; i++) {
		if (desc->dims[i] && (__builtin_mul_overflow(bytes, desc->dims[i], &bytes) ||
				      bytes > UINT32_MAX)) {
			nna_message(MODEL, "operand %u: the tensor has more than 2^32 - 1 bytes",
				    index);
			return -EINVAL;
		}
	}
	if (!nnb_type_check_quantisation(desc)) {
		nna_message(MODEL, "operand %u: %s does not allow scale %g and zero point %d",
			    index, name ? name : "a type of an extension", desc->scale,
			    desc->zero_point);
		return -EINVAL;
	}
	return 0;
}

/* ---------------------------------------------------------------------------------------- model */

static void nnb_operand_drop_value(struct nnb_operand *operand)
{
	if (operand->value == NNB_VALUE_COPIED)
		free((void *)operand->data);
	operand->value = NNB_VALUE_NONE;
	operand->data = NULL;
	operand->size = 0;
	operand->model = NULL;
}

static void nnb_operand_fini(struct nnb_operand *operand)
{
	nnb_operand_drop_value(operand);
	free(operand->dims);
	free(operand->extension_data);
	free(operand->scales);
}

/* Frees the tables, which are needed only until the model is finished. */
static void nnb_model_drop_tables(struct nnb_model *model)
{
	for (uint32_t i = 0; i < model->operand_count; i++)
		nnb_operand_fini(&model->operands[i]);
	for (uint32_t i = 0; i < model->operation_count; i++)
		free(model->operations[i].inputs);
	free(model->operands);
	free(model->operations);
	free(model->inputs);
	model->operands = NULL;
	model->operations = NULL;
	model->inputs = NULL;
	model->outputs = NULL;
	model->operand_count = 0;
	model->operand_room = 0;
	model->operation_count = 0;
	model->operation_room = 0;
}

void nnb_model_fini(struct nnb_model *model)
{
	nnb_model_drop_tables(model);
	for (uint32_t i = 0; model->arguments && i < model->input_count + model->output_count; i++)
		nnb_operand_fini(&model->arguments[i]);
	free(model->arguments);
	free(model->vendors);
	free(model->drawing);
	free(model->parts);
	nna_graph_unref(model->graph);
	memset(model, 0, sizeof(*model));
}

/*
 * Makes room for one more entry in an array. @array is the address of the pointer to it, of any
 * pointer type.
 */
static int nnb_grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
	void *old, *grown;

	if (count >= NNB_MAX_OPERANDS) {
		nna_message(MODEL, "the model has more than %u operands or operations",
			    NNB_MAX_OPERANDS);
		return -EINVAL;
	}
	memcpy(&old, array, sizeof(old));
	grown = nna_array_reserve(old, (uint64_t)count + 1, room, size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

static struct nnb_operand *nnb_model_operand(struct nnb_model *model, uint32_t index)
{
	if (index < model->operand_count)
		return &model->operands[index];
	nna_message(MODEL, "there is no operand %u: the model has only %u", index,
		    model->operand_count);
	return NULL;
}

int nnb_model_add_operand(struct nnb_model *model, const struct nna_operand_desc *desc)
{
	struct nnb_operand operand = {
		.type = desc->type,
		.rank = desc->rank,
		.scale = desc->scale,
		.zero_point = desc->zero_point,
	};
	int ret;

	ret = nnb_type_check(desc, model->operand_count);
	if (!ret)
		ret = nnb_grow(&model->operands, model->operand_count, &model->operand_room,
			       sizeof(*model->operands));
	if (ret)
		return ret;
	if (desc->rank) {
		operand.dims = calloc(desc->rank, sizeof(*operand.dims));
		if (!operand.dims)
			return -ENOMEM;
		memcpy(operand.dims, desc->dims, desc->rank * sizeof(*operand.dims));
	}
	model->operands[model->operand_count++] = operand;
	return 0;
}

/* Return: operand @index if it can be a constant of @size bytes; otherwise NULL. */
static struct nnb_operand *nnb_model_constant(struct nnb_model *model, uint32_t index, size_t size)
{
	struct nnb_operand *operand = nnb_model_operand(model, index);
	size_t needed = size;

	if (!operand)
		return NULL;
	/* The vendor defines the size of an OEM scalar. */
	if (operand->type != NNB_OEM_SCALAR &&
	    (operand->type == NNA_OPERAND_SUBGRAPH ||
	     !nnb_type_bytes(operand->type, operand->rank, operand->dims, &needed))) {
		nna_message(MODEL, "operand %u cannot be a constant: its size is unknown", index);
		return NULL;
	}
	if (needed != size) {
		nna_message(MODEL, "operand %u has %zu bytes, but its value has %zu", index, needed,
			    size);
		return NULL;
	}
	return operand;
}

int nnb_model_set_value(struct nnb_model *model, uint32_t index, const void *data, size_t size,
			bool by_reference)
{
	struct nnb_operand *operand = nnb_model_constant(model, index, size);
	void *copy;

	if (!operand)
		return -EINVAL;
	if (by_reference) {
		nnb_operand_drop_value(operand);
		operand->data = data;
		operand->value = NNB_VALUE_REFERENCE;
	} else {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, data, size);
		nnb_operand_drop_value(operand);
		operand->data = copy;
		operand->value = NNB_VALUE_COPIED;
	}
	operand->size = size;
	return 0;
}

/* Return: a copy of a constant in a file, the caller's; NULL if it cannot be read. */
static void *nnb_operand_read(uint32_t index, int fd, uint64_t offset, size_t size, int *error)
{
	void *copy = malloc(size);

	*error = copy ? nnb_backing_read(fd, offset, copy, size) : -ENOMEM;
	if (!*error)
		return copy;
	if (*error != -ENOMEM) {
		nna_message(MODEL, "operand %u: %zu bytes at %llu of a file cannot be read: %s",
			    index, size, (unsigned long long)offset,
			    *error == -ENODATA ? "it has been truncated" : strerror(-*error));
		*error = -EINVAL;
	}
	free(copy);
	return NULL;
}

int nnb_model_set_file(struct nnb_model *model, uint32_t index, int fd, uint64_t offset,
		       size_t size)
{
	struct nnb_operand *operand = nnb_model_constant(model, index, size);
	void *copy;
	int ret;

	if (!operand)
		return -EINVAL;
	if (nnb_type_is_tensor(operand->type) || operand->type == NNB_OEM_SCALAR) {
		nnb_operand_drop_value(operand);
		operand->value = NNB_VALUE_FILE;
		operand->fd = fd;
		operand->offset = offset;
	} else {
		copy = nnb_operand_read(index, fd, offset, size, &ret);
		if (!copy)
			return ret;
		nnb_operand_drop_value(operand);
		operand->value = NNB_VALUE_COPIED;
		operand->data = copy;
	}
	operand->size = size;
	return 0;
}

int nnb_model_set_omitted(struct nnb_model *model, uint32_t index)
{
	struct nnb_operand *operand = nnb_model_operand(model, index);

	if (!operand)
		return -EINVAL;
	nnb_operand_drop_value(operand);
	operand->value = NNB_VALUE_OMITTED;
	return 0;
}

int nnb_model_set_model(struct nnb_model *model, uint32_t index, const struct nnb_model *value)
{
	struct nnb_operand *operand = nnb_model_operand(model, index);

	if (!operand)
		return -EINVAL;
	if (operand->type != NNA_OPERAND_SUBGRAPH) {
		nna_message(MODEL, "operand %u is of type %s and cannot be a model", index,
			    nna_operand_type_name(operand->type));
		return -EINVAL;
	}
	if (!value->graph) {
		nna_message(MODEL,
			    "operand %u: the referenced model is not finished, or invalid",
			    index);
		return -EINVAL;
	}
	nnb_operand_drop_value(operand);
	operand->value = NNB_VALUE_MODEL;
	operand->model = value;
	return 0;
}

int nnb_model_set_scales(struct nnb_model *model, uint32_t index, uint32_t channel_dim,
			 uint32_t count, const float *scales)
{
	struct nnb_operand *operand = nnb_model_operand(model, index);
	float *copy;

	if (!operand)
		return -EINVAL;
	if (operand->type != NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		nna_message(MODEL, "operand %u is of type %s and has no scales per channel", index,
			    nna_operand_type_name(operand->type));
		return -EINVAL;
	}
	if (channel_dim >= operand->rank || !count || count != operand->dims[channel_dim]) {
		nna_message(MODEL,
			    "operand %u: %u scales along dimension %u do not fit its dimensions",
			    index, count, channel_dim);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!(scales[i] > 0.0f) || !isfinite(scales[i])) {
			nna_message(MODEL,
				    "operand %u: scale %u is %g, but must be above 0 and finite",
				    index, i, scales[i]);
			return -EINVAL;
		}
	}
	copy = calloc(count, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, scales, count * sizeof(*copy));
	free(operand->scales);
	operand->scales = copy;
	operand->scale_count = count;
	operand->channel_dim = channel_dim;
	return 0;
}

int nnb_model_set_extension_data(struct nnb_model *model, uint32_t index, const void *data,
				 size_t size)
{
	struct nnb_operand *operand = nnb_model_operand(model, index);
	const struct nnb_extension_operand *type;
	void *copy = NULL;

	if (!operand)
		return -EINVAL;
	type = nnb_extension_operand(operand->type);
	if (!type) {
		nna_message(MODEL, "operand %u: only types of extensions have extension data",
			    index);
		return -EINVAL;
	}
	if (size && size != type->data_size) {
		nna_message(MODEL, "operand %u: its type needs %u bytes of extension data, not %zu",
			    index, type->data_size, size);
		return -EINVAL;
	}
	if (size) {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, data, size);
	}
	free(operand->extension_data);
	operand->extension_data = copy;
	return 0;
}

/* Checks two lists of operand numbers and copies them into one allocation. @whom: for messages. */
static int nnb_model_copy_lists(const struct nnb_model *model, const char *whom,
				uint32_t input_count, const uint32_t *inputs, uint32_t output_count,
				const uint32_t *outputs, uint32_t **copy)
{
	size_t total = (size_t)input_count + output_count;

	for (size_t i = 0; i < total; i++) {
		uint32_t index = i < input_count ? inputs[i] : outputs[i - input_count];

		if (index >= model->operand_count) {
			nna_message(MODEL,
				    "%s: %s %zu is operand %u, but the model has only %u", whom,
				    i < input_count ? "input" : "output",
				    i < input_count ? i : i - input_count, index,
				    model->operand_count);
			return -EINVAL;
		}
	}
	*copy = calloc(total + 1, sizeof(**copy));
	if (!*copy)
		return -ENOMEM;
	if (input_count)
		memcpy(*copy, inputs, input_count * sizeof(**copy));
	if (output_count)
		memcpy(*copy + input_count, outputs, output_count * sizeof(**copy));
	return 0;
}

/* Return: an operand as the signature check takes it. */
static struct nnb_signature_operand nnb_operand_view(const struct nnb_operand *operand)
{
	return (struct nnb_signature_operand){
		.type = operand->type,
		.rank = operand->rank,
		.dims = operand->dims,
		.scale = operand->scale,
		.zero_point = operand->zero_point,
		.channel_dim = operand->channel_dim,
		.scale_count = operand->scale_count,
		.scales = operand->scales,
		.omitted = operand->value == NNB_VALUE_OMITTED,
		.subgraph = operand->model,
	};
}

static uint32_t nnb_model_argument_count(const void *model, bool output)
{
	const struct nnb_model *self = model;

	return output ? self->output_count : self->input_count;
}

static struct nnb_signature_operand nnb_model_argument_view(const void *model, bool output,
							    uint32_t index)
{
	return nnb_operand_view(nnb_model_argument(model, output, index));
}

/* Checks an operation, whose operands exist, against its signature. */
static int nnb_model_check_signature(const struct nnb_model *model,
				     const struct nnb_operation *operation)
{
	size_t total = (size_t)operation->input_count + operation->output_count;
	struct nnb_signature_operand *views = calloc(total + 1, sizeof(*views));
	const struct nnb_signature_call call = {
		.operation = operation->type,
		.input_count = operation->input_count,
		.output_count = operation->output_count,
		.inputs = views,
		.outputs = views + operation->input_count,
		.count = nnb_model_argument_count,
		.argument = nnb_model_argument_view,
	};
	int ret;

	if (!views)
		return -ENOMEM;
	for (size_t i = 0; i < total; i++)
		views[i] = nnb_operand_view(&model->operands[operation->inputs[i]]);
	ret = nnb_signature_check(&call);
	free(views);
	return ret;
}

static const char *nnb_operation_name(uint32_t type)
{
	const char *name = nna_operation_name(type);

	if (type == NNB_OEM)
		return "OEM_OPERATION";
	return name ? name : "an operation of an extension";
}

int nnb_model_add_operation(struct nnb_model *model, uint32_t type, uint32_t input_count,
			    const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct nnb_operation operation = {
		.type = type,
		.input_count = input_count,
		.output_count = output_count,
	};
	const char *name = nnb_operation_name(type);
	int ret;

	if (type > NNA_OPERATION_REVERSE && type != NNB_OEM && !nnb_extension_is_known(type)) {
		nna_message(MODEL, "there is no operation %#x", type);
		return -EINVAL;
	}
	if (!output_count) {
		nna_message(MODEL, "%s: an operation needs an output", name);
		return -EINVAL;
	}
	ret = nnb_grow(&model->operations, model->operation_count, &model->operation_room,
		       sizeof(*model->operations));
	if (!ret)
		ret = nnb_model_copy_lists(model, name, input_count, inputs, output_count, outputs,
					   &operation.inputs);
	if (ret)
		return ret;
	operation.outputs = operation.inputs + input_count;
	/* Only the device knows an extension's operations and their operands. */
	if (!nnb_extension_has(type))
		ret = nnb_model_check_signature(model, &operation);
	if (ret) {
		free(operation.inputs);
		return ret;
	}
	model->operations[model->operation_count++] = operation;
	return 0;
}

int nnb_model_set_io(struct nnb_model *model, uint32_t input_count, const uint32_t *inputs,
		     uint32_t output_count, const uint32_t *outputs)
{
	uint32_t *lists = NULL;
	uint8_t *seen;
	int ret;

	ret = nnb_model_copy_lists(model, "the model", input_count, inputs, output_count, outputs,
				   &lists);
	if (ret)
		return ret;
	seen = calloc(model->operand_count + 1, 1);
	if (!seen) {
		free(lists);
		return -ENOMEM;
	}
	for (size_t i = 0; i < (size_t)input_count + output_count && !ret; i++) {
		if (seen[lists[i]]++) {
			nna_message(MODEL,
				    "operand %u is listed twice as an input or output of the model",
				    lists[i]);
			ret = -EINVAL;
		} else if (model->operands[lists[i]].argument) {
			nna_message(MODEL, "operand %u was an input or output in an earlier list",
				    lists[i]);
			ret = -EINVAL;
		} else if (model->operands[lists[i]].value != NNB_VALUE_NONE) {
			nna_message(MODEL,
				    "operand %u has a value and cannot be an input or output",
				    lists[i]);
			ret = -EINVAL;
		}
	}
	free(seen);
	if (ret) {
		free(lists);
		return ret;
	}
	for (size_t i = 0; i < (size_t)input_count + output_count; i++)
		model->operands[lists[i]].argument = true;
	free(model->inputs);
	model->inputs = lists;
	model->outputs = lists + input_count;
	model->input_count = input_count;
	model->output_count = output_count;
	return 0;
}

/* --------------------------------------------------------------------------------------- finish */

/* Return: the number of the subgraph for @part; @part_count if there is none. */
static uint32_t nnb_model_find_part(const struct nnb_model *model, const struct nnb_model *part)
{
	uint32_t i = 0;

	while (i < model->part_count && model->parts[i] != part)
		i++;
	return i;
}

static int nnb_model_add_part(struct nnb_model *model, const struct nnb_model *part)
{
	int ret = nnb_grow(&model->parts, model->part_count, &model->part_room,
			   sizeof(*model->parts));

	if (!ret)
		model->parts[model->part_count++] = part;
	return ret;
}

/*
 * Lists the models that become subgraphs, the main one first. A finished model lists all models
 * that it refers to, directly or indirectly. It was finished before the models that refer to it, so
 * there is no cycle.
 */
static int nnb_model_collect_parts(struct nnb_model *model)
{
	int ret = nnb_model_add_part(model, model);

	for (uint32_t i = 0; i < model->operand_count && !ret; i++) {
		const struct nnb_model *other = model->operands[i].model;

		if (!other || nnb_model_find_part(model, other) < model->part_count)
			continue;
		for (uint32_t k = 0; k < other->part_count && !ret; k++) {
			if (nnb_model_find_part(model, other->parts[k]) == model->part_count)
				ret = nnb_model_add_part(model, other->parts[k]);
		}
	}
	return ret;
}

static int nnb_operand_emit_file(struct nna_graph *graph, uint32_t index,
				 const struct nnb_operand *operand)
{
	int ret;
	void *copy = nnb_operand_read(index, operand->fd, operand->offset, operand->size, &ret);

	if (!ret)
		ret = nna_graph_set_constant(graph, 0, index, copy, operand->size, false);
	free(copy);
	return ret;
}

/*
 * Adds an operand of the main model to the graph, with its value. An operand that the library
 * cannot hold becomes opaque: only the operations that read or write it are unsupported.
 */
static int nnb_operand_emit(const struct nnb_model *model, struct nna_graph *graph,
			    const struct nnb_operand *operand)
{
	const struct nna_operand_desc opaque = { .type = NNA_OPERAND_OPAQUE };
	struct nna_operand_desc desc = {
		.type = operand->type,
		.rank = operand->rank,
		.dims = operand->dims,
		.scale = nnb_type_scale(operand->type, operand->scale),
		.zero_point = operand->type == NNA_OPERAND_TENSOR_INT32 ? 0 : operand->zero_point,
		.channel_dim = operand->channel_dim,
		.channel_count = operand->scale_count,
		.channel_scales = operand->scales,
	};
	bool fits = nnb_type_fits(operand->type, operand->rank, operand->dims);
	int index;

	nnb_extension_describe(&desc);
	index = nna_graph_add_operand(graph, 0, fits ? &desc : &opaque);
	if (index < 0)
		return index;
	switch (operand->value) {
	case NNB_VALUE_COPIED:
	case NNB_VALUE_REFERENCE:
		if (!fits)
			return nna_graph_set_no_value(graph, 0, index);
		return nna_graph_set_constant(graph, 0, index, operand->data, operand->size,
					      operand->value == NNB_VALUE_REFERENCE);
	case NNB_VALUE_FILE:
		if (!fits)
			return nna_graph_set_no_value(graph, 0, index);
		return nnb_operand_emit_file(graph, index, operand);
	case NNB_VALUE_OMITTED:
		return nna_graph_set_no_value(graph, 0, index);
	case NNB_VALUE_MODEL:
		return nna_graph_set_subgraph(graph, 0, index,
					      nnb_model_find_part(model, operand->model));
	default:
		return 0;
	}
}

/* Fills subgraph 0 from the tables. Frees each copied value as soon as the graph has it. */
static int nnb_model_emit(struct nnb_model *model, struct nna_graph *graph)
{
	int ret = 0;

	for (uint32_t i = 0; i < model->operand_count && !ret; i++) {
		ret = nnb_operand_emit(model, graph, &model->operands[i]);
		nnb_operand_drop_value(&model->operands[i]);
	}
	for (uint32_t i = 0; i < model->operation_count && !ret; i++) {
		const struct nnb_operation *operation = &model->operations[i];

		if (nnb_extension_has(operation->type)) {
			ret = nnb_extension_add_operation(
				graph, 0, operation->type, operation->input_count,
				operation->inputs, operation->output_count, operation->outputs,
				operation->output_count ?
					model->operands[operation->outputs[0]].extension_data :
					NULL);
			continue;
		}
		ret = nna_graph_add_operation(graph, 0, operation->type, operation->input_count,
					      operation->inputs, operation->output_count,
					      operation->outputs);
	}
	if (!ret)
		ret = nna_graph_set_io(graph, 0, model->input_count, model->inputs,
				       model->output_count, model->outputs);
	return ret;
}

/* Fills subgraph @part with the main subgraph of the part's own graph. */
static int nnb_model_emit_part(const struct nnb_model *model, struct nna_graph *graph,
			       uint32_t part)
{
	const struct nnb_model *other = model->parts[part];
	uint32_t *numbers = calloc(other->part_count, sizeof(*numbers));
	int ret;

	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < other->part_count; i++)
		numbers[i] = nnb_model_find_part(model, other->parts[i]);
	ret = nna_graph_copy_subgraph(graph, part, other->graph, 0, numbers);
	free(numbers);
	return ret;
}

/* Checks that each operand is an input, has a value, or is the output of an operation. */
static int nnb_model_check_written(const struct nnb_model *model)
{
	uint8_t *written = calloc(model->operand_count + 1, 1);
	int ret = 0;

	if (!written)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->input_count; i++)
		written[model->inputs[i]] = 1;
	for (uint32_t i = 0; i < model->operation_count; i++) {
		for (uint32_t o = 0; o < model->operations[i].output_count; o++)
			written[model->operations[i].outputs[o]] = 1;
	}
	for (uint32_t i = 0; i < model->operand_count && !ret; i++) {
		if (model->operands[i].value == NNB_VALUE_NONE && !written[i]) {
			nna_message(MODEL,
				    "operand %u is no input, no constant and no operation's output",
				    i);
			ret = -EINVAL;
		}
	}
	free(written);
	return ret;
}

/* Checks the structure that a graph needs. */
static int nnb_model_check(const struct nnb_model *model)
{
	for (uint32_t i = 0; i < model->operand_count; i++) {
		if (model->operands[i].type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL &&
		    !model->operands[i].scales) {
			nna_message(MODEL, "operand %u: its type needs scales per channel", i);
			return -EINVAL;
		}
	}
	if (!model->output_count) {
		nna_message(MODEL, "the model has no list of inputs and outputs");
		return -EINVAL;
	}
	return nnb_model_check_written(model);
}

static int nnb_model_make_graph(struct nnb_model *model)
{
	int ret;

	ret = nnb_model_collect_parts(model);
	if (!ret)
		ret = nna_graph_create(&nna_message_log, &model->graph);
	for (uint32_t i = 1; i < model->part_count && !ret; i++) {
		ret = nna_graph_add_subgraph(model->graph);
		if (ret > 0)
			ret = 0;
	}
	if (!ret)
		ret = nnb_model_emit(model, model->graph);
	for (uint32_t i = 1; i < model->part_count && !ret; i++)
		ret = nnb_model_emit_part(model, model->graph, i);
	if (!ret)
		ret = nna_graph_set_relaxed(model->graph, model->relaxed);
	if (!ret)
		ret = nna_graph_finish_leniently(model->graph);
	return ret;
}

/* Moves the inputs and outputs, which are distinct operands, out of the tables. */
static int nnb_model_keep_arguments(struct nnb_model *model)
{
	uint32_t count = model->input_count + model->output_count;

	model->arguments = calloc(count, sizeof(*model->arguments));
	if (!model->arguments)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct nnb_operand *operand = &model->operands[model->inputs[i]];

		model->arguments[i] = *operand;
		*operand = (struct nnb_operand){ 0 };
	}
	return 0;
}

/* Return: true if an operation is a vendor's, or refers to a model that has such an operation. */
static bool nnb_operation_is_vendors(const struct nnb_model *model,
				     const struct nnb_operation *operation)
{
	if (operation->type == NNB_OEM || nnb_extension_has(operation->type))
		return true;
	for (uint32_t i = 0; i < operation->input_count; i++) {
		const struct nnb_model *other = model->operands[operation->inputs[i]].model;

		if (other && other->vendor)
			return true;
	}
	return false;
}

/* Records which operations are a vendor's. */
static int nnb_model_find_vendors(struct nnb_model *model)
{
	for (uint32_t i = 0; i < model->operation_count; i++)
		model->vendor |= nnb_operation_is_vendors(model, &model->operations[i]);
	if (!model->vendor)
		return 0;
	model->vendors = calloc(model->operation_count, sizeof(*model->vendors));
	if (!model->vendors)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->operation_count; i++)
		model->vendors[i] = nnb_operation_is_vendors(model, &model->operations[i]);
	return 0;
}

/* Adds a word to a digest of four FNV-1a hashes with different initial values. */
static void nnb_arch_add(uint64_t arch[4], uint32_t word)
{
	for (int i = 0; i < 4; i++)
		arch[i] = (arch[i] ^ word ^ (uint64_t)i << 32) * 0x100000001b3ull;
}

/* Computes the digest of the model's structure and types, without values and quantisation. */
static void nnb_model_make_arch(struct nnb_model *model)
{
	uint64_t arch[4];

	for (int i = 0; i < 4; i++)
		arch[i] = 0xcbf29ce484222325ull + i;
	nnb_arch_add(arch, model->operand_count);
	for (uint32_t i = 0; i < model->operand_count; i++) {
		const struct nnb_operand *operand = &model->operands[i];

		nnb_arch_add(arch, operand->type);
		nnb_arch_add(arch, operand->value);
		nnb_arch_add(arch, operand->rank);
		for (uint32_t k = 0; k < operand->rank; k++)
			nnb_arch_add(arch, operand->dims[k]);
		for (uint32_t k = 0; operand->model && k < NNB_ARCH_SIZE; k++)
			nnb_arch_add(arch, operand->model->arch[k]);
	}
	for (uint32_t i = 0; i < model->operation_count; i++) {
		const struct nnb_operation *operation = &model->operations[i];

		nnb_arch_add(arch, operation->type);
		nnb_arch_add(arch, operation->input_count);
		nnb_arch_add(arch, operation->output_count);
		for (uint32_t k = 0; k < operation->input_count + operation->output_count; k++)
			nnb_arch_add(arch, operation->inputs[k]);
	}
	for (uint32_t i = 0; i < model->input_count + model->output_count; i++)
		nnb_arch_add(arch, model->inputs[i]);
	memcpy(model->arch, arch, sizeof(model->arch));
}

bool nnb_model_operation_is_vendors(const struct nnb_model *model, uint32_t index)
{
	return model->vendors && model->vendors[index];
}

int nnb_model_finish(struct nnb_model *model)
{
	int ret;

	ret = nnb_model_check(model);
	if (!ret)
		ret = nnb_model_find_vendors(model);
	if (!ret)
		nnb_model_make_arch(model);
	if (!ret)
		ret = nnb_model_make_graph(model);
	if (!ret)
		ret = nnb_model_keep_arguments(model);
	if (ret)
		nnb_model_fini(model);
	else
		nnb_model_drop_tables(model);
	return ret;
}

const struct nnb_operand *nnb_model_argument(const struct nnb_model *model, bool output,
					     uint32_t index)
{
	if (!model->arguments || index >= (output ? model->output_count : model->input_count))
		return NULL;
	return &model->arguments[output ? model->input_count + index : index];
}
