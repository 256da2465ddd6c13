// SPDX-License-Identifier: MIT
/*
 * RESIZE by repetition of pixels, on the device model: each pixel is the one that the position of
 * docs/hardware.md says. What blends pixels is refused.
 */
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "tests/unit/libnnaccel/backend/ethosu/run.h"

/**
 * struct resize - a case
 * @in: rows and columns of the input
 * @out: of the result
 * @mode: enum nna_resize
 * @centers: half_pixel_centers
 * @corners: align_corners
 * @done: whether the NPU does it
 */
struct resize {
	uint32_t in[2], out[2];
	uint8_t mode;
	bool centers, corners, done;
};

static const struct resize cases[] = {
	{ { 5, 7 }, { 10, 14 }, NNA_RESIZE_NEAREST, false, false, true },
	{ { 5, 7 }, { 10, 28 }, NNA_RESIZE_NEAREST, true, false, true },
	{ { 5, 7 }, { 5, 14 }, NNA_RESIZE_NEAREST, false, false, true },
	{ { 1, 1 }, { 33, 35 }, NNA_RESIZE_BILINEAR, false, true, true },
	{ { 1, 7 }, { 9, 7 }, NNA_RESIZE_BILINEAR, true, false, true },
	{ { 1, 7 }, { 3, 14 }, NNA_RESIZE_NEAREST, false, false, true },
	{ { 5, 7 }, { 5, 7 }, NNA_RESIZE_BILINEAR, false, false, true },
	{ { 5, 7 }, { 10, 14 }, NNA_RESIZE_BILINEAR, false, false, false },
	{ { 5, 7 }, { 15, 21 }, NNA_RESIZE_NEAREST, false, false, false },
	{ { 5, 7 }, { 10, 14 }, NNA_RESIZE_NEAREST, false, true, false },
	{ { 10, 14 }, { 5, 7 }, NNA_RESIZE_NEAREST, false, false, false },
};

#define DEPTH 21u
#define BATCH 2u

static void check(const char *name, const struct resize *c)
{
	static const struct nna_log silent;
	const struct ethosu_config *config = ethosu_config_find(name);
	const uint32_t dims[2][4] = { { BATCH, c->out[0], c->out[1], DEPTH },
				      { BATCH, c->in[0], c->in[1], DEPTH } };
	struct nna_ir_op op = { .kind = NNA_IR_RESIZE };
	uint8_t input[BATCH * 16 * 16 * DEPTH], got[BATCH * 40 * 40 * DEPTH];
	struct nna_ethosu_target target;
	struct nna_ethosu_writer writer;
	uint32_t numbers[2], *words, count;
	struct nna_lower *l;
	char reason[256] = "";
	int ret;

	assert_true(nna_ethosu_target_read(config->config, &target));
	assert_int_equal(nna_lower_create(NULL, &silent, &l), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct nna_value v;

		assert_int_equal(nna_value_plain(&v, NNA_TYPE_S8, 4, dims[i], 0.5f, 7), 0);
		numbers[i] = (uint32_t)nna_value_in_storage(l, &v, i ? NNA_STORAGE_INPUT :
							    NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	}
	for (uint32_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)(i * 37 + i / 256);
	op.resize = (struct nna_ir_resize){
		.mode = c->mode, .align_corners = c->corners, .half_pixel_centers = c->centers,
		.scale_h = (float)c->in[0] / (float)c->out[0],
		.scale_w = (float)c->in[1] / (float)c->out[1],
	};
	assert_int_equal(nna_ir_add(l, &op, numbers), 0);
	ret = nna_ethosu_resize.accepts(l, &target, &l->ops[0], reason, sizeof(reason));
	assert_int_equal(!ret, c->done);
	assert_int_equal(*reason == 0, c->done);
	if (c->done) {
		run_plan(l);
		nna_ethosu_writer_begin(&writer, &target);
		assert_int_equal(nna_ethosu_resize.emit(l, &target, &l->ops[0], &writer), 0);
		assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
		run_stream(config, l, numbers, input, words, count, got);
		free(words);
		for (uint32_t i = 0; i < BATCH * c->out[0] * c->out[1] * DEPTH; i++) {
			uint32_t x = i / DEPTH % c->out[1], y = i / DEPTH / c->out[1] % c->out[0];
			uint32_t b = i / DEPTH / c->out[1] / c->out[0];

			y = y * c->in[0] / c->out[0];
			x = x * c->in[1] / c->out[1];
			assert_int_equal(got[i], input[((b * c->in[0] + y) * c->in[1] + x) * DEPTH +
						       i % DEPTH]);
		}
	}
	nna_lower_destroy(l);
}

static void test_cases(void **state)
{
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check("ethos-u65-256", &cases[i]);
		check("ethos-u85-256", &cases[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
