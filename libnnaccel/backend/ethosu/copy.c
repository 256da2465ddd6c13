// SPDX-License-Identifier: MIT
/*
 * COPY and FILL, of any type: an element is so many bytes, and they pass through a pool of a window
 * of one element. A byte that is to be everywhere is the zero point of a product with 0.
 */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "libnnaccel/backend/ethosu/walk.h"

static bool begin(const struct nna_lower *l, const struct nna_ir_op *op, uint32_t count,
		  struct nna_ethosu_walk *walk)
{
	const struct nna_value *values[2] = { NULL };

	for (uint32_t i = 0; i < count; i++)
		values[i] = &l->values[op->values[i]];
	return nna_ethosu_walk_begin(walk, values, count, 0, true);
}

static int accepts(const struct nna_lower *l, const struct nna_ir_op *op, uint32_t count,
		   char *reason, size_t size)
{
	struct nna_ethosu_walk walk;

	if (begin(l, op, count, &walk))
		return 0;
	return nna_ethosu_refuse(reason, size, "an order of elements that takes more than %u "
				 "commands", NNA_ETHOSU_WALK_PIECES);
}

static int copy_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			const struct nna_ir_op *op, char *reason, size_t size)
{
	return accepts(l, op, 2, reason, size);
}

static int copy_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		     const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	struct nna_ethosu_walk walk;

	if (!begin(l, op, 2, &walk))
		return -ENOTSUP;
	for (uint64_t i = 0; i < walk.pieces; i++) {
		struct nna_ethosu_operation pass;

		nna_ethosu_pass(&pass);
		nna_ethosu_walk_map(&walk, i, 0, &pass.ofm);
		nna_ethosu_walk_map(&walk, i, 1, &pass.ifm);
		nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 1, &pass.ofm);
		nna_ethosu_map_place(l, op->values[NNA_IR_IN], 1, &pass.ifm);
		nna_ethosu_block_choose(target, &pass);
		nna_ethosu_writer_operation(w, &pass);
	}
	return 0;
}

static int fill_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			const struct nna_ir_op *op, char *reason, size_t size)
{
	return accepts(l, op, 1, reason, size);
}

/* All bytes of an element are the same one. */
static bool is_even(uint64_t bits, uint32_t size)
{
	for (uint32_t i = 1; i < size; i++)
		if ((bits >> 8 * i & 0xff) != (bits & 0xff))
			return false;
	return true;
}

static void fill(struct nna_ethosu_writer *w, const struct nna_ethosu_map *map, uint32_t byte)
{
	struct nna_ethosu_operation op = {
		.code = ETHOSU_OP_ELEMENTWISE,
		.mode = NNA_ETHOSU_MUL,
		.ifm = *map,
		.ofm = *map,
		.ifm2 = { .bytes = 1, .height = 1, .width = 1, .depth = 1 },
		.scalar = true,
		.one_scale = true,
		.scale = { .scale = 1 },
		.rounding = NNA_ETHOSU_ROUND_NATURAL,
		.max = UINT8_MAX,
	};

	op.a = op.b = (struct nna_ethosu_scale){ .scale = 1 };
	op.ofm.zero_point = (int32_t)byte;
	nna_ethosu_block_choose(&w->target, &op);
	nna_ethosu_writer_operation(w, &op);
}

static int fill_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		     const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const uint32_t size = nna_type_size(out->type);
	const bool even = is_even(op->fill.bits, size);
	struct nna_value byte = *out;
	const struct nna_value *values[1] = { even ? out : &byte };
	struct nna_ethosu_walk walk;

	/* Else one byte of all elements after the other, as elements of a byte with gaps. */
	byte.type = NNA_TYPE_U8;
	for (uint32_t k = 0; k < byte.rank && !even; k++)
		byte.strides[k] *= (int32_t)size;
	if (!nna_ethosu_walk_begin(&walk, values, 1, 0, true))
		return -ENOTSUP;
	for (uint64_t i = 0; i < walk.pieces; i++) {
		for (uint32_t k = 0; k < (even ? 1 : size); k++) {
			struct nna_ethosu_map map = { 0 };

			nna_ethosu_walk_map(&walk, i, 0, &map);
			nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 1, &map);
			map.offset += k;
			fill(w, &map, op->fill.bits >> 8 * k & 0xff);
		}
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_copy = { copy_accepts, NULL, copy_emit };
const struct nna_ethosu_kind nna_ethosu_fill = { fill_accepts, NULL, fill_emit };
