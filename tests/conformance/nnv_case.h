/* SPDX-License-Identifier: MIT */
/*
 * One conformance case: built, compiled, run on a device through libnnaccel, and compared.
 *
 * The file stays mapped while a case runs: constants are handed over by reference. A context
 * (struct nnv_runner) belongs to one thread; the device is shared by all.
 */
#ifndef NNV_CASE_H
#define NNV_CASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnaccel.h"
#include "tests/conformance/nnv_file.h"

/* How a case is run. */
enum nnv_mode {
	NNV_MODE_SYNC,
	NNV_MODE_ASYNC,
	NNV_MODE_FENCED,
	NNV_MODE_DYNAMIC_OUTPUT,
	NNV_MODE_QUANT_COUPLING,
	NNV_MODE_DEVICE_MEMORY,
	NNV_MODE_INSUFFICIENT,
};

enum nnv_status {
	NNV_PASSED,
	NNV_FAILED,
	NNV_SKIPPED,	 /* an operation or type is not supported */
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

/**
 * struct nnv_runner - what a thread needs to run cases
 * @device: shared
 * @timeout_ns: of a case
 * @log: last error line of the library in this case
 * @signal_fd: fenced mode: what the signaller writes to
 */
struct nnv_runner {
	struct nna_device *device;
	struct nna_device_info info;
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

int nnv_runner_init(struct nnv_runner *runner, struct nna_device *device, enum nnv_mode mode,
		    uint64_t timeout_ns);
void nnv_runner_fini(struct nnv_runner *runner);

/* Receives the library's messages of the thread's runner; for struct nna_log. */
void nnv_runner_log(void *user, enum nna_log_level level, const char *text);

void nnv_case_run(struct nnv_runner *runner, const struct nnv_file *file,
		  const struct nnv_case *item, struct nnv_result *result);

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
