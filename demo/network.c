// SPDX-License-Identifier: MIT
#include "demo/network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/array.h"

/* -------------------------------------------------------------------------------------- reading */

static int copy_numbers(uint32_t count, const uint32_t *from, uint32_t **to)
{
	*to = malloc(count ? count * sizeof(**to) : 1);
	if (!*to)
		return -ENOMEM;
	if (count)
		memcpy(*to, from, count * sizeof(**to));
	return 0;
}

/* The numbers of operands exist: a translation adds them before it uses them. */
static bool are_operands(const struct network *n, uint32_t count, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i] >= n->operand_count)
			return false;
	return true;
}

static int add_operand(void *sink, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	struct network *n = sink;
	struct network_operand *grown, *o;

	if (desc->rank > NNACCEL_MAX_RANK)
		return -ENOTSUP;
	grown = nna_array_reserve(n->operands, (uint64_t)n->operand_count + 1, &n->operand_room,
				  sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	n->operands = grown;
	o = &grown[n->operand_count];
	*o = (struct network_operand){ .desc = *desc };
	if (desc->rank)
		memcpy(o->dims, desc->dims, desc->rank * sizeof(*o->dims));
	o->desc.dims = NULL; /* an array that grows moves: network_write() says where they are */
	o->desc.channel_scales = NULL;
	if (desc->channel_count) {
		o->scales = malloc(desc->channel_count * sizeof(*o->scales));
		if (!o->scales)
			return -ENOMEM;
		memcpy(o->scales, desc->channel_scales, desc->channel_count * sizeof(*o->scales));
	}
	return (int)n->operand_count++;
}

static int set_constant(void *sink, uint32_t subgraph, uint32_t operand, const void *data,
			size_t size)
{
	struct network *n = sink;

	if (!are_operands(n, 1, &operand))
		return -EINVAL;
	n->operands[operand].data = data;
	n->operands[operand].size = size;
	return 0;
}

static int set_no_value(void *sink, uint32_t subgraph, uint32_t operand)
{
	struct network *n = sink;

	if (!are_operands(n, 1, &operand))
		return -EINVAL;
	n->operands[operand].no_value = true;
	return 0;
}

static int add_operation(void *sink, uint32_t subgraph, uint32_t type, uint32_t input_count,
			 const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct network *n = sink;
	struct network_operation *grown, *o;

	if (!are_operands(n, input_count, inputs) || !are_operands(n, output_count, outputs))
		return -EINVAL;
	grown = nna_array_reserve(n->operations, (uint64_t)n->operation_count + 1,
				  &n->operation_room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	n->operations = grown;
	o = &grown[n->operation_count++];
	*o = (struct network_operation){ type, input_count, output_count, NULL, NULL };
	return copy_numbers(input_count, inputs, &o->inputs) ?:
	       copy_numbers(output_count, outputs, &o->outputs);
}

static int set_io(void *sink, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		  uint32_t output_count, const uint32_t *outputs)
{
	struct network *n = sink;

	if (n->inputs || !are_operands(n, input_count, inputs) ||
	    !are_operands(n, output_count, outputs))
		return -EINVAL;
	n->input_count = input_count;
	n->output_count = output_count;
	return copy_numbers(input_count, inputs, &n->inputs) ?:
	       copy_numbers(output_count, outputs, &n->outputs);
}

int network_refuse_subgraph(void *sink)
{
	return -ENOTSUP;
}

int network_refuse_variable(void *sink, uint32_t subgraph, uint32_t operand)
{
	return -ENOTSUP;
}

int network_refuse_reference(void *sink, uint32_t subgraph, uint32_t operand, uint32_t which)
{
	return -ENOTSUP;
}

const struct tflite_sink network_sink = {
	.add_subgraph = network_refuse_subgraph,
	.add_operand = add_operand,
	.set_constant = set_constant,
	.set_no_value = set_no_value,
	.set_variable = network_refuse_variable,
	.set_subgraph = network_refuse_reference,
	.add_operation = add_operation,
	.set_io = set_io,
};

/* -------------------------------------------------------------------------------------- writing */

const char *network_name(const struct network *network, uint32_t i)
{
	return nna_operation_name(network->operations[i].type) ?: "an operation without a name";
}

size_t network_elements(const struct network_operand *operand)
{
	size_t elements = 1;

	for (uint32_t k = 0; k < operand->desc.rank; k++)
		elements *= operand->dims[k];
	return elements;
}

static int write_operand(const struct network_operand *o, uint32_t number,
			 const struct tflite_sink *ops, void *sink)
{
	struct nna_operand_desc desc = o->desc;
	int ret;

	desc.dims = o->dims;
	desc.channel_scales = o->scales;
	ret = ops->add_operand(sink, 0, &desc);
	if (ret < 0)
		return ret;
	/* All number operands in the order in which they are added. */
	if ((uint32_t)ret != number)
		return -EINVAL;
	if (o->data)
		return ops->set_constant(sink, 0, number, o->data, o->size);
	return o->no_value ? ops->set_no_value(sink, 0, number) : 0;
}

int network_write(const struct network *n, const struct tflite_sink *ops, void *sink, char *error)
{
	int ret;

	for (uint32_t i = 0; i < n->operand_count; i++) {
		ret = write_operand(&n->operands[i], i, ops, sink);
		if (ret) {
			snprintf(error, TFLITE_ERROR_SIZE, "operand %u cannot be built: %s", i,
				 strerror(-ret));
			return ret;
		}
	}
	for (uint32_t i = 0; i < n->operation_count; i++) {
		const struct network_operation *o = &n->operations[i];

		ret = ops->add_operation(sink, 0, o->type, o->input_count, o->inputs,
					 o->output_count, o->outputs);
		if (ret) {
			snprintf(error, TFLITE_ERROR_SIZE, "operation %u (%s) cannot be built: %s",
				 i, network_name(n, i), strerror(-ret));
			return ret;
		}
	}
	ret = ops->set_io(sink, 0, n->input_count, n->inputs, n->output_count, n->outputs);
	if (ret)
		snprintf(error, TFLITE_ERROR_SIZE, "inputs and outputs cannot be built: %s",
			 strerror(-ret));
	return ret;
}

void network_fini(struct network *n)
{
	for (uint32_t i = 0; i < n->operand_count; i++) {
		free(n->operands[i].scales);
		free(n->operands[i].owned);
	}
	for (uint32_t i = 0; i < n->operation_count; i++) {
		free(n->operations[i].inputs);
		free(n->operations[i].outputs);
	}
	free(n->operands);
	free(n->operations);
	free(n->inputs);
	free(n->outputs);
	*n = (struct network){ 0 };
}
