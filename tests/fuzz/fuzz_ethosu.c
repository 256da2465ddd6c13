// SPDX-License-Identifier: MIT
/*
 * Command streams of an Ethos-U against the device model. An input is a configuration (1 byte; bit
 * 7: without the NNA's engine, bit 6: with the strict checks), what memory is filled with (1 byte),
 * the number of bytes of region 0 (2 bytes, little-endian), these bytes, and the stream.
 *
 * Regions 0 to 3 have memory with a hole behind each; the others have none. Oracles: sanitizers;
 * the limits of memory in tests/fuzz/module.mk; and a limit of the work between two points at which
 * the job can be stopped, and from being stopped to its end (tests/fuzz/work.h).
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "device/ethosu/job.h"
#include "device/ethosu/kernel.h"
#include "tests/fuzz/work.h"
#include "tests/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096u
#define REGIONS 4u
#define REGION_SIZE 65536u
#define STREAM_SIZE 65536u
#define FIRST 0x10000000ull
#define APART 0x10000000ull
#define HEADER 4u
#define WORK_MAX (1ull << 27)	/* between two pauses */
#define WORK_ENOUGH (1ull << 23) /* of a job, which is stopped then */

static struct nnadev_bus bus;
static struct nnadev_workers *workers;
static struct ethosu_machine machines[ETHOSU_CONFIGS];
static uint8_t *memory[REGIONS + 1];
static uint64_t begun, paused;

static uint8_t *map(uint32_t region, uint64_t size)
{
	uint8_t *data = mmap(NULL, size + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(data != MAP_FAILED && !mprotect(data, size, PROT_READ | PROT_WRITE));
	must(!nnadev_bus_map_data(&bus, FIRST + region * APART, size, data));
	return data;
}

static bool pause_job(void *owner)
{
	uint64_t now = work_everywhere();

	must(now - paused < WORK_MAX);
	paused = now;
	return now - begun < WORK_ENOUGH;
}

static const struct nnadev_bus_ops bus_ops = { NULL, NULL };

static void begin(void)
{
	static const struct nnadev_bus_host host;
	static struct nnadev_event knock;

	must(!nnadev_bus_init(&bus, &host));
	must(!nnadev_workers_create(1, 0, &workers));
	nnadev_bus_attach(&bus, &bus_ops, machines, &knock);
	for (uint32_t i = 0; i < REGIONS; i++)
		memory[i] = map(i, REGION_SIZE);
	memory[REGIONS] = map(ETHOSU_REGIONS, STREAM_SIZE);
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		machines[i].config = &ethosu_configs[i];
		machines[i].bus = &bus;
		machines[i].workers = workers;
		machines[i].threads = 1;
		machines[i].pause = pause_job;
		machines[i].kernels = ethosu_kernel_cache_create();
		must(machines[i].kernels && !ethosu_machine_init(&machines[i]));
	}
	nnadev_bus_enter(&bus);
}

static void ignore(void *owner, const char *line)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ethosu_job job;
	static struct ethosu_strict checks = { .report = ignore };
	struct ethosu_machine *machine;
	size_t constants;
	bool strict;

	if (!workers)
		begin();
	if (size < HEADER || size > STREAM_SIZE)
		return 0;
	machine = &machines[data[0] % ETHOSU_CONFIGS];
	machine->scalar = data[0] & 0x80;
	strict = data[0] & 0x40;
	constants = data[2] | (size_t)data[3] << 8;
	for (uint32_t i = 0; i < REGIONS; i++)
		memset(memory[i], data[1] * i, REGION_SIZE);
	data += HEADER;
	size -= HEADER;
	if (constants > size)
		constants = size;
	memcpy(memory[0], data, constants);
	memcpy(memory[REGIONS], data + constants, size - constants);
	memset(&job, 0, sizeof(job));
	job.machine = machine;
	job.strict = strict ? &checks : NULL;
	job.address = FIRST + ETHOSU_REGIONS * APART;
	job.size = (uint32_t)(size - constants);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		job.regions[i] = FIRST + i * APART;
	begun = paused = work_everywhere();
	ethosu_job_run(&job);
	must(work_everywhere() - paused < WORK_MAX);
	ethosu_machine_reset(machine);
	ethosu_kernel_cache_clear(machine->kernels);
	return 0;
}
