// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "frontend/onnx/protobuf.h"

#define MESSAGE(...) \
	const uint8_t bytes[] = { __VA_ARGS__ }; \
	struct protobuf in = { bytes, bytes + sizeof(bytes), false }; \
	struct protobuf_field field

static void fields_of_every_kind(void **state)
{
	MESSAGE(0x08, 0x96, 0x01, 0x12, 2, 'a', 'b', 0x1d, 1, 2, 3, 4,
		0x21, 1, 0, 0, 0, 0, 0, 0, 0x80);

	assert_true(protobuf_next(&in, &field));
	assert_int_equal(field.number, 1);
	assert_int_equal(field.kind, PROTOBUF_VARINT);
	assert_int_equal(field.value, 150);
	assert_true(protobuf_next(&in, &field));
	assert_int_equal(field.number, 2);
	assert_int_equal(protobuf_left(&field.bytes), 2);
	assert_memory_equal(field.bytes.at, "ab", 2);
	assert_true(protobuf_next(&in, &field));
	assert_int_equal(field.value, 0x04030201);
	assert_true(protobuf_next(&in, &field));
	assert_true(field.value == 0x8000000000000001);
	assert_false(protobuf_next(&in, &field));
	assert_false(in.bad);
}

static void is_bad(const uint8_t *bytes, size_t size)
{
	struct protobuf in = { bytes, bytes + size, false };
	struct protobuf_field field;

	assert_false(protobuf_next(&in, &field));
	assert_true(in.bad);
	/* It stays so. */
	assert_false(protobuf_next(&in, &field));
}

#define BAD(...) is_bad((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void malformed_fields(void **state)
{
	BAD(0x08);					/* no value */
	BAD(0x08, 0x80);				/* a varint that does not end */
	BAD(0x12, 3, 'a', 'b');				/* a length beyond the end */
	BAD(0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
	BAD(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2);
	BAD(0x0d, 1, 2, 3);				/* four bytes, of which three are there */
	BAD(0x09, 1, 2, 3);
	BAD(0x0b);					/* kind 3, a group */
	BAD(0x00, 0);					/* number 0 */
	BAD(0xf8, 0xff, 0xff, 0xff, 0xff, 1, 0);	/* a number of more than 29 bits */
}

static void numbers_that_are_packed_and_not(void **state)
{
	MESSAGE(0x0a, 3, 1, 0x80, 1, 0x08, 5);
	bool started = false;
	uint64_t value;

	assert_true(protobuf_next(&in, &field));
	assert_int_equal(protobuf_most(&field, PROTOBUF_VARINT), 3);
	assert_true(protobuf_number(&field, PROTOBUF_VARINT, &started, &value));
	assert_int_equal(value, 1);
	assert_true(protobuf_number(&field, PROTOBUF_VARINT, &started, &value));
	assert_int_equal(value, 128);
	assert_false(protobuf_number(&field, PROTOBUF_VARINT, &started, &value));
	assert_false(field.bytes.bad);
	started = false;
	assert_true(protobuf_next(&in, &field));
	assert_int_equal(protobuf_most(&field, PROTOBUF_VARINT), 1);
	assert_true(protobuf_number(&field, PROTOBUF_VARINT, &started, &value));
	assert_int_equal(value, 5);
	assert_false(protobuf_number(&field, PROTOBUF_VARINT, &started, &value));
}

static void packed_numbers_that_end_too_early(void **state)
{
	MESSAGE(0x0a, 5, 1, 0, 0, 0, 2);
	bool started = false;
	uint64_t value;

	assert_true(protobuf_next(&in, &field));
	assert_true(protobuf_number(&field, PROTOBUF_FIXED32, &started, &value));
	assert_int_equal(value, 1);
	assert_false(protobuf_number(&field, PROTOBUF_FIXED32, &started, &value));
	assert_true(field.bytes.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_every_kind),
		cmocka_unit_test(malformed_fields),
		cmocka_unit_test(numbers_that_are_packed_and_not),
		cmocka_unit_test(packed_numbers_that_end_too_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
