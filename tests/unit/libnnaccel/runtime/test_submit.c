// SPDX-License-Identifier: MIT
/* Runs that are a row of jobs: which are, how many jobs they have, that nothing else differs. */
#include <errno.h>
#include <string.h>

#include "libnnaccel/winsys/job.h"
#include "tests/unit/libnnaccel/runtime/sum.h"

/* More than a row has that ROWS takes, so that the operations remain commands of their own. */
#define COUNT 5000u
#define STEPS 5u

/* The loopback, whose submissions are counted. */
static struct nna_winsys_ops counting;
static const struct nna_winsys_ops *loopback;
static uint32_t submissions, slices;

static int count_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			const struct nna_winsys_job *job, struct nna_fence **out)
{
	submissions++;
	slices += job->job->slice;
	return loopback->queue_submit(ws, queue, job, out);
}

static int open_counted(void **state)
{
	struct nna_device *device;

	if (open_device(state))
		return -1;
	device = *state;
	loopback = device->ws->ops;
	counting = *loopback;
	counting.queue_submit = count_submit;
	device->ws->ops = &counting;
	return 0;
}

static int close_counted(void **state)
{
	((struct nna_device *)*state)->ws->ops = loopback;
	return close_device(state);
}

/* out = max(a, b) * b ... of STEPS commands, each of which needs the one before. */
static struct nna_graph *chain_graph(void)
{
	const uint32_t n = COUNT;
	uint32_t a, b, act, out;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	b = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	act = scalar(g, 0);
	out = a;
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t from = out;

		out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
		assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
							 (uint32_t[]){ from, b, act }, 1, &out),
				 0);
	}
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ a, b }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

struct chain {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	float a[COUNT], b[COUNT], out[COUNT];
};

static void chain_begin(struct chain *c, struct nna_device *device)
{
	c->graph = chain_graph();
	for (uint32_t i = 0; i < COUNT; i++) {
		c->a[i] = (float)(i % 1000);
		c->b[i] = 0.25f * (float)(i % 77);
	}
	memset(c->out, 0, sizeof(c->out));
	assert_int_equal(nna_program_create(device, c->graph, NULL, &c->program), 0);
	assert_int_equal(nna_execution_create(c->program, &c->execution), 0);
	assert_int_equal(nna_execution_set_input(c->execution, 0, 0, NULL, c->a, sizeof(c->a)), 0);
	assert_int_equal(nna_execution_set_input(c->execution, 1, 0, NULL, c->b, sizeof(c->b)), 0);
	assert_int_equal(nna_execution_set_output(c->execution, 0, 0, NULL, c->out,
						  sizeof(c->out)), 0);
	submissions = 0;
	slices = 0;
}

static void chain_check(const struct chain *c, const float *out)
{
	for (uint32_t i = 0; i < COUNT; i++)
		assert_true(out[i] == c->a[i] + STEPS * c->b[i]);
}

static void chain_end(struct chain *c)
{
	nna_execution_destroy(c->execution);
	nna_program_destroy(c->program);
	nna_graph_unref(c->graph);
}

static uint64_t commands_of(const struct chain *c)
{
	struct nna_timing timing;

	assert_int_equal(nna_execution_get_timing(c->execution, &timing), 0);
	return timing.commands;
}

/* A run whose slice is used up after each command has a job for each, and the same results. */
static void test_row_of_jobs(void **state)
{
	struct nna_device *device = *state;
	static struct chain c;
	uint64_t commands;

	assert_true(device->ws->slice_ns > 0);
	chain_begin(&c, device);
	assert_int_equal(nna_execution_compute(c.execution), 0);
	chain_check(&c, c.out);
	assert_int_equal(submissions, 1);
	assert_int_equal(slices, 1);
	commands = commands_of(&c);
	assert_true(commands >= STEPS);
	device->ws->slice_ns = 1;
	memset(c.out, 0, sizeof(c.out));
	assert_int_equal(nna_execution_compute(c.execution), 0);
	chain_check(&c, c.out);
	assert_true(submissions >= 1 + STEPS);
	assert_int_equal(submissions, slices);
	assert_int_equal(commands_of(&c), commands);
	chain_end(&c);
}

/* The same for a run that is waited for later, whose outputs are to be copied. */
static void test_row_behind_a_fence(void **state)
{
	struct nna_device *device = *state;
	struct nna_fence *fence;
	static struct chain c;

	device->ws->slice_ns = 1;
	chain_begin(&c, device);
	assert_int_equal(nna_execution_submit(c.execution, NULL, 0, &fence), 0);
	assert_int_equal(nna_fence_export(fence), -ENOTSUP);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	nna_fence_destroy(fence);
	chain_check(&c, c.out);
	assert_true(submissions >= STEPS);
	chain_end(&c);
}

/* A run whose fence others may get is one job, unless it may take too long: then it has ended. */
static void test_fence_of_others(void **state)
{
	const struct nna_program_options options = { 0 };
	struct nna_device *device = *state;
	struct nna_program *program;
	struct nna_buffer *buffer;
	struct nna_fence *fence;
	static struct chain c;
	const float *out;

	assert_true(device->ws->work_limit > 0);
	device->ws->slice_ns = 1;
	chain_begin(&c, device);
	assert_int_equal(nna_buffer_create(device, sizeof(c.out), &buffer), 0);
	out = nna_buffer_map(buffer);
	assert_int_equal(nna_execution_set_output_buffer(c.execution, 0, 0, NULL, buffer, 0,
							 sizeof(c.out)), 0);
	assert_int_equal(nna_execution_submit(c.execution, NULL, 0, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	nna_fence_destroy(fence);
	chain_check(&c, out);
	assert_int_equal(submissions, 1);
	assert_int_equal(slices, 0);
	/* The same graph for a device that states that it is slow. */
	device->ws->work_limit = 1;
	nna_execution_destroy(c.execution);
	assert_int_equal(nna_program_create(device, c.graph, &options, &program), 0);
	assert_int_equal(nna_execution_create(program, &c.execution), 0);
	assert_int_equal(nna_execution_set_input(c.execution, 0, 0, NULL, c.a, sizeof(c.a)), 0);
	assert_int_equal(nna_execution_set_input(c.execution, 1, 0, NULL, c.b, sizeof(c.b)), 0);
	assert_int_equal(nna_execution_set_output_buffer(c.execution, 0, 0, NULL, buffer, 0,
							 sizeof(c.out)), 0);
	submissions = 0;
	assert_int_equal(nna_execution_submit(c.execution, NULL, 0, &fence), 0);
	assert_true(submissions >= STEPS);
	assert_int_equal(slices, submissions);
	assert_int_equal(nna_fence_wait(fence, 0), 0);
	assert_int_equal(nna_fence_export(fence), -ENOTSUP);
	nna_fence_destroy(fence);
	chain_check(&c, out);
	nna_execution_destroy(c.execution);
	c.execution = NULL;
	nna_program_destroy(program);
	chain_end(&c);
	nna_buffer_destroy(buffer);
}

/* What cancels a run ends it between two of its jobs, too; a deadline is the run's, not a job's. */
static void test_end_of_row(void **state)
{
	struct nna_device *device = *state;
	static struct chain c;

	device->ws->slice_ns = 1;
	chain_begin(&c, device);
	assert_int_equal(nna_execution_set_deadline(c.execution, 1), 0);
	assert_int_equal(nna_execution_compute(c.execution), -ETIMEDOUT);
	assert_int_equal(nna_execution_set_deadline(c.execution, 0), 0);
	assert_int_equal(nna_execution_set_duration(c.execution, 60000000000ull), 0);
	assert_int_equal(nna_execution_compute(c.execution), 0);
	chain_check(&c, c.out);
	chain_end(&c);
}

/* A sum of a convolution of 3 x 3, exact for the values of test_large_operation(). */
static float conv_at(uint32_t y, uint32_t x, uint32_t n, uint32_t edge, uint32_t depth,
		     const float *in, const float *weights)
{
	float sum = 0;

	for (uint32_t k = 0; k < 9; k++) {
		const uint32_t row = y + k / 3 - 1, column = x + k % 3 - 1;

		for (uint32_t c = 0; c < depth && row < edge && column < edge; c++)
			sum += in[(row * edge + column) * depth + c] *
			       weights[(n * 9 + k) * depth + c];
	}
	return sum;
}

/* One operation of more work than a command may have: several commands, and a job for each. */
static void test_large_operation(void **state)
{
	const uint32_t edge = 64, depth = 128, n = 256;
	const uint32_t in_dims[] = { 1, edge, edge, depth }, out_dims[] = { 1, edge, edge, n };
	const uint32_t weights_dims[] = { n, 3, 3, depth };
	const size_t in_count = edge * edge * depth, out_count = edge * edge * n;
	const size_t weights_count = n * 9 * depth;
	float *in = calloc(in_count, sizeof(float)), *out = calloc(out_count, sizeof(float));
	float *weights = calloc(weights_count, sizeof(float)), *bias = calloc(n, sizeof(float));
	struct nna_device *device = *state;
	struct nna_execution *e;
	struct nna_program *p;
	struct nna_graph *g;
	uint32_t inputs[7], result;

	for (size_t i = 0; i < in_count; i++)
		in[i] = (float)(i * 2654435761u >> 20 & 3);
	for (size_t i = 0; i < weights_count; i++)
		weights[i] = (float)(i * 2246822519u >> 20 & 3) - 1;
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	inputs[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, in_dims, 0, 0);
	inputs[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, weights_dims, 0, 0);
	inputs[2] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_set_constant(g, 0, inputs[1], weights,
						weights_count * sizeof(float), false), 0);
	assert_int_equal(nna_graph_set_constant(g, 0, inputs[2], bias, n * sizeof(float), false),
			 0);
	inputs[3] = scalar(g, 1); /* padding SAME */
	inputs[4] = inputs[5] = scalar(g, 1);
	inputs[6] = scalar(g, 0);
	result = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, out_dims, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_CONV_2D, 7, inputs, 1,
						 &result), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 1, inputs, 1, &result), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	device->ws->slice_ns = 1;
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, in, in_count * sizeof(float)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, out_count * sizeof(float)),
			 0);
	submissions = 0;
	assert_int_equal(nna_execution_compute(e), 0);
	assert_true(submissions >= 3);
	for (uint32_t i = 0; i < edge * edge; i++) {
		const uint32_t c = i * 7 % n;

		assert_true(out[i * n + c] == conv_at(i / edge, i % edge, c, edge, depth, in,
						      weights));
	}
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
	free(in);
	free(out);
	free(weights);
	free(bias);
}

/* What the device computes while a program is compiled is a row of jobs, too. */
static void test_folded(void **state)
{
	struct nna_device *device = *state;
	const uint32_t n = COUNT;
	struct nna_execution *e;
	struct nna_program *p;
	static float c[COUNT], a[COUNT], out[COUNT];
	struct nna_graph *g;

	for (uint32_t i = 0; i < n; i++) {
		a[i] = (float)i;
		c[i] = (float)(i % 5);
	}
	g = folded_graph(c, n);
	device->ws->slice_ns = 1;
	submissions = 0;
	slices = 0;
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_true(submissions >= 1);
	assert_int_equal(slices, submissions);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, sizeof(a)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_true(out[i] == a[i] + 2 * c[i]);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_counted, close_counted)
	const struct CMUnitTest tests[] = {
		TEST(test_row_of_jobs),
		TEST(test_row_behind_a_fence),
		TEST(test_fence_of_others),
		TEST(test_end_of_row),
		TEST(test_large_operation),
		TEST(test_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
