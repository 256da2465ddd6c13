/* SPDX-License-Identifier: MIT */
/*
 * An NPU that takes jobs: a node of the kernel's driver, or the model in this process. Both are a
 * table of functions behind which the winsys knows no difference.
 *
 *	buffer	memory of its own, that the NPU and this process see (node.h)
 *	stream	words, checked and copied
 *	job	a stream with a buffer for each region that it uses (node.h)
 *	end	a file descriptor that polls readable when a job has ended
 *
 * Any function may be called from any thread.
 */
#ifndef NNA_ETHOSU_NPU_H
#define NNA_ETHOSU_NPU_H

#include "libnnaccel/support/log.h"
#include "libnnaccel/winsys/ethosu/node.h"

struct nna_ethosu_npu;

/**
 * struct nna_ethosu_npu_ops - the functions of an NPU
 * @close: after all else was destroyed. Jobs that still run come to an end.
 * @buffer_create: memory of at least @size bytes, all zero
 * @buffer_destroy: jobs that use it keep its memory until they have ended
 * @stream_create: Return: 0 and a handle; -EINVAL for words that the driver refuses, or another
 *	negative errno
 * @stream_destroy: likewise
 * @submit: starts a job when @count in-fences have signalled, and jobs before it have ended.
 *	@written: the region that it writes last. Return: the end, the caller's; or a negative errno
 * @status: of a job whose @end is readable: 0 where nothing is known of an error, or a negative
 *	errno
 * @sync_files: an end is a sync_file
 */
struct nna_ethosu_npu_ops {
	void (*close)(struct nna_ethosu_npu *npu);
	int (*buffer_create)(struct nna_ethosu_npu *npu, uint64_t size,
			     struct nna_ethosu_buffer *buffer);
	void (*buffer_destroy)(struct nna_ethosu_npu *npu, struct nna_ethosu_buffer *buffer);
	int (*stream_create)(struct nna_ethosu_npu *npu, const uint32_t *words, uint32_t count,
			     uint32_t *handle);
	void (*stream_destroy)(struct nna_ethosu_npu *npu, uint32_t handle);
	int (*submit)(struct nna_ethosu_npu *npu, const struct nna_ethosu_job *job,
		      uint32_t written, const int *fds, uint32_t count);
	int (*status)(struct nna_ethosu_npu *npu, int end);
	bool sync_files;
};

/**
 * struct nna_ethosu_npu - an open NPU
 * @ops: its functions
 * @name: as nna_device_info names the device
 * @driver: likewise
 * @config: its register CONFIG
 * @log: where messages go
 *
 * Both kinds embed it as their first member.
 */
struct nna_ethosu_npu {
	const struct nna_ethosu_npu_ops *ops;
	char name[64], driver[32];
	uint32_t config;
	struct nna_log log;
};

#endif
