// SPDX-License-Identifier: MIT
#include "device/transport/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define USER "nna-device" /* who to become, if there is such a user */
#define NOBODY 65534u	  /* else */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* nobody has looked which calls it makes there */
#endif

#ifndef __has_feature /* clang's; gcc defines names instead */
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* ---- the filter ------------------------------------------------------------------------------ */

/* System calls that may be made with any arguments. */
static const uint32_t allowed[] = {
	/* the sockets */
	SYS_accept4,
	SYS_recvmsg,
	SYS_recvfrom,
	SYS_sendto,
	SYS_shutdown,
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
	/* files and eventfds that are open: a client's, and the process's own */
	SYS_close,
	SYS_read,
	SYS_write,
	SYS_writev,
	SYS_fcntl,
	SYS_fstat,
	SYS_eventfd2,
	SYS_memfd_create,
	SYS_ftruncate,
	SYS_pipe2,
#ifdef SYS_pipe
	SYS_pipe,
#endif
	SYS_io_setup,
	SYS_io_submit,
	SYS_io_getevents,
	SYS_io_destroy,
	/* the names of the sockets, at the end */
	SYS_unlinkat,
#ifdef SYS_unlink
	SYS_unlink,
#endif
	/* memory; see also those_with_arguments */
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	/* threads and time; clone is among those_with_arguments */
	SYS_futex,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_gettid,
	SYS_getpid,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_restart_syscall,
	SYS_getrandom,
	/* signals, and to end by one */
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_tgkill,
	SYS_exit,
	SYS_exit_group,
};

/* What the sanitizers make beside those: they read /proc, and look for leaks from a process. */
static const uint32_t sanitizers[] = {
	SYS_openat,
	SYS_readlinkat,
	SYS_newfstatat,
	SYS_getdents64,
	SYS_lseek,
	SYS_pread64,
	SYS_mmap,
	SYS_mprotect,
	SYS_clone,
	SYS_wait4,
	SYS_ptrace,
	SYS_kill,
	SYS_getppid,
	SYS_prctl,
	SYS_prlimit64,
	SYS_sigaltstack,
	SYS_sysinfo,
	SYS_uname,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_sched_setaffinity,
	SYS_process_vm_readv,
	SYS_ioctl,
	SYS_dup,
#ifdef SYS_open
	SYS_open,
	SYS_getdents,
	SYS_readlink,
	SYS_stat,
	SYS_lstat,
	SYS_getrlimit,
	SYS_fork,
#endif
};

/*
 * Those with arguments: the low half of argument @argument, masked, must equal @value; else the
 * call fails with @error, or ends the process when that is 0.
 */
static const struct {
	uint32_t call;
	uint32_t argument;
	uint32_t mask;
	uint32_t value;
	uint32_t error;
} those_with_arguments[] = {
	{ SYS_mmap, 2, PROT_EXEC, 0, EPERM },
	{ SYS_mprotect, 2, PROT_EXEC, 0, EPERM },
	/* fstat() is this one in newer C libraries. */
	{ SYS_newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, EPERM },
	/* Threads, no processes. */
	{ SYS_clone, 0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM, EPERM },
	/* Its flags lie in memory, where no filter sees them: C libraries fall back on clone. */
#ifdef SYS_clone3
	{ SYS_clone3, 0, 0, 1, ENOSYS },
#endif
	/* malloc() asks for the number of CPUs there, and does without. */
	{ SYS_openat, 0, 0, 1, ENOENT },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILTER_MAX (8 + 2 * (COUNT(allowed) + COUNT(sanitizers)) + 6 * COUNT(those_with_arguments))

/**
 * struct filter - a program of the kernel's packet filter that is being written
 * @code: the program
 * @size: instructions of @code
 */
struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short size;
};

static void emit(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	f->code[f->size++] = (struct sock_filter){ code, jt, jf, k };
}

static void emit_load(struct filter *f, uint32_t offset)
{
	emit(f, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void emit_return(struct filter *f, uint32_t action)
{
	emit(f, BPF_RET | BPF_K, action, 0, 0);
}

/* Each list of calls is searched in order; the number of the call is what is loaded. */
static void emit_list(struct filter *f, const uint32_t *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		emit(f, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		emit_return(f, SECCOMP_RET_ALLOW);
	}
}

static void write_filter(struct filter *f)
{
	f->size = 0;
	emit_load(f, offsetof(struct seccomp_data, arch));
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	emit_return(f, SECCOMP_RET_KILL_PROCESS);
	emit_load(f, offsetof(struct seccomp_data, nr));
	emit_list(f, allowed, COUNT(allowed));
	if (SANITIZED)
		emit_list(f, sanitizers, COUNT(sanitizers));
	for (size_t i = 0; i < COUNT(those_with_arguments); i++) {
		uint32_t error = those_with_arguments[i].error;

		emit(f, BPF_JMP | BPF_JEQ | BPF_K, those_with_arguments[i].call, 0, 5);
		/* The low half comes first on the machines above. */
		emit_load(f, (uint32_t)(offsetof(struct seccomp_data, args) +
					8 * those_with_arguments[i].argument));
		emit(f, BPF_ALU | BPF_AND | BPF_K, those_with_arguments[i].mask, 0, 0);
		emit(f, BPF_JMP | BPF_JEQ | BPF_K, those_with_arguments[i].value, 0, 1);
		emit_return(f, SECCOMP_RET_ALLOW);
		emit_return(f, SECCOMP_RET_ERRNO | error);
	}
	emit_return(f, SECCOMP_RET_KILL_PROCESS);
}

static int filter_calls(void)
{
	struct filter filter;
	struct sock_fprog program = { .filter = filter.code };

	write_filter(&filter);
	program.len = filter.size;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/* ---- users and capabilities ------------------------------------------------------------------ */

static int drop_user(void)
{
	const struct passwd *user;
	uid_t uid = NOBODY;
	gid_t gid = NOBODY;
	int death = 0;

	if (geteuid() != 0)
		return 0;
	user = getpwnam(USER);
	if (user && user->pw_uid != 0 && user->pw_gid != 0) {
		uid = user->pw_uid;
		gid = user->pw_gid;
	}
	/* The kernel forgets with the user whether the parent's end is to end the process. */
	if (prctl(PR_GET_PDEATHSIG, &death) < 0)
		return -errno;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	if (death && prctl(PR_SET_PDEATHSIG, death) < 0)
		return -errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &header, none) < 0)
		return -errno;
	return 0;
}

int nnadev_sandbox_enter(char *why, size_t why_size)
{
	const char *what = "this machine's system calls";
	int ret = -ENOTSUP;

	if (!ARCH)
		goto fail;
	what = "user";
	ret = drop_user();
	if (ret < 0)
		goto fail;
	what = "capabilities";
	ret = drop_capabilities();
	if (ret < 0)
		goto fail;
	/* Nobody attaches to it, no core holds clients' data; LeakSanitizer attaches to itself. */
	what = "no_new_privs";
	if (prctl(PR_SET_DUMPABLE, SANITIZED) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		ret = -errno;
		goto fail;
	}
	what = "seccomp";
	ret = filter_calls();
	if (ret < 0)
		goto fail;
	return 0;

fail:
	snprintf(why, why_size, "sandbox: %s: %s (--sandbox=off does without)", what,
		 strerror(-ret));
	return ret;
}
