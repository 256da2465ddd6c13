// SPDX-License-Identifier: MIT
/* Graphs as data: operands, their bytes as numbers, copies, and the text that is printed. */
#include "tests/random/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nnr_graph *nnr_graph_new(void)
{
	return calloc(1, sizeof(struct nnr_graph));
}

static struct nnr_operand *copy_operand(const struct nnr_operand *operand)
{
	struct nnr_operand *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *operand;
	copy->data = NULL;
	nnr_set_data(copy, operand->data, operand->size);
	return copy;
}

struct nnr_graph *nnr_graph_copy(const struct nnr_graph *graph)
{
	struct nnr_graph *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *graph;
	copy->operand_count = copy->subgraph_count = 0;
	for (uint32_t i = 0; i < graph->subgraph_count; i++) {
		copy->subgraphs[i] = nnr_graph_copy(graph->subgraphs[i]);
		if (!copy->subgraphs[i])
			goto fail;
		copy->subgraph_count++;
	}
	for (uint32_t i = 0; i < graph->operand_count; i++) {
		copy->operands[i] = copy_operand(graph->operands[i]);
		if (!copy->operands[i])
			goto fail;
		copy->operand_count++;
	}
	return copy;
fail:
	nnr_graph_free(copy);
	return NULL;
}

void nnr_graph_free(struct nnr_graph *graph)
{
	if (!graph)
		return;
	nnr_drop_operands(graph, 0);
	while (graph->subgraph_count)
		nnr_graph_free(graph->subgraphs[--graph->subgraph_count]);
	free(graph);
}

void nnr_drop_operands(struct nnr_graph *graph, uint32_t count)
{
	while (graph->operand_count > count) {
		struct nnr_operand *operand = graph->operands[--graph->operand_count];

		/* Subgraphs are in the order of the operands that they belong to. */
		if (operand->type == NNA_OPERAND_SUBGRAPH && graph->subgraph_count &&
		    operand->subgraph == graph->subgraph_count - 1)
			nnr_graph_free(graph->subgraphs[--graph->subgraph_count]);
		free(operand->data);
		free(operand);
	}
}

int nnr_add_operand(struct nnr_graph *graph, enum nnr_kind kind, uint32_t type, uint32_t rank,
		    const uint32_t *dims)
{
	struct nnr_operand *operand;

	if (graph->operand_count == NNR_MAX_OPERANDS)
		return -1;
	operand = calloc(1, sizeof(*operand));
	if (!operand)
		return -1;
	operand->kind = kind;
	operand->type = type;
	operand->rank = rank;
	for (uint32_t k = 0; k < rank; k++)
		operand->dims[k] = dims[k];
	graph->operands[graph->operand_count] = operand;
	return (int)graph->operand_count++;
}

void nnr_set_data(struct nnr_operand *operand, const void *data, size_t size)
{
	uint8_t *bytes = NULL;

	if (data) {
		bytes = malloc(size ? size : 1);
		if (!bytes)
			abort();
		memcpy(bytes, data, size);
	}
	free(operand->data);
	operand->data = bytes;
	operand->size = bytes ? size : 0;
}

int nnr_add_subgraph(struct nnr_graph *graph, struct nnr_graph *subgraph)
{
	int number = subgraph && graph->subgraph_count < NNR_MAX_SUBGRAPHS
			     ? nnr_add_operand(graph, NNR_CONSTANT, NNA_OPERAND_SUBGRAPH, 0, NULL)
			     : -1;

	if (number < 0) {
		nnr_graph_free(subgraph);
		return -1;
	}
	graph->operands[number]->subgraph = graph->subgraph_count;
	graph->subgraphs[graph->subgraph_count++] = subgraph;
	return number;
}

/* Removes subgraphs that no operand is. */
static void compact_subgraphs(struct nnr_graph *graph)
{
	uint32_t kept = 0;

	for (uint32_t n = 0; n < graph->subgraph_count; n++) {
		bool used = false;

		for (uint32_t i = 0; i < graph->operand_count; i++) {
			struct nnr_operand *operand = graph->operands[i];

			if (operand->type == NNA_OPERAND_SUBGRAPH && operand->subgraph == n) {
				operand->subgraph = kept;
				used = true;
			}
		}
		if (used)
			graph->subgraphs[kept++] = graph->subgraphs[n];
		else
			nnr_graph_free(graph->subgraphs[n]);
	}
	graph->subgraph_count = kept;
}

void nnr_compact(struct nnr_graph *graph)
{
	uint32_t number[NNR_MAX_OPERANDS], kept = 0;
	bool used[NNR_MAX_OPERANDS] = { false };

	for (uint32_t k = 0; k < graph->operation_count; k++) {
		const struct nnr_operation *o = &graph->operations[k];

		for (uint32_t i = 0; i < o->input_count; i++)
			used[o->in[i]] = true;
		for (uint32_t i = 0; i < o->output_count; i++)
			used[o->out[i]] = true;
	}
	for (uint32_t i = 0; i < graph->operand_count; i++) {
		struct nnr_operand *operand = graph->operands[i];

		if (used[i]) {
			number[i] = kept;
			graph->operands[kept++] = operand;
		} else {
			free(operand->data);
			free(operand);
		}
	}
	graph->operand_count = kept;
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		struct nnr_operation *o = &graph->operations[k];

		for (uint32_t i = 0; i < o->input_count; i++)
			o->in[i] = number[o->in[i]];
		for (uint32_t i = 0; i < o->output_count; i++)
			o->out[i] = number[o->out[i]];
	}
	compact_subgraphs(graph);
}

uint64_t nnr_elements(const struct nnr_operand *operand)
{
	uint64_t n = 1;

	if (operand->rank > NNACCEL_MAX_RANK)
		return UINT64_MAX;
	for (uint32_t k = 0; k < operand->rank; k++) {
		if (__builtin_mul_overflow(n, operand->dims[k], &n))
			return UINT64_MAX;
	}
	return n;
}

bool nnr_is_tensor(uint32_t type)
{
	switch (type) {
	case NNA_OPERAND_FLOAT32:
	case NNA_OPERAND_FLOAT16:
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_UINT32:
	case NNA_OPERAND_BOOL:
		return false;
	default:
		return true;
	}
}

bool nnr_is_float(uint32_t type)
{
	return type == NNA_OPERAND_FLOAT32 || type == NNA_OPERAND_TENSOR_FLOAT32 ||
	       type == NNA_OPERAND_FLOAT16 || type == NNA_OPERAND_TENSOR_FLOAT16;
}

bool nnr_is_quantised(uint32_t type)
{
	int64_t low, high;

	nnr_type_range(type, &low, &high);
	return high - low == UINT8_MAX || high - low == UINT16_MAX;
}

void nnr_type_range(uint32_t type, int64_t *low, int64_t *high)
{
	*low = *high = 0;
	switch (type) {
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		*high = UINT8_MAX;
		break;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL:
		*low = INT8_MIN;
		*high = INT8_MAX;
		break;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		*high = UINT16_MAX;
		break;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		*low = INT16_MIN;
		*high = INT16_MAX;
		break;
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_TENSOR_INT32:
		*low = INT32_MIN;
		*high = INT32_MAX;
		break;
	case NNA_OPERAND_BOOL:
	case NNA_OPERAND_TENSOR_BOOL8:
		*high = 1;
		break;
	}
}

static double half_load(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
		       : exponent     ? ldexp(1024 + mantissa, exponent - 25)
				      : ldexp(mantissa, -24);

	return bits >> 15 ? -value : value;
}

/* Round to nearest, ties to even. */
static uint16_t half_store(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value), step;
	int exponent;

	if (isnan(value))
		return 0x7e00;
	frexp(size, &exponent);
	if (exponent < -13)
		exponent = -13;
	step = ldexp(1, exponent - 11);
	size = nearbyint(size / step) * step;
	if (size >= 65536)
		return sign | 0x7c00;
	frexp(size, &exponent);
	if (size < 0x1p-14)
		return sign | (uint16_t)ldexp(size, 24);
	return sign | (uint16_t)((exponent + 14) << 10 | ((int)ldexp(size, 11 - exponent) & 1023));
}

double nnr_load(uint32_t type, const void *data, size_t index)
{
	const uint8_t *bytes = (const uint8_t *)data + index * nna_operand_type_size(type);
	union {
		float f;
		int32_t i;
		uint32_t u;
		int16_t h;
		uint16_t w;
		int64_t l;
	} x;

	memcpy(&x, bytes, nna_operand_type_size(type));
	switch (type) {
	case NNA_OPERAND_FLOAT32:
	case NNA_OPERAND_TENSOR_FLOAT32:
		return x.f;
	case NNA_OPERAND_FLOAT16:
	case NNA_OPERAND_TENSOR_FLOAT16:
		return half_load(x.w);
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_TENSOR_INT32:
		return x.i;
	case NNA_OPERAND_UINT32:
		return x.u;
	case NNA_OPERAND_TENSOR_INT64:
		return (double)x.l;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return x.h;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return x.w;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
	case NNA_OPERAND_TENSOR_BOOL8:
	case NNA_OPERAND_BOOL:
		return *bytes;
	default:
		return (int8_t)*bytes;
	}
}

void nnr_store(uint32_t type, void *data, size_t index, double value)
{
	uint32_t size = nna_operand_type_size(type);
	uint8_t *bytes = (uint8_t *)data + index * size;
	union {
		float f;
		uint32_t u;
		uint16_t w;
		int64_t l;
	} x;
	int64_t low, high;

	if (type == NNA_OPERAND_FLOAT32 || type == NNA_OPERAND_TENSOR_FLOAT32) {
		x.f = (float)value;
		memcpy(bytes, &x, sizeof(x.f));
		return;
	}
	if (type == NNA_OPERAND_FLOAT16 || type == NNA_OPERAND_TENSOR_FLOAT16) {
		x.w = half_store(value);
		memcpy(bytes, &x.w, sizeof(x.w));
		return;
	}
	if (type == NNA_OPERAND_TENSOR_INT64) {
		x.l = isnan(value) ? 0 : (int64_t)value;
		memcpy(bytes, &x.l, sizeof(x.l));
		return;
	}
	nnr_type_range(type, &low, &high);
	if (type == NNA_OPERAND_UINT32)
		high = UINT32_MAX;
	value = isnan(value)	       ? 0
		: value < (double)low  ? (double)low
		: value > (double)high ? (double)high
				       : round(value);
	x.u = (uint32_t)(int64_t)value;
	memcpy(bytes, &x, size);
}

double nnr_real(const struct nnr_operand *operand, size_t index)
{
	double stored = nnr_load(operand->type, operand->data, index);
	size_t inner = 1;

	if (operand->type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		for (uint32_t k = operand->channel_dim + 1; k < operand->rank; k++)
			inner *= operand->dims[k];
		return stored * operand->channel_scales[index / inner % operand->channel_count];
	}
	/* A bias may have a scale, too. */
	if (nnr_is_quantised(operand->type) ||
	    (operand->type == NNA_OPERAND_TENSOR_INT32 && operand->scale != 0))
		return (stored - operand->zero_point) * (double)operand->scale;
	return stored;
}

const char *nnr_type_text(uint32_t type)
{
	const char *name = nna_operand_type_name(type);

	return name ? name : "?";
}

static void print_operand(const struct nnr_graph *graph, uint32_t number, FILE *to)
{
	const struct nnr_operand *o = graph->operands[number];
	static const char kinds[] = "tick";

	fprintf(to, " %%%u", number);
	if (o->type == NNA_OPERAND_SUBGRAPH) {
		fprintf(to, ":subgraph %u", o->subgraph);
		return;
	}
	if (o->kind == NNR_NO_VALUE) {
		fputs(":none", to);
		return;
	}
	if (!nnr_is_tensor(o->type) && o->data) {
		fprintf(to, "=%g", nnr_load(o->type, o->data, 0));
		return;
	}
	fprintf(to, ":%s", nnr_type_text(o->type) + (nnr_is_tensor(o->type) ? 7 : 0));
	for (uint32_t k = 0; k < o->rank; k++)
		fprintf(to, "%c%u", k ? ',' : '[', o->dims[k]);
	fputs(o->rank ? "]" : "[]", to);
	if (o->scale != 0)
		fprintf(to, "*%g%+d", (double)o->scale, -o->zero_point);
	if (o->kind == NNR_CONSTANT && o->type == NNA_OPERAND_TENSOR_INT32 && o->data &&
	    nnr_elements(o) <= 12) {
		for (size_t i = 0; i < nnr_elements(o); i++)
			fprintf(to, "%c%d", i ? ' ' : '{', (int)nnr_load(o->type, o->data, i));
		fputc('}', to);
	} else {
		fprintf(to, " (%c%s)", kinds[o->kind], o->output ? ", out" : "");
	}
}

void nnr_print(const struct nnr_graph *graph, FILE *to)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		const struct nnr_operation *o = &graph->operations[k];
		const char *name = nna_operation_name(o->type);

		fprintf(to, "  %u %s:", k, name ? name : "?");
		for (uint32_t i = 0; i < o->input_count; i++)
			print_operand(graph, o->in[i], to);
		fputs(" ->", to);
		for (uint32_t i = 0; i < o->output_count; i++)
			print_operand(graph, o->out[i], to);
		fputc('\n', to);
	}
	for (uint32_t i = 0; i < graph->subgraph_count; i++) {
		fprintf(to, "  subgraph %u:\n", i);
		nnr_print(graph->subgraphs[i], to);
		fprintf(to, "  end of subgraph %u\n", i);
	}
}
