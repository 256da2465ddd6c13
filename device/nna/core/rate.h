/* SPDX-License-Identifier: MIT */
/* How much work this machine does in a second: register WORK_RATE. */
#ifndef NNADEV_RATE_H
#define NNADEV_RATE_H

#include <stdint.h>

#include "device/nna/engine/engine.h"

/*
 * Measures what one thread does by an instruction set, in about a millisecond of CPU time. Return:
 * work in a second, at least 1; more than the ordinary machine's is cut off, so that all ordinary
 * machines state the same.
 */
uint64_t nnadev_rate_measure(enum nnadev_engine_isa isa);

#endif
