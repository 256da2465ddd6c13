/* SPDX-License-Identifier: MIT */
/*
 * Reading messages in protobuf's wire format that may be damaged or hostile.
 *
 * A message is a list of fields. A field is a varint, number << 3 | kind, and its value: kind 0 a
 * varint, 1 eight bytes, 5 four bytes, 2 a length as a varint and so many bytes, which are text, a
 * message, or packed numbers. Unknown fields are skipped; a field that is not repeated and comes
 * twice has its last value.
 *
 * Why not protobuf-c: it unpacks a file into structures of its own, and copies every byte field on
 * the way, so that a model of 2 GB would be in memory twice. This reader points into the file.
 *
 * A struct protobuf is a range of the file and moves forward only; every step ends within the
 * range, so that reading takes linear time. Nothing is allocated.
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum protobuf_kind {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5,
};

/**
 * struct protobuf - what is left of a message, or of packed numbers
 * @at: the next byte
 * @end: the byte after the last one
 * @bad: the message is malformed
 */
struct protobuf {
	const uint8_t *at, *end;
	bool bad;
};

/**
 * struct protobuf_field - one field
 * @number: as the schema counts
 * @kind: enum protobuf_kind
 * @value: of the kinds that are numbers: its bits
 * @bytes: of BYTES
 */
struct protobuf_field {
	uint32_t number;
	enum protobuf_kind kind;
	uint64_t value;
	struct protobuf bytes;
};

static inline size_t protobuf_left(const struct protobuf *in)
{
	return (size_t)(in->end - in->at);
}

/* The next field. Return: false at the end, and for a malformed message, which sets @in->bad. */
bool protobuf_next(struct protobuf *in, struct protobuf_field *field);

/* A varint. Return: false at the end, and for a malformed one, which sets @in->bad. */
bool protobuf_varint(struct protobuf *in, uint64_t *value);

/*
 * The next number of a repeated field, of which @field is one part: one number, or several that are
 * packed, of the kind @kind. Start with *@started false. Return: false at the end.
 */
bool protobuf_number(struct protobuf_field *field, enum protobuf_kind kind, bool *started,
		     uint64_t *value);

/* How many numbers protobuf_number() will give at most. */
size_t protobuf_most(const struct protobuf_field *field, enum protobuf_kind kind);

#endif
