// SPDX-License-Identifier: MIT
/*
 * The pass that elides copies: if a scratch storage is only copied into a region of another
 * storage, its producers write to that region directly. CONCATENATION, PACK, and results that end
 * in a RESHAPE then cost nothing.
 *
 * It visits COPY operations whose input is a whole scratch storage and whose output is a region of
 * another scratch storage or of an output. A copy is elided if
 *
 *	-	nothing uses the region between the first operation that uses the scratch
 *		storage and the copy;
 *	-	nothing writes the scratch storage after the copy, nor the region while the scratch
 *		storage is still read;
 *	-	every view of the scratch storage can be mapped to a view of the region;
 *	-	there are no jumps or branches in between.
 *
 * Then the operands of all these operations are renamed to mapped views and the copy is marked
 * dead; the scratch storage is unused from then on.
 *
 * A copy is elided, too, if its result is a whole scratch storage that only products of matrices of
 * F32 read: they read its input where it lies, whatever the strides of rows are. So the heads of an
 * attention need no TRANSPOSE.
 */
#include <errno.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"

/**
 * struct shape - the elements of a copy, without dims of 1 and with neighbours merged where the
 *	strides of both sides allow it
 * @rank: number of dims
 * @dims: of both sides
 * @in: strides of the scratch storage, in elements
 * @out: strides of the region, in elements
 */
struct shape {
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	int64_t in[NNACCEL_MAX_RANK], out[NNACCEL_MAX_RANK];
};

/* Puts dims of 1 behind, and the others in the order of the input's strides, largest first. */
static void sort_dims(struct nna_value *in, struct nna_value *out)
{
	for (uint32_t k = 1; k < in->rank; k++)
		for (uint32_t i = k; i > 0; i--) {
			const uint32_t dim = in->dims[i];
			const int32_t a = in->strides[i], b = out->strides[i];

			if (dim == 1 || (in->dims[i - 1] > 1 && in->strides[i - 1] >= a))
				break;
			in->dims[i] = out->dims[i] = in->dims[i - 1];
			in->strides[i] = in->strides[i - 1];
			out->strides[i] = out->strides[i - 1];
			in->dims[i - 1] = out->dims[i - 1] = dim;
			in->strides[i - 1] = a;
			out->strides[i - 1] = b;
		}
}

static void merge_dims(const struct nna_value *in, const struct nna_value *out, struct shape *s)
{
	struct nna_value a = *in, b = *out;

	nna_value_fold(&a, &b);
	s->rank = a.rank;
	for (uint32_t k = 0; k < a.rank; k++) {
		s->dims[k] = a.dims[k];
		s->in[k] = a.strides[k];
		s->out[k] = b.strides[k];
	}
}

/* Maps the view @v of the scratch storage to a view of the region; false when there is none. */
static bool map_view(const struct shape *s, const struct nna_value *place,
		     const struct nna_value *v, struct nna_value *mapped)
{
	uint32_t size = nna_type_size(v->type);
	uint64_t index[NNACCEL_MAX_RANK], at;
	int64_t offset = 0;

	if (size != nna_type_size(place->type) || v->offset % size)
		return false;
	at = v->offset / size;
	for (uint32_t d = 0; d < s->rank; d++) {
		index[d] = at / s->in[d];
		at %= s->in[d];
		offset += index[d] * s->out[d];
	}
	if (at)
		return false;
	*mapped = *v;
	for (uint32_t k = 0; k < v->rank; k++) {
		bool found = false;

		if (v->dims[k] <= 1 || !v->strides[k])
			continue;
		for (uint32_t d = 0; d < s->rank && !found; d++) {
			int64_t steps, stride;

			if (v->strides[k] < s->in[d] || v->strides[k] % s->in[d])
				continue;
			steps = v->strides[k] / s->in[d];
			stride = steps * s->out[d];
			/* Indices along this dim must not carry into the dim before it. */
			index[d] += (uint64_t)steps * (v->dims[k] - 1);
			if (index[d] >= s->dims[d] || stride > INT32_MAX)
				return false;
			mapped->strides[k] = stride;
			found = true;
		}
		if (!found)
			return false;
	}
	/* The stride of a dim of 1 has no meaning; it follows that of its neighbour. */
	for (uint32_t k = v->rank; k-- > 0;)
		if (v->dims[k] <= 1)
			mapped->strides[k] = k + 1 < v->rank ? mapped->strides[k + 1] : 1;
	mapped->storage = place->storage;
	mapped->offset = place->offset + offset * size;
	return true;
}

/* Finds the first and the last operation that use a storage, and the last one that writes it. */
static void find_uses(const struct nna_lower *l, uint32_t storage, uint32_t *first, uint32_t *last,
		      uint32_t *written)
{
	*first = NNA_NONE;
	*last = *written = 0;
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *c = &l->ops[i];

		for (uint32_t k = 0; !c->dead && k < c->operand_count; k++) {
			if (c->values[k] == NNA_NO_VALUE ||
			    l->values[c->values[k]].storage != storage)
				continue;
			if (*first == NNA_NONE)
				*first = i;
			*last = i;
			if (nna_ir_is_output(c, k))
				*written = i;
		}
	}
}

/* Elides one copy if that is possible. Return: 0 in either case, or -ENOMEM. */
static int elide_copy(struct nna_lower *l, uint32_t copy)
{
	struct nna_ir_op *c = &l->ops[copy];
	struct nna_value place = l->values[c->values[NNA_IR_OUT]];
	struct nna_value in = l->values[c->values[NNA_IR_IN]];
	uint32_t first, last, written, map_from = l->value_count;
	struct nna_value mapped;
	struct shape s;

	sort_dims(&in, &place);
	if (l->storages[in.storage].kind != NNA_STORAGE_SCRATCH || in.storage == place.storage ||
	    (l->storages[place.storage].kind != NNA_STORAGE_SCRATCH &&
	     l->storages[place.storage].kind != NNA_STORAGE_OUTPUT) ||
	    !nna_value_whole(l, &in))
		return 0;
	for (uint32_t k = 0; k < place.rank; k++)
		if (place.dims[k] > 1 && place.strides[k] <= 0)
			return 0;
	/* The engine is fast only if elements are contiguous along the innermost dim. */
	merge_dims(&in, &place, &s);
	if (s.rank && s.out[s.rank - 1] != 1)
		return 0;
	find_uses(l, in.storage, &first, &last, &written);
	if (first == copy || written > copy ||
	    nna_ir_has_flow(l, first, last > copy ? last : copy) ||
	    nna_ir_touched(l, first, copy, NNA_NONE, &place, false) ||
	    (last > copy && nna_ir_touched(l, copy + 1, last + 1, NNA_NONE, &place, true)))
		return 0;
	for (uint32_t i = first; i <= last; i++)
		for (uint32_t k = 0; !l->ops[i].dead && k < l->ops[i].operand_count;
		     k++) {
			uint32_t v = l->ops[i].values[k];

			if (i != copy && v != NNA_NO_VALUE && l->values[v].storage == in.storage &&
			    !map_view(&s, &place, &l->values[v], &mapped))
				return 0;
		}
	for (uint32_t i = first; i <= last; i++)
		for (uint32_t k = 0; !l->ops[i].dead && k < l->ops[i].operand_count;
		     k++) {
			uint32_t v = l->ops[i].values[k];
			int64_t value;

			if (i == copy || v == NNA_NO_VALUE || l->values[v].storage != in.storage)
				continue;
			map_view(&s, &place, &l->values[v], &mapped);
			value = nna_value_add(l, &mapped);
			if (value < 0)
				return value;
			l->ops[i].values[k] = value;
		}
	l->ops[copy].dead = true;
	if (l->debug & NNA_DEBUG_ELIDE)
		nna_debug_print(l, "elide: command %u, storage %u lies in %u (%u views)", copy,
				in.storage, place.storage, l->value_count - map_from);
	return 0;
}

/* True if operand @k of a product of F32 can be a view with these strides. */
static bool reads_strides(const struct nna_ir_op *op, uint32_t k, const struct nna_value *v)
{
	if (op->kind != NNA_IR_MATMUL || v->type != NNA_TYPE_F32 || v->rank < 2)
		return false;
	if (k == NNA_CONV2D_INPUT)
		return v->strides[v->rank - 1] == 1;
	return k == NNA_CONV2D_WEIGHTS &&
	       (v->strides[v->rank - 1] == 1 || v->strides[v->rank - 2] == 1);
}

/* Elides one copy whose readers can read its input. Return: 0 in either case, or -ENOMEM. */
static int elide_result(struct nna_lower *l, uint32_t copy)
{
	struct nna_ir_op *c = &l->ops[copy];
	const struct nna_value out = l->values[c->values[NNA_IR_OUT]];
	const struct nna_value in = l->values[c->values[NNA_IR_IN]];
	uint32_t first, last, written;
	struct nna_value mapped;
	struct shape s;

	if (l->storages[out.storage].kind != NNA_STORAGE_SCRATCH || in.storage == out.storage ||
	    in.channel_scales || !nna_value_whole(l, &out))
		return 0;
	for (uint32_t k = 0; k < in.rank; k++)
		if (in.dims[k] > 1 && in.strides[k] <= 0)
			return 0;
	merge_dims(&out, &in, &s);
	find_uses(l, out.storage, &first, &last, &written);
	if (first != copy || written != copy || last == copy || nna_ir_has_flow(l, copy, last) ||
	    nna_ir_touched(l, copy + 1, last + 1, NNA_NONE, &in, true))
		return 0;
	for (uint32_t i = copy + 1; i <= last; i++)
		for (uint32_t k = 0; !l->ops[i].dead && k < l->ops[i].operand_count; k++) {
			const uint32_t v = l->ops[i].values[k];

			if (v != NNA_NO_VALUE && l->values[v].storage == out.storage &&
			    (!map_view(&s, &in, &l->values[v], &mapped) ||
			     !reads_strides(&l->ops[i], k, &mapped)))
				return 0;
		}
	for (uint32_t i = copy + 1; i <= last; i++)
		for (uint32_t k = 0; !l->ops[i].dead && k < l->ops[i].operand_count; k++) {
			const uint32_t v = l->ops[i].values[k];
			int64_t value;

			if (v == NNA_NO_VALUE || l->values[v].storage != out.storage)
				continue;
			map_view(&s, &in, &l->values[v], &mapped);
			value = nna_value_add(l, &mapped);
			if (value < 0)
				return value;
			l->ops[i].values[k] = value;
		}
	l->ops[copy].dead = true;
	if (l->debug & NNA_DEBUG_ELIDE)
		nna_debug_print(l, "elide: command %u, its readers read storage %u", copy,
				in.storage);
	return 0;
}

int nna_pass_elide(struct nna_lower *l)
{
	for (uint32_t i = 0; i < l->op_count; i++) {
		int ret;

		if (l->ops[i].dead || l->ops[i].kind != NNA_IR_COPY)
			continue;
		ret = elide_copy(l, i);
		if (!ret && !l->ops[i].dead)
			ret = elide_result(l, i);
		if (ret)
			return ret;
	}
	return 0;
}
