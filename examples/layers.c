// SPDX-License-Identifier: MIT
/*
 * A network of two layers: what a program does from the first line to the last.
 *
 *	layers [DEVICE]
 *
 * It computes the exclusive or of two numbers that are 0 or 1, for all four pairs at once:
 *
 *	hidden = relu(input [4, 2] x [2, 2] + [0, -1])
 *	output = hidden x [1, -2]
 *
 * A layer is FULLY_CONNECTED, whose operands are (nnaccel-operations(7)): input, weights with a row
 * for each result, bias, activation.
 *
 * Exit status: 0 when the four results are right.
 */
#include <nnaccel.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ROWS 4

static void print_line(void *user, enum nna_log_level level, const char *text)
{
	if (level != NNA_LOG_INFO)
		fprintf(stderr, "layers: %s\n", text);
}

static const struct nna_log messages = { print_line, NULL };

/* A tensor of floats. Return: its number, or a negative errno. */
static int add_tensor(struct nna_graph *graph, uint32_t rank, const uint32_t *dims)
{
	const struct nna_operand_desc desc = {
		.type = NNA_OPERAND_TENSOR_FLOAT32,
		.rank = rank,
		.dims = dims,
	};

	return nna_graph_add_operand(graph, 0, &desc);
}

/* The same with a value that never changes, which the graph copies. */
static int add_constant(struct nna_graph *graph, uint32_t rank, const uint32_t *dims,
			const float *data, size_t size)
{
	int number = add_tensor(graph, rank, dims);
	int ret = number < 0 ? number
			     : nna_graph_set_constant(graph, 0, number, data, size, false);

	return ret < 0 ? ret : number;
}

static int add_activation(struct nna_graph *graph, int32_t activation)
{
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_INT32 };
	int number = nna_graph_add_operand(graph, 0, &desc);
	int ret = number < 0 ? number
			     : nna_graph_set_constant(graph, 0, number, &activation,
						      sizeof(activation), false);

	return ret < 0 ? ret : number;
}

/* A layer of @outputs results from @inputs numbers. Return: its result's number or an error. */
static int add_layer(struct nna_graph *graph, uint32_t input, uint32_t inputs, uint32_t outputs,
		     const float *weights, const float *bias, enum nna_activation activation)
{
	int operands[4] = {
		(int)input,
		add_constant(graph, 2, (uint32_t[]){ outputs, inputs }, weights,
			     sizeof(float) * inputs * outputs),
		add_constant(graph, 1, &outputs, bias, sizeof(float) * outputs),
		add_activation(graph, activation),
	};
	int output = add_tensor(graph, 2, (uint32_t[]){ ROWS, outputs });
	uint32_t numbers[4], result = (uint32_t)output;
	int ret;

	for (int i = 0; i < 4; i++) {
		if (operands[i] < 0)
			return operands[i];
		numbers[i] = (uint32_t)operands[i];
	}
	if (output < 0)
		return output;
	ret = nna_graph_add_operation(graph, 0, NNA_OPERATION_FULLY_CONNECTED, 4, numbers, 1,
				      &result);
	return ret ? ret : output;
}

/* The whole network. Return: 0 or a negative errno, after a message. */
static int describe(struct nna_graph *graph)
{
	static const float hidden_weights[] = { 1, 1, 1, 1 }, hidden_bias[] = { 0, -1 };
	static const float output_weights[] = { 1, -2 }, output_bias[] = { 0 };
	int input = add_tensor(graph, 2, (uint32_t[]){ ROWS, 2 }), hidden, output, ret;

	if (input < 0)
		return input;
	hidden = add_layer(graph, input, 2, 2, hidden_weights, hidden_bias, NNA_ACT_RELU);
	if (hidden < 0)
		return hidden;
	output = add_layer(graph, hidden, 2, 1, output_weights, output_bias, NNA_ACT_NONE);
	if (output < 0)
		return output;
	ret = nna_graph_set_io(graph, 0, 1, &(uint32_t){ input }, 1, &(uint32_t){ output });
	return ret ? ret : nna_graph_finish(graph);
}

/* Runs it once; the execution could run again with other bytes at the same addresses. */
static int run(struct nna_program *program)
{
	static const float pairs[ROWS][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
	struct nna_execution *execution;
	float results[ROWS];
	int ret = nna_execution_create(program, &execution);

	if (ret)
		return ret;
	ret = nna_execution_set_input(execution, 0, 0, NULL, pairs, sizeof(pairs));
	if (!ret)
		ret = nna_execution_set_output(execution, 0, 0, NULL, results, sizeof(results));
	if (!ret)
		ret = nna_execution_compute(execution);
	nna_execution_destroy(execution);
	for (int i = 0; !ret && i < ROWS; i++) {
		printf("%g xor %g = %g\n", pairs[i][0], pairs[i][1], results[i]);
		if (results[i] != (pairs[i][0] != pairs[i][1]))
			ret = -EIO;
	}
	return ret;
}

int main(int argc, char **argv)
{
	const struct nna_device_options options = { .log = messages };
	struct nna_program *program = NULL;
	struct nna_graph *graph = NULL;
	struct nna_device *device;
	int ret;

	/* "auto" is an accelerator if there is one, else the loopback. */
	if (nna_device_open(argc > 1 ? argv[1] : "auto", &options, &device))
		return 1;
	ret = nna_graph_create(&messages, &graph);
	if (!ret)
		ret = describe(graph);
	if (!ret)
		ret = nna_program_create(device, graph, NULL, &program);
	if (!ret)
		ret = run(program);
	if (ret)
		fprintf(stderr, "layers: %s\n", strerror(-ret));
	nna_program_destroy(program);
	nna_graph_unref(graph);
	nna_device_close(device);
	return ret ? 1 : 0;
}
