// SPDX-License-Identifier: MIT
/* The HAL's rules for models (validate.h). */
#include "hal-bridge/service/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/model.h"
#include "hal-bridge/common/signature.h"
#include "hal-bridge/service/extension.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
/* Far above what models use, and low enough to compare each extension with each other one. */
#define NNB_MAX_EXTENSIONS 256u
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

/**
 * struct nnb_validation - a model under check
 * @call: gets messages
 * @version: of the interface
 * @model: the model
 * @pool_sizes: bytes of its pools
 * @which: the present subgraph, for messages: 0 is the main one, i + 1 is referenced[i]
 */
struct nnb_validation {
	struct nnb_aidl_call *call;
	int version;
	const struct nnb_aidl_model *model;
	const size_t *pool_sizes;
	uint32_t which;
};

/* Refuses an argument, with a message that names the present subgraph. */
#define REFUSE(v, format, ...)                                                                     \
	nnb_aidl_fail((v)->call, INVALID, "subgraph %u: " format, (v)->which, __VA_ARGS__)

/* ----------------------------------------------------------------------------------- extensions */

int nnb_validate_extensions(struct nnb_aidl_call *call,
			    const struct nnb_aidl_extension_name_and_prefix *extensions,
			    uint32_t count)
{
	if (count > NNB_MAX_EXTENSIONS)
		return nnb_aidl_fail(call, INVALID, "the model names %u extensions, more than %u",
				     count, NNB_MAX_EXTENSIONS);
	for (uint32_t i = 0; i < count; i++) {
		if (!extensions[i].prefix || extensions[i].prefix > 0x7fff ||
		    !extensions[i].name[0])
			return nnb_aidl_fail(call, INVALID, "extension %u, \"%s\", has an invalid "
					     "name or prefix %u", i, extensions[i].name,
					     extensions[i].prefix);
		for (uint32_t k = 0; k < i; k++) {
			if (extensions[k].prefix == extensions[i].prefix ||
			    !strcmp(extensions[k].name, extensions[i].name))
				return nnb_aidl_fail(call, INVALID, "extensions %u and %u have the "
						     "same name or prefix", k, i);
		}
	}
	return 0;
}

/* ------------------------------------------------------------------------------------- operands */

static int nnb_validate_scales(struct nnb_validation *v, uint32_t index,
			       const struct nnb_aidl_operand *operand)
{
	const struct nnb_aidl_operand_extra_params *extra = operand->extra_params;
	const struct nnb_aidl_symm_per_channel_quant_params *quant;

	if (operand->type != NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		if (extra)
			return REFUSE(v, "operand %u of type %d has extra parameters", index,
				      operand->type);
		return 0;
	}
	if (!extra || extra->tag != NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT)
		return REFUSE(v, "operand %u has no scales per channel", index);
	quant = &extra->channel_quant;
	if (quant->channel_dim < 0 || (uint32_t)quant->channel_dim >= operand->dimensions.count ||
	    !operand->dimensions.data[quant->channel_dim] ||
	    (uint32_t)operand->dimensions.data[quant->channel_dim] != quant->scales.count)
		return REFUSE(v, "operand %u has %u scales along dimension %d", index,
			      quant->scales.count, quant->channel_dim);
	for (uint32_t i = 0; i < quant->scales.count; i++) {
		if (!(quant->scales.data[i] > 0.0f) || !isfinite(quant->scales.data[i]))
			return REFUSE(v, "operand %u has scale %g", index, quant->scales.data[i]);
	}
	return 0;
}

/*
 * Checks extra parameters: data for an operand of an extension's type, if that has data; else none.
 */
static int nnb_validate_extension_data(struct nnb_validation *v, uint32_t index,
				       const struct nnb_aidl_operand *operand,
				       const struct nnb_extension_operand *type)
{
	const struct nnb_aidl_operand_extra_params *extra = operand->extra_params;

	if (!extra || (extra->tag == NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION &&
		       extra->extension.count == type->data_size))
		return 0;
	return REFUSE(v, "operand %u: its type takes %u bytes of extension data", index,
		      type->data_size);
}

static int nnb_validate_type(struct nnb_validation *v, uint32_t index,
			     const struct nnb_aidl_operand *operand)
{
	const uint32_t code = nnb_extension_translate(v->model, operand->type);
	const struct nnb_extension_operand *extension = nnb_extension_operand(code);
	const struct nna_operand_desc desc = {
		.type = (enum nna_operand_type)code,
		.rank = operand->dimensions.count,
		.dims = operand->dimensions.count ? (const uint32_t *)operand->dimensions.data
						  : NULL,
		.scale = operand->scale,
		.zero_point = operand->zero_point,
	};

	if (!nnb_extension_is_named(v->model, operand->type) &&
	    (operand->type < 0 || operand->type > NNA_OPERAND_SUBGRAPH))
		return REFUSE(v, "operand %u: there is no operand type %d", index, operand->type);
	for (uint32_t i = 0; i < operand->dimensions.count; i++) {
		if (operand->dimensions.data[i] < 0)
			return REFUSE(v, "operand %u: dimension %u is %d", index, i,
				      operand->dimensions.data[i]);
	}
	/* A bias has a scale, and no type of integers a zero point. The C API checks neither. */
	if (operand->type == NNA_OPERAND_TENSOR_INT32 &&
	    (!(operand->scale >= 0.0f) || operand->zero_point))
		return REFUSE(v, "operand %u: TENSOR_INT32 has scale %g and zero point %d", index,
			      operand->scale, operand->zero_point);
	/* Only the vendor can check operands of other extensions. */
	if (nnb_extension_has(code) && !extension)
		return 0;
	if (nnb_type_check(&desc, index))
		return REFUSE(v,
			      "operand %u of type %d, rank %u, scale %g and zero "
			      "point %d: these do not go together",
			      index, operand->type, desc.rank, desc.scale, desc.zero_point);
	return extension ? nnb_validate_extension_data(v, index, operand, extension)
			 : nnb_validate_scales(v, index, operand);
}

/* Checks the location of a constant: inside @size, and with the bytes of its dimensions. */
static int nnb_validate_constant(struct nnb_validation *v, uint32_t index,
				 const struct nnb_aidl_operand *operand, size_t size)
{
	const struct nnb_aidl_data_location *at = &operand->location;
	const uint32_t code = nnb_extension_translate(v->model, operand->type);
	size_t needed;
	int64_t end;

	if (at->offset < 0 || at->length <= 0 || at->padding < 0 ||
	    __builtin_add_overflow(at->offset, at->length, &end) ||
	    __builtin_add_overflow(end, at->padding, &end) || (uint64_t)end > size)
		return REFUSE(v,
			      "operand %u: %lld bytes and %lld of padding at %lld "
			      "of %zu",
			      index, (long long)at->length, (long long)at->padding,
			      (long long)at->offset, size);
	if (nnb_extension_has(code) && !nnb_extension_operand(code))
		return 0;
	if (operand->type == NNA_OPERAND_SUBGRAPH ||
	    !nnb_type_bytes(code, operand->dimensions.count,
			    (const uint32_t *)operand->dimensions.data, &needed) ||
	    needed != (uint64_t)at->length)
		return REFUSE(v,
			      "operand %u is a constant of %lld bytes, which is not "
			      "what its type has",
			      index, (long long)at->length);
	return 0;
}

/* Checks the lifetime against type and location. */
static int nnb_validate_lifetime(struct nnb_validation *v, uint32_t index,
				 const struct nnb_aidl_operand *operand)
{
	const struct nnb_aidl_data_location *at = &operand->location;
	const bool nowhere = !at->pool_index && !at->offset && !at->length && !at->padding;
	const bool subgraph = operand->lifetime == NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH;

	if (subgraph != (operand->type == NNA_OPERAND_SUBGRAPH))
		return REFUSE(v, "operand %u of type %d has lifetime %d", index, operand->type,
			      operand->lifetime);
	switch (operand->lifetime) {
	case NNB_AIDL_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE:
	case NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT:
	case NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT:
	case NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE:
		if (nowhere)
			return 0;
		break;
	case NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY:
		if (at->pool_index)
			break;
		return nnb_validate_constant(v, index, operand, v->model->operand_values.count);
	case NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL:
		if (at->pool_index < 0 || (uint32_t)at->pool_index >= v->model->pools.count)
			break;
		return nnb_validate_constant(v, index, operand, v->pool_sizes[at->pool_index]);
	case NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH:
		if (!at->pool_index && !at->length && !at->padding && at->offset >= 0 &&
		    at->offset < v->model->referenced.count)
			return 0;
		break;
	default:
		return REFUSE(v, "operand %u has lifetime %d", index, operand->lifetime);
	}
	return REFUSE(v, "operand %u of lifetime %d is at %lld of pool %d, %lld bytes", index,
		      operand->lifetime, (long long)at->offset, at->pool_index,
		      (long long)at->length);
}

/* ------------------------------------------------------------------------------------ subgraphs */

/*
 * Checks a list of inputs or outputs: exactly the operands of @lifetime, each once. @seen has a
 * byte for each operand, zero at first.
 */
static int nnb_validate_list(struct nnb_validation *v, const struct nnb_aidl_subgraph *subgraph,
			     const struct nnb_ints *list, int32_t lifetime, uint8_t *seen)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < subgraph->operands.count; i++)
		count += subgraph->operands.data[i].lifetime == lifetime;
	for (uint32_t i = 0; i < list->count; i++) {
		int32_t index = list->data[i];

		if (index < 0 || (uint32_t)index >= subgraph->operands.count || seen[index] ||
		    subgraph->operands.data[index].lifetime != lifetime)
			return REFUSE(v, "operand %d cannot be number %u of the %s", index, i,
				      lifetime == NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT
					      ? "inputs"
					      : "outputs");
		seen[index] = 1;
	}
	if (list->count != count)
		return REFUSE(v, "%u operands of lifetime %d, %u are listed", count, lifetime,
			      list->count);
	return 0;
}

static int nnb_validate_operation_type(struct nnb_validation *v, uint32_t index, int32_t type)
{
	static const int32_t last[] = {
		NNB_AIDL_OPERATION_TYPE_RANK,
		NNB_AIDL_OPERATION_TYPE_PACK,
		NNB_AIDL_OPERATION_TYPE_REVERSE,
		NNB_AIDL_OPERATION_TYPE_REVERSE,
	};

	if (nnb_extension_is_named(v->model, type))
		return 0;
	if (type < 0 || type > last[v->version - 1])
		return REFUSE(v, "operation %u: there is no operation %d", index, type);
	return 0;
}

/* Checks the order of operations; @written has a byte for each operand, zero at first. */
static int nnb_validate_operations(struct nnb_validation *v,
				   const struct nnb_aidl_subgraph *subgraph, uint8_t *written)
{
	const uint32_t count = subgraph->operands.count;

	for (uint32_t i = 0; i < count; i++) {
		int32_t lifetime = subgraph->operands.data[i].lifetime;

		written[i] = lifetime != NNB_AIDL_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE &&
			     lifetime != NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	}
	for (uint32_t i = 0; i < subgraph->operations.count; i++) {
		const struct nnb_aidl_operation *operation = &subgraph->operations.data[i];
		int ret = nnb_validate_operation_type(v, i, operation->type);

		if (ret)
			return ret;
		for (uint32_t k = 0; k < operation->inputs.count; k++) {
			int32_t index = operation->inputs.data[k];

			if (index < 0 || (uint32_t)index >= count || !written[index])
				return REFUSE(v,
					      "operation %u reads operand %d, which "
					      "has no value then",
					      i, index);
		}
		for (uint32_t k = 0; k < operation->outputs.count; k++) {
			int32_t index = operation->outputs.data[k];

			if (index < 0 || (uint32_t)index >= count || written[index])
				return REFUSE(v,
					      "operation %u writes operand %d, which "
					      "has a value already",
					      i, index);
			written[index] = 1;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!written[i])
			return REFUSE(v, "no operation writes operand %u", i);
	}
	return 0;
}

static int nnb_validate_subgraph(struct nnb_validation *v, const struct nnb_aidl_subgraph *subgraph)
{
	uint8_t *marks;
	int ret = 0;

	if (!subgraph->operands.count || !subgraph->operations.count ||
	    !subgraph->output_indexes.count)
		return nnb_aidl_fail(v->call, INVALID, "subgraph %u needs operands, operations and "
				     "outputs, but has %u, %u and %u", v->which,
				     subgraph->operands.count, subgraph->operations.count,
				     subgraph->output_indexes.count);
	for (uint32_t i = 0; i < subgraph->operands.count && !ret; i++) {
		ret = nnb_validate_type(v, i, &subgraph->operands.data[i]);
		if (!ret)
			ret = nnb_validate_lifetime(v, i, &subgraph->operands.data[i]);
	}
	if (ret)
		return ret;
	marks = calloc(subgraph->operands.count, 1);
	if (!marks)
		return nnb_aidl_fail(v->call, EXHAUSTED, "out of memory");
	ret = nnb_validate_list(v, subgraph, &subgraph->input_indexes,
				NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT, marks);
	if (!ret)
		ret = nnb_validate_list(v, subgraph, &subgraph->output_indexes,
					NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT, marks);
	if (!ret)
		ret = nnb_validate_operations(v, subgraph, marks);
	free(marks);
	return ret;
}

/* ---------------------------------------------------------------------------------- signatures */

/* Return: an operand for a signature check. With @model NULL it cannot be a subgraph. */
static struct nnb_signature_operand nnb_validate_view(const struct nnb_aidl_model *model,
						      const struct nnb_aidl_operand *operand)
{
	const struct nnb_ints *dims = &operand->dimensions;
	struct nnb_signature_operand view = {
		.type = (uint32_t)operand->type,
		.rank = dims->count,
		.dims = dims->count ? (const uint32_t *)dims->data : NULL,
		.scale = operand->scale,
		.zero_point = operand->zero_point,
		.omitted = operand->lifetime == NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE,
	};

	if (operand->type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		view.channel_dim = (uint32_t)operand->extra_params->channel_quant.channel_dim;
		view.scale_count = operand->extra_params->channel_quant.scales.count;
		view.scales = operand->extra_params->channel_quant.scales.data;
	}
	if (model && operand->type == NNA_OPERAND_SUBGRAPH)
		view.subgraph = &model->referenced.data[operand->location.offset];
	return view;
}

static uint32_t nnb_validate_count(const void *subgraph, bool output)
{
	const struct nnb_aidl_subgraph *self = subgraph;

	return output ? self->output_indexes.count : self->input_indexes.count;
}

static struct nnb_signature_operand nnb_validate_argument(const void *subgraph, bool output,
							  uint32_t index)
{
	const struct nnb_aidl_subgraph *self = subgraph;
	const struct nnb_ints *list = output ? &self->output_indexes : &self->input_indexes;

	return nnb_validate_view(NULL, &self->operands.data[list->data[index]]);
}

/* Checks an operation against its signature. Operations of extensions have no signature here. */
static int nnb_validate_signature(struct nnb_validation *v,
				  const struct nnb_aidl_subgraph *subgraph, uint32_t index)
{
	const struct nnb_aidl_operation *operation = &subgraph->operations.data[index];
	const uint32_t inputs = operation->inputs.count, total = inputs + operation->outputs.count;
	struct nnb_signature_operand *views = calloc((size_t)total + 1, sizeof(*views));
	const struct nnb_signature_call call = {
		.operation = (uint32_t)operation->type,
		.input_count = inputs,
		.output_count = operation->outputs.count,
		.inputs = views,
		.outputs = views + inputs,
		.count = nnb_validate_count,
		.argument = nnb_validate_argument,
	};
	bool known = operation->type < NNB_EXTENSION_FIRST;
	int ret = 0;

	if (!views)
		return nnb_aidl_fail(v->call, EXHAUSTED, "out of memory");
	for (uint32_t i = 0; i < total; i++) {
		const struct nnb_aidl_operand *operand =
			&subgraph->operands.data[i < inputs ? operation->inputs.data[i]
							    : operation->outputs.data[i - inputs]];

		known &= operand->type < NNB_EXTENSION_FIRST;
		views[i] = nnb_validate_view(v->model, operand);
	}
	if (known && nnb_signature_check(&call))
		ret = REFUSE(v, "operation %u, %s: its operands do not fit; the log says which",
			     index, nna_operation_name((enum nna_operation_type)operation->type));
	free(views);
	return ret;
}

/* A signature check reads other subgraphs too, so it follows the checks of all subgraphs. */
static int nnb_validate_signatures(struct nnb_validation *v)
{
	int ret = 0;

	for (v->which = 0; v->which <= v->model->referenced.count && !ret; v->which++) {
		const struct nnb_aidl_subgraph *subgraph =
			v->which ? &v->model->referenced.data[v->which - 1] : &v->model->main;

		for (uint32_t i = 0; i < subgraph->operations.count && !ret; i++)
			ret = nnb_validate_signature(v, subgraph, i);
	}
	return ret;
}

/*
 * Checks that references among subgraphs have no cycle. A subgraph is removed once all that it
 * refers to are removed. The remaining ones are in a cycle, or refer to one.
 */
static int nnb_validate_no_circle(struct nnb_validation *v)
{
	const uint32_t count = v->model->referenced.count;
	uint8_t *removed = calloc(count + 1, 1);
	uint32_t left = count;
	bool progress = true;

	if (!removed)
		return nnb_aidl_fail(v->call, EXHAUSTED, "out of memory");
	while (left && progress) {
		progress = false;
		for (uint32_t i = 0; i < count; i++) {
			const struct nnb_aidl_subgraph *subgraph = &v->model->referenced.data[i];
			bool leaf = !removed[i];

			for (uint32_t k = 0; k < subgraph->operands.count && leaf; k++) {
				if (subgraph->operands.data[k].type == NNA_OPERAND_SUBGRAPH)
					leaf = removed[subgraph->operands.data[k].location.offset];
			}
			if (leaf) {
				removed[i] = 1;
				left--;
				progress = true;
			}
		}
	}
	free(removed);
	if (left)
		return nnb_aidl_fail(v->call, INVALID,
				     "%u subgraphs refer to each other in a cycle", left);
	return 0;
}

int nnb_validate_model(struct nnb_aidl_call *call, int version, const struct nnb_aidl_model *model,
		       const size_t *pool_sizes)
{
	struct nnb_validation v = {
		.call = call,
		.version = version,
		.model = model,
		.pool_sizes = pool_sizes,
	};
	int ret = nnb_validate_extensions(call, model->extension_name_to_prefix.data,
					  model->extension_name_to_prefix.count);

	if (!ret)
		ret = nnb_validate_subgraph(&v, &model->main);
	for (uint32_t i = 0; i < model->referenced.count && !ret; i++) {
		v.which = i + 1;
		ret = nnb_validate_subgraph(&v, &model->referenced.data[i]);
	}
	if (!ret)
		ret = nnb_validate_no_circle(&v);
	if (!ret)
		ret = nnb_validate_signatures(&v);
	return ret;
}

int nnb_validate_priority(struct nnb_aidl_call *call, int32_t priority, int32_t preference)
{
	if (priority < NNB_AIDL_PRIORITY_LOW || priority > NNB_AIDL_PRIORITY_HIGH)
		return nnb_aidl_fail(call, INVALID, "there is no priority %d", priority);
	if (preference < NNB_AIDL_EXECUTION_PREFERENCE_LOW_POWER ||
	    preference > NNB_AIDL_EXECUTION_PREFERENCE_SUSTAINED_SPEED)
		return nnb_aidl_fail(call, INVALID, "there is no preference %d", preference);
	return 0;
}
