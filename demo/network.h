/* SPDX-License-Identifier: MIT */
/*
 * A network in NNAPI's terms, kept so that it can be changed on its way from a file to whatever
 * builds it: the translation of TFLite files (frontend/tflite/translate.h) writes it, and it is
 * written to another sink of that kind.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nnaccel.h>

#include "frontend/tflite/translate.h"

/**
 * struct network_operand - a tensor or a number
 * @desc: its dims and scales are those below
 * @dims: desc.rank numbers
 * @scales: desc.channel_count numbers, or NULL
 * @data: of a constant, else NULL
 * @size: of @data
 * @owned: what of @data is freed with the network, or NULL; else it is the model's
 * @no_value: optional, and omitted
 */
struct network_operand {
	struct nna_operand_desc desc;
	uint32_t dims[NNACCEL_MAX_RANK];
	float *scales;
	const void *data;
	size_t size;
	void *owned;
	bool no_value;
};

/**
 * struct network_operation - an operation
 * @type: of enum nna_operation_type
 * @inputs: @input_count numbers of operands
 * @outputs: @output_count numbers of operands
 */
struct network_operation {
	uint32_t type, input_count, output_count;
	uint32_t *inputs, *outputs;
};

/**
 * struct network - a network without subgraphs and state; zeros are an empty one
 * @operands: @operand_count of them
 * @operand_room: of @operands
 * @operations: @operation_count of them, each after those whose results it reads
 * @operation_room: of @operations
 * @inputs: @input_count numbers of operands
 * @outputs: @output_count numbers of operands
 */
struct network {
	struct network_operand *operands;
	struct network_operation *operations;
	uint32_t operand_count, operand_room, operation_count, operation_room;
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
};

/* Writes to a struct network. */
extern const struct tflite_sink network_sink;

/* Members of a sink that takes neither subgraphs nor state. Return: -ENOTSUP. */
int network_refuse_subgraph(void *sink);
int network_refuse_variable(void *sink, uint32_t subgraph, uint32_t operand);
int network_refuse_reference(void *sink, uint32_t subgraph, uint32_t operand, uint32_t which);

/**
 * network_write() - build the network elsewhere
 * @ops: functions of a sink, which may keep pointers to constants for as long as the network lives
 * @sink: their first argument
 * @error: TFLITE_ERROR_SIZE bytes for a line that names the operand or the operation
 *
 * Return: 0, or what the sink returned.
 */
int network_write(const struct network *network, const struct tflite_sink *ops, void *sink,
		  char *error);

/* Frees what the network holds, and makes it an empty one. */
void network_fini(struct network *network);

/* Elements of a tensor. */
size_t network_elements(const struct network_operand *operand);

/* For messages: the name of operation @i. */
const char *network_name(const struct network *network, uint32_t i);

#endif
