/* SPDX-License-Identifier: MIT */
/*
 * Signatures of NNAPI's operations: the number of operands, their types and ranks, which types
 * belong together, and which operands may be omitted. The C API checks each operation when it is
 * added to a model. The HAL's validator checks each operation of a given model.
 *
 * The table follows the definitions of the operations (NeuralNetworks.h, feature level 8), and
 * Android's runtime where these are silent. Its data model:
 *
 *	signature	of an operation: its forms, and a rule for what forms cannot express
 *	form		a valid combination of inputs and outputs, for instance those of a
 *			convolution with explicit padding. T is one of its types; other types follow
 *			from T
 *	place		one operand of a form, or several of the same kind: its type (a fixed set,
 *			T, or a type that follows from T, such as that of a bias) and its ranks
 *
 * A call is valid if it fits one of the forms. A tensor of unknown rank (no dimensions) fits every
 * rank. An optional place also takes an operand without a value, or a tensor of any rank with an
 * unknown dimension, which an execution can omit. The last optional places may be missing. Values
 * are not checked. Scales and dimensions are checked as far as Android's runtime does so in
 * addOperation:
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
 * A check keeps no state. Thread-safe.
 */
#ifndef NNB_SIGNATURE_H
#define NNB_SIGNATURE_H

#include "hal-bridge/common/signature_call.h"

/*
 * Checks an operation against its signature. Return: 0, or -EINVAL with a line in the log that
 * names the operation, the operand and the rule.
 */
int nnb_signature_check(const struct nnb_signature_call *call);

#endif
