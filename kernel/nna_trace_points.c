// SPDX-License-Identifier: GPL-2.0-only
/* Defines the tracepoints of nna_trace.h. */

#define CREATE_TRACE_POINTS
#include "nna_trace.h"
