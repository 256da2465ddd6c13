// SPDX-License-Identifier: MIT
/*
 * ROWS: random programs against an evaluation of one element at a time, a layer norm and a softmax
 * against double, numbers that are rounded, and what it refuses.
 */
#include "tests/unit/device/nna/engine/case.h"
#include "tests/unit/device/nna/engine/program.h"

/* Operations whose results C computes to the same numbers; a quotient tells zeros of both signs. */
static const uint8_t exact[] = {
	NNAHW_EWISE_IDENTITY, NNAHW_EWISE_ADD,	   NNAHW_EWISE_SUB,
	NNAHW_EWISE_MUL,      NNAHW_EWISE_MAXIMUM,
	NNAHW_EWISE_MINIMUM,  NNAHW_EWISE_GREATER, NNAHW_EWISE_SELECT,
	NNAHW_EWISE_ABS,      NNAHW_EWISE_NEG,	   NNAHW_EWISE_MUL_ADD,
	NNAHW_EWISE_LEAKY_RELU, NNAHW_ROW_SUM,	   NNAHW_ROW_MEAN,
	NNAHW_ROW_MAX,	      NNAHW_ROW_MIN,	   NNAHW_ROW_ROUND,
};

static uint32_t arguments_of(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_SELECT:
	case NNAHW_EWISE_MUL_ADD:
		return 3;
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
	case NNAHW_EWISE_MUL:
	case NNAHW_EWISE_MAXIMUM:
	case NNAHW_EWISE_MINIMUM:
	case NNAHW_EWISE_GREATER:
		return 2;
	default:
		return 1;
	}
}

static float evaluate(uint32_t step, const uint32_t *index);

/* The value of an argument at an index of the output. */
static float argument(uint32_t step, uint32_t k, const uint32_t *index)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)c.raw;
	const uint32_t from = (k == 0 ? p->x : k == 1 ? p->y : p->z)[step];
	const struct nnadev_engine_operand *o;
	uint32_t at[NNAHW_MAX_RANK];

	if (from == NNAHW_ROWS_VALUE)
		return p->number[step];
	if (from < NNAHW_ROWS_INPUT)
		return evaluate(from, index);
	o = &c.cmd.operands[NNAHW_ROWS_A + from - NNAHW_ROWS_INPUT];
	memcpy(at, index, sizeof(at));
	if (o->desc.dims[o->desc.rank - 1] == 1)
		at[o->desc.rank - 1] = 0;
	return (float)number(o, at);
}

static float reduced(uint32_t step, uint32_t op, const uint32_t *index)
{
	const uint32_t n = ((const struct nnahw_cmd_rows *)c.raw)->length;
	uint32_t at[NNAHW_MAX_RANK];
	double sum = 0, low = INFINITY, high = -INFINITY;
	bool odd = false;

	memcpy(at, index, sizeof(at));
	for (at[2] = 0; at[2] < n; at[2]++) {
		const float x = argument(step, 0, at);

		sum += (double)x;
		low = (double)x < low ? (double)x : low;
		high = (double)x > high ? (double)x : high;
		odd |= isnan(x);
	}
	if (op == NNAHW_ROW_SUM || op == NNAHW_ROW_MEAN)
		return (float)(op == NNAHW_ROW_SUM ? sum : sum / n);
	return odd ? NAN : (float)(op == NNAHW_ROW_MAX ? high : low);
}

/* The result of a step at an index of the output, computed anew from all that it needs. */
static float evaluate(uint32_t step, const uint32_t *index)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)c.raw;
	const uint32_t op = p->op[step];
	float x = 0, y = 0, z = 0, product;

	if (op >= NNAHW_ROW_SUM && op <= NNAHW_ROW_MIN)
		return reduced(step, op, index);
	x = argument(step, 0, index);
	if (arguments_of(op) > 1)
		y = argument(step, 1, index);
	if (arguments_of(op) > 2)
		z = argument(step, 2, index);
	switch (op) {
	case NNAHW_EWISE_ADD:
		return x + y;
	case NNAHW_EWISE_SUB:
		return x - y;
	case NNAHW_EWISE_MUL:
		return x * y;
	case NNAHW_EWISE_MAXIMUM:
		return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
	case NNAHW_EWISE_MINIMUM:
		return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
	case NNAHW_EWISE_GREATER:
		return x > y;
	case NNAHW_EWISE_SELECT:
		return x != 0 ? y : z;
	case NNAHW_EWISE_ABS:
		return fabsf(x);
	case NNAHW_EWISE_NEG:
		return -x;
	case NNAHW_EWISE_MUL_ADD:
		product = x * y;
		return product + z;
	case NNAHW_EWISE_LEAKY_RELU:
		return x >= 0 ? x : p->number[step] * x;
	case NNAHW_ROW_ROUND:
		return isnan(x) ? 0 : roundf(x);
	default:
		return x;
	}
}

/* A number as S8. */
static double byte_of(float x)
{
	return isnan(x) ? 0 : fmin(fmax(trunc((double)x), -128), 127);
}

static void verify_program(void)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)c.raw;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	for (uint32_t k = 0; k < 3; k++) {
		const struct nnadev_engine_operand *o = &c.cmd.operands[k];

		if (!o->desc.type)
			continue;
		memset(index, 0, sizeof(index));
		do {
			const float want = evaluate(p->result[k], index);
			const double got = number(o, index);

			if (o->desc.type == NNAHW_TYPE_BOOL8 ? got != (want != 0) :
			    o->desc.type == NNAHW_TYPE_S8    ? got != byte_of(want) :
			    isnan(want) ? !isnan(got) : got != (double)want)
				fail_msg("output %u: got %.9g, not %.9g", k, got, (double)want);
		} while (next_index(&o->desc, index));
	}
}

static void test_programs(void **state)
{
	r.state = 71;
	for (uint32_t i = 0; i < 200; i++) {
		const uint32_t inputs = (uint32_t)rng_range(&r, 1, 6);
		uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 4), (uint32_t)rng_range(&r, 1, 9),
				    (uint32_t)rng_range(&r, 2, i % 8 ? 9 : 70) };
		struct nnahw_cmd_rows *p = (struct nnahw_cmd_rows *)c.raw;

		rows_init(&c, &r, 3, dims, inputs, spread());
		/* An evaluation of nested reductions takes long. */
		random_steps(&c, &r, exact, sizeof(exact),
			     (uint32_t)rng_range(&r, 1, i % 8 ? 5 : 2), inputs, arguments_of);
		for (uint32_t k = 1; k < 3; k++) {
			bool whole = flip();

			if (flip())
				continue;
			p->result[k] = (uint8_t)rng_range(&r, 0, p->count - 1);
			whole = whole || p->op[p->result[k]] < NNAHW_ROW_SUM ||
				p->op[p->result[k]] > NNAHW_ROW_MIN;
			call_operand(&c, &r, k,
				     PICK(NNAHW_TYPE_BOOL8, NNAHW_TYPE_F32, NNAHW_TYPE_S8), 3,
				     (uint32_t[]){ dims[0], dims[1], whole ? dims[2] : 1 },
				     spread());
		}
		run_all(verify_program);
		call_free(&c);
	}
}

#define INPUT(k) (NNAHW_ROWS_INPUT + (k))

static void verify_norm(void)
{
	const struct nnadev_engine_operand *in = &c.cmd.operands[NNAHW_ROWS_A];
	uint32_t index[2] = { 0 }, n = in->desc.dims[1];

	do {
		double mean = 0, square = 0;

		for (uint32_t k = 0; k < n; k++)
			mean += number(in, (uint32_t[]){ index[0], k }) / n;
		for (uint32_t k = 0; k < n; k++)
			square += pow(number(in, (uint32_t[]){ index[0], k }) - mean, 2) / n;
		check(&c.cmd.operands[0], index, (number(in, index) - mean) / sqrt(square + 1e-5),
		      1e-5, "layer norm");
	} while (next_index(&c.cmd.operands[0].desc, index));
}

static void test_norm(void **state)
{
	static const uint32_t lengths[] = { 2, 7, 8, 31, 64, 100, 257, 530 };

	r.state = 72;
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t dims[] = { 1 + i % 8 % 5 + i / 8, lengths[i % 8] }, from;

		rows_init(&c, &r, 2, dims, 1, 0);
		from = add_step(&c, NNAHW_ROW_MEAN, INPUT(0), 0, 0, 0);
		from = add_step(&c, NNAHW_EWISE_SUB, INPUT(0), from, 0, 0);
		add_step(&c, NNAHW_EWISE_MUL, from, from, 0, 0);
		add_step(&c, NNAHW_ROW_MEAN, from + 1, 0, 0, 0);
		add_step(&c, NNAHW_EWISE_ADD, from + 2, NNAHW_ROWS_VALUE, 0, 1e-5f);
		add_step(&c, NNAHW_EWISE_RSQRT, from + 3, 0, 0, 0);
		((struct nnahw_cmd_rows *)c.raw)->result[0] =
			add_step(&c, NNAHW_EWISE_MUL, from, from + 4, 0, 0);
		run_all(verify_norm);
		call_free(&c);
	}
}

static void verify_softmax(void)
{
	const struct nnadev_engine_operand *in = &c.cmd.operands[NNAHW_ROWS_A];
	uint32_t index[2] = { 0 }, n = in->desc.dims[1];

	do {
		double sum = 0;

		for (uint32_t k = 0; k < n; k++)
			sum += exp(number(in, (uint32_t[]){ index[0], k }));
		check(&c.cmd.operands[0], index, exp(number(in, index)) / sum, 1e-6, "softmax");
	} while (next_index(&c.cmd.operands[0].desc, index));
}

static void test_softmax(void **state)
{
	r.state = 73;
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t dims[] = { 1 + i % 5, 2 + i * i % 300 };

		rows_init(&c, &r, 2, dims, 1, spread());
		add_step(&c, NNAHW_ROW_MAX, INPUT(0), 0, 0, 0);
		add_step(&c, NNAHW_EWISE_SUB, INPUT(0), 0, 0, 0);
		add_step(&c, NNAHW_EWISE_EXP, 1, 0, 0, 0);
		add_step(&c, NNAHW_ROW_SUM, 2, 0, 0, 0);
		((struct nnahw_cmd_rows *)c.raw)->result[0] =
			add_step(&c, NNAHW_EWISE_DIV, 2, 3, 0, 0);
		run_all(verify_softmax);
		call_free(&c);
	}
}

static const float odd[] = { 0.5f, -0.5f,   1.5f,	 -2.5f,	      0x1.fffffep-2f, -0.25f,
			     -0.f, 8388609, 4194304.5f, -4194305.5f, NAN,	      INFINITY };
static const float whole[] = { 1, -1, 2, -3, 0, 0, 0, 8388609, 4194305, -4194306, 0, INFINITY };

static void verify_round(void)
{
	for (uint32_t i = 0; i < 12; i++)
		/* No zero is negative. */
		assert_memory_equal((float *)c.buffers[0] + i, &whole[i], sizeof(float));
}

static void test_round(void **state)
{
	rows_init(&c, &r, 2, (uint32_t[]){ 3, 4 }, 1, 0);
	memcpy(c.buffers[NNAHW_ROWS_A], odd, sizeof(odd));
	add_step(&c, NNAHW_ROW_ROUND, INPUT(0), 0, 0, 0);
	run_all(verify_round);
	call_free(&c);
}

static uint32_t status(void)
{
	return call_run(&c, &r, NNADEV_ENGINE_SCALAR);
}

static void test_refused(void **state)
{
	struct nnahw_cmd_rows *p = (struct nnahw_cmd_rows *)c.raw;

	r.state = 74;
	rows_init(&c, &r, 2, (uint32_t[]){ 3, 4 }, 1, 0);
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND); /* no step */
	add_step(&c, NNAHW_EWISE_NEG, INPUT(0), 0, 0, 0);
	assert_int_equal(status(), NNAHW_STATUS_OK);
	p->count = NNAHW_ROWS_STEPS + 1;
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->count = 1;
	p->x[0] = 0; /* itself */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->x[0] = INPUT(1); /* absent */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->x[0] = INPUT(6); /* no input */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->x[0] = INPUT(0);
	p->y[0] = INPUT(0); /* no second argument */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->y[0] = 0;
	for (uint32_t op = 0; op < 256; op++) {
		p->op[0] = (uint8_t)op;
		if (op == NNAHW_EWISE_CAST || op == NNAHW_EWISE_BITWISE_XOR ||
		    op == NNAHW_EWISE_SHIFT_RIGHT || op == NNAHW_EWISE_TRUNCATE_DIV ||
		    (op > NNAHW_EWISE_ERF && op < NNAHW_ROW_SUM) || op > NNAHW_ROW_ROUND)
			assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	}
	p->op[0] = NNAHW_EWISE_NEG;
	p->number[1] = 1; /* behind the last step */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->number[1] = 0;
	p->result[0] = 1;
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->result[0] = 0;
	p->result[1] = 1; /* of an output that is absent */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	p->result[1] = 0;
	p->length = 5;
	assert_int_equal(status(), NNAHW_STATUS_BAD_SHAPE);
	p->length = 0;
	assert_int_equal(status(), NNAHW_STATUS_BAD_SHAPE);
	p->length = 4;
	c.cmd.operands[NNAHW_ROWS_A].desc.dims[0] = 2;
	assert_int_equal(status(), NNAHW_STATUS_BAD_SHAPE);
	c.cmd.operands[NNAHW_ROWS_A].desc.dims[0] = 3;
	c.cmd.operands[NNAHW_ROWS_A].desc.scale = 1;
	assert_int_equal(status(), NNAHW_STATUS_BAD_OPERAND);
	c.cmd.operands[NNAHW_ROWS_A].desc.scale = 0;
	c.cmd.operands[NNAHW_ROWS_OUTPUT].desc.dims[1] = 1; /* of a result that has 4 */
	assert_int_equal(status(), NNAHW_STATUS_BAD_SHAPE);
	p->op[0] = NNAHW_ROW_SUM;
	assert_int_equal(status(), NNAHW_STATUS_OK);
	add_step(&c, NNAHW_ROW_SUM, 0, 0, 0, 0); /* of one element */
	assert_int_equal(status(), NNAHW_STATUS_BAD_COMMAND);
	call_free(&c);

	rows_init(&c, &r, 2, (uint32_t[]){ 1, 4096 }, 1, 0);
	for (uint32_t i = 0; i < 6; i++)
		add_step(&c, NNAHW_EWISE_NEG, INPUT(0), 0, 0, 0);
	assert_int_equal(status(), NNAHW_STATUS_OK);
	add_step(&c, NNAHW_EWISE_NEG, INPUT(0), 0, 0, 0); /* too much work for a tile */
	assert_int_equal(status(), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs), cmocka_unit_test(test_norm),
		cmocka_unit_test(test_softmax),	 cmocka_unit_test(test_round),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
