/* SPDX-License-Identifier: MIT */
/*
 * A module: the partitions of a model as the bytes that the compiler plug-in hands to LiteRT, and
 * LiteRT to the dispatch library, in the same process or out of a file.
 *
 *	struct litert_module_head
 *	struct litert_module_part	one for each partition
 *	programs			what nna_program_save() wrote, 64-byte aligned
 *	model				a TFLite file, whose subgraph N is partition N
 *
 * A program serves the build of libnnaccel and the kind of device that it was compiled for. For
 * others the dispatch library compiles the model again. All offsets count from the first byte;
 * numbers are little-endian. The bytes are not trusted.
 */
#ifndef LITERT_MODULE_H
#define LITERT_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define LITERT_MODULE_MAGIC "NNALITE1"
#define LITERT_MODULE_ALIGNMENT 64
/* Of a partition's name, with its NUL. */
#define LITERT_PARTITION_NAME 24

/**
 * struct litert_module_head - the first bytes
 * @taken: operators in all partitions
 * @all: operators of the model that the partitions were cut out of
 */
struct litert_module_head {
	char magic[8];
	uint32_t count, taken, all, reserved;
	uint64_t model_offset, model_size;
};

/**
 * struct litert_module_part - a partition
 * @offset: of its program
 * @size: of its program; 0: it has none, because its shapes depend on its inputs
 * @operators: in it
 */
struct litert_module_part {
	uint64_t offset, size;
	uint32_t operators, reserved;
};

/**
 * struct litert_module - a module that has been checked
 * @bytes: not owned
 */
struct litert_module {
	const uint8_t *bytes;
	struct litert_module_head head;
};

/* Checks @size bytes. Return: 0 or -EBADMSG. */
int litert_module_open(const void *bytes, size_t size, struct litert_module *out);
/* Fills @part of partition @index, less than @module->head.count. */
void litert_module_get(const struct litert_module *module, uint32_t index,
		       struct litert_module_part *part);
/* Finds the partition with a name. Return: 0 or -ENOENT. */
int litert_module_find(const struct litert_module *module, const char *name, uint32_t *index);
/* Writes the name of partition @index to @name, of LITERT_PARTITION_NAME bytes. */
void litert_module_name(uint32_t index, char *name);

#endif
