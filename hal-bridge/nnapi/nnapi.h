/* SPDX-License-Identifier: MIT */
/*
 * Objects behind the NNAPI C API.
 *
 * Every object is reference-counted, and holds what it is made from: an event its execution, that
 * its compilation, that its model, that its memories. The API asks callers to free in the opposite
 * order of creation; a caller that does not is safe all the same. The one global is the list of
 * devices, which the API has as a global, too; the device is opened when it is first asked for, and
 * stays open.
 *
 * NNACCEL_DEVICE	auto (default), loopback, or a node's path
 * NNACCEL_LOG		every error on standard error, one line each
 *
 * When an event has a sync fence: an event made from one has it. The event of a fenced execution
 * has one when the device makes them, the program did not have to run synchronously, and all
 * outputs are in memory that the device writes itself. Outputs in user pointers, or in memory that
 * had to be copied, are ready only when ANeuralNetworksEvent_wait() returns, so a fence that
 * signals earlier would be a lie: such an event has none. Which arguments are copied is decided by
 * libnnaccel (enum nna_route) and asked there: nna_fence_export() refuses where an output is, and
 * an input in a memory whose route is not direct is only read by a thread that has waited for the
 * dependencies.
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
#include "nnaccel.h"

#define NNAPI_EXPORT __attribute__((visibility("default")))

#define NNAPI_LOOP_DEFAULT_NS 2000000000ull
#define NNAPI_LOOP_MAXIMUM_NS 15000000000ull
#define NNAPI_ALIGNMENT 64 /* what memory should be bound at: see enum nna_route */

/* Says what is wrong and returns the code. */
#define nnapi_error(code, ...) (nnb_log(__VA_ARGS__), ANEURALNETWORKS_##code)
/* The code of a NULL argument. */
#define nnapi_null(function) nnapi_error(UNEXPECTED_NULL, "%s: an argument is NULL", function)

uint64_t nnapi_now(void);

/* --------------------------------------------------------------------------------------- device */

struct ANeuralNetworksDevice {
	struct nna_device *device;
	struct nna_device_info info;
	char name[80];
	char version[64];
};

/* The device; NULL when none could be opened. Thread-safe. */
struct ANeuralNetworksDevice *nnapi_device(void);

/* NO_ERROR when @devices is a set of our devices. */
int nnapi_check_devices(const ANeuralNetworksDevice *const *devices, uint32_t count,
			const char *function);

/* --------------------------------------------------------------------------------------- memory */

/**
 * struct nnapi_role - an input or output that device memory may be used for
 * @compilation: a reference
 */
struct nnapi_role {
	ANeuralNetworksCompilation *compilation;
	uint32_t index;
	bool output;
};

/**
 * struct ANeuralNetworksMemoryDesc - what device memory will be used for
 * @type: of all roles; valid when there is one
 * @rank: of the combined dimensions, 0 while unknown
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
 * @fd: of a file, -1 for device memory
 * @offset: in the file
 * @desc: device memory: roles and type, without references to @desc's creator
 * @lock: of what follows
 * @buffer: the memory as the device knows it; NULL when it has to be copied
 * @import_tried: @buffer is settled
 * @initialized: device memory: a run or copy has filled it
 */
struct ANeuralNetworksMemory {
	atomic_uint refs;
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

ANeuralNetworksMemory *nnapi_memory_ref(ANeuralNetworksMemory *memory);
void nnapi_memory_unref(void *memory);

/* The buffer for the device, or NULL; @offset receives where the memory begins in it. */
struct nna_buffer *nnapi_memory_buffer(ANeuralNetworksMemory *memory, size_t *offset);

/* True when @memory was made for this use. */
bool nnapi_memory_has_role(const ANeuralNetworksMemory *memory,
			   const ANeuralNetworksCompilation *compilation, bool output,
			   uint32_t index);

/* After a run that wrote it, well or not. */
void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized);

/* ---------------------------------------------------------------------------------------- model */

/**
 * struct nnapi_held - something that a model keeps
 */
struct nnapi_held {
	void *object;
	void (*unref)(void *object);
};

/**
 * struct ANeuralNetworksModel - a model
 * @graph: once finished and valid
 */
struct ANeuralNetworksModel {
	atomic_uint refs;
	struct nnb_model model;
	struct nna_graph *graph;
	bool finished;
	struct nnapi_held *held;
	uint32_t held_count;
};

ANeuralNetworksModel *nnapi_model_ref(ANeuralNetworksModel *model);
void nnapi_model_unref(void *model);

/* ---------------------------------------------------------------------------------- compilation */

/**
 * struct ANeuralNetworksCompilation - a compilation
 * @explicit_device: made for exactly one device: timeouts and durations can be asked for
 * @program: once finished successfully
 */
struct ANeuralNetworksCompilation {
	atomic_uint refs;
	ANeuralNetworksModel *model;
	bool explicit_device;
	bool finished;
	enum nna_priority priority;
	uint64_t timeout_ns;
	struct nna_program *program;
};

ANeuralNetworksCompilation *nnapi_compilation_ref(ANeuralNetworksCompilation *compilation);
void nnapi_compilation_unref(ANeuralNetworksCompilation *compilation);

/* The operand of an input or output; NULL when there is none. */
const struct nnb_operand *nnapi_compilation_io(const ANeuralNetworksCompilation *compilation,
					       bool output, uint32_t index);

/* ------------------------------------------------------------------------------------ execution */

enum nnapi_state { NNAPI_PREPARATION, NNAPI_COMPUTATION, NNAPI_COMPLETED };

/**
 * struct nnapi_argument - an input or output of an execution
 * @bound: set
 * @known: its dimensions are known before it runs
 * @memory: a reference; NULL for a user pointer
 */
struct nnapi_argument {
	bool bound, known;
	ANeuralNetworksMemory *memory;
};

/**
 * struct ANeuralNetworksExecution - an execution
 * @lock: of @state, @result and what a run leaves behind
 * @began_ns: when the last run was asked for
 * @driver_ns: from then to its end
 * @waited: fences that the run waited for on the device, kept for the time when they
 *	signalled; when @measure
 * @waited_count: entries of @waited
 */
struct ANeuralNetworksExecution {
	atomic_uint refs;
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

void nnapi_execution_unref(ANeuralNetworksExecution *execution);

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
 * struct ANeuralNetworksEvent - the end of something
 * @fd: made from a sync fence, else -1
 * @execution: whose run it is, a reference
 * @lock: of what follows, and of waiting: who holds it is the one that waits
 * @fence: that run's
 * @done: the run has ended with @result
 * @fenced: of a fenced execution: the caller may have the fence
 * @thread_runs: a thread runs it, because dependencies had to be waited for; it signals @changed
 */
struct ANeuralNetworksEvent {
	atomic_uint refs;
	int fd;
	ANeuralNetworksExecution *execution;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nna_fence *fence;
	bool done, fenced, thread_runs;
	int result;
};

ANeuralNetworksEvent *nnapi_event_create(ANeuralNetworksExecution *execution);
ANeuralNetworksEvent *nnapi_event_ref(const ANeuralNetworksEvent *event);
void nnapi_event_unref(ANeuralNetworksEvent *event);

/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or cannot tell. */
uint64_t nnapi_fence_fd_time(int fd);

/*
 * Waits for a fence's fd. Return: NO_ERROR, or OP_FAILED when it is in error. @timeout_ms as for
 * poll().
 */
int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled);

#endif
