// SPDX-License-Identifier: MIT
/*
 * ethosu_run: run a command stream on the device model, in this process.
 *
 *	--config NAME			the configuration, e.g. ethos-u65-256
 *	--threads N			threads of the pool (1)
 *	--repeat N			runs (1); prints the time of each
 *	--stream FILE			the stream's words
 *	--region N:SIZE[=FILE]		memory of region N, which begins with FILE
 *	--write N:OFFSET=FILE		put FILE there before each run
 *	--read N:OFFSET:SIZE=FILE	write what is there after the last run to FILE
 *
 * Exit status: 0 when the stream has reached its end, 1 when it has not: STATUS is printed, 2 for
 * a wrong command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/registers.h"
#include "tests/ethosu/machine.h"

#define ARGUMENTS 64

static void fail(const char *what, const char *argument)
{
	fprintf(stderr, "ethosu_run: %s: %s\n", what, argument);
	exit(2);
}

/* Read a file of at most @size bytes. Return: its bytes. */
static size_t load(const char *path, void *to, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		fail("cannot open", path);
	n = fread(to, 1, size, file);
	if (fgetc(file) != EOF)
		fail("larger than its place", path);
	fclose(file);
	return n;
}

static size_t size_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		fail("cannot open", path);
	fclose(file);
	return (size_t)size;
}

/* Parse numbers with colons between them, then = and a path, or nothing. Return: the path or NULL. */
static const char *numbers(const char *text, uint64_t *values, int count)
{
	const char *at = text;

	for (int i = 0; i < count; i++) {
		char *end;

		values[i] = strtoull(at, &end, 0);
		if (end == at || (i + 1 < count && *end != ':'))
			fail("expected numbers, then =FILE", text);
		at = end + 1;
		if (i + 1 == count && !*end)
			return NULL;
		if (i + 1 == count && *end != '=')
			fail("expected =FILE", text);
	}
	if (values[0] >= ETHOSU_REGIONS)
		fail("regions are 0 to 7", text);
	return at;
}

static uint8_t *place(struct test_ethosu *test, const uint64_t *v, uint64_t size, const char *text)
{
	if (!test->memory[v[0]] || v[1] > test->size[v[0]] || size > test->size[v[0]] - v[1])
		fail("outside of the region", text);
	return test->memory[v[0]] + v[1];
}

static void write_all(struct test_ethosu *test, const char *const *writes, int count)
{
	uint64_t v[2];

	for (int i = 0; i < count; i++) {
		const char *path = numbers(writes[i], v, 2);

		if (!path)
			fail("expected =FILE", writes[i]);
		load(path, place(test, v, size_of(path), writes[i]), size_of(path));
	}
}

int main(int argc, char **argv)
{
	const char *regions[ARGUMENTS], *writes[ARGUMENTS], *reads[ARGUMENTS], *stream = NULL, *path;
	int n_regions = 0, n_writes = 0, n_reads = 0, threads = 1, repeat = 1;
	const struct ethosu_config *config = NULL;
	struct test_ethosu test;
	uint32_t status = 0;
	uint64_t v[3];

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (n_regions == ARGUMENTS || n_writes == ARGUMENTS || n_reads == ARGUMENTS)
			fail("too many arguments", argv[i]);
		if (!strcmp(argv[i], "--config"))
			config = ethosu_config_find(value);
		else if (!strcmp(argv[i], "--threads"))
			threads = atoi(value);
		else if (!strcmp(argv[i], "--repeat"))
			repeat = atoi(value);
		else if (!strcmp(argv[i], "--stream"))
			stream = value;
		else if (!strcmp(argv[i], "--region"))
			regions[n_regions++] = value;
		else if (!strcmp(argv[i], "--write"))
			writes[n_writes++] = value;
		else if (!strcmp(argv[i], "--read"))
			reads[n_reads++] = value;
		else
			fail("unknown option", argv[i]);
	}
	if (!config || !stream || threads < 1 || threads > 64)
		fail("needs", "--config NAME --stream FILE");
	test_ethosu_create(&test, config, (uint32_t)threads);
	for (int i = 0; i < n_regions; i++) {
		path = numbers(regions[i], v, 2);
		if (v[0] >= ETHOSU_REGIONS || test.memory[v[0]])
			fail("regions are 0 to 7, each once", regions[i]);
		test_ethosu_memory(&test, (uint32_t)v[0], v[1]);
		if (path)
			load(path, test.memory[v[0]], v[1]);
	}
	load(stream, test_ethosu_memory(&test, ETHOSU_REGIONS, size_of(stream)), size_of(stream));
	test_ethosu_reset(&test);
	for (int i = 0; i < repeat; i++) {
		uint64_t begin;

		write_all(&test, writes, n_writes);
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
	for (int i = 0; i < n_reads; i++) {
		FILE *file;

		path = numbers(reads[i], v, 3);
		file = path ? fopen(path, "wb") : NULL;
		if (!file || fwrite(place(&test, v, v[2], reads[i]), 1, v[2], file) != v[2] ||
		    fclose(file))
			fail("cannot write", reads[i]);
	}
	test_ethosu_destroy(&test);
	return !(status & ETHOSU_STATUS_END);
}
