/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the kernel's driver for Ethos-U share: a client with an input and an output,
 * streams, jobs and their fences.
 *
 * The driver is the kernel's own. What it does otherwise than it should is a defect, with a number
 * in docs/ethosu.md. A test of a defect ends by defect(): expected to fail on the driver as it is,
 * and a failure where the defect is gone, so that the list holds. ETHOSU_PATCHED=1 says that the
 * driver has the patches of docs/ethosu-patches: defects that these mend are failures then.
 *
 * Functions that return int return 0 or a negative errno, for the test to check; the others end the
 * process with a message when they fail.
 */
#ifndef ETHOSU_TEST_H
#define ETHOSU_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/ethosu/opcode.h"
#include "libnnaccel/winsys/ethosu/uapi.h"

#define NPU_SIZE 0x4000u /* bytes of the input, and of the output */
#define NPU_WORDS 2048u
#define NPU_LONG_WORD 0x4000u
#define NPU_INPUT 0x5a /* what the input begins with */

/**
 * struct npu - a client
 * @fd: its file
 * @u65: the NPU is a U65; else a U85
 * @info: what the driver says of it
 * @in: buffer of the input, region 0
 * @out: buffer of the output, region 1
 * @in_map: memory of the input
 * @out_map: memory of the output
 */
struct npu {
	int fd;
	bool u65;
	struct ethosu_npu_info info;
	uint32_t in;
	uint32_t out;
	uint8_t *in_map;
	uint8_t *out_map;
};

/**
 * struct npu_script - a stream that is written
 * @words: of it
 * @count: of them
 */
struct npu_script {
	uint32_t words[NPU_WORDS];
	uint32_t count;
};

/* The node of the driver; skips the test if there is none. */
int npu_open(void);
/* A client, on an NPU without faults. */
void npu_init(struct npu *npu);
/* The same, beside a client that there is: it leaves faults alone. */
void npu_init_beside(struct npu *npu);
/* Closes a client and unmaps its buffers. */
void npu_fini(struct npu *npu);

void npu_op(struct npu_script *s, uint32_t code, uint32_t parameter);
void npu_long(struct npu_script *s, uint32_t code, uint64_t value);
/* Settings of a DMA of @length bytes from input to output, from their begins; not its start. */
void npu_copy_settings(struct npu_script *s, uint64_t length);
/* A whole stream that copies @length bytes. */
struct npu_script npu_copy(uint64_t length);

/* A command stream's buffer. Return: 0 or a negative errno. */
int npu_stream(const struct npu *npu, const struct npu_script *s, uint32_t *handle);
/* A buffer of a size. */
uint32_t npu_bo(const struct npu *npu, uint64_t size);
void *npu_map(const struct npu *npu, uint32_t handle, uint64_t size);

/* A job of a stream, with the input as region 0 and the output as region 1. */
struct ethosu_submit_job npu_job(const struct npu *npu, uint32_t stream);
/* A job that copies the whole input. */
struct ethosu_submit_job npu_copy_job(const struct npu *npu);
/* The same of a client that it makes by npu_init(). */
struct ethosu_submit_job npu_init_job(struct npu *npu);
int npu_submit(const struct npu *npu, const struct ethosu_submit_job *job);
int npu_submit_many(const struct npu *npu, const struct ethosu_submit_job *jobs, uint32_t count,
		    uint32_t perfmon);
/* BO_WAIT for @ns nanoseconds from now on. */
int npu_bo_wait(const struct npu *npu, uint32_t handle, int64_t ns);

/*
 * The fence of the last job that writes a buffer, as a sync_file. The fence of a job that has ended
 * tells nothing of it, so this is called while the job waits: inject("slow NS") sees to that.
 */
int npu_fence(const struct npu *npu, uint32_t handle);
/* Waits for a fence. Return: 1, the job is done, or the negative errno of its error. */
int npu_fence_wait(int fence);
/* Submits a job that the device holds for a second, and waits. Return: as npu_fence_wait(). */
int npu_run_held(const struct npu *npu, const struct ethosu_submit_job *job);
/* Copies a whole input, and checks the output. */
void npu_expect_copy(const struct npu *npu);

/* The platform device behind the node, and a file of it in sysfs. */
const char *npu_device(const struct npu *npu);
const char *npu_file(const struct npu *npu, const char *name);
/* Waits until power/runtime_status is so. Return: whether it has been. */
bool npu_reaches(const struct npu *npu, const char *status);
/* Bits of /proc/sys/kernel/tainted. */
unsigned long npu_taint(void);

/*
 * Ends a test of a defect: does not return where the defect is expected, or is not as expected.
 * @seen: it is there; @patch: of docs/ethosu-patches that mends it, NULL for none; @text: its words
 */
void npu_defect(bool seen, const char *patch, const char *text);

#endif
