// SPDX-License-Identifier: MIT
/* The sink of the translation that builds an NNAPI model. */
#include "demo/tflite_nnapi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "frontend/tflite/translate.h"

/**
 * struct sink - a model without subgraphs
 * @model: being built
 * @operands: how many it has; NNAPI numbers them in order
 *
 * Subgraphs are refused, since in NNAPI they are models of their own that are finished first.
 * BlazeFace has none.
 */
struct sink {
	ANeuralNetworksModel *model;
	int operands;
};

static int result(int code)
{
	switch (code) {
	case ANEURALNETWORKS_NO_ERROR:
		return 0;
	case ANEURALNETWORKS_OUT_OF_MEMORY:
		return -ENOMEM;
	default:
		return -EINVAL;
	}
}

static int add_operand(void *opaque, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	struct sink *sink = opaque;
	ANeuralNetworksOperandType type = {
		.type = (int32_t)desc->type,
		.dimensionCount = desc->rank,
		.dimensions = desc->rank ? desc->dims : NULL,
		.scale = desc->scale,
		.zeroPoint = desc->zero_point,
	};
	int ret;

	/* Types behind SUBGRAPH are libnnaccel's extensions, which NNAPI does not have. */
	if (desc->type > NNA_OPERAND_SUBGRAPH)
		return -ENOTSUP;
	ret = result(ANeuralNetworksModel_addOperand(sink->model, &type));
	if (!ret && desc->channel_count) {
		ANeuralNetworksSymmPerChannelQuantParams params = {
			desc->channel_dim, desc->channel_count, desc->channel_scales
		};

		ret = result(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
			sink->model, sink->operands, &params));
	}
	return ret ? ret : sink->operands++;
}

static int set_constant(void *opaque, uint32_t subgraph, uint32_t operand, const void *data,
			size_t size)
{
	struct sink *sink = opaque;

	return result(ANeuralNetworksModel_setOperandValue(sink->model, (int32_t)operand, data,
							   size));
}

static int set_no_value(void *opaque, uint32_t subgraph, uint32_t operand)
{
	return set_constant(opaque, subgraph, operand, NULL, 0);
}

static int add_operation(void *opaque, uint32_t subgraph, uint32_t type, uint32_t input_count,
			 const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct sink *sink = opaque;

	if (type >= NNA_OPERATION_EXTENSION)
		return -ENOTSUP;
	return result(ANeuralNetworksModel_addOperation(sink->model, (int32_t)type, input_count,
							 inputs, output_count, outputs));
}

static int set_io(void *opaque, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		  uint32_t output_count, const uint32_t *outputs)
{
	struct sink *sink = opaque;

	return result(ANeuralNetworksModel_identifyInputsAndOutputs(sink->model, input_count,
								    inputs, output_count, outputs));
}

static const struct tflite_sink NNAPI_SINK = {
	.add_subgraph = network_refuse_subgraph,
	.add_operand = add_operand,
	.set_constant = set_constant,
	.set_no_value = set_no_value,
	.set_variable = network_refuse_variable,
	.set_subgraph = network_refuse_reference,
	.add_operation = add_operation,
	.set_io = set_io,
};

int tflite_to_nnapi(struct tflite_model *model, const struct network *instead,
		    ANeuralNetworksModel **out, char *error)
{
	struct sink sink = { 0 };
	int ret;

	ret = result(ANeuralNetworksModel_create(&sink.model));
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "no model: %s", strerror(-ret));
		return ret;
	}
	ret = instead ? network_write(instead, &NNAPI_SINK, &sink, error)
		      : tflite_translate(model, &NNAPI_SINK, &sink, NULL, error);
	if (!ret) {
		ret = result(ANeuralNetworksModel_finish(sink.model));
		if (ret)
			snprintf(error, TFLITE_ERROR_SIZE, "NNAPI refused the model");
	}
	if (ret) {
		ANeuralNetworksModel_free(sink.model);
		return ret;
	}
	*out = sink.model;
	return 0;
}
