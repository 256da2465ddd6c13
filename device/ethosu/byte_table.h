/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: operations whose results are functions of one byte. Whoever defines the operation
 * computes all 256 results; the elements are looked up.
 */
#ifndef ETHOSU_BYTE_TABLE_H
#define ETHOSU_BYTE_TABLE_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/output.h"

/**
 * struct ethosu_byte_table - such an operation
 * @ifm: its input, of the OFM's size
 * @results: by byte of the input: what the output stage finishes
 */
struct ethosu_byte_table {
	const struct ethosu_feature_map *ifm;
	int64_t results[256];
};

/* Return: the number that byte @i of the input is. */
static inline int32_t ethosu_byte_table_value(const struct ethosu_byte_table *table, uint32_t i)
{
	return table->ifm->is_signed ? (int8_t)i : (int32_t)i;
}

/* Return: whether the input has bytes, and rows of bytes can be written. */
bool ethosu_byte_table_fits(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			    const struct ethosu_feature_map *ifm);

/**
 * ethosu_byte_table_run() - look all elements up
 * @output: the output stage of the operation
 * @table: an operation that fits. The results are finished
 * @done: written: whether finished results are bytes of the OFM's type. If not, nothing is done
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_byte_table_run(struct ethosu_output *output, struct ethosu_byte_table *table,
			       bool *done);

#endif
