// SPDX-License-Identifier: MIT
/*
 * Random sequences of calls of the NNAPI C API, in several threads. Any call may fail, with a code
 * that there is; none may crash, hang, leak or race. Sanitizers say what does: this is built with
 * each of them (tests/nnapi/suites).
 *
 *	fuzz_api [--seed N] [--calls N] [--seconds N] [--threads N]
 *
 * --seconds are those of CPU time of all threads together, which mean the same on a busy machine.
 *
 * A thread works in rounds of some hundred steps. A round has objects of its own, and shares with
 * all others what the API lets threads share: two compilations and their models, memories that are
 * only read, a descriptor, the devices, and runs on a board, which any thread may wait for, depend
 * on and ask for results. Most models are built from a few patterns, so that many compile and run;
 * at each call an argument may be another one: another object, NULL, a wrong number. What the API
 * asks of a client is kept: an object is freed once, memory that a run writes to is its own until
 * the run has ended, and an object that is built belongs to one thread.
 *
 * Everything follows from the seed of a round, which is printed when a process dies. --seed with it
 * and --calls 1 does the first round of one thread again.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/include/nnaccel_ops.h"
#include "hal-bridge/include/support_library.h"

#define POOL 6 /* objects of a kind */
#define ARGUMENT 1024 /* bytes of memory for an argument */
#define ARGUMENTS 4
#define ROUND_STEPS 300 /* each of which is several calls */

enum kind { MODEL, COMPILATION, EXECUTION, MEMORY, DESC, BURST, EVENT, KINDS };

/**
 * struct fuzz - a thread
 * @random: state of the generator, never 0
 * @pools: of each kind up to POOL objects, or NULL
 * @bytes: of each execution in its pool: memory for its arguments
 * @graves: such memory of executions that are gone, whose runs may not have ended; @grave_count
 * @fds: of fences that have not signalled; @fd_count of them
 * @calls: that it has made
 * @worked: of these, how many had no error
 */
struct fuzz {
	uint64_t random;
	void *pools[KINDS][POOL];
	uint8_t *bytes[POOL];
	uint8_t *graves[ROUND_STEPS + POOL];
	uint32_t grave_count;
	int fds[ROUND_STEPS];
	uint32_t fd_count;
	uint64_t calls, worked;
};

/**
 * struct notice - a run of a shared compilation, for all threads
 * @lock: held by readers while they use the rest, and to put another run in its place
 * @event: the end of the run; NULL before the first one
 * @execution: what runs
 * @bytes: memory for its arguments
 */
struct notice {
	pthread_rwlock_t lock;
	ANeuralNetworksEvent *event;
	ANeuralNetworksExecution *execution;
	uint8_t *bytes;
};

#define NOTICES 4

static _Thread_local uint64_t round_seed;
static ANeuralNetworksCompilation *shared[2];
static ANeuralNetworksModel *shared_models[2];
static ANeuralNetworksMemoryDesc *shared_desc; /* of the first inputs of both */
static ANeuralNetworksMemory *shared_memories[2]; /* in a file, of the device */
static struct notice board[NOTICES];
static atomic_uint_fast64_t total_calls, total_worked, total_runs, next_round;
static uint64_t most_calls = 200000, first_seed = 1;
static uint64_t most_seconds = UINT64_MAX;

static void say_seed(void)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "fuzz_api: --calls 1 --seed %llu\n",
			      (unsigned long long)round_seed);

	if (write(STDERR_FILENO, text, length) < 0)
		return;
}

static void on_signal(int number)
{
	say_seed();
	raise(number);
}

void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* ------------------------------------------------------------------------------------- choices */

static uint64_t draw(struct fuzz *f)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random * 0x2545f4914f6cdd1dull;
}

static uint32_t below(struct fuzz *f, uint32_t n)
{
	return (draw(f) >> 33) % n;
}

static bool one_in(struct fuzz *f, uint32_t n)
{
	return !below(f, n);
}

/* A number that is mostly small, and sometimes one of those that overflow something. */
static uint64_t number(struct fuzz *f)
{
	static const uint64_t special[] = { UINT32_MAX, INT32_MAX, 1ull << 31, SIZE_MAX, 1ull << 62,
					    65536, 4096, 128, 129 };

	return one_in(f, 8) ? special[below(f, sizeof(special) / sizeof(special[0]))] :
			      below(f, 20);
}

/* An object of a pool, or NULL: when there is none, and now and then. */
static void *pick(struct fuzz *f, enum kind kind)
{
	uint32_t at = below(f, POOL);

	if (one_in(f, 64))
		return NULL;
	for (uint32_t i = 0; i < POOL; i++, at = (at + 1) % POOL) {
		if (f->pools[kind][at])
			return f->pools[kind][at];
	}
	return NULL;
}

static void *pick_compilation(struct fuzz *f)
{
	return one_in(f, 2) ? shared[below(f, 2)] : pick(f, COMPILATION);
}

static void *pick_model(struct fuzz *f)
{
	return one_in(f, 8) ? shared_models[below(f, 2)] : pick(f, MODEL);
}

/* A memory to read from. */
static void *pick_source(struct fuzz *f)
{
	return one_in(f, 4) ? shared_memories[below(f, 2)] : pick(f, MEMORY);
}

/* The result of a call, which is a code that there is. */
static int check(struct fuzz *f, int result)
{
	f->calls++;
	f->worked += !result;
	if (result >= ANEURALNETWORKS_NO_ERROR && result <= ANEURALNETWORKS_DEAD_OBJECT)
		return result;
	fprintf(stderr, "fuzz_api: result code %d\n", result);
	abort();
}

/* ----------------------------------------------------------------------------- objects, fences */

/* Signals all fences: runs that wait for them can end. */
static void signal_all(struct fuzz *f)
{
	const uint64_t one = 1;

	while (f->fd_count) {
		int fd = f->fds[--f->fd_count];

		if (write(fd, &one, sizeof(one)) < 0)
			abort();
		close(fd);
	}
}

static void free_object(struct fuzz *f, enum kind kind, uint32_t at)
{
	void *object = f->pools[kind][at];

	if (!object)
		return;
	f->pools[kind][at] = NULL;
	f->calls++;
	/* The last reference waits for the run. */
	signal_all(f);
	switch (kind) {
	case MODEL:
		ANeuralNetworksModel_free(object);
		break;
	case COMPILATION:
		ANeuralNetworksCompilation_free(object);
		break;
	case EXECUTION:
		ANeuralNetworksExecution_free(object);
		f->graves[f->grave_count++] = f->bytes[at];
		f->bytes[at] = NULL;
		break;
	case MEMORY:
		ANeuralNetworksMemory_free(object);
		break;
	case DESC:
		ANeuralNetworksMemoryDesc_free(object);
		break;
	case BURST:
		ANeuralNetworksBurst_free(object);
		break;
	default:
		ANeuralNetworksEvent_free(object);
		break;
	}
}

/* Room for an object in its pool; what is there may have to go. */
static uint32_t make_room(struct fuzz *f, enum kind kind)
{
	uint32_t at = below(f, POOL);

	for (uint32_t i = 0; i < POOL; i++) {
		if (!f->pools[kind][(at + i) % POOL])
			return (at + i) % POOL;
	}
	free_object(f, kind, at);
	return at;
}

/* -------------------------------------------------------------------------------------- models */

static const int32_t types[] = {
	ANEURALNETWORKS_FLOAT32, ANEURALNETWORKS_INT32, ANEURALNETWORKS_UINT32,
	ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_INT32,
	ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_BOOL,
	ANEURALNETWORKS_TENSOR_QUANT16_SYMM, ANEURALNETWORKS_TENSOR_FLOAT16,
	ANEURALNETWORKS_TENSOR_BOOL8, ANEURALNETWORKS_FLOAT16,
	ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, ANEURALNETWORKS_TENSOR_QUANT16_ASYMM,
	ANEURALNETWORKS_TENSOR_QUANT8_SYMM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
	ANEURALNETWORKS_MODEL, 16, 64, 65, 10000, 10001, 0x10000, 0x10001, 0x20000, -1,
};

static int add_operand(struct fuzz *f, ANeuralNetworksModel *model, int32_t type, uint32_t rank,
		       const uint32_t *dims, float scale, int32_t zero_point)
{
	uint32_t wild[16];
	ANeuralNetworksOperandType t = {
		.type = type,
		.dimensionCount = rank,
		.dimensions = rank ? dims : NULL,
		.scale = scale,
		.zeroPoint = zero_point,
	};

	if (one_in(f, 100)) {
		for (uint32_t i = 0; i < 16; i++)
			wild[i] = number(f);
		t.type = types[below(f, sizeof(types) / sizeof(types[0]))];
		t.dimensionCount = below(f, 17);
		t.dimensions = one_in(f, 8) ? NULL : wild;
	}
	if (one_in(f, 200))
		t.scale = one_in(f, 2) ? -1.0f : 1e30f;
	return check(f, ANeuralNetworksModel_addOperand(model, one_in(f, 500) ? NULL : &t));
}

static void set_int(struct fuzz *f, ANeuralNetworksModel *model, uint32_t index, int32_t value)
{
	if (one_in(f, 100))
		value = (int32_t)number(f);
	check(f, ANeuralNetworksModel_setOperandValue(model, index, &value,
						      one_in(f, 200) ? 3 : sizeof(value)));
}

static void add_operation(struct fuzz *f, ANeuralNetworksModel *model, int32_t type,
			  uint32_t in_count, uint32_t *in, uint32_t out)
{
	if (one_in(f, 100) && in_count)
		in[below(f, in_count)] = number(f);
	if (one_in(f, 150))
		type = number(f);
	if (one_in(f, 200))
		in_count = below(f, in_count + 1);
	check(f, ANeuralNetworksModel_addOperation(model, type, in_count, in, 1, &out));
}

static void finish(struct fuzz *f, ANeuralNetworksModel *model, uint32_t in_count, uint32_t *in,
		   uint32_t out_count, uint32_t *out)
{
	if (one_in(f, 100))
		in[0] = number(f);
	check(f, ANeuralNetworksModel_identifyInputsAndOutputs(model, in_count, in, out_count,
							       out));
	if (one_in(f, 10))
		check(f, ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
	if (!one_in(f, 50))
		check(f, ANeuralNetworksModel_finish(model));
}

/* x, y -> sums and products of them, some of quantised numbers; the length may be unknown. */
static void build_chain(struct fuzz *f, ANeuralNetworksModel *model)
{
	static const int32_t kinds[] = { ANEURALNETWORKS_TENSOR_FLOAT32,
					 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
					 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
					 ANEURALNETWORKS_TENSOR_FLOAT16 };
	int32_t type = kinds[below(f, 4)];
	bool quantised = type != ANEURALNETWORKS_TENSOR_FLOAT32 &&
			 type != ANEURALNETWORKS_TENSOR_FLOAT16;
	uint32_t n = one_in(f, 4) ? 0 : 8 + 8 * below(f, 2), length = 1 + below(f, 6);
	uint32_t io[2] = { 0, 1 }, out[2];

	add_operand(f, model, type, 1, &n, quantised ? 0.5f : 0, 0);
	add_operand(f, model, type, 1, &n, quantised ? 0.5f : 0, 0);
	add_operand(f, model, ANEURALNETWORKS_INT32, 0, NULL, 0, 0);
	set_int(f, model, 2, below(f, 4));
	for (uint32_t i = 0; i < length; i++) {
		static const int32_t operations[] = { ANEURALNETWORKS_ADD, ANEURALNETWORKS_MUL,
						      ANEURALNETWORKS_SUB };
		uint32_t in[3] = { i ? i + 2 : 0, below(f, 2), 2 };

		add_operand(f, model, type, 1, &n, quantised ? 0.5f : 0, 0);
		add_operation(f, model, operations[below(f, 3)], 3, in, i + 3);
	}
	out[0] = length + 2;
	out[1] = 3;
	finish(f, model, 2, io, length > 1 ? 1 + below(f, 2) : 1, out);
}

/* A fully connected layer with constants, which are in memory where there is some. */
static void build_layer(struct fuzz *f, ANeuralNetworksModel *model)
{
	static const float constants[16 * 16 + 16];
	uint32_t n = 4 + 4 * below(f, 2), m = 4 + 4 * below(f, 2), rows = one_in(f, 4) ? 0 : 2;
	uint32_t x[2] = { rows, n }, w[2] = { m, n }, y[2] = { rows, m };
	ANeuralNetworksMemory *memory = pick_source(f);
	uint32_t in[4] = { 0, 1, 2, 3 }, io = 0, out = 4;

	add_operand(f, model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, x, 0, 0);
	add_operand(f, model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, w, 0, 0);
	add_operand(f, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &m, 0, 0);
	add_operand(f, model, ANEURALNETWORKS_INT32, 0, NULL, 0, 0);
	add_operand(f, model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, y, 0, 0);
	if (!memory || check(f, ANeuralNetworksModel_setOperandValueFromMemory(
				       model, 1, memory, number(f), n * m * sizeof(float))))
		check(f, ANeuralNetworksModel_setOperandValue(model, 1, constants,
							      n * m * sizeof(float)));
	check(f, ANeuralNetworksModel_setOperandValue(model, 2, constants, m * sizeof(float)));
	set_int(f, model, 3, 0);
	add_operation(f, model, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, 4);
	finish(f, model, 1, &io, 1, &out);
}

/* IF on another model, for both branches: of the shape that build_chain() may have. */
static void build_branch(struct fuzz *f, ANeuralNetworksModel *model)
{
	uint32_t one = 1, n = 8 + 8 * below(f, 2), in[5] = { 0, 1, 1, 2, 3 }, io[2] = { 2, 3 };
	uint32_t out = 4;
	const uint8_t yes = below(f, 2);

	add_operand(f, model, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0, 0);
	add_operand(f, model, ANEURALNETWORKS_MODEL, 0, NULL, 0, 0);
	for (int i = 0; i < 3; i++)
		add_operand(f, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n, 0, 0);
	check(f, ANeuralNetworksModel_setOperandValue(model, 0, &yes, 1));
	check(f, ANeuralNetworksModel_setOperandValueFromModel(
			 model, 1, one_in(f, 3) ? shared_models[0] : pick(f, MODEL)));
	add_operation(f, model, ANEURALNETWORKS_IF, 5, in, 4);
	finish(f, model, 2, io, 1, &out);
}

/* An operation of the extension, on 64-bit integers or floats. */
static void build_extension(struct fuzz *f, ANeuralNetworksModel *model)
{
	uint32_t n = 8, in[2] = { 0, 1 }, out = 2;
	ANeuralNetworksOperationType operation = 0;
	int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;

	if (one_in(f, 2))
		check(f, ANeuralNetworksModel_getExtensionOperandType(
				 model, NNACCEL_OPS_NAME, one_in(f, 8) ? number(f) : 0, &type));
	check(f, ANeuralNetworksModel_getExtensionOperationType(
			 model, one_in(f, 16) ? "com.example" : NNACCEL_OPS_NAME,
			 one_in(f, 2) ? NNACCEL_OPS_FLOOR_DIV : below(f, 10), &operation));
	for (int i = 0; i < 3; i++)
		add_operand(f, model, type, 1, &n, 0, 0);
	check(f, ANeuralNetworksModel_setOperandExtensionData(model, number(f), NULL, 0));
	add_operation(f, model, operation, 2, in, 2);
	finish(f, model, 2, in, 1, &out);
}

static ANeuralNetworksModel *build(struct fuzz *f)
{
	ANeuralNetworksModel *model = NULL;

	if (check(f, ANeuralNetworksModel_create(one_in(f, 500) ? NULL : &model)) || !model)
		return NULL;
	switch (below(f, 8)) {
	case 0:
		build_layer(f, model);
		break;
	case 1:
		build_branch(f, model);
		break;
	case 2:
		build_extension(f, model);
		break;
	default:
		build_chain(f, model);
		break;
	}
	return model;
}

/* A model again after it has been built, or a part of one: all that is too late or too early. */
static void disturb_model(struct fuzz *f)
{
	ANeuralNetworksModel *model = pick_model(f);
	const float scales[4] = { 1, 1, 1, 1 };
	const ANeuralNetworksSymmPerChannelQuantParams params = { below(f, 3), below(f, 5),
								  one_in(f, 4) ? NULL : scales };
	uint32_t list[4] = { number(f), number(f), 0, 1 };
	const ANeuralNetworksDevice *devices[2] = { NULL, NULL };
	bool supported[256];
	uint8_t bytes[256] = { 0 };

	switch (below(f, 7)) {
	case 0:
		check(f, ANeuralNetworksModel_setOperandValue(model, number(f), bytes,
							      number(f) % sizeof(bytes)));
		break;
	case 1:
		check(f, ANeuralNetworksModel_setOperandValue(model, number(f), NULL, 0));
		break;
	case 2:
		check(f, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, number(f),
										  &params));
		break;
	case 3:
		check(f, ANeuralNetworksModel_identifyInputsAndOutputs(model, below(f, 5), list,
								       below(f, 5), list));
		break;
	case 4:
		check(f, ANeuralNetworksModel_finish(model));
		break;
	case 5:
		add_operand(f, model, types[below(f, 25)], 0, NULL, 0, 0);
		break;
	default:
		for (uint32_t i = 0; i < 2; i++)
			check(f, ANeuralNetworks_getDevice(
					 below(f, 2), (ANeuralNetworksDevice **)&devices[i]));
		check(f, ANeuralNetworksModel_getSupportedOperationsForDevices(
				 model, devices, below(f, 3), supported));
		break;
	}
}

/* -------------------------------------------------------------------------------- compilations */

static void set_up(struct fuzz *f, ANeuralNetworksCompilation *compilation)
{
	const NnApiSLDriverImplFL5 *sl = (const void *)ANeuralNetworks_getSLDriverImpl();
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { below(f, 2) };
	int fd;

	switch (below(f, 6)) {
	case 0:
		check(f, ANeuralNetworksCompilation_setPreference(compilation, number(f) % 5));
		break;
	case 1:
		check(f, ANeuralNetworksCompilation_setPriority(compilation,
								80 + below(f, 4) * 10));
		break;
	case 2:
		check(f, ANeuralNetworksCompilation_setTimeout(compilation, number(f) * 1000000));
		break;
	case 3:
		check(f, ANeuralNetworksCompilation_setCaching(compilation, "/nowhere", token));
		break;
	case 4:
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		check(f, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(
				 compilation, &fd, one_in(f, 8) ? 0 : 1, NULL, 0, token));
		close(fd);
		break;
	default:
		check(f, ANeuralNetworksCompilation_addExtensionAttribute(
				 compilation, NNACCEL_OPS_NAME, 0, token, sizeof(token)));
		break;
	}
}

static void compile(struct fuzz *f)
{
	ANeuralNetworksCompilation *compilation = NULL;
	uint32_t at = make_room(f, COMPILATION), count = below(f, 3), value;
	const ANeuralNetworksDevice *devices[2] = { NULL, NULL };
	ANeuralNetworksModel *model = pick_model(f);

	for (uint32_t i = 0; i < 2; i++)
		check(f, ANeuralNetworks_getDevice(below(f, 2),
						   (ANeuralNetworksDevice **)&devices[i]));
	if (count)
		check(f, ANeuralNetworksCompilation_createForDevices(model, devices, count,
								     &compilation));
	else
		check(f, ANeuralNetworksCompilation_create(model, &compilation));
	f->pools[COMPILATION][at] = compilation;
	while (one_in(f, 3))
		set_up(f, compilation);
	if (!one_in(f, 20))
		check(f, ANeuralNetworksCompilation_finish(compilation));
	check(f, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
			 pick_compilation(f), number(f), &value));
}

/* ---------------------------------------------------------------------------------- executions */

/* The sizes that arguments of the patterns have, and now and then another. */
#define SIZES 4
static size_t pick_size(struct fuzz *f, uint32_t k)
{
	static const size_t sizes[SIZES] = { 32, 64, 16, 8 };

	return one_in(f, 50) ? below(f, ARGUMENT + 1) : sizes[k];
}

static void set_arguments(struct fuzz *f, ANeuralNetworksExecution *execution, uint8_t *bytes)
{
	uint32_t n = one_in(f, 4) ? number(f) : 8;
	const ANeuralNetworksOperandType type = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = &n,
	};

	for (int32_t i = 0; i < 2; i++) {
		ANeuralNetworksMemory *memory = one_in(f, 4) ? pick_source(f) : NULL;
		const ANeuralNetworksOperandType *t = one_in(f, 3) ? &type : NULL;

		for (uint32_t k = 0; k < SIZES; k++) {
			size_t length = pick_size(f, k);
			int ret;

			if (memory)
				ret = ANeuralNetworksExecution_setInputFromMemory(
					execution, i, t, memory, 0, one_in(f, 3) ? 0 : length);
			else
				ret = ANeuralNetworksExecution_setInput(
					execution, i, t, bytes + i * ARGUMENT, length);
			if (check(f, ret) != ANEURALNETWORKS_BAD_DATA)
				break;
		}
	}
	for (int32_t i = 0; i < 2; i++) {
		ANeuralNetworksMemory *memory = one_in(f, 8) ? pick(f, MEMORY) : NULL;

		if (memory && !check(f, ANeuralNetworksExecution_setOutputFromMemory(
						execution, i, NULL, memory, 0, 0)))
			continue;
		for (uint32_t k = 0; k < SIZES; k++) {
			size_t length = pick_size(f, k);

			if (check(f, ANeuralNetworksExecution_setOutput(
					     execution, i, NULL, bytes + (2 + i) * ARGUMENT,
					     length)) != ANEURALNETWORKS_BAD_DATA)
				break;
		}
	}
}

static void create_execution(struct fuzz *f)
{
	uint32_t at = make_room(f, EXECUTION);
	ANeuralNetworksExecution *execution = NULL;

	check(f, ANeuralNetworksExecution_create(pick_compilation(f), &execution));
	if (!execution)
		return;
	f->pools[EXECUTION][at] = execution;
	f->bytes[at] = calloc(ARGUMENTS, ARGUMENT);
	if (!f->bytes[at])
		abort();
	if (one_in(f, 4))
		check(f, ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
	if (one_in(f, 2))
		check(f, ANeuralNetworksExecution_setReusable(execution, true));
	if (one_in(f, 4))
		check(f, ANeuralNetworksExecution_setMeasureTiming(execution, true));
	if (one_in(f, 4))
		check(f, ANeuralNetworksExecution_setTimeout(execution, number(f) * 1000000));
	if (one_in(f, 4))
		check(f, ANeuralNetworksExecution_setLoopTimeout(execution, number(f)));
	set_arguments(f, execution, f->bytes[at]);
}

/* An event of an eventfd: signalled, or one that signal_all() does. Or of what is no fence. */
static void create_event(struct fuzz *f)
{
	uint32_t at = make_room(f, EVENT);
	ANeuralNetworksEvent *event = NULL;
	int fd = eventfd(one_in(f, 2), EFD_CLOEXEC);

	check(f, ANeuralNetworksEvent_createFromSyncFenceFd(one_in(f, 16) ? -1 : fd, &event));
	f->pools[EVENT][at] = event;
	f->fds[f->fd_count++] = fd;
}

static void run(struct fuzz *f)
{
	ANeuralNetworksExecution *execution = pick(f, EXECUTION);
	const ANeuralNetworksEvent *before[3];
	ANeuralNetworksEvent *event = NULL;
	uint32_t at, count = below(f, 4);
	int ret;

	switch (below(f, 4)) {
	case 0:
		ret = check(f, ANeuralNetworksExecution_compute(execution));
		break;
	case 1:
		ret = check(f, ANeuralNetworksExecution_burstCompute(execution, pick(f, BURST)));
		break;
	case 2:
		at = make_room(f, EVENT);
		ret = check(f, ANeuralNetworksExecution_startCompute(execution, &event));
		f->pools[EVENT][at] = event;
		break;
	default:
		at = make_room(f, EVENT);
		for (uint32_t i = 0; i < count && i < 3; i++)
			before[i] = pick(f, EVENT);
		ret = check(f, ANeuralNetworksExecution_startComputeWithDependencies(
				       execution, before, count < 3 ? count : 3,
				       one_in(f, 4) ? number(f) * 1000000 : 0, &event));
		f->pools[EVENT][at] = event;
		break;
	}
	atomic_fetch_add(&total_runs, !ret);
}

static void ask(struct fuzz *f)
{
	ANeuralNetworksExecution *execution = pick(f, EXECUTION);
	ANeuralNetworksEvent *event;
	uint32_t rank, dims[64];
	uint64_t duration;
	int fd = -1;

	switch (below(f, 5)) {
	case 0:
		check(f, ANeuralNetworksExecution_getOutputOperandRank(execution, number(f),
								       &rank));
		break;
	case 1:
		check(f, ANeuralNetworksExecution_getOutputOperandDimensions(execution, number(f),
									     dims));
		break;
	case 2:
		check(f, ANeuralNetworksExecution_getDuration(execution, below(f, 5), &duration));
		break;
	case 3:
		event = pick(f, EVENT);
		signal_all(f);
		check(f, ANeuralNetworksEvent_wait(event));
		break;
	default:
		if (!check(f, ANeuralNetworksEvent_getSyncFenceFd(pick(f, EVENT), &fd)))
			close(fd);
		break;
	}
}

/* -------------------------------------------------------------------------------------- memory */

static void create_memory(struct fuzz *f)
{
	uint32_t at = make_room(f, MEMORY);
	ANeuralNetworksMemory *memory = NULL;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t size = one_in(f, 8) ? number(f) : 4096;

	if (fd < 0 || ftruncate(fd, 8192))
		abort();
	if (one_in(f, 2))
		check(f, ANeuralNetworksMemory_createFromDesc(
				 one_in(f, 4) ? shared_desc : pick(f, DESC), &memory));
	else
		check(f, ANeuralNetworksMemory_createFromFd(
				 size, one_in(f, 8) ? below(f, 8) : PROT_READ | PROT_WRITE,
				 one_in(f, 32) ? -1 : fd, one_in(f, 8) ? number(f) : 0, &memory));
	f->pools[MEMORY][at] = memory;
	close(fd);
}

static void create_desc(struct fuzz *f)
{
	uint32_t at = make_room(f, DESC), n = number(f) % 100;
	ANeuralNetworksMemoryDesc *desc = NULL;

	check(f, ANeuralNetworksMemoryDesc_create(&desc));
	f->pools[DESC][at] = desc;
	for (int i = 0; i < 2; i++) {
		if (one_in(f, 2))
			check(f, ANeuralNetworksMemoryDesc_addInputRole(
					 desc, pick_compilation(f), below(f, 3), 1.0f));
		else
			check(f, ANeuralNetworksMemoryDesc_addOutputRole(
					 desc, pick_compilation(f), below(f, 2), 0.5f));
	}
	if (one_in(f, 4))
		check(f, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &n));
	check(f, ANeuralNetworksMemoryDesc_finish(desc));
}

static void copy_memory(struct fuzz *f)
{
	/* Runs that use the memories end first: the client keeps them apart. */
	signal_all(f);
	for (uint32_t i = 0; i < POOL; i++) {
		if (f->pools[EVENT][i])
			check(f, ANeuralNetworksEvent_wait(f->pools[EVENT][i]));
	}
	check(f, ANeuralNetworksMemory_copy(pick_source(f), pick(f, MEMORY)));
}

/* ------------------------------------------------------------------------------------ the board */

/* Frees the run of a notice that nobody else can see; the event waits for its end. */
static void tear_notice(const struct notice *notice)
{
	ANeuralNetworksEvent_free(notice->event);
	ANeuralNetworksExecution_free(notice->execution);
	free(notice->bytes);
}

/* Starts a run, which waits for nothing, and puts it on the board in the place of another one. */
static void post_notice(struct fuzz *f)
{
	struct notice *notice = &board[below(f, NOTICES)], old;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksEvent *event = NULL;
	uint8_t *bytes = calloc(ARGUMENTS, ARGUMENT);

	if (!bytes || check(f, ANeuralNetworksExecution_create(shared[below(f, 2)], &execution)))
		abort();
	if (one_in(f, 2))
		check(f, ANeuralNetworksExecution_setMeasureTiming(execution, true));
	set_arguments(f, execution, bytes);
	check(f, ANeuralNetworksExecution_startCompute(execution, &event));
	pthread_rwlock_wrlock(&notice->lock);
	old = *notice;
	notice->event = event;
	notice->execution = execution;
	notice->bytes = bytes;
	pthread_rwlock_unlock(&notice->lock);
	tear_notice(&old);
}

/* Does one of the things with a run on the board that several threads may do at once. */
static void read_notice(struct fuzz *f)
{
	struct notice *notice = &board[below(f, NOTICES)];
	uint32_t at, dims[64];
	ANeuralNetworksEvent *event = NULL;
	const ANeuralNetworksEvent *before;
	uint64_t duration;
	int fd;

	pthread_rwlock_rdlock(&notice->lock);
	before = notice->event;
	switch (before ? below(f, 6) : 6) {
	case 0:
	case 1:
		check(f, ANeuralNetworksEvent_wait(notice->event));
		break;
	case 2:
		at = make_room(f, EVENT);
		check(f, ANeuralNetworksExecution_startComputeWithDependencies(
				 pick(f, EXECUTION), &before, 1, 0, &event));
		f->pools[EVENT][at] = event;
		break;
	case 3:
		if (!check(f, ANeuralNetworksEvent_getSyncFenceFd(before, &fd)))
			close(fd);
		break;
	case 4:
		check(f, ANeuralNetworksExecution_getDuration(notice->execution, below(f, 4),
							      &duration));
		break;
	case 5:
		check(f, ANeuralNetworksExecution_getOutputOperandDimensions(notice->execution,
									     0, dims));
		break;
	default:
		break;
	}
	pthread_rwlock_unlock(&notice->lock);
}

static void ask_device(struct fuzz *f)
{
	ANeuralNetworksDevice *device = NULL;
	const char *text;
	bool supported;
	int64_t level;
	uint32_t count;
	int32_t type;

	check(f, ANeuralNetworks_getDeviceCount(&count));
	check(f, ANeuralNetworks_getDevice(below(f, 3), &device));
	check(f, ANeuralNetworksDevice_getName(device, &text));
	check(f, ANeuralNetworksDevice_getVersion(device, &text));
	check(f, ANeuralNetworksDevice_getType(device, &type));
	check(f, ANeuralNetworksDevice_getFeatureLevel(device, &level));
	check(f, ANeuralNetworksDevice_getExtensionSupport(device, NNACCEL_OPS_NAME, &supported));
	check(f, ANeuralNetworksDevice_wait(device));
}

/* -------------------------------------------------------------------------------------- rounds */

static void step(struct fuzz *f)
{
	uint32_t at;

	switch (below(f, 18)) {
	case 0:
	case 1:
		at = make_room(f, MODEL);
		f->pools[MODEL][at] = build(f);
		break;
	case 2:
		disturb_model(f);
		break;
	case 3:
	case 4:
		compile(f);
		break;
	case 5:
	case 6:
		create_execution(f);
		break;
	case 7:
		create_event(f);
		break;
	case 8:
		create_memory(f);
		break;
	case 9:
		create_desc(f);
		break;
	case 10:
		at = make_room(f, BURST);
		check(f, ANeuralNetworksBurst_create(
				 pick_compilation(f),
				 (ANeuralNetworksBurst **)&f->pools[BURST][at]));
		break;
	case 11:
		ask(f);
		break;
	case 12:
		free_object(f, below(f, KINDS), below(f, POOL));
		break;
	case 13:
		if (one_in(f, 4))
			copy_memory(f);
		else
			set_up(f, pick(f, COMPILATION));
		break;
	case 14:
		if (one_in(f, 8))
			ask_device(f);
		else
			post_notice(f);
		break;
	case 15:
		read_notice(f);
		break;
	default:
		run(f);
		break;
	}
}

/* Frees everything, in any order. */
static void clear(struct fuzz *f)
{
	uint32_t first = below(f, KINDS);

	signal_all(f);
	for (uint32_t k = 0; k < KINDS; k++) {
		for (uint32_t i = 0; i < POOL; i++)
			free_object(f, (first + k) % KINDS, i);
	}
	while (f->grave_count)
		free(f->graves[--f->grave_count]);
}

static bool is_over(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec >= most_seconds;
}

static void *work(void *user)
{
	while (atomic_load(&total_calls) < most_calls && !is_over()) {
		struct fuzz *f = calloc(1, sizeof(*f));

		if (!f)
			abort();
		round_seed = first_seed + atomic_fetch_add(&next_round, 1);
		f->random = round_seed * 0x9e3779b97f4a7c15ull | 1;
		for (uint32_t i = 0; i < ROUND_STEPS; i++)
			step(f);
		clear(f);
		atomic_fetch_add(&total_calls, f->calls);
		atomic_fetch_add(&total_worked, f->worked);
		free(f);
	}
	return NULL;
}

/* x + y on 8 floats, for the reference too: what all threads run. */
static void make_shared(uint32_t i)
{
	const uint32_t eight = 8, in[] = { 0, 1, 2 }, out = 3;
	const ANeuralNetworksOperandType tensor = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, &eight, 0,
						    0 };
	const ANeuralNetworksOperandType scalar = { .type = ANEURALNETWORKS_INT32 };
	const ANeuralNetworksDevice *device = NULL;
	ANeuralNetworksModel *model = NULL;
	const int32_t none = 0;

	if (ANeuralNetworks_getDevice(0, (ANeuralNetworksDevice **)&device) ||
	    ANeuralNetworksModel_create(&model) ||
	    ANeuralNetworksModel_addOperand(model, &tensor) ||
	    ANeuralNetworksModel_addOperand(model, &tensor) ||
	    ANeuralNetworksModel_addOperand(model, &scalar) ||
	    ANeuralNetworksModel_addOperand(model, &tensor) ||
	    ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)) ||
	    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, &out) ||
	    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, &out) ||
	    ANeuralNetworksModel_finish(model) ||
	    (i ? ANeuralNetworksCompilation_createForDevices(model, &device, 1, &shared[i]) :
		 ANeuralNetworksCompilation_create(model, &shared[i])) ||
	    ANeuralNetworksCompilation_finish(shared[i])) {
		fprintf(stderr, "fuzz_api: there is no device; NNACCEL_LOG=1 says why\n");
		exit(2);
	}
	shared_models[i] = model;
}

/* Memories of 32 bytes that nobody writes to any more: one in a file, one of the device. */
static void make_shared_memories(void)
{
	int fd = memfd_create("shared", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096) ||
	    ANeuralNetworksMemory_createFromFd(32, PROT_READ | PROT_WRITE, fd, 0,
					       &shared_memories[0]) ||
	    ANeuralNetworksMemoryDesc_create(&shared_desc) ||
	    ANeuralNetworksMemoryDesc_addInputRole(shared_desc, shared[0], 0, 1.0f) ||
	    ANeuralNetworksMemoryDesc_addInputRole(shared_desc, shared[1], 0, 1.0f) ||
	    ANeuralNetworksMemoryDesc_finish(shared_desc) ||
	    ANeuralNetworksMemory_createFromDesc(shared_desc, &shared_memories[1]) ||
	    ANeuralNetworksMemory_copy(shared_memories[0], shared_memories[1])) {
		fprintf(stderr, "fuzz_api: there is no memory\n");
		exit(2);
	}
	close(fd);
}

static void make_board(void)
{
	for (uint32_t i = 0; i < NOTICES; i++)
		pthread_rwlock_init(&board[i].lock, NULL);
}

static void free_shared(void)
{
	for (uint32_t i = 0; i < NOTICES; i++) {
		tear_notice(&board[i]);
		pthread_rwlock_destroy(&board[i].lock);
	}
	ANeuralNetworksMemoryDesc_free(shared_desc);
	for (uint32_t i = 0; i < 2; i++) {
		ANeuralNetworksMemory_free(shared_memories[i]);
		ANeuralNetworksCompilation_free(shared[i]);
		ANeuralNetworksModel_free(shared_models[i]);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "calls", required_argument, NULL, 'c' },
		{ "seconds", required_argument, NULL, 'd' },
		{ "threads", required_argument, NULL, 't' },
		{ 0 },
	};
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	uint32_t threads = 2;
	pthread_t others[64];
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		uint64_t value = optarg ? strtoull(optarg, NULL, 0) : 0;

		if (option == 's') {
			first_seed = value;
		} else if (option == 'c') {
			most_calls = value;
			threads = value == 1 ? 1 : threads;
		} else if (option == 'd') {
			most_seconds = value;
			most_calls = UINT64_MAX;
		} else if (option == 't' && value && value <= 64) {
			threads = value;
		} else {
			fprintf(stderr, "usage: fuzz_api [--seed N] [--calls N] [--seconds N] "
					"[--threads N]\n");
			return 2;
		}
	}
	setenv("NNACCEL_DEVICE", "loopback", 0);
	if (__asan_set_death_callback)
		__asan_set_death_callback(say_seed);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	make_shared(0);
	make_shared(1);
	make_shared_memories();
	make_board();
	for (uint32_t i = 0; i < threads; i++) {
		if (pthread_create(&others[i], NULL, work, NULL))
			return 2;
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(others[i], NULL);
	free_shared();
	printf("%llu calls, %llu without an error, %llu runs, seeds %llu to %llu\n",
	       (unsigned long long)total_calls, (unsigned long long)total_worked,
	       (unsigned long long)total_runs, (unsigned long long)first_seed,
	       (unsigned long long)(first_seed + next_round - 1));
	/* A fuzzer that gets nowhere finds nothing. */
	if (total_calls > 10000 && total_runs * 1000 < total_calls) {
		printf("too few runs\n");
		return 1;
	}
	return 0;
}
