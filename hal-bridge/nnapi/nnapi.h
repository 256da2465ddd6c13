/* SPDX-License-Identifier: MIT */
/*
 * The objects behind the NNAPI C API.
 *
 * Each file holds one of the API's objects, or one side of an execution, and may call those in the
 * rows above its own; its header, if it has one, includes only theirs:
 *
 *	nnapi.h		what every file needs: results, errors, the API
 *	object.c	counting references
 *	device.c	the devices
 *	memory.c	memories: bytes that arguments and constants lie in
 *	event.c		the ends of runs, and sync fences
 *	model.c		models, which hal-bridge/common/model.c collects
 *	diagnostic.c	telling a support library's client what has ended
 *	plan.c		steps in which several devices compute one model
 *	compilation.c	models compiled for devices
 *	desc.c		descriptors of device memory
 *	steps.c		computing a plan
 *	execution.c	executions: life, properties, running
 *	argument.c	binding inputs and outputs
 *	async.c		runs that are started, and threads for some of them
 *	fenced.c	runs that begin when other events have ended
 *	burst.c		runs in quick succession
 *	result.c	what a run has left behind
 *	driver_table.c	all functions in a table, which makes this a support library
 *
 * What has to call back does so through the object that it holds: a memory gives up its descriptor
 * by the count alone, and an event tells its run of the end by a function that it was made with.
 *
 * Ownership
 *
 * What others may hold begins with a struct nnapi_object, which counts the references to it:
 *
 *	memory		holds the descriptor that it was made from
 *	descriptor	holds the compilations in its roles
 *	model		holds the memories of its constants, and the models that it refers to
 *	compilation	holds its model
 *	execution	holds its compilation, and the memories of its arguments
 *	event		holds the execution whose run it is the end of
 *
 * Every *_create() returns one reference, and *_free() gives it back; nothing is destroyed while
 * something else holds it. The API asks callers to free in the opposite order of creation; a caller
 * that does not is safe all the same. There is no circle: each holds only what is older. A burst
 * has one owner and is not counted; it holds its compilation, too.
 *
 * What is global is the list of devices and the callbacks of diagnostics, as the API has it. The
 * devices are an accelerator, and nnapi-reference, which computes on the CPU. Each is opened when
 * it is first asked for, and stays open. A compilation without a list of devices is for the
 * accelerator; the reference gets the operations that the accelerator does not support, and all of
 * the model when compiling or computing it fails there. With a list, each operation goes to the
 * first listed device that supports it, and nothing goes anywhere else.
 *
 *	NNACCEL_DEVICE	the accelerator: auto (default), loopback, or a node's path
 *	NNACCEL_DEAL	for tests: a number; operations are dealt to all devices at random by it
 *
 * libnnaccel/support/environment.h lists the other variables.
 *
 * Caching
 *
 * A compilation with a directory and a token looks there for the program before it compiles, in a
 * file for this token, device and preference, and writes it afterwards where it can
 * (libnnaccel/support/cache_file.h). A program whose shapes depend on inputs is compiled each time,
 * and so is a model that several devices compute. What is wrong with a file or the directory is
 * said in the log and nowhere else. A client of the support library brings the file instead of a
 * directory.
 *
 * When an event has a sync fence
 *
 * An event that was made from a sync fence has it. The event of a fenced execution has one when the
 * device makes them, the program did not have to run synchronously, and all outputs are in memory
 * that the device writes itself. Outputs in user pointers, or in memory that had to be copied, are
 * ready only when ANeuralNetworksEvent_wait() returns, so a fence that signals earlier would be a
 * lie: such an event has none. Which arguments are copied is decided by libnnaccel (enum nna_route)
 * and asked there: nna_fence_export() refuses where an output is, and an input in a memory whose
 * route is not direct is only read when the dependencies have ended.
 */
#ifndef NNAPI_H
#define NNAPI_H

#include "hal-bridge/common/result.h"
#include "hal-bridge/include/NeuralNetworks.h"
#include "libnnaccel/support/message.h"

#define NNAPI_EXPORT __attribute__((visibility("default")))

/* The tag of a file's messages; a file of another one defines it before it includes this header. */
#ifndef NNAPI_TAG
#define NNAPI_TAG NNA_MESSAGE_EXECUTION
#endif

/* Says what is wrong and returns the code. */
#define nnapi_error(code, ...) \
	(nna_message_print(NNAPI_TAG, __VA_ARGS__), ANEURALNETWORKS_##code)
/* The code of a NULL argument. */
#define nnapi_null(function) nnapi_error(UNEXPECTED_NULL, "%s: an argument is NULL", function)

#endif
