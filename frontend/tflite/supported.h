/* SPDX-License-Identifier: MIT */
/* Whether a device runs a model, with the reason if it does not. */
#ifndef TFLITE_SUPPORTED_H
#define TFLITE_SUPPORTED_H

#include "frontend/tflite/translate.h"

/**
 * tflite_to_supported_graph() - the graph of a model, if a device runs all of it
 * @model: translated, and so changed as by tflite_to_graph()
 * @device: the device
 * @log: NULL, or gets the library's messages but for errors, which go to @error
 * @graph: unref'd by the caller, before the model is freed
 * @error: TFLITE_ERROR_SIZE bytes for one line: the translation's reason, and the library's
 *
 * Return: as tflite_to_graph(), or -ENOTSUP for operations that the device does not run.
 */
int tflite_to_supported_graph(struct tflite_model *model, const struct nna_device *device,
			      const struct nna_log *log, struct nna_graph **graph, char *error);

#endif
