// SPDX-License-Identifier: MIT
/*
 * Command streams: what CMDSTREAM_BO_CREATE refuses, and the bounds of buffers that it works out
 * for SUBMIT. A stream that passes may reach no memory but the buffers of its job.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define EMPTY { .count = 0 }
#define PAGE 4096u

static int create(const struct npu *npu, const void *words, uint32_t size)
{
	struct ethosu_stream_create args = { .size = size, .data = (uintptr_t)words };

	return xioctl(npu->fd, ETHOSU_STREAM_CREATE, &args);
}

static int create_script(const struct npu *npu, const struct npu_script *s)
{
	uint32_t stream;

	return npu_stream(npu, s, &stream);
}

/* ---- whole streams --------------------------------------------------------------------------- */

TEST(arguments)
{
	struct npu_script s = npu_copy(16);
	struct ethosu_stream_create args = { .size = s.count * 4, .data = (uintptr_t)s.words };
	struct npu npu;

	npu_init(&npu);
	EQ(create(&npu, s.words, 0), -EINVAL);
	EQ(create(&npu, NULL, 64), -EINVAL);
	args.pad = 1;
	EQ(xioctl(npu.fd, ETHOSU_STREAM_CREATE, &args), -EINVAL);
	args.pad = 0;
	args.flags = 1;
	EQ(xioctl(npu.fd, ETHOSU_STREAM_CREATE, &args), -EINVAL);
	args.flags = 0;
	EQ(xioctl(npu.fd, ETHOSU_STREAM_CREATE, &args), 0);
}

/* The words end at a page that cannot be read. */
TEST(words_in_bad_memory)
{
	struct npu_script s = npu_copy(16);
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	struct npu npu;

	npu_init(&npu);
	EQ(munmap(pages + PAGE, PAGE), 0);
	memcpy(pages + PAGE - s.count * 4, s.words, s.count * 4);
	EQ(create(&npu, pages + PAGE - s.count * 4, s.count * 4), 0);
	memcpy(pages + PAGE - s.count * 4 + 4, s.words, s.count * 4 - 4);
	EQ(create(&npu, pages + PAGE - s.count * 4 + 4, s.count * 4), -EFAULT);
}

TEST(stop_is_the_last_word)
{
	struct npu_script s = npu_copy(16);
	struct npu npu;

	npu_init(&npu);
	EQ(create_script(&npu, &s), 0);
	s.count--;
	EQ(create_script(&npu, &s), -EINVAL);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	EQ(create_script(&npu, &s), -EINVAL);
	s.count--;
	npu_op(&s, ETHOSU_OP_IRQ, 0);
	EQ(create_script(&npu, &s), -EINVAL);
}

TEST(payload_must_be_whole)
{
	struct npu_script s = EMPTY;
	struct npu npu;

	npu_init(&npu);
	npu_long(&s, ETHOSU_SET_IFM_BASE0, 0);
	s.count--;
	EQ(create_script(&npu, &s), -EINVAL);
	/* A payload that looks like STOP is none. */
	s.count++;
	s.words[1] = ETHOSU_OP_STOP;
	EQ(create_script(&npu, &s), -EINVAL);
}

TEST(size_is_of_whole_words)
{
	struct npu_script s = npu_copy(16);
	struct npu npu;

	npu_init(&npu);
	npu_defect(create(&npu, s.words, s.count * 4 + 2) == 0, "stream-commands",
		   "a stream of no whole number of words passes, and QSIZE is written so");
}

/* ---- DMA ------------------------------------------------------------------------------------- */

/* Return: what CMDSTREAM_BO_CREATE says of a DMA with these settings in addition. */
static int dma(const struct npu *npu, const struct npu_script *more)
{
	struct npu_script s = EMPTY;

	npu_copy_settings(&s, 16);
	for (uint32_t i = 0; i < more->count; i++)
		s.words[s.count++] = more->words[i];
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	return create_script(npu, &s);
}

TEST(dma_needs_a_length)
{
	struct npu_script s = EMPTY;
	struct npu npu;

	npu_init(&npu);
	npu_op(&s, ETHOSU_SET_DMA_SOURCE_REGION, 0);
	npu_op(&s, ETHOSU_SET_DMA_TARGET_REGION, 1);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE, 0);
	npu_long(&s, ETHOSU_SET_DMA_TARGET, 0);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	EQ(create_script(&npu, &s), -EINVAL);
}

TEST(dma_needs_addresses)
{
	for (int missing = 0; missing < 2; missing++) {
		struct npu_script s = EMPTY;
		struct npu npu;

		npu_init(&npu);
		npu_op(&s, ETHOSU_SET_DMA_SOURCE_REGION, 0);
		npu_op(&s, ETHOSU_SET_DMA_TARGET_REGION, 1);
		npu_long(&s, missing ? ETHOSU_SET_DMA_TARGET : ETHOSU_SET_DMA_SOURCE, 0);
		npu_long(&s, ETHOSU_SET_DMA_LENGTH, 16);
		npu_op(&s, ETHOSU_OP_DMA_START, 0);
		npu_op(&s, ETHOSU_OP_STOP, 0);
		EQ(create_script(&npu, &s), -EINVAL);
		close(npu.fd);
	}
}

/* Sizes and strides of 2D and 3D: products that wrap, strides that go back by more than a row. */
TEST(dma_of_rows)
{
	struct npu_script s = EMPTY;
	struct npu npu;

	npu_init(&npu);
	npu_op(&s, ETHOSU_SET_DMA_SOURCE_REGION, 1u << 9);
	npu_op(&s, ETHOSU_SET_DMA_SIZE0, 4);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE_STRIDE0, 16);
	npu_long(&s, ETHOSU_SET_DMA_TARGET_STRIDE0, 16);
	EQ(dma(&npu, &s), 0);
	npu_long(&s, ETHOSU_SET_DMA_TARGET_STRIDE0, (uint64_t)-17);
	EQ(dma(&npu, &s), -EINVAL);
	npu_long(&s, ETHOSU_SET_DMA_TARGET_STRIDE0, 16);
	npu_op(&s, ETHOSU_SET_DMA_SOURCE_REGION, 2u << 9);
	npu_op(&s, ETHOSU_SET_DMA_SIZE1, 2);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE_STRIDE1, 64);
	npu_long(&s, ETHOSU_SET_DMA_TARGET_STRIDE1, 64);
	EQ(dma(&npu, &s), 0);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE_STRIDE1, (uint64_t)-1000);
	EQ(dma(&npu, &s), -EINVAL);
}

/* SUBMIT's sum of what a copy touches. */
TEST(dma_ends_in_the_buffer)
{
	static const struct {
		uint64_t source, target, length;
		int ret;
	} cases[] = {
		{ 0, 0, NPU_SIZE, 0 },
		{ 1, 0, NPU_SIZE, -EOVERFLOW },
		{ 0, 1, NPU_SIZE, -EOVERFLOW },
		{ 0, 0, NPU_SIZE + 1, -EOVERFLOW },
		{ NPU_SIZE - 1, 0, 1, 0 },
		{ NPU_SIZE, 0, 1, -EOVERFLOW },
		{ 0xffffffffff, 0, 1, -EOVERFLOW },
		{ 0, 0, 0xffffffffff, -EOVERFLOW },
	};
	struct npu npu;

	npu_init(&npu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct npu_script s = EMPTY;
		struct ethosu_submit_job job = npu_job(&npu, 0);

		npu_copy_settings(&s, cases[i].length);
		npu_long(&s, ETHOSU_SET_DMA_SOURCE, cases[i].source);
		npu_long(&s, ETHOSU_SET_DMA_TARGET, cases[i].target);
		npu_op(&s, ETHOSU_OP_DMA_START, 0);
		npu_op(&s, ETHOSU_OP_STOP, 0);
		EQ(npu_stream(&npu, &s, &job.stream), 0);
		EQ(npu_submit(&npu, &job), cases[i].ret);
	}
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
}

/*
 * A stream that names no region for its source: the NPU takes what the job before has set, of
 * another client, and the base address of that client's buffer.
 */
TEST(dma_needs_regions)
{
	struct npu_script s = EMPTY;
	struct ethosu_submit_job job;
	struct npu npu, other;
	bool got;
	int ret;

	npu_init(&npu);
	npu_init_beside(&other);
	memset(other.in_map, 0x33, NPU_SIZE);
	npu_op(&s, ETHOSU_SET_DMA_TARGET_REGION, 1);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE, 0);
	npu_long(&s, ETHOSU_SET_DMA_TARGET, 0);
	npu_long(&s, ETHOSU_SET_DMA_LENGTH, NPU_SIZE);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	job = npu_job(&npu, 0);
	job.regions[0] = 0;
	ret = npu_stream(&npu, &s, &job.stream);
	CHECK(ret == 0 || ret == -EINVAL);
	if (ret)
		return npu_defect(false, "stream-unset", "");
	write_file(npu_file(&npu, "power/control"), "on");
	npu_expect_copy(&other);
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	got = npu.out_map[NPU_SIZE - 1] == 0x33;
	write_file(npu_file(&npu, "power/control"), "auto");
	npu_defect(got, "stream-unset",
		   "a DMA without a region passes, and reads a buffer of another client");
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* For which NPU the driver refuses a stream without a setting. */
enum refused {
	NEVER,
	U85_ALONE,
	ALWAYS,
};

/**
 * struct setting - a setting of a convolution
 * @code: opcode
 * @value: parameter or payload
 * @refused: a stream without it
 */
struct setting {
	uint32_t code;
	uint32_t value;
	enum refused refused;
};

/* A convolution of 1x1 over 2x2 pixels of 16 channels: input, weights and scales in region 0. */
static const struct setting conv[] = {
	{ ETHOSU_SET_IFM_REGION, 0, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_IFM_BASE0, 0, ALWAYS },
	{ NPU_LONG_WORD | (ETHOSU_SET_IFM_BASE0 + 1), 0, NEVER },
	{ NPU_LONG_WORD | (ETHOSU_SET_IFM_BASE0 + 2), 0, NEVER },
	{ NPU_LONG_WORD | (ETHOSU_SET_IFM_BASE0 + 3), 0, NEVER },
	{ ETHOSU_SET_IFM_WIDTH0, 1, NEVER },
	{ ETHOSU_SET_IFM_HEIGHT0, 1, NEVER },
	{ ETHOSU_SET_IFM_HEIGHT1, 1, NEVER },
	{ ETHOSU_SET_IFM_DEPTH, 15, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_IFM_STRIDE_X, 16, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_IFM_STRIDE_Y, 32, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_IFM_STRIDE_C, 16, NEVER },
	{ ETHOSU_SET_IFM_ZERO_POINT, 0, NEVER },
	{ ETHOSU_SET_IFM_PRECISION, 1, U85_ALONE },
	{ ETHOSU_SET_IFM_UPSCALE, 0, NEVER },
	{ ETHOSU_SET_KERNEL_WIDTH, 0, NEVER },
	{ ETHOSU_SET_KERNEL_HEIGHT, 0, NEVER },
	{ ETHOSU_SET_KERNEL_STRIDE, 0, ALWAYS },
	{ ETHOSU_SET_WEIGHT_REGION, 0, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_WEIGHT_BASE, 0, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_WEIGHT_LENGTH, 64, ALWAYS },
	{ ETHOSU_SET_SCALE_REGION, 0, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_SCALE_BASE, 64, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_SCALE_LENGTH, 160, ALWAYS },
	{ ETHOSU_SET_OFM_REGION, 1, ALWAYS },
	{ NPU_LONG_WORD | ETHOSU_SET_OFM_BASE0, 0, ALWAYS },
	{ NPU_LONG_WORD | (ETHOSU_SET_OFM_BASE0 + 1), 0, NEVER },
	{ NPU_LONG_WORD | (ETHOSU_SET_OFM_BASE0 + 2), 0, NEVER },
	{ NPU_LONG_WORD | (ETHOSU_SET_OFM_BASE0 + 3), 0, NEVER },
	{ ETHOSU_SET_OFM_WIDTH, 1, NEVER },
	{ ETHOSU_SET_OFM_HEIGHT, 1, NEVER },
	{ ETHOSU_SET_OFM_DEPTH, 15, NEVER },
	{ ETHOSU_SET_OFM_WIDTH0, 1, NEVER },
	{ ETHOSU_SET_OFM_HEIGHT0, 1, NEVER },
	{ ETHOSU_SET_OFM_HEIGHT1, 1, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_OFM_STRIDE_X, 16, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_OFM_STRIDE_Y, 32, NEVER },
	{ NPU_LONG_WORD | ETHOSU_SET_OFM_STRIDE_C, 16, NEVER },
	{ ETHOSU_SET_OFM_ZERO_POINT, 0, NEVER },
	{ ETHOSU_SET_OFM_PRECISION, 1, U85_ALONE },
};

#define SETTINGS (sizeof(conv) / sizeof(conv[0]))

static const uint16_t pads[4] = { ETHOSU_SET_IFM_PAD_TOP, ETHOSU_SET_IFM_PAD_LEFT,
				  ETHOSU_SET_IFM_PAD_RIGHT, ETHOSU_SET_IFM_PAD_BOTTOM };

static void set(struct npu_script *s, uint32_t code, uint32_t value)
{
	if (code & NPU_LONG_WORD)
		npu_long(s, code & ~NPU_LONG_WORD, value);
	else
		npu_op(s, code, value);
}

/* All settings but one; @missing SETTINGS for all. */
static struct npu_script settings(size_t missing)
{
	struct npu_script s = EMPTY;

	for (size_t i = 0; i < 4; i++)
		npu_op(&s, pads[i], 0);
	npu_op(&s, ETHOSU_SET_IFM_BROADCAST, 0);
	for (size_t i = 0; i < SETTINGS; i++)
		if (i != missing)
			set(&s, conv[i].code, conv[i].value);
	return s;
}

/* What CMDSTREAM_BO_CREATE says of settings and an operation. */
static int finish(const struct npu *npu, struct npu_script *s, uint32_t code, uint32_t mode,
		  uint32_t *stream)
{
	npu_op(s, code, mode);
	npu_op(s, ETHOSU_OP_STOP, 0);
	return npu_stream(npu, s, stream);
}

TEST(convolution_needs_its_settings)
{
	struct npu npu;
	uint32_t stream;

	npu_init(&npu);
	for (size_t i = 0; i <= SETTINGS; i++)
		for (uint32_t code = ETHOSU_OP_CONV; code <= ETHOSU_OP_DEPTHWISE; code++) {
			struct npu_script s = settings(i);
			bool refused = i < SETTINGS &&
				       conv[i].refused >= (npu.u65 ? ALWAYS : U85_ALONE);
			int ret = finish(&npu, &s, code, 0, &stream);

			if (ret != (refused ? -EINVAL : 0))
				FAIL("operation %u without setting 0x%x: %d", code, conv[i].code,
				     ret);
		}
}

/* With the scale of the OFM there are no records of channels. */
TEST(scales_are_not_always_needed)
{
	struct npu npu;
	uint32_t stream;

	npu_init(&npu);
	for (size_t i = 0; i < SETTINGS; i++) {
		struct npu_script s = settings(i);

		if (conv[i].code != ETHOSU_SET_SCALE_REGION)
			continue;
		npu_op(&s, ETHOSU_SET_OFM_PRECISION, 0x101);
		EQ(finish(&npu, &s, ETHOSU_OP_CONV, 0, &stream), 0);
		s = settings(i);
		EQ(finish(&npu, &s, ETHOSU_OP_POOL, 0, &stream), -EINVAL);
		s = settings(i);
		npu_op(&s, ETHOSU_SET_OFM_PRECISION, 0x101);
		EQ(finish(&npu, &s, ETHOSU_OP_POOL, 0, &stream), 0);
	}
}

/* The second input of a product of matrices and of an elementwise operation. */
TEST(second_input_needs_its_settings)
{
	struct npu npu;
	struct npu_script s;
	uint32_t stream;

	npu_init(&npu);
	s = settings(SETTINGS);
	EQ(finish(&npu, &s, ETHOSU_OP_CONV, 1, &stream), -EINVAL);
	s = settings(SETTINGS);
	npu_op(&s, ETHOSU_SET_IFM2_BROADCAST, 0);
	EQ(finish(&npu, &s, ETHOSU_OP_ELEMENTWISE, 1, &stream), -EINVAL);
	/* One without, and one with a scalar. */
	s = settings(SETTINGS);
	npu_op(&s, ETHOSU_SET_IFM2_BROADCAST, 0);
	EQ(finish(&npu, &s, ETHOSU_OP_ELEMENTWISE, 6, &stream), 0);
	s = settings(SETTINGS);
	npu_op(&s, ETHOSU_SET_IFM2_BROADCAST, npu.u65 ? 0x80 : 8);
	EQ(finish(&npu, &s, ETHOSU_OP_ELEMENTWISE, 1, &stream), 0);
}

/* A U65 has none. */
TEST(resize)
{
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	uint32_t stream;
	int ret;

	npu_init(&npu);
	ret = finish(&npu, &s, ETHOSU_OP_RESIZE, 0, &stream);
	if (npu.u65)
		EQ(ret, -EINVAL);
	else
		npu_defect(ret == -EINVAL, NULL, "RESIZE is refused");
}

/* A scalar has no place, so it is neither an input nor an output. U85. */
TEST(storage)
{
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	uint32_t stream;

	npu_init(&npu);
	if (npu.u65)
		SKIP("a U65 has tiles only");
	npu_op(&s, ETHOSU_SET_IFM_PRECISION, 3u << 14 | 1);
	EQ(finish(&npu, &s, ETHOSU_OP_CONV, 0, &stream), -EINVAL);
	s = settings(SETTINGS);
	npu_op(&s, ETHOSU_SET_OFM_PRECISION, 3u << 14 | 1);
	EQ(finish(&npu, &s, ETHOSU_OP_CONV, 0, &stream), -EINVAL);
	/* A chain buffer needs no memory. */
	s = settings(SETTINGS);
	npu_op(&s, ETHOSU_SET_OFM_PRECISION, 2u << 14 | 1);
	EQ(finish(&npu, &s, ETHOSU_OP_CONV, 0, &stream), 0);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* What SUBMIT says of a job with a page of input and a page of output. */
static int submit_pages(const struct npu *npu, struct npu_script *s, uint32_t code, uint32_t mode)
{
	struct ethosu_submit_job job = { .regions = { npu_bo(npu, PAGE), npu_bo(npu, PAGE) } };
	int ret = finish(npu, s, code, mode, &job.stream);

	return ret ? ret : npu_submit(npu, &job);
}

static int submit_with(const struct npu *npu, uint32_t code, uint32_t setting, uint32_t value)
{
	struct npu_script s = settings(SETTINGS);

	set(&s, setting, value);
	return submit_pages(npu, &s, code, 0);
}

/* Each address and length counts. The last byte of the map is 63 bytes after its base. */
TEST(kernel_ends_in_its_buffers)
{
	static const struct {
		uint32_t setting, least;
	} cases[] = {
		{ ETHOSU_SET_IFM_BASE0 | NPU_LONG_WORD, PAGE - 63 },
		{ ETHOSU_SET_IFM_STRIDE_Y | NPU_LONG_WORD, PAGE - 31 },
		{ ETHOSU_SET_IFM_STRIDE_X | NPU_LONG_WORD, PAGE - 47 },
		{ ETHOSU_SET_IFM_DEPTH, PAGE - 48 },
		{ ETHOSU_SET_WEIGHT_BASE | NPU_LONG_WORD, PAGE - 63 },
		{ ETHOSU_SET_WEIGHT_LENGTH | NPU_LONG_WORD, PAGE + 1 },
		{ ETHOSU_SET_SCALE_BASE | NPU_LONG_WORD, PAGE - 159 },
		{ ETHOSU_SET_SCALE_LENGTH | NPU_LONG_WORD, PAGE - 63 },
		{ ETHOSU_SET_OFM_BASE0 | NPU_LONG_WORD, PAGE - 63 },
		{ ETHOSU_SET_OFM_STRIDE_Y | NPU_LONG_WORD, PAGE - 31 },
		{ ETHOSU_SET_OFM_DEPTH, PAGE - 48 },
	};
	struct npu npu;

	npu_init(&npu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int at = submit_with(&npu, ETHOSU_OP_CONV, cases[i].setting, cases[i].least);
		int before = submit_with(&npu, ETHOSU_OP_CONV, cases[i].setting,
					 cases[i].least - 1);

		if (at != -EOVERFLOW || before)
			FAIL("setting 0x%x: %d at %u, %d before it", cases[i].setting, at,
			     cases[i].least, before);
	}
}

/* Rows that no padding hides, because none was set. */
TEST(padding_must_be_set)
{
	struct npu npu;
	int ret;

	npu_init(&npu);
	for (int set_pads = 1; set_pads >= 0; set_pads--) {
		struct npu_script s = EMPTY, all = settings(SETTINGS);

		/* The settings begin with the padding, a word each. */
		for (uint32_t i = set_pads ? 0 : 4; i < all.count; i++)
			s.words[s.count++] = all.words[i];
		npu_op(&s, ETHOSU_SET_OFM_HEIGHT, 511);
		npu_op(&s, ETHOSU_SET_OFM_HEIGHT0, 511);
		npu_op(&s, ETHOSU_SET_IFM_HEIGHT0, 511);
		npu_op(&s, ETHOSU_SET_OFM_WIDTH, 511);
		npu_op(&s, ETHOSU_SET_OFM_WIDTH0, 511);
		npu_op(&s, ETHOSU_SET_IFM_WIDTH0, 511);
		npu_long(&s, ETHOSU_SET_OFM_STRIDE_Y, 0);
		npu_long(&s, ETHOSU_SET_OFM_STRIDE_X, 0);
		ret = submit_pages(&npu, &s, ETHOSU_OP_CONV, 0);
		if (set_pads)
			EQ(ret, -EOVERFLOW);
	}
	CHECK(ret == 0 || ret == -EINVAL || ret == -EOVERFLOW);
	npu_defect(ret == 0, "stream-unset",
		   "padding that was not set counts as 255, which hides 510 rows and columns");
}

/* Two columns in two tiles: the driver looks at the last one. */
TEST(each_tile_counts)
{
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	int ret;

	npu_init(&npu);
	npu_op(&s, ETHOSU_SET_OFM_WIDTH0, 0);
	npu_long(&s, ETHOSU_SET_OFM_BASE0, 0x12345000);
	ret = submit_pages(&npu, &s, ETHOSU_OP_CONV, 0);
	CHECK(ret == 0 || ret == -EOVERFLOW);
	npu_defect(ret == 0, "stream-tiles",
		   "the bases of all tiles but that of the last element are not bounded");
}

/* A map that is written from its last row to its first, as Vela does where it mirrors. */
TEST(negative_stride)
{
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	int ret;

	npu_init(&npu);
	npu_long(&s, ETHOSU_SET_OFM_BASE0, 32);
	npu_long(&s, ETHOSU_SET_OFM_STRIDE_Y, (1ull << 40) - 32);
	ret = submit_pages(&npu, &s, ETHOSU_OP_CONV, 0);
	CHECK(ret == 0 || ret == -EOVERFLOW);
	npu_defect(ret == -EOVERFLOW, NULL, "a negative stride of a map counts as 2^40 more");
}

/* The last element has 4 bytes, of which the driver counts one. */
TEST(last_element_counts)
{
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	int ret;

	npu_init(&npu);
	npu_op(&s, ETHOSU_SET_OFM_PRECISION, 2u << 1 | 1);
	npu_op(&s, ETHOSU_SET_OFM_DEPTH, 0);
	npu_op(&s, ETHOSU_SET_OFM_WIDTH, 0);
	npu_op(&s, ETHOSU_SET_OFM_HEIGHT, 0);
	npu_long(&s, ETHOSU_SET_OFM_BASE0, PAGE - 1);
	ret = submit_pages(&npu, &s, ETHOSU_OP_CONV, 0);
	CHECK(ret == 0 || ret == -EOVERFLOW);
	npu_defect(ret == 0, "stream-tiles", "of the last element one byte is bounded");
}

/* The first input of an elementwise operation. A U65 has no setting that the driver asks for. */
TEST(elementwise_input_counts)
{
	struct npu npu;
	struct npu_script s = EMPTY, all;
	int ret;

	npu_init(&npu);
	all = settings(SETTINGS);
	for (uint32_t i = 0; i < all.count; i++)
		if ((all.words[i] & 0xffff) != ETHOSU_SET_IFM_BROADCAST || i > 4)
			s.words[s.count++] = all.words[i];
	npu_op(&s, ETHOSU_SET_IFM2_BROADCAST, npu.u65 ? 0x80 : 8);
	npu_long(&s, ETHOSU_SET_IFM_STRIDE_Y, 2 * PAGE);
	ret = submit_pages(&npu, &s, ETHOSU_OP_ELEMENTWISE, 1);
	CHECK(ret == 0 || ret == -EOVERFLOW || ret == -EINVAL);
	npu_defect(ret == 0, "stream-unset",
		   "IFM_BROADCAST that was not set counts as broadcast: the input is not bounded");
}

/* Streams of further cores and decoders. */
TEST(each_weight_stream_counts)
{
	static const uint32_t codes[] = { ETHOSU_SET_WEIGHT1_BASE, ETHOSU_SET_WEIGHT2_BASE,
					  ETHOSU_SET_WEIGHT3_BASE };
	struct npu npu;
	struct npu_script s = settings(SETTINGS);
	int ret;

	npu_init(&npu);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		npu_long(&s, codes[i], 0x12345000);
		npu_long(&s, codes[i] + 1, 64);
	}
	ret = submit_pages(&npu, &s, ETHOSU_OP_CONV, 0);
	CHECK(ret == 0 || ret == -EOVERFLOW);
	npu_defect(ret == 0, NULL,
		   "weights and scales of other cores and decoders are not bounded");
}

/* ---- commands that the driver does not know -------------------------------------------------- */

/* A payload is not looked at, and a branch of the U85 goes there. A U65 has none. */
TEST(branch)
{
	struct npu npu;
	struct npu_script s = EMPTY;
	int ret;

	npu_init(&npu);
	npu_long(&s, ETHOSU_OP_BRANCH, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	ret = create_script(&npu, &s);
	npu_defect(ret == 0, "stream-commands",
		   "a BRANCH passes, and its target may be a payload that holds any command");
}

/* Bits that no field has. The driver compares all 16 bits of a command, the NPU may take 10. */
TEST(bits_of_no_field)
{
	struct npu npu;
	struct npu_script s = EMPTY;
	int ret;

	npu_init(&npu);
	npu_copy_settings(&s, 1ull << 39);
	npu_op(&s, ETHOSU_OP_DMA_START | 1u << 10, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	ret = create_script(&npu, &s);
	npu_defect(ret == 0, "stream-commands",
		   "a command with bits 13:10 or 15 passes, whatever it is without them");
}
