// SPDX-License-Identifier: MIT
/* ROI: random regions against double, malformed regions, hostile parameters. */
#include "tests/unit/device/nna/engine/case.h"

enum { ROI_BATCHES = 2 };

static void roi_init(uint32_t kind, uint32_t regions, uint32_t h, uint32_t w, uint32_t bins_h,
		     uint32_t bins_w)
{
	static const uint32_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					  NNAHW_TYPE_S8 };
	uint32_t type = types[rng_next(&r) % 4], channels = (uint32_t)rng_range(&r, 1, 3);
	bool quantised = type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_S8;
	struct nnadev_engine_operand *out, *in;

	call_init(&c, NNAHW_OP_ROI, sizeof(struct nnahw_cmd_roi), 4);
	out = call_operand(&c, &r, 0, type, 4, (uint32_t[]){ regions, bins_h, bins_w, channels },
			   spread());
	in = call_operand(&c, &r, 1, type, 4, (uint32_t[]){ ROI_BATCHES, h, w, channels },
			  spread());
	operand_floats(&c, &r, 1, -8, 8);
	if (quantised) {
		operand_quantise(in, 0.25f, 3);
		operand_quantise(out, kind == NNAHW_ROI_MAX ? 0.25f : 0.375f,
				 kind == NNAHW_ROI_MAX ? 3 : -3 + 8);
	}
	out = call_operand(&c, &r, 2, quantised ? NNAHW_TYPE_U16 : NNAHW_TYPE_F32, 2,
			   (uint32_t[]){ regions, 4 }, spread());
	if (quantised)
		operand_quantise(out, 0.125f, 0);
	call_operand(&c, &r, 3, NNAHW_TYPE_S32, 1, &regions, spread());
}

/*
 * Corners in eighths of a unit; the input has h rows, one per two units, and w columns, one per
 * unit.
 */
static void roi_regions(uint32_t regions, uint32_t h, uint32_t w)
{
	double unit = is_float(c.cmd.operands[1].desc.type) ? 0.125 : 1;

	for (uint32_t i = 0; i < regions; i++) {
		int64_t x = rng_range(&r, 0, 8 * w), y = rng_range(&r, 0, 16 * h);
		const double corner[] = { x, y, rng_range(&r, x, 8 * w), rng_range(&r, y, 16 * h) };

		for (uint32_t k = 0; k < 4; k++)
			set_number(&c.cmd.operands[2], (uint32_t[]){ i, k }, corner[k] * unit);
		set_number(&c.cmd.operands[3], &i, rng_range(&r, 0, ROI_BATCHES - 1));
	}
}

static double pixel(uint32_t batch, double y, double x, uint32_t channel)
{
	const struct nnadev_engine_operand *in = &c.cmd.operands[1];
	double sum = 0;

	y = fmin(y, in->desc.dims[1] - 1);
	x = fmin(x, in->desc.dims[2] - 1);
	for (int k = 0; k < 4; k++) {
		double row = k & 2 ? ceil(y) : floor(y), column = k & 1 ? ceil(x) : floor(x);
		double weight = fmax(0, 1 - fabs(row - y)) * fmax(0, 1 - fabs(column - x));

		if ((k & 2 && row == y) || (k & 1 && column == x))
			continue; /* counted by the floor */
		sum += weight *
		       value(in, (uint32_t[]){ batch, (uint32_t)row, (uint32_t)column, channel });
	}
	return sum;
}

static double roi_want(const uint32_t *index)
{
	const struct nnahw_cmd_roi *p = (const void *)c.raw;
	const uint32_t *in = c.cmd.operands[1].desc.dims, *out = c.cmd.operands[0].desc.dims;
	uint32_t batch = (uint32_t)number(&c.cmd.operands[3], index);
	double start[2], step[2], samples[2], sum = 0, best = -1e9;

	for (uint32_t k = 0; k < 2; k++) {
		double scale = k ? (double)p->scale_w : (double)p->scale_h;
		double low = value(&c.cmd.operands[2], (uint32_t[]){ index[0], 1 - k }) * scale;
		double high = value(&c.cmd.operands[2], (uint32_t[]){ index[0], 3 - k }) * scale;

		if (p->kind == NNAHW_ROI_MAX) {
			low = round(low);
			high = round(high) + 1;
		}
		start[k] = low;
		step[k] = fmax(high - low, 1) / out[1 + k];
		samples[k] = k ? p->samples_w : p->samples_h;
		samples[k] = samples[k] > 0 ? samples[k] : ceil(step[k]);
	}
	if (p->kind == NNAHW_ROI_MAX) {
		for (double y = floor(start[0] + step[0] * index[1]);
		     y < ceil(start[0] + step[0] * (index[1] + 1)); y++)
			for (double x = floor(start[1] + step[1] * index[2]);
			     x < ceil(start[1] + step[1] * (index[2] + 1)); x++)
				if (y < in[1] && x < in[2])
					best = fmax(best, pixel(batch, y, x, index[3]));
		return best > -1e9 ? best : 0;
	}
	for (double i = 0.5; i < samples[0]; i++)
		for (double k = 0.5; k < samples[1]; k++)
			sum += pixel(batch, start[0] + step[0] * (index[1] + i / samples[0]),
				     start[1] + step[1] * (index[2] + k / samples[1]), index[3]);
	return sum / samples[0] / samples[1];
}

static void test_roi(void **state)
{
	struct nnahw_cmd_roi *p = (struct nnahw_cmd_roi *)c.raw;

	r.state = 50;
	for (int i = 0; i < 600; i++) {
		uint32_t kind = rng_next(&r) % 2, h = (uint32_t)rng_range(&r, 1, 9),
			 w = (uint32_t)rng_range(&r, 1, 9);
		uint32_t regions = (uint32_t)rng_range(&r, 0, 4), index[4] = { 0 };
		const struct nnadev_engine_operand *out = &c.cmd.operands[0];

		/*
		 * Powers of two, so that what is rounded is the same number in fp32 and in double.
		 */
		roi_init(kind, regions, h, w, 1u << rng_range(&r, 0, 3), 1u << rng_range(&r, 0, 3));
		roi_regions(regions, h, w);
		p->kind = (uint8_t)kind;
		p->scale_h = 0.5f;
		p->scale_w = 1;
		if (kind == NNAHW_ROI_MEAN) {
			p->samples_h = (uint32_t)rng_range(&r, 0, 4);
			p->samples_w = (uint32_t)rng_range(&r, 0, 4);
		}
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		if (regions)
			do {
				double want = roi_want(index), got = value(out, index);
				double slack =
					is_float(out->desc.type)
						? 1e-5 + fabs(want) *
								  (out->desc.type == NNAHW_TYPE_F16
									   ? 0x1p-10
									   : 1e-5)
						: 0.500001 * (double)out->desc.scale;

				if (out->desc.scale != 0 && !is_float(out->desc.type)) {
					double low = out->desc.type == NNAHW_TYPE_S8 ? -128 : 0;

					want = fmin(fmax(want, (low - out->desc.zero_point) *
								       (double)out->desc.scale),
						    (low + 255 - out->desc.zero_point) *
							    (double)out->desc.scale);
				}
				if (!(fabs(got - want) <= slack))
					fail_msg("kind %u: got %g, not %g (+- %g)", kind, got, want,
						 slack);
			} while (next_index(&out->desc, index));
		call_free(&c);
	}
}

static void roi_malformed(uint32_t operand, const uint32_t *index, double x, uint32_t status)
{
	struct nnahw_cmd_roi *p = (struct nnahw_cmd_roi *)c.raw;
	static const float corners[] = { 0, 0, 4, 4 };

	do {
		call_free(&c);
		roi_init(NNAHW_ROI_MEAN, 2, 4, 4, 2, 2);
	} while (c.cmd.operands[2].desc.type != NNAHW_TYPE_F32);
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < 4; k++)
			set_number(&c.cmd.operands[2], (uint32_t[]){ i, k }, (double)corners[k]);
		set_number(&c.cmd.operands[3], &i, 1);
	}
	p->scale_h = p->scale_w = 1;
	set_number(&c.cmd.operands[operand], index, x);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), status);
	call_free(&c);
}

static void test_roi_malformed(void **state)
{
	r.state = 51;
	roi_malformed(2, (uint32_t[]){ 1, 0 }, 1, NNAHW_STATUS_OK);
	roi_malformed(2, (uint32_t[]){ 1, 0 }, 4, NNAHW_STATUS_OK);
	roi_malformed(2, (uint32_t[]){ 1, 0 }, 4.5, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(2, (uint32_t[]){ 1, 1 }, -0.5, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(2, (uint32_t[]){ 0, 2 }, 4.5, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(2, (uint32_t[]){ 0, 3 }, NAN, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(2, (uint32_t[]){ 0, 0 }, NAN, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(2, (uint32_t[]){ 0, 2 }, INFINITY, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(3, (uint32_t[]){ 1 }, -1, NNAHW_STATUS_BAD_INDEX);
	roi_malformed(3, (uint32_t[]){ 0 }, ROI_BATCHES, NNAHW_STATUS_BAD_INDEX);
}

/* Operands of nearly fitting shapes with any bytes in them, and any parameters. */
static void test_roi_hostile(void **state)
{
	int ok = 0, refused = 0;

	r.state = 54;
	for (int i = 0; i < 4000; i++) {
		uint32_t status;

		roi_init(rng_next(&r) % 2, (uint32_t)rng_range(&r, 0, 3),
			 (uint32_t)rng_range(&r, 0, 5), (uint32_t)rng_range(&r, 1, 5),
			 (uint32_t)rng_range(&r, 1, 4), (uint32_t)rng_range(&r, 1, 4));
		status = run_hostile(sizeof(struct nnahw_cmd_roi), 2, 3);
		ok += status == NNAHW_STATUS_OK;
		refused += status != NNAHW_STATUS_OK;
		call_free(&c);
	}
	print_message("%d ran, %d refused\n", ok, refused);
	/* Any bytes are seldom a region inside the input. */
	assert_true(ok > 60 && refused > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roi),
		cmocka_unit_test(test_roi_malformed),
		cmocka_unit_test(test_roi_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
