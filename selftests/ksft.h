/* SPDX-License-Identifier: MIT */
/*
 * A small KTAP harness, included once by each test program: it has main().
 *
 * A program is a set of TEST()s. Each runs in a process of its own, with a time limit, so that a
 * crash or a hang is one failed test. PROGRAM [TEST] runs all of them or one. A test passes by
 * returning, fails by FAIL(), CHECK() or EQ(), and is skipped by SKIP(). One that ends with status
 * KSFT_XFAIL is expected to fail.
 *
 * Exit status: 0, 1 (a test failed) or 4 (all were skipped).
 *
 * In a kernel tree, where KSELFTEST is defined, tests, processes and results are those of
 * kselftest_harness.h, and only CHECK() and its like are from here.
 */
#ifndef KSFT_H
#define KSFT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nna_test.h"

/*
 * Time limit of a test; a program may define it before the include. NNA_SLOWNESS multiplies it. It
 * is for tests that hang: one that takes a second here may take ten on a host that is busy.
 */
#ifndef KSFT_TIMEOUT_S
#define KSFT_TIMEOUT_S 120
#endif

#ifdef KSELFTEST
#include "kselftest_harness.h"

/* A test's own alarm comes first. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT (16 * KSFT_TIMEOUT_S)
#undef SKIP
#undef TEST
#define TEST(test_name) \
	static void run_##test_name(void); \
	TEST_SIGNAL(nna_##test_name, -1) \
	{ \
		alarm(KSFT_TIMEOUT_S * test_slowness()); \
		run_##test_name(); \
		fflush(stdout); \
		_exit(0); \
	} \
	static void run_##test_name(void)

TEST_HARNESS_MAIN
#else
#define KSFT_FAIL 1
#define KSFT_XFAIL 2
#define KSFT_SKIP 4

struct ksft_test {
	const char *name;
	void (*run)(void);
	struct ksft_test *next;
};

static struct ksft_test *ksft_first, **ksft_last = &ksft_first;

static inline void ksft_register(struct ksft_test *test)
{
	*ksft_last = test;
	ksft_last = &test->next;
}

/* Defines a test; it passes by returning. */
#define TEST(test_name) \
	static void test_##test_name(void); \
	static struct ksft_test ksft_##test_name = { #test_name, test_##test_name, NULL }; \
	__attribute__((constructor)) static void ksft_register_##test_name(void) \
	{ \
		ksft_register(&ksft_##test_name); \
	} \
	static void test_##test_name(void)

#endif

#define FAIL(...) do { \
	printf("# %s:%d: ", __FILE__, __LINE__); \
	printf(__VA_ARGS__); \
	printf("\n"); \
	fflush(stdout); \
	_exit(KSFT_FAIL); \
} while (0)

#define SKIP(...) do { \
	printf("# skipped: "); \
	printf(__VA_ARGS__); \
	printf("\n"); \
	fflush(stdout); \
	_exit(KSFT_SKIP); \
} while (0)

#define CHECK(cond) do { \
	if (!(cond)) \
		FAIL("%s", #cond); \
} while (0)

/* Fails, with both values, unless two integers are equal. */
#define EQ(a, b) do { \
	long long ksft_a = (long long)(a), ksft_b = (long long)(b); \
	if (ksft_a != ksft_b) \
		FAIL("%s is %lld, not %lld (%s)", #a, ksft_a, ksft_b, #b); \
} while (0)

#ifndef KSELFTEST
int main(int argc, char **argv)
{
	int count = 0, failed = 0, skipped = 0, expected = 0, n = 0;
	struct ksft_test *t;

	for (t = ksft_first; t; t = t->next)
		if (argc < 2 || !strcmp(argv[1], t->name))
			count++;
	printf("KTAP version 1\n1..%d\n", count);
	for (t = ksft_first; t; t = t->next) {
		int status = 0;
		pid_t pid;

		if (argc >= 2 && strcmp(argv[1], t->name))
			continue;
		fflush(stdout);
		pid = fork();
		if (!pid) {
			alarm(KSFT_TIMEOUT_S * test_slowness());
			t->run();
			fflush(stdout);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			status = -1;
		n++;
		if (WIFEXITED(status) && !WEXITSTATUS(status)) {
			printf("ok %d %s\n", n, t->name);
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == KSFT_SKIP) {
			printf("ok %d %s # SKIP\n", n, t->name);
			skipped++;
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == KSFT_XFAIL) {
			printf("ok %d %s # XFAIL\n", n, t->name);
			expected++;
		} else {
			if (WIFSIGNALED(status))
				printf("# ended by signal %d\n", WTERMSIG(status));
			printf("not ok %d %s\n", n, t->name);
			failed++;
		}
	}
	printf("# Totals: pass:%d fail:%d xfail:%d skip:%d\n",
	       count - failed - expected - skipped, failed, expected, skipped);
	return failed ? KSFT_FAIL : count == skipped ? KSFT_SKIP : 0;
}

#endif /* KSELFTEST */

#endif
