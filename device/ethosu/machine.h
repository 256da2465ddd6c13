/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: what operations run on.
 *
 * A machine belongs to the thread that runs jobs. Inside an operation the tiles of the pool read
 * it, and write to their own scratch memory, to memory of the bus and to the chain buffer of the
 * operation.
 *
 * An OFM is cut into boxes, one for a tile. Between two rounds of tiles the machine calls @pause,
 * where the owner lets others use the bus and may stop the job.
 */
#ifndef ETHOSU_MACHINE_H
#define ETHOSU_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/port.h"
#include "device/host/workers.h"
#include "device/nna/engine/engine.h"

#define ETHOSU_SCRATCH_SIZE (8u << 20) /* bytes of a thread */
#define ETHOSU_CHAIN_ELEMENTS_MAX (1u << 24)

struct ethosu_kernel_cache;

/**
 * struct ethosu_chain - a chain buffer: the OFM of an operation, for the next ones
 * @values: by row, column and channel
 * @height: of it
 * @width: of it
 * @depth: of it
 */
struct ethosu_chain {
	int32_t *values;
	uint32_t height;
	uint32_t width;
	uint32_t depth;
};

/**
 * struct ethosu_machine - what operations run on
 * @config: the configuration
 * @bus: borrowed
 * @workers: borrowed
 * @threads: of @workers
 * @pause: called between rounds of tiles. Return: false to stop the operation. May be NULL.
 * @owner: handed to it
 * @isa: of the engine, since to ask the CPU takes long in a VM
 * @scalar: leave all operations to their definitions, none to the NNA's engine
 * @stop: tiles are to end: set by any thread
 * @macs: multiplications done, for the PMU
 * @internal: SHRAM, or table memory
 * @chains: chain buffers
 * @scratch: per thread, ETHOSU_SCRATCH_SIZE bytes, 64-byte aligned
 * @kernels: decoded weights; the owner's (kernel.h)
 */
struct ethosu_machine {
	const struct ethosu_config *config;
	struct nnadev_bus *bus;
	struct nnadev_workers *workers;
	uint32_t threads;
	bool (*pause)(void *owner);
	void *owner;
	enum nnadev_engine_isa isa;
	bool scalar;
	_Atomic bool stop;
	uint64_t macs;
	uint8_t internal[ETHOSU_INTERNAL_MAX];
	struct ethosu_chain chains[ETHOSU_CHAINS];
	uint8_t *scratch[NNADEV_WORKERS_MAX];
	struct ethosu_kernel_cache *kernels;
};

/**
 * struct ethosu_box - a part of an OFM
 * @y: first row
 * @x: first column
 * @c: first channel
 * @height: rows
 * @width: columns
 * @depth: channels
 */
struct ethosu_box {
	uint32_t y;
	uint32_t x;
	uint32_t c;
	uint32_t height;
	uint32_t width;
	uint32_t depth;
};

/**
 * struct ethosu_grid - an OFM, and the greatest box of it
 * @height: rows of the OFM
 * @width: columns
 * @depth: channels
 * @box_height: rows of a box
 * @box_width: columns of a box
 * @box_depth: channels of a box
 */
struct ethosu_grid {
	uint32_t height;
	uint32_t width;
	uint32_t depth;
	uint32_t box_height;
	uint32_t box_width;
	uint32_t box_depth;
};

/* Return: boxes of whole pixels, of at most @elements each but of one pixel at least. */
struct ethosu_grid ethosu_grid_of_rows(const struct ethosu_feature_map *ofm, uint32_t elements);

/* Computes @box. Return: 0, or what the operation ends with. */
typedef uint32_t ethosu_tile_fn(void *context, const struct ethosu_box *box, uint32_t thread);

/* Return: 0, or -ENOMEM with nothing made. @machine is zeros but for what is borrowed. */
int ethosu_machine_init(struct ethosu_machine *machine);
void ethosu_machine_fini(struct ethosu_machine *machine);

/* As after power-on: forget internal memory and chain buffers. */
void ethosu_machine_reset(struct ethosu_machine *machine);

/* Run @tile for each box of @grid. Return: 0, or the first status other than 0. */
uint32_t ethosu_machine_run(struct ethosu_machine *machine, const struct ethosu_grid *grid,
			    ethosu_tile_fn *tile, void *context);

/* Make a chain buffer of a size, of zeros. Return: 0 or a status. */
uint32_t ethosu_machine_chain(struct ethosu_machine *machine, uint32_t chain, uint32_t height,
			      uint32_t width, uint32_t depth);

/*
 * Between two pieces of work of the thread itself, with no port in use. Return: whether to go on.
 */
bool ethosu_machine_go_on(struct ethosu_machine *machine);

static inline bool ethosu_machine_stopped(struct ethosu_machine *machine)
{
	return atomic_load_explicit(&machine->stop, memory_order_relaxed);
}

#endif
