// SPDX-License-Identifier: MIT
/* The sandbox (sandbox.h). */
#include "hal-bridge/service/sandbox.h"

#include <drm/nna_accel.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sandbox/seccomp.h"

#define NNB_USER "nnaccel-hal" /* the user to become, if there is such a user */
#define NNB_NOBODY 65534u /* otherwise */
#define NNB_NODES NNB_DEVICES /* numbers that an accelerator's node may get when it comes back */
#define NNB_ROOT "/tmp" /* mount point of the new root, in mounts of its own */

/* -------------------------------------------------------------------------------------- filter */

/* System calls that are allowed with any arguments; nnb_rules has the others. */
static const uint32_t nnb_allowed[] = {
	/* binder, the accelerator, dma-bufs, fences: all of them have descriptors and ioctls */
	SYS_ioctl,
	SYS_ppoll,
	/* clients' files, pipes and eventfds */
	SYS_read,
	SYS_write,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_lseek,
	SYS_ftruncate,
	SYS_fdatasync,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_fstatfs,
	/* helpers; see also socketpair */
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_fcntl,
	SYS_dup,
	SYS_dup3,
	SYS_close,
	SYS_pipe2,
	SYS_eventfd2,
	SYS_memfd_create,
	/* the accelerator's node, for each new client; no other file is left to open */
	SYS_openat,
	SYS_getdents64,
	SYS_readlinkat, /* of sysfs, to find a render node; there is none here */
	/* memory; see also mmap and mprotect */
	SYS_sysinfo, /* the C library's qsort() asks for the free memory */
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	/* threads and time; see also clone and prctl */
	SYS_futex,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_getpid,
	SYS_gettid,
	SYS_getuid,
	SYS_geteuid,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_sched_getattr,
	SYS_sched_setattr,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_restart_syscall,
	SYS_getrandom,
	/* signals, and to end */
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_rt_sigtimedwait,
	SYS_tgkill,
	SYS_exit,
	SYS_exit_group,
#ifdef SYS_poll /* older calls, which only older machines have */
	SYS_poll,
	SYS_open,
	SYS_readlink,
	SYS_pipe,
	SYS_nanosleep,
#endif
};

static const struct nna_seccomp_rule nnb_rules[] = {
	{SYS_mmap, 2, PROT_EXEC, 0, EPERM},
	{SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
	/* Threads are allowed, processes are not. */
	{SYS_clone, 0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM, EPERM},
	/* A filter cannot see its flags, which lie in memory. C libraries fall back on clone. */
	{SYS_clone3, 0, 0, 1, ENOSYS},
	{SYS_prctl, 0, UINT32_MAX, PR_SET_NAME, EPERM},
	{SYS_socketpair, 0, UINT32_MAX, AF_UNIX, EPERM},
};

/* System calls of helpers, and of the process that starts them. */
static const uint32_t nnb_helpers_allowed[] = {
	SYS_recvmsg,
	SYS_recvfrom,
	SYS_ppoll,
	SYS_pipe2,
	SYS_clone, /* fork() */
	SYS_read,
	SYS_write,
	SYS_pread64,
	SYS_pwrite64,
	SYS_ftruncate,
	SYS_fstat,
	SYS_newfstatat,
	SYS_close,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_getpid,
	SYS_gettid,
	SYS_futex,
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_munmap,
	SYS_brk,
	SYS_exit,
	SYS_exit_group,
#ifdef SYS_poll
	SYS_poll,
	SYS_pipe,
#endif
};

static const struct nna_seccomp_rule nnb_helpers_rules[] = {
	{SYS_mmap, 2, PROT_EXEC, 0, EPERM},
	{SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
	{SYS_clone3, 0, 0, 1, ENOSYS},
};

/* System calls of the namer: of ioctls the one that it is for. */
static const uint32_t nnb_namer_allowed[] = {
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_close,
	SYS_futex,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_munmap,
	SYS_brk,
	SYS_exit,
	SYS_exit_group,
};

static const struct nna_seccomp_rule nnb_namer_rules[] = {
	{SYS_ioctl, 1, UINT32_MAX, DRM_IOCTL_NNA_FILE_SET_USER, EPERM},
	{SYS_mmap, 2, PROT_EXEC, 0, EPERM},
	{SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
};

#define NNB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ------------------------------------------------------------------------------- root directory */

int nnb_sandbox_prepare(void)
{
	if (geteuid())
		return 0;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", NNB_ROOT, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k"))
		return -errno;
	return 0;
}

/* Makes a device node that only @uid may use. */
static int nnb_sandbox_add_node(const char *path, dev_t device, uid_t uid, gid_t gid)
{
	char copy[128];

	if (snprintf(copy, sizeof(copy), NNB_ROOT "%s", path) >= (int)sizeof(copy))
		return -EINVAL;
	for (char *at = strchr(copy + strlen(NNB_ROOT "/"), '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	if (mknod(copy, S_IFCHR | 0600, device) || chown(copy, uid, gid))
		return -errno;
	return 0;
}

/* Makes a node like the one of this name outside of the sandbox, if there is one. */
static int nnb_sandbox_copy_node(const char *path, uid_t uid, gid_t gid)
{
	struct stat node;

	if (stat(path, &node))
		return errno == ENOENT ? 0 : -errno;
	return S_ISCHR(node.st_mode) ? nnb_sandbox_add_node(path, node.st_rdev, uid, gid) : -EINVAL;
}

/*
 * Makes the accelerator's node. An unplugged device comes back under another number if it is still
 * open somewhere. So if the service finds the device by itself, all numbers up to a limit get
 * nodes, also those without a device yet.
 */
static int nnb_sandbox_add_accelerator(const char *path, bool any, uid_t uid, gid_t gid)
{
	/* The number in the name is the minor one: accel0 or renderD128 is the first. */
	const bool render = !strncmp(path, "/dev/dri/", strlen("/dev/dri/"));
	const unsigned int first = render ? 128 : 0;
	struct stat node;
	char other[64];
	int ret = 0;

	if (!any)
		return nnb_sandbox_copy_node(path, uid, gid);
	if (stat(path, &node))
		return -errno;
	for (unsigned int i = first; i < first + NNB_NODES && !ret; i++) {
		snprintf(other, sizeof(other), "/dev/%s%u", render ? "dri/renderD" : "accel/accel", i);
		ret = nnb_sandbox_add_node(other, makedev(major(node.st_rdev), i), uid, gid);
	}
	return ret;
}

static int nnb_sandbox_change_root(struct nnb_service *service, uid_t uid, gid_t gid)
{
	struct nna_device_info info;
	int ret = 0;

	/* The numbers of the first one's nodes are those of all. */
	for (uint32_t i = 0; i < (service->any ? 1 : service->device_count) && !ret; i++) {
		nnb_device_get_info(&service->devices[i], &info);
		if (!info.loopback)
			ret = nnb_sandbox_add_accelerator(info.name, service->any, uid, gid);
	}
	if (!ret)
		ret = nnb_sandbox_copy_node("/dev/udmabuf", uid, gid);
	if (ret)
		return ret;
	if (mount(NULL, NNB_ROOT, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC, NULL) ||
	    chroot(NNB_ROOT) || chdir("/"))
		return -errno;
	return 0;
}

/* A user other than root has no capabilities, in any thread, unless the thread keeps them. */
static int nnb_sandbox_change_user(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

/* Finds the user to become. */
static void nnb_sandbox_find_user(uid_t *uid, gid_t *gid)
{
	const struct passwd *user = getpwnam(NNB_USER);
	const bool found = user && user->pw_uid && user->pw_gid;

	*uid = found ? user->pw_uid : NNB_NOBODY;
	*gid = found ? user->pw_gid : NNB_NOBODY;
}

/* Gives up all capabilities of this thread but those in @kept, as far as it has them. */
static int nnb_sandbox_keep_capabilities(uint32_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return -errno;
	kept &= sets[0].permitted;
	memset(sets, 0, sizeof(sets));
	sets[0].permitted = kept;
	sets[0].effective = kept;
	return syscall(SYS_capset, &header, sets) ? -errno : 0;
}

int nnb_sandbox_drop_capabilities(void)
{
	return geteuid() ? nnb_sandbox_keep_capabilities(0) : 0;
}

/* Becomes another user than root in a process with one thread. */
static int nnb_sandbox_leave_root(void)
{
	uid_t uid;
	gid_t gid;
	int ret;

	if (geteuid())
		return 0;
	nnb_sandbox_find_user(&uid, &gid);
	ret = nnb_sandbox_change_user(uid, gid);
	/* The change of user has cleared it. */
	if (!ret && prctl(PR_SET_PDEATHSIG, SIGKILL))
		ret = -errno;
	return ret;
}

int nnb_sandbox_enter_helpers(void)
{
	int ret = NNA_SECCOMP_ARCH ? nnb_sandbox_leave_root() : -ENOTSUP;

	if (!ret)
		ret = nnb_sandbox_keep_capabilities(0);
	return ret ? ret
		   : nna_seccomp_enter(nnb_helpers_allowed, NNB_COUNT(nnb_helpers_allowed),
				       nnb_helpers_rules, NNB_COUNT(nnb_helpers_rules));
}

int nnb_sandbox_enter_namer(void)
{
	int ret = NNA_SECCOMP_ARCH ? 0 : -ENOTSUP;

	if (!ret && prctl(PR_SET_KEEPCAPS, 1))
		ret = -errno;
	if (!ret)
		ret = nnb_sandbox_leave_root();
	if (!ret)
		ret = nnb_sandbox_keep_capabilities(UINT32_C(1) << CAP_SYS_NICE);
	return ret ? ret
		   : nna_seccomp_enter(nnb_namer_allowed, NNB_COUNT(nnb_namer_allowed),
				       nnb_namer_rules, NNB_COUNT(nnb_namer_rules));
}

int nnb_sandbox_enter(struct nnb_service *service, char *why, size_t why_size)
{
	const char *what = "this machine's system calls";
	uid_t uid;
	gid_t gid;
	int ret = NNA_SECCOMP_ARCH ? 0 : -ENOTSUP;

	if (!ret && !geteuid()) {
		nnb_sandbox_find_user(&uid, &gid);
		what = "root directory";
		ret = nnb_sandbox_change_root(service, uid, gid);
		if (!ret) {
			what = "user";
			ret = nnb_sandbox_change_user(uid, gid);
		}
	}
	if (!ret) {
		what = "seccomp";
		ret = nna_seccomp_enter(nnb_allowed, NNB_COUNT(nnb_allowed), nnb_rules,
					NNB_COUNT(nnb_rules));
	}
	if (ret)
		snprintf(why, why_size, "sandbox: %s: %s", what, strerror(-ret));
	return ret;
}
