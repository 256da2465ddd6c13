// SPDX-License-Identifier: MIT
/* Boxes of BlazeFace: from anchors to the picture, then those of one face into one. */
#include "demo/face.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Boxes whose intersection is at least this share of their union are of one face. */
#define SAME_FACE 0.3f

static void anchor_centre(uint32_t anchor, float *x, float *y)
{
	uint32_t side = anchor < 512 ? 16 : 8;
	uint32_t cell = anchor < 512 ? anchor / 2 : (anchor - 512) / 6;

	*x = ((float)(cell % side) + 0.5f) / (float)side;
	*y = ((float)(cell / side) + 0.5f) / (float)side;
}

static bool decode(const float *box, uint32_t anchor, struct face *face)
{
	float x, y, cx, cy, w, h;
	int i;

	anchor_centre(anchor, &x, &y);
	cx = x + box[0] / FACE_SIDE;
	cy = y + box[1] / FACE_SIDE;
	w = box[2] / FACE_SIDE;
	h = box[3] / FACE_SIDE;
	face->x0 = cx - w / 2;
	face->y0 = cy - h / 2;
	face->x1 = cx + w / 2;
	face->y1 = cy + h / 2;
	for (i = 0; i < FACE_POINTS; i++) {
		face->points[i][0] = x + box[4 + 2 * i] / FACE_SIDE;
		face->points[i][1] = y + box[5 + 2 * i] / FACE_SIDE;
	}
	return w > 0 && h > 0 && isfinite(cx + cy + w + h);
}

/* Intersection over union. */
static float overlap(const struct face *a, const struct face *b)
{
	float w = fminf(a->x1, b->x1) - fmaxf(a->x0, b->x0);
	float h = fminf(a->y1, b->y1) - fmaxf(a->y0, b->y0);
	float both;

	if (w <= 0 || h <= 0)
		return 0;
	both = (a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0);
	return w * h / (both - w * h);
}

static void add_weighted(struct face *sum, const struct face *face)
{
	int i;

	sum->x0 += face->score * face->x0;
	sum->y0 += face->score * face->y0;
	sum->x1 += face->score * face->x1;
	sum->y1 += face->score * face->y1;
	for (i = 0; i < FACE_POINTS; i++) {
		sum->points[i][0] += face->score * face->points[i][0];
		sum->points[i][1] += face->score * face->points[i][1];
	}
}

static void divide(struct face *sum, float weight)
{
	int i;

	sum->x0 /= weight;
	sum->y0 /= weight;
	sum->x1 /= weight;
	sum->y1 /= weight;
	for (i = 0; i < FACE_POINTS; i++) {
		sum->points[i][0] /= weight;
		sum->points[i][1] /= weight;
	}
}

uint32_t face_decode(const float *boxes, const float *scores, float threshold,
		     struct face *faces, uint32_t room)
{
	struct face found[FACE_ANCHORS];
	bool used[FACE_ANCHORS] = { false };
	uint32_t count = 0, result = 0, i;

	for (i = 0; i < FACE_ANCHORS; i++) {
		struct face *face = &found[count];

		face->score = 1.0f / (1.0f + expf(-scores[i]));
		if (face->score >= threshold &&
		    decode(boxes + (size_t)i * FACE_NUMBERS, i, face))
			count++;
	}
	while (result < room) {
		struct face sum = { 0 };
		uint32_t best = count;
		float weight = 0;

		for (i = 0; i < count; i++)
			if (!used[i] && (best == count || found[i].score > found[best].score))
				best = i;
		if (best == count)
			break;
		for (i = 0; i < count; i++) {
			if (used[i] || (i != best && overlap(&found[i], &found[best]) < SAME_FACE))
				continue;
			used[i] = true;
			add_weighted(&sum, &found[i]);
			weight += found[i].score;
		}
		divide(&sum, weight);
		sum.score = found[best].score;
		faces[result++] = sum;
	}
	return result;
}
