// SPDX-License-Identifier: MIT
/*
 * What a model's outputs mean: told by their shape, printed, and drawn into the picture that the
 * model was given.
 */
#include "tools/nnactl/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 17u
#define LEAST_SCORE 0.2
#define MAP_CLASSES 256u

/* The keypoints of the COCO data set, in its order. */
static const char *const point_names[POINTS] = {
	"nose",
	"left eye",
	"right eye",
	"left ear",
	"right ear",
	"left shoulder",
	"right shoulder",
	"left elbow",
	"right elbow",
	"left wrist",
	"right wrist",
	"left hip",
	"right hip",
	"left knee",
	"right knee",
	"left ankle",
	"right ankle",
};

/* Keypoints between which a line is drawn: face, arms, trunk, legs. */
static const uint8_t limbs[][2] = {
	{ 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 },
	{ 5, 6 }, { 5, 7 }, { 7, 9 }, { 6, 8 }, { 8, 10 },
	{ 5, 11 }, { 6, 12 }, { 11, 12 },
	{ 11, 13 }, { 13, 15 }, { 12, 14 }, { 14, 16 },
};

static bool is_integer(uint32_t type)
{
	return type == NNA_OPERAND_TENSOR_INT64 || type == NNA_OPERAND_TENSOR_INT32;
}

enum nnactl_kind nnactl_result_kind(const struct nnactl_outputs *outputs)
{
	const struct nna_io_info *info = &outputs->info[0];
	size_t n;

	if (outputs->count != 1 || !info->rank)
		return NNACTL_NUMBERS;
	n = nnactl_io_elements(info);
	if (info->type == NNA_OPERAND_TENSOR_FLOAT32 && info->rank == 4 && n == 3 * POINTS &&
	    info->dims[3] == 3)
		return NNACTL_BODY;
	if (is_integer(info->type))
		return info->rank == 3 && info->dims[0] == 1 && n ? NNACTL_MAP : NNACTL_NUMBERS;
	return n >= 2 && info->dims[info->rank - 1] == n ? NNACTL_CLASSES : NNACTL_NUMBERS;
}

static double value(const struct nnactl_result *r, size_t index)
{
	return nnactl_io_value(&r->outputs->info[0], r->outputs->data[0], index);
}

/* The class of a pixel; a number that the palette does not have counts as its last class. */
static size_t class_at(const struct nnactl_result *r, size_t pixel)
{
	double class = value(r, pixel);

	return class >= 0 && class < MAP_CLASSES ? (size_t)class : MAP_CLASSES - 1;
}

/* Put a class into the list of the best ones, if its score is good enough. */
static void rank(struct nnactl_result *r, size_t class, double score)
{
	uint32_t at = r->top_count;

	while (at && score > r->scores[at - 1])
		at--;
	if (at == NNACTL_TOP)
		return;
	if (r->top_count < NNACTL_TOP)
		r->top_count++;
	memmove(&r->top[at + 1], &r->top[at], (r->top_count - at - 1) * sizeof(r->top[0]));
	memmove(&r->scores[at + 1], &r->scores[at], (r->top_count - at - 1) * sizeof(r->scores[0]));
	r->top[at] = class;
	r->scores[at] = score;
}

void nnactl_result_find(struct nnactl_result *r, const struct nnactl_outputs *outputs,
			const struct nnactl_labels *labels)
{
	size_t n = nnactl_io_elements(&outputs->info[0]), pixels[MAP_CLASSES] = { 0 };

	*r = (struct nnactl_result){
		.kind = nnactl_result_kind(outputs),
		.outputs = outputs,
		.labels = labels,
	};
	if (r->kind == NNACTL_CLASSES) {
		for (size_t i = 0; i < n; i++)
			rank(r, i, value(r, i));
	} else if (r->kind == NNACTL_MAP) {
		for (size_t i = 0; i < n; i++)
			pixels[class_at(r, i)]++;
		for (size_t i = 0; i < MAP_CLASSES; i++)
			if (pixels[i])
				rank(r, i, (double)pixels[i] / (double)n);
	}
}

static const char *label(const struct nnactl_result *r, size_t class, char *to, size_t size)
{
	if (class < r->labels->count)
		return tflite_printable(r->labels->names[class], to, size);
	snprintf(to, size, "class %zu", class);
	return to;
}

static void print_numbers(const struct nnactl_result *r)
{
	char text[160];

	for (uint32_t i = 0; i < r->outputs->count; i++) {
		const struct nna_io_info *info = &r->outputs->info[i];
		double low = INFINITY, high = -INFINITY;

		for (size_t k = 0; k < nnactl_io_elements(info); k++) {
			low = fmin(low, nnactl_io_value(info, r->outputs->data[i], k));
			high = fmax(high, nnactl_io_value(info, r->outputs->data[i], k));
		}
		printf("output %u: %s, values %g to %g\n", i,
		       nnactl_io_describe(info, text, sizeof(text)), low, high);
	}
}

/* Line @i of those that say what the result is, best first; they stand below the picture too. */
static void describe(const struct nnactl_result *r, uint32_t i, char *line, size_t size)
{
	char text[160];

	if (i < r->top_count)
		snprintf(line, size, "%5.1f%% %s", 100 * r->scores[i],
			 label(r, r->top[i], text, sizeof(text)));
	else
		snprintf(line, size, "%s",
			 nnactl_io_describe(&r->outputs->info[0], text, sizeof(text)));
}

void nnactl_result_print(const struct nnactl_result *r)
{
	char text[200];

	switch (r->kind) {
	case NNACTL_CLASSES:
		for (uint32_t i = 0; i < r->top_count; i++)
			printf("%u. %7.4f  %4zu  %s\n", i + 1, r->scores[i], r->top[i],
			       label(r, r->top[i], text, sizeof(text)));
		break;
	case NNACTL_MAP:
		for (uint32_t i = 0; i < r->top_count; i++) {
			describe(r, i, text, sizeof(text));
			printf("%u. %s\n", i + 1, text);
		}
		break;
	case NNACTL_BODY:
		printf("%-16s %8s %8s %8s\n", "keypoint", "x", "y", "score");
		for (uint32_t i = 0; i < POINTS; i++)
			printf("%-16s %8.4f %8.4f %8.4f\n", point_names[i], value(r, 3 * i + 1),
			       value(r, 3 * i), value(r, 3 * i + 2));
		break;
	case NNACTL_NUMBERS:
		print_numbers(r);
		break;
	}
}

/*
 * The colours of the Pascal VOC data set: bits 0, 1 and 2 of the class are the top bits of red,
 * green and blue, bits 3, 4 and 5 the next lower ones, and so on.
 */
static struct image_color palette(size_t class)
{
	struct image_color c = { 0, 0, 0 };

	for (int bit = 7; bit >= 0; bit--, class >>= 3) {
		c.r |= (uint8_t)((class & 1) << bit);
		c.g |= (uint8_t)(((class >> 1) & 1) << bit);
		c.b |= (uint8_t)(((class >> 2) & 1) << bit);
	}
	return c;
}

/* Mix the colours of the classes with the photo, half and half. */
static void draw_map(const struct nnactl_result *r, struct image *out, uint32_t height)
{
	const uint32_t *dims = r->outputs->info[0].dims;

	for (uint32_t y = 0; y < height; y++) {
		uint8_t *to = out->pixels + (size_t)y * out->width * 3;

		for (uint32_t x = 0; x < out->width; x++, to += 3) {
			size_t row = (size_t)y * dims[1] / height,
			       column = (size_t)x * dims[2] / out->width;
			struct image_color c = palette(class_at(r, row * dims[2] + column));

			to[0] = (uint8_t)((to[0] + c.r) / 2);
			to[1] = (uint8_t)((to[1] + c.g) / 2);
			to[2] = (uint8_t)((to[2] + c.b) / 2);
		}
	}
}

static void draw_body(const struct nnactl_result *r, struct image *out, uint32_t height)
{
	static const struct image_color bone = { 255, 208, 64 }, joint = { 96, 224, 96 };
	int size = (int)(out->width < height ? out->width : height) / 160 + 1, x[POINTS], y[POINTS];

	for (uint32_t i = 0; i < POINTS; i++) {
		/* Clamped, so that a float far outside of the picture fits an int. */
		x[i] = (int)(fmin(fmax(value(r, 3 * i + 1), -1), 2) * out->width);
		y[i] = (int)(fmin(fmax(value(r, 3 * i), -1), 2) * height);
	}
	for (size_t i = 0; i < sizeof(limbs) / sizeof(limbs[0]); i++) {
		uint8_t a = limbs[i][0], b = limbs[i][1];

		if (value(r, 3 * a + 2) >= LEAST_SCORE && value(r, 3 * b + 2) >= LEAST_SCORE)
			image_line(out, x[a], y[a], x[b], y[b], size, bone);
	}
	for (uint32_t i = 0; i < POINTS; i++)
		if (value(r, 3 * i + 2) >= LEAST_SCORE)
			image_disc(out, x[i], y[i], 2 * size, joint);
}

int nnactl_result_draw(const struct nnactl_result *r, const struct image *photo, const char *path)
{
	static const struct image_color white = { 255, 255, 255 }, grey = { 24, 24, 32 },
					green = { 96, 224, 96 };
	uint32_t scale = photo->width >= 480 ? 2 : 1, lines = r->top_count ? r->top_count : 1;
	char error[IMAGE_ERROR_SIZE], line[200];
	int line_height = (int)scale * 11;
	struct image out;
	int ret;

	if (r->kind == NNACTL_BODY)
		lines = 0;
	if (image_create(&out, photo->width,
			 photo->height + lines * (uint32_t)line_height + 4 * scale))
		return nnactl_error("%s: the picture is too large", path);
	memcpy(out.pixels, photo->pixels, (size_t)photo->width * photo->height * 3);
	if (r->kind == NNACTL_MAP)
		draw_map(r, &out, photo->height);
	else if (r->kind == NNACTL_BODY)
		draw_body(r, &out, photo->height);
	image_fill(&out, 0, (int)photo->height, (int)out.width, (int)(out.height - photo->height),
		   grey);
	for (uint32_t i = 0; i < lines; i++) {
		int top = (int)(photo->height + 3 * scale) + (int)i * line_height,
		    left = (int)(4 * scale);

		if (r->kind == NNACTL_MAP) {
			image_fill(&out, left, top, 8 * (int)scale, 8 * (int)scale,
				   palette(r->top[i]));
			left += 10 * (int)scale;
		}
		describe(r, i, line, sizeof(line));
		image_text(&out, left, top, (int)scale, line, i ? white : green);
	}
	ret = image_save_png(&out, path, error);
	image_free(&out);
	return ret ? nnactl_error("%s: %s", path, error) : 0;
}
