/* SPDX-License-Identifier: MIT */
/*
 * The hardware's commands as data: the description of each opcode (hw/), and command streams as
 * text. Constant, for any thread.
 */
#ifndef NNA_COMMANDS_H
#define NNA_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Gives the size of an opcode's command in bytes, the number of its operands, and the set of the
 * operands that it writes (bit k: operand k). Return: false for an unknown opcode.
 */
bool nna_command_find(uint16_t opcode, uint32_t *size, uint32_t *operands, uint32_t *outputs);
/* Return: the name of an opcode, as "CONV", or "?". */
const char *nna_command_name(uint16_t opcode);

/**
 * nna_command_print() - write one command as text
 * @to: where to
 * @bytes: the rest of the stream from the command on; not trusted
 * @size: bytes of that
 * @at: offset of the command in the stream, to be printed
 * @slot_names: a name for each slot, NULL for numbers
 * @slot_count: entries of @slot_names
 *
 * Return: bytes of the command, or -EINVAL for a malformed one; the text says so.
 */
int nna_command_print(FILE *to, const void *bytes, size_t size, size_t at,
		      const char *const *slot_names, uint32_t slot_count);

/**
 * nna_commands_print() - write a command stream as text
 * @to: where to
 * @stream: the stream with its header; not trusted, anything malformed ends the text with a line
 *	that says so
 * @size: bytes of @stream
 * @slot_names: a name for each slot, NULL for numbers
 * @slot_count: entries of @slot_names
 *
 * Return: 0, -EINVAL (malformed), or -EIO (writing failed).
 */
int nna_commands_print(FILE *to, const void *stream, size_t size, const char *const *slot_names,
		       uint32_t slot_count);

#endif
