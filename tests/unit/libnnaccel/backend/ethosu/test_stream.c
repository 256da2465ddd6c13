// SPDX-License-Identifier: MIT
/* Payloads and bare words: sound ones, ones that are cut off, damaged, or for another NPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/backend/ethosu/stream.h"
#include "tests/unit/libnnaccel/backend/ethosu/stream_file.h"

#define CONFIG_U65_256 0x10003008u
#define CONFIG_U65_512 0x10006009u
#define CONFIG_U85_256 0x20000118u
#define ID_U65 0x10066001u
#define ID_U85 0x20007000u
#define HEADER 9u /* words before the stream */

/**
 * struct payload - a payload as Vela writes it
 * @bytes: of it, which begin at an odd address
 */
struct payload {
	uint8_t room[STREAM_FILE_BYTES + 64], *bytes;
	size_t size;
};

static void put(struct payload *p, uint32_t word)
{
	memcpy(p->bytes + p->size, &word, 4);
	p->size += 4;
}

static void make(struct payload *p, const char *name)
{
	static struct stream_file file;
	uint32_t words;

	stream_file_read(&file, name);
	words = (uint32_t)file.size / 4;
	p->bytes = p->room + 1;
	p->size = 0;
	put(p, 'C' | 'O' << 8 | 'P' << 16 | (uint32_t)'1' << 24);
	put(p, 1 | 0x10 << 16);
	put(p, CONFIG_U65_256);
	put(p, ID_U65);
	for (int i = 0; i < 4; i++)
		put(p, 5);
	put(p, 2 | (words >> 16) << 8 | words << 16);
	memcpy(p->bytes + p->size, file.bytes, file.size);
	p->size += file.size;
	assert_int_equal(p->size, HEADER * 4 + file.size);
}

static const char CONV[] = "ethos-u65-256_conv_2d_int8_0";

static void test_payload(void **state)
{
	char error[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;
	static struct payload p;

	(void)state;
	make(&p, CONV);
	assert_true(nna_ethosu_is_payload(p.bytes, p.size));
	assert_int_equal(nna_ethosu_payload_read(p.bytes, p.size, &stream, error), 0);
	assert_int_equal(stream.count, (p.size - HEADER * 4) / 4);
	assert_memory_equal(stream.words, p.bytes + HEADER * 4, p.size - HEADER * 4);
	assert_true(stream.targeted);
	assert_int_equal(stream.config, CONFIG_U65_256);
	assert_int_equal(stream.id, ID_U65);
	nna_ethosu_stream_free(&stream);
}

/* Each prefix is refused with a line. */
static void test_cut_off(void **state)
{
	char error[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;
	static struct payload p;

	(void)state;
	make(&p, CONV);
	for (size_t size = 0; size < p.size; size++) {
		uint8_t *exact = malloc(size + 1);

		must(exact);
		memcpy(exact, p.bytes, size);
		error[0] = 0;
		assert_int_equal(nna_ethosu_payload_read(exact, size, &stream, error), -22);
		assert_true(error[0]);
		free(exact);
	}
	nna_ethosu_payload_read(p.bytes, p.size - 8, &stream, error);
	assert_non_null(strstr(error, "the payload is cut off: it has"));
}

static void refused(struct payload *p, const char *text)
{
	char error[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;

	assert_int_equal(nna_ethosu_payload_read(p->bytes, p->size, &stream, error), -22);
	if (!strstr(error, text))
		fail_msg("'%s' does not say '%s'", error, text);
}

static void set_word(struct payload *p, size_t index, uint32_t word)
{
	memcpy(p->bytes + index * 4, &word, 4);
}

static void test_damaged(void **state)
{
	static struct payload p;

	(void)state;
	make(&p, CONV);
	p.bytes[3] = '2';
	refused(&p, "--cop-format COP1");
	make(&p, CONV);
	p.bytes[0] = 'X';
	refused(&p, "does not begin with COP1");
	make(&p, CONV);
	set_word(&p, 5, 9);
	refused(&p, "word 5 of the payload has action 9");
	make(&p, CONV);
	set_word(&p, HEADER - 1, 2);
	refused(&p, "the command stream is empty");
	make(&p, CONV);
	set_word(&p, HEADER - 1, 5);
	set_word(&p, HEADER, 5);
	p.size = (HEADER + 1) * 4;
	refused(&p, "has no command stream");
	make(&p, CONV);
	set_word(&p, HEADER, 0xffffc000);
	refused(&p, "word 0 of the command stream, 0xffffc000, is no command");
	make(&p, CONV);
	set_word(&p, p.size / 4 - 1, 0x00010104);
	refused(&p, "no STOP at its end");
	make(&p, CONV);
	set_word(&p, HEADER, 0xffff0000);
	refused(&p, "after its STOP");
	/* STOP is the second word of a command. */
	make(&p, CONV);
	set_word(&p, p.size / 4 - 2, 0x4000);
	refused(&p, "no STOP at its end");
}

static void test_words(void **state)
{
	char error[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;
	static struct payload p;

	(void)state;
	make(&p, CONV);
	assert_int_equal(nna_ethosu_words_read(p.bytes + HEADER * 4, p.size - HEADER * 4, &stream,
					       error), 0);
	assert_false(stream.targeted);
	nna_ethosu_stream_free(&stream);
	assert_int_equal(nna_ethosu_words_read(p.bytes + HEADER * 4, p.size - HEADER * 4 - 1,
					       &stream, error), -22);
	assert_int_equal(nna_ethosu_words_read(p.bytes, 0, &stream, error), -22);
}

static void test_fits(void **state)
{
	const struct nna_ethosu_stream any = { .count = 1 };
	const struct nna_ethosu_stream u65 = { .targeted = true, .config = CONFIG_U65_256,
					       .id = ID_U65 };
	char name[NNA_ETHOSU_NAME_SIZE];

	(void)state;
	assert_true(nna_ethosu_fits(&any, CONFIG_U85_256, ID_U85));
	assert_true(nna_ethosu_fits(&u65, CONFIG_U65_256, ID_U65));
	/* Another size of memory, another revision. */
	assert_true(nna_ethosu_fits(&u65, CONFIG_U65_256 ^ 0x1000, ID_U65 ^ 1));
	assert_false(nna_ethosu_fits(&u65, CONFIG_U65_512, ID_U65));
	assert_false(nna_ethosu_fits(&u65, CONFIG_U85_256, ID_U85));
	assert_false(nna_ethosu_fits(&u65, CONFIG_U65_256, ID_U85));
	assert_string_equal(nna_ethosu_name(CONFIG_U65_512, name), "ethos-u65-512");
	assert_string_equal(nna_ethosu_name(CONFIG_U85_256, name), "ethos-u85-256");
	assert_string_equal(nna_ethosu_name(0x00002007, name), "ethos-u55-128");
	assert_string_equal(nna_ethosu_name(0xf0000000, name), "NPU 0xf0000000");
	assert_int_equal(nna_ethosu_generation(0x00002007), NNA_ETHOSU_UNKNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
