// SPDX-License-Identifier: MIT
/* What a job of the NNA is given besides its stream, and what its report says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/backend/nna/nna.h"

static void test_table(void **state)
{
	struct nna_area areas[] = { { 0x10000, 64 }, { 0x20000, 0 } };
	struct nnahw_base bases[NNAHW_MAX_SLOTS];

	nna_hw_prepare_job(bases, areas, 2);
	assert_int_equal(bases[0].address, 0x10000);
	assert_int_equal(bases[0].size, 64);
	/* An area of no bytes is no address either. */
	assert_int_equal(bases[1].address, 0);
	assert_int_equal(bases[1].size, 0);
}

static void test_report(void **state)
{
	uint64_t memory[NNA_BACKEND_REPORT_SIZE / sizeof(uint64_t)];
	struct nnahw_report *from = (struct nnahw_report *)memory;
	struct {
		struct nnahw_stream_header header;
		struct nnahw_command head;
	} stream = { .header = { .command_count = 9 }, .head = { .origin = 5 } };
	struct nna_report report;

	memset(memory, 0xa5, sizeof(memory));
	nna_hw_clear_report(memory);
	nna_hw_read_report(memory, 24000000, NULL, 0, &report);
	assert_false(report.reported);

	from->status = NNAHW_STATUS_YIELDED;
	from->resume = 64;
	from->begin = 1000;
	from->run_time = 24000001;
	from->loop_time = UINT64_MAX;
	nna_hw_read_report(memory, 24000000, NULL, 0, &report);
	assert_true(report.reported);
	assert_true(report.yielded);
	assert_int_equal(report.error, 0);
	assert_int_equal(report.resume, 64);
	/* Times stay ticks, for the winsys to convert; durations are nanoseconds. */
	assert_int_equal(report.begin, 1000);
	assert_int_equal(report.run_time, 1000000041);
	assert_int_equal(report.loop_time, UINT64_MAX);

	from->status = NNAHW_STATUS_BAD_INDEX;
	from->command = sizeof(stream.header);
	nna_hw_read_report(memory, 24000000, &stream, sizeof(stream), &report);
	assert_false(report.yielded);
	assert_int_equal(report.error, -ERANGE);
	assert_string_equal(report.status_name, "BAD_INDEX");
	assert_int_equal(report.origin, 5);

	/* What is not in the stream has no origin; a job that never began is at its header. */
	from->command = sizeof(stream.header) + 1;
	nna_hw_read_report(memory, 24000000, &stream, sizeof(stream), &report);
	assert_int_equal(report.origin, -1);
	from->command = 0;
	nna_hw_read_report(memory, 24000000, &stream, sizeof(stream), &report);
	assert_int_equal(report.origin, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
