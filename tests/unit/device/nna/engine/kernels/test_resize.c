// SPDX-License-Identifier: MIT
/* RESIZE with vectors: what the scalar kernel gives. */
#include "tests/unit/device/nna/engine/vector/compare.h"

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
		p->corners = p->kind == NNAHW_RESAMPLE_BILINEAR && type == NNAHW_TYPE_U8 &&
			     !p->fixed_point && i & 16;
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

/* How many times as large an image becomes. */
static uint32_t times(void)
{
	return 1u << rng_range(&r, 0, 4);
}

/*
 * Sizes with which all weights are whole sixteenths, or almost all; columns of output may be
 * further apart than their channels. Numbers are random, or those of both ends.
 */
static void test_sixteenths(void **state)
{
	uint32_t taken = 0;

	r.state = 57;
	for (uint32_t i = 0; i < shapes(800); i++) {
		struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8,
			       channels = (uint32_t)rng_range(&r, 1, 70),
			       apart = rng_next(&r) % 3 ? 0 : (uint32_t)rng_range(&r, 1, 9),
			       images = (uint32_t)rng_range(&r, 1, 2), up[2] = { times(), times() };
		const uint32_t in[2] = { (uint32_t)rng_range(&r, 1, 8),
					 (uint32_t)rng_range(&r, 1, 8) };
		uint32_t out[2];
		char what[80];

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->kind = NNAHW_RESAMPLE_BILINEAR;
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = !p->align_corners && rng_next(&r) & 1;
		p->fixed_point = i >> 1 & 1;
		p->corners = type == NNAHW_TYPE_U8 && !p->fixed_point && i & 4;
		for (uint32_t k = 0; k < 2; k++)
			out[k] = p->align_corners ? (in[k] - 1) * up[k] + 1 : in[k] * up[k];
		p->scale_h = 1 / (float)up[0];
		p->scale_w = 1 / (float)up[1];
		/* One that is not, in the last column or row. */
		if (rng_next(&r) % 16 == 0)
			p->scale_w = nextafterf(p->scale_w, 0);
		call_operand(&c, &r, 0, type, 4,
			     (uint32_t[]){ images, out[0], out[1], channels + apart }, 0);
		c.cmd.operands[0].desc.dims[3] = channels;
		c.cmd.operands[0].count = images * out[0] * out[1] * channels;
		c.cmd.operands[0].contiguous = !apart;
		memset(c.buffers[0], 0x5a, c.sizes[0]); /* also what is between columns */
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ images, in[0], in[1], channels }, 0);
		for (size_t k = 0; k < c.sizes[1] && i & 4; k++)
			((uint8_t *)c.buffers[1])[k] = (uint8_t)(rng_next(&r) & 1 ? 0x80 : 0x7f);
		for (size_t k = 0; k < c.sizes[1] && i & 8; k++)
			((uint8_t *)c.buffers[1])[k] |= rng_next(&r) & 1 ? 0xff : 0;
		snprintf(what, sizeof(what), "RESIZE by %u and %u of type %u, fixed point %u",
			 up[0], up[1], type, p->fixed_point);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(800));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_sixteenths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
