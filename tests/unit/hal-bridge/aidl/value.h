/* SPDX-License-Identifier: MIT */
/*
 * Values of the NN HAL's types at random and their comparison, both by the tables: for tests of
 * the codec, which go through all types that way.
 */
#ifndef NNB_TEST_VALUE_H
#define NNB_TEST_VALUE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hal-bridge/aidl/codec.h"
#include "hal-bridge/binder/arena.h"

struct value_array {
	uint32_t count;
	void *data;
};

static inline uint32_t value_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* A descriptor that is open for the whole test. */
static inline int value_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return fd;
}

static inline void value_fill(uint64_t *seed, struct nnb_arena *arena, struct nnb_object *object,
			      const struct nnb_aidl_type *type, void *value);

static inline void value_fill_field(uint64_t *seed, struct nnb_arena *arena,
				    struct nnb_object *object, const struct nnb_aidl_field *field,
				    unsigned char *at)
{
	static const char *const strings[] = { "", "a", "ab", "abc", "\xc3\xa4\xf0\x9f\x98\x80" };
	static const uint8_t sizes[] = {
		[NNB_AIDL_BYTES] = 1, [NNB_AIDL_BOOLS] = sizeof(bool), [NNB_AIDL_INTS] = 4,
		[NNB_AIDL_LONGS] = 8, [NNB_AIDL_FLOATS] = 4, [NNB_AIDL_FDS] = sizeof(int),
		[NNB_AIDL_STRUCTS] = 0,
	};
	struct value_array array = { 0 };
	const char *string = strings[value_random(seed) % 5];
	uint64_t bits = (uint64_t)value_random(seed) << 32 | value_random(seed);
	float real = (float)value_random(seed) / 1000.0f;
	int fd = value_fd();
	size_t size;
	void *pointer;

	switch (field->kind) {
	case NNB_AIDL_BOOL:
		*(bool *)at = bits & 1;
		return;
	case NNB_AIDL_CHAR:
		memcpy(at, &bits, 2);
		return;
	case NNB_AIDL_INT:
		memcpy(at, &bits, 4);
		return;
	case NNB_AIDL_FLOAT:
		memcpy(at, &real, 4);
		return;
	case NNB_AIDL_LONG:
		memcpy(at, &bits, 8);
		return;
	case NNB_AIDL_STRING:
		memcpy(at, &string, sizeof(string));
		return;
	case NNB_AIDL_FD:
		if (field->nullable && bits & 1)
			fd = -1;
		memcpy(at, &fd, sizeof(fd));
		return;
	case NNB_AIDL_OBJECT:
		memcpy(at, &object, sizeof(object));
		return;
	case NNB_AIDL_TOKEN:
		for (uint32_t i = 0; i < field->length; i++)
			at[i] = (uint8_t)value_random(seed);
		return;
	case NNB_AIDL_STRUCT:
		value_fill(seed, arena, object, field->type, at);
		return;
	case NNB_AIDL_NULLABLE:
		pointer = bits & 1 ? NULL : nnb_arena_alloc(arena, 1, field->type->size);
		if (pointer)
			value_fill(seed, arena, object, field->type, pointer);
		memcpy(at, &pointer, sizeof(pointer));
		return;
	default:
		break;
	}
	size = field->kind == NNB_AIDL_STRUCTS ? field->type->size : sizes[field->kind];
	array.count = (uint32_t)(bits % 6);
	array.data = nnb_arena_alloc(arena, array.count, size);
	for (uint32_t i = 0; i < array.count; i++) {
		unsigned char *element = (unsigned char *)array.data + i * size;

		bits = (uint64_t)value_random(seed) << 32 | value_random(seed);
		real = (float)value_random(seed) / 1000.0f;
		if (field->kind == NNB_AIDL_STRUCTS)
			value_fill(seed, arena, object, field->type, element);
		else if (field->kind == NNB_AIDL_BOOLS)
			*(bool *)element = bits & 1;
		else if (field->kind == NNB_AIDL_FDS)
			memcpy(element, &fd, sizeof(fd));
		else if (field->kind == NNB_AIDL_FLOATS)
			memcpy(element, &real, sizeof(real));
		else
			memcpy(element, &bits, size);
	}
	memcpy(at, &array, sizeof(array));
}

/* Fills @value, of @type->size bytes; @object is what all its objects are. */
static inline void value_fill(uint64_t *seed, struct nnb_arena *arena, struct nnb_object *object,
			      const struct nnb_aidl_type *type, void *value)
{
	unsigned char *at = value;
	int32_t tag;

	memset(value, 0, type->size);
	if (type->is_union) {
		tag = (int32_t)(value_random(seed) % type->field_count);
		memcpy(at, &tag, sizeof(tag));
		value_fill_field(seed, arena, object, &type->fields[tag],
				 at + type->fields[tag].offset);
		return;
	}
	for (uint32_t i = 0; i < type->field_count; i++)
		value_fill_field(seed, arena, object, &type->fields[i],
				 at + type->fields[i].offset);
}

static inline bool value_equal(const struct nnb_aidl_type *type, const void *a, const void *b);

static inline bool value_same_file(int a, int b)
{
	struct stat x, y;

	if (a < 0 || b < 0)
		return a < 0 && b < 0;
	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static inline bool value_equal_field(const struct nnb_aidl_field *field, const unsigned char *a,
				     const unsigned char *b)
{
	static const uint8_t sizes[] = {
		[NNB_AIDL_BOOL] = sizeof(bool), [NNB_AIDL_CHAR] = 2, [NNB_AIDL_INT] = 4,
		[NNB_AIDL_LONG] = 8, [NNB_AIDL_FLOAT] = 4,
		[NNB_AIDL_OBJECT] = sizeof(struct nnb_object *), [NNB_AIDL_BYTES] = 1,
		[NNB_AIDL_BOOLS] = sizeof(bool), [NNB_AIDL_INTS] = 4, [NNB_AIDL_LONGS] = 8,
		[NNB_AIDL_FLOATS] = 4, [NNB_AIDL_STRUCTS] = 0,
	};
	struct value_array x, y;
	void *p, *q;
	size_t size;

	switch (field->kind) {
	case NNB_AIDL_STRING:
		memcpy(&p, a, sizeof(p));
		memcpy(&q, b, sizeof(q));
		return !strcmp(p, q);
	case NNB_AIDL_FD:
		return value_same_file(*(const int *)a, *(const int *)b);
	case NNB_AIDL_TOKEN:
		return !memcmp(a, b, field->length);
	case NNB_AIDL_STRUCT:
		return value_equal(field->type, a, b);
	case NNB_AIDL_NULLABLE:
		memcpy(&p, a, sizeof(p));
		memcpy(&q, b, sizeof(q));
		return p && q ? value_equal(field->type, p, q) : !p && !q;
	case NNB_AIDL_BYTES:
	case NNB_AIDL_BOOLS:
	case NNB_AIDL_INTS:
	case NNB_AIDL_LONGS:
	case NNB_AIDL_FLOATS:
	case NNB_AIDL_FDS:
	case NNB_AIDL_STRUCTS:
		break;
	default:
		return !memcmp(a, b, sizes[field->kind]);
	}
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (x.count != y.count)
		return false;
	size = field->kind == NNB_AIDL_STRUCTS ? field->type->size :
	       field->kind == NNB_AIDL_FDS ? sizeof(int) : sizes[field->kind];
	for (uint32_t i = 0; i < x.count; i++) {
		const unsigned char *left = (unsigned char *)x.data + i * size;
		const unsigned char *right = (unsigned char *)y.data + i * size;

		if (field->kind == NNB_AIDL_STRUCTS ? !value_equal(field->type, left, right) :
		    field->kind == NNB_AIDL_FDS ?
			    !value_same_file(*(const int *)left, *(const int *)right) :
			    memcmp(left, right, size) != 0)
			return false;
	}
	return true;
}

/* Whether two values say the same; descriptors are equal when they are of the same file. */
static inline bool value_equal(const struct nnb_aidl_type *type, const void *a, const void *b)
{
	const unsigned char *x = a, *y = b;
	int32_t tag = 0, other = 0;

	if (type->is_union) {
		memcpy(&tag, a, sizeof(tag));
		memcpy(&other, b, sizeof(other));
		return tag == other && value_equal_field(&type->fields[tag],
							 x + type->fields[tag].offset,
							 y + type->fields[tag].offset);
	}
	for (uint32_t i = 0; i < type->field_count; i++) {
		if (!value_equal_field(&type->fields[i], x + type->fields[i].offset,
				       y + type->fields[i].offset))
			return false;
	}
	return true;
}

#endif
