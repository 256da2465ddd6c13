// SPDX-License-Identifier: MIT
/*
 * Names of operations and operand types, and facts about the elements of a type. Constant tables,
 * for any thread.
 */
#include "libnnaccel/graph/graph.h"

#define NAME(operation) [NNA_OPERATION_##operation] = #operation
#define EXTENSION(operation) [NNA_OPERATION_##operation - NNA_OPERATION_EXTENSION] = #operation

static const char *const operation_names[] = {
	NAME(ADD),
	NAME(AVERAGE_POOL_2D),
	NAME(CONCATENATION),
	NAME(CONV_2D),
	NAME(DEPTHWISE_CONV_2D),
	NAME(DEPTH_TO_SPACE),
	NAME(DEQUANTIZE),
	NAME(EMBEDDING_LOOKUP),
	NAME(FLOOR),
	NAME(FULLY_CONNECTED),
	NAME(HASHTABLE_LOOKUP),
	NAME(L2_NORMALIZATION),
	NAME(L2_POOL_2D),
	NAME(LOCAL_RESPONSE_NORMALIZATION),
	NAME(LOGISTIC),
	NAME(LSH_PROJECTION),
	NAME(LSTM),
	NAME(MAX_POOL_2D),
	NAME(MUL),
	NAME(RELU),
	NAME(RELU1),
	NAME(RELU6),
	NAME(RESHAPE),
	NAME(RESIZE_BILINEAR),
	NAME(RNN),
	NAME(SOFTMAX),
	NAME(SPACE_TO_DEPTH),
	NAME(SVDF),
	NAME(TANH),
	NAME(BATCH_TO_SPACE_ND),
	NAME(DIV),
	NAME(MEAN),
	NAME(PAD),
	NAME(SPACE_TO_BATCH_ND),
	NAME(SQUEEZE),
	NAME(STRIDED_SLICE),
	NAME(SUB),
	NAME(TRANSPOSE),
	NAME(ABS),
	NAME(ARGMAX),
	NAME(ARGMIN),
	NAME(AXIS_ALIGNED_BBOX_TRANSFORM),
	NAME(BIDIRECTIONAL_SEQUENCE_LSTM),
	NAME(BIDIRECTIONAL_SEQUENCE_RNN),
	NAME(BOX_WITH_NMS_LIMIT),
	NAME(CAST),
	NAME(CHANNEL_SHUFFLE),
	NAME(DETECTION_POSTPROCESSING),
	NAME(EQUAL),
	NAME(EXP),
	NAME(EXPAND_DIMS),
	NAME(GATHER),
	NAME(GENERATE_PROPOSALS),
	NAME(GREATER),
	NAME(GREATER_EQUAL),
	NAME(GROUPED_CONV_2D),
	NAME(HEATMAP_MAX_KEYPOINT),
	NAME(INSTANCE_NORMALIZATION),
	NAME(LESS),
	NAME(LESS_EQUAL),
	NAME(LOG),
	NAME(LOGICAL_AND),
	NAME(LOGICAL_NOT),
	NAME(LOGICAL_OR),
	NAME(LOG_SOFTMAX),
	NAME(MAXIMUM),
	NAME(MINIMUM),
	NAME(NEG),
	NAME(NOT_EQUAL),
	NAME(PAD_V2),
	NAME(POW),
	NAME(PRELU),
	NAME(QUANTIZE),
	NAME(QUANTIZED_16BIT_LSTM),
	NAME(RANDOM_MULTINOMIAL),
	NAME(REDUCE_ALL),
	NAME(REDUCE_ANY),
	NAME(REDUCE_MAX),
	NAME(REDUCE_MIN),
	NAME(REDUCE_PROD),
	NAME(REDUCE_SUM),
	NAME(ROI_ALIGN),
	NAME(ROI_POOLING),
	NAME(RSQRT),
	NAME(SELECT),
	NAME(SIN),
	NAME(SLICE),
	NAME(SPLIT),
	NAME(SQRT),
	NAME(TILE),
	NAME(TOPK_V2),
	NAME(TRANSPOSE_CONV_2D),
	NAME(UNIDIRECTIONAL_SEQUENCE_LSTM),
	NAME(UNIDIRECTIONAL_SEQUENCE_RNN),
	NAME(RESIZE_NEAREST_NEIGHBOR),
	NAME(QUANTIZED_LSTM),
	NAME(IF),
	NAME(WHILE),
	NAME(ELU),
	NAME(HARD_SWISH),
	NAME(FILL),
	NAME(RANK),
	NAME(BATCH_MATMUL),
	NAME(PACK),
	NAME(MIRROR_PAD),
	NAME(REVERSE),
};

static const char *const extension_names[] = {
	EXTENSION(GATHER_ND),
	EXTENSION(FLOOR_DIV),
	EXTENSION(UNPACK),
	EXTENSION(LEAKY_RELU),
	EXTENSION(ARGMAX_INT64),
	EXTENSION(COS),
	EXTENSION(SQUARED_DIFFERENCE),
	EXTENSION(BITCAST),
};

/**
 * struct type_facts - an operand type
 * @name: as NNAPI has it
 * @size: bytes of an element, 0 for SUBGRAPH and OPAQUE
 * @tensor: no scalar
 * @quantised: has a scale, or one for each channel
 * @low: lowest number that it stores; 0 for floats
 * @high: highest number that it stores; 0 for floats
 */
struct type_facts {
	const char *name;
	uint32_t size;
	bool tensor;
	bool quantised;
	int64_t low, high;
};

#define TYPE(name, ...) [NNA_OPERAND_##name] = { #name, __VA_ARGS__ }

static const struct type_facts types[] = {
	/*   name				size	tensor	quant.	low, high */
	TYPE(FLOAT32,				4,	false,	false,	0, 0),
	TYPE(INT32,				4,	false,	false,	INT32_MIN, INT32_MAX),
	TYPE(UINT32,				4,	false,	false,	0, UINT32_MAX),
	TYPE(TENSOR_FLOAT32,			4,	true,	false,	0, 0),
	TYPE(TENSOR_INT32,			4,	true,	false,	INT32_MIN, INT32_MAX),
	TYPE(TENSOR_QUANT8_ASYMM,		1,	true,	true,	0, UINT8_MAX),
	TYPE(BOOL,				1,	false,	false,	0, 1),
	TYPE(TENSOR_QUANT16_SYMM,		2,	true,	true,	INT16_MIN, INT16_MAX),
	TYPE(TENSOR_FLOAT16,			2,	true,	false,	0, 0),
	TYPE(TENSOR_BOOL8,			1,	true,	false,	0, 1),
	TYPE(FLOAT16,				2,	false,	false,	0, 0),
	TYPE(TENSOR_QUANT8_SYMM_PER_CHANNEL,	1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(TENSOR_QUANT16_ASYMM,		2,	true,	true,	0, UINT16_MAX),
	TYPE(TENSOR_QUANT8_SYMM,		1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(TENSOR_QUANT8_ASYMM_SIGNED,	1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(SUBGRAPH,				0,	false,	false,	0, 0),
	TYPE(TENSOR_INT64,			8,	true,	false,	INT64_MIN, INT64_MAX),
	TYPE(OPAQUE,				0,	false,	false,	0, 0),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct type_facts *facts(enum nna_operand_type type)
{
	return type < COUNT(types) && types[type].name ? &types[type] : NULL;
}

const char *nna_operation_name(enum nna_operation_type type)
{
	if (type < COUNT(operation_names))
		return operation_names[type];
	if (type >= NNA_OPERATION_EXTENSION &&
	    type - NNA_OPERATION_EXTENSION < COUNT(extension_names))
		return extension_names[type - NNA_OPERATION_EXTENSION];
	return NULL;
}

const char *nna_operand_type_name(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f ? f->name : NULL;
}

uint32_t nna_operand_type_size(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f ? f->size : 0;
}

bool nna_operand_type_is_tensor(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f && f->tensor;
}

bool nna_operand_type_is_quantised(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f && f->quantised;
}

void nna_operand_type_range(enum nna_operand_type type, int64_t *low, int64_t *high)
{
	const struct type_facts *f = facts(type);

	*low = f ? f->low : 0;
	*high = f ? f->high : 0;
}
