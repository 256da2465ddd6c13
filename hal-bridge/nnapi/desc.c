// SPDX-License-Identifier: MIT
/*
 * Descriptors of device memory, and the creation of memory from them.
 *
 * A descriptor collects roles: each is an input or output of a compilation for which one piece of
 * device memory will be used. All roles must have the same type; their known dimensions complete
 * each other. The memory has the resulting size and holds the descriptor. It can be bound only to
 * these roles, and only as a whole.
 */
#include "hal-bridge/nnapi/desc.h"

#include <stdlib.h>
#include <string.h>

#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/array.h"

static void nnapi_desc_destroy(void *object)
{
	ANeuralNetworksMemoryDesc *desc = object;

	for (uint32_t i = 0; i < desc->role_count; i++)
		nnapi_object_unref(desc->roles[i].compilation);
	free(desc->roles);
	free(desc);
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
	if (!desc)
		return nnapi_null(__func__);
	*desc = calloc(1, sizeof(**desc));
	if (!*desc)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	nnapi_object_init(&(*desc)->object, nnapi_desc_destroy);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
	nnapi_object_unref(desc);
}

/* Completes the descriptor's dimensions by @dims. Return: false if they contradict. */
static bool nnapi_desc_combine(struct nnapi_memory_type *type, uint32_t rank, const uint32_t *dims)
{
	if (!rank)
		return true;
	if (rank > NNACCEL_MAX_RANK || (type->rank && type->rank != rank))
		return false;
	for (uint32_t i = 0; i < rank && type->rank; i++) {
		if (type->dims[i] && dims[i] && type->dims[i] != dims[i])
			return false;
	}
	for (uint32_t i = 0; i < rank; i++) {
		if (!type->rank || !type->dims[i])
			type->dims[i] = dims[i];
	}
	type->rank = rank;
	return true;
}

/* Return: true if the descriptor's memory can also be used for @operand. */
static bool nnapi_desc_matches(const ANeuralNetworksMemoryDesc *desc,
			       const struct nnb_operand *operand)
{
	const struct nnb_operand *first;

	if (!desc->role_count)
		return nnb_type_is_tensor(operand->type) || !desc->type.rank;
	first = nnapi_compilation_operand(desc->roles[0].compilation, desc->roles[0].output,
					  desc->roles[0].index);
	return first->type == operand->type && first->scale == operand->scale &&
	       first->zero_point == operand->zero_point &&
	       first->channel_dim == operand->channel_dim &&
	       first->scale_count == operand->scale_count &&
	       (!first->scale_count || !memcmp(first->scales, operand->scales,
					       first->scale_count * sizeof(*first->scales)));
}

/* Return: NO_ERROR while the descriptor can be changed. @given: no required argument is NULL. */
static int nnapi_desc_open(const ANeuralNetworksMemoryDesc *desc, bool given, const char *function)
{
	if (!desc || !given)
		return nnapi_null(function);
	if (desc->finished)
		return nnapi_error(BAD_STATE, "%s: the descriptor is finished", function);
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_desc_add_role(ANeuralNetworksMemoryDesc *desc,
			       const ANeuralNetworksCompilation *compilation, bool output,
			       uint32_t index, float frequency, const char *function)
{
	int ret = nnapi_desc_open(desc, compilation, function);
	const struct nnb_operand *operand;
	struct nnapi_role *roles;

	if (ret)
		return ret;
	if (!nnapi_compilation_is_ready(compilation))
		return nnapi_error(BAD_DATA, "%s: the compilation is not finished", function);
	operand = nnapi_compilation_operand(compilation, output, index);
	if (!operand)
		return nnapi_error(BAD_DATA, "%s: there is no %s %u", function,
				   output ? "output" : "input", index);
	if (!(frequency > 0.0f && frequency <= 1.0f))
		return nnapi_error(BAD_DATA, "%s: frequency %g is not in (0, 1]", function,
				   frequency);
	for (uint32_t i = 0; i < desc->role_count; i++) {
		if (desc->roles[i].compilation == compilation && desc->roles[i].index == index &&
		    desc->roles[i].output == output)
			return nnapi_error(BAD_DATA, "%s: the descriptor has this role already",
					   function);
	}
	if (!nnapi_desc_matches(desc, operand))
		return nnapi_error(BAD_DATA, "%s: types or scales of the roles differ", function);
	roles = nna_array_reserve(desc->roles, (uint64_t)desc->role_count + 1, &desc->role_room,
				  sizeof(*roles));
	if (!roles)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	desc->roles = roles;
	if (!nnapi_desc_combine(&desc->type, operand->rank, operand->dims))
		return nnapi_error(BAD_DATA, "%s: dimensions of the roles differ", function);
	roles[desc->role_count].compilation = nnapi_object_ref(compilation);
	roles[desc->role_count].index = index;
	roles[desc->role_count++].output = output;
	desc->type.type = operand->type;
	desc->type.scale = operand->scale;
	desc->type.zero_point = operand->zero_point;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int
ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
				       const ANeuralNetworksCompilation *compilation,
				       uint32_t index, float frequency)
{
	return nnapi_desc_add_role(desc, compilation, false, index, frequency, __func__);
}

NNAPI_EXPORT int
ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
					const ANeuralNetworksCompilation *compilation,
					uint32_t index, float frequency)
{
	return nnapi_desc_add_role(desc, compilation, true, index, frequency, __func__);
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
							 uint32_t rank, const uint32_t *dimensions)
{
	int ret = nnapi_desc_open(desc, !rank || dimensions, __func__);

	if (ret)
		return ret;
	if ((rank && desc->role_count && !nnb_type_is_tensor(desc->type.type)) ||
	    !nnapi_desc_combine(&desc->type, rank, dimensions))
		return nnapi_error(BAD_DATA, "%s: the dimensions contradict the roles", __func__);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
	int ret = nnapi_desc_open(desc, true, __func__);

	if (ret)
		return ret;
	if (!desc->role_count)
		return nnapi_error(BAD_DATA, "%s: the descriptor has no roles", __func__);
	desc->finished = true;
	return ANEURALNETWORKS_NO_ERROR;
}

bool nnapi_desc_has_role(const ANeuralNetworksMemoryDesc *desc,
			 const ANeuralNetworksCompilation *compilation, bool output,
			 uint32_t index)
{
	for (uint32_t i = 0; i < desc->role_count; i++) {
		const struct nnapi_role *role = &desc->roles[i];

		if (role->compilation == compilation && role->output == output &&
		    role->index == index)
			return true;
	}
	return false;
}

NNAPI_EXPORT int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
						      ANeuralNetworksMemory **memory)
{
	struct ANeuralNetworksDevice *device = NULL;
	size_t size;
	int ret;

	if (!memory || !desc)
		return nnapi_null(__func__);
	*memory = NULL;
	if (!desc->finished)
		return nnapi_error(BAD_STATE, "%s: the descriptor is not finished", __func__);
	if (!nnb_type_bytes(desc->type.type, desc->type.rank, desc->type.dims, &size))
		return nnapi_error(OP_FAILED, "%s: dimensions are unknown", __func__);
	/* The first role with a device decides; other devices copy. */
	for (uint32_t i = 0; i < desc->role_count && !device; i++)
		device = desc->roles[i].compilation->device;
	ret = nnapi_memory_create_on_device(desc, device, &desc->type, size, memory);
	if (ret)
		nna_message(EXECUTION, "%s: cannot create %zu bytes of device memory: %s", __func__,
			    size, strerror(-ret));
	return nnb_result_of_call(ret);
}
