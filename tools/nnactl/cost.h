/* SPDX-License-Identifier: MIT */
/*
 * What a command of a program has to do, by the program's listing, and what that takes at least on
 * a machine of which the peaks are known.
 *
 * The roofline of a command is the time of its multiply-adds at the peak, or that of its bytes at
 * the rate of memory that is as large as its operands, whichever is longer. No kernel comes near it
 * that also requantises. The bound is what a good one takes, as an estimate: a matrix product at 80
 * to 95 % of the peak, a depthwise convolution at a share of its own, exact requantisation of the
 * sums, the bytes if they take longer than all that, and a microsecond for the command itself.
 */
#ifndef NNACTL_COST_H
#define NNACTL_COST_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/nnactl/peaks.h"

/**
 * struct nnactl_cost - what commands have to do
 * @macs: products that are added up; 0 for what is no sum of products
 * @bytes: of the operands that are read or written
 * @requantised: sums of products that become 8-bit numbers
 * @real: the products are of floating-point numbers
 * @depthwise: there is no element of the weights that is used for more than one channel
 */
struct nnactl_cost {
	uint64_t macs, bytes, requantised;
	bool real, depthwise;
};

/* Of one run of a command, as nnactl_listing_get() has it. */
struct nnactl_cost nnactl_cost_of(const json_t *command);

/* The multiply-adds at the peak, in ns; 0 where that is not known. */
double nnactl_cost_at_peak(const struct nnactl_cost *cost, const struct nnactl_peaks *peaks);
/* Likewise, or the bytes, if they take longer. */
double nnactl_cost_roofline(const struct nnactl_cost *cost, const struct nnactl_peaks *peaks);
/* Likewise: between @low, with matrix products at 95 % of the peak, and @high. */
void nnactl_cost_bound(const struct nnactl_cost *cost, const struct nnactl_peaks *peaks,
		       double *low, double *high);

#endif
