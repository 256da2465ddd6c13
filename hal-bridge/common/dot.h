/* SPDX-License-Identifier: MIT */
/*
 * Drawings of models in Graphviz's language, as the client built them. Operations are boxes with
 * their constants, the model's inputs and outputs are ellipses, tensors are arrows with their
 * types. Each operation has the colour of its device. The models of IF and WHILE are boxes of their
 * own.
 *
 *	NNACCEL_DOT=FOLDER	writes a file FOLDER/nnapi-PID-N.dot for each compilation
 *	dot -Tsvg nnapi-...	converts it to a picture
 *
 * A model is drawn before it is finished, because finishing frees its tables, and written when it
 * is compiled. The variable is read once. A program with more privileges than its user ignores it.
 */
#ifndef NNB_DOT_H
#define NNB_DOT_H

#include <stdbool.h>
#include <stdint.h>

struct nnb_model;

/* Return: true if models are to be drawn. Thread-safe, as the functions below are. */
bool nnb_dot_is_wanted(void);

/*
 * Draws a model that is not finished yet: sets its @drawing to statements of a graph, and its
 * @number, which makes the names of its nodes unique. Without memory @drawing is NULL.
 */
void nnb_dot_draw(struct nnb_model *model);

/*
 * Writes the drawing of a model to a file. @devices: for each of @count operations the name of its
 * device. An error is logged.
 */
void nnb_dot_write(const struct nnb_model *model, const char *const *devices, uint32_t count);

#endif
