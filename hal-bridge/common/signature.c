// SPDX-License-Identifier: MIT
/*
 * Checks an operation (signature.h): its operands against Android's column of the table of
 * signatures, then what Android checks besides.
 */
#include "hal-bridge/common/signature.h"

#include <errno.h>
#include <stddef.h>

#include "hal-bridge/common/signature_rule.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/signature.h"
#include "nnaccel.h"

/* Return: an operand as the table takes it. An unknown dimension may be one that is left out. */
static struct nna_actual nnb_signature_actual(const void *context, bool output, uint32_t index)
{
	const struct nnb_signature_call *call = context;
	const struct nnb_signature_operand *operand = output ? &call->outputs[index] :
							       &call->inputs[index];
	struct nna_actual actual = {
		.type = operand->type,
		.rank = operand->rank ? (int32_t)operand->rank : NNA_RANK_UNKNOWN,
		.omitted = operand->omitted,
	};

	for (uint32_t i = 0; i < operand->rank; i++) {
		if (!operand->dims[i])
			actual.may_be_omitted = true;
	}
	return actual;
}

int nnb_signature_check(const struct nnb_signature_call *call)
{
	const char *name = nna_operation_name(call->operation);
	const struct nna_call operands = {
		.operation = call->operation,
		.input_count = call->input_count,
		.output_count = call->output_count,
		.operand = nnb_signature_actual,
		.context = call,
	};
	nnb_signature_rule rule = nnb_signature_rule_find(call->operation);
	char text[NNA_REFUSAL_SIZE];
	int ret;

	/* The vendor defines the operands of an OEM operation. */
	if (call->operation == NNB_OEM)
		return 0;
	ret = nna_signature_check(&operands, NNA_ANDROID, text);
	if (ret == -ENOENT) {
		nna_message(MODEL, "NNAPI has no operation %u: see NeuralNetworks.h",
			    call->operation);
		return -EINVAL;
	}
	if (!ret && (!rule || rule(call, text, sizeof(text))))
		return 0;
	nna_message(MODEL, "%s: %s", name, text);
	return -EINVAL;
}
