// SPDX-License-Identifier: MIT
/* nnactl dump --dot: the operators of a model as a graph for Graphviz. */
#include "tools/nnactl/dot.h"

#include <string.h>

#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/text.h"

/* Characters of a line in a box. */
#define LINE 32u
/* Boxes of the model's inputs and outputs, and tensors between operators. */
#define END_STYLE "style=filled, fillcolor=\"#f4f4f4\""
#define TENSOR_STYLE \
	"shape=plaintext, style=\"\", fontsize=9, margin=\"0.05,0\", height=0.1, " \
	"fontcolor=\"#444444\""
/* Lines of a name; of a longer one the end is shown, which tells layers apart. */
#define LINES 3u

/* What Graphviz would read as its own is quoted. */
static void put_character(FILE *to, char c)
{
	if (strchr("\"\\{}<>|", c))
		fputc('\\', to);
	fputc(c, to);
}

/*
 * A name on lines that keep in their box: they end behind the last sign between words, or where
 * they are full.
 */
static void put_text(FILE *to, const char *text)
{
	char clean[512];
	const char *at = tflite_printable(text, clean, sizeof(clean));
	size_t length = strlen(at);

	if (length > LINE * LINES) {
		at = nnactl_tail(at, LINE * LINES - 3);
		fputs("...", to);
	}
	while (*at) {
		size_t end = strlen(at), best = 0;

		for (size_t i = 0; end > LINE && i < LINE; i++)
			if (strchr("/;: ", at[i]))
				best = i + 1;
		if (end > LINE)
			end = best ? best : LINE;
		while (((unsigned char)at[end] & 0xc0) == 0x80)
			end++;
		for (; end; end--, at++)
			put_character(to, *at);
		if (*at)
			fputs("\\n", to);
	}
}

/* "0.0078125 * (q - 128)" */
static void put_quantisation(FILE *to, const struct tflite_tensor *tensor)
{
	if (tensor->scale_count == 1)
		fprintf(to, "\\n%g * (q - %lld)", (double)tensor->scales[0],
			tensor->zero_point_count ?
			(long long)tflite_zero_point_at(tensor, 0) : 0LL);
	else if (tensor->scale_count)
		fprintf(to, "\\n%u scales", tensor->scale_count);
}

static void put_tensor_label(FILE *to, const struct tflite_tensor *tensor)
{
	put_text(to, tensor->name);
	fprintf(to, "\\n%s [", tflite_type_name(tensor->type));
	for (uint32_t i = 0; i < tensor->rank; i++)
		fprintf(to, "%s%u", i ? "," : "", tensor->dims[i]);
	fputc(']', to);
	put_quantisation(to, tensor);
}

/* The colour of a kind of operators, by the operation: sums of products, windows, ... */
static const char *color_of(const struct tflite_operator *op)
{
	switch (op->code) {
	case TFLITE_CONV_2D:
	case TFLITE_CONV_3D:
	case TFLITE_TRANSPOSE_CONV:
	case TFLITE_FULLY_CONNECTED:
	case TFLITE_BATCH_MATMUL:
		return "#bcd5f0";
	case TFLITE_DEPTHWISE_CONV_2D:
		return "#f5d5ae";
	case TFLITE_AVERAGE_POOL_2D:
	case TFLITE_MAX_POOL_2D:
	case TFLITE_L2_POOL_2D:
	case TFLITE_MEAN:
	case TFLITE_SUM:
	case TFLITE_REDUCE_MAX:
		return "#bfe3c8";
	case TFLITE_ADD:
	case TFLITE_SUB:
	case TFLITE_MUL:
	case TFLITE_DIV:
		return "#f0bdbb";
	case TFLITE_SOFTMAX:
	case TFLITE_LOGISTIC:
	case TFLITE_RELU:
	case TFLITE_RELU6:
	case TFLITE_TANH:
	case TFLITE_HARD_SWISH:
	case TFLITE_GELU:
		return "#d9ccef";
	case TFLITE_RESHAPE:
	case TFLITE_CONCATENATION:
	case TFLITE_TRANSPOSE:
	case TFLITE_PAD:
	case TFLITE_SLICE:
	case TFLITE_STRIDED_SLICE:
	case TFLITE_QUANTIZE:
	case TFLITE_DEQUANTIZE:
		return "#e3e3e3";
	case TFLITE_CUSTOM:
		return "#efe6a8";
	default:
		return "#ffffff";
	}
}

/* Strides, dilations, the window and the activation, as far as an operator has them. */
static void put_options(FILE *to, const struct tflite_operator *op)
{
	static const char *const activations[] = {
		[TFLITE_ACT_RELU] = "RELU", [TFLITE_ACT_RELU_N1_TO_1] = "RELU_N1_TO_1",
		[TFLITE_ACT_RELU6] = "RELU6", [TFLITE_ACT_TANH] = "TANH",
		[TFLITE_ACT_SIGN_BIT] = "SIGN_BIT",
	};
	const struct tflite_options *o = &op->options;

	if (o->filter_h > 0 && o->filter_w > 0)
		fprintf(to, "\\nwindow %d x %d", o->filter_h, o->filter_w);
	if (o->stride_h > 0 && o->stride_w > 0)
		fprintf(to, "\\nstride %d x %d", o->stride_h, o->stride_w);
	if (o->dilation_h > 1 || o->dilation_w > 1)
		fprintf(to, "\\ndilation %d x %d", o->dilation_h, o->dilation_w);
	if (o->activation > 0 &&
	    (size_t)o->activation < sizeof(activations) / sizeof(activations[0]))
		fprintf(to, "\\n%s", activations[o->activation]);
}

static void put_operator(FILE *to, const struct tflite_operator *op, uint32_t number)
{
	const char *name = tflite_code_name(op->code);

	fprintf(to, "fillcolor=\"%s\", label=\"%u ", color_of(op), number);
	put_text(to, op->code == TFLITE_CUSTOM ? op->custom : name ? name : "?");
	put_options(to, op);
	fprintf(to, "\"];\n");
}

static bool has(const struct tflite_ints *list, int32_t number)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i] == number)
			return true;
	return false;
}

/* Whether an operator of the subgraph writes a tensor. */
static bool is_written(const struct tflite_subgraph *sub, int32_t tensor)
{
	for (uint32_t i = 0; i < sub->operator_count; i++)
		if (has(&sub->operators[i].outputs, tensor))
			return true;
	return false;
}

/* To and from tensors, which are nodes: labels of edges would lie across the subgraph's frame. */
static void put_edges(FILE *to, const struct tflite_subgraph *sub, uint32_t which, uint32_t op)
{
	const struct tflite_operator *from = &sub->operators[op];

	for (uint32_t k = 0; k < from->inputs.count; k++)
		if (from->inputs.at[k] >= 0 && (has(&sub->inputs, from->inputs.at[k]) ||
						is_written(sub, from->inputs.at[k])))
			fprintf(to, "  g%ut%d -> g%uo%u;\n", which, from->inputs.at[k], which, op);
	for (uint32_t k = 0; k < from->outputs.count; k++)
		if (from->outputs.at[k] >= 0)
			fprintf(to, "  g%uo%u -> g%ut%d%s;\n", which, op, which,
				from->outputs.at[k], has(&sub->outputs, from->outputs.at[k]) ? "" :
				" [arrowhead=none]");
}

static void put_tensor(FILE *to, const struct tflite_subgraph *sub, uint32_t which, uint32_t tensor)
{
	if (has(&sub->inputs, (int32_t)tensor) || has(&sub->outputs, (int32_t)tensor))
		fprintf(to, "  g%ut%u [" END_STYLE ", label=\"", which, tensor);
	else if (is_written(sub, (int32_t)tensor))
		fprintf(to, "  g%ut%u [" TENSOR_STYLE ", label=\"", which, tensor);
	else
		return;
	put_tensor_label(to, &sub->tensors[tensor]);
	fprintf(to, "\"];\n");
}

static void begin(FILE *to)
{
	/* A browser's letters may be wider than those that Graphviz has counted with. */
	fprintf(to, "digraph model {\n  fontname=\"Helvetica,Arial,sans-serif\";\n"
		"  node [shape=box, style=\"filled,rounded\", fillcolor=white, "
		"margin=\"0.2,0.08\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=12];\n");
}

void nnactl_dot_print(const struct tflite_model *model, FILE *to)
{
	begin(to);
	for (uint32_t s = 0; s < model->subgraph_count; s++) {
		const struct tflite_subgraph *sub = &model->subgraphs[s];

		fprintf(to, "  subgraph cluster_%u {\n  label=\"", s);
		put_text(to, sub->name);
		fprintf(to, "\";\n");
		for (uint32_t i = 0; i < sub->tensor_count; i++)
			put_tensor(to, sub, s, i);
		for (uint32_t i = 0; i < sub->operator_count; i++) {
			fprintf(to, "  g%uo%u [", s, i);
			put_operator(to, &sub->operators[i], i);
		}
		for (uint32_t i = 0; i < sub->operator_count; i++)
			put_edges(to, sub, s, i);
		fprintf(to, "  }\n");
	}
	fprintf(to, "}\n");
}

/* ---------------------------------------------------------------------------------------- ONNX */

/* The colour of the operator of TFLite that is most like one of ONNX. */
static const char *onnx_color_of(const struct onnx_node *node)
{
	static const struct {
		const char *op;
		enum tflite_code like;
	} ALIKE[] = {
		{ "Conv", TFLITE_CONV_2D }, { "ConvTranspose", TFLITE_CONV_2D },
		{ "Gemm", TFLITE_CONV_2D }, { "MatMul", TFLITE_CONV_2D },
		{ "AveragePool", TFLITE_MEAN }, { "GlobalAveragePool", TFLITE_MEAN },
		{ "MaxPool", TFLITE_MEAN }, { "ReduceMean", TFLITE_MEAN },
		{ "ReduceSum", TFLITE_MEAN }, { "Add", TFLITE_ADD }, { "Sub", TFLITE_ADD },
		{ "Mul", TFLITE_ADD }, { "Div", TFLITE_ADD }, { "Relu", TFLITE_RELU },
		{ "Clip", TFLITE_RELU }, { "Sigmoid", TFLITE_RELU }, { "Softmax", TFLITE_RELU },
		{ "Tanh", TFLITE_RELU }, { "Erf", TFLITE_RELU }, { "Gelu", TFLITE_RELU },
		{ "HardSwish", TFLITE_RELU }, { "Reshape", TFLITE_RESHAPE },
		{ "Concat", TFLITE_RESHAPE }, { "Transpose", TFLITE_RESHAPE },
		{ "Slice", TFLITE_RESHAPE }, { "Split", TFLITE_RESHAPE },
		{ "QuantizeLinear", TFLITE_RESHAPE }, { "DequantizeLinear", TFLITE_RESHAPE },
	};
	struct tflite_operator op = { .code = TFLITE_CUSTOM };

	if (!*node->domain)
		op.code = TFLITE_GATHER;
	for (size_t i = 0; i < sizeof(ALIKE) / sizeof(ALIKE[0]); i++)
		if (onnx_node_is(node, ALIKE[i].op))
			op.code = ALIKE[i].like;
	return color_of(&op);
}

static void put_ints(FILE *to, const struct onnx_node *node, const char *attribute,
		     const char *name)
{
	const struct onnx_attribute *a = onnx_node_attribute(node, attribute);

	if (!a || a->kind != ONNX_KIND_INTS || !a->count || a->count > ONNX_MAX_RANK)
		return;
	fprintf(to, "\\n%s", name);
	for (uint32_t i = 0; i < a->count; i++)
		fprintf(to, "%s%lld", i ? " x " : " ", (long long)a->ints[i]);
}

static void put_onnx_operator(FILE *to, const struct onnx_node *node, uint32_t number)
{
	fprintf(to, "  o%u [fillcolor=\"%s\", label=\"%u ", number, onnx_color_of(node), number);
	put_text(to, node->op);
	put_ints(to, node, "kernel_shape", "window");
	put_ints(to, node, "strides", "stride");
	put_ints(to, node, "dilations", "dilation");
	fprintf(to, "\"];\n");
}

/* What the model computes or is given; its constants are not drawn. */
static bool is_drawn(const struct onnx_value *value)
{
	return value->input || value->writer != ONNX_ABSENT;
}

static void put_onnx_value(FILE *to, const struct onnx_value *value, uint32_t number)
{
	fprintf(to, "  t%u [%s, label=\"", number,
		value->input || value->output ? END_STYLE : TENSOR_STYLE);
	put_text(to, value->name);
	if (value->shaped) {
		fprintf(to, "\\n%s [", onnx_type_name(value->tensor.type));
		for (uint32_t i = 0; i < value->tensor.rank; i++) {
			if (value->tensor.dims[i] >= 0)
				fprintf(to, "%s%lld", i ? "," : "",
					(long long)value->tensor.dims[i]);
			else
				fprintf(to, "%s?", i ? "," : "");
		}
		fputc(']', to);
	}
	fprintf(to, "\"];\n");
}

static void put_onnx_edges(FILE *to, const struct onnx_model *model, uint32_t number)
{
	const struct onnx_node *node = &model->nodes[number];

	for (uint32_t i = 0; i < node->input_count; i++)
		if (node->inputs[i] != ONNX_ABSENT && is_drawn(&model->values[node->inputs[i]]))
			fprintf(to, "  t%u -> o%u;\n", node->inputs[i], number);
	for (uint32_t i = 0; i < node->output_count; i++)
		if (node->outputs[i] != ONNX_ABSENT)
			fprintf(to, "  o%u -> t%u%s;\n", number, node->outputs[i],
				model->values[node->outputs[i]].output ? "" : " [arrowhead=none]");
}

void nnactl_dot_print_onnx(const struct onnx_model *model, FILE *to)
{
	begin(to);
	for (uint32_t i = 0; i < model->value_count; i++)
		if (is_drawn(&model->values[i]))
			put_onnx_value(to, &model->values[i], i);
	for (uint32_t i = 0; i < model->node_count; i++)
		put_onnx_operator(to, &model->nodes[i], i);
	for (uint32_t i = 0; i < model->node_count; i++)
		put_onnx_edges(to, model, i);
	fprintf(to, "}\n");
}
