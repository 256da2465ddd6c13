// SPDX-License-Identifier: MIT
/* REDUCE on random shapes: every kernel that the machine has, against double. */
#include "tests/unit/device/nna/engine/case.h"

/* REDUCE: the reference adds each input element to its output */

static void verify_reduce(void)
{
	const struct nnahw_cmd_reduce *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	const int quantised = in->desc.scale != 0 && !is_float(in->desc.type);
	double *x = malloc((size_t)out->count * sizeof(*x)),
	       n = out->count ? (double)in->count / out->count : 0;
	double *magnitude = calloc(out->count, sizeof(*x));
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, i = 0;

	for (uint32_t k = 0; k < out->count; k++)
		x[k] = p->kind == NNAHW_REDUCTION_PROD || p->kind == NNAHW_REDUCTION_ALL ? 1
		       : p->kind == NNAHW_REDUCTION_MAX				     ? -INFINITY
		       : p->kind == NNAHW_REDUCTION_MIN				     ? INFINITY
										     : 0;
	if (in->count) {
		do {
			double v = p->kind == NNAHW_REDUCTION_ALL || p->kind == NNAHW_REDUCTION_ANY
					   ? number(in, index)
					   : value(in, index);
			uint32_t at = 0;

			for (uint32_t k = 0; k < in->desc.rank; k++)
				at = at * out->desc.dims[k] + (p->axes >> k & 1 ? 0 : index[k]);
			magnitude[at] += fabs(v);
			switch (p->kind) {
			case NNAHW_REDUCTION_PROD:
				x[at] *= v;
				break;
			case NNAHW_REDUCTION_MAX:
				x[at] = fmax(x[at], v);
				break;
			case NNAHW_REDUCTION_MIN:
				x[at] = fmin(x[at], v);
				break;
			case NNAHW_REDUCTION_ALL:
				x[at] = x[at] != 0 && v != 0;
				break;
			case NNAHW_REDUCTION_ANY:
				x[at] = x[at] != 0 || v != 0;
				break;
			default:
				x[at] += v;
				break;
			}
		} while (next_index(&in->desc, index));
	}
	memset(index, 0, sizeof(index));
	do {
		double want = p->kind == NNAHW_REDUCTION_MEAN ? x[i] / n : x[i],
		       slack = magnitude[i] * 0x1p-16 *
			       (p->kind == NNAHW_REDUCTION_MEAN ? 1 / n : 1);

		if (!is_float(in->desc.type) && !quantised)
			slack = 0;
		/* Sums have more bits than what is stored. */
		if (is_float(in->desc.type))
			slack = magnitude[i] * 0x1p-40;
		if (p->kind >= NNAHW_REDUCTION_ALL)
			slack = 0;
		if (p->kind == NNAHW_REDUCTION_PROD)
			slack = fabs(want) * n * 0x1p-20;
		if (!isinf(want) &&
		    (p->kind != NNAHW_REDUCTION_PROD || (fabs(want) > 1e-30 && n < 20)) &&
		    fabs(want) < 1e30)
			check(out, index,
			      p->kind == NNAHW_REDUCTION_MEAN && slack == 0 ? trunc(want) : want,
			      slack,
			      p->kind == 0   ? "sum"
			      : p->kind == 1 ? "mean"
			      : p->kind == 2 ? "product"
					     : "reduce");
		i++;
	} while (next_index(&out->desc, index));
	free(x);
	free(magnitude);
}

static void reduce_case(uint32_t type, uint32_t rank, const uint32_t *in, uint32_t axes,
			uint32_t kind)
{
	struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
	uint32_t out[NNAHW_MAX_RANK];
	int64_t low, high;

	for (uint32_t k = 0; k < rank; k++)
		out[k] = axes >> k & 1 ? 1 : in[k];
	call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
	p->kind = (uint8_t)kind;
	p->axes = axes;
	call_operand(&c, &r, 0, kind >= NNAHW_REDUCTION_ALL ? NNAHW_TYPE_BOOL8 : type, rank, out,
		     spread());
	call_operand(&c, &r, 1, type, rank, in, spread());
	operand_floats(&c, &r, 1, -2, 2);
	/* Of numbers that are not 0 all are true: some are. */
	for (size_t k = 0; kind >= NNAHW_REDUCTION_ALL && k < c.sizes[1] / 4; k++)
		if (rng_next(&r) % 4 == 0)
			((uint32_t *)c.buffers[1])[k] = 0;
	if (type == NNAHW_TYPE_S32)
		for (size_t k = 0; k < c.sizes[1] / 4; k++)
			((int32_t *)c.buffers[1])[k] = (int32_t)(rng_next(&r) % 7) - 3;
	if ((type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_S8) && kind < NNAHW_REDUCTION_ALL) {
		quantise(0, kind == NNAHW_REDUCTION_SUM	 ? 3.f
			    : kind == NNAHW_REDUCTION_PROD ? 1
							   : 0.125f);
		quantise(1, 0.1f);
	}
	range_of(type, &low, &high);
	p->q_min = (int32_t)low;
	p->q_max = (int32_t)high;
	run_all(verify_reduce);
	call_free(&c);
}

/* SUM and MEAN with a multiplier. */
static void verify_reduce_scaled(void)
{
	const struct nnahw_cmd_reduce *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, i = 0;
	int64_t *sums = calloc(out->count, sizeof(*sums));

	do {
		uint32_t at = 0;

		for (uint32_t k = 0; k < in->desc.rank; k++)
			at = at * out->desc.dims[k] + (p->axes >> k & 1 ? 0 : index[k]);
		sums[at] += (int64_t)number(in, index) - in->desc.zero_point;
	} while (next_index(&in->desc, index));
	memset(index, 0, sizeof(index));
	do {
		double q = (double)in_stages(sums[i++], p->multiplier, p->shift);

		q = fmin(fmax(q + out->desc.zero_point, p->q_min), p->q_max);
		if (number(out, index) != q)
			fail_msg("sum %lld: got %g, not %g", (long long)sums[i - 1],
				 number(out, index), q);
	} while (next_index(&out->desc, index));
	free(sums);
}

static void test_reduce_scaled(void **state)
{
	struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;

	r.state = 29;
	for (int i = 0; i < 1000; i++) {
		uint32_t dims[NNAHW_MAX_RANK], one[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 40);
		uint32_t axes = (uint32_t)rng_next(&r) & ((1u << rank) - 1);
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8);
		int64_t low, high;

		for (uint32_t k = 0; k < rank; k++)
			one[k] = axes >> k & 1 ? 1 : dims[k];
		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = PICK(NNAHW_REDUCTION_SUM, NNAHW_REDUCTION_MEAN);
		p->axes = axes;
		p->multiplier = rng_next(&r) & 1 ? 1 << 30 : (int32_t)rng_range(&r, 1, INT32_MAX);
		p->shift = (int32_t)rng_range(&r, 29, 38);
		call_operand(&c, &r, 0, type, rank, one, spread());
		call_operand(&c, &r, 1, type, rank, dims, spread());
		quantise(0, 0.5f);
		quantise(1, 0.1f);
		range_of(type, &low, &high);
		p->q_min = (int32_t)low;
		p->q_max = (int32_t)high;
		if (c.cmd.operands[1].count)
			run_all(verify_reduce_scaled);
		p->kind = NNAHW_REDUCTION_MAX;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		p->kind = NNAHW_REDUCTION_SUM;
		c.cmd.operands[1].desc.scale = 0;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_OPERAND);
		call_free(&c);
	}
}

/* PROD with a multiplier. */
static void verify_product(void)
{
	const struct nnahw_cmd_reduce *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	const double part = ldexp(1, -p->shift);
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, i = 0;
	double *products = malloc(out->count * sizeof(*products));

	for (uint32_t k = 0; k < out->count; k++)
		products[k] = NAN;
	do {
		double x = number(in, index) - in->desc.zero_point;
		uint32_t at = 0;

		for (uint32_t k = 0; k < in->desc.rank; k++)
			at = at * out->desc.dims[k] + (p->axes >> k & 1 ? 0 : index[k]);
		products[at] = isnan(products[at]) ?
				       x : floor(products[at] * x * p->multiplier * part + 0.5);
	} while (next_index(&in->desc, index));
	memset(index, 0, sizeof(index));
	do {
		double q = floor(products[i++] * p->multiplier * part + 0.5);

		q = fmin(fmax(q + out->desc.zero_point, p->q_min), p->q_max);
		if (number(out, index) != q)
			fail_msg("product: got %g, not %g", number(out, index), q);
	} while (next_index(&out->desc, index));
	free(products);
}

static void test_product(void **state)
{
	struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;

	r.state = 30;
	for (int i = 0; i < 600; i++) {
		uint32_t dims[NNAHW_MAX_RANK], one[NNAHW_MAX_RANK], rank = random_dims(dims, 1, 9);
		uint32_t axes = (uint32_t)rng_next(&r) & ((1u << rank) - 1);
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8);
		int64_t low, high;

		for (uint32_t k = 0; k < rank; k++)
			one[k] = axes >> k & 1 ? 1 : dims[k];
		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = NNAHW_REDUCTION_PROD;
		p->axes = axes;
		p->multiplier = (int32_t)rng_range(&r, 1 << 14, 1 << 15);
		/* No factor grows, so that 32 bits hold all products. */
		p->shift = (int32_t)rng_range(&r, 23, 25);
		call_operand(&c, &r, 0, type, rank, one, spread());
		call_operand(&c, &r, 1, type, rank, dims, spread());
		quantise(0, 0.5f);
		quantise(1, 0.1f);
		range_of(type, &low, &high);
		p->q_min = (int32_t)low;
		p->q_max = (int32_t)high;
		run_all(verify_product);
		p->multiplier = 32769;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		p->multiplier = 32768;
		p->shift = 0;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

static void test_reduce(void **state)
{
	r.state = 27;
	for (int i = 0; i < 2000; i++) {
		uint32_t dims[NNAHW_MAX_RANK],
			rank = random_dims(dims, 0, 40),
			kind = (uint32_t)rng_range(&r, 0, NNAHW_REDUCTION_ANY);
		uint32_t type = kind >= NNAHW_REDUCTION_ALL ?
					PICK(NNAHW_TYPE_BOOL8, NNAHW_TYPE_F32, NNAHW_TYPE_F16,
					     NNAHW_TYPE_S32) :
					PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					     NNAHW_TYPE_S8, NNAHW_TYPE_S32);

		if (type == NNAHW_TYPE_S32 && kind == NNAHW_REDUCTION_PROD)
			kind = NNAHW_REDUCTION_SUM;
		reduce_case(type, rank, dims, (uint32_t)rng_next(&r) & ((1u << rank) - 1), kind);
	}
	/* phases: more than 16 blocks of 4096 */
	reduce_case(NNAHW_TYPE_F32, 3, (uint32_t[]){ 2, 300, 301 }, 6, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F32, 2, (uint32_t[]){ 70000, 2 }, 1, NNAHW_REDUCTION_MEAN);
	reduce_case(NNAHW_TYPE_U8, 1, (uint32_t[]){ 200001 }, 1, NNAHW_REDUCTION_MEAN);
	reduce_case(NNAHW_TYPE_S32, 1, (uint32_t[]){ 65537 }, 1, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F16, 2, (uint32_t[]){ 3, 80000 }, 2, NNAHW_REDUCTION_MAX);
	/* nothing to reduce */
	reduce_case(NNAHW_TYPE_S32, 2, (uint32_t[]){ 3, 0 }, 2, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F32, 2, (uint32_t[]){ 3, 0 }, 2, NNAHW_REDUCTION_PROD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_reduce_scaled),
		cmocka_unit_test(test_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
