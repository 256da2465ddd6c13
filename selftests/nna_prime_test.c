// SPDX-License-Identifier: MIT
/*
 * Sharing of memory as dma-bufs with udmabuf, the system heap, vgem, other files and other
 * processes, and fences on dma-bufs.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define DATA_SIZE (ENV_SIZE - ENV_DATA)

/* ---- where more dma-bufs come from, as those of nna_test.h ----------------------------------- */

static int from_system_heap(uint32_t size)
{
	struct dma_heap_allocation_data args = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	if (heap < 0)
		SKIP("no /dev/dma_heap/system");
	CHECK(!ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &args));
	close(heap);
	return (int)args.fd;
}

static int from_nna(uint32_t size)
{
	int fd = nna_open(), dmabuf;

	EQ(drmPrimeHandleToFD(fd, bo_create(fd, size, 0, 0), DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	close(fd);
	return dmabuf;
}

static void send_fd(int socket, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = space,
			      .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	EQ(sendmsg(socket, &msg, 0), 1);
}

static int receive_fd(int socket)
{
	char space[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = space,
			      .msg_controllen = sizeof(space) };
	int fd;

	EQ(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC), 1);
	CHECK(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* A dma-buf that a process made which has ended. */
static int from_another_process(uint32_t size)
{
	int pair[2], fd, status;
	pid_t pid;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	if (!pid) {
		send_fd(pair[1], from_nna(size));
		_exit(0);
	}
	fd = receive_fd(pair[0]);
	EQ(waitpid(pid, &status, 0), pid);
	EQ(status, 0);
	return fd;
}

static void *map_dmabuf(int dmabuf, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void sync_dmabuf(int dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	EQ(ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), 0);
}

static void fill_and_check(struct env *env, int dmabuf, const uint8_t *p)
{
	stream_begin(env);
	stream_fill(env, 0x1000, 0x3000, 0x77);
	stream_end(env);
	stream_finish(env);
	EQ(submit_and_wait(env), 0);
	sync_dmabuf(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	EQ(p[0xfff], 0);
	EQ(p[0x1000], 0x77);
	EQ(p[0x3fff], 0x77);
	EQ(p[0x4000], 0);
	sync_dmabuf(dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
}

/* The device writes to an imported dma-buf, and the exporter sees it. */
#define IMPORT(source) \
	TEST(import_##source) \
	{ \
		int dmabuf = from_##source(DATA_SIZE); \
		uint8_t *p = map_dmabuf(dmabuf, DATA_SIZE); \
		struct env env; \
		uint32_t bo; \
		env_init(&env); \
		EQ(drmPrimeFDToHandle(env.fd, dmabuf, &bo), 0); \
		EQ(vm_map(env.fd, env.vm, bo, 0, ENV_VA + ENV_DATA, DATA_SIZE, 0), 0); \
		fill_and_check(&env, dmabuf, p); \
	} \
	TEST(import_##source##_and_let_go) \
	{ \
		int dmabuf = from_##source(DATA_SIZE); \
		struct env env; \
		uint32_t bo; \
		env_init(&env); \
		EQ(drmPrimeFDToHandle(env.fd, dmabuf, &bo), 0); \
		EQ(vm_map(env.fd, env.vm, bo, 0x2000, ENV_VA + ENV_DATA, 0x4000, 0), 0); \
		bo_close(env.fd, bo); \
		close(dmabuf); \
		stream_begin(&env); \
		stream_fill(&env, 0, 0x4000, 1); \
		stream_end(&env); \
		stream_finish(&env); \
		EQ(submit_and_wait(&env), 0); \
	}

IMPORT(udmabuf)
IMPORT(system_heap)
IMPORT(vgem)
IMPORT(nna)
IMPORT(another_process)

TEST(import_twice_is_one_object)
{
	int fd = nna_open(), dmabuf = from_udmabuf(DATA_SIZE);
	uint32_t a, b;

	EQ(drmPrimeFDToHandle(fd, dmabuf, &a), 0);
	EQ(drmPrimeFDToHandle(fd, dmabuf, &b), 0);
	EQ(a, b);
}

TEST(import_of_ones_own)
{
	int fd = nna_open(), dmabuf;
	uint32_t bo = bo_create(fd, 4096, 0, 0), again;

	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(fd, dmabuf, &again), 0);
	EQ(bo, again);
}

/* An object of another file of the same device is shared itself, without an attachment. */
TEST(import_in_another_file)
{
	int fd = nna_open(), other = nna_open(), dmabuf;
	uint32_t bo = bo_create(fd, 65536, 0, 0), bo2;
	uint8_t *p = bo_map(fd, bo, 65536), *q;

	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(other, dmabuf, &bo2), 0);
	q = map_dmabuf(dmabuf, 65536);
	close(dmabuf);
	close(fd);
	memset(p, 7, 65536);
	EQ(q[65535], 7);
	EQ(vm_map(other, vm_create(other), bo2, 0, ENV_VA, 65536, 0), 0);
	EQ(((uint8_t *)bo_map(other, bo2, 65536))[0], 7);
}

TEST(import_is_no_dmabuf)
{
	int fd = nna_open(), memfd = memfd_create("nna", MFD_CLOEXEC);
	uint32_t bo;

	CHECK(drmPrimeFDToHandle(fd, memfd, &bo));
	EQ(errno, EINVAL);
	CHECK(drmPrimeFDToHandle(fd, -1, &bo));
	EQ(errno, EBADF);
}

TEST(imported_has_no_mmap_offset)
{
	int fd = nna_open(), dmabuf = from_udmabuf((uint32_t)cpu_page());
	struct drm_nna_bo_mmap_offset offset = { 0 };

	EQ(drmPrimeFDToHandle(fd, dmabuf, &offset.handle), 0);
	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset), -EPERM);
}

TEST(imported_beyond_its_end)
{
	/* Imports end with a page of the CPU, binds with one of the device. */
	const uint32_t size = 4 * (uint32_t)cpu_page(), page = 0x1000;
	int fd = nna_open(), dmabuf = from_udmabuf(size);
	uint32_t bo, vm = vm_create(fd);

	EQ(drmPrimeFDToHandle(fd, dmabuf, &bo), 0);
	EQ(vm_map(fd, vm, bo, 0, ENV_VA, size + page, 0), -EINVAL);
	EQ(vm_map(fd, vm, bo, size - page, ENV_VA, 2 * page, 0), -EINVAL);
	EQ(vm_map(fd, vm, bo, size - page, ENV_VA, page, 0), 0);
}

TEST(export_private)
{
	int fd = nna_open(), dmabuf = -1;
	uint32_t bo = bo_create(fd, 4096, vm_create(fd), 0);

	CHECK(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC, &dmabuf));
	EQ(errno, EPERM);
}

TEST(export_unknown)
{
	int dmabuf;

	CHECK(drmPrimeHandleToFD(nna_open(), 5, DRM_CLOEXEC, &dmabuf));
	EQ(errno, ENOENT);
}

TEST(export_read_only)
{
	int fd = nna_open(), dmabuf;
	uint32_t bo = bo_create(fd, 4096, 0, 0);

	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC, &dmabuf), 0);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0) == MAP_FAILED);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, dmabuf, 0) != MAP_FAILED);
}

/* A handle that has come by a dma-buf for reading is good for reading only, for the device, too. */
static void expect_read_only(int fd, uint32_t bo)
{
	struct drm_nna_bo_madvise madvise = { .handle = bo, .madv = DRM_NNA_MADV_DONTNEED };
	uint32_t vm = vm_create(fd);

	EQ(vm_map(fd, vm, bo, 0, ENV_VA, 4096, 0), -EACCES);
	EQ(vm_map(fd, vm, bo, 0, ENV_VA, 4096, DRM_NNA_VM_BIND_OP_READONLY), 0);
	EQ(vm_map(fd, vm, bo, 0, ENV_VA, 4096, 0), -EACCES);
	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MADVISE, &madvise), -EACCES);
}

TEST(import_read_only_in_another_file)
{
	int fd = nna_open(), other = nna_open(), dmabuf;
	struct drm_nna_bo_mmap_offset offset = {};
	uint32_t bo = bo_create(fd, 4096, 0, 0), again;
	uint8_t *p = bo_map(fd, bo, 4096), *q;

	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(other, dmabuf, &offset.handle), 0);
	expect_read_only(other, offset.handle);
	EQ(xioctl(other, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset), 0);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, other, (off_t)offset.offset) ==
	      MAP_FAILED);
	EQ(errno, EACCES);
	q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, (off_t)offset.offset);
	CHECK(q != MAP_FAILED);
	p[7] = 7;
	EQ(q[7], 7);
	CHECK(mprotect(q, 4096, PROT_READ | PROT_WRITE));
	EQ(errno, EACCES);
	/* The second export asks for more than the first has given. */
	close(dmabuf);
	EQ(drmPrimeHandleToFD(other, offset.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, dmabuf, 0) == MAP_FAILED);

	/* The creator's own handle writes, also if it imports the object while it has it. */
	EQ(drmPrimeFDToHandle(fd, dmabuf, &again), 0);
	EQ(again, bo);
	EQ(vm_map(fd, vm_create(fd), bo, 0, ENV_VA, 4096, 0), 0);
	bo_close(fd, bo);
	EQ(drmPrimeFDToHandle(fd, dmabuf, &again), 0);
	expect_read_only(fd, again);
}

TEST(import_read_only_of_vgem)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = 1, .bpp = 32 };
	int fd = nna_open(), vgem = vgem_open(), dmabuf;
	uint32_t bo;

	CHECK(!ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb));
	EQ(drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(fd, dmabuf, &bo), 0);
	expect_read_only(fd, bo);
}

/* An object with NO_MMAP cannot be mapped through its dma-buf either. */
TEST(export_without_mmap)
{
	int fd = nna_open(), dmabuf;
	uint32_t bo = bo_create(fd, 4096, 0, DRM_NNA_BO_NO_MMAP);

	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, dmabuf, 0) == MAP_FAILED);
	EQ(errno, EPERM);
}

TEST(export_to_vgem)
{
	int vgem = vgem_open(), dmabuf;
	struct drm_mode_map_dumb map = { 0 };
	struct env env;
	uint8_t *p;

	env_init(&env);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(vgem, dmabuf, &map.handle), 0);
	p = map_dmabuf(dmabuf, ENV_SIZE);
	fill_and_check(&env, dmabuf, p + ENV_DATA);
	close(env.fd);
	EQ(p[ENV_DATA + 0x1000], 0x77);
}

TEST(dmabuf_outlives_everything)
{
	struct env env;
	uint8_t *p;
	int dmabuf;

	env_init(&env);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	fill_and_check(&env, dmabuf, env.map + ENV_DATA);
	env_fini(&env);
	p = map_dmabuf(dmabuf, ENV_SIZE);
	EQ(p[ENV_DATA + 0x1000], 0x77);
	close(dmabuf);
	EQ(p[ENV_DATA + 0x3fff], 0x77);
}

/* A job's fence that is put on a dma-buf is what implicitly synchronised clients wait for. */
TEST(out_fence_on_a_dmabuf)
{
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_READ };
	struct env env;
	uint32_t out;
	int dmabuf;

	env_init(&env);
	out = syncobj_create(env.fd);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	env.map[ENV_DATA] = 0;
	stream_begin(&env);
	stream_fill(&env, 0, 1, 1);
	stream_jump(&env, env.stream_size);
	stream_finish(&env);
	EQ(submit(&env, 0, out), 0);
	/* A job that is not on the ring when its context is destroyed would end with -ESRCH. */
	while (!__atomic_load_n(&env.map[ENV_DATA], __ATOMIC_ACQUIRE))
		usleep(1000);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &import.fd), 0);
	EQ(ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import), 0);
	EQ(ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export), 0);
	EQ(sync_file_status(export.fd), 0);
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	/* It has the job's error. */
	EQ(sync_file_status(export.fd), -ECANCELED);
}

/* A submission puts no fence on the dma-bufs that the job uses. */
TEST(no_implicit_fence)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	struct env env;
	uint32_t out;
	int dmabuf;

	env_init(&env);
	out = syncobj_create(env.fd);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	stream_held(&env);
	EQ(submit(&env, 0, out), 0);
	EQ(ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export), 0);
	EQ(sync_file_status(export.fd), 1);
	EQ(syncobj_wait(env.fd, out, 0), -ETIME);
	stream_release(&env);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
}

/* Many at a time, all bound; again and again, so that a leak would show. */
TEST(import_many)
{
	/* A multiple of every page that a CPU has. */
	enum { COUNT = 64, SIZE = 0x10000 };
	struct env env;

	env_init(&env);
	for (int round = 0; round < 3; round++) {
		uint32_t bos[COUNT];

		for (uint32_t i = 0; i < COUNT; i++) {
			int dmabuf = from_udmabuf(SIZE);

			EQ(drmPrimeFDToHandle(env.fd, dmabuf, &bos[i]), 0);
			close(dmabuf);
			EQ(vm_map(env.fd, env.vm, bos[i], 0, ENV_VA + ENV_SIZE + i * SIZE, SIZE,
				  0),
			   0);
		}
		EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_SIZE, COUNT * SIZE), 0);
		for (uint32_t i = 0; i < COUNT; i++)
			bo_close(env.fd, bos[i]);
	}
}
