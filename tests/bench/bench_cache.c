// SPDX-License-Identifier: MIT
/*
 * What a compilation out of the cache costs, against compiling, and against what cannot be saved of
 * it: reading the file into a buffer and checksumming it. Prints the medians of interleaved turns,
 * with the file in the page cache; it judges nothing.
 *
 *   bench_cache MODEL.tflite...
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frontend/tflite/tflite.h"
#include "frontend/tflite/translate.h"
#include "libnnaccel/support/cache_file.h"
#include "libnnaccel/support/digest.h"

#define TURNS 21

/* The least that a hit can be: all bytes, and their checksum. */
static int read_and_checksum(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -1;
	struct nna_digest digest;
	volatile uint64_t used;
	uint64_t out[2];
	struct stat st;
	char *data;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	/* New memory, as a program needs, and not what malloc() has left of the last turn. */
	data = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data != MAP_FAILED && read(fd, data, st.st_size) == st.st_size) {
		nna_digest_begin(&digest);
		nna_digest_add(&digest, data, st.st_size);
		nna_digest_end(&digest, out);
		used = out[0];
		(void)used;
		ret = 0;
	}
	if (data != MAP_FAILED)
		munmap(data, st.st_size);
	close(fd);
	return ret;
}

/* Of all threads, some of which compile: what others do on the machine does not count. */
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median_ms(uint64_t *times)
{
	qsort(times, TURNS, sizeof(*times), compare);
	return times[TURNS / 2] / 1e6;
}

/* Return: 0 or a negative errno. */
static int measure(struct nna_device *device, struct nna_graph *graph, const char *path,
		   const char *name)
{
	uint64_t times[3][TURNS];
	double compile, read, hit;
	struct stat st;

	for (int i = 0; i < TURNS; i++) {
		struct nna_program *made, *loaded;
		uint64_t begin = now_ns();
		int ret = nna_program_create(device, graph, NULL, &made);

		times[0][i] = now_ns() - begin;
		if (!ret && !i)
			ret = nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, made);
		if (ret)
			return ret;
		nna_program_destroy(made);
		begin = now_ns();
		if (read_and_checksum(path))
			return -EIO;
		times[1][i] = now_ns() - begin;
		begin = now_ns();
		ret = nna_cache_file_load(path, NNA_CACHE_FILE_LIMIT, device, graph, NULL, &loaded);
		times[2][i] = now_ns() - begin;
		if (ret)
			return ret;
		nna_program_destroy(loaded);
	}
	if (stat(path, &st))
		return -errno;
	compile = median_ms(times[0]);
	read = median_ms(times[1]);
	hit = median_ms(times[2]);
	printf("%-52s %6.2f MB: compile %7.2f ms, read and checksum %6.2f ms, hit %6.2f ms: "
	       "%.2f of reading, %.2f of compiling\n",
	       name, st.st_size / 1e6, compile, read, hit, hit / read, hit / compile);
	return 0;
}

int main(int argc, char **argv)
{
	const struct nna_log log = { 0 };
	char path[] = "/tmp/bench-cache-XXXXXX";
	struct nna_device *device;
	int fd, failed = 0;

	if (argc < 2 || nna_device_open("loopback", NULL, &device)) {
		fprintf(stderr, "usage: bench_cache MODEL.tflite...\n");
		return 2;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return 2;
	close(fd);
	for (int i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		char why[TFLITE_ERROR_SIZE] = "";
		struct tflite_origin origin;
		struct tflite_model *model;
		struct nna_graph *graph;
		int ret = tflite_load(argv[i], &model, why);

		if (!ret) {
			ret = tflite_to_graph(model, &log, &graph, &origin, why);
			if (!ret) {
				ret = measure(device, graph, path, name);
				tflite_origin_free(&origin);
				nna_graph_unref(graph);
			}
			tflite_free(model);
		}
		if (ret)
			fprintf(stderr, "%s: %s %s\n", name, strerror(-ret), why);
		failed |= ret;
	}
	unlink(path);
	nna_device_close(device);
	return failed ? 1 : 0;
}
