/* SPDX-License-Identifier: MIT */
/*
 * One line for all front ends: which part of a model a device runs. A front end logs it as
 * NNA_LOG_INFO; nnactl prints it.
 */
#ifndef NNA_COVERAGE_H
#define NNA_COVERAGE_H

#include <stdint.h>

#define NNA_COVERAGE_SIZE 256

/**
 * nna_coverage_describe() - "29 of 31 operators on /dev/accel/accel0, the others on the CPU"
 * @taken: operators that the device runs, at most @all
 * @device: its name
 * @others: where the others run, "on the CPU"; NULL if nothing runs them
 * @to: NNA_COVERAGE_SIZE bytes for the line
 *
 * Return: @to.
 */
const char *nna_coverage_describe(uint32_t taken, uint32_t all, const char *device,
				  const char *others, char *to);

#endif
