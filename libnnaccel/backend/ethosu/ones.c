// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/ones.h"

#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/packed.h"

/* Operands that pack() adds. */
#define STREAMS 2u
#define RECORDS 3u

/* The weights, all of which are one byte: without strides. */
static struct nna_ethosu_weights weights_of(const struct nna_ethosu_target *target,
					    const struct nna_ethosu_operation *o)
{
	static const int8_t one = 1;

	return (struct nna_ethosu_weights){
		.target = target,
		.depthwise = true,
		.ifm_bytes = 1,
		.ofm_depth = o->ofm.depth,
		.ifm_depth = 1,
		.height = o->window.height,
		.width = o->window.width,
		.stride_y = o->window.stride_y,
		.stride_x = o->window.stride_x,
		.dilation_y = 1,
		.dilation_x = 1,
		.block_depth = o->block.depth,
		.microblock = nna_ethosu_block_elements(target, o->block.microblock),
		.is_signed = true,
		.data = &one,
	};
}

bool nna_ethosu_ones_refuses(const struct nna_ethosu_target *target,
			     const struct nna_ethosu_operation *o, char *reason, size_t size)
{
	for (uint32_t i = 0; i < target->streams; i++) {
		const struct nna_ethosu_weights w = weights_of(target, o);

		if (nna_ethosu_order_count(&w, i) > NNA_ETHOSU_VALUES_MAX)
			return nna_ethosu_refuse(reason, size, "%ux%u elements of %u channels are "
						 "too many weights", o->window.height,
						 o->window.width, o->ofm.depth) != 0;
	}
	return false;
}

/* Return: the value of the streams. */
static int64_t add_streams(struct nna_lower *l, const struct nna_ethosu_weights *weights)
{
	struct nna_ethosu_bytes bytes = { 0 };
	int64_t value = nna_ethosu_bytes_add(&bytes, NULL, NNA_ETHOSU_SIZES_SIZE) ?:
			nna_ethosu_packed_add_streams(&bytes, weights, 0);

	if (!value)
		value = nna_ethosu_bytes_constant(l, &bytes);
	free(bytes.data);
	return value;
}

/* Return: the value of the records, which are alike. */
static int64_t add_records(struct nna_lower *l, const struct nna_ethosu_target *target,
			   const struct nna_ethosu_operation *o)
{
	const struct nna_ethosu_record record = {
		.scale = o->scale.scale,
		.shift = o->scale.shift,
	};
	struct nna_ethosu_bytes bytes = { 0 };
	int64_t value = nna_ethosu_bytes_add(&bytes, NULL, nna_ethosu_packed_records_size(
						target, o->ofm.depth, 0));

	for (uint32_t i = 0; i < o->ofm.depth && !value; i++)
		value = nna_ethosu_record_write(target->generation, false, &record,
						bytes.data + (uint64_t)i * NNA_ETHOSU_RECORD_SIZE);
	if (!value)
		value = nna_ethosu_bytes_constant(l, &bytes);
	free(bytes.data);
	return value;
}

int nna_ethosu_ones_pack(struct nna_lower *l, const struct nna_ethosu_target *target,
			 uint32_t index, const struct nna_ethosu_operation *o)
{
	const struct nna_ethosu_weights w = weights_of(target, o);
	int64_t streams, records;

	if (l->ops[index].operand_count > STREAMS)
		return 0;
	streams = add_streams(l, &w);
	records = streams < 0 ? streams : add_records(l, target, o);
	if (records < 0)
		return (int)records;
	l->ops[index].values[STREAMS] = (uint32_t)streams;
	l->ops[index].values[RECORDS] = (uint32_t)records;
	l->ops[index].operand_count = RECORDS + 1;
	return 0;
}

int nna_ethosu_ones_place(const struct nna_lower *l, const struct nna_ethosu_target *target,
			  const struct nna_ir_op *op, struct nna_ethosu_operation *o)
{
	struct nna_ethosu_packed packed = {
		.depth = o->ofm.depth,
		.streams_at = NNA_ETHOSU_SIZES_SIZE,
	};

	if (op->operand_count <= RECORDS)
		return -ENOTSUP;
	packed.streams = &l->values[op->values[STREAMS]];
	packed.records = &l->values[op->values[RECORDS]];
	nna_ethosu_packed_place(l, target, &packed, 0, o);
	return 0;
}
