/* SPDX-License-Identifier: MIT */
/*
 * TFLite models in NNAPI's terms.
 *
 * The translation walks a model and gives a sink, in order, the operands, constants and operations
 * of the same network in NNAPI's terms. Sinks exist for libnnaccel's graph (graph.c), and in demo/
 * for the NNAPI C API, for the NN HAL, and for a network that is changed before it goes to one of
 * those. TFLite and NNAPI differ in this:
 *
 *	UINT8		is QUANT8_ASYMM
 *	INT8		is QUANT8_ASYMM_SIGNED or, with scales per channel, QUANT8_SYMM_PER_CHANNEL
 *	INT16		is QUANT16_SYMM
 *	no scale	is scale 1, in types that need one
 *	scalars		of rank 0 are tensors of one element
 *	options		become scalar operands
 *	activations	that NNAPI does not fuse become operations
 *	bias		is made of zeros if the file has none, and gets the scale that NNAPI demands
 *	FLOAT16 weights	that a DEQUANTIZE widens become FLOAT32 constants, which is exact
 *	parameters	that TFLite holds in tensors (sizes, axes, splits) must be constants
 *	state		in variable tensors becomes variables of the graph
 *	shapes		are the file's; those that it leaves open are inferred from the shapes of
 *			the inputs (shapes.h)
 *
 * ops/ holds the translations, written with the functions of translation.h; operator_list.h names
 * the translation of each operator. Constants point into the model, which must outlive the sink's
 * result.
 */
#ifndef TFLITE_TRANSLATE_H
#define TFLITE_TRANSLATE_H

#include <nnaccel.h>

#include "frontend/tflite/tflite.h"

/**
 * struct tflite_sink - functions that build a network
 * @add_subgraph: returns the number of the new subgraph
 * @add_operand: returns the number of the new operand
 * @set_constant: the data stays valid as long as the model
 * @set_no_value: the operand is optional and omitted
 * @set_variable: the operand is state that lasts from one run to the next
 * @set_subgraph: of an operand of type NNA_OPERAND_SUBGRAPH
 * @add_operation: type is of enum nna_operation_type
 * @set_io: ends a subgraph
 * @requantizes: QUANTIZE takes quantised tensors as well; NNAPI's takes floats only
 *
 * The first argument is the sink that tflite_translate() got. All return a negative errno on
 * failure; a sink writes details to its own log. Operands count from 0 in each subgraph.
 * Subgraph 0 exists already; the others are added, in order, before anything else.
 */
struct tflite_sink {
	int (*add_subgraph)(void *sink);
	int (*add_operand)(void *sink, uint32_t subgraph, const struct nna_operand_desc *desc);
	int (*set_constant)(void *sink, uint32_t subgraph, uint32_t operand, const void *data,
			    size_t size);
	int (*set_no_value)(void *sink, uint32_t subgraph, uint32_t operand);
	int (*set_variable)(void *sink, uint32_t subgraph, uint32_t operand);
	int (*set_subgraph)(void *sink, uint32_t subgraph, uint32_t operand, uint32_t which);
	int (*add_operation)(void *sink, uint32_t subgraph, uint32_t type, uint32_t input_count,
			     const uint32_t *inputs, uint32_t output_count,
			     const uint32_t *outputs);
	int (*set_io)(void *sink, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		      uint32_t output_count, const uint32_t *outputs);
	bool requantizes;
};

/**
 * struct tflite_origin - the operator that each operation of the main subgraph comes from
 * @count: operations
 * @operators: the number of an operator for each operation; freed by tflite_origin_free()
 */
struct tflite_origin {
	uint32_t count;
	uint32_t *operators;
};

void tflite_origin_free(struct tflite_origin *origin);

/**
 * tflite_translate() - describe the whole model to a sink
 * @ops: functions of the sink
 * @sink: their first argument
 * @origin: NULL, or filled on success
 * @error: TFLITE_ERROR_SIZE bytes for one line that names the operator
 *
 * Return: 0, -ENOTSUP for an operator or type that has no translation, -EINVAL for a model that
 * contradicts itself, -ENOMEM, or what the sink returned.
 */
int tflite_translate(struct tflite_model *model, const struct tflite_sink *ops,
		     void *sink, struct tflite_origin *origin, char *error);

/* Builds a struct nna_graph, its first argument, of which operand 0 of subgraph 0 is the first. */
extern const struct tflite_sink tflite_graph_sink;

/**
 * tflite_to_graph() - a finished graph of a model
 * @log: gets the library's messages, may be NULL
 * @graph: unref'd by the caller, before the model is freed
 *
 * Return: as tflite_translate(), or as nna_graph_finish().
 */
int tflite_to_graph(struct tflite_model *model, const struct nna_log *log,
		    struct nna_graph **graph, struct tflite_origin *origin, char *error);

/*
 * The same with the caller's rounding. Unless that is TFLite's, requantisations become those that
 * NNAPI's operations can express.
 */
int tflite_to_rounded_graph(struct tflite_model *model, enum nna_rounding rounding,
			    const struct nna_log *log, struct nna_graph **graph,
			    struct tflite_origin *origin, char *error);

#endif
