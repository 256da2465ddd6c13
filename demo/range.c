// SPDX-License-Identifier: MIT
#include "demo/range.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct measured - the network, and what it computes
 * @whole: the network with other outputs: every FLOAT32 tensor that an operation writes
 * @values: for each output
 */
struct measured {
	struct network whole;
	float **values;
	struct nna_device *device;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
};

static bool is_float(const struct network *n, uint32_t operand)
{
	return n->operands[operand].desc.type == NNA_OPERAND_TENSOR_FLOAT32;
}

/* All that is computed as outputs. */
static int choose_outputs(struct measured *m, const struct network *n)
{
	uint32_t count = 0;

	m->whole = *n;
	m->whole.output_count = 0;
	for (uint32_t i = 0; i < n->operation_count; i++)
		count += n->operations[i].output_count;
	m->whole.outputs = calloc(count + 1, sizeof(*m->whole.outputs));
	m->values = calloc(count + 1, sizeof(*m->values));
	if (!m->whole.outputs || !m->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->operation_count; i++) {
		const struct network_operation *o = &n->operations[i];

		for (uint32_t k = 0; k < o->output_count; k++) {
			const uint32_t output = m->whole.output_count;

			if (!is_float(n, o->outputs[k]))
				continue;
			m->values[output] = calloc(network_elements(&n->operands[o->outputs[k]]),
						   sizeof(float));
			if (!m->values[output])
				return -ENOMEM;
			m->whole.outputs[output] = o->outputs[k];
			m->whole.output_count++;
		}
	}
	return 0;
}

static int compile(struct measured *m, char *error)
{
	int ret = nna_device_open("loopback", NULL, &m->device);

	if (!ret)
		ret = nna_graph_create(NULL, &m->graph);
	if (!ret)
		ret = network_write(&m->whole, &tflite_graph_sink, m->graph, error);
	if (!ret)
		ret = nna_graph_finish(m->graph);
	if (!ret)
		ret = nna_program_create(m->device, m->graph, NULL, &m->program);
	if (!ret)
		ret = nna_execution_create(m->program, &m->execution);
	for (uint32_t i = 0; !ret && i < m->whole.output_count; i++) {
		const struct network_operand *o = &m->whole.operands[m->whole.outputs[i]];

		ret = nna_execution_set_output(m->execution, i, 0, NULL, m->values[i],
					       network_elements(o) * sizeof(float));
	}
	return ret;
}

static void widen(struct range *range, const float *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		range->low = fminf(range->low, values[i]);
		range->high = fmaxf(range->high, values[i]);
	}
}

static int run(struct measured *m, const float *input, struct range *ranges)
{
	const struct network *n = &m->whole;
	const size_t elements = network_elements(&n->operands[n->inputs[0]]);
	int ret = nna_execution_set_input(m->execution, 0, 0, NULL, input,
					  elements * sizeof(*input));

	if (!ret)
		ret = nna_execution_compute(m->execution);
	if (ret)
		return ret;
	widen(&ranges[n->inputs[0]], input, elements);
	for (uint32_t i = 0; i < n->output_count; i++)
		widen(&ranges[n->outputs[i]], m->values[i],
		      network_elements(&n->operands[n->outputs[i]]));
	return 0;
}

int range_measure(const struct network *n, const float *const *inputs, uint32_t count,
		  struct range *ranges, char *error)
{
	struct measured m = { 0 };
	int ret = -ENOTSUP;

	*error = 0;
	for (uint32_t i = 0; i < n->operand_count; i++)
		ranges[i] = (struct range){ INFINITY, -INFINITY };
	if (n->input_count == 1 && is_float(n, n->inputs[0]))
		ret = choose_outputs(&m, n) ?: compile(&m, error);
	for (uint32_t i = 0; !ret && i < count; i++)
		ret = run(&m, inputs[i], ranges);
	if (ret && !*error)
		snprintf(error, TFLITE_ERROR_SIZE, "the ranges of its values cannot be measured: %s",
			 strerror(-ret));
	nna_execution_destroy(m.execution);
	nna_program_destroy(m.program);
	nna_graph_unref(m.graph);
	nna_device_close(m.device);
	for (uint32_t i = 0; i < m.whole.output_count; i++)
		free(m.values[i]);
	free(m.values);
	free(m.whole.outputs);
	return ret;
}

/* A line each, in hexadecimal, which loses nothing. */
int range_save(const char *path, const struct range *ranges, uint32_t count)
{
	FILE *file = fopen(path, "w");
	bool written = true;

	if (!file)
		return -errno;
	for (uint32_t i = 0; written && i < count; i++)
		written = fprintf(file, "%a %a\n", (double)ranges[i].low,
				  (double)ranges[i].high) > 0;
	return fclose(file) || !written ? -EIO : 0;
}

int range_load(const char *path, struct range *ranges, uint32_t count)
{
	FILE *file = fopen(path, "r");
	uint32_t read = 0;
	char more[2];
	bool whole;

	if (!file)
		return -errno;
	while (read < count &&
	       fscanf(file, "%f %f", &ranges[read].low, &ranges[read].high) == 2)
		read++;
	whole = read == count && fscanf(file, "%1s", more) == EOF;
	fclose(file);
	return whole ? 0 : -EBADMSG;
}
