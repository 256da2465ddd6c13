// SPDX-License-Identifier: MIT
#include "device/ethosu/byte_output.h"

#include "device/ethosu/engine.h"
#include "device/ethosu/feature_map.h"
#include "device/ethosu/lut.h"

bool ethosu_byte_output_has_rows(const struct ethosu_operation *op)
{
	return op->ofm.bytes == 1 && op->ofm.storage != ETHOSU_NOWHERE && !op->reverse &&
	       !op->transpose;
}

bool ethosu_byte_output_fits(const struct ethosu_machine *machine,
			     const struct ethosu_operation *op)
{
	return ethosu_byte_output_has_rows(op) &&
	       ethosu_engine_has(&op->ofm, op->min) && ethosu_engine_has(&op->ofm, op->max) &&
	       op->min <= op->max &&
	       !(machine->config->generation == ETHOSU_U85 && op->clip & 1) &&
	       !ethosu_lut_is_function(machine->config, op);
}

struct ethosu_byte_output ethosu_byte_output(struct ethosu_machine *machine,
					     const struct ethosu_operation *op)
{
	struct ethosu_byte_output output = {
		.machine = machine,
		.op = op,
		.has_table = ethosu_lut_used(machine->config, op),
	};

	for (uint32_t i = 0; output.has_table && i < 256; i++)
		output.table[i] = (uint8_t)ethosu_lut_apply(
			machine, op, op->ofm.is_signed ? (int8_t)i : (int32_t)i);
	return output;
}

uint32_t ethosu_byte_output_put(const struct ethosu_byte_output *output,
				const struct ethosu_box *box, uint8_t *results)
{
	struct ethosu_port port = ethosu_port(output->machine->bus, ETHOSU_CHANNEL_OFM);
	size_t row = (size_t)box->width * box->depth;
	uint32_t status = 0;

	for (size_t i = 0; output->has_table && i < row * box->height; i++)
		results[i] = output->table[results[i]];
	for (uint32_t y = 0; y < box->height && !status; y++)
		status = ethosu_map_write_bytes(&output->op->ofm, output->machine, &port,
						box->y + y, box->x, box->width, box->c, box->depth,
						results + y * row);
	return status;
}
