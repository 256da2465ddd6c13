/* SPDX-License-Identifier: MIT */
/*
 * Messages of front ends, one line each on standard error, selected by tags. NNACCEL_LOG in the
 * environment lists the tags and is read once, unless the program selects them:
 *
 *	model		refused models, operands and operations, with the reason
 *	compilation	compiling, plans and caches
 *	execution	arguments, runs, events
 *	cpuexe		runs that nnapi-reference repeats because the accelerator failed
 *	manager		devices and extensions
 *	driver		libnnaccel, and the HAL
 *	all, 1		all of them
 *
 * Tags are separated by commas or spaces; "0" selects none. A word that is no tag is named in a line,
 * which is always written, as is what a user must not miss. The last lines of all tags are kept in
 * memory, to be read from a process without standard error.
 *
 * libnnaccel itself writes to the log that a caller gives to a device (log.h). nna_message_log is
 * such a log: it makes a message of each line.
 */
#ifndef NNA_MESSAGE_H
#define NNA_MESSAGE_H

#include "nnaccel.h"

/* Tags, in the order above. */
enum nna_message_tag {
	NNA_MESSAGE_MODEL,
	NNA_MESSAGE_COMPILATION,
	NNA_MESSAGE_EXECUTION,
	NNA_MESSAGE_CPUEXE,
	NNA_MESSAGE_MANAGER,
	NNA_MESSAGE_DRIVER,
	NNA_MESSAGE_TAGS,
};

/*
 * Selects tags by a list in NNACCEL_LOG's format, which is not read then. Called before the first
 * message, by a program's main().
 */
void nna_message_select(const char *tags);
/* Writes a line; @format without newline. Thread-safe; lines over 511 bytes are cut. */
void nna_message_print(enum nna_message_tag tag, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As nna_message_print(), but writes the line whatever tags are selected. */
void nna_message_insist(enum nna_message_tag tag, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* nna_message(MODEL, "operand %u ...", i) writes a line with the tag NNA_MESSAGE_MODEL. */
#define nna_message(tag, ...) nna_message_print(NNA_MESSAGE_##tag, __VA_ARGS__)

/* Writes the last lines of all tags to a stream, the oldest first. */
void nna_message_print_recent(FILE *out);

/* For struct nna_device_options: makes messages of a device's lines, with the tag "driver". */
extern const struct nna_log nna_message_log;

#endif
