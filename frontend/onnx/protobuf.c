// SPDX-License-Identifier: MIT
#include "frontend/onnx/protobuf.h"

#include <string.h>

bool protobuf_varint(struct protobuf *in, uint64_t *value)
{
	*value = 0;
	if (in->at == in->end)
		return false;
	for (uint32_t shift = 0; shift < 70 && in->at < in->end; shift += 7) {
		const uint8_t byte = *in->at++;

		/* The tenth byte has the last bit alone. */
		if (shift == 63 && byte > 1)
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	in->bad = true;
	return false;
}

static bool fixed(struct protobuf *in, size_t size, uint64_t *value)
{
	*value = 0;
	if (protobuf_left(in) < size) {
		in->bad |= in->at < in->end;
		return false;
	}
	for (size_t i = 0; i < size; i++)
		*value |= (uint64_t)in->at[i] << (8 * i);
	in->at += size;
	return true;
}

bool protobuf_next(struct protobuf *in, struct protobuf_field *field)
{
	uint64_t tag, size;
	bool good;

	if (in->bad || !protobuf_varint(in, &tag))
		return false;
	*field = (struct protobuf_field){ .number = (uint32_t)(tag >> 3), .kind = tag & 7 };
	switch (field->kind) {
	case PROTOBUF_VARINT:
		good = protobuf_varint(in, &field->value);
		break;
	case PROTOBUF_FIXED64:
		good = fixed(in, 8, &field->value);
		break;
	case PROTOBUF_FIXED32:
		good = fixed(in, 4, &field->value);
		break;
	case PROTOBUF_BYTES:
		good = protobuf_varint(in, &size) && size <= protobuf_left(in);
		if (good) {
			field->bytes = (struct protobuf){ in->at, in->at + size, false };
			in->at += size;
		}
		break;
	default:
		good = false;
	}
	/* Number 0 is no field's; above 2^29 none is either. */
	good = good && field->number && tag >> 32 == 0;
	in->bad |= !good;
	return good;
}

bool protobuf_number(struct protobuf_field *field, enum protobuf_kind kind, bool *started,
		     uint64_t *value)
{
	const bool first = !*started;

	*started = true;
	if (field->kind == kind) {
		*value = field->value;
		return first;
	}
	if (field->kind != PROTOBUF_BYTES) {
		field->bytes.bad = true;
		return false;
	}
	switch (kind) {
	case PROTOBUF_FIXED32:
		return fixed(&field->bytes, 4, value);
	case PROTOBUF_FIXED64:
		return fixed(&field->bytes, 8, value);
	default:
		return protobuf_varint(&field->bytes, value);
	}
}

size_t protobuf_most(const struct protobuf_field *field, enum protobuf_kind kind)
{
	const size_t size = protobuf_left(&field->bytes);

	if (field->kind != PROTOBUF_BYTES)
		return 1;
	return kind == PROTOBUF_FIXED32 ? size / 4 : kind == PROTOBUF_FIXED64 ? size / 8 : size;
}
