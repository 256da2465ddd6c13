/* SPDX-License-Identifier: MIT */
/*
 * Operators that Vela has compiled, in the delegate.
 *
 * A part that has one runs as a program on two devices (frontend/split/program.h), its other
 * operators on the NNA. All such operators of an interpreter's subgraph share an arena, in which
 * they leave values for later ones; partitions hold references to it. So they have to run in the
 * order of the subgraph.
 */
#ifndef DELEGATE_NPU_H
#define DELEGATE_NPU_H

#include <pthread.h>

#include "frontend/delegate/model.h"

struct delegate;
struct delegate_arena;
struct split_program;

/**
 * struct delegate_npu - the arenas of a delegate
 * @path: of the NPU's node, NULL for the first one
 * @lock: of @arenas
 * @arenas: list, one for each subgraph
 */
struct delegate_npu {
	const char *path;
	pthread_mutex_t lock;
	struct delegate_arena *arenas;
};

void delegate_npu_init(struct delegate_npu *npu);
void delegate_npu_destroy(struct delegate_npu *npu);

/* Whether a node is such an operator. */
bool delegate_npu_has(struct TfLiteContext *context, int node);

/*
 * Take the memory of such operators, which TFLite knows as inputs without a source, out of the
 * inputs of a part's model. Return: 0 or -ENOMEM.
 */
int delegate_npu_strip(struct tflite_model *model);

/*
 * Make the program of a part, with a reference to the subgraph's arena. Return: 0 or a negative
 * errno with a line at @error, of TFLITE_ERROR_SIZE bytes.
 */
int delegate_npu_create(const struct delegate *delegate, struct TfLiteContext *context,
			const struct delegate_model *model, struct split_program **out,
			char *error);
void delegate_npu_release(const struct delegate *delegate, struct TfLiteContext *context,
			  struct split_program *program);

/*
 * Tell TFLite that the memory of such operators needs none of its own: it would refuse to run a
 * node whose input has no bytes. Return: 0 or TFLITE_STATUS_ERROR.
 */
int delegate_npu_hide_memory(struct TfLiteContext *context, const struct delegate_model *model);

/* Whether such operators among @nodes run in the order of the subgraph. */
bool delegate_npu_in_order(struct TfLiteContext *context, const struct TfLiteIntArray *nodes);

#endif
