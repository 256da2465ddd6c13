// SPDX-License-Identifier: MIT
/*
 * The backend of an accelerator that reads its program as text. It does convolutions without groups
 * or one group per channel, sums and products of two values, and copies; everything else it
 * refuses. It has no weights of its own layout and fuses bounds only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/backend.h"

static int refuse(char *reason, size_t size, const char *text, const char *what)
{
	snprintf(reason, size, "%s%s", text, what);
	return -ENOTSUP;
}

static int print_accepts(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
			 size_t size)
{
	uint32_t channels;

	switch (op->kind) {
	case NNA_IR_CONV2D:
		channels = l->values[op->values[NNA_CONV2D_INPUT]].dims[3];
		if (op->conv2d.groups != 1 && op->conv2d.groups != channels)
			return refuse(reason, size, "groups of several channels", "");
		return 0;
	case NNA_IR_BINARY:
		if (op->elementwise.function != NNA_FN_ADD &&
		    op->elementwise.function != NNA_FN_MUL)
			return refuse(reason, size, "only sums and products", "");
		return 0;
	case NNA_IR_COPY:
		return 0;
	default:
		return refuse(reason, size, "there is no command for ", nna_ir_kind_name(op->kind));
	}
}

static bool print_can_fuse(const struct nna_lower *l, const struct nna_ir_op *first,
			   const struct nna_ir_op *second)
{
	return second->kind == NNA_IR_CLAMP && first->kind == NNA_IR_CONV2D;
}

static uint32_t print_in_place(const struct nna_ir_op *op)
{
	return 0;
}

static int print_select(struct nna_lower *l)
{
	return 0;
}

static void print_value(FILE *to, const struct nna_lower *l, uint32_t number)
{
	const struct nna_value *v;

	if (number == NNA_NO_VALUE) {
		fprintf(to, " -");
		return;
	}
	v = &l->values[number];
	fprintf(to, " %u:%llu[", l->storages[v->storage].slot,
		(unsigned long long)(l->storages[v->storage].offset + v->offset));
	for (uint32_t k = 0; k < v->rank; k++)
		fprintf(to, "%s%u/%d", k ? "," : "", v->dims[k], v->strides[k]);
	fprintf(to, "]*%g%+d", (double)v->scale, v->zero_point);
}

static int print_emit(const struct nna_lower *l, struct nna_stream *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	*out = (struct nna_stream){ 0 };
	if (!to)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *op = &l->ops[i];

		if (op->dead)
			continue;
		fprintf(to, "%s", nna_ir_kind_name(op->kind));
		if (op->kind == NNA_IR_CONV2D)
			fprintf(to, " groups %u stride %u,%u pad %u,%u within %d,%d",
				op->conv2d.groups, op->conv2d.stride_h, op->conv2d.stride_w,
				op->conv2d.pad_top, op->conv2d.pad_left, op->bounds.q_min,
				op->bounds.q_max);
		for (uint32_t k = 0; k < op->operand_count; k++)
			print_value(to, l, op->values[k]);
		fprintf(to, "\n");
		out->commands++;
	}
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	out->bytes = (uint8_t *)text;
	out->size = (uint32_t)size;
	return 0;
}

static int print_print(FILE *to, const void *stream, size_t size, const char *const *slot_names,
		       uint32_t slot_count)
{
	for (uint32_t i = 0; i < slot_count; i++)
		fprintf(to, "area %u: %s\n", i, slot_names[i]);
	return fwrite(stream, 1, size, to) == size ? 0 : -EIO;
}

extern const struct nna_backend nna_backend_print;
const struct nna_backend nna_backend_print = {
	.name = "print",
	.accepts = print_accepts,
	.can_fuse = print_can_fuse,
	.in_place = print_in_place,
	.select = print_select,
	.emit = print_emit,
	.print = print_print,
};
