// SPDX-License-Identifier: MIT
/*
 * Times the engine's kernels on the layers of mobilenet, on one thread, without rings or memory
 * translation around them: operations per second, and the share of what this machine's best
 * multiply-add instruction can do.
 *
 *   bench_engine [scalar|avx2|avxvnni|avx512]   default: the best
 *   bench_engine ISA u8|s8|f32 SHAPE... convolutions alone; 112x16-96,1/1 is one of 112 * 112 * 16
 *                                       to 96 channels by a kernel of 1 * 1 with a stride of 1, and
 *                                       14x96,3/2 a depthwise one of 14 * 14 * 96
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/nna/engine/engine.h"
#include "tools/nnactl/peaks.h"

static double now(void)
{
	struct timespec t;

	/* of this thread: what others do on the machine does not count */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct bench {
	_Alignas(64) uint8_t raw[NNAHW_MAX_COMMAND_SIZE];
	struct nnadev_engine_command cmd;
	void *buffers[NNAHW_MAX_OPERANDS];
};

static void *operand(struct bench *b, uint32_t i, uint32_t type, uint32_t rank,
		     const uint32_t *dims, float scale, int32_t zero)
{
	struct nnadev_engine_operand *o = &b->cmd.operands[i];
	size_t size;

	o->desc.type = (uint8_t)type;
	o->desc.rank = (uint8_t)rank;
	o->desc.scale = scale;
	o->desc.zero_point = zero;
	o->contiguous = true;
	o->count = 1;
	for (uint32_t k = rank; k-- > 0;) {
		o->desc.dims[k] = dims[k];
		o->desc.strides[k] = (int32_t)o->count;
		o->count *= dims[k];
	}
	size = (size_t)o->count * nnahw_type_size(type);
	o->data = b->buffers[i] = aligned_alloc(64, (size + 63) & ~(size_t)63);
	if (!o->data)
		abort();
	for (size_t k = 0; k < size; k++)
		((uint8_t *)o->data)[k] = (uint8_t)(k * 2654435761u >> 13);
	if (type == NNAHW_TYPE_F32)
		for (size_t k = 0; k < o->count; k++)
			((float *)o->data)[k] = (float)((k * 2654435761u >> 8) % 2001) / 1000.f - 1;
	return o->data;
}

static void start(struct bench *b, uint32_t opcode, uint32_t operands)
{
	memset(b, 0, sizeof(*b));
	((struct nnahw_command *)b->raw)->opcode = (uint16_t)opcode;
	b->cmd.raw = (struct nnahw_command *)b->raw;
	b->cmd.operand_count = operands;
}

/* Shortest time of a run in seconds, and the longest tile. */
static double run(struct bench *b, enum nnadev_engine_isa isa, double *longest)
{
	struct nnadev_engine_plan plan;
	double times[31], t;
	void *scratch, *shared;
	int n = 0;

	for (uint32_t i = 0; i < b->cmd.operand_count; i++)
		memcpy(b->raw + 16 + 96 * i, &b->cmd.operands[i].desc, 96);
	if (nnadev_engine_prepare(isa, 1, &b->cmd, &plan) != NNAHW_STATUS_OK) {
		fprintf(stderr, "bench_engine: a command was refused\n");
		exit(1);
	}
	scratch = aligned_alloc(64, (plan.scratch_size + 64) & ~63u);
	shared = aligned_alloc(64, (plan.shared_size + 64) & ~63u);
	*longest = 0;
	t = now();
	while (n < 31 && (n < 5 || now() - t < 0.5)) {
		double begin = now();

		for (uint32_t phase = 0; phase < plan.phases; phase++)
			for (uint32_t tile = 0; tile < plan.phase_tiles[phase]; tile++) {
				double from = now();

				plan.run(&b->cmd, &plan, phase, tile, scratch, shared);
				from = now() - from;
				if (n && from > *longest)
					*longest = from;
			}
		times[n++] = now() - begin;
	}
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && times[k] < times[k - 1]; k--) {
			double swap = times[k];

			times[k] = times[k - 1];
			times[k - 1] = swap;
		}
	free(scratch);
	free(shared);
	for (uint32_t i = 0; i < NNAHW_MAX_OPERANDS; i++)
		free(b->buffers[i]);
	return times[0];
}

static struct nnactl_peaks peaks;
static double total[2], macs[2];

static void line(const char *what, double mac, double outputs, double seconds, double longest,
		 bool is_float)
{
	double peak = is_float ? peaks.real : peaks.integer;

	printf("%-40s %8.3f ms %8.2f GOPS", what, seconds * 1e3, 2 * mac / seconds * 1e-9);
	if (peak > 0)
		printf(" %5.1f %% of peak", 100 * mac / seconds / peak);
	if (outputs > 0)
		printf(" %6.3f ns an output", 1e9 * seconds / outputs);
	printf("   longest tile %.3f ms\n", longest * 1e3);
}

/* @type: F32, U8, or S8, which has weights without a zero point, as in TFLite's models. */
static void conv_of(enum nnadev_engine_isa isa, bool depthwise, uint32_t type, uint32_t size,
		    uint32_t c, uint32_t n, uint32_t kernel, uint32_t stride, uint32_t repeat)
{
	static struct bench b;
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)b.raw;
	const bool is_float = type == NNAHW_TYPE_F32;
	const int32_t zero = type == NNAHW_TYPE_U8 ? 5 : 0;
	uint32_t out = (size + stride - 1) / stride, k = kernel * kernel * (depthwise ? 1 : c);
	double mac = (double)out * out * n * k, longest, seconds;
	struct nnahw_channel *channels;
	char name[128];

	start(&b, depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV, 6);
	operand(&b, NNAHW_CONV_OUTPUT, type, 4, (uint32_t[]){ 1, out, out, n },
		is_float ? 0 : 0.05f, is_float ? 0 : 3);
	operand(&b, NNAHW_CONV_INPUT, type, 4, (uint32_t[]){ 1, size, size, c },
		is_float ? 0 : 0.05f, is_float ? 0 : 7);
	if (depthwise)
		operand(&b, NNAHW_CONV_WEIGHTS, is_float ? type : NNAHW_TYPE_S8, 3,
			(uint32_t[]){ (n + 15) / 16, k, 16 }, is_float ? 0 : 0.05f,
			zero);
	else if (is_float)
		operand(&b, NNAHW_CONV_WEIGHTS, type, 3, (uint32_t[]){ (n + 15) / 16, k, 16 }, 0,
			0);
	else
		operand(&b, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
			(uint32_t[]){ (n + 15) / 16, (k + 3) / 4, 16, 4 }, 0.05f, zero);
	if (!is_float) {
		channels = operand(&b, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2, (uint32_t[]){ n, 4 },
				   0, 0);
		for (uint32_t i = 0; i < n; i++)
			channels[i] = (struct nnahw_channel){ 100, 0x50000000, 42, 0 };
	}
	p->layout = is_float ? NNAHW_LAYOUT_PACKED_FLOAT : NNAHW_LAYOUT_PACKED8;
	p->groups = 1;
	p->kernel_h = p->kernel_w = kernel;
	p->stride_h = p->stride_w = stride;
	p->dilation_h = p->dilation_w = 1;
	p->pad_top = p->pad_left = kernel / 2 - (kernel > 1 && stride > 1);
	p->epilogue.q_min = type == NNAHW_TYPE_S8 ? -128 : 0;
	p->epilogue.q_max = type == NNAHW_TYPE_S8 ? 127 : 255;
	p->epilogue.clamp_min = 0;
	p->epilogue.clamp_max = 6;
	seconds = run(&b, isa, &longest);
	snprintf(name, sizeof(name), "%s %s %ux%ux%u -> %u, %ux%u/%u",
		 is_float		 ? "f32" :
		 type == NNAHW_TYPE_S8 ? "s8" :
					 "u8",
		 depthwise ? "dwconv" : "conv", size, size, c, n, kernel, kernel, stride);
	line(name, mac, (double)out * out * n, seconds, longest, is_float);
	total[is_float] += seconds * repeat;
	macs[is_float] += mac * repeat;
}

static void conv(enum nnadev_engine_isa isa, bool depthwise, bool is_float, uint32_t size,
		 uint32_t c, uint32_t n, uint32_t kernel, uint32_t stride, uint32_t repeat)
{
	conv_of(isa, depthwise, is_float ? NNAHW_TYPE_F32 : NNAHW_TYPE_U8, size, c, n, kernel,
		stride, repeat);
}

/* Return: whether all of @count shapes could be read. */
static bool convs(enum nnadev_engine_isa isa, uint32_t type, char **shapes, int count)
{
	for (int i = 0; i < count; i++) {
		uint32_t size, c, n, kernel, stride;
		bool depthwise = false;

		if (sscanf(shapes[i], "%ux%u-%u,%u/%u", &size, &c, &n, &kernel, &stride) != 5) {
			depthwise = sscanf(shapes[i], "%ux%u,%u/%u", &size, &c, &kernel,
					   &stride) == 4;
			n = depthwise ? c : 0;
		}
		if (!n || !size || !c || !kernel || !stride) {
			fprintf(stderr,
				"bench_engine: %s is not a shape like 112x16-96,1/1 or 14x96,3/2\n",
				shapes[i]);
			return false;
		}
		conv_of(isa, depthwise, type, size, c, n, kernel, stride, 1);
	}
	return true;
}

static void elementwise(enum nnadev_engine_isa isa, const char *name, uint32_t op, uint32_t type,
			uint32_t inputs, int32_t scale)
{
	static struct bench b;
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)b.raw;
	const uint32_t dims[] = { 1, 56, 56, 64 };
	float quantum = type == NNAHW_TYPE_F32 ? 0 : 0.05f;
	double longest, seconds;

	start(&b, NNAHW_OP_EWISE, 4);
	for (uint32_t i = 0; i <= inputs; i++)
		operand(&b, i, type, 4, dims, quantum, 0);
	p->op = (uint8_t)op;
	p->a_scale = p->b_scale = scale;
	p->shift = 30;
	p->q_max = 255;
	p->clamp_min = -INFINITY;
	p->clamp_max = INFINITY;
	seconds = run(&b, isa, &longest);
	printf("%-40s %8.3f ms %8.2f G elements/s   longest tile %.3f ms\n", name, seconds * 1e3,
	       56 * 56 * 64 / seconds * 1e-9, longest * 1e3);
}

static void pool(enum nnadev_engine_isa isa, const char *name, uint32_t kind, uint32_t type,
		 uint32_t size, uint32_t c, uint32_t kernel)
{
	static struct bench b;
	struct nnahw_cmd_pool *p = (struct nnahw_cmd_pool *)b.raw;
	float quantum = type == NNAHW_TYPE_F32 ? 0 : 0.05f;
	uint32_t out = size / kernel;
	double longest, seconds;

	start(&b, NNAHW_OP_POOL, 2);
	operand(&b, 0, type, 4, (uint32_t[]){ 1, out, out, c }, quantum, 0);
	operand(&b, 1, type, 4, (uint32_t[]){ 1, size, size, c }, quantum, 0);
	p->kind = (uint8_t)kind;
	p->kernel_h = p->kernel_w = p->stride_h = p->stride_w = kernel;
	p->q_max = 255;
	p->clamp_min = -INFINITY;
	p->clamp_max = INFINITY;
	seconds = run(&b, isa, &longest);
	printf("%-40s %8.3f ms %8.2f G elements/s   longest tile %.3f ms\n", name, seconds * 1e3,
	       (double)size * size * c / seconds * 1e-9, longest * 1e3);
}

/* The last one of DeepLab. */
static void resize(enum nnadev_engine_isa isa, const char *name, uint32_t type, uint32_t kind)
{
	static struct bench b;
	struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)b.raw;
	float quantum = type == NNAHW_TYPE_F32 ? 0 : 0.05f;
	double longest, seconds;

	start(&b, NNAHW_OP_RESIZE, 2);
	operand(&b, 0, type, 4, (uint32_t[]){ 1, 257, 257, 21 }, quantum, 0);
	operand(&b, 1, type, 4, (uint32_t[]){ 1, 33, 33, 21 }, quantum, 0);
	p->kind = (uint8_t)kind;
	p->align_corners = 1;
	p->scale_h = p->scale_w = 32.f / 256;
	seconds = run(&b, isa, &longest);
	printf("%-40s %8.3f ms %8.2f G elements/s   longest tile %.3f ms\n", name, seconds * 1e3,
	       257 * 257 * 21 / seconds * 1e-9, longest * 1e3);
}

static void copy(enum nnadev_engine_isa isa, const char *name, uint32_t type, bool transposed)
{
	static struct bench b;
	double longest, seconds;

	start(&b, NNAHW_OP_COPY, 2);
	operand(&b, 0, type, 3, (uint32_t[]){ 56, 56, 64 }, 0, 0);
	operand(&b, 1, type, 3, (uint32_t[]){ 56, 56, 64 }, 0, 0);
	if (transposed) {
		b.cmd.operands[1].desc.strides[0] = 56;
		b.cmd.operands[1].desc.strides[1] = 1;
		b.cmd.operands[1].desc.strides[2] = 56 * 56;
		b.cmd.operands[1].contiguous = false;
	}
	seconds = run(&b, isa, &longest);
	printf("%-40s %8.3f ms %8.2f G elements/s   longest tile %.3f ms\n", name, seconds * 1e3,
	       56 * 56 * 64 / seconds * 1e-9, longest * 1e3);
}

static void softmax(enum nnadev_engine_isa isa, uint32_t type)
{
	static struct bench b;
	struct nnahw_cmd_softmax *p = (struct nnahw_cmd_softmax *)b.raw;
	float quantum = type == NNAHW_TYPE_F32 ? 0 : 1 / 256.f;
	double longest, seconds;

	start(&b, NNAHW_OP_SOFTMAX, 2);
	operand(&b, 0, type, 2, (uint32_t[]){ 1, 1001 }, quantum, 0);
	operand(&b, 1, type, 2, (uint32_t[]){ 1, 1001 }, quantum, 0);
	p->axis = 1;
	p->beta = 1;
	seconds = run(&b, isa, &longest);
	printf("%-40s %8.3f ms\n", type == NNAHW_TYPE_F32 ? "f32 softmax 1001" : "u8 softmax 1001",
	       seconds * 1e3);
}

int main(int argc, char **argv)
{
	enum nnadev_engine_isa best = nnadev_engine_isa_detect(), isa = best;

	if (argc > 1) {
		for (isa = NNADEV_ENGINE_SCALAR;
		     isa < NNADEV_ENGINE_ISAS && strcmp(argv[1], nnadev_engine_isa_name(isa));
		     isa++)
			;
		if (isa == NNADEV_ENGINE_ISAS || !nnadev_engine_isa_has(isa)) {
			fprintf(stderr, "bench_engine: no engine %s here (the best is %s)\n",
				argv[1], nnadev_engine_isa_name(best));
			return 2;
		}
	}
	if (nnactl_peaks_measure(1, &peaks)) {
		fprintf(stderr, "bench_engine: out of memory\n");
		return 1;
	}
	printf("engine %s; peaks by %s: 8-bit %.1f GOPS, fp32 %.1f GFLOPS\n",
	       nnadev_engine_isa_name(isa), *peaks.isa ? peaks.isa : "nothing known",
	       2e-9 * peaks.integer, 2e-9 * peaks.real);
	if (argc > 2)
		return !convs(isa,
			      !strcmp(argv[2], "s8")  ? NNAHW_TYPE_S8 :
			      !strcmp(argv[2], "f32") ? NNAHW_TYPE_F32 :
							NNAHW_TYPE_U8,
			      argv + 3, argc - 3);
	for (int f = 0; f < 2; f++) {
		conv(isa, false, f, 224, 3, 32, 3, 2, 1);
		conv(isa, true, f, 112, 32, 32, 3, 1, 1);
		conv(isa, false, f, 112, 32, 64, 1, 1, 1);
		conv(isa, true, f, 112, 64, 64, 3, 2, 1);
		conv(isa, false, f, 56, 64, 128, 1, 1, 1);
		conv(isa, true, f, 56, 128, 128, 3, 1, 1);
		conv(isa, false, f, 56, 128, 128, 1, 1, 1);
		conv(isa, true, f, 56, 128, 128, 3, 2, 1);
		conv(isa, false, f, 28, 128, 256, 1, 1, 1);
		conv(isa, true, f, 28, 256, 256, 3, 1, 1);
		conv(isa, false, f, 28, 256, 256, 1, 1, 1);
		conv(isa, true, f, 28, 256, 256, 3, 2, 1);
		conv(isa, false, f, 14, 256, 512, 1, 1, 1);
		conv(isa, true, f, 14, 512, 512, 3, 1, 5);
		conv(isa, false, f, 14, 512, 512, 1, 1, 5);
		conv(isa, true, f, 14, 512, 512, 3, 2, 1);
		conv(isa, false, f, 7, 512, 1024, 1, 1, 1);
		conv(isa, true, f, 7, 1024, 1024, 3, 1, 1);
		conv(isa, false, f, 7, 1024, 1024, 1, 1, 1);
		conv(isa, false, f, 1, 1024, 1001, 1, 1, 1);
		line(f ? "f32 mobilenet_v1_1.0_224, all of it"
		       : "u8 mobilenet_v1_1.0_224, all of it",
		     macs[f], 0, total[f], 0, f);
	}
	elementwise(isa, "u8 add", NNAHW_EWISE_ADD, NNAHW_TYPE_U8, 2, 1 << 29);
	elementwise(isa, "u8 mul", NNAHW_EWISE_MUL, NNAHW_TYPE_U8, 2, 1 << 22);
	elementwise(isa, "u8 requantise", NNAHW_EWISE_IDENTITY, NNAHW_TYPE_U8, 1, 1 << 29);
	elementwise(isa, "u8 logistic", NNAHW_EWISE_LOGISTIC, NNAHW_TYPE_U8, 1, 0);
	elementwise(isa, "f32 add", NNAHW_EWISE_ADD, NNAHW_TYPE_F32, 2, 0);
	elementwise(isa, "f32 mul", NNAHW_EWISE_MUL, NNAHW_TYPE_F32, 2, 0);
	elementwise(isa, "f32 logistic", NNAHW_EWISE_LOGISTIC, NNAHW_TYPE_F32, 1, 0);
	elementwise(isa, "f32 tanh", NNAHW_EWISE_TANH, NNAHW_TYPE_F32, 1, 0);
	pool(isa, "u8 average pool 7x7x1024", NNAHW_POOL_AVERAGE, NNAHW_TYPE_U8, 7, 1024, 7);
	pool(isa, "u8 max pool 2x2, 56x56x64", NNAHW_POOL_MAX, NNAHW_TYPE_U8, 56, 64, 2);
	pool(isa, "f32 average pool 7x7x1024", NNAHW_POOL_AVERAGE, NNAHW_TYPE_F32, 7, 1024, 7);
	pool(isa, "f32 max pool 2x2, 56x56x64", NNAHW_POOL_MAX, NNAHW_TYPE_F32, 56, 64, 2);
	resize(isa, "u8 bilinear 33x33x21 -> 257x257x21", NNAHW_TYPE_U8, NNAHW_RESAMPLE_BILINEAR);
	resize(isa, "f32 bilinear 33x33x21 -> 257x257x21", NNAHW_TYPE_F32, NNAHW_RESAMPLE_BILINEAR);
	resize(isa, "f32 nearest 33x33x21 -> 257x257x21", NNAHW_TYPE_F32, NNAHW_RESAMPLE_NEAREST);
	copy(isa, "u8 copy 56x56x64", NNAHW_TYPE_U8, false);
	copy(isa, "u8 transpose 64x56x56 -> 56x56x64", NNAHW_TYPE_U8, true);
	copy(isa, "f32 copy 56x56x64", NNAHW_TYPE_F32, false);
	copy(isa, "f32 transpose 64x56x56 -> 56x56x64", NNAHW_TYPE_F32, true);
	softmax(isa, NNAHW_TYPE_U8);
	softmax(isa, NNAHW_TYPE_F32);
	return 0;
}
