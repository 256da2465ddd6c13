// SPDX-License-Identifier: MIT
/*
 * SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND move blocks of an image
 * to and from the channels or the batch.
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

/**
 * struct blocks - parameters of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND as if of rank 4
 * @sizes: height and width of a block
 * @edges: paddings or crops: before and after height, before and after width
 */
struct blocks {
	int32_t sizes[2], edges[4];
};

/*
 * NNAPI's operations have rank 4. A tensor [batch, size, depth] is [batch, size, 1, depth], whose
 * blocks are one element wide.
 */
static bool read_blocks(struct tflite_translation *t, struct blocks *b)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	uint32_t count;

	*b = (struct blocks){ .sizes = { 1, 1 } };
	if (!t->ret && x->rank != 3)
		tflite_need_rank(t, x, 4);
	tflite_need_rank(t, tflite_output(t, 0), x->rank);
	if (t->ret)
		return false;
	count = x->rank - 2;
	tflite_exact_ints(t, 1, b->sizes, count, "one for each dimension between batch and depth");
	return tflite_exact_ints(t, 2, b->edges, 2 * count, "two for each block size");
}

/* The dims of @x as those of an image. */
static void describe_image(struct tflite_translation *t, const struct tflite_tensor *x,
			   struct tflite_operand_desc *o)
{
	tflite_describe(t, x, o);
	if (x->rank != 3)
		return;
	o->desc.rank = 4;
	o->dims[3] = o->dims[2];
	o->dims[2] = 1;
}

/* Input 0 as an image. */
static uint32_t image_operand(struct tflite_translation *t)
{
	struct tflite_operand_desc o;
	uint32_t image;

	if (tflite_input(t, 0)->rank != 3)
		return tflite_input_operand(t, 0);
	describe_image(t, tflite_input(t, 0), &o);
	image = tflite_add_operand(t, &o);
	tflite_emit_reshape(t, tflite_input_operand(t, 0), image, &o);
	return image;
}

/* Emits an operation whose result is @o, the output as an image. */
static void finish_image(struct tflite_translation *t, uint32_t type,
			 const struct tflite_operand_desc *o)
{
	if (tflite_output(t, 0)->rank == 3)
		tflite_finish_reshaped(t, type, o);
	else
		tflite_emit_outputs(t, type);
}

void tflite_translate_space_to_batch(struct tflite_translation *t, uint32_t type)
{
	struct tflite_operand_desc o;
	struct blocks b;
	uint32_t image;

	tflite_need(t, 3, 1);
	if (!read_blocks(t, &b))
		return;
	image = image_operand(t);
	tflite_push(t, image);
	tflite_push_list(t, b.sizes, 2);
	tflite_push_pads(t, b.edges, 2);
	describe_image(t, tflite_output(t, 0), &o);
	finish_image(t, type, &o);
}

void tflite_translate_batch_to_space(struct tflite_translation *t, uint32_t type)
{
	int32_t begin[4] = { 0 }, size[4];
	struct tflite_operand_desc in, out, o;
	struct blocks b;
	uint32_t i;

	tflite_need(t, 3, 1);
	if (!read_blocks(t, &b))
		return;
	describe_image(t, tflite_input(t, 0), &in);
	describe_image(t, tflite_output(t, 0), &out);
	i = image_operand(t);
	tflite_push(t, i);
	tflite_push_list(t, b.sizes, 2);
	if (!b.edges[0] && !b.edges[1] && !b.edges[2] && !b.edges[3]) {
		finish_image(t, type, &out);
		return;
	}
	/* NNAPI's operation does not crop: a SLICE crops its result. */
	o = out;
	for (i = 0; i < 4; i++) {
		size[i] = (int32_t)out.dims[i];
		if (i != 1 && i != 2)
			continue;
		begin[i] = b.edges[2 * (i - 1)];
		if (b.sizes[i - 1] < 1 || b.edges[2 * i - 2] < 0 || b.edges[2 * i - 1] < 0 ||
		    __builtin_mul_overflow(in.dims[i], (uint32_t)b.sizes[i - 1], &o.dims[i]))
			tflite_refuse(t, NULL, "blocks of %d and crops of %d and %d",
				      "blocks of 1 or more and crops of 0 or more for %u elements",
				      b.sizes[i - 1], b.edges[2 * i - 2], b.edges[2 * i - 1],
				      in.dims[i]);
	}
	i = tflite_add_operand(t, &o);
	tflite_emit_to(t, type, i);
	tflite_push(t, i);
	tflite_push_list(t, begin, 4);
	tflite_push_list(t, size, 4);
	finish_image(t, NNA_OPERATION_SLICE, &out);
}
