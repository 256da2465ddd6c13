/* SPDX-License-Identifier: MIT */
/* Models of a line of text (model_text.h), run once on the loopback. */
#ifndef TFLITE_RUN_TEXT_H
#define TFLITE_RUN_TEXT_H

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

/* @in, @out: the bytes of each input and output of the first subgraph. */
static inline void run_text(const char *text, const void *const *in, void *const *out)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	write_text(w, text);
	run_written(w, 0, in, out, 1);
	free(w);
}

#endif
