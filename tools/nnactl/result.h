/* SPDX-License-Identifier: MIT */
/*
 * What a model's outputs mean, told from their shapes and from the operators that make them: scores
 * of classes, a map of classes, keypoints of a body, boxes around things, one vector, or numbers. A
 * result points at outputs and labels, which the caller owns.
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
 * @NNACTL_CLASSES: a score for each class: a vector that comes from a SOFTMAX or a LOGISTIC, or for
 *	which there is a label for each element
 * @NNACTL_VECTOR: any other vector, of which every dimension but the last is 1: an embedding
 * @NNACTL_MAP: a class for each pixel: integers [1, height, width]
 * @NNACTL_BODY: floats [1, 1, 17, 3]: y, x and score of COCO's keypoints
 * @NNACTL_BOXES: TFLite_Detection_PostProcess's: floats [1, n, 4], classes, scores and their count
 */
enum nnactl_kind {
	NNACTL_NUMBERS,
	NNACTL_CLASSES,
	NNACTL_VECTOR,
	NNACTL_MAP,
	NNACTL_BODY,
	NNACTL_BOXES,
};

/**
 * struct nnactl_result - outputs with their meaning
 * @session: of the run; for the names of outputs
 * @top: @top_count classes, best or largest first
 * @scores: theirs, or their shares of a map
 * @box_count: boxes whose score is worth a line
 */
struct nnactl_result {
	enum nnactl_kind kind;
	const struct nnactl_session *session;
	const struct nnactl_outputs *outputs;
	const struct nnactl_labels *labels;
	size_t top[NNACTL_TOP];
	double scores[NNACTL_TOP];
	uint32_t top_count, box_count;
};

/*
 * What more there is to see, by an option that was not given. @can_draw: there is a picture, and it
 * is not drawn on. Return: a line, or NULL.
 */
const char *nnactl_result_hint(const struct nnactl_result *result, bool has_labels, bool can_draw);

enum nnactl_kind nnactl_result_kind(const struct nnactl_session *session,
				    const struct nnactl_outputs *outputs,
				    const struct nnactl_labels *labels);
/* Fill @r from the outputs of a run. */
void nnactl_result_find(struct nnactl_result *r, const struct nnactl_session *session,
			const struct nnactl_outputs *outputs, const struct nnactl_labels *labels);
void nnactl_result_print(const struct nnactl_result *r);
/* The same for --json. */
json_t *nnactl_result_json(const struct nnactl_result *r);
/*
 * Write the photo with the result as a file of image_save(). Return: 0, or 1 with the error
 * printed.
 */
int nnactl_result_draw(const struct nnactl_result *r, const struct image *photo, const char *path);

#endif
