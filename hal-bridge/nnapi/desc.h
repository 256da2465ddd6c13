/* SPDX-License-Identifier: MIT */
/* Descriptors of device memory. */
#ifndef NNAPI_DESC_H
#define NNAPI_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/nnapi/compilation.h"
#include "hal-bridge/nnapi/memory.h"
#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"

/**
 * struct nnapi_role - an input or output that device memory may be used for
 * @compilation: a reference
 * @index: of the input or output
 * @output: which of the two it is
 */
struct nnapi_role {
	ANeuralNetworksCompilation *compilation;
	uint32_t index;
	bool output;
};

/**
 * struct ANeuralNetworksMemoryDesc - what device memory will be used for
 * @roles: @role_count of them, owned
 * @finished: nothing changes any more, so that memories can hold it and any thread may read it
 * @type: of all roles, with the dimensions that are known of them; without a role there are only
 *	the dimensions
 */
struct ANeuralNetworksMemoryDesc {
	struct nnapi_object object;
	struct nnapi_role *roles;
	uint32_t role_count;
	bool finished;
	struct nnapi_memory_type type;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksMemoryDesc, object),
	       "the count of a descriptor is first");

/* True when memory that was made from @desc may be this input or output. */
bool nnapi_desc_has_role(const ANeuralNetworksMemoryDesc *desc,
			 const ANeuralNetworksCompilation *compilation, bool output,
			 uint32_t index);

#endif
