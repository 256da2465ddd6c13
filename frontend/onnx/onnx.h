/* SPDX-License-Identifier: MIT */
/*
 * ONNX models as plain structures.
 *
 * Data and ownership
 *
 *	onnx_model	a graph, from a file (file.c) or from ONNX Runtime's getters (../ort)
 *	  onnx_value	what nodes read and write: name, type, shape; the bytes of a constant
 *	  onnx_node	an operator: its name, the numbers of its values, its attributes
 *	    onnx_attribute	a number, a text, numbers, or a tensor
 *
 * A reader makes a model with the functions below, one value and one node after the other. Names
 * and lists are copied into memory that the model owns. The bytes of constants are not: they stay
 * where they are, in the file, which the model owns, or in the caller's memory, for as long as the
 * model lives. They are little-endian, packed, and need not be aligned.
 *
 * In a model that is complete (onnx_model_complete()) every number of a value is in range, every
 * constant has exactly the bytes of its type and shape, nothing is written twice, and what a node
 * reads is an input, a constant or written by a node before it. Such a model is immutable, and any
 * number of threads may read it. Names come from strangers: print them through onnx_printable().
 */
#ifndef ONNX_H
#define ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/onnx/type.h"

#define ONNX_MAX_RANK 8
#define ONNX_ERROR_SIZE 512
/* A value that a node leaves out. */
#define ONNX_ABSENT UINT32_MAX
/* A dimension that the model leaves open. */
#define ONNX_OPEN (-1)
/* Versions of the operator set ai.onnx that are read. */
#define ONNX_OLDEST 13
#define ONNX_NEWEST 28

/**
 * struct onnx_tensor - a constant
 * @type: enum onnx_type, or another number
 * @rank: 0 is a scalar
 * @dims: 0 or more
 * @data: the bytes
 * @size: how many
 */
struct onnx_tensor {
	uint32_t type, rank;
	int64_t dims[ONNX_MAX_RANK];
	const void *data;
	size_t size;
};

/**
 * struct onnx_value - what a node reads or writes
 * @name: from the model
 * @shaped: its rank is known
 * @tensor: type and shape as far as the model states them, type ONNX_NONE where it does not; dims
 *	are ONNX_OPEN where they are open; @tensor.data is NULL unless it is a constant
 * @symbols: names of open dimensions, which are equal where the names are; NULL for none
 * @writer: the node that writes it, ONNX_ABSENT for none
 * @input: it is an input of the model
 * @output: it is an output of the model
 */
struct onnx_value {
	const char *name;
	bool shaped, input, output;
	struct onnx_tensor tensor;
	const char *symbols[ONNX_MAX_RANK];
	uint32_t writer;
};

enum onnx_kind {
	ONNX_KIND_FLOAT = 1,
	ONNX_KIND_INT = 2,
	ONNX_KIND_STRING = 3,
	ONNX_KIND_TENSOR = 4,
	ONNX_KIND_GRAPH = 5,
	ONNX_KIND_FLOATS = 6,
	ONNX_KIND_INTS = 7,
	ONNX_KIND_OTHER = 8,
};

/**
 * struct onnx_attribute - a parameter of a node
 * @kind: enum onnx_kind, which says what of the others it has; of GRAPH and OTHER nothing
 * @count: of @floats or @ints
 */
struct onnx_attribute {
	const char *name;
	enum onnx_kind kind;
	float f;
	int64_t i;
	const char *s;
	const float *floats;
	const int64_t *ints;
	uint32_t count;
	struct onnx_tensor tensor;
};

/**
 * struct onnx_node - an operator
 * @name: of the node, "" if it has none
 * @op: the operator: "Conv"
 * @domain: "" for ai.onnx
 * @version: of the operator set, or the one since which the operator is what it is
 * @inputs: values, ONNX_ABSENT for those that are left out
 * @outputs: likewise
 */
struct onnx_node {
	const char *name, *op, *domain;
	int64_t version;
	uint32_t input_count, output_count, attribute_count;
	uint32_t *inputs, *outputs;
	struct onnx_attribute *attributes;
};

struct onnx_memory;

/**
 * struct onnx_model - a graph
 * @values: @value_count, owned
 * @nodes: @node_count, in the order in which they run, owned
 * @inputs: values, without those that are constants
 * @outputs: values
 * @producer: the program that made the file, "" if it does not say
 * @opset: the version of the operator set ai.onnx
 * @size: of the file, bytes; 0 for none
 * @memory: what the model owns
 * @names: a table of values by name
 */
struct onnx_model {
	uint32_t value_count, node_count, input_count, output_count;
	struct onnx_value *values;
	struct onnx_node *nodes;
	uint32_t *inputs, *outputs;
	const char *producer;
	int64_t opset;
	size_t size;
	struct onnx_memory *memory;
	uint32_t value_room, node_room, input_room, output_room, name_room;
	uint32_t *names;
};

/**
 * onnx_load() - read a model file
 * @path: of the file; tensors that it keeps outside are read from files below its folder
 * @out: the model, freed by onnx_model_free()
 * @error: ONNX_ERROR_SIZE bytes for one line that says what is wrong, without the path
 *
 * Return: 0, a negative errno of reading, -ENOMEM, -ENOTSUP for an operator set that is too old or
 * too new, or -EINVAL when it is not a sound model.
 */
int onnx_load(const char *path, struct onnx_model **out, char *error);

/* The same from memory, which is copied; tensors outside of it are an error. */
int onnx_parse(const void *data, size_t size, struct onnx_model **out, char *error);

/*
 * One tensor as ONNX' test data has it (TensorProto). @memory is the model that owns what has to be
 * copied; other bytes are those at @data. Return: 0, -ENOMEM or -EINVAL.
 */
int onnx_parse_tensor(struct onnx_model *memory, const void *data, size_t size,
		      struct onnx_tensor *tensor, char *error);

/* Whether bytes look like an ONNX file: a version, and fields that its schema has. */
bool onnx_is_model(const void *data, size_t size);

/*
 * Making a model. Functions that return a pointer or a number return NULL or ONNX_ABSENT without
 * memory; names and lists are copied.
 */
struct onnx_model *onnx_model_create(void);
void onnx_model_free(struct onnx_model *model);
/* Zeroed memory that lives as long as the model, 64-byte aligned. */
void *onnx_model_allocate(struct onnx_model *model, size_t size);
const char *onnx_model_text(struct onnx_model *model, const void *text, size_t size);
/* The value of a name, which the first call adds. "" is ONNX_ABSENT. */
uint32_t onnx_model_value(struct onnx_model *model, const char *name);
/* The value of a name; ONNX_ABSENT where there is none. */
uint32_t onnx_model_find(const struct onnx_model *model, const char *name);
bool onnx_model_add_input(struct onnx_model *model, uint32_t value);
bool onnx_model_add_output(struct onnx_model *model, uint32_t value);
/* A node without a name, with room for so many values and attributes. */
struct onnx_node *onnx_model_add_node(struct onnx_model *model, uint32_t inputs, uint32_t outputs,
				      uint32_t attributes);
/* Checks the model. Return: 0, or -EINVAL with a line at @error. */
int onnx_model_complete(struct onnx_model *model, char *error);

/* The product of dims; false where one is open or it exceeds 2^40. */
bool onnx_count_elements(uint32_t rank, const int64_t *dims, uint64_t *elements);

/* Whether the node is that operator of ai.onnx. */
bool onnx_node_is(const struct onnx_node *node, const char *op);

/* The attribute of a name; NULL where the node has none. */
const struct onnx_attribute *onnx_node_attribute(const struct onnx_node *node, const char *name);

/* Copy at most @size - 1 characters, with '?' for control characters. Return: @to. */
const char *onnx_printable(const char *text, char *to, size_t size);

#define ONNX_LABEL_SIZE 160
/* "node 3 (Conv "conv1")". */
const char *onnx_node_label(const struct onnx_model *model, uint32_t node, char *to);

#endif
