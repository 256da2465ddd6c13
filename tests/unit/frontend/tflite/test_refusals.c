// SPDX-License-Identifier: MIT
/*
 * All refusals of frontend/tflite: each call of tflite_refuse(), tflite_unsupported() and of their
 * kin in the reader and in shape inference is provoked by a row of refusal_rows.h or by a damaged
 * file of this test. Its line names the operator, the tensor and the expectation.
 */
#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/refusal_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "frontend/tflite/translate.h"

static const struct refusal_function functions[] = {
	{ "tflite_refuse", "; expected " },
	{ "tflite_unsupported", "; supported: " },
	{ "refuse", "; expected " },
	{ "unsupported", "; supported: " },
	{ NULL, NULL },
};

/**
 * struct state - the refusals of both folders, with what the rows have provoked
 * @error: the last line
 * @wrong: rows with another line than they state
 */
struct state {
	struct refusals *all;
	struct writer *w;
	char error[TFLITE_ERROR_SIZE];
	unsigned int wrong;
};

/* The text behind the operator's and the tensor's name; NULL if the line does not begin so. */
static const char *text_of(const char *line, const char *where)
{
	char prefix[64];
	const char *role = "";
	int number, length;

	if (!*where)
		return line;
	if (sscanf(where, "%d%n", &number, &length) == 1) {
		role = where + length + (where[length] == ' ');
		snprintf(prefix, sizeof(prefix), "operator %d (", number);
	} else {
		snprintf(prefix, sizeof(prefix), "%s", where);
	}
	if (strncmp(line, prefix, strlen(prefix)))
		return NULL;
	line = strstr(line, ": ");
	if (!line || !*role)
		return line ? line + 2 : NULL;
	line += 2;
	snprintf(prefix, sizeof(prefix), "%s (tensor ", role);
	if (strncmp(line, prefix, strlen(prefix)))
		return NULL;
	line = strstr(line, "]): ");
	return line ? line + 4 : NULL;
}

/* Reads and translates the model that has been written. Return: 0, or the error. */
static int translate(struct state *s)
{
	struct tflite_model *model;
	struct nna_graph *graph;
	int ret;

	ret = tflite_parse(s->w->bytes, s->w->size, &model, s->error);
	if (ret)
		return ret;
	ret = tflite_to_graph(model, NULL, &graph, NULL, s->error);
	if (!ret)
		nna_graph_unref(graph);
	tflite_free(model);
	return ret;
}

/* Compares the line with @where and @expected. */
static void check(struct state *s, int ret, const char *model, const char *where,
		  const char *expected)
{
	const char *mark = ret == -ENOTSUP ? "; supported: " : "; expected ";
	const char *text = text_of(s->error, where), *end = text ? strstr(text, mark) : NULL;

	if ((ret == -EINVAL || ret == -ENOTSUP) && end && !strcmp(end + strlen(mark), expected) &&
	    refusals_mark(s->all, text))
		return;
	print_error("\"%s\", \"%s\", expected \"%s\": %d, said \"%s\"\n", model, where, expected,
		    ret, s->error);
	s->wrong++;
}

/* ------------------------------------------------------------------------------- damaged files */

static void cut(struct writer *w)
{
	write_text(w, "ABS f[1] -> f[1]");
	w->size /= 2;
}

static void change_mark(struct writer *w)
{
	write_text(w, "ABS f[1] -> f[1]");
	w->bytes[7] = '2';
}

static void change_version(struct writer *w)
{
	scalar(w, model_begin(w), 0, 2, 4);
}

static void leave_out_subgraphs(struct writer *w)
{
	vector(w, model_begin(w), 2, 0, 4, NULL);
}

static void add_subgraphs(struct writer *w)
{
	vector(w, model_begin(w), 2, 1025, 4, NULL);
}

/* A model of tensor @x alone. */
static void write_tensor(struct writer *w, const struct tensor_spec *x)
{
	size_t root = model_begin(w), list = vector(w, root, 2, 1, 4, NULL), sub = table(w, 5);

	refer(w, list, sub);
	write_tensors(w, sub, x, 1);
	write_buffers(w, root, x, 1);
}

static void write_scales(struct writer *w)
{
	static const float scales[] = { 1, 1, 1 };

	write_tensor(w, &(struct tensor_spec){ .type = TFLITE_INT8, .rank = 1, .dims = { 2 },
					       .channel_count = 3, .channel_scales = scales });
}

/* One scale, and two zero points in place of one. */
static void write_zero_points(struct writer *w)
{
	static const int64_t two[] = { 0, 0 };
	size_t root = model_begin(w), list = vector(w, root, 2, 1, 4, NULL), sub = table(w, 5), at;

	refer(w, list, sub);
	list = vector(w, sub, 0, 1, 4, NULL);
	at = table(w, 8);
	refer(w, list, at);
	list = field(w, at, 4);
	at = table(w, 7);
	refer(w, list, at);
	vector(w, at, 2, 1, 4, &(float){ 1 });
	vector(w, at, 3, 2, 8, two);
	write_buffers(w, root, NULL, 0);
}

static void write_sparse(struct writer *w, int32_t rows, int32_t columns, uint8_t *lists)
{
	static const float data[] = { 1 };

	write_tensor(w, &(struct tensor_spec){ .type = TFLITE_FLOAT32, .rank = 2,
					       .dims = { rows, columns }, .data = data, .size = 4,
					       .sparse = lists, .range_count = 2,
					       .index_count = 1 });
}

static void write_bad_sparse(struct writer *w)
{
	write_sparse(w, 1, 2, (uint8_t[]){ 0, 1, 9 });
}

static void write_large_sparse(struct writer *w)
{
	write_sparse(w, 65536, 8192, (uint8_t[]){ 0, 1, 0 });
}

/* Both fields of a code are negative: the larger one counts. */
static void write_negative_code(struct writer *w)
{
	size_t root, list, at;

	write_text(w, "ABS f[1] -> f[1]");
	root = w->bytes[0] | (size_t)w->bytes[1] << 8;
	list = vector(w, root, 1, 1, 4, NULL);
	at = table(w, 4);
	refer(w, list, at);
	scalar(w, at, 0, -3, 1);
	scalar(w, at, 3, -5, 4);
}

/* A model of one operator and a signature of it. */
static void write_signature(struct writer *w, uint32_t subgraph, uint32_t input)
{
	const struct signature_spec spec = { "serve", subgraph, input, 1 };

	write_text(w, "ABS f[1] -> f[1]");
	write_signatures(w, w->bytes[0] | (size_t)w->bytes[1] << 8, &spec, 1);
}

static void write_signature_subgraph(struct writer *w)
{
	write_signature(w, 1, 0);
}

static void write_signature_tensor(struct writer *w)
{
	write_signature(w, 0, 1000);
}

static void write_signature_list(struct writer *w, uint32_t count)
{
	write_text(w, "ABS f[1] -> f[1]");
	vector(w, w->bytes[0] | (size_t)w->bytes[1] << 8, 7, count, 4, NULL);
}

/* The table lies behind the file. */
static void write_damaged_signatures(struct writer *w)
{
	write_signature_list(w, 1);
	set32(w, w->size - 4, UINT32_MAX);
}

static void write_many_signatures(struct writer *w)
{
	write_signature_list(w, TFLITE_MAX_SIGNATURES + 1);
}

/* Operators and subgraphs that share their tables. */
static void write_many_numbers(struct writer *w)
{
	enum { INPUTS = 2000, OPERATORS = 2000, SUBGRAPHS = 5 };
	size_t root = model_begin(w), codes = vector(w, root, 1, 1, 4, NULL), at, sub, list;

	at = table(w, 4);
	refer(w, codes, at);
	list = vector(w, root, 2, SUBGRAPHS, 4, NULL);
	sub = table(w, 5);
	for (uint32_t i = 0; i < SUBGRAPHS; i++)
		refer(w, list + 4 * i, sub);
	write_tensors(w, sub, &(struct tensor_spec){ .rank = 1, .dims = { 1 } }, 1);
	list = vector(w, sub, 3, OPERATORS, 4, NULL);
	at = table(w, 9);
	for (uint32_t i = 0; i < OPERATORS; i++)
		refer(w, list + 4 * i, at);
	vector(w, at, 1, INPUTS, 4, NULL);
	write_buffers(w, root, NULL, 0);
}

static const struct {
	void (*write)(struct writer *w);
	const char *name, *where, *expected;
} damaged[] = {
	{ cut, "cut", "", "a whole one: download or convert it again" },
	{ change_mark, "change_mark", "", "a TFLite model" },
	{ change_version, "change_version", "", "3: convert the model again" },
	{ leave_out_subgraphs, "leave_out_subgraphs", "", "1 or more" },
	{ add_subgraphs, "add_subgraphs", "", "1024 or fewer" },
	{ write_scales, "write_scales", "tensor 0", "1, or one for each element of a dimension" },
	{ write_zero_points, "write_zero_points", "tensor 0", "0, 1 or 1, the number of scales" },
	{ write_bad_sparse, "write_bad_sparse", "tensor 0", "sparse data of its shape" },
	{ write_large_sparse, "write_large_sparse", "tensor 0",
	  "fewer: convert the model with dense weights" },
	{ write_negative_code, "write_negative_code", "operator 0", "0 or more" },
	{ write_signature_subgraph, "write_signature_subgraph", "", "less than 1" },
	{ write_signature_tensor, "write_signature_tensor", "",
	  "less than 2, the tensors of subgraph 0" },
	{ write_damaged_signatures, "write_damaged_signatures", "",
	  "a whole one: download or convert it again" },
	{ write_many_signatures, "write_many_signatures", "", "1024 or fewer" },
	{ write_many_numbers, "write_many_numbers", "operator", "fewer" },
};

/* Files that are refused before they are read: a folder, and one that is too large. */
static void load_files(struct state *s)
{
	char path[] = "/tmp/nnaccel-refusals.XXXXXX";
	struct tflite_model *model;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	check(s, tflite_load("/", &model, s->error), "a folder", "", "a model file");
	assert_int_equal(ftruncate(fd, (4ll << 30) + 1), 0);
	check(s, tflite_load(path, &model, s->error), "a large file", "", "a model");
	close(fd);
	unlink(path);
}

static void test_refusals(void **unused)
{
	struct state s = { .all = calloc(1, sizeof(*s.all)), .w = calloc(1, sizeof(*s.w)) };

	assert_true(s.all && s.w);
	refusals_read(s.all, "frontend/tflite", functions);
	refusals_read(s.all, "frontend/tflite/ops", functions);
	assert_true(s.all->count > 0);
	for (size_t i = 0; i < sizeof(refusal_rows) / sizeof(refusal_rows[0]); i++) {
		const struct refusal_row *row = &refusal_rows[i];

		s.error[0] = 0;
		write_text(s.w, row->model);
		check(&s, translate(&s), row->model, row->where, row->expected);
	}
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		s.error[0] = 0;
		damaged[i].write(s.w);
		check(&s, translate(&s), damaged[i].name, damaged[i].where, damaged[i].expected);
	}
	load_files(&s);
	s.wrong += refusals_missing(s.all, refusal_exemptions,
				    sizeof(refusal_exemptions) / sizeof(refusal_exemptions[0]));
	free(s.w);
	free(s.all);
	assert_int_equal(s.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
