// SPDX-License-Identifier: MIT
/*
 * Arguments: binds inputs and outputs of an execution to the caller's memory.
 *
 * A binding combines the model's type of the argument with the type that the caller may give,
 * checks the size of the memory against the result, and passes the memory to libnnaccel. Each
 * argument can be set once. The execution then holds the memory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/nnapi/desc.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/nnapi/nnapi.h"

/**
 * struct nnapi_shape - the shape of an argument, from the model and the caller
 * @values: @rank dimensions, 0 for an unknown one
 * @dims: @values, or NULL if the model has all dimensions, so that libnnaccel needs none
 * @known: all dimensions are known
 * @size: bytes, if @known
 * @contradicts: of an output: it differs from the shape that the model's operations give
 */
struct nnapi_shape {
	uint32_t rank;
	uint32_t values[NNACCEL_MAX_RANK];
	const uint32_t *dims;
	bool known;
	size_t size;
	bool contradicts;
};

static struct nnapi_argument *nnapi_argument_get(const ANeuralNetworksExecution *execution,
						 bool output, uint32_t index)
{
	return output ? &execution->outputs[index] : &execution->inputs[index];
}

/*
 * Return: true if the caller's shape of an output differs from the shape that is inferred from the
 * model's operations. This is no error before the run.
 */
static bool nnapi_argument_contradicts(const ANeuralNetworksExecution *execution, uint32_t index,
				       const struct nnapi_shape *shape)
{
	struct nna_io_info info;

	if (!shape->dims || !nnapi_compilation_get_output(execution->compilation, index, &info) ||
	    !info.rank)
		return false;
	if (info.rank != shape->rank)
		return true;
	for (uint32_t i = 0; i < info.rank; i++) {
		if (info.dims[i] && shape->dims[i] && info.dims[i] != shape->dims[i])
			return true;
	}
	return false;
}

/*
 * Checks that an operand can have a type. Its dimensions may be incomplete or contradict the model.
 */
static int nnapi_argument_check_type(const ANeuralNetworksOperandType *type, uint32_t index)
{
	const struct nna_operand_desc desc = {
		.type = type->type,
		.rank = type->dimensionCount,
		.dims = type->dimensions,
		.scale = type->scale,
		.zero_point = type->zeroPoint,
	};

	return nnb_type_check(&desc, index);
}

/*
 * Combines the model's type of an argument with the caller's, which may be NULL. As in Android's
 * runtime only its dimensions matter: its code, scale and zero point may be other ones. Return:
 * BAD_STATE if the argument has been set already, or another result code.
 */
static int nnapi_argument_shape(const ANeuralNetworksExecution *execution, bool output,
				int32_t index, const ANeuralNetworksOperandType *type, bool omitted,
				struct nnapi_shape *shape, const char *function)
{
	const struct nnb_operand *operand;
	const char *what = output ? "output" : "input";
	bool model_says_all;

	memset(shape, 0, sizeof(*shape));
	operand = nnapi_compilation_operand(execution->compilation, output, index);
	if (!operand)
		return nnapi_error(BAD_DATA, "%s: there is no %s %d", function, what, index);
	if (nnapi_argument_get(execution, output, index)->bound)
		return nnapi_error(BAD_STATE, "%s: %s %d has been set already", function, what,
				   index);
	/* No device supports such operands, so the run fails whatever is set. */
	if (operand->rank > NNACCEL_MAX_RANK || !nnb_type_may_be_computed(operand->type))
		return ANEURALNETWORKS_NO_ERROR;
	model_says_all = nnb_type_bytes(operand->type, operand->rank, operand->dims, &shape->size);
	shape->rank = operand->rank;
	for (uint32_t i = 0; i < operand->rank; i++)
		shape->values[i] = operand->dims[i];
	if (type) {
		if (nnb_extension_has((uint32_t)type->type) != nnb_extension_has(operand->type))
			return nnapi_error(BAD_DATA, "%s: %s %d: one of its types, the model's and "
					   "the one that is set, is an extension's", function, what,
					   index);
		if (nnapi_argument_check_type(type, index))
			return nnapi_error(BAD_DATA,
					   "%s: %s %d: a type with %u dimensions at %s is invalid",
					   function, what, index, type->dimensionCount,
					   type->dimensions ? "an address" : "NULL");
		if (type->dimensionCount > NNACCEL_MAX_RANK ||
		    (type->dimensionCount && !nnb_type_is_tensor(operand->type)) ||
		    (operand->rank && type->dimensionCount != operand->rank))
			return nnapi_error(BAD_DATA, "%s: %s %d has rank %u in the model, not %u",
					   function, what, index, operand->rank,
					   type->dimensionCount);
		for (uint32_t i = 0; i < type->dimensionCount; i++) {
			uint32_t wanted = type->dimensions[i];

			if (operand->rank && operand->dims[i] && wanted != operand->dims[i])
				return nnapi_error(BAD_DATA, "%s: %s %d: dimension %u is %u in the "
						   "model, not %u", function, what, index, i,
						   operand->dims[i], wanted);
			shape->values[i] = wanted;
		}
		if (type->dimensionCount)
			shape->rank = type->dimensionCount;
		if (!model_says_all && type->dimensionCount)
			shape->dims = shape->values;
	}
	shape->known = nnb_type_bytes(operand->type, shape->rank, shape->values, &shape->size);
	if (!shape->known && !output && !omitted)
		return nnapi_error(BAD_DATA, "%s: input %d has unknown dimensions", function,
				   index);
	shape->contradicts = output && nnapi_argument_contradicts(execution, index, shape);
	return ANEURALNETWORKS_NO_ERROR;
}

/* Checks that the caller's memory is as large as the argument. */
static int nnapi_argument_check_length(const ANeuralNetworksExecution *execution,
				       const struct nnapi_shape *shape, int32_t index,
				       size_t length, const char *function)
{
	if (!shape->known || length == shape->size || (execution->padding && length > shape->size))
		return ANEURALNETWORKS_NO_ERROR;
	return nnapi_error(BAD_DATA, "%s: argument %d has %zu bytes, not %zu", function, index,
			   shape->size, length);
}

/*
 * Binds @length bytes at @data, which lie at @offset of @memory unless that is NULL, and takes a
 * reference to @memory. The steps of a plan are bound when they run.
 */
static int nnapi_argument_bind(ANeuralNetworksExecution *execution, bool output, uint32_t index,
			       const struct nnapi_shape *shape, ANeuralNetworksMemory *memory,
			       void *data, size_t offset, size_t length)
{
	struct nnapi_argument argument = {
		.bound = true,
		.known = shape->known,
		.contradicts = shape->contradicts,
		.memory = memory,
		.data = data,
		.offset = offset,
		.length = length,
		.rank = shape->dims ? shape->rank : 0,
	};
	int ret = 0;

	memcpy(argument.dims, shape->values, sizeof(argument.dims));
	if (memory && memory->shrinks) {
		argument.copy = malloc(length ? length : 1);
		argument.data = argument.copy;
		if (!argument.copy)
			return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (execution->execution && !shape->contradicts)
		ret = nnapi_argument_hand_over(&argument, output, index, execution->execution,
					       execution->compilation->device);
	if (ret) {
		free(argument.copy);
		return nnb_result_of_call(ret);
	}
	if (memory)
		nnapi_object_ref(memory);
	*nnapi_argument_get(execution, output, index) = argument;
	execution->any_bound = true;
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_argument_set_pointer(ANeuralNetworksExecution *execution, bool output,
				      int32_t index, const ANeuralNetworksOperandType *type,
				      void *buffer, size_t length, const char *function)
{
	struct nnapi_shape shape = { 0 };
	int ret;

	if (!execution || (!buffer && length))
		return nnapi_null(function);
	ret = nnapi_execution_open(execution, function);
	if (ret)
		return ret;
	ret = nnapi_argument_shape(execution, output, index, type, !buffer, &shape, function);
	if (!ret && buffer)
		ret = nnapi_argument_check_length(execution, &shape, index, length, function);
	if (ret)
		return ret;
	if (!buffer)
		shape = (struct nnapi_shape){ .known = true };
	else if (!output) /* Drop padding; an output may use all of its memory. */
		length = shape.size;
	return nnapi_argument_bind(execution, output, index, &shape, NULL, buffer, 0, length);
}

static int nnapi_argument_set_memory(ANeuralNetworksExecution *execution, bool output,
				     int32_t index, const ANeuralNetworksOperandType *type,
				     const ANeuralNetworksMemory *const_memory, size_t offset,
				     size_t length, const char *function)
{
	ANeuralNetworksMemory *memory = (ANeuralNetworksMemory *)const_memory;
	struct nnapi_shape shape;
	int ret;

	if (!execution || !memory)
		return nnapi_null(function);
	ret = nnapi_execution_open(execution, function);
	if (!ret)
		ret = nnapi_argument_shape(execution, output, index, type, false, &shape, function);
	if (ret)
		return ret;
	if (memory->device_memory) {
		if (offset || length)
			return nnapi_error(BAD_DATA, "%s: device memory can only be used as a "
					   "whole: offset and length must be 0", function);
		if (!nnapi_desc_has_role(memory->desc, execution->compilation, output, index))
			return nnapi_error(BAD_DATA, "%s: the memory's descriptor has no role for "
					   "argument %d", function, index);
		length = memory->size;
		if (!nnapi_memory_fits_shape(memory, shape.rank, shape.values))
			return nnapi_error(BAD_DATA,
					   "%s: argument %d must have the dimensions of the memory",
					   function, index);
		if (shape.known && shape.size != length)
			return nnapi_error(BAD_DATA,
					   "%s: argument %d has %zu bytes, but the memory has %zu",
					   function, index, shape.size, length);
	} else {
		if (offset > memory->size || length > memory->size - offset)
			return nnapi_error(BAD_DATA, "%s: %zu bytes at offset %zu exceed the "
					   "memory of %zu bytes", function, length, offset,
					   memory->size);
		ret = nnapi_argument_check_length(execution, &shape, index, length, function);
		if (ret)
			return ret;
		if (!(memory->protect & (output ? PROT_WRITE : PROT_READ)))
			return nnapi_error(BAD_DATA, "%s: the memory is not %s", function,
					   output ? "writable" : "readable");
	}
	if (!output)
		length = shape.size;
	return nnapi_argument_bind(execution, output, index, &shape, memory,
				   memory->map ? memory->map + offset : NULL, offset, length);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
						   int32_t index,
						   const ANeuralNetworksOperandType *type,
						   const void *buffer, size_t length)
{
	return nnapi_argument_set_pointer(execution, false, index, type, (void *)buffer, length,
					  __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution,
							     int32_t index,
							     const ANeuralNetworksOperandType *type,
							     const ANeuralNetworksMemory *memory,
							     size_t offset, size_t length)
{
	return nnapi_argument_set_memory(execution, false, index, type, memory, offset, length,
					 __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
						    int32_t index,
						    const ANeuralNetworksOperandType *type,
						    void *buffer, size_t length)
{
	return nnapi_argument_set_pointer(execution, true, index, type, buffer, length, __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setOutputFromMemory(
	ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type,
	const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	return nnapi_argument_set_memory(execution, true, index, type, memory, offset, length,
					 __func__);
}
