/* SPDX-License-Identifier: MIT */
/*
 * The hardware's commands as data: what the description says about each opcode. Constant, for any
 * thread.
 */
#ifndef NNA_COMMANDS_H
#define NNA_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Bytes and operands of an opcode's command, and the bit set of those that it writes; false for an
 * unknown one.
 */
bool nna_command_find(uint16_t opcode, uint32_t *size, uint32_t *operands, uint32_t *outputs);
/* "CONV", or "?". */
const char *nna_command_name(uint16_t opcode);

/**
 * nna_command_print() - one command as text
 * @bytes: the command, @size bytes or less
 * @at: its offset in the stream, for people
 *
 * Return: its size, or -EINVAL (malformed), which has been said.
 */
int nna_command_print(FILE *to, const void *bytes, size_t size, size_t at,
		      const char *const *slot_names, uint32_t slot_count);

/**
 * nna_commands_print() - a command stream as text
 * @stream: @size bytes with their header; checked, anything malformed ends the text with a line
 *	that says so
 * @slot_names: one per slot, NULL for numbers
 *
 * Return: 0, -EINVAL (malformed), or -EIO (writing failed).
 */
int nna_commands_print(FILE *to, const void *stream, size_t size, const char *const *slot_names,
		       uint32_t slot_count);

#endif
