// SPDX-License-Identifier: MIT
/*
 * SPACE_TO_DEPTH, DEPTH_TO_SPACE and BATCH_TO_SPACE_ND move blocks of an image to and from the
 * channels or the batch; SPACE_TO_BATCH_ND is plain (plain.c).
 */
#include "frontend/tflite/translation.h"

void tflite_translate_block(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_i32(t, t->op->options.block_size);
	tflite_emit_outputs(t, type);
}

void tflite_translate_batch_to_space(struct tflite_translation *t, uint32_t type)
{
	int32_t blocks[2], crops[4], begin[4] = { 0 }, size[4];
	const struct tflite_tensor *x, *y;
	struct tflite_operand_desc o;
	uint32_t i;

	tflite_need(t, 3, 1);
	x = tflite_input(t, 0);
	y = tflite_output(t, 0);
	tflite_need_rank(t, x, 4);
	tflite_need_rank(t, y, 4);
	tflite_exact_ints(t, 1, blocks, 2, "height and width");
	if (!tflite_exact_ints(t, 2, crops, 4, "two each for height and width"))
		return;
	tflite_push_input(t, 0);
	tflite_push_list(t, blocks, 2);
	if (!crops[0] && !crops[1] && !crops[2] && !crops[3]) {
		tflite_emit_outputs(t, type);
		return;
	}
	/* NNAPI's operation does not crop: a SLICE crops its result. */
	tflite_describe(t, y, &o);
	for (i = 0; i < 4; i++) {
		size[i] = (int32_t)y->dims[i];
		if (i != 1 && i != 2)
			continue;
		begin[i] = crops[2 * (i - 1)];
		if (blocks[i - 1] < 1 || crops[2 * i - 2] < 0 || crops[2 * i - 1] < 0 ||
		    __builtin_mul_overflow(x->dims[i], (uint32_t)blocks[i - 1], &o.dims[i]))
			tflite_refuse(t, NULL, "blocks of %d and crops of %d and %d",
				      "blocks of 1 or more and crops of 0 or more for %u elements",
				      blocks[i - 1], crops[2 * i - 2], crops[2 * i - 1],
				      x->dims[i]);
	}
	i = tflite_add_operand(t, &o);
	tflite_emit_to(t, type, i);
	tflite_push(t, i);
	tflite_push_list(t, begin, 4);
	tflite_push_list(t, size, 4);
	tflite_emit_to(t, NNA_OPERATION_SLICE, tflite_output_operand(t, 0));
}
