/* SPDX-License-Identifier: MIT */
/* Messages of the bridge: one line each on standard error, when NNACCEL_LOG is set and not "0". */
#ifndef NNB_LOG_H
#define NNB_LOG_H

#include "nnaccel.h"

void nnb_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as a sink for the library: its errors, warnings and information. */
extern const struct nna_log nnb_log_sink;

#endif
