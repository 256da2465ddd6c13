// SPDX-License-Identifier: MIT
/*
 * Errors and bans of the hardware's statuses, against a list that was written by hand from the
 * kernel ABI (uapi/drm/nna_accel.h): hw/nna.toml could change by mistake, the ABI cannot.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hw/gen/nnahw.h"

static void test_error_and_ban(void **state)
{
	static const struct {
		uint32_t status;
		int error;
		bool bans;
	} cases[] = {
		{ NNAHW_STATUS_OK, 0, false },
		{ NNAHW_STATUS_YIELDED, 0, false },
		{ NNAHW_STATUS_DEADLINE, -ETIMEDOUT, false },
		{ NNAHW_STATUS_LOOP_LIMIT, -ETIMEDOUT, false },
		{ NNAHW_STATUS_ABORTED, -ECANCELED, false },
		{ NNAHW_STATUS_BUDGET, -ETIME, true },
		{ NNAHW_STATUS_FAULT_MMU, -EFAULT, true },
		{ NNAHW_STATUS_FAULT_BUS, -EFAULT, true },
		{ NNAHW_STATUS_BAD_STREAM, -EINVAL, true },
		{ NNAHW_STATUS_BAD_INDEX, -ERANGE, false },
		{ NNAHW_STATUS_OUTPUT_SIZE, -ENOSPC, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool ban = !cases[i].bans;

		assert_int_equal(nnahw_status_errno(cases[i].status, &ban), cases[i].error);
		assert_int_equal(ban, cases[i].bans);
	}
}

/* A newer device may know more statuses: the job has failed, and its queue goes on. */
static void test_unknown_status(void **state)
{
	static const uint32_t unknown[] = { UINT32_MAX, 7 };

	for (size_t i = 0; i < 2; i++) {
		bool ban = true;

		assert_int_equal(nnahw_status_errno(unknown[i], &ban), -EIO);
		assert_false(ban);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_and_ban),
		cmocka_unit_test(test_unknown_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
