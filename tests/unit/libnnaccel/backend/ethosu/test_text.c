// SPDX-License-Identifier: MIT
/* Streams as text: committed ones of both generations, and words that no compiler writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/backend/ethosu/text.h"
#include "tests/unit/libnnaccel/backend/ethosu/stream_file.h"

/* All lines of words. */
static char *text_of(const void *bytes, size_t size, enum nna_ethosu_generation generation)
{
	struct nna_ethosu_stream stream = { .words = malloc(size), .count = (uint32_t)size / 4 };
	struct nna_ethosu_text text;
	char line[NNA_ETHOSU_LINE_SIZE], *all = NULL;
	size_t length;
	FILE *to = open_memstream(&all, &length);

	must(stream.words && to);
	memcpy(stream.words, bytes, size);
	nna_ethosu_text_begin(&text, &stream, generation);
	while (nna_ethosu_text_next(&text, line))
		fprintf(to, "%s\n", line);
	fclose(to);
	free(stream.words);
	return all;
}

static void expect(const char *all, const char *line)
{
	if (!strstr(all, line))
		fail_msg("no line '%s' in\n%s", line, all);
}

/* Each command has a name of the list. */
static void expect_names(const char *all)
{
	if (strstr(all, "opcode 0x") || strstr(all, "no command"))
		fail_msg("a command without a name in\n%s", all);
}

static void test_u65(void **state)
{
	static struct stream_file file;
	char *all;

	(void)state;
	stream_file_read(&file, "ethos-u65-256_conv_2d_int8_0");
	all = text_of(file.bytes, file.size, NNA_ETHOSU_U65);
	expect_names(all);
	expect(all, "PARALLEL_MODE        0\n");
	expect(all, "IFM_PRECISION        s8 nhwc\n");
	expect(all, "  CONV                 1:0x150 s8 depth 5 -> 1:0x0 7x6x8 s8, kernel 3x2 stride 1x1 "
		    "part-kernel, pad 1 0 1 1, block 8x6x8, weights 0:0x50+336, scales 0:0x0+80\n");
	expect(all, "  STOP                 65535\n");
	free(all);
}

static void test_u85(void **state)
{
	static struct stream_file file;
	char *all;

	(void)state;
	stream_file_read(&file, "ethos-u85-256_select_int8_0");
	all = text_of(file.bytes, file.size, NNA_ETHOSU_U85);
	expect_names(all);
	expect(all, "  ELEMENTWISE          and 1:0x0 s8, 1:0x140 s8 -> chain 0 1x4x80 s8, "
		    "block 1x26x80\n");
	free(all);
	stream_file_read(&file, "ethos-u85-256_resize_bilinear-12_int8_0");
	all = text_of(file.bytes, file.size, NNA_ETHOSU_U85);
	expect_names(all);
	expect(all, "  RESIZE               bilinear ");
	free(all);
}

/* Each kind of number. */
static void test_numbers(void **state)
{
	static const uint32_t words[] = {
		0x000f0115, 0x00070116, 0x00070117,	    /* OFM block 8 x 16 x 8 */
		0x00024000, 0x00000010,			    /* IFM_BASE0, bits 39:32 */
		0x00ff4005, 0xfffffff0,			    /* IFM_STRIDE_Y, negative */
		0xff800109,				    /* IFM_ZERO_POINT */
		0x02050122,				    /* strides */
		0x031d4024, 0x40000000,			    /* OFM_SCALE */
		0x01000130, 0x00010131,			    /* DMA from inside to region 1 */
		0x00004031, 0x00000100, 0x00004032, 0x40,   /* to 0x100, 64 bytes */
		0x00000010,				    /* DMA_START */
		0x00004092, 0x20,			    /* another name for each generation */
		0x00000150,				    /* in no list */
		0x0000c000,				    /* no command */
		0xffff0000,				    /* STOP */
	};
	char *all;

	(void)state;
	all = text_of(words, sizeof(words), NNA_ETHOSU_UNKNOWN);
	expect(all, "000000  OFM_BLOCK_WIDTH      16\n");
	expect(all, "00000c  IFM_BASE0            0x200000010\n");
	expect(all, "000014  IFM_STRIDE_Y         -16\n");
	expect(all, "IFM_ZERO_POINT       -128\n");
	expect(all, "KERNEL_STRIDE        3x2 part-kernel\n");
	expect(all, "OFM_SCALE            1073741824 shift 29 (0x031d)\n");
	expect(all, "DMA_SOURCE_REGION    internal\n");
	expect(all, "DMA_START            internal:0x0 -> 1:0x100, 64 bytes\n");
	expect(all, "SCALE1_BASE|WEIGHT2_BASE 0x20\n");
	expect(all, "opcode 0x150 0\n");
	expect(all, "0x0000c000 is no command\n");
	expect(all, "STOP                 65535\n");
	free(all);
	all = text_of(words, sizeof(words), NNA_ETHOSU_U85);
	expect(all, "WEIGHT2_BASE         0x20\n");
	assert_null(strstr(all, "SCALE1_BASE"));
	free(all);
}

/* No line is longer than its room, whatever the words. */
static void test_any_words(void **state)
{
	uint32_t words[4096], seed = 1;

	(void)state;
	for (int round = 0; round < 64; round++) {
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = seed ^ seed >> 15;
			if (round & 1)
				words[i] &= 0xffff41ff;
		}
		free(text_of(words, sizeof(words), (enum nna_ethosu_generation)(round % 3)));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u65),
		cmocka_unit_test(test_u85),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_any_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
