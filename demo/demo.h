/* SPDX-License-Identifier: MIT */
/*
 * The demo, and the interface through which it reaches the accelerator.
 *
 * demo.c has what is the same whatever the interface: the photo, the gate, what is waited for, the
 * timeline and the picture. An interface has the rest, one file and one program each:
 *
 *	nnapi.c		nna-demo	the NNAPI C API, in the demo's process
 *	hal.c		nna-demo-hal	the NN HAL, nnaccel-hal in a process of its own, over binder
 *
 * Everything belongs to one struct demo and one thread.
 */
#ifndef DEMO_H
#define DEMO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "demo/face.h"
#include "demo/gate.h"
#include "demo/network.h"
#include "tools/image/image.h"
#include "frontend/tflite/tflite.h"

#define DEMO_MAX_FACES 8
/* Numbers of the input and of both outputs. */
#define DEMO_INPUT ((size_t)FACE_SIDE * FACE_SIDE * 3)
#define DEMO_BOXES ((size_t)FACE_ANCHORS * FACE_NUMBERS)
#define DEMO_SCORES ((size_t)FACE_ANCHORS)

/* Moments in the order in which they happen, but for a submission that waits. */
enum demo_moment {
	DEMO_SUBMIT_CALLED,
	DEMO_SUBMIT_RETURNED,
	DEMO_GATE_OPENED,
	DEMO_GATE_SIGNALLED,
	DEMO_DEVICE_BEGIN,
	DEMO_DEVICE_END,
	DEMO_OUT_SIGNALLED,
	DEMO_RESULT_READ,
	DEMO_MOMENTS,
};

/**
 * struct demo - the command line, the run and its results
 * @expect_x: column of a pixel that the face must cover, if @expect
 * @expect_y: its row
 * @hold_ms: for how long the in-fence is held after the submission
 * @staged: the accelerator's driver cannot import the input: it is copied when the in-fence has
 *	signalled, and there is no out-fence
 * @ranges_path: the file of the ranges of the network's numbers, NULL for none
 * @measure: write that file, and end; else run a network of 8 bits in place of that of floats
 * @tflite: the network
 * @network: with @ranges_path, the one that was measured, or that of 8 bits
 * @instead: NULL, or that of 8 bits
 * @element: bytes of a number of inputs and outputs
 * @loopback: the accelerator is in this process, and knows no sync_files
 * @gate: the in-fence
 * @vgem: fd of the vgem node, -1 on the loopback
 * @input_fd: dma-buf or memfd of the input, -1 for none
 * @out_fd: the out-fence, owned; -1 where the device has none
 * @pixels: the photo as the network's input: DEMO_INPUT floats
 * @scale: pixels of the photo per pixel of the network's picture
 * @left: columns of the network's picture left of the photo (it is padded to a square)
 * @top: likewise rows
 * @moments: when each happened, CLOCK_MONOTONIC ns; 0 is unknown
 * @hardware: time of the device, ns; UINT64_MAX is unknown
 * @fenced: from the in-fence's signal to the end, ns; UINT64_MAX is unknown
 */
struct demo {
	const char *model_path, *image_path, *output_path, *ranges_path, *device;
	float expect_x, expect_y;
	bool expect;
	uint32_t hold_ms;
	bool staged, measure;

	struct tflite_model *tflite;
	struct network network;
	const struct network *instead;
	size_t element;
	bool loopback;
	struct gate gate;
	int vgem, input_fd, out_fd;

	struct image photo;
	float *pixels;
	float scale, left, top;
	uint64_t moments[DEMO_MOMENTS];
	uint64_t hardware, fenced;
	struct face faces[DEMO_MAX_FACES];
	uint32_t face_count;
};

/**
 * struct demo_interface - an interface; all return 0, or 1 after they have said what is wrong
 * @program: its name
 * @device: the default of --device, and what it names, for the help
 * @submission: how the call is named that begins the run
 * @compile: opens the device, compiles @tflite for it, prints a line about both, sets @loopback
 * @prepare: makes everything for the run but what the in-fence needs
 * @waits: @submit waits for the end of a run that is @staged
 * @submit: begins the run behind the gate, and returns; may set @out_fd
 * @wait: until the end, where there is no out-fence
 * @read: the result after the end: copies of both outputs, which the caller frees, with numbers of
 *	@element bytes
 * @times: @hardware and @fenced
 * @finish: waits for a run that has begun, and frees everything; also after an error
 */
struct demo_interface {
	const char *program, *device, *device_help, *submission;
	bool waits;
	int (*compile)(struct demo *d);
	int (*prepare)(struct demo *d);
	int (*submit)(struct demo *d);
	int (*wait)(struct demo *d);
	int (*read)(struct demo *d, void **boxes, void **scores);
	int (*times)(struct demo *d);
	void (*finish)(struct demo *d);
};

/* That of the program. */
extern const struct demo_interface demo_interface;

/*
 * Says which operations of @instead the accelerator of that name takes. Return: 0 if all, else 1.
 */
int demo_tell_taken(const struct demo *d, const char *name, const bool *taken);

/* Says what is wrong. Return: 1. */
int demo_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
