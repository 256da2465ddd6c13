// SPDX-License-Identifier: MIT
/*
 * The tables of the ir: storages, values, operations, labels. Entries are added and never removed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/ir.h"
#include "libnnaccel/support/array.h"

int nna_lower_create(const struct nna_graph *graph, const struct nna_log *log,
		     struct nna_lower **out)
{
	struct nna_lower *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->graph = graph;
	l->rounding = graph && graph->rounding != NNA_ROUNDING_NNAPI ? NNA_IR_ROUNDS_AS_TFLITE :
								       NNA_IR_ROUNDS_AS_NNAPI;
	l->once = graph && graph->rounding == NNA_ROUNDING_ONNX;
	if (log)
		l->log = *log;
	l->debug = nna_debug_flags();
	*out = l;
	return 0;
}

void nna_lower_destroy(struct nna_lower *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->storage_count; i++)
		free(l->storages[i].owned);
	free(l->storages);
	free(l->values);
	free(l->ops);
	free(l->labels);
	nna_account_discharge(l->account, l->charged + l->tables_charged);
	free(l);
}

int nna_lower_charge(struct nna_lower *l, uint64_t bytes)
{
	int ret = nna_account_charge(l->account, bytes);

	if (!ret)
		l->charged += bytes;
	return ret;
}

/*
 * Charges the growth of a table that is about to get entry number @count. A small graph may be
 * lowered to many entries, as recurrent layers are.
 */
static int charge_table(struct nna_lower *l, uint32_t count, uint32_t room, size_t size)
{
	const uint64_t bytes = count < room ? 0 : (uint64_t)(room ? room : 16) * size;
	int ret = nna_account_charge(l->account, bytes);

	if (!ret)
		l->tables_charged += bytes;
	return ret;
}

int64_t nna_storage_add(struct nna_lower *l, enum nna_storage_kind kind, uint64_t size,
			uint32_t index, const void *data, void *owned)
{
	struct nna_storage *grown = NULL;
	int ret = charge_table(l, l->storage_count, l->storage_room, sizeof(*grown));

	if (!ret) {
		grown = nna_array_reserve(l->storages, (uint64_t)l->storage_count + 1,
					  &l->storage_room, sizeof(*grown));
		ret = grown ? 0 : -ENOMEM;
	}
	if (ret) {
		free(owned);
		return ret;
	}
	l->storages = grown;
	l->storages[l->storage_count] = (struct nna_storage){
		.kind = kind,
		.size = size,
		.index = index,
		.data = data,
		.owned = owned,
		.parent = NNA_NONE,
		.count = NNA_NO_VALUE,
	};
	return l->storage_count++;
}

int64_t nna_value_add(struct nna_lower *l, const struct nna_value *value)
{
	struct nna_value copy = *value; /* @value may point into the table that grows */
	struct nna_value *grown;
	int ret = charge_table(l, l->value_count, l->value_room, sizeof(*grown));

	if (ret)
		return ret;
	grown = nna_array_reserve(l->values, (uint64_t)l->value_count + 1, &l->value_room,
				  sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	l->values = grown;
	for (uint32_t k = copy.rank; k < NNACCEL_MAX_RANK; k++) {
		copy.dims[k] = 0;
		copy.strides[k] = 0;
	}
	l->values[l->value_count] = copy;
	return l->value_count++;
}

/* Makes a value @v that covers a new storage. */
int64_t nna_value_in_storage(struct nna_lower *l, struct nna_value *v,
				enum nna_storage_kind kind, uint32_t index, const void *data,
				void *owned)
{
	int64_t storage = nna_storage_add(l, kind,
					  (uint64_t)nna_value_elements(v) * nna_type_size(v->type),
					  index, data, owned);

	if (storage < 0)
		return storage;
	v->storage = storage;
	v->offset = 0;
	return nna_value_add(l, v);
}

const struct nna_value *nna_lower_value(const struct nna_lower *l, uint32_t value)
{
	return value < l->value_count ? &l->values[value] : NULL;
}

int64_t nna_lower_scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			  float scale, int32_t zero_point)
{
	struct nna_value v;
	int ret = nna_value_plain(&v, type, rank, dims, scale, zero_point);

	if (ret)
		return ret;
	return nna_value_in_storage(l, &v, NNA_STORAGE_SCRATCH, NNA_NONE, NULL, NULL);
}

int64_t nna_lower_constant(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			   float scale, int32_t zero_point, const void *data)
{
	struct nna_value v;
	size_t bytes;
	void *copy;
	int ret = nna_value_plain(&v, type, rank, dims, scale, zero_point);

	if (ret)
		return ret;
	bytes = (size_t)nna_value_elements(&v) * nna_type_size(type);
	ret = nna_lower_charge(l, bytes);
	if (ret)
		return ret;
	copy = malloc(bytes ? bytes : 1);
	if (!copy)
		return -ENOMEM;
	if (bytes)
		memcpy(copy, data, bytes);
	return nna_value_in_storage(l, &v, NNA_STORAGE_CONSTANT, NNA_NONE, copy, copy);
}

const void *nna_lower_constant_data(const struct nna_lower *l, uint32_t value)
{
	const struct nna_value *v = nna_lower_value(l, value);
	const struct nna_storage *s;

	if (!v)
		return NULL;
	s = &l->storages[v->storage];
	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || !nna_value_contiguous(v))
		return NULL;
	return (const char *)s->data + v->offset;
}

/* A value without its scales represents other numbers, so they must not be dropped silently. */
int nna_scales_lost(const struct nna_lower *l, const char *what)
{
	nna_log_print(&l->log, NNA_LOG_ERROR,
		      "operation %u: %s would lose the scales per channel of its operand",
		      l->origin, what);
	return -EINVAL;
}

/*
 * True if operand @index of an operation may have scales per channel: weights, operands whose
 * stored numbers are used, and copies to a value with the same scales.
 */
static bool may_have_channels(const struct nna_lower *l, const struct nna_ir_op *op,
			      const uint32_t *values, uint32_t index)
{
	switch (op->kind) {
	case NNA_IR_CONV2D:
	case NNA_IR_MATMUL:
		return index == NNA_CONV2D_WEIGHTS;
	case NNA_IR_UNARY:
		return op->elementwise.function == NNA_FN_CAST;
	case NNA_IR_COPY:
		return nna_value_same_channels(&l->values[values[NNA_IR_OUT]],
					       &l->values[values[NNA_IR_IN]]);
	default:
		return false;
	}
}

static int add(struct nna_lower *l, const struct nna_ir_op *op, const uint32_t *values,
	       uint32_t label)
{
	struct nna_ir_op *o;
	int ret;

	if (op->kind >= NNA_IR_KINDS)
		return -EINVAL;
	if (l->op_count >= NNA_IR_MAX_OPS)
		return -ENOTSUP;
	ret = charge_table(l, l->op_count, l->op_room, sizeof(*l->ops));
	if (ret)
		return ret;
	o = nna_array_reserve(l->ops, (uint64_t)l->op_count + 1, &l->op_room, sizeof(*l->ops));
	if (!o)
		return -ENOMEM;
	l->ops = o;
	o = &l->ops[l->op_count];
	*o = *op;
	o->operand_count = nna_ir_kind_operands(op->kind, &o->outputs);
	o->label = label;
	o->origin = l->origin;
	o->dead = false;
	for (uint32_t i = 0; i < o->operand_count; i++) {
		if (values[i] != NNA_NO_VALUE && values[i] >= l->value_count)
			return -EINVAL;
		if (values[i] != NNA_NO_VALUE && l->values[values[i]].rank > NNA_IR_MAX_RANK)
			return -ENOTSUP;
		if (values[i] != NNA_NO_VALUE && l->values[values[i]].channel_scales &&
		    !may_have_channels(l, op, values, i))
			return nna_scales_lost(l, nna_ir_kind_name(op->kind));
		o->values[i] = values[i];
	}
	l->op_count++;
	return 0;
}

int nna_ir_add(struct nna_lower *l, const struct nna_ir_op *op, const uint32_t *values)
{
	return add(l, op, values, NNA_NONE);
}

int64_t nna_lower_label(struct nna_lower *l)
{
	uint32_t *grown = nna_array_reserve(l->labels, (uint64_t)l->label_count + 1,
					    &l->label_room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->labels = grown;
	l->labels[l->label_count] = NNA_NONE;
	return l->label_count++;
}

int nna_lower_place(struct nna_lower *l, uint32_t label)
{
	if (label >= l->label_count || l->labels[label] != NNA_NONE)
		return -EINVAL;
	l->labels[label] = l->op_count;
	return 0;
}

int nna_emit_jump(struct nna_lower *l, uint32_t label)
{
	struct nna_ir_op op = { .kind = NNA_IR_JUMP };

	if (label >= l->label_count)
		return -EINVAL;
	if (l->labels[label] != NNA_NONE)
		l->synchronous = true; /* a jump backwards: a loop */
	return add(l, &op, NULL, label);
}

int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label)
{
	struct nna_ir_op op = { .kind = NNA_IR_BRANCH };

	if (label >= l->label_count)
		return -EINVAL;
	if (l->labels[label] != NNA_NONE)
		l->synchronous = true;
	return add(l, &op, &condition, label);
}
