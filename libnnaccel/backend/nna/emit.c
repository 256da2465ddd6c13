// SPDX-License-Identifier: MIT
/*
 * Writes operations of the ir as a command stream: parameters, descriptors of operands, targets of
 * jumps. There is one function per struct of a command; the rest is common code.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/nna/commands.h"
#include "libnnaccel/backend/nna/nna.h"

/* Operands of an operation and of its command have the same order. */
_Static_assert((int)NNAHW_CONV_CHANNELS == (int)NNA_CONV2D_PRIVATE &&
		       (int)NNAHW_CONV_RESIDUAL == (int)NNA_CONV2D_RESIDUAL &&
		       (int)NNAHW_MATMUL_CHANNELS == (int)NNA_CONV2D_PRIVATE &&
		       (int)NNAHW_MATMUL_RESIDUAL == (int)NNA_CONV2D_RESIDUAL,
	       "operands of CONV2D and MATMUL");
_Static_assert((int)NNAHW_EWISE_C == (int)NNA_ELEMENTWISE_C, "operands of EWISE");
_Static_assert((int)NNAHW_ROWS_A == (int)NNA_ROWS_IN &&
		       NNAHW_ROWS_INPUT == NNA_ROWS_ARGUMENT_INPUT &&
		       NNAHW_ROWS_VALUE == NNA_ROWS_ARGUMENT_NUMBER &&
		       NNAHW_ROWS_STEPS == NNA_IR_ROWS_STEPS,
	       "operands and steps of ROWS");
_Static_assert((int)NNAHW_TOPK_INPUT == (int)NNA_TOPK_INPUT &&
		       (int)NNAHW_NORM16_BIAS == (int)NNA_NORM16_BIAS &&
		       (int)NNAHW_ROI_BATCHES == (int)NNA_ROI_BATCHES &&
		       (int)NNAHW_GATHER_INDICES == (int)NNA_GATHER_INDICES &&
		       (int)NNAHW_LSH_WEIGHTS == (int)NNA_LSH_WEIGHTS &&
		       (int)NNAHW_MULTINOMIAL_SEEDS == (int)NNA_MULTINOMIAL_SEEDS &&
		       (int)NNAHW_KEYPOINT_BOXES == (int)NNA_KEYPOINT_BOXES,
	       "operands of the others");
_Static_assert((int)NNAHW_NMS_KEPT_GROUPS == (int)NNA_NMS_KEPT_GROUPS &&
		       (int)NNAHW_NMS_MASK == (int)NNA_NMS_MASK,
	       "operands of NMS");
/* CONV and DWCONV differ only in a member's name. */
_Static_assert(sizeof(struct nnahw_cmd_conv) == sizeof(struct nnahw_cmd_dwconv) &&
		       offsetof(struct nnahw_cmd_conv, groups) ==
			       offsetof(struct nnahw_cmd_dwconv, multiplier),
	       "conv and dwconv");
_Static_assert(NNAHW_MAX_OPERANDS <= NNA_IR_MAX_OPERANDS && NNAHW_MAX_RANK >= NNA_IR_MAX_RANK &&
		       NNAHW_MAX_SLOTS <= NNA_BACKEND_MAX_SLOTS,
	       "the ir's limits are the hardware's");

union any_command {
	struct nnahw_command head;
	struct nnahw_cmd_jump jump;
	struct nnahw_cmd_branch branch;
	struct nnahw_cmd_conv conv; /* also of DWCONV */
	struct nnahw_cmd_matmul matmul;
	struct nnahw_cmd_pool pool;
	struct nnahw_cmd_ewise ewise;
	struct nnahw_cmd_rows rows;
	struct nnahw_cmd_fill fill;
	struct nnahw_cmd_topk topk;
	struct nnahw_cmd_reduce reduce;
	struct nnahw_cmd_arg arg;
	struct nnahw_cmd_softmax softmax;
	struct nnahw_cmd_norm16 norm16;
	struct nnahw_cmd_resize resize;
	struct nnahw_cmd_roi roi;
	struct nnahw_cmd_gather gather;
	struct nnahw_cmd_multinomial multinomial;
	struct nnahw_cmd_keypoint keypoint;
	struct nnahw_cmd_nms nms;
};

uint8_t nna_hw_type(uint8_t type)
{
	static const uint8_t types[] = {
		[NNA_TYPE_NONE] = NNAHW_TYPE_NONE, [NNA_TYPE_U8] = NNAHW_TYPE_U8,
		[NNA_TYPE_S8] = NNAHW_TYPE_S8,	   [NNA_TYPE_U16] = NNAHW_TYPE_U16,
		[NNA_TYPE_S16] = NNAHW_TYPE_S16,   [NNA_TYPE_S32] = NNAHW_TYPE_S32,
		[NNA_TYPE_S64] = NNAHW_TYPE_S64,   [NNA_TYPE_F16] = NNAHW_TYPE_F16,
		[NNA_TYPE_F32] = NNAHW_TYPE_F32,   [NNA_TYPE_BOOL8] = NNAHW_TYPE_BOOL8,
		[NNA_TYPE_U32] = NNAHW_TYPE_U32,
	};

	return types[type];
}

bool nna_hw_has_sums(const struct nna_lower *l, const struct nna_ir_op *op)
{
	return l->values[op->values[NNA_CONV2D_OUTPUT]].type == NNA_TYPE_F32 &&
	       !nna_type_is_float(l->values[op->values[NNA_CONV2D_INPUT]].type);
}

bool nna_hw_is_depthwise(const struct nna_lower *l, const struct nna_ir_op *op)
{
	return op->kind == NNA_IR_CONV2D && op->conv2d.groups > 1 &&
	       op->conv2d.groups == l->values[op->values[NNA_CONV2D_INPUT]].dims[3];
}

static uint16_t opcode_of(const struct nna_lower *l, const struct nna_ir_op *op)
{
	static const uint16_t opcodes[NNA_IR_KINDS] = {
		[NNA_IR_CONV2D] = NNAHW_OP_CONV,
		[NNA_IR_MATMUL] = NNAHW_OP_MATMUL,
		[NNA_IR_POOL] = NNAHW_OP_POOL,
		[NNA_IR_UNARY] = NNAHW_OP_EWISE,
		[NNA_IR_BINARY] = NNAHW_OP_EWISE,
		[NNA_IR_MUL_ADD] = NNAHW_OP_EWISE,
		[NNA_IR_SELECT] = NNAHW_OP_EWISE,
		[NNA_IR_ROWS] = NNAHW_OP_ROWS,
		[NNA_IR_RESCALE] = NNAHW_OP_EWISE,
		[NNA_IR_CLAMP] = NNAHW_OP_EWISE,
		[NNA_IR_COPY] = NNAHW_OP_COPY,
		[NNA_IR_FILL] = NNAHW_OP_FILL,
		[NNA_IR_REDUCE] = NNAHW_OP_REDUCE,
		[NNA_IR_ARG] = NNAHW_OP_ARG,
		[NNA_IR_TOPK] = NNAHW_OP_TOPK,
		[NNA_IR_SOFTMAX] = NNAHW_OP_SOFTMAX,
		[NNA_IR_NORM16] = NNAHW_OP_NORM16,
		[NNA_IR_NORM8] = NNAHW_OP_NORM8,
		[NNA_IR_RESIZE] = NNAHW_OP_RESIZE,
		[NNA_IR_ROI] = NNAHW_OP_ROI,
		[NNA_IR_GATHER] = NNAHW_OP_GATHER,
		[NNA_IR_LSH] = NNAHW_OP_LSH,
		[NNA_IR_MULTINOMIAL] = NNAHW_OP_MULTINOMIAL,
		[NNA_IR_KEYPOINT] = NNAHW_OP_KEYPOINT,
		[NNA_IR_NMS] = NNAHW_OP_NMS,
		[NNA_IR_JUMP] = NNAHW_OP_JUMP,
		[NNA_IR_BRANCH] = NNAHW_OP_BRANCH,
	};

	return nna_hw_is_depthwise(l, op) ? NNAHW_OP_DWCONV : opcodes[op->kind];
}

static void write_epilogue(const struct nna_lower *l, const struct nna_ir_op *op,
			   struct nnahw_epilogue *e)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	bool with = op->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE;
	const struct nna_ir_bounds *own = with ? &op->sum.bounds : &op->bounds;

	e->clamp_min = own->min;
	e->clamp_max = own->max;
	e->q_min = own->q_min;
	e->q_max = own->q_max;
	e->zero_point = with ? op->sum.zero_point : out->zero_point;
	e->once = op->rounding == NNA_IR_ROUNDS_AS_TFLITE_ONCE && !nna_type_is_float(out->type);
	e->add_shift = 1;
	e->residual_min = -INFINITY;
	e->residual_max = INFINITY;
	nna_type_limits(out->type, &e->residual_q_min, &e->residual_q_max);
	if (!with)
		return;
	if (nna_type_is_float(out->type)) {
		e->residual_min = op->bounds.min;
		e->residual_max = op->bounds.max;
	} else {
		const struct nna_value *residual = &l->values[op->values[NNA_CONV2D_RESIDUAL]];
		struct nna_value before = *out;
		struct nnahw_cmd_ewise add;
		bool second = op->sum.residual_first;

		before.scale = op->sum.scale;
		before.zero_point = op->sum.zero_point;
		nna_hw_sum(&add, out, second ? residual : &before, second ? &before : residual,
			   op->sum.rounding);
		e->own_scale = second ? add.b_scale : add.a_scale;
		e->residual_scale = second ? add.a_scale : add.b_scale;
		e->add_shift = add.shift;
		e->staged = add.staged;
		e->own_shift = second ? add.b_shift : add.a_shift;
		e->residual_shift = second ? add.a_shift : add.b_shift;
		e->add_multiplier = add.multiplier;
		e->residual_q_min = op->bounds.q_min;
		e->residual_q_max = op->bounds.q_max;
	}
}

static void write_conv(const struct nna_lower *l, const struct nna_ir_op *op,
		       struct nnahw_cmd_conv *c)
{
	const struct nna_ir_conv2d *p = &op->conv2d;
	uint32_t n = l->values[op->values[NNA_CONV2D_OUTPUT]].dims[3];

	c->layout = op->form;
	/* DWCONV: the depth multiplier. */
	c->groups = nna_hw_is_depthwise(l, op) ? n / p->groups : p->groups;
	c->kernel_h = p->kernel_h;
	c->kernel_w = p->kernel_w;
	c->stride_h = p->stride_h;
	c->stride_w = p->stride_w;
	c->dilation_h = p->dilation_h;
	c->dilation_w = p->dilation_w;
	c->pad_top = p->pad_top;
	c->pad_left = p->pad_left;
	write_epilogue(l, op, &c->epilogue);
}

static void write_pool(const struct nna_lower *l, const struct nna_ir_op *op,
		       struct nnahw_cmd_pool *c)
{
	static const uint8_t kinds[] = { [NNA_POOL_AVERAGE] = NNAHW_POOL_AVERAGE,
					 [NNA_POOL_MAX] = NNAHW_POOL_MAX,
					 [NNA_POOL_L2] = NNAHW_POOL_L2 };
	uint8_t type = l->values[op->values[NNA_IR_IN]].type;

	c->kind = kinds[op->pool.function];
	c->away = op->pool.function == NNA_POOL_AVERAGE && !nna_type_is_float(type) &&
		  op->rounding != NNA_IR_ROUNDS_AS_NNAPI;
	c->kernel_h = op->pool.kernel_h;
	c->kernel_w = op->pool.kernel_w;
	c->stride_h = op->pool.stride_h;
	c->stride_w = op->pool.stride_w;
	c->pad_top = op->pool.pad_top;
	c->pad_left = op->pool.pad_left;
	c->q_min = op->bounds.q_min;
	c->q_max = op->bounds.q_max;
	c->clamp_min = op->bounds.min;
	c->clamp_max = op->bounds.max;
}

/*
 * TFLite's PROD of S8: each factor is scaled, with 15 bits, by in.scale divided by the n-th root of
 * out.scale for n factors.
 */
static void tflite_product(const struct nna_value *in, const struct nna_value *out, int64_t size,
			   struct nnahw_cmd_reduce *c)
{
	int32_t multiplier, shift;

	nna_requantize_from(in->scale / pow((double)out->scale, 1 / (double)size), &multiplier,
			    &shift);
	multiplier = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
	/* Beyond this range every result is 0 or saturates, so the fp32 rule serves. */
	if (multiplier && shift > 16) {
		c->multiplier = multiplier;
		c->shift = shift - 16;
	}
}

/*
 * TFLite's SUM and MEAN of 8-bit types multiply by in.scale / out.scale. For a MEAN the integer
 * multiplier is shifted left, to keep its bits, and divided by the number of elements.
 */
static void tflite_reduce(const struct nna_lower *l, const struct nna_ir_op *op,
			  struct nnahw_cmd_reduce *c)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	int64_t size = 1;
	int32_t shift;
	int up;

	if (op->rounding == NNA_IR_ROUNDS_AS_NNAPI || !nna_value_is_quantised(out) ||
	    !nna_value_is_quantised(in) ||
	    nna_type_size(in->type) != 1 || nna_type_size(out->type) != 1 ||
	    c->kind > NNAHW_REDUCTION_PROD)
		return;
	for (uint32_t k = 0; k < in->rank; k++)
		if (c->kind != NNAHW_REDUCTION_SUM && c->axes & (1u << k))
			size *= in->dims[k];
	if (c->kind == NNAHW_REDUCTION_PROD) {
		if (size && size <= NNAHW_LIMIT_REDUCE_FACTORS && in->type == NNA_TYPE_S8 &&
		    out->type == NNA_TYPE_S8)
			tflite_product(in, out, size, c);
		return;
	}
	nna_requantize_from((double)in->scale / out->scale, &c->multiplier, &shift);
	if (!size)
		return;
	up = 63 - __builtin_clzll(size);
	if (up > 62 - shift)
		up = 62 - shift; /* the largest shift */
	c->multiplier = ((int64_t)c->multiplier << up) / size;
	c->shift = shift + up;
}

static void write_reduce(const struct nna_lower *l, const struct nna_ir_op *op,
			 struct nnahw_cmd_reduce *c)
{
	static const uint8_t kinds[] = {
		[NNA_REDUCE_SUM] = NNAHW_REDUCTION_SUM,	  [NNA_REDUCE_MEAN] = NNAHW_REDUCTION_MEAN,
		[NNA_REDUCE_PROD] = NNAHW_REDUCTION_PROD, [NNA_REDUCE_MAX] = NNAHW_REDUCTION_MAX,
		[NNA_REDUCE_MIN] = NNAHW_REDUCTION_MIN,	  [NNA_REDUCE_ALL] = NNAHW_REDUCTION_ALL,
		[NNA_REDUCE_ANY] = NNAHW_REDUCTION_ANY,
	};

	c->kind = kinds[op->reduce.function];
	c->axes = op->reduce.axes;
	nna_type_limits(l->values[op->values[NNA_IR_OUT]].type, &c->q_min, &c->q_max);
	tflite_reduce(l, op, c);
}

static void write_rows(const struct nna_ir_rows *p, struct nnahw_cmd_rows *c)
{
	static const uint8_t functions[] = {
		[NNA_ROW_SUM - NNA_FN_COUNT] = NNAHW_ROW_SUM,
		[NNA_ROW_MEAN - NNA_FN_COUNT] = NNAHW_ROW_MEAN,
		[NNA_ROW_MAX - NNA_FN_COUNT] = NNAHW_ROW_MAX,
		[NNA_ROW_MIN - NNA_FN_COUNT] = NNAHW_ROW_MIN,
		[NNA_ROW_ROUND - NNA_FN_COUNT] = NNAHW_ROW_ROUND,
	};

	c->count = p->count;
	memcpy(c->result, p->result, sizeof(c->result));
	c->length = p->length;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct nna_ir_rows_step *s = &p->steps[i];

		c->op[i] = s->function < NNA_FN_COUNT ? nna_hw_function(s->function) :
							functions[s->function - NNA_FN_COUNT];
		c->x[i] = s->from[0];
		c->y[i] = s->from[1];
		c->z[i] = s->from[2];
		c->number[i] = s->number;
	}
}

static void write_nms(const struct nna_ir_nms *p, struct nnahw_cmd_nms *c)
{
	static const uint8_t kinds[] = { [NNA_NMS_SUPPRESS] = NNAHW_NMS_SUPPRESS,
					 [NNA_NMS_HARD] = NNAHW_NMS_HARD,
					 [NNA_NMS_LINEAR] = NNAHW_NMS_LINEAR,
					 [NNA_NMS_GAUSSIAN] = NNAHW_NMS_GAUSSIAN };

	c->kind = kinds[p->mode];
	c->by_class = p->by_class;
	c->candidates = p->candidates;
	c->most_of_class = p->most_of_class;
	c->most = p->most;
	c->depth = p->depth;
	c->class_base = p->class_base;
	c->score_min = p->score_min;
	c->score_floor = p->score_floor;
	c->threshold = p->threshold;
	c->sigma = p->sigma;
}

static void write_params(const struct nna_lower *l, const struct nna_ir_op *op,
			 union any_command *c)
{
	switch (op->kind) {
	case NNA_IR_CONV2D:
		write_conv(l, op, &c->conv);
		break;
	case NNA_IR_MATMUL:
		write_epilogue(l, op, &c->matmul.epilogue);
		break;
	case NNA_IR_POOL:
		write_pool(l, op, &c->pool);
		break;
	case NNA_IR_TOPK:
		c->topk.lower_first = op->topk.lower_first;
		break;
	case NNA_IR_FILL:
		c->fill.value = op->fill.bits;
		break;
	case NNA_IR_REDUCE:
		write_reduce(l, op, &c->reduce);
		break;
	case NNA_IR_ARG:
		c->arg.axis = op->arg.axis;
		c->arg.minimum = op->arg.minimum;
		break;
	case NNA_IR_SOFTMAX:
		c->softmax.beta = op->softmax.beta;
		c->softmax.axis = op->softmax.axis;
		c->softmax.log = op->softmax.log;
		break;
	case NNA_IR_NORM16:
		c->norm16.multiplier = op->norm16.multiplier;
		c->norm16.shift = op->norm16.shift;
		break;
	case NNA_IR_RESIZE:
		c->resize.kind = op->resize.mode == NNA_RESIZE_BILINEAR ? NNAHW_RESAMPLE_BILINEAR :
									  NNAHW_RESAMPLE_NEAREST;
		c->resize.align_corners = op->resize.align_corners;
		c->resize.half_pixel_centers = op->resize.half_pixel_centers;
		/* TFLite computes in fixed point only for signed types. */
		c->resize.fixed_point = op->resize.mode == NNA_RESIZE_BILINEAR &&
					l->values[op->values[NNA_IR_IN]].type == NNA_TYPE_S8 &&
					op->rounding != NNA_IR_ROUNDS_AS_NNAPI;
		/* For unsigned types it computes in fp32, in another order. */
		c->resize.corners = op->resize.mode == NNA_RESIZE_BILINEAR &&
				    l->values[op->values[NNA_IR_IN]].type == NNA_TYPE_U8 &&
				    op->rounding != NNA_IR_ROUNDS_AS_NNAPI;
		c->resize.scale_h = op->resize.scale_h;
		c->resize.scale_w = op->resize.scale_w;
		break;
	case NNA_IR_ROI:
		c->roi.kind = op->roi.mode == NNA_ROI_MEAN ? NNAHW_ROI_MEAN : NNAHW_ROI_MAX;
		c->roi.samples_h = op->roi.samples_h;
		c->roi.samples_w = op->roi.samples_w;
		c->roi.scale_h = op->roi.scale_h;
		c->roi.scale_w = op->roi.scale_w;
		break;
	case NNA_IR_GATHER:
		c->gather.axis = op->gather.axis;
		break;
	case NNA_IR_MULTINOMIAL:
		c->multinomial.first = op->multinomial.first;
		break;
	case NNA_IR_KEYPOINT:
		c->keypoint.tolerance = op->keypoint.tolerance;
		break;
	case NNA_IR_ROWS:
		write_rows(&op->rows, &c->rows);
		break;
	case NNA_IR_NMS:
		write_nms(&op->nms, &c->nms);
		break;
	default:
		nna_hw_ewise(l, op, &c->ewise);
		break;
	}
}

static void write_operand(const struct nna_lower *l, const struct nna_ir_op *op, uint32_t k,
			  struct nnahw_tensor *t)
{
	struct nna_value v;

	*t = (struct nnahw_tensor){ .type = NNAHW_TYPE_NONE, .slot = NNAHW_SLOT_NONE };
	if (k >= op->operand_count || op->values[k] == NNA_NO_VALUE)
		return;
	v = l->values[op->values[k]];
	/* Weights of DWCONV in the plain layout: [1, kh, kw, N]. */
	if (k == NNA_CONV2D_WEIGHTS && op->form == NNAHW_LAYOUT_PLAIN &&
	    nna_hw_is_depthwise(l, op)) {
		uint32_t n = v.dims[0];
		int32_t stride = v.strides[0];

		v.dims[0] = v.dims[3];
		v.strides[0] = v.strides[3];
		v.dims[3] = n;
		v.strides[3] = stride;
	}
	t->type = nna_hw_type(v.type);
	t->rank = v.rank;
	t->slot = l->storages[v.storage].slot;
	t->offset = l->storages[v.storage].offset + v.offset;
	t->scale = v.scale;
	t->zero_point = v.zero_point;
	memcpy(t->dims, v.dims, sizeof(t->dims));
	memcpy(t->strides, v.strides, sizeof(t->strides));
}

/*
 * Writes the command of an operation, without the target of a jump. Return: its bytes, 0 for an
 * operation that has none.
 */
static uint32_t write_command(const struct nna_lower *l, const struct nna_ir_op *op,
			      union any_command *c)
{
	uint32_t size, operands, outputs;
	uint16_t opcode = opcode_of(l, op);

	memset(c, 0, sizeof(*c));
	if (!nna_command_find(opcode, &size, &operands, &outputs))
		return 0;
	if (op->label == NNA_NONE && op->kind != NNA_IR_COPY && op->kind != NNA_IR_NORM8 &&
	    op->kind != NNA_IR_LSH)
		write_params(l, op, c);
	c->head = (struct nnahw_command){ .opcode = opcode, .size = size, .origin = op->origin };
	for (uint32_t k = 0; k < operands; k++) {
		struct nnahw_tensor t;

		write_operand(l, op, k, &t);
		memcpy((uint8_t *)c + sizeof(c->head) + k * sizeof(t), &t, sizeof(t));
	}
	return size;
}

/* Byte offset of each command in the stream; a dead command has the offset of its successor. */
static int place_commands(const struct nna_lower *l, uint32_t *places, struct nna_stream *out)
{
	uint64_t at = sizeof(struct nnahw_stream_header);

	for (uint32_t i = 0; i < l->op_count; i++) {
		uint32_t size, pieces, axis;
		union any_command c;

		places[i] = at;
		if (l->ops[i].dead)
			continue;
		size = write_command(l, &l->ops[i], &c);
		if (!size)
			return -EINVAL;
		pieces = nna_hw_split(&c, &axis);
		at += (uint64_t)size * pieces;
		out->commands += pieces;
		if (at > NNAHW_MAX_STREAM_SIZE - sizeof(struct nnahw_cmd_end))
			return -ENOTSUP;
	}
	places[l->op_count] = at;
	out->commands++;
	out->size = at + sizeof(struct nnahw_cmd_end);
	return 0;
}

static int write_target(const struct nna_lower *l, const struct nna_ir_op *op, uint32_t at,
			const uint32_t *places, union any_command *c)
{
	uint32_t index = l->labels[op->label];

	if (index == NNA_NONE)
		return -EINVAL;
	if (op->kind == NNA_IR_JUMP) {
		c->jump.target = places[index];
		c->jump.loop = places[index] <= at;
	} else {
		c->branch.target = places[index];
	}
	return 0;
}

static int write_stream(const struct nna_lower *l, const uint32_t *places, struct nna_stream *out)
{
	struct nnahw_stream_header header = {
		.magic = NNAHW_STREAM_MAGIC,
		.version = NNAHW_STREAM_ABI,
		.layout = NNAHW_LAYOUT_ABI,
		.size = out->size,
		.command_count = out->commands,
	};
	struct nnahw_cmd_end end = { .head = { .opcode = NNAHW_OP_END, .size = sizeof(end) } };

	memcpy(out->bytes, &header, sizeof(header));
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *op = &l->ops[i];
		uint32_t size, pieces, axis;
		union any_command c;

		if (op->dead)
			continue;
		size = write_command(l, op, &c);
		if (op->label != NNA_NONE) {
			int ret = write_target(l, op, places[i], places, &c);

			if (ret)
				return ret;
		}
		pieces = nna_hw_split(&c, &axis);
		for (uint32_t k = 0; k < pieces; k++) {
			union any_command piece = c;

			if (pieces > 1)
				nna_hw_cut(&piece, axis, k, pieces);
			memcpy(out->bytes + places[i] + (size_t)k * size, &piece, size);
		}
	}
	memcpy(out->bytes + places[l->op_count], &end, sizeof(end));
	return 0;
}

int nna_hw_emit(const struct nna_lower *l, struct nna_stream *out)
{
	uint32_t *places = malloc(sizeof(*places) * ((size_t)l->op_count + 1));
	int ret = -ENOMEM;

	*out = (struct nna_stream){ 0 };
	if (places)
		ret = place_commands(l, places, out);
	if (!ret) {
		out->bytes = calloc(1, out->size);
		ret = out->bytes ? write_stream(l, places, out) : -ENOMEM;
	}
	free(places);
	if (ret) {
		free(out->bytes);
		out->bytes = NULL;
	}
	return ret;
}
