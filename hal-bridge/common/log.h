/* SPDX-License-Identifier: MIT */
/*
 * Messages of the bridge: one line each on standard error, for those tags that NNACCEL_LOG in the
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
 * Several stand with commas or spaces between them; "0" is none. A message belongs to the tag of
 * the file that it comes from (log.c). The last lines, whatever their tags, are kept for whoever
 * looks into a process that has no standard error.
 */
#ifndef NNB_LOG_H
#define NNB_LOG_H

#include "nnaccel.h"

/* Writes a line; @format without newline. Thread-safe; lines over 511 bytes are cut. */
#define nnb_log(...) nnb_log_from(__FILE__, __VA_ARGS__)
/* The same as from another file. */
void nnb_log_from(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes the last lines to a descriptor, the oldest first, also those that nobody wanted to see.
 * What cannot be written is lost.
 */
void nnb_log_recent(int fd);

/* For libnnaccel, so that its errors, warnings and information go the same way. */
extern const struct nna_log nnb_log_sink;

#endif
