// SPDX-License-Identifier: MIT
/* Vendor extensions: the registry, and who may use it (extension.h). */
#include "hal-bridge/common/extension.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/common/log.h"
#include "nnaccel.h"

/**
 * struct nnb_extension - an extension
 * @name: as clients know it
 * @operands: @operand_count types, by their numbers within the extension
 * @operations: @operation_count operations, likewise
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
	{ NNA_OPERAND_TENSOR_INT64, 8, true },
};

/* In the order of nnaccel_ops.h. UNPACK has one output for each index of an axis. */
static const struct nnb_extension_operation nnb_ops_operations[] = {
	{ NNA_OPERATION_GATHER_ND, 2, 1, 1 },
	{ NNA_OPERATION_FLOOR_DIV, 2, 1, 1 },
	{ NNA_OPERATION_UNPACK, 2, 1, UINT32_MAX },
	{ NNA_OPERATION_LEAKY_RELU, 2, 1, 1 },
	{ NNA_OPERATION_ARGMAX_INT64, 2, 1, 1 },
	{ NNA_OPERATION_COS, 1, 1, 1 },
	{ NNA_OPERATION_SQUARED_DIFFERENCE, 2, 1, 1 },
	{ NNA_OPERATION_BITCAST, 1, 1, 1 },
};

static const struct nnb_extension nnb_extensions[] = {
	{
		.name = "org.nnaccel.ops",
		.operands = nnb_ops_operands,
		.operand_count = NNB_COUNT(nnb_ops_operands),
		.operations = nnb_ops_operations,
		.operation_count = NNB_COUNT(nnb_ops_operations),
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

bool nnb_extension_list_allows(const char *path, const char *program)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	bool found = false;
	size_t room = 0;

	if (!file) {
		/* One that is there and cannot be read allows nobody. */
		if (errno != ENOENT)
			nnb_log("%s: %s: no extensions", path, strerror(errno));
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
		nnb_log("%s is not in " NNB_EXTENSION_ALLOWLIST ": no extensions", program);
}

bool nnb_extension_is_allowed(void)
{
	pthread_once(&nnb_allowed_once, nnb_extension_look);
	return nnb_allowed;
}
