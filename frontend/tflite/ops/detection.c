// SPDX-License-Identifier: MIT
/*
 * TFLite_Detection_PostProcess, the custom operator at the end of SSD networks, turns boxes and
 * scores of anchors into detections. Its options are a flexbuffer. NNAPI's operation differs:
 *
 *	- The operator writes classes and the count of detections as floats.
 *	- Without regular NMS it counts boxes, of which each has several classes.
 *	- It takes a score that equals its threshold, and keeps a box whose overlap equals its
 *	  threshold. NNAPI's operation does neither, so it gets the next float below the first
 *	  threshold and the next float above the second.
 */
#include "frontend/tflite/compose.h"

#include <math.h>

#include "frontend/tflite/flexbuffer.h"

static double option(struct tflite_translation *t, const char *key, double missing)
{
	flexbuffer_number(t->op->custom_data, t->op->custom_size, key, &missing);
	return missing;
}

static int32_t count_option(struct tflite_translation *t, const char *key, double missing)
{
	double value = option(t, key, missing);

	if (!(value >= 1 && value <= 65536)) {
		tflite_refuse(t, NULL, "option %s of %g", "1 to 65536", key, value);
		return 1;
	}
	return (int32_t)value;
}

/* Adds an INT32 operand in the shape of output @index; a CAST to the output follows. */
static struct tflite_value whole(struct tflite_translation *t, uint32_t index)
{
	struct tflite_value v;

	tflite_describe(t, tflite_output(t, index), &v.o);
	return tflite_like(t, &v, NNA_OPERAND_TENSOR_INT32);
}

void tflite_translate_detection(struct tflite_translation *t, uint32_t type)
{
	static const char *const scales[] = { "y_scale", "x_scale", "h_scale", "w_scale" };
	struct tflite_value boxes, scores, anchors, classes, count;
	uint32_t out[4], with_background;
	int32_t class_count, per_box;
	bool regular;

	tflite_need(t, 3, 4);
	boxes = tflite_real(t, 0);
	scores = tflite_real(t, 1);
	anchors = tflite_real(t, 2);
	class_count = count_option(t, "num_classes", 0);
	with_background = scores.o.dims[2];
	tflite_need_rank(t, tflite_input(t, 1), 3);
	if (with_background != (uint32_t)class_count &&
	    with_background != (uint32_t)class_count + 1)
		tflite_refuse(t, tflite_input(t, 1), "%u scores of a box",
			      "%d classes, or one more with the background", with_background,
			      class_count);
	regular = option(t, "use_regular_nms", 0) != 0;
	per_box = count_option(t, "max_classes_per_detection", 1);
	if (!regular && per_box > class_count)
		tflite_unsupported(t, NULL, "max_classes_per_detection of %d",
				   "%d, the classes; TFLite leaves further ones unwritten", per_box,
				   class_count);
	/* NNAPI's first score is the background's: one that is missing becomes zeros. */
	if (!t->ret && with_background == (uint32_t)class_count) {
		struct tflite_value wide = scores;
		int32_t pads[6] = { 0, 0, 0, 0, 1, 0 };

		wide.o.dims[2]++;
		wide.operand = tflite_add_operand(t, &wide.o);
		tflite_push(t, scores.operand);
		tflite_push_pads(t, pads, 3);
		tflite_emit_to(t, NNA_OPERATION_PAD, wide.operand);
		scores = wide;
	}
	tflite_push(t, scores.operand);
	tflite_push(t, boxes.operand);
	tflite_push(t, anchors.operand);
	for (int i = 0; i < 4; i++)
		tflite_push_f32(t, (float)option(t, scales[i], 1));
	tflite_push_bool(t, regular);
	tflite_push_i32(t, count_option(t, "max_detections", 0));
	tflite_push_i32(t, per_box);
	tflite_push_i32(t, count_option(t, "detections_per_class", 100));
	tflite_push_f32(t, nextafterf((float)option(t, "nms_score_threshold", 0), -INFINITY));
	tflite_push_f32(t, nextafterf((float)option(t, "nms_iou_threshold", 0), INFINITY));
	tflite_push_bool(t, false);
	if (t->ret)
		return;
	classes = whole(t, 1);
	count = whole(t, 3);
	out[0] = tflite_output_operand(t, 2);
	out[1] = tflite_output_operand(t, 0);
	out[2] = classes.operand;
	out[3] = count.operand;
	tflite_emit(t, type, out, 4);
	tflite_push(t, classes.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 1));
	/* NNAPI counts boxes times classes, so the quotient is exact. */
	if (!regular && per_box > 1)
		count = tflite_binary(t, NNA_OPERATION_FLOOR_DIV, count, tflite_int(t, per_box));
	tflite_push(t, count.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 3));
}
