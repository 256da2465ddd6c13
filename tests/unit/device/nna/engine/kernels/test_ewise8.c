// SPDX-License-Identifier: MIT
/* EWISE on bytes by the integer rules: what all operations have in common is in ref/. */
#include "tests/unit/device/nna/engine/vector/compare.h"

static const uint8_t ops[] = { NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL };

/* What a compiler makes of scales, what lies next to where halves are frequent, and any factor. */
static int32_t factor(void)
{
	const int32_t most = rng_next(&r) & 1 ? 0 : 1 << rng_range(&r, 0, 24),
		      near = (int32_t)rng_range(&r, 0, most);

	switch (rng_next(&r) % 8) {
	case 0:
		return (int32_t)rng_next(&r);
	case 1:
		return (int32_t)rng_range(&r, 1, 1000);
	case 2:
		return (3 << 29) + near;
	case 3:
	case 4:
		return (1 << 30) + (rng_next(&r) & 1 ? near : -near);
	default:
		return (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
	}
}

/* An operand of bytes, with a zero point that may be one of the ends. */
static void bytes(uint32_t i, const uint32_t *dims, uint32_t rank, uint32_t type)
{
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
	int32_t zero = (int32_t)rng_range(&r, low, low + 255);

	if (rng_next(&r) & 1)
		zero = rng_next(&r) & 1 ? low : low + 255;
	call_operand(&c, &r, i, type, rank, dims, 0);
	operand_quantise(&c.cmd.operands[i], 0.01f, zero);
}

static uint32_t any_type(void)
{
	return rng_next(&r) & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
}

/* The parameters of a rule: most lead to results that are as large as bytes. */
static void rule(uint32_t op)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
	const bool any = rng_next(&r) % 8 == 0;

	p->op = (uint8_t)op;
	p->staged = rng_next(&r) % 4 != 0;
	p->a_scale = factor();
	p->a_scale = p->a_scale ? p->a_scale : 1;
	p->b_scale = factor();
	if (op == NNAHW_EWISE_MUL) {
		p->shift = (int32_t)(any ? rng_range(&r, 31, 62) : rng_range(&r, 33, 39));
	} else if (!p->staged) {
		p->shift = (int32_t)(any ? rng_range(&r, 12, 62) : rng_range(&r, 29, 33));
	} else {
		p->multiplier = factor();
		p->a_shift = (uint8_t)(any ? rng_range(&r, 31, 62) : rng_range(&r, 31, 33));
		p->b_shift = (uint8_t)(any ? rng_range(&r, 31, 62) : rng_range(&r, 31, 33));
		p->shift = (int32_t)(any ? rng_range(&r, 31, 62) : rng_range(&r, 47, 51));
	}
	p->q_min = rng_next(&r) & 1 ? INT32_MIN : (int32_t)rng_range(&r, -140, 40);
	p->q_max = rng_next(&r) & 1 ? INT32_MAX : (int32_t)rng_range(&r, 40, 270);
}

/* Every pair of bytes: with all results between the limits, and what lies around them. */
static void test_pairs(void **state)
{
	const uint32_t dims[] = { 256, 256 };
	char what[128];

	r.state = 71;
	for (uint32_t i = 0; i < shapes(600); i++) {
		const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)c.raw;

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		for (uint32_t k = 0; k <= 2; k++)
			bytes(k, dims, 2, any_type());
		for (uint32_t k = 0; k < 65536; k++) {
			((uint8_t *)c.buffers[1])[k] = (uint8_t)(k >> 8);
			((uint8_t *)c.buffers[2])[k] = (uint8_t)k;
		}
		rule(ops[i % 3]);
		snprintf(what, sizeof(what), "EWISE %u of %d and %d >> %d, staged %u", p->op,
			 p->a_scale, p->b_scale, p->shift, p->staged);
		if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
			assert_true(compare_all(what));
		else
			compare_all(what);
		call_free(&c);
	}
}

/*
 * Rows of any length, of which those of each operand may be further apart, repeat, or be of one
 * element.
 */
static void test_rows(void **state)
{
	uint32_t taken = 0;

	r.state = 73;
	for (uint32_t i = 0; i < shapes(6000); i++) {
		const uint32_t longest = rng_next(&r) % 16 ? 70 : rng_next(&r) & 1 ? 300 : 2500;
		const uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 5),
					  (uint32_t)rng_range(&r, 1, longest > 70 ? 5 : 90),
					  (uint32_t)rng_range(&r, 1, longest) };
		char what[80];

		call_init(&c, NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4);
		for (uint32_t k = 0; k <= 2; k++) {
			const uint32_t apart =
				rng_next(&r) % 4 ? 0 : (uint32_t)rng_range(&r, 1, 40);
			const uint32_t room[] = { dims[0], dims[1], dims[2] + apart };
			struct nnadev_engine_operand *o = &c.cmd.operands[k];
			int32_t *strides = o->desc.strides;
			const uint32_t how = (uint32_t)rng_next(&r);

			bytes(k, room, 3, any_type());
			o->desc.dims[2] = dims[2];
			o->count = dims[0] * dims[1] * dims[2];
			o->contiguous = !apart;
			/* One element, one for each row, the same row or plane. */
			for (uint32_t d = 0; k && how & 1 && d < 3; d++)
				if (how & 2u << d)
					strides[d] = 0, o->contiguous = false;
			/* One for each row, of which the next one's follows. */
			if (k && !(how & 1) && how % 16 == 2) {
				strides[2] = 0;
				strides[1] = 1;
				o->contiguous = false;
			}
		}
		memset(c.buffers[0], 0x5a, c.sizes[0]); /* also what is between rows */
		rule(ops[i % 3]);
		snprintf(what, sizeof(what), "EWISE %u of %u x %u x %u", ops[i % 3], dims[0],
			 dims[1], dims[2]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > shapes(6000) * 4 / 5);
}

/* Lets an operand repeat its rows, stand still in each row, or be one number. */
static void still(uint32_t i)
{
	int32_t *strides = c.cmd.operands[i].desc.strides;
	const uint32_t how = (uint32_t)rng_next(&r) % 6;

	if (how < 3)
		strides[0] = how == 1 ? 1 : 0;
	if (how == 1 || how == 2)
		strides[1] = 0;
}

static int32_t staged_factor(void)
{
	switch (rng_next(&r) % 4) {
	case 0:
		/* One that halves, as that of the operand with the larger scale does. */
		return 1 << 30;
	case 1:
		return (int32_t)rng_next(&r);
	default:
		/* What a compiler makes of scales. */
		return (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
	}
}

/* Any rows, factors and shifts; numbers of both ends. */
static void staged(uint32_t op)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
	/* Some rows are long enough for a table, where an operand stands still. */
	const uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 9),
				  (uint32_t)rng_range(&r, 8, rng_next(&r) % 8 ? 90 : 1500) };
	char what[64];

	call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
	for (uint32_t i = 0; i <= 2; i++) {
		const uint32_t type = rng_next(&r) & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;

		call_operand(&c, &r, i, type, 2, dims, 0);
		operand_quantise(&c.cmd.operands[i], 0.01f,
				 rng_next(&r) & 1 ? low : (int32_t)rng_range(&r, low, low + 255));
		if (i)
			still(i);
	}
	p->op = (uint8_t)op;
	p->staged = 1;
	p->a_scale = staged_factor() | (op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB ? 0 : 1);
	p->a_scale = p->a_scale ? p->a_scale : 1;
	p->shift = (int32_t)rng_range(&r, 31, rng_next(&r) & 1 ? 40 : 62);
	p->q_min = rng_next(&r) & 1 ? INT32_MIN : -100;
	p->q_max = rng_next(&r) & 1 ? INT32_MAX : 100;
	if (op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB) {
		p->b_scale = staged_factor();
		p->multiplier = staged_factor();
		p->a_shift = (uint8_t)rng_range(&r, 31, rng_next(&r) & 1 ? 31 : 62);
		p->b_shift = (uint8_t)rng_range(&r, 31, rng_next(&r) & 1 ? 31 : 62);
		/* About 50 leads to results as large as bytes. */
		p->shift = (int32_t)(rng_next(&r) & 1 ? rng_range(&r, 48, 51) :
							rng_range(&r, 44, 62));
	}
	snprintf(what, sizeof(what), "EWISE %u of %ux%u", op, dims[0], dims[1]);
	assert_true(compare_all(what) || nnadev_engine_isa_detect() == NNADEV_ENGINE_SCALAR);
	call_free(&c);
}

static void test_staged(void **state)
{
	r.state = 59;
	for (uint32_t i = 0; i < shapes(4000); i++)
		staged(ops[i % 3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_staged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
