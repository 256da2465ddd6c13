/* SPDX-License-Identifier: MIT */
/* What the HAL answers with: errors of libnnaccel as ErrorStatus, and its deadlines as ours. */
#ifndef NNB_STATUS_H
#define NNB_STATUS_H

#include <stdint.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/common/deadline.h"

/* The longest that loops may be allowed to take, and how long they may by default: ns. */
#define NNB_LOOP_MAXIMUM_NS INT64_C(15000000000)
#define NNB_LOOP_DEFAULT_NS INT64_C(2000000000)

/*
 * The ErrorStatus of an errno (negative, or 0). Unlike the C API's results there is none for lack
 * of memory, which is a resource like any other here.
 */
int nnb_status(int error);

/**
 * nnb_status_deadline() - a deadline of the HAL as libnnaccel takes them
 * @deadline_ns: CLOCK_BOOTTIME in ns, -1 for none
 * @monotonic_ns: the same moment in CLOCK_MONOTONIC, 0 for none
 *
 * Return: 0, INVALID_ARGUMENT for other negative ones, MISSED_DEADLINE_PERSISTENT when it has
 * passed.
 */
int nnb_status_deadline(int64_t deadline_ns, uint64_t *monotonic_ns);

/* The ErrorStatus of a miss, see nnb_deadline_result(). */
int nnb_status_missed(const struct nnb_deadline *deadline, uint64_t run_ns);

/*
 * How long loops may take. Return: 0, or INVALID_ARGUMENT for less than -1, which is the default,
 * and for more than the HAL allows.
 */
int nnb_status_loop_limit(int64_t timeout_ns, uint64_t *limit_ns);

#endif
