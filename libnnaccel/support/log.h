/* SPDX-License-Identifier: MIT */
/* Messages to the caller's log. Every folder may include this file. */
#ifndef NNA_LOG_H
#define NNA_LOG_H

#include "nnaccel.h"

/*
 * One line of at most 511 bytes to a log; printf-like. @log may be NULL, and its @line too: then
 * nothing happens. From any thread, as far as @log allows it.
 */
void nna_log_print(const struct nna_log *log, enum nna_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
