// SPDX-License-Identifier: MIT
/* Executions on the loopback: results, submissions, fences, deadlines, threads. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libnnaccel/support/clock.h"

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

static void test_submit(void **state)
{
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 5000);
	for (int i = 0; i < 3; i++) {
		memset(s.out, 0, s.n * sizeof(float));
		assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
		assert_int_equal(nna_fence_wait(fence, -1), 0);
		assert_int_equal(nna_fence_wait(fence, 0), 0);
		assert_int_equal(nna_fence_export(fence), -ENOTSUP);
		sum_check(&s);
		nna_fence_destroy(fence);
	}
	sum_end(&s);
}

/* Nothing runs before the in-fences have signalled; the execution is busy until the end. */
static void test_in_fences(void **state)
{
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	struct nna_fence *fence, *second;
	struct nna_timing timing;
	uint64_t before;
	struct sum s;

	sum_begin(&s, *state, 300);
	assert_int_equal(nna_execution_submit(s.execution, fds, 2, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &second), -EBUSY);
	assert_int_equal(nna_execution_compute(s.execution), -EBUSY);
	assert_int_equal(nna_execution_set_output(s.execution, 0, 0, NULL, s.out, 1200), -EBUSY);
	assert_int_equal(eventfd_write(fds[0], 1), 0);
	assert_int_equal(nna_fence_wait(fence, 20000000), -ETIME);
	before = nna_now_ns();
	assert_int_equal(eventfd_write(fds[1], 1), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	sum_check(&s);
	assert_int_equal(nna_execution_get_timing(s.execution, &timing), 0);
	assert_true(timing.begin + 1000000 >= before && timing.submit < before);
	nna_fence_destroy(fence);
	close(fds[0]);
	close(fds[1]);
	sum_end(&s);
}

/*
 * Runs short sums while a long one runs. Return: ns of those that were on the device between the
 * begin and the end of the long one.
 */
static uint64_t interrupt(struct sum *longer, struct sum *shorter)
{
	struct nna_timing timing, inside[64];
	uint32_t count = 0;
	struct nna_fence *fence;
	uint64_t total = 0;

	assert_int_equal(nna_execution_submit(longer->execution, NULL, 0, &fence), 0);
	while (nna_fence_wait(fence, 0) == -ETIME) {
		assert_int_equal(nna_execution_compute(shorter->execution), 0);
		if (count < 64)
			assert_int_equal(nna_execution_get_timing(shorter->execution,
								  &inside[count++]), 0);
	}
	nna_fence_destroy(fence);
	assert_int_equal(nna_execution_get_timing(longer->execution, &timing), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (inside[i].begin >= timing.begin && inside[i].end <= timing.end)
			total += inside[i].run;
	}
	return total;
}

/* The span of a job includes the time in which it was suspended, its run time does not. */
static void test_suspended(void **state)
{
	const struct nna_program_options low = { .priority = NNA_PRIORITY_LOW };
	const struct nna_program_options high = { .priority = NNA_PRIORITY_HIGH };
	struct nna_timing timing;
	struct sum longer, shorter;
	uint64_t inside;

	sum_begin_with(&longer, *state, 4000000, &low);
	sum_begin_with(&shorter, *state, 100000, &high);
	/* The long one may not have begun before the last of the others, or be over too soon. */
	do {
		inside = interrupt(&longer, &shorter);
	} while (!inside);
	assert_int_equal(nna_execution_get_timing(longer.execution, &timing), 0);
	assert_true(timing.span == timing.end - timing.begin);
	assert_true(timing.run > 0 && timing.span >= timing.run + inside);
	sum_check(&longer);
	sum_end(&shorter);
	sum_end(&longer);
}

/* Destroying waits and delivers; the fence stays good. */
static void test_destroy_running(void **state)
{
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 100000);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_execution_destroy(s.execution);
	s.execution = NULL;
	assert_int_equal(nna_fence_wait(fence, 0), 0);
	sum_check(&s);
	nna_fence_destroy(fence);
	/* A fence that nobody looks at. */
	assert_int_equal(nna_execution_create(s.program, &s.execution), 0);
	assert_int_equal(nna_execution_set_input(s.execution, 0, 0, NULL, s.a, s.n * 4), 0);
	assert_int_equal(nna_execution_set_input(s.execution, 1, 0, NULL, s.b, s.n * 4), 0);
	assert_int_equal(nna_execution_set_output(s.execution, 0, 0, NULL, s.out, s.n * 4), 0);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_fence_destroy(fence);
	/* The next run starts when that one has ended. */
	for (;;) {
		int ret = nna_execution_compute(s.execution);

		if (ret != -EBUSY) {
			assert_int_equal(ret, 0);
			break;
		}
		usleep(1000);
	}
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_fence_destroy(fence);
	sum_end(&s);
}

static void *wait_thread(void *fence)
{
	return (void *)(intptr_t)nna_fence_wait(fence, -1);
}

static void test_many_waiters(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	pthread_t threads[4];
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 1000);
	assert_int_equal(nna_execution_submit(s.execution, &fd, 1, &fence), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_thread, fence), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (int i = 0; i < 4; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		assert_null(ret);
	}
	sum_check(&s);
	nna_fence_destroy(fence);
	close(fd);
	sum_end(&s);
}

static void test_deadline(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 100);
	assert_int_equal(nna_execution_set_deadline(s.execution, nna_now_ns() - 1), 0);
	assert_int_equal(nna_execution_compute(s.execution), -ETIMEDOUT);
	/* Nobody is banned, and the next run is a run like any other. */
	assert_int_equal(nna_execution_set_deadline(s.execution, nna_now_ns() + 60000000000ull), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	sum_check(&s);
	/* A duration counts from the in-fences on. */
	assert_int_equal(nna_execution_set_deadline(s.execution, 0), 0);
	assert_int_equal(nna_execution_set_duration(s.execution, 30000000000ull), 0);
	assert_int_equal(nna_execution_submit(s.execution, &fd, 1, &fence), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	nna_fence_destroy(fence);
	assert_int_equal(nna_execution_set_duration(s.execution, 1), 0);
	assert_int_equal(nna_execution_compute(s.execution), -ETIMEDOUT);
	close(fd);
	sum_end(&s);
}

/* A program shared by threads, each with executions of its own. */
struct shared {
	struct nna_program *program;
	bool by_shape;
	int failures;
};

static void *run_shared(void *user)
{
	struct shared *shared = user;
	float a[128], b[128], out[128];
	int failures = 0;

	for (int round = 0; round < 40; round++) {
		uint32_t n = shared->by_shape ? 1 + round * 7 % 100 : 128;
		struct nna_execution *e;
		struct nna_fence *fence;

		for (uint32_t i = 0; i < n; i++) {
			a[i] = round * i;
			b[i] = i;
			out[i] = 0;
		}
		failures += nna_execution_create(shared->program, &e) != 0;
		failures += nna_execution_set_input(e, 0, 1, &n, a, n * 4) != 0;
		failures += nna_execution_set_input(e, 1, 1, &n, b, n * 4) != 0;
		failures += nna_execution_set_output(e, 0, 0, NULL, out, n * 4) != 0;
		if (round % 2) {
			failures += nna_execution_compute(e) != 0;
		} else {
			failures += nna_execution_submit(e, NULL, 0, &fence) != 0;
			failures += nna_fence_wait(fence, -1) != 0;
			nna_fence_destroy(fence);
		}
		for (uint32_t i = 0; i < n; i++)
			failures += out[i] != a[i] + b[i];
		nna_execution_destroy(e);
	}
	__atomic_fetch_add(&shared->failures, failures, __ATOMIC_RELAXED);
	return NULL;
}

static void run_threads(struct nna_device *device, uint32_t n)
{
	struct nna_graph *g = add_graph(n);
	struct shared shared = { .by_shape = !n };
	pthread_t threads[4];

	assert_int_equal(nna_program_create(device, g, NULL, &shared.program), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_shared, &shared), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared.failures, 0);
	nna_program_destroy(shared.program);
	nna_graph_unref(g);
}

static void test_threads(void **state)
{
	run_threads(*state, 128);
	run_threads(*state, 0);
}

/* Whether a thread of this process blocks a signal. */
static bool is_blocked(long thread, int number)
{
	unsigned long long blocked = 0;
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status", thread);
	file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "SigBlk: %llx", &blocked) == 1;
	fclose(file);
	assert_true(found);
	return blocked >> (number - 1) & 1;
}

struct threads {
	long ids[64];
	size_t count;
};

static void threads_get(struct threads *t)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;

	assert_non_null(dir);
	t->count = 0;
	while ((d = readdir(dir))) {
		if (*d->d_name == '.')
			continue;
		assert_true(t->count < sizeof(t->ids) / sizeof(*t->ids));
		t->ids[t->count++] = strtol(d->d_name, NULL, 10);
	}
	closedir(dir);
}

static bool threads_have(const struct threads *t, long id)
{
	size_t i = 0;

	while (i < t->count && t->ids[i] != id)
		i++;
	return i < t->count;
}

/* The process's handlers run on no thread of the library's, except for what is that one's fault. */
static void test_signals(void **state)
{
	struct threads before, after;
	void *device = NULL;
	struct sum s;

	/* A sanitizer may have threads, too. */
	threads_get(&before);
	assert_int_equal(open_device(&device), 0);
	/* With a run there is all that a device has. */
	sum_begin(&s, device, 1000);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	threads_get(&after);
	assert_true(after.count >= before.count + 2);
	for (size_t i = 0; i < after.count; i++) {
		if (threads_have(&before, after.ids[i]))
			continue;
		/* Until it has its own mask a new thread has every signal blocked. */
		while (is_blocked(after.ids[i], SIGBUS))
			usleep(1000);
		assert_true(is_blocked(after.ids[i], SIGTERM));
		assert_true(is_blocked(after.ids[i], SIGALRM));
	}
	assert_false(is_blocked(gettid(), SIGTERM));
	sum_end(&s);
	close_device(&device);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_add),
		TEST(test_submit),
		TEST(test_in_fences),
		TEST(test_suspended),
		TEST(test_destroy_running),
		TEST(test_many_waiters),
		TEST(test_deadline),
		TEST(test_threads),
		cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
