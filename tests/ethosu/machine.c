// SPDX-License-Identifier: MIT
#include "tests/ethosu/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/ethosu/registers.h"
#include "device/host/workers.h"

#define PAGE 4096u
#define FIRST 0x10000000ull
#define APART 0x100000000ull

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "ethosu: cannot make %s\n", what);
	exit(2);
}

static void raise_irq(void *user, uint32_t vector)
{
	struct test_ethosu *test = user;

	nnadev_event_raise(&test->raised);
}

static void log_line(void *user, const char *line)
{
	struct test_ethosu *test = user;

	test->reports += strstr(line, ": strict: ") != NULL;
	fprintf(stderr, "%s\n", line);
}

void test_ethosu_create(struct test_ethosu *test, const struct ethosu_config *config,
			uint32_t threads)
{
	test_ethosu_create_with(test, config, threads, &(struct ethosu_settings){ 0 });
}

void test_ethosu_create_with(struct test_ethosu *test, const struct ethosu_config *config,
			     uint32_t threads, const struct ethosu_settings *settings)
{
	struct nnadev_bus_host host = { raise_irq, log_line, test };
	struct nnadev_resources resources = { .bus = &test->bus, .threads = threads };

	*test = (struct test_ethosu){ 0 };
	need(!nnadev_bus_init(&test->bus, &host), "a bus");
	need(!nnadev_workers_create(threads, 0, &test->workers), "threads");
	resources.workers = test->workers;
	need(!ethosu_device_create(config, &resources, settings, &test->device), "a device");
}

static uint64_t mapped(uint64_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

void test_ethosu_destroy(struct test_ethosu *test)
{
	ethosu_device_destroy(test->device);
	nnadev_workers_destroy(test->workers);
	for (uint32_t i = 0; i < TEST_ETHOSU_MEMORIES; i++) {
		if (!test->memory[i])
			continue;
		need(!nnadev_bus_unmap(&test->bus, test->address[i], mapped(test->size[i])),
		     "a hole");
		munmap(test->memory[i], mapped(test->size[i]));
	}
	nnadev_bus_fini(&test->bus);
}

uint8_t *test_ethosu_memory(struct test_ethosu *test, uint32_t region, uint64_t size)
{
	void *memory;

	size = size ? size : 1;
	memory = mmap(NULL, mapped(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	need(memory != MAP_FAILED, "memory");
	test->memory[region] = memory;
	test->size[region] = size;
	test->address[region] = FIRST + region * APART;
	need(!nnadev_bus_map_data(&test->bus, test->address[region], mapped(size), memory),
	     "a mapping");
	return memory;
}

void test_ethosu_reset(struct test_ethosu *test)
{
	ethosu_device_write(test->device, ETHOSU_REG_RESET, ETHOSU_PROT_NONSECURE);
	while (ethosu_device_read(test->device, ETHOSU_REG_STATUS) & ETHOSU_STATUS_RESET)
		;
}

void test_ethosu_start(struct test_ethosu *test)
{
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++) {
		ethosu_device_write(test->device, ETHOSU_REG_BASEP + 8 * i,
				    (uint32_t)test->address[i]);
		ethosu_device_write(test->device, ETHOSU_REG_BASEP + 8 * i + 4,
				    (uint32_t)(test->address[i] >> 32));
	}
	ethosu_device_write(test->device, ETHOSU_REG_QBASE,
			    (uint32_t)test->address[ETHOSU_REGIONS]);
	ethosu_device_write(test->device, ETHOSU_REG_QBASE_HI,
			    (uint32_t)(test->address[ETHOSU_REGIONS] >> 32));
	ethosu_device_write(test->device, ETHOSU_REG_QSIZE, (uint32_t)test->size[ETHOSU_REGIONS]);
	ethosu_device_write(test->device, ETHOSU_REG_CMD, ETHOSU_CMD_RUN);
}

uint32_t test_ethosu_wait(struct test_ethosu *test)
{
	uint32_t status;

	for (;;) {
		uint32_t seq = nnadev_event_read(&test->raised);

		status = ethosu_device_read(test->device, ETHOSU_REG_STATUS);
		if (status & ETHOSU_STATUS_IRQ)
			break;
		nnadev_event_wait(&test->raised, seq, NNADEV_FOREVER);
	}
	ethosu_device_write(test->device, ETHOSU_REG_CMD, ETHOSU_CMD_CLEAR_IRQ);
	return status;
}
