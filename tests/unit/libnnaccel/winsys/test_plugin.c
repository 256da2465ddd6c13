// SPDX-License-Identifier: MIT
/*
 * libnnaccel.so and the loopback as a plug-in: found beside the library or where a variable says,
 * and refused, with a message that helps, if it is not the library's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
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

#include "libnnaccel/winsys/plugin.h"
#include "nnaccel.h"

#define VARIABLE "NNACCEL_PLUGIN_DIR"
#define FILE_NAME "libnnaccel-loopback.so"

/* Exit statuses of this program when it runs as the child of test_secure(). */
#define CHILD "--child"
enum { CHILD_OPENED, CHILD_MISSING, CHILD_NOT_SECURE, CHILD_ELSE };

static char here[PATH_MAX]; /* the folder of this program */
static char dir[PATH_MAX + 32]; /* of each test, for a plug-in that it makes */
static char message[1024];

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static int open_loopback(void)
{
	struct nna_device_options options = { .log = { log_line, NULL }, .threads = 1 };
	struct nna_device_info info;
	struct nna_device *device;
	int ret;

	message[0] = 0;
	ret = nna_device_open("loopback", &options, &device);
	if (ret)
		return ret;
	nna_device_get_info(device, &info);
	nna_device_close(device);
	return info.loopback ? 0 : -ENODEV;
}

static void path_in(char *path, const char *file)
{
	snprintf(path, PATH_MAX + 64, "%s/%s", dir, file);
}

static int setup(void **state)
{
	snprintf(dir, sizeof(dir), "%s/plugin-XXXXXX", here);
	return !mkdtemp(dir) || setenv(VARIABLE, dir, 1);
}

static int teardown(void **state)
{
	char path[PATH_MAX + 64];

	path_in(path, FILE_NAME);
	unlink(path);
	path_in(path, "child");
	unlink(path);
	unsetenv(VARIABLE);
	return rmdir(dir);
}

/* The message names the file, and the package that brings it. */
static void check_message(const char *folder)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, folder);
	assert_non_null(strstr(message, path));
	assert_non_null(strstr(message, "install the package libnnaccel-loopback"));
	assert_non_null(strstr(message, "make"));
}

static void test_beside_library(void **state)
{
	unsetenv(VARIABLE);
	assert_int_equal(open_loopback(), 0);
	/* Empty is as if not set. And a second time, with the plug-in loaded. */
	setenv(VARIABLE, "", 1);
	assert_int_equal(open_loopback(), 0);
}

static void test_missing(void **state)
{
	assert_int_equal(open_loopback(), -ELIBACC);
	check_message(dir);
}

static void test_garbage(void **state)
{
	char path[PATH_MAX + 64];
	FILE *f;

	path_in(path, FILE_NAME);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("This is no shared object.\n", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(open_loopback(), -ELIBBAD);
	check_message(dir);
}

/* A shared object, but no plug-in. */
static void test_no_plugin(void **state)
{
	char path[PATH_MAX + 64];
	Dl_info libc;

	path_in(path, FILE_NAME);
	assert_true(dladdr((void *)fopen, &libc));
	assert_int_equal(symlink(libc.dli_fname, path), 0);
	assert_int_equal(open_loopback(), -ELIBBAD);
	check_message(dir);
	assert_non_null(strstr(message, NNA_PLUGIN_SYMBOL));
}

/* The library refuses a plug-in of another build without a call of it. */
static void test_other_build(void **state)
{
	char folder[PATH_MAX + 16];

	snprintf(folder, sizeof(folder), "%s/other", here);
	setenv(VARIABLE, folder, 1);
	assert_int_equal(open_loopback(), -ELIBBAD);
	check_message(folder);
	assert_non_null(strstr(message, "0123456789ab"));
}

/* And the plug-in refuses a library of another build, without touching what it is given. */
static void test_other_library(void **state)
{
	char path[PATH_MAX], *library;
	const struct nna_plugin *plugin;
	struct nna_winsys *ws = NULL;
	Dl_info self;
	void *handle;

	assert_true(dladdr((void *)nna_device_close, &self));
	library = realpath(self.dli_fname, NULL);
	assert_non_null(library);
	snprintf(path, sizeof(path), "%s/nnaccel/" FILE_NAME, dirname(library));
	free(library);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(handle);
	plugin = dlsym(handle, NNA_PLUGIN_SYMBOL);
	assert_non_null(plugin);
	assert_int_equal(plugin->open("0123456789abcdef0123456789abcdef01234567", NULL, NULL, &ws),
			 -ELIBBAD);
	assert_null(ws);
	assert_int_equal(plugin->open(plugin->build_id, NULL, NULL, &ws), 0);
	ws->ops->destroy(ws);
	dlclose(handle);
}

static void copy_file(const char *source, const char *path)
{
	int from = open(source, O_RDONLY | O_CLOEXEC), to;
	struct stat st;

	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(from >= 0 && to >= 0);
	assert_int_equal(fstat(from, &st), 0);
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = sendfile(to, from, NULL, left);

		assert_true(n > 0);
		left -= n;
	}
	close(from);
	close(to);
}

/*
 * Opens the loopback by a second copy of the library, loaded by the name @as from the working
 * directory @dir, where nnaccel/ has a plug-in that would do. With @gone the copy's file is removed
 * first.
 */
static int open_by_copy(const char *as, bool gone)
{
	struct nna_device_options options = { .log = { log_line, NULL }, .threads = 1 };
	__typeof__(nna_device_open_sized) *open_sized;
	__typeof__(nna_device_close) *close_device;
	struct nna_device *device = NULL;
	char *library, *last;
	void *handle;
	Dl_info self;
	int ret;

	assert_true(dladdr((void *)nna_device_close, &self));
	library = realpath(self.dli_fname, NULL);
	assert_non_null(library);
	assert_int_equal(chdir(dir), 0);
	copy_file(library, "copy.so");
	last = strrchr(library, '/');
	strcpy(last, "/nnaccel");
	assert_int_equal(symlink(library, "nnaccel"), 0);
	free(library);
	handle = dlopen(as, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(handle);
	if (gone)
		assert_int_equal(unlink("copy.so"), 0);
	open_sized = (__typeof__(open_sized))dlsym(handle, "nna_device_open_sized");
	close_device = (__typeof__(close_device))dlsym(handle, "nna_device_close");
	assert_ptr_not_equal(close_device, nna_device_close);
	message[0] = 0;
	ret = open_sized("loopback", &options, sizeof(options), &device);
	if (!ret)
		close_device(device);
	unlink("copy.so");
	unlink("nnaccel");
	assert_int_equal(chdir("/"), 0);
	return ret;
}

/* Nothing is loaded from the working directory. */
static void test_only_absolute(void **state)
{
	char path[PATH_MAX + 64];

	setenv(VARIABLE, "nnaccel", 1);
	path_in(path, "copy.so");
	assert_int_equal(open_by_copy(path, false), -ELIBACC);
	assert_non_null(strstr(message, VARIABLE " is nnaccel: it must be an absolute path"));
	unsetenv(VARIABLE);
	assert_int_equal(open_by_copy(path, false), 0);
	assert_int_equal(open_by_copy(path, true), -ELIBACC);
	assert_non_null(strstr(message, VARIABLE));
	assert_int_equal(open_by_copy("./copy.so", false), -ELIBACC);
	assert_non_null(strstr(message, "./copy.so"));
}

/* Return: a group that this process may give a file to and does not run as, or -1. */
static gid_t other_group(void)
{
	gid_t groups[64];
	int count = getgroups(64, groups);

	if (!geteuid())
		return getegid() + 1;
	for (int i = 0; i < count; i++)
		if (groups[i] != getegid())
			return groups[i];
	return -1;
}

/* Return: the exit status of the program at @path, as the child that @secure says. */
static int run_child(const char *path, const char *secure)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		execl(path, path, CHILD, secure, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A program that runs with another group's privileges does not look where its user says. */
static void test_secure(void **state)
{
	char path[PATH_MAX + 64];
	gid_t group = other_group();
	int ret;

	path_in(path, "child");
	copy_file("/proc/self/exe", path);
	assert_int_equal(run_child(path, NULL), CHILD_MISSING);
	if (group == (gid_t)-1 || chown(path, -1, group) || chmod(path, 02755)) {
		print_message("no second group to give a program to\n");
		skip();
	}
	ret = run_child(path, "secure");
	if (ret == CHILD_NOT_SECURE) {
		print_message("this process may not gain privileges (no_new_privs or nosuid)\n");
		skip();
	}
	assert_int_equal(ret, CHILD_OPENED);
}

static int child(const char *secure)
{
	if (secure && !getauxval(AT_SECURE))
		return CHILD_NOT_SECURE;
	switch (open_loopback()) {
	case 0:
		return CHILD_OPENED;
	case -ELIBACC:
		return CHILD_MISSING;
	default:
		return CHILD_ELSE;
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(test_beside_library), CASE(test_missing),	     CASE(test_garbage),
		CASE(test_no_plugin),	   CASE(test_other_build),   CASE(test_other_library),
		CASE(test_only_absolute),  CASE(test_secure),
	};
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (argc > 1 && !strcmp(argv[1], CHILD))
		return child(argv[2]);
	if (n < 0) {
		perror("/proc/self/exe");
		return 1;
	}
	here[n] = 0;
	dirname(here);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
