/* SPDX-License-Identifier: MIT */
/*
 * Models in which one thing is wrong. Each is made of a valid one by a change after which it cannot
 * be valid, whatever the model: an index out of range, a lifetime that the lists contradict, a
 * value that nobody writes or that two operations write, an order in which something is read before
 * it is written, a place outside of what it is in.
 */
#ifndef NNV_HAL_MUTATION_H
#define NNV_HAL_MUTATION_H

#include "hal-bridge/aidl/gen/nn.h"

/**
 * struct nnv_hal_mutation - who looks at the models
 * @check: called with each; @model is as it was when this returns. Return: 0 to go on
 * @data: for @check
 * @name: what is wrong with the model that is looked at
 */
struct nnv_hal_mutation {
	int (*check)(struct nnv_hal_mutation *mutation, const struct nnb_aidl_model *model);
	void *data;
	const char *name;
};

/* Makes all of them of @model. Return: 0, -ENOMEM, or what @check returned. */
int nnv_hal_mutate(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model);

#endif
