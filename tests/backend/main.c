// SPDX-License-Identifier: MIT
/*
 * Another accelerator behind the library: MODEL.tflite, operation by operation, for the backend
 * "print", which has no device (winsys/none/). Convolutions compile and are printed, reshapes are copies, the rest is refused, by nna_graph_get_supported() as by
 * nna_program_create(). Prints "N passed, N failed" last.
 *
 *	test_backend [-v] MODEL.tflite
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/graph/graph.h"
#include "frontend/tflite/translate.h"

static unsigned int passed, failed;
static char first_line[256];

static void keep_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR && !first_line[0])
		snprintf(first_line, sizeof(first_line), "%s", text);
}

static const struct nna_device_options options = { .log = { .line = keep_line } };

static void check(bool right)
{
	if (right)
		passed++;
	else
		failed++;
}

static bool is_convolution(uint32_t type)
{
	return type == NNA_OPERATION_CONV_2D || type == NNA_OPERATION_DEPTHWISE_CONV_2D;
}

/* Compiles a graph of one operation; *text is what its program says, or NULL. */
static int compile(struct nna_device *device, struct nna_graph *part, char **text)
{
	struct nna_program *program;
	int ret = nna_program_create(device, part, NULL, &program);
	size_t size;
	FILE *to;

	*text = NULL;
	if (ret)
		return ret;
	to = open_memstream(text, &size);
	ret = to ? nna_program_dump(program, to) : -ENOMEM;
	if (to)
		fclose(to);
	nna_program_destroy(program);
	return ret;
}

static bool check_operation(struct nna_device *device, struct nna_graph *graph, uint32_t at,
			    bool supported, bool verbose)
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
	ret = compile(device, part, &text);
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

/* A device whose winsys says that it is of a kind that the table of backends does not have. */
static bool check_stranger(void)
{
	struct nna_device *device;

	first_line[0] = 0;
	return nna_device_open("stranger", &options, &device) == -ENODEV &&
	       strstr(first_line, "stranger");
}

/* A graph without a device is judged by the first backend of the table, which does all of it. */
static bool check_without_device(const struct nna_graph *graph, bool *supported)
{
	bool all = !nna_graph_get_supported(graph, NULL, supported);

	for (uint32_t i = 0; i < graph->subgraphs[0].operation_count; i++)
		all &= supported[i];
	return all;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 2 && !strcmp(argv[1], "-v");
	char error[TFLITE_ERROR_SIZE] = "";
	const struct nna_subgraph *sub;
	struct tflite_model *model;
	struct nna_device *device;
	struct nna_graph *graph;
	uint32_t convolutions = 0;
	bool *supported;

	if (argc != 2 + verbose || tflite_load(argv[argc - 1], &model, error) ||
	    tflite_to_graph(model, NULL, &graph, NULL, error)) {
		fprintf(stderr, "test_backend [-v] MODEL.tflite: %s\n", error);
		return 2;
	}
	sub = &graph->subgraphs[0];
	supported = calloc(sub->operation_count, sizeof(*supported));
	if (!supported || nna_device_open("backend-print", &options, &device) ||
	    nna_graph_get_supported(graph, device, supported))
		return 2;
	for (uint32_t i = 0; i < sub->operation_count; i++) {
		convolutions += is_convolution(sub->operations[i].type);
		check(check_operation(device, graph, i, supported[sub->order[i]], verbose));
	}
	/* As MobileNet v1 has them: 27 of the 31 operations. */
	check(convolutions >= 27);
	check(check_without_device(graph, supported));
	check(check_stranger());
	nna_device_close(device);
	free(supported);
	nna_graph_unref(graph);
	tflite_free(model);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
