// SPDX-License-Identifier: MIT
/* Strings between UTF-8 and UTF-16: what is well formed comes back, all else is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hal-bridge/binder/utf.h"

static const struct {
	const char *text;
	size_t count;
	uint16_t units[8];
} good[] = {
	{ "", 0, { 0 } },
	{ "abc", 3, { 'a', 'b', 'c' } },
	{ "\xc2\x80\xdf\xbf", 2, { 0x80, 0x7ff } },
	{ "\xe0\xa0\x80\xef\xbf\xbf", 2, { 0x800, 0xffff } },
	{ "\xf0\x90\x80\x80", 2, { 0xd800, 0xdc00 } },
	{ "\xf4\x8f\xbf\xbf!", 3, { 0xdbff, 0xdfff, '!' } },
};

static void both_ways(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		/* One byte further on: parcels align strings to 4 bytes, C's types want no less. */
		unsigned char wide[17];
		char text[32];
		size_t units;

		assert_int_equal(nnb_utf16_units(good[i].text, &units), 0);
		assert_int_equal(units, good[i].count);
		nnb_utf16_of_8(good[i].text, wide + 1);
		assert_memory_equal(wide + 1, good[i].units, units * 2);
		assert_true(nnb_utf8_room(units) > strlen(good[i].text));
		assert_int_equal(nnb_utf8_of_16(wide + 1, units, text), 0);
		assert_string_equal(text, good[i].text);
	}
}

static void malformed_utf8(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff",
		"a\xe2x\x80",
	};
	size_t units;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nnb_utf16_units(bad[i], &units), -EINVAL);
}

static void malformed_utf16(void **state)
{
	static const struct {
		size_t count;
		uint16_t units[3];
	} bad[] = {
		{ 1, { 0xd800 } }, { 1, { 0xdc00 } }, { 2, { 0xdc00, 0xd800 } },
		{ 2, { 0xd800, 'a' } }, { 2, { 0xd800, 0xd800 } }, { 3, { 'a', 0, 'b' } },
	};
	char text[16];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nnb_utf8_of_16(bad[i].units, bad[i].count, text), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(malformed_utf8),
		cmocka_unit_test(malformed_utf16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
