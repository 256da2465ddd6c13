// SPDX-License-Identifier: MIT
/*
 * The reader of .onnx files: protobuf messages, of which ModelProto is the outermost. Names of
 * messages and numbers of fields are those of onnx.proto.
 *
 * What is stored as the bytes of a tensor's elements stays in the file's memory. Lists of varints
 * (int32_data, int64_data) are made elements in the model's memory, and tensors that a file keeps
 * outside are read into it. Subgraphs (If, Loop) are not read: a node with one has an attribute of
 * kind GRAPH, and the translation refuses it by name.
 */
#include "frontend/onnx/onnx.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontend/onnx/protobuf.h"

#define MAX_FILE (4ull << 30)
#define MAX_LIST (1u << 24)

/**
 * struct reader - one run of a reader
 * @folder: of the model's file, for tensors outside of it; -1 for none
 * @version: of the operator set ai.onnx
 * @microsoft_version: of com.microsoft
 */
struct reader {
	struct onnx_model *model;
	char *error;
	int folder;
	int64_t version, microsoft_version;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->error, ONNX_ERROR_SIZE, format, args);
	va_end(args);
	return -EINVAL;
}

static int no_memory(struct reader *r)
{
	snprintf(r->error, ONNX_ERROR_SIZE, "no memory");
	return -ENOMEM;
}

static int damaged(struct reader *r, const char *what)
{
	return refuse(r, "%s is damaged: download or convert it again", what);
}

static const char *text_of(struct reader *r, const struct protobuf_field *field)
{
	return onnx_model_text(r->model, field->bytes.at, protobuf_left(&field->bytes));
}

static bool is_text(const struct protobuf_field *field, const char *text)
{
	const size_t size = strlen(text);

	return field->kind == PROTOBUF_BYTES && protobuf_left(&field->bytes) == size &&
	       !memcmp(field->bytes.at, text, size);
}

/* -------------------------------------------------------------------------------------- tensors */

/* The numbers of a repeated field as elements of @size bytes behind those that are there. */
static int add_elements(struct reader *r, struct protobuf_field field, enum protobuf_kind kind,
			uint32_t size, uint8_t **to, size_t *used, size_t *room)
{
	const size_t most = protobuf_most(&field, kind) * size;
	bool started = false;
	uint64_t value;

	if (most > *room - *used) {
		const size_t wanted = *room + most > *room * 2 ? *room + most : *room * 2;
		uint8_t *grown = onnx_model_allocate(r->model, wanted);

		if (!grown)
			return no_memory(r);
		if (*used)
			memcpy(grown, *to, *used);
		*to = grown;
		*room = wanted;
	}
	while (protobuf_number(&field, kind, &started, &value)) {
		/* Little-endian as the elements are. */
		for (uint32_t i = 0; i < size; i++)
			(*to)[*used + i] = (uint8_t)(value >> (8 * i));
		*used += size;
	}
	return field.bytes.bad ? damaged(r, "a tensor") : 0;
}

/* The next of ints, dims of a tensor. */
static int add_dims(struct reader *r, struct protobuf_field field, struct onnx_tensor *tensor)
{
	bool started = false;
	uint64_t value;

	while (protobuf_number(&field, PROTOBUF_VARINT, &started, &value)) {
		if (tensor->rank == ONNX_MAX_RANK)
			return refuse(r, "a tensor has more than %u dimensions", ONNX_MAX_RANK);
		tensor->dims[tensor->rank++] = (int64_t)value;
	}
	return field.bytes.bad ? damaged(r, "a tensor") : 0;
}

/**
 * struct outside - where a tensor is that its file keeps outside
 * @location: a path below the model's folder; NULL for none
 * @length: bytes; 0 for those that the shape has
 */
struct outside {
	const char *location;
	uint64_t offset, length;
};

static int read_entry(struct reader *r, struct protobuf in, struct outside *outside)
{
	struct protobuf_field field, key = { 0 }, value = { 0 };
	const char *text;

	while (protobuf_next(&in, &field)) {
		if (field.number == 1 && field.kind == PROTOBUF_BYTES)
			key = field;
		else if (field.number == 2 && field.kind == PROTOBUF_BYTES)
			value = field;
	}
	if (in.bad || !key.number || !value.number)
		return damaged(r, "a tensor's place");
	text = text_of(r, &value);
	if (!text)
		return no_memory(r);
	if (is_text(&key, "location"))
		outside->location = text;
	else if (is_text(&key, "offset"))
		outside->offset = strtoull(text, NULL, 10);
	else if (is_text(&key, "length"))
		outside->length = strtoull(text, NULL, 10);
	return 0;
}

static int read_outside(struct reader *r, const struct outside *outside, size_t size,
			struct onnx_tensor *tensor)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	char name[128];
	struct stat st;
	uint8_t *to;
	size_t n = 0;
	int fd;

	if (!outside->location)
		return refuse(r, "a tensor is outside of the file, which does not say where");
	onnx_printable(outside->location, name, sizeof(name));
	if (r->folder < 0)
		return refuse(r, "a tensor is in the file %s, and only a model that is read from "
			      "a folder has such files", name);
	fd = (int)syscall(SYS_openat2, r->folder, outside->location, &how, sizeof(how));
	if (fd < 0)
		return refuse(r, "the tensors' file %s, which has to be in the model's folder: %s",
			      name, errno == EXDEV ? "outside of it" : strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || outside->offset > (uint64_t)st.st_size ||
	    size > (uint64_t)st.st_size - outside->offset) {
		close(fd);
		return refuse(r, "the tensors' file %s is shorter than the model says", name);
	}
	to = onnx_model_allocate(r->model, size + 1);
	while (to && n < size) {
		const ssize_t got = pread(fd, to + n, size - n, (off_t)(outside->offset + n));

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (!to)
		return no_memory(r);
	if (n < size)
		return refuse(r, "the tensors' file %s cannot be read", name);
	tensor->data = to;
	tensor->size = size;
	return 0;
}

/* Bytes of an element in the field that holds elements of @type one by one; 0 for none. */
static uint32_t listed_size(uint32_t type, uint32_t field)
{
	switch (field) {
	case 4: /* float_data */
		return type == ONNX_FLOAT ? 4 : 0;
	case 5: /* int32_data */
		return type == ONNX_INT32 ? 4 :
		       type == ONNX_INT16 || type == ONNX_UINT16 || type == ONNX_FLOAT16 ||
				       type == ONNX_BFLOAT16 ? 2 :
		       onnx_type_bits(type) == 8 || onnx_type_bits(type) == 4 ? 1 : 0;
	case 7: /* int64_data */
		return type == ONNX_INT64 ? 8 : 0;
	case 10: /* double_data */
		return type == ONNX_DOUBLE ? 8 : 0;
	case 11: /* uint64_data */
		return type == ONNX_UINT64 ? 8 : type == ONNX_UINT32 ? 4 : 0;
	default:
		return 0;
	}
}

static enum protobuf_kind listed_kind(uint32_t field)
{
	return field == 4 ? PROTOBUF_FIXED32 : field == 10 ? PROTOBUF_FIXED64 : PROTOBUF_VARINT;
}

/* TensorProto; @name gets its name, "" if it has none. */
static int read_tensor(struct reader *r, struct protobuf in, struct onnx_tensor *tensor,
		       const char **name)
{
	const struct protobuf whole = in;
	struct outside outside = { 0 };
	struct protobuf_field field;
	bool is_outside = false, has_bytes = false;
	size_t used = 0, room = 0;
	uint64_t elements, size;
	uint8_t *listed = NULL;
	char text[64];
	int ret = 0;

	*tensor = (struct onnx_tensor){ 0 };
	*name = "";
	while (!ret && protobuf_next(&in, &field)) {
		if (field.number == 1)
			ret = add_dims(r, field, tensor);
		else if (field.number == 2 && field.kind == PROTOBUF_VARINT)
			tensor->type = (uint32_t)field.value;
		else if (field.number == 8 && field.kind == PROTOBUF_BYTES)
			ret = (*name = text_of(r, &field)) ? 0 : no_memory(r);
		else if (field.number == 13 && field.kind == PROTOBUF_BYTES)
			ret = read_entry(r, field.bytes, &outside);
		else if (field.number == 14)
			is_outside = field.value == 1;
	}
	if (!ret && in.bad)
		ret = damaged(r, "a tensor");
	/* The type is known now, which the elements may come before. */
	for (in = whole; !ret && protobuf_next(&in, &field);) {
		const uint32_t element = listed_size(tensor->type, field.number);

		if (field.number == 9 && field.kind == PROTOBUF_BYTES) {
			tensor->data = field.bytes.at;
			tensor->size = protobuf_left(&field.bytes);
			has_bytes = true;
		} else if (element) {
			ret = add_elements(r, field, listed_kind(field.number), element, &listed,
					   &used, &room);
		}
	}
	if (ret)
		return ret;
	onnx_printable(*name, text, sizeof(text));
	if (!onnx_count_elements(tensor->rank, tensor->dims, &elements))
		return refuse(r, "the tensor \"%s\" has impossible dimensions", text);
	size = onnx_type_bytes(tensor->type, elements);
	if (tensor->type == ONNX_STRING || !onnx_type_bits(tensor->type)) {
		/* Known by its type only: what reads it is refused. */
		tensor->data = "";
		tensor->size = 0;
		return 0;
	}
	if (is_outside)
		return read_outside(r, &outside, size, tensor);
	if (!has_bytes) {
		tensor->data = listed ? listed : (const void *)"";
		tensor->size = used;
	}
	if (tensor->size != size)
		return refuse(r, "the tensor \"%s\" has %zu bytes, its shape %llu", text,
			      tensor->size, (unsigned long long)size);
	return 0;
}

/* --------------------------------------------------------------------------------------- values */

/* TensorShapeProto */
static int read_shape(struct reader *r, struct protobuf in, struct onnx_value *value)
{
	struct protobuf_field field, dim;

	value->shaped = true;
	value->tensor.rank = 0;
	while (protobuf_next(&in, &field)) {
		const uint32_t k = value->tensor.rank;

		if (field.number != 1 || field.kind != PROTOBUF_BYTES)
			continue;
		if (k == ONNX_MAX_RANK)
			return refuse(r, "a value has more than %u dimensions", ONNX_MAX_RANK);
		value->tensor.dims[k] = ONNX_OPEN;
		value->symbols[k] = NULL;
		while (protobuf_next(&field.bytes, &dim)) {
			if (dim.number == 1 && dim.kind == PROTOBUF_VARINT) {
				/* Some exporters write 0 or -1 for an open dimension. */
				if ((int64_t)dim.value > 0)
					value->tensor.dims[k] = (int64_t)dim.value;
			} else if (dim.number == 2 && dim.kind == PROTOBUF_BYTES) {
				value->symbols[k] = text_of(r, &dim);
				if (!value->symbols[k])
					return no_memory(r);
			}
		}
		if (field.bytes.bad)
			return damaged(r, "a shape");
		value->tensor.rank++;
	}
	return in.bad ? damaged(r, "a shape") : 0;
}

/* TypeProto */
static int read_type(struct reader *r, struct protobuf in, struct onnx_value *value)
{
	struct protobuf_field field, part;
	int ret = 0;

	while (!ret && protobuf_next(&in, &field)) {
		if (field.number != 1 || field.kind != PROTOBUF_BYTES)
			continue;
		while (!ret && protobuf_next(&field.bytes, &part)) {
			if (part.number == 1 && part.kind == PROTOBUF_VARINT)
				value->tensor.type = (uint32_t)part.value;
			else if (part.number == 2 && part.kind == PROTOBUF_BYTES)
				ret = read_shape(r, part.bytes, value);
		}
		if (!ret && field.bytes.bad)
			ret = damaged(r, "a type");
	}
	return ret ?: in.bad ? damaged(r, "a type") : 0;
}

/* ValueInfoProto. A constant keeps its own type and shape. */
static int read_value(struct reader *r, struct protobuf in, uint32_t *number)
{
	struct protobuf_field field, type = { 0 };
	struct onnx_value value = { 0 };
	const char *name = "";
	int ret;

	*number = ONNX_ABSENT;
	while (protobuf_next(&in, &field)) {
		if (field.number == 1 && field.kind == PROTOBUF_BYTES) {
			name = text_of(r, &field);
			if (!name)
				return no_memory(r);
		} else if (field.number == 2 && field.kind == PROTOBUF_BYTES) {
			type = field;
		}
	}
	if (in.bad || !*name)
		return damaged(r, "a value");
	*number = onnx_model_value(r->model, name);
	if (*number == ONNX_ABSENT)
		return no_memory(r);
	if (!type.number)
		return 0;
	ret = read_type(r, type.bytes, &value);
	if (!ret && !r->model->values[*number].tensor.data) {
		value.name = r->model->values[*number].name;
		value.writer = ONNX_ABSENT;
		r->model->values[*number] = value;
	}
	return ret;
}

static int read_constant(struct reader *r, struct protobuf in)
{
	struct onnx_tensor tensor;
	struct onnx_value *value;
	const char *name;
	uint32_t number;
	char text[64];
	int ret;

	ret = read_tensor(r, in, &tensor, &name);
	if (ret)
		return ret;
	if (!*name)
		return damaged(r, "a constant, which has no name,");
	number = onnx_model_value(r->model, name);
	if (number == ONNX_ABSENT)
		return no_memory(r);
	value = &r->model->values[number];
	if (value->tensor.data)
		return refuse(r, "the constant \"%s\" comes twice",
			      onnx_printable(name, text, sizeof(text)));
	value->tensor = tensor;
	value->shaped = true;
	return 0;
}

/* ---------------------------------------------------------------------------------------- nodes */

static int read_numbers(struct reader *r, struct protobuf in, uint32_t number,
			enum protobuf_kind kind, uint32_t size, struct onnx_attribute *to)
{
	size_t used = 0, room = 0;
	struct protobuf_field field;
	uint8_t *list = NULL;
	int ret = 0;

	while (!ret && protobuf_next(&in, &field))
		if (field.number == number)
			ret = add_elements(r, field, kind, size, &list, &used, &room);
	if (ret)
		return ret;
	if (used / size > MAX_LIST)
		return refuse(r, "an attribute has more than %u numbers", MAX_LIST);
	to->count = (uint32_t)(used / size);
	if (kind == PROTOBUF_FIXED32)
		to->floats = (const float *)list;
	else
		to->ints = (const int64_t *)list;
	return 0;
}

/* AttributeProto */
static int read_attribute(struct reader *r, struct protobuf in, struct onnx_attribute *to)
{
	static const uint8_t kinds[] = { 0, ONNX_KIND_FLOAT, ONNX_KIND_INT, ONNX_KIND_STRING,
					 ONNX_KIND_TENSOR, ONNX_KIND_GRAPH, ONNX_KIND_FLOATS,
					 ONNX_KIND_INTS };
	const struct protobuf whole = in;
	struct protobuf_field field;
	const char *unused;
	uint64_t type = 0;
	uint32_t bits;
	int ret = 0;

	*to = (struct onnx_attribute){ .name = "", .s = "" };
	while (!ret && protobuf_next(&in, &field)) {
		const bool bytes = field.kind == PROTOBUF_BYTES;

		if (field.number == 1 && bytes) {
			ret = (to->name = text_of(r, &field)) ? 0 : no_memory(r);
		} else if (field.number == 2 && field.kind == PROTOBUF_FIXED32) {
			bits = (uint32_t)field.value;
			memcpy(&to->f, &bits, sizeof(to->f));
		} else if (field.number == 3 && field.kind == PROTOBUF_VARINT) {
			to->i = (int64_t)field.value;
		} else if (field.number == 4 && bytes) {
			ret = (to->s = text_of(r, &field)) ? 0 : no_memory(r);
		} else if (field.number == 5 && bytes) {
			ret = read_tensor(r, field.bytes, &to->tensor, &unused);
		} else if (field.number == 20 && field.kind == PROTOBUF_VARINT) {
			type = field.value;
		}
	}
	if (ret)
		return ret;
	if (in.bad)
		return damaged(r, "an attribute");
	to->kind = type && type < sizeof(kinds) ? kinds[type] : ONNX_KIND_OTHER;
	if (to->kind == ONNX_KIND_TENSOR && !to->tensor.data)
		return damaged(r, "an attribute");
	if (to->kind == ONNX_KIND_FLOATS)
		return read_numbers(r, whole, 7, PROTOBUF_FIXED32, 4, to);
	if (to->kind == ONNX_KIND_INTS)
		return read_numbers(r, whole, 8, PROTOBUF_VARINT, 8, to);
	return 0;
}

/* The value that a name of a node stands for. */
static int read_name(struct reader *r, const struct protobuf_field *field, uint32_t *to)
{
	const char *name = text_of(r, field);

	if (!name)
		return no_memory(r);
	*to = onnx_model_value(r->model, name);
	return *name && *to == ONNX_ABSENT ? no_memory(r) : 0;
}

/* NodeProto */
static int read_node(struct reader *r, struct protobuf in)
{
	uint32_t inputs = 0, outputs = 0, attributes = 0;
	const struct protobuf whole = in;
	struct protobuf_field field;
	struct onnx_node *node;
	int ret = 0;

	while (protobuf_next(&in, &field)) {
		inputs += field.number == 1;
		outputs += field.number == 2;
		attributes += field.number == 5;
	}
	if (in.bad)
		return damaged(r, "a node");
	node = onnx_model_add_node(r->model, inputs, outputs, attributes);
	if (!node)
		return no_memory(r);
	for (in = whole; !ret && protobuf_next(&in, &field);) {
		if (field.kind != PROTOBUF_BYTES)
			continue;
		switch (field.number) {
		case 1:
			ret = read_name(r, &field, &node->inputs[node->input_count++]);
			break;
		case 2:
			ret = read_name(r, &field, &node->outputs[node->output_count++]);
			break;
		case 3:
			ret = (node->name = text_of(r, &field)) ? 0 : no_memory(r);
			break;
		case 4:
			ret = (node->op = text_of(r, &field)) ? 0 : no_memory(r);
			break;
		case 5:
			ret = read_attribute(r, field.bytes,
					     &node->attributes[node->attribute_count++]);
			break;
		case 7:
			ret = (node->domain = text_of(r, &field)) ? 0 : no_memory(r);
			break;
		}
	}
	if (ret)
		return ret;
	if (!strcmp(node->domain, "ai.onnx"))
		node->domain = "";
	return 0;
}

/* ---------------------------------------------------------------------------------------- model */

/* GraphProto. Constants first: they decide what an input is. */
static int read_graph(struct reader *r, struct protobuf in)
{
	const struct protobuf whole = in;
	struct protobuf_field field;
	uint32_t number;
	int ret = 0;

	while (!ret && protobuf_next(&in, &field))
		if (field.number == 5 && field.kind == PROTOBUF_BYTES)
			ret = read_constant(r, field.bytes);
		else if (field.number == 15)
			ret = refuse(r, "it has sparse tensors, which are not read");
	if (!ret && in.bad)
		ret = damaged(r, "the graph");
	for (in = whole; !ret && protobuf_next(&in, &field);) {
		if (field.kind != PROTOBUF_BYTES)
			continue;
		if (field.number == 1) {
			ret = read_node(r, field.bytes);
		} else if (field.number == 11 || field.number == 12 || field.number == 13) {
			ret = read_value(r, field.bytes, &number);
			if (!ret && field.number == 11 && !onnx_model_add_input(r->model, number))
				ret = no_memory(r);
			if (!ret && field.number == 12 && !onnx_model_add_output(r->model, number))
				ret = no_memory(r);
		}
	}
	return ret;
}

/* OperatorSetIdProto */
static int read_opset(struct reader *r, struct protobuf in)
{
	struct protobuf_field field, domain = { 0 };
	int64_t version = 0;

	while (protobuf_next(&in, &field)) {
		if (field.number == 1 && field.kind == PROTOBUF_BYTES)
			domain = field;
		else if (field.number == 2 && field.kind == PROTOBUF_VARINT)
			version = (int64_t)field.value;
	}
	if (in.bad)
		return damaged(r, "an operator set");
	if (!domain.number || is_text(&domain, "") || is_text(&domain, "ai.onnx"))
		r->version = version;
	else if (is_text(&domain, "com.microsoft"))
		r->microsoft_version = version;
	return 0;
}

static int check_version(struct reader *r)
{
	if (r->version >= ONNX_OLDEST && r->version <= ONNX_NEWEST)
		return 0;
	snprintf(r->error, ONNX_ERROR_SIZE,
		 "its operator set is version %lld; supported: %d to %d: export it with another "
		 "opset_version, or use onnx.version_converter",
		 (long long)r->version, ONNX_OLDEST, ONNX_NEWEST);
	return -ENOTSUP;
}

/* ModelProto */
static int read_model(struct reader *r, struct protobuf in)
{
	struct protobuf_field field, graph = { 0 };
	int ret = 0;

	while (!ret && protobuf_next(&in, &field)) {
		if (field.kind != PROTOBUF_BYTES)
			continue;
		if (field.number == 2)
			ret = (r->model->producer = text_of(r, &field)) ? 0 : no_memory(r);
		else if (field.number == 7)
			graph = field;
		else if (field.number == 8)
			ret = read_opset(r, field.bytes);
	}
	if (ret)
		return ret;
	if (in.bad || !graph.number)
		return damaged(r, "the file");
	ret = check_version(r) ?: read_graph(r, graph.bytes);
	if (ret)
		return ret;
	r->model->opset = r->version;
	for (uint32_t i = 0; i < r->model->node_count; i++)
		r->model->nodes[i].version = *r->model->nodes[i].domain ? r->microsoft_version :
									  r->version;
	return onnx_model_complete(r->model, r->error);
}

bool onnx_is_model(const void *data, size_t size)
{
	struct protobuf in = { data, (const uint8_t *)data + size, false };
	struct protobuf_field field;

	/* A version of the format, or a graph, and then nothing that a model does not have. */
	if (!size || !protobuf_next(&in, &field))
		return false;
	if (field.number == 1)
		return field.kind == PROTOBUF_VARINT && field.value > 0 && field.value < 64;
	return (field.number == 7 || field.number == 8) && field.kind == PROTOBUF_BYTES;
}

static int parse(struct onnx_model *model, const void *data, size_t size, int folder, char *error)
{
	struct reader r = { .model = model, .error = error, .folder = folder };

	model->size = size;
	if (!onnx_is_model(data, size))
		return refuse(&r, "it does not begin as an ONNX model");
	return read_model(&r, (struct protobuf){ data, (const uint8_t *)data + size, false });
}

int onnx_parse(const void *data, size_t size, struct onnx_model **out, char *error)
{
	struct onnx_model *model = onnx_model_create();
	void *copy = model ? onnx_model_allocate(model, size + 1) : NULL;
	int ret;

	if (!copy) {
		onnx_model_free(model);
		snprintf(error, ONNX_ERROR_SIZE, "no memory");
		return -ENOMEM;
	}
	if (size)
		memcpy(copy, data, size);
	ret = parse(model, copy, size, -1, error);
	if (ret)
		onnx_model_free(model);
	else
		*out = model;
	return ret;
}

int onnx_parse_tensor(struct onnx_model *memory, const void *data, size_t size,
		      struct onnx_tensor *tensor, char *error)
{
	struct reader r = { .model = memory, .error = error, .folder = -1 };
	const char *name;

	return read_tensor(&r, (struct protobuf){ data, (const uint8_t *)data + size, false },
			   tensor, &name);
}

static int read_file(int fd, struct onnx_model *model, void **out, size_t *size, char *error)
{
	struct stat st;
	size_t n = 0;
	char *to;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		snprintf(error, ONNX_ERROR_SIZE, "no regular file");
		return -EINVAL;
	}
	if ((uint64_t)st.st_size > MAX_FILE) {
		snprintf(error, ONNX_ERROR_SIZE, "larger than 4 GiB, which no ONNX file is");
		return -EFBIG;
	}
	to = onnx_model_allocate(model, (size_t)st.st_size + 1);
	if (!to)
		return -ENOMEM;
	while (n < (size_t)st.st_size) {
		const ssize_t got = read(fd, to + n, (size_t)st.st_size - n);

		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
	}
	*out = to;
	*size = n;
	return 0;
}

/* The folder of a path, opened. Return: -1 for an error, which tensors outside then have. */
static int open_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(copy);
	return fd;
}

int onnx_load(const char *path, struct onnx_model **out, char *error)
{
	struct onnx_model *model = onnx_model_create();
	int fd = -1, folder = -1, ret = -ENOMEM;
	void *data = NULL;
	size_t size = 0;

	*error = 0;
	if (!model)
		goto out;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ret = fd < 0 ? -errno : read_file(fd, model, &data, &size, error);
	if (ret)
		goto out;
	folder = open_folder(path);
	ret = parse(model, data, size, folder, error);
out:
	if (ret && !*error)
		snprintf(error, ONNX_ERROR_SIZE, "%s", strerror(-ret));
	if (folder >= 0)
		close(folder);
	if (fd >= 0)
		close(fd);
	if (ret)
		onnx_model_free(model);
	else
		*out = model;
	return ret;
}
