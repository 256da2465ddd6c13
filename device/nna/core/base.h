/* SPDX-License-Identifier: MIT */
/*
 * State that all parts of the NNA share: the bus, the parameters, the lock of the registers, the
 * counters, and pending fault injections. It depends on none of these parts.
 */
#ifndef NNADEV_BASE_H
#define NNADEV_BASE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/host/bus.h"
#include "device/include/nnadev.h"
#include "hw/gen/nnahw.h"

#define NNADEV_BASE_VECTORS NNAHW_RINGS /* MSI-X vectors */

/* The registers COUNT_*. */
struct nnadev_counters {
	_Atomic uint64_t jobs;
	_Atomic uint64_t commands;
	_Atomic uint64_t irqs;
	_Atomic uint64_t mmio_reads;
	_Atomic uint64_t mmio_writes;
	_Atomic uint64_t preemptions;
	_Atomic uint64_t faults;
	_Atomic uint64_t busy;
};

/**
 * struct nnadev_base - state that all parts share
 * @bus: memory, interrupts and the log
 * @params: as given, but @threads is never 0
 * @lock: registers; held for moments, and never while a callback runs
 * @progress: register PROGRESS
 * @inject: pending injections, by enum nnadev_inject
 * @counters: registers COUNT_*
 */
struct nnadev_base {
	struct nnadev_bus *bus;
	struct nnadev_params params;
	pthread_mutex_t lock;
	_Atomic uint64_t progress;
	_Atomic uint64_t inject[NNADEV_INJECT_DEAD + 1];
	struct nnadev_counters counters;
};

/* Use up one of the pending injections. Return: whether there was one. */
bool nnadev_base_injected(struct nnadev_base *base, enum nnadev_inject what);

/* Raise an interrupt and count it, unless it is to be dropped (NNADEV_INJECT_DROP_IRQ). */
void nnadev_base_interrupt(struct nnadev_base *base, uint32_t vector);

static inline void nnadev_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif
