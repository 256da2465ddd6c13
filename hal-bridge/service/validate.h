/* SPDX-License-Identifier: MIT */
/*
 * What a model has to be before anything is made of it: the HAL's rules, which are stricter than
 * the C API's, because Android's runtime has put everything in order before.
 *
 *	operands	type, dimensions, scale, zero point and extra parameters go together;
 *			lifetime and location, too: whatever has no place has a location of zeros,
 *			a constant lies inside its pool and has the bytes of its dimensions
 *	lists		a subgraph's inputs and outputs are exactly the operands of those lifetimes
 *	operations	stand in the order of execution: what one reads is an input, a constant or
 *			has been written before; every operand that is to be written is, once
 *	subgraphs	no circle, and nothing refers to the main one
 *	extensions	names and prefixes are unique, and types have the prefix of one of them;
 *			operands of types that are known here have data as their type says
 *	signatures	operands fit their operation (common/signature.h)
 *
 * Nothing is kept; calls may run at the same time.
 */
#ifndef NNB_VALIDATE_H
#define NNB_VALIDATE_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"

/**
 * nnb_validate_model() - check a model
 * @call: takes the message that names what is wrong
 * @version: of the interface: operations that came later do not exist
 * @model: as the client sent it
 * @pool_sizes: bytes of each of its pools
 *
 * Return: 0, INVALID_ARGUMENT, or RESOURCE_EXHAUSTED_TRANSIENT without memory.
 */
int nnb_validate_model(struct nnb_aidl_call *call, int version, const struct nnb_aidl_model *model,
		       const size_t *pool_sizes);

/* Names and prefixes of extensions. Return: 0 or INVALID_ARGUMENT. */
int nnb_validate_extensions(struct nnb_aidl_call *call,
			    const struct nnb_aidl_extension_name_and_prefix *extensions,
			    uint32_t count);

/* Priority and preference. Return: 0 or INVALID_ARGUMENT. */
int nnb_validate_priority(struct nnb_aidl_call *call, int32_t priority, int32_t preference);

#endif
