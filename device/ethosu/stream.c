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

/* Registers show the state to other threads. */
bool ethosu_state_set(struct ethosu_state *state, const struct ethosu_command *command)
{
	if (command->words == 1) {
		if (command->opcode < 0x100 || command->opcode - 0x100u >= ETHOSU_SHORT_CODES)
			return false;
		__atomic_store_n(&state->shorts[command->opcode - 0x100], command->parameter,
				 __ATOMIC_RELAXED);
		return true;
	}
	if (command->opcode >= ETHOSU_LONG_CODES)
		return false;
	__atomic_store_n(&state->params[command->opcode], command->parameter, __ATOMIC_RELAXED);
	__atomic_store_n(&state->payloads[command->opcode], command->payload, __ATOMIC_RELAXED);
	return true;
}

uint32_t ethosu_state_register(const struct ethosu_state *state, uint32_t offset)
{
	uint32_t upper = (offset >> 8 & 1) * 0x80, code;

	if (offset < 0x200) {
		code = upper + (offset >> 2 & 0x3f);
		return __atomic_load_n(&state->shorts[code], __ATOMIC_RELAXED);
	}
	code = upper + (offset >> 6 & 3) * 0x10 + (offset >> 3 & 7);
	if (offset >= 0x3c0)
		code = 0x38 + (offset >> 3 & 7);
	if (offset & 4)
		return __atomic_load_n(&state->params[code], __ATOMIC_RELAXED);
	return __atomic_load_n(&state->payloads[code], __ATOMIC_RELAXED);
}
