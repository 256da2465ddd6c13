// SPDX-License-Identifier: MIT
#include "device/ethosu/byte_table.h"

#include "device/ethosu/byte_output.h"
#include "device/ethosu/engine.h"
#include "device/ethosu/feature_map.h"

#define BOX_MAX 65536u /* elements of a tile */

/**
 * struct look_up - an operation while it runs
 * @output: its output stage, with the table
 * @ifm: its input
 */
struct look_up {
	struct ethosu_byte_output output;
	const struct ethosu_feature_map *ifm;
};

bool ethosu_byte_table_fits(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			    const struct ethosu_feature_map *ifm)
{
	return !machine->scalar && ethosu_byte_output_has_rows(op) &&
	       ethosu_map_has_bytes(ifm, machine);
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct look_up *l = context;
	struct ethosu_machine *machine = l->output.machine;
	struct ethosu_port port = ethosu_port(machine->bus, ETHOSU_CHANNEL_IFM);
	size_t row = (size_t)box->width * box->depth;
	uint8_t *bytes = machine->scratch[thread];

	for (uint32_t y = 0; y < box->height; y++) {
		uint32_t status = ethosu_map_read_bytes(l->ifm, machine, &port, box->y + y, box->x,
							box->width, box->c, box->depth,
							bytes + y * row);

		if (status)
			return status;
	}
	return ethosu_byte_output_put(&l->output, box, bytes);
}

uint32_t ethosu_byte_table_run(struct ethosu_output *output, struct ethosu_byte_table *table,
			       bool *done)
{
	const struct ethosu_operation *op = output->op;
	struct look_up l = {
		.output = { .machine = output->machine, .op = op, .has_table = true },
		.ifm = table->ifm,
	};
	struct ethosu_grid grid = ethosu_grid_of_rows(&op->ofm, BOX_MAX);

	*done = false;
	ethosu_output_finish(output, 0, 256, table->results);
	for (uint32_t i = 0; i < 256; i++) {
		if (table->results[i] != (int32_t)table->results[i] ||
		    !ethosu_engine_has(&op->ofm, (int32_t)table->results[i]))
			return 0;
		l.output.table[i] = (uint8_t)table->results[i];
	}
	*done = true;
	return ethosu_machine_run(output->machine, &grid, run_box, &l);
}
