// SPDX-License-Identifier: MIT
/*
 * ethosu_run: run a command stream on the device model, in this process.
 *
 *	--config NAME			the configuration, e.g. ethos-u65-256
 *	--threads N			threads of the pool (1)
 *	--repeat N			runs (1); prints the time of each
 *	--strict on			print what the hardware does not promise
 *
 * and what arguments.h lists.
 *
 * Exit status: 0 when the stream has reached its end, 1 when it has not: STATUS is printed, 2 for
 * a wrong command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/registers.h"
#include "tests/ethosu/arguments.h"
#include "tests/ethosu/machine.h"

int main(int argc, char **argv)
{
	struct ethosu_settings settings = { 0 };
	struct ethosu_arguments a = { .program = "ethosu_run" };
	const struct ethosu_config *config = NULL;
	int threads = 1, repeat = 1;
	struct test_ethosu test;
	uint32_t status = 0;
	size_t size;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--config"))
			config = ethosu_config_find(value);
		else if (!strcmp(argv[i], "--threads"))
			threads = atoi(value);
		else if (!strcmp(argv[i], "--repeat"))
			repeat = atoi(value);
		else if (!strcmp(argv[i], "--strict"))
			settings.strict = !strcmp(value, "on");
		else if (!ethosu_arguments_take(&a, argv[i], value))
			ethosu_arguments_fail(&a, "unknown option", argv[i]);
	}
	if (!config || !a.stream || threads < 1 || threads > 64)
		ethosu_arguments_fail(&a, "needs", "--config NAME --stream FILE");
	test_ethosu_create_with(&test, config, (uint32_t)threads, &settings);
	ethosu_arguments_regions(&a);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		if (a.size[i])
			a.memory[i] = test_ethosu_memory(&test, i, a.size[i]);
	ethosu_arguments_fill(&a);
	size = ethosu_arguments_size_of(&a, a.stream);
	ethosu_arguments_load(&a, a.stream, test_ethosu_memory(&test, ETHOSU_REGIONS, size), size);
	test_ethosu_reset(&test);
	for (int i = 0; i < repeat; i++) {
		uint64_t begin;

		ethosu_arguments_write(&a);
		begin = nnadev_clock_now();
		test_ethosu_start(&test);
		status = test_ethosu_wait(&test);
		if (repeat > 1)
			printf("%.3f ms\n", (double)(nnadev_clock_now() - begin) / 1e6);
		if (!(status & ETHOSU_STATUS_END))
			break;
	}
	if (!(status & ETHOSU_STATUS_END))
		fprintf(stderr, "ethosu_run: STATUS is 0x%08x\n", status);
	ethosu_arguments_read(&a);
	test_ethosu_destroy(&test);
	return !(status & ETHOSU_STATUS_END);
}
