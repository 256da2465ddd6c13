// SPDX-License-Identifier: MIT
/*
 * The work rate that a device measures, on a CPU whose time this test makes: each look at it is a
 * step later than the one before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <time.h>

#include "device/nna/core/rate.h"

/* Work of the slower one of the two commands, and by how much others may be slower. */
#define WORK (2u * 16u * 48u * 48u)
#define MARGIN 4u

static uint64_t now_ns, step_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_THREAD_CPUTIME_ID);
	now_ns += step_ns;
	now->tv_sec = (time_t)(now_ns / 1000000000u);
	now->tv_nsec = (long)(now_ns % 1000000000u);
	return 0;
}

static uint64_t measure(enum nnadev_engine_isa isa, uint64_t step)
{
	step_ns = step;
	return nnadev_rate_measure(isa);
}

static uint64_t most(enum nnadev_engine_isa isa)
{
	return isa <= NNADEV_ENGINE_VECTOR ? 250000000u : 2000000000u;
}

/* All ordinary machines state the same, also one whose clock does not move. */
static void test_most(void **state)
{
	for (enum nnadev_engine_isa isa = 0; isa < NNADEV_ENGINE_ISAS; isa++) {
		if (!nnadev_engine_isa_has(isa))
			continue;
		assert_int_equal(measure(isa, 1), most(isa));
		assert_int_equal(measure(isa, 0), most(isa));
	}
}

/* A slow one states less, by as much as it is slower. */
static void test_slow(void **state)
{
	for (enum nnadev_engine_isa isa = 0; isa < NNADEV_ENGINE_ISAS; isa++) {
		if (!nnadev_engine_isa_has(isa))
			continue;
		for (uint64_t step = 1000000; step <= 1000000000; step *= 10)
			assert_int_equal(measure(isa, step),
					 WORK * UINT64_C(1000000000) / step / MARGIN);
	}
}

/* 0 would mean that it is not stated. */
static void test_least(void **state)
{
	assert_int_equal(measure(NNADEV_ENGINE_SCALAR, UINT64_C(1000000000000000)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
