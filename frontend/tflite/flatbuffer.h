/* SPDX-License-Identifier: MIT */
/*
 * Reading a flatbuffer that may be damaged or hostile.
 *
 * A flatbuffer is a file of tables. A table starts with a signed 32-bit distance back to its
 * vtable: two 16-bit sizes (of the vtable, of the table) and one 16-bit offset per field, 0 for a
 * field that has its default. Tables, vectors and strings inside a table are 32-bit distances
 * forward. Vectors start with a 32-bit count.
 *
 * Positions are byte offsets from the start of the buffer, in 64 bits so that sums cannot wrap.
 * Every read is checked against the end of the buffer. Vectors of scalars are aligned to 4 bytes,
 * and the buffer must be aligned to 16: a caller may point at elements of up to 4 bytes, and must
 * copy those of 8, which some writers do not align. Nothing is allocated. Offsets point forward,
 * except those to vtables, which hold no offsets to tables: a walk along offsets always ends.
 */
#ifndef FLATBUFFER_H
#define FLATBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct flatbuffer - the bytes
 * @base: 16-byte aligned, not owned
 * @size: bytes
 */
struct flatbuffer {
	const uint8_t *base;
	uint64_t size;
};

/**
 * struct flatbuffer_table - a table whose vtable has been checked
 * @at: position of the table
 * @vtable: position of its vtable
 * @size: bytes of the table
 * @vtable_size: bytes of the vtable
 */
struct flatbuffer_table {
	uint64_t at;
	uint64_t vtable;
	uint16_t size;
	uint16_t vtable_size;
};

/**
 * struct flatbuffer_vector - a vector that lies in the buffer
 * @at: position of the first element
 * @count: elements; 0 for a field that is absent
 * @present: the field is there
 */
struct flatbuffer_vector {
	uint64_t at;
	uint32_t count;
	bool present;
};

/* All of these return false when the buffer is malformed. Fields count from 0 in the schema. */

/* The root table, from which all others are reached. */
bool flatbuffer_root(const struct flatbuffer *fb, struct flatbuffer_table *table);

/* Copies a scalar of @size bytes (1, 2, 4, 8) to @value; an absent field leaves @value alone. */
bool flatbuffer_scalar(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t size, void *value);

/* A sub-table; *@present says whether it is there. */
bool flatbuffer_table(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		      uint32_t field, struct flatbuffer_table *child, bool *present);

/* A vector of scalars of @element bytes, which are aligned to their size, to 4 at most. */
bool flatbuffer_vector(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t element, struct flatbuffer_vector *vector);

/* A string that ends with a NUL; "" when absent. */
bool flatbuffer_string(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, const char **string);

/* Table number @index of a vector of tables (read as a vector of 4-byte elements). */
bool flatbuffer_element(const struct flatbuffer *fb, const struct flatbuffer_vector *vector,
			uint32_t index, struct flatbuffer_table *table);

#endif
