// SPDX-License-Identifier: MIT
/* What a node EPContext may name: its bytes, or a file of the model's folder and of no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/ort/ep.h"
#include "frontend/ort/saved.h"
#include "tests/unit/frontend/ort/status.h"

static char folder[] = "/tmp/nnaccel-saved-XXXXXX", path[128];

static struct ort_status *graph_path(const void *graph, const char **to)
{
	*to = graph;
	return NULL;
}

typedef void slot(void);

static slot *const TABLE[400] = {
	[ORT_CREATE_STATUS] = (slot *)create_status,
	[ORT_GET_ERROR_MESSAGE] = (slot *)status_text,
	[ORT_RELEASE_STATUS] = (slot *)release_status,
	[ORT_GRAPH_PATH] = (slot *)graph_path,
};

static const struct ort_api API = { .table = TABLE };

static struct ort_status *read_node(const char *model, int64_t embeds, const char *context,
				    void **bytes, size_t *size)
{
	struct onnx_attribute attributes[] = {
		{ .name = "embed_mode", .kind = ONNX_KIND_INT, .i = embeds },
		{ .name = "ep_cache_context", .kind = ONNX_KIND_STRING, .s = context },
	};
	const struct onnx_node node = { .name = "n", .op = "EPContext", .domain = "com.microsoft",
					.attributes = attributes, .attribute_count = 2 };

	return ort_saved_read(&API, model, &node, bytes, size);
}

static void refused(const char *model, int64_t embeds, const char *context, const char *words)
{
	size_t size;
	void *bytes;

	assert_status(read_node(model, embeds, context, &bytes, &size), ORT_EP_FAIL, words);
	assert_null(bytes);
}

static void write_file(const char *name, const char *text)
{
	char to[256];
	FILE *file;

	snprintf(to, sizeof(to), "%s/%s", folder, name);
	file = fopen(to, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void test_file(void **state)
{
	size_t size;
	void *bytes;

	assert_null(read_node(path, 0, "program", &bytes, &size));
	assert_int_equal(size, 4);
	assert_memory_equal(bytes, "some", 4);
	free(bytes);
}

static void test_other_folders(void **state)
{
	static const char *const names[] = { "", ".", "..", "/etc/passwd", "../program", "in/program",
					     "./program", "in/" };
	char name[300];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		refused(path, 0, names[i], "is not one of the model's folder");
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	refused(path, 0, name, "is not one of the model's folder");
	/* A model in memory has none. */
	refused("", 0, "program", "is not one of the model's folder");
}

/* Nor what is there, and no file, which might never end. */
static void test_no_files(void **state)
{
	refused(path, 0, "gone", "gone, the file of a node EPContext, cannot be read: No such");
	refused(path, 0, "in", "in, the file of a node EPContext, cannot be read: it is no file");
	refused(path, 0, "pipe", "pipe, the file of a node EPContext, cannot be read: it is no file");
}

static void test_bytes(void **state)
{
	size_t size;
	void *bytes;

	assert_null(read_node("", 1, "00ff1a", &bytes, &size));
	assert_int_equal(size, 3);
	assert_memory_equal(bytes, "\0\xff\x1a", 3);
	free(bytes);
	refused("", 1, "00f", "damaged");
	refused("", 1, "00fg", "damaged");
	refused("", 1, "0 ", "damaged");
}

static int make_folder(void **state)
{
	char at[256];

	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/model.onnx", folder);
	write_file("program", "some");
	snprintf(at, sizeof(at), "%s/in", folder);
	assert_int_equal(mkdir(at, 0700), 0);
	write_file("in/program", "other");
	snprintf(at, sizeof(at), "%s/pipe", folder);
	return mkfifo(at, 0600);
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "/in/program", "/pipe", "/program", "/in", "" };
	char at[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(at, sizeof(at), "%s%s", folder, names[i]);
		if (remove(at))
			return -1;
	}
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_other_folders),
		cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
