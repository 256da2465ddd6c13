// SPDX-License-Identifier: MIT
/* RESIZE on random shapes: every kernel that the machine has, against double. */
#include "tests/unit/device/nna/engine/case.h"

static void verify_resize(void)
{
	const struct nnahw_cmd_resize *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[4] = { 0 };

	do {
		double at[2], low[2], v[4], want;

		for (int k = 0; k < 2; k++) {
			float scale = k ? p->scale_w : p->scale_h, x = (float)index[1 + k],
			      last = (float)(in->desc.dims[1 + k] - 1);
			float half = p->half_pixel_centers ? 0.5f : 0;

			x = (x + half) * scale;
			if (p->kind == NNAHW_RESAMPLE_NEAREST)
				at[k] = (double)floorf(p->align_corners ? x + 0.5f : x);
			else
				at[k] = (double)(x - half);
			at[k] = fmin(fmax(at[k], 0), (double)last);
			low[k] = floor(at[k]);
		}
		for (int k = 0; k < 4; k++)
			v[k] = number(in, (uint32_t[]){ index[0],
							(uint32_t)fmin(low[0] + (k >> 1),
								       in->desc.dims[1] - 1.0),
							(uint32_t)fmin(low[1] + (k & 1),
								       in->desc.dims[2] - 1.0),
							index[3] });
		want = (v[0] * (1 - at[1] + low[1]) + v[1] * (at[1] - low[1])) *
			       (1 - at[0] + low[0]) +
		       (v[2] * (1 - at[1] + low[1]) + v[3] * (at[1] - low[1])) * (at[0] - low[0]);
		if (is_float(out->desc.type))
			check(out, index, want, 1e-5, "resize");
		else if (fabs(number(out, index) - want) > 0.501)
			fail_msg("resize: got %g, not %g", number(out, index), want);
	} while (next_index(&out->desc, index));
}

/*
 * In fixed point: each row weighs 1024 minus its distance from the position in 1/1024, rows beyond
 * its neighbours nothing. Sums over the whole image, which are exact in double.
 */
static double fixed_weight(const struct nnahw_cmd_resize *p, uint32_t i, uint32_t in, uint32_t out,
			   uint32_t row)
{
	bool corners = p->align_corners && out > 1;
	uint32_t over = corners ? out - 1 : out, scale = 1024 * (corners ? in - 1 : in);
	double at, last = 1024.0 * (in - 1);

	scale = (scale + over / 2) / over;
	at = (double)i * scale;
	if (p->half_pixel_centers)
		at += (double)(scale / 2) - 512;
	at = fmin(fmax(at, 0), last);
	return fmax(1024 - fabs(at - 1024.0 * row), 0);
}

static void verify_fixed(void)
{
	const struct nnahw_cmd_resize *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	const uint32_t *from = in->desc.dims, *to = out->desc.dims;
	uint32_t index[4] = { 0 };

	do {
		double want = 0, got = number(out, index);

		for (uint32_t k = 0; k < from[1] * from[2]; k++)
			want += number(in, (uint32_t[]){ index[0], k / from[2], k % from[2],
							 index[3] }) *
				fixed_weight(p, index[1], from[1], to[1], k / from[2]) *
				fixed_weight(p, index[2], from[2], to[2], k % from[2]);
		want = round(want / (1024 * 1024));
		if (got != want)
			fail_msg("resize in fixed point: got %g, not %g", got, want);
	} while (next_index(&out->desc, index));
}

static void test_fixed_point(void **state)
{
	struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;

	r.state = 31;
	for (int i = 0; i < 800; i++) {
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F32),
			 b = (uint32_t)rng_range(&r, 1, 2);
		uint32_t h = (uint32_t)rng_range(&r, 1, 9), w = (uint32_t)rng_range(&r, 1, 9),
			 ch = (uint32_t)rng_range(&r, 1, 20);
		uint32_t oh = (uint32_t)rng_range(&r, 1, 15), ow = (uint32_t)rng_range(&r, 1, 15);

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = rng_next(&r) & 1;
		p->fixed_point = 1;
		/* Not for this. */
		p->scale_h = p->scale_w = rng_float(&r, -10, 10);
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ b, oh, ow, ch }, spread());
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ b, h, w, ch }, spread());
		if (!is_float(type)) {
			quantise(0, 0.5f);
			operand_quantise(&c.cmd.operands[1], 0.5f,
					 c.cmd.operands[0].desc.zero_point);
			/* Halves: sums of a few numbers near each other. */
			for (size_t k = 0; i & 1 && k < c.sizes[1]; k++)
				((uint8_t *)c.buffers[1])[k] = (uint8_t)rng_range(&r, -2, 2);
			run_all(verify_fixed);
			p->fixed_point = 2;
			assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR),
					 NNAHW_STATUS_BAD_COMMAND);
			p->fixed_point = 1;
			p->kind = NNAHW_RESAMPLE_NEAREST;
		}
		/* For quantised types and BILINEAR only. */
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

/* The rows, or columns, of corners by their definition. */
static void corners_of(const struct nnahw_cmd_resize *p, uint32_t i, float scale, uint32_t size,
		       float *at, int32_t row[2])
{
	*at = p->half_pixel_centers ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
	row[0] = (int32_t)fmaxf(floorf(*at), 0);
	row[1] = (int32_t)ceilf(*at);
	for (int k = 0; k < 2; k++)
		row[k] = row[k] < (int32_t)size ? row[k] < 0 ? 0 : row[k] : (int32_t)size - 1;
	*at -= (float)row[0];
}

static void verify_corners(void)
{
	const struct nnahw_cmd_resize *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[4] = { 0 };

	do {
		float fy, fx, sum, part[4];
		int32_t y[2], x[2];

		corners_of(p, index[1], p->scale_h, in->desc.dims[1], &fy, y);
		corners_of(p, index[2], p->scale_w, in->desc.dims[2], &fx, x);
		for (uint32_t k = 0; k < 4; k++)
			part[k] = (float)number(in, (uint32_t[]){ index[0], (uint32_t)y[k & 1],
								  (uint32_t)x[k >> 1],
								  index[3] });
		sum = part[0] * (1 - fy) * (1 - fx) + part[1] * fy * (1 - fx);
		sum = sum + part[2] * (1 - fy) * fx;
		sum = sum + part[3] * fy * fx;
		if (number(out, index) != (double)(uint8_t)(sum + 0.5f))
			fail_msg("corners: got %g, not %g", number(out, index), (double)sum);
	} while (next_index(&out->desc, index));
}

static void test_corners(void **state)
{
	struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;

	r.state = 32;
	for (int i = 0; i < 800; i++) {
		const uint32_t b = (uint32_t)rng_range(&r, 1, 2),
			       in[] = { b, (uint32_t)rng_range(&r, 1, 9),
					(uint32_t)rng_range(&r, 1, 9),
					(uint32_t)rng_range(&r, 1, 20) };
		/* At times to sixteenths. */
		const uint32_t times = 1u << rng_range(&r, 1, 3),
			       out[] = { b, i & 1 ? in[1] * times : (uint32_t)rng_range(&r, 1, 15),
					 i & 1 ? in[2] * times : (uint32_t)rng_range(&r, 1, 15),
					 in[3] };

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->corners = 1;
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = !p->align_corners && rng_next(&r) & 1;
		p->scale_h = p->align_corners && out[1] > 1 ?
				     (float)(in[1] - 1) / (float)(out[1] - 1) :
				     (float)in[1] / (float)out[1];
		p->scale_w = p->align_corners && out[2] > 1 ?
				     (float)(in[2] - 1) / (float)(out[2] - 1) :
				     (float)in[2] / (float)out[2];
		call_operand(&c, &r, 0, NNAHW_TYPE_U8, 4, out, spread());
		call_operand(&c, &r, 1, NNAHW_TYPE_U8, 4, in, spread());
		quantise(0, 0.5f);
		operand_quantise(&c.cmd.operands[1], 0.5f, c.cmd.operands[0].desc.zero_point);
		run_all(verify_corners);
		p->fixed_point = 1;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		p->fixed_point = 0;
		p->kind = NNAHW_RESAMPLE_NEAREST;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

static void test_resize(void **state)
{
	struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;

	r.state = 30;
	for (int i = 0; i < 800; i++) {
		uint32_t type = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			 b = (uint32_t)rng_range(&r, 1, 2);
		uint32_t h = (uint32_t)rng_range(&r, 1, 9), w = (uint32_t)rng_range(&r, 1, 9),
			 ch = (uint32_t)rng_range(&r, 1, 20);
		uint32_t oh = (uint32_t)rng_range(&r, 1, 15), ow = (uint32_t)rng_range(&r, 1, 15);

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->kind = rng_next(&r) & 1;
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = !p->align_corners && rng_next(&r) & 1;
		p->scale_h = p->align_corners && oh > 1 ? (float)(h - 1) / (float)(oh - 1)
							: (float)h / (float)oh;
		p->scale_w = p->align_corners && ow > 1 ? (float)(w - 1) / (float)(ow - 1)
							: (float)w / (float)ow;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ b, oh, ow, ch }, spread());
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ b, h, w, ch }, spread());
		operand_floats(&c, &r, 1, -2, 2);
		if (!is_float(type)) {
			quantise(0, 0.5f);
			operand_quantise(&c.cmd.operands[1], 0.5f,
					 c.cmd.operands[0].desc.zero_point);
		}
		run_all(verify_resize);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_fixed_point),
		cmocka_unit_test(test_corners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
