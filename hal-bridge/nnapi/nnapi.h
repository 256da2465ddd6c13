/* SPDX-License-Identifier: MIT */
/*
 * The objects behind the NNAPI C API.
 *
 * Each file has one of the API's objects, or one side of an execution. It may call the files in the
 * rows above its own. Its header, if it has one, includes only headers of rows above:
 *
 *	nnapi.h		what every file needs: results, errors, the API
 *	object.c	reference counts
 *	device.c	the devices
 *	memory.c	memories: the bytes of arguments and constants
 *	event.c		the ends of runs, and sync fences
 *	model.c		models, which hal-bridge/common/model.c collects
 *	diagnostic.c	reports to the client of the support library
 *	plan.c		steps in which several devices compute one model
 *	compilation.c	models compiled for devices
 *	desc.c		descriptors of device memory
 *	steps.c		computing a plan
 *	execution.c	executions: life, properties, running
 *	argument.c	binding inputs and outputs
 *	async.c		runs that are started, and threads for some of them
 *	fenced.c	runs that begin after other events
 *	burst.c		runs in quick succession
 *	result.c	the results of a run
 *	driver_table.c	the table of all functions, which makes this a support library
 *
 * Two calls go up, both through an object: a memory drops the reference to its descriptor, and an
 * event ends its run through the function that it was created with.
 *
 * Ownership
 *
 * Shared objects begin with a struct nnapi_object, which counts the references to them:
 *
 *	memory		holds its descriptor
 *	descriptor	holds the compilations of its roles
 *	model		holds the memories of its constants, and the models that it refers to
 *	compilation	holds its model
 *	execution	holds its compilation, and the memories of its arguments
 *	event		holds the execution whose end it is
 *
 * Every *_create() returns one reference, and *_free() drops it. An object lives while another
 * object holds it. The API asks callers to free objects in the opposite order of creation, but any
 * order is safe. References form no cycle, because each object holds only older ones. A burst has
 * one owner and no count; it holds its compilation.
 *
 * The API makes the list of devices and the callbacks of diagnostics global. The devices are the
 * accelerators, and nnapi-reference, which computes on the CPU. A device is opened when it is first
 * needed, and stays open. A compilation without a list of devices is for the first accelerator that
 * has not been unplugged. The reference gets the operations that the accelerator does not support,
 * and the whole model if compiling or running fails on the accelerator. With a list, each operation
 * goes to the first listed device that supports it, and no other device is used.
 *
 *	NNACCEL_DEVICE	the accelerators: auto (default: all of the machine, or the loopback if it
 *			has none), loopback, a node's path, or several of these with commas between;
 *			nnapi-reference: none. Without any of those that it names a compilation
 *			without a list of devices fails
 *	NNACCEL_DEAL	for tests: a number, the seed of a random device for each operation
 *
 * libnnaccel/support/environment.h lists the other variables.
 *
 * Caching
 *
 * A compilation with a directory and a token first looks for its program in a file there, which is
 * named by token, device and preference; after compiling it writes the file
 * (libnnaccel/support/cache_file.h). Programs whose shapes depend on inputs are not cached, nor is
 * a model that several devices compute. Problems of the file or the directory are only logged. A
 * client of the support library passes files instead of a directory.
 *
 * When an event has a sync fence
 *
 * An event that was created from a sync fence has that fence. The event of a fenced execution has
 * one if the device makes sync fences, the program did not have to run synchronously, and the
 * device itself writes all outputs. An output in a user pointer, or in memory that is copied, is
 * ready only when ANeuralNetworksEvent_wait() returns. A fence would signal too early, so such an
 * event has none. libnnaccel decides which arguments are copied (enum nna_route):
 * nna_fence_export() refuses if an output is copied, and an input whose route is not direct is read
 * only after the dependencies have ended.
 */
#ifndef NNAPI_H
#define NNAPI_H

#include "hal-bridge/common/result.h"
#include "hal-bridge/include/NeuralNetworks.h"
#include "libnnaccel/support/message.h"

#define NNAPI_EXPORT __attribute__((visibility("default")))

/* The tag of a file's messages. A file with another tag defines it before including this header. */
#ifndef NNAPI_TAG
#define NNAPI_TAG NNA_MESSAGE_EXECUTION
#endif

/* Logs a message and returns the result code. */
#define nnapi_error(code, ...) \
	(nna_message_print(NNAPI_TAG, __VA_ARGS__), ANEURALNETWORKS_##code)
/* The error of a NULL argument. */
#define nnapi_null(function) nnapi_error(UNEXPECTED_NULL, "%s: an argument is NULL", function)

#endif
