// SPDX-License-Identifier: MIT
#include "device/ethosu/stream.h"

#include "hw/ethosu/opcode.h"

bool ethosu_command_decode(struct ethosu_command *command, const uint32_t *words, uint64_t count)
{
	uint32_t form = (words[0] & 0xffff) >> ETHOSU_WORD_FORM_SHIFT;

	command->opcode = words[0] & ETHOSU_WORD_OPCODE;
	command->parameter = (uint16_t)(words[0] >> 16);
	command->payload = 0;
	command->words = 1;
	if (form > 1)
		return false;
	command->sets = (command->opcode >= 0x100) == (form == 0);
	if (form) {
		if (count < 2)
			return false;
		command->words = 2;
		command->payload = words[1];
	}
	return true;
}

bool ethosu_state_set(struct ethosu_state *state, const struct ethosu_command *command)
{
	if (command->words == 1) {
		if (command->opcode < 0x100 || command->opcode - 0x100u >= ETHOSU_SHORT_CODES)
			return false;
		state->shorts[command->opcode - 0x100] = command->parameter;
		return true;
	}
	if (command->opcode >= ETHOSU_LONG_CODES)
		return false;
	state->params[command->opcode] = command->parameter;
	state->payloads[command->opcode] = command->payload;
	return true;
}
