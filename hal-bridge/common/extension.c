// SPDX-License-Identifier: MIT
/* The registry of vendor extensions, and the allow-list (extension.h). */
#include "hal-bridge/common/extension.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/include/fibonacci_extension.h"
#include "libnnaccel/support/message.h"

/**
 * struct nnb_extension - an extension
 * @name: its name, as clients give it
 * @operands: @operand_count types, indexed by number
 * @operations: @operation_count operations, indexed by number
 */
struct nnb_extension {
	const char *name;
	const struct nnb_extension_operand *operands;
	uint32_t operand_count;
	const struct nnb_extension_operation *operations;
	uint32_t operation_count;
};

#define NNB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct nnb_extension_operand nnb_ops_operands[] = {
	{ NNA_OPERAND_TENSOR_INT64, 8, true, 0 },
};

/* In the order of nnaccel_ops.h. */
static const struct nnb_extension_operation nnb_ops_operations[] = {
	{ NNA_OPERATION_GATHER_ND, NULL },
	{ NNA_OPERATION_FLOOR_DIV, NULL },
	{ NNA_OPERATION_UNPACK, NULL },
	{ NNA_OPERATION_LEAKY_RELU, NULL },
	{ NNA_OPERATION_ARGMAX_INT64, NULL },
	{ NNA_OPERATION_COS, NULL },
	{ NNA_OPERATION_SQUARED_DIFFERENCE, NULL },
	{ NNA_OPERATION_BITCAST, NULL },
};

/* In the order of fibonacci_extension.h. */
static const struct nnb_extension_operand nnb_fibonacci_operands[] = {
	{ NNA_OPERAND_TENSOR_INT64, sizeof(int64_t), false, 0 },
	{ NNA_OPERAND_TENSOR_INT64, sizeof(int64_t), true, sizeof(ExampleQuant64AsymmParams) },
};

/*
 * Return: @number as an integer of at most 31 bits; 0, which the library refuses, for any other
 * number.
 */
static int64_t nnb_whole(double number)
{
	return number >= 1 && number <= INT32_MAX && number == floor(number) ? (int64_t)number : 0;
}

/* Multiplier, divisor and offset that convert an integer to steps of the output's scale. */
static void nnb_fibonacci_scaling(const void *data, int64_t elements[3])
{
	ExampleQuant64AsymmParams params = { .scale = 1 };

	if (data)
		memcpy(&params, data, sizeof(params));
	elements[0] = params.scale < 1 ? nnb_whole(1 / params.scale) : 1;
	elements[1] = params.scale < 1 ? 1 : nnb_whole(params.scale);
	elements[2] = params.zeroPoint;
}

static const struct nnb_extension_operation nnb_fibonacci_operations[] = {
	{ NNA_OPERATION_FIBONACCI, nnb_fibonacci_scaling },
};

static const struct nnb_extension nnb_extensions[] = {
	{
		.name = "org.nnaccel.ops",
		.operands = nnb_ops_operands,
		.operand_count = NNB_COUNT(nnb_ops_operands),
		.operations = nnb_ops_operations,
		.operation_count = NNB_COUNT(nnb_ops_operations),
	},
	{
		.name = EXAMPLE_FIBONACCI_EXTENSION_NAME,
		.operands = nnb_fibonacci_operands,
		.operand_count = NNB_COUNT(nnb_fibonacci_operands),
		.operations = nnb_fibonacci_operations,
		.operation_count = NNB_COUNT(nnb_fibonacci_operations),
	},
};

uint32_t nnb_extension_count(void)
{
	return NNB_COUNT(nnb_extensions);
}

const char *nnb_extension_name(uint32_t index)
{
	return index < NNB_COUNT(nnb_extensions) ? nnb_extensions[index].name : NULL;
}

uint32_t nnb_extension_operand_count(uint32_t index)
{
	return index < NNB_COUNT(nnb_extensions) ? nnb_extensions[index].operand_count : 0;
}

uint32_t nnb_extension_code(const char *name, uint16_t number)
{
	for (uint32_t i = 0; i < NNB_COUNT(nnb_extensions); i++) {
		if (!strcmp(nnb_extensions[i].name, name))
			return (i + 1) << NNB_EXTENSION_BITS | number;
	}
	return 0;
}

bool nnb_extension_has(uint32_t code)
{
	return code >> NNB_EXTENSION_BITS;
}

static const struct nnb_extension *nnb_extension_of(uint32_t code)
{
	uint32_t number = code >> NNB_EXTENSION_BITS;

	return number && number <= NNB_COUNT(nnb_extensions) ? &nnb_extensions[number - 1] : NULL;
}

bool nnb_extension_is_known(uint32_t code)
{
	return nnb_extension_of(code);
}

const struct nnb_extension_operand *nnb_extension_operand(uint32_t code)
{
	const struct nnb_extension *extension = nnb_extension_of(code);

	code &= (1u << NNB_EXTENSION_BITS) - 1;
	return extension && code < extension->operand_count ? &extension->operands[code] : NULL;
}

const struct nnb_extension_operation *nnb_extension_operation(uint32_t code)
{
	const struct nnb_extension *extension = nnb_extension_of(code);

	code &= (1u << NNB_EXTENSION_BITS) - 1;
	return extension && code < extension->operation_count ? &extension->operations[code] : NULL;
}

/* ----------------------------------------------------------------------------- for the library */

void nnb_extension_describe(struct nna_operand_desc *desc)
{
	static const uint32_t one = 1;
	const struct nnb_extension_operand *type = nnb_extension_operand(desc->type);

	if (!type)
		return;
	desc->type = (enum nna_operand_type)type->type;
	if (!type->tensor) {
		desc->rank = 1;
		desc->dims = &one;
	}
}

/* Adds the last input, a constant with the scaling of the output. Return: its number. */
static int nnb_scaling_emit(struct nna_graph *graph, uint32_t subgraph,
			    const struct nnb_extension_operation *operation, const void *data)
{
	const struct nna_operand_desc desc = {
		.type = NNA_OPERAND_TENSOR_INT64, .rank = 1, .dims = &(const uint32_t){ 3 },
	};
	int64_t elements[3];
	int ret, index = nna_graph_add_operand(graph, subgraph, &desc);

	if (index < 0)
		return index;
	operation->scaling(data, elements);
	ret = nna_graph_set_constant(graph, subgraph, (uint32_t)index, elements, sizeof(elements),
				     false);
	return ret ? ret : index;
}

int nnb_extension_add_operation(struct nna_graph *graph, uint32_t subgraph, uint32_t code,
				uint32_t input_count, const uint32_t *inputs, uint32_t output_count,
				const uint32_t *outputs, const void *data)
{
	const struct nnb_extension_operation *operation = nnb_extension_operation(code);
	uint32_t count = input_count, *all = calloc((size_t)count + 1, sizeof(*all));
	int ret = all ? 0 : -ENOMEM;

	if (!ret && count)
		memcpy(all, inputs, count * sizeof(*all));
	if (!ret && operation && operation->scaling) {
		ret = nnb_scaling_emit(graph, subgraph, operation, data);
		if (ret >= 0)
			all[count++] = (uint32_t)ret;
	}
	if (ret >= 0)
		ret = nna_graph_add_operation(
			graph, subgraph,
			(enum nna_operation_type)(operation ? operation->type : code), count, all,
			output_count, outputs);
	free(all);
	return ret;
}

/* ---------------------------------------------------------------------------------- allow-list */

bool nnb_extension_list_allows(const char *path, const char *program)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	bool found = false;
	size_t room = 0;

	if (!file) {
		/* A file that exists and cannot be read allows no program. */
		if (errno != ENOENT)
			nna_message(MANAGER, "%s: %s: no extensions", path, strerror(errno));
		return errno == ENOENT;
	}
	while (!found && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "#\r\n")] = '\0';
		for (size_t end = strlen(line); end && strchr(" \t", line[end - 1]); end--)
			line[end - 1] = '\0';
		found = line[0] == '/' && !strcmp(line, program);
	}
	free(line);
	fclose(file);
	return found;
}

static pthread_once_t nnb_allowed_once = PTHREAD_ONCE_INIT;
static bool nnb_allowed;

static void nnb_extension_look(void)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length < 0 ? 0 : length] = '\0';
	nnb_allowed = nnb_extension_list_allows(NNB_EXTENSION_ALLOWLIST, program);
	if (!nnb_allowed)
		nna_message(MANAGER, "%s is not in " NNB_EXTENSION_ALLOWLIST ": no extensions",
			    program);
}

bool nnb_extension_is_allowed(void)
{
	pthread_once(&nnb_allowed_once, nnb_extension_look);
	return nnb_allowed;
}
