// SPDX-License-Identifier: MIT
/*
 * What one user can take from another: the device is shared among users, however many files, uids
 * of a namespace and contexts one of them has. Needs root, which becomes other users.
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <xf86drm.h>

/* The test that waits longest takes a few seconds on an idle machine. */
#define KSFT_TIMEOUT_S 300
#include "ksft.h"
#include "nna_test.h"

#define GREEDY 1000u
#define OTHER 1001u
#define MILLISECOND 1000000ull

/* Lets every user open the device until the process ends. */
static void open_to_all(void)
{
	int fd = nna_open();

	if (getuid())
		SKIP("needs root");
	EQ(fchmod(fd, 0666), 0);
	close(fd);
}

/* Opens the device as this user. */
static int open_as(uid_t uid)
{
	int fd;

	EQ(seteuid(uid), 0);
	fd = nna_open();
	EQ(seteuid(0), 0);
	return fd;
}

static void env_init_as(struct env *env, uid_t uid)
{
	EQ(seteuid(uid), 0);
	env_init(env);
	EQ(seteuid(0), 0);
}

static int set_user(int fd, uint32_t type, uint64_t id)
{
	struct drm_nna_file_set_user args = { .type = type, .id = id };

	return xioctl(fd, DRM_IOCTL_NNA_FILE_SET_USER, &args);
}

/* Submits jobs that run for this long each, and then end with -ETIMEDOUT; out gets the last. */
static void submit_long(struct env *env, uint64_t ns, unsigned int count, uint32_t out)
{
	struct drm_nna_submit args;

	stream_endless(env);
	args = env_submit(env);
	args.loop_limit_ns = ns;
	for (unsigned int i = 0; i < count; i++)
		EQ(submit_args(env, &args, 0, out), 0);
}

/* The jobs of these files that have ended. */
static uint64_t jobs_ended(const struct env *env, unsigned int count)
{
	struct drm_nna_file_counters c;
	uint64_t jobs = 0;

	for (unsigned int i = 0; i < count; i++) {
		EQ(query(env[i].fd, DRM_NNA_DEV_QUERY_FILE_COUNTERS, &c, sizeof(c)), 0);
		jobs += c.jobs;
	}
	return jobs;
}

/*
 * A job of one user waits for the jobs of another one that are on the ring, at most two, however
 * many files they are from.
 */
TEST(a_job_beside_many_files)
{
	static struct env greedy[16];
	struct env other;
	uint64_t before, jobs;
	uint32_t out;

	open_to_all();
	env_init_as(&other, OTHER);
	stream_null(&other);
	EQ(submit_and_wait(&other), 0);
	for (unsigned int i = 0; i < 16; i++) {
		env_init_as(&greedy[i], GREEDY);
		submit_long(&greedy[i], 20 * MILLISECOND, 3, 0);
	}
	/* A job has begun. */
	while (!jobs_ended(greedy, 16))
		usleep(1000);
	out = syncobj_create(other.fd);
	before = jobs_ended(greedy, 16);
	EQ(submit(&other, 0, out), 0);
	EQ(syncobj_wait(other.fd, out, LONG_WAIT), 0);
	jobs = jobs_ended(greedy, 16) - before;
	printf("# a null job waited for %llu jobs of 16 files\n", (unsigned long long)jobs);
	/* Two, and one that ended before the submission or one that ended after the null job. */
	CHECK(jobs <= 3);
}

/* Users get equal time, however many files one of them has. */
TEST(eight_files_beside_one)
{
	static struct env greedy[8];
	const unsigned int count = 20;
	struct env other;
	uint64_t jobs;
	uint32_t out;

	open_to_all();
	for (unsigned int i = 0; i < 8; i++) {
		env_init_as(&greedy[i], GREEDY);
		submit_long(&greedy[i], 5 * MILLISECOND, 2 * count, 0);
	}
	env_init_as(&other, OTHER);
	out = syncobj_create(other.fd);
	jobs = jobs_ended(greedy, 8);
	submit_long(&other, 5 * MILLISECOND, count, out);
	EQ(syncobj_wait(other.fd, out, LONG_WAIT), 0);
	jobs = jobs_ended(greedy, 8) - jobs;
	printf("# in the time of %u jobs of one file 8 files of another user had %llu\n", count,
	       (unsigned long long)jobs);
	CHECK(jobs <= 2 * count);
	CHECK(jobs >= count / 2);
}

/*
 * Creates @count contexts in a file, which may have no more. Contexts of files that the user has
 * closed count until their aborts are done, so there may be no room for a while.
 */
static void ctx_fill(int fd, unsigned int count)
{
	uint32_t vm = vm_create(fd), ctx;
	int ret;

	while (count) {
		ret = ctx_create(fd, vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &ctx);
		if (ret == -ENOSPC)
			usleep(1000);
		else
			EQ(ret, 0);
		count -= !ret;
	}
	EQ(ctx_create(fd, vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &ctx), -ENOSPC);
}

/* Creates as many contexts as the user may have. Returns its files. */
static int *user_fill(uid_t uid)
{
	struct drm_nna_hw_info info;
	unsigned int files;
	int fd = open_as(uid), *fds;

	info = hw_info(fd);
	if (!info.max_user_ctxs)
		FAIL("contexts of a user are not limited");
	EQ(info.max_user_ctxs % info.max_ctxs, 0);
	files = info.max_user_ctxs / info.max_ctxs;
	fds = calloc(files, sizeof(*fds));
	CHECK(fds);
	close(fd);
	for (unsigned int i = 0; i < files; i++) {
		fds[i] = open_as(uid);
		ctx_fill(fds[i], info.max_ctxs);
	}
	return fds;
}

static int ctx_try(int fd)
{
	uint32_t ctx;

	return ctx_create(fd, vm_create(fd), DRM_NNA_CTX_PRIORITY_MEDIUM, &ctx);
}

/* The contexts of all files of a user are limited, and no other user's. */
TEST(contexts_of_a_user)
{
	int *fds, fd, ret;

	open_to_all();
	fds = user_fill(GREEDY);
	EQ(ctx_try(open_as(GREEDY)), -ENOSPC);
	EQ(ctx_try(open_as(OTHER)), 0);
	EQ(ctx_try(nna_open()), 0);

	/* What a service opens for this user counts. A key is another user. */
	fd = nna_open();
	EQ(set_user(fd, DRM_NNA_USER_UID, GREEDY), 0);
	EQ(ctx_try(fd), -ENOSPC);
	fd = nna_open();
	EQ(set_user(fd, DRM_NNA_USER_KEY, GREEDY), 0);
	EQ(ctx_try(fd), 0);

	/* A context goes once its aborts are done. */
	close(fds[0]);
	fd = open_as(GREEDY);
	while ((ret = ctx_try(fd)) == -ENOSPC)
		usleep(1000);
	EQ(ret, 0);
}

TEST(who_may_name_a_user)
{
	int fd;

	open_to_all();
	fd = open_as(GREEDY);
	/* The process counts that calls, not the one that has opened the file. */
	EQ(seteuid(GREEDY), 0);
	EQ(set_user(fd, DRM_NNA_USER_UID, OTHER), -EACCES);
	EQ(set_user(fd, DRM_NNA_USER_KEY, 1), -EACCES);
	EQ(seteuid(0), 0);
	EQ(set_user(fd, DRM_NNA_USER_UID, UINT32_MAX), -EINVAL);
	EQ(set_user(fd, DRM_NNA_USER_UID, 1ull << 32), -EINVAL);
	EQ(set_user(fd, DRM_NNA_USER_KEY + 1, 0), -EINVAL);
	EQ(set_user(fd, DRM_NNA_USER_UID, OTHER), 0);
	EQ(set_user(fd, DRM_NNA_USER_UID, OTHER), -EBUSY);

	fd = nna_open();
	bo_create(fd, 4096, 0, 0);
	EQ(set_user(fd, DRM_NNA_USER_UID, OTHER), -EBUSY);
	fd = nna_open();
	vm_create(fd);
	EQ(set_user(fd, DRM_NNA_USER_UID, OTHER), -EBUSY);
}

static void write_map(pid_t pid, const char *map)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	write_file(path, map);
}

/* A process in a chroot may not create a user namespace. Returns the root, to come back. */
static int leave_chroot(void)
{
	char dir[] = "/tmp/nna-XXXXXX";
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	CHECK(root >= 0 && mkdtemp(dir));
	EQ(chdir("/") || chroot(dir), 0);
	for (int i = 0; i < 64; i++)
		EQ(chdir(".."), 0);
	EQ(chroot("."), 0);
	EQ(unlinkat(root, dir + 1, AT_REMOVEDIR), 0);
	return root;
}

/* Any uid of a user's namespace is this user. */
TEST(uids_of_a_namespace)
{
	int ready[2], mapped[2], status;
	char byte = 0;
	pid_t pid;

	open_to_all();
	user_fill(GREEDY);
	EQ(pipe(ready) || pipe(mapped), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int root = leave_chroot();

		EQ(setresuid(GREEDY, GREEDY, GREEDY), 0);
		/* Else the files in /proc belong to root, and the namespace's owner is refused. */
		prctl(PR_SET_DUMPABLE, 1);
		if (unshare(CLONE_NEWUSER))
			_exit(KSFT_SKIP);
		EQ(fchdir(root) || chroot("."), 0);
		EQ(write(ready[1], &byte, 1), 1);
		EQ(read(mapped[0], &byte, 1), 1);
		EQ(setresuid(5, 5, 5), 0);
		EQ(ctx_try(nna_open()), -ENOSPC);
		fflush(stdout);
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		write_map(pid, "0 100000 65536");
		EQ(write(mapped[1], &byte, 1), 1);
	}
	EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status) == KSFT_SKIP)
		SKIP("no user namespaces");
	EQ(WEXITSTATUS(status), 0);
}

#define WAITING_USERS 4u
#define JOBS 31

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What a job that does nothing takes, from SUBMIT to its end: the median of some. */
static uint64_t null_job(struct env *env)
{
	uint64_t times[JOBS];

	for (int i = 0; i < JOBS; i++) {
		times[i] = now_ns();
		EQ(submit_and_wait(env), 0);
		times[i] = now_ns() - times[i];
	}
	qsort(times, JOBS, sizeof(times[0]), compare);
	return times[JOBS / 2];
}

/* A file of a user with as many contexts as it may have, each with a job that waits for a fence. */
static void wait_in_all_contexts(uid_t uid, int sync_file, unsigned int ctxs)
{
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_TYPE_SYNCOBJ };
	struct drm_nna_submit args;
	struct env env;

	env_init_as(&env, uid);
	stream_null(&env);
	args = env_submit(&env);
	sync.handle = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, sync.handle, sync_file), 0);
	for (unsigned int i = 0; i < ctxs; i++) {
		args.ctx_id = env.ctx;
		if (i)
			EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &args.ctx_id),
			   0);
		EQ(submit_args(&env, &args, sync.handle, 0), 0);
	}
}

/* The jobs of a ring that the scheduler has to look at. */
static unsigned int scheduled(int fd, unsigned int ring)
{
	char *text = debugfs_read(fd, "scheduled"), *line = text;
	unsigned int n, jobs;

	for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "%u %u", &n, &jobs) == 2 && n == ring) {
			free(text);
			return jobs;
		}
	FAIL("debugfs says nothing of ring %u", ring);
}

/*
 * 16,384 contexts whose jobs wait for a fence cost another user's job nothing: the scheduler has
 * none of them. The times are printed; no test can fail by them.
 */
TEST(waiting_contexts)
{
	const unsigned int ctxs = hw_info(nna_open()).max_ctxs, files = 4096 / ctxs;
	struct env blocker, other;
	uint64_t alone, cold, first, beside;
	char *counters;
	uint32_t out;
	int sync_file;

	open_to_all();
	env_init_as(&other, OTHER);
	stream_null(&other);
	/* The fence: of a job of the lowest priority, behind others that run for a minute. */
	env_init(&blocker);
	EQ(ctx_create(blocker.fd, blocker.vm, DRM_NNA_CTX_PRIORITY_LOW, &blocker.ctx), 0);
	out = syncobj_create(blocker.fd);
	submit_long(&blocker, 4000 * MILLISECOND, 15 * test_slowness(), out);
	EQ(drmSyncobjExportSyncFile(blocker.fd, out, &sync_file), 0);
	alone = null_job(&other);
	sleep(1);
	cold = now_ns();
	EQ(submit_and_wait(&other), 0);
	cold = now_ns() - cold;

	for (unsigned int i = 0; i < WAITING_USERS * files; i++)
		wait_in_all_contexts(OTHER + 1 + i % WAITING_USERS, sync_file, ctxs);
	EQ(scheduled(other.fd, DRM_NNA_CTX_PRIORITY_MEDIUM), 0);
	counters = debugfs_read(other.fd, "counters");
	CHECK(text_value(counters, "jobs_alive") >= WAITING_USERS * files * ctxs);
	free(counters);
	/* They have waited until here. */
	EQ(sync_file_status(sync_file), 0);
	first = now_ns();
	EQ(submit_and_wait(&other), 0);
	first = now_ns() - first;
	beside = null_job(&other);
	printf("# beside %u waiting contexts: the first null job takes %.1f times as long as one ",
	       WAITING_USERS * files * ctxs, (double)first / (double)cold);
	printf("alone after a second (%llu us), the median of %d %.1f times (%llu us)\n",
	       (unsigned long long)cold / 1000, JOBS, (double)beside / (double)alone,
	       (unsigned long long)alone / 1000);
}
