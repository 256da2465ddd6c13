/* SPDX-License-Identifier: MIT */
/*
 * The delegate.
 *
 *	delegate	made by tflite_plugin_create_delegate(): an open device and the options
 *	  delegate_part	operators of a subgraph that run together (model.h)
 *	    partition	a compiled part: the kernel of a node of an interpreter (partition.c)
 *
 * One delegate serves any number of interpreters at the same time. It is constant after its
 * creation, except for the lists of buffers and of the NPU's memory, which have locks. A partition
 * belongs to one interpreter, which one thread uses at a time.
 */
#ifndef DELEGATE_DELEGATE_H
#define DELEGATE_DELEGATE_H

#include <nnaccel.h>

#include "frontend/delegate/buffer.h"
#include "frontend/delegate/model.h"
#include "frontend/delegate/npu.h"
#include "frontend/delegate/options.h"

/**
 * struct delegate - a delegate
 * @base: TFLite's view; its data_ points back here
 * @options: the user's options
 * @device: the NNA, NULL if there is none: then the delegate takes the operators of an NPU alone
 * @npu: the memory of operators that Vela has compiled
 * @buffers: buffers for which programs have handles
 */
struct delegate {
	struct TfLiteDelegate base;
	struct delegate_options options;
	struct nna_device *device;
	struct delegate_npu *npu;
	struct delegate_buffers buffers;
};

#define DELEGATE_API __attribute__((visibility("default")))

/*
 * Checks whether the device can run @part of a subgraph unchanged. Return: 0, or an error with a
 * line at @error, of TFLITE_ERROR_SIZE bytes.
 */
int delegate_part_check(const struct delegate *delegate, struct TfLiteContext *context,
			const struct delegate_part *part, char *error);

/* The functions of a partition's kernel. */
extern const struct TfLiteRegistration DELEGATE_KERNEL;

#endif
