// SPDX-License-Identifier: MIT
/*
 * Which operations become a function: the error function as front ends spell it, and sums of
 * products; what is a little different stays. That results stay the same the random networks and
 * the models of clients show.
 */
#include "tests/unit/libnnaccel/ir.h"

#include <string.h>

#include "hw/gen/nnahw.h"

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

/* Return: the function of @a, @b and @c. */
static uint32_t ewise(struct nna_lower *l, enum nna_function function, uint32_t a, uint32_t b,
		      uint32_t c)
{
	const bool compares = function == NNA_FN_LESS;
	const uint32_t out = scratch(l, compares ? NNA_TYPE_BOOL8 : NNA_TYPE_F32, 2, ROWS);

	assert_int_equal(nna_emit_ewise(l, function, out, a, b, c, NNA_ACT_NONE, 0), 0);
	return out;
}

static void use(struct nna_lower *l, uint32_t value)
{
	assert_int_equal(nna_emit_copy(l, wide(l), value), 0);
}

/**
 * struct spelling - what test_spelling() changes of the error function
 * @last: the last factor
 * @twice: somebody else reads e^(-x^2)
 * @other: the square is that of another value
 * @written: the argument is written in between
 */
struct spelling {
	float last;
	bool twice, other, written;
};

static const struct spelling plain = { 0.254829592f, false, false, false };

/* The error function of @x. Return: its result. */
static uint32_t error_function(struct nna_lower *l, uint32_t x, const struct spelling *s)
{
	const float factors[] = { 1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
				  s->last };
	const uint32_t one = constant(l, 1), other = s->other ? wide(l) : x;
	uint32_t k, sum, e, less;

	k = ewise(l, NNA_FN_MUL, ewise(l, NNA_FN_ABS, x, NONE, NONE), constant(l, 0.3275911f),
		  NONE);
	k = ewise(l, NNA_FN_DIV, one, ewise(l, NNA_FN_ADD, k, one, NONE), NONE);
	sum = ewise(l, NNA_FN_MUL, k, constant(l, factors[0]), NONE);
	for (uint32_t i = 1; i < 5; i++) {
		sum = ewise(l, NNA_FN_ADD, sum, constant(l, factors[i]), NONE);
		sum = ewise(l, NNA_FN_MUL, sum, k, NONE);
	}
	if (s->written)
		assert_int_equal(nna_emit_copy(l, x, wide(l)), 0);
	e = ewise(l, NNA_FN_MUL, x, other, NONE);
	e = ewise(l, NNA_FN_EXP, ewise(l, NNA_FN_NEG, e, NONE, NONE), NONE, NONE);
	if (s->twice)
		use(l, e);
	sum = ewise(l, NNA_FN_SUB, one, ewise(l, NNA_FN_MUL, sum, e, NONE), NONE);
	less = ewise(l, NNA_FN_LESS, x, constant(l, 0), NONE);
	return ewise(l, NNA_FN_SELECT, less, ewise(l, NNA_FN_NEG, sum, NONE, NONE), sum);
}

static void run(struct nna_lower *l, uint32_t minor)
{
	l->abi_minor = minor;
	assert_int_equal(nna_pass_match(l, nna_backend_find("nna")), 0);
}

static uint32_t count(const struct nna_lower *l, uint8_t kind, uint8_t function)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->op_count; i++)
		n += !l->ops[i].dead && l->ops[i].kind == kind &&
		     l->ops[i].elementwise.function == function;
	return n;
}

static uint32_t live(const struct nna_lower *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->op_count; i++)
		n += !l->ops[i].dead;
	return n;
}

static void test_error_function(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t x = wide(l), y = error_function(l, x, &plain);
	const struct nna_ir_op *op;

	use(l, y);
	op = &l->ops[l->op_count - 2];
	run(l, NNAHW_ROWS_ABI_MINOR);
	assert_int_equal(live(l), 2);
	assert_int_equal(op->kind, NNA_IR_UNARY);
	assert_int_equal(op->elementwise.function, NNA_FN_ERF);
	assert_int_equal(op->operand_count, 2);
	assert_int_equal(op->values[0], y);
	assert_int_equal(l->values[op->values[1]].storage, l->values[x].storage);
}

static void test_spelling(void **state)
{
	static const struct spelling spellings[] = {
		{ 0.254830592f, false, false, false },
		{ 0.254829592f, true, false, false },
		{ 0.254829592f, false, true, false },
		{ 0.254829592f, false, false, true },
	};
	struct nna_lower *l = *state;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		use(l, error_function(l, wide(l), &spellings[i]));
	run(l, NNAHW_ROWS_ABI_MINOR);
	assert_int_equal(count(l, NNA_IR_UNARY, NNA_FN_ERF), 0);
	assert_int_equal(count(l, NNA_IR_SELECT, NNA_FN_SELECT), 4);
}

/* A device that has no error function. */
static void test_old(void **state)
{
	struct nna_lower *l = *state;

	use(l, error_function(l, wide(l), &plain));
	run(l, NNAHW_ROWS_ABI_MINOR - 1);
	assert_int_equal(count(l, NNA_IR_UNARY, NNA_FN_ERF), 0);
}

static void test_product(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t a = wide(l), b = wide(l), c = wide(l);
	uint32_t product = ewise(l, NNA_FN_MUL, a, b, NONE), twice;
	const struct nna_ir_op *op;

	use(l, ewise(l, NNA_FN_ADD, c, product, NONE));
	twice = ewise(l, NNA_FN_MUL, a, c, NONE);
	use(l, ewise(l, NNA_FN_ADD, twice, twice, NONE));
	product = ewise(l, NNA_FN_MUL, b, c, NONE);
	assert_int_equal(nna_emit_copy(l, b, a), 0); /* over its input */
	use(l, ewise(l, NNA_FN_ADD, product, c, NONE));
	run(l, NNAHW_ROWS_ABI_MINOR);
	op = &l->ops[1];
	assert_int_equal(live(l), l->op_count - 1);
	assert_true(l->ops[0].dead);
	assert_int_equal(op->kind, NNA_IR_MUL_ADD);
	assert_int_equal(op->values[NNA_ELEMENTWISE_A], a);
	assert_int_equal(op->values[NNA_ELEMENTWISE_B], b);
	assert_int_equal(op->values[NNA_ELEMENTWISE_C], c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_error_function),
		TEST(test_spelling),
		TEST(test_old),
		TEST(test_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
