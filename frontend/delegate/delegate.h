/* SPDX-License-Identifier: MIT */
/*
 * The delegate.
 *
 *	delegate	what tflite_plugin_create_delegate() makes: an open device and the options
 *	  delegate_part	operators of a subgraph that run together (model.h)
 *	    partition	one of them, compiled: the kernel of an interpreter's node (partition.c)
 *
 * A delegate serves any number of interpreters at the same time: nothing in it changes once it is
 * made but the list of buffers, which has a lock. A partition belongs to one interpreter, which one
 * thread uses at a time.
 */
#ifndef DELEGATE_DELEGATE_H
#define DELEGATE_DELEGATE_H

#include <nnaccel.h>

#include "frontend/delegate/buffer.h"
#include "frontend/delegate/model.h"
#include "frontend/delegate/options.h"

/**
 * struct delegate - a delegate
 * @base: what TFLite sees; its data_ points back here
 * @options: as the user gave them
 * @device: NULL where there is none: then nothing is taken
 * @buffers: that programs have given handles to
 */
struct delegate {
	struct TfLiteDelegate base;
	struct delegate_options options;
	struct nna_device *device;
	struct delegate_buffers buffers;
};

#define DELEGATE_API __attribute__((visibility("default")))

/*
 * Whether the device runs @part of a subgraph as it stands. Return: 0, or an error with a line at
 * @error, of TFLITE_ERROR_SIZE bytes.
 */
int delegate_part_check(const struct delegate *delegate, struct TfLiteContext *context,
			const struct delegate_part *part, char *error);

/* The functions of a partition's kernel. */
extern const struct TfLiteRegistration DELEGATE_KERNEL;

#endif
