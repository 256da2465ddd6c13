/* SPDX-License-Identifier: MIT */
/*
 * Messages of front ends: one line each on standard error, for those tags that NNACCEL_LOG in the
 * environment names, which is read once:
 *
 *	model		models, operands and operations that are refused, and why
 *	compilation	compiling, plans and caches
 *	execution	arguments, runs, events
 *	cpuexe		what nnapi-reference computes because the accelerator failed
 *	manager		devices and extensions
 *	driver		libnnaccel, and the HAL
 *	all, 1		all of them
 *
 * Several stand with commas or spaces between them; "0" is none. The last lines, whatever their
 * tags, are kept for whoever looks into a process that has no standard error.
 *
 * libnnaccel itself writes to the log that its caller has given to a device (log.h). nna_message_log
 * is such a log: it makes a message of each line.
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

/* Writes a line; @format without newline. Thread-safe; lines over 511 bytes are cut. */
void nna_message_print(enum nna_message_tag tag, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, with a tag by its short name: nna_message(MODEL, "operand %u ...", i). */
#define nna_message(tag, ...) nna_message_print(NNA_MESSAGE_##tag, __VA_ARGS__)

/*
 * Writes the last lines to a descriptor, the oldest first, also those that nobody wanted to see.
 * What cannot be written is lost.
 */
void nna_message_print_recent(int fd);

/* For struct nna_device_options: the device's errors, warnings and information, tagged "driver". */
extern const struct nna_log nna_message_log;

#endif
