// SPDX-License-Identifier: MIT
/* Command streams: what is fetched and checked, control flow, limits, and some commands to the end.
 */
#include "tests/unit/device/nna/core/device.h"

#include "hw/gen/nnahw_decode.h"

static struct rig rig;
static struct rig_space space;

static int set_up(void **state)
{
	rig_init(&rig, 1);
	rig_space_init(&rig, &space, 1);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, RIG_DATA_PAGES * RIG_PAGE);
	rig_stream_begin(&rig, &space);
	return 0;
}

static int tear_down(void **state)
{
	rig_fini(&rig);
	return 0;
}

static struct nnahw_completion run(void)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);

	return rig_run(&rig, 0, &e);
}

/* The status, at the command that is named. */
static void expect(uint32_t status, uint32_t command, uint32_t operand)
{
	struct nnahw_completion c = run();

	assert_int_equal(c.status, status);
	assert_int_equal(rig_report(&rig, &space)->status, status);
	assert_int_equal(rig_report(&rig, &space)->command, command);
	assert_int_equal(rig_report(&rig, &space)->operand, operand);
	if (status && status != NNAHW_STATUS_FAULT_MMU)
		assert_int_equal(c.detail, command);
}

static void expect_ok(void)
{
	struct nnahw_completion c = run();

	assert_int_equal(c.status, NNAHW_STATUS_OK);
}

static struct nnahw_cmd_fill *fill(uint32_t offset, uint32_t count, uint8_t value)
{
	struct nnahw_cmd_fill *c = rig_command(&rig, &space, NNAHW_OP_FILL, sizeof(*c));

	c->output = rig_tensor(NNAHW_TYPE_U8, 0, offset, count, 0, 0, 0);
	c->value = value;
	return c;
}

static struct nnahw_cmd_jump *jump(uint32_t target, uint32_t loop)
{
	struct nnahw_cmd_jump *c = rig_command(&rig, &space, NNAHW_OP_JUMP, sizeof(*c));

	c->target = target;
	c->loop = loop;
	return c;
}

static struct nnahw_cmd_branch *branch(uint32_t condition, uint32_t target)
{
	struct nnahw_cmd_branch *c = rig_command(&rig, &space, NNAHW_OP_BRANCH, sizeof(*c));

	c->condition = rig_tensor(NNAHW_TYPE_BOOL8, 0, condition, 0, 0, 0, 0);
	c->target = target;
	return c;
}

static uint8_t *data(uint32_t offset)
{
	return (uint8_t *)rig_at(&rig, space.data) + offset;
}

static void test_bad_headers(void **state)
{
	struct nnahw_stream_header *h = rig_at(&rig, space.stream), good;
	struct nnahw_ring_entry e;

	rig_end(&rig, &space);
	good = *h;
	h->magic++;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->version++;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->layout = 0;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->size = 0;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->size += 64;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->size -= 32;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good, h->reserved[11] = 1;
	expect(NNAHW_STATUS_BAD_STREAM, 0, UINT32_MAX);
	*h = good;
	expect_ok();
	/* The entry may allow more than the header takes, and a start between the two is none. */
	e = rig_job(&rig, &space);
	e.stream_size += 128;
	assert_int_equal(rig_run(&rig, 0, &e).status, NNAHW_STATUS_OK);
	e.start = good.size + 64;
	assert_int_equal(rig_run(&rig, 0, &e).status, NNAHW_STATUS_BAD_STREAM);
	e.start = good.size;
	assert_int_equal(rig_run(&rig, 0, &e).status, NNAHW_STATUS_OK);
}

/*
 * Every command of the description is found, with its size, and the reserved parts of each are
 * checked.
 */
static void test_command_forms(void **state)
{
	for (uint32_t i = 0; i < NNAHW_COMMAND_COUNT; i++) {
		const struct nnahw_command_info *info = &nnahw_commands[i];
		struct nnahw_command *c;
		uint8_t *p;

		rig_stream_begin(&rig, &space);
		c = rig_command(&rig, &space, info->opcode, info->size);
		p = (uint8_t *)c;
		for (uint32_t b = info->used; b < info->size; b++) {
			p[b] = 1;
			expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
			p[b] = 0;
		}
		for (uint32_t f = 0; f < info->field_count; f++) {
			uint32_t last =
				f + 1 < info->field_count ? info->fields[f + 1].offset : info->used;

			if (info->fields[f].name)
				continue;
			for (uint32_t b = info->fields[f].offset; b < last; b++) {
				p[b] = 0x80;
				expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
				p[b] = 0;
			}
		}
		c->flags = 1;
		expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
		c->flags = 0;
		c->reserved = 1;
		expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
		c->reserved = 0;
		c->size += 64;
		expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
		c->size -= 64;
		c->origin = 12345;
		/* All absent or all zero: the first operand that must be there is at fault. */
		if (info->operand_count)
			expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
		c->opcode = (uint16_t)(info->opcode + 0x4000);
		expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
		/* Crossing the end. */
		c->opcode = info->opcode;
		if (info->size > 64) {
			((struct nnahw_stream_header *)rig_at(&rig, space.stream))->size -= 64;
			expect(NNAHW_STATUS_BAD_STREAM, 64, UINT32_MAX);
		}
	}
	rig_stream_begin(&rig, &space);
	rig_command(&rig, &space, 0, 64);
	expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
	rig_stream_begin(&rig, &space);
	rig_command(&rig, &space, UINT16_MAX, 64);
	expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
}

static void test_operands(void **state)
{
	uint32_t whole = RIG_DATA_PAGES * RIG_PAGE;
	struct nnahw_cmd_copy *c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	struct nnahw_tensor good_in, good_out, *in = &c->input, *out = &c->output;

	good_in = rig_tensor(NNAHW_TYPE_U8, 0, 0, 4, 4, 0, 0);
	good_out = rig_tensor(NNAHW_TYPE_U8, 0, whole - 16, 4, 4, 0, 0);
	*in = good_in;
	*out = good_out;
	expect_ok();
#define BAD(operand, statement)                                                                    \
	do {                                                                                       \
		statement;                                                                         \
		expect(NNAHW_STATUS_BAD_OPERAND, 64, operand);                                     \
		*in = good_in;                                                                     \
		*out = good_out;                                                                   \
	} while (0)
	BAD(1, in->type = 0);
	BAD(1, in->type = 11);
	BAD(1, in->type = 255);
	BAD(1, in->rank = 9);
	BAD(1, in->rank = 255);
	BAD(1, in->rank = 1); /* dims beyond the rank */
	BAD(1, in->slot = 8);
	BAD(1, in->slot = 254);
	BAD(1, in->slot = 1); /* empty */
	BAD(0, out->slot = NNAHW_SLOT_NONE);
	BAD(0, (memset(out, 0, sizeof(*out)), out->slot = NNAHW_SLOT_NONE));
	BAD(1, in->flags = 1);
	BAD(1, in->reserved[0] = 1);
	BAD(1, in->reserved[2] = 1);
	BAD(1, in->strides[7] = 1);
	BAD(1, in->dims[2] = 1);
	BAD(1, in->zero_point = 256);
	BAD(1, in->zero_point = -1);
	BAD(1, in->scale = -1);
	BAD(1, in->scale = __builtin_nanf(""));
	BAD(1, in->scale = __builtin_inff());
	BAD(1, (in->type = NNAHW_TYPE_F32, in->scale = 1));
	BAD(1, (in->type = NNAHW_TYPE_S32, in->zero_point = 1));
	BAD(1, (in->type = NNAHW_TYPE_S16, in->offset = 1));
	/* Extents. */
	BAD(0, out->offset++);
	BAD(0, out->offset = UINT64_MAX);
	BAD(0, out->offset = 1ull << 63);
	BAD(0, out->offset = whole);
	BAD(1, in->strides[0] = -1);
	BAD(1, in->strides[0] = INT32_MIN);
	BAD(1, in->strides[0] = INT32_MAX);
	BAD(1, in->dims[0] = UINT32_MAX);
	BAD(1, (in->dims[0] = 65536, in->dims[1] = 65536, in->strides[0] = 0, in->strides[1] = 0));
	BAD(0, out->strides[0] = 0); /* an output repeats nothing */
	for (int k = 0; k < 8; k++) {
		in->rank = 8;
		in->dims[k] = 3;
		in->strides[k] = INT32_MIN;
	}
	BAD(1, in->dims[7] = 4);
	in->rank = 8;
	for (int k = 0; k < 8; k++) {
		in->dims[k] = 1 + (k < 2) * 46339;
		in->strides[k] = INT32_MAX;
	}
	BAD(1, in->type = NNAHW_TYPE_S64);
#undef BAD
	/* Negative strides that stay inside, and dims of one with any stride. */
	in->offset = 15;
	in->strides[0] = -4;
	in->strides[1] = -1;
	expect_ok();
	in->dims[0] = out->dims[0] = 1;
	in->strides[0] = INT32_MIN;
	in->offset = 3;
	expect_ok();
	/* No elements, wherever: nothing is touched. */
	*in = good_in;
	*out = good_out;
	in->dims[0] = out->dims[0] = 0;
	in->offset = out->offset = 1ull << 60;
	expect_ok();
	*in = good_in;
	*out = good_out;
	/* Bad slots. */
	rig_slot(&rig, &space, 0, RIG_VA_DATA + 32, 4096);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	rig_slot(&rig, &space, 0, 1ull << 48, 4096);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	rig_slot(&rig, &space, 0, UINT64_MAX - 63, UINT64_MAX);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	rig_slot(&rig, &space, 0, (1ull << 48) - 4096, 4097);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, UINT64_MAX);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, whole);
	expect_ok();
}

static void test_fill_and_copy(void **state)
{
	struct nnahw_cmd_copy *c;

	fill(100, 50, 0x77);
	c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	c->input = rig_tensor(NNAHW_TYPE_U16, 0, 1000, 2, 3, 0, 0);
	c->output = rig_tensor(NNAHW_TYPE_S16, 0, 2000, 2, 3, 0, 0);
	c->output.strides[0] = 1; /* transposed */
	c->output.strides[1] = 2;
	for (int i = 0; i < 6; i++)
		((uint16_t *)(void *)data(1000))[i] = (uint16_t)(0x100 + i);
	expect_ok();
	for (int i = 0; i < 50; i++)
		assert_int_equal(*data(100 + i), 0x77);
	assert_int_equal(*data(99), 0);
	assert_int_equal(*data(150), 0);
	for (int y = 0; y < 2; y++)
		for (int x = 0; x < 3; x++)
			assert_int_equal(((uint16_t *)(void *)data(2000))[x * 2 + y],
					 0x100 + y * 3 + x);
	assert_int_equal(rig_report(&rig, &space)->commands, 2);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_COMMANDS, 8), 2);
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_LONGEST_TILE, 8) > 0);
}

/* One float convolution through ring and MMU, against its definition. */
static void test_conv(void **state)
{
	struct nnahw_cmd_conv *c = rig_command(&rig, &space, NNAHW_OP_CONV, sizeof(*c));
	float *in = (void *)data(0), *w = (void *)data(8192), *b = (void *)data(16384),
	      *out = (void *)data(20480);
	enum { H = 5, W = 6, C = 3, N = 4, K = 3 };

	c->input = rig_tensor(NNAHW_TYPE_F32, 0, 0, 1, H, W, C);
	c->weights = rig_tensor(NNAHW_TYPE_F32, 0, 8192, N, K, K, C);
	c->bias = rig_tensor(NNAHW_TYPE_F32, 0, 16384, N, 0, 0, 0);
	c->output = rig_tensor(NNAHW_TYPE_F32, 0, 20480, 1, H, W, N);
	c->channels.slot = NNAHW_SLOT_NONE;
	c->residual.slot = NNAHW_SLOT_NONE;
	c->groups = c->stride_h = c->stride_w = c->dilation_h = c->dilation_w = c->pad_top =
		c->pad_left = 1;
	c->kernel_h = c->kernel_w = K;
	c->epilogue.clamp_min = c->epilogue.residual_min = 0;
	c->epilogue.clamp_max = c->epilogue.residual_max = 60;
	for (int i = 0; i < H * W * C; i++)
		in[i] = (float)(i % 11 - 5);
	for (int i = 0; i < N * K * K * C; i++)
		w[i] = (float)(i % 7 - 3);
	for (int i = 0; i < N; i++)
		b[i] = (float)i;
	expect_ok();
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			for (int n = 0; n < N; n++) {
				float sum = b[n];

				for (int ky = 0; ky < K; ky++)
					for (int kx = 0; kx < K; kx++)
						for (int k = 0; k < C; k++)
							if (y + ky >= 1 && y + ky <= H &&
							    x + kx >= 1 && x + kx <= W)
								sum += in[((y + ky - 1) * W + x +
									   kx - 1) *
										  C +
									  k] *
								       w[((n * K + ky) * K + kx) *
										 C +
									 k];
				sum = sum < 0 ? 0 : sum > 60 ? 60 : sum;
				assert_true(out[(y * W + x) * N + n] == sum);
			}
		}
	}
}

static void test_bad_shape(void **state)
{
	struct nnahw_cmd_copy *c;

	fill(0, 5, 1);
	c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	c->input = rig_tensor(NNAHW_TYPE_U8, 0, 0, 5, 0, 0, 0);
	c->output = rig_tensor(NNAHW_TYPE_U8, 0, 64, 6, 0, 0, 0);
	fill(1, 5, 1);
	expect(NNAHW_STATUS_BAD_SHAPE, 64 + 128, UINT32_MAX);
	assert_int_equal(rig_report(&rig, &space)->commands, 1);
}

static void test_jumps(void **state)
{
	struct nnahw_cmd_jump *j = jump(64 + 64 + 128, 0);
	struct nnahw_ring_entry e;

	fill(0, 1, 1);
	fill(1, 1, 2);
	expect_ok();
	assert_int_equal(*data(0), 0);
	assert_int_equal(*data(1), 2);
	/* To the end is the end. */
	j->target = space.stream_size;
	expect_ok();
	static const uint32_t bad[] = { 0, 32, 63, 65, 100, UINT32_MAX, UINT32_MAX & ~63u };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		j->target = bad[i];
		expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
	}
	j->target = space.stream_size + 64;
	expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
	j->target = 128;
	j->loop = 2;
	expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
	/* Into the middle of a command: what lies there is none. */
	j->loop = 0;
	j->target = 192;
	expect(NNAHW_STATUS_BAD_COMMAND, 192, UINT32_MAX);
	/* From the entry's start. */
	*data(0) = *data(1) = 0;
	e = rig_job(&rig, &space);
	e.start = 128;
	assert_int_equal(rig_run(&rig, 0, &e).status, NNAHW_STATUS_OK);
	assert_int_equal(*data(0), 1);
}

static void test_branches(void **state)
{
	struct nnahw_cmd_branch *b = branch(4000, 64 + 128 + 128);

	fill(0, 1, 1);
	fill(1, 1, 2);
	*data(4000) = 0;
	expect_ok();
	assert_int_equal(*data(0), 0);
	assert_int_equal(*data(1), 2);
	*data(4000) = 0x80;
	expect_ok();
	assert_int_equal(*data(0), 1);
	b->condition = rig_tensor(NNAHW_TYPE_BOOL8, 0, 4000, 1, 1, 0, 0);
	expect_ok();
	b->condition = rig_tensor(NNAHW_TYPE_BOOL8, 0, 4000, 2, 0, 0, 0);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	b->condition = rig_tensor(NNAHW_TYPE_U8, 0, 4000, 1, 0, 0, 0);
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	b->condition.slot = NNAHW_SLOT_NONE;
	expect(NNAHW_STATUS_BAD_OPERAND, 64, 0);
	/* Only a taken branch needs a good target. */
	b->condition = rig_tensor(NNAHW_TYPE_BOOL8, 0, 4000, 1, 0, 0, 0);
	b->target = 3;
	expect_ok();
	*data(4000) = 0;
	expect(NNAHW_STATUS_BAD_COMMAND, 64, UINT32_MAX);
	/* A loop over a value that the loop itself changes: it runs twice. */
	rig_stream_begin(&rig, &space);
	fill(4001, 1, 1);
	branch(4001, 64 + 128 + 128 + 128 + 64);
	fill(4001, 1, 0);
	jump(64 + 128, 1);
	fill(4002, 1, 9);
	expect_ok();
	assert_int_equal(*data(4002), 9);
	assert_int_equal(rig_report(&rig, &space)->commands, 6);
}

static void test_endless_loops(void **state)
{
	struct nnahw_ring_entry e;
	struct nnahw_completion c;
	struct nnahw_cmd_jump *j = jump(64, 0);

	e = rig_job(&rig, &space);
	e.budget = 5000000;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_BUDGET);
	assert_int_equal(c.detail, 64);
	assert_true(rig_report(&rig, &space)->run_time > e.budget);
	assert_true(rig_report(&rig, &space)->commands > 0);
	j->loop = 1;
	e.budget = 0;
	e.loop_limit = 5000000;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_LOOP_LIMIT);
	assert_true(rig_report(&rig, &space)->loop_time > e.loop_limit);
	e.loop_limit = 0;
	e.deadline = nnadev_clock_now() + 5000000;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_DEADLINE);
	/* Aborted from outside. */
	e.deadline = 0;
	rig_submit(&rig, 0, &e);
	while (!rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_HEAD)) ||
	       rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_HEAD)) != rig.rings[0].posted)
		usleep(100);
	rig_control(&rig, NNAHW_ENTRY_ABORT, 0, 0, e.seqno, 0);
	assert_int_equal(rig_wait(&rig, 0).status, NNAHW_STATUS_ABORTED);
	/* Branches alone make loops too. */
	rig_stream_begin(&rig, &space);
	*data(0) = 0;
	branch(0, 64);
	e = rig_job(&rig, &space);
	e.budget = 2000000;
	assert_int_equal(rig_run(&rig, 0, &e).status, NNAHW_STATUS_BUDGET);
}

/* The stream lies in pages that do not follow each other, a command across two of them. */
static void test_scattered_stream(void **state)
{
	uint8_t *stream = rig_at(&rig, space.stream);
	uint32_t n = 0;

	while (space.stream_size + 704 < RIG_STREAM_PAGES * RIG_PAGE) {
		fill(n, 1, (uint8_t)(n + 1));
		jump(space.stream_size + 64, 0);
		n++;
	}
	/* Swap pages in memory and in the table. */
	for (uint32_t i = 0; i < RIG_STREAM_PAGES / 2; i++) {
		uint32_t j = RIG_STREAM_PAGES - 1 - i;

		for (uint32_t b = 0; b < RIG_PAGE; b++) {
			uint8_t t = stream[i * RIG_PAGE + b];

			stream[i * RIG_PAGE + b] = stream[j * RIG_PAGE + b];
			stream[j * RIG_PAGE + b] = t;
		}
		rig_map(&rig, space.root, RIG_VA_STREAM + i * RIG_PAGE, space.stream + j * RIG_PAGE,
			1, 0);
		rig_map(&rig, space.root, RIG_VA_STREAM + j * RIG_PAGE, space.stream + i * RIG_PAGE,
			1, 0);
	}
	expect_ok();
	assert_true(n > 100);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(*data(i), (uint8_t)(i + 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_bad_headers),	  TEST(test_command_forms),
		TEST(test_operands),	  TEST(test_fill_and_copy),
		TEST(test_conv),	  TEST(test_bad_shape),
		TEST(test_jumps),	  TEST(test_branches),
		TEST(test_endless_loops), TEST(test_scattered_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
