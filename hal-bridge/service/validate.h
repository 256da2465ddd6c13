/* SPDX-License-Identifier: MIT */
/*
 * The HAL's rules for models, which are checked before a graph is made. They are stricter than the
 * C API's, because Android's runtime sends models in order.
 *
 *	operands	type, dimensions, scale, zero point and extra parameters fit together;
 *			so do lifetime and location: an operand without a location has zeros
 *			there, a constant lies inside its pool and has the bytes of its dimensions
 *	lists		a subgraph's inputs and outputs are exactly the operands of those lifetimes
 *	operations	are in the order of execution: each operand that one reads is an input, a
 *			constant or has been written; each temporary and output is written once
 *	subgraphs	no cycle, and no reference to the main one
 *	extensions	names and prefixes are unique, and types have the prefix of one of them;
 *			operands of known types have the data of their type
 *	signatures	operands fit their operation (common/signature.h)
 *
 * A check keeps no state. Thread-safe.
 */
#ifndef NNB_VALIDATE_H
#define NNB_VALIDATE_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"

/**
 * nnb_validate_model() - check a model
 * @call: gets the message that names the error
 * @version: of the interface: later operations do not exist
 * @model: the client's
 * @pool_sizes: bytes of each of its pools
 *
 * Return: 0, INVALID_ARGUMENT, or RESOURCE_EXHAUSTED_TRANSIENT without memory.
 */
int nnb_validate_model(struct nnb_aidl_call *call, int version, const struct nnb_aidl_model *model,
		       const size_t *pool_sizes);

/* Checks names and prefixes of extensions. Return: 0 or INVALID_ARGUMENT. */
int nnb_validate_extensions(struct nnb_aidl_call *call,
			    const struct nnb_aidl_extension_name_and_prefix *extensions,
			    uint32_t count);

/* Checks priority and preference. Return: 0 or INVALID_ARGUMENT. */
int nnb_validate_priority(struct nnb_aidl_call *call, int32_t priority, int32_t preference);

#endif
