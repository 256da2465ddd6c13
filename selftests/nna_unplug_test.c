// SPDX-License-Identifier: MIT
/*
 * The driver is unbound from a device that is in use: calls on open files return -ENODEV, all
 * fences signal, memory stays readable, and after the driver has been bound again new files work.
 * Needs root, and no other user of the device.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>
#include <drm_mode.h>

#include "ksft.h"
#include "nna_test.h"

TEST(unbind_and_bind)
{
	int fd = nna_open();

	for (int i = 0; i < 20; i++) {
		device_unbind(fd);
		device_bind();
		close(fd);
		fd = nna_open();
	}
	expect_inference();
}

/* Each ioctl of the driver, with valid arguments. */
TEST(every_ioctl_says_enodev)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	device_unbind(env.fd);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_HW_INFO, &(struct drm_nna_hw_info){ 0 }, 8), -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_CREATE, &(struct drm_nna_bo_create){ .size = 4096 }),
	   -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET,
		  &(struct drm_nna_bo_mmap_offset){ .handle = env.bo }),
	   -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_SYNC, &(struct drm_nna_bo_sync){ 0 }), -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_SET_LABEL,
		  &(struct drm_nna_bo_set_label){ .handle = env.bo }),
	   -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_VM_CREATE, &(struct drm_nna_vm_create){ 0 }), -ENODEV);
	EQ(vm_destroy(env.fd, env.vm), -ENODEV);
	EQ(vm_unmap(env.fd, env.vm, ENV_VA, 4096), -ENODEV);
	EQ(ctx_create(env.fd, env.vm, 0, &env.ctx), -ENODEV);
	EQ(ctx_destroy(env.fd, env.ctx), -ENODEV);
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_CTX_GET_STATE,
		  &(struct drm_nna_ctx_get_state){ .id = env.ctx }),
	   -ENODEV);
	EQ(submit(&env, 0, 0), -ENODEV);
	device_bind();
	expect_inference();
}

TEST(unbind_under_jobs)
{
	struct env env, waiting;
	int running, queued, behind;
	uint32_t out, last, in_other;
	uint64_t begin;

	env_init(&env);
	env_init(&waiting);
	out = syncobj_create(env.fd);
	last = syncobj_create(env.fd);
	stream_endless(&env);
	stream_null(&waiting);
	EQ(submit(&env, 0, out), 0);
	/* Many, but not until the first one has used up its budget. */
	begin = now_ns();
	for (int i = 0; i < 500 && now_ns() - begin < SECOND; i++)
		EQ(submit(&env, 0, last), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &running), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, last, &queued), 0);
	in_other = syncobj_create(waiting.fd);
	EQ(drmSyncobjImportSyncFile(waiting.fd, in_other, running), 0);
	EQ(submit(&waiting, in_other, in_other), 0);
	EQ(drmSyncobjExportSyncFile(waiting.fd, in_other, &behind), 0);
	usleep(50000);
	device_unbind(env.fd);
	EQ(sync_file_status(running), -ENODEV);
	EQ(sync_file_status(queued), -ENODEV);
	EQ(sync_file_status(behind), -ENODEV);
	env_fini(&env);
	env_fini(&waiting);
	device_bind();
	expect_inference();
}

/* A job that waits for a fence of another driver, and one behind it: unbind waits for neither. */
TEST(unbind_under_a_foreign_fence)
{
	struct foreign f;
	uint32_t in, out, last;
	int waiting, behind;
	struct env env;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	last = syncobj_create(env.fd);
	stream_null(&env);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	EQ(submit(&env, in, out), 0);
	EQ(submit(&env, 0, last), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &waiting), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, last, &behind), 0);
	device_unbind(env.fd);
	EQ(sync_file_status(waiting), -ENODEV);
	EQ(sync_file_status(behind), -ENODEV);
	CHECK(sync_file_before(waiting, f.sync_file));
	CHECK(sync_file_before(behind, f.sync_file));
	env_fini(&env);
	device_bind();
	expect_inference();
}

TEST(memory_survives)
{
	struct env env;
	uint8_t *p;
	int dmabuf;

	env_init(&env);
	memset(env.map + ENV_DATA, 0x3c, 0x4000);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	device_unbind(env.fd);
	for (int i = 0; i < 0x4000; i++)
		EQ(env.map[ENV_DATA + i], 0x3c);
	/* A mapping whose pages have not been accessed yet. */
	p = mmap(NULL, ENV_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	CHECK(p != MAP_FAILED);
	EQ(p[ENV_DATA], 0x3c);
	close(env.fd);
	device_bind();
	p[ENV_DATA + 0x20000] = 1;
	EQ(env.map[ENV_DATA + 0x20000], 1);
	expect_inference();
}

/* Unbind with an imported dma-buf that is bound: the memory and its other users stay. */
static void unbind_with_import(int dmabuf)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	uint8_t *p = mmap(NULL, ENV_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	struct env env;
	uint32_t bo;

	CHECK(p != MAP_FAILED);
	env_init(&env);
	EQ(drmPrimeFDToHandle(env.fd, dmabuf, &bo), 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, ENV_VA + ENV_SIZE, ENV_SIZE, 0), 0);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	device_unbind(env.fd);
	EQ(ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), 0);
	memset(p, 0x3c, ENV_SIZE);
	CHECK(drmPrimeFDToHandle(env.fd, dmabuf, &bo));
	EQ(errno, ENODEV);
	device_bind();
	expect_inference();
	env_fini(&env);
	EQ(p[ENV_SIZE - 1], 0x3c);
	/* It can be imported again. */
	env_init(&env);
	EQ(drmPrimeFDToHandle(env.fd, dmabuf, &bo), 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, ENV_VA + ENV_SIZE, ENV_SIZE, 0), 0);
	env_fini(&env);
	expect_inference();
}

TEST(unbind_with_udmabuf)
{
	unbind_with_import(from_udmabuf(ENV_SIZE));
}

TEST(unbind_with_vgem)
{
	unbind_with_import(from_vgem(ENV_SIZE));
}

/* Unbind with an exported object: the importer's mapping stays valid. */
TEST(unbind_with_export)
{
	struct drm_mode_map_dumb map = { 0 };
	int vgem = vgem_open(), dmabuf;
	struct env env;

	env_init(&env);
	EQ(drmPrimeHandleToFD(env.fd, env.bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	EQ(drmPrimeFDToHandle(vgem, dmabuf, &map.handle), 0);
	device_unbind(env.fd);
	close(env.fd);
	EQ(xioctl(vgem, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){ .handle = map.handle }), 0);
	EQ(drmPrimeFDToHandle(vgem, dmabuf, &map.handle), 0);
	close(vgem);
	device_bind();
	expect_inference();
}

/* A file from before unbind beside a new one; the old one is closed last. */
TEST(old_and_new_file)
{
	struct env old;

	env_init(&old);
	stream_null(&old);
	EQ(submit_and_wait(&old), 0);
	device_unbind(old.fd);
	device_bind();
	expect_inference();
	EQ(submit(&old, 0, 0), -ENODEV);
	env_fini(&old);
	expect_inference();
}

TEST(module_is_in_use)
{
	struct env env;

	env_init(&env);
	device_unbind(env.fd);
	EQ(WEXITSTATUS(system("rmmod nna 2>/dev/null")), 1);
	device_bind();
	expect_inference();
}

struct flood {
	struct env env;
	uint32_t bo;
	int result;
};

static void *flood(void *arg)
{
	struct flood *f = arg;
	int ret = 0;

	while (!ret) {
		ret = vm_map(f->env.fd, f->env.vm, f->bo, 0, 0x40000000, 1 << 20, 0);
		ret = ret ? ret : vm_unmap(f->env.fd, f->env.vm, 0x40000000, 1 << 19);
		ret = ret ? ret : submit(&f->env, 0, 0);
	}
	f->result = ret;
	return NULL;
}

/* Creates and destroys objects and address spaces, which have DMA mappings, during unbind. */
static void *flood_objects(void *arg)
{
	struct flood *f = arg;
	int ret = 0;

	while (!ret) {
		struct drm_nna_bo_create bo = { .size = 1 << 20 };
		struct drm_nna_vm_create vm = { 0 };
		struct drm_gem_close gem = { 0 };

		ret = xioctl(f->env.fd, DRM_IOCTL_NNA_VM_CREATE, &vm);
		ret = ret ? ret : xioctl(f->env.fd, DRM_IOCTL_NNA_BO_CREATE, &bo);
		ret = ret ? ret : vm_map(f->env.fd, vm.id, bo.handle, 0, ENV_VA, 1 << 20, 0);
		ret = ret ? ret : vm_destroy(f->env.fd, vm.id);
		gem.handle = bo.handle;
		ret = ret ? ret : xioctl(f->env.fd, DRM_IOCTL_GEM_CLOSE, &gem);
	}
	f->result = ret;
	return NULL;
}

TEST(unbind_under_calls)
{
	enum { THREADS = 4 };

	for (int round = 0; round < 5; round++) {
		struct flood floods[THREADS];
		pthread_t threads[THREADS];

		for (int i = 0; i < THREADS; i++) {
			env_init(&floods[i].env);
			floods[i].bo = bo_create(floods[i].env.fd, 1 << 20, 0, 0);
			stream_null(&floods[i].env);
			CHECK(!pthread_create(&threads[i], NULL, i % 2 ? flood : flood_objects,
					      &floods[i]));
		}
		usleep(200000);
		device_unbind(floods[0].env.fd);
		for (int i = 0; i < THREADS; i++) {
			pthread_join(threads[i], NULL);
			EQ(floods[i].result, -ENODEV);
			env_fini(&floods[i].env);
		}
		device_bind();
	}
	expect_inference();
}

/* A page whose access blocks, by userfaultfd, until the file is closed. */
static int page_that_blocks(void **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	const size_t size = cpu_page();
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		SKIP("no userfaultfd");
	*page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(*page != MAP_FAILED);
	reg.range.start = (uintptr_t)*page;
	reg.range.len = size;
	CHECK(!ioctl(fd, UFFDIO_API, &api));
	CHECK(!ioctl(fd, UFFDIO_REGISTER, &reg));
	return fd;
}

struct blocked {
	int fd;
	uint32_t type;
	void *page;
	int result;
};

static void *blocked_query(void *arg)
{
	struct blocked *b = arg;

	b->result = query(b->fd, b->type, b->page, 4096);
	return NULL;
}

/* Unbind while an ioctl is blocked in copying its answer: neither waits for the other. */
TEST(unbind_while_an_answer_is_being_copied)
{
	for (uint32_t type = 0; type < 4; type++) {
		struct blocked b = { .fd = nna_open(), .type = type, .result = 1 };
		int fault = page_that_blocks(&b.page);
		struct uffd_msg blocks;
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, blocked_query, &b));
		EQ(read(fault, &blocks, sizeof(blocks)), sizeof(blocks));
		device_unbind(b.fd);
		EQ(b.result, 1);
		close(fault);
		pthread_join(thread, NULL);
		EQ(b.result, 0);
		close(b.fd);
		device_bind();
	}
	expect_inference();
}

/* The PCI function is removed, and found again by a rescan. */
TEST(removed_from_the_bus)
{
	char path[128];
	struct env env;
	uint32_t out;
	int fence;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_endless(&env);
	EQ(submit(&env, 0, out), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &fence), 0);
	pci_path(path, sizeof(path), env.fd, "remove");
	write_file(path, "1");
	EQ(sync_file_status(fence), -ENODEV);
	EQ(submit(&env, 0, 0), -ENODEV);
	write_file("/sys/bus/pci/rescan", "1");
	expect_inference();
	env_fini(&env);
}
