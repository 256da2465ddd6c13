/* SPDX-License-Identifier: MIT */
/*
 * What a model's outputs mean, told from their shapes: scores of classes, a map of classes,
 * keypoints of a body, or numbers. A result points at outputs and labels, which the caller owns.
 */
#ifndef NNACTL_RESULT_H
#define NNACTL_RESULT_H

#include "tools/image/image.h"
#include "tools/nnactl/labels.h"
#include "tools/nnactl/outputs.h"

#define NNACTL_TOP 5u

/**
 * enum nnactl_kind - what outputs are taken for
 * @NNACTL_NUMBERS: anything that is not one of the others
 * @NNACTL_CLASSES: a score for each class: every dimension but the last is 1
 * @NNACTL_MAP: a class for each pixel: integers [1, height, width]
 * @NNACTL_BODY: floats [1, 1, 17, 3]: y, x and score of COCO's keypoints
 */
enum nnactl_kind {
	NNACTL_NUMBERS,
	NNACTL_CLASSES,
	NNACTL_MAP,
	NNACTL_BODY,
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
/* Fill @r from the outputs of a run. */
void nnactl_result_find(struct nnactl_result *r, const struct nnactl_outputs *outputs,
			const struct nnactl_labels *labels);
void nnactl_result_print(const struct nnactl_result *r);
/* Write the photo with the result as a PNG file. Return: 0, or 1 with the error printed. */
int nnactl_result_draw(const struct nnactl_result *r, const struct image *photo, const char *path);

#endif
