/* SPDX-License-Identifier: MIT */
/* TFLite models as models of the NNAPI C API. */
#ifndef TFLITE_NNAPI_H
#define TFLITE_NNAPI_H

#include "demo/network.h"
#include "frontend/tflite/tflite.h"
#include "hal-bridge/include/NeuralNetworks.h"

/**
 * tflite_to_nnapi() - a finished NNAPI model
 * @model: must outlive @out, which points at its constants
 * @instead: NULL, or what is built in place of @model, which it was made of; likewise
 * @out: freed with ANeuralNetworksModel_free()
 * @error: TFLITE_ERROR_SIZE bytes
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int tflite_to_nnapi(struct tflite_model *model, const struct network *instead,
		    ANeuralNetworksModel **out, char *error);

#endif
