// SPDX-License-Identifier: MIT
/*
 * The support column of the table of signatures against ops/: an operation with operands of one
 * kind after the other is refused, by a message that names the operand, where the column does not
 * have it; and is not refused for a type, a rank or a count where the column does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"
#include "tests/unit/libnnaccel/signature_walk.h"

static char said[512];

/* How many calls there were, and how many were not answered as the column says. */
struct tally {
	uint32_t calls, wrong;
};

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

static int add_operand(struct nna_graph *g, const struct walk_operand *operand)
{
	static const uint32_t dims[WALK_RANKS] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static const float scales[2] = { 0.5f, 0.5f };
	struct nna_operand_desc desc = {
		.type = operand->type, .rank = operand->rank, .dims = dims,
	};

	if (operand->type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		desc.channel_count = 2;
		desc.channel_scales = scales;
	} else if (nna_operand_type_is_quantised(operand->type)) {
		desc.scale = 0.5f;
	}
	return nna_graph_add_operand(g, 0, &desc);
}

/* A graph of the operation alone. Return: what finishing it returns. */
static int build(const struct walk_call *call)
{
	uint32_t total = call->inputs + call->outputs, numbers[WALK_OPERANDS], given = 0;
	static const struct nna_log log = { log_line, NULL };
	uint32_t ins[WALK_OPERANDS], outs[WALK_OPERANDS];
	struct nna_graph *g;
	int ret;

	said[0] = 0;
	assert_int_equal(nna_graph_create(&log, &g), 0);
	for (uint32_t i = 0; i < total; i++) {
		ret = add_operand(g, &call->operands[i]);
		if (ret < 0)
			fail_msg("%s: operand %u: %s", call->signature->name, i, said);
		numbers[i] = (uint32_t)ret;
		if (call->operands[i].omitted)
			assert_int_equal(nna_graph_set_no_value(g, 0, numbers[i]), 0);
		else if (i < call->inputs)
			ins[given++] = numbers[i];
		else
			outs[i - call->inputs] = numbers[i];
	}
	ret = nna_graph_add_operation(g, 0, call->signature->operation, call->inputs, numbers,
				      call->outputs, numbers + call->inputs) ?:
	      nna_graph_set_io(g, 0, given, ins, call->outputs, outs) ?: nna_graph_finish(g);
	nna_graph_unref(g);
	return ret;
}

static struct nna_actual actual(const void *context, bool output, uint32_t index)
{
	const struct walk_call *call = context;
	const struct walk_operand *operand = &call->operands[index + (output ? call->inputs : 0)];

	return (struct nna_actual){
		.type = operand->type, .rank = (int32_t)operand->rank, .omitted = operand->omitted,
	};
}

/* The table's own answer. A line begins with the operation as that of ops/ does. */
static int ask_table(const struct walk_call *call, enum nna_column column)
{
	const struct nna_call asked = {
		call->signature->operation, call->inputs, call->outputs, actual, call,
	};
	char text[NNA_REFUSAL_SIZE] = "";
	int ret = nna_signature_check(&asked, column, text);

	snprintf(said, sizeof(said), "%s: %s", call->signature->name, text);
	return ret;
}

static void visit(const struct walk_call *call, void *context)
{
	struct tally *tally = context;
	uint32_t operation = call->signature->operation;
	bool right;
	int ret;

	/* An operation of a graph may have outputs without a value, but not without any output. */
	if (call->output && (call->fault == WALK_NO_VALUE || !call->outputs))
		return;
	/* The operands are those of subgraphs, which the table does not know. */
	if (operation == NNA_OPERATION_IF || operation == NNA_OPERATION_WHILE)
		ret = ask_table(call, NNA_SUPPORT);
	else
		ret = build(call);
	tally->calls++;
	if (call->fault == WALK_FITS)
		right = !ret || (ret == -EINVAL && !strstr(said, "see nnaccel-operations(7)"));
	else
		right = ret == -EINVAL && walk_is_said(call, said);
	if (right)
		return;
	if (tally->wrong++ < 20)
		print_error("%s, %s %u, fault %u: returned %d, said \"%s\"\n",
			    call->signature->name, call->output ? "output" : "input", call->index,
			    call->fault, ret, said);
}

static void test_column(void **state)
{
	struct tally tally = { 0 };

	walk_column(NNA_SUPPORT, visit, &tally);
	print_message("%u operations\n", tally.calls);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.calls > 10000);
}

/*
 * What Android takes fits the support column, with each rank that Android takes; where Android does
 * not look at the rank, with those that can be computed. TFLite's delegate gives an omitted operand
 * a type that it could not have with a value: it is omitted here.
 */
static void visit_android(const struct walk_call *call, void *context)
{
	struct tally *tally = context;
	struct walk_call other = *call;

	if (call->fault != WALK_FITS)
		return;
	for (uint32_t i = 0; i < call->inputs; i++) {
		const struct nna_formal *formal = walk_formal(call->form->inputs, i);

		if (formal->kind == NNA_KIND_FIXED && formal->flags[NNA_ANDROID] & NNA_OPTIONAL)
			other.operands[i].omitted = !(formal->types[NNA_SUPPORT] &
						      nna_type_set(call->operands[i].type));
	}
	for (uint32_t i = 0; i < call->inputs + call->outputs; i++) {
		const struct nna_formal *formal =
			walk_formal(i < call->inputs ? call->form->inputs : call->form->outputs,
				    i < call->inputs ? i : i - call->inputs);

		const struct nna_ranks computed = formal->rank[NNA_SUPPORT];

		for (uint32_t rank = 1; rank <= WALK_RANKS && call->operands[i].rank; rank++) {
			if (!formal->rank[NNA_ANDROID].most && computed.most &&
			    (rank < computed.least || rank > computed.most))
				continue;
			other.operands[i].rank = rank;
			if (ask_table(&other, NNA_ANDROID))
				continue;
			tally->calls++;
			if (!ask_table(&other, NNA_SUPPORT))
				continue;
			if (tally->wrong++ < 20)
				print_error("%s\n", said);
		}
		other.operands[i].rank = call->operands[i].rank;
	}
}

static void test_support_includes_android(void **state)
{
	struct tally tally = { 0 };

	walk_column(NNA_ANDROID, visit_android, &tally);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.calls > 1000);
}

/* Every operation of ops/ has a row, and every row is an operation of ops/. */
static void test_rows(void **state)
{
	const struct nna_signature *signature;

	for (uint32_t i = 0; (signature = nna_signature_at(i)); i++) {
		assert_ptr_equal(nna_signature_find(signature->operation, NNA_SUPPORT), signature);
		assert_string_equal(nna_operation_name(signature->operation), signature->name);
	}
	assert_null(nna_operation_name(NNA_OPERATION_REVERSE + 1));
	/* A column that does not have an operation says so. */
	assert_int_equal(ask_table(&(struct walk_call){ .signature = &(struct nna_signature){
					   NNA_OPERATION_REVERSE + 1, "none", NULL } },
				   NNA_SUPPORT), -ENOENT);
	assert_non_null(strstr(said, "there is no such operation: see nnaccel-operations(7)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_column),
		cmocka_unit_test(test_support_includes_android),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
