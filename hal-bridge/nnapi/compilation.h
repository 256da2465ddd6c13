/* SPDX-License-Identifier: MIT */
/* Compilations. */
#ifndef NNAPI_COMPILATION_H
#define NNAPI_COMPILATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/nnapi/diagnostic.h"
#include "hal-bridge/nnapi/model.h"
#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "hal-bridge/nnapi/plan.h"
#include "nnaccel.h"

/**
 * struct ANeuralNetworksCompilation - a compilation
 * @model: a reference
 * @listed: @listed_count devices of the caller; with none the library chooses
 * @diagnosed: created through the support library's table, so its client gets diagnostics
 * @explicit_device: created for exactly one device: timeouts and durations can be asked for
 * @device: the device of @program, once there is one
 * @finished: it cannot be changed any more
 * @timeout_ns: the time limit of compiling, 0 for none
 * @preference: one of ANEURALNETWORKS_PREFER_*
 * @cache_dir: the directory of the cache, owned; NULL for none
 * @cache_fd: the file of the cache, owned; -1 for none
 * @cache_token: the caller's identification of the model
 * @program: after success, if one device computes the whole model; otherwise NULL
 * @plan: after success, if several devices do; otherwise NULL; owned
 * @cannot_compute: success, but the model cannot be computed: executions fail. The reference must
 *	be allowed. @program and @plan are NULL
 * @lock: of @fallback and @fallback_error
 * @fallback: the whole model on the reference, created after an execution on the accelerator
 *	failed; owned
 * @fallback_error: the error of creating @fallback, 0 before the attempt
 */
struct ANeuralNetworksCompilation {
	struct nnapi_object object;
	ANeuralNetworksModel *model;
	struct ANeuralNetworksDevice *listed[NNAPI_DEVICES];
	uint32_t listed_count;
	bool diagnosed, explicit_device;
	bool finished, cannot_compute;
	enum nna_priority priority;
	uint64_t timeout_ns;
	uint32_t preference;
	char *cache_dir;
	int cache_fd;
	uint8_t cache_token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	struct ANeuralNetworksDevice *device;
	struct nna_program *program;
	struct nnapi_plan *plan;
	pthread_mutex_t lock;
	struct nnapi_plan *fallback;
	int fallback_error;
};

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksCompilation, object),
	       "the count of a compilation is first");

#define NNAPI_CACHE_FILES 1u /* which a client of the support library provides */

/* Uses the file @fd, which stays the caller's, as the cache instead of a file in a directory. */
int nnapi_compilation_set_cache_fd(ANeuralNetworksCompilation *compilation, int fd,
				   const uint8_t *token, const char *function);

/* Fills in the compilation's part of diagnostics. */
void nnapi_compilation_describe(const ANeuralNetworksCompilation *compilation,
				struct nnapi_diagnostic_model *out);

/* Return: true if it is finished successfully, so that executions can be created. */
bool nnapi_compilation_is_ready(const ANeuralNetworksCompilation *compilation);

/* Gets the properties of an output that are known before a run. Return: false if none are known. */
bool nnapi_compilation_get_output(const ANeuralNetworksCompilation *compilation, uint32_t index,
				  struct nna_io_info *info);

/*
 * Return: a plan that computes the whole model on the reference, for a run that failed on the
 * accelerator; NULL, with a line in the log, if it cannot be created, and NULL if the caller listed
 * the devices. Thread-safe.
 */
const struct nnapi_plan *nnapi_compilation_fall_back(ANeuralNetworksCompilation *compilation);

/* Return: the operand of an input or output; NULL if there is none. */
const struct nnb_operand *nnapi_compilation_operand(const ANeuralNetworksCompilation *compilation,
						    bool output, uint32_t index);

#endif
