// SPDX-License-Identifier: MIT
/*
 * The pass that drops operations which repeat an earlier one: the same function of the same inputs.
 * So three layers of one input quantise it once.
 *
 * Both results must be whole scratch storages that nothing else writes, and nothing may write the
 * inputs twice. Who reads the second result reads the first one instead. A program with loops is
 * left as it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"

/**
 * struct repeat - the pass on one lowering
 * @l: the lowering
 * @uses: uses of all storages when the pass began
 * @same: for each storage, another one with the same contents; else its own number
 * @last: for each storage, the last operation so far that is listed by it; else NNA_NONE
 * @before: for each operation, the one before that is listed by the same storage
 */
struct repeat {
	struct nna_lower *l;
	struct nna_ir_use *uses;
	uint32_t *same, *last, *before;
};

/* True for operations of one result whose parameters same_function() compares. */
static bool is_candidate(const struct repeat *r, const struct nna_ir_op *op)
{
	const struct nna_lower *l = r->l;
	const struct nna_value *out = &l->values[op->values[0]];

	switch (op->kind) {
	case NNA_IR_UNARY:
	case NNA_IR_BINARY:
	case NNA_IR_MUL_ADD:
	case NNA_IR_SELECT:
	case NNA_IR_CLAMP:
	case NNA_IR_RESCALE:
	case NNA_IR_COPY:
	case NNA_IR_REDUCE:
	case NNA_IR_SOFTMAX:
		break;
	default:
		return false;
	}
	if (l->storages[out->storage].kind != NNA_STORAGE_SCRATCH ||
	    r->uses[out->storage].writes != 1 || !nna_value_whole(l, out))
		return false;
	for (uint32_t k = 1; k < op->operand_count; k++) {
		uint32_t s;

		if (op->values[k] == NNA_NO_VALUE)
			return false;
		s = l->values[op->values[k]].storage;
		switch (l->storages[s].kind) {
		case NNA_STORAGE_SCRATCH:
			if (r->uses[s].writes != 1)
				return false;
			break;
		case NNA_STORAGE_INPUT:
		case NNA_STORAGE_CONSTANT:
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool same_bounds(const struct nna_ir_bounds *a, const struct nna_ir_bounds *b)
{
	return a->min == b->min && a->max == b->max && a->q_min == b->q_min &&
	       a->q_max == b->q_max;
}

static bool same_function(const struct nna_ir_op *a, const struct nna_ir_op *b)
{
	if (a->kind != b->kind || a->rounding != b->rounding ||
	    !same_bounds(&a->bounds, &b->bounds))
		return false;
	switch (a->kind) {
	case NNA_IR_UNARY:
	case NNA_IR_BINARY:
		return a->elementwise.function == b->elementwise.function &&
		       a->elementwise.alpha == b->elementwise.alpha;
	case NNA_IR_RESCALE:
		return a->rescale.multiplier == b->rescale.multiplier &&
		       a->rescale.shift == b->rescale.shift;
	case NNA_IR_REDUCE:
		return a->reduce.function == b->reduce.function && a->reduce.axes == b->reduce.axes;
	case NNA_IR_SOFTMAX:
		return a->softmax.beta == b->softmax.beta && a->softmax.axis == b->softmax.axis &&
		       a->softmax.log == b->softmax.log;
	default:
		return true;
	}
}

/* True if two inputs have the same elements. */
static bool same_input(const struct nna_lower *l, const struct nna_value *a,
		       const struct nna_value *b)
{
	float x, y;

	if (nna_value_same_view(a, b))
		return nna_value_same_channels(a, b);
	return nna_value_number(l, a, &x) && nna_value_number(l, b, &y) &&
	       !memcmp(&x, &y, sizeof(x)) && nna_value_same_dims(a, b);
}

static bool is_same(const struct nna_lower *l, const struct nna_ir_op *a,
		    const struct nna_ir_op *b)
{
	const struct nna_value *x = &l->values[a->values[0]], *y = &l->values[b->values[0]];

	if (!same_function(a, b) || x->type != y->type || x->scale != y->scale ||
	    x->zero_point != y->zero_point || !nna_value_same_dims(x, y) || x->channel_scales ||
	    y->channel_scales)
		return false;
	for (uint32_t k = 1; k < a->operand_count; k++)
		if (!same_input(l, &l->values[a->values[k]], &l->values[b->values[k]]))
			return false;
	return true;
}

/* Names values of the storage that an input is the same as. Return: 0 or -ENOMEM. */
static int rename_inputs(struct repeat *r, struct nna_ir_op *op)
{
	for (uint32_t k = 0; k < op->operand_count; k++) {
		struct nna_value v;
		int64_t value;

		if (op->values[k] == NNA_NO_VALUE || nna_ir_is_output(op, k))
			continue;
		v = r->l->values[op->values[k]];
		if (r->same[v.storage] == v.storage)
			continue;
		v.storage = r->same[v.storage];
		value = nna_value_add(r->l, &v);
		if (value < 0)
			return (int)value;
		op->values[k] = (uint32_t)value;
	}
	return 0;
}

/*
 * Return: the storage by which an operation is listed, that of its first input that is no constant:
 * constants of equal numbers have storages of their own.
 */
static uint32_t listed_by(const struct nna_lower *l, const struct nna_ir_op *op)
{
	for (uint32_t k = 1; k < op->operand_count; k++) {
		const uint32_t s = l->values[op->values[k]].storage;

		if (l->storages[s].kind != NNA_STORAGE_CONSTANT)
			return s;
	}
	return l->values[op->values[1]].storage;
}

static int visit(struct repeat *r, uint32_t i)
{
	struct nna_lower *l = r->l;
	struct nna_ir_op *op = &l->ops[i];
	uint32_t s;
	int ret = rename_inputs(r, op);

	if (ret || !is_candidate(r, op))
		return ret;
	s = listed_by(l, op);
	for (uint32_t j = r->last[s]; j != NNA_NONE; j = r->before[j]) {
		if (!is_same(l, &l->ops[j], op))
			continue;
		r->same[l->values[op->values[0]].storage] = l->values[l->ops[j].values[0]].storage;
		op->dead = true;
		if (l->debug & NNA_DEBUG_REPEAT)
			nna_debug_print(l, "repeat: operation %u repeats %u", i, j);
		return 0;
	}
	r->before[i] = r->last[s];
	r->last[s] = i;
	return 0;
}

int nna_pass_repeat(struct nna_lower *l)
{
	const size_t storages = l->storage_count;
	struct repeat r = { .l = l };
	int ret = 0;

	if (!l->op_count || nna_ir_has_flow(l, 0, l->op_count))
		return 0;
	r.uses = nna_ir_uses_get(l);
	r.same = malloc((storages * 2 + l->op_count) * sizeof(*r.same));
	if (!r.uses || !r.same)
		ret = -ENOMEM;
	if (!ret) {
		r.last = r.same + storages;
		r.before = r.last + storages;
		for (uint32_t s = 0; s < storages; s++) {
			r.same[s] = s;
			r.last[s] = NNA_NONE;
		}
		/* Who reads the number of rows of an output is no operation. */
		for (uint32_t s = 0; s < storages; s++)
			if (l->storages[s].count != NNA_NO_VALUE)
				r.uses[l->values[l->storages[s].count].storage].writes = 2;
	}
	for (uint32_t i = 0; !ret && i < l->op_count; i++)
		if (!l->ops[i].dead)
			ret = visit(&r, i);
	free(r.uses);
	free(r.same);
	return ret;
}
