// SPDX-License-Identifier: MIT
/* SOFTMAX on random shapes: every kernel that the machine has, against double and libm. */
#include "tests/unit/device/nna/engine/case.h"

static void verify_softmax(void)
{
	const struct nnahw_cmd_softmax *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t at[NNAHW_MAX_RANK];
		double sum = 0, want, max = -INFINITY, slack;

		if (index[p->axis] > 3 && index[p->axis] % 101)
			continue;
		memcpy(at, index, sizeof(at));
		for (at[p->axis] = 0; at[p->axis] < in->desc.dims[p->axis]; at[p->axis]++)
			max = fmax(max, value(in, at));
		for (at[p->axis] = 0; at[p->axis] < in->desc.dims[p->axis]; at[p->axis]++)
			sum += exp((value(in, at) - max) * (double)p->beta);
		want = (value(in, index) - max) * (double)p->beta;
		/* exponent, sum */
		slack = (fabs(want) + 8) * 0x1p-22 + in->desc.dims[p->axis] * 0x1p-26;
		want = p->log ? want - log(sum) : exp(want) / sum;
		check(out, index, want, p->log ? slack : fabs(want) * slack, "softmax");
	} while (next_index(&out->desc, index));
}

static void softmax_case(uint32_t in, uint32_t out, uint32_t rank, const uint32_t *dims,
			 uint32_t axis)
{
	struct nnahw_cmd_softmax *p = (struct nnahw_cmd_softmax *)c.raw;

	call_init(&c, NNAHW_OP_SOFTMAX, sizeof(*p), 2);
	p->axis = axis;
	p->log = rng_next(&r) & 1;
	p->beta = rng_float(&r, 0.1f, 2);
	call_operand(&c, &r, 0, out, rank, dims, spread());
	call_operand(&c, &r, 1, in, rank, dims, spread());
	operand_floats(&c, &r, 1, -5, 5);
	if (!is_float(in))
		quantise(1, 0.05f);
	if (!is_float(out)) {
		quantise(0, 1 / 256.f);
		p->log = 0;
	}
	run_all(verify_softmax);
	call_free(&c);
}

static void test_softmax(void **state)
{
	r.state = 29;
	for (int i = 0; i < 600; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 1, 60);

		softmax_case(PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			     PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			     rank, dims, (uint32_t)rng_range(&r, 0, rank - 1));
	}
	softmax_case(NNAHW_TYPE_F32, NNAHW_TYPE_F32, 2, (uint32_t[]){ 2, 4097 }, 1);
	softmax_case(NNAHW_TYPE_F32, NNAHW_TYPE_F32, 2, (uint32_t[]){ 9000, 2 }, 0);
	softmax_case(NNAHW_TYPE_U8, NNAHW_TYPE_U8, 1, (uint32_t[]){ 4096 }, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_softmax),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
