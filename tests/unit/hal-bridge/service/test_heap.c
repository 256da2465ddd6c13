// SPDX-License-Identifier: MIT
/* What malloc() keeps of memory that was given back: little, however much there was. */
#include "hal-bridge/service/heap.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LARGE (24u << 20)
#define THREADS 64

/* A sanitizer brings a malloc() of its own, which has no such settings. */
static void need_own_malloc(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip();
#endif
}

/* Return: bytes of this process's own memory. */
static size_t held(void)
{
	FILE *in = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[256];

	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "RssAnon: %lu", &kib) == 1)
			break;
	}
	fclose(in);
	assert_true(kib);
	return kib << 10;
}

/* A small block that is taken after a large one keeps no part of it. */
static void large_blocks(void **state)
{
	void *large, *small[4];
	size_t before = held();

	need_own_malloc();
	for (int i = 0; i < 4; i++) {
		large = malloc(LARGE);
		assert_non_null(large);
		memset(large, 1, LARGE);
		small[i] = malloc(64);
		free(large);
	}
	assert_true(held() < before + (1 << 20));
	for (int i = 0; i < 4; i++)
		free(small[i]);
}

static pthread_barrier_t all;

static void *take(void *arg)
{
	void *block = malloc(1000);

	pthread_barrier_wait(&all);
	free(block);
	return NULL;
}

/* Threads at once have no more arenas than there are processors. */
static void arenas(void **state)
{
	pthread_t threads[THREADS];
	unsigned int count = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	need_own_malloc();
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(malloc_info(0, out), 0);
	fclose(out);
	for (const char *at = text; (at = strstr(at, "<heap nr")); at++)
		count++;
	assert_in_range(count, 1, sysconf(_SC_NPROCESSORS_ONLN));
	free(text);
	pthread_barrier_destroy(&all);
}

static int set_up(void **state)
{
	nnb_heap_limit();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_blocks),
		cmocka_unit_test(arenas),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
