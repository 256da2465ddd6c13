/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the output stage of a tile whose results are bytes, clamped and in the OFM's type: the
 * table of the activation, if there is one, and the way into the OFM.
 */
#ifndef ETHOSU_BYTE_OUTPUT_H
#define ETHOSU_BYTE_OUTPUT_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/**
 * struct ethosu_byte_output - the output stage of an operation
 * @machine: the machine
 * @op: the operation
 * @table: what becomes of each byte
 * @has_table: bytes change
 */
struct ethosu_byte_output {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	uint8_t table[256];
	bool has_table;
};

/* Return: whether rows of bytes can be written to the OFM. */
bool ethosu_byte_output_has_rows(const struct ethosu_operation *op);

/* Return: whether results are clamped to the OFM's type, of one byte, and rows can be written. */
bool ethosu_byte_output_fits(const struct ethosu_machine *machine,
			     const struct ethosu_operation *op);

/* Return: the output stage of an operation that fits, with the table of its activation. */
struct ethosu_byte_output ethosu_byte_output(struct ethosu_machine *machine,
					     const struct ethosu_operation *op);

/* Write the results of @box. Changes them. Return: 0 or a status. */
uint32_t ethosu_byte_output_put(const struct ethosu_byte_output *output,
				const struct ethosu_box *box, uint8_t *results);

#endif
