// SPDX-License-Identifier: MIT
#include "device/ethosu/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_TILES 65536u
#define PAUSE_NS 10000000u /* tiles run for so long between two pauses */

int ethosu_machine_init(struct ethosu_machine *machine)
{
	machine->isa = nnadev_engine_isa_detect();
	for (uint32_t i = 0; i < machine->threads; i++) {
		machine->scratch[i] = aligned_alloc(64, ETHOSU_SCRATCH_SIZE);
		if (!machine->scratch[i])
			goto fail;
	}
	return 0;
fail:
	ethosu_machine_fini(machine);
	return -ENOMEM;
}

static void drop_chains(struct ethosu_machine *machine)
{
	for (uint32_t i = 0; i < ETHOSU_CHAINS; i++)
		free(machine->chains[i].values);
	memset(machine->chains, 0, sizeof(machine->chains));
}

void ethosu_machine_fini(struct ethosu_machine *machine)
{
	for (uint32_t i = 0; i < machine->threads; i++) {
		free(machine->scratch[i]);
		machine->scratch[i] = NULL;
	}
	drop_chains(machine);
}

void ethosu_machine_reset(struct ethosu_machine *machine)
{
	memset(machine->internal, 0, sizeof(machine->internal));
	drop_chains(machine);
}

uint32_t ethosu_machine_chain(struct ethosu_machine *machine, uint32_t chain, uint32_t height,
			      uint32_t width, uint32_t depth)
{
	struct ethosu_chain *c = &machine->chains[chain];
	uint64_t elements = (uint64_t)height * width;

	if (elements > ETHOSU_CHAIN_ELEMENTS_MAX / depth)
		return ETHOSU_PARSE;
	elements *= depth;
	free(c->values);
	*c = (struct ethosu_chain){ calloc(elements, sizeof(int32_t)), height, width, depth };
	if (c->values)
		return 0;
	*c = (struct ethosu_chain){ 0 };
	return ETHOSU_MEMORY;
}

bool ethosu_machine_go_on(struct ethosu_machine *machine)
{
	return !ethosu_machine_stopped(machine) &&
	       (!machine->pause || machine->pause(machine->owner));
}

/* ---- rounds of tiles ------------------------------------------------------------------------- */

/**
 * struct round - a round of tiles
 * @machine: the machine
 * @grid: the OFM
 * @tile: computes a box
 * @context: handed to it
 * @first: box of tile 0
 * @rows: boxes in a column of the OFM
 * @columns: boxes in a row
 * @layers: boxes in a pixel
 * @until: time of the next pause
 */
struct round {
	struct ethosu_machine *machine;
	const struct ethosu_grid *grid;
	ethosu_tile_fn *tile;
	void *context;
	uint64_t first;
	uint64_t rows;
	uint64_t columns;
	uint64_t layers;
	uint64_t until;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

struct ethosu_grid ethosu_grid_of_rows(const struct ethosu_feature_map *ofm, uint32_t elements)
{
	uint32_t pixels = elements / ofm->depth ? elements / ofm->depth : 1;
	uint32_t width = least(pixels, ofm->width);

	return (struct ethosu_grid){
		ofm->height, ofm->width, ofm->depth, least(pixels / width, ofm->height),
		width, ofm->depth,
	};
}

static uint32_t run_tile(void *context, uint32_t tile, uint32_t thread)
{
	struct round *round = context;
	const struct ethosu_grid *g = round->grid;
	uint64_t n = round->first + tile;
	struct ethosu_box box;
	uint32_t status;

	box.c = (uint32_t)(n % round->layers) * g->box_depth;
	n /= round->layers;
	box.x = (uint32_t)(n % round->columns) * g->box_width;
	box.y = (uint32_t)(n / round->columns) * g->box_height;
	box.height = least(g->box_height, g->height - box.y);
	box.width = least(g->box_width, g->width - box.x);
	box.depth = least(g->box_depth, g->depth - box.c);
	nnadev_bus_enter_thread(round->machine->bus);
	status = ethosu_machine_stopped(round->machine) ? ETHOSU_STOPPED
							: round->tile(round->context, &box, thread);
	if (thread)
		nnadev_bus_enter_thread(NULL);
	return status;
}

static bool stop_round(void *context, uint64_t now)
{
	struct round *round = context;

	return ethosu_machine_stopped(round->machine) || now >= round->until ||
	       nnadev_bus_is_wanted(round->machine->bus);
}

uint32_t ethosu_machine_run(struct ethosu_machine *machine, const struct ethosu_grid *grid,
			    ethosu_tile_fn *tile, void *context)
{
	struct round round = { .machine = machine, .grid = grid, .tile = tile, .context = context };
	struct nnadev_round work = { .run = run_tile, .stop = stop_round, .context = &round };
	struct nnadev_shares shares;
	uint64_t now = nnadev_clock_now(), total;

	round.layers = ((uint64_t)grid->depth + grid->box_depth - 1) / grid->box_depth;
	round.columns = ((uint64_t)grid->width + grid->box_width - 1) / grid->box_width;
	round.rows = ((uint64_t)grid->height + grid->box_height - 1) / grid->box_height;
	total = round.rows * round.columns * round.layers;
	while (round.first < total) {
		uint64_t left = total - round.first;
		uint32_t count = left < ROUND_TILES ? (uint32_t)left : ROUND_TILES;

		nnadev_shares_deal(&shares, machine->threads, count);
		while (nnadev_shares_left(&shares)) {
			uint32_t status;

			round.until = now + PAUSE_NS;
			status = nnadev_workers_run(machine->workers, &work, &shares, &now);

			if (!status && !ethosu_machine_go_on(machine))
				status = ETHOSU_STOPPED;
			if (status)
				return status;
		}
		round.first += count;
	}
	return 0;
}
