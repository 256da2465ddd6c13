/* SPDX-License-Identifier: MIT */
/*
 * The objects behind the NNAPI C API.
 *
 * Each file holds one of the API's objects, or one side of an execution:
 *
 *	object.c	counting references
 *	device.c	the device
 *	memory.c	memories, and descriptors of device memory
 *	model.c		models, which hal-bridge/common/model.c collects
 *	compilation.c	models compiled for the device
 *	execution.c	executions: life, properties, running
 *	argument.c	binding inputs and outputs
 *	fenced.c	runs that begin when other events have ended
 *	burst.c		runs in quick succession
 *	result.c	what a run has left behind
 *	event.c		the ends of runs, and sync fences
 *
 * Ownership
 *
 * What others may hold begins with a struct nnapi_object, which counts the references to it:
 *
 *	memory		holds the compilations in the roles that it was made for
 *	model		holds the memories of its constants, and the models that it refers to
 *	compilation	holds its model
 *	execution	holds its compilation, and the memories of its arguments
 *	event		holds the execution whose run it is the end of
 *
 * Every *_create() returns one reference, and *_free() gives it back; nothing is destroyed while
 * something else holds it. The API asks callers to free in the opposite order of creation; a caller
 * that does not is safe all the same. There is no circle: each holds only what is older. Memory
 * descriptors and bursts have one owner and are not counted; they hold compilations, too.
 *
 * The one global is the device, as the API has a global list of them; it is opened when it is first
 * asked for, and stays open.
 *
 *	NNACCEL_DEVICE	auto (default), loopback, or a node's path
 *	NNACCEL_LOG	every error on standard error, one line each
 *
 * When an event has a sync fence
 *
 * An event that was made from a sync fence has it. The event of a fenced execution has one when the
 * device makes them, the program did not have to run synchronously, and all outputs are in memory
 * that the device writes itself. Outputs in user pointers, or in memory that had to be copied, are
 * ready only when ANeuralNetworksEvent_wait() returns, so a fence that signals earlier would be a
 * lie: such an event has none. Which arguments are copied is decided by libnnaccel (enum nna_route)
 * and asked there: nna_fence_export() refuses where an output is, and an input in a memory whose
 * route is not direct is only read by a thread that has waited for the dependencies.
 */
#ifndef NNAPI_H
#define NNAPI_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/log.h"
#include "hal-bridge/common/model.h"
#include "hal-bridge/common/result.h"
#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "libnnaccel/clock.h"
#include "nnaccel.h"

#define NNAPI_EXPORT __attribute__((visibility("default")))

#define NNAPI_LOOP_DEFAULT_NS 2000000000ull
#define NNAPI_LOOP_MAXIMUM_NS 15000000000ull

#define NNAPI_ALIGNMENT 64 /* bytes; an offset that is no multiple of it takes a copy (nna_route) */
#define NNAPI_PADDING 1 /* bytes; the size of an argument's memory need not be rounded up */

/* Says what is wrong and returns the code. */
#define nnapi_error(code, ...) (nnb_log(__VA_ARGS__), ANEURALNETWORKS_##code)
/* The code of a NULL argument. */
#define nnapi_null(function) nnapi_error(UNEXPECTED_NULL, "%s: an argument is NULL", function)

/* --------------------------------------------------------------------------------------- object */

/**
 * struct nnapi_object - what is reference-counted
 * @refs: references to it
 * @destroy: called once, with the object, when the last reference is gone; it drops the references
 *	that the object holds and frees it
 *
 * It is the first member of memories, models, compilations, executions and events, so that a
 * pointer to one of these can be handed to the functions below.
 */
struct nnapi_object {
	atomic_uint refs;
	void (*destroy)(void *object);
};

/* One reference, the caller's. */
void nnapi_object_init(struct nnapi_object *object, void (*destroy)(void *object));
/* Takes another reference. Return: @object. Thread-safe, as unref is. */
void *nnapi_object_ref(const void *object);
/* Gives a reference back; NULL does nothing. */
void nnapi_object_unref(void *object);

/* --------------------------------------------------------------------------------------- device */

/**
 * struct ANeuralNetworksDevice - the device
 * @name: "nnaccel-" and the last part of the node's path
 * @version: of driver and ABI
 */
struct ANeuralNetworksDevice {
	struct nna_device *device;
	struct nna_device_info info;
	char name[80];
	char version[64];
};

/* The device; NULL when none could be opened. Thread-safe. */
struct ANeuralNetworksDevice *nnapi_device_get(void);

/* NO_ERROR when @devices is the device and nothing else. */
int nnapi_device_check_list(const ANeuralNetworksDevice *const *devices, uint32_t count,
			    const char *function);

/* --------------------------------------------------------------------------------------- memory */

/**
 * struct nnapi_role - an input or output that device memory may be used for
 * @compilation: a reference
 * @index: of the input or output
 */
struct nnapi_role {
	ANeuralNetworksCompilation *compilation;
	uint32_t index;
	bool output;
};

/**
 * struct ANeuralNetworksMemoryDesc - what device memory will be used for
 * @roles: @role_count of them, owned
 * @finished: nothing can be added any more
 * @type: of all roles, as @scale and @zero_point are; valid when there is a role
 * @rank: of the combined dimensions, 0 while unknown
 * @dims: @rank of them, 0 is unknown
 */
struct ANeuralNetworksMemoryDesc {
	struct nnapi_role *roles;
	uint32_t role_count;
	bool finished;
	uint32_t type;
	float scale;
	int32_t zero_point;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
};

/**
 * struct ANeuralNetworksMemory - memory
 * @map: its bytes; NULL for PROT_NONE
 * @size: bytes
 * @protect: PROT_READ and PROT_WRITE: what @map allows
 * @fd: of the file, owned; -1 for device memory
 * @offset: of the first byte in the file
 * @device_memory: made from a descriptor, else a part of a file
 * @desc: of device memory: a copy of the descriptor that it was made from
 * @lock: of what follows
 * @buffer: the memory as the device knows it; NULL when it has to be copied
 * @import_tried: @buffer will not change any more
 * @initialized: of device memory: a run or a copy has filled it
 */
struct ANeuralNetworksMemory {
	struct nnapi_object object;
	uint8_t *map;
	size_t size;
	int protect;
	int fd;
	size_t offset;
	bool device_memory;
	struct ANeuralNetworksMemoryDesc desc;
	pthread_mutex_t lock;
	struct nna_buffer *buffer;
	bool import_tried;
	bool initialized;
};

/*
 * The buffer for the device, which is the memory's; NULL when the device cannot share the memory.
 * @offset receives where the memory begins in it.
 */
struct nna_buffer *nnapi_memory_get_buffer(ANeuralNetworksMemory *memory, size_t *offset);

/* True when @memory was made for this use. */
bool nnapi_memory_has_role(const ANeuralNetworksMemory *memory,
			   const ANeuralNetworksCompilation *compilation, bool output,
			   uint32_t index);

/* Whether device memory holds something: a run that fails leaves nothing in its outputs. */
void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized);

/* ---------------------------------------------------------------------------------------- model */

/**
 * struct ANeuralNetworksModel - a model
 * @graph: once it is finished and valid, else NULL
 * @finished: it cannot be changed any more, valid or not
 * @held: @held_count objects that it holds: memories and models
 */
struct ANeuralNetworksModel {
	struct nnapi_object object;
	struct nnb_model model;
	struct nna_graph *graph;
	bool finished;
	void **held;
	uint32_t held_count;
};

/* ---------------------------------------------------------------------------------- compilation */

/**
 * struct ANeuralNetworksCompilation - a compilation
 * @model: a reference
 * @explicit_device: made for exactly one device: timeouts and durations can be asked for
 * @finished: it cannot be changed any more
 * @timeout_ns: of compiling, 0 is none
 * @program: once it is finished successfully, else NULL
 */
struct ANeuralNetworksCompilation {
	struct nnapi_object object;
	ANeuralNetworksModel *model;
	bool explicit_device;
	bool finished;
	enum nna_priority priority;
	uint64_t timeout_ns;
	struct nna_program *program;
};

/* The operand of an input or output; NULL when there is none. */
const struct nnb_operand *nnapi_compilation_operand(const ANeuralNetworksCompilation *compilation,
						    bool output, uint32_t index);

/* ------------------------------------------------------------------------------------ execution */

enum nnapi_state { NNAPI_PREPARATION, NNAPI_COMPUTATION, NNAPI_COMPLETED };

/**
 * struct nnapi_argument - an input or output of an execution
 * @bound: it has been set
 * @known: its dimensions are known before the execution runs
 * @memory: a reference; NULL for a user pointer
 */
struct nnapi_argument {
	bool bound, known;
	ANeuralNetworksMemory *memory;
};

/**
 * struct ANeuralNetworksExecution - an execution
 * @compilation: a reference
 * @execution: libnnaccel's, owned
 * @reusable: it can run again
 * @padding: an argument's memory may be larger than the argument
 * @measure: durations will be asked for
 * @any_bound: an argument has been set
 * @timeout_ns: of a run, 0 is none
 * @lock: of @state, @result and what a run leaves behind
 * @result: of the last run: a result code
 * @began_ns: when the last run was asked for, CLOCK_MONOTONIC
 * @driver_ns: from then to its end
 * @waited: when @measure: @waited_count fences, owned, that the device waited for before the last
 *	run; they tell when they signalled
 */
struct ANeuralNetworksExecution {
	struct nnapi_object object;
	ANeuralNetworksCompilation *compilation;
	struct nna_execution *execution;
	struct nnapi_argument *inputs, *outputs;
	uint32_t input_count, output_count;
	bool reusable, padding, measure, any_bound;
	uint64_t timeout_ns;

	pthread_mutex_t lock;
	enum nnapi_state state;
	int result;
	uint64_t began_ns, driver_ns;
	int *waited;
	uint32_t waited_count;
};

/* Its @state, for which @lock is taken. */
enum nnapi_state nnapi_execution_state(ANeuralNetworksExecution *execution);
/* NO_ERROR while the execution can be changed. */
int nnapi_execution_open(ANeuralNetworksExecution *execution, const char *function);

/* Checks that all is set and starts the clock. After NO_ERROR nnapi_execution_end() has to come. */
int nnapi_execution_begin(ANeuralNetworksExecution *execution, const char *function);
/*
 * -ENODATA while an input is in device memory that holds nothing. What a dependency fills is to be
 * checked when that has ended.
 */
int nnapi_execution_check_inputs(ANeuralNetworksExecution *execution);
/*
 * Submits a run that has begun, behind the fences @fds, which stay the caller's. Takes over the
 * caller's reference to @event, and returns it in *@out after NO_ERROR.
 */
int nnapi_execution_submit(ANeuralNetworksExecution *execution, const int *fds, uint32_t count,
			   ANeuralNetworksEvent *event, ANeuralNetworksEvent **out);
/* The end of a run: @error of the library or 0. Return: the result code. */
int nnapi_execution_end(ANeuralNetworksExecution *execution, int error);
/* Begins a run, computes and ends it. Return: the result code. */
int nnapi_execution_run(ANeuralNetworksExecution *execution, const char *function);

/* ---------------------------------------------------------------------------------------- event */

/**
 * struct ANeuralNetworksEvent - the end of a run, or a sync fence of the caller's
 * @fd: of the sync fence that it was made from, owned; else -1
 * @execution: whose run it is, a reference; NULL when it was made from a sync fence
 * @lock: of what follows. Whoever waits for the run holds it, so that one of them does and the
 *	others wait for that one
 * @changed: a thread of fenced.c has set @done
 * @fence: of the run; NULL when a thread runs it, or it could not be submitted
 * @done: the run has ended with @result
 * @fenced: of a fenced execution: the caller may have the fence
 * @thread_runs: a thread waits for dependencies, runs it and signals @changed
 * @result: a result code
 */
struct ANeuralNetworksEvent {
	struct nnapi_object object;
	int fd;
	ANeuralNetworksExecution *execution;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nna_fence *fence;
	bool done, fenced, thread_runs;
	int result;
};

/* An event with one reference, of @execution, which may be NULL; NULL without memory. */
ANeuralNetworksEvent *nnapi_event_create(ANeuralNetworksExecution *execution);

/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or cannot tell. */
uint64_t nnapi_fence_fd_get_time(int fd);

/*
 * Waits for a fence's fd. Return: NO_ERROR, or OP_FAILED when it is in error. @timeout_ms as for
 * poll(); @signalled: it did not time out.
 */
int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled);

#endif
