// SPDX-License-Identifier: MIT
/*
 * fuzz_ioctl [--seed N] [--attackers N] [--faults] [--failures] SECONDS: hostile clients of nna.ko,
 * in a guest.
 *
 * Attackers are processes without privileges. Each has threads that share files, handles, address
 * spaces and a region of memory for arguments: they call the ioctls of the driver and of the DRM
 * core with arguments that are almost right, submit streams that run, never end, fault or are
 * rubbish, map and unmap buffers and descriptors under one another's feet, change what arguments
 * point to while the kernel reads it, interrupt one another by signals, and fork. Each is killed
 * after some number of calls, which does not depend on how slow the kernel is, and another takes
 * its place. With --faults the device hangs, loses interrupts and completes wrongly. With
 * --failures allocations and copies of the attackers' calls fail, which a kernel with fault
 * injection does: up to one in ten. Some attackers then end by SIGSEGV, for the kernel also copies
 * a signal's frame to and from their memory. All the time the system asks for memory back and
 * purges the buffers that somebody has said not to need.
 *
 * Meanwhile an innocent process of one thread submits jobs and checks their results, and keeps a
 * buffer that it does not need between them. The run fails if a result is wrong, a call fails that
 * must not, its context gets banned, a job does not end, or a buffer that was kept has changed.
 * A job that a reset has cancelled is counted and repeated. So is one that an injected fault has
 * hit, as the device hangs on whichever job begins next, and completes any wrongly: those are no
 * more than such faults. Whether the kernel has complained is for selftests/watched to see.
 *
 * What each attacker does follows from the seed, but not how its threads come together.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "selftests/nna_test.h"

#define MAX_ATTACKERS 8
#define THREADS 4
#define FILES 4
/* Bytes for arguments; the third quarter comes and goes, the last is read-only. */
#define ARENA 0x10000
#define MAPS 8
#define NUMBERS 256
/* Calls of an attacker before it is killed: fewer than that. A few have none. */
#define MOST_CALLS 4000
/* An attacker that has made calls and makes none for so long: all of its threads wait. */
#define IDLE_NS PATIENCE(5 * SECOND)
/* Failures of each kind that the kernel may inject; what it has left of them is how many it has. */
#define MOST_FAILURES 1000000000
#define DEBUGFS "/sys/kernel/debug/"
/* With more handles the core's allocation fails with a warning in the log. */
#define MAX_HANDLES 64u

/**
 * struct counts - What all processes count, in shared memory.
 * @calls: ioctls by number.
 * @succeeded: those of them that returned 0.
 * @of_slot: calls of the attacker that is in a place, and of what it has forked.
 * @no_memory: calls that failed with ENOMEM.
 * @jobs: jobs that attackers have submitted.
 * @mmaps, @closes, @signals, @forks: what else attackers have done.
 * @results: jobs of the innocent with the right result.
 * @cancelled: those of its jobs that a reset took.
 * @hung: those that the device hung on.
 * @broken: those whose completion was wrong.
 * @hangs: faults injected, or about to be, that make a job hang.
 * @breaks: faults that make a completion wrong.
 * @slowest_ns: the longest time that one of its jobs took.
 * @kept, @purged: how often its buffer was.
 */
struct counts {
	atomic_ulong calls[NUMBERS], succeeded[NUMBERS];
	atomic_ulong of_slot[MAX_ATTACKERS], no_memory;
	atomic_ulong jobs, mmaps, closes, signals, forks;
	atomic_ulong results, cancelled, hung, broken, hangs, breaks, slowest_ns;
	atomic_ulong kept, purged;
};

static struct counts *counts;
static char node[64];
static uint64_t end_ns;
static bool with_failures;

/**
 * struct attacker - A process, shared by its threads without a lock.
 * @slot: its place.
 * @envs: environments with which jobs run, one for each file; all threads use and ruin them.
 * @files: files of the device, at first those of @envs.
 * @arena: memory for arguments.
 * @maps: mappings of buffers, of as many bytes as map_size() says.
 * @threads: its threads, to send signals to, once all of them have @started.
 * @started: see there.
 */
struct attacker {
	unsigned int slot;
	struct env envs[FILES];
	atomic_int files[FILES];
	uint8_t *arena;
	_Atomic(void *) maps[MAPS];
	pthread_t threads[THREADS];
	atomic_bool started;
};

static struct attacker self;

/* A thread's state of xorshift64. */
static __thread uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

static uint64_t rnd64(void)
{
	return (uint64_t)rnd(0xffffffff) << 32 | rnd(0xffffffff);
}

/* A number that is small, at an edge, or anything. */
static uint64_t number(void)
{
	static const uint64_t edges[] = {
		0, 1, 4095, 4096, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 47,
		(1ull << 48) - 4096, 1ull << 63, ~0ull, ~0ull - 4095,
	};

	switch (rnd(8)) {
	case 0:
		return edges[rnd(sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return rnd64();
	case 2:
		return (uint64_t)rnd(64) * 4096;
	default:
		return rnd(8);
	}
}

/* An address that is valid, mostly. */
static uint64_t va(void)
{
	return rnd(8) ? ENV_VA + 4096ull * rnd(128) : number();
}

static uint64_t size(void)
{
	return rnd(8) ? 4096ull * (1 + rnd(32)) : number();
}

/* The file that this thread uses at the moment, and its environment. */
static __thread unsigned int current;

static void pick_file(void)
{
	current = rnd(FILES);
}

static int any_file(void)
{
	return rnd(16) ? atomic_load(&self.files[rnd(16) ? current : rnd(FILES)]) : (int)rnd(64);
}

/* An id or a handle that the environment has, mostly. */
static uint32_t id(uint32_t known)
{
	return rnd(4) ? known : 1 + rnd(6);
}

/* A place for an argument: plain, at the end of what is mapped, unmapped, read-only, or nowhere. */
static void *place(uint32_t bytes)
{
	switch (rnd(24)) {
	case 0:
		return self.arena + ARENA / 2 - bytes / 2;
	case 1:
		return self.arena + 3 * (ARENA / 4) + rnd(256);
	case 2:
		return (void *)(uintptr_t)number();
	case 3:
		return self.arena + rnd(ARENA - 4096);
	default:
		return self.arena + 64 * rnd(ARENA / 4 / 64);
	}
}

/* Copies an argument to where it may fault, by way of the kernel: returns false if it would. */
static bool put(void *to, const void *from, uint32_t bytes)
{
	int pipe_fds[2];
	bool ok;

	if ((uintptr_t)to - (uintptr_t)self.arena <= ARENA / 4 - bytes) {
		memcpy(to, from, bytes);
		return true;
	}
	if (pipe(pipe_fds))
		return false;
	ok = write(pipe_fds[1], from, bytes) == (ssize_t)bytes &&
	     read(pipe_fds[0], to, bytes) == (ssize_t)bytes;
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return ok;
}

static int call(unsigned long request, void *arg)
{
	unsigned int nr = request & 0xff;
	int ret = ioctl(any_file(), request, arg);

	if (!ret)
		atomic_fetch_add(&counts->succeeded[nr], 1);
	else if (errno == ENOMEM)
		atomic_fetch_add(&counts->no_memory, 1);
	atomic_fetch_add(&counts->calls[nr], 1);
	atomic_fetch_add(&counts->of_slot[self.slot], 1);
	return ret;
}

/* An ioctl with an argument that may be damaged, somewhere, and of another size. */
static int call_with(unsigned long request, void *arg, uint32_t bytes)
{
	uint8_t *bytes_of = arg;
	void *at = place(bytes);

	if (!rnd(8)) {
		uint64_t value = number();
		uint32_t field = 4 * rnd(bytes / 4);

		memcpy(bytes_of + field, &value, 4);
	}
	if (!rnd(16))
		request = (request & ~(0x3ffful << 16)) | (unsigned long)rnd(300) << 16;
	put(at, arg, bytes);
	return call(request, at);
}

/* An array in the arena: its address, which others know and write to. */
static uint64_t array(const void *from, uint32_t bytes)
{
	void *at = place(bytes);

	put(at, from, bytes);
	return (uintptr_t)at;
}

#define OBJ_ARRAY(elements, n) ((struct drm_nna_obj_array){ \
	.stride = rnd(16) ? sizeof((elements)[0]) : (uint32_t)number(), \
	.count = rnd(16) ? (n) : (uint32_t)number(), \
	.array = array(elements, (n) * sizeof((elements)[0])) })

static void fuzz_query(void)
{
	struct drm_nna_dev_query arg = {
		.type = rnd(6), .size = rnd(2) ? 256 : (uint32_t)number(),
		.pointer = (uintptr_t)place(256),
	};

	call_with(DRM_IOCTL_NNA_DEV_QUERY, &arg, sizeof(arg));
}

static void fuzz_bo(void)
{
	struct drm_nna_bo_create create = {
		.size = rnd(32) ? 4096ull * (1 + rnd(16)) : number(), .flags = rnd(4),
		.vm_id = rnd(4) ? 0 : rnd(8),
	};
	struct drm_nna_bo_sync_op ops[3];
	struct drm_nna_bo_sync sync;
	struct drm_nna_bo_set_label label = {
		.handle = rnd(8), .label = (uintptr_t)place(32),
	};
	struct drm_nna_bo_madvise madvise = {
		.handle = rnd(16) ? 1 + rnd(24) : id(self.envs[current].bo),
		.madv = rnd(16) ? rnd(2) : (uint32_t)number(),
		.retained = rnd(16) ? 0 : (uint32_t)number(),
	};
	struct drm_gem_close gem_close = { .handle = 1 + rnd(24) };

	switch (rnd(5)) {
	case 0:
		call_with(DRM_IOCTL_NNA_BO_CREATE, &create, sizeof(create));
		break;
	case 1:
		for (int i = 0; i < 3; i++)
			ops[i] = (struct drm_nna_bo_sync_op){
				.handle = rnd(8), .type = rnd(3), .offset = number(),
				.size = size(),
			};
		sync.ops = OBJ_ARRAY(ops, 1 + rnd(3));
		call_with(DRM_IOCTL_NNA_BO_SYNC, &sync, sizeof(sync));
		break;
	case 2:
		call_with(DRM_IOCTL_NNA_BO_SET_LABEL, &label, sizeof(label));
		break;
	case 3:
		call_with(DRM_IOCTL_NNA_BO_MADVISE, &madvise, sizeof(madvise));
		break;
	default:
		/* The first is the one of the environment. */
		if (gem_close.handle > 1 || !rnd(16))
			call_with(DRM_IOCTL_GEM_CLOSE, &gem_close, sizeof(gem_close));
	}
}

static void fuzz_vm(void)
{
	struct drm_nna_vm_create create = { 0 };
	struct drm_nna_vm_destroy destroy = { .id = 1 + rnd(6) };
	struct drm_nna_vm_bind_op ops[4];
	struct drm_nna_vm_bind bind = { .vm_id = id(self.envs[current].vm) };

	switch (rnd(8)) {
	case 0:
		call_with(DRM_IOCTL_NNA_VM_CREATE, &create, sizeof(create));
		break;
	case 1:
		if (destroy.id > 1 || !rnd(16))
			call_with(DRM_IOCTL_NNA_VM_DESTROY, &destroy, sizeof(destroy));
		break;
	default:
		for (int i = 0; i < 4; i++) {
			ops[i] = (struct drm_nna_vm_bind_op){
				.type = rnd(2), .va = va(), .size = size(),
			};
			if (!ops[i].type) {
				ops[i].flags = rnd(2);
				ops[i].bo_handle = id(self.envs[current].bo);
				ops[i].bo_offset = 4096ull * rnd(8);
			}
		}
		bind.ops = OBJ_ARRAY(ops, 1 + rnd(4));
		call_with(DRM_IOCTL_NNA_VM_BIND, &bind, sizeof(bind));
	}
}

static void fuzz_ctx(void)
{
	struct drm_nna_ctx_create create = {
		.vm_id = id(self.envs[current].vm), .priority = rnd(5),
	};
	struct drm_nna_ctx_destroy destroy = { .id = 1 + rnd(6) };
	struct drm_nna_ctx_get_state get = { .id = id(self.envs[current].ctx) };

	switch (rnd(3)) {
	case 0:
		call_with(DRM_IOCTL_NNA_CTX_CREATE, &create, sizeof(create));
		break;
	case 1:
		call_with(DRM_IOCTL_NNA_CTX_DESTROY, &destroy, sizeof(destroy));
		break;
	default:
		call_with(DRM_IOCTL_NNA_CTX_GET_STATE, &get, sizeof(get));
	}
}

static void fuzz_submit(void)
{
	struct env *env = &self.envs[current];
	struct drm_nna_submit arg = env_submit(env);
	struct drm_nna_sync syncs[3];
	uint32_t n = rnd(4);

	/* The stream may be somebody else's, half written. */
	switch (rnd(8)) {
	case 0:
		stream_endless(env);
		break;
	case 1:
		for (int i = 0; i < 64; i++)
			env->map[ENV_STREAM + rnd(0x200)] = (uint8_t)rnd(256);
		break;
	case 2:
		((struct nnahw_base *)(env->map + ENV_TABLE))->address = va();
		break;
	default:
		stream_begin(env);
		stream_fill(env, 0, 1 + rnd(0x4000), 1);
		stream_end(env);
		stream_finish(env);
	}
	arg.stream_size = env->stream_size;
	arg.ctx_id = id(env->ctx);
	arg.flags = rnd(2) ? DRM_NNA_SUBMIT_NONBLOCK : 0;
	/* An endless job may not keep the innocent waiting for long. */
	arg.duration_ns = SECOND / 1000 * (1 + rnd(20));
	arg.budget_ns = arg.duration_ns;
	arg.loop_limit_ns = arg.duration_ns;
	if (!rnd(4)) {
		arg.profile_va = rnd(2) ? va() : ENV_VA + ENV_DATA;
		arg.profile_size = (uint32_t)(rnd(8) ? 64 + rnd(0x1000) : number());
	}
	if (!rnd(4))
		arg.deadline_ns = now_ns() + rnd(20) * (SECOND / 1000);
	for (uint32_t i = 0; i < n; i++)
		syncs[i] = (struct drm_nna_sync){
			.handle = 1 + rnd(6),
			.flags = (rnd(2) ? DRM_NNA_SYNC_SIGNAL : 0) | (rnd(2) ? 1 : 0),
			.point = rnd(2) ? 0 : 1 + rnd(16),
		};
	arg.syncs = OBJ_ARRAY(syncs, n);
	if (!call_with(DRM_IOCTL_NNA_SUBMIT, &arg, sizeof(arg)))
		atomic_fetch_add(&counts->jobs, 1);
}

/* Any number of the core's, with counts of handles that do not make its allocator warn. */
static void fuzz_core(void)
{
	static const unsigned int counted[][2] = {
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_WAIT),
		  offsetof(struct drm_syncobj_wait, count_handles) },
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT),
		  offsetof(struct drm_syncobj_timeline_wait, count_handles) },
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_RESET),
		  offsetof(struct drm_syncobj_array, count_handles) },
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_SIGNAL),
		  offsetof(struct drm_syncobj_array, count_handles) },
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL),
		  offsetof(struct drm_syncobj_timeline_array, count_handles) },
		{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_QUERY),
		  offsetof(struct drm_syncobj_timeline_array, count_handles) },
	};
	/* Nobody else writes here. */
	uint8_t arg[256];
	uint32_t nr = rnd(3) ? DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_CREATE) + rnd(16) : rnd(NUMBERS);
	uint32_t dir = rnd(8) ? 3 : rnd(4), bytes = rnd(2) ? 8 * (1 + rnd(6)) : rnd(sizeof(arg));
	uint32_t count;

	/* Numbers of the driver have calls of their own, but for the one that it has reserved. */
	if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END &&
	    nr != DRM_COMMAND_BASE + DRM_NNA_BO_FROM_USERPTR)
		nr = DRM_IOCTL_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD) + rnd(2);
	for (uint32_t i = 0; i < sizeof(arg); i += 4) {
		uint32_t value = rnd(3) ? rnd(8) : (uint32_t)number();

		memcpy(arg + i, &value, 4);
	}
	if (rnd(2)) {
		uint64_t pointer = (uintptr_t)place(64);

		memcpy(arg, &pointer, sizeof(pointer));
	}
	for (uint32_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (counted[i][0] != nr)
			continue;
		memcpy(&count, arg + counted[i][1], 4);
		count %= MAX_HANDLES + 1;
		memcpy(arg + counted[i][1], &count, 4);
	}
	call(_IOC(dir, DRM_IOCTL_BASE, nr, bytes), arg);
}

static void fuzz_files(void)
{
	int file = any_file(), fd;
	struct drm_prime_handle prime = { .handle = 1 + rnd(4), .flags = DRM_CLOEXEC | DRM_RDWR };
	char buffer[256];
	struct pollfd p = { .fd = file, .events = POLLIN };
	unsigned int slot = rnd(FILES);

	switch (rnd(8)) {
	case 0:
		fd = open(node, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			break;
		/* Its environment's ids mean nothing in the new file. */
		fd = rnd(4) ? fd : atomic_exchange(&self.files[slot], fd);
		close(fd);
		break;
	case 1:
		/* Any descriptor, whoever uses it. */
		close((int)(3 + rnd(61)));
		atomic_fetch_add(&counts->closes, 1);
		break;
	case 2:
		dup2(file, (int)(3 + rnd(61)));
		break;
	case 3:
		if (!ioctl(file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime)) {
			ioctl(any_file(), DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
			close(prime.fd);
		}
		break;
	case 4:
		if (read(file, buffer, 0) < 0 && write(file, buffer, 0) < 0)
			poll(&p, 1, 0);
		break;
	case 5:
		snprintf(buffer, sizeof(buffer), "/proc/self/fdinfo/%d", file);
		fd = open(buffer, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, buffer, sizeof(buffer)) >= 0)
			close(fd);
		break;
	default:
		fcntl(file, F_SETFL, rnd(2) ? O_NONBLOCK : 0);
	}
}

static size_t map_size(unsigned int slot)
{
	return 4096ul << (slot % 5);
}

/* Buffers are mapped, touched by the kernel, which may fault, and unmapped under others' feet. */
static void fuzz_mmap(void)
{
	struct drm_nna_bo_mmap_offset arg = { .handle = 1 + rnd(4) };
	unsigned int slot = rnd(MAPS);
	void *map;

	switch (rnd(6)) {
	case 0:
	case 1:
		if (call(DRM_IOCTL_NNA_BO_MMAP_OFFSET, &arg))
			arg.offset = number();
		map = mmap(NULL, map_size(slot), PROT_READ | PROT_WRITE,
			   rnd(8) ? MAP_SHARED : MAP_PRIVATE, any_file(), (off_t)arg.offset);
		atomic_fetch_add(&counts->mmaps, 1);
		if (map == MAP_FAILED)
			break;
		map = atomic_exchange(&self.maps[slot], map);
		if (map)
			munmap(map, map_size(slot));
		break;
	case 2:
		map = atomic_load(&self.maps[slot]);
		if (map)
			put((uint8_t *)map + map_size(slot) - sizeof(arg), &arg, sizeof(arg));
		break;
	case 3:
		/* The quarter that comes and goes. */
		mprotect(self.arena + ARENA / 2, ARENA / 4,
			 rnd(2) ? PROT_NONE : PROT_READ | PROT_WRITE);
		break;
	case 4:
		madvise(self.arena + ARENA / 2, ARENA / 4, MADV_DONTNEED);
		break;
	default:
		map = atomic_exchange(&self.maps[slot], NULL);
		if (map)
			munmap(map, map_size(slot));
	}
}

static void fuzz_processes(void)
{
	switch (rnd(8)) {
	case 0:
		if (rnd(8))
			break;
		/* The child has all that is open, and one thread. */
		if (!fork()) {
			for (int i = 0; i < 20; i++) {
				fuzz_vm();
				fuzz_submit();
			}
			_exit(0);
		}
		atomic_fetch_add(&counts->forks, 1);
		break;
	case 1:
		/* The one who has died is nobody to wait for. */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		break;
	default:
		/* Not before all have been started. */
		if (!atomic_load(&self.started))
			break;
		pthread_kill(self.threads[rnd(THREADS)], SIGUSR1);
		atomic_fetch_add(&counts->signals, 1);
	}
}

/* Writes over arguments that others have passed. */
static void scribble(void)
{
	for (int i = 0; i < 64; i++) {
		uint32_t value = (uint32_t)number();

		memcpy(self.arena + 4 * rnd(ARENA / 4 / 4), &value, 4);
	}
}

static void *attack(void *arg)
{
	static void (*const ways[])(void) = {
		fuzz_query, fuzz_bo, fuzz_bo, fuzz_vm, fuzz_vm, fuzz_vm, fuzz_ctx, fuzz_ctx,
		fuzz_submit, fuzz_submit, fuzz_submit, fuzz_submit, fuzz_core, fuzz_core,
		fuzz_files, fuzz_mmap, fuzz_mmap, fuzz_processes, scribble,
	};

	state = (uint64_t)(uintptr_t)arg * 0x9e3779b97f4a7c15ull + 1;
	for (;;) {
		pick_file();
		ways[rnd(sizeof(ways) / sizeof(ways[0]))]();
	}
	return NULL;
}

static void nothing(int signal)
{
}

/*
 * From now on allocations and copies of this process and of its threads fail. Only root may ask for
 * that, and only now: an environment has to be there.
 */
static void begin_failing(void)
{
	int fd;

	if (seteuid(0))
		_exit(1);
	fd = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		_exit(1);
	close(fd);
}

static void attacker(uint64_t seed, unsigned int slot)
{
	struct sigaction action = { .sa_handler = nothing };
	struct rlimit files = { 64, 64 }, processes = { 64, 64 };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY), null = open("/dev/null", O_RDWR);

	/* If somebody uses up all memory, it is an attacker, and that one goes. */
	if (fd < 0 || write(fd, "1000", 4) != 4 || null < 0)
		_exit(1);
	close(fd);
	dup2(null, 1);
	dup2(null, 2);
	close(null);
	sigaction(SIGUSR1, &action, NULL);
	/* Somebody may have closed the other end. */
	signal(SIGPIPE, SIG_IGN);
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, with_failures ? 0 : 65534))
		_exit(1);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_NPROC, &processes);

	self.slot = slot;
	self.arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (self.arena == MAP_FAILED)
		_exit(1);
	mprotect(self.arena + 3 * (ARENA / 4), ARENA / 4, PROT_READ);
	for (int i = 0; i < FILES; i++) {
		env_init(&self.envs[i]);
		stream_null(&self.envs[i]);
		for (int j = 0; j < 4; j++)
			syncobj_create(self.envs[i].fd);
		atomic_store(&self.files[i], self.envs[i].fd);
	}
	if (with_failures)
		begin_failing();
	while (setresuid(65534, 65534, 65534))
		if (errno != ENOMEM)
			_exit(1);
	for (uintptr_t i = 0; i < THREADS; i++)
		while (pthread_create(&self.threads[i], NULL, attack,
				      (void *)(uintptr_t)(seed * 64 + i))) {
			if (!with_failures)
				_exit(1);
			usleep(1000);
		}
	atomic_store(&self.started, true);
	for (;;)
		pause();
}

static void innocent_failed(const char *what, int ret)
{
	printf("# the innocent: %s: %s\n", what, strerror(-ret));
	fflush(stdout);
	_exit(1);
}

/* The device has hung on its job, so its context is banned; another one takes its place. */
static void innocent_again(struct env *env)
{
	const uint32_t banned = DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT;
	int ret;

	if ((ctx_state(env->fd, env->ctx).state & banned) != banned)
		innocent_failed("a hang does not ban the context", -EIO);
	ret = ctx_destroy(env->fd, env->ctx);
	if (!ret)
		ret = ctx_create(env->fd, env->vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env->ctx);
	if (ret)
		innocent_failed("a new context", ret);
}

/*
 * A buffer that is needed at times only. For the driver to purge it no process has mapped it then,
 * and it is in an address space of its own, where no job runs.
 */
struct spare {
	uint32_t vm;
	uint32_t bo;
	uint8_t value;
};

#define SPARE 0x4000

static bool spare_advise(int fd, const struct spare *spare, uint32_t madv)
{
	struct drm_nna_bo_madvise arg = { .handle = spare->bo, .madv = madv };
	int ret = xioctl(fd, DRM_IOCTL_NNA_BO_MADVISE, &arg);

	if (ret)
		innocent_failed("BO_MADVISE", ret);
	return arg.retained;
}

/* Uses the buffer, with what is left of the last time. */
static void spare_use(int fd, struct spare *spare)
{
	bool kept = spare->bo && spare_advise(fd, spare, DRM_NNA_MADV_WILLNEED);
	uint8_t *map;
	int ret = 0;

	if (!kept) {
		if (spare->bo) {
			atomic_fetch_add(&counts->purged, 1);
			ret = vm_unmap(fd, spare->vm, ENV_VA, SPARE);
			bo_close(fd, spare->bo);
		}
		spare->bo = bo_create(fd, SPARE, 0, 0);
		ret = ret ?: vm_map(fd, spare->vm, spare->bo, 0, ENV_VA, SPARE, 0);
		if (ret)
			innocent_failed("VM_BIND", ret);
	}
	map = bo_map(fd, spare->bo, SPARE);
	if (kept) {
		atomic_fetch_add(&counts->kept, 1);
		for (int i = 0; i < SPARE; i++)
			if (map[i] != spare->value)
				innocent_failed("a buffer was not kept", -EIO);
	}
	memset(map, ++spare->value, SPARE);
	munmap(map, SPARE);
	spare_advise(fd, spare, DRM_NNA_MADV_DONTNEED);
}

static void innocent(void)
{
	struct spare spare = { 0 };
	struct env env;
	int ret;
	uint32_t out;
	uint8_t value = 0;

	env_init(&env);
	out = syncobj_create(env.fd);
	spare.vm = vm_create(env.fd);
	while (now_ns() < end_ns) {
		uint64_t start = now_ns(), took;

		spare_use(env.fd, &spare);
		value++;
		memset(env.map + ENV_DATA, (uint8_t)~value, 0x4000);
		stream_begin(&env);
		stream_fill(&env, 0, 0x4000, value);
		stream_end(&env);
		stream_finish(&env);
		ret = submit(&env, 0, out);
		if (ret)
			innocent_failed("SUBMIT", ret);
		ret = syncobj_wait(env.fd, out, 3 * LONG_WAIT);
		if (ret)
			innocent_failed("a job does not end", ret);
		ret = syncobj_status(env.fd, out);
		if (ret == -ECANCELED) {
			atomic_fetch_add(&counts->cancelled, 1);
			continue;
		}
		if (ret == -EIO && atomic_load(&counts->broken) < atomic_load(&counts->breaks)) {
			atomic_fetch_add(&counts->broken, 1);
			continue;
		}
		if (ret == -ETIME && atomic_load(&counts->hung) < atomic_load(&counts->hangs)) {
			atomic_fetch_add(&counts->hung, 1);
			innocent_again(&env);
			continue;
		}
		if (ret != 1)
			innocent_failed("a job failed", ret);
		for (int i = 0; i < 0x4000; i++)
			if (env.map[ENV_DATA + i] != value)
				innocent_failed("a result is wrong", -EIO);
		if (ctx_state(env.fd, env.ctx).state & ~DRM_NNA_CTX_STATE_INNOCENT)
			innocent_failed("the context is banned", -EIO);
		atomic_fetch_add(&counts->results, 1);
		took = now_ns() - start;
		if (took > atomic_load(&counts->slowest_ns))
			atomic_store(&counts->slowest_ns, took);
	}
	env_fini(&env);
	_exit(0);
}

/**
 * struct place - An attacker that runs, from the outside.
 * @pid: its process, and the group of what it forks.
 * @limit: calls after which it is killed.
 * @seen: calls that it had made when it was last looked at, @seen_ns: and when these changed.
 */
struct place {
	pid_t pid;
	unsigned long limit, seen;
	uint64_t seen_ns;
};

static void start(struct place *place, unsigned int slot, uint64_t seed)
{
	place->limit = rnd(16) ? rnd(MOST_CALLS) : 0;
	place->seen = 0;
	place->seen_ns = now_ns();
	atomic_store(&counts->of_slot[slot], 0);
	place->pid = fork();
	if (place->pid < 0)
		die("an attacker", -errno);
	if (!place->pid) {
		setpgid(0, 0);
		attacker(seed, slot);
	}
	setpgid(place->pid, place->pid);
}

/* Whether an attacker has made its calls or has ended; or makes none any more, which is counted. */
static bool is_due(struct place *place, unsigned int slot, unsigned long *idle)
{
	unsigned long made = atomic_load(&counts->of_slot[slot]);
	siginfo_t info = { .si_pid = 0 };

	if (made >= place->limit ||
	    (!waitid(P_PID, (id_t)place->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid))
		return true;
	if (made != place->seen) {
		place->seen = made;
		place->seen_ns = now_ns();
	}
	if (!made || now_ns() < place->seen_ns + IDLE_NS)
		return false;
	++*idle;
	return true;
}

static unsigned long stop(const struct place *place, unsigned long *ended_by)
{
	int status;

	kill(-place->pid, SIGKILL);
	waitpid(place->pid, &status, 0);
	/* By itself it ends where its environment cannot be made. */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 1;
	ended_by[WIFSIGNALED(status) ? WTERMSIG(status) : 0]++;
	return 0;
}

/* Has all shrinkers called, ours among them. */
static void reclaim(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	if (fd < 0 || write(fd, "2", 1) != 1) {
		perror("fuzz_ioctl: drop_caches");
		exit(1);
	}
	close(fd);
}

/*
 * What fails in attackers, by its folder in debugfs, and at most how many in a hundred. A signal
 * whose frame cannot be copied ends its process.
 */
static const struct {
	const char *kind;
	unsigned int most;
} failures[] = { { "failslab", 10 }, { "fail_page_alloc", 10 }, { "fail_usercopy", 1 } };
#define FAILURES (sizeof(failures) / sizeof(failures[0]))

static void failure_set(const char *kind, const char *what, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", kind, what);
	write_file(path, value);
}

static void failures_begin(void)
{
	char most[16];

	snprintf(most, sizeof(most), "%d", MOST_FAILURES);
	for (unsigned int i = 0; i < FAILURES; i++) {
		failure_set(failures[i].kind, "probability", "0");
		failure_set(failures[i].kind, "task-filter", "Y");
		failure_set(failures[i].kind, "verbose", "0");
		failure_set(failures[i].kind, "times", most);
	}
	/* Those that may wait, and single pages, too. */
	failure_set("failslab", "ignore-gfp-wait", "N");
	failure_set("fail_page_alloc", "ignore-gfp-wait", "N");
	failure_set("fail_page_alloc", "min-order", "0");
}

/* As many as fail from now on are drawn; or none at all. */
static void failures_change(bool fail)
{
	char text[16];

	for (unsigned int i = 0; i < FAILURES; i++) {
		snprintf(text, sizeof(text), "%u", fail ? rnd(failures[i].most + 1) : 0);
		failure_set(failures[i].kind, "probability", text);
	}
}

static long failures_made(const char *kind)
{
	char path[128], *text;
	long left;

	snprintf(path, sizeof(path), DEBUGFS "%s/times", kind);
	text = read_file(path);
	left = strtol(text, NULL, 10);
	free(text);
	return MOST_FAILURES - left;
}

static void fault(void)
{
	static const char *const faults[] = {
		"hang 1", "stuck 1", "drop-irq 1", "spurious-irq 3", "corrupt 1", "slow 100000",
		"clear",
	};

	const char *fault = faults[rnd(sizeof(faults) / sizeof(faults[0]))];

	/* Counted first, as the innocent may be hit at once. */
	if (!strcmp(fault, "hang 1") || !strcmp(fault, "stuck 1"))
		atomic_fetch_add(&counts->hangs, 1);
	else if (!strcmp(fault, "corrupt 1"))
		atomic_fetch_add(&counts->breaks, 1);
	inject("%s", fault);
}

int main(int argc, char **argv)
{
	unsigned long calls = 0, succeeded = 0, killed = 0, idle = 0, faults = 0;
	unsigned long ended_by[NSIG] = { 0 };
	unsigned int attackers = 3, seconds = 60;
	bool with_faults = false;
	uint64_t seed = 1, next = 0;
	struct place places[MAX_ATTACKERS];
	pid_t good;
	int fd, status, failed = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--attackers") && i + 1 < argc)
			attackers = (unsigned int)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--faults"))
			with_faults = true;
		else if (!strcmp(argv[i], "--failures"))
			with_failures = true;
		else
			seconds = (unsigned int)atoi(argv[i]);
	}
	if (!seconds || attackers > MAX_ATTACKERS || getuid()) {
		fprintf(stderr, "usage, as root: fuzz_ioctl [--seed N] [--attackers N] [--faults] "
			"[--failures] SECONDS\n");
		return 2;
	}
	if (with_failures && access("/proc/self/make-it-fail", W_OK)) {
		fprintf(stderr, "fuzz_ioctl: --failures needs a kernel with fault injection: "
			"vm/run --kernel debug\n");
		return 2;
	}
	fd = nna_open();
	snprintf(node, sizeof(node), "%s", nna_node(fd));
	close(fd);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED || chmod(node, 0666)) {
		perror("fuzz_ioctl");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %llu, %u attackers of %u threads, %u s%s%s\n", (unsigned long long)seed,
	       attackers, THREADS, seconds, with_faults ? ", with faults" : "",
	       with_failures ? ", with failures" : "");
	state = seed * 0x9e3779b97f4a7c15ull + 1;
	end_ns = now_ns() + seconds * SECOND;

	good = fork();
	if (!good)
		innocent();
	if (with_failures)
		failures_begin();
	for (unsigned int i = 0; i < attackers; i++)
		start(&places[i], i, seed * 1000 + next++);
	while (now_ns() < end_ns && !waitpid(good, &status, WNOHANG)) {
		usleep(100000 + rnd(500000));
		reclaim();
		if (with_faults) {
			fault();
			faults++;
		}
		if (with_failures)
			failures_change(true);
		for (unsigned int i = 0; i < attackers; i++) {
			if (!is_due(&places[i], i, &idle))
				continue;
			killed += stop(&places[i], ended_by);
			start(&places[i], i, seed * 1000 + next++);
		}
	}
	for (unsigned int i = 0; i < attackers; i++)
		killed += stop(&places[i], ended_by);
	if (with_failures)
		failures_change(false);
	if (with_faults)
		inject("clear");
	/* It has been waited for if it has failed. */
	if (waitpid(good, &status, 0) == good || errno == ECHILD)
		failed = !WIFEXITED(status) || WEXITSTATUS(status);

	for (unsigned int i = 0; i < NUMBERS; i++) {
		calls += counts->calls[i];
		succeeded += counts->succeeded[i];
	}
	printf("# attackers: %lu ioctls, %lu of them succeeded, %lu jobs, ", calls, succeeded,
	       counts->jobs);
	printf("%lu mmaps, %lu closes, ", counts->mmaps, counts->closes);
	printf("%lu signals, %lu forks; %lu killed, %lu of them made no calls any more\n",
	       counts->signals, counts->forks, killed, idle);
	for (unsigned int i = 0; i < NSIG; i++)
		if (ended_by[i])
			printf("# %lu attackers ended by themselves, by signal %u\n", ended_by[i],
			       i);
	for (unsigned int i = DRM_COMMAND_BASE; i <= DRM_COMMAND_BASE + DRM_NNA_BO_MADVISE;
	     i++) {
		printf("# ioctl %2u: %lu calls, %lu succeeded\n", i - DRM_COMMAND_BASE,
		       counts->calls[i], counts->succeeded[i]);
		/* What never gets past the first check is not tested. */
		if (!counts->succeeded[i] && i != DRM_COMMAND_BASE + DRM_NNA_BO_FROM_USERPTR) {
			printf("# no call of it has succeeded\n");
			failed = 1;
		}
	}
	printf("# innocent: %lu right results, %lu jobs cancelled by resets, slowest job %lu ms\n",
	       counts->results, counts->cancelled, counts->slowest_ns / 1000000);
	printf("# innocent: its buffer was kept %lu times and purged %lu times\n", counts->kept,
	       counts->purged);
	printf("# %lu faults injected; the innocent was hit by %lu of %lu hangs and by %lu of %lu ",
	       faults, counts->hung, counts->hangs, counts->broken, counts->breaks);
	printf("wrong completions\n");
	for (unsigned int i = 0; i < (with_failures ? FAILURES : 0); i++) {
		long made = failures_made(failures[i].kind);

		printf("# %s: %ld failures injected\n", failures[i].kind, made);
		if (made <= 0)
			failed = 1;
	}
	if (with_failures) {
		printf("# attackers: %lu calls failed with ENOMEM\n", counts->no_memory);
		if (!counts->no_memory)
			failed = 1;
	}
	if (!counts->results || !killed || !counts->purged)
		failed = 1;
	printf("%s\n", failed ? "not ok fuzz_ioctl" : "ok fuzz_ioctl");
	return failed;
}
