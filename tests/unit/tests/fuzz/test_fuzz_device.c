// SPDX-License-Identifier: MIT
/* The fuzzer's target of the device model, fed with seeded noise: the same on every run. */
#include "tests/fuzz/fuzz_device.c"

#define ROUNDS 600

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void test_noise(void **state)
{
	static uint8_t input[1024];

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		uint64_t s = seed * 0x9e3779b97f4a7c15ull;
		size_t size = next(&s) % sizeof(input);

		for (size_t i = 0; i < size; i++)
			input[i] = (uint8_t)(next(&s) >> 32);
		assert_int_equal(LLVMFuzzerTestOneInput(input, size), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
