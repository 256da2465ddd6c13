// SPDX-License-Identifier: MIT
/* ROI_ALIGN and ROI_POOLING: their rules; no regions; regions beyond the image. */
#include "tests/unit/libnnaccel/ops/box.h"

#include <math.h>

static const struct model roi_align = {
	NNA_OPERATION_ROI_ALIGN, 10, 1,
	{ F32(2, 8, 8, 3), F32(5, 4), S32(5), INT(2), INT(3), REAL(1), REAL(2), INT(0), INT(4),
	  BOOLEAN(0) },
	{ F32(5, 2, 3, 3) },
};

static const struct model roi_align_8 = {
	NNA_OPERATION_ROI_ALIGN, 10, 1,
	{ QUANT8(2, 3, 8, 8), BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 5, 4), S32(5), INT(2),
	  INT(3), REAL(1), REAL(2), INT(0), INT(4), BOOLEAN(1) },
	{ QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.25f, 7, 5, 3, 2, 3) },
};

static const struct model roi_pooling = {
	NNA_OPERATION_ROI_POOLING, 8, 1,
	{ F32(2, 8, 8, 3), F32(5, 4), S32(5), INT(2), INT(3), REAL(1), REAL(2), BOOLEAN(0) },
	{ F32(5, 2, 3, 3) },
};

static const struct model roi_pooling_8 = {
	NNA_OPERATION_ROI_POOLING, 8, 1,
	{ QUANT8(2, 8, 8, 3), BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 5, 4), S32(5), INT(2),
	  INT(3), REAL(1), REAL(2), BOOLEAN(0) },
	{ QUANT8(5, 2, 3, 3) },
};

static const struct replaced broken[] = {
	{ &roi_align, false, 0, S32(2, 8, 8, 3) },
	{ &roi_align, false, 0, F32(2, 8, 24) },
	{ &roi_align, false, 1, S32(5, 4) },
	{ &roi_align, false, 1, F32(5, 5) },
	{ &roi_align, false, 1, F32(20) },
	{ &roi_align, false, 2, F32(5) },
	{ &roi_align, false, 2, S32(4) },
	{ &roi_align, false, 3, INT(0) },
	{ &roi_align, false, 4, INT(-1) },
	{ &roi_align, false, 4, REAL(3) },
	{ &roi_align, false, 5, REAL(0) },
	{ &roi_align, false, 6, REAL(-1) },
	{ &roi_align, false, 6, REAL(NAN) },
	{ &roi_align, false, 6, INT(1) },
	{ &roi_align, false, 7, INT(-1) },
	{ &roi_align, false, 8, INT(-1) },
	{ &roi_align, false, 8, REAL(1) },
	{ &roi_align, false, 9, INT(0) },
	{ &roi_align, true, 0, F32(5, 3, 2, 3) },
	{ &roi_align, true, 0, TENSOR(NNA_OPERAND_TENSOR_FLOAT16, 5, 2, 3, 3) },
	{ &roi_align_8, false, 1, F32(5, 4) },
	{ &roi_align_8, false, 1, QUANTISED(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.25f, 0, 5, 4) },
	{ &roi_align_8, true, 0, QUANT8(5, 2, 3, 3) },
	{ &roi_pooling, false, 0, S32(2, 8, 8, 3) },
	{ &roi_pooling, false, 1, F32(5, 3) },
	{ &roi_pooling, false, 2, S32(5, 1) },
	{ &roi_pooling, false, 3, INT(-2) },
	{ &roi_pooling, false, 5, REAL(0) },
	{ &roi_pooling, false, 7, INT(0) },
	{ &roi_pooling_8, true, 0,
	  QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.25f, 0, 5, 2, 3, 3) },
};

static void test_good(void **state)
{
	box_check_good(&roi_align);
	box_check_good(&roi_align_8);
	box_check_good(&roi_pooling);
	box_check_good(&roi_pooling_8);
}

static void test_broken(void **state)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		box_check_replaced(&broken[i]);
}

/* Without regions the output has no elements; its other dimensions are as always. */
static void test_no_regions(void **state)
{
	static const float image[2 * 8 * 8 * 3] = { 0 };
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	struct model m = roi_align;
	struct nna_program *program;
	struct nna_execution *e;
	struct nna_graph *g;
	uint8_t out;

	for (int pooling = 0; pooling < 2; pooling++) {
		m = pooling ? roi_pooling : roi_align;
		m.in[1].dims[0] = m.in[2].dims[0] = m.out[0].dims[0] = 0;
		assert_int_equal(box_build(&m, &g), 0);
		assert_int_equal(nna_program_create(*state, g, NULL, &program), 0);
		assert_int_equal(nna_execution_create(program, &e), 0);
		assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, image, sizeof(image)), 0);
		assert_int_equal(nna_execution_set_input(e, 1, 2, (uint32_t[]){ 0, 4 }, image, 0),
				 0);
		assert_int_equal(nna_execution_set_input(e, 2, 1, (uint32_t[]){ 0 }, image, 0), 0);
		assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, &out, 1), 0);
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
		assert_int_equal(rank, 4);
		assert_true(!dims[0] && dims[1] == 2 && dims[2] == 3 && dims[3] == 3);
		nna_execution_destroy(e);
		nna_program_destroy(program);
		nna_graph_unref(g);
	}
}

/* A region beyond its image: the run fails, the next one does not. */
static void test_bad_region(void **state)
{
	static float image[2 * 8 * 8 * 3], regions[5][4], out[5 * 2 * 3 * 3];
	int32_t images[5] = { 0 };
	struct nna_program *program;
	struct nna_execution *e;
	struct nna_graph *g;

	assert_int_equal(box_build(&roi_align, &g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, image, sizeof(image)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, regions, sizeof(regions)), 0);
	assert_int_equal(nna_execution_set_input(e, 2, 0, NULL, images, sizeof(images)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	regions[3][2] = 17; /* of 16 */
	assert_true(nna_execution_compute(e) < 0);
	regions[3][2] = 16;
	assert_int_equal(nna_execution_compute(e), 0);
	images[4] = 2;
	assert_true(nna_execution_compute(e) < 0);
	images[4] = 1;
	assert_int_equal(nna_execution_compute(e), 0);
	nna_execution_destroy(e);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

/*
 * Where a sample lies is a sum in FLOAT32, in the order of NNAPI's reference. In real numbers the
 * one in the middle lies on pixel 2, which is 0; in FLOAT32 just before it, and pixel 1 is large.
 */
static void test_sample_before_pixel(void **state)
{
	static const float region[] = { 1.125f, 0, 2.875f, 8 };
	static const struct model model = {
		NNA_OPERATION_ROI_ALIGN, 10, 1,
		{ F32(1, 8, 8, 1), F32(1, 4), S32(1), INT(1), INT(3), REAL(1), REAL(1), INT(1),
		  INT(1), BOOLEAN(0) },
		{ F32(1, 1, 3, 1) },
	};
	const float step = (region[2] - region[0]) / 3, at = step + region[0] + step / 2;
	float image[8 * 8] = { 0 }, out[3];
	struct nna_program *program;
	struct nna_execution *e;
	int32_t batch = 0;
	struct nna_graph *g;

	assert_true(at > 1 && at < 2);
	for (int y = 0; y < 8; y++)
		image[8 * y + 1] = 0x1p30f;
	assert_int_equal(box_build(&model, &g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, image, sizeof(image)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, region, sizeof(region)), 0);
	assert_int_equal(nna_execution_set_input(e, 2, 0, NULL, &batch, sizeof(batch)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_float_equal(out[1], (1 - (at - 1)) * 0x1p30f, 0);
	nna_execution_destroy(e);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_broken),
		cmocka_unit_test_setup_teardown(test_no_regions, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_bad_region, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_sample_before_pixel, open_device,
						close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
