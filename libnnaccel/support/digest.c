// SPDX-License-Identifier: MIT
/*
 * Digests: four lanes of 64 bits, which the processor steps at the same time. Each step can be
 * undone, for the word as for the lane, so that a word that differs leaves another lane behind.
 */
#include "libnnaccel/support/digest.h"

#include <string.h>

/* Odd, so that a product with one can be undone; else of no meaning. */
#define FACTOR_A 0xd1342543de82ef95ull
#define FACTOR_B 0xaf251af3b0f025b5ull

static inline uint64_t step(uint64_t lane, uint64_t word)
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

/* Lanes are passed and returned one by one, so that they stay in registers. */
struct lanes {
	uint64_t a, b, c, d;
};

static inline uint64_t word_at(const void *block, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)block + offset, sizeof(word));
	return word;
}

static inline struct lanes add_block(struct lanes l, const void *block)
{
	l.a = step(l.a, word_at(block, 0));
	l.b = step(l.b, word_at(block, 8));
	l.c = step(l.c, word_at(block, 16));
	l.d = step(l.d, word_at(block, 24));
	return l;
}

void nna_digest_begin(struct nna_digest *digest)
{
	for (int k = 0; k < 4; k++)
		digest->lanes[k] = FACTOR_B * (k + 1);
}

void nna_digest_add(struct nna_digest *digest, const void *data, size_t size)
{
	struct lanes l = { digest->lanes[0], digest->lanes[1], digest->lanes[2],
			   digest->lanes[3] };
	const uint64_t length[4] = { size };
	uint64_t rest[4] = { 0 };
	const uint8_t *at = data;
	size_t left = size;

	for (; left >= sizeof(rest); at += sizeof(rest), left -= sizeof(rest))
		l = add_block(l, at);
	if (left) {
		memcpy(rest, at, left);
		l = add_block(l, rest);
	}
	l = add_block(l, length);
	digest->lanes[0] = l.a;
	digest->lanes[1] = l.b;
	digest->lanes[2] = l.c;
	digest->lanes[3] = l.d;
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
