// SPDX-License-Identifier: MIT
/*
 * Environment variables: what is set, empty or not there; and that a program with more privileges
 * than its user takes none of them. For that the test runs itself again as such a program.
 */
#include "libnnaccel/support/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME "NNACCEL_TEST"
#define OWNER 1 /* a user who is not root, and another one */
#define CALLER 2
#define NOT_PRIVILEGED 77

static const char *const names[] = {
	"NNACCEL_DEBUG", "NNACCEL_PLUGIN_DIR", "NNACCEL_LOG",  "NNACCEL_TRACE",
	"NNACCEL_DEVICE", "NNACCEL_DOT",       "NNACCEL_DEAL",
};
#define NAMES ((int)(sizeof(names) / sizeof(names[0])))

static void values(void **state)
{
	unsetenv(NAME);
	assert_null(nna_environment_get(NAME));
	setenv(NAME, "", 1);
	assert_null(nna_environment_get(NAME));
	setenv(NAME, "/a", 1);
	assert_string_equal(nna_environment_get(NAME), "/a");
}

/* The exit status of the privileged program. */
static int look(void)
{
	if (!getauxval(AT_SECURE))
		return NOT_PRIVILEGED;
	for (int i = 0; i < NAMES; i++) {
		if (!getenv(names[i]) || nna_environment_get(names[i]))
			return 1 + i;
	}
	return 0;
}

static void privileged(void **state)
{
	char path[] = "/tmp/nna-environment-XXXXXX";
	int from, to, status = -1;
	struct stat stat;
	pid_t pid;

	if (geteuid()) {
		print_message("only root can make a program of another user's\n");
		skip();
	}
	from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	to = mkostemp(path, O_CLOEXEC);
	assert_true(from >= 0 && to >= 0);
	assert_int_equal(fstat(from, &stat), 0);
	for (off_t at = 0; at < stat.st_size;)
		assert_true(sendfile(to, from, &at, (size_t)(stat.st_size - at)) > 0);
	assert_int_equal(fchown(to, OWNER, OWNER), 0);
	assert_int_equal(fchmod(to, 04755), 0);
	close(from);
	close(to);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < NAMES; i++)
			setenv(names[i], "/a", 1);
		if (!setuid(CALLER))
			execl(path, path, "look", NULL);
		_exit(errno);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink(path);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_PRIVILEGED) {
		print_message("the file system of /tmp does not know setuid\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(privileged),
	};

	if (argc > 1 && !strcmp(argv[1], "look"))
		return look();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
