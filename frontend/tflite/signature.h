/* SPDX-License-Identifier: MIT */
/*
 * Signatures of a TFLite model: names under which a program calls one of its subgraphs, such as
 * "prefill" and "decode" of a language model, and names for inputs and outputs of that subgraph.
 * After tflite_parse_signatures() every subgraph and tensor that a signature refers to exists.
 */
#ifndef TFLITE_SIGNATURE_H
#define TFLITE_SIGNATURE_H

#include "frontend/tflite/flatbuffer.h"
#include "frontend/tflite/tflite.h"

/*
 * Reads the signatures of the file that @root is the root of; the subgraphs of @model are there.
 * Return: 0, -ENOMEM, or -EINVAL with a line at @error, TFLITE_ERROR_SIZE bytes.
 */
int tflite_parse_signatures(struct tflite_model *model, const struct flatbuffer *fb,
			    const struct flatbuffer_table *root, char *error);

/* The signature with the name @key; NULL for none. */
const struct tflite_signature *tflite_find_signature(const struct tflite_model *model,
						     const char *key);

/* The first signature of subgraph @subgraph; NULL for none. */
const struct tflite_signature *tflite_signature_of(const struct tflite_model *model,
						   uint32_t subgraph);

/* Makes the subgraph of @signature the main one. Call it before shapes are set. */
void tflite_choose_signature(struct tflite_model *model, const struct tflite_signature *signature);

/* The name that @signature has for an input or output @tensor; NULL for none. */
const char *tflite_signature_name(const struct tflite_signature *signature, bool input,
				  uint32_t tensor);

#endif
