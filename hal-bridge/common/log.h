/* SPDX-License-Identifier: MIT */
/* Messages of the bridge: one line each on standard error, when NNACCEL_LOG is set and not "0". */
#ifndef NNB_LOG_H
#define NNB_LOG_H

#include "nnaccel.h"

/* Writes a line; @format without newline. Thread-safe; lines over 511 bytes are cut. */
void nnb_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For libnnaccel, so that its errors, warnings and information go the same way. */
extern const struct nna_log nnb_log_sink;

#endif
