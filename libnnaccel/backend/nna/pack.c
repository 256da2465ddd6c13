// SPDX-License-Identifier: MIT
/*
 * The pass that packs weights: constant weights are brought into the layout that the engine reads
 * fastest (hw: PACKED8, PACKED_FLOAT), and the input's zero point is folded into quantised biases.
 *
 * It visits CONV, DWCONV and MATMUL commands after fusion, and gives them new constants as
 * operands: weights, and for quantised ones the channels table with the folded biases. So numbers
 * are moved and added once, when a model is compiled. A MATMUL by one constant matrix first becomes
 * a CONV over rows with a kernel of 1, which has a packed layout. Weights that are not constant, or
 * whose bias is not, keep the plain layout. Weights that several commands share are packed once.
 *
 * The pass itself only computes the sums of quantised weights. The weights are moved when the image
 * is written (struct packing), from the graph to the memory that the device reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/nna/nna.h"
#include "libnnaccel/support/array.h"

#define BLOCK NNAHW_WEIGHT_BLOCK
#define QUAD NNAHW_WEIGHT_QUAD

/**
 * struct packed - weights that have been packed
 * @from: number of the value with the weights as they were
 * @to: number of the value with the packed weights
 * @opcode: CONV or DWCONV
 * @groups: of a CONV, else 1
 * @sums: PACKED8: sum of the stored weights of each channel, owned; else NULL
 */
struct packed {
	uint32_t from, to; /* value numbers */
	bool depthwise;
	uint32_t groups;
	int32_t *sums; /* PACKED8: per channel */
};

/**
 * struct pack - one run of the pass
 * @l: the ir
 * @done: @count packed weights, with room for @room; owned
 * @count: entries of @done
 * @room: entries that fit
 */
struct pack {
	struct nna_lower *l;
	struct packed *done;
	uint32_t count, room;
};

/**
 * struct source - layout of the weights to be packed: by output channel, kernel row, kernel column
 *	and input channel
 * @data: of the first element
 * @n: output channels
 * @kernel_h: kernel rows
 * @kernel_w: kernel columns
 * @depth: input channels of a group; 1 for DWCONV
 * @stride_n: bytes between output channels
 * @stride_h: bytes between kernel rows
 * @stride_w: bytes between kernel columns
 * @stride_c: bytes between input channels
 */
struct source {
	const uint8_t *data;
	uint32_t n, kernel_h, kernel_w, depth;
	int64_t stride_n, stride_h, stride_w, stride_c;
};

/**
 * struct packing - parameters for writing packed weights; owned by their storage
 * @s: the weights to be packed
 * @groups: of a CONV, else 1
 * @size: bytes of an element
 * @rows: of 16 elements in a block
 * @floats: PACKED_FLOAT, else PACKED8
 * @depthwise: of a DWCONV
 * @flip: 0x80 for u8, which is stored minus 128; else 0
 */
struct packing {
	struct source s;
	uint32_t groups, size;
	uint64_t rows;
	bool floats, depthwise;
	uint8_t flip;
};

/*
 * Return: the bytes of a constant from element (0, 0, ...) on, also if it is not contiguous; NULL
 * for a value that is not constant.
 */
static const uint8_t *constant_bytes(const struct nna_lower *l, const struct nna_value *v)
{
	const struct nna_storage *s = &l->storages[v->storage];
	uint64_t begin, end;

	nna_value_extent(v, &begin, &end);
	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || end > s->size)
		return NULL;
	return (const uint8_t *)s->data + v->offset;
}

/* Return: the sum of @n bytes as s8, after an exclusive or with @flip. */
static int32_t sum_bytes(const uint8_t *from, uint32_t n, uint8_t flip)
{
	/*
	 * Adding 128 makes all bytes positive, so that lanes of 16 bits can hold 128 sums of two
	 * bytes.
	 */
	const uint64_t flips = (uint8_t)(flip ^ 0x80) * 0x0101010101010101u;
	const uint64_t halves = 0x00ff00ff00ff00ffu;
	int32_t sum = 0;
	uint32_t i = 0;

	while (n - i >= 8) {
		uint32_t end = n - i < 128 * 8 ? i + (n - i) / 8 * 8 : i + 128 * 8;
		uint64_t pairs = 0;

		for (; i < end; i += 8) {
			uint64_t bytes;

			memcpy(&bytes, from + i, 8);
			bytes ^= flips;
			pairs += (bytes & halves) + (bytes >> 8 & halves);
		}
		sum += (int32_t)((pairs & 0xffff) + (pairs >> 16 & 0xffff) +
				 (pairs >> 32 & 0xffff) + (pairs >> 48));
	}
	for (; i < n; i++)
		sum += from[i] ^ flip ^ 0x80;
	return sum - (int32_t)n * 128;
}

/* Computes the sum of the stored weights of each channel. */
static void sum_weights(const struct source *s, uint8_t flip, int32_t *sums)
{
	for (uint32_t y = 0; y < s->kernel_h; y++)
		for (uint32_t x = 0; x < s->kernel_w; x++) {
			const uint8_t *at = s->data + y * s->stride_h + x * s->stride_w;

			for (uint32_t c = 0; c < s->n; c++, at += s->stride_n) {
				if (s->stride_c == 1) {
					sums[c] += sum_bytes(at, s->depth, flip);
					continue;
				}
				for (uint32_t i = 0; i < s->depth; i++)
					sums[c] += (int8_t)(at[i * s->stride_c] ^ flip);
			}
		}
}

/* Moves a quad of weights of each of @n channels to a row of a block. */
static void copy_quad(const uint8_t *from, int64_t stride_n, uint32_t n, uint8_t flip, uint8_t *out)
{
	for (uint32_t c = 0; c < n; c++, from += stride_n, out += QUAD) {
		uint32_t quad;

		memcpy(&quad, from, QUAD);
		quad ^= flip * 0x01010101u;
		memcpy(out, &quad, QUAD);
	}
}

/* Packs one block of quads: 16 channels from n0 on, @n of them in use. u8 is stored minus 128. */
static void pack_block8(const struct source *s, uint32_t n0, uint32_t n, uint8_t flip, uint8_t *out)
{
	const uint8_t *first = s->data + n0 * s->stride_n;
	uint32_t k = 0;

	for (uint32_t y = 0; y < s->kernel_h; y++)
		for (uint32_t x = 0; x < s->kernel_w; x++) {
			const uint8_t *at = first + y * s->stride_h + x * s->stride_w;

			if (s->stride_c == 1 && s->depth % QUAD == 0) {
				for (uint32_t i = 0; i < s->depth; i += QUAD, k += QUAD)
					copy_quad(at + i, s->stride_n, n, flip, out + k * BLOCK);
				continue;
			}
			for (uint32_t i = 0; i < s->depth; i++, k++, at += s->stride_c)
				for (uint32_t c = 0; c < n; c++)
					out[(k / QUAD * BLOCK + c) * QUAD + k % QUAD] =
						at[c * s->stride_n] ^ flip;
		}
}

/* The same for DWCONV, [K][16]. */
static void pack_block_depthwise8(const struct source *s, uint32_t n0, uint32_t n, uint8_t flip,
				  uint8_t *out)
{
	for (uint32_t y = 0, k = 0; y < s->kernel_h; y++)
		for (uint32_t x = 0; x < s->kernel_w; x++, k++)
			for (uint32_t c = 0; c < n; c++)
				out[k * BLOCK + c] = s->data[(n0 + c) * s->stride_n +
							     y * s->stride_h + x * s->stride_w] ^
						     flip;
}

/* The same for floats of @size bytes, [K][16]. */
static void pack_block_float(const struct source *s, uint32_t n0, uint32_t n, uint32_t size,
			     uint8_t *out)
{
	for (uint32_t c = 0; c < n; c++) {
		const uint8_t *row = s->data + (n0 + c) * s->stride_n;
		uint32_t k = 0;

		for (uint32_t y = 0; y < s->kernel_h; y++)
			for (uint32_t x = 0; x < s->kernel_w; x++) {
				const uint8_t *at = row + y * s->stride_h + x * s->stride_w;

				for (uint32_t i = 0; i < s->depth; i++, k++, at += s->stride_c)
					memcpy(out + ((size_t)k * BLOCK + c) * size, at, size);
			}
	}
}

static uint32_t count_blocks(uint32_t per_group)
{
	return (per_group + BLOCK - 1) / BLOCK;
}

/* Writes packed weights; unused channels of the last block stay zero. */
static void fill_packed(const void *owned, void *to)
{
	const struct packing *p = owned;
	uint32_t per_group = p->s.n / p->groups, blocks = count_blocks(per_group);
	uint8_t *at = to;

	for (uint32_t g = 0; g < p->groups; g++)
		for (uint32_t b = 0; b < blocks; b++, at += p->rows * BLOCK * p->size) {
			uint32_t n0 = g * per_group + b * BLOCK;
			uint32_t n = per_group - b * BLOCK < BLOCK ? per_group - b * BLOCK : BLOCK;

			if (p->floats)
				pack_block_float(&p->s, n0, n, p->size, at);
			else if (p->depthwise)
				pack_block_depthwise8(&p->s, n0, n, p->flip, at);
			else
				pack_block8(&p->s, n0, n, p->flip, at);
		}
}

static struct packed *find_packed(struct pack *p, uint32_t from, bool depthwise, uint32_t groups)
{
	const struct nna_value *a = &p->l->values[from];

	for (uint32_t i = 0; i < p->count; i++) {
		const struct nna_value *b = &p->l->values[p->done[i].from];

		if (p->done[i].depthwise == depthwise && p->done[i].groups == groups &&
		    a->storage == b->storage && a->offset == b->offset && a->type == b->type &&
		    a->zero_point == b->zero_point && a->scale == b->scale &&
		    a->channel_scales == b->channel_scales && nna_value_same_dims(a, b) &&
		    !memcmp(a->strides, b->strides, sizeof(a->strides)))
			return &p->done[i];
	}
	return NULL;
}

/*
 * Packs weights [n, kernel_h, kernel_w, depth] (@depthwise: [1, kernel_h, kernel_w, n]). Return: 0,
 * -ENOTSUP if they are too large for a packed layout, or -ENOMEM.
 */
static int pack_weights(struct pack *p, uint32_t from, bool depthwise, uint32_t groups,
			struct packed **out)
{
	struct nna_lower *l = p->l;
	const struct nna_value v = l->values[from];
	uint32_t size = nna_type_size(v.type);
	bool floats = nna_type_is_float(v.type);
	uint8_t flip = v.type == NNA_TYPE_U8 ? 0x80 : 0;
	struct source s = {
		.data = constant_bytes(l, &v),
		.n = v.dims[0],
		.kernel_h = v.dims[1],
		.kernel_w = v.dims[2],
		.depth = v.dims[3],
		.stride_n = (int64_t)v.strides[0] * size,
		.stride_h = (int64_t)v.strides[1] * size,
		.stride_w = (int64_t)v.strides[2] * size,
		.stride_c = (int64_t)v.strides[3] * size,
	};
	uint32_t blocks = count_blocks(s.n / groups);
	uint64_t k = (uint64_t)s.kernel_h * s.kernel_w * s.depth;
	uint64_t rows = floats || depthwise ? k : (k + QUAD - 1) / QUAD * QUAD, bytes;
	struct packed made = { .from = from,
			       .depthwise = depthwise,
			       .groups = groups };
	struct nna_value packed;
	struct packed *grown;
	struct packing *packing;
	int64_t storage, value;
	int ret = 0;

	grown = nna_array_reserve(p->done, (uint64_t)p->count + 1, &p->room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->done = grown;
	if (k > NNAHW_MAX_WINDOW ||
	    __builtin_mul_overflow(rows * BLOCK * size, (uint64_t)groups * blocks, &bytes) ||
	    bytes > INT32_MAX)
		return -ENOTSUP;
	packing = malloc(sizeof(*packing));
	if (!floats)
		made.sums = calloc(s.n ? s.n : 1, sizeof(*made.sums));
	if (!packing || (!floats && !made.sums)) {
		free(packing);
		ret = -ENOMEM;
		goto fail;
	}
	*packing = (struct packing){
		.s = s,
		.groups = groups,
		.size = size,
		.rows = rows,
		.floats = floats,
		.depthwise = depthwise,
		.flip = flip,
	};
	if (!floats)
		sum_weights(&s, flip, made.sums);
	storage = nna_storage_add(l, NNA_STORAGE_CONSTANT, bytes, NNA_NONE, NULL, packing);
	if (storage < 0) {
		ret = storage;
		goto fail;
	}
	l->storages[storage].fill = fill_packed;
	packed = (struct nna_value){
		.storage = storage,
		.type = floats ? v.type : NNA_TYPE_S8,
		.scale = v.scale,
		.zero_point = flip ? v.zero_point - 128 : v.zero_point,
		.channel_scales = v.channel_scales,
		.channel_count = v.channel_count,
		.joined = v.joined,
	};
	packed.dims[0] = groups * blocks;
	if (floats || depthwise) {
		packed.rank = 3;
		packed.dims[1] = k;
		packed.dims[2] = BLOCK;
	} else {
		packed.rank = 4;
		packed.dims[1] = rows / QUAD;
		packed.dims[2] = BLOCK;
		packed.dims[3] = QUAD;
	}
	nna_value_set_strides(&packed);
	value = nna_value_add(l, &packed);
	if (value < 0) {
		ret = value;
		goto fail;
	}
	made.to = value;
	p->done[p->count] = made;
	*out = &p->done[p->count++];
	if (l->debug & NNA_DEBUG_PACK)
		nna_debug_print(l, "pack: value %u, %u x %llu %s, %llu bytes", from, s.n,
				(unsigned long long)k, floats ? "floats" : "8-bit",
				(unsigned long long)bytes);
	return 0;
fail:
	free(made.sums);
	return ret;
}

/*
 * Makes the channels table of a packed convolution, with the bias that docs/hardware.md defines:
 * bias - input.zero_point * (weight_sum - K * weights.zero_point), in wrapping arithmetic.
 */
static int64_t fold_bias(struct nna_lower *l, const struct nna_ir_op *c,
			 const struct packed *packed, uint32_t n, uint32_t k)
{
	const struct nna_value *in = &l->values[c->values[NNA_CONV2D_INPUT]];
	const struct nna_value *channels = &l->values[c->values[NNA_CONV2D_PRIVATE]];
	const struct nna_value *bias = c->values[NNA_CONV2D_BIAS] == NNA_NO_VALUE ?
					       NULL :
					       &l->values[c->values[NNA_CONV2D_BIAS]];
	const uint8_t *from = nna_lower_constant_data(l, c->values[NNA_CONV2D_PRIVATE]);
	const uint8_t *bias_data = bias ? constant_bytes(l, bias) : NULL;
	uint32_t dims[2] = { n, 4 };
	uint32_t zero = l->values[packed->to].zero_point;
	struct nnahw_channel *table;
	int64_t value;

	if (!from || channels->dims[0] != n ||
	    (bias && (!bias_data || bias->rank != 1 || bias->dims[0] != n)))
		return -EINVAL;
	table = malloc(sizeof(*table) * (n ? n : 1));
	if (!table)
		return -ENOMEM;
	memcpy(table, from, sizeof(*table) * n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t folded = (uint32_t)table[i].bias;
		int32_t own = 0;

		if (bias)
			memcpy(&own, bias_data + (int64_t)i * bias->strides[0] * 4, sizeof(own));
		folded += (uint32_t)own;
		folded -= (uint32_t)in->zero_point * ((uint32_t)packed->sums[i] - k * zero);
		table[i].bias = (int32_t)folded;
		table[i].weight_sum = packed->sums[i];
	}
	value = nna_lower_constant(l, NNA_TYPE_S32, 2, dims, 0, 0, table);
	free(table);
	return value;
}

static int pack_conv(struct pack *p, struct nna_ir_op *c)
{
	struct nna_lower *l = p->l;
	bool depthwise = nna_hw_is_depthwise(l, c);
	const struct nna_value *weights = &l->values[c->values[NNA_CONV2D_WEIGHTS]];
	const struct nna_value *bias;
	uint32_t groups = depthwise ? 1 : c->conv2d.groups;
	uint32_t n, k;
	struct packed *packed;
	bool floats;
	int ret;

	if (c->form != NNAHW_LAYOUT_PLAIN || weights->rank != 4 || !constant_bytes(l, weights))
		return 0;
	floats = nna_type_is_float(weights->type);
	if (!floats && nna_type_size(weights->type) != 1)
		return 0;
	bias = c->values[NNA_CONV2D_BIAS] == NNA_NO_VALUE ? NULL
							: &l->values[c->values[NNA_CONV2D_BIAS]];
	if (!floats &&
	    (c->values[NNA_CONV2D_PRIVATE] == NNA_NO_VALUE || (bias && !constant_bytes(l, bias))))
		return 0;
	n = weights->dims[0];
	k = weights->dims[1] * weights->dims[2] * weights->dims[3];
	if (!n || !k || !groups || n % groups)
		return 0;
	packed = find_packed(p, c->values[NNA_CONV2D_WEIGHTS], depthwise, groups);
	if (!packed) {
		ret = pack_weights(p, c->values[NNA_CONV2D_WEIGHTS], depthwise, groups, &packed);
		if (ret)
			return ret == -ENOTSUP ? 0 : ret;
	}
	if (!floats) {
		int64_t channels = fold_bias(l, c, packed, n, k);

		if (channels < 0)
			return channels;
		c->values[NNA_CONV2D_PRIVATE] = channels;
		c->values[NNA_CONV2D_BIAS] = NNA_NO_VALUE;
	}
	c->values[NNA_CONV2D_WEIGHTS] = packed->to;
	c->form = floats ? NNAHW_LAYOUT_PACKED_FLOAT : NNAHW_LAYOUT_PACKED8;
	return 0;
}

/* [1, M, N] = [1, M, K] x [1, K, N] as [1, M, 1, N] = conv([1, M, 1, K], [N, 1, 1, K]). */
static int matmul_to_conv(struct nna_lower *l, struct nna_ir_op *c)
{
	struct nna_value out = l->values[c->values[NNA_CONV2D_OUTPUT]];
	struct nna_value a = l->values[c->values[NNA_CONV2D_INPUT]];
	struct nna_value b = l->values[c->values[NNA_CONV2D_WEIGHTS]];
	struct nna_value residual;
	uint32_t channels = c->values[NNA_CONV2D_PRIVATE];
	int64_t numbers[4];

	if (!constant_bytes(l, &b) || (b.dims[0] > 1 && b.strides[0]) || !b.dims[1])
		return 0;
	/* The rows of all batches are contiguous, or there is one batch. */
	if (out.dims[0] > 1 && (!nna_value_contiguous(&out) || !nna_value_contiguous(&a)))
		return 0;
	if (channels != NNA_NO_VALUE && l->values[channels].dims[0] != out.dims[2]) {
		/* MATMUL may have one factor for all channels, CONV has one for each. */
		const struct nnahw_channel *one = nna_lower_constant_data(l, channels);
		uint32_t dims[2] = { out.dims[2], 4 };
		struct nnahw_channel *table;
		int64_t value;

		if (!one)
			return 0;
		table = malloc(sizeof(*table) * (dims[0] ? dims[0] : 1));
		if (!table)
			return -ENOMEM;
		for (uint32_t i = 0; i < dims[0]; i++)
			table[i] = *one;
		value = nna_lower_constant(l, NNA_TYPE_S32, 2, dims, 0, 0, table);
		free(table);
		if (value < 0)
			return value;
		channels = value;
	}
	/* Rank 3 [B, M, x] to [1, B * M, 1, x]. */
	struct nna_value *rows[3] = { &out, &a, NULL };
	if (c->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE) {
		residual = l->values[c->values[NNA_CONV2D_RESIDUAL]];
		if (residual.dims[0] > 1 && !nna_value_contiguous(&residual))
			return 0;
		rows[2] = &residual;
	}
	for (int i = 0; i < 3; i++) {
		struct nna_value *v = rows[i];

		if (!v)
			continue;
		v->rank = 4;
		v->dims[3] = v->dims[2];
		v->strides[3] = v->strides[2];
		v->dims[1] *= v->dims[0];
		v->dims[0] = 1;
		v->strides[0] = v->strides[1];
		v->dims[2] = 1;
		v->strides[2] = v->dims[3];
		numbers[i] = nna_value_add(l, v);
		if (numbers[i] < 0)
			return numbers[i];
	}
	/* [1, K, N] to [N, 1, 1, K]. */
	b.rank = 4;
	b.dims[0] = b.dims[2];
	b.dims[3] = b.dims[1];
	b.dims[1] = b.dims[2] = 1;
	b.strides[3] = b.strides[1];
	b.strides[0] = b.strides[2];
	b.strides[1] = b.strides[2] = b.strides[3];
	b.channel_dim = 0;
	numbers[3] = nna_value_add(l, &b);
	if (numbers[3] < 0)
		return numbers[3];
	c->kind = NNA_IR_CONV2D;
	c->operand_count = nna_ir_kind_operands(c->kind, &c->outputs);
	c->conv2d = (struct nna_ir_conv2d){
		.groups = 1,
		.kernel_h = 1,
		.kernel_w = 1,
		.stride_h = 1,
		.stride_w = 1,
		.dilation_h = 1,
		.dilation_w = 1,
	};
	c->values[NNA_CONV2D_OUTPUT] = numbers[0];
	c->values[NNA_CONV2D_INPUT] = numbers[1];
	c->values[NNA_CONV2D_WEIGHTS] = numbers[3];
	c->values[NNA_CONV2D_PRIVATE] = channels;
	if (rows[2])
		c->values[NNA_CONV2D_RESIDUAL] = numbers[2];
	return 0;
}

int nna_hw_pack(struct nna_lower *l)
{
	struct pack p = { .l = l };
	int ret = 0;

	for (uint32_t i = 0; i < l->op_count && !ret; i++) {
		struct nna_ir_op *c = &l->ops[i];

		if (c->dead)
			continue;
		if (c->kind == NNA_IR_MATMUL)
			ret = matmul_to_conv(l, c);
		if (!ret && c->kind == NNA_IR_CONV2D)
			ret = pack_conv(&p, c);
	}
	for (uint32_t i = 0; i < p.count; i++)
		free(p.done[i].sums);
	free(p.done);
	return ret;
}
