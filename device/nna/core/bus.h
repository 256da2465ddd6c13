/* SPDX-License-Identifier: MIT */
/*
 * What connects the device with the outside, and what all of its parts use: bus memory, interrupts,
 * the log, the counters, and the faults that are to be injected. It knows none of these parts.
 */
#ifndef NNADEV_BUS_H
#define NNADEV_BUS_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/nna/core/memory.h"
#include "device/include/nnadev.h"
#include "hw/gen/nnahw.h"

#define NNADEV_BUS_VECTORS NNAHW_RINGS /* MSI-X vectors */

/* What the registers COUNT_* show. */
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
 * struct nnadev_bus - the outside
 * @params: as given, with the number of threads filled in
 * @lock: registers; held for moments, and never while a callback runs
 * @memory: DMA mappings; changed in the device's gate (cp.h) alone
 * @inject: pending injections, by enum nnadev_inject
 * @counters: registers COUNT_*
 */
struct nnadev_bus {
	struct nnadev_params params;
	pthread_mutex_t lock;
	struct nnadev_memory memory;
	_Atomic uint64_t inject[NNADEV_INJECT_DEAD + 1];
	struct nnadev_counters counters;
};

/* Use up one of the pending injections. Return: whether there was one. */
bool nnadev_bus_injected(struct nnadev_bus *bus, enum nnadev_inject what);

/* Raise an interrupt. */
void nnadev_bus_interrupt(struct nnadev_bus *bus, uint32_t vector);

/* Say something to the log that the parameters name, if they do. */
void nnadev_bus_log(struct nnadev_bus *bus, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void nnadev_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif
