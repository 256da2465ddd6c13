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
 * @listed: the devices that the caller named, @listed_count of them; none leaves the choice to us
 * @diagnosed: made through the support library's table, whose client is told how it went
 * @explicit_device: made for exactly one device: timeouts and durations can be asked for
 * @device: that @program is for, once there is one
 * @finished: it cannot be changed any more
 * @timeout_ns: of compiling, 0 is none
 * @preference: one of ANEURALNETWORKS_PREFER_*
 * @cache_dir: where the program may be found or kept, owned; NULL for nowhere
 * @cache_fd: the file where the program may be found or kept, owned; -1 for none
 * @cache_token: the caller's word for what is compiled
 * @program: once it is finished successfully and one device computes all of the model, else NULL
 * @plan: once it is finished successfully and several devices do, else NULL; owned
 * @cannot_compute: it is finished successfully, but the model cannot be computed: where the
 *	reference may be used, executions find that out, and fail. @program and @plan are NULL
 * @lock: of @fallback and @fallback_error
 * @fallback: all of the model on the reference, made when an execution on the accelerator fails;
 *	owned
 * @fallback_error: why there is none, once that has been tried
 */
struct ANeuralNetworksCompilation {
	struct nnapi_object object;
	ANeuralNetworksModel *model;
	struct ANeuralNetworksDevice *listed[2];
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

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksCompilation, object),
	       "the count of a compilation is first");

#define NNAPI_CACHE_FILES 1u /* that a client of the support library brings */

/* The cache is the file of @fd, which stays the caller's, instead of one in a directory. */
int nnapi_compilation_set_cache_fd(ANeuralNetworksCompilation *compilation, int fd,
				   const uint8_t *token, const char *function);

/* What diagnostics tell of the compilation. */
void nnapi_compilation_describe(const ANeuralNetworksCompilation *compilation,
				struct nnapi_diagnostic_model *out);

/* Whether it is finished successfully, so that executions can be made from it. */
bool nnapi_compilation_is_ready(const ANeuralNetworksCompilation *compilation);

/* What is known of an output before it is computed. False when nothing is. */
bool nnapi_compilation_get_output(const ANeuralNetworksCompilation *compilation, uint32_t index,
				  struct nna_io_info *info);

/*
 * The plan for what fails on the accelerator: all of the model on the reference. NULL, with a line
 * in the log, where that cannot be made, and where the caller has named the devices. Thread-safe.
 */
const struct nnapi_plan *nnapi_compilation_fall_back(ANeuralNetworksCompilation *compilation);

/* The operand of an input or output; NULL when there is none. */
const struct nnb_operand *nnapi_compilation_operand(const ANeuralNetworksCompilation *compilation,
						    bool output, uint32_t index);

#endif
