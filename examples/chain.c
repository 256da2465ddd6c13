// SPDX-License-Identifier: MIT
/*
 * Two runs one after the other that the CPU does not wait between, through shared memory: what a
 * camera pipeline does with an accelerator.
 *
 *	chain [DEVICE]
 *
 *	device A:  sum = a + b  --> buffer of A, exported as a dma-buf fd
 *	                                      |  imported
 *	device B:                   buffer of B  --> square = sum * sum
 *
 * A and B are opened apart, as two processes would: all that they share are two fds, the memory's
 * and the fence's. The second run is submitted at once; the hardware starts it when the first has
 * ended. Where a device makes no sync_file fds, which is the loopback, a thread of the library
 * waits for the first run's fence instead (nna_execution_submit_after()).
 *
 * Exit status: 0 when the results are right.
 */
#include <nnaccel.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LENGTH 1024
#define BYTES (LENGTH * sizeof(float))

/**
 * struct stage - one end of the chain
 * @device: opened for itself
 * @program: what it computes
 * @execution: of the program
 * @in: buffers that are its inputs; the second stage has one in both places
 * @out: the buffer that is its output
 */
struct stage {
	struct nna_device *device;
	struct nna_program *program;
	struct nna_execution *execution;
	struct nna_buffer *in[2], *out;
};

static void print_line(void *user, enum nna_log_level level, const char *text)
{
	if (level != NNA_LOG_INFO)
		fprintf(stderr, "chain: %s\n", text);
}

static const struct nna_log messages = { print_line, NULL };

/* out = a <operation> b, of vectors. Return: the graph; NULL after a message. */
static struct nna_graph *describe(enum nna_operation_type operation)
{
	const struct nna_operand_desc vector = {
		.type = NNA_OPERAND_TENSOR_FLOAT32,
		.rank = 1,
		.dims = &(uint32_t){ LENGTH },
	};
	const struct nna_operand_desc choice = { .type = NNA_OPERAND_INT32 };
	const int32_t activation = NNA_ACT_NONE;
	struct nna_graph *graph;
	/* Operands get the numbers 0, 1, 2, 3. */
	const struct nna_operand_desc *const operands[] = { &vector, &vector, &choice, &vector };
	int ret = nna_graph_create(&messages, &graph);

	if (ret)
		return NULL;
	for (size_t i = 0; ret >= 0 && i < sizeof(operands) / sizeof(operands[0]); i++)
		ret = nna_graph_add_operand(graph, 0, operands[i]);
	if (ret >= 0)
		ret = nna_graph_set_constant(graph, 0, 2, &activation, sizeof(activation), false);
	if (!ret)
		ret = nna_graph_add_operation(graph, 0, operation, 3, (uint32_t[]){ 0, 1, 2 }, 1,
					      &(uint32_t){ 3 });
	if (!ret)
		ret = nna_graph_set_io(graph, 0, 2, (uint32_t[]){ 0, 1 }, 1, &(uint32_t){ 3 });
	if (!ret)
		ret = nna_graph_finish(graph);
	if (!ret)
		return graph;
	nna_graph_unref(graph);
	return NULL;
}

/* Opens a device and compiles for it; the program keeps the graph. */
static int prepare(struct stage *s, const char *name, enum nna_operation_type operation)
{
	const struct nna_device_options options = { .log = messages };
	struct nna_graph *graph = NULL;
	int ret = nna_device_open(name, &options, &s->device);

	if (ret)
		return ret;
	graph = describe(operation);
	if (!graph)
		return -EINVAL;
	ret = nna_program_create(s->device, graph, NULL, &s->program);
	nna_graph_unref(graph);
	if (!ret)
		ret = nna_execution_create(s->program, &s->execution);
	return ret ? ret : nna_buffer_create(s->device, BYTES, &s->out);
}

/* Binds what a stage works on: whole buffers, so that nothing is copied. */
static int bind_buffers(struct stage *s)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < 2; i++)
		ret = nna_execution_set_input_buffer(s->execution, i, 0, NULL, s->in[i], 0, BYTES);
	return ret ? ret : nna_execution_set_output_buffer(s->execution, 0, 0, NULL, s->out, 0,
							   BYTES);
}

/* The buffer of @from in the hands of @to, by an fd that could go to another process. */
static int share(struct nna_buffer *from, struct nna_device *to, struct nna_buffer **out)
{
	int fd = nna_buffer_export(from), ret;

	if (fd < 0)
		return fd;
	ret = nna_buffer_import(to, fd, BYTES, out);
	close(fd);
	return ret;
}

/* Submits the second run behind the first one, and says how. */
static int submit_behind(struct stage *second, struct nna_fence *first, struct nna_fence **out)
{
	const struct nna_dependencies after = { .fences = &first, .fence_count = 1 };
	int fd = nna_fence_export(first), ret;

	if (fd == -ENOTSUP) {
		puts("the library starts the second run");
		return nna_execution_submit_after(second->execution, &after, out);
	}
	if (fd < 0)
		return fd;
	puts("the second run is behind a sync_file");
	ret = nna_execution_submit(second->execution, &fd, 1, out);
	close(fd);
	return ret;
}

static int run(struct stage *first, struct stage *second)
{
	struct nna_fence *sum = NULL, *square = NULL;
	int ret = nna_execution_submit(first->execution, NULL, 0, &sum);

	if (!ret)
		ret = submit_behind(second, sum, &square);
	/* The only time that the CPU waits. */
	if (!ret)
		ret = nna_fence_wait(square, -1);
	nna_fence_destroy(square);
	nna_fence_destroy(sum);
	return ret;
}

/* An execution goes before its buffers and its program, and all of them before the device. */
static void end(struct stage *s)
{
	nna_execution_destroy(s->execution);
	nna_program_destroy(s->program);
	nna_buffer_destroy(s->in[0]);
	if (s->in[1] != s->in[0])
		nna_buffer_destroy(s->in[1]);
	nna_buffer_destroy(s->out);
	nna_device_close(s->device);
}

static int check(const struct stage *second)
{
	const float *square = nna_buffer_map(second->out);

	for (int i = 0; i < LENGTH; i++)
		if (square[i] != 9.0f * (float)i * (float)i)
			return -EIO;
	printf("%d squares of sums are right\n", LENGTH);
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "auto";
	struct stage first = { 0 }, second = { 0 };
	int ret = prepare(&first, name, NNA_OPERATION_ADD);

	if (!ret)
		ret = prepare(&second, name, NNA_OPERATION_MUL);
	for (int i = 0; !ret && i < 2; i++)
		ret = nna_buffer_create(first.device, BYTES, &first.in[i]);
	if (!ret)
		ret = share(first.out, second.device, &second.in[0]);
	second.in[1] = second.in[0];
	if (!ret)
		ret = bind_buffers(&first);
	if (!ret)
		ret = bind_buffers(&second);
	for (int i = 0; !ret && i < LENGTH; i++) {
		((float *)nna_buffer_map(first.in[0]))[i] = (float)i;
		((float *)nna_buffer_map(first.in[1]))[i] = 2.0f * (float)i;
	}
	if (!ret)
		ret = run(&first, &second);
	if (!ret)
		ret = check(&second);
	if (ret)
		fprintf(stderr, "chain: %s\n", strerror(-ret));
	end(&second);
	end(&first);
	return ret ? 1 : 0;
}
