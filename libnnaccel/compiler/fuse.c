// SPDX-License-Identifier: MIT
/*
 * The pass that fuses operations of the ir: an operation moves into the one before it, if no bit of
 * the result changes.
 *
 *	clamp		an IDENTITY that only clamps, or moves the zero point, becomes the clamp of
 *			the operation that makes its input
 *	residual	an ADD of a convolution's result becomes the convolution's residual
 *	padding		FILL and COPY that put a border around a convolution's input become its
 *			padding
 *
 * It runs directly after lowering, before the passes that move memory. The value between two
 * operations must be a whole scratch storage with one writer and one reader, and there must be no
 * jump or branch between them. Parameters of the operation that stays are changed in place, its
 * operands renamed, and the other operation is marked dead.
 *
 * Each operation rounds results of F16 once, so an ADD of F16 is not fused. Clamps are fused first,
 * so that a clamp after an ADD is fused with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"

/**
 * struct fuse - the pass on one lowering
 * @l: the lowering
 * @backend: tells which operations it can fuse
 * @uses: current uses of all storages; the pass makes no storages
 */
struct fuse {
	struct nna_lower *l;
	const struct nna_backend *backend;
	struct nna_ir_use *uses;
};

/* Marks an operation dead. */
static void drop(const struct fuse *f, uint32_t op)
{
	nna_ir_uses_remove(f->l, f->uses, op);
	f->l->ops[op].dead = true;
}

/* Names another value as an operand of an operation. */
static void rename_operand(const struct fuse *f, uint32_t op, uint32_t operand, uint32_t value)
{
	nna_ir_uses_remove(f->l, f->uses, op);
	f->l->ops[op].values[operand] = value;
	nna_ir_uses_add(f->l, f->uses, op);
}

/* Return: the operation that makes a value which only @reader reads; NNA_NONE if there is none. */
static uint32_t sole_producer(const struct fuse *f, uint32_t value, uint32_t reader)
{
	const struct nna_lower *l = f->l;
	const struct nna_value *v = &l->values[value];
	uint32_t p;

	if (l->storages[v->storage].kind != NNA_STORAGE_SCRATCH || !nna_value_whole(l, v))
		return NNA_NONE;
	p = nna_ir_only_writer(l, f->uses, v->storage);
	if (p == NNA_NONE || p >= reader || f->uses[v->storage].reads != 1 ||
	    !nna_value_whole(l, &l->values[l->ops[p].values[0]]) ||
	    nna_ir_has_flow(l, p, reader))
		return NNA_NONE;
	return p;
}

/*
 * Return: a view with the dims of @like and the same elements in the same order; NNA_NO_VALUE if
 * there is none.
 */
static int64_t in_dims_of(struct nna_lower *l, uint32_t value, const struct nna_value *like)
{
	struct nna_value v = l->values[value];

	if (nna_value_same_dims(&v, like))
		return value;
	if (!nna_value_contiguous(&v))
		return NNA_NO_VALUE;
	v.rank = like->rank;
	memcpy(v.dims, like->dims, sizeof(v.dims));
	nna_value_set_strides(&v);
	return nna_value_add(l, &v);
}

static float clamp_float(float x, float low, float high)
{
	return x < low ? low : x > high ? high : x;
}

static int32_t clamp_s64(int64_t x, int32_t low, int32_t high)
{
	return x < low ? low : x > high ? high : (int32_t)x;
}

static int fuse_clamp(const struct fuse *f, uint32_t j)
{
	struct nna_lower *l = f->l;
	struct nna_ir_op *c = &l->ops[j], *p;
	const struct nna_value in = l->values[c->values[NNA_IR_IN]];
	const struct nna_value out = l->values[c->values[NNA_IR_OUT]];
	struct nna_value from;
	uint32_t producer;
	int64_t shift, to;

	if (in.type != out.type)
		return 0;
	producer = sole_producer(f, c->values[NNA_IR_IN], j);
	if (producer == NNA_NONE)
		return 0;
	p = &l->ops[producer];
	from = l->values[p->values[0]];
	if (from.type != in.type || from.scale != in.scale || from.zero_point != in.zero_point ||
	    !f->backend->can_fuse(l, p, c) ||
	    nna_ir_touched(l, producer, j, NNA_NONE, &out, false))
		return 0;
	shift = (int64_t)out.zero_point - in.zero_point;
	switch (in.type) {
	case NNA_TYPE_F32:
	case NNA_TYPE_F16:
		break;
	case NNA_TYPE_U8:
	case NNA_TYPE_S8:
		/* With another scale the result would be rounded twice. */
		if (!(in.scale > 0) || in.scale != out.scale)
			return 0;
		break;
	default:
		return 0;
	}
	to = in_dims_of(l, c->values[NNA_IR_OUT], &from);
	if (to < 0 || to == NNA_NO_VALUE)
		return to < 0 ? to : 0;
	if (in.scale > 0) {
		p->bounds.q_min = clamp_s64(p->bounds.q_min + shift, c->bounds.q_min,
					    c->bounds.q_max);
		p->bounds.q_max = clamp_s64(p->bounds.q_max + shift, c->bounds.q_min,
					    c->bounds.q_max);
	} else {
		p->bounds.min = clamp_float(p->bounds.min, c->bounds.min, c->bounds.max);
		p->bounds.max = clamp_float(p->bounds.max, c->bounds.min, c->bounds.max);
	}
	drop(f, j);
	rename_operand(f, producer, 0, to);
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: clamp %u into operation %u", j, producer);
	return 0;
}

/* True if operation @p may move down to @to: no operation in between writes its inputs. */
static bool can_move_down(const struct nna_lower *l, uint32_t p, uint32_t to)
{
	const struct nna_ir_op *c = &l->ops[p];

	for (uint32_t k = 1; k < c->operand_count; k++)
		if (c->values[k] != NNA_NO_VALUE &&
		    nna_ir_touched(l, p + 1, to, NNA_NONE, &l->values[c->values[k]], true))
			return false;
	return true;
}

/*
 * Makes one arm of an ADD the result of the convolution or product before it, and the other arm the
 * residual. Return: 1 when done.
 */
static int fuse_residual(const struct fuse *f, uint32_t j, uint32_t arm)
{
	struct nna_lower *l = f->l;
	struct nna_ir_op *c = &l->ops[j], *p;
	uint32_t other = arm == NNA_ELEMENTWISE_A ? NNA_ELEMENTWISE_B : NNA_ELEMENTWISE_A;
	const struct nna_value own = l->values[c->values[arm]];
	const struct nna_value residual = l->values[c->values[other]];
	const struct nna_value out = l->values[c->values[NNA_IR_OUT]];
	struct nna_value from;
	struct nna_ir_op sum;
	uint32_t producer;
	int64_t to, with;

	producer = sole_producer(f, c->values[arm], j);
	if (producer == NNA_NONE || own.type != residual.type || own.type != out.type)
		return 0;
	p = &l->ops[producer];
	from = l->values[p->values[0]];
	if ((p->kind != NNA_IR_CONV2D && p->kind != NNA_IR_MATMUL) ||
	    p->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE || from.type != own.type ||
	    from.scale != own.scale || from.zero_point != own.zero_point ||
	    !can_move_down(l, producer, j) || !f->backend->can_fuse(l, p, c))
		return 0;
	/*
	 * The convolution reads while it writes, so only the residual may share the memory of the
	 * result.
	 */
	for (uint32_t k = 1; k < p->operand_count; k++)
		if (p->values[k] != NNA_NO_VALUE &&
		    nna_value_overlap(&l->values[p->values[k]], &out))
			return 0;
	to = in_dims_of(l, c->values[NNA_IR_OUT], &from);
	with = in_dims_of(l, c->values[other], &from);
	if (to < 0 || with < 0)
		return to < 0 ? to : with;
	if (to == NNA_NO_VALUE || with == NNA_NO_VALUE)
		return 0;
	/* The convolution takes the place of the ADD. */
	sum = *p;
	sum.sum = (struct nna_ir_sum){
		.bounds = p->bounds,
		.scale = from.scale,
		.zero_point = from.zero_point,
		.rounding = c->rounding,
		.residual_first = arm == NNA_ELEMENTWISE_B,
	};
	sum.bounds = c->bounds;
	sum.values[NNA_IR_OUT] = to;
	sum.values[NNA_CONV2D_RESIDUAL] = with;
	drop(f, producer);
	nna_ir_uses_remove(l, f->uses, j);
	*c = sum;
	nna_ir_uses_add(l, f->uses, j);
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: operation %u takes the sum %u", producer, j);
	return 1;
}

static int fuse_add(const struct fuse *f, uint32_t j)
{
	const struct nna_lower *l = f->l;
	const struct nna_ir_op *c = &l->ops[j];
	uint32_t a, b;
	int ret;

	if (c->elementwise.function != NNA_FN_ADD ||
	    l->values[c->values[NNA_ELEMENTWISE_A]].storage ==
		    l->values[c->values[NNA_ELEMENTWISE_B]].storage)
		return 0;
	/* Of two producers the later one moves, as it moves less far. */
	a = nna_ir_only_writer(l, f->uses, l->values[c->values[NNA_ELEMENTWISE_A]].storage);
	b = nna_ir_only_writer(l, f->uses, l->values[c->values[NNA_ELEMENTWISE_B]].storage);
	if (a != NNA_NONE && (b == NNA_NONE || a > b)) {
		ret = fuse_residual(f, j, NNA_ELEMENTWISE_A);
		return ret ? ret : fuse_residual(f, j, NNA_ELEMENTWISE_B);
	}
	ret = fuse_residual(f, j, NNA_ELEMENTWISE_B);
	return ret ? ret : fuse_residual(f, j, NNA_ELEMENTWISE_A);
}

/*
 * If a FILL has set the input of convolution @j to zeros and a COPY has put an image into it, the
 * convolution reads that image directly and pads it. Return: 0, or -ENOMEM.
 */
static int fuse_padding(const struct fuse *f, uint32_t j)
{
	struct nna_lower *l = f->l;
	struct nna_ir_op *c = &l->ops[j];
	struct nna_ir_conv2d *conv = &c->conv2d;
	const struct nna_value in = l->values[c->values[NNA_CONV2D_INPUT]];
	struct nna_value inner, image;
	uint32_t copy = NNA_NONE, filled = NNA_NONE, size = nna_type_size(in.type);
	uint64_t zero, at, top, left;
	int64_t value;

	if (l->storages[in.storage].kind != NNA_STORAGE_SCRATCH || !nna_value_whole(l, &in) ||
	    f->uses[in.storage].reads != 1 || f->uses[in.storage].writes != 2)
		return 0;
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *w = &l->ops[i];

		if (!nna_ir_writes(l, w, in.storage))
			continue;
		if (w->kind == NNA_IR_FILL && filled == NNA_NONE && copy == NNA_NONE)
			filled = i;
		else if (w->kind == NNA_IR_COPY && filled != NNA_NONE && copy == NNA_NONE)
			copy = i;
		else
			return 0;
	}
	if (filled == NNA_NONE || copy == NNA_NONE || copy >= j || nna_ir_has_flow(l, filled, j))
		return 0;
	zero = in.scale > 0 ? (uint64_t)(uint8_t)in.zero_point : 0;
	if ((in.scale > 0 && size != 1) || l->ops[filled].fill.bits != zero ||
	    !nna_value_whole(l, &l->values[l->ops[filled].values[0]]))
		return 0;
	inner = l->values[l->ops[copy].values[NNA_IR_OUT]];
	image = l->values[l->ops[copy].values[NNA_IR_IN]];
	if (in.rank != 4 || inner.rank != 4 || inner.dims[0] != in.dims[0] ||
	    inner.dims[3] != in.dims[3] || inner.type != in.type || image.type != in.type ||
	    image.scale != in.scale || image.zero_point != in.zero_point)
		return 0;
	for (uint32_t k = 0; k < 4; k++)
		if (inner.dims[k] > 1 && inner.strides[k] != in.strides[k])
			return 0;
	if (inner.offset % ((uint64_t)in.strides[2] * size) || in.strides[2] <= 0 ||
	    in.strides[1] <= 0)
		return 0;
	at = inner.offset / size;
	top = at / in.strides[1];
	left = at % in.strides[1] / in.strides[2];
	if (top + inner.dims[1] > in.dims[1] || left + inner.dims[2] > in.dims[2] ||
	    top + conv->pad_top > INT32_MAX || left + conv->pad_left > INT32_MAX ||
	    nna_ir_touched(l, copy + 1, j, NNA_NONE, &image, true) ||
	    !f->backend->can_fuse(l, &l->ops[copy], c))
		return 0;
	image.rank = 4;
	value = nna_value_add(l, &image);
	if (value < 0)
		return value;
	rename_operand(f, j, NNA_CONV2D_INPUT, value);
	conv->pad_top += top;
	conv->pad_left += left;
	drop(f, filled);
	drop(f, copy);
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: padding of %u, %u into operation %u", (uint32_t)top,
				(uint32_t)left, j);
	return 0;
}

static int fuse_all(const struct fuse *f)
{
	const struct nna_lower *l = f->l;

	for (uint32_t j = 0; j < l->op_count; j++) {
		int ret = 0;

		if (l->ops[j].dead)
			continue;
		if (l->ops[j].kind == NNA_IR_CONV2D)
			ret = fuse_padding(f, j);
		else if (l->ops[j].kind == NNA_IR_CLAMP || l->ops[j].kind == NNA_IR_RESCALE)
			ret = fuse_clamp(f, j);
		if (ret < 0)
			return ret;
	}
	for (uint32_t j = 0; j < l->op_count; j++) {
		int ret;

		if (l->ops[j].dead || l->ops[j].kind != NNA_IR_BINARY)
			continue;
		ret = fuse_add(f, j);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int nna_pass_fuse(struct nna_lower *l, const struct nna_backend *backend)
{
	const struct fuse f = { l, backend, nna_ir_uses_get(l) };
	int ret = f.uses ? fuse_all(&f) : -ENOMEM;

	free(f.uses);
	return ret;
}
