// SPDX-License-Identifier: MIT
/* Scaling: against roundings that are written as a person would say them, in wide numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/ethosu/rounding.h"

/* The next of a series of pseudo-random numbers. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Floor of @n / @d. */
static __int128 floor_of(__int128 n, __int128 d)
{
	return n / d - (n % d < 0);
}

static __int128 half_up(__int128 n, __int128 d)
{
	return floor_of(2 * n + d, 2 * d);
}

static __int128 half_away(__int128 n, __int128 d)
{
	return n < 0 ? -half_up(-n, d) : half_up(n, d);
}

static int64_t expected(const struct ethosu_scale *s, int64_t value)
{
	__int128 product = ((__int128)value << s->extra) * s->scale;
	uint32_t shift = (uint32_t)s->shift + s->extra;
	__int128 divisor = (__int128)1 << shift;

	switch (s->rounding) {
	case ETHOSU_ROUND_DOUBLE:
		if (shift > 31)
			return (int64_t)half_away(half_up(product, (__int128)1 << 31),
						  (__int128)1 << (shift - 31));
		return (int64_t)half_up(product, divisor);
	case ETHOSU_ROUND_SYMMETRIC:
		return (int64_t)half_away(product, divisor);
	case ETHOSU_ROUND_TO_ZERO:
		return (int64_t)(product / divisor);
	case ETHOSU_ROUND_DOWN:
		return (int64_t)floor_of(product, divisor);
	default:
		return (int64_t)half_up(product, divisor);
	}
}

static void test_scale(void **state)
{
	uint64_t seed = 88172645463325252u;

	for (uint32_t i = 0; i < 2000000; i++) {
		uint64_t bits = next(&seed), more = next(&seed);
		struct ethosu_scale s = {
			.scale = (uint32_t)(more >> (more >> 59)),
			.shift = bits % 64,
			.extra = bits >> 6 & 1 ? 0 : (uint8_t)(bits >> 7 & 0x1f),
			.rounding = (enum ethosu_rounding)(bits % 6),
		};
		/* Of any size, and often where a half is near. */
		int64_t value = (int64_t)next(&seed) >> (16 + next(&seed) % 48);

		if (bits >> 20 & 1) {
			s.scale = 1u << (more % 32);
			value = value >> 8 << (more >> 5 & 7);
		}
		if (ethosu_scale_apply(&s, value) != expected(&s, value))
			fail_msg("%lld * %u / 2^%u (+%u), rounding %u", (long long)value, s.scale,
				 s.shift, s.extra, s.rounding);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_scale) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
