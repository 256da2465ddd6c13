/* SPDX-License-Identifier: MIT */
/*
 * Memory that nobody uses: a device's watchdog frees contexts that have been spare for some
 * seconds. The next run makes new ones.
 *
 * It is a thread of the device (libnnaccel/support/watchdog.h), started when the first context
 * becomes spare and joined when the device is closed. It leaves programs alone that were compiled for
 * sustained speed, whose runs shall all take the same time.
 *
 * Locks: the watchdog's is taken before a program's, and held over nothing that waits.
 */
#ifndef NNA_RUNTIME_IDLE_H
#define NNA_RUNTIME_IDLE_H

#include <stdint.h>

#include "libnnaccel/support/watchdog.h"

struct nna_device;
struct nna_program;

#define NNA_IDLE_NS 5000000000ull

/**
 * struct nna_idle - the watchdog of a device
 * @after_ns: how long a context is spare before it is freed; only tests change it
 * @watchdog: the thread; its lock is of @programs, too
 * @programs: of the device, linked by their @next_of_device
 */
struct nna_idle {
	uint64_t after_ns;
	struct nna_watchdog watchdog;
	struct nna_program *programs;
};

void nna_idle_init(struct nna_idle *idle);
/* Ends the thread. There are no programs any more. */
void nna_idle_fini(struct nna_idle *idle);

/* From here on, and until it is removed, contexts of the program are looked after. */
void nna_idle_add(struct nna_program *program);
void nna_idle_remove(struct nna_program *program);

/* A context of @program has become spare; without its lock. */
void nna_idle_watch(struct nna_program *program);

#endif
