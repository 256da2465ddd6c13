/* SPDX-License-Identifier: MIT */
/*
 * What the driver's tests share: wrappers of the ioctls, control of the device and of the driver,
 * and struct env, an environment to run jobs in.
 *
 * Functions that return a handle, an id or a pointer end the process with a message when they fail.
 * Functions that return int return 0 or a negative errno, for the test to check.
 */
#ifndef NNA_TEST_H
#define NNA_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <drm/nna_accel.h>

#include "hw/gen/nnahw.h"

/* Address and size of the environment's buffer object in its address space. */
#define ENV_VA 0x100000ull
#define ENV_SIZE 0x40000ull
/* Byte offsets in the environment's buffer object. */
#define ENV_STREAM 0x0
#define ENV_TABLE 0x8000
#define ENV_REPORT 0x9000
#define ENV_DATA 0x10000

#define SECOND 1000000000ull
/* A time limit in ns, longer on kernels that are slower. */
#define PATIENCE(ns) ((ns) * test_slowness())
/* A time limit that no job of these tests comes near. */
#define LONG_WAIT PATIENCE(60 * SECOND)

/**
 * struct env - A file of the device with what a job needs.
 * @fd: the file.
 * @vm: an address space.
 * @ctx: a context of medium priority in @vm.
 * @bo: a buffer object of ENV_SIZE bytes at ENV_VA: stream, base table, report and data.
 * @map: its CPU mapping.
 * @stream_size: bytes of the stream written so far.
 */
struct env {
	int fd;
	uint32_t vm, ctx, bo;
	uint8_t *map;
	uint32_t stream_size;
};

/* The driver may be unbound: helpers that get -ENODEV end the process with status 0. */
extern bool test_unbind_expected;

/* How many times slower than a kernel without debugging checks this one is: NNA_SLOWNESS, or 1. */
unsigned int test_slowness(void);

/* ioctl() that is repeated after EINTR; 0 or a negative errno. */
int xioctl(int fd, unsigned long request, void *arg);

/*
 * Opens the first node of the nna driver, an accel node or, where the kernel has none, a render
 * node; skips the test if there is none.
 */
int nna_open(void);
/* Opens the card node that a device with a render node has, too. Returns -1 if there is none. */
int nna_card_open(void);
/* The path of an open node; valid until the next call. */
const char *nna_node(int fd);
/* Opens a card of the vgem driver; skips the test if there is none. */
int vgem_open(void);

/* A writable dma-buf of size bytes (whole pages); skips the test if there is no exporter. */
int from_udmabuf(uint32_t size);
int from_vgem(uint32_t size);

/* A fence of vgem: its number there, and a sync_file that has it. */
struct foreign {
	int vgem;
	uint32_t fence;
	int sync_file;
};

/* A new one, which signals by foreign_signal(), or after ten seconds; skips without vgem. */
struct foreign foreign_fence(void);
void foreign_signal(struct foreign *f);

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* Bytes of a page of the CPU, of which objects consist; the device's pages have 4 KiB. */
uint64_t cpu_page(void);

/*
 * Sends a fault injection command to the device process (nna-device --help lists them); skips the
 * test if there is no connection to it.
 */
void inject(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Clears the trace and begins to record events: the driver's, and those of the DMA core by which
 * the CPU's caches are cleaned and invalidated. Skips the test where there are none.
 */
void trace_begin(void);
/* Ends that, and returns the trace; the caller frees it. */
char *trace_end(void);

/* The first place of an event at or behind one in a trace; its absence fails the test. */
char *trace_find(char *from, const char *event);
/* Sum of the sizes that an event states, between two places of a trace. */
unsigned long long trace_sum(const char *from, const char *to, const char *event);

/** log_begin() - Mark where log_lines() begins to count. */
void log_begin(void);

/** log_lines() - Number of lines of the driver in the log since then, without log_dumps(). */
int log_lines(void);

/** log_dumps() - Number of those that tell whose job failed: one for each core dump of a job. */
int log_dumps(void);

/**
 * log_expect() - Wait until the driver has written that many lines since log_begin().
 * @lines: how many; more of them by then are too many.
 *
 * Ends the process if they do not come, or are others.
 */
void log_expect(int lines);

/**
 * in_time() - Whether something took no longer than it may.
 * @begin: when it was begun, by now_ns().
 * @ns: how long it may take on a machine that does nothing else.
 *
 * If it took longer, the limit grows by a hundred times what a job that does nothing takes at this
 * moment: a host that is busy, or slow, delays both. Prints what it has compared.
 */
bool in_time(uint64_t begin, uint64_t ns);

/* Unbinds the driver from the device behind fd; binds it to that device again. */
void device_unbind(int fd);
void device_bind(void);

/**
 * device_restore() - Bring the device into order, whatever a test that failed has left behind.
 *
 * Faults are disarmed, a device that no driver is bound to gets it back, and one that is lost is
 * bound again. When it returns, a job has had its result.
 */
void device_restore(void);
/**
 * device_wait_released() - Wait until what closed files had is gone, where debugfs tells.
 *
 * An address space is released some time after its file was closed, by commands to the device. A
 * fault that is injected before that may meet these instead of what a test means. The caller has no
 * BO, and others have none.
 */
void device_wait_released(void);
/* Forbids or allows runtime suspend of the device behind fd. */
void device_keep_awake(int fd, bool awake);
struct drm_nna_counters counters(int fd);
/* The name of the device behind fd on its bus; with fd -1 the name that was returned last. */
const char *device_name(int fd);
/* Whether the device is a PCI function; else it is a platform device, and one is its parent. */
bool device_is_pci(int fd);
/* Writes the path of a file of the driver, on the bus of the device that was named last. */
void driver_path(char *path, size_t size, const char *file);
/* Writes the path of a file of the PCI function, which may be the device or the parent of it. */
void pci_path(char *path, size_t size, int fd, const char *file);
/* Writes the path of a file in the device's folder of debugfs; "" stands for the folder. */
void debugfs_path(char *path, size_t size, int fd, const char *file);

/*
 * Contents of a file as a string, to be freed: of any path, of a file in the device's debugfs
 * directory, of /proc/self/fdinfo/FD.
 */
char *read_file(const char *path);
char *debugfs_read(int fd, const char *file);
char *fdinfo_read(int fd);
void write_file(const char *path, const char *text);

/** struct control_group - A control group of memory, in a mount of its own at @dir. */
struct control_group {
	char dir[24];
};

/* One of so much memory, "32M". Return: false where the kernel has none, as on old systems. */
bool control_group_make(struct control_group *group, const char *memory);
/* Puts this process into it. */
void control_group_join(const struct control_group *group);
/* Removes it once all of its memory has been freed, which takes a moment, and the mount. */
void control_group_remove(const struct control_group *group);

/**
 * struct ring_state - What debugfs says of a ring.
 * @seqno: number of the next entry.
 * @pending: entries that the device has, and has not completed.
 */
struct ring_state {
	uint32_t seqno, pending;
};

struct ring_state ring_state(int fd, unsigned int ring);
/* Entries that the device has taken from its rings of jobs, as its registers say. */
unsigned int entries_begun(int fd);
/* Waits until the device has so many entries of a ring. */
void ring_wait(int fd, unsigned int ring, uint32_t pending);
/* The number after key, which begins a line; -1 if no line begins with it. */
long long text_value(const char *text, const char *key);

int query(int fd, uint32_t type, void *data, uint32_t size);
struct drm_nna_hw_info hw_info(int fd);

/* A number of ticks of the device's clock, or a difference of two, in nanoseconds. */
int64_t ticks_to_ns(int fd, int64_t ticks);

uint32_t bo_create(int fd, uint64_t size, uint32_t vm, uint32_t flags);
void bo_close(int fd, uint32_t handle);
void *bo_map(int fd, uint32_t handle, uint64_t size);
uint32_t vm_create(int fd);
int vm_destroy(int fd, uint32_t vm);
int vm_bind_ops(int fd, uint32_t vm, const struct drm_nna_vm_bind_op *ops, uint32_t count);
int vm_map(int fd, uint32_t vm, uint32_t bo, uint64_t offset, uint64_t va, uint64_t size,
	   uint32_t flags);
int vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size);
int ctx_create(int fd, uint32_t vm, uint32_t priority, uint32_t *ctx);
int ctx_destroy(int fd, uint32_t ctx);
struct drm_nna_ctx_get_state ctx_state(int fd, uint32_t ctx);

uint32_t syncobj_create(int fd);
/* Wait at most timeout_ns: 0, -ETIME, or another error of the ioctl; not the fence's error. */
int syncobj_wait(int fd, uint32_t handle, uint64_t timeout_ns);
int timeline_wait(int fd, uint32_t handle, uint64_t point, uint64_t timeout_ns);
/* Status of a fence: 1 signalled, 0 not signalled, or its error. */
int syncobj_status(int fd, uint32_t handle);
int sync_file_status(int sync_file);
/* Whether a fence has signalled, and did so before another did, if that has. */
bool sync_file_before(int sync_file, int other);

/* Ends the process with status 1 and a message; see test_unbind_expected. */
void die(const char *what, int ret) __attribute__((noreturn));

void env_init(struct env *env);
/*
 * The same of a user of its own: a user of whose jobs little is known has a single one on a ring.
 * Needs root.
 */
void env_init_apart(struct env *env);
/* A second environment in the same file: own address space and context, the same buffer object. */
void env_init_sibling(struct env *env, const struct env *other);
void env_fini(struct env *env);

/*
 * Write a command stream: begin, commands, end, finish. Commands return their offset.
 * stream_finish() completes the header and the base table.
 */
void stream_begin(struct env *env);
uint32_t stream_end(struct env *env);
uint32_t stream_jump(struct env *env, uint32_t target);
/* Fills count bytes from offset on in the data (slot 0) with value. */
uint32_t stream_fill(struct env *env, uint32_t offset, uint32_t count, uint8_t value);
void stream_finish(struct env *env);

/* A submission of the environment's stream, without syncs. */
struct drm_nna_submit env_submit(struct env *env);
/* Submits a job that waits for binary syncobj in and signals out; 0 for none. 0 or an errno. */
int submit(struct env *env, uint32_t in, uint32_t out);
int submit_args(struct env *env, struct drm_nna_submit *args, uint32_t in, uint32_t out);
/* Submits a job and waits for it: 0 or the fence's error. */
int submit_and_wait(struct env *env);
int submit_args_and_wait(struct env *env, struct drm_nna_submit *args);
/* A stream that only ends. */
void stream_null(struct env *env);
/* A stream that never ends by itself. */
void stream_endless(struct env *env);
/* A stream that ends when it is released, which may be while it runs: what a job limit allows. */
void stream_held(struct env *env);
void stream_release(struct env *env);

/* The job's report. */
struct nnahw_report *env_report(struct env *env);

/* Runs a job and checks its result and that its context is not banned; else ends the process. */
void expect_result(struct env *env);
/* The same in an environment of its own, from opening the device on. */
void expect_inference(void);

#endif
