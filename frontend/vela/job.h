/* SPDX-License-Identifier: MIT */
/*
 * An operator of the NPU, ready to run: its stream, with the marker, is in the kernel, and its
 * values have places in the arena.
 */
#ifndef VELA_JOB_H
#define VELA_JOB_H

#include "frontend/vela/arena.h"
#include "libnnaccel/backend/ethosu/stream.h"

/**
 * struct vela_job - the operator
 * @arena: not owned
 * @number: of the operator, for messages
 * @job: what the driver is given
 * @tails: of the marker
 */
struct vela_job {
	struct vela_arena *arena;
	uint32_t number;
	struct nna_ethosu_job job;
	uint64_t tails[NNA_ETHOSU_REGIONS];
};

/**
 * vela_job_create() - make a job of an operator
 * @offsets: of the tensors of the subgraph (offsets.h)
 * @error: TFLITE_ERROR_SIZE bytes for a line that names the operator
 *
 * Checks that the stream is for this NPU, and that all values lie in the scratch memory; the kernel
 * checks what the stream reaches.
 *
 * Return: 0 or a negative errno.
 */
int vela_job_create(struct vela_arena *arena, const struct tflite_subgraph *sub,
		    const struct vela_operator *op, const int64_t *offsets, struct vela_job *job,
		    char *error);
void vela_job_destroy(struct vela_job *job);

/* Run it on what the arena has, and wait. Return: 0, or a negative errno with a line at @error. */
int vela_job_run(struct vela_job *job, char *error);

#endif
