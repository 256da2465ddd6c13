// SPDX-License-Identifier: MIT
/*
 * Building a graph. Errors that one call alone shows are refused here, all others in finish.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/support/array.h"
#include "libnnaccel/support/sized.h"

#define FAIL(graph, ...) (nna_log_print(&(graph)->log, NNA_LOG_ERROR, __VA_ARGS__), -EINVAL)

/*
 * Constants of at most this many bytes are always copied, because callers often have them on the
 * stack.
 */
#define SMALL_CONSTANT 128u

int nna_graph_create(const struct nna_log *log, struct nna_graph **out)
{
	struct nna_graph *graph;
	int ret;

	if (!out)
		return -EINVAL;
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return -ENOMEM;
	atomic_init(&graph->references, 1);
	if (log)
		graph->log = *log;
	ret = nna_graph_add_subgraph(graph);
	if (ret < 0) {
		nna_graph_unref(graph);
		return ret;
	}
	*out = graph;
	return 0;
}

struct nna_graph *nna_graph_ref(struct nna_graph *graph)
{
	if (graph)
		atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
	return graph;
}

static void subgraph_free(struct nna_subgraph *sg)
{
	for (uint32_t i = 0; i < sg->operand_count; i++) {
		free(sg->operands[i].stated.channel_scales);
		if (sg->operands[i].owned)
			free((void *)sg->operands[i].data);
	}
	for (uint32_t i = 0; i < sg->operation_count; i++)
		free(sg->operations[i].inputs);
	free(sg->operands);
	free(sg->operations);
	free(sg->order);
	free(sg->inputs);
	free(sg->outputs);
}

/* A part owns its operands and its interface; the whole graph owns the rest. */
static void part_free(struct nna_graph *part)
{
	if (part->subgraphs) {
		free(part->subgraphs[0].operands);
		free(part->subgraphs[0].inputs);
		free(part->subgraphs[0].outputs);
	}
	nna_graph_unref(part->whole);
	free(part->subgraphs);
	free(part);
}

void nna_graph_unref(struct nna_graph *graph)
{
	if (!graph || atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) != 1)
		return;
	if (graph->whole) {
		part_free(graph);
		return;
	}
	for (uint32_t i = 0; i < graph->subgraph_count; i++)
		subgraph_free(&graph->subgraphs[i]);
	free(graph->subgraphs);
	free(graph);
}

int nna_graph_add_subgraph(struct nna_graph *graph)
{
	struct nna_subgraph *p;

	if (!graph)
		return -EINVAL;
	if (graph->finished)
		return FAIL(graph, "no subgraph can be added: the graph is finished, build "
			    "another");
	if (graph->subgraph_count >= NNA_GRAPH_MAX_SUBGRAPHS)
		return FAIL(graph, "subgraph %u: a graph has at most %u subgraphs",
			    graph->subgraph_count, NNA_GRAPH_MAX_SUBGRAPHS);
	p = nna_array_reserve(graph->subgraphs, graph->subgraph_count + 1, &graph->subgraph_room,
			      sizeof(*p));
	if (!p)
		return -ENOMEM;
	graph->subgraphs = p;
	memset(&p[graph->subgraph_count], 0, sizeof(*p));
	return (int)graph->subgraph_count++;
}

/* Return: the subgraph, if the graph may still change; else NULL, which is logged. */
static struct nna_subgraph *open_subgraph(struct nna_graph *graph, uint32_t subgraph)
{
	if (!graph)
		return NULL;
	if (graph->finished) {
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "subgraph %u cannot be changed: the graph is finished, build another",
			      subgraph);
		return NULL;
	}
	if (subgraph >= graph->subgraph_count) {
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "subgraph %u does not exist: the graph has %u, numbered from 0",
			      subgraph, graph->subgraph_count);
		return NULL;
	}
	return &graph->subgraphs[subgraph];
}

/* Return: the operand, if it has no value yet; else NULL, which is logged. */
static struct nna_operand *open_operand(struct nna_graph *graph, uint32_t subgraph,
					uint32_t operand)
{
	struct nna_subgraph *sg = open_subgraph(graph, subgraph);

	if (!sg)
		return NULL;
	if (operand >= sg->operand_count) {
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "operand %u does not exist: subgraph %u has %u, numbered from 0",
			      operand, subgraph, sg->operand_count);
		return NULL;
	}
	if (sg->operands[operand].lifetime != NNA_LIFETIME_TEMPORARY) {
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "operand %u of subgraph %u has a value already: an operand is given "
			      "one once", operand, subgraph);
		return NULL;
	}
	return &sg->operands[operand];
}

/* Checks scale and zero point against the type. */
static int check_quantisation(struct nna_graph *graph, uint32_t number,
			      const struct nna_operand_desc *desc)
{
	const char *name = nna_operand_type_name(desc->type);
	bool per_channel = desc->type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL;
	bool positive = nna_operand_type_is_quantised(desc->type) && !per_channel;
	int64_t low = 0, high = 0;

	if (!isfinite(desc->scale) || desc->scale < 0)
		return FAIL(graph, "operand %u (%s): its scale is %g, it must be a number of at "
			    "least 0", number, name, (double)desc->scale);
	if (positive && desc->scale == 0)
		return FAIL(graph, "operand %u (%s): its scale is 0, a quantised type needs one "
			    "above 0", number, name);
	if (!positive && desc->type != NNA_OPERAND_TENSOR_INT32 && desc->scale != 0)
		return FAIL(graph, "operand %u (%s): its scale is %g, this type has none: set it "
			    "to 0", number, name, (double)desc->scale);
	if (desc->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
	    desc->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ||
	    desc->type == NNA_OPERAND_TENSOR_QUANT16_ASYMM)
		nna_operand_type_range(desc->type, &low, &high);
	if (desc->zero_point < low || desc->zero_point > high)
		return FAIL(graph, "operand %u (%s): its zero point is %d, it must be %lld to %lld",
			    number, name, desc->zero_point, (long long)low, (long long)high);
	if (!per_channel) {
		if (desc->channel_count)
			return FAIL(graph, "operand %u (%s): it has scales per channel, which only "
				    "TENSOR_QUANT8_SYMM_PER_CHANNEL may have", number, name);
		return 0;
	}
	if (!desc->rank || desc->channel_dim >= desc->rank || !desc->channel_count ||
	    !desc->channel_scales)
		return FAIL(graph, "operand %u (%s): it needs a scale for each channel of one of "
			    "its dimensions", number, name);
	if (desc->dims[desc->channel_dim] && desc->dims[desc->channel_dim] != desc->channel_count)
		return FAIL(graph, "operand %u (%s): it has %u scales for %u channels, give one "
			    "for each", number, name, desc->channel_count,
			    desc->dims[desc->channel_dim]);
	for (uint32_t i = 0; i < desc->channel_count; i++) {
		if (!isfinite(desc->channel_scales[i]) || !(desc->channel_scales[i] > 0))
			return FAIL(graph, "operand %u (%s): the scale of channel %u is %g, it "
				    "must be above 0", number, name, i,
				    (double)desc->channel_scales[i]);
	}
	return 0;
}

/* True if a tensor has less than 2 GiB, so that sizes and strides fit into signed 32 bits. */
static bool size_fits(const struct nna_operand_desc *desc)
{
	uint64_t bytes = nna_operand_type_size(desc->type);

	for (uint32_t k = 0; k < desc->rank; k++) {
		if (desc->dims[k] > INT32_MAX)
			return false;
		if (desc->dims[k] && __builtin_mul_overflow(bytes, desc->dims[k], &bytes))
			return false;
	}
	return bytes <= INT32_MAX;
}

static int add_operand(struct nna_graph *graph, uint32_t subgraph,
		       const struct nna_operand_desc *desc)
{
	struct nna_subgraph *sg = open_subgraph(graph, subgraph);
	struct nna_operand *operands, *operand;
	struct nna_shape *shape;
	uint32_t number;
	int ret;

	if (!sg)
		return -EINVAL;
	number = sg->operand_count;
	if (!desc)
		return FAIL(graph, "operand %u: its description is NULL", number);
	if (number >= NNA_GRAPH_MAX_OPERANDS)
		return FAIL(graph, "operand %u: a subgraph has at most %u operands", number,
			    NNA_GRAPH_MAX_OPERANDS);
	if (!nna_operand_type_name(desc->type))
		return FAIL(graph, "operand %u: type %u does not exist: it is one of enum "
			    "nna_operand_type", number, desc->type);
	if (desc->rank > NNACCEL_MAX_RANK)
		return FAIL(graph, "operand %u: it has %u dimensions, at most %u are possible",
			    number, desc->rank, NNACCEL_MAX_RANK);
	if (desc->rank && !desc->dims)
		return FAIL(graph, "operand %u: its list of %u dimensions is NULL", number,
			    desc->rank);
	if (desc->rank && !nna_operand_type_is_tensor(desc->type))
		return FAIL(graph, "operand %u (%s): it has %u dimensions, a scalar has none",
			    number, nna_operand_type_name(desc->type), desc->rank);
	if (!size_fits(desc))
		return FAIL(graph, "operand %u: its dimensions exceed 2 GiB, the most that a "
			    "tensor may have", number);
	ret = check_quantisation(graph, number, desc);
	if (ret)
		return ret;
	operands = nna_array_reserve(sg->operands, number + 1, &sg->operand_room,
				     sizeof(*sg->operands));
	if (!operands)
		return -ENOMEM;
	sg->operands = operands;

	operand = &operands[number];
	memset(operand, 0, sizeof(*operand));
	operand->producer = NNA_NONE;
	shape = &operand->stated;
	shape->type = desc->type;
	shape->rank = desc->rank;
	shape->rank_known = desc->rank || !nna_operand_type_is_tensor(desc->type);
	shape->final = shape->rank_known;
	for (uint32_t k = 0; k < desc->rank; k++) {
		shape->dims[k] = desc->dims[k];
		if (!desc->dims[k])
			shape->final = false;
	}
	shape->scale = desc->scale;
	shape->zero_point = desc->zero_point;
	if (desc->channel_count) {
		shape->channel_dim = desc->channel_dim;
		shape->channel_count = desc->channel_count;
		shape->channel_scales = malloc(desc->channel_count * sizeof(float));
		if (!shape->channel_scales)
			return -ENOMEM;
		memcpy(shape->channel_scales, desc->channel_scales,
		       desc->channel_count * sizeof(float));
	}
	operand->shape = *shape;
	sg->operand_count++;
	return (int)number;
}

int nna_graph_add_operand_sized(struct nna_graph *graph, uint32_t subgraph,
				const struct nna_operand_desc *desc, size_t size)
{
	struct nna_operand_desc own;
	int ret = nna_sized_read(&own, sizeof(own), desc, size);

	return ret ? ret : add_operand(graph, subgraph, desc ? &own : NULL);
}

int nna_graph_set_constant(struct nna_graph *graph, uint32_t subgraph, uint32_t operand,
			   const void *data, size_t size, bool by_reference)
{
	struct nna_operand *o = open_operand(graph, subgraph, operand);
	size_t bytes;
	void *copy;

	if (!o)
		return -EINVAL;
	if (o->stated.type == NNA_OPERAND_SUBGRAPH)
		return FAIL(graph, "operand %u (SUBGRAPH): it is given bytes: use "
			    "nna_graph_set_subgraph()", operand);
	if (!o->stated.final || !nna_shape_bytes(&o->stated, &bytes))
		return FAIL(graph, "operand %u: it cannot be a constant while dimensions are "
			    "unknown: state all of them", operand);
	if (!data || size != bytes)
		return FAIL(graph, "operand %u: it is given %zu bytes, its dimensions need %zu: "
			    "give exactly those", operand, data ? size : 0, bytes);
	if (!by_reference || size <= SMALL_CONSTANT) {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, data, size);
		o->data = copy;
		o->owned = true;
	} else {
		o->data = data;
	}
	o->size = size;
	o->lifetime = NNA_LIFETIME_CONSTANT;
	return 0;
}

int nna_graph_set_no_value(struct nna_graph *graph, uint32_t subgraph, uint32_t operand)
{
	struct nna_operand *o = open_operand(graph, subgraph, operand);

	if (!o)
		return -EINVAL;
	o->lifetime = NNA_LIFETIME_NO_VALUE;
	return 0;
}

int nna_graph_set_subgraph(struct nna_graph *graph, uint32_t subgraph, uint32_t operand,
			   uint32_t which)
{
	struct nna_operand *o = open_operand(graph, subgraph, operand);

	if (!o)
		return -EINVAL;
	if (o->stated.type != NNA_OPERAND_SUBGRAPH)
		return FAIL(graph, "operand %u (%s): it is to refer to a subgraph, which needs the "
			    "type SUBGRAPH", operand, nna_operand_type_name(o->stated.type));
	/* Subgraph @which may be added later, so nna_graph_finish() checks whether it exists. */
	o->subgraph = which;
	o->lifetime = NNA_LIFETIME_SUBGRAPH;
	return 0;
}

int nna_graph_set_variable(struct nna_graph *graph, uint32_t subgraph, uint32_t operand)
{
	struct nna_operand *o = open_operand(graph, subgraph, operand);

	if (!o)
		return -EINVAL;
	if (subgraph || !nna_operand_type_is_tensor(o->stated.type) || !o->stated.final)
		return FAIL(graph, "operand %u of subgraph %u (%s): it cannot be a variable, which "
			    "is a tensor of the main subgraph with all its dimensions known",
			    operand, subgraph, nna_operand_type_name(o->stated.type));
	o->lifetime = NNA_LIFETIME_VARIABLE;
	return 0;
}

int nna_graph_add_operation(struct nna_graph *graph, uint32_t subgraph,
			    enum nna_operation_type type, uint32_t input_count,
			    const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct nna_subgraph *sg = open_subgraph(graph, subgraph);
	struct nna_operation *grown, *operation;
	uint32_t *numbers;

	if (!sg)
		return -EINVAL;
	if (sg->operation_count >= NNA_GRAPH_MAX_OPERANDS || input_count > NNA_GRAPH_MAX_OPERANDS ||
	    output_count > NNA_GRAPH_MAX_OPERANDS)
		return FAIL(graph, "operation %u: a subgraph has at most %u operations, and an "
			    "operation that many operands", sg->operation_count,
			    NNA_GRAPH_MAX_OPERANDS);
	if ((input_count && !inputs) || !output_count || !outputs)
		return FAIL(graph, "operation %u: it needs at least one output, and lists that are "
			    "not NULL", sg->operation_count);
	for (uint32_t i = 0; i < input_count; i++) {
		if (inputs[i] >= sg->operand_count)
			return FAIL(graph, "operation %u: its input %u is operand %u, which does "
				    "not exist: subgraph %u has %u", sg->operation_count, i,
				    inputs[i], subgraph, sg->operand_count);
	}
	for (uint32_t i = 0; i < output_count; i++) {
		if (outputs[i] >= sg->operand_count)
			return FAIL(graph, "operation %u: its output %u is operand %u, which does "
				    "not exist: subgraph %u has %u", sg->operation_count, i,
				    outputs[i], subgraph, sg->operand_count);
	}
	grown = nna_array_reserve(sg->operations, sg->operation_count + 1, &sg->operation_room,
				  sizeof(*sg->operations));
	if (!grown)
		return -ENOMEM;
	sg->operations = grown;
	numbers = malloc(((size_t)input_count + output_count) * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	if (input_count)
		memcpy(numbers, inputs, input_count * sizeof(*numbers));
	memcpy(numbers + input_count, outputs, output_count * sizeof(*numbers));

	operation = &sg->operations[sg->operation_count++];
	operation->type = type;
	operation->input_count = input_count;
	operation->output_count = output_count;
	operation->inputs = numbers;
	operation->outputs = numbers + input_count;
	return 0;
}

/* Copies a list of operand numbers. The operands must exist. */
static int copy_list(struct nna_graph *graph, const struct nna_subgraph *sg, const char *what,
		     uint32_t count, const uint32_t *list, uint32_t **out)
{
	uint32_t *copy;

	if (count > sg->operand_count || (count && !list))
		return FAIL(graph, "%u %s are given, the subgraph has %u operands: list each at "
			    "most once", count, what, sg->operand_count);
	copy = malloc((count ? count : 1) * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (list[i] >= sg->operand_count) {
			free(copy);
			return FAIL(graph, "%s: entry %u is operand %u, which does not exist: the "
				    "subgraph has %u", what, i, list[i], sg->operand_count);
		}
		copy[i] = list[i];
	}
	*out = copy;
	return 0;
}

int nna_graph_set_io(struct nna_graph *graph, uint32_t subgraph, uint32_t input_count,
		     const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct nna_subgraph *sg = open_subgraph(graph, subgraph);
	uint32_t *in = NULL, *out = NULL;
	int ret;

	if (!sg)
		return -EINVAL;
	if (sg->inputs)
		return FAIL(graph, "subgraph %u has its inputs and outputs already: they are set "
			    "once", subgraph);
	ret = copy_list(graph, sg, "inputs", input_count, inputs, &in);
	if (!ret)
		ret = copy_list(graph, sg, "outputs", output_count, outputs, &out);
	if (ret) {
		free(in);
		return ret;
	}
	sg->inputs = in;
	sg->outputs = out;
	sg->input_count = input_count;
	sg->output_count = output_count;
	return 0;
}

int nna_graph_set_relaxed(struct nna_graph *graph, bool relaxed)
{
	if (!graph)
		return -EINVAL;
	if (graph->finished)
		return FAIL(graph, "precision cannot be relaxed: the graph is finished, do it "
			    "before");
	graph->relaxed = relaxed;
	return 0;
}

int nna_graph_set_rounding(struct nna_graph *graph, enum nna_rounding rounding)
{
	if (!graph)
		return -EINVAL;
	if (graph->finished)
		return FAIL(graph, "rounding cannot be set: the graph is finished, do it before");
	if ((unsigned int)rounding > NNA_ROUNDING_ONNX)
		return FAIL(graph, "rounding %u does not exist: it is one of enum nna_rounding",
			    rounding);
	graph->rounding = rounding;
	return 0;
}

uint32_t nna_graph_operation_count(const struct nna_graph *graph, uint32_t subgraph)
{
	return graph && subgraph < graph->subgraph_count ?
		       graph->subgraphs[subgraph].operation_count : 0;
}

uint32_t nna_graph_operand_count(const struct nna_graph *graph)
{
	return graph->subgraphs[0].operand_count;
}

uint32_t nna_graph_argument(const struct nna_graph *graph, bool output, uint32_t index)
{
	const struct nna_subgraph *sg = &graph->subgraphs[0];

	if (index >= (output ? sg->output_count : sg->input_count))
		return NNA_NONE;
	return output ? sg->outputs[index] : sg->inputs[index];
}
