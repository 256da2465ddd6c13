// SPDX-License-Identifier: MIT
/*
 * Which operations on rows become one, what the steps of it are, and where a chain ends. That
 * results stay the same the random networks show (tests/random).
 */
#include "tests/unit/libnnaccel/ir.h"

#include <math.h>
#include <string.h>

#include "hw/gen/nnahw.h"

#define NONE NNA_NO_VALUE
#define ROWS ((uint32_t[]){ 3, 5, 32 })
#define ONE_EACH ((uint32_t[]){ 3, 5, 1 })

static uint32_t wide(struct nna_lower *l)
{
	return scratch(l, NNA_TYPE_F32, 3, ROWS);
}

static uint32_t narrow(struct nna_lower *l)
{
	return scratch(l, NNA_TYPE_F32, 3, ONE_EACH);
}

static uint32_t constant(struct nna_lower *l, float x)
{
	return ok(nna_lower_constant(l, NNA_TYPE_F32, 1, (uint32_t[]){ 1 }, 0, 0, &x));
}

/* @out = function of @a and @b. Return: @out. */
static uint32_t ewise(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
		      uint32_t b)
{
	assert_int_equal(nna_emit_ewise(l, function, out, a, b, NONE, NNA_ACT_NONE, 0), 0);
	return out;
}

/* The result that a program gives: a value of its own that another operation reads. */
static void use(struct nna_lower *l, uint32_t value)
{
	assert_int_equal(nna_emit_copy(l, wide(l), value), 0);
}

/* A layer norm of @x, as models spell it. Return: its result. */
static uint32_t layer_norm(struct nna_lower *l, uint32_t x)
{
	uint32_t mean = narrow(l), variance = narrow(l), centred, square, root;

	assert_int_equal(nna_emit_reduce(l, NNA_REDUCE_MEAN, mean, x, 4), 0);
	centred = ewise(l, NNA_FN_SUB, wide(l), x, mean);
	square = ewise(l, NNA_FN_MUL, wide(l), centred, centred);
	assert_int_equal(nna_emit_reduce(l, NNA_REDUCE_MEAN, variance, square, 4), 0);
	root = ewise(l, NNA_FN_RSQRT, narrow(l),
		     ewise(l, NNA_FN_ADD, narrow(l), variance, constant(l, 1e-5f)), NONE);
	return ewise(l, NNA_FN_MUL, wide(l), centred, root);
}

static const struct nna_backend *backend(struct nna_lower *l, uint32_t minor)
{
	l->abi_minor = minor;
	return nna_backend_find("nna");
}

/* Runs the pass. Return: the operations that are left. */
static uint32_t left(struct nna_lower *l)
{
	uint32_t live = 0;

	assert_int_equal(nna_pass_join(l, backend(l, NNAHW_ROWS_ABI_MINOR)), 0);
	for (uint32_t i = 0; i < l->op_count; i++)
		live += !l->ops[i].dead;
	return live;
}

static void test_layer_norm(void **state)
{
	static const uint8_t want[] = { NNA_ROW_MEAN, NNA_FN_SUB,   NNA_FN_MUL, NNA_ROW_MEAN,
					NNA_FN_ADD,   NNA_FN_RSQRT, NNA_FN_MUL };
	struct nna_lower *l = *state;
	uint32_t x = wide(l), out = layer_norm(l, x);
	const struct nna_ir_op *op = &l->ops[6];

	use(l, out);
	assert_int_equal(left(l), 2);
	assert_int_equal(op->kind, NNA_IR_ROWS);
	assert_int_equal(op->rows.length, 32);
	assert_int_equal(op->rows.count, 7);
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(op->rows.steps[i].function, want[i]);
	/* x - mean; the constant is part of its step. */
	assert_int_equal(op->rows.steps[1].from[0], NNA_ROWS_ARGUMENT_INPUT);
	assert_int_equal(op->rows.steps[1].from[1], 0);
	assert_int_equal(op->rows.steps[4].from[1], NNA_ROWS_ARGUMENT_NUMBER);
	assert_true(op->rows.steps[4].number == 1e-5f);
	assert_int_equal(op->rows.result[0], 6);
	assert_int_equal(l->values[op->values[0]].storage, l->values[out].storage);
	assert_int_equal(l->values[op->values[NNA_ROWS_IN]].storage, l->values[x].storage);
	for (uint32_t k = 1; k < NNA_IR_MAX_OPERANDS; k++)
		if (k != NNA_ROWS_IN)
			assert_int_equal(op->values[k], NONE);
}

/* A softmax with a scale and a mask, and a result on the way that another operation reads. */
static void test_softmax(void **state)
{
	struct nna_lower *l = *state;
	struct nna_ir_op softmax = { .kind = NNA_IR_SOFTMAX, .softmax = { .beta = 1, .axis = 2 } };
	uint32_t x = wide(l), mask = scratch(l, NNA_TYPE_F32, 1, (uint32_t[]){ 32 }), out = wide(l),
		 scaled, masked;

	scaled = ewise(l, NNA_FN_MUL, wide(l), x, constant(l, 0.25f));
	masked = ewise(l, NNA_FN_ADD, wide(l), scaled, mask);
	assert_int_equal(nna_ir_add(l, &softmax, (uint32_t[]){ out, masked }), 0);
	use(l, scaled);
	use(l, out);
	assert_int_equal(left(l), 3);
	assert_int_equal(l->ops[2].kind, NNA_IR_ROWS);
	assert_int_equal(l->ops[2].rows.count, 7);
	assert_int_equal(l->ops[2].rows.result[0], 0);
	assert_int_equal(l->ops[2].rows.result[1], 6);
	/* The mask has one row for all. */
	assert_int_equal(l->values[l->ops[2].values[NNA_ROWS_IN + 1]].strides[0], 0);
}

/* Rounding to 8 bits and back leaves no bytes. */
static void test_round(void **state)
{
	struct nna_lower *l = *state;
	uint32_t bytes = ok(nna_lower_scratch(l, NNA_TYPE_S8, 3, ROWS, 1, 0)), out = wide(l);

	ewise(l, NNA_FN_IDENTITY, bytes, wide(l), NONE);
	ewise(l, NNA_FN_CAST, out, bytes, NONE);
	use(l, out);
	assert_int_equal(left(l), 2);
	assert_int_equal(l->ops[1].rows.count, 3);
	assert_int_equal(l->ops[1].rows.steps[0].function, NNA_ROW_ROUND);
	assert_true(l->ops[1].rows.steps[1].number == -128);
	assert_true(l->ops[1].rows.steps[2].number == 127);
}

/* Bytes that another operation reads are a result, if the device has that. */
static void test_bytes(void **state)
{
	struct nna_lower *l = *state;
	uint32_t bytes = ok(nna_lower_scratch(l, NNA_TYPE_S8, 3, ROWS, 1, 0)),
		 copy = ok(nna_lower_scratch(l, NNA_TYPE_S8, 3, ROWS, 1, 0));

	ewise(l, NNA_FN_IDENTITY, bytes, ewise(l, NNA_FN_NEG, wide(l), wide(l), NONE), NONE);
	assert_int_equal(nna_emit_copy(l, copy, bytes), 0);
	assert_int_equal(left(l), 3);
	assert_int_equal(nna_pass_join(l, backend(l, NNAHW_SUMS_ABI_MINOR)), 0);
	assert_true(l->ops[0].dead);
	assert_int_equal(l->ops[1].kind, NNA_IR_ROWS);
	assert_true(l->ops[1].rows.has_bytes);
	assert_int_equal(l->values[l->ops[1].values[0]].type, NNA_TYPE_S8);
	assert_true(l->values[l->ops[1].values[0]].scale == 0);
	assert_int_equal(l->values[l->ops[1].values[0]].storage, l->values[bytes].storage);
}

/*
 * Operations between that are of no concern stay; one that reads a result fixes the place of the
 * chain, to which further operations move up, unless what they read is written in between.
 */
static void test_between(void **state)
{
	struct nna_lower *l = *state;
	uint32_t a = ewise(l, NNA_FN_EXP, wide(l), wide(l), NONE), b, c, late = wide(l);

	use(l, wide(l));
	b = ewise(l, NNA_FN_NEG, wide(l), a, NONE);
	use(l, b);
	c = ewise(l, NNA_FN_ABS, wide(l), b, NONE);
	assert_int_equal(nna_emit_copy(l, late, wide(l)), 0);
	use(l, ewise(l, NNA_FN_TANH, wide(l), c, NONE));
	use(l, ewise(l, NNA_FN_ADD, wide(l), c, late));
	assert_int_equal(left(l), 7);
	assert_int_equal(l->ops[2].kind, NNA_IR_ROWS);
	assert_int_equal(l->ops[2].rows.count, 4);
	assert_int_equal(l->values[l->ops[2].values[0]].storage, l->values[b].storage);
	assert_int_equal(l->ops[8].kind, NNA_IR_BINARY);
}

/* An operation stays behind the one that writes again what a member of the chain has written. */
static void test_written_again(void **state)
{
	struct nna_lower *l = *state;
	uint32_t a = ewise(l, NNA_FN_EXP, wide(l), wide(l), NONE), b;

	b = ewise(l, NNA_FN_NEG, wide(l), a, NONE);
	assert_int_equal(nna_emit_copy(l, a, wide(l)), 0);
	use(l, ewise(l, NNA_FN_ABS, wide(l), b, NONE));
	use(l, ewise(l, NNA_FN_TANH, wide(l), a, NONE));
	assert_int_equal(left(l), 5);
	assert_int_equal(l->ops[1].kind, NNA_IR_ROWS);
	assert_int_equal(l->ops[1].rows.count, 3);
	assert_false(l->ops[5].dead);
	assert_int_equal(l->ops[5].kind, NNA_IR_UNARY);
	assert_int_equal(l->values[l->ops[5].values[1]].storage, l->values[a].storage);
}

/* The same behind a member that has moved up itself, whose result is written again. */
static void test_moved_written_again(void **state)
{
	struct nna_lower *l = *state;
	uint32_t a = ewise(l, NNA_FN_EXP, wide(l), wide(l), NONE), b;

	use(l, a);
	b = ewise(l, NNA_FN_NEG, wide(l), a, NONE);
	assert_int_equal(nna_emit_copy(l, b, wide(l)), 0);
	use(l, ewise(l, NNA_FN_TANH, wide(l), b, NONE));
	assert_int_equal(left(l), 5);
	assert_int_equal(l->ops[0].kind, NNA_IR_ROWS);
	assert_int_equal(l->ops[0].rows.count, 2);
	assert_false(l->ops[4].dead);
	assert_int_equal(l->ops[4].kind, NNA_IR_UNARY);
	assert_int_equal(l->values[l->ops[4].values[1]].storage, l->values[b].storage);
}

/* Operations that read one input are a chain, too. */
static void test_input(void **state)
{
	struct nna_lower *l = *state;
	uint32_t x = wide(l), half = ewise(l, NNA_FN_MUL, wide(l), x, constant(l, 0.5f)), y;

	y = ewise(l, NNA_FN_TANH, wide(l), ewise(l, NNA_FN_ABS, wide(l), x, NONE), NONE);
	use(l, ewise(l, NNA_FN_MUL, wide(l), half, y));
	assert_int_equal(left(l), 2);
	assert_int_equal(l->ops[3].rows.count, 4);
	assert_int_equal(l->ops[3].values[NNA_ROWS_IN + 1], NONE);
}

/* What does not fit: other rows, other elements of a result, an input that is written, a loop. */
static void test_not(void **state)
{
	struct nna_lower *l = *state;
	uint32_t x = wide(l), y = ewise(l, NNA_FN_EXP, wide(l), x, NONE), z = wide(l);
	uint32_t turned = ok(nna_view_permute(l, y, (uint32_t[]){ 1, 0, 2 }));

	use(l, ewise(l, NNA_FN_NEG, scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 5, 3, 32 }), turned,
		     NONE) == NONE ? x : y);
	ewise(l, NNA_FN_EXP, z, x, NONE);
	ewise(l, NNA_FN_NEG, x, z, NONE); /* over its input */
	use(l, x);
	/* The two of one input. */
	assert_int_equal(left(l), 5);
}

/* The longest beginning that has few enough outputs, and what is left as a chain of its own. */
static void test_outputs(void **state)
{
	struct nna_lower *l = *state;
	uint32_t v[6], x = wide(l);

	for (uint32_t i = 0; i < 6; i++)
		x = v[i] = ewise(l, NNA_FN_EXP, wide(l), x, NONE);
	for (uint32_t i = 0; i < 6; i++)
		use(l, v[i]);
	assert_int_equal(left(l), 8);
	assert_int_equal(l->ops[2].rows.count, 3);
	assert_int_equal(l->ops[5].rows.count, 3);
}

/* A device that does not know ROWS, and a row that is too long for it. */
static void test_refused(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[] = { 2, NNAHW_LIMIT_ROWS_LENGTH + 1 }, x = scratch(l, NNA_TYPE_F32, 2, dims);

	use(l, layer_norm(l, wide(l)));
	assert_int_equal(nna_pass_join(l, backend(l, NNAHW_ROWS_ABI_MINOR - 1)), 0);
	for (uint32_t i = 0; i < l->op_count; i++)
		assert_false(l->ops[i].dead);
	x = ewise(l, NNA_FN_EXP, scratch(l, NNA_TYPE_F32, 2, dims), x, NONE);
	ewise(l, NNA_FN_NEG, scratch(l, NNA_TYPE_F32, 2, dims), x, NONE);
	assert_int_equal(left(l), 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_layer_norm),
		TEST(test_softmax),
		TEST(test_round),
		TEST(test_bytes),
		TEST(test_between),
		TEST(test_written_again),
		TEST(test_moved_written_again),
		TEST(test_input),
		TEST(test_not),
		TEST(test_outputs),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
