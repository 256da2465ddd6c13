// SPDX-License-Identifier: MIT
/*
 * ROWS with vectors: the numbers of the scalar kernel for random programs of all operations that it
 * knows, also for numbers that are no ordinary ones; programs with another one are left.
 */
#include "tests/unit/device/nna/engine/vector/compare.h"
#include "tests/unit/device/nna/engine/program.h"

static const uint8_t known[] = {
	NNAHW_EWISE_IDENTITY,	 NNAHW_EWISE_ADD,	   NNAHW_EWISE_SUB,
	NNAHW_EWISE_MUL,	 NNAHW_EWISE_DIV,	   NNAHW_EWISE_MAXIMUM,
	NNAHW_EWISE_MINIMUM,	 NNAHW_EWISE_EQUAL,	   NNAHW_EWISE_NOT_EQUAL,
	NNAHW_EWISE_LESS,	 NNAHW_EWISE_LESS_EQUAL,   NNAHW_EWISE_GREATER,
	NNAHW_EWISE_GREATER_EQUAL, NNAHW_EWISE_LOGICAL_AND, NNAHW_EWISE_LOGICAL_OR,
	NNAHW_EWISE_LOGICAL_NOT, NNAHW_EWISE_SELECT,	   NNAHW_EWISE_PRELU,
	NNAHW_EWISE_ABS,	 NNAHW_EWISE_NEG,	   NNAHW_EWISE_SQRT,
	NNAHW_EWISE_RSQRT,	 NNAHW_EWISE_FLOOR,
	NNAHW_EWISE_HARD_SWISH,	 NNAHW_EWISE_FLOOR_DIV,	   NNAHW_EWISE_LEAKY_RELU,
	NNAHW_EWISE_SQUARED_DIFFERENCE, NNAHW_EWISE_MUL_ADD, NNAHW_ROW_MAX,
	NNAHW_ROW_MIN,		 NNAHW_ROW_ROUND,	   NNAHW_ROW_SUM,
	NNAHW_ROW_MEAN,
};
/* The order of a sum is open, and counts where numbers are of very different size. */
#define SUMS 2

static uint32_t arguments_of(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_SELECT:
	case NNAHW_EWISE_MUL_ADD:
		return 3;
	case NNAHW_EWISE_IDENTITY:
	case NNAHW_EWISE_LOGICAL_NOT:
	case NNAHW_EWISE_ABS:
	case NNAHW_EWISE_NEG:
	case NNAHW_EWISE_SQRT:
	case NNAHW_EWISE_RSQRT:
	case NNAHW_EWISE_FLOOR:
	case NNAHW_EWISE_HARD_SWISH:
	case NNAHW_EWISE_LEAKY_RELU:
		return 1;
	default:
		return op < NNAHW_ROW_SUM ? 2 : 1;
	}
}

static void test_programs(void **state)
{
	const uint32_t programs = shapes_here(600, 60);
	uint32_t taken = 0;

	r.state = 81;
	for (uint32_t i = 0; i < programs; i++) {
		const uint32_t inputs = (uint32_t)rng_range(&r, 1, 6);
		const uint32_t count = (uint32_t)rng_range(&r, 1, NNAHW_ROWS_STEPS);
		uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 4),
				    (uint32_t)rng_range(&r, 1, i % 4 ? 20 : 200),
				    (uint32_t)rng_range(&r, 2, i % 8 ? 70 : 1300) };
		char what[64];

		if (dims[2] > NNAHW_LIMIT_ROWS_WORK / count)
			dims[2] = NNAHW_LIMIT_ROWS_WORK / count;
		rows_init(&c, &r, 3, dims, inputs, rng_next(&r) % 3 == 0);
		for (uint32_t k = 0; i & 1 && k < inputs; k++)
			special_floats(NNAHW_ROWS_A + k);
		random_steps(&c, &r, known, sizeof(known) - (i & 1 ? SUMS : 0), count, inputs,
			     arguments_of);
		/* Bytes for numbers. */
		if (i % 3 == 0)
			call_operand(&c, &r, 0, NNAHW_TYPE_S8, 3, dims, 0);
		snprintf(what, sizeof(what), "ROWS of %u steps, %u numbers, case %u", count, dims[2],
			 i);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, programs);
}

/* True if @got is as near to @want as its last bits are open. */
static bool is_near(uint32_t op, float got, float want)
{
	if (isnan(want) || got == want)
		return isnan(got) == isnan(want);
	if (op == NNAHW_EWISE_ERF)
		return fabsf(got - want) <= 0x1p-21f && signbit(got) == signbit(want);
	return fabsf(got - want) <= fabsf(want) * 0x1p-21f + 0x1p-126f;
}

/* Functions whose last bits are open: every exponent, and numbers that are none. */
static void test_functions(void **state)
{
	static const uint8_t open[] = { NNAHW_EWISE_EXP, NNAHW_EWISE_LOGISTIC, NNAHW_EWISE_TANH,
					NNAHW_EWISE_ELU, NNAHW_EWISE_ERF };
	static const float odd[] = { 0,	     -0.f,   INFINITY, -INFINITY, NAN,	   88.7f,
				     88.8f,  -87.4f, -103.9f,  1e-40f,	  -1e-40f, 1e-30f,
				     -1e-4f, 3e-3f,  -0.3f,    0.35f,	  -9.9f,   10.1f };
	float scalar[4000];

	r.state = 82;
	for (uint32_t i = 0; i < 2 * sizeof(open); i++) {
		const uint32_t n = sizeof(scalar) / sizeof(scalar[0]), op = open[i / 2];
		const float most = i % 2 ? 2 : 110;
		float *got;

		rows_init(&c, &r, 2, (uint32_t[]){ 4, n / 4 }, 1, 0);
		operand_floats(&c, &r, NNAHW_ROWS_A, -most, most);
		memcpy(c.buffers[NNAHW_ROWS_A], odd, sizeof(odd));
		add_step(&c, op, NNAHW_ROWS_INPUT, 0, 0, 1.5f);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		got = c.buffers[0];
		memcpy(scalar, got, sizeof(scalar));
		for_each_isa(isa, LEAST_VECTOR) {
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
			for (uint32_t k = 0; k < n; k++)
				if (!is_near(op, got[k], scalar[k]))
					fail_msg("operation %u of %g gives %.9g, not %.9g", op,
						 (double)((float *)c.buffers[NNAHW_ROWS_A])[k],
						 (double)got[k], (double)scalar[k]);
		}
		call_free(&c);
	}
}

static void test_left(void **state)
{
	rows_init(&c, &r, 2, (uint32_t[]){ 3, 4 }, 1, 0);
	add_step(&c, NNAHW_EWISE_SIN, NNAHW_ROWS_INPUT, 0, 0, 0);
	assert_false(is_vector(nnadev_engine_isa_detect()));
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
