// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the TFLite reader, the translation and the graph's own checks: any bytes may
 * be refused, none may crash or leak. Start it with a few real models as corpus.
 */
#include <nnaccel.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tools/tflite/translate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[TFLITE_ERROR_SIZE];
	struct tflite_origin origin;
	struct tflite_model *model;
	struct nna_graph *graph;

	if (tflite_parse(data, size, &model, error))
		return error[0] ? 0 : -1;
	if (!tflite_to_graph(model, NULL, &graph, &origin, error)) {
		tflite_origin_free(&origin);
		nna_graph_unref(graph);
	}
	tflite_free(model);
	return 0;
}
