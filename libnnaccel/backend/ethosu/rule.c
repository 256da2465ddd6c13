// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/rule.h"

#include "libnnaccel/ir/op.h"

#define SHIFT_MOST 63

bool nna_ethosu_rule(const struct nna_ethosu_target *target, int32_t multiplier, int32_t shift,
		     uint8_t rounding, uint32_t bits, struct nna_ethosu_operation *op)
{
	uint32_t zeros;

	if (multiplier <= 0 || shift < 0 || shift > SHIFT_MOST)
		return false;
	op->scale = (struct nna_ethosu_scale){ (uint32_t)multiplier, (uint8_t)shift, 0 };
	op->rounding = NNA_ETHOSU_ROUND_DOUBLE;
	if (rounding == NNA_IR_ROUNDS_AS_TFLITE)
		return true;
	if (rounding != NNA_IR_ROUNDS_AS_NNAPI)
		return false;
	if (target->generation == NNA_ETHOSU_U85) {
		op->rounding = NNA_ETHOSU_ROUND_SYMMETRIC;
		return true;
	}
	op->rounding = NNA_ETHOSU_ROUND_NATURAL;
	zeros = (uint32_t)__builtin_ctz((uint32_t)multiplier);
	/* In the middle lie multiples of 2^(shift - 1 - zeros) only. */
	if ((uint32_t)shift <= zeros || (uint32_t)shift - 1 - zeros >= bits)
		return true;
	/*
	 * A power of two: the first of two roundings, of 31 bits, has nothing to round, and the
	 * second one is that of halves away from zero.
	 */
	if (multiplier >> zeros != 1 || 31 + shift - (int32_t)zeros > SHIFT_MOST)
		return false;
	op->scale = (struct nna_ethosu_scale){ 1u << 31, (uint8_t)(31 + shift - (int32_t)zeros),
					       0 };
	op->rounding = NNA_ETHOSU_ROUND_DOUBLE;
	return true;
}
