// SPDX-License-Identifier: MIT
#include "device/ethosu/job.h"

#include <string.h>

#include "device/ethosu/convolution.h"
#include "device/ethosu/dma.h"
#include "device/ethosu/elementwise.h"
#include "hw/ethosu/opcode.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/pool.h"
#include "device/ethosu/resize.h"

#define FETCH_WORDS 512u
#define PAUSE_COMMANDS 1024u /* commands between two pauses */

/**
 * struct fetch - a piece of the stream
 * @words: of it
 * @first: offset of the first, in words
 * @count: of words
 */
struct fetch {
	uint32_t words[FETCH_WORDS];
	uint32_t first;
	uint32_t count;
};

/* Have the command at word @at in @fetch. Return: 0 or a status. */
static uint32_t have(struct ethosu_job *job, struct fetch *fetch, uint32_t at)
{
	uint32_t left = job->size / 4 - at;

	if (at >= fetch->first && at - fetch->first < fetch->count &&
	    (fetch->count - (at - fetch->first) >= 2 || fetch->count - (at - fetch->first) == left))
		return 0;
	fetch->first = at;
	fetch->count = left < FETCH_WORDS ? left : FETCH_WORDS;
	if (nnadev_bus_read(job->machine->bus, job->address + (uint64_t)at * 4, fetch->words,
			    fetch->count * 4))
		return 0;
	fetch->count = 0;
	return ETHOSU_BUS(ETHOSU_CHANNEL_COMMAND);
}

static uint32_t operate(struct ethosu_job *job, uint32_t code, uint32_t mode)
{
	struct ethosu_machine *machine = job->machine;
	struct ethosu_operation op;

	if (!ethosu_operation_take(&op, machine->config, &job->state, job->regions, code, mode))
		return ETHOSU_PARSE;
	if (job->strict)
		ethosu_strict_kernel(job->strict, &job->state, &op);
	switch (code) {
	case ETHOSU_OP_CONV:
	case ETHOSU_OP_DEPTHWISE:
		return ethosu_convolution_run(machine, &op);
	case ETHOSU_OP_POOL:
		return ethosu_pool_run(machine, &op);
	case ETHOSU_OP_ELEMENTWISE:
		return ethosu_elementwise_run(machine, &op);
	default:
		return ethosu_resize_run(machine, &op);
	}
}

/* An operation of one word other than STOP. */
static uint32_t do_short(struct ethosu_job *job, const struct ethosu_command *command)
{
	switch (command->opcode) {
	case ETHOSU_OP_IRQ:
		if (job->interrupt)
			job->interrupt(job->owner, command->parameter);
		return 0;
	case ETHOSU_OP_CONV:
	case ETHOSU_OP_DEPTHWISE:
	case ETHOSU_OP_POOL:
	case ETHOSU_OP_ELEMENTWISE:
	case ETHOSU_OP_RESIZE:
		return operate(job, command->opcode, command->parameter);
	case ETHOSU_OP_DMA_START:
		if (job->strict)
			ethosu_strict_dma(job->strict, &job->state, job->regions);
		return ethosu_dma_run(job->machine, &job->state, job->regions);
	case ETHOSU_OP_DMA_WAIT:
	case ETHOSU_OP_KERNEL_WAIT:
	case ETHOSU_OP_PMU_MASK:
		return 0;
	default:
		return ETHOSU_PARSE;
	}
}

/*
 * An unconditional branch to an offset in the stream. A conditional branch tests the result flag,
 * which no operation of the model sets.
 */
static uint32_t branch(struct ethosu_job *job, const struct ethosu_command *command, uint32_t *at)
{
	if (job->machine->config->generation != ETHOSU_U85 || command->opcode != ETHOSU_OP_BRANCH ||
	    command->payload % 4 || command->payload >= job->size)
		return ETHOSU_PARSE;
	if (!(command->parameter & 1))
		*at = command->payload / 4;
	return 0;
}

uint32_t ethosu_job_run(struct ethosu_job *job)
{
	struct fetch fetch = { .count = 0 };
	uint32_t at = 0, commands = 0, status;

	if (job->strict)
		ethosu_strict_begin(job->strict, job->machine->config);
	for (;;) {
		struct ethosu_command command;

		atomic_store_explicit(&job->read, at * 4, memory_order_relaxed);
		if (at >= job->size / 4)
			return ETHOSU_PARSE;
		status = have(job, &fetch, at);
		if (status)
			return status;
		if (!ethosu_command_decode(&command, &fetch.words[at - fetch.first],
					   fetch.count - (at - fetch.first)))
			return ETHOSU_PARSE;
		if (job->strict)
			ethosu_strict_command(job->strict, &job->state, &command, at * 4);
		at += command.words;
		if (command.sets) {
			status = ethosu_state_set(&job->state, &command) ? 0 : ETHOSU_PARSE;
		} else if (command.words == 2) {
			status = branch(job, &command, &at);
		} else if (command.opcode == ETHOSU_OP_STOP) {
			job->mask = command.parameter;
			atomic_store_explicit(&job->read, at * 4, memory_order_relaxed);
			return 0;
		} else {
			status = do_short(job, &command);
			commands += PAUSE_COMMANDS;
		}
		if (status)
			return status;
		if (++commands >= PAUSE_COMMANDS) {
			commands = 0;
			if (!ethosu_machine_go_on(job->machine))
				return ETHOSU_STOPPED;
		}
	}
}
