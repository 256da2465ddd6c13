// SPDX-License-Identifier: MIT
/* POOL on random shapes: every kernel that the machine has, against sums in double. */
#include "tests/unit/device/nna/engine/case.h"

static void verify_pool(void)
{
	const struct nnahw_cmd_pool *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[4] = { 0 };

	do {
		int64_t top = (int64_t)index[1] * p->stride_h - p->pad_top,
			left = (int64_t)index[2] * p->stride_w - p->pad_left;
		double sum = 0, squares = 0, largest = -INFINITY, n = 0, want;

		for (uint32_t y = 0; y < in->desc.dims[1]; y++)
			for (uint32_t x = 0; x < in->desc.dims[2]; x++) {
				double v = number(in, (uint32_t[]){ index[0], y, x, index[3] });

				if (y < top || x < left || y >= top + p->kernel_h ||
				    x >= left + p->kernel_w)
					continue;
				sum += v;
				squares += v * v;
				largest = fmax(largest, v);
				n++;
			}
		if (!is_float(out->desc.type)) {
			want = p->kind == NNAHW_POOL_MAX ? largest :
							   floor((sum + floor(n / 2)) / n);
			if (p->away && sum < 0)
				want = -floor((floor(n / 2) - sum) / n);
			want = fmin(fmax(want, p->q_min), p->q_max);
			if (number(out, index) != want)
				fail_msg("pool: got %g, not %g", number(out, index), want);
		} else {
			want = p->kind == NNAHW_POOL_MAX	     ? largest
			       : p->kind == NNAHW_POOL_AVERAGE ? sum / n
							       : sqrt(squares / n);
			check(out, index,
			      fmin(fmax(want, (double)p->clamp_min), (double)p->clamp_max), 1e-5,
			      "pool");
		}
	} while (next_index(&out->desc, index));
}

static void test_pool(void **state)
{
	struct nnahw_cmd_pool *p = (struct nnahw_cmd_pool *)c.raw;

	r.state = 21;
	for (int i = 0; i < 1500; i++) {
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F16, NNAHW_TYPE_F32),
			 b = (uint32_t)rng_range(&r, 1, 2);
		uint32_t h = (uint32_t)rng_range(&r, 1, 14), w = (uint32_t)rng_range(&r, 1, 14),
			 ch = (uint32_t)rng_range(&r, 1, 70);
		uint32_t oh, ow;
		int64_t low, high;

		call_init(&c, NNAHW_OP_POOL, sizeof(*p), 2);
		p->kind = (uint8_t)rng_range(&r, 0, is_float(type) ? 2 : 1);
		p->kernel_h = (uint32_t)rng_range(&r, 1, rng_next(&r) % 5 ? 4 : 20);
		p->kernel_w = (uint32_t)rng_range(&r, 1, rng_next(&r) % 5 ? 4 : 20);
		p->stride_h = (uint32_t)rng_range(&r, 1, 3);
		p->stride_w = (uint32_t)rng_range(&r, 1, 3);
		p->pad_top = (uint32_t)rng_range(&r, 0, p->kernel_h - 1);
		p->pad_left = (uint32_t)rng_range(&r, 0, p->kernel_w - 1);
		oh = (uint32_t)rng_range(&r, 1, (h + p->pad_top - 1) / p->stride_h + 1);
		ow = (uint32_t)rng_range(&r, 1, (w + p->pad_left - 1) / p->stride_w + 1);
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 1;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ b, oh, ow, ch }, spread());
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ b, h, w, ch }, spread());
		operand_floats(&c, &r, 1, -3, 3);
		if (!is_float(type)) {
			quantise(0, 0.5f);
			operand_quantise(&c.cmd.operands[1], 0.5f,
					 c.cmd.operands[0].desc.zero_point);
			p->away = p->kind == NNAHW_POOL_AVERAGE && rng_next(&r) & 1;
			range_of(type, &low, &high);
			p->q_min = (int32_t)(rng_next(&r) & 1 ? low : rng_range(&r, low, low + 90));
			p->q_max = (int32_t)(rng_next(&r) & 1 ? high
							      : rng_range(&r, high - 90, high));
		}
		run_all(verify_pool);
		/* For the mean of 8-bit types only. */
		p->away = is_float(type) || p->kind != NNAHW_POOL_AVERAGE ? 1 : 2;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
