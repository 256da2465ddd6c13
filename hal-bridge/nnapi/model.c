// SPDX-License-Identifier: MIT
/*
 * Models: the API's side of hal-bridge/common/model.c, which collects and checks operands and
 * operations and makes a graph of libnnaccel. This file has the states of a model, and references
 * to the memories of its constants.
 */
#define NNAPI_TAG NNA_MESSAGE_MODEL

#include "hal-bridge/nnapi/model.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "hal-bridge/common/dot.h"
#include "hal-bridge/common/extension.h"
#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/memory.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/array.h"
#include "libnnaccel/support/trace.h"

static void nnapi_model_destroy(void *object)
{
	ANeuralNetworksModel *model = object;

	nnb_model_fini(&model->model);
	for (uint32_t i = 0; i < model->held_count; i++)
		nnapi_object_unref(model->held[i]);
	free(model->held);
	free(model);
}

/*
 * Makes room for one more nnapi_model_hold(), which then cannot fail. Return: false without memory.
 */
static bool nnapi_model_reserve(ANeuralNetworksModel *model)
{
	void **held;

	held = nna_array_reserve(model->held, (uint64_t)model->held_count + 1, &model->held_room,
				 sizeof(*held));
	if (held)
		model->held = held;
	return held;
}

/* Takes a reference to @object for the life of the model. */
static void nnapi_model_hold(ANeuralNetworksModel *model, const void *object)
{
	model->held[model->held_count++] = nnapi_object_ref(object);
}

/* Return: NO_ERROR while the model can be changed. @given: no required argument is NULL. */
static int nnapi_model_open(const ANeuralNetworksModel *model, bool given, const char *function)
{
	if (!model || !given)
		return nnapi_null(function);
	if (model->finished)
		return nnapi_error(BAD_STATE, "%s: the model is finished", function);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksModel_create(ANeuralNetworksModel **model)
{
	if (!model)
		return nnapi_null(__func__);
	*model = calloc(1, sizeof(**model));
	if (!*model)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	nnapi_object_init(&(*model)->object, nnapi_model_destroy);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksModel_free(ANeuralNetworksModel *model)
{
	nnapi_object_unref(model);
}

NNAPI_EXPORT int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
						 const ANeuralNetworksOperandType *type)
{
	struct nna_operand_desc desc;
	int ret = nnapi_model_open(model, type != NULL, __func__);

	if (ret)
		return ret;
	desc = (struct nna_operand_desc){
		.type = type->type,
		.rank = type->dimensionCount,
		.dims = type->dimensions,
		.scale = type->scale,
		.zero_point = type->zeroPoint,
	};
	return nnb_result_of_call(nnb_model_add_operand(&model->model, &desc));
}

NNAPI_EXPORT int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
						      const void *buffer, size_t length)
{
	int ret = nnapi_model_open(model, buffer || !length, __func__);

	if (ret)
		return ret;
	if (!buffer)
		return nnb_result_of_call(nnb_model_set_omitted(&model->model, index));
	return nnb_result_of_call(nnb_model_set_value(
		&model->model, index, buffer, length,
		length > ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES));
}

NNAPI_EXPORT int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model,
								int32_t index,
								const ANeuralNetworksMemory *memory,
								size_t offset, size_t length)
{
	int ret = nnapi_model_open(model, memory != NULL, __func__);

	if (ret)
		return ret;
	if (memory->device_memory)
		return nnapi_error(BAD_DATA, "%s: device memory cannot hold constants", __func__);
	if (offset > memory->size || length > memory->size - offset)
		return nnapi_error(BAD_DATA, "%s: operand %d: %zu bytes at offset %zu exceed the "
				   "memory of %zu bytes", __func__, index, length, offset,
				   memory->size);
	if (!(memory->protect & PROT_READ))
		return nnapi_error(BAD_DATA, "%s: the memory is not readable", __func__);
	if (!nnapi_model_reserve(model))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	ret = memory->shrinks ?
		      nnb_model_set_file(&model->model, index, memory->fd, memory->offset + offset,
					 length) :
		      nnb_model_set_value(&model->model, index, memory->map + offset, length, true);
	if (!ret)
		nnapi_model_hold(model, memory);
	return nnb_result_of_call(ret);
}

NNAPI_EXPORT int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model,
							       int32_t index,
							       const ANeuralNetworksModel *value)
{
	int ret = nnapi_model_open(model, value != NULL, __func__);

	if (ret)
		return ret;
	if (!value->finished || !value->model.graph)
		return nnapi_error(BAD_STATE,
				   "%s: the referenced model is not finished, or invalid",
				   __func__);
	if (!nnapi_model_reserve(model))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	ret = nnb_model_set_model(&model->model, index, &value->model);
	if (!ret)
		nnapi_model_hold(model, value);
	return nnb_result_of_call(ret);
}

NNAPI_EXPORT int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
	ANeuralNetworksModel *model, int32_t index,
	const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)
{
	int ret = nnapi_model_open(model, channelQuant != NULL, __func__);

	if (ret)
		return ret;
	if (!channelQuant->scaleCount != !channelQuant->scales)
		return nnapi_error(BAD_DATA, "%s: operand %d: %u scales at %s", __func__, index,
				   channelQuant->scaleCount,
				   channelQuant->scales ? "an address" : "NULL");
	return nnb_result_of_call(
		nnb_model_set_scales(&model->model, index, channelQuant->channelDim,
				     channelQuant->scaleCount, channelQuant->scales));
}

NNAPI_EXPORT int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
						   ANeuralNetworksOperationType type,
						   uint32_t inputCount, const uint32_t *inputs,
						   uint32_t outputCount, const uint32_t *outputs)
{
	int ret = nnapi_model_open(model, inputs && outputs, __func__);

	if (ret)
		return ret;
	return nnb_result_of_call(nnb_model_add_operation(&model->model, type, inputCount, inputs,
							  outputCount, outputs));
}

NNAPI_EXPORT int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
							       uint32_t inputCount,
							       const uint32_t *inputs,
							       uint32_t outputCount,
							       const uint32_t *outputs)
{
	int ret = nnapi_model_open(model, inputs && outputs, __func__);

	if (ret)
		return ret;
	if (!outputCount)
		return nnapi_error(BAD_DATA, "%s: a model needs an output", __func__);
	return nnb_result_of_call(
		nnb_model_set_io(&model->model, inputCount, inputs, outputCount, outputs));
}

NNAPI_EXPORT int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model,
								       bool allow)
{
	int ret = nnapi_model_open(model, true, __func__);

	if (ret)
		return ret;
	model->model.relaxed = allow;
	return ANEURALNETWORKS_NO_ERROR;
}

/* Gets the code of a type or operation of an extension that exists and is allowed. */
static int nnapi_model_get_code(const ANeuralNetworksModel *model, const char *extension,
				uint16_t number, uint32_t *code, const char *function)
{
	*code = nnb_extension_code(extension, number);
	if (!*code)
		return nnapi_error(BAD_DATA, "%s: no device has the extension %s", function,
				   extension);
	if (!nnb_extension_is_allowed())
		return nnapi_error(BAD_DATA, "%s: this program may not use extensions", function);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
							      const char *extensionName,
							      uint16_t operandCodeWithinExtension,
							      int32_t *type)
{
	uint32_t code;
	int ret;

	if (!model || !extensionName || !type)
		return nnapi_null(__func__);
	ret = nnapi_model_get_code(model, extensionName, operandCodeWithinExtension, &code,
				   __func__);
	if (!ret)
		*type = (int32_t)code;
	return ret;
}

NNAPI_EXPORT int
ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
					       const char *extensionName,
					       uint16_t operationCodeWithinExtension,
					       ANeuralNetworksOperationType *type)
{
	uint32_t code;
	int ret;

	if (!model || !extensionName || !type)
		return nnapi_null(__func__);
	ret = nnapi_model_get_code(model, extensionName, operationCodeWithinExtension, &code,
				   __func__);
	if (!ret)
		*type = (ANeuralNetworksOperationType)code;
	return ret;
}

/* Sets the data of an operand whose type is an extension's. */
NNAPI_EXPORT int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model,
							      int32_t index, const void *data,
							      size_t length)
{
	int ret = nnapi_model_open(model, data || !length, __func__);

	if (ret)
		return ret;
	if (data && !length)
		return nnapi_error(BAD_DATA, "%s: data at an address must have a length", __func__);
	return nnb_result_of_call(nnb_model_set_extension_data(&model->model, index, data,
							       length));
}

NNAPI_EXPORT int ANeuralNetworksModel_finish(ANeuralNetworksModel *model)
{
	NNA_TRACE(RUNTIME, PREPARATION, __func__);
	int ret = nnapi_model_open(model, true, __func__);

	if (ret)
		return ret;
	/* An invalid model is finished as well: the API has no way to repair it. */
	model->finished = true;
	if (nnb_dot_is_wanted())
		nnb_dot_draw(&model->model);
	return nnb_result_of_call(nnb_model_finish(&model->model));
}

NNAPI_EXPORT int
ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
						      const ANeuralNetworksDevice *const *devices,
						      uint32_t numDevices, bool *supportedOps)
{
	uint32_t count;
	bool *one;
	int ret;

	if (!model || !supportedOps)
		return nnapi_null(__func__);
	ret = nnapi_device_check_list(devices, numDevices, __func__);
	if (ret)
		return ret;
	if (!model->finished || !model->model.graph)
		return nnapi_error(BAD_STATE, "%s: the model is not finished, or invalid",
				   __func__);
	count = nna_graph_operation_count(model->model.graph, 0);
	one = calloc((size_t)count + 1, sizeof(*one));
	if (!one)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	/* One device is enough. The reference supports all operations that are no vendor's. */
	for (uint32_t i = 0; i < count; i++)
		supportedOps[i] = false;
	for (uint32_t d = 0; d < numDevices && !ret; d++) {
		if (!devices[d]->reference)
			ret = nna_graph_get_supported(model->model.graph, devices[d]->device, one);
		for (uint32_t i = 0; i < count && !ret; i++) {
			if (devices[d]->reference)
				one[i] = !nnb_model_operation_is_vendors(&model->model, i);
			supportedOps[i] |= one[i];
		}
	}
	free(one);
	return nnb_result_of_call(ret);
}
