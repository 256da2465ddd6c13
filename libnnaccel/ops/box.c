// SPDX-License-Identifier: MIT
/*
 * Functions that operations on boxes share: see box.h. Boxes are transformed along one axis, x or
 * y, at a time.
 */
#include "libnnaccel/ops/box.h"

static int check_scale(const struct nna_op_context *op, uint32_t operand,
		       const struct nna_shape *shape)
{
	return shape->type == NNA_OPERAND_TENSOR_QUANT16_ASYMM ?
		       nna_check_quant(op, operand, 0.125f, 0) : 0;
}

int nna_check_boxes(const struct nna_op_context *op, uint32_t i)
{
	return check_scale(op, NNA_IN(i), &op->in[i]);
}

int nna_check_out_boxes(const struct nna_op_context *op, uint32_t i)
{
	return check_scale(op, NNA_OUT(i), &op->out[i]);
}

int nna_check_classes(const struct nna_op_context *op, uint32_t axis)
{
	uint32_t classes = nna_known_dim(&op->in[0], axis);

	if (classes > 1 || (!classes && !op->in[0].final))
		return 0;
	return nna_op_refuse(op, NNA_IN(0), "dimension %u is %u",
			     "2 or more classes, of which the first is the background", axis,
			     classes);
}

/*
 * Emits @factor * (a @kind b), where @kind is ADD, SUB or MUL. Return: its value, scratch memory.
 */
static int64_t half(struct nna_lower *l, uint8_t kind, uint32_t a, uint32_t b, float factor)
{
	int ret;

	NNA_VALUE(whole, nna_do_scratch_like(l, NNA_TYPE_F32, a));
	NNA_VALUE(out, nna_do_scratch_like(l, NNA_TYPE_F32, a));
	NNA_VALUE(constant, nna_do_constant_f32(l, factor));
	ret = nna_do_ewise(l, kind, whole, a, b, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, out, whole, constant, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* Emits out = centre - reach (@kind SUB) or centre + reach (ADD), clamped to [0, most]. */
static int clamped(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t centre, uint32_t reach,
		   uint32_t most)
{
	int ret;

	NNA_VALUE(raw, nna_do_scratch_like(l, NNA_TYPE_F32, centre));
	NNA_VALUE(below, nna_do_scratch_like(l, NNA_TYPE_F32, centre));
	NNA_VALUE(zero, nna_do_constant_f32(l, 0));
	ret = nna_do_ewise(l, kind, raw, centre, reach, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MINIMUM, below, raw, most, NNA_NO_VALUE);
	return ret ?: nna_do_ewise(l, NNA_FN_MAXIMUM, out, below, zero, NNA_NO_VALUE);
}

/* Transforms all boxes along @axis, 0 for x and 1 for y. @sizes holds (height, width). */
static int transform(struct nna_lower *l, uint32_t out, uint32_t boxes, uint32_t deltas,
		     uint32_t sizes, uint32_t axis)
{
	int ret;

	NNA_VALUE(low, nna_view_range(l, boxes, 2, axis, 1));
	NNA_VALUE(high, nna_view_range(l, boxes, 2, axis + 2, 1));
	NNA_VALUE(move, nna_view_range(l, deltas, 2, axis, 1));
	NNA_VALUE(grow, nna_view_range(l, deltas, 2, axis + 2, 1));
	NNA_VALUE(most, nna_view_range(l, sizes, 2, 1 - axis, 1));
	NNA_VALUE(out_low, nna_view_range(l, out, 2, axis, 1));
	NNA_VALUE(out_high, nna_view_range(l, out, 2, axis + 2, 1));
	NNA_VALUE(size, nna_do_scratch_like(l, NNA_TYPE_F32, low));
	NNA_VALUE(centre, half(l, NNA_FN_ADD, low, high, 0.5f));
	NNA_VALUE(moved, nna_do_scratch_like(l, NNA_TYPE_F32, move));
	NNA_VALUE(factor, nna_do_scratch_like(l, NNA_TYPE_F32, move));
	ret = nna_do_ewise(l, NNA_FN_SUB, size, high, low, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL_ADD, moved, move, size, centre) ?:
	      nna_do_ewise(l, NNA_FN_EXP, factor, grow, NNA_NO_VALUE, NNA_NO_VALUE);
	if (ret)
		return ret;
	NNA_VALUE(reach, half(l, NNA_FN_MUL, factor, size, 0.5f));
	return clamped(l, NNA_FN_SUB, out_low, moved, reach, most) ?:
	       clamped(l, NNA_FN_ADD, out_high, moved, reach, most);
}

int nna_do_box_transform(struct nna_lower *l, uint32_t out, uint32_t boxes, uint32_t deltas,
			 uint32_t sizes)
{
	return transform(l, out, boxes, deltas, sizes, 0) ?:
	       transform(l, out, boxes, deltas, sizes, 1);
}
