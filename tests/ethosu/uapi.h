/* SPDX-License-Identifier: MIT */
/*
 * The ioctls of the kernel's driver for Ethos-U that the tests call, as its ABI has them
 * (include/uapi/drm/ethosu_accel.h of the kernel). Names are ours.
 */
#ifndef TESTS_ETHOSU_UAPI_H
#define TESTS_ETHOSU_UAPI_H

#include <linux/types.h>
#include <sys/ioctl.h>

#define ETHOSU_COMMAND(nr, type) _IOWR('d', 0x40 + (nr), type)

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

struct ethosu_submit_job {
	__u32 stream, sram_size;
	__u32 regions[8];
};

struct ethosu_submit {
	__u64 jobs;
	__u32 count, perfmon;
};

#define ETHOSU_QUERY ETHOSU_COMMAND(0, struct ethosu_query)
#define ETHOSU_BO_CREATE ETHOSU_COMMAND(1, struct ethosu_bo_create)
#define ETHOSU_BO_WAIT ETHOSU_COMMAND(2, struct ethosu_bo_wait)
#define ETHOSU_BO_OFFSET ETHOSU_COMMAND(3, struct ethosu_bo_offset)
#define ETHOSU_STREAM_CREATE ETHOSU_COMMAND(4, struct ethosu_stream_create)
#define ETHOSU_SUBMIT ETHOSU_COMMAND(5, struct ethosu_submit)

#endif
