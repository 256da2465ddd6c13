// SPDX-License-Identifier: MIT
/*
 * Refuses operations that exceed the NNA's limits when a model is compiled, rather than when it
 * runs.
 */
#include <errno.h>

#include "libnnaccel/backend/nna/nna.h"

/**
 * struct extent - a size that has a limit
 * @what: name of the size, for the message
 * @operand: the operand of the operation that has the size
 */
struct extent {
	const char *what;
	uint32_t operand;
	uint64_t size, most;
};

/* Return: the operand of the main subgraph that a value is a view of, or NNA_NONE. */
static uint32_t find_operand(const struct nna_lower *l, uint32_t value)
{
	const struct nna_storage *s;

	if (value == NNA_NO_VALUE)
		return NNA_NONE;
	s = &l->storages[l->values[value].storage];
	if (l->graph && s->kind == NNA_STORAGE_INPUT)
		return l->graph->subgraphs[0].inputs[s->index];
	if (l->graph && s->kind == NNA_STORAGE_OUTPUT)
		return l->graph->subgraphs[0].outputs[s->index];
	return s->index;
}

static int check(const struct nna_lower *l, const struct extent *e, const struct nna_ir_op *op,
		 char *reason, size_t size)
{
	char operand[32] = "a result on the way";
	uint32_t number;

	if (e->size <= e->most)
		return 0;
	number = find_operand(l, op->values[e->operand]);
	if (number != NNA_NONE)
		snprintf(operand, sizeof(operand), "operand %u", number);
	snprintf(reason, size, "%llu %s of %s, the device takes %llu at most",
		 (unsigned long long)e->size, e->what, operand, (unsigned long long)e->most);
	return -ENOTSUP;
}

/*
 * Products of three 32-bit numbers do not overflow: they are dims of a tensor in memory, or sizes
 * of a window.
 */
static uint64_t product(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t ab;

	return __builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, &ab) ? UINT64_MAX
										       : ab;
}

static int check_roi(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		     size_t size)
{
	const uint32_t *in = l->values[op->values[NNA_ROI_INPUT]].dims,
		       *out = l->values[op->values[NNA_ROI_OUTPUT]].dims;
	const struct nna_ir_roi *c = &op->roi;
	uint64_t rows = c->samples_h ? c->samples_h : in[1] / (out[1] ? out[1] : 1) + 2;
	uint64_t columns = c->samples_w ? c->samples_w : in[2] / (out[2] ? out[2] : 1) + 2;
	const struct extent extents[] = {
		{ "samples in a bin's column", NNA_ROI_OUTPUT, c->samples_h,
		  NNAHW_LIMIT_ROI_SAMPLES },
		{ "samples in a bin's row", NNA_ROI_OUTPUT, c->samples_w,
		  NNAHW_LIMIT_ROI_SAMPLES },
		{ "samples in a bin", NNA_ROI_INPUT, rows * columns, NNAHW_LIMIT_ROI_WINDOW },
	};
	int ret = 0;

	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = check(l, &extents[i], op, reason, size);
	return ret;
}

static int check_lsh(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		     size_t size)
{
	const struct nna_value *items = &l->values[op->values[NNA_LSH_ITEMS]];
	struct extent e = { "bytes", NNA_LSH_ITEMS, nna_type_size(items->type),
			    NNAHW_LIMIT_LSH_BYTES };
	const struct extent rows = { "items", NNA_LSH_ITEMS, items->dims[0],
				     NNAHW_LIMIT_LSH_ITEMS };

	for (uint32_t k = 0; k < items->rank; k++)
		e.size = product(e.size, items->dims[k], 1);
	return check(l, &e, op, reason, size) ?: check(l, &rows, op, reason, size);
}

static int check_multinomial(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
			     size_t size)
{
	const uint32_t *in = l->values[op->values[NNA_MULTINOMIAL_INPUT]].dims;
	const struct extent classes = { "classes", NNA_MULTINOMIAL_INPUT, in[1],
					NNAHW_LIMIT_MULTINOMIAL_CLASSES };
	const struct extent sums = { "rows times classes", NNA_MULTINOMIAL_INPUT,
				     product(in[0], in[1], 1), NNAHW_LIMIT_MULTINOMIAL_SUMS };

	return check(l, &classes, op, reason, size) ?: check(l, &sums, op, reason, size);
}

static int check_nms(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		     size_t size)
{
	const uint32_t *in = l->values[op->values[NNA_NMS_SCORES]].dims;
	const uint32_t *out = l->values[op->values[NNA_NMS_KEPT_SCORES]].dims;
	const struct extent scores = { "scores", NNA_NMS_SCORES, product(in[0], in[1], in[2]),
				       NNAHW_LIMIT_NMS_SCORES };
	const struct extent kept = { "kept scores", NNA_NMS_KEPT_SCORES,
				     product(out[0], out[1], 1), NNAHW_LIMIT_NMS_KEPT };

	return check(l, &scores, op, reason, size) ?: check(l, &kept, op, reason, size);
}

static int check_age(const struct nna_lower *l, uint32_t minor, char *reason, size_t size)
{
	if (l->abi_minor >= minor)
		return 0;
	snprintf(reason, size, "the device is older than ABI %u.%u", NNAHW_ABI_MAJOR, minor);
	return -ENOTSUP;
}

/* Checks a convolution or product of 8-bit numbers that gives sums. */
static int check_sums(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		      size_t size)
{
	if (!nna_hw_has_sums(l, op))
		return 0;
	if (nna_hw_is_depthwise(l, op) || op->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE) {
		snprintf(reason, size, "sums of a depthwise convolution, or with a residual");
		return -ENOTSUP;
	}
	return check_age(l, NNAHW_SUMS_ABI_MINOR, reason, size);
}

static int check_rows(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		      size_t size)
{
	const struct extent length = { "elements in a row", NNA_ROWS_OUT, op->rows.length,
				       NNAHW_LIMIT_ROWS_LENGTH };
	const struct extent work = { "elements in a row times steps", NNA_ROWS_OUT,
				     product(op->rows.length, op->rows.count, 1),
				     NNAHW_LIMIT_ROWS_WORK };

	return check_age(l, op->rows.has_bytes ? NNAHW_SUMS_ABI_MINOR : NNAHW_ROWS_ABI_MINOR,
			 reason, size) ?:
	       check(l, &length, op, reason, size) ?:
	       check(l, &work, op, reason, size);
}

int nna_hw_accepts(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		   size_t size)
{
	struct extent e = { .operand = NNA_IR_IN };
	const uint32_t *dims = op->operand_count > 1 && op->values[1] != NNA_NO_VALUE ?
				       l->values[op->values[1]].dims :
				       NULL;

	switch (op->kind) {
	case NNA_IR_UNARY:
		return op->elementwise.function == NNA_FN_ERF ?
			       check_age(l, NNAHW_ROWS_ABI_MINOR, reason, size) : 0;
	case NNA_IR_CONV2D:
		e.what = "elements in a window";
		e.size = product(op->conv2d.kernel_h, op->conv2d.kernel_w,
				 dims[3] / (op->conv2d.groups ? op->conv2d.groups : 1));
		e.most = nna_hw_is_depthwise(l, op) ? NNAHW_LIMIT_DWCONV_WINDOW :
							  NNAHW_LIMIT_CONV_WINDOW;
		return check_sums(l, op, reason, size) ?: check(l, &e, op, reason, size);
	case NNA_IR_POOL:
		e.what = "elements in a window";
		e.size = product(op->pool.kernel_h, op->pool.kernel_w, 1);
		e.most = NNAHW_LIMIT_POOL_WINDOW;
		break;
	case NNA_IR_MATMUL:
		e.what = "elements in a row";
		e.size = dims[2];
		e.most = NNAHW_LIMIT_MATMUL_WINDOW;
		return check_sums(l, op, reason, size) ?: check(l, &e, op, reason, size);
	case NNA_IR_SOFTMAX:
		e.what = "elements along the axis";
		e.size = dims[op->softmax.axis];
		e.most = NNAHW_LIMIT_SOFTMAX_LENGTH;
		break;
	case NNA_IR_ARG:
		e.what = "elements along the axis";
		e.size = dims[op->arg.axis];
		e.most = NNAHW_LIMIT_ARG_LENGTH;
		break;
	case NNA_IR_TOPK:
		e.what = "elements in a row";
		e.operand = NNA_TOPK_INPUT;
		e.size = l->values[op->values[NNA_TOPK_INPUT]]
				 .dims[l->values[op->values[NNA_TOPK_INPUT]].rank - 1];
		e.most = NNAHW_LIMIT_TOPK_LENGTH;
		break;
	case NNA_IR_NORM16:
		e.what = "units";
		e.operand = NNA_NORM16_WEIGHTS;
		e.size = dims[1];
		e.most = NNAHW_LIMIT_NORM16_LENGTH;
		break;
	case NNA_IR_NORM8:
		e.what = "elements in a row";
		e.size = dims[1];
		e.most = NNAHW_LIMIT_NORM8_LENGTH;
		break;
	case NNA_IR_MULTINOMIAL:
		return check_multinomial(l, op, reason, size);
	case NNA_IR_KEYPOINT:
		dims = l->values[op->values[NNA_KEYPOINT_HEATMAPS]].dims;
		e.what = "elements in a heat map";
		e.operand = NNA_KEYPOINT_HEATMAPS;
		e.size = product(dims[1], dims[2], 1);
		e.most = NNAHW_LIMIT_KEYPOINT_MAP;
		break;
	case NNA_IR_NMS:
		return check_nms(l, op, reason, size);
	case NNA_IR_ROI:
		return check_roi(l, op, reason, size);
	case NNA_IR_ROWS:
		return check_rows(l, op, reason, size);
	case NNA_IR_LSH:
		return check_lsh(l, op, reason, size);
	default:
		return 0;
	}
	return check(l, &e, op, reason, size);
}
