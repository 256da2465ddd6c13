// SPDX-License-Identifier: MIT
/*
 * ethosu_weights: decode the weights of a command stream with the device model, encode them with
 * the library, and compare values and sizes.
 *
 *	--config NAME			the configuration, e.g. ethos-u65-256
 *
 * and what arguments.h lists. Prints a line: the bytes of the stream's weights, the library's bytes
 * of the same, and the operations. Exit status: 0; 1 for weights that do not come back; 2 for a
 * wrong command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/operation.h"
#include "device/ethosu/order.h"
#include "device/ethosu/stream.h"
#include "device/ethosu/weights.h"
#include "hw/ethosu/opcode.h"
#include "libnnaccel/backend/ethosu/weights.h"
#include "tests/ethosu/arguments.h"
#include "tests/must.h"

/**
 * struct sums - of all operations
 */
struct sums {
	uint64_t before, after;
	uint32_t operations;
};

/* Return: bytes of @values as the library writes them. */
static uint32_t encode(const int16_t *values, uint64_t count, bool fast)
{
	int16_t *got = malloc((count + 1) * sizeof(*got));
	uint8_t *bytes = NULL;
	uint32_t size = 0;

	must(got);
	if (nna_ethosu_values_encode(values, count, fast, &bytes, &size)) {
		free(got);
		return UINT32_MAX;
	}
	if (ethosu_weights_decode(bytes, size, fast, got, count, NULL, NULL) != count ||
	    memcmp(got, values, count * sizeof(*got))) {
		fprintf(stderr, "ethosu_weights: %llu values do not come back\n",
			(unsigned long long)count);
		exit(1);
	}
	free(bytes);
	free(got);
	return size;
}

static void recode(const struct ethosu_config *config, const struct ethosu_operation *op,
		   struct sums *sums)
{
	uint64_t counts[ETHOSU_WEIGHT_STREAMS], total = 0;

	sums->operations++;
	for (uint32_t i = 0; i < config->streams; i++) {
		counts[i] = ethosu_order_length(config, op, i, UINT64_MAX, NULL);
		total += counts[i];
	}
	for (uint32_t i = 0; i < config->streams; i++) {
		uint64_t count = op->fast_weights ? total : counts[i];
		int16_t *values = malloc((count + 1) * sizeof(*values));
		uint32_t slices, fast = UINT32_MAX;

		must(values);
		sums->before += op->weights[i].size;
		if (op->weights[i].size) {
			must(ethosu_weights_decode((void *)(uintptr_t)op->weights[i].address,
						   op->weights[i].size, op->fast_weights, values,
						   count, NULL, NULL) == count);
			slices = encode(values, count, false);
			if (config->generation == ETHOSU_U85 && config->streams == 1)
				fast = encode(values, count, true);
			sums->after += fast <= slices ? fast : slices;
		}
		free(values);
	}
}

/* Copies of weights into other memory. */
static void copy(const struct ethosu_state *state, const uint64_t *regions)
{
	uint32_t from = ethosu_state_short(state, ETHOSU_SET_DMA_SOURCE_REGION);
	uint32_t to = ethosu_state_short(state, ETHOSU_SET_DMA_TARGET_REGION);

	if ((from | to) & 0x700)
		return;
	memmove((void *)(uintptr_t)(regions[to & 7] +
				    ethosu_state_address(state, ETHOSU_SET_DMA_TARGET)),
		(void *)(uintptr_t)(regions[from & 7] +
				    ethosu_state_address(state, ETHOSU_SET_DMA_SOURCE)),
		ethosu_state_address(state, ETHOSU_SET_DMA_LENGTH));
}

static void walk(const struct ethosu_config *config, const uint32_t *words, uint64_t count,
		 const uint64_t *regions, struct sums *sums)
{
	static struct ethosu_state state;
	struct ethosu_operation op;

	for (uint64_t at = 0; at < count;) {
		struct ethosu_command command;

		must(ethosu_command_decode(&command, words + at, count - at));
		at += command.words;
		if (command.sets) {
			must(ethosu_state_set(&state, &command));
		} else if (command.opcode == ETHOSU_OP_DMA_START) {
			copy(&state, regions);
		} else if (command.opcode == ETHOSU_OP_CONV ||
			   command.opcode == ETHOSU_OP_DEPTHWISE) {
			must(ethosu_operation_take(&op, config, &state, regions, command.opcode,
						   command.parameter));
			if (command.opcode == ETHOSU_OP_DEPTHWISE || !(op.mode & 1))
				recode(config, &op, sums);
		}
	}
}

int main(int argc, char **argv)
{
	struct ethosu_arguments a = { .program = "ethosu_weights" };
	const struct ethosu_config *config = NULL;
	uint64_t regions[ETHOSU_REGIONS] = { 0 };
	struct sums sums = { 0 };
	uint32_t *words;
	size_t size;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--config"))
			config = ethosu_config_find(value);
		else if (!ethosu_arguments_take(&a, argv[i], value))
			ethosu_arguments_fail(&a, "unknown option", argv[i]);
	}
	if (!config || !a.stream)
		ethosu_arguments_fail(&a, "needs", "--config NAME --stream FILE");
	ethosu_arguments_regions(&a);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++) {
		a.memory[i] = calloc(1, a.size[i] + 1);
		must(a.memory[i]);
		regions[i] = (uintptr_t)a.memory[i];
	}
	ethosu_arguments_fill(&a);
	size = ethosu_arguments_size_of(&a, a.stream);
	words = malloc(size + 1);
	must(words);
	ethosu_arguments_load(&a, a.stream, words, size);
	walk(config, words, size / 4, regions, &sums);
	printf("%llu %llu %u\n", (unsigned long long)sums.before, (unsigned long long)sums.after,
	       sums.operations);
	free(words);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		free(a.memory[i]);
	return 0;
}
