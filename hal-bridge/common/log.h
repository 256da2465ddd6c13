/* SPDX-License-Identifier: MIT */
/*
 * Messages of the bridge: one line each on standard error, when NNACCEL_LOG is set and not "0". The
 * last of them are kept for whoever looks into a process that has no standard error.
 */
#ifndef NNB_LOG_H
#define NNB_LOG_H

#include "nnaccel.h"

/* Writes a line; @format without newline. Thread-safe; lines over 511 bytes are cut. */
void nnb_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes the last lines to a descriptor, the oldest first, also those that nobody wanted to see.
 * What cannot be written is lost.
 */
void nnb_log_recent(int fd);

/* For libnnaccel, so that its errors, warnings and information go the same way. */
extern const struct nna_log nnb_log_sink;

#endif
