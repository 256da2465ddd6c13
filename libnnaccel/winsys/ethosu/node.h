/* SPDX-License-Identifier: MIT */
/*
 * A node of the kernel's driver for Arm's Ethos-U.
 *
 *	node	/dev/accel/accelN, open, whose driver is "ethosu"
 *	buffer	contiguous memory that the NPU reaches, mapped here: a region of a job
 *	stream	words that the kernel has checked, and copied
 *	job	a stream with buffers; its end is a sync_file
 *
 * The ABI tells of no failed job: BO_WAIT returns 0 after a hang. The scheduler's fence has the
 * error, and leaves the buffers' reservation soon after it has signalled. So the sync_file is
 * exported right behind SUBMIT, from a buffer that the job writes, and asked for its status.
 * Foreign dma-bufs cannot be imported.
 *
 * A node may be used by one thread at a time. Functions return 0 or a negative errno; one with an
 * @error leaves a line there, of NNA_ETHOSU_NODE_ERROR bytes, that says what to do.
 */
#ifndef NNA_ETHOSU_NODE_H
#define NNA_ETHOSU_NODE_H

#include <stddef.h>
#include <stdint.h>

#define NNA_ETHOSU_NODE_ERROR 256u
#define NNA_ETHOSU_NODE_REGIONS 8u

/**
 * struct nna_ethosu_node - an open node
 * @fd: of the node
 * @path: its path
 * @driver: name and version of its driver
 * @id: the NPU's register ID
 * @config: its register CONFIG
 * @sram_size: bytes of the SRAM that the driver gives to region 2; 0 for none
 */
struct nna_ethosu_node {
	int fd;
	char path[64], driver[32];
	uint32_t id, config, sram_size;
};

/**
 * struct nna_ethosu_buffer - a buffer
 * @handle: of the node; 0 for none
 * @size: bytes of its memory, a multiple of the page's size
 * @memory: its mapping
 */
struct nna_ethosu_buffer {
	uint32_t handle;
	uint64_t size;
	uint8_t *memory;
};

/**
 * struct nna_ethosu_job - what SUBMIT takes
 * @stream: its handle
 * @sram_size: bytes of the SRAM that the stream uses; 0 for none
 * @regions: handles of buffers, 0 for a region that the stream does not use, and for the SRAM
 */
struct nna_ethosu_job {
	uint32_t stream, sram_size;
	uint32_t regions[NNA_ETHOSU_NODE_REGIONS];
};

/*
 * Open a node: @path, or with NULL the first one in /dev/accel that is an Ethos-U's. Return: also
 * -ENODEV for a node of another driver, -ENOENT for none.
 */
int nna_ethosu_node_open(struct nna_ethosu_node *node, const char *path, char *error);
void nna_ethosu_node_close(struct nna_ethosu_node *node);

/* Writes the path of node @index of those in /dev/accel. Return: 0, -ENOENT or -ENOSPC. */
int nna_ethosu_node_find(uint32_t index, char *path, size_t size);

/* @size: at least 1. The memory is zeros. */
int nna_ethosu_buffer_create(const struct nna_ethosu_node *node, uint64_t size,
			     struct nna_ethosu_buffer *buffer);
void nna_ethosu_buffer_destroy(const struct nna_ethosu_node *node,
			       struct nna_ethosu_buffer *buffer);

/* Return: also -EINVAL for words that the kernel refuses. */
int nna_ethosu_stream_create(const struct nna_ethosu_node *node, const uint32_t *words,
			     uint32_t count, uint32_t *handle);
void nna_ethosu_stream_destroy(const struct nna_ethosu_node *node, uint32_t handle);

/**
 * nna_ethosu_job_submit() - submit a job
 * @written: handle of a buffer that the job writes
 *
 * Return: its end, a sync_file; -ENOENT for a region without buffer, -EOVERFLOW for a stream that
 * reaches beyond one, or another negative errno.
 */
int nna_ethosu_job_submit(const struct nna_ethosu_node *node, const struct nna_ethosu_job *job,
			  uint32_t written);

/* Let the next job that writes a buffer wait for a sync_file. */
int nna_ethosu_job_wait_for(const struct nna_ethosu_node *node, uint32_t handle, int fence);

/* Return: 0, or the error of a sync_file that has signalled. */
int nna_ethosu_end_status(int end);

/**
 * nna_ethosu_job_run() - submit a job, and wait for its end
 * @written: handle of a buffer that the job writes
 *
 * The driver bounds the time: it cancels a job that makes no progress.
 *
 * Return: 0, -ENOENT for a region without buffer, -EOVERFLOW for a stream that reaches beyond one,
 * -ECANCELED for a job that the driver has cancelled, another errno of its fence.
 */
int nna_ethosu_job_run(const struct nna_ethosu_node *node, const struct nna_ethosu_job *job,
		       uint32_t written);

#endif
