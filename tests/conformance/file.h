/* SPDX-License-Identifier: MIT */
/*
 * Conformance vectors: the .nnv container, version 1.
 *
 * A file is mapped read-only and checked as a whole when it is opened: every offset, count, string,
 * index, type and size. Afterwards the records are plain pointers into the mapping and need no more
 * checks. All words are little endian; a big-endian machine is refused at compile time.
 *
 * The file belongs to the caller (nnv_file_close()); everything that the accessors return lives as
 * long as it does. An open file may be read from any number of threads.
 */
#ifndef NNV_FILE_H
#define NNV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the vectors are little endian"
#endif

#define NNV_VERSION 1
#define NNV_MAX_RANK 16

enum nnv_case_flag {
	NNV_CASE_RELAXED = 1 << 0,
	NNV_CASE_EXPECT_FAILURE = 1 << 1,
	NNV_CASE_DYNAMIC_OUTPUT_OK = 1 << 2,
	NNV_CASE_QUANT_COUPLING_OK = 1 << 3,
	NNV_CASE_DEVICE_MEMORY_OK = 1 << 4,
	NNV_CASE_INFINITE_LOOP = 1 << 5,
	NNV_CASE_HAS_FLOAT16_TENSOR = 1 << 6,
	NNV_CASE_HAS_ZERO_SIZED_OUTPUT = 1 << 7,
	NNV_CASE_QUANT8_TOLERANCE_3 = 1 << 8,
};

enum nnv_operand_flag {
	NNV_OPERAND_IGNORED = 1 << 0,
};

enum nnv_lifetime {
	NNV_TEMPORARY,
	NNV_INPUT,
	NNV_OUTPUT,
	NNV_CONSTANT_COPY,
	NNV_CONSTANT_REFERENCE,
	NNV_NO_VALUE,
	NNV_SUBGRAPH,
};

struct nnv_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_size;
	uint32_t file_size;
	uint32_t case_count;
	uint32_t cases_off;
	uint32_t strings_off;
	uint32_t strings_size;
	uint32_t spec_name;
	uint32_t spec_dir;
	uint32_t reserved[5];
};

struct nnv_case {
	uint32_t name;
	uint32_t hal_version;
	uint32_t flags;
	float multinomial_tolerance;
	uint32_t subgraph_count;
	uint32_t subgraphs_off;
	uint32_t group_version;
	uint32_t reserved;
};

struct nnv_subgraph {
	uint32_t operand_count;
	uint32_t operands_off;
	uint32_t operation_count;
	uint32_t operations_off;
	uint32_t input_count;
	uint32_t inputs_off;
	uint32_t output_count;
	uint32_t outputs_off;
};

struct nnv_operand {
	uint32_t type;
	uint32_t lifetime;
	uint32_t flags;
	uint32_t consumers;
	float scale;
	int32_t zero_point;
	uint32_t rank;
	uint32_t dims_off;
	uint32_t channel_dim;
	uint32_t channel_scale_count;
	uint32_t channel_scales_off;
	uint32_t extension;
	uint32_t data_off;
	uint32_t data_size;
	uint32_t reserved[2];
};

struct nnv_operation {
	uint32_t type;
	uint32_t extension;
	uint32_t input_count;
	uint32_t output_count;
	uint32_t inputs_off;
	uint32_t outputs_off;
};

/**
 * struct nnv_file - an open file
 * @base: the mapping, read-only
 * @size: its bytes
 * @mapped: @base was mapped by nnv_file_open()
 */
struct nnv_file {
	const uint8_t *base;
	size_t size;
	bool mapped;
};

/**
 * nnv_file_open() - map a file and check it
 * @error: receives one line when it is refused, may be NULL
 *
 * Return: 0, -EINVAL for a file that is not sound, or the error of the system call.
 */
int nnv_file_open(const char *path, struct nnv_file *file, char *error, size_t error_size);

/* The same for bytes in memory (8-byte aligned), which stay the caller's. */
int nnv_file_parse(const void *data, size_t size, struct nnv_file *file, char *error,
		   size_t error_size);

void nnv_file_close(struct nnv_file *file);

static inline const struct nnv_header *nnv_file_header(const struct nnv_file *file)
{
	return (const struct nnv_header *)file->base;
}

/* A range of the file; NULL where the offset says that it has no elements. */
static inline const void *nnv_file_at(const struct nnv_file *file, uint32_t offset)
{
	return offset ? file->base + offset : NULL;
}

static inline const char *nnv_file_string(const struct nnv_file *file, uint32_t offset)
{
	return (const char *)file->base + nnv_file_header(file)->strings_off + offset;
}

static inline const struct nnv_case *nnv_file_case(const struct nnv_file *file, uint32_t index)
{
	return (const struct nnv_case *)(file->base + nnv_file_header(file)->cases_off) + index;
}

/* Bytes of an element of an operand type; 0 for a subgraph. */
uint32_t nnv_type_size(uint32_t type);

/* True when @type is a tensor. */
bool nnv_type_is_tensor(uint32_t type);

#endif
