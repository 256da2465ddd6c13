// SPDX-License-Identifier: MIT
/*
 * Hostile jobs in a guest: each case runs a command at its largest shapes, again and again, in a
 * job of low priority that never ends by itself, and looks how the device serves others meanwhile:
 *
 *   others   a null job of another client at high priority waits 20 ms at most
 *   abort    the end of the job's context ends it, without a reset by the driver
 *   budget   a job with a budget runs no more than 20 ms longer
 *   reset    the driver resets the device as it is unbound; with NNA_HOSTILE_LONG in the
 *            environment under each command, else under two of them
 *
 * Inputs have strides of 0, so that no case needs much memory for any size. All limits grow by a
 * hundred times what a null job takes on the device when nothing else runs there, measured just
 * before, and those of what is done once by fifty times the longest of these: so a slow or busy
 * host fails nothing. Of several waits the middle one counts, and of five attempts the best.
 */
#include <math.h>
#include <sys/mman.h>

#define KSFT_TIMEOUT_S 300
#include "ksft.h"
#include "nna_test.h"

#define PAGE 4096ull
/* The other buffer object of a hostile job: slot 1 of its base table. */
#define DATA_VA 0x40000000ull
#define DATA_SIZE (32ull << 20)
/* Pages of each operand of scattered_pages, above all that is mapped else, and binds at a time. */
#define SCATTERED_VA 0x100000000ull
#define SCATTERED_PAGES 16384ull
#define BINDS 256u
#define WAITS 15
#define LIMIT (20 * 1000000ull)
#define BUDGET (50 * 1000000ull)

/**
 * struct hostile - a client whose job is hostile
 * @env: stream, base table and report
 * @data: slot 1
 * @command: the command that is being written
 */
struct hostile {
	struct env env;
	void *data;
	uint8_t *command;
};

/* ---- commands -------------------------------------------------------------------------------- */

#define DIMS(...) (const uint32_t[]){ __VA_ARGS__ }

static void hostile_init(struct hostile *h)
{
	struct nnahw_base *table;
	uint32_t bo;

	env_init(&h->env);
	EQ(ctx_create(h->env.fd, h->env.vm, DRM_NNA_CTX_PRIORITY_LOW, &h->env.ctx), 0);
	bo = bo_create(h->env.fd, DATA_SIZE, 0, 0);
	h->data = bo_map(h->env.fd, bo, DATA_SIZE);
	EQ(vm_map(h->env.fd, h->env.vm, bo, 0, DATA_VA, DATA_SIZE, 0), 0);
	table = (struct nnahw_base *)(h->env.map + ENV_TABLE);
	table[1] = (struct nnahw_base){ DATA_VA, DATA_SIZE };
	stream_begin(&h->env);
}

static void hostile_fini(struct hostile *h)
{
	munmap(h->data, DATA_SIZE);
	env_fini(&h->env);
}

/* Return: the command, zero but for its head. */
static void *begin(struct hostile *h, uint16_t opcode, uint32_t size, uint32_t operands)
{
	struct nnahw_command *c;

	h->command = h->env.map + ENV_STREAM + h->env.stream_size;
	c = (struct nnahw_command *)h->command;
	c->opcode = opcode;
	c->size = size;
	for (uint32_t i = 0; i < operands; i++)
		((struct nnahw_tensor *)(c + 1) + i)->slot = NNAHW_SLOT_NONE;
	h->env.stream_size += size;
	return c;
}

static struct nnahw_tensor *operand(struct hostile *h, uint32_t i, uint32_t type, uint32_t rank,
				    const uint32_t *dims, bool input)
{
	struct nnahw_tensor *t = (struct nnahw_tensor *)(h->command +
							 sizeof(struct nnahw_command)) + i;
	int32_t stride = 1;

	t->slot = 1;
	t->type = (uint8_t)type;
	t->rank = (uint8_t)rank;
	for (uint32_t k = rank; k-- > 0; stride *= (int32_t)dims[k]) {
		t->dims[k] = dims[k];
		t->strides[k] = input ? 0 : stride;
	}
	return t;
}

/* The job's stream is the command and a jump back to it. */
static void finish(struct hostile *h)
{
	stream_jump(&h->env, sizeof(struct nnahw_stream_header));
	stream_finish(&h->env);
}

static void epilogue(struct nnahw_epilogue *e, bool quantised)
{
	e->clamp_min = -INFINITY;
	e->clamp_max = INFINITY;
	e->q_max = quantised ? 255 : 0;
}

/* ---- how the device serves others ------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What a null job takes, the middle of several; @most: the longest. */
static uint64_t null_job(struct env *env, uint64_t *most)
{
	uint64_t took[WAITS];

	for (int i = 0; i < WAITS; i++) {
		uint64_t start = now_ns();

		EQ(submit_and_wait(env), 0);
		took[i] = now_ns() - start;
	}
	qsort(took, WAITS, sizeof(took[0]), by_value);
	if (most)
		*most = took[WAITS - 1];
	return took[WAITS / 2];
}

static void other_init(struct env *other)
{
	env_init(other);
	EQ(ctx_create(other->fd, other->vm, DRM_NNA_CTX_PRIORITY_HIGH, &other->ctx), 0);
	stream_null(other);
}

typedef void (*hostile_fn)(struct hostile *h);

/* Submit the job, and wait until it runs: its commands count. Return: its syncobj. */
static uint32_t start(struct hostile *h, uint64_t budget)
{
	struct drm_nna_submit args = env_submit(&h->env);
	uint32_t out = syncobj_create(h->env.fd);

	args.slot_count = 3;
	args.budget_ns = budget;
	EQ(submit_args(&h->env, &args, 0, out), 0);
	return out;
}

/* The job runs still, or has done so until it was ended; what the device refused ran not at all. */
static void check_ran(struct hostile *h)
{
	uint32_t status = env_report(&h->env)->status;

	if (status != NNAHW_STATUS_BUDGET && status != NNAHW_STATUS_ABORTED)
		FAIL("the job's status is %u", status);
}

/* One attempt. Return: whether all was in time. */
static bool attempt(hostile_fn make, const char *name)
{
	uint64_t idle, longest, limit, once, wait, aborted, resets, over;
	struct nnahw_report *report;
	struct env other;
	struct hostile h;
	uint32_t out;
	bool good;

	other_init(&other);
	idle = null_job(&other, &longest);
	limit = PATIENCE(LIMIT) + 100 * idle;
	/* What is done only once may meet with what others on the host do. */
	once = limit + 50 * longest;
	resets = counters(other.fd).driver_resets;

	hostile_init(&h);
	make(&h);
	finish(&h);
	out = start(&h, 0);
	wait = null_job(&other, NULL);
	EQ(syncobj_status(h.env.fd, out), 0);

	aborted = now_ns();
	EQ(ctx_destroy(h.env.fd, h.env.ctx), 0);
	EQ(syncobj_wait(h.env.fd, out, LONG_WAIT), 0);
	aborted = now_ns() - aborted;
	check_ran(&h);

	EQ(ctx_create(h.env.fd, h.env.vm, DRM_NNA_CTX_PRIORITY_LOW, &h.env.ctx), 0);
	stream_finish(&h.env);
	out = start(&h, BUDGET);
	EQ(syncobj_wait(h.env.fd, out, LONG_WAIT), 0);
	report = env_report(&h.env);
	EQ(report->status, NNAHW_STATUS_BUDGET);
	over = (uint64_t)ticks_to_ns(h.env.fd, (int64_t)report->run_time + 1) - BUDGET;
	EQ(counters(other.fd).driver_resets, resets);

	good = wait <= limit && aborted <= once && over <= once;
	printf("# %s: a null job waits %llu us, abort %llu us, over budget %llu us; ", name,
	       (unsigned long long)wait / 1000, (unsigned long long)aborted / 1000,
	       (unsigned long long)over / 1000);
	printf("idle %llu us, up to %llu us\n", (unsigned long long)idle / 1000,
	       (unsigned long long)longest / 1000);
	hostile_fini(&h);
	env_fini(&other);
	return good;
}

/* The driver resets the device under the job: it is there again when the driver is. */
static void check_reset(hostile_fn make)
{
	struct hostile h;

	hostile_init(&h);
	make(&h);
	finish(&h);
	start(&h, 0);
	device_unbind(h.env.fd);
	hostile_fini(&h);
	device_bind();
	expect_inference();
}

static void check(hostile_fn make, const char *name)
{
	int tries = 5;

	while (!attempt(make, name))
		CHECK(--tries);
	if (getenv("NNA_HOSTILE_LONG") || !strcmp(name, "nms") || !strcmp(name, "loop"))
		check_reset(make);
}

#define HOSTILE(name)                                                                              \
	static void make_##name(struct hostile *h);                                                \
	TEST(name)                                                                                 \
	{                                                                                          \
		check(make_##name, #name);                                                         \
	}                                                                                          \
	static void make_##name(struct hostile *h)

/* ---- the cases ------------------------------------------------------------------------------- */

static void write_nms(struct hostile *h, uint32_t rows, uint32_t classes, uint32_t kept,
		     uint32_t depth)
{
	struct nnahw_cmd_nms *p = begin(h, NNAHW_OP_NMS, sizeof(*p), 9);

	operand(h, NNAHW_NMS_COUNT, NNAHW_TYPE_S32, 1, DIMS(1), false);
	operand(h, NNAHW_NMS_KEPT_SCORES, NNAHW_TYPE_F32, 2, DIMS(1, kept), false);
	operand(h, NNAHW_NMS_KEPT_BOXES, NNAHW_TYPE_F32, 3, DIMS(1, kept, 4), false);
	operand(h, NNAHW_NMS_KEPT_CLASSES, NNAHW_TYPE_S32, 2, DIMS(1, kept), false);
	operand(h, NNAHW_NMS_SCORES, NNAHW_TYPE_F32, 3, DIMS(1, rows, classes), true)->offset =
		DATA_SIZE - 64;
	operand(h, NNAHW_NMS_BOXES, NNAHW_TYPE_F32, 4, DIMS(1, rows, classes, 4), true)->offset =
		DATA_SIZE - 64;
	p->kind = NNAHW_NMS_GAUSSIAN;
	p->sigma = 1;
	p->score_min = -1;
	p->score_floor = -1;
	p->threshold = 0.5f;
	p->most_of_class = UINT32_MAX;
	p->most = UINT32_MAX;
	p->depth = depth;
}

HOSTILE(nms)
{
	write_nms(h, 65536, 1, 65536, 0);
}

HOSTILE(nms_with_depth)
{
	write_nms(h, 1, 1 << 18, 1 << 18, 1 << 18);
}

static void write_topk(struct hostile *h, uint32_t k)
{
	begin(h, NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3);
	operand(h, NNAHW_TOPK_VALUES, NNAHW_TYPE_F32, 2, DIMS(2, k), false);
	operand(h, NNAHW_TOPK_INDICES, NNAHW_TYPE_S32, 2, DIMS(2, k), false);
	operand(h, NNAHW_TOPK_INPUT, NNAHW_TYPE_F32, 2, DIMS(2, 1 << 20), true);
}

HOSTILE(topk_one)
{
	write_topk(h, 1);
}

HOSTILE(topk_all)
{
	write_topk(h, 1 << 20);
}

HOSTILE(lsh)
{
	begin(h, NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
	operand(h, NNAHW_LSH_OUTPUT, NNAHW_TYPE_S32, 2, DIMS(100, 1000), false);
	operand(h, NNAHW_LSH_SEEDS, NNAHW_TYPE_F32, 2, DIMS(100, 1000), true);
	operand(h, NNAHW_LSH_ITEMS, NNAHW_TYPE_U8, 2, DIMS(1 << 20, 16), false);
}

static void write_roi(struct hostile *h, uint32_t kind, uint32_t n, uint32_t out, uint32_t samples)
{
	struct nnahw_cmd_roi *p = begin(h, NNAHW_OP_ROI, sizeof(*p), 4);
	float *corners = (float *)((uint8_t *)h->data + DATA_SIZE - PAGE);

	operand(h, NNAHW_ROI_OUTPUT, NNAHW_TYPE_F32, 4, DIMS(4, out, out, 3), false);
	operand(h, NNAHW_ROI_INPUT, NNAHW_TYPE_F32, 4, DIMS(1, n, n, 3), true);
	operand(h, NNAHW_ROI_REGIONS, NNAHW_TYPE_F32, 2, DIMS(4, 4), false)->offset =
		DATA_SIZE - PAGE;
	operand(h, NNAHW_ROI_BATCHES, NNAHW_TYPE_S32, 1, DIMS(4), true);
	for (int i = 0; i < 4; i++) {
		corners[4 * i] = corners[4 * i + 1] = 0;
		corners[4 * i + 2] = corners[4 * i + 3] = (float)n;
	}
	p->kind = (uint8_t)kind;
	p->samples_h = p->samples_w = samples;
	p->scale_h = p->scale_w = 1;
}

HOSTILE(roi_mean)
{
	write_roi(h, NNAHW_ROI_MEAN, 1000, 7, 1024);
}

HOSTILE(roi_max)
{
	write_roi(h, NNAHW_ROI_MAX, 4000, 7, 0);
}

/* A window of @kh x @kw x @in for each of @size x @size x @out. */
static void write_conv(struct hostile *h, bool quantised, uint32_t kh, uint32_t kw, uint32_t in,
		      uint32_t size, uint32_t out)
{
	struct nnahw_cmd_conv *p = begin(h, NNAHW_OP_CONV, sizeof(*p), 6);
	uint32_t type = quantised ? NNAHW_TYPE_U8 : NNAHW_TYPE_F32;

	operand(h, NNAHW_CONV_OUTPUT, type, 4, DIMS(1, size, size, out), false);
	operand(h, NNAHW_CONV_INPUT, type, 4, DIMS(1, size + kh - 1, size + kw - 1, in), true);
	operand(h, NNAHW_CONV_WEIGHTS, quantised ? NNAHW_TYPE_S8 : type, 4, DIMS(out, kh, kw, in),
		true);
	if (quantised)
		operand(h, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2, DIMS(out, 4), false)->offset =
			DATA_SIZE / 2;
	p->layout = NNAHW_LAYOUT_PLAIN;
	p->groups = 1;
	p->kernel_h = kh;
	p->kernel_w = kw;
	p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
	epilogue(&p->epilogue, quantised);
}

HOSTILE(conv_of_a_million_channels)
{
	write_conv(h, false, 1, 1, 1 << 20, 4, 64);
}

HOSTILE(conv_of_a_large_window)
{
	write_conv(h, true, 1024, 1024, 1, 3, 64);
}

HOSTILE(conv_of_a_large_image)
{
	write_conv(h, false, 17, 17, 3, 1024, 1);
}

HOSTILE(dwconv)
{
	struct nnahw_cmd_dwconv *p = begin(h, NNAHW_OP_DWCONV, sizeof(*p), 6);

	operand(h, NNAHW_CONV_OUTPUT, NNAHW_TYPE_F32, 4, DIMS(1, 3, 3, 16), false);
	operand(h, NNAHW_CONV_INPUT, NNAHW_TYPE_F32, 4, DIMS(1, 1026, 1026, 16), true);
	operand(h, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_F32, 4, DIMS(1, 1024, 1024, 16), true);
	p->layout = NNAHW_LAYOUT_PLAIN;
	p->multiplier = 1;
	p->kernel_h = p->kernel_w = 1024;
	p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
	epilogue(&p->epilogue, false);
}

static void write_matmul(struct hostile *h, bool quantised, uint32_t rows, uint32_t k, uint32_t n)
{
	struct nnahw_cmd_matmul *p = begin(h, NNAHW_OP_MATMUL, sizeof(*p), 6);
	uint32_t type = quantised ? NNAHW_TYPE_U8 : NNAHW_TYPE_F32;

	operand(h, NNAHW_MATMUL_OUTPUT, type, 3, DIMS(1, rows, n), false);
	operand(h, NNAHW_MATMUL_A, type, 3, DIMS(1, rows, k), true);
	operand(h, NNAHW_MATMUL_B, type, 3, DIMS(1, k, n), true);
	if (quantised)
		operand(h, NNAHW_MATMUL_CHANNELS, NNAHW_TYPE_S32, 2, DIMS(n, 4), false)->offset =
			DATA_SIZE / 2;
	epilogue(&p->epilogue, quantised);
}

HOSTILE(matmul_of_a_million)
{
	write_matmul(h, false, 64, 1 << 20, 64);
}

HOSTILE(matmul_of_all)
{
	write_matmul(h, true, 2048, 65536, 2048);
}

HOSTILE(pool)
{
	struct nnahw_cmd_pool *p = begin(h, NNAHW_OP_POOL, sizeof(*p), 2);

	operand(h, 0, NNAHW_TYPE_F32, 4, DIMS(1, 2, 2, 64), false);
	operand(h, 1, NNAHW_TYPE_F32, 4, DIMS(1, 1025, 1025, 64), true);
	p->kernel_h = p->kernel_w = 1024;
	p->stride_h = p->stride_w = 1;
	p->q_max = 255;
	p->clamp_max = INFINITY;
}

HOSTILE(reduce)
{
	struct nnahw_cmd_reduce *p = begin(h, NNAHW_OP_REDUCE, sizeof(*p), 2);

	p->axes = 0xfe;
	p->q_max = 255;
	operand(h, 0, NNAHW_TYPE_F32, 8, DIMS(1, 1, 1, 1, 1, 1, 1, 1), false);
	operand(h, 1, NNAHW_TYPE_F16, 8, DIMS(1, 32, 32, 32, 32, 32, 8, 4), true);
}

HOSTILE(softmax)
{
	struct nnahw_cmd_softmax *p = begin(h, NNAHW_OP_SOFTMAX, sizeof(*p), 2);

	p->axis = 1;
	p->beta = 1;
	operand(h, 0, NNAHW_TYPE_F32, 2, DIMS(4, 1 << 20), false);
	operand(h, 1, NNAHW_TYPE_F32, 2, DIMS(4, 1 << 20), true);
}

HOSTILE(keypoint)
{
	struct nnahw_cmd_keypoint *p = begin(h, NNAHW_OP_KEYPOINT, sizeof(*p), 4);

	operand(h, NNAHW_KEYPOINT_SCORES, NNAHW_TYPE_F32, 2, DIMS(50, 17), false);
	operand(h, NNAHW_KEYPOINT_KEYPOINTS, NNAHW_TYPE_F32, 3, DIMS(50, 17, 2), false);
	operand(h, NNAHW_KEYPOINT_HEATMAPS, NNAHW_TYPE_F32, 4, DIMS(50, 1024, 1024, 17), true);
	operand(h, NNAHW_KEYPOINT_BOXES, NNAHW_TYPE_F32, 2, DIMS(50, 4), true);
	p->tolerance = 1e-3f;
}

HOSTILE(copy_of_single_elements)
{
	begin(h, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
	operand(h, 0, NNAHW_TYPE_U8, 8, DIMS(1024, 64, 4, 1, 2, 1, 2, 16), false);
	operand(h, 1, NNAHW_TYPE_U8, 8, DIMS(1024, 64, 4, 1, 2, 1, 2, 16), true);
}

/*
 * Operands of which no two pages lie in the order of their addresses: the device maps those of the
 * input one by one, and copies the output, because it maps no more than so many.
 */
HOSTILE(scattered_pages)
{
	struct nnahw_base *table = (struct nnahw_base *)(h->env.map + ENV_TABLE);
	struct drm_nna_vm_bind_op *ops = calloc(SCATTERED_PAGES, sizeof(*ops));
	uint32_t bo = bo_create(h->env.fd, SCATTERED_PAGES * PAGE, 0, 0);
	uint64_t pages = SCATTERED_PAGES, max = hw_info(h->env.fd).max_mappings;

	/* As many as a VM may have, beside its other mappings, which are fewer than BINDS. */
	if (max && pages > max / 2 - BINDS)
		pages = (max / 2 - BINDS) / BINDS * BINDS;
	CHECK(ops);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < pages; i++)
			ops[i] = (struct drm_nna_vm_bind_op){
				.type = DRM_NNA_VM_BIND_OP_MAP,
				.bo_handle = bo,
				.bo_offset = (pages - 1 - i) * PAGE,
				.va = SCATTERED_VA + (k * pages + i) * PAGE,
				.size = PAGE,
			};
		for (uint32_t i = 0; i < pages; i += BINDS)
			EQ(vm_bind_ops(h->env.fd, h->env.vm, ops + i, BINDS), 0);
	}
	free(ops);
	table[2] = (struct nnahw_base){ SCATTERED_VA, 2 * pages * PAGE };
	begin(h, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct nnahw_tensor *t = operand(h, i, NNAHW_TYPE_U8, 1,
						 DIMS(pages * PAGE), false);

		t->slot = 2;
		t->offset = i * pages * PAGE;
	}
}

/* A loop around nothing: finish() adds the jump. */
HOSTILE(loop)
{
	begin(h, NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1);
	operand(h, 0, NNAHW_TYPE_U8, 1, DIMS(1), false);
}
