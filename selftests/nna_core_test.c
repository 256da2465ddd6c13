// SPDX-License-Identifier: MIT
/*
 * The ioctls of the DRM core on the accel node, by the native and by the 32-bit entry of the
 * kernel: whatever the arguments, the call returns, and other clients can use the device
 * afterwards.
 */

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define NUMBERS 256
#define ROUNDS 16
/* Larger than any argument of the core's ioctls. */
#define ARG_SIZE 256
/* With more handles the core's allocation fails with a warning in the log. */
#define MAX_HANDLES 64u

typedef int (*ioctl_fn)(int fd, unsigned long request, void *arg);

static int native_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

#if defined(__x86_64__)
/* arg must be in the lowest 4 GiB of addresses. */
static int compat_ioctl(int fd, unsigned long request, void *arg)
{
	long ret = 54; /* ioctl */

	__asm__ volatile("int $0x80"
			 : "+a" (ret)
			 : "b" ((long)fd), "c" (request), "d" (arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}
#endif

static uint8_t *arg_map(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint8_t *arg;

#if defined(MAP_32BIT)
	flags |= MAP_32BIT;
#endif
	arg = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
	CHECK(arg != MAP_FAILED);
	return arg;
}

static void cap_u32(uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	value %= MAX_HANDLES + 1;
	memcpy(at, &value, sizeof(value));
}

static void cap_handles(unsigned int nr, uint8_t *arg)
{
	switch (nr) {
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_WAIT):
		cap_u32(arg + offsetof(struct drm_syncobj_wait, count_handles));
		break;
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
		cap_u32(arg + offsetof(struct drm_syncobj_timeline_wait, count_handles));
		break;
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
		cap_u32(arg + offsetof(struct drm_syncobj_array, count_handles));
		break;
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_QUERY):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
		cap_u32(arg + offsetof(struct drm_syncobj_timeline_array, count_handles));
		break;
	}
}

static unsigned long core_request(unsigned int nr)
{
	return DRM_IOC(DRM_IOC_READWRITE, DRM_IOCTL_BASE, nr, ARG_SIZE);
}

static void call_all(ioctl_fn call)
{
	uint8_t *arg = arg_map();
	int fd = nna_open();

	for (unsigned int nr = 0; nr < NUMBERS; nr++) {
		memset(arg, 0, ARG_SIZE);
		call(fd, core_request(nr), arg);
	}
	srand(1);
	for (unsigned int i = 0; i < ROUNDS * NUMBERS; i++) {
		unsigned int nr = i % NUMBERS;

		for (unsigned int j = 0; j < ARG_SIZE; j++)
			arg[j] = (uint8_t)(rand() >> 8);
		cap_handles(nr, arg);
		call(fd, core_request(nr), arg);
	}
	close(fd);
	expect_inference();
}

/* The ioctls for DRM masters: there is no master on an accel node or a render node. */
static void call_refused(ioctl_fn call)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_GET_MAGIC, DRM_IOCTL_GET_UNIQUE, DRM_IOCTL_AUTH_MAGIC,
		DRM_IOCTL_SET_MASTER, DRM_IOCTL_MODE_GETRESOURCES, DRM_IOCTL_GET_CLIENT,
	};
	uint8_t *arg = arg_map();
	int fd = nna_open();

	for (unsigned int i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		memset(arg, 0, ARG_SIZE);
		EQ(call(fd, requests[i], arg), -EACCES);
	}
	close(fd);
}

TEST(refused)
{
	call_refused(native_ioctl);
}

TEST(every_number)
{
	call_all(native_ioctl);
}

/*
 * The card node beside a render node permits the driver's ioctls, and of the core's what every card
 * without displays does: names of BOs to authenticated clients, no modes.
 */
TEST(card)
{
	struct drm_nna_bo_create create = { .size = 4096 };
	struct drm_gem_flink flink;
	struct drm_gem_open named;
	struct drm_mode_card_res modes = { 0 };
	int fd = nna_card_open();

	if (fd < 0)
		SKIP("the device has an accel node and no card node");
	EQ(hw_info(fd).abi_major, NNAHW_ABI_MAJOR);
	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &create), 0);
	flink = (struct drm_gem_flink){ .handle = create.handle };
	EQ(xioctl(fd, DRM_IOCTL_GEM_FLINK, &flink), 0);
	named = (struct drm_gem_open){ .name = flink.name };
	EQ(xioctl(fd, DRM_IOCTL_GEM_OPEN, &named), 0);
	EQ(named.size, create.size);
	EQ(xioctl(fd, DRM_IOCTL_MODE_GETRESOURCES, &modes), -EOPNOTSUPP);
	expect_inference();
}

/* A client of a card node that is not authenticated sees no BO of another one by its name. */
TEST(card_of_a_stranger)
{
	struct drm_nna_bo_create create = { .size = 4096 };
	int first = nna_card_open(), status;
	struct drm_gem_flink flink;
	pid_t pid;

	if (first < 0)
		SKIP("the device has an accel node and no card node");
	if (geteuid())
		SKIP("needs root");
	EQ(xioctl(first, DRM_IOCTL_NNA_BO_CREATE, &create), 0);
	flink = (struct drm_gem_flink){ .handle = create.handle };
	EQ(xioctl(first, DRM_IOCTL_GEM_FLINK, &flink), 0);
	EQ(chmod(nna_node(first), 0666), 0);
	pid = fork();
	if (!pid) {
		struct drm_gem_open named = { .name = flink.name };
		struct drm_nna_bo_create own = { .size = 4096 };
		int fd;

		EQ(setresuid(65534, 65534, 65534), 0);
		fd = nna_card_open();
		CHECK(fd >= 0);
		EQ(xioctl(fd, DRM_IOCTL_GEM_OPEN, &named), -EACCES);
		EQ(xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &own), 0);
		flink = (struct drm_gem_flink){ .handle = own.handle };
		EQ(xioctl(fd, DRM_IOCTL_GEM_FLINK, &flink), -EACCES);
		_exit(0);
	}
	EQ(waitpid(pid, &status, 0), pid);
	EQ(status, 0);
	EQ(chmod(nna_node(first), 0660), 0);
}

/* No core ioctl by a card node breaks the driver either. */
TEST(every_number_of_a_card)
{
	uint8_t *arg = arg_map();
	int fd = nna_card_open();

	if (fd < 0)
		SKIP("the device has an accel node and no card node");
	for (unsigned int nr = 0; nr < NUMBERS; nr++) {
		memset(arg, 0, ARG_SIZE);
		native_ioctl(fd, core_request(nr), arg);
	}
	expect_inference();
}

#if defined(__x86_64__)
static void no_compat(int number)
{
	_exit(KSFT_SKIP);
}

/*
 * Without 32-bit support in the kernel the call ends in a signal or in ENOSYS. The signal has a
 * handler, since the kernel logs one that nobody handles, and selftests/watched takes what it says
 * for a fault of the driver.
 */
static void need_compat(void)
{
	struct drm_syncobj_create *create = (void *)arg_map();
	int fd = nna_open(), status, ret;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, no_compat);
		_exit(compat_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, create) ? 1 : 0);
	}
	EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == KSFT_SKIP)
		SKIP("this kernel runs no 32-bit programs");
	ret = compat_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, create);
	if (ret == -ENOSYS)
		SKIP("this kernel runs no 32-bit programs");
	EQ(ret, 0);
	CHECK(create->handle);
	close(fd);
}

TEST(refused_compat)
{
	need_compat();
	call_refused(compat_ioctl);
}

TEST(every_number_compat)
{
	need_compat();
	call_all(compat_ioctl);
}
#endif
