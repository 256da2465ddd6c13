/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the state that a command stream sets, and its commands.
 *
 * State lives from command to command; an operation takes what stands there. After a reset it is
 * all zeros. Only the parser's rules are checked here: what a value means, operation.h says.
 */
#ifndef ETHOSU_STREAM_H
#define ETHOSU_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"

#define ETHOSU_SHORT_CODES 0x100u /* opcodes 0x100 to 0x1ff of one word */
#define ETHOSU_LONG_CODES 0x100u  /* opcodes 0x00 to 0xff of two words */

/**
 * struct ethosu_command - a command
 * @opcode: 0 to 0x3ff
 * @parameter: bits 31:16 of the first word
 * @payload: the second word, 0 if there is none
 * @words: 1 or 2
 * @sets: it sets state; else it is an operation
 */
struct ethosu_command {
	uint16_t opcode;
	uint16_t parameter;
	uint32_t payload;
	uint8_t words;
	bool sets;
};

/**
 * struct ethosu_state - what a stream has set
 * @shorts: parameters, by opcode - 0x100
 * @params: parameters of the settings of two words, by opcode
 * @payloads: their payloads
 */
struct ethosu_state {
	uint16_t shorts[ETHOSU_SHORT_CODES];
	uint16_t params[ETHOSU_LONG_CODES];
	uint32_t payloads[ETHOSU_LONG_CODES];
};

/**
 * ethosu_command_decode() - one command
 * @command: written
 * @words: the words from the command on
 * @count: of @words, at least 1
 *
 * Return: whether it is a command whose words are all there.
 */
bool ethosu_command_decode(struct ethosu_command *command, const uint32_t *words, uint64_t count);

/* Set state, by a command that sets some. Return: whether the opcode is one of a setting. */
bool ethosu_state_set(struct ethosu_state *state, const struct ethosu_command *command);

/**
 * ethosu_state_register() - what the register of a setting holds
 * @state: the state; a stream may be changing it
 * @offset: bytes from the first register of the state on, a multiple of 4, less than 0x400
 *
 * Settings of one word have a register each, the opcodes 0x180 on from 0x100 on. Those of two words
 * have two, payload and parameter, from 0x200 on: eight opcodes of 16; the opcodes 0x80 on from
 * 0x300 on; the opcodes 0x38 on from 0x3c0 on.
 */
uint32_t ethosu_state_register(const struct ethosu_state *state, uint32_t offset);

/* The parameter of a setting of one word. */
static inline uint16_t ethosu_state_short(const struct ethosu_state *state, uint32_t opcode)
{
	return state->shorts[opcode - 0x100];
}

/* Address or length of 40 bits. */
static inline uint64_t ethosu_state_address(const struct ethosu_state *state, uint32_t opcode)
{
	return state->payloads[opcode] | (uint64_t)(state->params[opcode] & 0xff) << 32;
}

/* Stride of 40 bits with a sign. */
static inline int64_t ethosu_state_stride(const struct ethosu_state *state, uint32_t opcode)
{
	return (int64_t)(ethosu_state_address(state, opcode) << 24) >> 24;
}

#endif
