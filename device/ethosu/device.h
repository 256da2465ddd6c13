/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the device: registers, interrupt, and the thread that runs jobs.
 *
 * Data and locks
 *
 *   lock   registers and what they say of the job; held for moments
 *   gate   of the bus (host/bus.h): the thread is inside while it runs a job, and lets others in
 *          between two rounds of tiles
 *
 * Threads: the transport's reads and writes registers; the device's own runs jobs and resets; the
 * pool's threads run tiles.
 *
 * A write of RUN wakes the device's thread. A write of RESET asks it to end the job, and everything
 * else of a reset happens at once; STATUS shows the reset until the thread has done its part. What
 * ends a job writes to memory no more once STATUS shows no reset.
 *
 * A driver takes a device whose QREAD does not move for a hung one. The hardware reads ahead of the
 * operation that it does, so QREAD moves with time within an operation, up to ETHOSU_JOB_LIMIT_NS
 * from the job's begin on; a job that takes longer stands still until a reset.
 */
#ifndef ETHOSU_DEVICE_H
#define ETHOSU_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/model.h"

#define ETHOSU_JOB_LIMIT_NS 60000000000ull
#define ETHOSU_QREAD_STEP_NS 20000000ull

/* Faults that can be injected. */
enum ethosu_inject {
	ETHOSU_INJECT_HANG,
	ETHOSU_INJECT_DROP_IRQ,
	ETHOSU_INJECT_BUS_ERROR,
	ETHOSU_INJECT_PARSE_ERROR,
	ETHOSU_INJECT_SLOW_NS,
	ETHOSU_INJECT_REFUSE_RESET,
	ETHOSU_INJECTIONS,
};

struct ethosu_device;

/**
 * struct ethosu_settings - how a device is made; all zeros is the default
 * @strict: log what strict.h finds in streams
 */
struct ethosu_settings {
	bool strict;
};

/* See struct nnadev_model for all of these. */
int ethosu_device_create(const struct ethosu_config *config,
			 const struct nnadev_resources *resources,
			 const struct ethosu_settings *settings, struct ethosu_device **out);
void ethosu_device_destroy(struct ethosu_device *device);
uint32_t ethosu_device_read(struct ethosu_device *device, uint32_t offset);
void ethosu_device_write(struct ethosu_device *device, uint32_t offset, uint32_t value);
void ethosu_device_reset(struct ethosu_device *device);
void ethosu_device_inject(struct ethosu_device *device, enum ethosu_inject what, uint64_t value);
const struct ethosu_config *ethosu_device_config(const struct ethosu_device *device);

#endif
