// SPDX-License-Identifier: MIT
/*
 * What a program has of the device's memory: its commands and constants after compiling, scratch
 * memory from the first run on, and that only until nobody has used it for a while. The operations
 * of the winsys that make and destroy BOs are this file's, and count.
 */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <stdatomic.h>

static const struct nna_winsys_ops *real;
static struct nna_winsys_ops counting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t live; /* bytes of BOs */

static int bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
		     struct nna_winsys_bo **out)
{
	int ret = real->bo_create(ws, size, flags, out);

	pthread_mutex_lock(&lock);
	if (!ret)
		live += (*out)->size;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	pthread_mutex_lock(&lock);
	if (bo)
		live -= bo->size;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	real->bo_destroy(ws, bo);
}

static uint64_t get_live(void)
{
	uint64_t bytes;

	pthread_mutex_lock(&lock);
	bytes = live;
	pthread_mutex_unlock(&lock);
	return bytes;
}

static void wait_for_live(uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	while (live != bytes)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static struct nna_device *count_bos(void **state, uint64_t idle_ns)
{
	struct nna_device *device = *state;

	if (!real) {
		real = device->ws->ops;
		counting = *real;
		counting.bo_create = bo_create;
		counting.bo_destroy = bo_destroy;
	}
	device->ws->ops = &counting;
	device->spares.after_ns = idle_ns;
	return device;
}

/* After compiling there are the BOs of programs and constants, and nothing else. */
static void compiling_leaves_the_program(void **state)
{
	static const uint32_t sizes[] = { 4, 100000 };
	struct nna_device *device = count_bos(state, NNA_SPARE_NS);
	uint64_t before = get_live();

	for (int i = 0; i < 4; i++) {
		uint32_t n = sizes[i / 2];
		float *c = calloc(n, sizeof(*c));
		struct nna_graph *g = i % 2 ? folded_graph(c, n) : add_graph(n);
		struct nna_execution *e = NULL;
		struct nna_program *p = NULL;

		assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
		assert_non_null(p->stated);
		assert_true(p->stated->bo->size < p->stated->code->image_size + 4096);
		assert_int_equal(get_live() - before, p->stated->bo->size);
		/* An execution that has not run has no scratch memory either. */
		assert_int_equal(nna_execution_create(p, &e), 0);
		assert_int_equal(get_live() - before, p->stated->bo->size);
		nna_execution_destroy(e);
		nna_program_destroy(p);
		assert_int_equal(get_live(), before);
		nna_graph_unref(g);
		free(c);
	}
}

/* Memory of runs that are over goes, and comes back when there is a run again. */
static void idle_memory_is_freed(void **state)
{
	struct nna_device *device = count_bos(state, 1000000);
	uint64_t before = get_live(), compiled;
	struct sum s;

	sum_begin(&s, device, 1000);
	compiled = before + s.program->stated->bo->size;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nna_execution_compute(s.execution), 0);
		for (uint32_t k = 0; k < s.n; k++)
			assert_true(s.out[k] == s.a[k] + s.b[k]);
		/* One that is there keeps what it has. */
		assert_true(get_live() > compiled);
		nna_execution_destroy(s.execution);
		wait_for_live(compiled);
		assert_int_equal(nna_execution_create(s.program, &s.execution), 0);
		assert_int_equal(nna_execution_set_input(s.execution, 0, 0, NULL, s.a, s.n * 4), 0);
		assert_int_equal(nna_execution_set_input(s.execution, 1, 0, NULL, s.b, s.n * 4), 0);
		assert_int_equal(nna_execution_set_output(s.execution, 0, 0, NULL, s.out, s.n * 4),
				 0);
	}
	sum_end(&s);
	wait_for_live(before);
}

/* A program for sustained speed keeps its memory while that of another one goes. */
static void sustained_speed_is_spared(void **state)
{
	const struct nna_program_options options = {
		.priority = NNA_PRIORITY_MEDIUM,
		.preference = NNA_PREFER_SUSTAINED_SPEED,
	};
	struct nna_device *device = count_bos(state, 1000000);
	uint64_t before = get_live(), kept;
	struct nna_graph *g = add_graph(4);
	struct nna_execution *e = NULL;
	struct nna_program *p = NULL;
	float a[4] = { 0 }, out[4];
	struct sum s;

	assert_int_equal(nna_program_create(device, g, &options, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, sizeof(a)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, a, sizeof(a)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	nna_execution_destroy(e);
	kept = get_live();
	assert_true(kept > before + p->stated->bo->size);

	/* What became spare later is freed, and this is not. */
	for (int i = 0; i < 2; i++) {
		sum_begin(&s, device, 1000);
		assert_int_equal(nna_execution_compute(s.execution), 0);
		nna_execution_destroy(s.execution);
		s.execution = NULL;
		wait_for_live(kept + s.program->stated->bo->size);
		sum_end(&s);
		assert_int_equal(get_live(), kept);
	}
	assert_int_equal(p->stated->spare_count, 1);
	nna_program_destroy(p);
	nna_graph_unref(g);
	assert_int_equal(get_live(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(compiling_leaves_the_program, open_device,
						close_device),
		cmocka_unit_test_setup_teardown(idle_memory_is_freed, open_device,
						close_device),
		cmocka_unit_test_setup_teardown(sustained_speed_is_spared, open_device,
						close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
