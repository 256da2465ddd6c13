// SPDX-License-Identifier: MIT
/* Constants of 4 and 2 bits: their numbers, and files that have too few bytes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "frontend/tflite/packed.h"
#include "tests/unit/frontend/tflite/conv_model.h"

static void test_unpacks(void **state)
{
	static const uint8_t bytes[] = { 0x8f, 0x70, 0x05 };
	static const int8_t fours[] = { -1, -8, 0, 7, 5 }, twos[] = { -1, -1, 0, -2, 0 };
	int8_t out[6] = { 0 };

	assert_int_equal(tflite_packed_bits(TFLITE_INT4), 4);
	assert_int_equal(tflite_packed_bits(TFLITE_INT2), 2);
	assert_int_equal(tflite_packed_bits(TFLITE_INT8), 0);
	out[5] = 99;
	tflite_unpack(bytes, 4, 5, out);
	assert_memory_equal(out, fours, 5);
	assert_int_equal(out[5], 99);
	tflite_unpack(bytes, 2, 5, out);
	assert_memory_equal(out, twos, 5);
	assert_int_equal(out[5], 99);
	assert_int_equal(tflite_unpacked_type(2), TFLITE_INT8);
}

/* BFLOAT16: the bytes are the upper half of a FLOAT32's, wherever they lie. */
static void test_widens(void **state)
{
	static const uint8_t bytes[] = { 99, 0xc0, 0x3f, 0x20, 0xc0, 0x80, 0xff, 0x01, 0x00 };
	static const float want[] = { 1.5f, -2.5f, -INFINITY, 0x1p-133f };
	float out[5] = { 0, 0, 0, 0, 99 };

	assert_int_equal(tflite_packed_bits(TFLITE_BFLOAT16), 16);
	assert_int_equal(tflite_unpacked_type(16), TFLITE_FLOAT32);
	tflite_unpack(bytes + 1, 16, 4, out);
	assert_memory_equal(out, want, sizeof(want));
	assert_true(out[4] == 99);
}

/* Parses a model with the constants @specs. Return: that of tflite_parse(). */
static int parse(const struct tensor_spec *specs, uint32_t count, bool share,
		 struct tflite_model **model, char *error)
{
	struct writer *w = calloc(1, sizeof(*w));
	size_t root, list, sub;
	int ret;

	assert_non_null(w);
	root = model_begin(w);
	list = vector(w, root, 2, share ? 2 : 1, 4, NULL);
	sub = table(w, 5);
	refer(w, list, sub);
	if (share)
		refer(w, list + 4, sub);
	write_tensors(w, sub, specs, count);
	write_buffers(w, root, specs, count);
	ret = tflite_parse(w->bytes, w->size, model, error);
	free(w);
	return ret;
}

static void test_reads(void **state)
{
	static const uint8_t bytes[] = { 0x8f, 0x70, 0x05 };
	const struct tensor_spec specs[] = {
		{ TFLITE_INT4, 1, { 5 }, bytes, sizeof(bytes), 0.5f, 0, .variable = false },
		{ TFLITE_INT2, 2, { 3, 4 }, bytes, sizeof(bytes), 0.5f, 0, .variable = false },
		{ TFLITE_INT4, 1, { 5 }, NULL, 0, 0.5f, 0, .variable = false },
	};
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_model *model;
	const struct tflite_tensor *x;

	/* Two subgraphs share the buffers, which are unpacked once. */
	if (parse(specs, 3, true, &model, error))
		fail_msg("%s", error);
	x = model->subgraphs[0].tensors;
	assert_int_equal(x[0].type, TFLITE_INT8);
	assert_int_equal(x[0].size, 5);
	assert_int_equal(((const int8_t *)x[0].data)[1], -8);
	assert_int_equal(x[1].type, TFLITE_INT8);
	assert_int_equal(x[1].size, 12);
	/* What is no constant stays as it is. */
	assert_int_equal(x[2].type, TFLITE_INT4);
	assert_ptr_equal(model->subgraphs[1].tensors[0].data, x[0].data);
	tflite_free(model);
}

static void test_refuses_few_bytes(void **state)
{
	static const uint8_t bytes[2];
	const struct tensor_spec four = { TFLITE_INT4, 1, { 5 }, bytes, 2, .scale = 1 },
				 two = { TFLITE_INT2, 1, { 9 }, bytes, 2, .scale = 1 };
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;

	assert_int_equal(parse(&four, 1, false, &model, error), -EINVAL);
	assert_non_null(strstr(error, "2 bytes of data; expected 3 or more, for its shape"));
	assert_int_equal(parse(&two, 1, false, &model, error), -EINVAL);
	assert_non_null(strstr(error, "2 bytes of data; expected 3 or more, for its shape"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpacks),
		cmocka_unit_test(test_widens),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_refuses_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
