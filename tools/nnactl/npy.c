// SPDX-License-Identifier: MIT
/*
 * NumPy's files: "\x93NUMPY", two bytes of version, the length of the header in 2 bytes (version 1)
 * or 4, a Python dictionary as text, and the elements. Files are untrusted.
 */
#include "tools/nnactl/npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/nnactl.h"

#define NPY_MAX ((size_t)4 << 30)
#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
/* The elements of the files that we write start at a multiple of this, as NumPy's do. */
#define NPY_ALIGN 64

/* The first type with a description is what a file with it is taken for. */
static const struct {
	const char *description, *name;
	enum nna_operand_type type;
} TYPES[] = {
	{ "<f4", "float32", NNA_OPERAND_TENSOR_FLOAT32 },
	{ "<f2", "float16", NNA_OPERAND_TENSOR_FLOAT16 },
	{ "|u1", "uint8", NNA_OPERAND_TENSOR_QUANT8_ASYMM },
	{ "|i1", "int8", NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED },
	{ "|i1", "int8", NNA_OPERAND_TENSOR_QUANT8_SYMM },
	{ "<i2", "int16", NNA_OPERAND_TENSOR_QUANT16_SYMM },
	{ "<u2", "uint16", NNA_OPERAND_TENSOR_QUANT16_ASYMM },
	{ "<i4", "int32", NNA_OPERAND_TENSOR_INT32 },
	{ "<i8", "int64", NNA_OPERAND_TENSOR_INT64 },
	{ "|b1", "bool", NNA_OPERAND_TENSOR_BOOL8 },
};

#define TYPE_COUNT (sizeof(TYPES) / sizeof(TYPES[0]))

static size_t find_type(enum nna_operand_type type)
{
	size_t i = 0;

	while (i < TYPE_COUNT && TYPES[i].type != type)
		i++;
	return i;
}

bool nnactl_npy_fits(enum nna_operand_type file, enum nna_operand_type tensor)
{
	size_t a = find_type(file), b = find_type(tensor);

	return a < TYPE_COUNT && b < TYPE_COUNT &&
	       !strcmp(TYPES[a].description, TYPES[b].description);
}

const char *nnactl_npy_type_name(enum nna_operand_type type)
{
	size_t i = find_type(type);

	return i < TYPE_COUNT ? TYPES[i].name : "?";
}

/* What stands behind 'key': in the header, without blanks before it; NULL where it is missing. */
static const char *find_key(const char *header, const char *key)
{
	char quoted[32];
	const char *at;

	snprintf(quoted, sizeof(quoted), "'%s'", key);
	at = strstr(header, quoted);
	if (!at)
		return NULL;
	at += strlen(quoted);
	at += strspn(at, " ");
	if (*at++ != ':')
		return NULL;
	return at + strspn(at, " ");
}

static bool read_shape(struct nnactl_npy *npy, const char *at)
{
	if (!at || *at++ != '(')
		return false;
	for (;;) {
		unsigned long value;
		char *end;

		at += strspn(at, " ,");
		if (*at == ')')
			return true;
		errno = 0;
		value = strtoul(at, &end, 10);
		if (end == at || *at < '0' || *at > '9' || errno || value > UINT32_MAX ||
		    npy->rank == NNACCEL_MAX_RANK)
			return false;
		npy->dims[npy->rank++] = (uint32_t)value;
		at = end;
	}
}

static int read_header(struct nnactl_npy *npy, const char *path, const char *header)
{
	const char *order = find_key(header, "fortran_order"), *type = find_key(header, "descr");
	size_t i;

	if (!order || !type || !read_shape(npy, find_key(header, "shape")))
		return nnactl_error("%s: damaged: the header makes no sense", path);
	if (strncmp(order, "False", 5))
		return nnactl_error("%s: in Fortran's order: save np.ascontiguousarray(a)", path);
	for (i = 0; i < TYPE_COUNT; i++)
		if (type[0] == '\'' && !strncmp(type + 1, TYPES[i].description, 3) &&
		    type[4] == '\'')
			break;
	if (i == TYPE_COUNT)
		return nnactl_error("%s: elements of type %.*s, which no tensor has", path,
				    (int)strcspn(type, ",}"), type);
	npy->type = TYPES[i].type;
	return 0;
}

int nnactl_npy_load(struct nnactl_npy *npy, const char *path)
{
	size_t size, start, length, elements = 1;
	const uint8_t *bytes;
	char *header;
	int ret;

	*npy = (struct nnactl_npy){ 0 };
	npy->file = nnactl_file_read(path, NPY_MAX, &size);
	if (!npy->file)
		return 1;
	path = nnactl_file_name(path);
	bytes = (const uint8_t *)npy->file;
	if (size < MAGIC_SIZE + 6 || memcmp(bytes, MAGIC, MAGIC_SIZE))
		return nnactl_error("%s: not a NumPy array: save it with np.save()", path);
	start = bytes[6] == 1 ? 10 : 12;
	length = bytes[8] | (size_t)bytes[9] << 8;
	if (bytes[6] > 1)
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
	if (length > size - start)
		return nnactl_error("%s: cut short: the header has %zu bytes", path, length);
	header = strndup(npy->file + start, length);
	if (!header)
		return nnactl_error("out of memory");
	ret = read_header(npy, path, header);
	free(header);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < npy->rank; i++)
		if (__builtin_mul_overflow(elements, (size_t)npy->dims[i], &elements))
			return nnactl_error("%s: too large", path);
	if (__builtin_mul_overflow(elements, (size_t)nna_operand_type_size(npy->type), &npy->size))
		return nnactl_error("%s: too large", path);
	if (npy->size != size - start - length)
		return nnactl_error("%s: %zu bytes of elements, its shape has %zu", path,
				    size - start - length, npy->size);
	npy->data = npy->file + start + length;
	return 0;
}

void nnactl_npy_free(struct nnactl_npy *npy)
{
	free(npy->file);
	*npy = (struct nnactl_npy){ 0 };
}

int nnactl_npy_save(const char *path, const struct nna_io_info *info, const void *data)
{
	size_t type = find_type(info->type), n, length;
	char header[512];
	bool bad;
	FILE *file;

	if (type == TYPE_COUNT)
		return nnactl_error("%s: NumPy has no type for elements of %s", path,
				    nna_operand_type_name(info->type));
	n = (size_t)snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, "
			     "'shape': (", TYPES[type].description);
	for (uint32_t i = 0; i < info->rank; i++)
		n += (size_t)snprintf(header + n, sizeof(header) - n, "%u,%s", info->dims[i],
				      i + 1 < info->rank ? " " : "");
	n += (size_t)snprintf(header + n, sizeof(header) - n, "), }");
	length = (10 + n + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN - 10;
	memset(header + n, ' ', length - n);
	header[length - 1] = '\n';
	file = fopen(path, "we");
	if (!file)
		return nnactl_error("%s: %s", path, strerror(errno));
	bad = fwrite(MAGIC "\x01", 1, MAGIC_SIZE + 2, file) != MAGIC_SIZE + 2;
	bad |= fputc((int)(length & 0xff), file) == EOF || fputc((int)(length >> 8), file) == EOF;
	bad |= fwrite(header, 1, length, file) != length;
	bad |= info->size && fwrite(data, 1, info->size, file) != info->size;
	if (fclose(file) || bad)
		return nnactl_error("%s: %s", path, strerror(errno));
	return 0;
}
