// SPDX-License-Identifier: MIT
/*
 * The table of signatures, made from operation_list.h, which explains how its rows read. Here are
 * the words of those rows.
 */
#include "libnnaccel/support/signature.h"

/* Sets of types. */
#define TYPE(name) NNA_BIT(NNA_OPERAND_##name)
#define F NNA_T_FLOAT
#define F32 TYPE(TENSOR_FLOAT32)
#define F16 TYPE(TENSOR_FLOAT16)
#define Q8 NNA_T_QUANT8
#define U8 TYPE(TENSOR_QUANT8_ASYMM)
#define N8 TYPE(TENSOR_QUANT8_ASYMM_SIGNED)
#define S8 TYPE(TENSOR_QUANT8_SYMM)
#define C8 TYPE(TENSOR_QUANT8_SYMM_PER_CHANNEL)
#define S16 TYPE(TENSOR_QUANT16_SYMM)
#define A16 TYPE(TENSOR_QUANT16_ASYMM)
#define I32 NNA_T_INT32
#define I64 NNA_T_INT64
#define B8 NNA_T_BOOL
#define ALL NNA_T_ALL
#define TENSORS ((NNA_T_ALL & ~I64) | C8) /* NNAPI's */
#define ANDROID_TYPES UINT32_MAX
#define ANY_TYPE UINT64_MAX

/* Formal operands. The names come first in __VA_ARGS__. */
#define FORMAL(what, n, ...) { .count = (n), .kind = NNA_KIND_##what, .names = __VA_ARGS__ }
#define T_N(n, ...) FORMAL(T, n, __VA_ARGS__)
#define T(...) T_N(1, __VA_ARGS__)
#define MANY_T(...) T_N(NNA_MANY, __VA_ARGS__)
#define FILTER(...) FORMAL(FILTER, 1, __VA_ARGS__)
#define BIAS(...) FORMAL(BIAS, 1, __VA_ARGS__)
#define BOX(...) FORMAL(BOX, 1, __VA_ARGS__)
#define ANCHOR(...) FORMAL(ANCHOR, 1, __VA_ARGS__)
#define DELTA(...) FORMAL(DELTA, 1, __VA_ARGS__)
#define FLOAT_N(n, ...) FORMAL(FLOAT, n, __VA_ARGS__)
#define FLOAT(...) FLOAT_N(1, __VA_ARGS__)
#define ELEMENT(...) FORMAL(ELEMENT, 1, __VA_ARGS__)
#define FIXED_N(n, android, support, ...) \
	{ .count = (n), .types = { android, support }, .names = __VA_ARGS__ }
#define FIXED(android, support, ...) FIXED_N(1, android, support, __VA_ARGS__)
#define TENSOR_N(n, set, ...) FIXED_N(n, set, set, __VA_ARGS__)
#define TENSOR(set, ...) TENSOR_N(1, set, __VA_ARGS__)
#define SCALAR_N(n, type, ...) TENSOR_N(n, TYPE(type), __VA_ARGS__)
#define INT_N(n, ...) SCALAR_N(n, INT32, __VA_ARGS__)
#define INT(...) INT_N(1, __VA_ARGS__)
#define BOOLEAN_N(n, ...) SCALAR_N(n, BOOL, __VA_ARGS__)
#define BOOLEAN(...) BOOLEAN_N(1, __VA_ARGS__)
#define SUBGRAPH_N(n, ...) SCALAR_N(n, SUBGRAPH, __VA_ARGS__)

#define RANKS(a, b, c, d) .rank = { { a, b }, { c, d } }
#define EXACT(n) RANKS(0, 0, n, n)
#define EXACT_ANDROID(n) RANKS(n, n, n, n)
#define FROM(n) RANKS(0, 0, n, NNA_ANY_RANK)
#define UP_TO(n) RANKS(1, n, 1, NNA_ANY_RANK)

#define O NNA_OPTIONAL
#define L NNA_LAST
#define FLAGS(android, support) .flags = { android, support }
#define OPTIONAL FLAGS(O, O)
#define LAST FLAGS(O | L, O | L)

/* Forms. */
#define FORMALS(...) (const struct nna_formal[]) { __VA_ARGS__, { .count = 0 } }
#define IN(...) .inputs = FORMALS(__VA_ARGS__)
#define OUT(...) .outputs = FORMALS(__VA_ARGS__)
#define FORM(android, support, ...) \
	{ .in = { true, true }, .t = { android, support }, __VA_ARGS__ }
#define FORM_ANDROID(set, ...) { .in = { true, false }, .t = { set, 0 }, __VA_ARGS__ }
#define FORM_SUPPORT(set, ...) { .in = { false, true }, .t = { 0, set }, __VA_ARGS__ }
#define FORM_FIXED(...) { .in = { true, true }, __VA_ARGS__ }
#define FORM_FIXED_SUPPORT(...) { .in = { false, true }, __VA_ARGS__ }

/* Forms that several operations have. */
#define UNARY(android, support, ...) \
	FORM(android, support, IN(T("input", __VA_ARGS__)), OUT(T("output")))
#define BINARY(android, support) FORM(android, support, IN(T_N(2, "a, b")), OUT(T("output")))
#define ARITHMETIC(android, support) \
	FORM(android, support, \
	     IN(T_N(2, "a, b"), INT("activation", FLAGS(0, O))), OUT(T("output")))
#define COMPARISON() \
	FORM(F | Q8 | I32 | B8, F | Q8 | I32 | I64 | B8, IN(T_N(2, "a, b")), \
	     OUT(TENSOR(B8, "output")))
#define REDUCTION(android, support) \
	FORM(android, support, \
	     IN(T("input", UP_TO(4)), TENSOR(I32, "axes"), BOOLEAN("keep dims")), \
	     OUT(T("output")))

/* Windows: paddings as numbers or a scheme, strides, and the layout of the images. */
#define PADDINGS "left padding, right padding, top padding, bottom padding"
#define STRIDES "horizontal stride, vertical stride"
#define LAYOUT() BOOLEAN("nchw", LAST)
#define DILATIONS() INT_N(2, "horizontal dilation, vertical dilation", LAST)
#define CONVOLUTION(...) CONVOLUTION_OF(EXACT(4), __VA_ARGS__)
#define CONVOLUTION_OF(ranks, ...) \
	FORM(F | Q8, F | Q8, \
	     IN(T("input", ranks), FILTER("weights", ranks), \
		BIAS("bias", EXACT(1), FLAGS(0, O)), __VA_ARGS__), \
	     OUT(T("output", EXACT(4))))
#define POOL_FORM(set, paddings, n) \
	FORM(set, set, \
	     IN(T("input", EXACT(4)), \
		INT_N(n, paddings ", " STRIDES ", filter width, filter height, activation"), \
		LAYOUT()), \
	     OUT(T("output", EXACT(4))))
#define POOL(set) POOL_FORM(set, PADDINGS, 9), POOL_FORM(set, "padding scheme", 6)
#define RESIZE(...) \
	FORM(F | Q8, F | Q8, \
	     IN(T("images", EXACT(4)), __VA_ARGS__, BOOLEAN("align corners", LAST), \
		BOOLEAN("half pixel centers", LAST)), \
	     OUT(T("output", EXACT(4))))

/* Recurrent layers. @of is "" or, of two directions, the one that the operands belong to. */
#define THREE_GATES(of, what) \
	of "forget " what ", " of "cell " what ", " of "output " what
#define FOUR_GATES(of, what) of "input " what ", " THREE_GATES(of, what)
#define WEIGHTS_OF(of) FOUR_GATES(of, "gate's input weights")
#define RECURRENT_OF(of) FOUR_GATES(of, "gate's recurrent weights")
#define BIASES_OF(of) FOUR_GATES(of, "gate's bias")
#define NORMS(of) FOUR_GATES(of, "gate's norm weights")
#define PEEPHOLES(of) \
	of "input gate's peephole weights, " of "forget gate's peephole weights, " \
	of "output gate's peephole weights"

/* Weights, peephole weights, biases and projection of an LSTM cell, after its input. */
#define CELL(of) \
	T(of "input gate's input weights", EXACT(2), OPTIONAL), \
	T_N(3, THREE_GATES(of, "gate's input weights"), EXACT(2)), \
	T(of "input gate's recurrent weights", EXACT(2), OPTIONAL), \
	T_N(3, THREE_GATES(of, "gate's recurrent weights"), EXACT(2)), \
	T_N(3, PEEPHOLES(of), EXACT(1), OPTIONAL), \
	T(of "input gate's bias", EXACT(1), OPTIONAL), \
	T_N(3, THREE_GATES(of, "gate's bias"), EXACT(1)), \
	T(of "projection weights", EXACT(2), OPTIONAL), \
	T(of "projection bias", EXACT(1), OPTIONAL)
/*
 * The same with fixed types, for each column: of weights that may be omitted and of others, of
 * peephole weights, of biases that may be omitted.
 */
#define FIXED_CELL(optional, support_optional, set, support, peephole, support_peephole, \
		   bias, support_bias) \
	FIXED(optional, support_optional, "input gate's input weights", EXACT(2), OPTIONAL), \
	FIXED_N(3, set, support, THREE_GATES("", "gate's input weights"), EXACT(2)), \
	FIXED(optional, support_optional, "input gate's recurrent weights", EXACT(2), OPTIONAL), \
	FIXED_N(3, set, support, THREE_GATES("", "gate's recurrent weights"), EXACT(2)), \
	FIXED_N(3, peephole, support_peephole, PEEPHOLES(""), EXACT(1), OPTIONAL), \
	FIXED(bias, support_bias, "input gate's bias", EXACT(1), OPTIONAL), \
	TENSOR_N(3, I32, THREE_GATES("", "gate's bias"), EXACT(1)), \
	FIXED(optional, support_optional, "projection weights", EXACT(2), OPTIONAL), \
	FIXED(bias, support_bias, "projection bias", EXACT(1), OPTIONAL)
/*
 * A QUANT8_ASYMM_SIGNED cell. Android's column follows TFLite's NNAPI delegate, because NNAPI's
 * text is silent: the delegate gives omitted operands the type TENSOR_FLOAT32.
 */
#define CELL8() \
	FIXED_CELL(N8 | S8 | F32, N8 | S8, N8 | S8, N8 | S8, S16 | F32, S16, I32 | F32, I32)

#define BIDIRECTIONAL_LSTM(...) \
	FORM(F, F, \
	     IN(T("input", EXACT(3)), CELL("forward "), CELL("backward "), \
		T_N(4, "forward output state, forward cell state, backward output state, " \
		       "backward cell state", EXACT(2)), \
		T("aux input", EXACT(3), OPTIONAL), \
		T_N(8, FOUR_GATES("forward ", "gate's aux weights") ", " \
		       FOUR_GATES("backward ", "gate's aux weights"), EXACT(2), OPTIONAL), \
		INT("activation"), FLOAT_N(2, "cell clip, projection clip"), \
		BOOLEAN_N(2, "merge, time major"), \
		T_N(8, NORMS("forward ") ", " NORMS("backward "), EXACT(1), OPTIONAL)), \
	     OUT(__VA_ARGS__, \
		 T_N(4, "forward output state, forward cell state, backward output state, " \
			"backward cell state", EXACT(2), FLAGS(L, L))))
#define BIDIRECTIONAL_RNN(...) \
	FORM(F, F, \
	     IN(T("input", EXACT(3)), \
		T_N(2, "forward weights, forward recurrent weights", EXACT(2)), \
		T("forward bias", EXACT(1)), \
		T_N(3, "forward state, backward weights, backward recurrent weights", EXACT(2)), \
		T("backward bias", EXACT(1)), T("backward state", EXACT(2)), \
		T("aux input", EXACT(3), OPTIONAL), \
		T_N(2, "forward aux weights, backward aux weights", EXACT(2), OPTIONAL), \
		INT("activation"), BOOLEAN_N(2, "time major, merge")), \
	     OUT(__VA_ARGS__))

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct nna_signature table[] = {
#define NNA_OP(function, operation, ...) \
	{ NNA_OPERATION_##operation, #operation, \
	  (const struct nna_form[]) { __VA_ARGS__, { .inputs = NULL } } },
#include "libnnaccel/support/operation_list.h"
#undef NNA_OP
};

static const struct nna_signature *find(uint32_t operation)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		if (table[i].operation == operation)
			return &table[i];
	}
	return NULL;
}

const struct nna_signature *nna_signature_at(uint32_t index)
{
	return index < COUNT(table) ? &table[index] : NULL;
}

const struct nna_signature *nna_signature_find(uint32_t operation, enum nna_column column)
{
	const struct nna_signature *signature = find(operation);

	for (const struct nna_form *form = signature ? signature->forms : NULL;
	     form && form->inputs; form++) {
		if (form->in[column])
			return signature;
	}
	return NULL;
}

const char *nna_operation_name(enum nna_operation_type type)
{
	const struct nna_signature *signature = find(type);

	return signature ? signature->name : NULL;
}
