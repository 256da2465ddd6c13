// SPDX-License-Identifier: MIT
/*
 * POOL of 8 bits: the average and the maximum of windows, an image at a time.
 *
 * The ir's average is of stored numbers. TFLite rounds halves away from zero, NNAPI up; of numbers
 * that are not negative both are the same, so a zero point of the least number makes halves go up.
 *
 * A U65 multiplies the sum of a window by a factor, of all windows the same; where the window has
 * padding it divides by the number of its elements, halves away from zero. A U85 divides always, in
 * windows of up to 8x8; of larger ones it adds the elements by a DEPTHWISE (ones.h), which
 * multiplies the sums by that factor, and can round halves away from zero.
 */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ones.h"

#define STRIDE_MOST 3u
#define KERNEL_MOST 256u
#define BATCHES_MOST 256u
#define DIVIDED_MOST 8u /* rows and columns of a window that is divided */

static void set_window(const struct nna_lower *l, const struct nna_ir_op *op,
		       struct nna_ethosu_window *window)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	const struct nna_ir_pool *p = &op->pool;

	*window = (struct nna_ethosu_window){
		.height = p->kernel_h,
		.width = p->kernel_w,
		.stride_y = p->stride_h,
		.stride_x = p->stride_w,
		.dilation_y = 1,
		.dilation_x = 1,
		.top = p->pad_top,
		.left = p->pad_left,
		.bottom = nna_ethosu_padding_behind(out->dims[1], in->dims[1], p->kernel_h,
						    p->stride_h, p->pad_top),
		.right = nna_ethosu_padding_behind(out->dims[2], in->dims[2], p->kernel_w,
						   p->stride_w, p->pad_left),
	};
	/* A stride that is never taken. */
	if (out->dims[1] == 1)
		window->stride_y = 1;
	if (out->dims[2] == 1)
		window->stride_x = 1;
}

static bool is_padded(const struct nna_ethosu_window *window)
{
	return window->top || window->left || window->bottom || window->right;
}

/* The average by a factor: exact for numbers of 8 bits. Return: false if halves go elsewhere. */
static bool set_factor(const struct nna_ethosu_window *window, bool away,
		       struct nna_ethosu_operation *o)
{
	const uint32_t count = window->height * window->width;
	const uint32_t bits = 31 - (uint32_t)__builtin_clz(count);

	if (away && !(count & (count - 1))) {
		/* The first of two roundings, of 31 bits, has nothing to round. */
		o->scale = (struct nna_ethosu_scale){ 1u << 31, (uint8_t)(31 + bits), 0 };
		o->rounding = NNA_ETHOSU_ROUND_DOUBLE;
		return true;
	}
	o->scale.shift = (uint8_t)(31 + bits);
	o->scale.scale = (uint32_t)((((uint64_t)1 << o->scale.shift) + count - 1) / count);
	o->rounding = NNA_ETHOSU_ROUND_NATURAL;
	return !away || count & 1;
}

/* The sum of all of a large window, by ones.h; of a U85. */
static void add_ones(const struct nna_ethosu_window *window, bool away,
		     struct nna_ethosu_operation *o)
{
	o->code = ETHOSU_OP_DEPTHWISE;
	o->mode = 0;
	o->one_scale = false;
	set_factor(window, false, o);
	/* A record has 31 bits. The factor of a power of two is one, too. */
	if (o->scale.scale >> 31) {
		o->scale.scale >>= 1;
		o->scale.shift--;
	}
	o->rounding = away ? NNA_ETHOSU_ROUND_SYMMETRIC : NNA_ETHOSU_ROUND_NATURAL;
}

static bool is_large(const struct nna_ethosu_window *window)
{
	return window->height > DIVIDED_MOST || window->width > DIVIDED_MOST;
}

/* The operation but for its maps. Return: 0, or -ENOTSUP with the reason. */
static int make(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const struct nna_ir_op *op, struct nna_ethosu_operation *o, char *reason,
		size_t size)
{
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	const bool average = op->pool.function == NNA_POOL_AVERAGE;
	const bool is_signed = in->type == NNA_TYPE_S8;
	/* Of unsigned numbers both rules are one. */
	const bool away = is_signed && op->rounding != NNA_IR_ROUNDS_AS_NNAPI;
	bool divides;

	if (op->pool.function > NNA_POOL_MAX || (in->type != NNA_TYPE_U8 && !is_signed))
		return nna_ethosu_refuse(reason, size, "pools are averages and maxima of 8 bits");
	*o = (struct nna_ethosu_operation){
		.code = ETHOSU_OP_POOL,
		.mode = average ? NNA_ETHOSU_POOL_AVERAGE : NNA_ETHOSU_POOL_MAX,
		.one_scale = true,
		.scale = { .scale = 1 },
		.rounding = NNA_ETHOSU_ROUND_NATURAL,
		.min = op->bounds.q_min,
		.max = op->bounds.q_max,
	};
	set_window(l, op, &o->window);
	divides = average && (target->generation == NNA_ETHOSU_U85 || is_padded(&o->window));
	if (o->window.stride_y > STRIDE_MOST || o->window.stride_x > STRIDE_MOST ||
	    o->window.height > KERNEL_MOST || o->window.width > KERNEL_MOST)
		return nna_ethosu_refuse(reason, size, "a window of %ux%u with strides of %u and %u",
					 o->window.height, o->window.width, o->window.stride_y,
					 o->window.stride_x);
	if (o->window.top >= o->window.height || o->window.left >= o->window.width ||
	    o->window.bottom >= o->window.height || o->window.right >= o->window.width ||
	    o->window.top > INT8_MAX || o->window.left > INT8_MAX ||
	    o->window.bottom > UINT8_MAX || o->window.right > UINT8_MAX)
		return nna_ethosu_refuse(reason, size, "a padding as large as the window");
	if (divides && target->generation == NNA_ETHOSU_U85 && is_large(&o->window) &&
	    !is_padded(&o->window) && o->window.height <= NNA_ETHOSU_ONES_MOST &&
	    o->window.width <= NNA_ETHOSU_ONES_MOST) {
		add_ones(&o->window, away, o);
		divides = false;
	}
	if (divides && is_large(&o->window))
		return nna_ethosu_refuse(reason, size, "an average with padding of a window above "
					 "%ux%u", DIVIDED_MOST, DIVIDED_MOST);
	if (o->code == ETHOSU_OP_POOL && average && !divides && !set_factor(&o->window, away, o))
		return nna_ethosu_refuse(reason, size, "an average of %u numbers with a sign, whose "
					 "halves go away from zero",
					 o->window.height * o->window.width);
	if (average && is_signed && !away)
		o->ifm.zero_point = o->ofm.zero_point = INT8_MIN;
	return 0;
}

static int pool_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			const struct nna_ir_op *op, char *reason, size_t size)
{
	struct nna_ethosu_operation o;

	if (l->values[op->values[NNA_IR_OUT]].dims[0] > BATCHES_MOST)
		return nna_ethosu_refuse(reason, size, "more than %u images", BATCHES_MOST);
	if (make(l, target, op, &o, reason, size) ||
	    nna_ethosu_map_refuses(l, op->values[NNA_IR_OUT], reason, size) ||
	    nna_ethosu_map_refuses(l, op->values[NNA_IR_IN], reason, size))
		return -ENOTSUP;
	nna_ethosu_map_image(l, op->values[NNA_IR_OUT], 0, &o.ofm);
	nna_ethosu_map_image(l, op->values[NNA_IR_IN], 0, &o.ifm);
	nna_ethosu_block_choose(target, &o);
	if (!o.block.height)
		return nna_ethosu_refuse(reason, size, "the window needs more memory than the NPU "
					 "has");
	return o.code == ETHOSU_OP_DEPTHWISE &&
	       nna_ethosu_ones_refuses(target, &o, reason, size) ? -ENOTSUP : 0;
}

static int pool_pack(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index)
{
	const struct nna_ir_op *op = &l->ops[index];
	struct nna_ethosu_operation o;
	char reason[8];

	if (make(l, target, op, &o, reason, sizeof(reason)))
		return -ENOTSUP;
	if (o.code != ETHOSU_OP_DEPTHWISE)
		return 0;
	nna_ethosu_map_image(l, op->values[NNA_IR_OUT], 0, &o.ofm);
	nna_ethosu_map_image(l, op->values[NNA_IR_IN], 0, &o.ifm);
	nna_ethosu_block_choose(target, &o);
	return nna_ethosu_ones_pack(l, target, index, &o);
}

static int pool_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		     const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const uint32_t batches = l->values[op->values[NNA_IR_OUT]].dims[0];
	struct nna_ethosu_operation made;
	char reason[8];

	if (make(l, target, op, &made, reason, sizeof(reason)))
		return -ENOTSUP;
	for (uint32_t i = 0; i < batches; i++) {
		struct nna_ethosu_operation o = made;

		nna_ethosu_map_image(l, op->values[NNA_IR_OUT], i, &o.ofm);
		nna_ethosu_map_image(l, op->values[NNA_IR_IN], i, &o.ifm);
		o.ofm.zero_point = made.ofm.zero_point;
		o.ifm.zero_point = made.ifm.zero_point;
		/* Images are alike. */
		if (!i)
			nna_ethosu_block_choose(target, &o);
		made.block = o.block;
		if (o.code == ETHOSU_OP_DEPTHWISE && nna_ethosu_ones_place(l, target, op, &o))
			return -ENOTSUP;
		nna_ethosu_writer_operation(w, &o);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_pool = { pool_accepts, pool_pack, pool_emit };
