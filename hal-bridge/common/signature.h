/* SPDX-License-Identifier: MIT */
/*
 * Signatures of NNAPI's operations: how many operands each takes, of which types and ranks, which
 * types go together, and what may be omitted. The C API asks when an operation is added to a model,
 * the HAL's validator for each operation of a model that it is given.
 *
 * The table is made from the text of the operations' definitions (NeuralNetworks.h, feature level
 * 8); where that is silent it follows Android's runtime. Its data model:
 *
 *	signature	of an operation: its forms, and a rule that no form can state
 *	form		inputs and outputs that go together, for instance those of a convolution
 *			with explicit padding; T, which other types follow, is one of its types
 *	place		one operand of a form, or several alike: its type (fixed ones, T, or what
 *			goes with T, as the bias does) and the ranks that it may have
 *
 * A call fits when it fits one of the forms. A tensor of unknown rank (no dimensions) fits every
 * rank. An optional place may be taken by an operand without a value, or by a tensor of whatever
 * rank with an unknown dimension, which an execution can leave out; the trailing optional places
 * may be missing altogether. Of values nothing is checked, of scales and dimensions only what
 * Android's runtime checks when an operation is added:
 *
 *	MUL			QUANT8_ASYMM: the output's scale is above the product of the inputs'
 *	PACK			scales and zero points are equal; so are the inputs' ranks, the
 *				output's is one more
 *	REVERSE, MIRROR_PAD	scale and zero point of input and output are equal
 *	convolutions		the axis of weights that are quantised per channel
 *	CAST			input and output have the same dimensions
 *	FULLY_CONNECTED		the sizes of input, weights and bias
 *	IF, WHILE		operands against the inputs and outputs of the models referred to
 *
 * Nothing here is kept: a check reads what the caller describes and returns. Thread-safe.
 */
#ifndef NNB_SIGNATURE_H
#define NNB_SIGNATURE_H

#include "hal-bridge/common/signature_call.h"

/*
 * Whether the operands fit the operation. Return: 0, or -EINVAL with a line in the log that names
 * the operation, the operand and the rule.
 */
int nnb_signature_check(const struct nnb_signature_call *call);

#endif
