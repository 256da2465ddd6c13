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
 * struct nnapi_role - an input or output for which device memory may be used
 * @compilation: a reference
 * @index: of the input or output
 * @output: true for an output
 */
struct nnapi_role {
	ANeuralNetworksCompilation *compilation;
	uint32_t index;
	bool output;
};

/**
 * struct ANeuralNetworksMemoryDesc - the use of device memory
 * @roles: @role_count of them, with room for @role_room; owned
 * @finished: constant from then on: memories can hold it, and any thread may read it
 * @type: of all roles, with their known dimensions; without a role it has dimensions only
 */
struct ANeuralNetworksMemoryDesc {
	struct nnapi_object object;
	struct nnapi_role *roles;
	uint32_t role_count, role_room;
	bool finished;
	struct nnapi_memory_type type;
};

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksMemoryDesc, object),
	       "the count of a descriptor is first");

/* Return: true if memory of @desc may be bound to this input or output. */
bool nnapi_desc_has_role(const ANeuralNetworksMemoryDesc *desc,
			 const ANeuralNetworksCompilation *compilation, bool output,
			 uint32_t index);

#endif
