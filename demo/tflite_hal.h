/* SPDX-License-Identifier: MIT */
/* TFLite models as models of the NN HAL. */
#ifndef TFLITE_HAL_H
#define TFLITE_HAL_H

#include "demo/network.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/arena.h"
#include "frontend/tflite/tflite.h"

/**
 * tflite_to_hal() - a model as IDevice.prepareModel() takes it
 * @model: is not needed any more afterwards
 * @instead: NULL, or what is described in place of @model; likewise
 * @arena: keeps what @out points to, and the file of its constants
 * @out: one subgraph; constants lie in its one pool, since a parcel has no room for them
 * @error: TFLITE_ERROR_SIZE bytes
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int tflite_to_hal(struct tflite_model *model, const struct network *instead,
		  struct nnb_arena *arena, struct nnb_aidl_model *out, char *error);

#endif
