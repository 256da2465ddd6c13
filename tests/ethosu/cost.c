// SPDX-License-Identifier: MIT
/*
 * ethosu_cost: what the operations of a command stream cost (device/ethosu/cost.h). Nothing runs.
 *
 *	--config NAME			the configuration, e.g. ethos-u65-256
 *	--stream FILE			words of the stream
 *	--sram all|none			all regions are in SRAM, or in DRAM
 *
 * Without --sram regions that weights, scales and tables come from, and that nothing is written to,
 * are in DRAM; the others are in SRAM.
 *
 * A line for each operation: the offset of its command, its name, products, bytes of SRAM and of
 * DRAM, cycles of the NPU, of SRAM, of DRAM, of all, and when all operations until then have ended.
 * Exit status: 0; 1 for a stream that is
 * none; 2 for a wrong command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/cost.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/stream.h"
#include "hw/ethosu/opcode.h"
#include "tests/ethosu/arguments.h"
#include "tests/must.h"

#define INTERNAL 0x100u

/**
 * struct use - of the regions of a stream: bit sets
 */
struct use {
	uint32_t constants, written;
};

/**
 * struct run - the second walk
 * @memories: by region
 * @clock: time
 */
struct run {
	enum ethosu_memory memories[ETHOSU_REGIONS];
	struct ethosu_clock clock;
};

/* What is done with each operation. */
typedef void visit_fn(const struct ethosu_config *config, const struct ethosu_state *state,
		      const struct ethosu_command *command, uint64_t at, void *context);

static void walk(const struct ethosu_config *config, const uint32_t *words, uint64_t count,
		 visit_fn *visit, void *context)
{
	struct ethosu_state *state = calloc(1, sizeof(*state));

	must(state);
	for (uint64_t at = 0; at < count;) {
		struct ethosu_command command;

		if (!ethosu_command_decode(&command, words + at, count - at) ||
		    (command.sets && !ethosu_state_set(state, &command))) {
			fprintf(stderr, "ethosu_cost: no command at 0x%llx\n",
				(unsigned long long)at * 4);
			exit(1);
		}
		if (!command.sets)
			visit(config, state, &command, at * 4, context);
		at += command.words;
	}
	free(state);
}

static const char *name_of(uint32_t opcode)
{
	switch (opcode) {
	case ETHOSU_OP_CONV:
		return "CONV";
	case ETHOSU_OP_DEPTHWISE:
		return "DEPTHWISE";
	case ETHOSU_OP_POOL:
		return "POOL";
	case ETHOSU_OP_ELEMENTWISE:
		return "ELEMENTWISE";
	case ETHOSU_OP_RESIZE:
		return "RESIZE";
	case ETHOSU_OP_DMA_START:
		return "DMA";
	default:
		return NULL;
	}
}

static uint32_t region_bit(uint64_t address)
{
	return 1u << (address >> ETHOSU_COST_REGION_SHIFT & (ETHOSU_REGIONS - 1));
}

static void take(const struct ethosu_config *config, const struct ethosu_state *state,
		 const struct ethosu_command *command, struct ethosu_operation *op)
{
	uint64_t regions[ETHOSU_REGIONS];

	for (uint64_t i = 0; i < ETHOSU_REGIONS; i++)
		regions[i] = i << ETHOSU_COST_REGION_SHIFT;
	must(ethosu_operation_take(op, config, state, regions, command->opcode,
				   command->parameter));
}

static void note_use(const struct ethosu_config *config, const struct ethosu_state *state,
		     const struct ethosu_command *command, uint64_t at, void *context)
{
	const uint32_t from = ethosu_state_short(state, ETHOSU_SET_DMA_SOURCE_REGION);
	const uint32_t to = ethosu_state_short(state, ETHOSU_SET_DMA_TARGET_REGION);
	struct ethosu_operation op;
	struct use *use = context;

	if (command->opcode == ETHOSU_OP_DMA_START) {
		use->constants |= from & INTERNAL ? 0 : 1u << (from & 7);
		use->written |= to & INTERNAL ? 0 : 1u << (to & 7);
		return;
	}
	if (!name_of(command->opcode))
		return;
	take(config, state, command, &op);
	if (op.ofm.storage == ETHOSU_IN_MEMORY || op.ofm.storage == ETHOSU_IN_COLUMN)
		use->written |= region_bit(op.ofm.base[0]);
	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++)
		use->constants |= op.weights[i].size ? region_bit(op.weights[i].address) : 0;
	use->constants |= op.scales[0].size ? region_bit(op.scales[0].address) : 0;
}

static void print(const struct ethosu_config *config, const struct ethosu_state *state,
		  const struct ethosu_command *command, uint64_t at, void *context)
{
	struct run *run = context;
	struct ethosu_operation op;
	struct ethosu_cost cost;

	switch (command->opcode) {
	case ETHOSU_OP_DMA_WAIT:
		ethosu_clock_wait_dmas(&run->clock, command->parameter);
		return;
	case ETHOSU_OP_KERNEL_WAIT:
		ethosu_clock_wait_kernels(&run->clock, command->parameter);
		return;
	case ETHOSU_OP_DMA_START:
		cost = ethosu_cost_dma(config, state, run->memories);
		ethosu_clock_dma(&run->clock, config, ethosu_cost_cycles(&cost));
		break;
	default:
		if (!name_of(command->opcode))
			return;
		take(config, state, command, &op);
		cost = ethosu_cost_kernel(config, &op, run->memories);
		/* A chained operation runs with the one before. */
		ethosu_clock_kernel(&run->clock, op.ifm.storage == ETHOSU_IN_CHAIN ?
							 0 : ethosu_cost_cycles(&cost));
		break;
	}
	printf("%llu %s %llu %llu %llu %llu %llu %llu %llu %llu\n", (unsigned long long)at,
	       name_of(command->opcode), (unsigned long long)cost.macs,
	       (unsigned long long)cost.bytes[ETHOSU_SRAM],
	       (unsigned long long)cost.bytes[ETHOSU_DRAM], (unsigned long long)cost.npu,
	       (unsigned long long)cost.ports[ETHOSU_SRAM],
	       (unsigned long long)cost.ports[ETHOSU_DRAM],
	       (unsigned long long)ethosu_cost_cycles(&cost),
	       (unsigned long long)ethosu_clock_end(&run->clock));
}

int main(int argc, char **argv)
{
	struct ethosu_arguments a = { .program = "ethosu_cost" };
	const struct ethosu_config *config = NULL;
	struct use use = { 0 };
	struct run run = { 0 };
	const char *sram = "";
	uint32_t *words;
	size_t size;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--config"))
			config = ethosu_config_find(value);
		else if (!strcmp(argv[i], "--sram"))
			sram = value;
		else if (!ethosu_arguments_take(&a, argv[i], value))
			ethosu_arguments_fail(&a, "unknown option", argv[i]);
	}
	if (!config || !a.stream)
		ethosu_arguments_fail(&a, "needs", "--config NAME --stream FILE");
	size = ethosu_arguments_size_of(&a, a.stream);
	words = malloc(size + 1);
	must(words);
	ethosu_arguments_load(&a, a.stream, words, size);
	walk(config, words, size / 4, note_use, &use);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		run.memories[i] = !strcmp(sram, "none") || (strcmp(sram, "all") &&
			      (use.constants & ~use.written) >> i & 1) ? ETHOSU_DRAM : ETHOSU_SRAM;
	walk(config, words, size / 4, print, &run);
	free(words);
	return 0;
}
