// SPDX-License-Identifier: MIT
/* Ranges of what a network computes, and their file. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "demo/range.h"

#define COUNT 4

/* y = max(x, 0), z = tanh(y); nothing writes operand 1. */
static void build(struct network *n, uint32_t type)
{
	const uint32_t dims[] = { 3 };
	const struct nna_operand_desc desc = { .type = type, .rank = 1, .dims = dims };

	*n = (struct network){ 0 };
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(network_sink.add_operand(n, 0, &desc), i);
	assert_int_equal(network_sink.add_operation(n, 0, NNA_OPERATION_RELU, 1, (uint32_t[]){ 0 },
						    1, (uint32_t[]){ 2 }), 0);
	assert_int_equal(network_sink.add_operation(n, 0, NNA_OPERATION_TANH, 1, (uint32_t[]){ 2 },
						    1, (uint32_t[]){ 3 }), 0);
	assert_int_equal(network_sink.set_io(n, 0, 1, (uint32_t[]){ 0 }, 1, (uint32_t[]){ 3 }), 0);
}

static void test_measure(void **state)
{
	static const float runs[2][3] = { { -7, 1, 2 }, { -1, 0.5f, 9 } };
	const float *const inputs[] = { runs[0], runs[1] };
	char error[TFLITE_ERROR_SIZE] = "";
	struct range ranges[COUNT];
	struct network n;

	build(&n, NNA_OPERAND_TENSOR_FLOAT32);
	assert_int_equal(range_measure(&n, inputs, 2, ranges, error), 0);
	assert_true(ranges[0].low == -7 && ranges[0].high == 9);
	assert_true(ranges[1].low > ranges[1].high);
	assert_true(ranges[2].low == 0 && ranges[2].high == 9);
	assert_true(ranges[3].low == 0 && ranges[3].high > 0.999f && ranges[3].high <= 1);
	/* One run alone has less. */
	assert_int_equal(range_measure(&n, inputs, 1, ranges, error), 0);
	assert_true(ranges[0].high == 2 && ranges[2].high == 2);
	network_fini(&n);

	build(&n, NNA_OPERAND_TENSOR_INT32);
	assert_int_equal(range_measure(&n, inputs, 1, ranges, error), -ENOTSUP);
	assert_non_null(strstr(error, "cannot be measured"));
	network_fini(&n);
}

static void test_file(void **state)
{
	const struct range ranges[COUNT] = { { -0.1f, 1e-30f }, { INFINITY, -INFINITY },
					     { 0, 3.4e38f }, { -1, -0.5f } };
	struct range read[COUNT + 1];
	char path[] = "/tmp/nna-ranges-XXXXXX";
	FILE *file;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(range_save(path, ranges, COUNT), 0);
	assert_int_equal(range_load(path, read, COUNT), 0);
	assert_memory_equal(read, ranges, sizeof(ranges));
	assert_int_equal(range_load(path, read, COUNT - 1), -EBADMSG);
	assert_int_equal(range_load(path, read, COUNT + 1), -EBADMSG);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("1 2\n3 four\n", file);
	fclose(file);
	assert_int_equal(range_load(path, read, 2), -EBADMSG);
	close(fd);
	unlink(path);
	assert_int_equal(range_load(path, read, COUNT), -ENOENT);
	assert_int_equal(range_save("/nowhere/ranges", ranges, COUNT), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_measure),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
