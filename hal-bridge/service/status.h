/* SPDX-License-Identifier: MIT */
/* Converts errors of libnnaccel to ErrorStatus, and deadlines of the HAL to the library's. */
#ifndef NNB_STATUS_H
#define NNB_STATUS_H

#include <stdint.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/common/deadline.h"

/* The longest time limit of loops, and the default, in ns. */
#define NNB_LOOP_MAXIMUM_NS INT64_C(15000000000)
#define NNB_LOOP_DEFAULT_NS INT64_C(2000000000)

/*
 * Return: the ErrorStatus of an errno (negative, or 0). The HAL has no separate status for lack of
 * memory: memory is a resource like any other.
 */
int nnb_status(int error);

/* Return: CLOCK_BOOTTIME in ns, which deadlines of the HAL are told in. */
int64_t nnb_status_now(void);

/**
 * nnb_status_deadline() - convert a deadline of the HAL to the library's
 * @deadline_ns: CLOCK_BOOTTIME in ns, -1 for none
 * @monotonic_ns: the same moment in CLOCK_MONOTONIC, 0 for none
 *
 * Return: 0, INVALID_ARGUMENT for other negative values, MISSED_DEADLINE_PERSISTENT if it has
 * passed.
 */
int nnb_status_deadline(int64_t deadline_ns, uint64_t *monotonic_ns);

/* Return: the ErrorStatus of a missed deadline, see nnb_deadline_result(). */
int nnb_status_missed(const struct nnb_deadline *deadline, uint64_t run_ns);

/*
 * Converts the time limit of loops, where -1 is the default. Return: 0, or INVALID_ARGUMENT for
 * less than -1 and for more than the HAL allows.
 */
int nnb_status_loop_limit(int64_t timeout_ns, uint64_t *limit_ns);

#endif
