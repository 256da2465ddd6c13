// SPDX-License-Identifier: MIT
/* What a missed deadline says about the next try. */
#include "hal-bridge/common/deadline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "libnnaccel/support/clock.h"

#define SECOND 1000000000ull

static void test_limits(void **state)
{
	struct nnb_deadline d;
	uint64_t now = nna_now_ns();

	assert_true(nnb_deadline_begin(&d, 0) == 0);
	assert_true(nnb_deadline_begin(&d, UINT64_MAX) == 0);
	assert_true(nnb_deadline_begin(&d, 100 * SECOND) >= now + 100 * SECOND);
	assert_false(d.past);
	/* One that HAL's clients give as a time. */
	nnb_deadline_begin_at(&d, now - 1);
	assert_true(d.past);
	nnb_deadline_begin_at(&d, now + 100 * SECOND);
	assert_false(d.past);
	assert_true(d.limit_ns > 0 && d.limit_ns <= 100 * SECOND);
	nnb_deadline_begin_at(&d, 0);
	assert_false(d.past);
	assert_true(d.limit_ns == 0);
}

static void test_results(void **state)
{
	const struct nnb_deadline past = { .limit_ns = 1, .past = true };
	const struct nnb_deadline some = { .limit_ns = SECOND }, none = { 0 };
	struct nnb_deadline d = some;

	assert_int_equal(nnb_deadline_result(&past, 0), ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
	/* The job alone needs longer: the device ends it at the deadline or soon after. */
	assert_int_equal(nnb_deadline_result(&some, 2 * SECOND),
			 ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(nnb_deadline_result(&some, SECOND - SECOND / 20),
			 ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
	/* It has waited for its turn, or its loop ran over the limit. */
	assert_int_equal(nnb_deadline_result(&some, 0), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
	assert_int_equal(nnb_deadline_result(&some, SECOND / 2),
			 ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
	assert_int_equal(nnb_deadline_result(&none, 100 * SECOND),
			 ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
	/* A second limit counts if it is shorter. */
	nnb_deadline_limit(&d, 2 * SECOND);
	assert_true(d.limit_ns == SECOND);
	nnb_deadline_limit(&d, SECOND / 2);
	assert_true(d.limit_ns == SECOND / 2);
	d = none;
	nnb_deadline_limit(&d, SECOND);
	assert_true(d.limit_ns == SECOND);
	nnb_deadline_limit(&d, 0);
	assert_true(d.limit_ns == SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
