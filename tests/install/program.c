// SPDX-License-Identifier: MIT
/*
 * A program of a user's, in C99 and C++17, which knows the installed header and library only. It
 * adds two vectors on the loopback. Exit status: 0 when the sums are right.
 */
#include <nnaccel.h>

#include <stdio.h>
#include <string.h>

#define LENGTH 4

static void print_line(void *user, enum nna_log_level level, const char *text)
{
	(void)user;
	(void)level;
	fprintf(stderr, "%s\n", text);
}

/* Return: the number of an operand, or a negative errno. */
static int add_operand(struct nna_graph *graph, enum nna_operand_type type, uint32_t rank)
{
	static const uint32_t length = LENGTH;
	struct nna_operand_desc desc;

	memset(&desc, 0, sizeof(desc));
	desc.type = type;
	desc.rank = rank;
	desc.dims = &length;
	return nna_graph_add_operand(graph, 0, &desc);
}

/* out = a + b. Return: 0 or a negative errno. */
static int describe(struct nna_graph *graph)
{
	const int32_t no_activation = 0;
	uint32_t inputs[3], output;
	int ret;

	/* The first operand of a graph is number 0, and so on. */
	for (uint32_t i = 0; i < 2; i++) {
		ret = add_operand(graph, NNA_OPERAND_TENSOR_FLOAT32, 1);
		if (ret < 0)
			return ret;
		inputs[i] = (uint32_t)ret;
	}
	ret = add_operand(graph, NNA_OPERAND_INT32, 0);
	if (ret < 0)
		return ret;
	inputs[2] = (uint32_t)ret;
	ret = add_operand(graph, NNA_OPERAND_TENSOR_FLOAT32, 1);
	if (ret < 0)
		return ret;
	output = (uint32_t)ret;
	ret = nna_graph_set_constant(graph, 0, inputs[2], &no_activation, sizeof(no_activation),
				     false);
	if (!ret)
		ret = nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3, inputs, 1, &output);
	if (!ret)
		ret = nna_graph_set_io(graph, 0, 2, inputs, 1, &output);
	return ret ? ret : nna_graph_finish(graph);
}

static int run(struct nna_program *program)
{
	const float a[LENGTH] = { 1, 2, 3, 4 }, b[LENGTH] = { 10, 20, 30, 40 };
	struct nna_execution *execution;
	float sum[LENGTH];
	int ret = nna_execution_create(program, &execution);

	if (ret)
		return ret;
	ret = nna_execution_set_input(execution, 0, 0, NULL, a, sizeof(a));
	if (!ret)
		ret = nna_execution_set_input(execution, 1, 0, NULL, b, sizeof(b));
	if (!ret)
		ret = nna_execution_set_output(execution, 0, 0, NULL, sum, sizeof(sum));
	if (!ret)
		ret = nna_execution_compute(execution);
	nna_execution_destroy(execution);
	for (int i = 0; !ret && i < LENGTH; i++)
		if (sum[i] != a[i] + b[i])
			ret = -1;
	return ret;
}

int main(void)
{
	struct nna_device_options options;
	struct nna_device_info info;
	struct nna_program *program = NULL;
	struct nna_graph *graph = NULL;
	struct nna_device *device;
	int ret;

	memset(&options, 0, sizeof(options));
	options.log.line = print_line;
	options.threads = 1;
	ret = nna_device_open("loopback", &options, &device);
	if (ret)
		return 2;
	nna_device_get_info(device, &info);
	ret = nna_graph_create(&options.log, &graph);
	if (!ret)
		ret = describe(graph);
	if (!ret)
		ret = nna_program_create(device, graph, NULL, &program);
	if (!ret)
		ret = run(program);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	nna_device_close(device);
	printf("%s on %s: %d\n", nna_version(), info.name, ret);
	return ret ? 1 : 0;
}
