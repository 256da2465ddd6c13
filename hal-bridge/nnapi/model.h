/* SPDX-License-Identifier: MIT */
/* Models. */
#ifndef NNAPI_MODEL_H
#define NNAPI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

/**
 * struct ANeuralNetworksModel - a model
 * @model: its contents; has a graph once it is finished and valid
 * @finished: it cannot be changed any more, valid or not
 * @held: @held_count objects that it holds, with room for @held_room: memories and models
 */
struct ANeuralNetworksModel {
	struct nnapi_object object;
	struct nnb_model model;
	bool finished;
	void **held;
	uint32_t held_count, held_room;
};

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksModel, object), "the count of a model is first");

#endif
