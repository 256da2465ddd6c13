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

#include "frontend/vela/operator.h"

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

/* The operator of the main subgraph that writes @tensor; NULL for none. */
static const struct tflite_operator *find_writer(const struct tflite_subgraph *sub, int32_t tensor)
{
	for (uint32_t i = 0; i < sub->operator_count; i++)
		for (uint32_t k = 0; k < sub->operators[i].outputs.count; k++)
			if (sub->operators[i].outputs.at[k] == tensor)
				return &sub->operators[i];
	return NULL;
}

/* The quantisation that TFLite's SOFTMAX and LOGISTIC have, which Vela has compiled away. */
static bool has_shares(const struct tflite_tensor *tensor)
{
	const int64_t least = tensor->type == TFLITE_INT8 ? -128 : 0;

	return (tensor->type == TFLITE_INT8 || tensor->type == TFLITE_UINT8) &&
	       tensor->scale_count == 1 && tensor->scales[0] == 0x1p-8f &&
	       (tensor->zero_point_count ? tflite_zero_point_at(tensor, 0) : 0) == least;
}

/* The same of an ONNX model. */
static bool is_probable_onnx(const struct onnx_model *model)
{
	static const char *const PASSED[] = { "Reshape", "Flatten", "Squeeze", "Identity", "Cast",
					      "QuantizeLinear", "DequantizeLinear" };
	uint32_t value = model->output_count ? model->outputs[0] : ONNX_ABSENT;

	while (value != ONNX_ABSENT && model->values[value].writer != ONNX_ABSENT) {
		const struct onnx_node *node = &model->nodes[model->values[value].writer];
		bool passes = false;

		if (!strcmp(node->op, "Softmax") || !strcmp(node->op, "LogSoftmax") ||
		    !strcmp(node->op, "Sigmoid"))
			return true;
		for (size_t i = 0; i < sizeof(PASSED) / sizeof(PASSED[0]); i++)
			passes |= !strcmp(node->op, PASSED[i]);
		value = passes && node->input_count ? node->inputs[0] : ONNX_ABSENT;
	}
	return false;
}

/* Whether the first output is probabilities, seen through what only changes shape or type. */
static bool is_probable(const struct tflite_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	int32_t tensor = sub->outputs.count ? sub->outputs.at[0] : -1;

	for (uint32_t steps = 0; steps < sub->operator_count; steps++) {
		const struct tflite_operator *op = find_writer(sub, tensor);

		if (!op || !op->inputs.count)
			return false;
		switch (op->code) {
		case TFLITE_SOFTMAX:
		case TFLITE_LOG_SOFTMAX:
		case TFLITE_LOGISTIC:
			return true;
		case TFLITE_RESHAPE:
		case TFLITE_SQUEEZE:
		case TFLITE_QUANTIZE:
		case TFLITE_DEQUANTIZE:
			tensor = op->inputs.at[0];
			break;
		case TFLITE_CUSTOM:
			return vela_is_operator(op) && has_shares(&sub->tensors[tensor]);
		default:
			return false;
		}
	}
	return false;
}

/* [1, n, 4], [1, n], [1, n] and one number, all FLOAT32. */
static bool are_boxes(const struct nnactl_outputs *o)
{
	if (o->count != 4 || o->info[0].rank != 3 || o->info[0].dims[0] != 1 ||
	    o->info[0].dims[2] != 4 || nnactl_io_elements(&o->info[3]) != 1)
		return false;
	for (uint32_t i = 0; i < 4; i++)
		if (o->info[i].type != NNA_OPERAND_TENSOR_FLOAT32)
			return false;
	return nnactl_io_elements(&o->info[1]) == o->info[0].dims[1] &&
	       nnactl_io_elements(&o->info[2]) == o->info[0].dims[1];
}

enum nnactl_kind nnactl_result_kind(const struct nnactl_session *session,
				    const struct nnactl_outputs *outputs,
				    const struct nnactl_labels *labels)
{
	const struct nna_io_info *info = &outputs->info[0];
	size_t n;

	if (outputs->count && are_boxes(outputs))
		return NNACTL_BOXES;
	if (outputs->count != 1 || !info->rank)
		return NNACTL_NUMBERS;
	n = nnactl_io_elements(info);
	if (info->type == NNA_OPERAND_TENSOR_FLOAT32 && info->rank == 4 && n == 3 * POINTS &&
	    info->dims[3] == 3)
		return NNACTL_BODY;
	if (is_integer(info->type))
		return info->rank == 3 && info->dims[0] == 1 && n ? NNACTL_MAP : NNACTL_NUMBERS;
	if (n < 2 || info->dims[info->rank - 1] != n)
		return NNACTL_NUMBERS;
	return labels->count == n || (session->onnx ? is_probable_onnx(session->onnx) :
						      is_probable(session->model)) ?
		       NNACTL_CLASSES : NNACTL_VECTOR;
}

/* Number @index of output @output. */
static double number(const struct nnactl_result *r, uint32_t output, size_t index)
{
	return nnactl_io_value(&r->outputs->info[output], r->outputs->data[output], index);
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

/* Boxes come best first; those below LEAST_SCORE are noise. */
static uint32_t count_boxes(const struct nnactl_result *r)
{
	uint32_t n = r->outputs->info[0].dims[1], i = 0;
	double said = number(r, 3, 0);

	if (!(said >= n))
		n = said > 0 ? (uint32_t)said : 0;
	while (i < n && number(r, 2, i) >= LEAST_SCORE)
		i++;
	return i;
}

void nnactl_result_find(struct nnactl_result *r, const struct nnactl_session *session,
			const struct nnactl_outputs *outputs, const struct nnactl_labels *labels)
{
	size_t n = outputs->count ? nnactl_io_elements(&outputs->info[0]) : 0;
	size_t pixels[MAP_CLASSES] = { 0 };

	*r = (struct nnactl_result){
		.kind = nnactl_result_kind(session, outputs, labels),
		.session = session,
		.outputs = outputs,
		.labels = labels,
	};
	if (r->kind == NNACTL_BOXES)
		r->box_count = count_boxes(r);
	if (r->kind == NNACTL_CLASSES) {
		for (size_t i = 0; i < n; i++)
			rank(r, i, value(r, i));
		/* Where the best are followed by zeros there is nothing to be said of these. */
		while (r->top_count > 1 && r->scores[r->top_count - 1] == 0)
			r->top_count--;
	} else if (r->kind == NNACTL_MAP) {
		for (size_t i = 0; i < n; i++)
			pixels[class_at(r, i)]++;
		for (size_t i = 0; i < MAP_CLASSES; i++)
			if (pixels[i])
				rank(r, i, (double)pixels[i] / (double)n);
	}
}

static size_t box_class(const struct nnactl_result *r, uint32_t box)
{
	double class = number(r, 1, box);

	return class >= 0 && class < UINT32_MAX ? (size_t)class : 0;
}

static const char *label(const struct nnactl_result *r, size_t class, char *to, size_t size)
{
	if (class < r->labels->count)
		return tflite_printable(r->labels->names[class], to, size);
	snprintf(to, size, "class %zu", class);
	return to;
}

/* The least and the largest element of an output; both NAN for one without elements. */
static void find_range(const struct nnactl_result *r, uint32_t output, double *low, double *high)
{
	*low = *high = NAN;
	for (size_t k = 0; k < nnactl_io_elements(&r->outputs->info[output]); k++) {
		*low = fmin(*low, number(r, output, k));
		*high = fmax(*high, number(r, output, k));
	}
}

static void print_numbers(const struct nnactl_result *r)
{
	char text[160], name[80];

	for (uint32_t i = 0; i < r->outputs->count; i++) {
		const struct nna_io_info *info = &r->outputs->info[i];
		double low, high;

		find_range(r, i, &low, &high);
		printf("output %u: %s, %s, values %g to %g\n", i,
		       nnactl_output_name(r->session, i, name, sizeof(name)),
		       nnactl_io_describe(info, text, sizeof(text)), low, high);
	}
}

static double length_of(const struct nnactl_result *r)
{
	double sum = 0;

	for (size_t k = 0; k < nnactl_io_elements(&r->outputs->info[0]); k++)
		sum += value(r, k) * value(r, k);
	return sqrt(sum);
}

#define VECTOR_SHOWN 8u

static void print_vector(const struct nnactl_result *r)
{
	size_t n = nnactl_io_elements(&r->outputs->info[0]);
	double low, high;

	find_range(r, 0, &low, &high);
	printf("a vector of %zu numbers, %g to %g, of length %g:\n  [", n, low, high,
	       length_of(r));
	for (size_t i = 0; i < n && i < VECTOR_SHOWN; i++)
		printf("%s%g", i ? ", " : "", value(r, i));
	printf("%s]\n", n > VECTOR_SHOWN ? ", ..." : "");
}

static void print_boxes(const struct nnactl_result *r)
{
	char text[160];

	printf("%u of %u boxes have a score of %g or more\n", r->box_count,
	       r->outputs->info[0].dims[1], LEAST_SCORE);
	if (r->box_count)
		printf("%7s %8s %8s %8s %8s  %s\n", "score", "top", "left", "bottom", "right",
		       "what");
	for (uint32_t i = 0; i < r->box_count; i++)
		printf("%7.4f %8.4f %8.4f %8.4f %8.4f  %s\n", number(r, 2, i),
		       number(r, 0, 4 * i), number(r, 0, 4 * i + 1), number(r, 0, 4 * i + 2),
		       number(r, 0, 4 * i + 3), label(r, box_class(r, i), text, sizeof(text)));
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
			printf("%s%u. %7.4f  %4zu  %s%s\n",
			       i ? "" : nnactl_style(stdout, NNACTL_GOOD), i + 1, r->scores[i],
			       r->top[i], label(r, r->top[i], text, sizeof(text)),
			       i ? "" : nnactl_style(stdout, NNACTL_PLAIN));
		break;
	case NNACTL_VECTOR:
		print_vector(r);
		break;
	case NNACTL_BOXES:
		print_boxes(r);
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

const char *nnactl_result_hint(const struct nnactl_result *r, bool has_labels, bool can_draw)
{
	switch (r->kind) {
	case NNACTL_CLASSES:
		return has_labels ? NULL : "--labels FILE names the classes, a line for each";
	case NNACTL_MAP:
		return can_draw ? "--output FILE.png shows the classes on the picture" : NULL;
	case NNACTL_BODY:
		return can_draw ? "--output FILE.png draws the body on the picture" : NULL;
	case NNACTL_BOXES:
		return can_draw ? "--output FILE.png draws the boxes on the picture" : NULL;
	default:
		return NULL;
	}
}

static json_t *classes_json(const struct nnactl_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->top_count; i++) {
		json_t *entry = json_pack("{s:I, s:o?}", "class", (json_int_t)r->top[i],
					  r->kind == NNACTL_MAP ? "share" : "score",
					  nnactl_json_number(r->scores[i]));

		if (r->top[i] < r->labels->count)
			json_object_set_new(entry, "label",
					    nnactl_json_text(r->labels->names[r->top[i]]));
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *boxes_json(const struct nnactl_result *r)
{
	static const char *const sides[] = { "top", "left", "bottom", "right" };
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->box_count; i++) {
		size_t class = box_class(r, i);
		json_t *entry = json_object();

		json_object_set_new(entry, "score", nnactl_json_number(number(r, 2, i)));
		for (uint32_t k = 0; k < 4; k++)
			json_object_set_new(entry, sides[k],
					    nnactl_json_number(number(r, 0, 4 * i + k)));
		json_object_set_new(entry, "class", json_integer((json_int_t)class));
		if (class < r->labels->count)
			json_object_set_new(entry, "label",
					    nnactl_json_text(r->labels->names[class]));
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *body_json(const struct nnactl_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < POINTS; i++)
		json_array_append_new(list, json_pack("{s:s, s:o?, s:o?, s:o?}", "keypoint",
						      point_names[i], "x",
						      nnactl_json_number(value(r, 3 * i + 1)),
						      "y", nnactl_json_number(value(r, 3 * i)),
						      "score",
						      nnactl_json_number(value(r, 3 * i + 2))));
	return list;
}

static json_t *vector_json(const struct nnactl_result *r)
{
	json_t *list = json_array();

	for (size_t k = 0; k < nnactl_io_elements(&r->outputs->info[0]); k++)
		json_array_append_new(list, nnactl_json_number(value(r, k)));
	return list;
}

json_t *nnactl_result_json(const struct nnactl_result *r)
{
	static const char *const kinds[] = {
		[NNACTL_NUMBERS] = "numbers", [NNACTL_CLASSES] = "classes",
		[NNACTL_VECTOR] = "vector", [NNACTL_MAP] = "map",
		[NNACTL_BODY] = "body", [NNACTL_BOXES] = "boxes",
	};
	json_t *all = json_object(), *outputs = json_array();
	char name[256];

	json_object_set_new(all, "kind", json_string(kinds[r->kind]));
	if (r->kind == NNACTL_CLASSES || r->kind == NNACTL_MAP)
		json_object_set_new(all, "classes", classes_json(r));
	else if (r->kind == NNACTL_BOXES)
		json_object_set_new(all, "boxes", boxes_json(r));
	else if (r->kind == NNACTL_BODY)
		json_object_set_new(all, "keypoints", body_json(r));
	else if (r->kind == NNACTL_VECTOR)
		json_object_set_new(all, "vector", vector_json(r));
	for (uint32_t i = 0; i < r->outputs->count; i++) {
		json_t *entry = nnactl_io_json(&r->outputs->info[i],
					       nnactl_output_name(r->session, i, name,
								  sizeof(name)));
		double low, high;

		find_range(r, i, &low, &high);
		json_object_set_new(entry, "min", nnactl_json_number(low));
		json_object_set_new(entry, "max", nnactl_json_number(high));
		json_array_append_new(outputs, entry);
	}
	json_object_set_new(all, "outputs", outputs);
	return all;
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

static void draw_boxes(const struct nnactl_result *r, struct image *out, uint32_t height)
{
	int thickness = (int)(out->width < height ? out->width : height) / 160 + 1;

	for (uint32_t i = 0; i < r->box_count; i++) {
		int at[4];

		for (uint32_t k = 0; k < 4; k++)
			at[k] = (int)(fmin(fmax(number(r, 0, 4 * i + k), 0), 1) *
				      (k % 2 ? out->width : height));
		image_rectangle(out, at[1], at[0], at[3] - at[1], at[2] - at[0], thickness,
				palette(box_class(r, i) + 1));
	}
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

	if (r->kind == NNACTL_BODY || r->kind == NNACTL_BOXES)
		lines = 0;
	if (image_create(&out, photo->width,
			 photo->height + lines * (uint32_t)line_height + 4 * scale))
		return nnactl_error("%s: the picture is too large", path);
	memcpy(out.pixels, photo->pixels, (size_t)photo->width * photo->height * 3);
	if (r->kind == NNACTL_MAP)
		draw_map(r, &out, photo->height);
	else if (r->kind == NNACTL_BODY)
		draw_body(r, &out, photo->height);
	else if (r->kind == NNACTL_BOXES)
		draw_boxes(r, &out, photo->height);
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
	ret = image_save(&out, path, error);
	image_free(&out);
	return ret ? nnactl_error("%s: %s", path, error) : 0;
}
