/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the types of the NN HAL by tables, which generate.py makes from nn.toml.
 *
 * The encoding, in units of 4 bytes, is that of AIDL's own NDK backend:
 *
 *   int, enum, float   4 bytes                   long           8
 *   boolean, char      4                         byte[], byte[N]  count, bytes, padding
 *   other T[]          count, elements           String         UTF-16 with its length
 *   parcelable         1, size with itself, fields; nullable: 0 for null
 *   union              1, tag, value
 *   ParcelFileDescriptor, interface              objects of the parcel
 *
 * A parcelable states its size, so that versions can differ: unknown fields at its end are skipped,
 * missing fields are zero (-1 for descriptors).
 *
 * No data that are read are trusted: a count is compared with the rest of the parcel before memory
 * is allocated for it, a size with the size of the enclosing parcelable, a tag with the table.
 *
 * Ownership: the arena and the parcel (see parcel.h) own what is read, until the call is over. The
 * caller keeps what is written. The tables are constant. Calls on different parcels may run at the
 * same time.
 */
#ifndef NNB_AIDL_CODEC_H
#define NNB_AIDL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/parcel.h"

/* Arrays. Those of parcelables and unions have the same layout, with another type of @data. */
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
 * enum nnb_aidl_kind - the encoding of a field, and its type in C
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
 * struct nnb_aidl_type - a parcelable or union, or the parameters or the results of a method
 * @name: as in the .aidl
 * @size: bytes of the C struct
 * @is_union: the C struct begins with an int32_t, the index of the field that is set
 * @field_count: entries of @fields
 * @fields: in the order of their encoding
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
 * @since: the first interface version with the method
 * @in: its parameters, NULL for none
 * @out: its result, followed by its out parameters; NULL for none
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
 * @since: the first version with the interface
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
 * @reader: at its start
 * @arena: owns the memory that the result points to
 * @type: its table
 * @value: the C struct of @type, overwritten
 *
 * Return: 0; -ENODATA or -EINVAL if the parcel does not hold one, -ENOMEM without memory or beyond
 * the arena's limit.
 */
int nnb_aidl_read(struct nnb_reader *reader, struct nnb_arena *arena,
		  const struct nnb_aidl_type *type, void *value);
/* Reads bare fields: the parameters or the results of a method. */
int nnb_aidl_read_fields(struct nnb_reader *reader, struct nnb_arena *arena,
			 const struct nnb_aidl_type *type, void *value);

/*
 * Writes a parcelable or union, or bare fields. Return: 0, -EINVAL if a required value is null or a
 * union has no such tag, or an error of the writer.
 */
int nnb_aidl_write(struct nnb_writer *writer, const struct nnb_aidl_type *type, const void *value);
int nnb_aidl_write_fields(struct nnb_writer *writer, const struct nnb_aidl_type *type,
			  const void *value);

/* Return: the method with @code in version @version of @interface; NULL if there is none. */
const struct nnb_aidl_method *nnb_aidl_method(const struct nnb_aidl_interface *interface,
					      int version, uint32_t code);

#endif
