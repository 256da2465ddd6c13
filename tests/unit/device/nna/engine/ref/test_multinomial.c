// SPDX-License-Identifier: MIT
/* MULTINOMIAL: its random words against Philox 4x32, what it draws against the distribution. */
#include "tests/unit/device/nna/engine/case.h"

static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t k[2] = { key[0], key[1] }, next[4];

	memcpy(out, counter, 16);
	for (int i = 0; i < 10; i++) {
		uint64_t p0 = 0xd2511f53ull * out[0], p1 = 0xcd9e8d57ull * out[2];

		next[0] = (uint32_t)(p1 >> 32) ^ out[1] ^ k[0];
		next[1] = (uint32_t)p1;
		next[2] = (uint32_t)(p0 >> 32) ^ out[3] ^ k[1];
		next[3] = (uint32_t)p0;
		memcpy(out, next, 16);
		k[0] += 0x9e3779b9;
		k[1] += 0xbb67ae85;
	}
}

static void multinomial_init(uint32_t rows, uint32_t classes, uint32_t samples, int32_t seed,
			     int32_t seed2)
{
	const uint32_t two = 2;

	call_init(&c, NNAHW_OP_MULTINOMIAL, sizeof(struct nnahw_cmd_multinomial), 3);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ rows, samples }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 2, (uint32_t[]){ rows, classes }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_S32, 1, &two, 0);
	if (classes)
		memset(c.buffers[1], 0, c.sizes[1]);
	((int32_t *)c.buffers[2])[0] = seed;
	((int32_t *)c.buffers[2])[1] = seed2;
}

static uint32_t sample(uint32_t row, uint32_t i)
{
	return (uint32_t)number(&c.cmd.operands[0], (uint32_t[]){ row, i });
}

/* Of 1024 equal classes the one that is drawn is the number's first ten bits. */
static void test_multinomial_generator(void **state)
{
	static const uint32_t ones[4] = { ~0u, ~0u, ~0u, ~0u },
			      known[4] = { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd };
	static const int32_t seeds[][2] = {
		{ 37, 42 }, { -1, 5 }, { 0, -7 }, { INT32_MIN, INT32_MAX }
	};
	static const uint64_t firsts[] = { 0, 3, 0x1fffffffeull, UINT64_MAX - 5 };
	uint32_t block[4];

	philox(ones, ones, block);
	assert_memory_equal(block, known, sizeof(known));
	r.state = 43;
	for (int i = 0; i < 16; i++) {
		const int32_t *seed = seeds[i % 4];

		multinomial_init(2, 1024, 2001, seed[0], seed[1]);
		((struct nnahw_cmd_multinomial *)c.raw)->first = firsts[i / 4];
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < 4002; k++) {
			uint64_t q = firsts[i / 4] + k;
			uint32_t counter[4] = { (uint32_t)(q / 2), (uint32_t)(q / 2 >> 32),
						(uint32_t)seed[1], seed[1] < 0 ? ~0u : 0 };
			uint32_t key[2] = { (uint32_t)seed[0], seed[0] < 0 ? ~0u : 0 };

			philox(counter, key, block);
			assert_int_equal(sample(k / 2001, k % 2001),
					 (block[2 * (q % 2)] & 0xfffff) >> 10);
		}
		call_free(&c);
	}
}

static void test_multinomial_distribution(void **state)
{
	static const double share[] = { 0.125, 0, 0.25, 0.625, 0 };
	enum { SAMPLES = 20000 };

	multinomial_init(3, 5, SAMPLES, 1, 2);
	for (uint32_t k = 0; k < 15; k++)
		((float *)c.buffers[1])[k] = k < 10 ? logf((float)share[k % 5]) +
							      (k < 5 ? 80.f : -3000.f)
						    : NAN;
	((float *)c.buffers[1])[4] = NAN;
	((float *)c.buffers[1])[1] = INFINITY; /* not finite: no share */
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	for (uint32_t row = 0; row < 2; row++) {
		uint32_t drawn[5] = { 0 };

		for (uint32_t i = 0; i < SAMPLES; i++)
			drawn[sample(row, i)]++;
		for (uint32_t k = 0; k < 5; k++)
			assert_true(fabs(drawn[k] - share[k] * SAMPLES) <=
				    5 * sqrt(share[k] * (1 - share[k]) * SAMPLES));
	}
	for (uint32_t i = 0; i < SAMPLES; i++)
		assert_int_equal(sample(2, i), 4);
	call_free(&c);
}

/* Two seeds of 0 are another generator in each run. */
static void test_multinomial_entropy(void **state)
{
	int32_t drawn[3][64];

	for (uint32_t i = 0; i < 3; i++) {
		multinomial_init(1, 1000, 64, 0, 0);
		c.cmd.entropy = i < 2 ? 123456789 : 123456790;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < 64; k++)
			drawn[i][k] = (int32_t)sample(0, k);
		call_free(&c);
	}
	assert_memory_equal(drawn[0], drawn[1], sizeof(drawn[0]));
	assert_memory_not_equal(drawn[0], drawn[2], sizeof(drawn[0]));
	multinomial_init(1, 0, 64, 0, 0);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multinomial_generator),
		cmocka_unit_test(test_multinomial_distribution),
		cmocka_unit_test(test_multinomial_entropy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
