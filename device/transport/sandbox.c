// SPDX-License-Identifier: MIT
#include "device/transport/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/seccomp.h"

#define USER "nna-device" /* the user to change to, if it exists */
#define NOBODY 65534u	  /* the user ID otherwise */

#ifndef __has_feature /* clang has it; gcc defines macros instead */
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- the filter ------------------------------------------------------------------------------ */

/* System calls that are allowed with any arguments. */
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
	/* open files and eventfds, of a client and of the process */
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
	/* the paths of the sockets, which are removed at the end */
	SYS_unlinkat,
#ifdef SYS_unlink
	SYS_unlink,
#endif
	/* memory; see those_with_arguments for mmap and mprotect */
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	/* threads and time; see those_with_arguments for clone */
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
	/* signals, and exit */
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_tgkill,
	SYS_exit,
	SYS_exit_group,
#if SANITIZED
	/* sanitizers: they read /proc, and search for leaks from another process */
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
#endif
};

static const struct nna_seccomp_rule those_with_arguments[] = {
	{ SYS_mmap, 2, PROT_EXEC, 0, EPERM },
	{ SYS_mprotect, 2, PROT_EXEC, 0, EPERM },
	/* Newer C libraries implement fstat() with it. */
	{ SYS_newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, EPERM },
	/* Threads are allowed, processes are not. */
	{ SYS_clone, 0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM, EPERM },
	/* Its flags are in memory, which a filter cannot read. C libraries fall back to clone. */
#ifdef SYS_clone3
	{ SYS_clone3, 0, 0, 1, ENOSYS },
#endif
	/* malloc() reads the number of CPUs from a file, and works without it. */
	{ SYS_openat, 0, 0, 1, ENOENT },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	/* Changing the user clears the parent-death signal, so it is set again below. */
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

	if (!NNA_SECCOMP_ARCH)
		goto fail;
	what = "user";
	ret = drop_user();
	if (ret < 0)
		goto fail;
	what = "capabilities";
	ret = drop_capabilities();
	if (ret < 0)
		goto fail;
	/* No ptrace, no core dump of clients' data. LeakSanitizer needs ptrace of its process. */
	what = "core dumps";
	if (prctl(PR_SET_DUMPABLE, SANITIZED) < 0) {
		ret = -errno;
		goto fail;
	}
	what = "seccomp";
	ret = nna_seccomp_enter(allowed, COUNT(allowed), those_with_arguments,
				COUNT(those_with_arguments));
	if (ret < 0)
		goto fail;
	return 0;

fail:
	snprintf(why, why_size, "sandbox: %s: %s (--sandbox=off does without)", what,
		 strerror(-ret));
	return ret;
}
