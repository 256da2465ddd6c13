// SPDX-License-Identifier: MIT
/*
 * Signatures as their callers use them: without a model. What each operation takes is tested
 * through the C API, tests/nnapi/test_signatures.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/common/signature.h"
#include "libnnaccel/support/signature.h"
#include "nnaccel.h"
#include "tests/unit/libnnaccel/signature_walk.h"

/* A subgraph of the caller's: how many arguments it has, all of them [2] of @type. */
struct subgraph {
	uint32_t inputs, outputs;
	uint32_t type;
};

static const uint32_t one[1] = { 1 }, two[1] = { 2 };

static uint32_t count(const void *subgraph, bool output)
{
	const struct subgraph *self = subgraph;

	return output ? self->outputs : self->inputs;
}

static struct nnb_signature_operand argument(const void *subgraph, bool output, uint32_t index)
{
	const struct subgraph *self = subgraph;

	return (struct nnb_signature_operand){ .type = self->type, .rank = 1, .dims = two };
}

static const struct nnb_signature_operand condition = { .type = NNA_OPERAND_TENSOR_BOOL8,
							.rank = 1,
							.dims = one };
static const struct nnb_signature_operand tensor = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						     .rank = 1,
						     .dims = two };

static int check(uint32_t operation, const struct nnb_signature_operand *inputs,
		 uint32_t input_count, const struct nnb_signature_operand *outputs,
		 uint32_t output_count)
{
	const struct nnb_signature_call call = {
		.operation = operation,
		.inputs = inputs,
		.input_count = input_count,
		.outputs = outputs,
		.output_count = output_count,
		.count = count,
		.argument = argument,
	};

	return nnb_signature_check(&call);
}

static void test_every_operation_has_one(void **state)
{
	for (uint32_t i = 0; i <= NNA_OPERATION_REVERSE; i++)
		assert_non_null(nna_signature_find(i, NNA_ANDROID));
	assert_null(nna_signature_find(NNA_OPERATION_REVERSE + 1, NNA_ANDROID));
	assert_int_equal(check(NNA_OPERATION_REVERSE + 1, &tensor, 1, &tensor, 1), -EINVAL);
	assert_int_equal(check(NNA_OPERATION_GATHER_ND, &tensor, 1, &tensor, 1), -EINVAL);
	/* An OEM operation takes what it likes. */
	assert_int_equal(check(NNB_OEM, NULL, 0, NULL, 0), 0);
}

/* Without any operands every operation says no, and does not look for them. */
static void test_no_operands(void **state)
{
	for (uint32_t i = 0; i <= NNA_OPERATION_REVERSE; i++) {
		assert_int_equal(check(i, NULL, 0, NULL, 0), -EINVAL);
		assert_int_equal(check(i, &tensor, 1, NULL, 0), -EINVAL);
		assert_int_equal(check(i, NULL, 0, &tensor, 1), -EINVAL);
	}
}

static void test_subgraphs_of_the_caller(void **state)
{
	const struct subgraph right = { 1, 1, NNA_OPERAND_TENSOR_FLOAT32 };
	const struct subgraph wrong[] = {
		{ 2, 1, NNA_OPERAND_TENSOR_FLOAT32 },
		{ 1, 2, NNA_OPERAND_TENSOR_FLOAT32 },
		{ 1, 1, NNA_OPERAND_TENSOR_FLOAT16 },
	};
	struct nnb_signature_operand inputs[4] = {
		condition,
		{ .type = NNA_OPERAND_SUBGRAPH, .subgraph = &right },
		{ .type = NNA_OPERAND_SUBGRAPH, .subgraph = &right },
		tensor,
	};

	assert_int_equal(check(NNA_OPERATION_IF, inputs, 4, &tensor, 1), 0);
	for (size_t i = 0; i < 3; i++) {
		inputs[2].subgraph = &wrong[i];
		assert_int_equal(check(NNA_OPERATION_IF, inputs, 4, &tensor, 1), -EINVAL);
	}
	inputs[2].subgraph = NULL;
	assert_int_equal(check(NNA_OPERATION_IF, inputs, 4, &tensor, 1), -EINVAL);
}

/* What a refusal writes to standard error. */
static void refusal(char *text, size_t size, uint32_t operation,
		    const struct nnb_signature_operand *inputs, uint32_t input_count)
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);

	assert_non_null(file);
	assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	assert_int_equal(check(operation, inputs, input_count, &tensor, 1), -EINVAL);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	memset(text, 0, size);
	assert_non_null(fgets(text, size, file));
	fclose(file);
}

/* The line names the operation, the operand and the rule. */
static void test_refusals_say_why(void **state)
{
	static const uint32_t five[5] = { 1, 1, 1, 1, 1 };
	const struct nnb_signature_operand activation = { .type = NNA_OPERAND_INT32 };
	struct nnb_signature_operand inputs[3] = { tensor, tensor, activation };
	char text[512];

	inputs[1].type = NNA_OPERAND_TENSOR_INT32;
	refusal(text, sizeof(text), NNA_OPERATION_ADD, inputs, 3);
	assert_non_null(strstr(text, "ADD: input 1 (b) is TENSOR_INT32, expected TENSOR_FLOAT32 because "
				     "input 0 (a) is TENSOR_FLOAT32: "));
	inputs[1] = tensor;
	inputs[1].rank = 5;
	inputs[1].dims = five;
	refusal(text, sizeof(text), NNA_OPERATION_ADD, inputs, 3);
	assert_non_null(strstr(text, "ADD: inputs 0 and 1 have ranks 1 and 5, expected 4 at most"));
	refusal(text, sizeof(text), NNA_OPERATION_RELU, inputs + 1, 1);
	assert_non_null(strstr(text, "RELU: input 0 (input) has rank 5, expected rank 1 to 4: "));
	inputs[1] = tensor;
	refusal(text, sizeof(text), NNA_OPERATION_ADD, inputs, 2);
	assert_non_null(strstr(text, "ADD: 2 inputs, expected 3: "));
	inputs[2].omitted = true;
	refusal(text, sizeof(text), NNA_OPERATION_ADD, inputs, 3);
	assert_non_null(strstr(text, "ADD: input 2 (activation) has no value"));
}

/* What a walk through Android's column found. */
struct tally {
	uint32_t calls, wrong;
	int said;
	char first[768];
};

/* Checks a call; its line, if there is one, is the only one in @tally->said. */
static void visit(const struct walk_call *call, void *context)
{
	static const uint32_t dims[WALK_RANKS] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	struct nnb_signature_operand operands[WALK_OPERANDS];
	struct tally *tally = context;
	char text[512] = "";
	bool right;
	int ret;

	for (uint32_t i = 0; i < call->inputs + call->outputs; i++) {
		const struct walk_operand *from = &call->operands[i];
		bool quantised = nna_operand_type_is_quantised(from->type);

		operands[i] = (struct nnb_signature_operand){
			.type = from->type,
			.rank = from->rank,
			.dims = dims,
			.scale = quantised ? 0.5f : 0,
			.omitted = from->omitted,
		};
	}
	assert_int_equal(ftruncate(tally->said, 0), 0);
	ret = check(call->signature->operation, operands, call->inputs, operands + call->inputs,
		    call->outputs);
	tally->calls++;
	assert_true(pread(tally->said, text, sizeof(text) - 1, 0) >= 0);
	/* Their own rules ask for subgraphs; PACK's for an output of one dimension more. */
	if (call->fault == WALK_FITS)
		right = !ret || (ret == -EINVAL && !strstr(text, "see NeuralNetworks.h"));
	else
		right = ret == -EINVAL && walk_is_said(call, text);
	if (!right && !tally->wrong++)
		snprintf(tally->first, sizeof(tally->first),
			 "%s, %s %u, fault %u: returned %d, said \"%s\"", call->signature->name,
			 call->output ? "output" : "input", call->index, call->fault, ret, text);
}

/* Each call that differs from Android's column in one thing is refused by a line that says it. */
static void test_column(void **state)
{
	FILE *file = tmpfile();
	struct tally tally = { .said = file ? fileno(file) : -1 };
	int kept = dup(STDERR_FILENO);

	assert_true(file && kept >= 0);
	/* Each line is written at the end, which is the start of an empty file. */
	assert_int_equal(fcntl(tally.said, F_SETFL, O_APPEND), 0);
	assert_true(dup2(tally.said, STDERR_FILENO) >= 0);
	walk_column(NNA_ANDROID, visit, &tally);
	dup2(kept, STDERR_FILENO);
	close(kept);
	fclose(file);
	print_message("%u operations\n", tally.calls);
	if (tally.wrong)
		fail_msg("%u wrong, the first: %s", tally.wrong, tally.first);
	assert_true(tally.calls > 10000);
}

/* An INT8 layer of TFLite, for which NNAPI's text has no form: its delegate knows this one. */
static void test_sequence_of_integers(void **state)
{
	static const uint8_t types[] = {
		[0 ... 8] = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED,
		[9 ... 11] = NNA_OPERAND_TENSOR_FLOAT32,
		[12 ... 15] = NNA_OPERAND_TENSOR_INT32,
		[16 ... 17] = NNA_OPERAND_TENSOR_FLOAT32,
		[18] = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED,
		[19] = NNA_OPERAND_TENSOR_QUANT16_SYMM,
		[20] = NNA_OPERAND_INT32,
		[21 ... 22] = NNA_OPERAND_FLOAT32,
		[23] = NNA_OPERAND_BOOL,
		[24 ... 27] = NNA_OPERAND_TENSOR_FLOAT32,
	};
	static const uint32_t dims[3] = { 2, 2, 2 };
	struct nnb_signature_operand in[28];

	for (uint32_t i = 0; i < 28; i++) {
		bool vector = i >= 9 && i < 16, scalar = i >= 20 && i < 24;

		in[i] = (struct nnb_signature_operand){
			.type = types[i], .dims = dims,
			.rank = i == 0 ? 3 : scalar ? 0 : vector ? 1 : 2,
			.omitted = types[i] == NNA_OPERAND_TENSOR_FLOAT32,
		};
	}
	assert_int_equal(check(NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM, in, 28, in, 1), 0);
	in[19].type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	assert_int_equal(check(NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM, in, 28, in, 1), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operation_has_one),
		cmocka_unit_test(test_no_operands),
		cmocka_unit_test(test_subgraphs_of_the_caller),
		cmocka_unit_test(test_refusals_say_why),
		cmocka_unit_test(test_column),
		cmocka_unit_test(test_sequence_of_integers),
	};

	setenv("NNACCEL_LOG", "model", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
