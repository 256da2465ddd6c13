// SPDX-License-Identifier: MIT
/*
 * LSH, by definition: there is no other kernel.
 *
 * Each seed gives one bit: whether the sum over all items of weight times hash is above 0. The hash
 * is FarmHash's 64-bit fingerprint of the seed's four bytes followed by the item's bytes, because
 * trained models depend on its bits. FarmHash has separate algorithms for keys of up to 16, 32 and
 * 64 bytes and for longer ones. A key is never assembled in memory: fetch() reads across the border
 * of seed and item.
 */
#include "device/nna/engine/kernel.h"

#define TILE_BYTES (1u << 20)
#define ITEM_BYTES 512u /* bytes that take as long to hash as the fixed cost of an item */
#define STEP_BLOCKS (TILE_BYTES / 64)

/* FarmHash's multipliers. */
#define K0 0xc3a5c85c97cb3127ull
#define K1 0xb492b66fbe98f273ull
#define K2 0x9ae16a3b2f90404full

/**
 * struct key - the bytes that are hashed: those of a seed, then those of an item
 * @seed: the seed
 * @item: bytes of the item
 * @size: bytes of both
 */
struct key {
	float seed;
	const uint8_t *item;
	uint64_t size;
};

/* Two words of the state of a long key's hash. The whole state is two pairs and three words. */
struct pair {
	uint64_t first, second;
};

/* Return: the 8 bytes from @at on as a number. */
static uint64_t fetch(const struct key *key, uint64_t at)
{
	uint8_t bytes[8];
	uint64_t x;

	if (at >= sizeof(key->seed)) {
		memcpy(bytes, key->item + at - sizeof(key->seed), 8);
	} else {
		memcpy(bytes, (const uint8_t *)&key->seed + at, sizeof(key->seed) - at);
		memcpy(bytes + sizeof(key->seed) - at, key->item, 4 + at);
	}
	memcpy(&x, bytes, 8);
	return x;
}

/* Return: the 4 bytes from @at on as a number. */
static uint32_t fetch_half(const struct key *key, uint64_t at)
{
	uint8_t bytes[4];
	uint32_t x;

	for (uint64_t i = 0; i < 4; i++)
		bytes[i] = at + i < sizeof(key->seed) ? ((const uint8_t *)&key->seed)[at + i] :
							 key->item[at + i - sizeof(key->seed)];
	memcpy(&x, bytes, 4);
	return x;
}

static uint64_t rotate(uint64_t x, int n)
{
	return x >> n | x << (64 - n);
}

static uint64_t fold(uint64_t x)
{
	return x ^ x >> 47;
}

static uint64_t mix(uint64_t u, uint64_t v, uint64_t factor)
{
	return fold((v ^ fold((u ^ v) * factor)) * factor) * factor;
}

static uint64_t hash_to_16(const struct key *key)
{
	const uint64_t n = key->size, factor = K2 + 2 * n;

	if (n >= 8) {
		const uint64_t a = fetch(key, 0) + K2, b = fetch(key, n - 8);

		return mix(rotate(b, 37) * factor + a, (rotate(a, 25) + b) * factor, factor);
	}
	return mix(n + ((uint64_t)fetch_half(key, 0) << 3), fetch_half(key, n - 4), factor);
}

static uint64_t hash_to_32(const struct key *key)
{
	const uint64_t n = key->size, factor = K2 + 2 * n;
	const uint64_t a = fetch(key, 0) * K1, b = fetch(key, 8), c = fetch(key, n - 8) * factor,
		       d = fetch(key, n - 16) * K2;

	return mix(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + K2, 18) + c, factor);
}

static uint64_t hash_to_64(const struct key *key)
{
	const uint64_t n = key->size, factor = K2 + 2 * n;
	const uint64_t a = fetch(key, 0) * K2, b = fetch(key, 8), c = fetch(key, n - 8) * factor,
		       d = fetch(key, n - 16) * K2;
	const uint64_t y = rotate(a + b, 43) + rotate(c, 30) + d,
		       z = mix(y, a + rotate(b + K2, 18) + c, factor);
	const uint64_t e = fetch(key, 16) * factor, f = fetch(key, 24);
	const uint64_t g = (y + fetch(key, n - 32)) * factor, h = (z + fetch(key, n - 24)) * factor;

	return mix(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g, factor);
}

/* Return: the next pair of the state, from the 32 bytes from @at on and two words of the state. */
static struct pair absorb(const struct key *key, uint64_t at, uint64_t a, uint64_t b)
{
	const uint64_t w = fetch(key, at), x = fetch(key, at + 8), y = fetch(key, at + 16),
		       z = fetch(key, at + 24);
	const uint64_t sum = a + w + x + y;

	return (struct pair){ sum + z, rotate(b + a + w + z, 21) + rotate(sum, 44) + a + w };
}

/**
 * struct state - state of a long key's hash between two blocks
 * @v, @w: pairs, see absorb()
 * @x, @y, @z: words
 */
struct state {
	struct pair v, w;
	uint64_t x, y, z;
};

static void hash_begin(const struct key *key, struct state *s)
{
	memset(s, 0, sizeof(*s));
	s->x = 81 * K2 + fetch(key, 0);
	s->y = 81 * K1 + 113;
	s->z = fold(s->y * K2 + 113) * K2;
}

/* Hashes the 64 bytes from @at on. */
static void hash_block(const struct key *key, struct state *s, uint64_t at, uint64_t factor,
		       uint64_t times)
{
	uint64_t old;

	s->x = rotate(s->x + s->y + s->v.first + fetch(key, at + 8), 37) * factor;
	s->y = rotate(s->y + s->v.second + fetch(key, at + 48), 42) * factor;
	s->x ^= s->w.second * times;
	s->y += s->v.first * times + fetch(key, at + 40);
	s->z = rotate(s->z + s->w.first, 33) * factor;
	s->v = absorb(key, at, s->v.second * factor, s->x + s->w.first);
	s->w = absorb(key, at + 32, s->z + s->w.second, s->y + fetch(key, at + 16));
	old = s->z;
	s->z = s->x;
	s->x = old;
}

/*
 * Finishes a long key after hash_blocks() blocks of 64 bytes. Hashes the last 64 bytes of the key,
 * which may overlap the block before, with other factors.
 */
static uint64_t hash_end(const struct key *key, struct state *s)
{
	const uint64_t n = key->size, factor = K1 + ((s->z & 0xff) << 1);

	s->w.first += (n - 1) & 63;
	s->v.first += s->w.first;
	s->w.first += s->v.first;
	hash_block(key, s, n - 64, factor, 9);
	return mix(mix(s->v.first, s->w.first, factor) + fold(s->y) * K0 + s->z,
		   mix(s->v.second, s->w.second, factor) + s->x, factor);
}

/* Return: number of 64-byte blocks of a key before hash_end(). */
static uint64_t hash_blocks(const struct key *key)
{
	return key->size <= 64 ? 0 : (key->size - 1) / 64;
}

static int64_t fingerprint(const struct key *key)
{
	struct state s;

	if (key->size <= 64)
		return (int64_t)(key->size <= 16   ? hash_to_16(key)
				 : key->size <= 32 ? hash_to_32(key)
						   : hash_to_64(key));
	hash_begin(key, &s);
	for (uint64_t i = 0; i < hash_blocks(key); i++)
		hash_block(key, &s, 64 * i, K1, 1);
	return (int64_t)hash_end(key, &s);
}

/**
 * struct lsh - state of a plan
 * @n: number of items
 * @size: bytes of an item
 * @items_per_step: items of a step, if an output takes several steps; 0 if an item takes several
 * @steps_per_item: steps of an item in that case, STEP_BLOCKS blocks each
 */
struct lsh {
	uint32_t n, size, items_per_step, steps_per_item;
};

/* State of a lane: the sum so far, and the hash of an item that takes several steps. */
struct lane {
	double score;
	struct state hash;
};

/* Return: the key of an item for the seed of an output. */
static struct key lsh_key(const struct nnadev_engine_command *cmd, const struct lsh *l,
			  const uint32_t *index, uint32_t item)
{
	const struct nnadev_engine_operand *seeds = &cmd->operands[NNAHW_LSH_SEEDS];
	const uint8_t *items = cmd->operands[NNAHW_LSH_ITEMS].data;

	return (struct key){ nnadev_load_float(seeds, nnadev_offset(&seeds->desc, index)),
			     items + (size_t)item * l->size, l->size + sizeof(float) };
}

/* Return: the weighted hash of an item. */
static double lsh_weigh(const struct nnadev_engine_command *cmd, uint32_t item, int64_t hash)
{
	const struct nnadev_engine_operand *weights = &cmd->operands[NNAHW_LSH_WEIGHTS];

	return nnadev_present(weights)
		       ? (double)nnadev_load_float(
				 weights, (int64_t)item * weights->desc.strides[0]) *
				 (double)hash
		       : (double)hash;
}

/* Return: @score plus items [begin, end) for an output. */
static double lsh_add(const struct nnadev_engine_command *cmd, const struct lsh *l,
		      const uint32_t *index, uint32_t begin, uint32_t end, double score)
{
	struct key key = lsh_key(cmd, l, index, begin);

	/* Items are contiguous, so the key advances from one item to the next. */
	for (uint32_t k = begin; k < end; k++, key.item += l->size)
		score += lsh_weigh(cmd, k, fingerprint(&key));
	return score;
}

/* Computes one step of an output that is more than a tile. */
static void lsh_step(const struct nnadev_engine_command *cmd, const struct lsh *l,
		     const uint32_t *index, uint32_t step, struct lane *lane)
{
	uint32_t item, begin, end;
	struct key key;

	if (!step)
		lane->score = 0;
	if (l->items_per_step) {
		begin = step * l->items_per_step;
		end = l->n - begin < l->items_per_step ? l->n : begin + l->items_per_step;
		lane->score = lsh_add(cmd, l, index, begin, end, lane->score);
		return;
	}
	item = step / l->steps_per_item;
	step %= l->steps_per_item;
	key = lsh_key(cmd, l, index, item);
	if (!step)
		hash_begin(&key, &lane->hash);
	for (uint64_t i = (uint64_t)step * STEP_BLOCKS;
	     i < (step + 1ull) * STEP_BLOCKS && i < hash_blocks(&key); i++)
		hash_block(&key, &lane->hash, 64 * i, K1, 1);
	if (step == l->steps_per_item - 1)
		lane->score += lsh_weigh(cmd, item, (int64_t)hash_end(&key, &lane->hash));
}

static uint32_t lsh_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_LSH_OUTPUT];
	const struct lsh *l = nnadev_state(plan);
	uint32_t index[2], begin, end, step;

	if (plan->steps) {
		struct lane *lane = (struct lane *)shared + tile;

		if (!nnadev_step_get(plan, tile, output->count, &begin, &step))
			return NNAHW_STATUS_OK;
		nnadev_unflatten(output->desc.dims, 2, begin, index);
		lsh_step(cmd, l, index, step, lane);
		if (step == plan->steps - 1)
			nnadev_store_integer(output, nnadev_offset(&output->desc, index),
					     lane->score > 0);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 2, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 2, index))
		nnadev_store_integer(output, nnadev_offset(&output->desc, index),
				     lsh_add(cmd, l, index, 0, l->n, 0) > 0);
	return NNAHW_STATUS_OK;
}

static uint32_t lsh_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_LSH_OUTPUT],
					*items = &cmd->operands[NNAHW_LSH_ITEMS],
					*weights = &cmd->operands[NNAHW_LSH_WEIGHTS];
	const uint64_t bytes = (uint64_t)items->count * nnahw_type_size(items->desc.type);

	if (items->count && !items->contiguous)
		return nnadev_bad_operand(plan, NNAHW_LSH_ITEMS);
	if (output->desc.rank != 2 ||
	    !nnadev_same_dims(&cmd->operands[NNAHW_LSH_SEEDS].desc, &output->desc) ||
	    !items->desc.rank || bytes > NNAHW_LIMIT_LSH_BYTES ||
	    items->desc.dims[0] > NNAHW_LIMIT_LSH_ITEMS ||
	    (nnadev_present(weights) &&
	     !nnadev_has_dims(&weights->desc, 1, (uint64_t[]){ items->desc.dims[0] })))
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void lsh_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *items = &cmd->operands[NNAHW_LSH_ITEMS];
	const uint32_t count = cmd->operands[NNAHW_LSH_OUTPUT].count,
		       bytes = items->count * nnahw_type_size(items->desc.type);
	struct lsh *l = nnadev_state_new(plan);
	uint64_t work;

	memset(l, 0, sizeof(*l));
	l->n = items->desc.dims[0];
	l->size = l->n ? bytes / l->n : 0;
	work = bytes + (uint64_t)ITEM_BYTES * l->n;
	if (work <= TILE_BYTES) {
		nnadev_cut(plan, count, (uint32_t)(TILE_BYTES / (work + 64)));
	} else if (l->size <= TILE_BYTES / 2) {
		l->items_per_step = TILE_BYTES / (l->size + ITEM_BYTES);
		nnadev_cut_steps(plan, count, nnadev_div_up(l->n, l->items_per_step),
				 sizeof(struct lane));
	} else {
		l->steps_per_item = nnadev_div_up(l->size, TILE_BYTES) + 1;
		nnadev_cut_steps(plan, count, l->n * l->steps_per_item, sizeof(struct lane));
	}
}

NNADEV_KERNEL(lsh) = { NNAHW_OP_LSH, NNADEV_ENGINE_SCALAR, lsh_accepts, lsh_plan, lsh_tile };
