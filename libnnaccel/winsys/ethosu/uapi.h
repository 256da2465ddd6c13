/* SPDX-License-Identifier: MIT */
/*
 * The ABI of the kernel's driver for Ethos-U that we call (include/uapi/drm/ethosu_accel.h of the
 * kernel). Names are ours; C libraries do not have that header yet.
 */
#ifndef NNA_ETHOSU_UAPI_H
#define NNA_ETHOSU_UAPI_H

#include <linux/types.h>
#include <sys/ioctl.h>

#define ETHOSU_COMMAND(nr, type) _IOWR('d', 0x40 + (nr), type)

/* The region that the NPU's own SRAM serves, where a job has sram_size. */
#define ETHOSU_SRAM_REGION 2u

/* DEV_QUERY of type 0; the first drivers end it behind sram_size. */
struct ethosu_npu_info {
	__u32 id, config, sram_size, pmu_counters;
};

struct ethosu_query {
	__u32 type, size;
	__u64 pointer;
};

struct ethosu_bo_create {
	__u64 size;
	__u32 flags, handle;
};

struct ethosu_bo_wait {
	__u32 handle, pad;
	__s64 timeout_ns; /* of CLOCK_MONOTONIC, absolute */
};

struct ethosu_bo_offset {
	__u32 handle, pad;
	__u64 offset;
};

struct ethosu_stream_create {
	__u32 size, flags;
	__u64 data;
	__u32 handle, pad;
};

/* A region whose handle is 0 has no buffer; the stream must not use it. */
struct ethosu_submit_job {
	__u32 stream, sram_size;
	__u32 regions[8];
};

struct ethosu_submit {
	__u64 jobs;
	__u32 count, perfmon;
};

#define ETHOSU_PERFMON_COUNTERS 8 /* at most */
#define ETHOSU_PERFMON_CLEAR_GLOBAL 1

struct ethosu_perfmon_create {
	__u32 id, ncounters;
	__u16 counters[ETHOSU_PERFMON_COUNTERS];
};

struct ethosu_perfmon_destroy {
	__u32 id, pad;
};

struct ethosu_perfmon_values {
	__u32 id, pad;
	__u64 pointer; /* of ncounters + 1 numbers of 64 bits, the last one of cycles */
};

struct ethosu_perfmon_global {
	__u32 flags, id;
};

#define ETHOSU_QUERY ETHOSU_COMMAND(0, struct ethosu_query)
#define ETHOSU_BO_CREATE ETHOSU_COMMAND(1, struct ethosu_bo_create)
#define ETHOSU_BO_WAIT ETHOSU_COMMAND(2, struct ethosu_bo_wait)
#define ETHOSU_BO_OFFSET ETHOSU_COMMAND(3, struct ethosu_bo_offset)
#define ETHOSU_STREAM_CREATE ETHOSU_COMMAND(4, struct ethosu_stream_create)
#define ETHOSU_SUBMIT ETHOSU_COMMAND(5, struct ethosu_submit)
#define ETHOSU_PERFMON_CREATE ETHOSU_COMMAND(6, struct ethosu_perfmon_create)
#define ETHOSU_PERFMON_DESTROY ETHOSU_COMMAND(7, struct ethosu_perfmon_destroy)
#define ETHOSU_PERFMON_VALUES ETHOSU_COMMAND(8, struct ethosu_perfmon_values)
#define ETHOSU_PERFMON_GLOBAL ETHOSU_COMMAND(9, struct ethosu_perfmon_global)

#endif
