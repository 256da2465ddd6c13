/* SPDX-License-Identifier: MIT */
/* TFLite models as models of the NNAPI C API. */
#ifndef NNA_TFLITE_NNAPI_H
#define NNA_TFLITE_NNAPI_H

#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "tools/tflite/nna_tflite.h"

/**
 * nna_tflite_to_nnapi() - a finished NNAPI model
 * @model: must outlive @out, which points at its constants
 * @out: freed with ANeuralNetworksModel_free()
 * @error: NNA_TFLITE_ERROR_SIZE bytes
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int nna_tflite_to_nnapi(struct nna_tflite_model *model, ANeuralNetworksModel **out, char *error);

#endif
