// SPDX-License-Identifier: MIT
/*
 * The reader of .onnx files on what is not as it should be. Sound files are those of tests/onnx.
 * Messages are built here, from the inside out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/onnx/onnx.h"

struct bytes {
	uint8_t at[4096];
	size_t size;
};

static void put_varint(struct bytes *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		b->at[b->size++] = (uint8_t)(value | 0x80);
	b->at[b->size++] = (uint8_t)value;
}

static void put_number(struct bytes *b, uint32_t field, uint64_t value)
{
	put_varint(b, field << 3);
	put_varint(b, value);
}

static void put_bytes(struct bytes *b, uint32_t field, const void *data, size_t size)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, size);
	memcpy(b->at + b->size, data, size);
	b->size += size;
}

static void put_text(struct bytes *b, uint32_t field, const char *text)
{
	put_bytes(b, field, text, strlen(text));
}

static void put_message(struct bytes *b, uint32_t field, const struct bytes *inner)
{
	put_bytes(b, field, inner->at, inner->size);
}

/* ValueInfoProto of FLOAT [4]. */
static struct bytes value(const char *name)
{
	struct bytes dim = { .size = 0 }, shape = { .size = 0 }, tensor = { .size = 0 };
	struct bytes type = { .size = 0 }, out = { .size = 0 };

	put_number(&dim, 1, 4);
	put_message(&shape, 1, &dim);
	put_number(&tensor, 1, ONNX_FLOAT);
	put_message(&tensor, 2, &shape);
	put_message(&type, 1, &tensor);
	put_text(&out, 1, name);
	put_message(&out, 2, &type);
	return out;
}

static struct bytes node(const char *op, const char *a, const char *b, const char *to)
{
	struct bytes out = { .size = 0 };

	put_text(&out, 1, a);
	if (b)
		put_text(&out, 1, b);
	put_text(&out, 2, to);
	put_text(&out, 4, op);
	return out;
}

/* TensorProto "w", FLOAT [@dim], of @size bytes. */
static struct bytes constant(uint64_t dim, size_t size)
{
	static const uint8_t zeros[64];
	struct bytes out = { .size = 0 };

	put_number(&out, 1, dim);
	put_number(&out, 2, ONNX_FLOAT);
	put_text(&out, 8, "w");
	put_bytes(&out, 9, zeros, size);
	return out;
}

/* A model of y = x + w, of what can be given another form. */
static struct bytes model(const struct bytes *first, const struct bytes *w, const char *output,
			  uint64_t opset)
{
	struct bytes graph = { .size = 0 }, set = { .size = 0 }, out = { .size = 0 };
	struct bytes x = value("x"), y = value(output);

	put_message(&graph, 1, first);
	if (w)
		put_message(&graph, 5, w);
	put_message(&graph, 11, &x);
	put_message(&graph, 12, &y);
	put_number(&set, 2, opset);
	put_number(&out, 1, 8);
	put_text(&out, 2, "test");
	put_message(&out, 7, &graph);
	put_message(&out, 8, &set);
	return out;
}

static void refused(const struct bytes *bytes, int wanted, const char *words)
{
	char error[ONNX_ERROR_SIZE] = "";
	struct onnx_model *m;

	assert_int_equal(onnx_parse(bytes->at, bytes->size, &m, error), wanted);
	if (!strstr(error, words))
		fail_msg("\"%s\" does not say \"%s\"", error, words);
}

static void sound(void **state)
{
	struct bytes add = node("Add", "x", "w", "y"), w = constant(4, 16);
	struct bytes all = model(&add, &w, "y", 17);
	char error[ONNX_ERROR_SIZE];
	struct onnx_model *m;

	assert_int_equal(onnx_parse(all.at, all.size, &m, error), 0);
	assert_int_equal(m->input_count, 1);
	assert_int_equal(m->node_count, 1);
	assert_string_equal(m->producer, "test");
	assert_string_equal(m->nodes[0].op, "Add");
	assert_int_equal(m->values[m->nodes[0].inputs[1]].tensor.size, 16);
	onnx_model_free(m);
}

static void every_beginning_is_refused_with_a_reason(void **state)
{
	struct bytes add = node("Add", "x", "w", "y"), w = constant(4, 16);
	struct bytes all = model(&add, &w, "y", 17);
	char error[ONNX_ERROR_SIZE];
	struct onnx_model *m;

	for (size_t size = 0; size < all.size; size++) {
		uint8_t *exact = malloc(size ? size : 1);

		assert_non_null(exact);
		memcpy(exact, all.at, size);
		error[0] = 0;
		assert_int_not_equal(onnx_parse(exact, size, &m, error), 0);
		assert_int_not_equal(error[0], 0);
		free(exact);
	}
}

static void what_contradicts_itself(void **state)
{
	struct bytes add = node("Add", "x", "w", "y"), w = constant(4, 16), bad;

	bad = model(&add, NULL, "y", 17);
	refused(&bad, -EINVAL, "reads \"w\", which nothing before it writes");
	bad = model(&add, &w, "z", 17);
	refused(&bad, -EINVAL, "nothing writes the output \"z\"");
	w = constant(4, 12);
	bad = model(&add, &w, "y", 17);
	refused(&bad, -EINVAL, "the tensor \"w\" has 12 bytes, its shape 16");
	w = constant((uint64_t)-1, 16);
	bad = model(&add, &w, "y", 17);
	refused(&bad, -EINVAL, "the tensor \"w\" has impossible dimensions");
	w = constant(4, 16);
	add = node("Add", "x", "w", "x");
	bad = model(&add, &w, "x", 17);
	refused(&bad, -EINVAL, "writes \"x\", which has a value");
}

static void versions(void **state)
{
	struct bytes add = node("Add", "x", "w", "y"), w = constant(4, 16), bad;

	bad = model(&add, &w, "y", 12);
	refused(&bad, -ENOTSUP, "operator set is version 12; supported: 13 to ");
	bad = model(&add, &w, "y", 1000);
	refused(&bad, -ENOTSUP, "operator set is version 1000");
}

/* TensorProto "w" that is in another file. */
static struct bytes outside(const char *location)
{
	struct bytes entry = { .size = 0 }, out = { .size = 0 };

	put_text(&entry, 1, "location");
	put_text(&entry, 2, location);
	put_number(&out, 1, 4);
	put_number(&out, 2, ONNX_FLOAT);
	put_text(&out, 8, "w");
	put_message(&out, 13, &entry);
	put_number(&out, 14, 1);
	return out;
}

static int load(const char *folder, const char *location, char *error)
{
	struct bytes add = node("Add", "x", "w", "y"), w = outside(location);
	struct bytes all = model(&add, &w, "y", 17);
	struct onnx_model *m;
	char path[256];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/inner/model.onnx", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(all.at, 1, all.size, file), all.size);
	fclose(file);
	ret = onnx_load(path, &m, error);
	if (!ret) {
		assert_memory_equal(m->values[m->nodes[0].inputs[1]].tensor.data,
				    "0123456789abcdef", 16);
		onnx_model_free(m);
	}
	return ret;
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Tensors outside of the file come from below its folder, and from nowhere else. */
static void tensors_outside(void **state)
{
	char folder[] = "/tmp/onnx-XXXXXX", path[256], error[ONNX_ERROR_SIZE];
	static const char *const names[] = { "inner/link", "inner/short", "inner/data",
					     "inner/model.onnx", "inner", "data", "" };

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/inner", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	put_file(folder, "data", "0123456789abcdef");
	put_file(folder, "inner/data", "0123456789abcdef");
	put_file(folder, "inner/short", "0123");
	snprintf(path, sizeof(path), "%s/inner/link", folder);
	assert_int_equal(symlink("../data", path), 0);
	assert_int_equal(load(folder, "data", error), 0);
	assert_int_equal(load(folder, "../data", error), -EINVAL);
	assert_non_null(strstr(error, "has to be in the model's folder"));
	assert_int_equal(load(folder, "/etc/passwd", error), -EINVAL);
	assert_int_equal(load(folder, "link", error), -EINVAL);
	assert_int_equal(load(folder, "none", error), -EINVAL);
	assert_int_equal(load(folder, ".", error), -EINVAL);
	assert_int_equal(load(folder, "short", error), -EINVAL);
	assert_non_null(strstr(error, "shorter than the model says"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		assert_int_equal(remove(path), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),
		cmocka_unit_test(every_beginning_is_refused_with_a_reason),
		cmocka_unit_test(what_contradicts_itself),
		cmocka_unit_test(versions),
		cmocka_unit_test(tensors_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
