// SPDX-License-Identifier: MIT
#include "frontend/vela/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/marker.h"

/* That a value lies in the scratch memory. */
static int check_value(const struct vela_arena *arena, const struct tflite_subgraph *sub,
		       const struct vela_operator *op, int32_t at, const int64_t *offsets,
		       char *error)
{
	const struct tflite_tensor *tensor = &sub->tensors[at];
	const uint64_t size = tensor->elements * tflite_type_size(tensor->type);
	char name[64];

	tflite_printable(tensor->name, name, sizeof(name));
	if (offsets[at] < 0)
		return vela_refuse(op->number, -EINVAL, error, "tensor '%s' has no place in the scratch "
			      "memory", name);
	if ((uint64_t)offsets[at] > arena->scratch_size ||
	    size > arena->scratch_size - (uint64_t)offsets[at])
		return vela_refuse(op->number, -EINVAL, error, "tensor '%s' of %llu bytes at offset "
			      "%lld does not lie in the scratch memory of %llu bytes", name,
			      (unsigned long long)size, (long long)offsets[at],
			      (unsigned long long)arena->scratch_size);
	return 0;
}

static int check_values(const struct vela_arena *arena, const struct tflite_subgraph *sub,
			const struct vela_operator *op, const int64_t *offsets, char *error)
{
	int ret = 0;

	for (uint32_t i = 0; i < op->inputs.count && !ret; i++)
		if (op->inputs.at[i] >= 0)
			ret = check_value(arena, sub, op, op->inputs.at[i], offsets, error);
	for (uint32_t i = 0; i < op->outputs.count && !ret; i++)
		ret = check_value(arena, sub, op, op->outputs.at[i], offsets, error);
	return ret;
}

/* That the stream is for this NPU. */
static int check_npu(const struct vela_arena *arena, const struct vela_operator *op,
		     const struct nna_ethosu_stream *stream, char *error)
{
	char wanted[NNA_ETHOSU_NAME_SIZE], found[NNA_ETHOSU_NAME_SIZE];

	if (nna_ethosu_fits(stream, arena->node.config, arena->node.id))
		return 0;
	nna_ethosu_name(arena->node.config, found);
	return vela_refuse(op->number, -EINVAL, error, "it is compiled for %s, %s is %s: compile with "
		      "--accelerator-config %s", nna_ethosu_name(stream->config, wanted),
		      arena->node.path, found, found);
}

static int set_regions(struct vela_job *job, const struct vela_operator *op)
{
	const struct vela_memory *memories[VELA_REGIONS] = { NULL, &job->arena->scratch, NULL };
	int ret;

	if (op->constants) {
		ret = vela_arena_constants(job->arena, op->constants, op->constants_size,
					   &memories[VELA_REGION_CONSTANTS]);
		if (ret)
			return ret;
	}
	if (job->arena->sram)
		job->job.sram_size = (uint32_t)job->arena->fast_size;
	else
		memories[VELA_REGION_FAST] = &job->arena->fast;
	for (uint32_t i = 0; i < VELA_REGIONS; i++) {
		if (!memories[i])
			continue;
		job->job.regions[i] = memories[i]->buffer.handle;
		job->tails[i] = memories[i]->tail;
	}
	return 0;
}

int vela_job_create(struct vela_arena *arena, const struct tflite_subgraph *sub,
		    const struct vela_operator *op, const int64_t *offsets, struct vela_job *job,
		    char *error)
{
	char why[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;
	int ret;

	*job = (struct vela_job){ .arena = arena, .number = op->number };
	ret = nna_ethosu_payload_read(op->payload, op->payload_size, &stream, why);
	if (ret)
		return vela_refuse(op->number, ret, error, "%s", why);
	ret = check_npu(arena, op, &stream, error) ?:
	      check_values(arena, sub, op, offsets, error);
	if (ret)
		goto out;
	ret = set_regions(job, op) ?:
	      nna_ethosu_marker_append(&stream, job->tails, VELA_REGION_SCRATCH);
	if (ret) {
		vela_refuse(op->number, ret, error, "no memory for it: %s", strerror(-ret));
		goto out;
	}
	ret = nna_ethosu_stream_create(&arena->node, stream.words, stream.count,
				       &job->job.stream);
	if (ret == -EINVAL)
		vela_refuse(op->number, ret, error, "the kernel's driver refuses its command stream "
		       "(nnactl dump prints it; RESIZE is known to be refused)");
	else if (ret)
		vela_refuse(op->number, ret, error, "the kernel does not take its command stream: %s",
		       strerror(-ret));
out:
	nna_ethosu_stream_free(&stream);
	return ret;
}

void vela_job_destroy(struct vela_job *job)
{
	if (job->arena)
		nna_ethosu_stream_destroy(&job->arena->node, job->job.stream);
	*job = (struct vela_job){ 0 };
}

int vela_job_run(struct vela_job *job, char *error)
{
	const struct vela_memory *scratch = &job->arena->scratch;
	int ret;

	nna_ethosu_marker_clear(scratch->buffer.memory, scratch->tail);
	ret = nna_ethosu_job_run(&job->arena->node, &job->job, scratch->buffer.handle);
	/*
	 * The driver cancels a job that has just ended when its interrupt was late: with the marker
	 * it is done all the same. A job that failed before its fence was exported has no error.
	 */
	if (nna_ethosu_marker_is_set(scratch->buffer.memory, scratch->tail, job->tails))
		return 0;
	switch (ret) {
	case 0:
	case -ECANCELED:
		return vela_refuse(job->number, -EIO, error, "the NPU has not run it to its end: it "
			      "hung or found an error (the kernel's log says which)");
	case -ENOENT:
		return vela_refuse(job->number, -EINVAL, error, "its stream uses a region that it has "
			      "no memory for");
	case -EOVERFLOW:
		return vela_refuse(job->number, -EINVAL, error, "its stream reaches beyond its memory: "
			      "the file is damaged");
	default:
		return vela_refuse(job->number, ret, error, "the run failed: %s", strerror(-ret));
	}
}
