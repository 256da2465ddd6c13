/* SPDX-License-Identifier: MIT */
/*
 * Signatures of operations: how many operands an operation has, and of which types and ranks.
 *
 * There is one table (support/operation_list.h), and it has two columns:
 *
 *	NNA_ANDROID	what ANeuralNetworksModel_addOperation() of Android's runtime takes, at
 *			feature level 8. The source is the text of each operation in
 *			NeuralNetworks.h; where it is silent, Android's NNAPI runtime
 *			(packages/modules/NeuralNetworks), and for 8-bit sequence LSTMs the NNAPI
 *			delegate of TFLite. The bridge refuses everything else. Ranks are those
 *			that the runtime checks there, which are few: it leaves the others to the
 *			device, although the text states them.
 *	NNA_SUPPORT	what the functions of libnnaccel/ops/ can lower. ops/ refuses everything
 *			else. It takes whatever types NNA_ANDROID takes, with all ranks that the
 *			text of NeuralNetworks.h states, and more: types and ranks that TFLite has,
 *			and operations that NNAPI does not have.
 *
 * The data model:
 *
 *	signature	an operation: its number, its name and its forms
 *	form		inputs and outputs that are valid together, for instance those of a
 *			convolution with explicit padding. A form is in one column or in both. T is
 *			the type of one of its operands; other types follow from T
 *	formal operand	what a form says of one operand, or of several consecutive ones: their
 *			names and kind, and for each column types, ranks, and whether they may be
 *			left out
 *	actual operand	an operand of an operation in a model. The caller describes it
 *
 * A call is valid in a column if it fits one of that column's forms. What is not known yet passes.
 * The support column says nothing about ranks of outputs: ops/ infers them.
 *
 * What the table does not say: sizes of dimensions, scales, values. hal-bridge/common/signature.c
 * has Android's checks of those, ops/NOUN.c those of the library. The checks of commands in the
 * device are its own: it trusts nobody.
 */
#ifndef NNA_SIGNATURE_H
#define NNA_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libnnaccel/support/operand_type.h"
#include "nnaccel.h"

/* The columns of the table. */
enum nna_column {
	NNA_ANDROID,
	NNA_SUPPORT,
	NNA_COLUMNS,
};

/**
 * enum nna_kind - how the type of an operand follows from T
 * @NNA_KIND_FIXED: it does not: it is one of the formal operand's own types
 * @NNA_KIND_T: it is T; the first operand of this kind, inputs before outputs, decides what T is
 * @NNA_KIND_FLOAT: a scalar, FLOAT32 or FLOAT16; for Android FLOAT16 where T is TENSOR_FLOAT16,
 *	else FLOAT32
 * @NNA_KIND_ELEMENT: the scalar FLOAT16 or FLOAT32 with a tensor of it, else INT32
 * @NNA_KIND_FILTER: T; where that is quantised, QUANT8_SYMM_PER_CHANNEL too
 * @NNA_KIND_BIAS: T; where that is quantised, INT32
 * @NNA_KIND_BOX: T; where that is quantised, QUANT16_ASYMM
 * @NNA_KIND_ANCHOR: T; where that is quantised, QUANT16_SYMM
 * @NNA_KIND_DELTA: T; where that is quantised, QUANT8_ASYMM or QUANT8_ASYMM_SIGNED
 */
enum nna_kind {
	NNA_KIND_FIXED,
	NNA_KIND_T,
	NNA_KIND_FLOAT,
	NNA_KIND_ELEMENT,
	NNA_KIND_FILTER,
	NNA_KIND_BIAS,
	NNA_KIND_BOX,
	NNA_KIND_ANCHOR,
	NNA_KIND_DELTA,
};

#define NNA_MANY 255 /* as a count: all operands that the formal operands after it leave */
#define NNA_ANY_RANK 255 /* as the highest rank: no limit */
#define NNA_RANK_UNKNOWN (-1)

#define NNA_OPTIONAL 1u /* the operand may be without a value */
#define NNA_LAST 2u /* the operands may end before this one */
#define NNA_NONE_WILL_DO 4u /* of NNA_MANY: there may be none */

/**
 * struct nna_ranks - the ranks that a tensor may have
 * @least: the lowest
 * @most: the highest, or NNA_ANY_RANK; 0 if the column does not limit the rank
 */
struct nna_ranks {
	uint8_t least, most;
};

/**
 * struct nna_formal - consecutive operands of a form that are alike
 * @names: their names, separated by ", "; the last one stands for all that follow
 * @count: their number, or NNA_MANY; 0 ends a list
 * @kind: enum nna_kind
 * @flags: for each column NNA_OPTIONAL, NNA_LAST, NNA_NONE_WILL_DO
 * @rank: for each column, of tensors
 * @types: for each column, of NNA_KIND_FIXED
 */
struct nna_formal {
	const char *names;
	uint8_t count;
	uint8_t kind;
	uint8_t flags[NNA_COLUMNS];
	struct nna_ranks rank[NNA_COLUMNS];
	nna_types types[NNA_COLUMNS];
};

/**
 * struct nna_form - inputs and outputs that are valid together
 * @in: whether the form is in each column
 * @t: for each column, the types that T may be
 * @inputs: formal operands; NULL ends a list of forms
 * @outputs: formal operands
 */
struct nna_form {
	bool in[NNA_COLUMNS];
	nna_types t[NNA_COLUMNS];
	const struct nna_formal *inputs, *outputs;
};

/**
 * struct nna_signature - a row of the table
 * @operation: enum nna_operation_type
 * @name: of the operation, as NNAPI spells it
 * @forms: tried in order
 */
struct nna_signature {
	uint32_t operation;
	const char *name;
	const struct nna_form *forms;
};

/**
 * struct nna_actual - an operand of a call
 * @type: enum nna_operand_type, or any other number, which fits nothing
 * @rank: number of dimensions, 0 for scalars, NNA_RANK_UNKNOWN while it is not known
 * @omitted: it has no value
 * @may_be_omitted: an execution may leave it out, since a dimension is unknown: where it is
 *	optional, its rank says nothing
 */
struct nna_actual {
	uint32_t type;
	int32_t rank;
	bool omitted, may_be_omitted;
};

/**
 * struct nna_call - an operation with its operands
 * @operation: enum nna_operation_type
 * @input_count: number of inputs
 * @output_count: number of outputs
 * @operand: returns input or output @index of @context
 * @context: the caller's
 */
struct nna_call {
	uint32_t operation;
	uint32_t input_count, output_count;
	struct nna_actual (*operand)(const void *context, bool output, uint32_t index);
	const void *context;
};

/* Room for the reason of a refusal, whatever the operation. */
#define NNA_REFUSAL_SIZE 448

/* Return: the row of an operation, with a form in @column; NULL if there is none. */
const struct nna_signature *nna_signature_find(uint32_t operation, enum nna_column column);
/* Return: row @index of the table, from 0 on; NULL behind the last one. */
const struct nna_signature *nna_signature_at(uint32_t index);

/**
 * nna_signature_check() - whether a call fits one of the forms of its operation
 * @call: the call
 * @column: what it is checked against
 * @text: NNA_REFUSAL_SIZE bytes. A refusal writes a line there that names the operand by number and
 *	name, and says what was found, what was expected, and what to do; not the operation
 *
 * The line is that of the form that the most operands fit.
 *
 * Return: 0, or -EINVAL; -ENOENT, with a line too, if the column does not have the operation. From
 * any thread.
 */
int nna_signature_check(const struct nna_call *call, enum nna_column column, char *text);

/**
 * nna_signature_operand() - the name of an operand of a call
 * @call: the call
 * @column: where it is looked up
 * @output: an output, else an input
 * @index: its number
 * @length: set to the characters of the name, which no NUL ends
 *
 * The name is that of the form that the call fits, or of the first form with its counts.
 *
 * Return: the name; NULL if no form has the counts of @call. From any thread.
 */
const char *nna_signature_operand(const struct nna_call *call, enum nna_column column, bool output,
				  uint32_t index, int *length);

/* Return: the set of types that @formal takes in @column if T is @t. */
nna_types nna_formal_types(const struct nna_formal *formal, enum nna_column column, uint32_t t);
/* Return: the set that has @type alone; the empty one for a type that no operation takes. */
nna_types nna_type_set(uint32_t type);

#endif
