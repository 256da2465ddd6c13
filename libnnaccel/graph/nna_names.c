// SPDX-License-Identifier: MIT
/* Names of operations and operand types, and what a type says about its elements. */
#include "graph/nna_graph.h"

static const char *const operation_names[] = {
	[NNA_ADD] = "ADD",
	[NNA_AVERAGE_POOL_2D] = "AVERAGE_POOL_2D",
	[NNA_CONCATENATION] = "CONCATENATION",
	[NNA_CONV_2D] = "CONV_2D",
	[NNA_DEPTHWISE_CONV_2D] = "DEPTHWISE_CONV_2D",
	[NNA_DEPTH_TO_SPACE] = "DEPTH_TO_SPACE",
	[NNA_DEQUANTIZE] = "DEQUANTIZE",
	[NNA_EMBEDDING_LOOKUP] = "EMBEDDING_LOOKUP",
	[NNA_FLOOR] = "FLOOR",
	[NNA_FULLY_CONNECTED] = "FULLY_CONNECTED",
	[NNA_HASHTABLE_LOOKUP] = "HASHTABLE_LOOKUP",
	[NNA_L2_NORMALIZATION] = "L2_NORMALIZATION",
	[NNA_L2_POOL_2D] = "L2_POOL_2D",
	[NNA_LOCAL_RESPONSE_NORMALIZATION] = "LOCAL_RESPONSE_NORMALIZATION",
	[NNA_LOGISTIC] = "LOGISTIC",
	[NNA_LSH_PROJECTION] = "LSH_PROJECTION",
	[NNA_LSTM] = "LSTM",
	[NNA_MAX_POOL_2D] = "MAX_POOL_2D",
	[NNA_MUL] = "MUL",
	[NNA_RELU] = "RELU",
	[NNA_RELU1] = "RELU1",
	[NNA_RELU6] = "RELU6",
	[NNA_RESHAPE] = "RESHAPE",
	[NNA_RESIZE_BILINEAR] = "RESIZE_BILINEAR",
	[NNA_RNN] = "RNN",
	[NNA_SOFTMAX] = "SOFTMAX",
	[NNA_SPACE_TO_DEPTH] = "SPACE_TO_DEPTH",
	[NNA_SVDF] = "SVDF",
	[NNA_TANH] = "TANH",
	[NNA_BATCH_TO_SPACE_ND] = "BATCH_TO_SPACE_ND",
	[NNA_DIV] = "DIV",
	[NNA_MEAN] = "MEAN",
	[NNA_PAD] = "PAD",
	[NNA_SPACE_TO_BATCH_ND] = "SPACE_TO_BATCH_ND",
	[NNA_SQUEEZE] = "SQUEEZE",
	[NNA_STRIDED_SLICE] = "STRIDED_SLICE",
	[NNA_SUB] = "SUB",
	[NNA_TRANSPOSE] = "TRANSPOSE",
	[NNA_ABS] = "ABS",
	[NNA_ARGMAX] = "ARGMAX",
	[NNA_ARGMIN] = "ARGMIN",
	[NNA_AXIS_ALIGNED_BBOX_TRANSFORM] = "AXIS_ALIGNED_BBOX_TRANSFORM",
	[NNA_BIDIRECTIONAL_SEQUENCE_LSTM] = "BIDIRECTIONAL_SEQUENCE_LSTM",
	[NNA_BIDIRECTIONAL_SEQUENCE_RNN] = "BIDIRECTIONAL_SEQUENCE_RNN",
	[NNA_BOX_WITH_NMS_LIMIT] = "BOX_WITH_NMS_LIMIT",
	[NNA_CAST] = "CAST",
	[NNA_CHANNEL_SHUFFLE] = "CHANNEL_SHUFFLE",
	[NNA_DETECTION_POSTPROCESSING] = "DETECTION_POSTPROCESSING",
	[NNA_EQUAL] = "EQUAL",
	[NNA_EXP] = "EXP",
	[NNA_EXPAND_DIMS] = "EXPAND_DIMS",
	[NNA_GATHER] = "GATHER",
	[NNA_GENERATE_PROPOSALS] = "GENERATE_PROPOSALS",
	[NNA_GREATER] = "GREATER",
	[NNA_GREATER_EQUAL] = "GREATER_EQUAL",
	[NNA_GROUPED_CONV_2D] = "GROUPED_CONV_2D",
	[NNA_HEATMAP_MAX_KEYPOINT] = "HEATMAP_MAX_KEYPOINT",
	[NNA_INSTANCE_NORMALIZATION] = "INSTANCE_NORMALIZATION",
	[NNA_LESS] = "LESS",
	[NNA_LESS_EQUAL] = "LESS_EQUAL",
	[NNA_LOG] = "LOG",
	[NNA_LOGICAL_AND] = "LOGICAL_AND",
	[NNA_LOGICAL_NOT] = "LOGICAL_NOT",
	[NNA_LOGICAL_OR] = "LOGICAL_OR",
	[NNA_LOG_SOFTMAX] = "LOG_SOFTMAX",
	[NNA_MAXIMUM] = "MAXIMUM",
	[NNA_MINIMUM] = "MINIMUM",
	[NNA_NEG] = "NEG",
	[NNA_NOT_EQUAL] = "NOT_EQUAL",
	[NNA_PAD_V2] = "PAD_V2",
	[NNA_POW] = "POW",
	[NNA_PRELU] = "PRELU",
	[NNA_QUANTIZE] = "QUANTIZE",
	[NNA_QUANTIZED_16BIT_LSTM] = "QUANTIZED_16BIT_LSTM",
	[NNA_RANDOM_MULTINOMIAL] = "RANDOM_MULTINOMIAL",
	[NNA_REDUCE_ALL] = "REDUCE_ALL",
	[NNA_REDUCE_ANY] = "REDUCE_ANY",
	[NNA_REDUCE_MAX] = "REDUCE_MAX",
	[NNA_REDUCE_MIN] = "REDUCE_MIN",
	[NNA_REDUCE_PROD] = "REDUCE_PROD",
	[NNA_REDUCE_SUM] = "REDUCE_SUM",
	[NNA_ROI_ALIGN] = "ROI_ALIGN",
	[NNA_ROI_POOLING] = "ROI_POOLING",
	[NNA_RSQRT] = "RSQRT",
	[NNA_SELECT] = "SELECT",
	[NNA_SIN] = "SIN",
	[NNA_SLICE] = "SLICE",
	[NNA_SPLIT] = "SPLIT",
	[NNA_SQRT] = "SQRT",
	[NNA_TILE] = "TILE",
	[NNA_TOPK_V2] = "TOPK_V2",
	[NNA_TRANSPOSE_CONV_2D] = "TRANSPOSE_CONV_2D",
	[NNA_UNIDIRECTIONAL_SEQUENCE_LSTM] = "UNIDIRECTIONAL_SEQUENCE_LSTM",
	[NNA_UNIDIRECTIONAL_SEQUENCE_RNN] = "UNIDIRECTIONAL_SEQUENCE_RNN",
	[NNA_RESIZE_NEAREST_NEIGHBOR] = "RESIZE_NEAREST_NEIGHBOR",
	[NNA_QUANTIZED_LSTM] = "QUANTIZED_LSTM",
	[NNA_IF] = "IF",
	[NNA_WHILE] = "WHILE",
	[NNA_ELU] = "ELU",
	[NNA_HARD_SWISH] = "HARD_SWISH",
	[NNA_FILL] = "FILL",
	[NNA_RANK] = "RANK",
	[NNA_BATCH_MATMUL] = "BATCH_MATMUL",
	[NNA_PACK] = "PACK",
	[NNA_MIRROR_PAD] = "MIRROR_PAD",
	[NNA_REVERSE] = "REVERSE",
};

static const char *const extension_names[] = {
	[NNA_GATHER_ND - NNA_OPERATION_EXTENSION] = "GATHER_ND",
	[NNA_FLOOR_DIV - NNA_OPERATION_EXTENSION] = "FLOOR_DIV",
	[NNA_UNPACK - NNA_OPERATION_EXTENSION] = "UNPACK",
	[NNA_LEAKY_RELU - NNA_OPERATION_EXTENSION] = "LEAKY_RELU",
	[NNA_ARGMAX_INT64 - NNA_OPERATION_EXTENSION] = "ARGMAX_INT64",
	[NNA_COS - NNA_OPERATION_EXTENSION] = "COS",
	[NNA_SQUARED_DIFFERENCE - NNA_OPERATION_EXTENSION] = "SQUARED_DIFFERENCE",
};

/* An operand type: bytes of an element, range of its stored numbers (0, 0 for floats). */
struct type_facts {
	const char *name;
	uint32_t size;
	bool tensor;
	bool quantised;
	int64_t low, high;
};

static const struct type_facts types[] = {
	[NNA_FLOAT32] = { "FLOAT32", 4, false, false, 0, 0 },
	[NNA_INT32] = { "INT32", 4, false, false, INT32_MIN, INT32_MAX },
	[NNA_UINT32] = { "UINT32", 4, false, false, 0, UINT32_MAX },
	[NNA_TENSOR_FLOAT32] = { "TENSOR_FLOAT32", 4, true, false, 0, 0 },
	[NNA_TENSOR_INT32] = { "TENSOR_INT32", 4, true, false, INT32_MIN, INT32_MAX },
	[NNA_TENSOR_QUANT8_ASYMM] = { "TENSOR_QUANT8_ASYMM", 1, true, true, 0, UINT8_MAX },
	[NNA_BOOL] = { "BOOL", 1, false, false, 0, 1 },
	[NNA_TENSOR_QUANT16_SYMM] = { "TENSOR_QUANT16_SYMM", 2, true, true, INT16_MIN, INT16_MAX },
	[NNA_TENSOR_FLOAT16] = { "TENSOR_FLOAT16", 2, true, false, 0, 0 },
	[NNA_TENSOR_BOOL8] = { "TENSOR_BOOL8", 1, true, false, 0, 1 },
	[NNA_FLOAT16] = { "FLOAT16", 2, false, false, 0, 0 },
	[NNA_TENSOR_QUANT8_SYMM_PER_CHANNEL] = { "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, true, true,
						 INT8_MIN, INT8_MAX },
	[NNA_TENSOR_QUANT16_ASYMM] = { "TENSOR_QUANT16_ASYMM", 2, true, true, 0, UINT16_MAX },
	[NNA_TENSOR_QUANT8_SYMM] = { "TENSOR_QUANT8_SYMM", 1, true, true, INT8_MIN, INT8_MAX },
	[NNA_TENSOR_QUANT8_ASYMM_SIGNED] = { "TENSOR_QUANT8_ASYMM_SIGNED", 1, true, true, INT8_MIN,
					     INT8_MAX },
	[NNA_SUBGRAPH] = { "SUBGRAPH", 0, false, false, 0, 0 },
	[NNA_TENSOR_INT64] = { "TENSOR_INT64", 8, true, false, INT64_MIN, INT64_MAX },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct type_facts *facts(uint32_t type)
{
	return type < COUNT(types) && types[type].name ? &types[type] : NULL;
}

const char *nna_operation_name(uint32_t type)
{
	if (type < COUNT(operation_names))
		return operation_names[type];
	if (type >= NNA_OPERATION_EXTENSION &&
	    type - NNA_OPERATION_EXTENSION < COUNT(extension_names))
		return extension_names[type - NNA_OPERATION_EXTENSION];
	return NULL;
}

const char *nna_operand_type_name(uint32_t type)
{
	const struct type_facts *f = facts(type);

	return f ? f->name : NULL;
}

uint32_t nna_operand_type_size(uint32_t type)
{
	const struct type_facts *f = facts(type);

	return f ? f->size : 0;
}

bool nna_type_is_tensor(uint32_t type)
{
	const struct type_facts *f = facts(type);

	return f && f->tensor;
}

bool nna_type_is_quantised(uint32_t type)
{
	const struct type_facts *f = facts(type);

	return f && f->quantised;
}

void nna_type_range(uint32_t type, int64_t *low, int64_t *high)
{
	const struct type_facts *f = facts(type);

	*low = f ? f->low : 0;
	*high = f ? f->high : 0;
}
