// SPDX-License-Identifier: MIT
/*
 * The work rate (rate.h): a product of matrices and a function of elements are run as the command
 * processor would run them, and the slower one counts, by the work that WORK_RATE says they are.
 * Other commands take longer for their work than these, up to NNADEV_RATE_MARGIN times.
 *
 * The rate decides at compilation which programs may give a fence out, so it should be one number
 * for all machines that can keep it, and less where this CPU, an emulator or a sanitizer is slower.
 */
#include "device/nna/core/rate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The highest rates that are stated; an ordinary machine keeps them, with vectors or without. */
#define NNADEV_RATE_MOST 2000000000u
#define NNADEV_RATE_MOST_SCALAR 250000000u

#define NNADEV_RATE_MARGIN 4u
#define NNADEV_RATE_ROUNDS 3 /* the best one counts: the first one meets cold caches */

#define NNADEV_RATE_SIDE 48u /* of the matrices */
#define NNADEV_RATE_ELEMENTS (NNADEV_RATE_SIDE * NNADEV_RATE_SIDE)

/* As WORK_RATE counts. */
#define NNADEV_RATE_PRODUCT 4u
#define NNADEV_RATE_ELEMENT 16u

/**
 * struct nnadev_rate_probe - a command and its operands
 * @raw: the command, as its stream has it
 * @cmd: the same command as the engine takes it; points to @raw and @data
 * @work: of the command
 * @data: of the operands
 */
struct nnadev_rate_probe {
	_Alignas(64) uint8_t raw[NNAHW_MAX_COMMAND_SIZE];
	struct nnadev_engine_command cmd;
	uint64_t work;
	float data[3][NNADEV_RATE_ELEMENTS];
};

static void begin(struct nnadev_rate_probe *probe, uint32_t opcode, uint32_t size,
		  uint32_t operands)
{
	struct nnahw_command *head = (struct nnahw_command *)probe->raw;

	memset(probe->raw, 0, sizeof(probe->raw));
	memset(&probe->cmd, 0, sizeof(probe->cmd));
	head->opcode = (uint16_t)opcode;
	head->size = size;
	probe->cmd.raw = head;
	probe->cmd.operand_count = operands;
	for (uint32_t i = 0; i < operands; i++)
		probe->cmd.operands[i].desc.slot = NNAHW_SLOT_NONE;
}

/* Operand @index is matrix @matrix. */
static void put(struct nnadev_rate_probe *probe, uint32_t index, uint32_t matrix)
{
	struct nnadev_engine_operand *operand = &probe->cmd.operands[index];

	operand->desc = (struct nnahw_tensor){
		.type = NNAHW_TYPE_F32,
		.rank = 3,
		.dims = {1, NNADEV_RATE_SIDE, NNADEV_RATE_SIDE},
		.strides = {NNADEV_RATE_ELEMENTS, NNADEV_RATE_SIDE, 1},
	};
	operand->data = probe->data[matrix];
	operand->count = NNADEV_RATE_ELEMENTS;
	operand->contiguous = true;
	/* The operands of a command lie behind its head. */
	memcpy(probe->raw + sizeof(struct nnahw_command) + index * sizeof(operand->desc),
	       &operand->desc, sizeof(operand->desc));
	probe->work += (uint64_t)NNADEV_RATE_ELEMENT * NNADEV_RATE_ELEMENTS;
}

static void make_product(struct nnadev_rate_probe *probe)
{
	struct nnahw_cmd_matmul *matmul = (struct nnahw_cmd_matmul *)probe->raw;

	begin(probe, NNAHW_OP_MATMUL, sizeof(*matmul), NNAHW_MATMUL_RESIDUAL + 1);
	probe->work = (uint64_t)NNADEV_RATE_PRODUCT * NNADEV_RATE_ELEMENTS * NNADEV_RATE_SIDE;
	put(probe, NNAHW_MATMUL_OUTPUT, 0);
	put(probe, NNAHW_MATMUL_A, 1);
	put(probe, NNAHW_MATMUL_B, 2);
	matmul->epilogue.clamp_min = -1e9f;
	matmul->epilogue.clamp_max = 1e9f;
}

static void make_function(struct nnadev_rate_probe *probe)
{
	struct nnahw_cmd_ewise *ewise = (struct nnahw_cmd_ewise *)probe->raw;

	begin(probe, NNAHW_OP_EWISE, sizeof(*ewise), NNAHW_EWISE_C + 1);
	probe->work = 0;
	put(probe, NNAHW_EWISE_OUTPUT, 0);
	put(probe, NNAHW_EWISE_A, 1);
	ewise->op = NNAHW_EWISE_EXP;
	ewise->clamp_min = -1e9f;
	ewise->clamp_max = 1e9f;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Runs all tiles of the command. Return: false if the engine does not take it. */
static bool run(enum nnadev_engine_isa isa, const struct nnadev_engine_command *cmd)
{
	struct nnadev_engine_plan plan;
	bool ok = !nnadev_engine_prepare(isa, 1, cmd, &plan);
	void *scratch = ok ? aligned_alloc(64, (plan.scratch_size + 127u) & ~63u) : NULL;
	void *shared = ok ? aligned_alloc(64, (plan.shared_size + 127u) & ~63u) : NULL;

	ok = scratch && shared;
	for (uint32_t p = 0; ok && p < plan.phases; p++) {
		plan.round = 0;
		do {
			for (uint32_t t = 0; ok && t < plan.phase_tiles[p]; t++)
				ok = !plan.run(cmd, &plan, p, t, scratch, shared);
		} while (ok && !nnadev_engine_round_is_last(&plan, p, shared) && ++plan.round);
	}
	free(scratch);
	free(shared);
	return ok;
}

/* Return: work in a second; 0 if it cannot be measured. */
static uint64_t measure(enum nnadev_engine_isa isa, const struct nnadev_rate_probe *probe)
{
	uint64_t best = UINT64_MAX, time;

	for (int i = 0; i < NNADEV_RATE_ROUNDS; i++) {
		time = cpu_ns();
		if (!run(isa, &probe->cmd))
			return 0;
		time = cpu_ns() - time;
		best = time < best ? time : best;
	}
	return probe->work * 1000000000u / (best ? best : 1);
}

uint64_t nnadev_rate_measure(enum nnadev_engine_isa isa)
{
	uint64_t rate = isa <= NNADEV_ENGINE_VECTOR ? NNADEV_RATE_MOST_SCALAR : NNADEV_RATE_MOST;
	struct nnadev_rate_probe *probe = aligned_alloc(_Alignof(struct nnadev_rate_probe),
							sizeof(*probe));
	uint64_t product, function;

	/* Without memory for it the device cannot do anything either. */
	if (!probe)
		return 1;
	for (uint32_t i = 0; i < NNADEV_RATE_ELEMENTS; i++) {
		probe->data[1][i] = 0.001f * (float)i;
		probe->data[2][i] = 0.5f;
	}
	make_product(probe);
	product = measure(isa, probe) / NNADEV_RATE_MARGIN;
	make_function(probe);
	function = measure(isa, probe) / NNADEV_RATE_MARGIN;
	free(probe);
	rate = product < rate ? product : rate;
	rate = function < rate ? function : rate;
	return rate ? rate : 1;
}
