// SPDX-License-Identifier: MIT
/* CONV and DWCONV, by definition. */
#include "device/nna/engine/conv.h"

#define TILE_WORK 49152u /* products */

void nnadev_conv_get(const struct nnadev_engine_command *cmd, struct nnadev_conv *g)
{
	const struct nnahw_cmd_conv *p = (const struct nnahw_cmd_conv *)cmd->raw;
	const uint32_t *out, *in;

	/*
	 * DWCONV has the same fields at the same offsets; its multiplier has the offset of groups.
	 */
	_Static_assert(offsetof(struct nnahw_cmd_conv, epilogue) ==
		       offsetof(struct nnahw_cmd_dwconv, epilogue), "the same fields");
	_Static_assert(offsetof(struct nnahw_cmd_conv, groups) ==
		       offsetof(struct nnahw_cmd_dwconv, multiplier), "at the same places");
	memset(g, 0, sizeof(*g));
	g->output = &cmd->operands[NNAHW_CONV_OUTPUT];
	g->input = &cmd->operands[NNAHW_CONV_INPUT];
	g->weights = &cmd->operands[NNAHW_CONV_WEIGHTS];
	g->bias = &cmd->operands[NNAHW_CONV_BIAS];
	g->channels = &cmd->operands[NNAHW_CONV_CHANNELS];
	g->residual = &cmd->operands[NNAHW_CONV_RESIDUAL];
	g->epilogue = &p->epilogue;
	g->layout = p->layout;
	g->depthwise = p->head.opcode == NNAHW_OP_DWCONV;
	out = g->output->desc.dims;
	in = g->input->desc.dims;
	g->batch = out[0], g->out_h = out[1], g->out_w = out[2], g->out_c = out[3];
	g->window = (struct nnadev_window){
		.height = in[1],
		.width = in[2],
		.kernel_h = p->kernel_h,
		.kernel_w = p->kernel_w,
		.stride_h = p->stride_h,
		.stride_w = p->stride_w,
		.dilation_h = p->dilation_h,
		.dilation_w = p->dilation_w,
		.pad_top = p->pad_top,
		.pad_left = p->pad_left,
	};
	g->group_in = g->depthwise ? 1 : p->groups ? in[3] / p->groups : 0;
	g->group_out = g->depthwise ? p->groups : p->groups ? out[3] / p->groups : 0;
	g->k = p->kernel_h * p->kernel_w * g->group_in;
	g->blocks = nnadev_div_up(g->group_out, 16);
}

/* A partial sum of products: an integer that wraps, or a float. */
struct sum {
	uint32_t integer;
	float real;
};

/* Adds products [begin, end) of an output element, in their order. */
static void conv_sum(const struct nnadev_conv *g, const uint32_t *index, uint32_t begin,
		     uint32_t end, struct sum *sum)
{
	const uint32_t n = index[3], group_in = g->group_in;
	const int64_t first = n / g->group_out * (int64_t)group_in;
	const int32_t *in = g->input->desc.strides, zero = g->input->desc.zero_point;
	const bool quantised = nnadev_present(g->channels);
	uint32_t acc = sum->integer;
	float real = sum->real;

	for (uint32_t k = begin; k < end;) {
		const uint32_t position = k / group_in, from_c = k % group_in;
		const uint32_t to_c = group_in - from_c < end - k ? group_in : from_c + end - k;
		const uint32_t ky = position / g->window.kernel_w,
			       kx = position % g->window.kernel_w;
		const int64_t row = nnadev_window_row(&g->window, index[1], ky);
		const int64_t column = nnadev_window_column(&g->window, index[2], kx);
		const bool inside = row >= 0 && row < g->window.height && column >= 0 &&
				    column < g->window.width;
		const int64_t from = inside ? index[0] * (int64_t)in[0] + row * in[1] +
						      column * in[2]
					    : 0;

		k += to_c - from_c;
		if (!inside && g->layout != NNAHW_LAYOUT_PACKED8)
			continue;
		for (uint32_t c = from_c; c < to_c; c++) {
			const int64_t a = from + (first + c) * in[3];
			const int64_t w = nnadev_conv_weight(g, n, ky, kx, c);

			if (!quantised) {
				real += nnadev_load_float(g->input, a) *
					nnadev_load_float(g->weights, w);
			} else if (g->layout == NNAHW_LAYOUT_PACKED8) {
				int64_t v = inside ? nnadev_load_integer(g->input, a) : zero;

				acc += (uint32_t)(v * nnadev_load_centred(g->weights, w));
			} else {
				acc += (uint32_t)(nnadev_load_centred(g->input, a) *
						  nnadev_load_centred(g->weights, w));
			}
		}
	}
	sum->integer = acc;
	sum->real = real;
}

/* Stores an output element whose products are all added. */
static void conv_finish(const struct nnadev_conv *g, const uint32_t *index, struct sum sum)
{
	const uint32_t n = index[3];
	const int64_t at = nnadev_offset(&g->output->desc, index);
	const int64_t rat = nnadev_present(g->residual) ? nnadev_offset(&g->residual->desc, index)
							: 0;

	if (nnadev_present(g->channels)) {
		const struct nnahw_channel channel =
			((const struct nnahw_channel *)g->channels->data)[n];

		if (nnadev_present(g->bias))
			sum.integer += (uint32_t)nnadev_load_integer(
				g->bias, n * (int64_t)g->bias->desc.strides[0]);
		sum.integer += (uint32_t)channel.bias;
		if (g->output->desc.type == NNAHW_TYPE_F32)
			nnadev_epilogue_sum(g->epilogue, (int32_t)sum.integer, g->output, at);
		else
			nnadev_epilogue_integer(g->epilogue, (int32_t)sum.integer, &channel,
						g->output, at, g->residual, rat);
	} else {
		if (nnadev_present(g->bias))
			sum.real += nnadev_load_float(g->bias,
						      n * (int64_t)g->bias->desc.strides[0]);
		nnadev_epilogue_float(g->epilogue, sum.real, g->output, at, g->residual, rat);
	}
}

/* Computes one step of an output element that has too many products for a tile. */
static void conv_step(const struct nnadev_conv *g, const struct nnadev_engine_plan *plan,
		      uint32_t tile, struct sum *sum)
{
	uint32_t index[4], piece, step, begin;

	if (!nnadev_step_get(plan, tile, g->output->count, &piece, &step))
		return;
	nnadev_unflatten(g->output->desc.dims, 4, piece, index);
	if (!step)
		*sum = (struct sum){ 0 };
	begin = step * TILE_WORK;
	conv_sum(g, index, begin, g->k - begin < TILE_WORK ? g->k : begin + TILE_WORK, sum);
	if (step == plan->steps - 1)
		conv_finish(g, index, *sum);
}

static uint32_t conv_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_conv g = *(const struct nnadev_conv *)nnadev_state(plan);
	uint32_t index[4], begin, end;

	if (plan->steps) {
		conv_step(&g, plan, tile, (struct sum *)shared + tile);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, g.output->count, &begin, &end);
	nnadev_unflatten(g.output->desc.dims, 4, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(g.output->desc.dims, 4, index)) {
		struct sum sum = { 0 };

		conv_sum(&g, index, 0, g.k, &sum);
		conv_finish(&g, index, sum);
	}
	return NNAHW_STATUS_OK;
}

static bool conv_weights_fit(const struct nnadev_conv *g, uint32_t groups)
{
	const struct nnahw_tensor *w = &g->weights->desc;

	switch (g->layout) {
	case NNAHW_LAYOUT_PLAIN:
		return nnadev_has_dims(w, 4,
				       (uint64_t[]){ g->depthwise ? 1 : g->out_c,
						     g->window.kernel_h, g->window.kernel_w,
						     g->depthwise ? g->out_c : g->group_in });
	case NNAHW_LAYOUT_PACKED8:
		if (!g->depthwise)
			return nnadev_has_dims(w, 4,
					       (uint64_t[]){ (uint64_t)groups * g->blocks,
							     nnadev_div_up(g->k, 4), 16, 4 });
		break;
	default:
		if (!g->depthwise)
			return nnadev_has_dims(
				w, 3, (uint64_t[]){ (uint64_t)groups * g->blocks, g->k, 16 });
		break;
	}
	return nnadev_has_dims(w, 3, (uint64_t[]){ nnadev_div_up(g->out_c, 16), g->k, 16 });
}

static uint32_t conv_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_conv *p = (const struct nnahw_cmd_conv *)cmd->raw;
	struct nnadev_conv g;
	uint32_t type, weight_type;
	uint64_t in_c;
	bool quantised, wide, sums;

	nnadev_conv_get(cmd, &g);
	if (g.layout > NNAHW_LAYOUT_PACKED_FLOAT)
		return NNAHW_STATUS_BAD_COMMAND;
	type = g.output->desc.type;
	weight_type = g.weights->desc.type;
	/* Integer LSTMs keep the sums of their gates in 16 bits. */
	wide = type == NNAHW_TYPE_S16 && !g.depthwise;
	sums = !g.depthwise && nnadev_has_sums(g.output, g.input);
	quantised = nnadev_type_is_quant8(type) || wide || sums;
	if (wide || sums ? !nnadev_type_is_quant8(g.input->desc.type) : g.input->desc.type != type)
		return nnadev_bad_operand(plan, NNAHW_CONV_INPUT);
	if (nnadev_type_is_float(weight_type) == quantised ||
	    (g.layout == NNAHW_LAYOUT_PACKED8 && weight_type != NNAHW_TYPE_S8) ||
	    (g.layout == NNAHW_LAYOUT_PACKED_FLOAT && quantised) ||
	    (g.layout != NNAHW_LAYOUT_PLAIN && !g.weights->contiguous))
		return nnadev_bad_operand(plan, NNAHW_CONV_WEIGHTS);
	if (nnadev_present(g.residual) && (sums || g.residual->desc.type != type))
		return nnadev_bad_operand(plan, NNAHW_CONV_RESIDUAL);
	if (!nnadev_epilogue_valid(g.epilogue, quantised && !sums, nnadev_present(g.residual)))
		return NNAHW_STATUS_BAD_COMMAND;
	if (g.output->desc.rank != 4 || g.input->desc.rank != 4 ||
	    g.batch != g.input->desc.dims[0] ||
	    (nnadev_present(g.residual) && !nnadev_same_dims(&g.residual->desc, &g.output->desc)))
		return NNAHW_STATUS_BAD_SHAPE;
	in_c = g.input->desc.dims[3];
	if (!p->groups ||
	    (g.depthwise ? in_c * p->groups != g.out_c : g.out_c % p->groups || in_c % p->groups))
		return NNAHW_STATUS_BAD_SHAPE;
	if (!nnadev_window_valid(&g.window, g.out_h, g.out_w, g.group_in,
				 g.depthwise ? NNAHW_LIMIT_DWCONV_WINDOW :
					       NNAHW_LIMIT_CONV_WINDOW) ||
	    !conv_weights_fit(&g, p->groups))
		return NNAHW_STATUS_BAD_SHAPE;
	return nnadev_check_bias(cmd, plan, NNAHW_CONV_BIAS, NNAHW_CONV_CHANNELS, quantised,
				 g.layout == NNAHW_LAYOUT_PACKED8, false, g.out_c);
}

static void conv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_conv *g = nnadev_state_new(plan);

	nnadev_conv_get(cmd, g);
	if (g->k > TILE_WORK)
		nnadev_cut_steps(plan, g->output->count, nnadev_div_up(g->k, TILE_WORK),
				 sizeof(struct sum));
	else
		nnadev_cut(plan, g->output->count, TILE_WORK / (g->k + 16));
}

NNADEV_STATE_FITS(struct nnadev_conv);
NNADEV_KERNEL(conv) = { NNAHW_OP_CONV, NNADEV_ENGINE_SCALAR, conv_accepts, conv_plan, conv_tile };
NNADEV_KERNEL(dwconv) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_SCALAR, conv_accepts, conv_plan,
			  conv_tile };
