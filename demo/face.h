/* SPDX-License-Identifier: MIT */
/*
 * What an application does with the outputs of BlazeFace, MediaPipe's short-range face detector.
 *
 * The network looks at 128x128 pixels and has 896 anchors: two at each cell of a 16x16 grid, then
 * six at each of an 8x8 grid, row by row. For each anchor it gives 16 numbers in pixels relative to
 * the anchor's centre (centre x and y, width, height, and six points x, y) and a score before the
 * sigmoid. Faces overlap a lot: those that do are averaged, weighted by their scores.
 */
#ifndef FACE_H
#define FACE_H

#include <stdint.h>

#define FACE_SIDE 128
#define FACE_ANCHORS 896
#define FACE_NUMBERS 16

/* In the order of the network; A is the one that is left in the picture. */
enum face_point {
	FACE_EYE_A,
	FACE_EYE_B,
	FACE_NOSE,
	FACE_MOUTH,
	FACE_EAR_A,
	FACE_EAR_B,
	FACE_POINTS,
};

/**
 * struct face - a face; everything in fractions of the network's picture
 * @score: 0 to 1
 * @points: x, y of each enum face_point
 */
struct face {
	float score;
	float x0, y0, x1, y1;
	float points[FACE_POINTS][2];
};

/**
 * face_decode() - the faces in the network's outputs
 * @boxes: FACE_ANCHORS * FACE_NUMBERS
 * @scores: FACE_ANCHORS
 * @threshold: lowest score of a face
 * @faces: room for @room faces, best first
 *
 * Return: their number.
 */
uint32_t face_decode(const float *boxes, const float *scores, float threshold,
		     struct face *faces, uint32_t room);

#endif
