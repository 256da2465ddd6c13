/* SPDX-License-Identifier: MIT */
/*
 * What a model's outputs mean to people, told from their shapes: scores of classes, a map of
 * classes, keypoints of a body, or numbers. A result looks at outputs and labels that stay the
 * caller's.
 */
#ifndef NNACTL_RESULT_H
#define NNACTL_RESULT_H

#include "tools/image/image.h"
#include "tools/nnactl/labels.h"
#include "tools/nnactl/outputs.h"

#define NNACTL_TOP 5u

enum nnactl_kind {
	NNACTL_NUMBERS,
	NNACTL_CLASSES, /* one score per class: everything but the last dimension is 1 */
	NNACTL_MAP, /* integers [1, height, width] */
	NNACTL_BODY, /* floats [1, 1, 17, 3]: y, x and score of COCO's keypoints */
};

/**
 * struct nnactl_result - outputs with their meaning
 * @top: @top_count classes, best or largest first
 * @scores: theirs, or their shares of a map
 */
struct nnactl_result {
	enum nnactl_kind kind;
	const struct nnactl_outputs *outputs;
	const struct nnactl_labels *labels;
	size_t top[NNACTL_TOP];
	double scores[NNACTL_TOP];
	uint32_t top_count;
};

enum nnactl_kind nnactl_result_kind(const struct nnactl_outputs *outputs);
/* Looks at the outputs of a run. */
void nnactl_result_find(struct nnactl_result *r, const struct nnactl_outputs *outputs,
			const struct nnactl_labels *labels);
void nnactl_result_print(const struct nnactl_result *r);
/* Writes the photo with the result as a PNG file. Return: 0, or 1 with the error printed. */
int nnactl_result_draw(const struct nnactl_result *r, const struct image *photo,
		       const char *path);

#endif
