// SPDX-License-Identifier: MIT
/* BOX_WITH_NMS_LIMIT: its rules; outputs whose size only the run tells, also in a branch of IF. */
#include "tests/unit/libnnaccel/ops/box.h"

static const struct model box_with_nms = {
	NNA_OPERATION_BOX_WITH_NMS_LIMIT, 9, 4,
	{ F32(5, 3), F32(5, 12), S32(5), REAL(0.3), INT(-1), INT(0), REAL(0.4), REAL(1),
	  REAL(0.3) },
	{ F32(0), F32(0, 4), S32(0), S32(0) },
};

static const struct model box_with_nms_8 = {
	NNA_OPERATION_BOX_WITH_NMS_LIMIT, 9, 4,
	{ QUANT8(5, 3), BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 5, 12), S32(5), REAL(0.3),
	  INT(-1), INT(2), REAL(0.4), REAL(1), REAL(0.3) },
	{ QUANT8(0), BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0, 4), S32(0), S32(0) },
};

static const struct replaced broken[] = {
	/* Types. */
	{ &box_with_nms, false, 0, S32(5, 3) },
	{ &box_with_nms, false, 1, TENSOR(NNA_OPERAND_TENSOR_FLOAT16, 5, 12) },
	{ &box_with_nms, false, 2, F32(5) },
	{ &box_with_nms, false, 3, INT(1) },
	{ &box_with_nms, false, 4, REAL(1) },
	{ &box_with_nms, false, 5, REAL(1) },
	{ &box_with_nms, false, 6, INT(1) },
	{ &box_with_nms, false, 7, INT(1) },
	{ &box_with_nms, false, 8, BOOLEAN(1) },
	{ &box_with_nms, true, 0, TENSOR(NNA_OPERAND_TENSOR_FLOAT16, 0) },
	{ &box_with_nms, true, 1, S32(0, 4) },
	{ &box_with_nms, true, 2, F32(0) },
	{ &box_with_nms, true, 3, F32(0) },
	/* Ranks and dimensions. */
	{ &box_with_nms, false, 0, F32(5, 3, 1) },
	{ &box_with_nms, false, 0, F32(5, 1) },
	{ &box_with_nms, false, 1, F32(5, 4) },
	{ &box_with_nms, false, 1, F32(4, 12) },
	{ &box_with_nms, false, 1, F32(60) },
	{ &box_with_nms, false, 2, S32(4) },
	{ &box_with_nms, false, 2, S32(5, 1) },
	{ &box_with_nms, true, 0, F32(0, 1) },
	{ &box_with_nms, true, 1, F32(0, 3) },
	/* There are three kernels. */
	{ &box_with_nms, false, 5, INT(3) },
	{ &box_with_nms, false, 5, INT(-1) },
	/* Quantisation. */
	{ &box_with_nms_8, false, 1, F32(5, 12) },
	{ &box_with_nms_8, false, 1, QUANTISED(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.25f, 0, 5, 12) },
	{ &box_with_nms_8, false, 1,
	  QUANTISED(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.125f, 1, 5, 12) },
	{ &box_with_nms_8, true, 0, QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.25f, 0, 0) },
	{ &box_with_nms_8, true, 1, QUANTISED(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.25f, 0, 0, 4) },
};

static void test_good(void **state)
{
	box_check_good(&box_with_nms);
	box_check_good(&box_with_nms_8);
}

static void test_broken(void **state)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		box_check_replaced(&broken[i]);
}

/* Three boxes of one class. */
static struct model three_boxes(void)
{
	struct model m = box_with_nms;

	m.in[0] = (struct operand)F32(3, 2);
	m.in[1] = (struct operand)F32(3, 8);
	m.in[2] = (struct operand)S32(3);
	return m;
}

struct run {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	float scores[3][2], boxes[3][2][4];
	int32_t images[3];
	float kept_scores[4], kept_boxes[4][4];
	int32_t kept_classes[4], kept_images[4];
};

/*
 * Three boxes of one class, the first two on the same spot; the outputs' number of rows is stated
 * as @rows, 0 is unknown.
 */
static void run_begin(struct run *run, struct nna_device *device, uint32_t rows)
{
	static const float boxes[3][4] = { { 0, 0, 8, 8 }, { 0, 0, 8, 8 }, { 10, 10, 14, 14 } };
	struct model m = three_boxes();

	*run = (struct run){ 0 };
	for (uint32_t i = 0; i < 4; i++)
		m.out[i].dims[0] = rows;
	assert_int_equal(box_build(&m, &run->graph), 0);
	assert_int_equal(nna_program_create(device, run->graph, NULL, &run->program), 0);
	assert_int_equal(nna_execution_create(run->program, &run->execution), 0);
	for (uint32_t i = 0; i < 3; i++)
		memcpy(run->boxes[i][1], boxes[i], sizeof(boxes[i]));
	assert_int_equal(nna_execution_set_input(run->execution, 0, 0, NULL, run->scores,
						 sizeof(run->scores)),
			 0);
	assert_int_equal(
		nna_execution_set_input(run->execution, 1, 0, NULL, run->boxes, sizeof(run->boxes)),
		0);
	assert_int_equal(nna_execution_set_input(run->execution, 2, 0, NULL, run->images,
						 sizeof(run->images)),
			 0);
}

static void run_outputs(struct run *run, uint32_t rows)
{
	struct nna_execution *e = run->execution;

	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, run->kept_scores, rows * 4), 0);
	assert_int_equal(nna_execution_set_output(e, 1, 0, NULL, run->kept_boxes, rows * 16), 0);
	assert_int_equal(nna_execution_set_output(e, 2, 0, NULL, run->kept_classes, rows * 4), 0);
	assert_int_equal(nna_execution_set_output(e, 3, 0, NULL, run->kept_images, rows * 4), 0);
}

static void run_end(struct run *run)
{
	nna_execution_destroy(run->execution);
	nna_program_destroy(run->program);
	nna_graph_unref(run->graph);
}

/* Runs with scores of the three boxes; as many rows as @rows come out. */
static int run_scores(struct run *run, float a, float b, float c, uint32_t rows)
{
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	int ret;

	run->scores[0][1] = a;
	run->scores[1][1] = b;
	run->scores[2][1] = c;
	memset(run->kept_scores, 0x55, sizeof(run->kept_scores));
	ret = nna_execution_compute(run->execution);
	if (ret && ret != -ENOSPC)
		return ret;
	assert_int_equal(nna_execution_get_output_dims(run->execution, 1, &rank, dims), ret);
	assert_int_equal(rank, 2);
	assert_int_equal(dims[0], rows);
	assert_int_equal(dims[1], 4);
	assert_int_equal(nna_execution_get_output_dims(run->execution, 2, &rank, dims), ret);
	assert_int_equal(rank, 1);
	assert_int_equal(dims[0], rows);
	return ret;
}

static void test_counted(void **state)
{
	uint32_t untouched;
	struct nna_io_info info;
	struct nna_fence *fence;
	struct run run;

	memset(&untouched, 0x55, sizeof(untouched));
	run_begin(&run, *state, 0);
	assert_int_equal(nna_program_get_output(run.program, 1, &info), 0);
	assert_int_equal(info.dims[0], 0);
	assert_int_equal(info.dims[1], 4);
	assert_int_equal(info.size, 0);
	run_outputs(&run, 3);
	/* The first two overlap. */
	assert_int_equal(run_scores(&run, 0.5f, 0.75f, 0.625f, 2), 0);
	assert_true(run.kept_scores[0] == 0.75f && run.kept_scores[1] == 0.625f);
	assert_memory_equal(&run.kept_scores[2], &untouched, 4);
	assert_true(run.kept_boxes[1][0] == 10);
	assert_int_equal(run.kept_classes[1], 1);
	assert_int_equal(run_scores(&run, 0.5f, 0.75f, 0.25f, 1), 0);
	assert_int_equal(run_scores(&run, 0, 0, 0, 0), 0);
	assert_memory_equal(run.kept_scores, &untouched, 4);
	/* In other images they do not. */
	run.images[1] = run.images[2] = 7;
	assert_int_equal(run_scores(&run, 0.5f, 0.75f, 0.625f, 3), 0);
	assert_true(run.kept_scores[0] == 0.5f && run.kept_images[0] == 0 &&
		    run.kept_images[2] == 7);
	/* Too little room for all, enough for some. */
	run_outputs(&run, 1);
	assert_int_equal(run_scores(&run, 0.5f, 0.75f, 0.625f, 3), -ENOSPC);
	assert_int_equal(run_scores(&run, 0.5f, 0, 0, 1), 0);
	/* It runs synchronously. */
	assert_int_equal(nna_execution_submit(run.execution, NULL, 0, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, 0), 0);
	nna_fence_destroy(fence);
	run_end(&run);
}

/* Where the model states the number of rows another number is an error. */
static void test_stated(void **state)
{
	struct nna_io_info info;
	struct run run;

	run_begin(&run, *state, 2);
	assert_int_equal(nna_program_get_output(run.program, 0, &info), 0);
	assert_int_equal(info.dims[0], 2);
	assert_int_equal(info.size, 8);
	run_outputs(&run, 3);
	assert_int_equal(run_scores(&run, 0.5f, 0.75f, 0.625f, 2), 0);
	assert_int_equal(run_scores(&run, 0.5f, 0, 0, 1), -EINVAL);
	assert_non_null(strstr(last_line, "has 1 rows instead of 2"));
	run_end(&run);
}

/* A subgraph that is one BOX_WITH_NMS_LIMIT. */
static struct operand add_branch(struct nna_graph *g, double threshold)
{
	struct model m = three_boxes();
	uint32_t in[9], out[4];
	int s = nna_graph_add_subgraph(g);

	assert_true(s > 0);
	m.in[6].value = threshold;
	for (uint32_t i = 0; i < 9; i++)
		in[i] = box_add_operand(g, s, &m.in[i]);
	for (uint32_t i = 0; i < 4; i++)
		out[i] = box_add_operand(g, s, &m.out[i]);
	assert_int_equal(nna_graph_add_operation(g, s, m.type, 9, in, 4, out), 0);
	assert_int_equal(nna_graph_set_io(g, s, 3, in, 4, out), 0);
	return (struct operand){ .type = NNA_OPERAND_SUBGRAPH, .value = s };
}

/* The branch that is taken decides how many there are. */
static void test_counted_in_if(void **state)
{
	struct model m = three_boxes();
	const struct operand condition = TENSOR(NNA_OPERAND_TENSOR_BOOL8, 1);
	uint32_t in[6], out[4], rank, dims[NNACCEL_MAX_RANK];
	float scores[3][2] = { { 0, 0.5f }, { 0, 0.75f }, { 0, 0.625f } }, boxes[3][2][4] = { 0 },
	      kept[4][4];
	int32_t images[3] = { 0 };
	struct nna_program *program;
	struct nna_execution *e;
	struct nna_graph *g;
	uint8_t truth;

	for (uint32_t i = 0; i < 3; i++)
		boxes[i][1][2] = boxes[i][1][3] = 8;
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in[0] = box_add_operand(g, 0, &condition);
	for (uint32_t i = 1; i < 3; i++) {
		struct operand branch = add_branch(g, i == 1 ? 0.5 : 2);

		in[i] = box_add_operand(g, 0, &branch);
		assert_int_equal(nna_graph_set_subgraph(g, 0, in[i], (uint32_t)branch.value), 0);
	}
	for (uint32_t i = 0; i < 3; i++)
		in[3 + i] = box_add_operand(g, 0, &m.in[i]);
	for (uint32_t i = 0; i < 4; i++)
		out[i] = box_add_operand(g, 0, &m.out[i]);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_IF, 6, in, 4, out), 0);
	in[2] = in[0];
	assert_int_equal(nna_graph_set_io(g, 0, 4, in + 2, 4, out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, &truth, 1), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, scores, sizeof(scores)), 0);
	assert_int_equal(nna_execution_set_input(e, 2, 0, NULL, boxes, sizeof(boxes)), 0);
	assert_int_equal(nna_execution_set_input(e, 3, 0, NULL, images, sizeof(images)), 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(nna_execution_set_output(e, i, 0, NULL, kept[i == 1 ? 1 : 0],
							  i == 1 ? 48 : 16),
				 0);
	for (truth = 0; truth < 2; truth++) {
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 3, &rank, dims), 0);
		assert_int_equal(dims[0], truth ? 1 : 3);
	}
	nna_execution_destroy(e);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_broken),
		cmocka_unit_test_setup_teardown(test_counted, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_stated, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_counted_in_if, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
