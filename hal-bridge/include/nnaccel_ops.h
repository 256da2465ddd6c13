/* SPDX-License-Identifier: MIT */
/*
 * The vendor extension org.nnaccel.ops: operations of the accelerator beyond NNAPI's.
 *
 * A client asks ANeuralNetworksDevice_getExtensionSupport() whether a device has the extension,
 * gets codes for its types and operations from ANeuralNetworksModel_getExtensionOperandType() and
 * ..._getExtensionOperationType(), and uses the codes in addOperand() and addOperation().
 *
 * T is one of TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
 * TENSOR_QUANT8_ASYMM_SIGNED and NNACCEL_OPS_TENSOR_INT64. A device may not support all of them:
 * getSupportedOperationsForDevices() tells.
 */
#ifndef NNACCEL_OPS_H
#define NNACCEL_OPS_H

#define NNACCEL_OPS_NAME "org.nnaccel.ops"

/* Operand types. */
enum {
	/* A tensor of 64-bit integers: no scale, no zero point. */
	NNACCEL_OPS_TENSOR_INT64 = 0,
};

/* Operations, with their inputs and outputs. */
enum {
	/* params: T, indices: TENSOR_INT32 [..., n] -> T: slices of params at the indices */
	NNACCEL_OPS_GATHER_ND = 0,
	/* a: T, b: T -> T: the largest integer that is not above a / b, with broadcasting */
	NNACCEL_OPS_FLOOR_DIV = 1,
	/* input: T, axis: INT32 -> T, ...: one output without the axis for each index of it */
	NNACCEL_OPS_UNPACK = 2,
	/* input: T, alpha: FLOAT32 -> T: the input where it is positive, else alpha times it */
	NNACCEL_OPS_LEAKY_RELU = 3,
	/* input: T, axis: INT32 -> TENSOR_INT64: as ARGMAX */
	NNACCEL_OPS_ARGMAX_INT64 = 4,
	/* input: T -> T: the cosine */
	NNACCEL_OPS_COS = 5,
	/* a: T, b: T -> T: (a - b)^2, with broadcasting */
	NNACCEL_OPS_SQUARED_DIFFERENCE = 6,
	/* input: T -> another type of the same size, with the same bytes and dimensions */
	NNACCEL_OPS_BITCAST = 7,
};

#endif
