// SPDX-License-Identifier: MIT
/*
 * What ANeuralNetworksModel_addOperation() takes: of each operation, every configuration that the
 * definitions allow (definition.h), and none that differs from one of them in one part: a count, a
 * type, a rank, a scalar's type, or an operand that is not optional and has no value. And the few
 * scales and dimensions that are looked at then.
 *
 * Every case is a model of its own, and a test of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "tests/nnapi/definition.h"

#define OPERATIONS 106
#define TYPES 16

/**
 * struct argument - an operand of a call
 * @rank: dimensions, all 2 unless @dims says otherwise
 * @omitted: it is set to no value
 */
struct argument {
	int32_t type;
	uint32_t rank;
	uint32_t dims[8];
	float scale;
	int32_t zero_point;
	uint32_t channel_dim;
	bool omitted;
};

/**
 * struct call - a case: what addOperation() is asked
 * @refused: it has to say BAD_DATA
 */
struct call {
	char name[120];
	int32_t operation;
	uint32_t in, out;
	struct argument arguments[MAX_OPERANDS];
	bool refused;
};

static struct CMUnitTest *tests;
static size_t test_count, test_room;

/* ---------------------------------------------------------------------------------- one case */

static void add_argument(ANeuralNetworksModel *model, uint32_t index, const struct argument *a)
{
	static const float scales[2] = { 0.5f, 0.25f };
	const ANeuralNetworksSymmPerChannelQuantParams params = { a->channel_dim, 2, scales };
	const ANeuralNetworksOperandType type = {
		.type = a->type,
		.dimensionCount = a->rank,
		.dimensions = a->rank ? a->dims : NULL,
		.scale = a->scale,
		.zeroPoint = a->zero_point,
	};

	assert_int_equal(ANeuralNetworksModel_addOperand(model, &type), 0);
	if (a->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL && a->rank)
		assert_int_equal(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
					 model, index, &params),
				 0);
	if (a->omitted)
		assert_int_equal(ANeuralNetworksModel_setOperandValue(model, index, NULL, 0), 0);
}

static void run_call(void **state)
{
	const struct call *call = *state;
	uint32_t numbers[MAX_OPERANDS];
	ANeuralNetworksModel *model;
	int result;

	assert_int_equal(ANeuralNetworksModel_create(&model), 0);
	for (uint32_t i = 0; i < call->in + call->out; i++) {
		add_argument(model, i, &call->arguments[i]);
		numbers[i] = i;
	}
	result = ANeuralNetworksModel_addOperation(model, call->operation, call->in, numbers,
						   call->out, numbers + call->in);
	ANeuralNetworksModel_free(model);
	assert_int_equal(result,
			 call->refused ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR);
}

/* Makes a test of a copy of @call, which is called "OPERATION: what". */
static void add_call(const struct call *call, bool refused, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_call(const struct call *call, bool refused, const char *format, ...)
{
	struct call *copy = malloc(sizeof(*copy));
	va_list args;
	int length;

	if (test_count == test_room) {
		test_room = test_room ? test_room * 2 : 1024;
		tests = reallocarray(tests, test_room, sizeof(*tests));
	}
	if (!copy || !tests)
		abort();
	*copy = *call;
	copy->refused = refused;
	length = snprintf(copy->name, sizeof(copy->name), "%s %s: ",
			  definition_operation_name(call->operation),
			  definition_type_name(call->arguments[0].type));
	va_start(args, format);
	vsnprintf(copy->name + length, sizeof(copy->name) - length, format, args);
	va_end(args);
	tests[test_count++] = (struct CMUnitTest){ copy->name, run_call, NULL, NULL, copy };
}

/* --------------------------------------------------------------------- from configurations */

/* A type with dimensions, and with scale and zero point as it must have them. */
static void set_type(struct argument *a, int32_t type, uint32_t rank)
{
	*a = (struct argument){ .type = type, .rank = definition_is_tensor(type) ? rank : 0 };
	for (uint32_t i = 0; i < 8; i++)
		a->dims[i] = 2;
	if (definition_is_quantised(type) && type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		a->scale = 0.5f;
}

enum level { FEWEST, MOST, UNKNOWN, LEVELS };

/* A call of a configuration, with the fewest or most dimensions, or without saying how many. */
static void fill(struct call *call, const struct configuration *c, enum level level)
{
	uint32_t rank = 0;

	memset(call, 0, sizeof(*call));
	call->operation = c->operation;
	call->in = c->in;
	call->out = c->out;
	for (uint32_t i = 0; i < c->in + c->out; i++) {
		const struct spot *spot = &c->spots[i];
		struct argument *a = &call->arguments[i];
		uint32_t wanted = level == FEWEST ? spot->low : spot->high == ANY_RANK ? 5 :
				  spot->high;

		if (spot->more)
			wanted = rank + 1;
		set_type(a, spot->type, wanted);
		if (!rank && a->rank && i && !spot->more)
			rank = a->rank; /* PACK's first input is its axis */
		if (level == UNKNOWN)
			a->rank = 0;
		if (c->operation == ANEURALNETWORKS_DEPTHWISE_CONV_2D && i == 1)
			a->channel_dim = 3;
		if (c->operation == ANEURALNETWORKS_REVERSE && i == 1)
			a->dims[0] = 1;
		/* As many as the input has dimensions. */
		if (c->operation == ANEURALNETWORKS_MIRROR_PAD && i == 1)
			a->dims[0] = call->arguments[0].rank;
	}
}

/**
 * struct search - whether any configuration takes a call
 */
struct search {
	const struct call *call;
	bool found;
};

static void compare(void *user, const struct configuration *c)
{
	struct search *search = user;
	const struct call *call = search->call;

	if (search->found || c->in != call->in || c->out != call->out)
		return;
	for (uint32_t i = 0; i < c->in + c->out; i++) {
		const struct argument *a = &call->arguments[i];
		const struct spot *spot = &c->spots[i];

		if (a->type != spot->type || (a->omitted && !spot->optional) ||
		    (spot->checked && a->rank && !a->omitted &&
		     (a->rank < spot->low || a->rank > spot->high)))
			return;
	}
	search->found = true;
}

/* A changed call is refused, unless it is another one that the definitions allow. */
static void add_changed(const struct call *call, const char *what, uint32_t index, int32_t to)
{
	struct search search = { .call = call };

	definition_expand(call->operation, compare, &search);
	if (!search.found)
		add_call(call, true, "%s %u to %d", what, index, to);
}

/* One operand more, or one less. */
static void change_counts(const struct call *call)
{
	uint32_t total = call->in + call->out;
	struct call changed = *call;

	if (call->in) {
		memmove(changed.arguments + call->in - 1, changed.arguments + call->in,
			call->out * sizeof(changed.arguments[0]));
		changed.in--;
		add_changed(&changed, "inputs", call->in, changed.in);
		changed = *call;
	}
	memmove(changed.arguments + call->in + 1, changed.arguments + call->in,
		call->out * sizeof(changed.arguments[0]));
	changed.arguments[call->in] = changed.arguments[call->in - 1];
	changed.in++;
	add_changed(&changed, "inputs", call->in, changed.in);
	changed = *call;
	changed.out--;
	add_changed(&changed, "outputs", call->out, changed.out);
	changed = *call;
	changed.arguments[total] = changed.arguments[total - 1];
	changed.out++;
	add_changed(&changed, "outputs", call->out, changed.out);
}

/* The type that is most easily taken for another. */
static int32_t sibling(int32_t type)
{
	switch (type) {
	case ANEURALNETWORKS_FLOAT32:
		return ANEURALNETWORKS_FLOAT16;
	case ANEURALNETWORKS_FLOAT16:
		return ANEURALNETWORKS_FLOAT32;
	case ANEURALNETWORKS_INT32:
		return ANEURALNETWORKS_UINT32;
	case ANEURALNETWORKS_BOOL:
		return ANEURALNETWORKS_INT32;
	case ANEURALNETWORKS_TENSOR_FLOAT32:
		return ANEURALNETWORKS_TENSOR_FLOAT16;
	case ANEURALNETWORKS_TENSOR_FLOAT16:
		return ANEURALNETWORKS_TENSOR_FLOAT32;
	case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
		return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
	case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
		return ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
	case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
		return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
	default:
		return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
	}
}

static void change_type(const struct call *call, uint32_t i)
{
	const struct argument *a = &call->arguments[i];
	int32_t others[3] = { sibling(a->type), 0, (a->type + 1 + i) % TYPES };

	others[1] = definition_is_tensor(a->type) ? ANEURALNETWORKS_INT32 :
						    ANEURALNETWORKS_TENSOR_INT32;
	for (size_t k = 0; k < 3; k++) {
		struct call changed = *call;

		if (others[k] == a->type || (k && others[k] == others[0]) ||
		    (k == 2 && others[k] == others[1]))
			continue;
		set_type(&changed.arguments[i], others[k], a->rank ? a->rank : 1);
		add_changed(&changed, i < call->in ? "type of input" : "type of output",
			    i < call->in ? i : i - call->in, others[k]);
	}
}

static void change_rank(const struct call *call, const struct spot *spot, uint32_t i)
{
	const char *what = i < call->in ? "rank of input" : "rank of output";
	uint32_t ranks[2] = { spot->low - 1u, spot->high + 1u };

	if (!call->arguments[i].rank || spot->more)
		return;
	for (size_t k = 0; k < 2; k++) {
		struct call changed = *call;

		if (!ranks[k] || ranks[k] > ANY_RANK)
			continue;
		changed.arguments[i].rank = ranks[k];
		/* Scales lie along a dimension, for a depthwise convolution always the fourth. */
		if (changed.arguments[i].channel_dim >= ranks[k])
			continue;
		if (spot->checked)
			add_changed(&changed, what, i < call->in ? i : i - call->in, ranks[k]);
		else
			add_call(&changed, false, "%s %u to %d", what,
				 i < call->in ? i : i - call->in, ranks[k]);
	}
}

static void take_configuration(void *user, const struct configuration *c)
{
	static const char *const levels[LEVELS] = { "fewest", "most", "unknown" };
	bool optional = false;
	struct call call;

	/* So that one more than the most here is known to be right. */
	if (c->many > 3)
		return;
	for (int level = FEWEST; level < LEVELS; level++) {
		fill(&call, c, level);
		add_call(&call, false, "%u inputs, %u outputs, %s dimensions", c->in, c->out,
			 levels[level]);
	}
	fill(&call, c, MOST);
	change_counts(&call);
	for (uint32_t i = 0; i < c->in; i++) {
		if (!c->spots[i].optional)
			continue;
		optional = true;
		call.arguments[i].omitted = true;
	}
	if (optional)
		add_call(&call, false, "%u inputs, %u outputs, none of the optional", c->in,
			 c->out);
	/* Shorter lists are the same as long ones as far as they go. */
	if (!c->whole)
		return;
	fill(&call, c, MOST);
	for (uint32_t i = 0; i < c->in + c->out; i++) {
		struct call changed = call;

		change_type(&call, i);
		change_rank(&call, &c->spots[i], i);
		changed.arguments[i].omitted = true;
		if (i >= c->in)
			continue;
		if (c->spots[i].optional)
			add_call(&changed, false, "input %u is omitted", i);
		else
			add_changed(&changed, "no value for input", i, 0);
	}
}

/* ------------------------------------------------------------------- scales and dimensions */

/* A call with the named configuration's types: the first of the operation that has @type first. */
struct first {
	int32_t type;
	const struct configuration *wanted;
	struct configuration found;
	bool done;
};

static void take_first(void *user, const struct configuration *c)
{
	struct first *first = user;
	uint32_t at = c->spots[0].type == ANEURALNETWORKS_INT32; /* PACK's axis */

	if (first->done || !c->whole || c->spots[at].type != first->type)
		return;
	first->found = *c;
	first->done = true;
}

static void first_call(struct call *call, int32_t operation, int32_t type)
{
	struct first first = { .type = type };

	definition_expand(operation, take_first, &first);
	if (!first.done)
		abort();
	fill(call, &first.found, FEWEST);
}

static void add_scales(void)
{
	static const int32_t keep[] = { ANEURALNETWORKS_REVERSE, ANEURALNETWORKS_MIRROR_PAD,
					ANEURALNETWORKS_PACK };
	static const int32_t quants[] = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
					  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED };
	struct call call;

	first_call(&call, ANEURALNETWORKS_MUL, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM);
	call.arguments[3].scale = 0.26f;
	add_call(&call, false, "scale above the product");
	call.arguments[3].scale = 0.25f;
	add_call(&call, true, "scale of the product");
	call.arguments[3].scale = 0.2f;
	add_call(&call, true, "scale below the product");
	/* Android's runtime does not look at the signed type. */
	first_call(&call, ANEURALNETWORKS_MUL, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
	call.arguments[3].scale = 0.2f;
	add_call(&call, false, "scale below the product");
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 2; k++) {
			uint32_t in = keep[i] == ANEURALNETWORKS_PACK;

			first_call(&call, keep[i], quants[k]);
			call.arguments[in].scale = 0.75f;
			add_call(&call, true, "another scale");
			first_call(&call, keep[i], quants[k]);
			call.arguments[in].zero_point = 7;
			add_call(&call, true, "another zero point");
			first_call(&call, keep[i], quants[k]);
			for (uint32_t n = 0; n < call.in + call.out; n++) {
				if (call.arguments[n].scale) {
					call.arguments[n].scale = 0.75f;
					call.arguments[n].zero_point = 7;
				}
			}
			add_call(&call, false, "the same scale and zero point");
		}
	}
	/* Nothing else: a fixed scale, a bias, an output that has to be as the input. */
	first_call(&call, ANEURALNETWORKS_LOGISTIC, quants[0]);
	call.arguments[1].scale = 3.0f;
	add_call(&call, false, "not the fixed scale");
	first_call(&call, ANEURALNETWORKS_TANH, quants[1]);
	add_call(&call, false, "not the fixed scale");
	first_call(&call, ANEURALNETWORKS_CONV_2D, quants[0]);
	call.arguments[2].scale = 3.0f;
	add_call(&call, false, "another scale of the bias");
	first_call(&call, ANEURALNETWORKS_RESHAPE, quants[0]);
	call.arguments[2].scale = 3.0f;
	add_call(&call, false, "another scale");
}

static void take_per_channel(void *user, const struct configuration *c)
{
	struct call call;

	if (c->in < 3 || c->spots[1].type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		return;
	for (uint32_t axis = 0; axis < 4; axis++) {
		fill(&call, c, MOST);
		call.arguments[1].channel_dim = axis;
		add_call(&call, axis != (c->operation == ANEURALNETWORKS_DEPTHWISE_CONV_2D ? 3 : 0),
			 "%u inputs, scales along dimension %u", c->in, axis);
	}
}

static void add_dimensions(void)
{
	struct call call;

	/* CAST: input and output are alike, as far as they are known. */
	first_call(&call, ANEURALNETWORKS_CAST, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[1].dims[0] = 3;
	add_call(&call, true, "another size");
	call.arguments[1].dims[0] = 0;
	add_call(&call, false, "an unknown size");
	call.arguments[1].dims[0] = 2;
	call.arguments[1].rank = 2;
	add_call(&call, true, "another rank");
	call.arguments[1].rank = 0;
	add_call(&call, false, "an unknown rank");

	/* PACK: inputs are alike in rank, the output has one dimension more. */
	first_call(&call, ANEURALNETWORKS_PACK, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[2].rank = 2;
	add_call(&call, true, "another rank of input 2");
	first_call(&call, ANEURALNETWORKS_PACK, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[3].rank = 1;
	add_call(&call, true, "the output's rank is an input's");
	call.arguments[3].rank = 3;
	add_call(&call, true, "the output has two dimensions more");
	call.arguments[3].rank = 0;
	add_call(&call, false, "an output of unknown rank");
	call.arguments[2].rank = 2;
	add_call(&call, true, "another rank of input 2, an output of unknown rank");

	/* REVERSE: one axis, and the output has as many dimensions as the input. */
	first_call(&call, ANEURALNETWORKS_REVERSE, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[1].dims[0] = 2;
	add_call(&call, true, "two axes");
	call.arguments[1].dims[0] = 0;
	add_call(&call, false, "an unknown number of axes");
	call.arguments[2].rank = call.arguments[0].rank + 1;
	add_call(&call, true, "another rank of the output");
	call.arguments[2].rank = 0;
	add_call(&call, false, "an output of unknown rank");

	/* MIRROR_PAD: two paddings for each dimension, and an output of as many dimensions. */
	first_call(&call, ANEURALNETWORKS_MIRROR_PAD, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[1].dims[0]++;
	add_call(&call, true, "paddings for one dimension more");
	call.arguments[1].dims[0] = 0;
	add_call(&call, false, "paddings for an unknown number of dimensions");
	call.arguments[1].dims[1] = 3;
	add_call(&call, true, "three paddings for a dimension");
	call.arguments[1].dims[1] = 0;
	add_call(&call, false, "an unknown number of paddings for a dimension");
	call.arguments[3].rank = call.arguments[0].rank + 1;
	add_call(&call, true, "another rank of the output");
	call.arguments[0].rank = 0;
	add_call(&call, false, "an input of unknown rank");

	/* ADD: ranks are looked at when both are known; FULLY_CONNECTED when all three are. */
	first_call(&call, ANEURALNETWORKS_ADD, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[0].rank = 5;
	add_call(&call, true, "five dimensions");
	call.arguments[1].rank = 0;
	add_call(&call, false, "five dimensions beside an unknown number");
	first_call(&call, ANEURALNETWORKS_FULLY_CONNECTED, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[1].rank = 3;
	add_call(&call, true, "weights with three dimensions");
	call.arguments[2].rank = 0;
	add_call(&call, false, "weights with three dimensions, a bias of unknown rank");

	/* FULLY_CONNECTED: [2, 2], weights [2, 2], bias [2] */
	first_call(&call, ANEURALNETWORKS_FULLY_CONNECTED, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[0].dims[1] = 3;
	call.arguments[1].dims[1] = 4;
	add_call(&call, true, "no multiple of the weights' columns");
	call.arguments[0].dims[1] = 0;
	add_call(&call, false, "an unknown size");
	first_call(&call, ANEURALNETWORKS_FULLY_CONNECTED, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[2].dims[0] = 3;
	add_call(&call, true, "more biases than units");
	call.arguments[2].dims[0] = 0;
	add_call(&call, false, "an unknown number of biases");
	first_call(&call, ANEURALNETWORKS_FULLY_CONNECTED, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[4].dims[1] = 7;
	add_call(&call, false, "another output than is inferred");

	/* Nothing else. */
	first_call(&call, ANEURALNETWORKS_ADD, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[1].dims[0] = 3;
	add_call(&call, false, "sizes that do not broadcast");
	first_call(&call, ANEURALNETWORKS_CONV_2D, ANEURALNETWORKS_TENSOR_FLOAT32);
	call.arguments[2].dims[0] = 9;
	add_call(&call, false, "more biases than channels");
}

/* ----------------------------------------------------------------------------- IF and WHILE */

/**
 * struct flow - an IF or a WHILE, and a case of a change to it
 * @change: what differs from the right one
 */
struct flow {
	char name[80];
	int32_t operation;
	enum {
		RIGHT,
		UNKNOWN_SIZES,
		NO_CONDITION_TYPE,
		CONDITION_SIZE,
		CONDITION_RANK,
		CONDITION_UNKNOWN,
		NO_MODEL,
		NOT_A_MODEL,
		ONE_INPUT_MORE,
		ONE_INPUT_LESS,
		ONE_OUTPUT_MORE,
		NO_OUTPUTS,
		INPUT_TYPE,
		INPUT_SIZE,
		INPUT_RANK,
		INPUT_SCALE,
		OUTPUT_TYPE,
		OUTPUT_SIZE,
		SECOND_MODEL_INPUTS,
		SECOND_MODEL_TYPE,
		CHANGES,
	} change;
	bool refused;
};

static const char *const changes[CHANGES] = {
	"right", "unknown sizes", "type of the condition", "size of the condition",
	"rank of the condition", "condition of unknown size", "no model is set",
	"a tensor as a model", "one input more", "one input less", "one output more",
	"no outputs", "type of an input", "size of an input", "rank of an input",
	"quantisation of an input", "type of an output", "size of an output",
	"inputs of the second model", "type in the second model",
};

static void operand(ANeuralNetworksModel *model, int32_t type, uint32_t rank, uint32_t size,
		    float scale)
{
	const uint32_t dims[2] = { size, size };
	const ANeuralNetworksOperandType t = { type, rank, rank ? dims : NULL, scale, 0 };

	assert_int_equal(ANeuralNetworksModel_addOperand(model, &t), 0);
}

/* out[2] = RELU(in[2]), with @extra inputs that nothing reads */
static ANeuralNetworksModel *branch(int32_t type, uint32_t extra)
{
	const uint32_t in[3] = { 0, 2, 3 }, out[1] = { 1 };
	ANeuralNetworksModel *model;

	assert_int_equal(ANeuralNetworksModel_create(&model), 0);
	for (uint32_t i = 0; i < 2 + extra; i++)
		operand(model, type, 1, 2, definition_is_quantised(type) ? 0.5f : 0);
	assert_int_equal(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, in, 1,
							   out), 0);
	assert_int_equal(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1 + extra, in, 1,
								       out), 0);
	assert_int_equal(ANeuralNetworksModel_finish(model), 0);
	return model;
}

/* out[1], BOOL8, = in[2] > 0; or with an output that is no condition */
static ANeuralNetworksModel *condition(int32_t type, int32_t result, uint32_t rank, uint32_t size)
{
	const uint32_t in[2] = { 0, 1 }, out[1] = { 2 }, one[1] = { 0 };
	ANeuralNetworksModel *model;

	assert_int_equal(ANeuralNetworksModel_create(&model), 0);
	operand(model, type, 1, 2, definition_is_quantised(type) ? 0.5f : 0);
	operand(model, ANEURALNETWORKS_INT32, 0, 0, 0);
	operand(model, result, rank, size, 0);
	assert_int_equal(ANeuralNetworksModel_setOperandValue(model, 1, &(int32_t){ 0 }, 4), 0);
	if (result == ANEURALNETWORKS_TENSOR_BOOL8)
		assert_int_equal(ANeuralNetworksModel_addOperation(
					 model, ANEURALNETWORKS_GREATER, 2,
					 (uint32_t[]){ 0, 0 }, 1, out), 0);
	else
		assert_int_equal(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ARGMAX, 2,
								   in, 1, out), 0);
	assert_int_equal(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, one, 1, out), 0);
	assert_int_equal(ANeuralNetworksModel_finish(model), 0);
	return model;
}

static void run_flow(void **state)
{
	const struct flow *flow = *state;
	bool loop = flow->operation == ANEURALNETWORKS_WHILE;
	int32_t type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, result = ANEURALNETWORKS_TENSOR_BOOL8;
	uint32_t in[5] = { 0, 1, 2, 3 }, out[2] = { 4, 5 };
	uint32_t in_count = loop ? 3 : 4, out_count = 1, rank = 1, size = 1;
	ANeuralNetworksModel *model, *models[2];

	if (flow->change == NO_CONDITION_TYPE)
		result = ANEURALNETWORKS_TENSOR_INT32;
	if (flow->change == CONDITION_SIZE)
		size = 2;
	if (flow->change == CONDITION_RANK)
		rank = 2;
	if (flow->change == CONDITION_UNKNOWN)
		rank = 0;
	models[0] = loop ? condition(type, result, rank, size) : branch(type, 0);
	models[1] = branch(flow->change == SECOND_MODEL_TYPE ?
				   ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED : type,
			   flow->change == SECOND_MODEL_INPUTS);

	/* 0 the condition of an IF, 1 and 2 the models, 3 the input, 4 and 5 outputs */
	assert_int_equal(ANeuralNetworksModel_create(&model), 0);
	operand(model, result, rank, size, 0);
	for (uint32_t i = 1; i < 6; i++) {
		int32_t t = i < 3 ? ANEURALNETWORKS_MODEL : type;
		uint32_t r = i > 2, n = 2;

		if ((i == 3 && flow->change == INPUT_TYPE) ||
		    (i == 4 && flow->change == OUTPUT_TYPE) ||
		    (i == 2 && flow->change == NOT_A_MODEL))
			t = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
		if ((i == 3 && flow->change == INPUT_SIZE) ||
		    (i == 4 && flow->change == OUTPUT_SIZE))
			n = 3;
		if (i > 2 && flow->change == UNKNOWN_SIZES)
			n = 0;
		if (i == 3 && flow->change == INPUT_RANK)
			r = 2;
		operand(model, t, r, n,
			t == ANEURALNETWORKS_MODEL ? 0 :
			i == 3 && flow->change == INPUT_SCALE ? 0.25f : 0.5f);
		if (t == ANEURALNETWORKS_MODEL && !(i == 1 && flow->change == NO_MODEL))
			assert_int_equal(ANeuralNetworksModel_setOperandValueFromModel(
						 model, i, models[i - 1]), 0);
	}
	if (loop)
		memmove(in, in + 1, 3 * sizeof(in[0]));
	if (flow->change == ONE_INPUT_MORE) {
		in[in_count] = 3;
		in_count++;
	}
	in_count -= flow->change == ONE_INPUT_LESS;
	out_count += flow->change == ONE_OUTPUT_MORE;
	out_count -= flow->change == NO_OUTPUTS;
	assert_int_equal(ANeuralNetworksModel_addOperation(model, flow->operation, in_count, in,
							   out_count, out),
			 flow->refused ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(models[0]);
	ANeuralNetworksModel_free(models[1]);
}

static void add_flows(void)
{
	for (int loop = 0; loop < 2; loop++) {
		for (int change = RIGHT; change < CHANGES; change++) {
			struct flow *flow = calloc(1, sizeof(*flow));

			if (test_count == test_room)
				tests = reallocarray(tests, test_room *= 2, sizeof(*tests));
			if (!flow || !tests)
				abort();
			flow->operation = loop ? ANEURALNETWORKS_WHILE : ANEURALNETWORKS_IF;
			flow->change = change;
			flow->refused = change > UNKNOWN_SIZES;
			snprintf(flow->name, sizeof(flow->name), "%s: %s", loop ? "WHILE" : "IF",
				 changes[change]);
			tests[test_count++] = (struct CMUnitTest){ flow->name, run_flow, NULL,
								   NULL, flow };
		}
	}
}

int main(void)
{
	int failed;

	setenv("NNACCEL_DEVICE", "loopback", 1);
	for (int32_t operation = 0; operation < OPERATIONS; operation++) {
		definition_expand(operation, take_configuration, NULL);
		definition_expand(operation, take_per_channel, NULL);
	}
	add_scales();
	add_dimensions();
	add_flows();
	failed = _cmocka_run_group_tests("signatures", tests, test_count, NULL, NULL);
	for (size_t i = 0; i < test_count; i++)
		free(tests[i].initial_state);
	free(tests);
	return failed ? 1 : 0;
}
