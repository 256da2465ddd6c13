/* SPDX-License-Identifier: MIT */
/*
 * One conformance case: built, compiled, run on a device, and compared.
 *
 * How a case is run and checked is the same for all ways to the device, libnnaccel, the NNAPI C
 * API and the NN HAL; what differs is behind struct nnv_api. The file stays mapped while a case
 * runs: constants are handed over by reference. A runner belongs to one thread; the device is
 * shared by all.
 */
#ifndef NNV_CASE_H
#define NNV_CASE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnaccel.h"
#include "tests/conformance/file.h"

/* How a case is run. */
enum nnv_mode {
	NNV_MODE_SYNC,
	NNV_MODE_ASYNC,
	NNV_MODE_FENCED,
	NNV_MODE_BURST,
	NNV_MODE_DYNAMIC_OUTPUT,
	NNV_MODE_QUANT_COUPLING,
	NNV_MODE_DEVICE_MEMORY,
	NNV_MODE_SHARED_MEMORY,
	NNV_MODE_INSUFFICIENT,
};

enum nnv_status {
	NNV_PASSED,
	NNV_FAILED,
	NNV_SKIPPED, /* an operation or type is not supported */
	NNV_NOT_IN_MODE, /* the case has no such variation */
};

/**
 * struct nnv_result - how a case ended
 * @message: what failed, or what is missing; up to a screen, NUL-terminated
 * @missing: operations and types that are not supported, one "OPERATION TYPE" a line
 * @operation: "OPERATION TYPE" of the operation that the case is about: the first that is
 *	not one of the helpers (an ADD of zero) which the vectors' generator puts in front of inputs
 */
struct nnv_result {
	enum nnv_status status;
	char message[768];
	char missing[512];
	char operation[64];
};

struct nnv_api;

/**
 * struct nnv_device - an open device
 * @handle: the API's
 * @reference: with @deal: the other device
 * @isa: nnaccel: kernels of the loopback
 * @version: of the interface, where it has versions: 0 is the newest
 * @sync_files: its fences are sync_files; else anything that polls readable is one
 * @cache: nnapi: a directory for compilations; NULL for none
 * @deal: nnapi: the number by which operations are dealt to the device and to nnapi-reference; NULL
 *	when all go to the device
 * @cached: cases whose second compilation was out of @cache
 * @mutate: aidl: models with one thing wrong are sent before each model
 * @refused: how many of them were refused
 * @hidl: HIDL in place of AIDL
 * @first: hidl: the first version that a case may use, 0 to 3
 * @interfaces: hidl: how many cases went to 1.0, 1.1, 1.2 and 1.3
 */
struct nnv_device {
	const struct nnv_api *api;
	void *handle, *reference;
	char name[96];
	enum nna_isa isa;
	uint32_t version;
	bool sync_files;
	const char *cache, *deal;
	atomic_size_t cached;
	bool mutate;
	atomic_size_t refused;
	bool hidl;
	int first;
	atomic_size_t interfaces[4];
};

/**
 * struct nnv_runner - what a thread needs to run cases
 * @device: shared
 * @timeout_ns: of a case
 * @log: the last that was said about an error in this case
 * @signal_fd: fenced mode: what the signaller writes to
 */
struct nnv_runner {
	struct nnv_device *device;
	enum nnv_mode mode;
	uint64_t timeout_ns;
	char log[384];

	pthread_t signaller;
	bool signaller_runs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int signal_fd;
	bool submitted, stop;
};

/**
 * struct nnv_slot - an argument of the main subgraph
 * @number: among the inputs, or among the outputs
 * @offset: of its bytes in the run's memory; an output's end with a guard of NNV_GUARD bytes
 * @bound: bytes that an execution is told of
 */
struct nnv_slot {
	const struct nnv_operand *operand;
	uint32_t number;
	bool output, omitted;
	size_t offset, size, bound;
};

/* Where arguments are. */
enum nnv_memory {
	NNV_MEMORY_HEAP,
	NNV_MEMORY_SHARED, /* one shared object, a range for each */
	NNV_MEMORY_DEVICE, /* made for the arguments by the device */
};

/**
 * struct nnv_run - a case under way
 * @slots: inputs in order, then outputs
 * @memory: @size bytes: inputs, and outputs after fetch()
 * @state: the API's
 */
struct nnv_run {
	struct nnv_runner *runner;
	const struct nnv_file *file;
	const struct nnv_case *item;
	const struct nnv_subgraph *main;
	struct nnv_result *result;
	struct nnv_slot *slots;
	uint32_t slot_count;
	enum nnv_memory kind;
	uint8_t *memory;
	size_t size;
	int in_fence;
	void *state;
};

/**
 * struct nnv_api - a way to a device; errors are negative errno
 * @open: @threads of 0 is the default
 * @build: make the model and check it; -EINVAL: refused
 * @supported: a flag for each operation of the main subgraph
 * @allocate: give @memory, of @kind
 * @prepare: make execution @which, 0 or 1, with all slots bound
 * @compute: run execution 0 and wait
 * @submit: start execution @which behind @fence, -1 for none
 * @export_fence: a new fd of the end of @which; -ENOTSUP: it has none
 * @wait: for the end of @which
 * @fetch: bring outputs to @memory
 * @output_dims: -ENOSPC for an output that was too small
 * @release: everything of the run; safe at any time after build()
 */
struct nnv_api {
	const char *name;
	int (*open)(const char *name, uint32_t threads, struct nnv_device *device);
	void (*close)(struct nnv_device *device);
	int (*build)(struct nnv_run *run);
	int (*supported)(struct nnv_run *run, bool *supported);
	int (*compile)(struct nnv_run *run);
	int (*allocate)(struct nnv_run *run);
	int (*prepare)(struct nnv_run *run, uint32_t which);
	int (*compute)(struct nnv_run *run);
	int (*submit)(struct nnv_run *run, uint32_t which, int fence);
	int (*export_fence)(struct nnv_run *run, uint32_t which);
	int (*wait)(struct nnv_run *run, uint32_t which);
	int (*fetch)(struct nnv_run *run);
	int (*output_dims)(struct nnv_run *run, uint32_t index, uint32_t *rank, uint32_t *dims);
	void (*release)(struct nnv_run *run);
};

extern const struct nnv_api nnv_api_nnaccel, nnv_api_nnapi, nnv_api_aidl, nnv_api_hidl;

int nnv_runner_init(struct nnv_runner *runner, struct nnv_device *device, enum nnv_mode mode,
		    uint64_t timeout_ns);
void nnv_runner_fini(struct nnv_runner *runner);

/* What an API has to say about an error in the case that this thread runs. */
void nnv_runner_log(const char *text);

void nnv_case_run(struct nnv_runner *runner, const struct nnv_file *file,
		  const struct nnv_case *item, struct nnv_result *result);

/*
 * For the APIs: how long loops may take. That is short for a case whose loop never ends, and the
 * most that NNAPI allows for others: they shall not fail because the host is busy.
 */
uint64_t nnv_run_loop_limit_ns(const struct nnv_run *run);

/* For the APIs: what a run's operands are, with its mode's changes. */

const struct nnv_subgraph *nnv_run_subgraph(const struct nnv_run *run, uint32_t number);
const uint32_t *nnv_run_dims(const struct nnv_run *run, uint32_t subgraph,
			     const struct nnv_operand *operand);
uint32_t nnv_run_type(const struct nnv_run *run, const struct nnv_operand *operand);
int32_t nnv_run_zero_point(const struct nnv_run *run, const struct nnv_operand *operand);
/* True when data differs from what the file holds; then copy it. */
bool nnv_run_coupled(const struct nnv_run *run, const struct nnv_operand *operand);
void nnv_run_copy_data(const struct nnv_run *run, const struct nnv_operand *operand, uint8_t *to);

/**
 * struct nnv_tolerance - how far a result may be off
 * @absolute: of floats
 * @relative: of floats, of the expected value
 * @steps: of quantised and int32 elements
 */
struct nnv_tolerance {
	double absolute, relative;
	int64_t steps;
};

/* The tolerance of a main output of type @type in @item. */
struct nnv_tolerance nnv_case_tolerance(const struct nnv_case *item, uint32_t type);

/**
 * nnv_compare() - compare @count elements
 * @text: receives the first difference
 *
 * Return: the number of elements that differ by more than @tolerance.
 */
size_t nnv_compare(uint32_t type, const void *expected, const void *got, size_t count,
		   const struct nnv_tolerance *tolerance, char *text, size_t text_size);

/* Shares of classes in @samples against the probabilities of @logits (one row per batch). */
size_t nnv_compare_multinomial(uint32_t type, const void *logits, uint32_t batches,
			       uint32_t classes, const int32_t *samples, uint32_t sample_count,
			       double tolerance, char *text, size_t text_size);

#endif
