// SPDX-License-Identifier: MIT
/*
 * The NPU behind a node of the kernel's driver. An in-fence is put into a buffer that the job
 * writes, since the driver waits for what buffers wait for; the end of a job is taken out of it,
 * right behind SUBMIT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/target.h"
#include "libnnaccel/winsys/ethosu/device.h"

/**
 * struct kernel_npu - the NPU of a node
 */
struct kernel_npu {
	struct nna_ethosu_npu base;
	struct nna_ethosu_node node;
};

static struct kernel_npu *to_kernel(struct nna_ethosu_npu *npu)
{
	return (struct kernel_npu *)npu;
}

static void kernel_close(struct nna_ethosu_npu *npu)
{
	nna_ethosu_node_close(&to_kernel(npu)->node);
	free(npu);
}

static int kernel_buffer_create(struct nna_ethosu_npu *npu, uint64_t size,
				struct nna_ethosu_buffer *buffer)
{
	return nna_ethosu_buffer_create(&to_kernel(npu)->node, size, buffer);
}

static void kernel_buffer_destroy(struct nna_ethosu_npu *npu, struct nna_ethosu_buffer *buffer)
{
	nna_ethosu_buffer_destroy(&to_kernel(npu)->node, buffer);
}

static int kernel_stream_create(struct nna_ethosu_npu *npu, const uint32_t *words, uint32_t count,
				uint32_t *handle)
{
	return nna_ethosu_stream_create(&to_kernel(npu)->node, words, count, handle);
}

static void kernel_stream_destroy(struct nna_ethosu_npu *npu, uint32_t handle)
{
	nna_ethosu_stream_destroy(&to_kernel(npu)->node, handle);
}

static int kernel_submit(struct nna_ethosu_npu *npu, const struct nna_ethosu_job *job,
			 uint32_t written, const int *fds, uint32_t count)
{
	const struct nna_ethosu_node *node = &to_kernel(npu)->node;
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = nna_ethosu_job_wait_for(node, job->regions[written], fds[i]);
	return ret ? ret : nna_ethosu_job_submit(node, job, job->regions[written]);
}

static int kernel_status(struct nna_ethosu_npu *npu, int end)
{
	return nna_ethosu_end_status(end);
}

static const struct nna_ethosu_npu_ops kernel_ops = {
	.close = kernel_close,
	.buffer_create = kernel_buffer_create,
	.buffer_destroy = kernel_buffer_destroy,
	.stream_create = kernel_stream_create,
	.stream_destroy = kernel_stream_destroy,
	.submit = kernel_submit,
	.status = kernel_status,
	.sync_files = true,
};

int nna_winsys_ethosu_create(const char *path, const struct nna_device_options *options,
			     struct nna_winsys **out)
{
	struct kernel_npu *npu = calloc(1, sizeof(*npu));
	struct nna_ethosu_target target;
	char why[NNA_ETHOSU_NODE_ERROR];
	int ret;

	if (!npu)
		return -ENOMEM;
	if (options)
		npu->base.log = options->log;
	ret = nna_ethosu_node_open(&npu->node, path, why);
	if (ret) {
		/* Of no node and of another driver's node the caller of all winsyses tells. */
		if (ret != -ENOENT && ret != -ENODEV)
			nna_log_print(&npu->base.log, NNA_LOG_ERROR, "%s", why);
		free(npu);
		return ret;
	}
	npu->base.ops = &kernel_ops;
	npu->base.config = npu->node.config;
	snprintf(npu->base.name, sizeof(npu->base.name), "%s", npu->node.path);
	snprintf(npu->base.driver, sizeof(npu->base.driver), "%s", npu->node.driver);
	if (!nna_ethosu_target_read(npu->base.config, &target)) {
		nna_log_print(&npu->base.log, NNA_LOG_ERROR,
			      "%s: an Ethos-U with the register CONFIG 0x%08x is not known to this "
			      "library", npu->base.name, npu->base.config);
		kernel_close(&npu->base);
		return -ENOTSUP;
	}
	return nna_ethosu_device_create(&npu->base, options, out);
}

int nna_winsys_ethosu_find(uint32_t index, char *path, size_t size)
{
	return nna_ethosu_node_find(index, path, size);
}
