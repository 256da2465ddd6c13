/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: a functional model of Arm's Ethos-U65 and Ethos-U85, as Linux's drivers/accel/ethosu and
 * the Vela compiler know them.
 *
 * The data, from the inside out
 *
 *   config       what a configuration is: generation, multipliers, weight streams, ID registers
 *   stream       the state that a stream sets, and what one word does to it
 *   operation    an operation with all that it takes from the state, in its own units
 *   port         bytes of bus memory, by the channel of the AXI interface that moves them
 *   feature_map  elements of a feature map at (y, x, c): tiles, NHWC and bricks of 16 channels
 *   weights      the compressed weight stream, to 9-bit values
 *   order        which weight of a kernel the n-th value of a stream is
 *   kernel       an operation's weights, decoded and ordered, and the cache that keeps them
 *   rounding     scaling of accumulators
 *   lut          activation tables and the two built-in functions
 *   output       what becomes of an accumulator: scale, zero point, clamp, table, store
 *   byte_convolution
 *                those convolutions of 8 bits that the NNA's engine has kernels for
 *   convolution, pool, elementwise, resize, dma
 *                the operations
 *   machine      what they run on: the bus, the pool of threads, internal memory, chain buffers
 *   block        internal memory that blocks of an operation take
 *   cost         bytes on each port, and cycles, of an operation; nothing of it runs
 *   strict       what a stream does that the hardware does not promise
 *   job          runs a stream on a machine
 *   pmu          performance counters
 *   device       registers, interrupt, the model's thread; models: the tables that nna-device lists
 *
 * A module calls those above it only, and host/; byte_convolution also nna/engine/engine.h. The
 * words of a command stream have their names in hw/ethosu/opcode.h.
 *
 * Order of work: operations run one after the other, each as tiles on the pool of threads. So waits
 * and block dependencies, which order what the hardware overlaps, have nothing to do.
 *
 * Errors: a function that may fail returns 0 or a status of port.h: ETHOSU_BUS(channel),
 * ETHOSU_PARSE, ETHOSU_STOPPED or ETHOSU_MEMORY. A command stream is the guest's: each size,
 * product and address of it is checked where it is used, memory is bounded by constants in the
 * modules, and time by tiles, between which a job can be stopped.
 *
 * What only silicon could tell, and what the model does
 *
 *	accumulators that overflow 32 bits	are not cut
 *	accumulators kept from the operation before (U85)	a parse error
 *	a stream of weights that ends early	a bus error of the weights' channel
 *	reserved encodings, sizes beyond the model's limits	a parse error
 *	strides of 2D and 3D DMA of a U65	gaps between copies
 *	double asymmetric rounding (U85)	natural rounding
 *	an average with a scale and padding (U65)	the quotient is scaled
 *	DIV, LSR, REPLICATE, ARGMAX over rows (U85)	as their names say; no compiler was seen to
 *						use them
 *	the target and the flag of BRANCH (U85)	an offset in the stream; the flag is never set
 *	state after the end of a job		stays until a reset
 *	the order of writes of a job that ends in an error	as tiles were done
 */
#ifndef ETHOSU_CONFIG_H
#define ETHOSU_CONFIG_H

#include <stdint.h>

#define ETHOSU_REGIONS 8u
#define ETHOSU_WEIGHT_STREAMS 4u /* at most */
#define ETHOSU_INTERNAL_MAX 98304u

enum ethosu_generation {
	ETHOSU_U65,
	ETHOSU_U85,
};

/**
 * struct ethosu_config - a configuration
 * @name: names it on the command line
 * @summary: a line for people
 * @generation: which of the two
 * @macs: 8-bit multiplications per cycle
 * @streams: weight streams that a convolution reads: cores of a U65, decoders of a U85
 * @id: register ID
 * @config: register CONFIG
 * @internal: bytes of internal memory that DMA reaches: SHRAM of a U65, table memory of a U85
 * @lut: where tables begin in it
 * @counters: event counters of the PMU
 */
struct ethosu_config {
	const char *name;
	const char *summary;
	enum ethosu_generation generation;
	uint32_t macs;
	uint32_t streams;
	uint32_t id;
	uint32_t config;
	uint32_t internal;
	uint32_t lut;
	uint32_t counters;
};

#define ETHOSU_CONFIGS 7u
extern const struct ethosu_config ethosu_configs[ETHOSU_CONFIGS];

/* The configuration of that name; NULL when there is none. */
const struct ethosu_config *ethosu_config_find(const char *name);

#endif
