/* SPDX-License-Identifier: MIT */
/*
 * How much the device model has computed, in blocks of machine code: what a fuzzer's oracles of
 * time compare, because blocks are the same on a slow or busy machine. tests/fuzz/module.mk
 * compiles the model such that it calls __sanitizer_cov_trace_pc() when it enters a block, and
 * links programs such that the call comes here. In other builds nothing calls: all counts are 0.
 */
#ifndef TEST_FUZZ_WORK_H
#define TEST_FUZZ_WORK_H

#include <stdatomic.h>
#include <stdint.h>

/* Blocks of a thread that others do not see yet. */
#define WORK_PORTION 256u

void __wrap___sanitizer_cov_trace_pc(void);

static _Atomic uint64_t work_of_all;
static _Thread_local uint64_t work_of_thread;
static _Thread_local uint32_t work_portion;

void __wrap___sanitizer_cov_trace_pc(void)
{
	if (++work_portion < WORK_PORTION)
		return;
	work_of_thread += work_portion;
	atomic_fetch_add_explicit(&work_of_all, work_portion, memory_order_relaxed);
	work_portion = 0;
}

/* Blocks of the calling thread so far. */
static inline uint64_t work_here(void)
{
	return work_of_thread + work_portion;
}

/* Blocks of all threads so far. */
static inline uint64_t work_everywhere(void)
{
	return atomic_load_explicit(&work_of_all, memory_order_relaxed);
}

#endif
