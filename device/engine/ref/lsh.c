// SPDX-License-Identifier: MIT
/*
 * LSH, by definition: there is no other kernel.
 *
 * One bit for each seed: whether the sum over all items of weight times hash is above 0. The hash
 * is FarmHash's 64-bit fingerprint of the seed's four bytes followed by the item's, since trained
 * models depend on its bits. It takes keys of up to 16, 32 and 64 bytes and longer ones in ways of
 * their own. A key is never put together in memory: fetch() reads across the place where the seed
 * ends and the item begins.
 */
#include "device/engine/kernel.h"

#define TILE_BYTES (1u << 20)

/* FarmHash's multipliers. */
#define K0 0xc3a5c85c97cb3127ull
#define K1 0xb492b66fbe98f273ull
#define K2 0x9ae16a3b2f90404full

/**
 * struct key - what is hashed: the bytes of a seed, then those of an item
 * @seed: the seed
 * @item: bytes of the item
 * @size: bytes of both
 */
struct key {
	float seed;
	const uint8_t *item;
	uint64_t size;
};

/* Half of the state of hash_long(): two of them and three numbers carry it from block to block. */
struct pair {
	uint64_t first, second;
};

/* The 8 bytes from `at` on, as a number. */
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

/* The 4 bytes from `at` on. */
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

/* The 32 bytes from `at` on and two numbers of the state, as the next half of the state. */
static struct pair absorb(const struct key *key, uint64_t at, uint64_t a, uint64_t b)
{
	const uint64_t w = fetch(key, at), x = fetch(key, at + 8), y = fetch(key, at + 16),
		       z = fetch(key, at + 24);
	const uint64_t sum = a + w + x + y;

	return (struct pair){ sum + z, rotate(b + a + w + z, 21) + rotate(sum, 44) + a + w };
}

static uint64_t hash_long(const struct key *key)
{
	const uint64_t n = key->size, blocks = (n - 1) / 64;
	struct pair v = { 0, 0 }, w = { 0, 0 };
	uint64_t x = 81 * K2 + fetch(key, 0), y = 81 * K1 + 113, z = fold(y * K2 + 113) * K2,
		 factor = K1, old;

	/*
	 * All blocks of 64 bytes but the last, which may be short; then the last 64 bytes of the
	 * key, which may overlap the block before, with factors of their own.
	 */
	for (uint64_t i = 0; i <= blocks; i++) {
		const bool last = i == blocks;
		const uint64_t at = last ? n - 64 : 64 * i, times = last ? 9 : 1;

		if (last) {
			factor = K1 + ((z & 0xff) << 1);
			w.first += (n - 1) & 63;
			v.first += w.first;
			w.first += v.first;
		}
		x = rotate(x + y + v.first + fetch(key, at + 8), 37) * factor;
		y = rotate(y + v.second + fetch(key, at + 48), 42) * factor;
		x ^= w.second * times;
		y += v.first * times + fetch(key, at + 40);
		z = rotate(z + w.first, 33) * factor;
		v = absorb(key, at, v.second * factor, x + w.first);
		w = absorb(key, at + 32, z + w.second, y + fetch(key, at + 16));
		old = z;
		z = x;
		x = old;
	}
	return mix(mix(v.first, w.first, factor) + fold(y) * K0 + z,
		   mix(v.second, w.second, factor) + x, factor);
}

static int64_t fingerprint(const struct key *key)
{
	return (int64_t)(key->size <= 16 ? hash_to_16(key) :
			 key->size <= 32 ? hash_to_32(key) :
			 key->size <= 64 ? hash_to_64(key) :
					   hash_long(key));
}

static uint32_t lsh_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_LSH_OUTPUT],
					*seeds = &cmd->operands[NNAHW_LSH_SEEDS],
					*items = &cmd->operands[NNAHW_LSH_ITEMS],
					*weights = &cmd->operands[NNAHW_LSH_WEIGHTS];
	const uint32_t n = items->desc.dims[0],
		       size = n ? items->count / n * nnahw_type_size(items->desc.type) : 0;
	uint32_t index[2], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 2, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 2, index)) {
		/* A tile's items follow one another, so that the key moves from one to the next. */
		struct key key = { nnadev_load_float(seeds, nnadev_offset(&seeds->desc, index)),
				   items->data, size + sizeof(key.seed) };
		double score = 0;

		for (uint32_t k = 0; k < n; k++, key.item += size) {
			const double hash = (double)fingerprint(&key);

			score += nnadev_present(weights)
					 ? (double)nnadev_load_float(
						   weights, (int64_t)k * weights->desc.strides[0]) *
						   hash
					 : hash;
		}
		nnadev_store_integer(output, nnadev_offset(&output->desc, index), score > 0);
	}
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
	const uint32_t bytes = items->count * nnahw_type_size(items->desc.type);

	nnadev_cut(plan, cmd->operands[NNAHW_LSH_OUTPUT].count,
		   TILE_BYTES / (bytes + 16 * items->desc.dims[0] + 1));
}

NNADEV_KERNEL(lsh) = { NNAHW_OP_LSH, NNADEV_ENGINE_SCALAR, lsh_accepts, lsh_plan, lsh_tile };
