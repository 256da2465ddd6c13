// SPDX-License-Identifier: MIT
/*
 * Whether ANeuralNetworksModel_getSupportedOperationsForDevices() and compiling agree: no random
 * model of which all operations are said to be supported may fail to compile.
 *
 *	agree [--count N] [--seed S] [--verbose]
 *
 * A model is a chain of one to three operations of random configurations (definition.h), with up to
 * 8 dimensions and up to the sizes that a type can have. Most dimensions of a model are one number,
 * so that many operations are right, and parameters are constants of which many make sense.
 * Outputs, and sometimes inputs, leave their dimensions open. Nothing is executed. The closing line
 * says how many models had all operations supported, as a test that compiles nothing shows nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "tests/nnapi/definition.h"

#define OPERATIONS 106
#define MAX_CONSTANT 4096

/**
 * struct random - a source of numbers: xorshift
 */
struct random {
	uint64_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (r->state >> 16) % n;
}

static struct configuration *configurations;
static size_t configuration_count;

static void collect(void *user, const struct configuration *c)
{
	configurations = reallocarray(configurations, configuration_count + 1,
				      sizeof(*configurations));
	if (!configurations)
		abort();
	configurations[configuration_count++] = *c;
}

/**
 * struct maker - a model in the making
 * @common: what most of its dimensions are
 * @rank: of most of its tensors, as far as their operation allows
 * @ones: all INT32 scalars of this operation are 1, which suits strides, groups, activations
 * @count: operands so far
 * @inputs: numbers of operands
 * @outputs: numbers of operands
 * @previous: an operand that an operation has written, @previous_type its type; -1 for none
 */
struct maker {
	struct random *random;
	ANeuralNetworksModel *model;
	uint32_t common, rank, count;
	bool ones;
	uint32_t inputs[4 * MAX_OPERANDS], input_count;
	uint32_t outputs[4 * MAX_OPERANDS], output_count;
	int32_t previous, previous_type;
};

static uint32_t type_size(int32_t type)
{
	switch (type) {
	case ANEURALNETWORKS_TENSOR_FLOAT32:
	case ANEURALNETWORKS_TENSOR_INT32:
		return 4;
	case ANEURALNETWORKS_TENSOR_FLOAT16:
	case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
	case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
		return 2;
	default:
		return 1;
	}
}

static uint32_t pick_size(struct maker *m)
{
	static const uint32_t sizes[] = { 1, 2, 3, 7, 16, 255, 4096, 65535, 65536, 1u << 24,
					  1u << 29, (1u << 31) - 1 };
	uint32_t what = below(m->random, 40);

	return what < 37 ? m->common : what == 37 ? 0 :
	       sizes[below(m->random, sizeof(sizes) / sizeof(sizes[0]))];
}

static uint32_t pick_rank(struct maker *m, const struct spot *spot)
{
	uint32_t high = spot->high == ANY_RANK ? 8 : spot->high;

	if (m->rank < spot->low)
		return spot->low;
	return m->rank > high ? high : m->rank;
}

/* Small numbers that are right for many parameters. */
static void fill_numbers(struct maker *m, int32_t *numbers, uint32_t count)
{
	static const int32_t some[] = { 0, 1, 1, 1, 2, -1, 3 };
	uint32_t how = below(m->random, 5);

	for (uint32_t i = 0; i < count; i++) {
		switch (how) {
		case 0:
			numbers[i] = 0;
			break;
		case 1:
			numbers[i] = i;
			break;
		case 2:
			numbers[i] = 1;
			break;
		case 3:
			numbers[i] = m->common;
			break;
		default:
			numbers[i] = some[below(m->random, 7)];
			break;
		}
	}
}

/* Adds an operand. Return: a result code, which is BAD_DATA for a tensor that is too large. */
static int add_operand(struct maker *m, const struct spot *spot, uint32_t rank,
		       const uint32_t *dims)
{
	const ANeuralNetworksOperandType type = {
		.type = spot->type,
		.dimensionCount = rank,
		.dimensions = rank ? dims : NULL,
		.scale = definition_is_quantised(spot->type) &&
			 spot->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL ? 0.5f : 0,
		.zeroPoint = 0,
	};
	int ret = ANeuralNetworksModel_addOperand(m->model, &type);

	m->count += !ret;
	return ret;
}

static int add_scales(struct maker *m, uint32_t rank, const uint32_t *dims, bool depthwise)
{
	static float scales[MAX_CONSTANT];
	uint32_t axis = depthwise ? 3 : 0;
	const ANeuralNetworksSymmPerChannelQuantParams params = {
		axis, axis < rank ? dims[axis] : 0, scales,
	};

	for (uint32_t i = 0; i < MAX_CONSTANT; i++)
		scales[i] = 0.25f;
	if (!params.scaleCount || params.scaleCount > MAX_CONSTANT)
		return ANEURALNETWORKS_BAD_DATA;
	return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m->model, m->count - 1,
									&params);
}

/* A scalar, constant as a rule. */
static int add_scalar(struct maker *m, const struct spot *spot)
{
	const float value = below(m->random, 2) ? 1.0f : 0.5f;
	const uint16_t half = value == 1.0f ? 0x3c00 : 0x3800;
	const uint8_t flag = below(m->random, 4) == 0;
	int32_t number;
	int ret = add_operand(m, spot, 0, NULL);

	if (ret)
		return ret;
	if (!below(m->random, 50)) {
		m->inputs[m->input_count++] = m->count - 1;
		return 0;
	}
	fill_numbers(m, &number, 1);
	if (m->ones)
		number = 1;
	switch (spot->type) {
	case ANEURALNETWORKS_FLOAT32:
		return ANeuralNetworksModel_setOperandValue(m->model, m->count - 1, &value, 4);
	case ANEURALNETWORKS_FLOAT16:
		return ANeuralNetworksModel_setOperandValue(m->model, m->count - 1, &half, 2);
	case ANEURALNETWORKS_BOOL:
		return ANeuralNetworksModel_setOperandValue(m->model, m->count - 1, &flag, 1);
	default:
		return ANeuralNetworksModel_setOperandValue(m->model, m->count - 1, &number, 4);
	}
}

/* An INT32 tensor that is no data but a parameter: [rank] or [rank, 2], constant as a rule. */
static int add_parameter(struct maker *m, const struct spot *spot, uint32_t rank)
{
	uint32_t dims[2] = { below(m->random, 8) ? rank : m->common, 2 };
	/* Values of more than 128 bytes have to stay: these do not become that many. */
	int32_t numbers[32] = { 0 };
	int ret = add_operand(m, spot, spot->low, dims);

	if (ret)
		return ret;
	if (dims[0] > 16 || !dims[0] || !below(m->random, 20)) {
		m->inputs[m->input_count++] = m->count - 1;
		return 0;
	}
	fill_numbers(m, numbers, dims[0] * (spot->low == 2 ? 2 : 1));
	return ANeuralNetworksModel_setOperandValue(m->model, m->count - 1, numbers,
						    4 * dims[0] * (spot->low == 2 ? 2 : 1));
}

/* A tensor with random dimensions; or, where that goes, what the operation before has written. */
static int add_tensor(struct maker *m, const struct spot *spot, uint32_t more, bool output,
		      bool depthwise, uint32_t *number)
{
	uint32_t rank = pick_rank(m, spot), dims[10];
	uint64_t bytes = type_size(spot->type);
	int ret;

	if (!output && m->previous >= 0 && m->previous_type == spot->type) {
		*number = m->previous;
		m->previous = -1;
		return 0;
	}
	if (spot->more)
		rank = more + 1;
	if (output && below(m->random, 4))
		rank = 0;
	else if (!output && !below(m->random, 30))
		rank = 0;
	for (uint32_t i = 0; i < rank; i++) {
		dims[i] = output && below(m->random, 3) ? 0 : pick_size(m);
		bytes *= dims[i] ? dims[i] : 1;
		if (bytes > UINT32_MAX) {
			bytes /= dims[i];
			dims[i] = 1;
		}
	}
	*number = m->count;
	ret = add_operand(m, spot, rank, dims);
	if (!ret && spot->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		ret = add_scales(m, rank, dims, depthwise);
	if (ret)
		return ret;
	if (output)
		m->outputs[m->output_count++] = *number;
	else if (spot->optional && below(m->random, 2))
		return ANeuralNetworksModel_setOperandValue(m->model, *number, NULL, 0);
	else
		m->inputs[m->input_count++] = *number;
	return 0;
}

/* One operation of a configuration, all operands included. */
static int add_operation(struct maker *m, const struct configuration *c)
{
	bool depthwise = c->operation == ANEURALNETWORKS_DEPTHWISE_CONV_2D;
	uint32_t numbers[MAX_OPERANDS], rank = m->rank;
	int ret = 0;

	m->ones = below(m->random, 2);
	for (uint32_t i = 0; i < c->in + c->out && !ret; i++) {
		const struct spot *spot = &c->spots[i];
		bool output = i >= c->in;

		numbers[i] = m->count;
		if (!output && i && spot->type == ANEURALNETWORKS_TENSOR_INT32 &&
		    c->spots[0].type != spot->type && spot->low == spot->high && spot->low < 3 &&
		    !spot->optional)
			ret = add_parameter(m, spot, rank);
		else if (definition_is_tensor(spot->type))
			ret = add_tensor(m, spot, rank, output, depthwise, &numbers[i]);
		else if (!output)
			ret = add_scalar(m, spot);
		else if (!(ret = add_operand(m, spot, 0, NULL)))
			m->outputs[m->output_count++] = numbers[i];
		if (!i)
			rank = pick_rank(m, spot);
	}
	if (ret)
		return ret;
	ret = ANeuralNetworksModel_addOperation(m->model, c->operation, c->in, numbers, c->out,
						numbers + c->in);
	if (!ret && definition_is_tensor(c->spots[c->in].type)) {
		m->previous = numbers[c->in];
		m->previous_type = c->spots[c->in].type;
	}
	return ret;
}

enum verdict { NOT_A_MODEL, NOT_SUPPORTED, AGREED, DISAGREED };

static enum verdict judge(ANeuralNetworksModel *model, uint32_t operations, int *result)
{
	const ANeuralNetworksDevice *device;
	ANeuralNetworksCompilation *compilation = NULL;
	bool supported[4] = { 0 };

	if (ANeuralNetworks_getDevice(0, (ANeuralNetworksDevice **)&device))
		abort();
	*result = ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1,
									supported);
	if (*result)
		return DISAGREED;
	for (uint32_t i = 0; i < operations; i++) {
		if (!supported[i])
			return NOT_SUPPORTED;
	}
	*result = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
	if (!*result)
		*result = ANeuralNetworksCompilation_finish(compilation);
	ANeuralNetworksCompilation_free(compilation);
	return *result ? DISAGREED : AGREED;
}

/* Model number @seed. @text: its operations. */
static enum verdict try_model(uint64_t seed, char *text, size_t size, int *result)
{
	static const uint32_t common[] = { 1, 1, 2, 2, 2, 3, 4, 4, 5, 8, 16, 64, 1000 };
	struct random random = { .state = (seed + 1) * 0x9e3779b97f4a7c15ull };
	struct maker m = { .random = &random, .previous = -1 };
	enum verdict verdict = NOT_A_MODEL;
	uint32_t wanted, operations = 0;

	for (int i = 0; i < 8; i++)
		below(&random, 2);
	m.common = common[below(&random, sizeof(common) / sizeof(common[0]))];
	m.rank = below(&random, 3) ? 4 : 1 + below(&random, 8);
	wanted = 1 + below(&random, 3);
	text[0] = '\0';
	if (ANeuralNetworksModel_create(&m.model))
		abort();
	while (operations < wanted) {
		const struct configuration *c;
		int32_t operation = below(&random, OPERATIONS);
		size_t n = 0, which;

		/* Operations are equally likely, however many configurations they have. */
		for (size_t i = 0; i < configuration_count; i++)
			n += configurations[i].operation == operation;
		if (!n)
			continue;
		which = below(&random, n);
		for (c = configurations; c->operation != operation || which--; c++)
			;
		snprintf(text + strlen(text), size - strlen(text), "%s%s",
			 operations ? ", " : "", definition_operation_name(operation));
		if (add_operation(&m, c))
			break;
		operations++;
	}
	/* What is written and read again is an output, too. */
	if (operations == wanted &&
	    !ANeuralNetworksModel_identifyInputsAndOutputs(m.model, m.input_count, m.inputs,
							   m.output_count, m.outputs) &&
	    !ANeuralNetworksModel_finish(m.model))
		verdict = judge(m.model, operations, result);
	ANeuralNetworksModel_free(m.model);
	return verdict;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = text ? strtoull(text, &end, 0) : 0;
	return text && *text && !*end && !errno;
}

int main(int argc, char **argv)
{
	uint64_t count = 1000, seed = 0, counts[DISAGREED + 1] = { 0 };
	bool verbose = false;
	char text[256];

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--verbose")) {
			verbose = true;
		} else if ((strcmp(argv[i], "--count") || !number(argv[++i], &count)) &&
			   (strcmp(argv[i], "--seed") || !number(argv[++i], &seed))) {
			fprintf(stderr, "usage: agree [--count N] [--seed S] [--verbose]\n");
			return 2;
		}
	}
	setenv("NNACCEL_DEVICE", "loopback", 1);
	definition_expand(-1, collect, NULL);
	for (uint64_t models = 0; models < count; seed++) {
		int result = 0;
		enum verdict verdict = try_model(seed, text, sizeof(text), &result);

		counts[verdict]++;
		models += verdict != NOT_A_MODEL;
		if (verdict == DISAGREED)
			printf("FAIL --seed %llu: %s: supported, but compiling ends with %d\n",
			       (unsigned long long)seed, text, result);
		else if (verbose)
			printf("--seed %llu: %s: %d\n", (unsigned long long)seed, text, verdict);
	}
	printf("%llu models: %llu compiled, %llu with operations that are not supported\n",
	       (unsigned long long)count, (unsigned long long)counts[AGREED],
	       (unsigned long long)counts[NOT_SUPPORTED]);
	/* Were next to none supported, the models would have to be better. */
	if (counts[AGREED] < count / 5) {
		printf("FAIL less than a fifth of the models is supported\n");
		counts[DISAGREED]++;
	}
	printf("%llu passed, %llu failed\n",
	       (unsigned long long)(counts[AGREED] + counts[NOT_SUPPORTED]),
	       (unsigned long long)counts[DISAGREED]);
	free(configurations);
	return counts[DISAGREED] != 0;
}
