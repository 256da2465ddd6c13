/* SPDX-License-Identifier: MIT */
/*
 * The vendor extension com.example.fibonacci, Android's example of an extension: an operation that
 * NNAPI does not have, with operand types of its own. examples/fibonacci.c is a client.
 */
#ifndef FIBONACCI_EXTENSION_H
#define FIBONACCI_EXTENSION_H

#include <stdint.h>

#define EXAMPLE_FIBONACCI_EXTENSION_NAME "com.example.fibonacci"

/**
 * struct ExampleQuant64AsymmParams - the quantisation of an EXAMPLE_TENSOR_QUANT64_ASYMM
 * @scale: a whole number, or 1 divided by a whole number
 * @zeroPoint: the integer that represents 0
 *
 * A number is (integer - @zeroPoint) * @scale. A client passes this structure to
 * ANeuralNetworksModel_setOperandExtensionData().
 */
typedef struct ExampleQuant64AsymmParams {
	double scale;
	int64_t zeroPoint;
} ExampleQuant64AsymmParams;

/* Operand types. */
enum {
	EXAMPLE_INT64 = 0, /* a scalar: int64_t */
	EXAMPLE_TENSOR_QUANT64_ASYMM = 1, /* a tensor of uint64_t, with a scale of its own */
};

/* Operations, with their inputs and outputs. */
enum {
	/*
	 * n: EXAMPLE_INT64 or TENSOR_FLOAT32 [1] -> numbers: EXAMPLE_TENSOR_QUANT64_ASYMM [n] or
	 * TENSOR_FLOAT32 [n]: the first n Fibonacci numbers, from 1, 1 on; n is 1 to 4096
	 */
	EXAMPLE_FIBONACCI = 0,
};

#endif
