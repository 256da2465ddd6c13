// SPDX-License-Identifier: MIT
/*
 * Digests: four lanes of 64 bits, which the processor steps at the same time. Each step can be
 * undone, for the word as for the lane, so that a word that differs leaves another lane behind.
 */
#include "libnnaccel/digest.h"

#include <string.h>

/* Odd, so that a product with one can be undone; else of no meaning. */
#define FACTOR_A 0xd1342543de82ef95ull
#define FACTOR_B 0xaf251af3b0f025b5ull

static uint64_t step(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * FACTOR_A;
	return lane << 29 | lane >> 35;
}

static uint64_t spread(uint64_t h, uint64_t factor)
{
	h = (h ^ h >> 32) * factor;
	h = (h ^ h >> 29) * factor;
	return h ^ h >> 32;
}

static void add_block(uint64_t lanes[4], const void *block)
{
	uint64_t words[4];

	memcpy(words, block, sizeof(words));
	for (int k = 0; k < 4; k++)
		lanes[k] = step(lanes[k], words[k]);
}

void nna_digest_begin(struct nna_digest *digest)
{
	for (int k = 0; k < 4; k++)
		digest->lanes[k] = FACTOR_B * (k + 1);
}

void nna_digest_add(struct nna_digest *digest, const void *data, size_t size)
{
	uint64_t lanes[4], rest[4] = { 0 };
	const uint64_t length[4] = { size };
	const uint8_t *at = data;
	size_t left = size;

	memcpy(lanes, digest->lanes, sizeof(lanes));
	for (; left >= sizeof(rest); at += sizeof(rest), left -= sizeof(rest))
		add_block(lanes, at);
	if (left) {
		memcpy(rest, at, left);
		add_block(lanes, rest);
	}
	add_block(lanes, length);
	memcpy(digest->lanes, lanes, sizeof(lanes));
}

void nna_digest_end(const struct nna_digest *digest, uint64_t out[2])
{
	out[0] = FACTOR_A;
	out[1] = FACTOR_B;
	for (int k = 0; k < 4; k++) {
		out[0] = spread(out[0] ^ digest->lanes[k], FACTOR_B);
		out[1] = spread(out[1] ^ digest->lanes[3 - k], FACTOR_A);
	}
}
