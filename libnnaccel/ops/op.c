// SPDX-License-Identifier: MIT
/*
 * The table of operations and the functions that all operations use: the context, messages, and the
 * values of inputs that are known when a program is compiled.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/op.h"
#include "libnnaccel/ops/half.h"
#include "libnnaccel/ops/op.h"
#include "libnnaccel/support/signature.h"

#define NNA_OP(name, operation, ...) extern const struct nna_op nna_op_##name;
#include "libnnaccel/support/operation_list.h"
#undef NNA_OP

static const struct nna_op *const table[] = {
#define NNA_OP(name, operation, ...) &nna_op_##name,
#include "libnnaccel/support/operation_list.h"
#undef NNA_OP
};

const struct nna_op *nna_op_find(enum nna_operation_type type)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i]->type == type)
			return table[i];
	}
	return NULL;
}

int nna_op_context_begin(struct nna_op_context *op, const struct nna_graph *graph,
			 uint32_t subgraph, uint32_t operation, const struct nna_shape *shapes,
			 const struct nna_bound_value *bound, uint32_t bound_count,
			 const struct nna_log *log)
{
	const struct nna_subgraph *sg = &graph->subgraphs[subgraph];
	const struct nna_operation *o = &sg->operations[operation];
	size_t count = (size_t)o->input_count + o->output_count;
	struct nna_shape *copies = malloc(count * sizeof(*copies));
	const struct nna_operand **operands = malloc(count * sizeof(*operands));

	if (!copies || !operands) {
		free(copies);
		free(operands);
		return -ENOMEM;
	}
	*op = (struct nna_op_context){
		.graph = graph,
		.subgraph = subgraph,
		.index = operation,
		.operation = o,
		.log = log,
		.in = copies,
		.in_operand = operands,
		.out = copies + o->input_count,
		.out_operand = operands + o->input_count,
		.bound = bound,
		.bound_count = bound_count,
		.complete = true,
	};
	/* In the operation's array, too, the outputs follow the inputs. */
	for (size_t i = 0; i < count; i++) {
		copies[i] = shapes[o->inputs[i]];
		operands[i] = &sg->operands[o->inputs[i]];
	}
	for (uint32_t i = 0; i < o->input_count; i++) {
		if (nna_op_has_input(op, i) && (!op->in[i].final || op->in[i].bounded))
			op->complete = false;
		/* The number of rows is known after the run only. */
		if (op->in[i].bounded)
			op->in[i].dims[0] = 0;
	}
	return 0;
}

void nna_op_context_end(struct nna_op_context *op)
{
	free(op->in);
	free(op->in_operand);
}

/* Writes the name of the operation: "ADD (operation 2)", with its subgraph if that is not 0. */
static void name_operation(const struct nna_op_context *op, char *text, size_t size)
{
	const char *name = nna_operation_name(op->operation->type);
	int n = snprintf(text, size, "%s (operation %u", name ? name : "?", op->index);

	if (op->subgraph)
		n += snprintf(text + n, size - (size_t)n, " of subgraph %u", op->subgraph);
	snprintf(text + n, size - (size_t)n, ")");
}

/* Return: an operand for nna_signature_check(). infer() checks the ranks of outputs. */
static struct nna_actual actual_operand(const void *context, bool output, uint32_t i)
{
	const struct nna_op_context *op = context;
	const struct nna_shape *shape = output ? &op->out[i] : &op->in[i];
	struct nna_actual actual = { .type = shape->type, .rank = NNA_RANK_UNKNOWN };

	if (output)
		return actual;
	actual.omitted = !nna_op_has_input(op, i);
	if (shape->rank_known && !nna_op_may_omit_input(op, i))
		actual.rank = (int32_t)shape->rank;
	return actual;
}

static struct nna_call call_of(const struct nna_op_context *op)
{
	return (struct nna_call){
		.operation = op->operation->type,
		.input_count = op->operation->input_count,
		.output_count = op->operation->output_count,
		.operand = actual_operand,
		.context = op,
	};
}

/* Writes the name of an operand: "input 1 (weights, operand 7): ". */
static void name_operand(const struct nna_op_context *op, uint32_t operand, char *text, size_t size)
{
	const struct nna_call call = call_of(op);
	bool output = operand & NNA_OP_OUTPUT;
	uint32_t i = operand & ~NNA_OP_OUTPUT;
	const char *side = output ? "output" : "input", *name;
	int length = 0;

	*text = 0;
	if (operand == NNA_NO_OPERAND)
		return;
	name = nna_signature_operand(&call, NNA_SUPPORT, output, i, &length);
	if (i == NNA_OP_LIST)
		snprintf(text, size, "%ss: ", side);
	else if (i >= (output ? call.output_count : call.input_count))
		snprintf(text, size, "%s %u: ", side, i);
	else
		snprintf(text, size, "%s %u (%.*s%soperand %u): ", side, i, length,
			 name ? name : "", name ? ", " : "",
			 output ? op->operation->outputs[i] : op->operation->inputs[i]);
}

int nna_op_say(const struct nna_op_context *op, int error, uint32_t operand, const char *format,
	       ...)
{
	char operation[96], name[96], text[NNA_REFUSAL_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	name_operation(op, operation, sizeof(operation));
	name_operand(op, operand, name, sizeof(name));
	nna_log_print(op->log, NNA_LOG_ERROR, "%s: %s%s", operation, name, text);
	return error;
}

const char *nna_shape_text(const struct nna_shape *shape, char *text, size_t size)
{
	size_t n = 0;

	for (uint32_t k = 0; k < shape->rank && n < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%u", k ? ", " : "[", shape->dims[k]);
	snprintf(n < size ? text + n : text + size - 1, n < size ? size - n : 1,
		 shape->rank ? "]" : "[]");
	return text;
}

/* Compares numbers, types and ranks of the operands with the table. */
static int check_signature(const struct nna_op_context *op)
{
	const struct nna_call call = call_of(op);
	char text[NNA_REFUSAL_SIZE];

	return nna_signature_check(&call, NNA_SUPPORT, text) ?
		       nna_op_say(op, -EINVAL, NNA_NO_OPERAND, "%s", text) : 0;
}

int nna_op_check(struct nna_op_context *op)
{
	const struct nna_op *what = nna_op_find(op->operation->type);
	uint32_t in = op->operation->input_count, out = op->operation->output_count;

	if (!what)
		return nna_op_unsupported(op, NNA_NO_OPERAND, "the operation has type %u",
					  "the types of nnaccel-operations(7)",
					  op->operation->type);
	for (uint32_t i = 0; i < in + out; i++) {
		if (op->in[i].type == NNA_OPERAND_OPAQUE)
			return nna_op_unsupported(op, i < in ? NNA_IN(i) : NNA_OUT(i - in),
						  "a vendor's type, or a size beyond 2 GiB",
						  "NNAPI's types up to 2 GiB");
	}
	for (uint32_t i = 0; i < in && !what->any_rank; i++) {
		if (op->in[i].rank > NNA_IR_MAX_RANK)
			return nna_op_unsupported(op, NNA_IN(i), "rank %u", "ranks up to %u",
						  op->in[i].rank, NNA_IR_MAX_RANK);
	}
	return check_signature(op) ?: (what->check ? what->check(op) : 0);
}

bool nna_op_has_input(const struct nna_op_context *op, uint32_t i)
{
	return i < op->operation->input_count &&
	       op->in_operand[i]->lifetime != NNA_LIFETIME_NO_VALUE && !op->in[i].omitted;
}

bool nna_op_may_omit_input(const struct nna_op_context *op, uint32_t i)
{
	const struct nna_shape *shape = &op->in[i];

	return op->in_operand[i]->lifetime == NNA_LIFETIME_INPUT && !shape->final &&
	       shape->rank == 1 && !shape->dims[0];
}

int nna_check_given(const struct nna_op_context *op, uint32_t i)
{
	if (nna_op_has_input(op, i))
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "no value", "one: it is not optional");
}

bool nna_op_outputs_are_final(const struct nna_op_context *op)
{
	if (nna_op_find(op->operation->type)->asks_data)
		return false;
	for (uint32_t i = 0; i < op->operation->output_count; i++) {
		if (op->out_operand[i]->lifetime != NNA_LIFETIME_NO_VALUE && !op->out[i].final)
			return false;
	}
	return true;
}

const void *nna_op_data(const struct nna_op_context *op, uint32_t i)
{
	size_t bytes;

	if (!nna_op_has_input(op, i))
		return NULL;
	if (op->in_operand[i]->lifetime == NNA_LIFETIME_CONSTANT)
		return op->in_operand[i]->data;
	for (uint32_t k = 0; k < op->bound_count; k++) {
		const struct nna_bound_value *value = &op->bound[k];

		if (value->operand != op->operation->inputs[i] ||
		    !nna_shape_bytes(&op->in[i], &bytes) || bytes != value->size)
			continue;
		if (!value->data && op->demand)
			op->demand->meet(op->demand);
		if (value->data)
			return value->data;
	}
	return NULL;
}

/* Reads the bytes of scalar @i, whose type is @type or @other. */
static int scalar(const struct nna_op_context *op, uint32_t i, enum nna_operand_type type,
		  enum nna_operand_type other, const void **data)
{
	int ret = nna_check_given(op, i);

	if (ret)
		return ret;
	if (op->in[i].type != type && op->in[i].type != other)
		return nna_op_refuse(op, NNA_IN(i), "a scalar of type %s", "%s",
				     nna_operand_type_name(op->in[i].type),
				     nna_operand_type_name(type));
	*data = nna_op_data(op, i);
	return *data ? 0 : -EAGAIN;
}

int nna_op_scalar_i32(const struct nna_op_context *op, uint32_t i, int32_t *value)
{
	const void *data = NULL;
	int ret = scalar(op, i, NNA_OPERAND_INT32, NNA_OPERAND_INT32, &data);

	if (!ret)
		memcpy(value, data, sizeof(*value));
	return ret;
}

int nna_op_scalar_f32(const struct nna_op_context *op, uint32_t i, float *value)
{
	const void *data = NULL;
	uint16_t half;
	int ret = scalar(op, i, NNA_OPERAND_FLOAT32, NNA_OPERAND_FLOAT16, &data);

	if (ret)
		return ret;
	if (op->in[i].type == NNA_OPERAND_FLOAT16) {
		memcpy(&half, data, sizeof(half));
		*value = nna_half_to_float(half);
	} else {
		memcpy(value, data, sizeof(*value));
	}
	return 0;
}

int nna_op_scalar_bool(const struct nna_op_context *op, uint32_t i, bool *value)
{
	const void *data = NULL;
	int ret = scalar(op, i, NNA_OPERAND_BOOL, NNA_OPERAND_BOOL, &data);

	if (!ret)
		*value = *(const uint8_t *)data != 0;
	return ret;
}

int nna_op_tensor_i32(const struct nna_op_context *op, uint32_t i, int32_t **values,
		      uint32_t *count)
{
	const void *data;
	uint64_t n;
	int ret = nna_check_given(op, i);

	if (ret)
		return ret;
	if (op->in[i].type != NNA_OPERAND_TENSOR_INT32 &&
	    op->in[i].type != NNA_OPERAND_TENSOR_INT64)
		return nna_op_refuse(op, NNA_IN(i), "type %s", "TENSOR_INT32 or TENSOR_INT64",
				     nna_operand_type_name(op->in[i].type));
	if (!nna_shape_elements(&op->in[i], &n))
		return -EAGAIN;
	data = nna_op_data(op, i);
	if (!data && n)
		return -EAGAIN;
	*values = malloc((n ? n : 1) * sizeof(**values));
	if (!*values)
		return -ENOMEM;
	*count = (uint32_t)n;
	for (uint64_t k = 0; k < n; k++) {
		int64_t wide;

		if (op->in[i].type == NNA_OPERAND_TENSOR_INT32) {
			memcpy(*values + k, (const int32_t *)data + k, sizeof(int32_t));
			continue;
		}
		memcpy(&wide, (const int64_t *)data + k, sizeof(wide));
		/*
		 * Dimensions and axes have 32 bits; a number that saturates is refused later.
		 */
		(*values)[k] = wide < INT32_MIN ? INT32_MIN :
			       wide > INT32_MAX ? INT32_MAX : (int32_t)wide;
	}
	return 0;
}
