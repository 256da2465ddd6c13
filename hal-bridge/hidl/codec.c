// SPDX-License-Identifier: MIT
/* The codec of the NN HAL's types in HIDL (codec.h). */
#include "hal-bridge/hidl/codec.h"

#include <errno.h>
#include <string.h>

#include "hal-bridge/binder/object.h"

/* ---------------------------------------------------------------------------------------- types */

#define NNB_HIDL_DEFINE(symbol, text, what, bytes)                                                 \
	const struct nnb_hidl_type symbol = {.name = text, .kind = what, .size = bytes}

NNB_HIDL_DEFINE(nnb_hidl_bool, "bool", NNB_HIDL_PLAIN, 1);
NNB_HIDL_DEFINE(nnb_hidl_uint8, "uint8_t", NNB_HIDL_PLAIN, 1);
NNB_HIDL_DEFINE(nnb_hidl_uint16, "uint16_t", NNB_HIDL_PLAIN, 2);
NNB_HIDL_DEFINE(nnb_hidl_uint32, "uint32_t", NNB_HIDL_PLAIN, 4);
NNB_HIDL_DEFINE(nnb_hidl_int32, "int32_t", NNB_HIDL_PLAIN, 4);
NNB_HIDL_DEFINE(nnb_hidl_uint64, "uint64_t", NNB_HIDL_PLAIN, 8);
NNB_HIDL_DEFINE(nnb_hidl_float, "float", NNB_HIDL_PLAIN, 4);
NNB_HIDL_DEFINE(nnb_hidl_monostate, "Monostate", NNB_HIDL_PLAIN, 1);
NNB_HIDL_DEFINE(nnb_hidl_bytes_32, "uint8_t[32]", NNB_HIDL_PLAIN, 32);
NNB_HIDL_DEFINE(nnb_hidl_string, "string", NNB_HIDL_STRING, sizeof(struct nnb_hidl_string));
NNB_HIDL_DEFINE(nnb_hidl_handle, "handle", NNB_HIDL_HANDLE, sizeof(struct nnb_hidl_handle));
NNB_HIDL_DEFINE(nnb_hidl_memory, "memory", NNB_HIDL_MEMORY, sizeof(struct nnb_hidl_memory));
NNB_HIDL_DEFINE(nnb_hidl_queue, "fmq", NNB_HIDL_QUEUE, sizeof(struct nnb_hidl_queue));

const struct nnb_hidl_type nnb_hidl_vec_string = {
	.name = "vec<string>",
	.kind = NNB_HIDL_VEC,
	.size = sizeof(struct nnb_hidl_vec),
	.element = &nnb_hidl_string,
};

const struct nnb_hidl_type nnb_hidl_vec_bytes_32 = {
	.name = "vec<uint8_t[32]>",
	.kind = NNB_HIDL_VEC,
	.size = sizeof(struct nnb_hidl_vec),
	.element = &nnb_hidl_bytes_32,
};

static const struct nnb_hidl_type nnb_hidl_grantor = {
	.name = "GrantorDescriptor",
	.kind = NNB_HIDL_PLAIN,
	.size = sizeof(struct nnb_hidl_grantor),
};

static const struct nnb_hidl_type nnb_hidl_vec_grantor = {
	.name = "vec<GrantorDescriptor>",
	.kind = NNB_HIDL_VEC,
	.size = sizeof(struct nnb_hidl_vec),
	.element = &nnb_hidl_grantor,
};

/* What is built in embeds as a struct of these would. */
static const struct nnb_hidl_field nnb_hidl_memory_fields[] = {
	{"handle", offsetof(struct nnb_hidl_memory, handle), &nnb_hidl_handle},
	{"name", offsetof(struct nnb_hidl_memory, name), &nnb_hidl_string},
};

static const struct nnb_hidl_field nnb_hidl_queue_fields[] = {
	{"grantors", offsetof(struct nnb_hidl_queue, grantors), &nnb_hidl_vec_grantor},
	{"handle", offsetof(struct nnb_hidl_queue, fds), &nnb_hidl_handle},
};

_Static_assert(sizeof(struct nnb_hidl_vec) == 16 && sizeof(struct nnb_hidl_string) == 16 &&
		       sizeof(struct nnb_hidl_handle) == 16 &&
		       sizeof(struct nnb_hidl_memory) == 40 &&
		       sizeof(struct nnb_hidl_grantor) == 24 && sizeof(struct nnb_hidl_queue) == 32,
	       "layouts differ from Android's");

/* Gets the fields of a type that has some to look into; a union has the one of its tag. */
static int nnb_hidl_fields(const struct nnb_hidl_type *type, const unsigned char *at,
			   const struct nnb_hidl_field **fields, uint32_t *count)
{
	switch (type->kind) {
	case NNB_HIDL_STRUCT:
		*fields = type->fields;
		*count = type->field_count;
		return 0;
	case NNB_HIDL_UNION:
		if (*at >= type->field_count)
			return -EINVAL;
		*fields = &type->fields[*at];
		*count = 1;
		return 0;
	case NNB_HIDL_MEMORY:
		*fields = nnb_hidl_memory_fields;
		*count = 2;
		return 0;
	case NNB_HIDL_QUEUE:
		*fields = nnb_hidl_queue_fields;
		*count = 2;
		return 0;
	default:
		*count = 0;
		return 0;
	}
}

/* -------------------------------------------------------------------------------------- reading */

/* Checks what the struct at @at embeds, which lies at @offset of the entry @parent. */
static int nnb_hidl_read_embedded(struct nnb_hw *reader, const struct nnb_hidl_type *type,
				  const unsigned char *at, uint32_t parent, size_t offset)
{
	const struct nnb_hidl_field *fields;
	const struct nnb_hidl_string *string;
	const struct nnb_hidl_vec *vec;
	const struct nnb_hidl_fds *fds;
	const void *data;
	uint32_t index, count;
	int ret;

	switch (type->kind) {
	case NNB_HIDL_PLAIN:
		return 0;
	case NNB_HIDL_STRING:
		string = (const void *)at;
		ret = nnb_hw_read_buffer(reader, (uint64_t)string->size + 1, parent, offset, &data,
					 &index);
		return ret ? ret : ((const char *)data)[string->size] ? -EINVAL : 0;
	case NNB_HIDL_HANDLE:
		ret = nnb_hw_read_fds(reader, parent, offset, &fds);
		return ret ? ret : ((const struct nnb_hidl_handle *)at)->fds != fds ? -EINVAL : 0;
	case NNB_HIDL_VEC:
		vec = (const void *)at;
		ret = nnb_hw_read_buffer(reader, (uint64_t)vec->count * type->element->size, parent,
					 offset, &data, &index);
		if (type->element->kind == NNB_HIDL_PLAIN)
			return ret;
		for (uint32_t i = 0; i < vec->count && !ret; i++)
			ret = nnb_hidl_read_embedded(reader, type->element,
						     (const unsigned char *)data +
							     (size_t)i * type->element->size,
						     index, (size_t)i * type->element->size);
		return ret;
	default:
		ret = nnb_hidl_fields(type, at, &fields, &count);
		for (uint32_t i = 0; i < count && !ret; i++)
			ret = nnb_hidl_read_embedded(reader, fields[i].type, at + fields[i].offset,
						     parent, offset + fields[i].offset);
		return ret;
	}
}

static int nnb_hidl_read_buffer(struct nnb_hw *reader, const struct nnb_hidl_type *type,
				const void **data)
{
	uint32_t index;
	int ret = nnb_hw_read_buffer(reader, type->size, NNB_HW_NO_PARENT, 0, data, &index);

	return ret ? ret : nnb_hidl_read_embedded(reader, type, *data, index, 0);
}

static int nnb_hidl_read_scalar(struct nnb_hw *reader, const struct nnb_hidl_type *type, void *at)
{
	return type->size == 8 ? nnb_hw_read_long(reader, at) : nnb_hw_read_int(reader, at);
}

static int nnb_hidl_read_objects(struct nnb_hw *reader, struct nnb_arena *arena,
				 struct nnb_hidl_objects *objects)
{
	int64_t count;
	int ret = nnb_hw_read_long(reader, &count);

	if (ret)
		return ret;
	/* Each one takes more than 4 bytes. */
	if (count < 0 || (uint64_t)count > (reader->size - reader->at) / 4)
		return -ENODATA;
	objects->count = (uint32_t)count;
	objects->data = nnb_arena_alloc(arena, (size_t)count, sizeof(struct nnb_object *));
	if (!objects->data)
		return -ENOMEM;
	for (uint32_t i = 0; i < objects->count && !ret; i++)
		ret = nnb_hw_read_object(reader, &objects->data[i]);
	return ret;
}

int nnb_hidl_read(struct nnb_hw *reader, struct nnb_arena *arena,
		  const struct nnb_hidl_arguments *arguments, void *value)
{
	int ret = 0;

	memset(value, 0, arguments->size);
	for (uint32_t i = 0; i < arguments->count && !ret; i++) {
		const struct nnb_hidl_argument *argument = &arguments->list[i];
		void *at = (unsigned char *)value + argument->offset;

		switch (argument->passing) {
		case NNB_HIDL_SCALAR:
			ret = nnb_hidl_read_scalar(reader, argument->type, at);
			break;
		case NNB_HIDL_BUFFER:
			ret = nnb_hidl_read_buffer(reader, argument->type, at);
			break;
		case NNB_HIDL_FDS:
			ret = nnb_hw_read_fds(reader, NNB_HW_NO_PARENT, 0, at);
			break;
		case NNB_HIDL_OBJECT:
			ret = nnb_hw_read_object(reader, at);
			break;
		case NNB_HIDL_OBJECTS:
			ret = nnb_hidl_read_objects(reader, arena, at);
			break;
		}
	}
	return ret;
}

/* -------------------------------------------------------------------------------------- writing */

static int nnb_hidl_write_embedded(struct nnb_hw *writer, const struct nnb_hidl_type *type,
				   const unsigned char *at, uint32_t parent, size_t offset)
{
	const struct nnb_hidl_field *fields;
	const struct nnb_hidl_string *string;
	const struct nnb_hidl_vec *vec;
	uint32_t index, count;
	int ret;

	switch (type->kind) {
	case NNB_HIDL_PLAIN:
		return 0;
	case NNB_HIDL_STRING:
		string = (const void *)at;
		return nnb_hw_write_buffer(writer, string->data ? string->data : "",
					   (uint64_t)string->size + 1, parent, offset, &index);
	case NNB_HIDL_HANDLE:
		return nnb_hw_write_fds(writer, ((const struct nnb_hidl_handle *)at)->fds, parent,
					offset);
	case NNB_HIDL_VEC:
		vec = (const void *)at;
		ret = nnb_hw_write_buffer(writer, vec->data,
					  (uint64_t)vec->count * type->element->size, parent,
					  offset, &index);
		if (type->element->kind == NNB_HIDL_PLAIN)
			return ret;
		for (uint32_t i = 0; i < vec->count && !ret; i++)
			ret = nnb_hidl_write_embedded(writer, type->element,
						      (const unsigned char *)vec->data +
							      (size_t)i * type->element->size,
						      index, (size_t)i * type->element->size);
		return ret;
	default:
		ret = nnb_hidl_fields(type, at, &fields, &count);
		for (uint32_t i = 0; i < count && !ret; i++)
			ret = nnb_hidl_write_embedded(writer, fields[i].type, at + fields[i].offset,
						      parent, offset + fields[i].offset);
		return ret;
	}
}

static int nnb_hidl_write_buffer(struct nnb_hw *writer, const struct nnb_hidl_type *type,
				 const void *data)
{
	uint32_t index;
	int ret = nnb_hw_write_buffer(writer, data, type->size, NNB_HW_NO_PARENT, 0, &index);

	return ret ? ret : nnb_hidl_write_embedded(writer, type, data, index, 0);
}

static int nnb_hidl_write_objects(struct nnb_hw *writer, const struct nnb_hidl_objects *objects)
{
	int ret = nnb_hw_write_long(writer, objects->count);

	for (uint32_t i = 0; i < objects->count && !ret; i++)
		ret = nnb_hw_write_object(writer, objects->data[i]);
	return ret;
}

int nnb_hidl_write(struct nnb_hw *writer, const struct nnb_hidl_arguments *arguments,
		   const void *value)
{
	int ret = 0;

	for (uint32_t i = 0; i < arguments->count && !ret; i++) {
		const struct nnb_hidl_argument *argument = &arguments->list[i];
		const void *at = (const unsigned char *)value + argument->offset;
		int64_t wide;
		int32_t word;

		switch (argument->passing) {
		case NNB_HIDL_SCALAR:
			if (argument->type->size == 8) {
				memcpy(&wide, at, sizeof(wide));
				ret = nnb_hw_write_long(writer, wide);
			} else {
				memcpy(&word, at, sizeof(word));
				ret = nnb_hw_write_int(writer, word);
			}
			break;
		case NNB_HIDL_BUFFER:
			ret = nnb_hidl_write_buffer(writer, argument->type,
						    *(const void *const *)at);
			break;
		case NNB_HIDL_FDS:
			ret = nnb_hw_write_fds(writer, *(const struct nnb_hidl_fds *const *)at,
					       NNB_HW_NO_PARENT, 0);
			break;
		case NNB_HIDL_OBJECT:
			ret = nnb_hw_write_object(writer, *(struct nnb_object *const *)at);
			break;
		case NNB_HIDL_OBJECTS:
			ret = nnb_hidl_write_objects(writer, at);
			break;
		}
	}
	return ret;
}

/* ------------------------------------------------------------------------------------- methods */

const struct nnb_hidl_method *nnb_hidl_method(const struct nnb_hidl_interface *interface,
					      uint32_t code)
{
	for (; interface; interface = interface->parent) {
		const uint32_t first = interface->methods[0].code;

		if (code >= first)
			return code - first < interface->method_count
				       ? &interface->methods[code - first]
				       : NULL;
	}
	return NULL;
}

bool nnb_hidl_is(const struct nnb_hidl_interface *interface, const struct nnb_hidl_interface *other)
{
	while (interface && interface != other)
		interface = interface->parent;
	return interface;
}
