// SPDX-License-Identifier: MIT
/* The filter of system calls: each test in a process of its own, which ends as the filter says. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/seccomp.h"

static const uint32_t allowed[] = { SYS_getppid, SYS_exit_group, SYS_brk, SYS_munmap };
static const struct nna_seccomp_rule rules[] = {
	{ SYS_lseek, 2, 3, SEEK_CUR, EPERM },
	{ SYS_dup, 0, 0, 1, ENOSYS },
};

/* Runs @body in a process that has the filter. Return: its wait status. */
static int in_filter(int (*body)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (nna_seccomp_enter(allowed, 4, rules, 2))
			syscall(SYS_exit_group, 99);
		syscall(SYS_exit_group, body());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static int make_allowed(void)
{
	return syscall(SYS_getppid) <= 0;
}

static int make_rules(void)
{
	/* There is no such file: what the kernel says when the filter lets the call through. */
	if (syscall(SYS_lseek, -1, 0, SEEK_CUR) != -1 || errno != EBADF)
		return 1;
	if (syscall(SYS_lseek, -1, 0, SEEK_SET) != -1 || errno != EPERM)
		return 2;
	if (syscall(SYS_lseek, -1, 0, SEEK_CUR | 4) != -1 || errno != EBADF)
		return 3;
	return syscall(SYS_dup, 0) != -1 || errno != ENOSYS ? 4 : 0;
}

static int make_other(void)
{
	syscall(SYS_getuid);
	return 0;
}

#ifdef __x86_64__
/*
 * A call of the other calling conventions of the machine. Its number is that of an allowed call,
 * but means another one there.
 */
static int make_i386(void)
{
	long ret = SYS_getppid;

	__asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
	return 0;
}

static int make_x32(void)
{
	/* __X32_SYSCALL_BIT */
	syscall(0x40000000 | SYS_getppid);
	return 0;
}

static void test_foreign(void **state)
{
	int status = in_filter(make_i386);

	assert_true(WIFSIGNALED(status));
	/* A kernel without these calls ends the process before it asks the filter. */
	if (WTERMSIG(status) == SIGSEGV)
		skip();
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void test_x32(void **state)
{
	int status = in_filter(make_x32);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}
#endif

static void test_allowed(void **state)
{
	int status = in_filter(make_allowed);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_rules(void **state)
{
	int status = in_filter(make_rules);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_others(void **state)
{
	int status = in_filter(make_other);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void test_too_long(void **state)
{
	assert_int_equal(nna_seccomp_enter(allowed, SIZE_MAX, rules, 2), -E2BIG);
	assert_int_equal(nna_seccomp_enter(allowed, 4, rules, 4096), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_too_long),
#ifdef __x86_64__
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_x32),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
