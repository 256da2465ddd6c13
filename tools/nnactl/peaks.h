/* SPDX-License-Identifier: MIT */
/*
 * What this machine can do at most, measured: multiply-adds between registers by the best
 * instructions that the engine has kernels for, exact requantisation of sums, and bytes that are
 * read and written. Each is measured for some milliseconds, by all threads at once, in the time
 * that these have run: what others do on the machine hardly counts.
 */
#ifndef NNACTL_PEAKS_H
#define NNACTL_PEAKS_H

#include <stdint.h>

#define NNACTL_PEAKS_MEMORY 3u

/**
 * struct nnactl_peaks - rates of all threads together, per second
 * @isa: of the instructions; "" where none of this machine are known, and the rates are 0
 * @threads: that were measured
 * @integer: multiply-adds of 8-bit numbers
 * @real: of fp32 numbers
 * @requantised: sums to which a multiplier of 31 bits is applied with a product of 64 bits
 * @memory: bytes that are read or written, in a working set of so many bytes
 */
struct nnactl_peaks {
	char isa[16];
	uint32_t threads;
	double integer, real, requantised;
	struct {
		uint64_t bytes;
		double rate;
	} memory[NNACTL_PEAKS_MEMORY];
};

/* Return: 0, or -ENOMEM or -EAGAIN for threads that there cannot be. */
int nnactl_peaks_measure(uint32_t threads, struct nnactl_peaks *peaks);

#endif
