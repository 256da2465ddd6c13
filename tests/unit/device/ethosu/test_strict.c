// SPDX-License-Identifier: MIT
/*
 * The strict checks: streams of the Vela compiler give no report, and each of their mutants that
 * the hardware may compute wrongly gives one: a wait is dropped, BLOCKDEP is raised, an address is
 * moved by a byte, a bit is set that no field has, a setting is left out, a block is enlarged.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hw/ethosu/opcode.h"
#include "device/ethosu/registers.h"
#include "tests/ethosu/machine.h"
#include "tests/must.h"

#define STREAMS "tests/ethosu/streams/*.stream"
#define WORDS_MAX 16384u
#define BYTES_MAX 16384u
#define LINE_MAX 65536u
#define SET_BLOCKDEP 0x12fu
#define LONG_WORD 0x4000u

/* A stream with its memory: what a file of tests/ethosu/streams says. */
struct program {
	char config[64];
	unsigned int sizes[ETHOSU_REGIONS];
	uint8_t bytes[ETHOSU_REGIONS][BYTES_MAX];
	uint32_t words[WORDS_MAX];
	uint32_t count;
};

static void load(struct program *program, const char *path)
{
	static char line[LINE_MAX];
	FILE *file = fopen(path, "r");
	unsigned int n, size, byte, offset;
	bool stream = false, put = false;
	uint32_t bytes = 0, region = 0;

	must(file);
	memset(program, 0, sizeof(*program));
	while (fgets(line, sizeof(line), file)) {
		if (*line != '\t') {
			stream = !strcmp(line, "stream\n");
			put = sscanf(line, "put %u %u", &region, &offset) == 2;
			sscanf(line, "config %63s", program->config);
			if (sscanf(line, "region %u %u", &n, &size) == 2)
				program->sizes[n] = size;
			continue;
		}
		for (const char *at = line + 1; put && sscanf(at, "%2x", &byte) == 1; at += 2) {
			must(region < ETHOSU_REGIONS && offset < BYTES_MAX);
			program->bytes[region][offset++] = (uint8_t)byte;
		}
		for (const char *at = line + 1; stream && sscanf(at, "%2x", &byte) == 1; at += 2) {
			must(bytes < sizeof(program->words));
			program->words[bytes / 4] |= byte << 8 * (bytes % 4);
			bytes++;
		}
	}
	program->count = bytes / 4;
	fclose(file);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		must(program->sizes[i] <= BYTES_MAX);
}

/* Return: how many reports the stream gives. Its results are nobody's. */
static uint32_t reports_of(const struct program *program)
{
	const struct ethosu_settings settings = { .strict = true };
	struct test_ethosu test;
	uint32_t reports;

	test_ethosu_create_with(&test, ethosu_config_find(program->config), 1, &settings);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		if (program->sizes[i])
			memcpy(test_ethosu_memory(&test, i, program->sizes[i]), program->bytes[i],
			       program->sizes[i]);
	memcpy(test_ethosu_memory(&test, ETHOSU_REGIONS, program->count * 4), program->words,
	       program->count * 4);
	test_ethosu_reset(&test);
	test_ethosu_start(&test);
	test_ethosu_wait(&test);
	reports = test.reports;
	test_ethosu_destroy(&test);
	return reports;
}

static void for_each(void (*check)(const struct program *program, const char *path))
{
	static struct program program;
	glob_t files;

	assert_int_equal(glob(STREAMS, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		load(&program, files.gl_pathv[i]);
		check(&program, files.gl_pathv[i]);
	}
	globfree(&files);
}

static void has_none(const struct program *program, const char *path)
{
	if (reports_of(program))
		fail_msg("%s gives reports", path);
}

static void test_vela(void **state)
{
	for_each(has_none);
}

/* Words of the command at @at. */
static uint32_t length(const struct program *program, uint32_t at)
{
	return program->words[at] & LONG_WORD ? 2 : 1;
}

static uint32_t tried, reported;

/* Try a mutant of each command that @mutate changes. */
static void mutants(const struct program *program, bool (*mutate)(struct program *, uint32_t at))
{
	static struct program mutant;

	for (uint32_t at = 0; at < program->count; at += length(program, at)) {
		mutant = *program;
		if (!mutate(&mutant, at))
			continue;
		tried++;
		reported += reports_of(&mutant) != 0;
	}
}

/* Leave a command of one word out, by one that does nothing. */
static bool drop_dma_wait(struct program *program, uint32_t at)
{
	if ((program->words[at] & 0xffff) != ETHOSU_OP_DMA_WAIT)
		return false;
	program->words[at] = ETHOSU_OP_PMU_MASK;
	return true;
}

/* Of an operation that is not the first: nothing comes before that. */
static bool raise_blockdep(struct program *program, uint32_t at)
{
	bool first = true;

	for (uint32_t i = 0; i < at && first; i += length(program, i))
		first = program->words[i] & LONG_WORD || (program->words[i] & 0x3ff) >= 0x10 ||
			!(program->words[i] & 0x3ff);
	if ((program->words[at] & 0xffff) != SET_BLOCKDEP || program->words[at] >> 16 >= 3 || first)
		return false;
	program->words[at] = SET_BLOCKDEP | (program->words[at] + (1u << 16)) >> 16 << 16;
	return true;
}

static bool move_weights(struct program *program, uint32_t at)
{
	if ((program->words[at] & 0xffff) != (ETHOSU_SET_WEIGHT_BASE | LONG_WORD))
		return false;
	program->words[at + 1] += 4;
	return true;
}

static bool set_a_bit(struct program *program, uint32_t at)
{
	if ((program->words[at] & 0xffff) != ETHOSU_SET_IFM_UPSCALE)
		return false;
	program->words[at] |= 0x10u << 16;
	return true;
}

static bool leave_out(struct program *program, uint32_t at)
{
	uint32_t opcode = program->words[at] & 0xffff;

	if (opcode != ETHOSU_SET_OFM_ZERO_POINT && opcode != ETHOSU_SET_ACTIVATION)
		return false;
	/* The first one only: a later one changes what stands there already. */
	for (uint32_t i = 0; i < at; i += length(program, i))
		if ((program->words[i] & 0xffff) == opcode)
			return false;
	program->words[at] = ETHOSU_OP_PMU_MASK;
	return true;
}

static void all_dma_waits(const struct program *program, const char *path)
{
	mutants(program, drop_dma_wait);
}

static void all_weights(const struct program *program, const char *path)
{
	mutants(program, move_weights);
}

static void all_bits(const struct program *program, const char *path)
{
	mutants(program, set_a_bit);
}

static void all_settings(const struct program *program, const char *path)
{
	mutants(program, leave_out);
}

/* The largest block that there is: no memory holds what it takes. */
static bool enlarge(struct program *program, uint32_t at)
{
	static const uint32_t largest[2][3] = { { 31, 63, 127 }, { 127, 127, 1023 } };
	bool u85 = !strncmp(program->config, "ethos-u85", 9);
	uint32_t code = program->words[at] & 0xffff;
	uint32_t last[3] = { 0 };

	/* A U85's elementwise operations have buffers whose use is not known. */
	if (code != ETHOSU_OP_CONV && code != ETHOSU_OP_DEPTHWISE && code != ETHOSU_OP_POOL &&
	    (u85 || code != ETHOSU_OP_ELEMENTWISE))
		return false;
	for (uint32_t i = 0; i < at; i += length(program, i))
		for (uint32_t k = 0; k < 3; k++) {
			static const uint16_t codes[3] = { ETHOSU_SET_OFM_BLOCK_HEIGHT,
							   ETHOSU_SET_OFM_BLOCK_WIDTH,
							   ETHOSU_SET_OFM_BLOCK_DEPTH };

			if ((program->words[i] & 0xffff) == codes[k])
				last[k] = i;
		}
	for (uint32_t k = 0; k < 3; k++) {
		must(last[k]);
		program->words[last[k]] = (program->words[last[k]] & 0xffff) |
					  largest[u85][k] << 16;
	}
	return true;
}

static void all_blocks(const struct program *program, const char *path)
{
	mutants(program, enlarge);
}

static void all_blockdeps(const struct program *program, const char *path)
{
	mutants(program, raise_blockdep);
}

static void each_is_reported(void (*all)(const struct program *, const char *))
{
	tried = reported = 0;
	for_each(all);
	assert_true(tried > 0);
	assert_int_equal(reported, tried);
}

static void test_blocks(void **state)
{
	each_is_reported(all_blocks);
}

static void test_waits(void **state)
{
	each_is_reported(all_dma_waits);
}

static void test_alignment(void **state)
{
	each_is_reported(all_weights);
}

static void test_bits(void **state)
{
	each_is_reported(all_bits);
}

static void test_settings(void **state)
{
	each_is_reported(all_settings);
}

static void test_blockdep(void **state)
{
	each_is_reported(all_blockdeps);
}

/* A DMA of what an operation writes: @wait is what comes before it. */
static uint32_t reports_of_copy(uint32_t wait)
{
	static struct program program;
	glob_t files;
	uint32_t *at;

	assert_int_equal(glob("tests/ethosu/streams/ethos-u65-256_max_pool*", 0, NULL, &files), 0);
	load(&program, files.gl_pathv[0]);
	globfree(&files);
	at = &program.words[program.count - 1]; /* STOP */
	*at++ = ETHOSU_SET_DMA_SOURCE_REGION | 1u << 16;
	*at++ = ETHOSU_SET_DMA_TARGET_REGION | 1u << 16;
	*at++ = ETHOSU_SET_DMA_SOURCE | LONG_WORD;
	*at++ = 0;
	*at++ = ETHOSU_SET_DMA_TARGET | LONG_WORD;
	*at++ = 0;
	*at++ = ETHOSU_SET_DMA_LENGTH | LONG_WORD;
	*at++ = 16;
	*at++ = wait;
	*at++ = ETHOSU_OP_DMA_START;
	*at++ = ETHOSU_OP_STOP;
	program.count += 10;
	return reports_of(&program);
}

static void test_kernel_wait(void **state)
{
	assert_int_equal(reports_of_copy(ETHOSU_OP_KERNEL_WAIT), 0);
	assert_int_equal(reports_of_copy(ETHOSU_OP_KERNEL_WAIT | 1u << 16), 1);
	assert_int_equal(reports_of_copy(ETHOSU_OP_PMU_MASK), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vela),	  cmocka_unit_test(test_waits),
		cmocka_unit_test(test_alignment), cmocka_unit_test(test_bits),
		cmocka_unit_test(test_settings),  cmocka_unit_test(test_blockdep),
		cmocka_unit_test(test_blocks),	  cmocka_unit_test(test_kernel_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
