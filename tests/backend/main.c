// SPDX-License-Identifier: MIT
/*
 * Another accelerator behind the compiler: MODEL.tflite, operation by operation, for the backend
 * that prints. Convolutions compile and are printed, reshapes are copies, the rest is refused, by
 * nna_compile_get_supported() as by nna_compile(). Prints "N passed, N failed" last.
 *
 *	test_backend [-v] MODEL.tflite
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/compile.h"
#include "tests/backend/print.h"
#include "tools/tflite/translate.h"

static unsigned int passed, failed;
static char first_line[256];

static void keep_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR && !first_line[0])
		snprintf(first_line, sizeof(first_line), "%s", text);
}

static const struct nna_log log_to = { .line = keep_line };

static bool is_convolution(uint32_t type)
{
	return type == NNA_OPERATION_CONV_2D || type == NNA_OPERATION_DEPTHWISE_CONV_2D;
}

/* Compiles a graph of one operation; *text is what its stream says, or NULL. */
static int compile(struct nna_graph *part, char **text)
{
	const struct nna_subgraph *sub = &part->subgraphs[0];
	struct nna_shape *inputs = calloc(sub->input_count + 1u, sizeof(*inputs));
	struct nna_compile_options options = {
		.backend = &nna_backend_print,
		.inputs = inputs,
		.max_slots = NNA_BACKEND_MAX_SLOTS,
		.log = &log_to,
	};
	struct nna_code *code = NULL;
	size_t size;
	FILE *to;
	int ret;

	*text = NULL;
	if (!inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < sub->input_count; i++)
		inputs[i] = sub->operands[sub->inputs[i]].shape;
	ret = nna_compile(part, &options, NULL, &code);
	if (!ret) {
		to = open_memstream(text, &size);
		ret = to ? nna_code_print(code, to) : -ENOMEM;
		if (to)
			fclose(to);
	}
	nna_code_destroy(code);
	free(inputs);
	return ret;
}

static bool check_operation(struct nna_graph *graph, uint32_t at, bool supported, bool verbose)
{
	uint32_t number = graph->subgraphs[0].order[at];
	uint32_t type = graph->subgraphs[0].operations[number].type;
	bool wanted = is_convolution(type) || type == NNA_OPERATION_RESHAPE, right;
	struct nna_graph *part;
	char *text;
	int ret = nna_graph_create_part(graph, 0, at, at + 1, &part);

	if (ret)
		return false;
	first_line[0] = 0;
	ret = compile(part, &text);
	nna_graph_unref(part);
	if (wanted)
		right = supported && !ret &&
			strstr(text, is_convolution(type) ? "CONV2D groups" : "COPY");
	else
		right = !supported && ret == -ENOTSUP && strstr(first_line, "there is no command");
	if (verbose || !right)
		printf("%s (operation %u): supported %d, compiled %d %s\n%s",
		       nna_operation_name(type), number, supported, ret, first_line,
		       text ? text : "");
	free(text);
	return right;
}

/* As MobileNet v1 has them: 27 of the 31 operations. */
static void check_count(const struct nna_graph *graph)
{
	uint32_t convolutions = 0;

	for (uint32_t i = 0; i < graph->subgraphs[0].operation_count; i++)
		convolutions += is_convolution(graph->subgraphs[0].operations[i].type);
	if (convolutions >= 27)
		passed++;
	else
		failed++;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 2 && !strcmp(argv[1], "-v");
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_model *model;
	struct nna_graph *graph;
	bool *supported;

	if (argc != 2 + verbose || tflite_load(argv[argc - 1], &model, error) ||
	    tflite_to_graph(model, NULL, &graph, NULL, error)) {
		fprintf(stderr, "test_backend [-v] MODEL.tflite: %s\n", error);
		return 2;
	}
	supported = calloc(graph->subgraphs[0].operation_count, sizeof(*supported));
	if (!supported || nna_compile_get_supported(graph, &nna_backend_print, supported))
		return 2;
	for (uint32_t i = 0; i < graph->subgraphs[0].operation_count; i++) {
		if (check_operation(graph, i, supported[graph->subgraphs[0].order[i]], verbose))
			passed++;
		else
			failed++;
	}
	check_count(graph);
	free(supported);
	nna_graph_unref(graph);
	tflite_free(model);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
