/* SPDX-License-Identifier: MIT */
/*
 * What the driver's tests share: raw ioctls, and an environment with an address space, a context
 * and one buffer object that holds a stream, a base table, a report and data. Setting up fails the
 * test when it fails.
 */
#ifndef NNA_TEST_H
#define NNA_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <drm/nna_accel.h>

#include "hw/gen/nnahw.h"

#define ENV_VA 0x100000ull
#define ENV_SIZE 0x40000ull
/* Where things lie in the environment's buffer object. */
#define ENV_STREAM 0x0
#define ENV_TABLE 0x8000
#define ENV_REPORT 0x9000
#define ENV_DATA 0x10000

#define SECOND 1000000000ull
/*
 * A time within which something has happened that should take so long, on the kernel that this is.
 */
#define PATIENCE(ns) ((ns) * test_slowness())
/* A time within which the device has certainly done any job of these tests. */
#define LONG_WAIT PATIENCE(20 * SECOND)

struct env {
	int fd;
	uint32_t vm, ctx, bo;
	uint8_t *map;
	uint32_t stream_size;
};

/*
 * The driver may be unbound at any time: then helpers end the process with status 0 instead of
 * failing.
 */
extern bool test_unbind_expected;

/* How many times slower than a usual kernel this one is: NNA_SLOWNESS, or 1. */
unsigned int test_slowness(void);

/* ioctl that restarts and returns 0 or a negative errno. */
int xioctl(int fd, unsigned long request, void *arg);

/* Opens the first node of the nna driver; skips the test if there is none. */
int nna_open(void);
/* Opens a card of the vgem driver; skips the test if there is none. */
int vgem_open(void);

/*
 * A dma-buf of size bytes, a multiple of pages, that can be written; skips the test where there is
 * no such source.
 */
int from_udmabuf(uint32_t size);
int from_vgem(uint32_t size);

uint64_t now_ns(void);

/*
 * Tells the device process to misbehave, as nna-device --help lists it; skips the test where it
 * cannot be reached.
 */
void inject(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** log_begin() - Mark where log_lines() begins to count. */
void log_begin(void);

/** log_lines() - Lines in the kernel's log since then that are the driver's. */
int log_lines(void);
/* Unbinds the driver from the device behind fd, and binds it again. */
void device_unbind(int fd);
void device_bind(void);
/* Keeps the device behind fd from being suspended when it is idle, or lets it again. */
void device_keep_awake(int fd, bool awake);
struct drm_nna_counters counters(int fd);
/* The device's name on its bus; with fd -1 that of the one that was asked for last. */
const char *device_name(int fd);

/*
 * Whole files as text, to be freed: any, of the device's debugfs directory, and what /proc says
 * about fd.
 */
char *read_file(const char *path);
char *debugfs_read(int fd, const char *file);
char *fdinfo_read(int fd);
void write_file(const char *path, const char *text);
/* The number after key, at the start of a line; -1 when there is no such line. */
long long text_value(const char *text, const char *key);

int query(int fd, uint32_t type, void *data, uint32_t size);
struct drm_nna_hw_info hw_info(int fd);

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
/* 0, -ETIME, or another error. */
int syncobj_wait(int fd, uint32_t handle, uint64_t timeout_ns);
int timeline_wait(int fd, uint32_t handle, uint64_t point, uint64_t timeout_ns);
/* How the fence in a syncobj ended: 1 signalled, 0 not yet, negative error. */
int syncobj_status(int fd, uint32_t handle);
int sync_file_status(int sync_file);

/* Ends the process as a failed set-up. */
void die(const char *what, int ret) __attribute__((noreturn));

void env_init(struct env *env);
/* Another context in the same file, with an address space of its own that maps the same buffer. */
void env_init_sibling(struct env *env, const struct env *other);
void env_fini(struct env *env);

/* Stream writers: begin, commands, end. Each returns the offset of the command. */
void stream_begin(struct env *env);
uint32_t stream_end(struct env *env);
uint32_t stream_jump(struct env *env, uint32_t target);
/* Fills count bytes at data offset with value: rank 1, U8, slot 0 = the data. */
uint32_t stream_fill(struct env *env, uint32_t offset, uint32_t count, uint8_t value);
void stream_finish(struct env *env);

/* A submission of the environment's stream, without syncs. */
struct drm_nna_submit env_submit(struct env *env);
/* Submits; the job signals binary syncobj out if it is not 0, and waits for in if that is not 0. */
int submit(struct env *env, uint32_t in, uint32_t out);
int submit_args(struct env *env, struct drm_nna_submit *args, uint32_t in, uint32_t out);
/* Submits, waits and returns how the fence ended: 0 or a negative errno. */
int submit_and_wait(struct env *env);
int submit_args_and_wait(struct env *env, struct drm_nna_submit *args);
/* A stream of only END. */
void stream_null(struct env *env);
/* A stream that never ends by itself. */
void stream_endless(struct env *env);

struct nnahw_report *env_report(struct env *env);

/* Runs a job and checks its result and that its context is not banned; else ends the process. */
void expect_result(struct env *env);
/* The same in an environment of its own, from opening the device on. */
void expect_inference(void);

#endif
