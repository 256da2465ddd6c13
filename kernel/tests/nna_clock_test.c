// SPDX-License-Identifier: GPL-2.0-only

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/time64.h>

#include "../nna_clock.h"
#include "../nna_hw.h"

struct nna_clock_case {
	const char *name;
	u64 hz;
	u64 in;
	u64 out;
};

/* The pair of readings is 1000 s of CLOCK_MONOTONIC and tick 5000. */
static const struct nna_clock_case nna_clock_to_ticks[] = {
	{ "now", NSEC_PER_SEC, 1000ull * NSEC_PER_SEC, 5000 },
	{ "later", NSEC_PER_SEC, 1000ull * NSEC_PER_SEC + 7, 5007 },
	{ "earlier", NSEC_PER_SEC, 1000ull * NSEC_PER_SEC - 7, 4993 },
	{ "before the device's time is not never", NSEC_PER_SEC, 1, 1 },
	{ "at tick 0 is not never", NSEC_PER_SEC, 1000ull * NSEC_PER_SEC - 5000, 1 },
	{ "never is far away", NSEC_PER_SEC, U64_MAX, U64_MAX - 1000ull * NSEC_PER_SEC + 5000 },
	{ "slow ticks round up", 1000, 1000ull * NSEC_PER_SEC + 1, 5001 },
	{ "fast ticks", 2ull * NSEC_PER_SEC, 1001ull * NSEC_PER_SEC,
	  5000 + 2ull * NSEC_PER_SEC },
	{ "fast ticks saturate", U64_MAX / 2, U64_MAX, U64_MAX },
};
KUNIT_ARRAY_PARAM_DESC(nna_clock_to_tick, nna_clock_to_ticks, name);

static void nna_clock_test_to_tick(struct kunit *test)
{
	const struct nna_clock_case *c = test->param_value;
	struct nna_hw hw = { .tick_hz = c->hz };
	struct nna_clock clock;

	nna_clock_init(&clock);
	clock.monotonic_ns = 1000ull * NSEC_PER_SEC;
	clock.tick = 5000;
	KUNIT_EXPECT_EQ(test, c->out, nna_clock_to_tick(&clock, &hw, c->in));
}

static const struct nna_clock_case nna_clock_durations[] = {
	{ "nothing", NSEC_PER_SEC, 0, 0 },
	{ "nanoseconds", NSEC_PER_SEC, 123456789, 123456789 },
	{ "the most", NSEC_PER_SEC, U64_MAX, U64_MAX },
	{ "less than a tick is one", 1000, 1, 1 },
	{ "nothing of slow ticks", 1000, 0, 0 },
	{ "nothing at 19.2 MHz", 19200000, 0, 0 },
	{ "nothing at 24 MHz", 24000000, 0, 0 },
	{ "nothing at 2 GHz", 2ull * NSEC_PER_SEC, 0, 0 },
	{ "a second of slow ticks", 1000, NSEC_PER_SEC, 1000 },
	{ "and a little", 1000, NSEC_PER_SEC + 1, 1001 },
	{ "a millisecond at 19.2 MHz", 19200000, NSEC_PER_MSEC, 19200 },
	{ "12 ticks at 24 MHz", 24000000, 500, 12 },
	{ "less than 13 ticks at 24 MHz", 24000000, 501, 13 },
	{ "3.5 s at 2 GHz", 2ull * NSEC_PER_SEC, 3500000000ull, 7000000000ull },
	{ "beyond 64 bits on the way", 1ull << 40, 999999999, 1099511626677 },
	{ "saturates", NSEC_PER_SEC * 8ull, U64_MAX, U64_MAX },
};
KUNIT_ARRAY_PARAM_DESC(nna_clock_duration, nna_clock_durations, name);

static void nna_clock_test_ns_to_ticks(struct kunit *test)
{
	const struct nna_clock_case *c = test->param_value;
	struct nna_hw hw = { .tick_hz = c->hz };

	KUNIT_EXPECT_EQ(test, c->out, nna_clock_ns_to_ticks(&hw, c->in));
}

static const struct nna_clock_case nna_clock_ticks[] = {
	{ "nothing", 1000, 0, 0 },
	{ "nanoseconds", NSEC_PER_SEC, U64_MAX, U64_MAX },
	{ "slow ticks", 1000, 3, 3 * NSEC_PER_MSEC },
	{ "odd ticks", 19200000, 19200000ull * 7 + 1, 7ull * NSEC_PER_SEC + 52 },
	{ "saturates", 1, U64_MAX, U64_MAX },
	{ "saturates by a little", 1000, U64_MAX / 1000000 + 1, U64_MAX },
};
KUNIT_ARRAY_PARAM_DESC(nna_clock_tick, nna_clock_ticks, name);

static void nna_clock_test_ticks_to_ns(struct kunit *test)
{
	const struct nna_clock_case *c = test->param_value;
	struct nna_hw hw = { .tick_hz = c->hz };

	KUNIT_EXPECT_EQ(test, c->out, nna_clock_ticks_to_ns(&hw, c->in));
}

static struct kunit_case nna_clock_cases[] = {
	KUNIT_CASE_PARAM(nna_clock_test_to_tick, nna_clock_to_tick_gen_params),
	KUNIT_CASE_PARAM(nna_clock_test_ns_to_ticks, nna_clock_duration_gen_params),
	KUNIT_CASE_PARAM(nna_clock_test_ticks_to_ns, nna_clock_tick_gen_params),
	{}
};

static struct kunit_suite nna_clock_suite = {
	.name = "nna_clock",
	.test_cases = nna_clock_cases,
};
kunit_test_suite(nna_clock_suite);
