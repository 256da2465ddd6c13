/* SPDX-License-Identifier: MIT */
/*
 * An Ethos-U in the calling process: the device model on a bus of plain memory, as a driver would
 * use it. For tests: errors of the set-up end the program.
 *
 * Each region is memory of its own, at a bus address that leaves a hole behind it.
 */
#ifndef TESTS_ETHOSU_MACHINE_H
#define TESTS_ETHOSU_MACHINE_H

#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/device.h"
#include "device/host/bus.h"

#define TEST_ETHOSU_MEMORIES (ETHOSU_REGIONS + 1) /* the last is the stream's */

/**
 * struct test_ethosu - a device with its memory
 * @bus: the bus
 * @workers: the pool of threads
 * @device: the device
 * @raised: an interrupt was raised
 * @reports: lines of the strict checks
 * @memory: per region, and for the stream
 * @size: bytes of each, as asked for
 * @address: bus address of each
 */
struct test_ethosu {
	struct nnadev_bus bus;
	struct nnadev_workers *workers;
	struct ethosu_device *device;
	struct nnadev_event raised;
	uint32_t reports;
	uint8_t *memory[TEST_ETHOSU_MEMORIES];
	uint64_t size[TEST_ETHOSU_MEMORIES];
	uint64_t address[TEST_ETHOSU_MEMORIES];
};

/* Make a device with @threads threads. It prints its log to stderr. */
void test_ethosu_create(struct test_ethosu *test, const struct ethosu_config *config,
			uint32_t threads);
/* The same with settings of the device. */
void test_ethosu_create_with(struct test_ethosu *test, const struct ethosu_config *config,
			     uint32_t threads, const struct ethosu_settings *settings);
void test_ethosu_destroy(struct test_ethosu *test);

/* Give memory @region @size bytes of zeros. Return: the bytes. */
uint8_t *test_ethosu_memory(struct test_ethosu *test, uint32_t region, uint64_t size);

/* Reset the device and wait for the end of the reset. */
void test_ethosu_reset(struct test_ethosu *test);

/* Start the stream, which is memory ETHOSU_REGIONS. */
void test_ethosu_start(struct test_ethosu *test);

/* Wait for the interrupt. Return: STATUS. The interrupt is cleared. */
uint32_t test_ethosu_wait(struct test_ethosu *test);

#endif
