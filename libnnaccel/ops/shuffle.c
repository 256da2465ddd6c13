// SPDX-License-Identifier: MIT
/*
 * SPACE_TO_DEPTH, DEPTH_TO_SPACE: blocks of pixels become channels, and back.
 *
 *	in 0	input		ANY	[b, h, w, c], with nchw [b, c, h, w]
 *	in 1	block size	INT32			1 or more, of height and width
 *	in 2	nchw?		BOOL			false by default
 *	out 0	output		Q0 [...]		in the layout of the input
 *
 * SPACE_TO_BATCH_ND: blocks of pixels become images.
 *
 *	in 0	input		ANY	[b, h, w, c], with nchw [b, c, h, w]
 *	in 1	block sizes	INT32 [2]		height, width; 1 or more
 *	in 2	paddings	INT32 [2, 2]		top, bottom, left, right, with zeros; 0 or
 *							more
 *	in 3	nchw?		BOOL			false by default
 *	out 0	output		Q0 [...]		in the layout of the input
 *
 * BATCH_TO_SPACE_ND: the inverse of SPACE_TO_BATCH_ND without paddings.
 *
 *	in 0	input		ANY	[b, h, w, c], with nchw [b, c, h, w]
 *	in 1	block sizes	INT32 [2]		height, width; 1 or more
 *	in 2	nchw?		BOOL			false by default
 *	out 0	output		Q0 [...]		in the layout of the input
 *
 * CHANNEL_SHUFFLE: orders channels by their index within the group, then by group.
 *
 *	in 0	input	ANY [...]
 *	in 1	groups	INT32	a divisor of the axis
 *	in 2	axis	INT32	in [-rank, rank)
 *	out 0	output	Q0 [...]
 *
 * Lowered to one COPY between two views with the same axes: for blocks these are batch, block row,
 * block column, height, width and channel. For paddings, a FILL and a COPY precede it.
 */
#include "libnnaccel/ops/window.h"

/**
 * struct block - the parameters of the operations on blocks
 * @nchw: layout of input and output
 * @h: rows of a block
 * @w: columns of a block
 * @top: padding
 * @bottom: padding
 * @left: padding
 * @right: padding
 */
struct block {
	bool nchw;
	uint32_t h, w;
	uint32_t top, bottom, left, right;
};

static bool is_batch(const struct nna_op_context *op)
{
	return op->operation->type == NNA_OPERATION_SPACE_TO_BATCH_ND ||
	       op->operation->type == NNA_OPERATION_BATCH_TO_SPACE_ND;
}

/* Return: the number of the input with the layout. */
static uint32_t layout_input(const struct nna_op_context *op)
{
	return op->operation->type == NNA_OPERATION_SPACE_TO_BATCH_ND ? 3 : 2;
}

/* Reads constant input @i: exactly @want numbers, each at least @least. */
static int read_pair(const struct nna_op_context *op, uint32_t i, uint32_t want, int32_t least,
		     uint32_t *out)
{
	int32_t numbers[4];
	int ret = nna_param_numbers(op, i, want, want == 2 ? "height and width" :
				    "before and after height and width", numbers);

	for (uint32_t k = 0; k < want && !ret; k++) {
		if (numbers[k] < least)
			ret = nna_op_refuse(op, NNA_IN(i), "element %u is %d", "%d or more", k,
					    numbers[k], least);
		out[k] = (uint32_t)numbers[k];
	}
	return ret;
}

static int read_block(const struct nna_op_context *op, struct block *block)
{
	uint32_t sizes[2], padding[4] = { 0 };
	int ret;

	if (is_batch(op)) {
		ret = read_pair(op, 1, 2, 1, sizes);
		if (!ret && op->operation->type == NNA_OPERATION_SPACE_TO_BATCH_ND)
			ret = read_pair(op, 2, 4, 0, padding);
	} else {
		ret = nna_param_number(op, 1, "the block size", 1, INT32_MAX, &sizes[0]);
		if (!ret)
			sizes[1] = sizes[0];
	}
	if (ret)
		return ret;
	*block = (struct block){
		.h = sizes[0], .w = sizes[1],
		.top = padding[0], .bottom = padding[1], .left = padding[2], .right = padding[3],
	};
	return nna_param_bool(op, layout_input(op), false, &block->nchw);
}

static int check(struct nna_op_context *op)
{
	struct block block;

	return nna_check_out_quant(op, 0, 0) ?: nna_later(read_block(op, &block));
}

static int check_multiple(const struct nna_op_context *op, const char *what, uint64_t size,
			  uint64_t block)
{
	if (!(size % block))
		return 0;
	return nna_op_refuse(op, NNA_IN(0), "the %s, with padding, is %llu",
			     "a multiple of %llu, the block size", what,
			     (unsigned long long)size, (unsigned long long)block);
}

static int infer(struct nna_op_context *op)
{
	const uint32_t *in = op->in[0].dims;
	uint64_t b, h, w, c, area;
	struct block block;
	int ret = read_block(op, &block);

	if (ret)
		return ret;
	b = in[0];
	h = in[nna_axis_h(block.nchw)];
	w = in[nna_axis_w(block.nchw)];
	c = in[nna_axis_c(block.nchw)];
	area = (uint64_t)block.h * block.w;
	switch (op->operation->type) {
	case NNA_OPERATION_SPACE_TO_BATCH_ND:
		h += (uint64_t)block.top + block.bottom;
		w += (uint64_t)block.left + block.right;
		b *= area;
		ret = check_multiple(op, "height", h, block.h) ?:
		      check_multiple(op, "width", w, block.w);
		h /= block.h;
		w /= block.w;
		break;
	case NNA_OPERATION_SPACE_TO_DEPTH:
		ret = check_multiple(op, "height", h, block.h) ?:
		      check_multiple(op, "width", w, block.w);
		h /= block.h;
		w /= block.w;
		c *= area;
		break;
	case NNA_OPERATION_BATCH_TO_SPACE_ND:
		ret = check_multiple(op, "batch", b, area);
		b /= area;
		h *= block.h;
		w *= block.w;
		break;
	default:
		ret = check_multiple(op, "depth", c, area);
		c /= area;
		h *= block.h;
		w *= block.w;
		break;
	}
	return ret ?: nna_require_size(op, 0, b) ?: nna_require_size(op, 0, h) ?:
	       nna_require_size(op, 0, w) ?: nna_require_size(op, 0, c) ?:
	       nna_set_image(op, block.nchw, (uint32_t)b, (uint32_t)h, (uint32_t)w, (uint32_t)c);
}

/*
 * Views the large image [b, h * bh, w * bw, c] as [b, bh, bw, h, w, c]. It splits the axes in the
 * image's own layout, where the value is contiguous, and then permutes them.
 */
static int64_t large_view(struct nna_lower *l, uint32_t value, const struct block *block,
			  const uint32_t *dims)
{
	static const uint32_t from_nhwc[] = { 0, 2, 4, 1, 3, 5 };
	static const uint32_t from_nchw[] = { 0, 3, 5, 2, 4, 1 };
	uint32_t h = dims[nna_axis_h(block->nchw)] / block->h;
	uint32_t w = dims[nna_axis_w(block->nchw)] / block->w, c = dims[nna_axis_c(block->nchw)];
	uint32_t nhwc[] = { dims[0], h, block->h, w, block->w, c };
	uint32_t nchw[] = { dims[0], c, h, block->h, w, block->w };

	NNA_VALUE(apart, nna_emit_reshape(l, value, 6, block->nchw ? nchw : nhwc));
	return nna_view_permute(l, apart, block->nchw ? from_nchw : from_nhwc);
}

/* Views the small image, [bh * bw * b, h, w, c] (@batch) or [b, h, w, bh * bw * c], likewise. */
static int64_t small_view(struct nna_lower *l, uint32_t value, const struct block *block,
			  const uint32_t *dims, bool batch)
{
	static const uint32_t batch_nhwc[] = { 2, 0, 1, 3, 4, 5 };
	static const uint32_t batch_nchw[] = { 2, 0, 1, 4, 5, 3 };
	static const uint32_t depth_nhwc[] = { 0, 3, 4, 1, 2, 5 };
	static const uint32_t depth_nchw[] = { 0, 1, 2, 4, 5, 3 };
	uint32_t area = block->h * block->w, b = batch ? dims[0] / area : dims[0];
	uint32_t h = dims[nna_axis_h(block->nchw)], w = dims[nna_axis_w(block->nchw)];
	uint32_t c = batch ? dims[nna_axis_c(block->nchw)] : dims[nna_axis_c(block->nchw)] / area;
	uint32_t shapes[4][6] = {
		{ b, h, w, block->h, block->w, c }, /* depth, nhwc */
		{ b, block->h, block->w, c, h, w }, /* depth, nchw */
		{ block->h, block->w, b, h, w, c }, /* batch, nhwc */
		{ block->h, block->w, b, c, h, w }, /* batch, nchw */
	};
	const uint32_t *orders[4] = { depth_nhwc, depth_nchw, batch_nhwc, batch_nchw };
	uint32_t which = (batch ? 2 : 0) + (block->nchw ? 1 : 0);

	NNA_VALUE(apart, nna_emit_reshape(l, value, 6, shapes[which]));
	return nna_view_permute(l, apart, orders[which]);
}

/* Emits the padded input of SPACE_TO_BATCH_ND to scratch memory; adds the paddings to @dims. */
static int64_t padded(struct nna_op_context *op, uint32_t in, const struct block *block,
		      uint32_t *dims)
{
	struct nna_lower *l = op->lower;
	const struct nna_value *v = nna_lower_value(l, in);
	uint32_t ah = nna_axis_h(block->nchw), aw = nna_axis_w(block->nchw);
	uint8_t type = v->type;
	float scale = v->scale;
	int32_t zero = v->zero_point;
	int ret;

	dims[ah] += block->top + block->bottom;
	dims[aw] += block->left + block->right;
	NNA_VALUE(room, nna_lower_scratch(l, type, 4, dims, scale, zero));
	ret = nna_do_zero(l, room);
	if (ret)
		return ret;
	NNA_VALUE(rows, nna_view_range(l, room, ah, block->top, op->in[0].dims[ah]));
	NNA_VALUE(inside, nna_view_range(l, rows, aw, block->left, op->in[0].dims[aw]));
	ret = nna_do_move(l, inside, in);
	return ret ? ret : (int64_t)room;
}

static int lower(struct nna_op_context *op)
{
	bool to_small = op->operation->type == NNA_OPERATION_SPACE_TO_BATCH_ND ||
			op->operation->type == NNA_OPERATION_SPACE_TO_DEPTH;
	uint32_t dims[NNACCEL_MAX_RANK];
	struct nna_lower *l = op->lower;
	struct block block;
	int ret = read_block(op, &block);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	if (block.top || block.bottom || block.left || block.right) {
		NNA_VALUE(wide, padded(op, in, &block, dims));
		in = wide;
	}
	NNA_VALUE(large, large_view(l, to_small ? in : out, &block,
				    to_small ? dims : op->out[0].dims));
	NNA_VALUE(small, small_view(l, to_small ? out : in, &block,
				    to_small ? op->out[0].dims : dims, is_batch(op)));
	return to_small ? nna_do_move(l, small, large) : nna_do_move(l, large, small);
}

static int read_channels(const struct nna_op_context *op, uint32_t *groups, uint32_t *axis)
{
	int32_t number, place;
	int ret = nna_op_scalar_i32(op, 1, &number) ?: nna_op_scalar_i32(op, 2, &place);

	if (ret)
		return ret;
	if (!op->in[0].rank_known)
		return -EAGAIN;
	ret = nna_param_axis(op, 2, place, op->in[0].rank, axis);
	if (!ret && (number < 1 || op->in[0].dims[*axis] % (uint32_t)number))
		ret = nna_op_refuse(op, NNA_IN(1), "the value is %d",
				    "a divisor of %u, dimension %u of input 0", number,
				    op->in[0].dims[*axis], *axis);
	*groups = (uint32_t)number;
	return ret;
}

static int channel_check(struct nna_op_context *op)
{
	uint32_t groups, axis;

	return nna_check_out_quant(op, 0, 0) ?: nna_later(read_channels(op, &groups, &axis));
}

/* [outer, groups, channels, inner] -> [outer, channels, groups, inner] */
static int channel_lower(struct nna_op_context *op)
{
	static const uint32_t swap[] = { 0, 2, 1, 3 };
	uint32_t groups, axis, outer = 1, inner = 1, count;
	struct nna_lower *l = op->lower;
	int ret = read_channels(op, &groups, &axis);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	for (uint32_t k = 0; k < op->in[0].rank; k++) {
		outer *= k < axis ? op->in[0].dims[k] : 1;
		inner *= k > axis ? op->in[0].dims[k] : 1;
	}
	count = op->in[0].dims[axis] / groups;
	NNA_VALUE(apart, nna_emit_reshape(l, in, 4, (uint32_t[]){ outer, groups, count, inner }));
	NNA_VALUE(swapped, nna_view_permute(l, apart, swap));
	NNA_VALUE(result, nna_emit_reshape(l, out, 4, (uint32_t[]){ outer, count, groups, inner }));
	return nna_do_move(l, result, swapped);
}

#define SHUFFLE(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = infer, .lower = lower, \
	}

SHUFFLE(space_to_depth, NNA_OPERATION_SPACE_TO_DEPTH);
SHUFFLE(depth_to_space, NNA_OPERATION_DEPTH_TO_SPACE);
SHUFFLE(space_to_batch, NNA_OPERATION_SPACE_TO_BATCH_ND);
SHUFFLE(batch_to_space, NNA_OPERATION_BATCH_TO_SPACE_ND);

const struct nna_op nna_op_channel_shuffle = {
	.type = NNA_OPERATION_CHANNEL_SHUFFLE,
	.check = channel_check, .infer = nna_infer_like_first, .lower = channel_lower,
};
