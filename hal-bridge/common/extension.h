/* SPDX-License-Identifier: MIT */
/*
 * Vendor extensions: operand types and operations beyond NNAPI's, which a client knows by the name
 * of an extension and a number within it.
 *
 *	extension	org.nnaccel.ops (hal-bridge/include/nnaccel_ops.h): operations that libnnaccel
 *			has for other front ends
 *			com.example.fibonacci (hal-bridge/include/fibonacci_extension.h): Android's
 *			example
 *	code		what stands for a type or an operation of an extension in a model: the
 *			number of the extension, from 1 on, in the upper 16 bits, and that within
 *			the extension in the lower ones. It is the same in all models of a process
 *
 * Who may use extensions is up to the administrator: a file with an allow-list has one absolute
 * path of a program in each line, and # begins a comment; while there is no such file everybody
 * may. It keeps programs from depending on what another device does not have, and is no boundary:
 * whoever can open the device can give it any job.
 *
 * Nothing here changes but the cached answer about the allow-list. Thread-safe.
 */
#ifndef NNB_EXTENSION_H
#define NNB_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include "nnaccel.h"

#define NNB_EXTENSION_BITS 16 /* of a code that tell what is meant within the extension */
#define NNB_EXTENSION_ALLOWLIST "/etc/nnaccel/extensions_allowlist"

/**
 * struct nnb_extension_operand - an operand type of an extension
 * @type: enum nna_operand_type
 * @size: bytes of a scalar, or of an element
 * @tensor: it is a tensor; a scalar is a tensor of one element to the library
 * @data_size: bytes of the extension data of an operand, 0 for none
 */
struct nnb_extension_operand {
	uint32_t type;
	uint32_t size;
	bool tensor;
	uint32_t data_size;
};

/**
 * struct nnb_extension_operation - an operation of an extension
 * @type: enum nna_operation_type
 * @scaling: makes of the extension data of output 0, or of NULL, the elements of a TENSOR_INT64 [3]
 *	that the library's operation has as its last input; NULL where it has none
 */
struct nnb_extension_operation {
	uint32_t type;
	void (*scaling)(const void *data, int64_t elements[3]);
};

/* How many extensions there are. */
uint32_t nnb_extension_count(void);
/* The name of extension @index; NULL when there is none. */
const char *nnb_extension_name(uint32_t index);
/* How many operand types extension @index has. */
uint32_t nnb_extension_operand_count(uint32_t index);

/*
 * The code of type or operation @number of the extension of this name. Return: 0, which is no code
 * of an extension, when there is no such extension. What the number means is asked when it is used.
 */
uint32_t nnb_extension_code(const char *name, uint16_t number);

/* Whether a type or operation is of an extension, known or not. */
bool nnb_extension_has(uint32_t code);
/* Whether it is of an extension that there is, whatever its number within that. */
bool nnb_extension_is_known(uint32_t code);
/* What a code means; NULL when there is no such type or operation. */
const struct nnb_extension_operand *nnb_extension_operand(uint32_t code);
const struct nnb_extension_operation *nnb_extension_operation(uint32_t code);

/*
 * What the library is told of an operand whose type is a code: @desc has the code, and gets the
 * library's type; a scalar becomes a tensor of one element. A type that is of no extension stays,
 * and so does a code that means nothing.
 */
void nnb_extension_describe(struct nna_operand_desc *desc);

/**
 * nnb_extension_add_operation() - hand an operation of an extension over to the library
 * @graph: has the operands
 * @subgraph: of @graph
 * @code: which operation; one that the extension does not have is an operation that nobody supports
 * @input_count: entries of @inputs
 * @inputs: numbers of operands
 * @output_count: entries of @outputs
 * @outputs: numbers of operands
 * @data: extension data of the first output, or NULL
 *
 * Adds an operand, too, where the library's operation takes what @data says as its last input.
 *
 * Return: 0 or a negative errno.
 */
int nnb_extension_add_operation(struct nna_graph *graph, uint32_t subgraph, uint32_t code,
				uint32_t input_count, const uint32_t *inputs, uint32_t output_count,
				const uint32_t *outputs, const void *data);

/* Whether an allow-list, NULL for no such file, has a program. @program: its absolute path. */
bool nnb_extension_list_allows(const char *path, const char *program);
/* Whether this process may use extensions, by NNB_EXTENSION_ALLOWLIST. The file is read once. */
bool nnb_extension_is_allowed(void);

#endif
