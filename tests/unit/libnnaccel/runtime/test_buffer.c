// SPDX-License-Identifier: MIT
/* Buffers: bound at any offset, and shared by fd. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Device memory without copies, at aligned offsets and others; shared by fd. */
static void test_buffers(void **state)
{
	struct nna_device *device = *state;
	struct nna_buffer *in, *out, *other;
	float *mapped, *result;
	struct sum s;
	int fd;

	sum_begin(&s, device, 100);
	assert_int_equal(nna_buffer_create(device, 4096, &in), 0);
	assert_int_equal(nna_buffer_create(device, 8192, &out), 0);
	assert_int_equal(nna_buffer_size(in), 4096);
	mapped = nna_buffer_map(in);
	result = nna_buffer_map(out);
	for (size_t offset = 0; offset <= 128; offset += 32) {
		memcpy((char *)mapped + offset, s.a, 400);
		assert_int_equal(
			nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, offset, 400),
			0);
		assert_int_equal(
			nna_execution_set_output_buffer(s.execution, 0, 0, NULL, out, offset, 400),
			0);
		assert_int_equal(nna_execution_compute(s.execution), 0);
		for (uint32_t i = 0; i < 100; i++)
			assert_true(result[offset / 4 + i] == s.a[i] + s.b[i]);
		memset(result, 0, 8192);
	}
	assert_int_equal(nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, 4000, 400),
			 -EINVAL);
	assert_int_equal(nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, SIZE_MAX, 400),
			 -EINVAL);
	/* What the exported fd shows is what the device wrote. */
	fd = nna_buffer_export(out);
	assert_true(fd >= 0);
	assert_int_equal(nna_buffer_import(device, fd, 8192, &other), 0);
	close(fd);
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, other, 64, 400),
			 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(result[16 + i] == s.a[i] + s.b[i]);
	nna_buffer_destroy(other);
	nna_buffer_destroy(in);
	nna_buffer_destroy(out);
	fd = memfd_create("small", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(nna_buffer_import(device, fd, 4096, &other), -EINVAL);
	close(fd);
	assert_int_equal(nna_buffer_import(device, -1, 4096, &other), -EBADF);
	assert_int_equal(nna_buffer_create(device, 0, &other), -EINVAL);
	sum_end(&s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
