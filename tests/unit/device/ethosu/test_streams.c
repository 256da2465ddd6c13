// SPDX-License-Identifier: MIT
/*
 * Streams of the Vela compiler (tests/ethosu/streams), each with what TFLite's kernels give. A file
 * has lines of a keyword and numbers; lines of bytes in hexadecimal, after a tab, belong to the
 * keyword before:
 *
 *	config NAME		the configuration
 *	region N SIZE		memory
 *	put N OFFSET		bytes that a region begins with
 *	stream			words of the stream
 *	expect N OFFSET		bytes that a region has in the end
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/registers.h"
#include "tests/ethosu/machine.h"
#include "tests/must.h"

#define STREAMS "tests/ethosu/streams/*.stream"
#define BYTES_MAX 65536u

/* Bytes of a keyword, where they go and whether they are expected. */
struct part {
	uint8_t bytes[BYTES_MAX];
	uint32_t size;
	unsigned int region, offset;
	enum { NOTHING, PUT, STREAM, EXPECT } kind;
};

static void add_bytes(struct part *part, const char *text)
{
	unsigned int byte;

	for (text++; sscanf(text, "%2x", &byte) == 1; text += 2) {
		must(part->size < BYTES_MAX);
		part->bytes[part->size++] = (uint8_t)byte;
	}
}

/* Do what a part says. Return: whether bytes are as expected. */
static bool end_part(struct test_ethosu *test, struct part *part)
{
	bool same = true;

	if (part->kind == PUT) {
		must(part->offset + part->size <= test->size[part->region]);
		memcpy(test->memory[part->region] + part->offset, part->bytes, part->size);
	} else if (part->kind == STREAM) {
		memcpy(test_ethosu_memory(test, ETHOSU_REGIONS, part->size), part->bytes,
		       part->size);
		test_ethosu_reset(test);
		test_ethosu_start(test);
		same = test_ethosu_wait(test) & ETHOSU_STATUS_END;
	} else if (part->kind == EXPECT) {
		must(part->size && part->offset + part->size <= test->size[part->region]);
		same = !memcmp(test->memory[part->region] + part->offset, part->bytes, part->size);
	}
	part->kind = NOTHING;
	part->size = 0;
	return same;
}

static bool run_file(const char *path, uint32_t threads)
{
	static struct part part;
	static char line[BYTES_MAX];
	FILE *file = fopen(path, "r");
	uint32_t expected = 0, wrong = 0;
	struct test_ethosu test;
	unsigned int n, value;
	char name[64];

	must(file);
	part.kind = NOTHING;
	while (fgets(line, sizeof(line), file)) {
		if (*line == '\t') {
			add_bytes(&part, line);
			continue;
		}
		wrong += !end_part(&test, &part);
		if (sscanf(line, "config %63s", name) == 1) {
			must(ethosu_config_find(name));
			test_ethosu_create(&test, ethosu_config_find(name), threads);
		} else if (sscanf(line, "region %u %u", &n, &value) == 2) {
			test_ethosu_memory(&test, n, value);
		} else if (sscanf(line, "put %u %u", &part.region, &part.offset) == 2) {
			part.kind = PUT;
		} else if (!strcmp(line, "stream\n")) {
			part.kind = STREAM;
		} else if (sscanf(line, "expect %u %u", &part.region, &part.offset) == 2) {
			part.kind = EXPECT;
			expected++;
		} else {
			must(*line == '#');
		}
	}
	wrong += !end_part(&test, &part);
	test_ethosu_destroy(&test);
	fclose(file);
	if (wrong || !expected)
		fprintf(stderr, "%s: %u of its parts are not as expected\n", path, wrong);
	return !wrong && expected;
}

static void run_all(uint32_t threads)
{
	uint32_t wrong = 0;
	glob_t files;

	assert_int_equal(glob(STREAMS, 0, NULL, &files), 0);
	assert_true(files.gl_pathc > 30);
	for (size_t i = 0; i < files.gl_pathc; i++)
		wrong += !run_file(files.gl_pathv[i], threads);
	globfree(&files);
	assert_int_equal(wrong, 0);
}

static void test_streams(void **state)
{
	run_all(1);
}

static void test_threads(void **state)
{
	run_all(3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
