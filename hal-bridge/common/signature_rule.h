/* SPDX-License-Identifier: MIT */
/* What Android's addOperation() checks beyond types and ranks, for signature.c. */
#ifndef NNB_SIGNATURE_RULE_H
#define NNB_SIGNATURE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/signature_call.h"

/*
 * Checks a call whose types and ranks are those of its signature. Return: true, or false with a
 * message in the @size bytes at @text.
 */
typedef bool (*nnb_signature_rule)(const struct nnb_signature_call *call, char *text, size_t size);

/* Return: the rule of an operation, NULL if it has none. */
nnb_signature_rule nnb_signature_rule_find(uint32_t operation);

#endif
