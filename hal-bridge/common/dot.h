/* SPDX-License-Identifier: MIT */
/*
 * Drawings of models in Graphviz's language, as their clients gave them: operations as boxes with
 * their constants, arguments as ellipses, tensors as arrows with their types; each operation in the
 * colour of the device that takes it, models of IF and WHILE in boxes of their own.
 *
 *	NNACCEL_DOT=FOLDER	a file nnapi-PID-N.dot there for each compilation
 *	dot -Tsvg nnapi-...	makes a picture of it
 *
 * A model is drawn before it is finished, since then its tables go, and written when it is compiled.
 * The variable is read once, and not by programs that run with other rights than their callers'.
 */
#ifndef NNB_DOT_H
#define NNB_DOT_H

#include <stdbool.h>
#include <stdint.h>

struct nnb_model;

/* Whether models are drawn. Thread-safe, as the rest is. */
bool nnb_dot_is_wanted(void);

/*
 * Draws a model that is not finished yet: its @drawing becomes statements of a graph, its @number
 * the one by which its nodes differ from those of other models. Without memory there is no drawing.
 */
void nnb_dot_draw(struct nnb_model *model);

/*
 * Writes the drawing of a model. @devices: for each of @count operations the name of the device
 * that takes it. What goes wrong is a line in the log.
 */
void nnb_dot_write(const struct nnb_model *model, const char *const *devices, uint32_t count);

#endif
