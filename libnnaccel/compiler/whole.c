// SPDX-License-Identifier: MIT
/*
 * The pass that finds products of whole numbers: a convolution or a product of matrices of F32
 * whose input is S8 that an operation has made F32, by constant weights that are whole and fit into
 * S8, reads the S8 and weights of S8, and gives its sums as F32, if the backend can.
 *
 * A front end spells a layer with dynamic quantisation so: it rounds rows to S8, and multiplies the
 * numbers. Sums are exact then, and rounded once to F32; sums of F32 may round at each addition
 * from 2^24 on. The bias, if there is one, has to be 0.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"
#include "libnnaccel/support/array.h"

/**
 * struct narrowed - a constant of F32 that was looked at
 * @from: its storage
 * @to: the storage with its numbers as S8; NNA_NONE if S8 cannot hold them
 */
struct narrowed {
	uint32_t from, to;
};

/**
 * struct whole - the pass on one lowering
 * @l: the lowering
 * @uses: current uses of all storages but those that the pass makes
 * @done: @count constants, room for @room
 */
struct whole {
	struct nna_lower *l;
	struct nna_ir_use *uses;
	struct narrowed *done;
	uint32_t count, room;
};

/* Writes @count numbers as S8. Return: false if one is not whole or does not fit. */
static bool narrow(const float *from, uint64_t count, int8_t *to)
{
	for (uint64_t i = 0; i < count; i++) {
		if (!(from[i] >= INT8_MIN && from[i] <= INT8_MAX) || from[i] != truncf(from[i]))
			return false;
		to[i] = (int8_t)from[i];
	}
	return true;
}

/* Makes a constant of S8 of a storage of F32. Return: its storage, NNA_NONE or a negative errno. */
static int64_t make_narrow(struct nna_lower *l, uint32_t storage)
{
	const struct nna_storage *s = &l->storages[storage];
	const uint64_t count = s->size / sizeof(float);
	int8_t *bytes;
	int ret;

	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || s->fill || !count ||
	    s->size % sizeof(float) || (uintptr_t)s->data % _Alignof(float))
		return NNA_NONE;
	bytes = malloc(count);
	if (!bytes)
		return -ENOMEM;
	if (!narrow(s->data, count, bytes)) {
		free(bytes);
		return NNA_NONE;
	}
	ret = nna_lower_charge(l, count);
	if (ret) {
		free(bytes);
		return ret;
	}
	return nna_storage_add(l, NNA_STORAGE_CONSTANT, count, NNA_NONE, bytes, bytes);
}

/* As make_narrow(), once for each storage. */
static int64_t find_narrow(struct whole *w, uint32_t storage)
{
	struct narrowed *grown;
	int64_t to;

	for (uint32_t i = 0; i < w->count; i++)
		if (w->done[i].from == storage)
			return w->done[i].to;
	grown = nna_array_reserve(w->done, (uint64_t)w->count + 1, &w->room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->done = grown;
	to = make_narrow(w->l, storage);
	if (to >= 0)
		w->done[w->count++] = (struct narrowed){ storage, (uint32_t)to };
	return to;
}

/* True if a bias is absent or 0. */
static bool is_nothing(const struct nna_lower *l, uint32_t bias)
{
	const struct nna_value *v;
	const uint8_t *bytes;

	if (bias == NNA_NO_VALUE)
		return true;
	v = &l->values[bias];
	bytes = nna_lower_constant_data(l, bias);
	for (uint64_t i = 0; bytes && i < (uint64_t)nna_value_elements(v) * 4; i++)
		if (bytes[i])
			return false;
	return bytes && v->type == NNA_TYPE_F32;
}

/* True for an operation that gives stored S8, which are the values, as F32. */
static bool widens(const struct nna_lower *l, const struct nna_ir_op *op)
{
	const struct nna_value *in, *out;

	if (op->kind != NNA_IR_UNARY || (op->elementwise.function != NNA_FN_IDENTITY &&
					 op->elementwise.function != NNA_FN_CAST))
		return false;
	in = &l->values[op->values[NNA_IR_IN]];
	out = &l->values[op->values[NNA_IR_OUT]];
	return in->type == NNA_TYPE_S8 && in->scale == 1 && !in->zero_point &&
	       out->type == NNA_TYPE_F32 && op->bounds.min == -INFINITY &&
	       op->bounds.max == INFINITY && nna_value_contiguous(in) &&
	       nna_value_whole(l, out);
}

/* Return: the operation that gives operand @k of operation @j out of S8; NNA_NONE if none does. */
static uint32_t find_source(const struct whole *w, uint32_t j, uint32_t k)
{
	const struct nna_lower *l = w->l;
	const struct nna_value *in = &l->values[l->ops[j].values[k]];
	uint32_t i;

	if (in->type != NNA_TYPE_F32 || l->storages[in->storage].kind != NNA_STORAGE_SCRATCH)
		return NNA_NONE;
	i = nna_ir_only_writer(l, w->uses, in->storage);
	if (i == NNA_NONE || i >= j || !widens(l, &l->ops[i]) || nna_ir_has_flow(l, i, j) ||
	    nna_ir_touched(l, i, j, NNA_NONE, &l->values[l->ops[i].values[NNA_IR_IN]], true))
		return NNA_NONE;
	return i;
}

/* Adds a view of S8 at @storage that has the shape of a view of F32. */
static int64_t add_view(struct nna_lower *l, uint32_t f32, uint32_t storage, uint64_t offset)
{
	struct nna_value v = l->values[f32];

	v.storage = storage;
	v.offset = offset + v.offset / sizeof(float);
	v.type = NNA_TYPE_S8;
	v.scale = 1;
	v.zero_point = 0;
	return nna_value_add(l, &v);
}

/*
 * Adds a view of the weights of operation @j as S8, which an operation has made F32 if constants
 * were not folded. Return: its number, NNA_NO_VALUE if there is none, or a negative errno.
 */
static int64_t narrow_weights(struct whole *w, uint32_t j)
{
	struct nna_lower *l = w->l;
	const uint32_t value = l->ops[j].values[NNA_CONV2D_WEIGHTS],
		       i = find_source(w, j, NNA_CONV2D_WEIGHTS);
	int64_t constant;

	if (i != NNA_NONE) {
		const struct nna_value from = l->values[l->ops[i].values[NNA_IR_IN]];

		if (l->storages[from.storage].kind != NNA_STORAGE_CONSTANT)
			return NNA_NO_VALUE;
		return add_view(l, value, from.storage, from.offset);
	}
	constant = find_narrow(w, l->values[value].storage);
	if (constant < 0 || constant == NNA_NONE)
		return constant < 0 ? constant : NNA_NO_VALUE;
	return add_view(l, value, (uint32_t)constant, 0);
}

/* Return: 1 if operation @j was one on whole numbers, 0 or a negative errno. */
static int narrow_product(struct whole *w, const struct nna_backend *backend, uint32_t j)
{
	struct nna_lower *l = w->l;
	struct nna_ir_op op = l->ops[j];
	const uint32_t i = find_source(w, j, NNA_CONV2D_INPUT);
	int64_t in, weights;
	struct nna_value from;
	char reason[128];

	if (i == NNA_NONE || op.values[NNA_CONV2D_PRIVATE] != NNA_NO_VALUE ||
	    op.values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE ||
	    l->values[op.values[NNA_CONV2D_OUTPUT]].type != NNA_TYPE_F32 ||
	    l->values[op.values[NNA_CONV2D_WEIGHTS]].type != NNA_TYPE_F32 ||
	    !is_nothing(l, op.values[NNA_CONV2D_BIAS]))
		return 0;
	weights = narrow_weights(w, j);
	if (weights < 0 || weights == NNA_NO_VALUE)
		return weights < 0 ? (int)weights : 0;
	from = l->values[l->ops[i].values[NNA_IR_IN]];
	in = add_view(l, op.values[NNA_CONV2D_INPUT], from.storage, from.offset);
	if (in < 0)
		return (int)in;
	op.values[NNA_CONV2D_INPUT] = (uint32_t)in;
	op.values[NNA_CONV2D_WEIGHTS] = (uint32_t)weights;
	op.values[NNA_CONV2D_BIAS] = NNA_NO_VALUE;
	if (backend->accepts(l, &op, reason, sizeof(reason)))
		return 0;
	if (l->debug & NNA_DEBUG_MATCH)
		nna_debug_print(l, "whole: operation %u is a product of 8 bits", j);
	l->ops[j] = op;
	return 1;
}

/* Drops the operations whose results nobody reads any more. */
static void drop_sources(struct nna_lower *l, struct nna_ir_use *uses)
{
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *op = &l->ops[i];

		if (!op->dead && widens(l, op)) {
			const uint32_t out = l->values[op->values[NNA_IR_OUT]].storage;

			l->ops[i].dead = l->storages[out].kind == NNA_STORAGE_SCRATCH &&
					 !uses[out].reads;
		}
	}
}

int nna_pass_whole(struct nna_lower *l, const struct nna_backend *backend)
{
	struct whole w = { .l = l, .uses = nna_ir_uses_get(l) };
	bool any = false;
	int ret = w.uses ? 0 : -ENOMEM;

	for (uint32_t j = 0; ret >= 0 && j < l->op_count; j++) {
		if (l->ops[j].dead ||
		    (l->ops[j].kind != NNA_IR_CONV2D && l->ops[j].kind != NNA_IR_MATMUL))
			continue;
		ret = narrow_product(&w, backend, j);
		any |= ret > 0;
	}
	free(w.uses);
	free(w.done);
	if (ret < 0 || !any)
		return ret < 0 ? ret : 0;
	w.uses = nna_ir_uses_get(l);
	if (!w.uses)
		return -ENOMEM;
	drop_sources(l, w.uses);
	free(w.uses);
	return 0;
}
