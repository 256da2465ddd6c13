// SPDX-License-Identifier: MIT
/*
 * Checks an operation against its signature (signature.h): tries the forms of the table in order,
 * then the operation's own rule. The message is that of the form with the most matching operands.
 */
#include "hal-bridge/common/signature.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "hal-bridge/common/signature_table.h"
#include "libnnaccel/support/message.h"
#include "nnaccel.h"

/**
 * struct nnb_fault - the reason why a call does not fit a form
 * @depth: the number of operands that fitted
 * @text: the message about the next operand
 */
struct nnb_fault {
	uint32_t depth;
	char text[160];
};

static bool nnb_fault_set(struct nnb_fault *fault, uint32_t depth, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps a message if its @depth is the greatest so far. Return: false. */
static bool nnb_fault_set(struct nnb_fault *fault, uint32_t depth, const char *format, ...)
{
	va_list args;

	if (fault->text[0] && depth < fault->depth)
		return false;
	fault->depth = depth;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return false;
}

static const char *nnb_type_name(uint32_t type)
{
	const char *name = nna_operand_type_name(type);

	if (type == NNB_OEM)
		return "OEM_SCALAR";
	if (type == NNB_OEM + 1)
		return "TENSOR_OEM_BYTE";
	return name ? name : "of no known type";
}

static bool nnb_is_quantised(uint32_t type)
{
	return type < 32 && NNB_BIT(type) & (NNB_QUANT8 | NNB_QUANT16);
}

/* Return: the set of types that a place takes if T is @t. */
static uint32_t nnb_place_types(const struct nnb_place *place, uint32_t t)
{
	bool quantised = nnb_is_quantised(t);

	switch (place->kind) {
	case NNB_KIND_T:
		return NNB_BIT(t);
	case NNB_KIND_FLOAT:
		return t == NNA_OPERAND_TENSOR_FLOAT16 ? NNB_BIT(NNA_OPERAND_FLOAT16) :
							 NNB_BIT(NNA_OPERAND_FLOAT32);
	case NNB_KIND_ELEMENT:
		if (t == NNA_OPERAND_TENSOR_FLOAT16)
			return NNB_BIT(NNA_OPERAND_FLOAT16);
		return t == NNA_OPERAND_TENSOR_FLOAT32 ? NNB_BIT(NNA_OPERAND_FLOAT32) :
							 NNB_BIT(NNA_OPERAND_INT32);
	case NNB_KIND_FILTER:
		return quantised ? NNB_BIT(t) | NNB_QUANT8_PER_CHANNEL : NNB_BIT(t);
	case NNB_KIND_BIAS:
		return quantised ? NNB_BIT(NNA_OPERAND_TENSOR_INT32) : NNB_BIT(t);
	case NNB_KIND_BOX:
		return quantised ? NNB_BIT(NNA_OPERAND_TENSOR_QUANT16_ASYMM) : NNB_BIT(t);
	case NNB_KIND_ANCHOR:
		return quantised ? NNB_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM) : NNB_BIT(t);
	case NNB_KIND_DELTA:
		return quantised ? NNB_QUANT8_ASYMM : NNB_BIT(t);
	default:
		return place->types;
	}
}

/*
 * Return: true if an optional operand may be omitted at run time: its size is unknown, so it may be
 * an input of the model that an execution omits, of any rank.
 */
static bool nnb_may_be_omitted(const struct nnb_place *place,
			       const struct nnb_signature_operand *operand)
{
	for (uint32_t i = 0; place->flags & NNB_OPTIONAL && i < operand->rank; i++) {
		if (!operand->dims[i])
			return true;
	}
	return false;
}

/* Return: true if an operand fits its place; otherwise sets @fault. @what and @index name it. */
static bool nnb_place_takes(const struct nnb_place *place, uint32_t t,
			    const struct nnb_signature_operand *operand, const char *what,
			    uint32_t index, uint32_t depth, struct nnb_fault *fault)
{
	uint32_t types = nnb_place_types(place, t);
	bool tensor;

	if (operand->type >= 32 || !(types & NNB_BIT(operand->type)))
		return nnb_fault_set(fault, depth, "%s %u is %s, which is not allowed there", what,
				     index, nnb_type_name(operand->type));
	if (operand->omitted) {
		if (place->flags & NNB_OPTIONAL)
			return true;
		return nnb_fault_set(fault, depth, "%s %u has no value, but is not optional", what,
				     index);
	}
	tensor = NNB_BIT(operand->type) & NNB_TENSORS;
	if (tensor && place->max_rank && operand->rank && !nnb_may_be_omitted(place, operand) &&
	    (operand->rank < place->min_rank || operand->rank > place->max_rank)) {
		if (place->min_rank == place->max_rank)
			return nnb_fault_set(fault, depth, "%s %u has rank %u instead of %u", what,
					     index, operand->rank, place->min_rank);
		if (place->max_rank == NNB_ANY_RANK)
			return nnb_fault_set(fault, depth,
					     "%s %u has rank %u instead of at least %u", what,
					     index, operand->rank, place->min_rank);
		return nnb_fault_set(fault, depth, "%s %u has rank %u instead of %u to %u", what,
				     index, operand->rank, place->min_rank, place->max_rank);
	}
	return true;
}

/* Return: the least number of operands for the places after @place. */
static uint32_t nnb_places_behind(const struct nnb_place *place)
{
	uint32_t sum = 0;

	while ((++place)->count && !(place->flags & NNB_LAST))
		sum += place->count;
	return sum;
}

/* Return: true if the inputs, or the outputs, fit the places of a form. */
static bool nnb_places_take(const struct nnb_place *places, uint32_t t,
			    const struct nnb_signature_operand *operands, uint32_t count,
			    const char *what, uint32_t depth, struct nnb_fault *fault)
{
	uint32_t i = 0;

	for (const struct nnb_place *place = places; place->count; place++) {
		uint32_t n = place->count, behind;

		if (i == count && place->flags & NNB_LAST)
			return true;
		if (n == NNB_MANY) {
			behind = nnb_places_behind(place);
			if (count < i + behind || (count == i + behind && !place->none_will_do))
				return nnb_fault_set(fault, depth + i, "%u %ss are too few", count,
						     what);
			n = count - i - behind;
		}
		while (n--) {
			if (i == count)
				return nnb_fault_set(fault, depth + i, "%u %ss are too few", count,
						     what);
			if (!nnb_place_takes(place, t, &operands[i], what, i, depth + i, fault))
				return false;
			i++;
		}
	}
	if (i < count)
		return nnb_fault_set(fault, depth + i, "%u %ss are too many", count, what);
	return true;
}

/*
 * Finds the type T, which is that of the first place of kind T. Return: false if the form has none.
 */
static bool nnb_form_find_t(const struct nnb_form *form, bool *output, uint32_t *index)
{
	const struct nnb_place *places[2] = { form->inputs, form->outputs };

	for (uint32_t k = 0; k < 2; k++) {
		*output = k;
		*index = 0;
		for (const struct nnb_place *place = places[k]; place->count; place++) {
			if (place->kind == NNB_KIND_T)
				return true;
			*index += place->count;
		}
	}
	return false;
}

static bool nnb_form_fits(const struct nnb_form *form, const struct nnb_signature_call *call,
			  struct nnb_fault *fault)
{
	uint32_t index, t = 0;
	bool output;

	if (nnb_form_find_t(form, &output, &index)) {
		const char *what = output ? "output" : "input";
		uint32_t count = output ? call->output_count : call->input_count;

		if (index >= count)
			return nnb_fault_set(fault, 0, "%u %ss are too few", count, what);
		t = output ? call->outputs[index].type : call->inputs[index].type;
		if (t >= 32 || !(form->types & NNB_BIT(t)))
			return nnb_fault_set(fault, 0,
					     "%s %u is %s, which the operation does not support",
					     what, index, nnb_type_name(t));
	}
	return nnb_places_take(form->inputs, t, call->inputs, call->input_count, "input", 0,
			       fault) &&
	       nnb_places_take(form->outputs, t, call->outputs, call->output_count, "output",
			       call->input_count, fault);
}

int nnb_signature_check(const struct nnb_signature_call *call)
{
	const char *name = nna_operation_name(call->operation);
	const struct nnb_signature *signature;
	struct nnb_fault fault = { 0 };

	/* The vendor defines the operands of an OEM operation. */
	if (call->operation == NNB_OEM)
		return 0;
	signature = nnb_signature_find(call->operation);
	if (!signature || !name) {
		nna_message(MODEL, "there is no operation %u", call->operation);
		return -EINVAL;
	}
	for (const struct nnb_form *form = signature->forms; form->inputs; form++) {
		if (!nnb_form_fits(form, call, &fault))
			continue;
		fault.text[0] = '\0';
		if (!signature->rule ||
		    signature->rule(call, fault.text, sizeof(fault.text)))
			return 0;
		break;
	}
	nna_message(MODEL, "%s: %s", name, fault.text);
	return -EINVAL;
}
