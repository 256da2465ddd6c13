// SPDX-License-Identifier: MIT
/*
 * RESIZE of images whose pixels are repeated: by a power of two, or from one row or column to many.
 * For each place within the repetition an operation copies the image there: a maximum of one pixel,
 * whose result has columns and rows that are as far apart as the factor.
 *
 * Others blend pixels with weights. The NPU's own RESIZE is not used: the kernel's driver takes
 * none.
 */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ethosu.h"

#define OPERATIONS_MAX 256u /* for an image */

/* How often rows, or columns, are repeated; 0 where they are blended, or not all as often. */
static uint32_t factor_of(const struct nna_ir_resize *p, uint32_t in, uint32_t out)
{
	const uint32_t factor = in ? out / in : 0;

	if (in == out || in == 1)
		return factor;
	/* Of a power of two, positions are exact. */
	if (p->mode != NNA_RESIZE_NEAREST || p->align_corners || factor * in != out ||
	    factor & (factor - 1))
		return 0;
	return factor;
}

static int accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
		   const struct nna_ir_op *op, char *reason, size_t size)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	const uint32_t down = factor_of(&op->resize, in->dims[1], out->dims[1]);
	const uint32_t along = factor_of(&op->resize, in->dims[2], out->dims[2]);

	if (in->type != out->type || (in->type != NNA_TYPE_U8 && in->type != NNA_TYPE_S8))
		return nna_ethosu_refuse(reason, size, "images are of 8 bits");
	if (!down || !along)
		return nna_ethosu_refuse(reason, size, "%ux%u to %ux%u blends pixels, or repeats "
					 "them by no power of two", in->dims[1], in->dims[2],
					 out->dims[1], out->dims[2]);
	if ((in->dims[1] > 1 ? down : 1ull) * (in->dims[2] > 1 ? along : 1ull) > OPERATIONS_MAX)
		return nna_ethosu_refuse(reason, size, "factors of %u and %u are too large", down,
					 along);
	if (nna_ethosu_map_refuses(l, op->values[NNA_IR_OUT], reason, size) ||
	    nna_ethosu_map_refuses(l, op->values[NNA_IR_IN], reason, size))
		return -ENOTSUP;
	return 0;
}

static int emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	const bool is_signed = in->type == NNA_TYPE_S8;
	/* One row is read for each row of the result. */
	const uint32_t down = in->dims[1] > 1 ? out->dims[1] / in->dims[1] : 1;
	const uint32_t along = in->dims[2] > 1 ? out->dims[2] / in->dims[2] : 1;
	struct nna_ethosu_operation copy = {
		.code = ETHOSU_OP_POOL,
		.mode = NNA_ETHOSU_POOL_MAX,
		.window = { .height = 1, .width = 1, .stride_y = 1, .stride_x = 1,
			    .dilation_y = 1, .dilation_x = 1 },
		.one_scale = true,
		.scale = { .scale = 1 },
		.min = is_signed ? INT8_MIN : 0,
		.max = is_signed ? INT8_MAX : UINT8_MAX,
	};

	for (uint32_t n = 0; n < out->dims[0] * down * along; n++) {
		const uint32_t image = n / (down * along), y = n / along % down, x = n % along;

		nna_ethosu_map_image(l, op->values[NNA_IR_IN], image, &copy.ifm);
		nna_ethosu_map_image(l, op->values[NNA_IR_OUT], image, &copy.ofm);
		copy.ifm.zero_point = 0;
		copy.ofm.zero_point = 0;
		if (in->dims[1] == 1)
			copy.ifm.stride_y = 0;
		if (in->dims[2] == 1)
			copy.ifm.stride_x = 0;
		copy.ofm.offset += y * copy.ofm.stride_y + x * copy.ofm.stride_x;
		copy.ofm.height /= down;
		copy.ofm.width /= along;
		copy.ofm.stride_y *= down;
		copy.ofm.stride_x *= along;
		/* Images and places are alike. */
		if (!n)
			nna_ethosu_block_choose(target, &copy);
		nna_ethosu_writer_operation(w, &copy);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_resize = {
	.accepts = accepts,
	.emit = emit,
};
