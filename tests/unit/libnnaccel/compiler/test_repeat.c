// SPDX-License-Identifier: MIT
/*
 * Which operations repeat an earlier one: the same function of the same elements. That results stay
 * the same the random networks show (tests/random).
 */
#include "tests/unit/libnnaccel/ir.h"

#define NONE NNA_NO_VALUE
#define ROWS ((uint32_t[]){ 3, 32 })

static uint32_t wide(struct nna_lower *l)
{
	return scratch(l, NNA_TYPE_F32, 2, ROWS);
}

static uint32_t constant(struct nna_lower *l, float x)
{
	return ok(nna_lower_constant(l, NNA_TYPE_F32, 1, (uint32_t[]){ 1 }, 0, 0, &x));
}

static uint32_t ewise(struct nna_lower *l, enum nna_function function, uint32_t a, uint32_t b,
		      float alpha)
{
	const uint32_t out = wide(l);

	assert_int_equal(nna_emit_ewise(l, function, out, a, b, NONE, NNA_ACT_NONE, alpha), 0);
	return out;
}

/* Return: the number of live operations behind the pass. */
static uint32_t left(struct nna_lower *l)
{
	uint32_t n = 0;

	assert_int_equal(nna_pass_repeat(l), 0);
	for (uint32_t i = 0; i < l->op_count; i++)
		n += !l->ops[i].dead;
	return n;
}

/* A value that is written once. */
static uint32_t written(struct nna_lower *l)
{
	const uint32_t x = wide(l);

	assert_int_equal(nna_emit_copy(l, x, wide(l)), 0);
	return x;
}

/* Chains that begin alike; constants of their own count as one. */
static void test_chain(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t x = written(l);
	uint32_t end[3];

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t y = ewise(l, NNA_FN_ABS, x, NONE, 0);

		y = ewise(l, NNA_FN_MUL, y, constant(l, 0.5f), 0);
		end[i] = ewise(l, NNA_FN_ADD, y, constant(l, (float)i), 0);
	}
	assert_int_equal(left(l), 1 + 2 + 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct nna_ir_op *op = &l->ops[3 + 3 * i];

		assert_false(op->dead);
		assert_int_equal(op->values[0], end[i]);
		assert_int_equal(l->values[op->values[1]].storage,
				 l->values[l->ops[2].values[0]].storage);
	}
}

/* Constants of their own as the first input, of the same number and of another. */
static void test_constant_first(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t x = written(l);

	ewise(l, NNA_FN_DIV, constant(l, 127), x, 0);
	ewise(l, NNA_FN_DIV, constant(l, 127), x, 0);
	ewise(l, NNA_FN_DIV, constant(l, 255), x, 0);
	assert_int_equal(left(l), 1 + 2);
}

/* Other parameters, other elements, another order, inputs and results that change. */
static void test_not(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t x = written(l), y = written(l);
	uint32_t twice, z;

	ewise(l, NNA_FN_ELU, x, NONE, 1);
	ewise(l, NNA_FN_ELU, x, NONE, 2);
	ewise(l, NNA_FN_SUB, x, y, 0);
	ewise(l, NNA_FN_SUB, y, x, 0);
	ewise(l, NNA_FN_MUL, x, constant(l, 1), 0);
	ewise(l, NNA_FN_MUL, x, constant(l, 2), 0);
	z = ewise(l, NNA_FN_NEG, x, NONE, 0);
	twice = ewise(l, NNA_FN_NEG, x, NONE, 0);
	assert_int_equal(nna_emit_copy(l, twice, y), 0); /* over the result */
	ewise(l, NNA_FN_ABS, twice, NONE, 0);
	ewise(l, NNA_FN_ABS, z, NONE, 0);
	assert_int_equal(left(l), l->op_count);
}

static void test_loop(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t x = written(l), label = ok(nna_lower_label(l));

	assert_int_equal(nna_lower_place(l, label), 0);
	ewise(l, NNA_FN_NEG, x, NONE, 0);
	ewise(l, NNA_FN_NEG, x, NONE, 0);
	assert_int_equal(nna_emit_jump(l, label), 0);
	assert_int_equal(left(l), l->op_count);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_chain),
		TEST(test_constant_first),
		TEST(test_not),
		TEST(test_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
