// SPDX-License-Identifier: MIT
/*
 * CONV2D: an operation for each image and each group of channels, CONV; or DEPTHWISE for each image
 * where each channel is a group. Images of one pixel are the columns of one image: so a
 * FULLY_CONNECTED of many rows is one operation.
 *
 * pack() replaces two operands (packed.h): weights becomes the streams, private the records.
 *
 * Results are those of the ir to the bit. Its double rounding is that of the NPU. ONCE is a U85's
 * too; a U65 rounds halves up, so that it does only factors with which no sum gives a half.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/packed.h"

#define FORM_PACKED 1u
#define STRIDE_MAX 3u
#define KERNEL_MAX 64u /* rows and columns, dilated */
#define PAD_BEFORE_MAX 127u
#define PAD_AFTER_MAX 255u
#define GROUPS_MAX 64u
#define OPERATIONS_MAX 1024u
#define PRODUCT_MAX 65025ull /* of two bytes less zero points */

/**
 * struct conv - a convolution of the ir, as operations
 * @out: result
 * @in: input
 * @weights: as the ir has them; once packed, only its type and quantisation hold
 * @bias: NULL for none
 * @data: weights from the first one on; NULL where they have no bytes yet
 * @biases: likewise
 * @images: operations for images
 * @groups: operations for groups of an image
 * @ofm_depth: channels of the OFM of an operation
 * @ifm_depth: of its IFM
 * @depthwise: DEPTHWISE
 */
struct conv {
	const struct nna_value *out, *in, *weights, *bias;
	const uint8_t *data, *biases;
	uint32_t images, groups;
	uint32_t ofm_depth, ifm_depth;
	bool depthwise;
};

static const struct nna_value *value_of(const struct nna_lower *l, const struct nna_ir_op *op,
					uint32_t operand)
{
	return op->values[operand] == NNA_NO_VALUE ? NULL : &l->values[op->values[operand]];
}

/* Whether images have one pixel, and follow one another at steps that are not negative. */
static bool is_row(const struct nna_value *v)
{
	return v->dims[1] == 1 && v->dims[2] == 1 && v->strides[0] >= 0 &&
	       v->dims[0] <= NNA_ETHOSU_SIZE_MOST;
}

/* The bytes of a constant from its first element on; NULL for other values. */
static const uint8_t *constant_bytes(const struct nna_lower *l, const struct nna_value *v)
{
	const struct nna_storage *s = &l->storages[v->storage];
	uint64_t begin, end;

	nna_value_extent(v, &begin, &end);
	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || end > s->size)
		return NULL;
	return (const uint8_t *)s->data + v->offset;
}

static int32_t bias_of(const struct conv *c, uint32_t channel)
{
	int32_t bias = 0;

	if (c->biases)
		memcpy(&bias, c->biases + (int64_t)channel * c->bias->strides[0] * 4, 4);
	return bias;
}

static struct conv conv_of(const struct nna_lower *l, const struct nna_ir_op *op)
{
	const struct nna_ir_conv2d *p = &op->conv2d;
	struct conv c = {
		.out = value_of(l, op, NNA_CONV2D_OUTPUT),
		.in = value_of(l, op, NNA_CONV2D_INPUT),
		.weights = value_of(l, op, NNA_CONV2D_WEIGHTS),
		.bias = value_of(l, op, NNA_CONV2D_BIAS),
		.groups = p->groups,
	};

	c.data = constant_bytes(l, c.weights);
	c.biases = c.bias ? constant_bytes(l, c.bias) : NULL;
	c.images = c.out->dims[0];
	if (is_row(c.out) && is_row(c.in) && p->kernel_h == 1 && p->kernel_w == 1 && !p->pad_top &&
	    !p->pad_left)
		c.images = 1;
	c.depthwise = p->groups > 1 && p->groups == c.in->dims[3] && p->groups == c.out->dims[3];
	if (c.depthwise)
		c.groups = 1;
	c.ofm_depth = c.out->dims[3] / c.groups;
	c.ifm_depth = c.in->dims[3] / c.groups;
	return c;
}

static struct nna_ethosu_window window_of(const struct conv *c, const struct nna_ir_conv2d *p)
{
	struct nna_ethosu_window w = {
		.height = p->kernel_h,
		.width = p->kernel_w,
		/* Of one row, strides say nothing. */
		.stride_y = c->out->dims[1] == 1 ? 1 : p->stride_h,
		.stride_x = c->out->dims[2] == 1 ? 1 : p->stride_w,
		.dilation_y = p->kernel_h == 1 ? 1 : p->dilation_h,
		.dilation_x = p->kernel_w == 1 ? 1 : p->dilation_w,
		.top = p->pad_top,
		.left = p->pad_left,
	};

	w.bottom = nna_ethosu_padding_behind(c->out->dims[1], c->in->dims[1],
					     (w.height - 1) * w.dilation_y + 1, w.stride_y, w.top);
	w.right = nna_ethosu_padding_behind(c->out->dims[2], c->in->dims[2],
					    (w.width - 1) * w.dilation_x + 1, w.stride_x, w.left);
	return w;
}

/* The operation of one image and group, without addresses. */
static void describe(const struct nna_ethosu_target *target, const struct nna_ir_op *op,
		     const struct conv *c, struct nna_ethosu_operation *to)
{
	const bool row = c->images < c->out->dims[0];

	*to = (struct nna_ethosu_operation){
		.code = c->depthwise ? ETHOSU_OP_DEPTHWISE : ETHOSU_OP_CONV,
		.ifm = {
			.bytes = 1,
			.is_signed = c->in->type == NNA_TYPE_S8,
			.height = c->in->dims[1],
			.width = row ? c->in->dims[0] : c->in->dims[2],
			.depth = c->ifm_depth,
			.zero_point = c->in->zero_point,
		},
		.ofm = {
			.bytes = 1,
			.is_signed = c->out->type == NNA_TYPE_S8,
			.height = c->out->dims[1],
			.width = row ? c->out->dims[0] : c->out->dims[2],
			.depth = c->ofm_depth,
			.zero_point = c->out->zero_point,
		},
		.window = window_of(c, &op->conv2d),
		.rounding = NNA_ETHOSU_ROUND_DOUBLE,
		.min = op->bounds.q_min,
		.max = op->bounds.q_max,
	};
	if (op->rounding == NNA_IR_ROUNDS_AS_TFLITE_ONCE)
		to->rounding = target->generation == NNA_ETHOSU_U85 ? NNA_ETHOSU_ROUND_SYMMETRIC
								     : NNA_ETHOSU_ROUND_NATURAL;
	if (!c->depthwise)
		to->window.part_kernel =
			nna_ethosu_block_part_kernel(target, c->ifm_depth, 1, to->window.height,
						     to->window.width);
	nna_ethosu_block_choose(target, to);
}

/* ---- accepts --------------------------------------------------------------------------------- */

static bool is_byte(const struct nna_value *v)
{
	return (v->type == NNA_TYPE_U8 || v->type == NNA_TYPE_S8) && v->scale > 0;
}

static int check_operands(const struct nna_lower *l, const struct nna_ir_op *op,
			  const struct conv *c, char *reason, size_t size)
{
	if (!is_byte(c->in) || !is_byte(c->out) || c->in->type != c->out->type)
		return nna_ethosu_refuse(reason, size, "convolutions are of 8 bits, in and out of "
						       "the same type");
	if (c->weights->type != NNA_TYPE_U8 && c->weights->type != NNA_TYPE_S8)
		return nna_ethosu_refuse(reason, size, "weights are of 8 bits");
	if (l->storages[c->weights->storage].kind != NNA_STORAGE_CONSTANT ||
	    (c->bias && l->storages[c->bias->storage].kind != NNA_STORAGE_CONSTANT))
		return nna_ethosu_refuse(reason, size, "weights and biases have to be constant: "
						       "they are encoded when it is compiled");
	if (op->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE)
		return nna_ethosu_refuse(reason, size, "a convolution adds no other operand");
	if (nna_ethosu_map_refuses(l, op->values[NNA_CONV2D_OUTPUT], reason, size) ||
	    nna_ethosu_map_refuses(l, op->values[NNA_CONV2D_INPUT], reason, size))
		return -ENOTSUP;
	return 0;
}

static int check_window(const struct nna_ir_op *op, const struct conv *c, char *reason, size_t size)
{
	const struct nna_ir_conv2d *p = &op->conv2d;
	const struct nna_ethosu_window w = window_of(c, p);

	if (w.stride_y > STRIDE_MAX || w.stride_x > STRIDE_MAX)
		return nna_ethosu_refuse(reason, size, "strides of %ux%u, the NPU has at most %u",
					 w.stride_y, w.stride_x, STRIDE_MAX);
	if (w.dilation_y > 2 || w.dilation_x > 2)
		return nna_ethosu_refuse(reason, size, "dilation of %ux%u, the NPU has at most 2",
					 w.dilation_y, w.dilation_x);
	if (w.height > KERNEL_MAX || w.width > KERNEL_MAX ||
	    (w.height - 1) * w.dilation_y >= KERNEL_MAX ||
	    (w.width - 1) * w.dilation_x >= KERNEL_MAX)
		return nna_ethosu_refuse(reason, size, "a kernel of %ux%u, the NPU has at most "
					 "%ux%u with dilation", w.height, w.width, KERNEL_MAX,
					 KERNEL_MAX);
	if (w.top > PAD_BEFORE_MAX || w.left > PAD_BEFORE_MAX || w.bottom > PAD_AFTER_MAX ||
	    w.right > PAD_AFTER_MAX)
		return nna_ethosu_refuse(reason, size, "padding of %u, %u, %u, %u: the NPU has at "
					 "most %u before and %u behind", w.top, w.left, w.bottom,
					 w.right, PAD_BEFORE_MAX, PAD_AFTER_MAX);
	if (c->groups > GROUPS_MAX || (uint64_t)c->images * c->groups > OPERATIONS_MAX)
		return nna_ethosu_refuse(reason, size, "%u images of %u groups are too many "
					 "operations of the NPU", c->images, c->groups);
	return 0;
}

/*
 * ONCE rounds halves away from zero, NATURAL up: they differ where a sum below zero times the
 * multiplier is a half. Such a sum is a multiple of a power of two.
 */
static bool has_halves(int32_t multiplier, int32_t shift, uint64_t most)
{
	int32_t power;

	if (!multiplier)
		return false;
	power = shift - 1 - __builtin_ctz((uint32_t)multiplier);
	return power >= 0 && power < 63 && (uint64_t)1 << power <= most;
}

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? (uint64_t)-n : (uint64_t)n;
}

/* The greatest magnitude of a sum of channel @n, without its bias. */
static uint64_t products_of(const struct conv *c, uint32_t n)
{
	const struct nna_value *v = c->weights;
	const int32_t zero = c->in->zero_point, least = c->in->type == NNA_TYPE_S8 ? INT8_MIN : 0;
	const uint64_t low = magnitude((int64_t)least - zero);
	const uint64_t high = magnitude((int64_t)least + UINT8_MAX - zero);
	uint64_t sum = 0;

	for (uint32_t y = 0; y < v->dims[1]; y++)
		for (uint32_t x = 0; x < v->dims[2]; x++)
			for (uint32_t i = 0; i < v->dims[3]; i++) {
				const uint8_t *at = c->data + (int64_t)n * v->strides[0] +
						    (int64_t)y * v->strides[1] +
						    (int64_t)x * v->strides[2] +
						    (int64_t)i * v->strides[3];

				sum += magnitude((v->type == NNA_TYPE_S8 ? (int8_t)*at : *at) -
						 v->zero_point);
			}
	return sum * (low > high ? low : high);
}

static uint64_t greatest_sum(const struct conv *c, uint32_t n)
{
	uint64_t most = (uint64_t)c->weights->dims[1] * c->weights->dims[2] * c->weights->dims[3] *
			PRODUCT_MAX;

	if (c->data)
		most = products_of(c, n);
	if (!c->bias)
		return most;
	return most + (c->biases ? magnitude(bias_of(c, n)) : INT32_MAX);
}

static int check_rounding(const struct nna_ethosu_target *target, const struct nna_ir_op *op,
			  const struct conv *c, char *reason, size_t size)
{
	int32_t multiplier, shift;

	if (op->rounding > NNA_IR_ROUNDS_AS_TFLITE_ONCE)
		return nna_ethosu_refuse(reason, size, "the NPU has no such rounding");
	if (op->rounding != NNA_IR_ROUNDS_AS_TFLITE_ONCE || target->generation == NNA_ETHOSU_U85)
		return 0;
	for (uint32_t n = 0; n < c->out->dims[3]; n++) {
		nna_requantize_from(nna_channel_factor(c->in, c->weights, c->out, n, op->rounding),
				    &multiplier, &shift);
		if (has_halves(multiplier, shift, greatest_sum(c, n)))
			return nna_ethosu_refuse(reason, size, "the scale of channel %u may give "
						 "halves, which a U65 rounds up and TFLite away "
						 "from zero", n);
	}
	return 0;
}

/* Values of all streams at most, with the zeros that fill up blocks and parts of the kernel. */
static uint64_t most_values(const struct conv *c, const struct nna_ethosu_operation *op)
{
	const struct nna_ethosu_window *w = &op->window;
	const uint64_t parts = (uint64_t)((w->height + 3) / 4) * ((w->width + 3) / 4);
	const uint64_t elements = (uint64_t)w->height * w->width + 10 * parts;

	return (c->ofm_depth + op->block.depth) * elements * (c->depthwise ? 2 : c->ifm_depth + 64);
}

static int accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
		   const struct nna_ir_op *op, char *reason, size_t size)
{
	const struct conv c = conv_of(l, op);
	struct nna_ethosu_operation operation;
	int ret = check_operands(l, op, &c, reason, size) ?: check_window(op, &c, reason, size) ?:
		  check_rounding(target, op, &c, reason, size);

	if (ret)
		return ret;
	describe(target, op, &c, &operation);
	if (!operation.block.height)
		return nna_ethosu_refuse(reason, size, "the NPU has no room for a kernel of %ux%u "
					 "with strides of %ux%u", operation.window.height,
					 operation.window.width, operation.window.stride_y,
					 operation.window.stride_x);
	if (most_values(&c, &operation) > NNA_ETHOSU_VALUES_MAX)
		return nna_ethosu_refuse(reason, size, "the weights are too many");
	return 0;
}

/* ---- pack ------------------------------------------------------------------------------------ */

static int add_weights(struct nna_ethosu_bytes *to, const struct nna_ethosu_target *target,
		       const struct conv *c, const struct nna_ethosu_operation *op, uint32_t group)
{
	const struct nna_value *v = c->weights;
	const struct nna_ethosu_weights w = {
		.target = target,
		.depthwise = c->depthwise,
		.part_kernel = op->window.part_kernel,
		.ifm_bytes = op->ifm.bytes,
		.ofm_depth = c->ofm_depth,
		.ifm_depth = c->depthwise ? 1 : c->ifm_depth,
		.height = op->window.height,
		.width = op->window.width,
		.stride_y = op->window.stride_y,
		.stride_x = op->window.stride_x,
		.dilation_y = op->window.dilation_y,
		.dilation_x = op->window.dilation_x,
		.block_depth = op->block.depth,
		.microblock = nna_ethosu_block_elements(target, op->block.microblock),
		.is_signed = v->type == NNA_TYPE_S8,
		.data = c->data + (int64_t)group * c->ofm_depth * v->strides[0],
		.strides = { v->strides[0], v->strides[1], v->strides[2], v->strides[3] },
		.zero_point = v->zero_point,
	};

	return nna_ethosu_packed_add_streams(to, &w, group);
}

static int add_records(struct nna_ethosu_bytes *to, const struct nna_ethosu_target *target,
		       const struct nna_ir_op *op, const struct conv *c, uint32_t group)
{
	const uint32_t cores = nna_ethosu_packed_cores(target);
	int ret = 0;

	for (uint32_t core = 0; core < cores && !ret; core++) {
		const uint64_t at = to->size;

		ret = nna_ethosu_bytes_add(to, NULL, nna_ethosu_packed_records_size(
							target, c->ofm_depth, core));
		for (uint32_t i = core; i < c->ofm_depth && !ret; i += cores) {
			const uint32_t channel = group * c->ofm_depth + i;
			struct nna_ethosu_record record = { 0 };
			int32_t multiplier, shift;

			nna_requantize_from(nna_channel_factor(c->in, c->weights, c->out, channel,
							       op->rounding),
					    &multiplier, &shift);
			record.bias = bias_of(c, channel);
			record.scale = (uint32_t)multiplier;
			record.shift = (uint32_t)shift;
			ret = nna_ethosu_record_write(target->generation, false, &record,
						      to->data + at + (uint64_t)(i / cores) *
							      NNA_ETHOSU_RECORD_SIZE);
		}
	}
	return ret;
}

static int pack(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index)
{
	struct nna_ir_op *op = &l->ops[index];
	const struct conv c = conv_of(l, op);
	struct nna_ethosu_bytes weights = { 0 }, records = { 0 };
	struct nna_ethosu_operation operation;
	int64_t streams, scales;
	int ret;

	if (op->form == FORM_PACKED)
		return 0;
	if (!c.data || (c.bias && !c.biases))
		return -EINVAL;
	describe(target, op, &c, &operation);
	ret = nna_ethosu_bytes_add(&weights, NULL, (uint64_t)c.groups * NNA_ETHOSU_SIZES_SIZE);
	for (uint32_t i = 0; i < c.groups && !ret; i++)
		ret = add_weights(&weights, target, &c, &operation, i) ?:
		      add_records(&records, target, op, &c, i);
	if (ret)
		goto out;
	/* New values: those of @c do not hold any more. */
	streams = nna_ethosu_bytes_constant(l, &weights);
	scales = streams < 0 ? streams : nna_ethosu_bytes_constant(l, &records);
	ret = scales < 0 ? (int)scales : 0;
	if (ret)
		goto out;
	op = &l->ops[index];
	op->values[NNA_CONV2D_WEIGHTS] = (uint32_t)streams;
	op->values[NNA_CONV2D_PRIVATE] = (uint32_t)scales;
	op->values[NNA_CONV2D_BIAS] = NNA_NO_VALUE;
	op->form = FORM_PACKED;
out:
	free(weights.data);
	free(records.data);
	return ret;
}

/* ---- emit ------------------------------------------------------------------------------------ */

static void place_map(const struct nna_lower *l, uint32_t value, uint32_t image, uint32_t group,
		      bool row, struct nna_ethosu_map *map)
{
	const struct nna_value *v = &l->values[value];
	struct nna_ethosu_map whole;

	nna_ethosu_map_image(l, value, image, &whole);
	map->region = whole.region;
	map->offset = whole.offset + (uint64_t)group * map->depth * map->bytes;
	map->brick = whole.brick;
	map->stride_y = whole.stride_y;
	map->stride_x = row ? (uint64_t)v->strides[0] * map->bytes : whole.stride_x;
	map->stride_c = whole.stride_c;
}

static int emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const struct conv c = conv_of(l, op);
	const bool row = c.images < c.out->dims[0];
	struct nna_ethosu_operation operation;

	if (op->form != FORM_PACKED)
		return -ENOTSUP;
	describe(target, op, &c, &operation);
	for (uint32_t image = 0; image < c.images; image++) {
		struct nna_ethosu_packed packed = {
			.streams = c.weights,
			.records = value_of(l, op, NNA_CONV2D_PRIVATE),
			.depth = c.ofm_depth,
			.streams_at = (uint64_t)c.groups * NNA_ETHOSU_SIZES_SIZE,
		};

		for (uint32_t group = 0; group < c.groups; group++) {
			nna_ethosu_packed_place(l, target, &packed, group, &operation);
			place_map(l, op->values[NNA_CONV2D_INPUT], image, group, row,
				  &operation.ifm);
			place_map(l, op->values[NNA_CONV2D_OUTPUT], image, group, row,
				  &operation.ofm);
			nna_ethosu_writer_operation(w, &operation);
		}
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_convolution = {
	.accepts = accepts,
	.pack = pack,
	.emit = emit,
};
