// SPDX-License-Identifier: MIT
/*
 * The pass that fuses commands: what follows a command moves into it, where not a bit of the result
 * changes.
 *
 *	clamp		an IDENTITY that only clamps, or moves the zero point, becomes the clamp of
 *			the command that makes its input
 *	residual	an ADD of a convolution's result becomes the convolution's residual
 *	padding		FILL and COPY that put a border around a convolution's input become its
 *			padding
 *
 * It expects the commands as the operations have lowered them, before the passes that move memory.
 * The value between two commands must be a whole scratch storage with one writer and one reader,
 * and there must be no jump or branch between them. Parameters of the command that stays are
 * changed in place, its operands renamed, and the other command is marked dead.
 *
 * Results of F16 are rounded once for each command, so an ADD of F16 is not fused. Clamps are fused
 * first, so that those behind an ADD go with it.
 */
#include <errno.h>
#include <string.h>

#include "libnnaccel/compiler/ir.h"

/* How many operands of live commands read a storage. */
static uint32_t count_readers(const struct nna_lower *l, uint32_t storage)
{
	uint32_t readers = 0;

	for (uint32_t i = 0; i < l->command_count; i++) {
		const struct nna_ir_command *c = &l->commands[i];

		for (uint32_t k = 0; !c->dead && k < c->operand_count; k++)
			readers += c->values[k] != NNA_NO_VALUE && !nna_ir_is_output(c, k) &&
				   l->values[c->values[k]].storage == storage;
	}
	return readers;
}

/* The command that makes a value which exists only to be read by @reader; NNA_NONE for none. */
static uint32_t sole_producer(const struct nna_lower *l, uint32_t value, uint32_t reader)
{
	const struct nna_value *v = &l->values[value];
	uint32_t p;

	if (l->storages[v->storage].kind != NNA_STORAGE_SCRATCH || !nna_value_whole(l, v))
		return NNA_NONE;
	p = nna_ir_only_writer(l, v->storage);
	if (p == NNA_NONE || p >= reader || count_readers(l, v->storage) != 1 ||
	    !nna_value_whole(l, &l->values[l->commands[p].values[0]]) ||
	    nna_ir_has_flow(l, p, reader))
		return NNA_NONE;
	return p;
}

/*
 * A value with the dims of @like: the same elements in the same order. NNA_NO_VALUE when that is no
 * view.
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

/**
 * struct bounds - where a command keeps the bounds of what it stores
 * @min: of floats
 * @max: of floats
 * @q_min: of quantised numbers
 * @q_max: of quantised numbers
 * @zero_point: where it keeps a zero point besides that of the output's descriptor; NULL if it does
 *	not
 */
struct bounds {
	float *min, *max;
	int32_t *q_min, *q_max;
	int32_t *zero_point;
};

/* False for commands without bounds. */
static bool find_bounds(struct nna_ir_command *c, struct bounds *b)
{
	*b = (struct bounds){ 0 };
	switch (c->raw->opcode) {
	case NNAHW_OP_CONV:
	case NNAHW_OP_DWCONV:
	case NNAHW_OP_MATMUL: {
		bool residual = c->values[NNAHW_CONV_RESIDUAL] != NNA_NO_VALUE;
		struct nnahw_epilogue *e = c->raw->opcode == NNAHW_OP_MATMUL ?
						   &((struct nnahw_cmd_matmul *)c->raw)->epilogue :
						   &((struct nnahw_cmd_conv *)c->raw)->epilogue;

		b->min = residual ? &e->residual_min : &e->clamp_min;
		b->max = residual ? &e->residual_max : &e->clamp_max;
		b->q_min = residual ? &e->residual_q_min : &e->q_min;
		b->q_max = residual ? &e->residual_q_max : &e->q_max;
		b->zero_point = residual ? NULL : &e->zero_point;
		return true;
	}
	case NNAHW_OP_EWISE: {
		struct nnahw_cmd_ewise *e = (struct nnahw_cmd_ewise *)c->raw;

		/* CAST takes numbers as they are stored: it does not clamp. */
		if (e->op == NNAHW_EWISE_CAST)
			return false;
		b->min = &e->clamp_min;
		b->max = &e->clamp_max;
		b->q_min = &e->q_min;
		b->q_max = &e->q_max;
		return true;
	}
	case NNAHW_OP_POOL: {
		struct nnahw_cmd_pool *e = (struct nnahw_cmd_pool *)c->raw;

		b->min = &e->clamp_min;
		b->max = &e->clamp_max;
		b->q_min = &e->q_min;
		b->q_max = &e->q_max;
		return true;
	}
	default:
		return false;
	}
}

/* Fuses the EWISE @j into its producer if it is a clamp. Return: 0, or -ENOMEM. */
static int fuse_clamp(struct nna_lower *l, uint32_t j)
{
	struct nna_ir_command *c = &l->commands[j], *p;
	const struct nnahw_cmd_ewise *clamp = (const struct nnahw_cmd_ewise *)c->raw;
	const struct nna_value in = l->values[c->values[NNAHW_EWISE_A]];
	const struct nna_value out = l->values[c->values[NNAHW_EWISE_OUTPUT]];
	struct nna_value from;
	struct bounds b;
	uint32_t producer;
	int64_t shift, to;

	if (clamp->op != NNAHW_EWISE_IDENTITY || c->values[NNAHW_EWISE_B] != NNA_NO_VALUE ||
	    in.type != out.type)
		return 0;
	producer = sole_producer(l, c->values[NNAHW_EWISE_A], j);
	if (producer == NNA_NONE)
		return 0;
	p = &l->commands[producer];
	from = l->values[p->values[0]];
	if (!find_bounds(p, &b) || from.type != in.type || from.scale != in.scale ||
	    from.zero_point != in.zero_point ||
	    nna_ir_touched(l, producer, j, NNA_NONE, &out, false))
		return 0;
	shift = (int64_t)out.zero_point - in.zero_point;
	switch (in.type) {
	case NNAHW_TYPE_F32:
	case NNAHW_TYPE_F16:
		break;
	case NNAHW_TYPE_U8:
	case NNAHW_TYPE_S8:
		/* With another scale the IDENTITY rounds a second time. */
		if (!(in.scale > 0) || in.scale != out.scale)
			return 0;
		/* POOL works on stored numbers, so its zero points must stay equal. */
		if (p->raw->opcode == NNAHW_OP_POOL && shift)
			return 0;
		break;
	default:
		return 0;
	}
	to = in_dims_of(l, c->values[NNAHW_EWISE_OUTPUT], &from);
	if (to < 0 || to == NNA_NO_VALUE)
		return to < 0 ? to : 0;
	if (in.scale > 0) {
		*b.q_min = clamp_s64(*b.q_min + shift, clamp->q_min, clamp->q_max);
		*b.q_max = clamp_s64(*b.q_max + shift, clamp->q_min, clamp->q_max);
		if (b.zero_point)
			*b.zero_point += shift;
	} else {
		*b.min = clamp_float(*b.min, clamp->clamp_min, clamp->clamp_max);
		*b.max = clamp_float(*b.max, clamp->clamp_min, clamp->clamp_max);
	}
	p->values[0] = to;
	c->dead = true;
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: clamp %u into command %u", j, producer);
	return 0;
}

/* Whether command @p may move down to @to: nothing in between writes what it reads. */
static bool can_move_down(const struct nna_lower *l, uint32_t p, uint32_t to)
{
	const struct nna_ir_command *c = &l->commands[p];

	for (uint32_t k = 1; k < c->operand_count; k++)
		if (c->values[k] != NNA_NO_VALUE &&
		    nna_ir_touched(l, p + 1, to, NNA_NONE, &l->values[c->values[k]], true))
			return false;
	return true;
}

/*
 * Fuses the ADD @j with the convolution that makes its operand @arm; its other operand becomes the
 * residual. Return: 1 when done, 0 when that is not possible, or -ENOMEM.
 */
static int fuse_residual(struct nna_lower *l, uint32_t j, uint32_t arm)
{
	struct nna_ir_command *c = &l->commands[j], *p;
	const struct nnahw_cmd_ewise *add = (const struct nnahw_cmd_ewise *)c->raw;
	uint32_t other = arm == NNAHW_EWISE_A ? NNAHW_EWISE_B : NNAHW_EWISE_A;
	const struct nna_value own = l->values[c->values[arm]];
	const struct nna_value residual = l->values[c->values[other]];
	const struct nna_value out = l->values[c->values[NNAHW_EWISE_OUTPUT]];
	struct nnahw_epilogue *e;
	struct nna_value from;
	uint32_t producer, values[NNAHW_MAX_OPERANDS];
	int64_t to, with;

	producer = sole_producer(l, c->values[arm], j);
	if (producer == NNA_NONE || own.type != residual.type || own.type != out.type)
		return 0;
	p = &l->commands[producer];
	from = l->values[p->values[0]];
	if ((p->raw->opcode != NNAHW_OP_CONV && p->raw->opcode != NNAHW_OP_DWCONV &&
	     p->raw->opcode != NNAHW_OP_MATMUL) ||
	    p->values[NNAHW_CONV_RESIDUAL] != NNA_NO_VALUE || from.type != own.type ||
	    from.scale != own.scale || from.zero_point != own.zero_point ||
	    !can_move_down(l, producer, j))
		return 0;
	if (own.type == NNAHW_TYPE_U8 || own.type == NNAHW_TYPE_S8) {
		if (!add->a_scale)
			return 0;
	} else if (own.type != NNAHW_TYPE_F32) {
		return 0;
	}
	/* A convolution reads its input again while it writes: only the residual may overlap. */
	for (uint32_t k = 1; k < p->operand_count; k++)
		if (p->values[k] != NNA_NO_VALUE &&
		    nna_value_overlap(&l->values[p->values[k]], &out))
			return 0;
	to = in_dims_of(l, c->values[NNAHW_EWISE_OUTPUT], &from);
	with = in_dims_of(l, c->values[other], &from);
	if (to < 0 || with < 0)
		return to < 0 ? to : with;
	if (to == NNA_NO_VALUE || with == NNA_NO_VALUE)
		return 0;
	e = p->raw->opcode == NNAHW_OP_MATMUL ? &((struct nnahw_cmd_matmul *)p->raw)->epilogue :
						&((struct nnahw_cmd_conv *)p->raw)->epilogue;
	if (own.type == NNAHW_TYPE_F32) {
		e->residual_min = add->clamp_min;
		e->residual_max = add->clamp_max;
	} else {
		e->own_scale = arm == NNAHW_EWISE_A ? add->a_scale : add->b_scale;
		e->residual_scale = arm == NNAHW_EWISE_A ? add->b_scale : add->a_scale;
		e->add_shift = add->shift;
		e->staged = add->staged;
		e->own_shift = arm == NNAHW_EWISE_A ? add->a_shift : add->b_shift;
		e->residual_shift = arm == NNAHW_EWISE_A ? add->b_shift : add->a_shift;
		e->add_multiplier = add->multiplier;
		e->residual_q_min = add->q_min;
		e->residual_q_max = add->q_max;
	}
	/* The convolution takes the place of the ADD. */
	memcpy(values, p->values, sizeof(values));
	values[0] = to;
	values[NNAHW_CONV_RESIDUAL] = with;
	memcpy(c->values, values, sizeof(values));
	c->operand_count = p->operand_count;
	{
		struct nnahw_command *raw = c->raw;

		c->raw = p->raw;
		p->raw = raw;
	}
	p->dead = true;
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: command %u takes the sum %u", producer, j);
	return 1;
}

static int fuse_add(struct nna_lower *l, uint32_t j)
{
	const struct nna_ir_command *c = &l->commands[j];
	const struct nnahw_cmd_ewise *add = (const struct nnahw_cmd_ewise *)c->raw;
	uint32_t a, b;
	int ret;

	if (add->op != NNAHW_EWISE_ADD || c->values[NNAHW_EWISE_C] != NNA_NO_VALUE ||
	    l->values[c->values[NNAHW_EWISE_A]].storage ==
		    l->values[c->values[NNAHW_EWISE_B]].storage)
		return 0;
	/* Where both operands are results of a convolution, the later one has less far to move. */
	a = nna_ir_only_writer(l, l->values[c->values[NNAHW_EWISE_A]].storage);
	b = nna_ir_only_writer(l, l->values[c->values[NNAHW_EWISE_B]].storage);
	if (a != NNA_NONE && (b == NNA_NONE || a > b)) {
		ret = fuse_residual(l, j, NNAHW_EWISE_A);
		return ret ? ret : fuse_residual(l, j, NNAHW_EWISE_B);
	}
	ret = fuse_residual(l, j, NNAHW_EWISE_B);
	return ret ? ret : fuse_residual(l, j, NNAHW_EWISE_A);
}

/*
 * Where the input of convolution @j is a storage that a FILL has set to zeros and a COPY has put an
 * image into, the convolution reads that image and pads. Return: 0, or -ENOMEM.
 */
static int fuse_padding(struct nna_lower *l, uint32_t j)
{
	struct nna_ir_command *c = &l->commands[j];
	struct nnahw_cmd_conv *conv = (struct nnahw_cmd_conv *)c->raw;
	const struct nna_value in = l->values[c->values[NNAHW_CONV_INPUT]];
	const struct nnahw_cmd_fill *fill = NULL;
	struct nna_value inner, image;
	uint32_t copy = NNA_NONE, filled = NNA_NONE, size = nnahw_type_size(in.type);
	uint64_t zero, at, top, left;
	int64_t value;

	if (l->storages[in.storage].kind != NNA_STORAGE_SCRATCH || !nna_value_whole(l, &in) ||
	    count_readers(l, in.storage) != 1)
		return 0;
	for (uint32_t i = 0; i < l->command_count; i++) {
		const struct nna_ir_command *w = &l->commands[i];

		if (!nna_ir_writes(l, w, in.storage))
			continue;
		if (w->raw->opcode == NNAHW_OP_FILL && filled == NNA_NONE && copy == NNA_NONE)
			filled = i;
		else if (w->raw->opcode == NNAHW_OP_COPY && filled != NNA_NONE && copy == NNA_NONE)
			copy = i;
		else
			return 0;
	}
	if (filled == NNA_NONE || copy == NNA_NONE || copy >= j || nna_ir_has_flow(l, filled, j))
		return 0;
	fill = (const struct nnahw_cmd_fill *)l->commands[filled].raw;
	zero = in.scale > 0 ? (uint64_t)(uint8_t)in.zero_point : 0;
	if ((in.scale > 0 && size != 1) || fill->value != zero ||
	    !nna_value_whole(l, &l->values[l->commands[filled].values[0]]))
		return 0;
	inner = l->values[l->commands[copy].values[NNAHW_COPY_OUTPUT]];
	image = l->values[l->commands[copy].values[NNAHW_COPY_INPUT]];
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
	    nna_ir_touched(l, copy + 1, j, NNA_NONE, &image, true))
		return 0;
	image.rank = 4;
	value = nna_value_add(l, &image);
	if (value < 0)
		return value;
	c->values[NNAHW_CONV_INPUT] = value;
	conv->pad_top += top;
	conv->pad_left += left;
	l->commands[filled].dead = true;
	l->commands[copy].dead = true;
	if (l->debug & NNA_DEBUG_FUSE)
		nna_debug_print(l, "fuse: padding of %u, %u into command %u", (uint32_t)top,
				(uint32_t)left, j);
	return 0;
}

int nna_pass_fuse(struct nna_lower *l)
{
	for (uint32_t j = 0; j < l->command_count; j++) {
		int ret = 0;

		if (l->commands[j].dead)
			continue;
		if (l->commands[j].raw->opcode == NNAHW_OP_CONV ||
		    l->commands[j].raw->opcode == NNAHW_OP_DWCONV)
			ret = fuse_padding(l, j);
		else if (l->commands[j].raw->opcode == NNAHW_OP_EWISE)
			ret = fuse_clamp(l, j);
		if (ret < 0)
			return ret;
	}
	for (uint32_t j = 0; j < l->command_count; j++) {
		int ret;

		if (l->commands[j].dead || l->commands[j].raw->opcode != NNAHW_OP_EWISE)
			continue;
		ret = fuse_add(l, j);
		if (ret < 0)
			return ret;
	}
	return 0;
}
