/* SPDX-License-Identifier: MIT */
/*
 * What Android's addOperation() takes. The C API checks each operation when it is added to a model.
 * The HAL's validator checks each operation of a given model.
 *
 * Numbers, types and ranks of the operands are those of Android's column of the table of signatures
 * (libnnaccel/support/signature.h). A tensor of unknown rank (no dimensions) fits every rank. An
 * optional operand may have no value, or be a tensor of any rank with an unknown dimension, since
 * an execution can omit that. Values are not checked. Scales and dimensions are checked as far as
 * Android's runtime does so in addOperation (signature_rule.c):
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
