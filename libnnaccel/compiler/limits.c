// SPDX-License-Identifier: MIT
/* The device's limits on the size of commands, checked while a model is compiled: see limits.h. */
#include <errno.h>

#include "libnnaccel/compiler/ir.h"
#include "libnnaccel/compiler/limits.h"

/**
 * struct extent - a number that has a limit
 * @what: what is counted, for the message
 * @operand: the command's operand that it belongs to
 * @size: the number
 * @most: the limit
 */
struct extent {
	const char *what;
	uint32_t operand;
	uint64_t size, most;
};

/* The number of the graph's operand that a value is a view of; NNA_NONE for none. */
static uint32_t find_operand(const struct nna_lower *l, uint32_t value)
{
	const struct nna_subgraph *sg;

	if (!l->frame || !l->graph || value == NNA_NO_VALUE)
		return NNA_NONE;
	sg = &l->graph->subgraphs[l->frame->subgraph];
	for (uint32_t i = 0; i < sg->operand_count; i++) {
		uint32_t other = l->frame->values[i];

		if (other != NNA_NO_VALUE && l->values[other].storage == l->values[value].storage)
			return i;
	}
	return NNA_NONE;
}

/* Return: 0, or -ENOTSUP with a message. */
static int check(const struct nna_lower *l, const struct extent *e, const uint32_t *values)
{
	const char *operation = "?";
	char operand[32] = "a result on the way";
	uint32_t number;

	if (e->size <= e->most)
		return 0;
	number = find_operand(l, values[e->operand]);
	if (number != NNA_NONE)
		snprintf(operand, sizeof(operand), "operand %u", number);
	if (l->graph && l->frame &&
	    l->origin < l->graph->subgraphs[l->frame->subgraph].operation_count)
		operation = nna_operation_name(
			l->graph->subgraphs[l->frame->subgraph].operations[l->origin].type);
	nna_log_print(&l->log, NNA_LOG_ERROR,
		      "operation %u (%s): %llu %s of %s, the device takes %llu at most", l->origin,
		      operation ? operation : "?", (unsigned long long)e->size, e->what, operand,
		      (unsigned long long)e->most);
	return -ENOTSUP;
}

/* a * b * c, UINT64_MAX where that overflows. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t ab;

	return __builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, &ab) ?
		       UINT64_MAX : ab;
}

static int check_roi(const struct nna_lower *l, const struct nnahw_cmd_roi *c,
		     const uint32_t *values)
{
	const uint32_t *in = l->values[values[NNAHW_ROI_INPUT]].dims;
	const uint32_t *out = l->values[values[NNAHW_ROI_OUTPUT]].dims;
	uint64_t rows = c->samples_h ? c->samples_h : in[1] / (out[1] ? out[1] : 1) + 2;
	uint64_t columns = c->samples_w ? c->samples_w : in[2] / (out[2] ? out[2] : 1) + 2;
	const struct extent extents[] = {
		{ "samples in a bin's column", NNAHW_ROI_OUTPUT, c->samples_h,
		  NNAHW_LIMIT_ROI_SAMPLES },
		{ "samples in a bin's row", NNAHW_ROI_OUTPUT, c->samples_w,
		  NNAHW_LIMIT_ROI_SAMPLES },
		{ "samples in a bin", NNAHW_ROI_INPUT, rows * columns, NNAHW_LIMIT_ROI_WINDOW },
	};
	int ret = 0;

	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = check(l, &extents[i], values);
	return ret;
}

static int check_lsh(const struct nna_lower *l, const uint32_t *values)
{
	const struct nna_value *items = &l->values[values[NNAHW_LSH_ITEMS]];
	struct extent e = { "bytes", NNAHW_LSH_ITEMS, nnahw_type_size(items->type),
			    NNAHW_LIMIT_LSH_BYTES };
	const struct extent rows = { "items", NNAHW_LSH_ITEMS, items->dims[0],
				     NNAHW_LIMIT_LSH_ITEMS };

	for (uint32_t k = 0; k < items->rank; k++)
		e.size = product(e.size, items->dims[k], 1);
	return check(l, &e, values) ?: check(l, &rows, values);
}

int nna_limits_check(const struct nna_lower *l, const void *command, const uint32_t *values)
{
	const struct nnahw_command *head = command;
	const struct nnahw_cmd_conv *conv = command; /* also DWCONV */
	const struct nnahw_cmd_pool *pool = command;
	struct extent e = { 0 };
	const uint32_t *dims;

	switch (head->opcode) {
	case NNAHW_OP_CONV:
		dims = l->values[values[NNAHW_CONV_INPUT]].dims;
		e.what = "elements in a window";
		e.operand = NNAHW_CONV_INPUT;
		e.size = product(conv->kernel_h, conv->kernel_w,
				 dims[3] / (conv->groups ? conv->groups : 1));
		e.most = NNAHW_LIMIT_CONV_WINDOW;
		break;
	case NNAHW_OP_DWCONV:
		e.what = "elements in a window";
		e.operand = NNAHW_CONV_INPUT;
		e.size = product(conv->kernel_h, conv->kernel_w, 1);
		e.most = NNAHW_LIMIT_DWCONV_WINDOW;
		break;
	case NNAHW_OP_POOL:
		e.what = "elements in a window";
		e.operand = NNAHW_POOL_INPUT;
		e.size = product(pool->kernel_h, pool->kernel_w, 1);
		e.most = NNAHW_LIMIT_POOL_WINDOW;
		break;
	case NNAHW_OP_MATMUL:
		e.what = "elements in a row";
		e.operand = NNAHW_MATMUL_A;
		e.size = l->values[values[NNAHW_MATMUL_A]].dims[2];
		e.most = NNAHW_LIMIT_MATMUL_WINDOW;
		break;
	case NNAHW_OP_SOFTMAX:
		e.what = "elements along the axis";
		e.operand = NNAHW_SOFTMAX_INPUT;
		e.size = l->values[values[NNAHW_SOFTMAX_INPUT]]
				 .dims[((const struct nnahw_cmd_softmax *)command)->axis];
		e.most = NNAHW_LIMIT_SOFTMAX_LENGTH;
		break;
	case NNAHW_OP_ARG:
		e.what = "elements along the axis";
		e.operand = NNAHW_ARG_INPUT;
		e.size = l->values[values[NNAHW_ARG_INPUT]]
				 .dims[((const struct nnahw_cmd_arg *)command)->axis];
		e.most = NNAHW_LIMIT_ARG_LENGTH;
		break;
	case NNAHW_OP_TOPK:
		e.what = "elements in a row";
		e.operand = NNAHW_TOPK_INPUT;
		e.size = l->values[values[NNAHW_TOPK_INPUT]]
				 .dims[l->values[values[NNAHW_TOPK_INPUT]].rank - 1];
		e.most = NNAHW_LIMIT_TOPK_LENGTH;
		break;
	case NNAHW_OP_NORM16:
		e.what = "units";
		e.operand = NNAHW_NORM16_WEIGHTS;
		e.size = l->values[values[NNAHW_NORM16_INPUT]].dims[1];
		e.most = NNAHW_LIMIT_NORM16_LENGTH;
		break;
	case NNAHW_OP_KEYPOINT:
		dims = l->values[values[NNAHW_KEYPOINT_HEATMAPS]].dims;
		e.what = "elements in a heat map";
		e.operand = NNAHW_KEYPOINT_HEATMAPS;
		e.size = product(dims[1], dims[2], 1);
		e.most = NNAHW_LIMIT_KEYPOINT_MAP;
		break;
	case NNAHW_OP_ROI:
		return check_roi(l, command, values);
	case NNAHW_OP_LSH:
		return check_lsh(l, values);
	default:
		return 0;
	}
	return check(l, &e, values);
}
