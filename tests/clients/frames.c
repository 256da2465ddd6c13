// SPDX-License-Identifier: MIT
/*
 * A camera application as others write it: frames of a GStreamer pipeline, taken from an appsink,
 * through TFLite's C API with an external delegate. The same frames go through a second interpreter
 * without the delegate, and the outputs are compared.
 *
 *	frames MODEL DELEGATE DEVICE COUNT STEPS
 *
 * MODEL takes one UINT8 picture of RGB. The last line counts the frames, those whose outputs are at
 * most STEPS apart, and those that differ from the frame before. Built against the packages that
 * tests/clients/debian unpacks, and nothing of this tree.
 */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/delegates/external/external_delegate.h>

static void die(const char *what)
{
	fprintf(stderr, "frames: %s\n", what);
	exit(1);
}

static TfLiteDelegate *load_delegate(const char *path, const char *device)
{
	TfLiteExternalDelegateOptions options = TfLiteExternalDelegateOptionsDefault(path);
	TfLiteDelegate *delegate;

	options.insert(&options, "device", device);
	options.insert(&options, "log_level", "info");
	delegate = TfLiteExternalDelegateCreate(&options);
	if (!delegate)
		die("the delegate cannot be made");
	return delegate;
}

static TfLiteInterpreter *make_interpreter(const TfLiteModel *model, TfLiteDelegate *delegate)
{
	TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
	TfLiteInterpreter *interpreter;

	TfLiteInterpreterOptionsSetNumThreads(options, 1);
	if (delegate)
		TfLiteInterpreterOptionsAddDelegate(options, delegate);
	interpreter = TfLiteInterpreterCreate(model, options);
	TfLiteInterpreterOptionsDelete(options);
	if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
		die("the interpreter cannot be made");
	return interpreter;
}

static GstElement *start_pipeline(int width, int height, int count, GstAppSink **sink)
{
	GError *error = NULL;
	GstElement *pipeline;
	char text[256];

	snprintf(text, sizeof(text),
		 "videotestsrc pattern=ball num-buffers=%d ! "
		 "video/x-raw,format=RGB,width=%d,height=%d,framerate=30/1 ! "
		 "appsink name=sink sync=false max-buffers=2",
		 count, width, height);
	pipeline = gst_parse_launch(text, &error);
	if (!pipeline || error)
		die(error ? error->message : "no pipeline");
	*sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
	if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
		die("the pipeline does not play");
	return pipeline;
}

/* The rows of a frame, without what stands between them. */
static void copy_frame(GstSample *sample, uint8_t *to, int width, int height)
{
	GstVideoFrame frame;
	GstVideoInfo info;

	if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
	    !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
		die("a frame cannot be mapped");
	for (int y = 0; y < height; y++)
		memcpy(to + (size_t)y * (size_t)width * 3,
		       (const uint8_t *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
			       (size_t)y * (size_t)GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
		       (size_t)width * 3);
	gst_video_frame_unmap(&frame);
}

static void run(TfLiteInterpreter *interpreter, const uint8_t *frame, size_t size)
{
	TfLiteTensor *input = TfLiteInterpreterGetInputTensor(interpreter, 0);

	if (TfLiteTensorCopyFromBuffer(input, frame, size) != kTfLiteOk ||
	    TfLiteInterpreterInvoke(interpreter) != kTfLiteOk)
		die("a run failed");
}

static int largest_difference(const TfLiteInterpreter *a, const TfLiteInterpreter *b)
{
	const TfLiteTensor *x = TfLiteInterpreterGetOutputTensor(a, 0);
	const TfLiteTensor *y = TfLiteInterpreterGetOutputTensor(b, 0);
	const uint8_t *p = TfLiteTensorData(x), *q = TfLiteTensorData(y);
	int most = 0;

	if (TfLiteTensorByteSize(x) != TfLiteTensorByteSize(y))
		return 256;
	for (size_t i = 0; i < TfLiteTensorByteSize(x); i++)
		if (abs(p[i] - q[i]) > most)
			most = abs(p[i] - q[i]);
	return most;
}

int main(int argc, char **argv)
{
	int count, steps, frames = 0, near = 0, moved = 0, most = 0;
	TfLiteInterpreter *ours, *theirs;
	const TfLiteTensor *input;
	uint8_t *frame, *before;
	TfLiteDelegate *delegate;
	GstElement *pipeline;
	TfLiteModel *model;
	GstSample *sample;
	GstAppSink *sink;
	int width, height;
	size_t size;

	if (argc != 6) {
		fprintf(stderr, "usage: frames MODEL DELEGATE DEVICE COUNT STEPS\n");
		return 2;
	}
	gst_init(NULL, NULL);
	count = atoi(argv[4]);
	steps = atoi(argv[5]);
	model = TfLiteModelCreateFromFile(argv[1]);
	if (!model)
		die("the model cannot be read");
	delegate = load_delegate(argv[2], argv[3]);
	ours = make_interpreter(model, delegate);
	theirs = make_interpreter(model, NULL);
	input = TfLiteInterpreterGetInputTensor(ours, 0);
	if (TfLiteTensorType(input) != kTfLiteUInt8 || TfLiteTensorNumDims(input) != 4 ||
	    TfLiteTensorDim(input, 3) != 3)
		die("the model does not take a picture of bytes");
	height = TfLiteTensorDim(input, 1);
	width = TfLiteTensorDim(input, 2);
	size = TfLiteTensorByteSize(input);
	frame = calloc(1, size);
	before = calloc(1, size);
	if (!frame || !before)
		die("out of memory");
	pipeline = start_pipeline(width, height, count, &sink);
	while ((sample = gst_app_sink_pull_sample(sink))) {
		int difference;

		copy_frame(sample, frame, width, height);
		gst_sample_unref(sample);
		run(ours, frame, size);
		run(theirs, frame, size);
		difference = largest_difference(ours, theirs);
		most = difference > most ? difference : most;
		near += difference <= steps;
		moved += memcmp(frame, before, size) != 0;
		memcpy(before, frame, size);
		frames++;
	}
	gst_element_set_state(pipeline, GST_STATE_NULL);
	gst_object_unref(sink);
	gst_object_unref(pipeline);
	TfLiteInterpreterDelete(ours);
	TfLiteInterpreterDelete(theirs);
	TfLiteExternalDelegateDelete(delegate);
	TfLiteModelDelete(model);
	free(frame);
	free(before);
	printf("TFLite %s, %s: %d frames, %d within %d steps (at most %d), %d moved\n",
	       TfLiteVersion(), gst_version_string(), frames, near, steps, most, moved);
	return frames != count || near != count || moved < count / 2;
}
