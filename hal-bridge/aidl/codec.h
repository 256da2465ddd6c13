/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the types of the NN HAL by tables, which generate.py makes of nn.toml.
 *
 * Encoding, in units of 4 bytes (as AIDL's own NDK backend has it):
 *
 *   int, enum, float   4 bytes                   long           8
 *   boolean, char      4                         byte[], byte[N]  count, bytes, padding
 *   other T[]          count, elements           String         UTF-16 with its length
 *   parcelable         1, size with itself, fields; nullable: 0 for null
 *   union              1, tag, value
 *   ParcelFileDescriptor, interface              objects of the parcel
 *
 * A parcelable's size makes room for later versions: fields after the last that is known are passed
 * over, fields that are missing are zero (-1 for descriptors).
 *
 * Nothing read is trusted: a count is compared with what the parcel has left before memory is
 * taken for it, a size with that of what is around it, a tag with the table.
 *
 * Ownership: what is read is the arena's and the parcel's (see parcel.h) until the call is over.
 * What is written stays the caller's. The tables are constant; calls on different parcels may run
 * at the same time.
 */
#ifndef NNB_AIDL_CODEC_H
#define NNB_AIDL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/parcel.h"

/* Arrays; those of parcelables and unions look the same, with their own type of @data. */
struct nnb_bytes {
	uint32_t count;
	const uint8_t *data;
};

struct nnb_bools {
	uint32_t count;
	const bool *data;
};

struct nnb_ints {
	uint32_t count;
	const int32_t *data;
};

struct nnb_longs {
	uint32_t count;
	const int64_t *data;
};

struct nnb_floats {
	uint32_t count;
	const float *data;
};

struct nnb_fds {
	uint32_t count;
	const int *data;
};

/**
 * enum nnb_aidl_kind - how a field is encoded, and what it is in C
 * @NNB_AIDL_BOOL: bool
 * @NNB_AIDL_CHAR: uint16_t
 * @NNB_AIDL_INT: int32_t; enums too
 * @NNB_AIDL_LONG: int64_t
 * @NNB_AIDL_FLOAT: float
 * @NNB_AIDL_STRING: const char *, UTF-8
 * @NNB_AIDL_FD: int; -1 is null
 * @NNB_AIDL_OBJECT: struct nnb_object *; NULL is null
 * @NNB_AIDL_TOKEN: uint8_t [length]
 * @NNB_AIDL_BYTES: struct nnb_bytes
 * @NNB_AIDL_BOOLS: struct nnb_bools
 * @NNB_AIDL_INTS: struct nnb_ints
 * @NNB_AIDL_LONGS: struct nnb_longs
 * @NNB_AIDL_FLOATS: struct nnb_floats
 * @NNB_AIDL_FDS: struct nnb_fds
 * @NNB_AIDL_STRUCT: a parcelable or union, by value
 * @NNB_AIDL_NULLABLE: a pointer to a parcelable or union; NULL is null
 * @NNB_AIDL_STRUCTS: an array of parcelables or unions
 */
enum nnb_aidl_kind {
	NNB_AIDL_BOOL,
	NNB_AIDL_CHAR,
	NNB_AIDL_INT,
	NNB_AIDL_LONG,
	NNB_AIDL_FLOAT,
	NNB_AIDL_STRING,
	NNB_AIDL_FD,
	NNB_AIDL_OBJECT,
	NNB_AIDL_TOKEN,
	NNB_AIDL_BYTES,
	NNB_AIDL_BOOLS,
	NNB_AIDL_INTS,
	NNB_AIDL_LONGS,
	NNB_AIDL_FLOATS,
	NNB_AIDL_FDS,
	NNB_AIDL_STRUCT,
	NNB_AIDL_NULLABLE,
	NNB_AIDL_STRUCTS,
};

struct nnb_aidl_type;

/**
 * struct nnb_aidl_field - a field, parameter or result
 * @name: as in the .aidl
 * @kind: enum nnb_aidl_kind
 * @offset: bytes from the start of the C struct
 * @nullable: of NNB_AIDL_FD: -1 may be written and read
 * @length: of NNB_AIDL_TOKEN: bytes
 * @type: of kinds that are made of parcelables or unions, else NULL
 */
struct nnb_aidl_field {
	const char *name;
	uint8_t kind;
	uint16_t offset;
	bool nullable;
	uint16_t length;
	const struct nnb_aidl_type *type;
};

/**
 * struct nnb_aidl_type - a parcelable or union, or all that goes into a method or comes out of it
 * @name: as in the .aidl
 * @size: bytes of the C struct
 * @is_union: the C struct begins with an int32_t, the index of the field that is there
 * @field_count: entries of @fields
 * @fields: in the order in which they are encoded
 */
struct nnb_aidl_type {
	const char *name;
	uint32_t size;
	bool is_union;
	uint8_t field_count;
	const struct nnb_aidl_field *fields;
};

/**
 * struct nnb_aidl_method - a method
 * @name: as in the .aidl
 * @descriptor: of the interface
 * @code: of the transaction
 * @since: the version of the interface that brought it
 * @in: what it is called with, NULL for nothing
 * @out: its result and then its out parameters, NULL for nothing
 */
struct nnb_aidl_method {
	const char *name;
	const char *descriptor;
	uint32_t code;
	uint8_t since;
	const struct nnb_aidl_type *in, *out;
};

/**
 * struct nnb_aidl_interface - an interface
 * @descriptor: its full name, which binder carries with each call
 * @since: the version that brought it
 * @method_count: entries of @methods
 * @methods: in the order of their codes
 */
struct nnb_aidl_interface {
	const char *descriptor;
	uint8_t since;
	uint8_t method_count;
	const struct nnb_aidl_method *methods;
};

/**
 * nnb_aidl_read() - read a parcelable or union that is not null
 * @reader: stands before it
 * @arena: takes what the result points to
 * @type: its table
 * @value: the C struct of @type, overwritten
 *
 * Return: 0; -ENODATA or -EINVAL when the parcel does not hold one, -ENOMEM when there is no
 * memory for it or it would take more than the arena allows.
 */
int nnb_aidl_read(struct nnb_reader *reader, struct nnb_arena *arena,
		  const struct nnb_aidl_type *type, void *value);
/* The same for fields without anything around them: what goes into a method or comes out of it. */
int nnb_aidl_read_fields(struct nnb_reader *reader, struct nnb_arena *arena,
			 const struct nnb_aidl_type *type, void *value);

/*
 * Writes a parcelable or union, or bare fields. Return: 0, -EINVAL when something is null that may
 * not be or a union has no such tag, or an error of the writer.
 */
int nnb_aidl_write(struct nnb_writer *writer, const struct nnb_aidl_type *type, const void *value);
int nnb_aidl_write_fields(struct nnb_writer *writer, const struct nnb_aidl_type *type,
			  const void *value);

/* The method of @code that version @version of @interface has; NULL when there is none. */
const struct nnb_aidl_method *nnb_aidl_method(const struct nnb_aidl_interface *interface,
					      int version, uint32_t code);

#endif
