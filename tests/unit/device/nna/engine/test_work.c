// SPDX-License-Identifier: MIT
/*
 * No tile without a bound: what one tile of each command does at its largest shapes, with strides
 * of 0 where a guest may have them, counted in blocks of machine code, not in time. The engine is
 * compiled with calls to __sanitizer_cov_trace_pc() for this (tests/unit.mk); copies of memory,
 * which it leaves to the C library, count by their length. A tile above the bound is left by a
 * jump, so that this test ends.
 *
 * The command processor answers ABORT, RESET and higher rings between tiles, so the bound is what
 * they wait for at most.
 */
#include <sys/mman.h>

#include "tests/unit/device/nna/engine/engine.h"

/*
 * Some 2 blocks take a nanosecond where they are scalar work that hits the caches, and memory that
 * misses them counts no more: 1 ms on a machine of today.
 */
#define BOUND 2000000u
#define COPIED_PER_BLOCK 32u /* bytes */

#define ARENA (16ull << 30) /* of zeros, of which only what is written takes memory */
#define ROUNDS 2u /* that are looked at of each phase: these, and the last one */
#define TILES 2u /* likewise of a round */

void __sanitizer_cov_trace_pc(void);
void *__real_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int byte, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);

static uint64_t work;
static bool counting;
static jmp_buf too_much;

static void count(uint64_t blocks)
{
	if (!counting)
		return;
	work += blocks;
	if (work > BOUND) {
		counting = false;
		longjmp(too_much, 1);
	}
}

void __sanitizer_cov_trace_pc(void)
{
	count(1);
}

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
	count(size / COPIED_PER_BLOCK);
	return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
	count(size / COPIED_PER_BLOCK);
	return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int byte, size_t size)
{
	count(size / COPIED_PER_BLOCK);
	return __real_memset(to, byte, size);
}

static uint8_t *arena; /* of all operands: they overlap, as a guest's may */
static struct call c;
static bool shown; /* print what every case takes */
static enum nnadev_engine_isa least; /* instruction set to look at */

static void *arena_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

/* Begins a command of an opcode. Return: its parameters and all. */
static void *begin(uint32_t opcode, uint32_t size, uint32_t operands)
{
	call_init(&c, opcode, size, operands);
	return c.raw;
}

/*
 * Gives operand i a type and dims; strides are row-major, or 0 where still is set: then every
 * element is the same byte, and a guest needs no memory for any size.
 */
static struct nnadev_engine_operand *operand(uint32_t i, uint32_t type, uint32_t rank,
					     const uint32_t *dims, bool still)
{
	struct nnadev_engine_operand *o = &c.cmd.operands[i];
	uint64_t all = 1;

	memset(o, 0, sizeof(*o));
	o->desc.type = (uint8_t)type;
	o->desc.rank = (uint8_t)rank;
	for (uint32_t k = rank; k-- > 0; all *= dims[k]) {
		o->desc.dims[k] = dims[k];
		o->desc.strides[k] = still ? 0 : (int32_t)all;
	}
	assert_true(all <= INT32_MAX);
	o->count = (uint32_t)all;
	o->contiguous = !still;
	o->data = arena + (8ull << 30);
	return o;
}

#define DIMS(...) (const uint32_t[]){ __VA_ARGS__ }

/* What a tile takes; above BOUND when it takes more. */
static uint64_t tile_work(const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	uint32_t status;

	work = 0;
	if (setjmp(too_much))
		return work;
	counting = true;
	status = plan->run(&c.cmd, plan, phase, tile, scratch, shared);
	counting = false;
	assert_true(status == NNAHW_STATUS_OK || status == NNAHW_STATUS_OUTPUT_SIZE);
	return work;
}

static uint32_t pick(uint64_t n, uint32_t i, uint32_t most, uint64_t *at)
{
	if (n <= most + 1) {
		*at = i;
		return i < n;
	}
	*at = i < most ? i : n - 1;
	return i <= most;
}

/* Plans the command that has been made. Return: whether that itself was within the bound. */
static bool plan_work(const char *what, enum nnadev_engine_isa isa, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	uint32_t status;

	work = 0;
	if (setjmp(too_much))
		return false;
	counting = true;
	status = nnadev_engine_prepare(isa, threads, &c.cmd, plan);
	counting = false;
	if (status != NNAHW_STATUS_OK)
		fail_msg("%s: status %u", what, status);
	return true;
}

/* The most that tiles of a phase take, of which some are run. */
static uint64_t phase_work(struct nnadev_engine_plan *plan, uint32_t phase, void *scratch,
			   void *shared)
{
	const uint64_t rounds = plan->counted >> phase & 1 ? UINT32_MAX :
				plan->rounds[phase]	   ? plan->rounds[phase] :
							     1;
	uint64_t most = 0, round, tile;

	for (uint32_t i = 0; pick(rounds, i, ROUNDS, &round); i++) {
		plan->round = round;
		for (uint32_t k = 0; pick(plan->phase_tiles[phase], k, TILES, &tile); k++) {
			const uint64_t w = tile_work(plan, phase, (uint32_t)tile, scratch, shared);

			most = w > most ? w : most;
		}
	}
	return most;
}

/* Looks at the command that has been made, as a set of kernels cuts it. Return: 1 if above. */
static uint32_t measure_one(const char *what, enum nnadev_engine_isa isa, uint32_t threads)
{
	struct nnadev_engine_plan plan;
	void *scratch, *shared;
	uint32_t failed = 0;

	if (!plan_work(what, isa, threads, &plan)) {
		print_message("ABOVE %s, isa %u: the plan itself\n", what, isa);
		return 1;
	}
	scratch = arena_new(plan.scratch_size + 64u);
	shared = arena_new(plan.shared_size + 64u);
	for (uint32_t phase = 0; phase < plan.phases; phase++) {
		const uint64_t most = phase_work(&plan, phase, scratch, shared);

		if (most > BOUND || shown)
			print_message("%s %s, isa %u, %u threads, phase %u: %llu\n",
				      most > BOUND ? "ABOVE" : "     ", what, isa, threads, phase,
				      (unsigned long long)most);
		failed |= most > BOUND;
	}
	munmap(scratch, plan.scratch_size + 64u);
	munmap(shared, plan.shared_size + 64u);
	return failed;
}

/* Looks at the command that has been made, as all kernels cut it. Return: how many go too far. */
static uint32_t measure(const char *what)
{
	uint32_t failed = 0;

	call_finish(&c);
	for_each_isa(isa, least) {
		failed += measure_one(what, isa, 1);
		if (isa > NNADEV_ENGINE_SCALAR)
			failed += measure_one(what, isa, 64);
	}
	return failed;
}

static const uint32_t float_and_byte[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8 };
static const char *const type_names[] = { "f32", "f16", "u8" };

/* The channels' constants: those of the vector code or, where slow, those that it leaves alone. */
static void channels(uint32_t i, uint32_t n, bool slow)
{
	struct nnadev_engine_operand *o = operand(i, NNAHW_TYPE_S32, 2, DIMS(n, 4), false);
	struct nnahw_channel *all = (struct nnahw_channel *)(arena + (1ull << 30));

	o->data = all;
	for (uint32_t k = 0; k < n; k++)
		all[k] = (struct nnahw_channel){ .multiplier = 1 << 30, .shift = slow ? 5 : 40 };
}

static void epilogue(struct nnahw_epilogue *e, bool quantised)
{
	e->clamp_min = -INFINITY;
	e->clamp_max = INFINITY;
	if (quantised)
		e->q_max = 255;
}

static void test_conv(void **state)
{
	/* Kernel height and width, input and output channels, rows and columns of output. */
	static const struct {
		uint32_t kh, kw, in, out, h, w;
	} shapes[] = {
		{ 1, 1, 1 << 20, 64, 4, 4 },   { 1024, 1024, 1, 64, 3, 3 },
		{ 1, 1, 1, 4096, 256, 256 },   { 1, 1 << 20, 1, 16, 2, 2 },
		{ 1 << 20, 1, 1, 16, 2, 2 },   { 3, 3, 7282, 48, 40, 40 },
		{ 1, 1, 16, 16, 2048, 2048 },  { 17, 17, 3, 1, 2048, 2048 },
		{ 1, 1, 65536, 256, 64, 64 },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) * 24; i++) {
		const uint32_t s = i / 24, kh = shapes[s].kh, kw = shapes[s].kw, h = shapes[s].h,
			       w = shapes[s].w, k = kh * kw * shapes[s].in, kind = i % 3,
			       type = float_and_byte[kind], out = shapes[s].out;
		const bool packed = i / 3 & 1, slow = i / 6 & 1, still = i / 12 & 1,
			   quantised = kind == 2;
		struct nnahw_cmd_conv *p = begin(NNAHW_OP_CONV, sizeof(*p), 6);
		const uint32_t in[4] = { 1, h + kh - 1, w + kw - 1, shapes[s].in };

		if (slow && !quantised)
			continue;
		if ((uint64_t)in[1] * in[2] * in[3] > INT32_MAX)
			continue;
		operand(NNAHW_CONV_OUTPUT, type, 4, DIMS(1, h, w, out), false)->data = arena;
		operand(NNAHW_CONV_INPUT, type, 4, in, false)->desc.strides[0] = 0;
		if (still)
			for (uint32_t d = 0; d < 3; d++)
				c.cmd.operands[NNAHW_CONV_INPUT].desc.strides[d] = 0;
		if (!packed)
			operand(NNAHW_CONV_WEIGHTS, quantised ? NNAHW_TYPE_S8 : type, 4,
				DIMS(out, kh, kw, shapes[s].in), still);
		else if (quantised)
			operand(NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
				DIMS((out + 15) / 16, (k + 3) / 4, 16, 4), false);
		else
			operand(NNAHW_CONV_WEIGHTS, type, 3, DIMS((out + 15) / 16, k, 16), false);
		p->layout = !packed ? NNAHW_LAYOUT_PLAIN
			    : quantised ? NNAHW_LAYOUT_PACKED8 : NNAHW_LAYOUT_PACKED_FLOAT;
		p->groups = 1;
		p->kernel_h = kh;
		p->kernel_w = kw;
		p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
		epilogue(&p->epilogue, quantised);
		if (quantised)
			channels(NNAHW_CONV_CHANNELS, out, slow);
		snprintf(what, sizeof(what), "CONV %s %ux%ux%u to %ux%ux%u%s%s%s", type_names[kind],
			 kh, kw, shapes[s].in, h, w, out, packed ? " packed" : "",
			 slow ? " slow" : "", still ? " still" : "");
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_dwconv(void **state)
{
	/* Kernel, stride, dilation, channels, multiplier, rows and columns of output. */
	static const struct {
		uint32_t kh, kw, stride, dilation, c, multiplier, h, w;
	} shapes[] = {
		{ 1024, 1024, 1, 1, 16, 1, 3, 3 },  { 1 << 20, 1, 1, 1, 16, 1, 2, 2 },
		{ 1, 1 << 20, 1, 1, 16, 1, 2, 2 },  { 3, 3, 1, 1, 16, 1, 64, 65536 },
		{ 3, 3, 100, 1, 64, 1, 10, 10000 }, { 3, 3, 1, 200000, 3, 5, 2, 2 },
		{ 1, 1, 1, 1, 65536, 1, 64, 64 },   { 255, 255, 1, 1, 32, 1, 64, 64 },
		{ 1, 1, 1, 1, 1, 48, 64, 500000 },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) * 12; i++) {
		const uint32_t s = i / 12, kh = shapes[s].kh, kw = shapes[s].kw, h = shapes[s].h,
			       w = shapes[s].w, kind = i % 3, type = float_and_byte[kind],
			       out = shapes[s].c * shapes[s].multiplier, k = kh * kw;
		const bool packed = i / 3 & 1, slow = i / 6 & 1, quantised = kind == 2;
		struct nnahw_cmd_dwconv *p = begin(NNAHW_OP_DWCONV, sizeof(*p), 6);

		if (slow && !quantised)
			continue;
		operand(NNAHW_CONV_OUTPUT, type, 4, DIMS(1, h, w, out), false)->data = arena;
		/* Rows and columns have strides of 0: no input is too large. */
		operand(NNAHW_CONV_INPUT, type, 4, DIMS(1, 1, 1, shapes[s].c), false);
		c.cmd.operands[NNAHW_CONV_INPUT].desc.dims[1] =
			(h - 1) * shapes[s].stride + (kh - 1) * shapes[s].dilation + 1;
		c.cmd.operands[NNAHW_CONV_INPUT].desc.dims[2] =
			(w - 1) * shapes[s].stride + (kw - 1) * shapes[s].dilation + 1;
		c.cmd.operands[NNAHW_CONV_INPUT].desc.strides[1] = 0;
		c.cmd.operands[NNAHW_CONV_INPUT].desc.strides[2] = 0;
		if (packed)
			operand(NNAHW_CONV_WEIGHTS, quantised ? NNAHW_TYPE_S8 : type, 3,
				DIMS((out + 15) / 16, k, 16), false);
		else
			operand(NNAHW_CONV_WEIGHTS, quantised ? NNAHW_TYPE_S8 : type, 4,
				DIMS(1, kh, kw, out), true);
		p->layout = !packed ? NNAHW_LAYOUT_PLAIN
			    : quantised ? NNAHW_LAYOUT_PACKED8 : NNAHW_LAYOUT_PACKED_FLOAT;
		p->multiplier = shapes[s].multiplier;
		p->kernel_h = kh;
		p->kernel_w = kw;
		p->stride_h = p->stride_w = shapes[s].stride;
		p->dilation_h = p->dilation_w = shapes[s].dilation;
		epilogue(&p->epilogue, quantised);
		if (quantised)
			channels(NNAHW_CONV_CHANNELS, out, slow);
		snprintf(what, sizeof(what), "DWCONV %s %ux%u/%u*%u to %ux%ux%u%s%s",
			 type_names[kind], kh, kw, shapes[s].stride, shapes[s].dilation, h, w, out,
			 packed ? " packed" : "", slow ? " slow" : "");
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_matmul(void **state)
{
	static const struct {
		uint32_t batch, rows, k, n;
	} shapes[] = {
		{ 1, 1, 1 << 20, 1 },	   { 1, 64, 1 << 20, 64 }, { 1, 4096, 1, 4096 },
		{ 1, 2048, 65536, 2048 },  { 1, 1, 4096, 65536 },  { 65536, 1, 1, 1 },
		{ 1, 1, 1 << 20, 1 << 10 },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) * 12; i++) {
		const uint32_t s = i / 12, kind = i % 3, type = float_and_byte[kind],
			       k = shapes[s].k, n = shapes[s].n;
		const bool still = i / 3 & 1, slow = i / 6 & 1, quantised = kind == 2;
		struct nnahw_cmd_matmul *p = begin(NNAHW_OP_MATMUL, sizeof(*p), 6);

		if (slow && !quantised)
			continue;
		operand(NNAHW_MATMUL_OUTPUT, type, 3, DIMS(shapes[s].batch, shapes[s].rows, n),
			false)
			->data = arena;
		operand(NNAHW_MATMUL_A, type, 3, DIMS(shapes[s].batch, shapes[s].rows, k), false);
		operand(NNAHW_MATMUL_B, type, 3, DIMS(shapes[s].batch, k, n), still);
		epilogue(&p->epilogue, quantised);
		if (quantised)
			channels(NNAHW_MATMUL_CHANNELS, n, slow);
		snprintf(what, sizeof(what), "MATMUL %s %u of %ux%ux%u%s%s", type_names[kind],
			 shapes[s].batch, shapes[s].rows, k, n, slow ? " slow" : "",
			 still ? " still" : "");
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_pool(void **state)
{
	static const struct {
		uint32_t kh, kw, h, w, c;
	} shapes[] = {
		{ 1024, 1024, 2, 2, 64 }, { 1 << 20, 1, 1, 1, 16 },  { 1, 1 << 20, 1, 1, 1 },
		{ 1, 1, 256, 256, 1 },	  { 128, 128, 64, 64, 500 }, { 1, 1, 256, 256, 256 },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) * 18; i++) {
		const uint32_t s = i / 18, type = i % 3, pool = i / 3 % 3,
			       ch = shapes[s].c;
		const bool still = i / 9 & 1;
		struct nnahw_cmd_pool *p = begin(NNAHW_OP_POOL, sizeof(*p), 2);

		if (type == 2 && pool == NNAHW_POOL_L2)
			continue;
		operand(0, float_and_byte[type], 4, DIMS(1, shapes[s].h, shapes[s].w, ch), false)
			->data = arena;
		operand(1, float_and_byte[type], 4,
			DIMS(1, shapes[s].h + shapes[s].kh - 1, shapes[s].w + shapes[s].kw - 1, ch),
			false);
		if (still)
			c.cmd.operands[1].desc.strides[3] = 0;
		p->kind = (uint8_t)pool;
		p->kernel_h = shapes[s].kh;
		p->kernel_w = shapes[s].kw;
		p->stride_h = p->stride_w = 1;
		p->q_max = 255;
		p->clamp_max = INFINITY;
		snprintf(what, sizeof(what), "POOL %s %u, %ux%u to %ux%ux%u%s", type_names[type],
			 pool, shapes[s].kh, shapes[s].kw, shapes[s].h, shapes[s].w, ch,
			 still ? " still" : "");
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

/* Commands on elements, of rank 8 with rows of one element, which take the most steps. */
static void test_elements(void **state)
{
	static const uint32_t ragged[8] = { 2, 2, 2, 2, 2, 2, 2, 65536 / 4 };
	static const uint32_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					  NNAHW_TYPE_S32 };
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 8; i++) {
		struct nnadev_engine_operand *o;
		bool odd = i & 1;

		begin(NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
		operand(0, types[i / 2], 8, ragged, false)->data = arena;
		o = operand(1, types[i / 2], 8, ragged, false);
		for (uint32_t k = 0; odd && k < 8; k++) /* rows of one element */
			o->desc.strides[k] = k & 1 ? 3 : -1;
		snprintf(what, sizeof(what), "COPY of type %u%s", types[i / 2], odd ? " odd" : "");
		failed += measure(what);
		begin(NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
		operand(0, types[i / 2], 8, DIMS(1024, 64, 4, 1, 2, 1, 2, 1), false)->data = arena;
		for (uint32_t k = 0; k < 8; k++)
			c.cmd.operands[0].desc.strides[k] = odd ? (int32_t)(8 - k) * 2 : 1;
		operand(1, types[i / 2], 8, DIMS(1024, 64, 4, 1, 2, 1, 2, 1), true);
		snprintf(what, sizeof(what), "COPY short of type %u%s", types[i / 2],
			 odd ? " odd" : "");
		failed += measure(what);
		begin(NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1);
		operand(0, types[i / 2], 8, DIMS(1024, 64, 4, 1, 2, 1, 2, 1), false)->data = arena;
		for (uint32_t k = 0; odd && k < 8; k++)
			c.cmd.operands[0].desc.strides[k] = (int32_t)(8 - k) * 2;
		snprintf(what, sizeof(what), "FILL of type %u%s", types[i / 2], odd ? " odd" : "");
		failed += measure(what);
	}
	for (uint32_t i = 0; i < (NNAHW_EWISE_FLOOR_MOD + 1) * 8; i++) {
		struct nnahw_cmd_ewise *p = begin(NNAHW_OP_EWISE, sizeof(*p), 4);
		const uint32_t op = i / 8;
		uint32_t status = NNAHW_STATUS_OK;
		struct nnadev_engine_plan plan;

		p->op = (uint8_t)op;
		p->clamp_min = -INFINITY;
		p->clamp_max = INFINITY;
		p->q_max = 255;
		p->shift = 30;
		for (uint32_t n = 1; n <= 3; n++) {
			static const uint32_t dims[8] = { 64, 2, 2, 2, 2, 2, 2, 64 };

			for (uint32_t k = 0; k <= n; k++) {
				operand(k, types[i / 2 % 4], 8, dims, false)->data = arena;
				for (uint32_t d = 0; i & 1 && d < 8; d++)
					c.cmd.operands[k].desc.strides[d] = k ? 0 : 9 - (int32_t)d;
			}
			call_finish(&c);
			status = nnadev_engine_prepare(NNADEV_ENGINE_SCALAR, 1, &c.cmd, &plan);
			if (status == NNAHW_STATUS_OK)
				break;
		}
		if (status != NNAHW_STATUS_OK)
			continue;
		snprintf(what, sizeof(what), "EWISE %u of type %u%s", op, types[i / 2 % 4],
			 i & 1 ? " odd" : "");
		failed += measure(what);
	}
	/* Quantised bytes, in short rows of which none joins another. */
	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t *dims = i & 1 ? DIMS(64, 2, 2, 2, 2, 2, 32, 2) :
					       DIMS(64, 2, 2, 2, 2, 2, 2, 9);
		struct nnahw_cmd_ewise *p = begin(NNAHW_OP_EWISE, sizeof(*p), 4);

		p->op = i & 2 ? NNAHW_EWISE_MUL : NNAHW_EWISE_ADD;
		p->staged = i >> 2 & 1;
		p->a_scale = p->b_scale = -1;
		p->a_shift = p->b_shift = p->staged && !(i & 2) ? 31 : 0;
		p->multiplier = p->a_shift ? -1 : 0;
		p->q_max = 255;
		p->shift = 31;
		for (uint32_t k = 0; k <= 2; k++) {
			struct nnadev_engine_operand *o =
				operand(k, NNAHW_TYPE_U8, 8, dims, false);

			o->desc.scale = 1;
			for (uint32_t d = 0; d < 8; d++)
				o->desc.strides[d] = d < 7 ? 99 - 7 * (int32_t)d : k < 2;
			o->data = arena;
		}
		snprintf(what, sizeof(what), "EWISE %u of bytes in rows of %u", p->op, dims[7]);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 4; i++) {
		struct nnahw_cmd_gather *p = begin(NNAHW_OP_GATHER, sizeof(*p), 3);

		operand(NNAHW_GATHER_OUTPUT, types[i], 8, DIMS(64, 2, 2, 2, 2, 2, 2, 64), false)
			->data = arena;
		operand(NNAHW_GATHER_INPUT, types[i], 8, DIMS(64, 2, 2, 2, 2, 2, 2, 64), false);
		operand(NNAHW_GATHER_INDICES, NNAHW_TYPE_S32, 1, DIMS(2), true);
		p->axis = 3;
		snprintf(what, sizeof(what), "GATHER of type %u", types[i]);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

/* What is reduced into one element. */
static void test_reductions(void **state)
{
	static const uint32_t lengths[] = { 1, 100, 4096, 5000, 65536, 65537, 1 << 20 };
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 2 * 3 * 7; i++) {
		const uint32_t n = lengths[i / 6], type = float_and_byte[i % 3];
		const bool still = i / 3 & 1;
		struct nnahw_cmd_arg *arg = begin(NNAHW_OP_ARG, sizeof(*arg), 2);
		struct nnahw_cmd_softmax *softmax;
		struct nnahw_cmd_multinomial *multinomial;

		operand(0, NNAHW_TYPE_S32, 2, DIMS(1000, 1), false)->data = arena;
		operand(1, type, 2, DIMS(1000, n), false);
		c.cmd.operands[1].desc.strides[1] = !still;
		arg->axis = 1;
		snprintf(what, sizeof(what), "ARG of %u%s, type %u", n, still ? " still" : "",
			 type);
		failed += measure(what);
		arg = begin(NNAHW_OP_ARG, sizeof(*arg), 2);
		operand(0, NNAHW_TYPE_S32, 3, DIMS(50, 1, 15), false)->data = arena;
		operand(1, type, 3, DIMS(50, n, 15), still);
		c.cmd.operands[1].desc.strides[2] = 1;
		arg->axis = 1;
		snprintf(what, sizeof(what), "ARG of %u of 15 columns%s, type %u", n,
			 still ? " still" : "", type);
		failed += measure(what);
		begin(NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3);
		for (uint32_t k = 1; k <= n; k += n - 1 ? n - 1 : 1) {
			operand(NNAHW_TOPK_VALUES, type, 2, DIMS(500, k), false)->data = arena;
			operand(NNAHW_TOPK_INDICES, NNAHW_TYPE_S32, 2, DIMS(500, k), false)->data =
				arena;
			operand(NNAHW_TOPK_INPUT, type, 2, DIMS(500, n), still);
			snprintf(what, sizeof(what), "TOPK %u of %u%s, type %u", k, n,
				 still ? " still" : "", type);
			failed += measure(what);
		}
		softmax = begin(NNAHW_OP_SOFTMAX, sizeof(*softmax), 2);
		softmax->axis = 1;
		softmax->beta = 1;
		operand(0, type, 2, DIMS(1000, n), false)->data = arena;
		operand(1, type, 2, DIMS(1000, n), still);
		snprintf(what, sizeof(what), "SOFTMAX of %u%s, type %u", n, still ? " still" : "",
			 type);
		failed += measure(what);
		if (i % 3 == 2)
			continue;
		multinomial = begin(NNAHW_OP_MULTINOMIAL, sizeof(*multinomial), 3);
		operand(NNAHW_MULTINOMIAL_OUTPUT, NNAHW_TYPE_S32, 2, DIMS(7, 1000), false)->data =
			arena;
		operand(NNAHW_MULTINOMIAL_INPUT, type, 2, DIMS(7, n), still);
		operand(NNAHW_MULTINOMIAL_SEEDS, NNAHW_TYPE_S32, 1, DIMS(2), false);
		snprintf(what, sizeof(what), "MULTINOMIAL of %u%s, type %u", n,
			 still ? " still" : "", type);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 7; i++) {
		struct nnahw_cmd_norm16 *p = begin(NNAHW_OP_NORM16, sizeof(*p), 4);

		p->shift = 31;
		operand(0, NNAHW_TYPE_S16, 2, DIMS(1000, lengths[i]), false)->data = arena;
		operand(1, NNAHW_TYPE_S16, 2, DIMS(1000, lengths[i]), i & 1);
		operand(2, NNAHW_TYPE_S16, 1, DIMS(lengths[i]), i & 1);
		operand(3, NNAHW_TYPE_S32, 1, DIMS(lengths[i]), i & 1);
		snprintf(what, sizeof(what), "NORM16 of %u", lengths[i]);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 7; i++) {
		const uint32_t n = lengths[i] < 65536 ? lengths[i] : 65536;

		begin(NNAHW_OP_NORM8, sizeof(struct nnahw_cmd_norm8), 2);
		operand(0, NNAHW_TYPE_S8, 2, DIMS(1000, n), false)->data = arena;
		operand(1, NNAHW_TYPE_S8, 2, DIMS(1000, n), i & 1);
		snprintf(what, sizeof(what), "NORM8 of %u", n);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 7 * 5; i++) {
		/* Outputs, and dims of what is reduced. */
		static const uint32_t shapes[][8] = {
			{ 1000, 2, 2, 2, 2, 2, 2, 2 },	  { 1, 16, 16, 2, 2, 2, 2, 64 },
			{ 4, 4096, 4096, 1, 1, 1, 1, 1 }, { 1, 32, 32, 32, 32, 32, 8, 4 },
			{ 100, 65536, 1, 1, 1, 1, 1, 1 },
		};
		struct nnahw_cmd_reduce *p = begin(NNAHW_OP_REDUCE, sizeof(*p), 2);
		const uint32_t kind = i % 7;

		p->kind = (uint8_t)kind;
		p->axes = 0xfe;
		p->q_max = 255;
		operand(0, NNAHW_TYPE_F32, 8, DIMS(shapes[i / 7][0], 1, 1, 1, 1, 1, 1, 1), false)
			->data = arena;
		operand(1, NNAHW_TYPE_F16, 8, shapes[i / 7], true);
		snprintf(what, sizeof(what), "REDUCE %u to %u", kind, shapes[i / 7][0]);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 5 * 6; i++) {
		/* Rows and their length; steps. */
		static const uint32_t shapes[][3] = {
			{ 1 << 17, 1, 1 }, { 1 << 17, 1, 24 }, { 1000, 1024, 24 },
			{ 1000, 4096, 1 }, { 1000, 4096, 6 },
		};
		static const uint8_t ops[] = { NNAHW_EWISE_MUL_ADD, NNAHW_EWISE_POW,
					       NNAHW_EWISE_TANH };
		const uint32_t *shape = shapes[i % 5], op = ops[i / 5 % 3], half = i >= 15;
		struct nnahw_cmd_rows *p = begin(NNAHW_OP_ROWS, sizeof(*p), 9);

		p->count = (uint8_t)shape[2];
		p->length = shape[1];
		for (uint32_t k = 0; k < p->count; k++) {
			p->op[k] = (uint8_t)op;
			p->x[k] = NNAHW_ROWS_INPUT;
			p->y[k] = op == NNAHW_EWISE_TANH ? 0 : NNAHW_ROWS_INPUT + 1;
			p->z[k] = op == NNAHW_EWISE_MUL_ADD ? NNAHW_ROWS_INPUT + 2 : 0;
		}
		for (uint32_t k = 0; k < 9; k++)
			operand(k, half ? NNAHW_TYPE_BOOL8 : NNAHW_TYPE_F32, 2, shape, k > 2)
				->data = arena;
		snprintf(what, sizeof(what), "ROWS %u, %u of %u, %u steps", op, shape[0], shape[1],
			 shape[2]);
		failed += measure(what);
	}
	for (uint32_t i = 0; i < 4 * 3; i++) {
		/* Rows that become one, and how long they are. */
		static const uint32_t shapes[][3] = {
			{ 1, 4096, 1 << 18 }, { 4096, 64, 8 }, { 1 << 18, 1, 64 }, { 9, 4097, 100 },
		};
		const uint32_t *shape = shapes[i / 3], type = float_and_byte[i % 3];
		struct nnahw_cmd_reduce *p = begin(NNAHW_OP_REDUCE, sizeof(*p), 2);

		p->kind = NNAHW_REDUCTION_MEAN;
		p->axes = 2;
		p->q_max = 255;
		operand(0, type, 3, DIMS(shape[0], 1, shape[2]), false)->data = arena;
		operand(1, type, 3, shape, false);
		c.cmd.operands[1].desc.strides[0] = c.cmd.operands[1].desc.strides[1] = 0;
		snprintf(what, sizeof(what), "REDUCE of %u rows of %u, type %u", shape[1], shape[2],
			 type);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_resize(void **state)
{
	static const struct {
		uint32_t h, w, c;
	} shapes[] = { { 2, 65536, 1 },	   { 2, 1 << 20, 1 }, { 64, 4096, 3 },
		       { 64, 64, 16384 }, { 2, 65536, 16 },  { 512, 512, 1 },
		       { 8, 131072, 8 } };
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 7 * 8; i++) {
		struct nnahw_cmd_resize *p = begin(NNAHW_OP_RESIZE, sizeof(*p), 2);
		const bool fixed = i % 8 == 6, corners = i % 8 == 7;
		const uint32_t s = i / 8,
			       type = fixed ? NNAHW_TYPE_S8 :
				      corners ? NNAHW_TYPE_U8 : float_and_byte[i % 8 % 3];

		p->kind = i % 8 / 3 == 1;
		p->fixed_point = fixed;
		p->corners = corners;
		p->scale_h = p->scale_w = 0.5f;
		operand(0, type, 4, DIMS(1, shapes[s].h, shapes[s].w, shapes[s].c), false)->data =
			arena;
		operand(1, type, 4, DIMS(1, 40, 1000, shapes[s].c), false);
		snprintf(what, sizeof(what), "RESIZE %u to %ux%ux%u, type %u, fixed point %u",
			 p->kind, shapes[s].h, shapes[s].w, shapes[s].c, type, fixed);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_roi(void **state)
{
	static const struct {
		uint32_t in, out, samples, kind;
	} shapes[] = {
		{ 1000, 1, 0, NNAHW_ROI_MEAN },	 { 1000, 1, 0, NNAHW_ROI_MAX },
		{ 64, 7, 1024, NNAHW_ROI_MEAN }, { 4000, 7, 0, NNAHW_ROI_MAX },
		{ 4000, 64, 2, NNAHW_ROI_MEAN }, { 1000, 1000, 1, NNAHW_ROI_MEAN },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 6 * 3; i++) {
		struct nnahw_cmd_roi *p = begin(NNAHW_OP_ROI, sizeof(*p), 4);
		const uint32_t s = i / 3, n = shapes[s].in, out = shapes[s].out,
			       type = float_and_byte[i % 3];
		float *corners = (float *)(arena + (1ull << 30));

		operand(NNAHW_ROI_OUTPUT, type, 4, DIMS(4, out, out, 3), false)->data = arena;
		operand(NNAHW_ROI_INPUT, type, 4, DIMS(1, n, n, 3), false);
		operand(NNAHW_ROI_REGIONS, NNAHW_TYPE_F32, 2, DIMS(4, 4), false)->data = corners;
		c.cmd.operands[NNAHW_ROI_REGIONS].desc.strides[0] = 0;
		operand(NNAHW_ROI_BATCHES, NNAHW_TYPE_S32, 1, DIMS(4), true);
		corners[0] = corners[1] = 0;
		corners[2] = corners[3] = (float)n;
		p->kind = (uint8_t)shapes[s].kind;
		p->samples_h = p->samples_w = shapes[s].samples;
		p->scale_h = p->scale_w = 1;
		snprintf(what, sizeof(what), "ROI %u of %u to %u, %u samples, type %u", p->kind, n,
			 out, shapes[s].samples, type);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_lsh(void **state)
{
	static const struct {
		uint32_t items, bytes;
	} shapes[] = { { 1, 1 << 24 },	    { 1 << 20, 1 }, { 1 << 20, 16 }, { 1 << 12, 1 << 12 },
		       { 1 << 10, 1 << 14 }, { 1, 1 },	   { 1 << 18, 61 } };
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 7 * 2; i++) {
		begin(NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
		operand(NNAHW_LSH_OUTPUT, NNAHW_TYPE_S32, 2, DIMS(100, 1000), false)->data = arena;
		operand(NNAHW_LSH_SEEDS, NNAHW_TYPE_F32, 2, DIMS(100, 1000), true);
		operand(NNAHW_LSH_ITEMS, NNAHW_TYPE_U8, 2,
			DIMS(shapes[i / 2].items, shapes[i / 2].bytes), false);
		if (i & 1)
			operand(NNAHW_LSH_WEIGHTS, NNAHW_TYPE_F32, 1, DIMS(shapes[i / 2].items),
				true);
		snprintf(what, sizeof(what), "LSH of %u items of %u", shapes[i / 2].items,
			 shapes[i / 2].bytes);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_keypoint(void **state)
{
	static const uint32_t sizes[][2] = { { 1024, 1024 }, { 2, 1 << 19 }, { 64, 64 }, { 2, 2 } };
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 4 * 3; i++) {
		struct nnahw_cmd_keypoint *p = begin(NNAHW_OP_KEYPOINT, sizeof(*p), 4);
		const uint32_t h = sizes[i / 3][0], w = sizes[i / 3][1],
			       type = float_and_byte[i % 3];

		operand(NNAHW_KEYPOINT_SCORES, type, 2, DIMS(50, 17), false)->data = arena;
		operand(NNAHW_KEYPOINT_KEYPOINTS, i % 3 == 2 ? NNAHW_TYPE_U16 : type, 3,
			DIMS(50, 17, 2), false)
			->data = arena;
		operand(NNAHW_KEYPOINT_HEATMAPS, type, 4, DIMS(50, h, w, 17), true);
		operand(NNAHW_KEYPOINT_BOXES, i % 3 == 2 ? NNAHW_TYPE_U16 : type, 2, DIMS(50, 4),
			true);
		p->tolerance = 1e-3f;
		snprintf(what, sizeof(what), "KEYPOINT of %ux%u, type %u", h, w, type);
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

static void test_nms(void **state)
{
	static const struct {
		uint32_t batches, rows, classes, kept, depth;
	} shapes[] = {
		{ 1, 1 << 21, 1, 1 << 20, 0 },	{ 1, 65536, 1, 65536, 0 },
		{ 1, 1, 1 << 18, 1 << 21, 0 },	{ 1, 16384, 128, 65536, 0 },
		{ 1, 1, 1 << 21, 1 << 21, 1 << 21 }, { 1, 128, 16384, 1 << 21, 16384 },
		{ 1, 1 << 21, 1, 1 << 21, 1 },	{ 1 << 18, 1, 1, 1, 0 },
		{ 1, 1000, 4, 4000, 0 },	{ 2, 300, 90, 1000, 3 },
		{ 1, 10, 10, 1 << 21, 0 },	{ 1 << 10, 1 << 10, 2, 1 << 11, 0 },
	};
	uint32_t failed = 0;
	char what[128];

	for (uint32_t i = 0; i < 12 * 4; i++) {
		const uint32_t s = i / 4, b = shapes[s].batches, n = shapes[s].rows,
			       k = shapes[s].classes, kept = shapes[s].kept;
		const bool groups = i & 1, limits = i & 2;
		struct nnahw_cmd_nms *p = begin(NNAHW_OP_NMS, sizeof(*p), 9);

		operand(NNAHW_NMS_COUNT, NNAHW_TYPE_S32, 1, DIMS(b), false)->data = arena;
		operand(NNAHW_NMS_KEPT_SCORES, NNAHW_TYPE_F32, 2, DIMS(b, kept), false)->data =
			arena;
		operand(NNAHW_NMS_KEPT_BOXES, NNAHW_TYPE_F32, 3, DIMS(b, kept, 4), false)->data =
			arena;
		operand(NNAHW_NMS_KEPT_CLASSES, NNAHW_TYPE_S32, 2, DIMS(b, kept), false)->data =
			arena;
		operand(NNAHW_NMS_SCORES, NNAHW_TYPE_F32, 3, DIMS(b, n, k), true);
		operand(NNAHW_NMS_BOXES, NNAHW_TYPE_F32, 4, DIMS(b, n, k, 4), true);
		if (groups)
			operand(NNAHW_NMS_GROUPS, NNAHW_TYPE_S32, 2, DIMS(b, n), true);
		if (limits)
			operand(NNAHW_NMS_MASK, NNAHW_TYPE_BOOL8, 2, DIMS(b, n), true);
		p->kind = NNAHW_NMS_GAUSSIAN;
		p->sigma = 1;
		p->score_min = -1;
		p->score_floor = -1;
		p->threshold = 0.5f;
		p->most_of_class = UINT32_MAX;
		p->most = UINT32_MAX;
		p->candidates = limits ? 1 << 19 : 0;
		p->depth = shapes[s].depth;
		p->by_class = limits;
		snprintf(what, sizeof(what), "NMS %u of %u boxes, %u classes, depth %u%s%s", b, n,
			 k, p->depth, groups ? ", groups" : "", limits ? ", limits" : "");
		failed += measure(what);
	}
	assert_int_equal(failed, 0);
}

/* Arguments: a pattern of the tests to run, and the name of the least instruction set. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv),	   cmocka_unit_test(test_dwconv),
		cmocka_unit_test(test_matmul),	   cmocka_unit_test(test_pool),
		cmocka_unit_test(test_elements),   cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_resize),	   cmocka_unit_test(test_roi),
		cmocka_unit_test(test_lsh),	   cmocka_unit_test(test_keypoint),
		cmocka_unit_test(test_nms),
	};

	arena = arena_new(ARENA);
	shown = getenv("WORK_SHOWN") != NULL;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	if (argc > 2)
		for (least = NNADEV_ENGINE_ISAS - 1;
		     least && strcmp(argv[2], nnadev_engine_isa_name(least)); least--)
			;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
