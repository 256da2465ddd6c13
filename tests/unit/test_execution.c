// SPDX-License-Identifier: MIT
/* Executions on the loopback: results, bindings, fences, errors, state. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "nnaccel.h"

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (getenv("NNA_TEST_VERBOSE"))
		fprintf(stderr, "%d: %s\n", level, text);
}

static const struct nna_log test_log = { log_line, NULL };

static int open_device(void **state)
{
	struct nna_device_options options = { .log = test_log, .threads = 2 };
	struct nna_device *device;

	if (nna_device_open("loopback", &options, &device))
		return -1;
	*state = device;
	return 0;
}

static int close_device(void **state)
{
	nna_device_close(*state);
	return 0;
}

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims, float scale,
			int32_t zero_point)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims, .scale = scale,
					 .zero_point = zero_point };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return ret;
}

static uint32_t scalar(struct nna_graph *g, int32_t value)
{
	uint32_t o = operand(g, NNA_INT32, 0, NULL, 0, 0);

	assert_int_equal(nna_graph_set_constant(g, 0, o, &value, sizeof(value), false), 0);
	return o;
}

/* out = a + b on float vectors of @n, or of unknown length for 0. */
static struct nna_graph *add_graph(uint32_t n)
{
	struct nna_graph *g;
	uint32_t a, b, act, out;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_TENSOR_FLOAT32, 1, &n, 0, 0);
	b = operand(g, NNA_TENSOR_FLOAT32, 1, &n, 0, 0);
	act = scalar(g, 0);
	out = operand(g, NNA_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_ADD, 3, (uint32_t[]){ a, b, act }, 1, &out), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ a, b }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

static void test_add(void **state)
{
	struct nna_graph *g = add_graph(100);
	struct nna_program *p;
	struct nna_execution *e;
	struct nna_timing timing;
	float a[100], b[100], out[100];

	for (int i = 0; i < 100; i++) {
		a[i] = i;
		b[i] = 0.5f * i;
	}
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, sizeof(a)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, b, sizeof(b)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	for (int run = 0; run < 3; run++) {
		a[0] = run;
		memset(out, 0xff, sizeof(out));
		assert_int_equal(nna_execution_compute(e), 0);
		for (int i = 0; i < 100; i++)
			assert_true(out[i] == a[i] + b[i]);
	}
	assert_int_equal(nna_execution_get_timing(e, &timing), 0);
	assert_true(timing.begin <= timing.end && timing.commands >= 1);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_add, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
