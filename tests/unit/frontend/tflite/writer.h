/* SPDX-License-Identifier: MIT */
/*
 * A small flatbuffer writer for tests of the TFLite reader: tables of a model, tensors, buffers.
 * The caller owns a struct writer. What does not fit into it fails the test.
 */
#ifndef TFLITE_WRITER_H
#define TFLITE_WRITER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/*
 * The file so far. It is written from front to back: what a table refers to comes after it, and its
 * distance is filled in then. Every field has eight bytes in its table, which fits any scalar.
 * Elements of vectors are aligned to 16 bytes, and then moved by @skew, which is 0 or 4. Buffer 0
 * is the empty one, tensor i of the subgraph that is being written has buffer @buffers + i + 1.
 */
struct writer {
	uint8_t bytes[65536];
	size_t size;
	size_t skew;
	uint32_t buffers;
};

static inline size_t put_bytes(struct writer *w, const void *data, size_t size)
{
	size_t at = w->size;

	assert_true(size <= sizeof(w->bytes) - at);
	if (data)
		memcpy(w->bytes + at, data, size);
	w->size += size;
	return at;
}

static inline void align(struct writer *w, size_t to)
{
	while (w->size % to)
		w->bytes[w->size++] = 0;
}

static inline void set32(struct writer *w, size_t at, uint32_t value)
{
	memcpy(w->bytes + at, &value, 4);
}

static inline size_t table(struct writer *w, int fields)
{
	uint16_t vtable[2 + 40];
	int32_t back;
	size_t at, start;
	int i;

	align(w, 8);
	vtable[0] = (uint16_t)(4 + 2 * fields);
	vtable[1] = (uint16_t)(8 + 8 * fields);
	for (i = 0; i < fields; i++)
		vtable[2 + i] = 0;
	start = put_bytes(w, vtable, vtable[0]);
	align(w, 8);
	at = put_bytes(w, NULL, vtable[1]);
	memset(w->bytes + at, 0, vtable[1]);
	back = (int32_t)(at - start);
	memcpy(w->bytes + at, &back, 4);
	return at;
}

/* Where field @index of a table is; it becomes present. */
static inline size_t field(struct writer *w, size_t at, int index)
{
	uint16_t offset = (uint16_t)(8 + 8 * index);
	int32_t back;

	memcpy(&back, w->bytes + at, 4);
	memcpy(w->bytes + at - (size_t)back + 4 + 2 * (size_t)index, &offset, 2);
	return at + offset;
}

static inline void scalar(struct writer *w, size_t at, int index, int64_t value, size_t size)
{
	memcpy(w->bytes + field(w, at, index), &value, size);
}

/* A vector of @count elements that a field refers to. Return: where its elements are. */
static inline size_t vector(struct writer *w, size_t at, int index, uint32_t count, size_t element,
		     const void *data)
{
	size_t from = field(w, at, index), elements;

	align(w, 16);
	put_bytes(w, NULL, 12 + w->skew);
	set32(w, from, (uint32_t)(w->size - from));
	put_bytes(w, &count, 4);
	elements = put_bytes(w, data, count * element);
	if (!data)
		memset(w->bytes + elements, 0, count * element);
	return elements;
}

static inline void refer(struct writer *w, size_t from, size_t to)
{
	set32(w, from, (uint32_t)(to - from));
}

/**
 * struct tensor_spec - a tensor to be written
 * @type: enum tflite_type
 * @data: bytes of a constant, NULL for none
 * @size: of @data
 * @scale: 0 for a tensor that is not quantised
 * @zero_point: of the tensor, or of its first channel
 * @block_size: elements that share a scale, 0 for none; @block_scales: the tensor of the scales
 * @variable: state that is kept from one run to the next
 * @channel_count: scales along dimension 0, which stand instead of @scale; 0 for none
 */
struct tensor_spec {
	uint8_t type;
	uint32_t rank;
	int32_t dims[9];
	const void *data;
	uint32_t size;
	float scale;
	int64_t zero_point;
	int32_t block_size, block_scales;
	bool variable;
	uint32_t channel_count;
	const float *channel_scales;
	uint8_t *sparse; /* dimension 0 is dense, dimension 1 compressed: ranges, then indices */
	uint32_t range_count, index_count;
	bool open; /* dimension 0 is only known at run time */
};

/* A vector of bytes as the schema's union of vectors: its type in @index, the table behind. */
static inline void byte_list(struct writer *w, size_t at, int index, uint32_t count,
			     const uint8_t *values)
{
	size_t holder;

	scalar(w, at, index, 3, 1);
	holder = table(w, 1);
	refer(w, field(w, at, index + 1), holder);
	vector(w, holder, 0, count, 1, values);
}

/* SparsityParameters of a matrix. */
static inline void write_sparsity(struct writer *w, size_t tensor, const struct tensor_spec *s)
{
	static const int32_t order[] = { 0, 1 };
	size_t at = table(w, 3), list, level;

	refer(w, field(w, tensor, 6), at);
	vector(w, at, 0, 2, 4, order);
	list = vector(w, at, 2, 2, 4, NULL);
	level = table(w, 6);
	refer(w, list, level);
	scalar(w, level, 1, s->dims[0], 4);
	level = table(w, 6);
	refer(w, list + 4, level);
	scalar(w, level, 0, 1, 1);
	byte_list(w, level, 2, s->range_count, s->sparse);
	byte_list(w, level, 4, s->index_count, s->sparse + s->range_count);
}

static inline void write_tensors(struct writer *w, size_t subgraph, const struct tensor_spec *specs,
				 uint32_t n)
{
	size_t list = vector(w, subgraph, 0, n, 4, NULL), t, q;
	uint32_t i;

	for (i = 0; i < n; i++) {
		t = table(w, 8);
		refer(w, list + 4 * i, t);
		vector(w, t, 0, specs[i].rank, 4, specs[i].dims);
		scalar(w, t, 1, specs[i].type, 1);
		scalar(w, t, 2, specs[i].data ? w->buffers + i + 1 : 0, 4);
		if (specs[i].variable)
			scalar(w, t, 5, 1, 1);
		if (specs[i].sparse)
			write_sparsity(w, t, &specs[i]);
		if (specs[i].open) {
			int32_t signature[9];

			memcpy(signature, specs[i].dims, sizeof(signature));
			signature[0] = -1;
			vector(w, t, 7, specs[i].rank, 4, signature);
		}
		if (specs[i].scale == 0 && !specs[i].channel_count && !specs[i].block_size)
			continue;
		q = table(w, 7);
		refer(w, field(w, t, 4), q);
		if (specs[i].block_size) {
			size_t blocks = table(w, 3);

			scalar(w, q, 4, 2, 1);
			refer(w, field(w, q, 5), blocks);
			scalar(w, blocks, 0, specs[i].block_scales, 4);
			scalar(w, blocks, 2, specs[i].block_size, 4);
			continue;
		}
		if (specs[i].channel_count) {
			vector(w, q, 2, specs[i].channel_count, 4, specs[i].channel_scales);
			memcpy(w->bytes + vector(w, q, 3, specs[i].channel_count, 8, NULL),
			       &specs[i].zero_point, 8);
			continue;
		}
		vector(w, q, 2, 1, 4, &specs[i].scale);
		vector(w, q, 3, 1, 8, &specs[i].zero_point);
	}
}

/* The mark, and the root table with the version. Return: where the root is. */
/* A string that a field refers to. */
static inline void text(struct writer *w, size_t at, int index, const char *text)
{
	const size_t from = field(w, at, index);
	const uint32_t length = (uint32_t)strlen(text);

	align(w, 4);
	refer(w, from, w->size);
	put_bytes(w, &length, 4);
	put_bytes(w, text, length + 1);
}

/**
 * struct signature_spec - a signature to be written
 * @input, @output: tensors, with the names "x" and "y"
 */
struct signature_spec {
	const char *key;
	uint32_t subgraph, input, output;
};

static inline void write_signatures(struct writer *w, size_t root,
				    const struct signature_spec *specs, uint32_t count)
{
	size_t list = vector(w, root, 7, count, 4, NULL);

	for (uint32_t i = 0; i < count; i++) {
		size_t at = table(w, 5);

		refer(w, list + 4 * i, at);
		for (int k = 0; k < 2; k++) {
			size_t names = vector(w, at, k, 1, 4, NULL), name = table(w, 2);

			refer(w, names, name);
			text(w, name, 0, k ? "y" : "x");
			scalar(w, name, 1, k ? specs[i].output : specs[i].input, 4);
		}
		text(w, at, 2, specs[i].key);
		scalar(w, at, 4, specs[i].subgraph, 4);
	}
}

static inline size_t model_begin(struct writer *w)
{
	size_t root, skew = w->skew;

	memset(w, 0, sizeof(*w));
	w->skew = skew;
	put_bytes(w, "\0\0\0\0TFL3", 8);
	root = table(w, 8);
	set32(w, 0, (uint32_t)root);
	scalar(w, root, 0, 3, 4);
	return root;
}

/* Buffer 0 is the empty one, buffer i + 1 belongs to tensor i. */
static inline void write_buffers(struct writer *w, size_t root, const struct tensor_spec *specs,
				 uint32_t n)
{
	size_t list = vector(w, root, 4, n + 1, 4, NULL), at;

	for (uint32_t i = 0; i <= n; i++) {
		at = table(w, 3);
		refer(w, list + 4 * i, at);
		if (i && specs[i - 1].data)
			vector(w, at, 0, specs[i - 1].size, 1, specs[i - 1].data);
	}
}

#endif
