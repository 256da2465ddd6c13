// SPDX-License-Identifier: MIT
#include "ops/nna_box.h"

static int check_box_shape(const struct nna_op_context *op, const char *what, uint32_t i,
			   const struct nna_shape *shape, uint32_t with)
{
	uint32_t type = op->in[with].type;

	if (NNA_T_QUANT8 & NNA_BIT(type))
		type = NNA_TENSOR_QUANT16_ASYMM;
	if (shape->type != type)
		return nna_op_fail(op, "%s %u is of type %s, boxes that go with input %u are %s", what, i,
				   nna_operand_type_name(shape->type), with, nna_operand_type_name(type));
	if (type == NNA_TENSOR_QUANT16_ASYMM && (shape->scale != 0.125f || shape->zero_point))
		return nna_op_fail(op, "%s %u needs scale 1/8 and zero point 0", what, i);
	return 0;
}

int nna_check_boxes(const struct nna_op_context *op, uint32_t i, uint32_t with)
{
	if (!nna_op_has_input(op, i))
		return nna_op_fail(op, "input %u is missing", i);
	return check_box_shape(op, "input", i, &op->in[i], with);
}

int nna_check_out_boxes(const struct nna_op_context *op, uint32_t i, uint32_t with)
{
	return check_box_shape(op, "output", i, &op->out[i], with);
}

int nna_check_numbers(const struct nna_op_context *op, uint32_t from, uint32_t to)
{
	nna_types types = NNA_BIT(NNA_FLOAT32);
	int ret = 0;

	if (op->in[0].type == NNA_TENSOR_FLOAT16)
		types |= NNA_BIT(NNA_FLOAT16);
	for (uint32_t i = from; i < to && !ret; i++)
		ret = nna_check_in(op, i, types);
	return ret;
}
