/* SPDX-License-Identifier: MIT */
/* TFLite models as models of the NNAPI C API. */
#ifndef TFLITE_NNAPI_H
#define TFLITE_NNAPI_H

#include "hal-bridge/include/NeuralNetworks.h"
#include "frontend/tflite/tflite.h"

/**
 * tflite_to_nnapi() - a finished NNAPI model
 * @model: must outlive @out, which points at its constants
 * @out: freed with ANeuralNetworksModel_free()
 * @error: TFLITE_ERROR_SIZE bytes
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int tflite_to_nnapi(struct tflite_model *model, ANeuralNetworksModel **out, char *error);

#endif
