/* SPDX-License-Identifier: MIT */
/*
 * Vendor extensions: operand types and operations beyond NNAPI's. A client names an extension, and
 * a number within it.
 *
 *	extension	org.nnaccel.ops (hal-bridge/include/nnaccel_ops.h): operations that
 *			libnnaccel has for other front ends
 *			com.example.fibonacci (hal-bridge/include/fibonacci_extension.h): Android's
 *			example
 *	code		represents a type or an operation of an extension in a model: the upper 16
 *			bits are the number of the extension, from 1 on, the lower 16 bits the
 *			number within it. Codes are the same in all models of a process
 *
 * An administrator can restrict extensions with an allow-list: a file with the absolute path of one
 * program per line; # begins a comment. Without the file every program may use extensions. The list
 * keeps programs from depending on features that other devices lack. It is no security boundary: a
 * process that can open the device can submit any job.
 *
 * The only mutable data is the cached result of the allow-list. Thread-safe.
 */
#ifndef NNB_EXTENSION_H
#define NNB_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include "nnaccel.h"

#define NNB_EXTENSION_BITS 16 /* the lower bits of a code: the number within the extension */
#define NNB_EXTENSION_ALLOWLIST "/etc/nnaccel/extensions_allowlist"

/**
 * struct nnb_extension_operand - an operand type of an extension
 * @type: enum nna_operand_type
 * @size: bytes of a scalar, or of an element
 * @tensor: it is a tensor; the library sees a scalar as a tensor of one element
 * @data_size: bytes of an operand's extension data, 0 for none
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
 * @scaling: computes the library operation's last input, a TENSOR_INT64 [3], from the extension
 *	data of output 0, which may be NULL; NULL if the operation has no such input
 */
struct nnb_extension_operation {
	uint32_t type;
	void (*scaling)(const void *data, int64_t elements[3]);
};

/* Return: the number of extensions. */
uint32_t nnb_extension_count(void);
/* Return: the name of extension @index; NULL if there is none. */
const char *nnb_extension_name(uint32_t index);
/* Return: the number of operand types of extension @index. */
uint32_t nnb_extension_operand_count(uint32_t index);

/*
 * Return: the code of type or operation @number of the named extension; 0, which is no code of an
 * extension, if there is no such extension. The number is checked when the code is used.
 */
uint32_t nnb_extension_code(const char *name, uint16_t number);

/* Return: true if a type or operation is of an extension, known or unknown. */
bool nnb_extension_has(uint32_t code);
/* Return: true if a type or operation is of a known extension, with any number within it. */
bool nnb_extension_is_known(uint32_t code);
/* Return: the meaning of a code; NULL if there is no such type or operation. */
const struct nnb_extension_operand *nnb_extension_operand(uint32_t code);
const struct nnb_extension_operation *nnb_extension_operation(uint32_t code);

/*
 * Translates an operand's type for the library: replaces a code in @desc by the library's type, and
 * a scalar of an extension by a tensor of one element. Leaves types of no extension and unknown
 * codes as they are.
 */
void nnb_extension_describe(struct nna_operand_desc *desc);

/**
 * nnb_extension_add_operation() - add an operation of an extension to a graph
 * @graph: has the operands
 * @subgraph: of @graph
 * @code: of the operation; an unknown one becomes an operation that no device supports
 * @input_count: entries of @inputs
 * @inputs: numbers of operands
 * @output_count: entries of @outputs
 * @outputs: numbers of operands
 * @data: extension data of the first output, or NULL
 *
 * If the library's operation takes @data as its last input, an operand for it is added as well.
 *
 * Return: 0 or a negative errno.
 */
int nnb_extension_add_operation(struct nna_graph *graph, uint32_t subgraph, uint32_t code,
				uint32_t input_count, const uint32_t *inputs, uint32_t output_count,
				const uint32_t *outputs, const void *data);

/* Return: true if an allow-list has a program, or does not exist. @program: its absolute path. */
bool nnb_extension_list_allows(const char *path, const char *program);
/* Return: true if NNB_EXTENSION_ALLOWLIST, which is read once, allows this process extensions. */
bool nnb_extension_is_allowed(void);

#endif
