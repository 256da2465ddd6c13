// SPDX-License-Identifier: MIT
/* The codec of the NN HAL's types (codec.h). */
#include "hal-bridge/aidl/codec.h"

#include <errno.h>
#include <string.h>

/*
 * The least size of an element in an array of parcelables or unions: a marker, and a size or tag.
 * It bounds the memory that a count can make the decoder allocate.
 */
#define NNB_AIDL_MIN_STRUCT 8

/* An array of any element type. */
struct nnb_aidl_array {
	uint32_t count;
	const void *data;
};

_Static_assert(sizeof(struct nnb_aidl_array) == sizeof(struct nnb_ints) &&
	       offsetof(struct nnb_aidl_array, data) == offsetof(struct nnb_ints, data),
	       "arrays differ");

/* -------------------------------------------------------------------------------------- reading */

/**
 * struct nnb_decoder - the state of decoding
 * @reader: the parcel
 * @arena: owns the allocated memory
 * @end: end position of the innermost parcelable, or of the parcel
 */
struct nnb_decoder {
	struct nnb_reader *reader;
	struct nnb_arena *arena;
	size_t end;
};

static int nnb_read_struct(struct nnb_decoder *decoder, const struct nnb_aidl_type *type,
			   void *value);

static size_t nnb_decoder_left(const struct nnb_decoder *decoder)
{
	size_t position = decoder->reader->ops->position(decoder->reader);

	return position < decoder->end ? decoder->end - position : 0;
}

static int nnb_read_int(struct nnb_decoder *decoder, int32_t *value)
{
	if (nnb_decoder_left(decoder) < 4)
		return -ENODATA;
	return decoder->reader->ops->read_int(decoder->reader, value);
}

static int nnb_read_long(struct nnb_decoder *decoder, int64_t *value)
{
	if (nnb_decoder_left(decoder) < 8)
		return -ENODATA;
	return decoder->reader->ops->read_long(decoder->reader, value);
}

/* Reads the count of an array whose elements take at least @least bytes. */
static int nnb_read_count(struct nnb_decoder *decoder, size_t least, uint32_t *count)
{
	int32_t value;
	int ret = nnb_read_int(decoder, &value);

	if (ret)
		return ret;
	if (value < 0)
		return -EINVAL;
	if ((uint32_t)value > nnb_decoder_left(decoder) / least)
		return -ENODATA;
	*count = (uint32_t)value;
	return 0;
}

/* Reads an array of int, float (4 bytes each), boolean, long or descriptors. */
static int nnb_read_array(struct nnb_decoder *decoder, const struct nnb_aidl_field *field,
			  struct nnb_aidl_array *array)
{
	const struct nnb_reader_ops *ops = decoder->reader->ops;
	const bool is_long = field->kind == NNB_AIDL_LONGS;
	union {
		void *any;
		int32_t *ints;
		int64_t *longs;
		bool *bools;
	} to;
	int32_t flag;
	int ret = nnb_read_count(decoder, is_long ? 8 : 4, &array->count);

	if (ret)
		return ret;
	to.any = nnb_arena_alloc(decoder->arena, array->count,
				 is_long ? 8 : field->kind == NNB_AIDL_BOOLS ? sizeof(bool) : 4);
	if (!to.any)
		return -ENOMEM;
	array->data = to.any;
	if (field->kind == NNB_AIDL_INTS || field->kind == NNB_AIDL_FLOATS)
		return ops->read_words(decoder->reader, array->count, to.any);
	for (uint32_t i = 0; i < array->count && !ret; i++) {
		switch (field->kind) {
		case NNB_AIDL_LONGS:
			ret = nnb_read_long(decoder, &to.longs[i]);
			break;
		case NNB_AIDL_BOOLS:
			ret = nnb_read_int(decoder, &flag);
			if (!ret)
				to.bools[i] = flag != 0;
			break;
		default:
			ret = nnb_decoder_left(decoder) < 4 ? -ENODATA :
			      ops->read_fd(decoder->reader, &to.ints[i]);
			if (!ret && to.ints[i] < 0)
				ret = -EINVAL;
			break;
		}
	}
	return ret;
}

static int nnb_read_bytes(struct nnb_decoder *decoder, struct nnb_bytes *bytes)
{
	int ret;

	if (nnb_decoder_left(decoder) < 4)
		return -ENODATA;
	ret = decoder->reader->ops->read_bytes(decoder->reader, &bytes->count, &bytes->data);
	if (!ret && !bytes->data)
		ret = -EINVAL;
	return ret;
}

static int nnb_read_structs(struct nnb_decoder *decoder, const struct nnb_aidl_field *field,
			    struct nnb_aidl_array *array)
{
	unsigned char *to;
	int ret = nnb_read_count(decoder, NNB_AIDL_MIN_STRUCT, &array->count);

	if (ret)
		return ret;
	to = nnb_arena_alloc(decoder->arena, array->count, field->type->size);
	if (!to)
		return -ENOMEM;
	array->data = to;
	for (uint32_t i = 0; i < array->count && !ret; i++)
		ret = nnb_read_struct(decoder, field->type, to + (size_t)i * field->type->size);
	return ret;
}

static int nnb_read_nullable(struct nnb_decoder *decoder, const struct nnb_aidl_field *field,
			     void **value);

static int nnb_read_field(struct nnb_decoder *decoder, const struct nnb_aidl_field *field,
			  void *at)
{
	struct nnb_reader *reader = decoder->reader;
	struct nnb_aidl_array array = { 0 };
	struct nnb_bytes bytes = { 0 };
	struct nnb_object *object;
	void *pointer = NULL;
	const char *string;
	int32_t value;
	int64_t wide;
	int ret;

	switch (field->kind) {
	case NNB_AIDL_BOOL:
		ret = nnb_read_int(decoder, &value);
		if (!ret)
			*(bool *)at = value != 0;
		return ret;
	case NNB_AIDL_CHAR:
		ret = nnb_read_int(decoder, &value);
		if (!ret)
			*(uint16_t *)at = (uint16_t)value;
		return ret;
	case NNB_AIDL_INT:
	case NNB_AIDL_FLOAT:
		ret = nnb_read_int(decoder, &value);
		if (!ret)
			memcpy(at, &value, sizeof(value));
		return ret;
	case NNB_AIDL_LONG:
		ret = nnb_read_long(decoder, &wide);
		if (!ret)
			*(int64_t *)at = wide;
		return ret;
	case NNB_AIDL_STRING:
		if (nnb_decoder_left(decoder) < 4)
			return -ENODATA;
		ret = reader->ops->read_string(reader, decoder->arena, &string);
		if (!ret && !string)
			ret = -EINVAL;
		if (!ret)
			*(const char **)at = string;
		return ret;
	case NNB_AIDL_FD:
		if (nnb_decoder_left(decoder) < 4)
			return -ENODATA;
		ret = reader->ops->read_fd(reader, &value);
		if (!ret && value < 0 && !field->nullable)
			ret = -EINVAL;
		if (!ret)
			*(int *)at = value;
		return ret;
	case NNB_AIDL_OBJECT:
		if (nnb_decoder_left(decoder) < 4)
			return -ENODATA;
		ret = reader->ops->read_object(reader, &object);
		if (!ret)
			*(struct nnb_object **)at = object;
		return ret;
	case NNB_AIDL_TOKEN:
		ret = nnb_read_bytes(decoder, &bytes);
		if (!ret && bytes.count != field->length)
			ret = -EINVAL;
		if (!ret)
			memcpy(at, bytes.data, field->length);
		return ret;
	case NNB_AIDL_BYTES:
		ret = nnb_read_bytes(decoder, &bytes);
		if (!ret)
			*(struct nnb_bytes *)at = bytes;
		return ret;
	case NNB_AIDL_STRUCT:
		return nnb_read_struct(decoder, field->type, at);
	case NNB_AIDL_NULLABLE:
		ret = nnb_read_nullable(decoder, field, &pointer);
		memcpy(at, &pointer, sizeof(pointer));
		return ret;
	case NNB_AIDL_STRUCTS:
		ret = nnb_read_structs(decoder, field, &array);
		memcpy(at, &array, sizeof(array));
		return ret;
	default:
		ret = nnb_read_array(decoder, field, &array);
		memcpy(at, &array, sizeof(array));
		return ret;
	}
}

/* Fills in a field that a client of another version omits: a descriptor is -1, all else is zero. */
static void nnb_default_field(const struct nnb_aidl_field *field, void *at)
{
	if (field->kind == NNB_AIDL_FD)
		*(int *)at = -1;
	for (uint32_t i = 0; field->kind == NNB_AIDL_STRUCT && i < field->type->field_count; i++)
		nnb_default_field(&field->type->fields[i],
				  (unsigned char *)at + field->type->fields[i].offset);
}

/* Reads a parcelable or union after the marker of a value that is not null. */
static int nnb_read_content(struct nnb_decoder *decoder, const struct nnb_aidl_type *type,
			    void *value)
{
	const size_t end = decoder->end;
	unsigned char *at = value;
	size_t start, left;
	int32_t head;
	int ret;

	memset(value, 0, type->size);
	start = decoder->reader->ops->position(decoder->reader);
	ret = nnb_read_int(decoder, &head);
	if (ret)
		return ret;
	if (type->is_union) {
		if (head < 0 || head >= type->field_count)
			return -EINVAL;
		memcpy(at, &head, sizeof(head));
		return nnb_read_field(decoder, &type->fields[head], at + type->fields[head].offset);
	}
	if (head < 4 || head % 4)
		return -EINVAL;
	if ((size_t)head > end - start)
		return -ENODATA;
	decoder->end = start + (size_t)head;
	for (uint32_t i = 0; i < type->field_count && !ret; i++) {
		const struct nnb_aidl_field *field = &type->fields[i];

		if (nnb_decoder_left(decoder))
			ret = nnb_read_field(decoder, field, at + field->offset);
		else
			nnb_default_field(field, at + field->offset);
	}
	if (!ret && decoder->reader->ops->position(decoder->reader) > decoder->end)
		ret = -ENODATA;
	left = nnb_decoder_left(decoder);
	if (!ret && left)
		ret = decoder->reader->ops->skip(decoder->reader, left);
	decoder->end = end;
	return ret;
}

static int nnb_read_struct(struct nnb_decoder *decoder, const struct nnb_aidl_type *type,
			   void *value)
{
	int32_t marker;
	int ret = nnb_read_int(decoder, &marker);

	if (!ret && !marker)
		ret = -EINVAL;
	return ret ? ret : nnb_read_content(decoder, type, value);
}

static int nnb_read_nullable(struct nnb_decoder *decoder, const struct nnb_aidl_field *field,
			     void **value)
{
	int32_t marker;
	int ret = nnb_read_int(decoder, &marker);

	if (ret || !marker)
		return ret;
	*value = nnb_arena_alloc(decoder->arena, 1, field->type->size);
	return *value ? nnb_read_content(decoder, field->type, *value) : -ENOMEM;
}

static struct nnb_decoder nnb_decoder(struct nnb_reader *reader, struct nnb_arena *arena)
{
	return (struct nnb_decoder){
		.reader = reader,
		.arena = arena,
		.end = reader->ops->position(reader) + reader->ops->left(reader),
	};
}

int nnb_aidl_read(struct nnb_reader *reader, struct nnb_arena *arena,
		  const struct nnb_aidl_type *type, void *value)
{
	struct nnb_decoder decoder = nnb_decoder(reader, arena);

	return nnb_read_struct(&decoder, type, value);
}

int nnb_aidl_read_fields(struct nnb_reader *reader, struct nnb_arena *arena,
			 const struct nnb_aidl_type *type, void *value)
{
	struct nnb_decoder decoder = nnb_decoder(reader, arena);
	unsigned char *at = value;
	int ret = 0;

	memset(value, 0, type->size);
	for (uint32_t i = 0; i < type->field_count && !ret; i++)
		ret = nnb_read_field(&decoder, &type->fields[i], at + type->fields[i].offset);
	return ret;
}

/* -------------------------------------------------------------------------------------- writing */

/* Writes an array of boolean, long, descriptors, parcelables or unions, element by element. */
static int nnb_write_elements(struct nnb_writer *writer, const struct nnb_aidl_field *field,
			      const struct nnb_aidl_array *array)
{
	int ret = writer->ops->write_int(writer, (int32_t)array->count);

	for (uint32_t i = 0; i < array->count && !ret; i++) {
		switch (field->kind) {
		case NNB_AIDL_LONGS:
			ret = writer->ops->write_long(writer, ((const int64_t *)array->data)[i]);
			break;
		case NNB_AIDL_BOOLS:
			ret = writer->ops->write_int(writer, ((const bool *)array->data)[i]);
			break;
		case NNB_AIDL_FDS:
			ret = ((const int *)array->data)[i] < 0 ? -EINVAL :
			      writer->ops->write_fd(writer, ((const int *)array->data)[i]);
			break;
		default:
			ret = nnb_aidl_write(writer, field->type,
					     (const unsigned char *)array->data +
						     (size_t)i * field->type->size);
			break;
		}
	}
	return ret;
}

static int nnb_write_content(struct nnb_writer *writer, const struct nnb_aidl_type *type,
			     const void *value);

static int nnb_write_field(struct nnb_writer *writer, const struct nnb_aidl_field *field,
			   const void *at)
{
	const struct nnb_writer_ops *ops = writer->ops;
	struct nnb_aidl_array array;
	const void *pointer;
	int32_t value;
	int ret;

	switch (field->kind) {
	case NNB_AIDL_BOOL:
		return ops->write_int(writer, *(const bool *)at);
	case NNB_AIDL_CHAR:
		return ops->write_int(writer, *(const uint16_t *)at);
	case NNB_AIDL_INT:
	case NNB_AIDL_FLOAT:
		memcpy(&value, at, sizeof(value));
		return ops->write_int(writer, value);
	case NNB_AIDL_LONG:
		return ops->write_long(writer, *(const int64_t *)at);
	case NNB_AIDL_STRING:
		memcpy(&pointer, at, sizeof(pointer));
		return pointer ? ops->write_string(writer, pointer) : -EINVAL;
	case NNB_AIDL_FD:
		memcpy(&value, at, sizeof(value));
		return value < 0 && !field->nullable ? -EINVAL : ops->write_fd(writer, value);
	case NNB_AIDL_OBJECT:
		return ops->write_object(writer, *(struct nnb_object *const *)at);
	case NNB_AIDL_TOKEN:
		return ops->write_bytes(writer, field->length, at);
	case NNB_AIDL_BYTES:
		memcpy(&array, at, sizeof(array));
		return ops->write_bytes(writer, array.count, array.data);
	case NNB_AIDL_INTS:
	case NNB_AIDL_FLOATS:
		memcpy(&array, at, sizeof(array));
		ret = ops->write_int(writer, (int32_t)array.count);
		return ret ? ret : ops->write_words(writer, array.count, array.data);
	case NNB_AIDL_STRUCT:
		return nnb_aidl_write(writer, field->type, at);
	case NNB_AIDL_NULLABLE:
		memcpy(&pointer, at, sizeof(pointer));
		ret = ops->write_int(writer, pointer ? 1 : 0);
		return ret || !pointer ? ret : nnb_write_content(writer, field->type, pointer);
	default:
		memcpy(&array, at, sizeof(array));
		return nnb_write_elements(writer, field, &array);
	}
}

static int nnb_write_content(struct nnb_writer *writer, const struct nnb_aidl_type *type,
			     const void *value)
{
	const struct nnb_writer_ops *ops = writer->ops;
	const unsigned char *at = value;
	size_t start;
	int32_t tag;
	int ret;

	if (type->is_union) {
		memcpy(&tag, value, sizeof(tag));
		if (tag < 0 || tag >= type->field_count)
			return -EINVAL;
		ret = ops->write_int(writer, tag);
		return ret ? ret :
			nnb_write_field(writer, &type->fields[tag], at + type->fields[tag].offset);
	}
	start = ops->position(writer);
	ret = ops->write_int(writer, 0);
	if (!ret)
		ret = nnb_aidl_write_fields(writer, type, value);
	if (!ret)
		ret = ops->patch_int(writer, start, (int32_t)(ops->position(writer) - start));
	return ret;
}

int nnb_aidl_write(struct nnb_writer *writer, const struct nnb_aidl_type *type, const void *value)
{
	int ret = writer->ops->write_int(writer, 1);

	return ret ? ret : nnb_write_content(writer, type, value);
}

int nnb_aidl_write_fields(struct nnb_writer *writer, const struct nnb_aidl_type *type,
			  const void *value)
{
	const unsigned char *at = value;
	int ret = 0;

	for (uint32_t i = 0; i < type->field_count && !ret; i++)
		ret = nnb_write_field(writer, &type->fields[i], at + type->fields[i].offset);
	return ret;
}

/* -------------------------------------------------------------------------------------- methods */

const struct nnb_aidl_method *nnb_aidl_method(const struct nnb_aidl_interface *interface,
					      int version, uint32_t code)
{
	const struct nnb_aidl_method *method;

	if (!code || code > interface->method_count)
		return NULL;
	method = &interface->methods[code - 1];
	return method->since <= version ? method : NULL;
}
