// SPDX-License-Identifier: MIT
/* Opening a file of vectors: all of it is checked once, so that its users need not. */
#include "tests/conformance/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t nnv_magic[8] = { 'N', 'N', 'V', 'E', 'C', '\r', '\n', 0x1a };

enum { NNV_TYPE_SUBGRAPH = 15, NNV_TYPE_COUNT = 16 };

/* Ranges may be shared, so that a small file can describe any number of records: the most here. */
#define NNV_WORK_LIMIT (1u << 26)

/* Where the check is, for the message. Only what nnv_range() has accepted is pointed to. */
struct nnv_check {
	const uint8_t *base;
	size_t size;
	const struct nnv_header *header;
	uint32_t case_index, subgraph, operand;
	uint64_t work;
	char *error;
	size_t error_size;
};

static int __attribute__((format(printf, 2, 3)))
nnv_refuse(const struct nnv_check *check, const char *format, ...)
{
	va_list args;

	if (check->error && check->error_size) {
		va_start(args, format);
		vsnprintf(check->error, check->error_size, format, args);
		va_end(args);
	}
	return -EINVAL;
}

uint32_t nnv_type_size(uint32_t type)
{
	static const uint8_t size[NNV_TYPE_COUNT] = {
		4, 4, 4, 4, 4, 1, 1, 2, 2, 1, 2, 1, 2, 1, 1, 0,
	};

	return type < NNV_TYPE_COUNT ? size[type] : 0;
}

bool nnv_type_is_tensor(uint32_t type)
{
	static const uint32_t scalars = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 10 | 1 << 15;

	return type < NNV_TYPE_COUNT && !(scalars >> type & 1);
}

static bool nnv_range(struct nnv_check *check, uint32_t offset, uint64_t count, uint64_t element)
{
	uint64_t bytes;

	check->work += 1 + (element > 1 ? count : 0);
	if (check->work > NNV_WORK_LIMIT)
		return false;
	if (!count)
		return offset == 0;
	if (!offset || offset % 8 || __builtin_mul_overflow(count, element, &bytes))
		return false;
	return offset <= check->size && bytes <= check->size - offset;
}

static bool nnv_string_ok(const struct nnv_check *check, uint32_t offset)
{
	return offset < check->header->strings_size;
}

static bool nnv_indexes_ok(struct nnv_check *check, uint32_t offset, uint32_t count, uint32_t limit)
{
	const uint32_t *index;

	if (!nnv_range(check, offset, count, sizeof(*index)))
		return false;
	index = (const uint32_t *)(check->base + offset);
	for (uint32_t i = 0; i < count; i++) {
		if (index[i] >= limit)
			return false;
	}
	return true;
}

static int nnv_check_operand(struct nnv_check *check, const struct nnv_operand *operand,
			     uint32_t subgraph_count)
{
	uint64_t bytes = nnv_type_size(operand->type);
	bool known = true;
	const uint32_t *dims;

	if (operand->extension)
		return nnv_refuse(check,
				  "case %u operand %u:%u: extension types are not known here",
				  check->case_index, check->subgraph, check->operand);
	if (operand->type >= NNV_TYPE_COUNT || operand->lifetime > NNV_SUBGRAPH)
		return nnv_refuse(check, "case %u operand %u:%u: type %u, lifetime %u",
				  check->case_index, check->subgraph, check->operand, operand->type,
				  operand->lifetime);
	if (operand->reserved[0] || operand->reserved[1] || operand->flags & ~NNV_OPERAND_IGNORED)
		return nnv_refuse(check, "case %u operand %u:%u: reserved words are not 0",
				  check->case_index, check->subgraph, check->operand);
	if (operand->rank > NNV_MAX_RANK ||
	    !nnv_range(check, operand->dims_off, operand->rank, sizeof(*dims)))
		return nnv_refuse(check, "case %u operand %u:%u: dimensions out of range",
				  check->case_index, check->subgraph, check->operand);
	if (!nnv_range(check, operand->channel_scales_off, operand->channel_scale_count,
		       sizeof(float)))
		return nnv_refuse(check, "case %u operand %u:%u: channel scales out of range",
				  check->case_index, check->subgraph, check->operand);
	if (!nnv_range(check, operand->data_off, operand->data_size, 1))
		return nnv_refuse(check, "case %u operand %u:%u: data out of range",
				  check->case_index, check->subgraph, check->operand);
	if (operand->lifetime == NNV_SUBGRAPH) {
		uint32_t which;

		if (operand->type != NNV_TYPE_SUBGRAPH || operand->data_size != sizeof(which))
			return nnv_refuse(check, "case %u operand %u:%u: not a subgraph number",
					  check->case_index, check->subgraph, check->operand);
		memcpy(&which, check->base + operand->data_off, sizeof(which));
		if (which >= subgraph_count - 1)
			return nnv_refuse(check, "case %u operand %u:%u: no subgraph %u",
					  check->case_index, check->subgraph, check->operand,
					  which);
		return 0;
	}
	if ((operand->lifetime == NNV_CONSTANT_COPY ||
	     operand->lifetime == NNV_CONSTANT_REFERENCE) &&
	    !operand->data_size && nnv_type_size(operand->type)) {
		/* A constant of no elements is possible, one without a known size is not. */
		dims = nnv_type_is_tensor(operand->type) && operand->rank ?
			       (const uint32_t *)(check->base + operand->dims_off) :
			       NULL;
		for (uint32_t i = 0; dims && i < operand->rank; i++) {
			if (!dims[i])
				return 0;
		}
		return nnv_refuse(check, "case %u operand %u:%u: a constant without data",
				  check->case_index, check->subgraph, check->operand);
	}
	if (!operand->data_size)
		return 0;
	if (nnv_type_is_tensor(operand->type)) {
		known = operand->rank != 0;
		dims = (const uint32_t *)(check->base + operand->dims_off);
		for (uint32_t i = 0; i < operand->rank; i++) {
			if (!dims[i])
				known = false;
			if (__builtin_mul_overflow(bytes, dims[i], &bytes))
				return nnv_refuse(check, "case %u operand %u:%u: size overflows",
						  check->case_index, check->subgraph,
						  check->operand);
		}
	}
	if (known && bytes != operand->data_size)
		return nnv_refuse(check, "case %u operand %u:%u: %u bytes of data instead of %llu",
				  check->case_index, check->subgraph, check->operand,
				  operand->data_size, (unsigned long long)bytes);
	return 0;
}

static int nnv_check_subgraph(struct nnv_check *check, const struct nnv_subgraph *subgraph,
			      uint32_t subgraph_count)
{
	const struct nnv_operation *operations;
	const struct nnv_operand *operands;
	int ret;

	if (!nnv_range(check, subgraph->operands_off, subgraph->operand_count, sizeof(*operands)) ||
	    !nnv_range(check, subgraph->operations_off, subgraph->operation_count,
		       sizeof(*operations)))
		return nnv_refuse(check, "case %u subgraph %u: operands or operations out of range",
				  check->case_index, check->subgraph);
	operands = (const struct nnv_operand *)(check->base + subgraph->operands_off);
	for (uint32_t i = 0; i < subgraph->operand_count; i++) {
		check->operand = i;
		ret = nnv_check_operand(check, &operands[i], subgraph_count);
		if (ret)
			return ret;
	}
	operations = (const struct nnv_operation *)(check->base + subgraph->operations_off);
	for (uint32_t i = 0; i < subgraph->operation_count; i++) {
		const struct nnv_operation *operation = &operations[i];

		if (operation->extension ||
		    !nnv_indexes_ok(check, operation->inputs_off, operation->input_count,
				    subgraph->operand_count) ||
		    !nnv_indexes_ok(check, operation->outputs_off, operation->output_count,
				    subgraph->operand_count))
			return nnv_refuse(check, "case %u operation %u:%u: operands out of range",
					  check->case_index, check->subgraph, i);
	}
	if (!nnv_indexes_ok(check, subgraph->inputs_off, subgraph->input_count,
			    subgraph->operand_count) ||
	    !nnv_indexes_ok(check, subgraph->outputs_off, subgraph->output_count,
			    subgraph->operand_count))
		return nnv_refuse(check, "case %u subgraph %u: inputs or outputs out of range",
				  check->case_index, check->subgraph);
	return 0;
}

static int nnv_check_case(struct nnv_check *check, const struct nnv_case *item)
{
	const struct nnv_subgraph *subgraphs;
	int ret;

	if (!nnv_string_ok(check, item->name) || item->reserved)
		return nnv_refuse(check, "case %u: bad name or reserved word", check->case_index);
	if (!(item->multinomial_tolerance >= 0.0f) || isinf(item->multinomial_tolerance))
		return nnv_refuse(check, "case %u: bad tolerance", check->case_index);
	if (!item->subgraph_count ||
	    !nnv_range(check, item->subgraphs_off, item->subgraph_count, sizeof(*subgraphs)))
		return nnv_refuse(check, "case %u: subgraphs out of range", check->case_index);
	subgraphs = (const struct nnv_subgraph *)(check->base + item->subgraphs_off);
	for (uint32_t i = 0; i < item->subgraph_count; i++) {
		check->subgraph = i;
		ret = nnv_check_subgraph(check, &subgraphs[i], item->subgraph_count);
		if (ret)
			return ret;
	}
	return 0;
}

int nnv_file_parse(const void *data, size_t size, struct nnv_file *file, char *error,
		   size_t error_size)
{
	struct nnv_check check = {
		.base = data,
		.size = size,
		.header = data,
		.error = error,
		.error_size = error_size,
	};
	const struct nnv_header *header = data;
	const struct nnv_case *cases;
	int ret;

	memset(file, 0, sizeof(*file));
	if (size < sizeof(*header) || memcmp(header->magic, nnv_magic, sizeof(nnv_magic)))
		return nnv_refuse(&check, "not a vector file");
	if (header->version != NNV_VERSION)
		return nnv_refuse(&check, "version %u, only %u is known", header->version,
				  NNV_VERSION);
	if (header->header_size != sizeof(*header) || header->file_size != size)
		return nnv_refuse(&check, "%zu bytes, the header says %u", size, header->file_size);
	for (size_t i = 0; i < sizeof(header->reserved) / sizeof(header->reserved[0]); i++) {
		if (header->reserved[i])
			return nnv_refuse(&check, "reserved words of the header are not 0");
	}
	if (!header->strings_size ||
	    !nnv_range(&check, header->strings_off, header->strings_size, 1) ||
	    check.base[header->strings_off] != '\0' ||
	    check.base[header->strings_off + header->strings_size - 1] != '\0')
		return nnv_refuse(&check, "bad string table");
	if (!nnv_string_ok(&check, header->spec_name) || !nnv_string_ok(&check, header->spec_dir))
		return nnv_refuse(&check, "bad name of the specification");
	if (!nnv_range(&check, header->cases_off, header->case_count, sizeof(*cases)))
		return nnv_refuse(&check, "cases out of range");
	cases = (const struct nnv_case *)(check.base + header->cases_off);
	for (uint32_t i = 0; i < header->case_count; i++) {
		check.case_index = i;
		ret = nnv_check_case(&check, &cases[i]);
		if (ret)
			return ret;
	}
	file->base = data;
	file->size = size;
	return 0;
}

int nnv_file_open(const char *path, struct nnv_file *file, char *error, size_t error_size)
{
	struct stat st;
	void *base;
	int fd, ret;

	memset(file, 0, sizeof(*file));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		ret = -errno;
		if (error)
			snprintf(error, error_size, "%s", strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(struct nnv_header) ||
	    st.st_size > UINT32_MAX) {
		if (error)
			snprintf(error, error_size, "not a vector file");
		close(fd);
		return -EINVAL;
	}
	base = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ret = base == MAP_FAILED ? -errno : 0;
	close(fd);
	if (ret) {
		if (error)
			snprintf(error, error_size, "%s", strerror(-ret));
		return ret;
	}
	ret = nnv_file_parse(base, st.st_size, file, error, error_size);
	if (ret)
		munmap(base, st.st_size);
	else
		file->mapped = true;
	return ret;
}

void nnv_file_close(struct nnv_file *file)
{
	if (file->mapped)
		munmap((void *)file->base, file->size);
	memset(file, 0, sizeof(*file));
}
