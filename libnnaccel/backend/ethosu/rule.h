/* SPDX-License-Identifier: MIT */
/*
 * Factors of results: the ir's rules of rounding, as the NPU can do them.
 *
 * TFLite's rule is the NPU's double rounding. NNAPI's rule rounds once, halves away from zero, as a
 * U85 can. A U65 rounds once with halves up: the same unless a negative number lies in the middle.
 * There is none if the numbers have fewer bits than it takes.
 */
#ifndef NNA_ETHOSU_RULE_H
#define NNA_ETHOSU_RULE_H

#include "libnnaccel/backend/ethosu/command.h"

/**
 * nna_ethosu_rule() - how the NPU multiplies by a factor
 * @multiplier, @shift: the factor, as nna_requantize_from() makes it
 * @rounding: enum nna_ir_rounding
 * @bits: of numbers that are multiplied, without their sign
 * @op: gets @scale and @rounding
 *
 * Return: whether the NPU does it to the bit.
 */
bool nna_ethosu_rule(const struct nna_ethosu_target *target, int32_t multiplier, int32_t shift,
		     uint8_t rounding, uint32_t bits, struct nna_ethosu_operation *op);

#endif
