// SPDX-License-Identifier: MIT
/* RESIZE with AVX2, and with AVX-512 where there is that. */
#include "tests/unit/device/engine/vector/compare.h"

/* Resizing of such numbers, and of all others; each result is made in one order by all kernels. */
static void test_resize(void **state)
{
	static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F16,
					 NNAHW_TYPE_F32 };
	uint32_t taken = 0;

	r.state = 55;
	for (uint32_t i = 0; i < shapes(800); i++) {
		struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;
		const uint32_t type = types[i % 4], channels = (uint32_t)rng_range(&r, 1, 40),
			       images = (uint32_t)rng_range(&r, 1, 2);
		const uint32_t in[2] = { (uint32_t)rng_range(&r, 1, 30),
					 (uint32_t)rng_range(&r, 1, 30) };
		const uint32_t out[2] = { (uint32_t)rng_range(&r, 1, 90),
					  (uint32_t)rng_range(&r, 1, 90) };
		char what[80];

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->kind = (uint8_t)(i / 4 & 1);
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = rng_next(&r) & 1;
		p->fixed_point = p->kind == NNAHW_RESAMPLE_BILINEAR && !is_float(type) && i & 8;
		p->scale_h = (float)in[0] / (float)out[0];
		/* Whatever it says, nothing beyond the input is read. */
		p->scale_w = rng_next(&r) % 4 ? (float)in[1] / (float)out[1]
					      : rng_float(&r, -10, 1e9f);
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ images, out[0], out[1], channels },
			     0);
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ images, in[0], in[1], channels }, 0);
		special_floats(1);
		snprintf(what, sizeof(what), "RESIZE %u of type %u, %u channels, fixed point %u",
			 p->kind, type, channels, p->fixed_point);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
