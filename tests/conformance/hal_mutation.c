// SPDX-License-Identifier: MIT
/* Models in which one thing is wrong (hal_mutation.h). */
#include "tests/conformance/hal_mutation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Puts another value there, has the model looked at, and puts the old one back. */
#define TRY(mutation, model, what, place, value)                                                   \
	({                                                                                         \
		__typeof__(place) *place_ = &(place), old_ = *place_;                              \
		int ret_;                                                                          \
		*place_ = (value);                                                                 \
		(mutation)->name = (what);                                                         \
		ret_ = (mutation)->check(mutation, model);                                         \
		*place_ = old_;                                                                    \
		if (ret_)                                                                          \
			return ret_;                                                               \
	})

/* The same with one entry of a list, which may lie where nothing can be written. */
static int try_entry(struct nnv_hal_mutation *mutation, const struct nnb_aidl_model *model,
		     const char *what, struct nnb_ints *list, uint32_t index, int32_t value)
{
	const int32_t *old = list->data;
	int32_t *copy = malloc((list->count + 1) * sizeof(*copy));
	int ret;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, old, list->count * sizeof(*copy));
	copy[index] = value;
	list->data = copy;
	mutation->name = what;
	ret = mutation->check(mutation, model);
	list->data = old;
	free(copy);
	return ret;
}

/* Each entry of a list points outside of what there is. */
static int try_list(struct nnv_hal_mutation *mutation, const struct nnb_aidl_model *model,
		    const char *what, struct nnb_ints *list, uint32_t end)
{
	int ret = 0;

	for (uint32_t i = 0; i < list->count && !ret; i++) {
		ret = try_entry(mutation, model, what, list, i, (int32_t)end);
		if (!ret)
			ret = try_entry(mutation, model, what, list, i, -1);
		if (!ret)
			ret = try_entry(mutation, model, what, list, i, INT32_MAX);
	}
	return ret;
}

/* A constant that moves from the values to a pool, or back, may be valid there. */
static bool is_constant(int32_t lifetime)
{
	return lifetime == NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY ||
	       lifetime == NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL;
}

static int mutate_operand(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model,
			  struct nnb_aidl_operand *operand)
{
	struct nnb_aidl_data_location *at = &operand->location;
	const int32_t lifetime = operand->lifetime;

	TRY(mutation, model, "type below all", operand->type, -1);
	TRY(mutation, model, "type beyond all", operand->type, NNB_AIDL_OPERAND_TYPE_SUBGRAPH + 1);
	if (operand->type != NNB_AIDL_OPERAND_TYPE_SUBGRAPH)
		TRY(mutation, model, "type of a subgraph", operand->type,
		    NNB_AIDL_OPERAND_TYPE_SUBGRAPH);
	TRY(mutation, model, "lifetime below all", operand->lifetime, -1);
	TRY(mutation, model, "lifetime beyond all", operand->lifetime,
	    NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH + 1);
	for (int32_t other = 0; other <= NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH; other++) {
		if (other == lifetime || (is_constant(other) && is_constant(lifetime)))
			continue;
		/* Without bytes a constant has the same place as what has none. */
		if (is_constant(lifetime) && !at->length)
			continue;
		/* What nobody uses may be anything that has no value of its own. */
		if (lifetime == NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE && is_constant(other))
			continue;
		TRY(mutation, model, "another lifetime", operand->lifetime, other);
	}
	TRY(mutation, model, "pool -1", at->pool_index, -1);
	if (lifetime == NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_POOL)
		TRY(mutation, model, "pool beyond all", at->pool_index,
		    (int32_t)model->pools.count);
	else
		TRY(mutation, model, "pool of what is in none", at->pool_index, 1);
	TRY(mutation, model, "negative offset", at->offset, -1);
	TRY(mutation, model, "negative length", at->length, -1);
	TRY(mutation, model, "negative padding", at->padding, -1);
	TRY(mutation, model, "length and one", at->length, at->length + 1);
	if (at->length)
		TRY(mutation, model, "length less one", at->length, at->length - 1);
	TRY(mutation, model, "far offset", at->offset, INT64_MAX);
	TRY(mutation, model, "offset beyond", at->offset, INT64_C(1) << 40);
	TRY(mutation, model, "padding beyond", at->padding, INT64_C(1) << 40);
	return 0;
}

static int mutate_operation(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model,
			    const struct nnb_aidl_subgraph *subgraph,
			    struct nnb_aidl_operation *operation)
{
	int ret;

	TRY(mutation, model, "operation below all", operation->type, -1);
	TRY(mutation, model, "operation beyond all", operation->type, 106);
	TRY(mutation, model, "operation of an extension", operation->type, 0x10000);
	ret = try_list(mutation, model, "operation's input", &operation->inputs,
		       subgraph->operands.count);
	if (!ret)
		ret = try_list(mutation, model, "operation's output", &operation->outputs,
			       subgraph->operands.count);
	if (ret)
		return ret;
	TRY(mutation, model, "no outputs", operation->outputs.count, 0);
	TRY(mutation, model, "output missing", operation->outputs.count,
	    operation->outputs.count - 1);
	/* What it wrote nobody writes now. */
	for (uint32_t i = 0; i < operation->outputs.count && !ret; i++) {
		const int32_t index = operation->outputs.data[i];

		for (int32_t by = -1; by <= 1 && !ret; by += 2) {
			if (index + by >= 0 && index + by < (int32_t)subgraph->operands.count)
				ret = try_entry(mutation, model, "another output",
						&operation->outputs, i, index + by);
		}
	}
	return ret;
}

static bool lists(const struct nnb_ints *list, int32_t index)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->data[i] == index)
			return true;
	}
	return false;
}

/* An operation and the next one, which reads what it writes, the other way round. */
static int mutate_order(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model,
			struct nnb_aidl_operation *first)
{
	const struct nnb_aidl_operation operation = *first;
	bool reads = false;
	int ret;

	for (uint32_t i = 0; i < first->outputs.count; i++)
		reads |= lists(&first[1].inputs, first->outputs.data[i]);
	if (!reads)
		return 0;
	first[0] = first[1];
	first[1] = operation;
	mutation->name = "order";
	ret = mutation->check(mutation, model);
	first[1] = first[0];
	first[0] = operation;
	return ret;
}

static int mutate_subgraph(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model,
			   struct nnb_aidl_subgraph *subgraph)
{
	int ret = 0;

	for (uint32_t i = 0; i < subgraph->operands.count && !ret; i++)
		ret = mutate_operand(mutation, model, &subgraph->operands.data[i]);
	for (uint32_t i = 0; i < subgraph->operations.count && !ret; i++)
		ret = mutate_operation(mutation, model, subgraph, &subgraph->operations.data[i]);
	for (uint32_t i = 0; i + 1 < subgraph->operations.count && !ret; i++)
		ret = mutate_order(mutation, model, &subgraph->operations.data[i]);
	if (!ret)
		ret = try_list(mutation, model, "input", &subgraph->input_indexes,
			       subgraph->operands.count);
	if (!ret)
		ret = try_list(mutation, model, "output", &subgraph->output_indexes,
			       subgraph->operands.count);
	if (ret)
		return ret;
	TRY(mutation, model, "no operands", subgraph->operands.count, 0);
	TRY(mutation, model, "no operations", subgraph->operations.count, 0);
	TRY(mutation, model, "no outputs", subgraph->output_indexes.count, 0);
	TRY(mutation, model, "operand missing", subgraph->operands.count,
	    subgraph->operands.count - 1);
	TRY(mutation, model, "operation missing", subgraph->operations.count,
	    subgraph->operations.count - 1);
	TRY(mutation, model, "output missing", subgraph->output_indexes.count,
	    subgraph->output_indexes.count - 1);
	if (subgraph->input_indexes.count)
		TRY(mutation, model, "input missing", subgraph->input_indexes.count,
		    subgraph->input_indexes.count - 1);
	return 0;
}

int nnv_hal_mutate(struct nnv_hal_mutation *mutation, struct nnb_aidl_model *model)
{
	int ret = mutate_subgraph(mutation, model, &model->main);

	for (uint32_t i = 0; i < model->referenced.count && !ret; i++)
		ret = mutate_subgraph(mutation, model, &model->referenced.data[i]);
	return ret;
}
