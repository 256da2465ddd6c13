// SPDX-License-Identifier: MIT
/*
 * NHCWB16 for maps that only convolutions write and read: bricks of 16 channels, so that a block
 * reads whole bursts of memory. A row has its columns 16 bytes apart, and its bricks one after the
 * other; channels are rounded up to whole bricks.
 *
 * In the ir that is a value [b, h, w, c] of more than 16 channels whose columns are 16 elements
 * apart: nna_ethosu_map_image() knows it by that.
 */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/ethosu.h"

/**
 * struct candidate - a storage
 * @value: that all of its users have, or one like it
 * @fits: it can have bricks
 */
struct candidate {
	uint32_t value;
	bool fits;
};

static bool is_image(const struct nna_lower *l, uint32_t number)
{
	const struct nna_value *v = &l->values[number];

	return v->rank == 4 && nna_type_size(v->type) == 1 && v->dims[2] > 1 &&
	       v->dims[3] > NNA_ETHOSU_BRICK && nna_value_whole(l, v);
}

/* Whether operand @k of an operation may have bricks. */
static bool takes_bricks(const struct nna_lower *l, const struct nna_ir_op *op, uint32_t k)
{
	if (op->kind != NNA_IR_CONV2D || (k != NNA_CONV2D_OUTPUT && k != NNA_CONV2D_INPUT))
		return false;
	/* Of other groups, channels begin within a brick. */
	return op->conv2d.groups == 1 ||
	       (op->conv2d.groups == l->values[op->values[NNA_CONV2D_INPUT]].dims[3] &&
		op->conv2d.groups == l->values[op->values[NNA_CONV2D_OUTPUT]].dims[3]);
}

static void visit(const struct nna_lower *l, struct candidate *candidates)
{
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *op = &l->ops[i];

		for (uint32_t k = 0; !op->dead && k < op->operand_count; k++) {
			const uint32_t number = op->values[k];
			struct candidate *c;

			if (number == NNA_NO_VALUE)
				continue;
			c = &candidates[l->values[number].storage];
			if (c->value == NNA_NO_VALUE)
				c->value = number;
			c->fits &= takes_bricks(l, op, k) && is_image(l, number) &&
				   nna_value_same_dims(&l->values[c->value], &l->values[number]);
		}
	}
}

/* Makes value @number, of storage @s, one of bricks. Return: the new value. */
static int64_t lay_bricks(struct nna_lower *l, uint32_t number)
{
	struct nna_value v = l->values[number];
	const uint64_t deep = (v.dims[3] + NNA_ETHOSU_BRICK - 1) / NNA_ETHOSU_BRICK *
			      NNA_ETHOSU_BRICK;
	const uint64_t row = deep * v.dims[2], image = row * v.dims[1];

	if (image * v.dims[0] > INT32_MAX)
		return number;
	v.strides[0] = (int32_t)image;
	v.strides[1] = (int32_t)row;
	v.strides[2] = NNA_ETHOSU_BRICK;
	l->storages[v.storage].size = image * v.dims[0];
	return nna_value_add(l, &v);
}

int nna_ethosu_layout(struct nna_lower *l)
{
	const uint32_t count = l->storage_count;
	struct candidate *candidates = malloc((count + 1) * sizeof(*candidates));
	int64_t ret = 0;

	if (!candidates)
		return -ENOMEM;
	for (uint32_t s = 0; s < count; s++)
		candidates[s] = (struct candidate){
			NNA_NO_VALUE, l->storages[s].kind == NNA_STORAGE_SCRATCH };
	visit(l, candidates);
	for (uint32_t i = 0; i < l->op_count && ret >= 0; i++)
		for (uint32_t k = 0; k < l->ops[i].operand_count && ret >= 0; k++) {
			const uint32_t number = l->ops[i].values[k];
			const struct candidate *c;

			if (l->ops[i].dead || number == NNA_NO_VALUE)
				continue;
			c = &candidates[l->values[number].storage];
			if (!c->fits)
				continue;
			ret = lay_bricks(l, number);
			if (ret >= 0)
				l->ops[i].values[k] = (uint32_t)ret;
		}
	free(candidates);
	return ret < 0 ? (int)ret : 0;
}
