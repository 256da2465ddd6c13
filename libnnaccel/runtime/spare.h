/* SPDX-License-Identifier: MIT */
/*
 * Spare contexts: a variant keeps up to four contexts for its next runs, and a watchdog of the
 * device frees those that no run has taken for some seconds. The next run creates a new context.
 *
 * The watchdog is a thread (libnnaccel/support/watchdog.h), started when the first context becomes
 * spare and joined when the device is closed. It skips programs that were compiled for sustained
 * speed, because all of their runs shall take the same time.
 *
 * Locks: the watchdog's lock is taken before a program's lock. No thread waits while it holds
 * either of them.
 */
#ifndef NNA_RUNTIME_SPARE_H
#define NNA_RUNTIME_SPARE_H

#include <stdint.h>

#include "libnnaccel/support/watchdog.h"

struct nna_context;
struct nna_program;
struct nna_variant;

#define NNA_SPARE_NS 5000000000ull

/**
 * struct nna_spares - the watchdog of a device
 * @after_ns: how long a context is spare before it is freed; only tests change it
 * @watchdog: the thread; its lock guards @programs, too
 * @programs: the device's programs, linked by their @next_of_device
 */
struct nna_spares {
	uint64_t after_ns;
	struct nna_watchdog watchdog;
	struct nna_program *programs;
};

void nna_spares_init(struct nna_spares *spares);
/* Ends the thread. The device has no programs any more. */
void nna_spares_fini(struct nna_spares *spares);

/* The watchdog looks after the program's contexts from nna_spares_add() to nna_spares_remove(). */
void nna_spares_add(struct nna_program *program);
void nna_spares_remove(struct nna_program *program);

/* Takes a spare context of the variant, or creates one. nna_spares_put() gives it back. */
int nna_spares_get(struct nna_program *program, struct nna_variant *variant,
		   struct nna_context **out);
/* Makes a context spare, or destroys it if it has no queue or there are enough spare ones. */
void nna_spares_put(struct nna_program *program, struct nna_variant *variant,
		    struct nna_context *context);

#endif
