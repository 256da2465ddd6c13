// SPDX-License-Identifier: MIT
/*
 * Real models on a device: outputs for given raw inputs against those of TFLite's reference
 * kernels, and what nnactl says about photos. The models are not part of the project; without them
 * everything is skipped.
 *
 *	test_models [--device D] [--models DIR] [--save DIR] [--compare DIR] [--nnactl FILE]
 *
 * --save keeps the outputs, --compare demands that they are the same bytes as those kept (by a run
 * on another device). The last line is "N passed, N failed, N skipped".
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <nnaccel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tflite/translate.h"

/**
 * enum measure - in what the difference between outputs and expected ones is told
 * @STEPS: quantised outputs: steps, of the element that differs most
 * @PIXELS: a class map of INT64, expected as bytes: elements of 1000 that differ
 * @POINTS: FLOAT32 y, x, score: hundredths of the picture, of the y or x that differs most; scores
 *	have few quantisation steps, so that they differ much and are not compared
 */
enum measure {
	STEPS,
	PIXELS,
	POINTS,
};

#define KEYPOINTS 17u
/* How far keypoints may be from the reference file, in the mean, in hundredths of the picture. */
#define KEYPOINT_TOLERANCE 2.0

static const struct model_case {
	const char *model, *image;
	enum measure measure;
	int tolerance;
} CASES[] = {
	{ "mobilenet_v1_0.25_128_quant", "cat", STEPS, 2 },
	{ "mobilenet_v1_0.25_128_quant", "grace_hopper", STEPS, 2 },
	{ "mobilenet_v1_0.25_128_quant", "sunflower", STEPS, 2 },
	{ "mobilenet_v1_1.0_224_quant_embedding_extractor", "grace_hopper", STEPS, 2 },
	{ "mobilenet_v2_1.0_224_quant", "cat", STEPS, 2 },
	{ "mobilenet_v2_1.0_224_quant", "grace_hopper", STEPS, 2 },
	{ "mobilenet_v2_1.0_224_quant", "sunflower", STEPS, 2 },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "cat", STEPS, 8 },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "grace_hopper", STEPS, 8 },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "sunflower", STEPS, 8 },
	{ "movenet_single_pose_lightning_ptq", "squat", POINTS, 1 },
	{ "deeplabv3_mnv2_dm05_pascal_quant", "bird_segmentation", PIXELS, 10 },
	{ "keras_lstm_mnist_ptq", "mnist_nine", STEPS, 8 },
};

/* What nnactl run must print about a photo: a label in a line of its output, counted from 1. */
static const struct {
	const char *model, *image, *labels;
	unsigned int line;
	const char *label;
} PHOTOS[] = {
	{ "mobilenet_v2_1.0_224_quant", "grace_hopper", "imagenet_labels", 1, "military uniform" },
	{ "mobilenet_v2_1.0_224_quant", "cat", "imagenet_labels", 1, "Egyptian cat" },
	{ "mobilenet_v2_1.0_224_quant", "sunflower", "imagenet_labels", 1, "daisy" },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "grace_hopper", "imagenet_labels", 1,
	  "military uniform" },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "cat", "imagenet_labels", 1, "Egyptian cat" },
	{ "tf2_mobilenet_v2_1.0_224_ptq", "sunflower", "imagenet_labels", 1, "daisy" },
	{ "deeplabv3_mnv2_dm05_pascal_quant", "bird_segmentation", "pascal_voc_segmentation_labels",
	  2, "bird" },
	{ "movenet_single_pose_lightning_ptq", "squat", NULL, 2, "nose" },
	{ "keras_lstm_mnist_ptq", "mnist_nine", NULL, 1, "class 9" },
};

static struct {
	const char *device_name, *models, *save, *compare, *nnactl;
	struct nna_device *device;
	unsigned int passed, failed, skipped;
	char said[256];
} test = { .device_name = "auto", .models = "../shared/models" };

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR && !test.said[0])
		snprintf(test.said, sizeof(test.said), "%s", text);
}

static const struct nna_log LOG = { log_line, NULL };

/* A whole file; NULL when it cannot be read. */
static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	char *data;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &st)) {
		fclose(file);
		return NULL;
	}
	*size = (size_t)st.st_size;
	data = malloc(*size + 1);
	if (data && fread(data, 1, *size, file) != *size) {
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}

/**
 * struct run - a model that has been run once
 * @out: the outputs, back to back
 */
struct run {
	struct tflite_model *model;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	uint8_t *out;
	size_t out_size;
};

static void run_free(struct run *r)
{
	nna_execution_destroy(r->execution);
	nna_program_destroy(r->program);
	nna_graph_unref(r->graph);
	tflite_free(r->model);
	free(r->out);
}

/* Return: 0, -ENOTSUP for a model with an unsupported operator, or another negative errno. */
static int run_model(struct run *r, const char *path, const uint8_t *in, size_t in_size, char *why)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	const struct tflite_operator *op;
	struct tflite_origin origin;
	struct nna_io_info info;
	uint32_t count, i;
	size_t at = 0;
	bool *supported;
	int ret;

	test.said[0] = 0;
	ret = tflite_load(path, &r->model, why);
	if (ret)
		return ret;
	ret = tflite_to_graph(r->model, &LOG, &r->graph, &origin, why);
	if (ret)
		return ret;
	count = nna_graph_operation_count(r->graph, 0);
	supported = calloc(count + 1, sizeof(*supported));
	ret = supported ? nna_graph_get_supported(r->graph, test.device, supported) : -ENOMEM;
	for (i = 0; !ret && i < count; i++) {
		if (supported[i])
			continue;
		op = &r->model->subgraphs[0].operators[origin.operators[i]];
		snprintf(why, TFLITE_ERROR_SIZE, "operator %u (%s) is not supported",
			 origin.operators[i], tflite_code_name(op->code));
		ret = -ENOTSUP;
	}
	free(supported);
	tflite_origin_free(&origin);
	if (ret)
		return ret;
	ret = nna_program_create(test.device, r->graph, &options, &r->program);
	if (!ret)
		ret = nna_execution_create(r->program, &r->execution);
	if (!ret)
		ret = nna_program_get_input(r->program, 0, &info);
	if (!ret && info.size != in_size)
		ret = -EINVAL;
	if (!ret)
		ret = nna_execution_set_input(r->execution, 0, 0, NULL, in, in_size);
	for (i = 0; !ret && i < nna_program_output_count(r->program); i++) {
		ret = nna_program_get_output(r->program, i, &info);
		r->out_size += info.size;
	}
	if (!ret)
		r->out = calloc(1, r->out_size + 1);
	for (i = 0; !ret && r->out && i < nna_program_output_count(r->program); i++) {
		nna_program_get_output(r->program, i, &info);
		ret = nna_execution_set_output(r->execution, i, 0, NULL, r->out + at, info.size);
		at += info.size;
	}
	if (!ret)
		ret = r->out ? nna_execution_compute(r->execution) : -ENOMEM;
	if (ret)
		snprintf(why, TFLITE_ERROR_SIZE, "%s%s%s", strerror(-ret),
			 test.said[0] ? ": " : "", test.said);
	/* A supported model that the runtime refuses has failed: it is not skipped. */
	return ret == -ENOTSUP ? -EINVAL : ret;
}

/* The largest difference, in the units of the measure; -1 when sizes differ. */
static double difference(enum measure measure, const uint8_t *got, size_t got_size,
			 const uint8_t *want, size_t want_size)
{
	double worst = 0;
	size_t i, n;

	switch (measure) {
	case STEPS:
		if (got_size != want_size)
			return -1;
		for (i = 0; i < got_size; i++)
			worst = fmax(worst, abs(got[i] - want[i]));
		return worst;
	case PIXELS:
		if (got_size != want_size * 8)
			return -1;
		for (i = 0; i < want_size; i++) {
			int64_t v;

			memcpy(&v, got + 8 * i, 8);
			worst += v != want[i];
		}
		return 1000 * worst / (double)want_size;
	case POINTS:
		if (got_size != want_size)
			return -1;
		for (i = 0, n = got_size / 4; i < n; i++) {
			float a, b;

			memcpy(&a, got + 4 * i, 4);
			memcpy(&b, want + 4 * i, 4);
			if (!isfinite(a))
				return INFINITY;
			if (i % 3 != 2)
				worst = fmax(worst, 100 * fabs((double)a - (double)b));
		}
		return worst;
	}
	return -1;
}

static void count(bool good, const char *name, const char *text)
{
	if (good)
		test.passed++;
	else
		test.failed++;
	printf("%s %s: %s\n", good ? "ok  " : "FAIL", name, text);
}

static void keep(const char *name, const struct run *r)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.out", test.save, name);
	mkdir(test.save, 0777);
	file = fopen(path, "we");
	if (!file || fwrite(r->out, 1, r->out_size, file) != r->out_size || fclose(file))
		count(false, name, "the outputs could not be saved");
}

static void compare_kept(const char *name, const struct run *r)
{
	char path[512], text[128];
	uint8_t *kept;
	size_t size, i;

	snprintf(path, sizeof(path), "%s/%s.out", test.compare, name);
	kept = read_file(path, &size);
	if (!kept) {
		test.skipped++;
		printf("skip %s: no kept outputs %s\n", name, path);
		return;
	}
	for (i = 0; i < size && i < r->out_size && kept[i] == r->out[i]; i++)
		;
	if (size != r->out_size || i < size)
		snprintf(text, sizeof(text), "byte %zu differs from the kept outputs", i);
	else
		snprintf(text, sizeof(text), "the same %zu bytes as the kept outputs", size);
	count(size == r->out_size && i == size, name, text);
	free(kept);
}

/*
 * Keypoints against the model's reference file. TFLite's own kernels are 0.9 hundredths away from
 * it in the mean, and at single points up to 3.8: the reference was made with another input and
 * another quantisation.
 */
static void test_keypoints(const struct run *r, const char *name)
{
	char path[512], line[256], text[128];
	double sum = 0, x, y;
	uint32_t seen = 0, id;
	FILE *file;

	snprintf(path, sizeof(path), "%s/movenet_single_pose_lightning_ptq_reference.csv",
		 test.models);
	file = fopen(path, "re");
	if (!file || r->out_size != KEYPOINTS * 3 * sizeof(float)) {
		count(false, name,
		      file ? "the output is no list of keypoints" : "no reference file");
		if (file)
			fclose(file);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		float point[3];

		if (sscanf(line, "%*u,%*f,%u,%*f,%lf,%lf", &id, &x, &y) != 3 || id >= KEYPOINTS)
			continue;
		memcpy(point, r->out + id * sizeof(point), sizeof(point));
		sum += 100 * (fabs(point[0] - y) + fabs(point[1] - x));
		seen++;
	}
	fclose(file);
	snprintf(text, sizeof(text), "%u keypoints, %.2f hundredths from the reference, %g allowed",
		 seen, sum / (2 * KEYPOINTS), KEYPOINT_TOLERANCE);
	count(seen == KEYPOINTS && sum / (2 * KEYPOINTS) <= KEYPOINT_TOLERANCE, name, text);
}

static void test_case(const struct model_case *c)
{
	static const char *const units[] = { "steps", "per mille of the pixels",
					     "hundredths of the picture" };
	char path[512], name[128], text[TFLITE_ERROR_SIZE + 64],
		why[TFLITE_ERROR_SIZE] = "";
	uint8_t *in = NULL, *want = NULL;
	size_t in_size = 0, want_size = 0;
	struct run r = { 0 };
	double worst;
	int ret;

	snprintf(name, sizeof(name), "%s.%s", c->model, c->image);
	snprintf(path, sizeof(path), "%s/expected/%s.in", test.models, name);
	in = read_file(path, &in_size);
	snprintf(path, sizeof(path), "%s/expected/%s.out", test.models, name);
	want = read_file(path, &want_size);
	snprintf(path, sizeof(path), "%s/%s.tflite", test.models, c->model);
	if (!in || !want || access(path, R_OK)) {
		test.skipped++;
		printf("skip %s: not in %s\n", name, test.models);
		goto out;
	}
	ret = run_model(&r, path, in, in_size, why);
	if (ret == -ENOTSUP) {
		test.skipped++;
		printf("skip %s: %s\n", name, why);
		goto out;
	}
	if (ret) {
		count(false, name, why[0] ? why : strerror(-ret));
		goto out;
	}
	worst = difference(c->measure, r.out, r.out_size, want, want_size);
	snprintf(text, sizeof(text), "differs by %g %s, %d allowed", worst, units[c->measure],
		 c->tolerance);
	count(worst >= 0 && worst <= c->tolerance, name, text);
	if (c->measure == POINTS)
		test_keypoints(&r, name);
	if (test.save)
		keep(name, &r);
	if (test.compare)
		compare_kept(name, &r);
out:
	run_free(&r);
	free(in);
	free(want);
}

/* nnactl run, as a user calls it: a line of its output, and that it writes a PNG file. */
static void test_photo(size_t index)
{
	char command[2048], line[256], said[256] = "", labels[512] = "";
	char picture[] = "/tmp/nna-picture-XXXXXX.png";
	char name[128], text[400], head[8] = "";
	unsigned int number = 0;
	FILE *pipe;
	int status, fd;

	snprintf(name, sizeof(name), "nnactl run %s %s", PHOTOS[index].model, PHOTOS[index].image);
	fd = mkstemps(picture, 4);
	if (fd < 0) {
		count(false, name, strerror(errno));
		return;
	}
	if (PHOTOS[index].labels)
		snprintf(labels, sizeof(labels), "--labels '%s/%s.txt'", test.models,
			 PHOTOS[index].labels);
	snprintf(command, sizeof(command),
		 "'%s' run '%s/%s.tflite' --image '%s/%s.bmp' %s --device '%s' --output '%s'",
		 test.nnactl, test.models, PHOTOS[index].model, test.models, PHOTOS[index].image,
		 labels, test.device_name, picture);
	fflush(stdout);
	pipe = popen(command, "re");
	if (!pipe) {
		count(false, name, strerror(errno));
		goto out;
	}
	while (fgets(line, sizeof(line), pipe))
		if (++number == PHOTOS[index].line)
			memcpy(said, line, sizeof(said));
	said[strcspn(said, "\n")] = 0;
	status = pclose(pipe);
	if (pread(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, "\x89PNG\r\n\x1a\n", 8))
		status = -1;
	snprintf(text, sizeof(text), "%s", status ? "it failed, or left no picture" : said);
	count(!status && strstr(said, PHOTOS[index].label), name, text);
out:
	close(fd);
	unlink(picture);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "models", required_argument, NULL, 'm' },
		{ "save", required_argument, NULL, 's' },
		{ "compare", required_argument, NULL, 'c' },
		{ "nnactl", required_argument, NULL, 'n' },
		{ 0 },
	};
	const struct nna_device_options device_options = { .log = { log_line, NULL } };
	char nnactl[512], *slash;
	size_t i;
	int c, ret;

	/* build/tests/test_models has build/bin/nnactl beside it. */
	snprintf(nnactl, sizeof(nnactl) - 16, "%s", argv[0]);
	slash = strrchr(nnactl, '/');
	strcpy(slash ? slash + 1 : nnactl, "../bin/nnactl");
	test.nnactl = nnactl;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			test.device_name = optarg;
			break;
		case 'm':
			test.models = optarg;
			break;
		case 's':
			test.save = optarg;
			break;
		case 'c':
			test.compare = optarg;
			break;
		case 'n':
			test.nnactl = optarg;
			break;
		default:
			return 2;
		}
	}
	if (access(test.models, R_OK)) {
		printf("no models in %s: everything is skipped\n0 passed, 0 failed, %zu skipped\n",
		       test.models, sizeof(CASES) / sizeof(CASES[0]) +
		       sizeof(PHOTOS) / sizeof(PHOTOS[0]));
		return 0;
	}
	ret = nna_device_open(test.device_name, &device_options, &test.device);
	if (ret) {
		fprintf(stderr, "test_models: device %s: %s\n", test.device_name,
			test.said[0] ? test.said : strerror(-ret));
		printf("0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	for (i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
		test_case(&CASES[i]);
	nna_device_close(test.device);
	for (i = 0; i < sizeof(PHOTOS) / sizeof(PHOTOS[0]); i++)
		test_photo(i);
	printf("%u passed, %u failed, %u skipped\n", test.passed, test.failed, test.skipped);
	return test.failed != 0;
}
