// SPDX-License-Identifier: MIT
/*
 * Fences that have left the driver, in sync_files, syncobjs, reservation objects and other drivers.
 * They outlive the file and the binding of the driver, and the module cannot be unloaded before
 * they are gone. Needs root, and no other user of the device.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

/* delete_module() and finit_module(): 0 or a negative errno. */
static int module_unload(void)
{
	return syscall(SYS_delete_module, "nna", O_NONBLOCK) ? -errno : 0;
}

/* Opens the module's file; skips the test if nobody has said where it is. */
static int module_open(void)
{
	const char *module = getenv("MODULE"), *build = getenv("BUILD");
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/kernel/nna.ko", build ? build : "build");
	fd = open(module ? module : path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && !module && !build)
		SKIP("MODULE does not name nna.ko");
	if (fd < 0)
		die(module ? module : path, -errno);
	return fd;
}

static int module_load(void)
{
	int fd = module_open(), ret;

	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* The first fence of a sync_file, by SYNC_IOC_FILE_INFO. */
static struct sync_fence_info fence_info(int sync_file)
{
	struct sync_fence_info info[4] = { 0 };
	struct sync_file_info args = { .num_fences = 4, .sync_fence_info = (uintptr_t)info };

	EQ(xioctl(sync_file, SYNC_IOC_FILE_INFO, &args), 0);
	CHECK(args.num_fences >= 1);
	return info[0];
}

static int export_fence(struct env *env, uint32_t out)
{
	int sync_file;

	EQ(drmSyncobjExportSyncFile(env->fd, out, &sync_file), 0);
	return sync_file;
}

/* A syncobj with the fence of a job that has ended. */
static uint32_t ended_job(struct env *env)
{
	uint32_t out = syncobj_create(env->fd);

	stream_null(env);
	EQ(submit(env, 0, out), 0);
	EQ(syncobj_wait(env->fd, out, LONG_WAIT), 0);
	return out;
}

/*
 * Unbinds the driver and tries to unload the module while only the descriptor keep refers to
 * fences. The file has been closed. If keep is a sync_file its fences have the given status.
 */
static void outlive_everything(int keep, bool is_sync_file, int status)
{
	struct sync_fence_info before = { 0 }, after;
	int fd;

	/* What is unloaded has to be loaded again. */
	close(module_open());
	if (is_sync_file)
		before = fence_info(keep);
	EQ(module_unload(), -EWOULDBLOCK);
	fd = nna_open();
	device_name(fd);
	close(fd);
	device_unbind(-1);
	EQ(module_unload(), -EWOULDBLOCK);
	device_bind();
	expect_inference();
	device_unbind(-1);
	EQ(module_unload(), -EWOULDBLOCK);
	if (is_sync_file) {
		after = fence_info(keep);
		EQ(after.status, status);
		CHECK(!strcmp(after.driver_name, before.driver_name));
		CHECK(!strcmp(after.obj_name, before.obj_name));
	}
	close(keep);

	/* Jobs that have ended are freed by a work item, which may hold the last reference. */
	while (module_unload() == -EWOULDBLOCK)
		usleep(10000);
	CHECK(access("/sys/module/nna", F_OK));
	EQ(module_load(), 0);
	expect_inference();
}

TEST(sync_file)
{
	struct env env;
	int sync_file;

	env_init(&env);
	sync_file = export_fence(&env, ended_job(&env));
	env_fini(&env);
	outlive_everything(sync_file, true, 1);
}

TEST(merged_sync_file)
{
	struct sync_merge_data merge = { .name = "merged" };
	struct env env, other;
	int a, b;

	env_init(&env);
	env_init(&other);
	/* A merge leaves out fences that have signalled, so the jobs must still run. */
	stream_endless(&env);
	stream_endless(&other);
	a = syncobj_create(env.fd);
	b = syncobj_create(other.fd);
	EQ(submit(&env, 0, (uint32_t)a), 0);
	EQ(submit(&other, 0, (uint32_t)b), 0);
	a = export_fence(&env, (uint32_t)a);
	b = export_fence(&other, (uint32_t)b);
	merge.fd2 = b;
	EQ(xioctl(a, SYNC_IOC_MERGE, &merge), 0);
	close(a);
	close(b);
	env_fini(&env);
	env_fini(&other);
	while (!sync_file_status(merge.fence))
		usleep(10000);
	/* Which of its fences' errors a merged one reports is up to the core. */
	CHECK(fence_info(merge.fence).status < 0);
	outlive_everything(merge.fence, true, fence_info(merge.fence).status);
}

TEST(syncobj)
{
	struct env env;
	int fd;

	env_init(&env);
	EQ(drmSyncobjHandleToFD(env.fd, ended_job(&env), &fd), 0);
	env_fini(&env);
	outlive_everything(fd, false, 0);
}

/* A timeline, some points of which have been waited for. */
TEST(timeline)
{
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_TYPE_TIMELINE | DRM_NNA_SYNC_SIGNAL };
	struct drm_nna_submit args;
	struct env env;
	int fd;

	env_init(&env);
	sync.handle = syncobj_create(env.fd);
	stream_null(&env);
	args = env_submit(&env);
	args.syncs = (struct drm_nna_obj_array)DRM_NNA_OBJ_ARRAY(1, &sync);
	for (sync.point = 1; sync.point <= 20; sync.point++)
		EQ(xioctl(env.fd, DRM_IOCTL_NNA_SUBMIT, &args), 0);
	EQ(timeline_wait(env.fd, sync.handle, 10, LONG_WAIT), 0);
	EQ(drmSyncobjHandleToFD(env.fd, sync.handle, &fd), 0);
	env_fini(&env);
	outlive_everything(fd, false, 0);
}

/* A fence in the reservation object of another driver's buffer. */
TEST(buffer_of_another_driver)
{
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_WRITE };
	int dmabuf = from_vgem(4096 * 16);
	struct env env;

	env_init(&env);
	/* A fence that has signalled would not be kept there. */
	stream_endless(&env);
	import.fd = (int)syncobj_create(env.fd);
	EQ(submit(&env, 0, (uint32_t)import.fd), 0);
	import.fd = export_fence(&env, (uint32_t)import.fd);
	EQ(xioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import), 0);
	close(import.fd);
	env_fini(&env);
	outlive_everything(dmabuf, false, 0);
}

/* The file is closed while the job runs, so the driver aborts it. */
TEST(job_that_is_ended)
{
	struct env env;
	uint32_t out;
	int sync_file;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_endless(&env);
	EQ(submit(&env, 0, out), 0);
	sync_file = export_fence(&env, out);
	env_fini(&env);
	while (!sync_file_status(sync_file))
		usleep(10000);
	CHECK(sync_file_status(sync_file) < 0);
	outlive_everything(sync_file, true, sync_file_status(sync_file));
}

/* The deadline has passed before the job could be put on the ring. */
TEST(job_that_is_not_begun)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t out;
	int sync_file;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_null(&env);
	args = env_submit(&env);
	args.deadline_ns = 1;
	EQ(submit_args(&env, &args, 0, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	sync_file = export_fence(&env, out);
	env_fini(&env);
	outlive_everything(sync_file, true, -ETIMEDOUT);
}

/* The file is closed while the job waits in the scheduler for a job of another file. */
TEST(job_that_is_killed)
{
	struct env env, other;
	uint32_t in, out;
	int sync_file;

	env_init(&env);
	env_init(&other);
	stream_endless(&other);
	out = syncobj_create(other.fd);
	EQ(submit(&other, 0, out), 0);
	sync_file = export_fence(&other, out);
	in = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, sync_file), 0);
	close(sync_file);
	out = syncobj_create(env.fd);
	stream_null(&env);
	EQ(submit(&env, in, out), 0);
	sync_file = export_fence(&env, out);
	env_fini(&env);
	while (!sync_file_status(sync_file))
		usleep(10000);
	EQ(sync_file_status(sync_file), -ESRCH);
	/* Not earlier: a job that ends after its in-fence has that one's error. */
	env_fini(&other);
	outlive_everything(sync_file, true, -ESRCH);
}

/* Binds the driver again if a failed test has left it unbound. */
TEST(driver_is_there)
{
	int ret = module_load();

	CHECK(!ret || ret == -EEXIST);
	expect_inference();
}
