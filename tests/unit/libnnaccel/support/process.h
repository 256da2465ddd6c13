/* SPDX-License-Identifier: MIT */
/* What is read from the environment once is tested in processes of their own. */
#ifndef TESTS_SUPPORT_PROCESS_H
#define TESTS_SUPPORT_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/*
 * What a process writes to a file that is its standard error, with a variable in its environment,
 * whose @value may be NULL: the path of the file. Without a @name there is no variable.
 */
static inline void run_with(const char *name, const char *value, void (*body)(void), char *text,
			    size_t size)
{
	int fd = memfd_create("log", 0), status = 1;
	char path[64];
	ssize_t got;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (name && setenv(name, value ? value : path, 1))
			_exit(1);
		dup2(fd, STDERR_FILENO);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	got = pread(fd, text, size - 1, 0);
	assert_true(got >= 0);
	text[got] = '\0';
	close(fd);
}

#endif
