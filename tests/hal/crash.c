// SPDX-License-Identifier: MIT
/*
 * crash: clients of nnaccel-hal that do what clients should not. After each kind of it another
 * client has to be served as before, and the service must have nothing left of the others: no
 * descriptors, binder nodes, references or BOs.
 *
 *	crash [--hidl] PID [COUNT]	PID is the service's; COUNT clients are killed at random
 *					moments
 *
 * Says SUCCESS, FAILURE, HANG (nothing more happens) or CRASH (the service has ended) for each
 * kind, and last "N passed, N failed". The last kind kills the service, on purpose.
 *
 * Each client is a process of its own, since libgbinder's threads are not for fork().
 */
#include "tests/hal/client.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define HANG_S 300 /* for what takes a second on a slow machine */

static pid_t service;
static int count = 50;

/* --------------------------------------------------------------------------------------- client */

/* A buffer and a fenced execution that fills it, which the client does not wait for. */
static int execute_fenced(struct nnb_object *device, struct nnb_object *model,
			  const struct hal_request *r)
{
	struct nnb_aidl_i_prepared_model_parcel models = {model};
	struct nnb_aidl_buffer_role role = {0, 0, 1.0f};
	struct nnb_aidl_device_allocate_in allocate = {
		.prepared_models = {1, &models},
		.output_roles = {1, &role},
	};
	struct nnb_aidl_device_allocate_out buffer;
	struct nnb_aidl_request_memory_pool pools[2] = {r->pool};
	struct nnb_aidl_request_argument output = {.location.pool_index = 1};
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.request = r->request,
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_arena arena = {0};
	int ret;

	ret = HAL_CALL(device, &hal_me, device, NNB_AIDL_DEVICE_ALLOCATE, &allocate, &arena,
		       &buffer);
	if (!ret) {
		pools[1].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
		pools[1].token = buffer.result.token;
		in.request.pools.data = pools;
		in.request.pools.count = 2;
		in.request.outputs.data = &output;
		ret = HAL_CALL(model, &hal_me, prepared_model,
			       NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in, &arena, &out);
	}
	nnb_arena_fini(&arena);
	return ret;
}

/* All that a client does. Return: 0, or where something went wrong. */
static int cycle(struct nnb_object *device)
{
	struct nnb_object *model = prepare(device), *burst;
	struct hal_request r;
	int ret = 0;

	if (!model)
		return 11;
	hal_request_init(&r, true);
	if (hal_execute(model, &r) || !hal_request_done(&r))
		ret = 12;
	burst = hal_burst(model);
	if (!burst || hal_execute_burst(burst, &r, 1) || hal_execute_burst(burst, &r, 1))
		ret = 13;
	if (execute_fenced(device, model, &r))
		ret = 14;
	nnb_object_unref(burst);
	nnb_object_unref(model);
	hal_request_fini(&r);
	return ret;
}

static int work_once(int told)
{
	return cycle(connect_service());
}

/* Work without files that are not in memory, by another user. */
static int work_memory(int told)
{
	return setgid(1234) || setuid(1234) ? 35 : work_once(told);
}

/* The same with one more memory in a file of a file system that answers. */
static int work_files_of_others(int told)
{
	struct nnb_aidl_request_memory_pool pools[2];
	struct nnb_object *model;
	struct hal_request r;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setgid(1235) || setuid(1235))
		return 35;
	model = prepare(connect_service());
	if (!model)
		return 11;
	hal_request_init(&r, true);
	pools[0] = r.pool;
	pools[1] = r.pool;
	hal_memory(&pools[1].pool, fd, 1);
	r.request.pools.data = pools;
	r.request.pools.count = 2;
	return hal_execute(model, &r) || !hal_request_done(&r) ? 12 : 0;
}

static int work_for_ever(int told)
{
	struct nnb_object *device = connect_service();
	int ret;

	do {
		ret = cycle(device);
	} while (!ret);
	return ret;
}

/* --------------------------------------------------------------------------------------- parent */

/* A client that runs @work with the end of a pipe that it may tell something by. */
static pid_t start(int (*work)(int told), int told)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("crash: fork");
		exit(1);
	}
	if (!pid)
		_exit(work(told));
	return pid;
}

/* Waits for a client's end. Return: its status, or 128 and its signal. */
static int finish(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/**
 * struct holdings - what the service has
 * @files: descriptors but pipes and eventfds, which libgbinder's threads have
 * @nodes: binder nodes
 * @refs: references to others' nodes
 * @gems: BOs of all processes
 */
struct holdings {
	int files, nodes, refs, gems;
};

static int count_lines(const char *path, const char *prefix)
{
	FILE *in = fopen(path, "re");
	char line[512];
	int lines = 0;

	if (!in)
		return -1;
	while (fgets(line, sizeof(line), in))
		lines += !strncmp(line, prefix, strlen(prefix));
	fclose(in);
	return lines;
}

static struct holdings look(void)
{
	struct holdings have = {0};
	glob_t found = {0};
	char path[300], target[64];
	struct dirent *entry;
	ssize_t size;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)service);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", (int)service, entry->d_name);
		size = readlink(path, target, sizeof(target) - 1);
		target[size > 0 ? size : 0] = '\0';
		have.files += size > 0 && strncmp(target, "pipe:", 5) &&
			      strcmp(target, "anon_inode:[eventfd]");
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/sys/kernel/debug/binder/proc/%d", (int)service);
	have.nodes = count_lines(path, "  node");
	have.refs = count_lines(path, "  ref");
	have.gems = -1;
	if (!glob("/sys/kernel/debug/accel/*/gems", 0, NULL, &found))
		have.gems = count_lines(found.gl_pathv[0], "");
	globfree(&found);
	return have;
}

static bool is_alive(void)
{
	return !kill(service, 0);
}

static int failed, passed;

static void tell(const char *what, const char *kind, const char *detail)
{
	printf("%-8s %s%s%s\n", what, kind, *detail ? ": " : "", detail);
	fflush(stdout);
	if (strcmp(what, "SUCCESS"))
		failed++;
	else
		passed++;
}

/* Waits until the service has what is in @want; *@have is what it has in the end. */
static bool comes_to_have(const struct holdings *want, struct holdings *have)
{
	double until = now() + HANG_S;

	do {
		*have = look();
		if (!memcmp(have, want, sizeof(*have)))
			return true;
		usleep(20000);
	} while (now() < until);
	return false;
}

/* After what should not be: the service is there, serves, and comes to have what it had before. */
static void judge(const char *kind, const struct holdings *before, const char *wrong)
{
	struct holdings have;
	char detail[200];
	int status;

	if (!is_alive()) {
		tell("CRASH", kind, wrong);
		return;
	}
	status = finish(start(work_once, -1));
	if (status || *wrong) {
		snprintf(detail, sizeof(detail), "%s%sthe next client ended with %d", wrong,
			 *wrong ? "; " : "", status);
		tell("FAILURE", kind, detail);
		return;
	}
	if (comes_to_have(before, &have)) {
		tell("SUCCESS", kind, "");
		return;
	}
	snprintf(detail, sizeof(detail),
		 "files %d, nodes %d, references %d, BOs %d; before %d, %d, %d, %d", have.files,
		 have.nodes, have.refs, have.gems, before->files, before->nodes, before->refs,
		 before->gems);
	tell("HANG", kind, detail);
}

/* The same where all that can go wrong is that one client ends with something else than 0. */
static void judge_client(const char *kind, const struct holdings *before, int status)
{
	char wrong[64] = "";

	if (status)
		snprintf(wrong, sizeof(wrong), "the client ended with %d", status);
	judge(kind, before, wrong);
}

/* ---------------------------------------------------------------------------------------- kinds */

/* Killed at a random moment of what an undisturbed client takes. */
static void kill_clients(const struct holdings *before)
{
	double begin = now(), length;
	unsigned int seed = 1;
	char wrong[64] = "";
	pid_t pid;

	if (finish(start(work_once, -1)))
		snprintf(wrong, sizeof(wrong), "the first client failed");
	length = now() - begin;
	for (int i = 0; i < count && is_alive(); i++) {
		pid = start(work_for_ever, -1);
		usleep((useconds_t)(length * 1.5e6 * rand_r(&seed) / RAND_MAX));
		kill(pid, SIGKILL);
		if (finish(pid) != 128 + SIGKILL)
			snprintf(wrong, sizeof(wrong), "client %d ended before it was killed", i);
	}
	judge("clients killed", before, wrong);
}

/*
 * They have one user. A burst of HIDL counts as 64 objects, for it takes a thread, and a user may
 * have a quarter as many objects as the service may have descriptors: 4,096 in the VM, so that 16
 * bursts are too many.
 */
static void many_clients(const struct holdings *before)
{
	const int clients = client_hidl ? 12 : 64;
	char kind[32], wrong[64] = "";
	pid_t pids[64];
	int status;

	for (int i = 0; i < clients; i++)
		pids[i] = start(work_once, -1);
	for (int i = 0; i < clients; i++) {
		status = finish(pids[i]);
		if (status)
			snprintf(wrong, sizeof(wrong), "client %d ended with %d", i, status);
	}
	snprintf(kind, sizeof(kind), "%d clients at once", clients);
	judge(kind, before, wrong);
}

struct truncation {
	int fd;
	atomic_bool stop;
};

static void *truncate_file(void *arg)
{
	struct truncation *truncation = arg;

	while (!atomic_load(&truncation->stop)) {
		if (ftruncate(truncation->fd, 0) || ftruncate(truncation->fd, 128))
			abort();
	}
	return NULL;
}

/* The memory is now there and now not: any status of the HAL's is right, and no death. */
static int work_truncated(int told)
{
	struct nnb_object *model = prepare(connect_service());
	struct truncation truncation;
	struct hal_request r;
	pthread_t thread;
	int ret = 0, status;

	if (!model)
		return 11;
	hal_request_init(&r, false);
	truncation.fd = r.fd;
	atomic_init(&truncation.stop, false);
	if (pthread_create(&thread, NULL, truncate_file, &truncation))
		return 15;
	for (int i = 0; i < 200 && !ret; i++) {
		status = hal_execute(model, &r);
		if (status && status != HAL_FAILURE && status != HAL_INVALID)
			ret = 16;
	}
	atomic_store(&truncation.stop, true);
	pthread_join(thread, NULL);
	return ret;
}

static void truncate_memory(const struct holdings *before)
{
	judge_client("memory truncated", before, finish(start(work_truncated, -1)));
}

/*
 * Tells when it has a model, and when it has run that, as soon as it may, on memory that the device
 * can share; stays until @told is shut down at the other end.
 */
static int work_idle(int told)
{
	struct nnb_object *model = prepare(connect_service());
	struct hal_request r;
	char byte;

	if (!model)
		return 11;
	hal_request_init(&r, false);
	if (ftruncate(r.fd, getpagesize()) || fcntl(r.fd, F_ADD_SEALS, F_SEAL_SHRINK) ||
	    write(told, "x", 1) != 1 || read(told, &byte, 1) != 1)
		return 19;
	for (int i = 0; i < 3; i++) {
		if (hal_execute(model, &r) || !hal_request_done(&r))
			return 12;
	}
	return write(told, "y", 1) != 1 || read(told, &byte, 1) ? 19 : 0;
}

/* What is kept for the next call of a client that makes none is given back while it is there. */
static void keep_idle(const struct holdings *before)
{
	struct holdings idle = {0}, have;
	char wrong[64] = "", byte;
	int ends[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
		tell("FAILURE", "memory of an idle client", strerror(errno));
		return;
	}
	pid = start(work_idle, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1)
		idle = look();
	if (send(ends[0], "x", 1, MSG_NOSIGNAL) != 1 || read(ends[0], &byte, 1) != 1)
		snprintf(wrong, sizeof(wrong), "the client could not run");
	else if (look().files <= idle.files)
		snprintf(wrong, sizeof(wrong), "nothing was kept");
	else if (!comes_to_have(&idle, &have))
		snprintf(wrong, sizeof(wrong), "%d files are kept, %d BOs; before %d, %d",
			 have.files, have.gems, idle.files, idle.gems);
	/* Not close(): the client has a duplicate. */
	shutdown(ends[0], SHUT_WR);
	status = finish(pid);
	close(ends[0]);
	if (status && !*wrong)
		snprintf(wrong, sizeof(wrong), "the client ended with %d", status);
	judge("memory of an idle client", before, wrong);
}

/* Memories in a burst take a descriptor each, until there is none left. */
static int work_files(int told)
{
	struct nnb_object *model = prepare(connect_service()), *burst;
	int refused = 0;

	if (!model)
		return 11;
	burst = hal_burst(model);
	if (!burst)
		return 13;
	for (int i = 0; i < 200; i++) {
		struct hal_request r;

		hal_request_init(&r, false);
		refused += hal_execute_burst(burst, &r, i) != 0;
		hal_request_fini(&r);
	}
	return refused ? 0 : 17;
}

static void exhaust_files(const struct holdings *before)
{
	struct rlimit old, low;
	int status;

	if (prlimit(service, RLIMIT_NOFILE, NULL, &old)) {
		tell("FAILURE", "descriptors exhausted", strerror(errno));
		return;
	}
	low = old;
	low.rlim_cur = 120;
	prlimit(service, RLIMIT_NOFILE, &low, NULL);
	status = finish(start(work_files, -1));
	prlimit(service, RLIMIT_NOFILE, &old, NULL);
	judge_client("descriptors exhausted", before, status);
}

/* Larger than half of what the driver has room for in the service. */
static void *send_large(void *device)
{
	static const uint8_t bytes[600 << 10];
	struct nnb_aidl_device_get_supported_operations_out out;
	struct nnb_arena arena = {0};
	struct hal_model m;
	long wrong = 0;
	int ret;

	hal_model_init(&m);
	m.model.operand_values = (struct nnb_bytes){sizeof(bytes), bytes};
	for (int i = 0; i < 20; i++) {
		ret = HAL_CALL(device, &hal_me, device, NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS,
			       &m.model, &arena, &out);
		/* The driver refuses what finds no room. */
		wrong += ret && ret != -EIO;
	}
	nnb_arena_fini(&arena);
	hal_model_fini(&m);
	return (void *)wrong;
}

static int work_large(int told)
{
	struct nnb_object *device = connect_service();
	pthread_t threads[8];
	long wrong = 0;
	void *result;

	for (int i = 0; i < 8; i++) {
		if (pthread_create(&threads[i], NULL, send_large, device))
			return 15;
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &result);
		wrong += (long)result;
	}
	return wrong ? 18 : 0;
}

static void fill_buffer(const struct holdings *before)
{
	judge_client("binder's buffer full", before, finish(start(work_large, -1)));
}

/* What the service says of its clients, while this is one. */
static int work_dump(int told)
{
	struct nnb_object *device = connect_service(), *model = prepare(device);
	char text[4096] = "", client[64];
	int fd = hal_memfd(0, false);

	if (!model)
		return 11;
	if (client_dump(device, fd))
		return 22;
	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 23;
	snprintf(client, sizeof(client), "\nclient uid %u, pid %d:", (unsigned int)geteuid(),
		 (int)getpid());
	return strstr(text, client) && strstr(text, ", 1 of 256 models,") &&
			       strstr(text, "\nlast messages:")
		       ? 0
		       : 24;
}

static void dump(const struct holdings *before)
{
	judge_client("dump", before, finish(start(work_dump, -1)));
}

/* Asks for that in a pipe that nobody reads. */
static int work_dump_unread(int told)
{
	struct nnb_object *device = connect_service();
	int fds[2];

	if (pipe(fds))
		return 22;
	close(fds[0]);
	return client_dump(device, fds[1]) == NNB_DEAD_OBJECT ? 23 : 0;
}

static void dump_unread(const struct holdings *before)
{
	judge_client("dump that nobody reads", before, finish(start(work_dump_unread, -1)));
}

/* ------------------------------------------------------------------------------- a file system */

#define SILENT_MODELS 6
#define SILENT_CALLS 40 /* more than a user has threads */
#define SILENT_HELPERS 4 /* NNB_HELPERS_PER_USER */

/**
 * struct silent - a file system of one file, f, whose reads are never answered
 * @fd: of /dev/fuse
 * @reads: reads that have come, and stay
 * @closes: a pipe for a byte for each close of the service's, which then is never answered either;
 *	-1 if closes are answered
 */
struct silent {
	int fd;
	sem_t reads;
	int closes;
};

static void silent_answer(const struct silent *fs, uint64_t unique, int error, const void *data,
			  size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size),
		.error = error,
		.unique = unique,
	};
	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)data, size}};

	if (writev(fs->fd, parts, 2) < 0 && errno != ENOENT)
		perror("crash: /dev/fuse");
}

static struct fuse_attr silent_attr(uint64_t inode)
{
	return (struct fuse_attr){
		.ino = inode,
		.size = inode == FUSE_ROOT_ID ? 0 : 64,
		.mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0666,
		.nlink = 1,
		.blksize = 4096,
	};
}

/* Return: true if the thread is one of the service's. */
static bool is_of_service(uint32_t thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u", (int)service, thread);
	return !access(path, F_OK);
}

static void *silent_serve(void *arg)
{
	static char request[1 << 20];
	struct silent *fs = arg;
	ssize_t got;

	while ((got = read(fs->fd, request, sizeof(request))) > 0 || errno == EINTR) {
		const struct fuse_in_header *in = (const struct fuse_in_header *)request;
		struct fuse_init_out init = {
			.major = FUSE_KERNEL_VERSION,
			.minor = FUSE_KERNEL_MINOR_VERSION,
			.max_write = 4096,
		};
		struct fuse_entry_out entry = {.nodeid = 2, .attr = silent_attr(2)};
		struct fuse_attr_out attr = {.attr = silent_attr(in->nodeid)};
		struct fuse_open_out open = {.open_flags = FOPEN_DIRECT_IO};

		switch (in->opcode) {
		case FUSE_INIT:
			silent_answer(fs, in->unique, 0, &init, sizeof(init));
			break;
		case FUSE_LOOKUP:
			silent_answer(fs, in->unique, 0, &entry, sizeof(entry));
			break;
		case FUSE_GETATTR:
			silent_answer(fs, in->unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			silent_answer(fs, in->unique, 0, &open, sizeof(open));
			break;
		case FUSE_READ:
			sem_post(&fs->reads);
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			break;
		case FUSE_FLUSH:
			if (fs->closes >= 0 && is_of_service(in->pid)) {
				if (write(fs->closes, "c", 1) != 1)
					perror("crash: pipe");
				break;
			}
			silent_answer(fs, in->unique, 0, NULL, 0);
			break;
		case FUSE_RELEASE:
			silent_answer(fs, in->unique, 0, NULL, 0);
			break;
		default:
			silent_answer(fs, in->unique, -ENOSYS, NULL, 0);
		}
	}
	return NULL;
}

/* Mounts it in mounts of this process, at @folder, which is a template. Return: 0 or -1. */
static int silent_mount_at(struct silent *fs, char *folder)
{
	char options[128];

	fs->closes = -1;
	fs->fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	sem_init(&fs->reads, 0, 0);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fs->fd);
	return fs->fd < 0 || unshare(CLONE_NEWNS) ||
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || !mkdtemp(folder) ||
	       mount("silent", folder, "fuse", MS_NOSUID | MS_NODEV, options) ? -1 : 0;
}

/* The same, served by a thread. Return: a descriptor of its file, -1 after an error. */
static int silent_mount(struct silent *fs)
{
	char folder[] = "/tmp/silent-XXXXXX", path[64];
	pthread_t thread;

	if (silent_mount_at(fs, folder) || pthread_create(&thread, NULL, silent_serve, fs))
		return -1;
	snprintf(path, sizeof(path), "%s/f", folder);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* What prepareModel() says of a model with a constant in a file that never answers. */
static void *silent_prepare(void *arg)
{
	struct nnb_object *device = ((void **)arg)[0], *model;
	struct nnb_aidl_device_prepare_model_in in;
	struct hal_model m;
	long status;

	hal_model_init(&m);
	close(m.pool.mappable_file.fd);
	m.pool.mappable_file.fd = *(int *)((void **)arg)[1];
	in = hal_prepare_in(&m);
	status = prepare_with(device, &in, &model);
	return (void *)status;
}

/*
 * Prepares models with such a file at once. As many as a user has helpers reach it, which @told
 * hears; the others are refused; and all calls return while the file system is silent.
 */
static int work_silent(int told)
{
	void *args[2] = {connect_service(), NULL}, *status;
	int failed = 0, exhausted = 0, fd;
	pthread_t threads[SILENT_MODELS];
	struct silent fs;

	fd = silent_mount(&fs);
	if (fd < 0)
		return 32;
	args[1] = &fd;
	for (int i = 0; i < SILENT_MODELS; i++) {
		if (pthread_create(&threads[i], NULL, silent_prepare, args))
			return 15;
	}
	for (int i = 0; i < SILENT_HELPERS; i++)
		sem_wait(&fs.reads);
	if (write(told, "x", 1) != 1)
		return 19;
	for (int i = 0; i < SILENT_MODELS; i++) {
		pthread_join(threads[i], &status);
		failed += (long)status == HAL_FAILURE;
		exhausted += (long)status == HAL_EXHAUSTED;
	}
	/* The helpers are still there, so nothing more reaches the file. */
	status = silent_prepare(args);
	/* Now, since the end of this process would wait for its own file system. */
	close(fd);
	if ((long)status != HAL_EXHAUSTED)
		return 33;
	return failed == SILENT_HELPERS && exhausted == SILENT_MODELS - SILENT_HELPERS ? 0 : 34;
}

/* Lets other users have the node. */
static int open_node(void)
{
	return chmod(client_hidl ? "/dev/hwbinder" : "/dev/binder", 0666);
}

/* While its reads hang, another client works; with the end of the file system nothing is left. */
static void hang_file(const struct holdings *before)
{
	char wrong[64] = "", byte;
	int told[2], status;
	pid_t pid;

	if (open_node() || pipe(told)) {
		tell("FAILURE", "file system that is silent", strerror(errno));
		return;
	}
	pid = start(work_silent, told[1]);
	close(told[1]);
	if (read(told[0], &byte, 1) == 1 && finish(start(work_memory, -1)))
		snprintf(wrong, sizeof(wrong), "another client did not work");
	status = finish(pid);
	close(told[0]);
	if (status)
		snprintf(wrong, sizeof(wrong), "the client ended with %d", status);
	judge("file system that is silent", before, wrong);
}

/**
 * struct silent_call - a call that brings a file whose close never ends
 * @model: to be called
 * @fd: of the file
 */
struct silent_call {
	struct nnb_object *model;
	int fd;
};

/* Runs a model with the file as one more memory, which no argument uses. */
static void *silent_close(void *arg)
{
	const struct silent_call *call = arg;
	struct nnb_aidl_request_memory_pool pools[2];
	struct hal_request r;

	hal_request_init(&r, true);
	pools[0] = r.pool;
	hal_memory(&pools[1].pool, call->fd, 64);
	pools[1].tag = pools[0].tag;
	r.request.pools.data = pools;
	r.request.pools.count = 2;
	hal_execute(call->model, &r);
	return NULL;
}

/* Bytes of the name in a header that has a descriptor in it: the flags of that are its length. */
#define SILENT_NAME ((0x17f + 1) * 2)

/*
 * Writes a call that has no header. The service takes its first words for one, where a descriptor
 * of memory stands, and finds the other descriptor behind it.
 */
static int silent_write_header(void *data, struct nnb_writer *writer)
{
	static const unsigned char zeros[SILENT_NAME];
	const struct silent_call *call = data;
	int ret = writer->ops->write_fd(writer, memfd_create("header", MFD_CLOEXEC));

	if (!ret)
		ret = writer->ops->write_words(writer, sizeof(zeros) / 4, zeros);
	return ret ? ret : writer->ops->write_fd(writer, call->fd);
}

static int silent_read(void *data, struct nnb_reader *reader)
{
	return 0;
}

/* Calls with the file behind a header that has a descriptor in it. */
static void *silent_header(void *arg)
{
	struct silent_call *call = arg;
	const struct nnb_exchange exchange = {
		.write = silent_write_header,
		.read = silent_read,
		.data = call,
	};
	struct nnb_arena arena = {0};

	nnb_exchange_call(call->model, &hal_me, 1, &arena, &exchange);
	nnb_arena_fini(&arena);
	return NULL;
}

/*
 * Has the service receive such files, more than it has threads for a user's calls. @told hears when
 * as many closes hang as may; then the client stays until it is killed. The file system has a
 * process of its own: with the end of that all closes end.
 */
static int send_silent(void *(*send)(void *call), int told)
{
	char folder[] = "/tmp/silent-XXXXXX", path[64], bytes[SILENT_HELPERS];
	struct silent_call call;
	pthread_t thread;
	struct silent fs;
	int closes[2];
	ssize_t got;

	if (pipe(closes) || silent_mount_at(&fs, folder))
		return 32;
	fs.closes = closes[1];
	if (!fork()) {
		/* It ends with the client. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		silent_serve(&fs);
		_exit(0);
	}
	close(fs.fd);
	snprintf(path, sizeof(path), "%s/f", folder);
	call.fd = open(path, O_RDWR | O_CLOEXEC);
	call.model = prepare(connect_service());
	if (call.fd < 0 || !call.model)
		return 11;
	for (int i = 0; i < SILENT_CALLS; i++) {
		if (pthread_create(&thread, NULL, send, &call))
			return 15;
	}
	for (size_t all = 0; all < sizeof(bytes); all += (size_t)got) {
		got = read(closes[0], bytes, sizeof(bytes) - all);
		if (got <= 0)
			return 36;
	}
	if (write(told, "x", 1) != 1)
		return 19;
	for (;;)
		pause();
}

static int work_close(int told)
{
	return send_silent(silent_close, told);
}

static int work_header(int told)
{
	return send_silent(silent_header, told);
}

/*
 * While closes of a client that does @work hang, other clients work, also with files; with the file
 * system's end they end.
 */
static void hang_closes(const char *name, int (*work)(int told), const struct holdings *before)
{
	char wrong[64] = "", byte;
	int told[2], status;
	pid_t pid;

	if (open_node() || pipe(told)) {
		tell("FAILURE", name, strerror(errno));
		return;
	}
	pid = start(work, told[1]);
	close(told[1]);
	if (read(told[0], &byte, 1) != 1)
		snprintf(wrong, sizeof(wrong), "the client did not begin");
	else if (finish(start(work_memory, -1)) || finish(start(work_files_of_others, -1)))
		snprintf(wrong, sizeof(wrong), "another client did not work");
	kill(pid, SIGKILL);
	status = finish(pid);
	close(told[0]);
	if (status != 128 + SIGKILL)
		snprintf(wrong, sizeof(wrong), "the client ended with %d", status);
	judge(name, before, wrong);
}

static void hang_close(const struct holdings *before)
{
	hang_closes("file that cannot be closed", work_close, before);
	/* What it sends is AIDL's. */
	if (!client_hidl)
		hang_closes("file behind an object in the header", work_header, before);
}

/* Has the device process do something: its control socket is behind a serial line. */
static bool inject(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "exec 3<>\"$NNA_CONTROL\" && stty raw -echo <&3 && echo '%s' >&3 && "
		 "read -r answer <&3 && [ \"$answer\" = ok ]", command);
	return !system(line);
}

/* The first execution never ends, until the device's limit for jobs. */
static int work_hung(int told)
{
	struct nnb_object *model = prepare(connect_service());
	struct hal_request r;
	int ret;

	if (!model)
		return 11;
	hal_request_init(&r, true);
	if (hal_execute(model, &r) || !hal_request_done(&r))
		return 12;
	if (!inject("hang 1"))
		return 29;
	ret = hal_execute(model, &r);
	if (ret != HAL_FAILURE)
		return 30;
	return hal_execute(model, &r) ? 31 : 0;
}

static void hang_device(const struct holdings *before)
{
	judge_client("device hung", before, finish(start(work_hung, -1)));
}

/* Tells when its model fails for want of the device, and runs until another one works. */
static int work_unbound(int told)
{
	struct nnb_object *device = connect_service(), *model = prepare(device), *next;
	struct hal_request r;
	int ret;

	if (!model)
		return 11;
	hal_request_init(&r, true);
	if (hal_execute(model, &r) || write(told, "x", 1) != 1)
		return 19;
	do {
		ret = hal_execute(model, &r);
	} while (!ret);
	/* What was under way may have failed otherwise. */
	if (hal_execute(model, &r) != HAL_UNAVAILABLE)
		return 25;
	if (prepare_status(device, &next) != HAL_UNAVAILABLE)
		return 26;
	if (write(told, "y", 1) != 1)
		return 19;
	do {
		ret = prepare_status(device, &next);
	} while (ret == HAL_UNAVAILABLE);
	if (ret || hal_execute(next, &r) || !hal_request_done(&r))
		return 27;
	return hal_execute(model, &r) == HAL_UNAVAILABLE ? 0 : 28;
}

/* Has the driver take up, or give up, the device of this PCI name. */
static bool bind_device(const char *how, const char *name)
{
	char path[64];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/nna/%s", how);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, name, strlen(name)) == (ssize_t)strlen(name);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* The service has to look for the device itself: it comes back under another name. */
static void unbind_device(const struct holdings *before)
{
	char wrong[64] = "", byte = 0;
	glob_t found = {0};
	const char *name;
	int told[2], status;
	pid_t pid;

	if (glob("/sys/bus/pci/drivers/nna/0*", 0, NULL, &found) || pipe(told)) {
		tell("FAILURE", "device unbound", "there is none");
		return;
	}
	name = strrchr(found.gl_pathv[0], '/') + 1;
	pid = start(work_unbound, told[1]);
	close(told[1]);
	if (read(told[0], &byte, 1) != 1 || !bind_device("unbind", name))
		snprintf(wrong, sizeof(wrong), "it was not unbound");
	else if (read(told[0], &byte, 1) != 1 || byte != 'y')
		snprintf(wrong, sizeof(wrong), "the client did not see it");
	if (byte && !bind_device("bind", name))
		snprintf(wrong, sizeof(wrong), "it was not bound again");
	status = finish(pid);
	close(told[0]);
	globfree(&found);
	if (status)
		snprintf(wrong, sizeof(wrong), "the client ended with %d", status);
	judge("device unbound", before, wrong);
}

/* Calls until there is nobody to call any more. */
static int work_until_dead(int told)
{
	struct nnb_object *device = connect_service(), *model = prepare(device);
	struct hal_request r;
	int ret;

	if (!model)
		return 11;
	hal_request_init(&r, true);
	if (write(told, "x", 1) != 1)
		return 19;
	do {
		ret = hal_execute(model, &r);
	} while (!ret);
	if (ret != NNB_DEAD_OBJECT)
		return 20;
	return hal_execute(model, &r) == NNB_DEAD_OBJECT ? 0 : 21;
}

/* What a dead service has left in the kernel: BOs beyond @gems, or its binder nodes. */
static bool is_cleared_up(int gems)
{
	double until = now() + HANG_S;
	struct holdings have;

	do {
		have = look();
		if (have.gems == gems && have.nodes <= 0)
			return true;
		usleep(20000);
	} while (now() < until);
	printf("left: %d nodes, %d BOs; %d BOs before\n", have.nodes, have.gems, gems);
	return false;
}

static void kill_service(const struct holdings *before)
{
	char wrong[64] = "", byte;
	pid_t pids[4];
	int told[2], status;

	if (pipe(told)) {
		tell("FAILURE", "service killed", strerror(errno));
		return;
	}
	for (int i = 0; i < 4; i++)
		pids[i] = start(work_until_dead, told[1]);
	close(told[1]);
	for (int i = 0; i < 4; i++) {
		if (read(told[0], &byte, 1) != 1)
			snprintf(wrong, sizeof(wrong), "the clients could not begin");
	}
	close(told[0]);
	kill(service, SIGKILL);
	for (int i = 0; i < 4; i++) {
		status = finish(pids[i]);
		if (status)
			snprintf(wrong, sizeof(wrong), "client %d ended with %d", i, status);
	}
	if (!is_cleared_up(before->gems))
		snprintf(wrong, sizeof(wrong), "something is left in the kernel");
	tell(*wrong ? "FAILURE" : "SUCCESS", "service killed", wrong);
}

int main(int argc, char **argv)
{
	struct holdings before;

	client_hidl = argc > 1 && !strcmp(argv[1], "--hidl");
	argc -= client_hidl;
	argv += client_hidl;
	if (argc < 2) {
		fputs("usage: crash [--hidl] PID [COUNT]\n", stderr);
		return 2;
	}
	service = (pid_t)strtol(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	before = look();
	if (before.nodes < 1 || before.gems < 0) {
		fputs("crash: that is no service, or there is no debugfs\n", stderr);
		return 2;
	}
	judge("nothing", &before, "");
	dump(&before);
	dump_unread(&before);
	kill_clients(&before);
	many_clients(&before);
	truncate_memory(&before);
	keep_idle(&before);
	exhaust_files(&before);
	fill_buffer(&before);
	hang_file(&before);
	hang_close(&before);
	hang_device(&before);
	unbind_device(&before);
	kill_service(&before);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
