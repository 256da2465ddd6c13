// SPDX-License-Identifier: MIT
/* Compilation caches: files that are there, are not, are too large or none; many processes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libnnaccel/support/cache_file.h"
#include "tests/unit/libnnaccel/runtime/sum.h"

#define N 64u

static char dir[] = "/tmp/nnb-cache-XXXXXX";

static char *path_of(uint8_t first, uint32_t preference)
{
	uint8_t token[NNA_CACHE_FILE_TOKEN_SIZE] = { first };
	char *path = nna_cache_file_path(dir, token, "device", preference);

	assert_non_null(path);
	return path;
}

static struct nna_program *make(struct nna_device *device, struct nna_graph *graph)
{
	struct nna_program *program;

	assert_int_equal(nna_program_create(device, graph, NULL, &program), 0);
	return program;
}

static int load(struct nna_device *device, struct nna_graph *graph, const char *path)
{
	struct nna_program *program = NULL;
	int ret = nna_cache_file_load(path, NNA_CACHE_FILE_LIMIT, device, graph, NULL, &program);

	assert_true(!ret == !!program);
	nna_program_destroy(program);
	return ret;
}

static void test_file(void **state)
{
	struct nna_graph *graph = add_graph(N);
	struct nna_program *program = make(*state, graph), *loaded;
	char *path = path_of(1, 0), *other = path_of(1, 1);
	struct stat stat_of;
	int fd;

	assert_string_not_equal(path, other);
	assert_int_equal(load(*state, graph, path), -ENOENT);
	assert_int_equal(nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, program), 0);
	assert_int_equal(load(*state, graph, path), 0);
	assert_int_equal(load(*state, graph, other), -ENOENT);
	/* Nobody else may read what a model is, and nothing is left beside the file. */
	assert_int_equal(stat(path, &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 07777, 0600);
	/* The limit is exact, in both directions, and what was there stays. */
	assert_int_equal(nna_cache_file_save(path, stat_of.st_size - 1, program), -EFBIG);
	assert_int_equal(nna_cache_file_save(path, stat_of.st_size, program), 0);
	assert_int_equal(nna_cache_file_load(path, stat_of.st_size - 1, *state, graph, NULL,
					     &loaded),
			 -EFBIG);
	assert_int_equal(truncate(path, stat_of.st_size - 1), 0);
	assert_int_equal(load(*state, graph, path), -EBADMSG);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(load(*state, graph, path), -EBADMSG);
	/* The same with open files, at an offset. */
	fd = open(path, O_RDWR);
	assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
	assert_int_equal(nna_cache_file_save_fd(fd, NNA_CACHE_FILE_LIMIT, program), 0);
	assert_int_equal(nna_cache_file_load_fd(fd, NNA_CACHE_FILE_LIMIT, *state, graph, NULL,
						&loaded),
			 -EBADMSG);
	assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
	assert_int_equal(nna_cache_file_load_fd(fd, NNA_CACHE_FILE_LIMIT, *state, NULL, NULL,
						&loaded),
			 0);
	nna_program_destroy(loaded);
	close(fd);
	unlink(path);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	free(path);
	free(other);
}

static void test_no_file(void **state)
{
	struct nna_graph *graph = add_graph(N);
	struct nna_program *program = make(*state, graph);
	uint8_t token[NNA_CACHE_FILE_TOKEN_SIZE] = { 0 };
	char *nowhere = nna_cache_file_path("/nowhere/x", token, "d", 0);
	char *path = path_of(2, 0), *below;
	int pipe_fds[2];

	assert_int_equal(load(*state, graph, nowhere), -ENOENT);
	assert_int_equal(nna_cache_file_save(nowhere, NNA_CACHE_FILE_LIMIT, program), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(load(*state, graph, path), -EINVAL);
	/* What is in the way of the file is replaced by it, if it is no directory. */
	assert_int_equal(nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, program), 0);
	assert_int_equal(load(*state, graph, path), 0);
	below = nna_cache_file_path(path, token, "d", 0);
	assert_int_equal(load(*state, graph, below), -ENOTDIR);
	assert_int_equal(nna_cache_file_save(below, NNA_CACHE_FILE_LIMIT, program), -ENOTDIR);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(load(*state, graph, path), -ELOOP);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(load(*state, graph, path) < 0);
	assert_int_equal(nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, program), -EISDIR);
	rmdir(path);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_true(nna_cache_file_load_fd(pipe_fds[0], NNA_CACHE_FILE_LIMIT, *state, graph, NULL,
					   NULL) < 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	/* A disk that is full. */
	pipe_fds[0] = open("/dev/full", O_WRONLY);
	assert_int_equal(nna_cache_file_save_fd(pipe_fds[0], NNA_CACHE_FILE_LIMIT, program),
			 -ENOSPC);
	close(pipe_fds[0]);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	free(path);
	free(nowhere);
	free(below);
}

/* Files that have changed places: each says itself what it is. */
static void test_swapped(void **state)
{
	struct nna_graph *a = add_graph(N), *b = add_graph(N + 1), *open = add_graph(0);
	struct nna_program *program = make(*state, a), *other = make(*state, b);
	struct nna_program *unsaved = make(*state, open);
	char *path = path_of(3, 0), *second = path_of(4, 0);

	assert_int_equal(nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, program), 0);
	assert_int_equal(nna_cache_file_save(second, NNA_CACHE_FILE_LIMIT, other), 0);
	assert_int_equal(load(*state, a, second), -ESTALE);
	assert_int_equal(load(*state, b, path), -ESTALE);
	assert_int_equal(load(*state, b, second), 0);
	unlink(path);
	assert_int_equal(nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, unsaved), -ENOTSUP);
	assert_int_equal(access(path, F_OK), -1);
	unlink(second);
	nna_program_destroy(program);
	nna_program_destroy(other);
	nna_program_destroy(unsaved);
	nna_graph_unref(a);
	nna_graph_unref(b);
	nna_graph_unref(open);
	free(path);
	free(second);
}

/* One of many processes, with a device of its own. Return: its exit status. */
static int use_cache(const char *path, uint32_t number)
{
	struct nna_graph *graphs[2] = { add_graph(N), add_graph(N + 1) };
	struct nna_device *device;

	if (open_device((void **)&device))
		return 2;
	for (uint32_t i = 0; i < 100; i++) {
		struct nna_graph *graph = graphs[(i + number) % 2];
		struct nna_program *program;
		int ret = nna_cache_file_load(path, NNA_CACHE_FILE_LIMIT, device, graph, NULL,
					      &program);

		/* There, or the other one: never a part of one. */
		if (ret && ret != -ENOENT && ret != -ESTALE)
			return 3;
		if (ret && nna_program_create(device, graph, NULL, &program))
			return 4;
		if (ret && nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, program))
			return 5;
		nna_program_destroy(program);
	}
	nna_graph_unref(graphs[0]);
	nna_graph_unref(graphs[1]);
	nna_device_close(device);
	return 0;
}

static void test_processes(void **state)
{
	char *path = path_of(5, 0);
	pid_t pids[4];

	for (uint32_t i = 0; i < 4; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			_exit(use_cache(path, i));
	}
	for (uint32_t i = 0; i < 4; i++) {
		int status = -1;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	unlink(path);
	/* Nor has anyone left a file behind. */
	assert_int_equal(rmdir(dir), 0);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_no_file, open_device, close_device),
		cmocka_unit_test_setup_teardown(test_swapped, open_device, close_device),
		cmocka_unit_test(test_processes),
	};

	if (!mkdtemp(dir))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
