// SPDX-License-Identifier: MIT
/*
 * All refusals of libnnaccel/ops: each call of nna_op_refuse() and nna_op_unsupported() is provoked
 * by a row of refusal_rows.h, and its line names the operation, the operand and the expectation.
 */
#include "tests/unit/libnnaccel/graph_text.h"

#include <errno.h>

#include "libnnaccel/compiler/compile.h"
#include "tests/unit/libnnaccel/ops/refusal_rows.h"

static const struct refusal_function functions[] = {
	{ "nna_op_refuse", "; expected " },
	{ "nna_op_unsupported", "; supported: " },
	{ NULL, NULL },
};

static char said[512];

/* Keeps the first line. */
static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (!said[0])
		snprintf(said, sizeof(said), "%s", text);
}

/* The operands of the operation that stand before @end in the line of its graph. */
static unsigned int count_operands(const char *graph, const char *end)
{
	unsigned int count = 0;

	for (const char *at = strchr(graph, ' '); at && at < end; at = strchr(at + 1, ' ')) {
		char *star;
		unsigned long times = strtoul(at + 1, &star, 10);

		count += star > at + 1 ? times : 1;
	}
	return count;
}

/*
 * Compares the start of the line with "ADD (operation 0): input 1 (NAME, operand 1): ". Return: what
 * follows, or NULL.
 */
static const char *skip_prefix(const struct refusal_row *row, const char *line)
{
	const char *arrow = strstr(row->graph, " ->");
	unsigned int number = 0;
	char text[128];
	bool output;

	assert_non_null(arrow);
	snprintf(text, sizeof(text), "%.*s (operation 0): %s",
		 *row->graph == '#' ? 1 : (int)strcspn(row->graph, " "),
		 *row->graph == '#' ? "?" : row->graph, row->operand);
	if (strncmp(line, text, strlen(text)))
		return NULL;
	line += strlen(text);
	output = sscanf(row->operand, "output %u", &number) == 1;
	if (!output && sscanf(row->operand, "input %u", &number) != 1)
		return line + (*row->operand ? 2 : 0);
	number += output ? count_operands(row->graph, arrow) : 0;
	snprintf(text, sizeof(text), ", operand %u): ", number);
	if (strncmp(line, " (", 2) || !isalpha(line[2]) || !strstr(line, text))
		return NULL;
	return strstr(line, text) + strlen(text);
}

static int run_nothing(void *user, const struct nna_code *code, void *const *outputs)
{
	return -EIO;
}

/* Compiles a finished graph with the dims that it states, of which 0 is empty. */
static int compile(const struct nna_graph *g, const struct nna_log *log)
{
	const struct nna_subgraph *sub = &g->subgraphs[0];
	struct nna_shape inputs[MAX_OPERANDS];
	struct nna_compile_options options = {
		.backend = nna_backend_find("nna"),
		.inputs = inputs,
		.max_slots = 32,
		.log = log,
		.run = run_nothing,
	};
	struct nna_code *code = NULL;
	uint32_t stop;
	int ret;

	for (uint32_t i = 0; i < sub->input_count; i++) {
		inputs[i] = sub->operands[sub->inputs[i]].shape;
		inputs[i].final = true;
	}
	ret = nna_compile(g, &options, &stop, &code);
	if (!ret)
		nna_code_destroy(code);
	return ret;
}

/* Builds and compiles the graph of a row. Return: whether the line is as the row states it. */
static bool run(const struct refusal_row *row, struct refusals *all)
{
	static const struct nna_log log = { log_line, NULL };
	const char *mark, *text, *expected;
	struct nna_graph *g;
	int ret;

	said[0] = 0;
	ret = graph_text_build(row->graph, &log, &g);
	if (!ret && !said[0])
		ret = compile(g, &log);
	nna_graph_unref(g);
	text = skip_prefix(row, said);
	mark = ret == -EINVAL ? "; expected " : "; supported: ";
	expected = text ? strstr(text, mark) : NULL;
	return (!ret || ret == -EINVAL || ret == -ENOTSUP) && expected &&
	       !strcmp(expected + strlen(mark), row->expected) && refusals_mark(all, text);
}

static void test_refusals(void **state)
{
	struct refusals *all = calloc(1, sizeof(*all));
	unsigned int wrong = 0;

	assert_non_null(all);
	refusals_read(all, "libnnaccel/ops", functions);
	assert_true(all->count > 0);
	for (size_t i = 0; i < sizeof(refusal_rows) / sizeof(refusal_rows[0]); i++) {
		if (run(&refusal_rows[i], all))
			continue;
		wrong++;
		print_error("\"%s\", %s, expected \"%s\": said \"%s\"\n", refusal_rows[i].graph,
			    refusal_rows[i].operand, refusal_rows[i].expected, said);
	}
	wrong += refusals_missing(all, refusal_exemptions,
				  sizeof(refusal_exemptions) / sizeof(refusal_exemptions[0]));
	free(all);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
