/* SPDX-License-Identifier: MIT */
/* Compilations. */
#ifndef NNAPI_COMPILATION_H
#define NNAPI_COMPILATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/nnapi/model.h"
#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

/**
 * struct ANeuralNetworksCompilation - a compilation
 * @model: a reference
 * @listed: the devices that the caller named, @listed_count of them; none leaves the choice to us
 * @explicit_device: made for exactly one device: timeouts and durations can be asked for
 * @device: that @program is for, once there is one
 * @finished: it cannot be changed any more
 * @timeout_ns: of compiling, 0 is none
 * @preference: one of ANEURALNETWORKS_PREFER_*
 * @cache_dir: where the program may be found or kept, owned; NULL for nowhere
 * @cache_token: the caller's word for what is compiled
 * @program: once it is finished successfully, else NULL
 * @cannot_compute: it is finished successfully, but the model cannot be computed: where the
 *	reference may be used, executions find that out, and fail. @program is NULL
 */
struct ANeuralNetworksCompilation {
	struct nnapi_object object;
	ANeuralNetworksModel *model;
	struct ANeuralNetworksDevice *listed[2];
	uint32_t listed_count;
	bool explicit_device;
	bool finished, cannot_compute;
	enum nna_priority priority;
	uint64_t timeout_ns;
	uint32_t preference;
	char *cache_dir;
	uint8_t cache_token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	struct ANeuralNetworksDevice *device;
	struct nna_program *program;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksCompilation, object),
	       "the count of a compilation is first");

/* Whether it is finished successfully, so that executions can be made from it. */
bool nnapi_compilation_is_ready(const ANeuralNetworksCompilation *compilation);

/* The operand of an input or output; NULL when there is none. */
const struct nnb_operand *nnapi_compilation_operand(const ANeuralNetworksCompilation *compilation,
						    bool output, uint32_t index);

#endif
