// SPDX-License-Identifier: MIT
/*
 * Programs whose structs are shorter or longer than the library's, as if they had been built with
 * an older or a newer nnaccel.h: what both know arrives, and nothing else is touched.
 */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libnnaccel/support/sized.h"

#define UNTOUCHED 0xa5

/* Structs of a later version: two members more. */
struct later_options {
	struct nna_device_options now;
	uint64_t more[2];
};

struct later_desc {
	struct nna_operand_desc now;
	uint64_t more[2];
};

struct later_program_options {
	struct nna_program_options now;
	uint64_t more[2];
};

struct later_dependencies {
	struct nna_dependencies now;
	uint64_t more[2];
};

static bool is_filled(const void *bytes, size_t from, size_t to, unsigned char value)
{
	const unsigned char *b = bytes;

	for (size_t i = from; i < to; i++)
		if (b[i] != value)
			return false;
	return true;
}

static void test_read(void **state)
{
	const uint32_t from[4] = { 1, 2, 3, 0 };
	uint32_t to[3];

	assert_int_equal(nna_sized_read(to, sizeof(to), from, sizeof(to)), 0);
	assert_memory_equal(to, from, sizeof(to));
	assert_int_equal(nna_sized_read(to, sizeof(to), from, sizeof(from)), 0);
	assert_memory_equal(to, from, sizeof(to));
	assert_int_equal(nna_sized_read(to, sizeof(to), from, sizeof(from[0])), 0);
	assert_true(to[0] == 1 && !to[1] && !to[2]);
	assert_int_equal(nna_sized_read(to, 2 * sizeof(to[0]), from, sizeof(from)), -E2BIG);
	memset(to, UNTOUCHED, sizeof(to));
	assert_int_equal(nna_sized_read(to, sizeof(to), NULL, sizeof(from)), 0);
	assert_true(is_filled(to, 0, sizeof(to), 0));
}

static void test_write(void **state)
{
	const uint32_t from[2] = { 1, 2 };
	uint32_t to[4];

	memset(to, UNTOUCHED, sizeof(to));
	nna_sized_write(to, sizeof(to), from, sizeof(from));
	assert_true(to[0] == 1 && to[1] == 2 && !to[2] && !to[3]);
	memset(to, UNTOUCHED, sizeof(to));
	nna_sized_write(to, sizeof(to[0]), from, sizeof(from));
	assert_true(to[0] == 1 && is_filled(to, sizeof(to[0]), sizeof(to), UNTOUCHED));
}

/* The info of a device for a program of an older and of a later version. */
static void test_info(void **state)
{
	const size_t older = offsetof(struct nna_device_info, engine);
	struct nna_device_info now;
	unsigned char bytes[sizeof(now) + 16];

	nna_device_get_info(*state, &now);
	memset(bytes, UNTOUCHED, sizeof(bytes));
	nna_device_get_info_sized(*state, (struct nna_device_info *)bytes, older);
	assert_memory_equal(bytes, &now, older);
	assert_true(is_filled(bytes, older, sizeof(bytes), UNTOUCHED));
	nna_device_get_info_sized(*state, (struct nna_device_info *)bytes, sizeof(bytes));
	assert_memory_equal(bytes, &now, sizeof(now));
	assert_true(is_filled(bytes, sizeof(now), sizeof(bytes), 0));
}

static void test_options(void **state)
{
	struct later_options options = { .now = { .log = test_log, .threads = 1 } };
	struct nna_device *device;

	assert_int_equal(nna_device_open_sized("loopback", &options.now, sizeof(options), &device),
			 0);
	nna_device_close(device);
	options.more[1] = 1;
	assert_int_equal(nna_device_open_sized("loopback", &options.now, sizeof(options), &device),
			 -E2BIG);
	/* A program that knows of the log alone. */
	options.now.isa = 99;
	assert_int_equal(nna_device_open_sized("loopback", &options.now, sizeof(options.now.log),
					       &device),
			 0);
	nna_device_close(device);
}

static void test_descriptions(void **state)
{
	const uint32_t n = 4;
	struct later_desc desc = { .now = { NNA_OPERAND_TENSOR_FLOAT32, 1, &n } };
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	assert_int_equal(nna_graph_add_operand_sized(g, 0, &desc.now, sizeof(desc)), 0);
	desc.more[0] = 1;
	assert_int_equal(nna_graph_add_operand_sized(g, 0, &desc.now, sizeof(desc)), -E2BIG);
	assert_int_equal(nna_graph_add_operand(g, 0, NULL), -EINVAL);
	/* Without what comes after the dimensions. */
	desc.now.zero_point = 7;
	assert_int_equal(nna_graph_add_operand_sized(g, 0, &desc.now,
						     offsetof(struct nna_operand_desc, scale)), 1);
	nna_graph_unref(g);
}

static void test_programs(void **state)
{
	struct later_program_options options = { .now = { .priority = NNA_PRIORITY_MEDIUM } };
	struct nna_graph *g = add_graph(8);
	struct nna_blob_reader reader = { 0 };
	struct nna_program *p;

	assert_int_equal(nna_program_create_sized(*state, g, &options.now, sizeof(options), &p), 0);
	nna_program_destroy(p);
	options.more[0] = 1;
	assert_int_equal(nna_program_create_sized(*state, g, &options.now, sizeof(options), &p),
			 -E2BIG);
	assert_int_equal(nna_program_load_sized(*state, g, &options.now, sizeof(options), &reader,
						&p),
			 -E2BIG);
	nna_graph_unref(g);
}

/* What a run says, to a program of an older and of a later version. */
static void test_run(void **state)
{
	unsigned char bytes[2 * (sizeof(struct nna_profile_command) + 16)];
	struct nna_profile_command commands[2];
	struct later_dependencies after = { 0 };
	struct nna_io_info info;
	struct nna_timing timing;
	struct nna_fence *fence;
	uint32_t count, dropped;
	size_t size;
	struct sum s;

	sum_begin(&s, *state, 100);
	assert_int_equal(nna_execution_set_profile(s.execution, 100), 0);
	after.more[1] = 1;
	assert_int_equal(nna_execution_submit_after_sized(s.execution, &after.now, sizeof(after),
							  &fence),
			 -E2BIG);
	after.more[1] = 0;
	assert_int_equal(nna_execution_submit_after_sized(s.execution, &after.now, sizeof(after),
							  &fence),
			 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	nna_fence_destroy(fence);
	sum_check(&s);

	assert_int_equal(nna_program_get_output(s.program, 0, &info), 0);
	size = offsetof(struct nna_io_info, scale);
	memset(bytes, UNTOUCHED, sizeof(bytes));
	assert_int_equal(nna_program_get_output_sized(s.program, 0, (struct nna_io_info *)bytes,
						      size),
			 0);
	assert_memory_equal(bytes, &info, size);
	assert_true(is_filled(bytes, size, sizeof(bytes), UNTOUCHED));
	assert_int_equal(nna_program_get_input_sized(s.program, 0, (struct nna_io_info *)bytes,
						     sizeof(info) + 8),
			 0);
	assert_true(is_filled(bytes, sizeof(info), sizeof(info) + 8, 0));

	assert_int_equal(nna_execution_get_timing(s.execution, &timing), 0);
	size = offsetof(struct nna_timing, end);
	memset(bytes, UNTOUCHED, sizeof(bytes));
	assert_int_equal(nna_execution_get_timing_sized(s.execution, (struct nna_timing *)bytes,
							size),
			 0);
	assert_memory_equal(bytes, &timing, size);
	assert_true(is_filled(bytes, size, sizeof(bytes), UNTOUCHED));

	/* Records lie as far apart as the program thinks. */
	assert_int_equal(nna_execution_get_profile(s.execution, commands, 2, &count, &dropped), 0);
	assert_int_equal(count, 1);
	size = sizeof(commands[0]) + 16;
	memset(bytes, UNTOUCHED, sizeof(bytes));
	assert_int_equal(nna_execution_get_profile_sized(s.execution,
							 (struct nna_profile_command *)bytes, size,
							 2, &count, &dropped),
			 0);
	assert_memory_equal(bytes, &commands[0], sizeof(commands[0]));
	assert_true(is_filled(bytes, sizeof(commands[0]), size, 0));
	assert_true(is_filled(bytes, size, sizeof(bytes), UNTOUCHED));
	sum_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test_setup_teardown(test_info, open_device, close_device),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test_setup_teardown(test_programs, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_run, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
