/* SPDX-License-Identifier: MIT */
/* Ethos-U: ELEMENTWISE: of one or two operands, with broadcast and scalars. */
#ifndef ETHOSU_ELEMENTWISE_H
#define ETHOSU_ELEMENTWISE_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Parameter of the command. What follows DIV is a U85's, as LSR and DIV are. */
enum ethosu_elementwise_mode {
	ETHOSU_ELEMENTWISE_MUL = 0,
	ETHOSU_ELEMENTWISE_ADD = 1,
	ETHOSU_ELEMENTWISE_SUB = 2,
	ETHOSU_ELEMENTWISE_MIN = 3,
	ETHOSU_ELEMENTWISE_MAX = 4,
	ETHOSU_ELEMENTWISE_LRELU = 5,
	ETHOSU_ELEMENTWISE_ABS = 6,
	ETHOSU_ELEMENTWISE_CLZ = 7,
	ETHOSU_ELEMENTWISE_SHR = 8,
	ETHOSU_ELEMENTWISE_SHL = 9,
	ETHOSU_ELEMENTWISE_LSR = 10,
	ETHOSU_ELEMENTWISE_DIV = 11,
	ETHOSU_ELEMENTWISE_CMP_EQ = 16,
	ETHOSU_ELEMENTWISE_CMP_NE = 17,
	ETHOSU_ELEMENTWISE_CMP_GE = 18,
	ETHOSU_ELEMENTWISE_CMP_GT = 19,
	ETHOSU_ELEMENTWISE_AND = 33,
	ETHOSU_ELEMENTWISE_OR = 34,
	ETHOSU_ELEMENTWISE_XOR = 35,
	ETHOSU_ELEMENTWISE_NOT = 36,
	ETHOSU_ELEMENTWISE_AND_NOT = 42,
};

/* Return: 0 or a status. */
uint32_t ethosu_elementwise_run(struct ethosu_machine *machine, const struct ethosu_operation *op);

#endif
