// SPDX-License-Identifier: MIT
/* Maps operands of the graph to values of the ir while a subgraph is lowered: see lower.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ops/lower.h"
#include "libnnaccel/support/array.h"

uint8_t nna_lower_type(enum nna_operand_type type)
{
	switch (type) {
	case NNA_OPERAND_FLOAT32:
	case NNA_OPERAND_TENSOR_FLOAT32:
		return NNA_TYPE_F32;
	case NNA_OPERAND_FLOAT16:
	case NNA_OPERAND_TENSOR_FLOAT16:
		return NNA_TYPE_F16;
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_TENSOR_INT32:
		return NNA_TYPE_S32;
	case NNA_OPERAND_UINT32:
		return NNA_TYPE_U32;
	case NNA_OPERAND_TENSOR_INT64:
		return NNA_TYPE_S64;
	case NNA_OPERAND_BOOL:
	case NNA_OPERAND_TENSOR_BOOL8:
		return NNA_TYPE_BOOL8;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return NNA_TYPE_U8;
	case NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		return NNA_TYPE_S8;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return NNA_TYPE_S16;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return NNA_TYPE_U16;
	default:
		return NNA_TYPE_NONE;
	}
}

/* Makes a value of the type, dims and quantisation of @shape. The caller sets its storage. */
static int value_of_shape(const struct nna_shape *shape, struct nna_value *v)
{
	uint32_t count;

	*v = (struct nna_value){ .type = nna_lower_type(shape->type) };
	if (v->type == NNA_TYPE_NONE || shape->rank > NNACCEL_MAX_RANK)
		return -EINVAL;
	v->rank = shape->rank;
	memcpy(v->dims, shape->dims, sizeof(v->dims[0]) * shape->rank);
	/* A TENSOR_INT32 that is a bias has a scale, too, which the ir does not use. */
	if (nna_operand_type_is_quantised(shape->type)) {
		v->scale = shape->scale;
		v->zero_point = shape->zero_point;
		v->channel_scales = shape->channel_scales;
		v->channel_count = shape->channel_count;
		v->channel_dim = shape->channel_dim;
	}
	if (!nna_value_count(v, &count))
		return -ENOTSUP;
	nna_value_set_strides(v);
	return 0;
}

static uint32_t find_number(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return i;
	return NNA_NONE;
}

void nna_frame_end(struct nna_frame *f)
{
	free(f->values);
	free(f->shapes);
	free(f->bound);
}

int nna_frame_begin(struct nna_frame *f, const struct nna_graph *graph, uint32_t subgraph,
		    struct nna_frame *outer)
{
	uint32_t count = graph->subgraphs[subgraph].operand_count;

	*f = (struct nna_frame){ .subgraph = subgraph, .outer = outer };
	f->values = malloc(sizeof(*f->values) * ((size_t)count + 1));
	f->shapes = calloc((size_t)count + 1, sizeof(*f->shapes));
	if (!f->values || !f->shapes) {
		nna_frame_end(f);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		f->values[i] = NNA_NO_VALUE;
	nna_infer_begin(graph, subgraph, f->shapes);
	return 0;
}

int nna_frame_bind(struct nna_frame *f, uint32_t operand, const void *data, size_t size)
{
	struct nna_bound_value *grown = nna_array_reserve(f->bound, (uint64_t)f->bound_count + 1,
							  &f->bound_room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	f->bound = grown;
	f->bound[f->bound_count++] = (struct nna_bound_value){ operand, data, size };
	return 0;
}

static const struct nna_bound_value *frame_bound(const struct nna_frame *f, uint32_t operand)
{
	for (uint32_t i = 0; i < f->bound_count; i++)
		if (f->bound[i].operand == operand)
			return &f->bound[i];
	return NULL;
}

int64_t nna_frame_value(struct nna_lower *l, const struct nna_frame *f,
			const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape)
{
	const struct nna_operand *o = &sub->operands[operand];
	const struct nna_bound_value *bound;
	struct nna_value v;
	int64_t value;
	uint64_t bytes;
	int ret;

	if (f->values[operand] != NNA_NO_VALUE)
		return f->values[operand];
	if (o->lifetime == NNA_LIFETIME_NO_VALUE || shape->omitted)
		return NNA_NO_VALUE;
	ret = value_of_shape(shape, &v);
	if (ret)
		return ret;
	bytes = (uint64_t)nna_value_elements(&v) * nna_type_size(v.type);
	bound = frame_bound(f, operand);
	switch (o->lifetime) {
	case NNA_LIFETIME_CONSTANT:
		if (bytes && (!o->data || o->size < bytes))
			return -EINVAL;
		value = nna_value_in_storage(l, &v, NNA_STORAGE_CONSTANT, operand, o->data, NULL);
		break;
	case NNA_LIFETIME_INPUT:
		if (f->outer)
			return -EINVAL; /* inputs of an inner subgraph have had their values */
		value = nna_value_in_storage(l, &v, NNA_STORAGE_INPUT,
					 find_number(sub->inputs, sub->input_count, operand), NULL,
					 NULL);
		break;
	case NNA_LIFETIME_VARIABLE:
		value = nna_value_in_storage(l, &v, NNA_STORAGE_VARIABLE, operand, NULL, NULL);
		break;
	default:
		/* A temporary without a value has bound bytes. */
		if (!bound || bound->size < bytes)
			return -EINVAL;
		value = nna_lower_constant(l, v.type, v.rank, v.dims, v.scale, v.zero_point,
					   bound->data);
		if (value >= 0)
			nna_value_take_channels(&l->values[value], &v);
		break;
	}
	if (value >= 0)
		f->values[operand] = value;
	return value;
}

int nna_frame_stand_in(struct nna_lower *l, struct nna_frame *f, uint32_t operand,
		       const struct nna_shape *shape)
{
	struct nna_value v;
	int64_t value;
	int ret = value_of_shape(shape, &v);

	if (ret)
		return ret;
	value = nna_value_in_storage(l, &v, NNA_STORAGE_SCRATCH, operand, NULL, NULL);
	if (value < 0)
		return value;
	f->values[operand] = value;
	return 0;
}

int64_t nna_lower_in(struct nna_op_context *op, uint32_t i)
{
	struct nna_lower *l = op->lower;

	if (i >= op->operation->input_count)
		return NNA_NO_VALUE;
	return nna_frame_value(l, op->frame, &op->graph->subgraphs[op->subgraph],
			       op->operation->inputs[i], &op->in[i]);
}

int64_t nna_lower_out(struct nna_op_context *op, uint32_t i)
{
	struct nna_lower *l = op->lower;
	const struct nna_subgraph *sub = &op->graph->subgraphs[op->subgraph];
	uint32_t operand;
	const struct nna_operand *o;
	struct nna_value v;
	int64_t value;
	int ret;

	if (i >= op->operation->output_count)
		return -EINVAL;
	operand = op->operation->outputs[i];
	o = &sub->operands[operand];
	/* A variable, or an output of an inner subgraph, has its value already. */
	if (op->frame->values[operand] != NNA_NO_VALUE)
		return op->frame->values[operand];
	ret = value_of_shape(&op->out[i], &v);
	if (ret)
		return ret;
	if (o->lifetime == NNA_LIFETIME_VARIABLE)
		value = nna_value_in_storage(l, &v, NNA_STORAGE_VARIABLE, operand, NULL, NULL);
	else if (o->lifetime == NNA_LIFETIME_OUTPUT && !op->frame->outer)
		value = nna_value_in_storage(l, &v, NNA_STORAGE_OUTPUT,
					 find_number(sub->outputs, sub->output_count, operand),
					 NULL, NULL);
	else
		value = nna_value_in_storage(l, &v, NNA_STORAGE_SCRATCH, operand, NULL, NULL);
	if (value >= 0)
		op->frame->values[operand] = value;
	return value;
}

int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count)
{
	struct nna_lower *l = op->lower;
	int64_t out = nna_lower_out(op, i);

	if (out < 0)
		return out;
	if (count >= l->value_count || l->values[count].type != NNA_TYPE_S32 ||
	    l->storages[l->values[count].storage].kind != NNA_STORAGE_SCRATCH)
		return -EINVAL;
	l->storages[l->values[out].storage].count = count;
	return 0;
}

int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value)
{
	struct nna_lower *l = op->lower;
	const struct nna_subgraph *sub = &op->graph->subgraphs[op->subgraph];
	struct nna_value v;
	uint32_t operand;
	int64_t view, out;
	int ret;

	if (i >= op->operation->output_count || value >= l->value_count)
		return -EINVAL;
	operand = op->operation->outputs[i];
	ret = value_of_shape(&op->out[i], &v);
	if (ret)
		return ret;
	view = nna_emit_reshape(l, value, v.rank, v.dims);
	if (view < 0)
		return view;
	if (nna_type_size(v.type) != nna_type_size(l->values[view].type))
		return -EINVAL;
	if (!nna_value_same_channels(&v, &l->values[view]))
		return nna_scales_lost(l, "another name for a tensor");
	/*
	 * A variable gets no view: the operation that writes a variable waits for operations that
	 * read it, but not for those that read a view of it.
	 */
	if (op->frame->values[operand] == NNA_NO_VALUE &&
	    sub->operands[operand].lifetime == NNA_LIFETIME_TEMPORARY &&
	    l->storages[l->values[view].storage].kind != NNA_STORAGE_VARIABLE) {
		const struct nna_value *old = &l->values[view];

		v.storage = old->storage;
		v.offset = old->offset;
		memcpy(v.strides, old->strides, sizeof(v.strides));
		view = nna_value_add(l, &v);
		if (view < 0)
			return view;
		op->frame->values[operand] = view;
		return 0;
	}
	out = nna_lower_out(op, i);
	if (out < 0)
		return out;
	return nna_emit_copy(l, out, view);
}
