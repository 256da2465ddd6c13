// SPDX-License-Identifier: MIT
/* LSH_PROJECTION and RANDOM_MULTINOMIAL. */
#include <errno.h>
#include <string.h>

#include "tests/random/eval.h"

/*
 * The text does not name the hash function; that of all implementations is FarmHash's 64-bit
 * fingerprint. Keys of up to 32 bytes are enough here.
 */
#define MOST_KEY 32

#define K0 0xb492b66fbe98f273ull
#define K1 0x9ae16a3b2f90404full

static uint64_t rotated(uint64_t x, unsigned int bits)
{
	return x >> bits | x << (64 - bits);
}

static uint64_t word(const uint8_t *from, size_t bytes)
{
	uint64_t x = 0;

	for (size_t i = bytes; i-- > 0;)
		x = x << 8 | from[i];
	return x;
}

static uint64_t fold_pair(uint64_t low, uint64_t high, uint64_t by)
{
	uint64_t x = (low ^ high) * by;

	x ^= x >> 47;
	x = (high ^ x) * by;
	x ^= x >> 47;
	return x * by;
}

/* Of 5 to 32 bytes. */
static uint64_t fingerprint(const uint8_t *key, size_t n)
{
	uint64_t by = K1 + 2 * n, a, b, c, d;

	if (n < 8)
		return fold_pair(n + (word(key, 4) << 3), word(key + n - 4, 4), by);
	if (n <= 16) {
		a = word(key, 8) + K1;
		b = word(key + n - 8, 8);
		return fold_pair(rotated(b, 37) * by + a, (rotated(a, 25) + b) * by, by);
	}
	a = word(key, 8) * K0;
	b = word(key + 8, 8);
	c = word(key + n - 8, 8) * by;
	d = word(key + n - 16, 8) * K1;
	return fold_pair(rotated(a + b, 43) + rotated(c, 30) + d, a + rotated(b + K1, 18) + c, by);
}

/* Whether the weighed fingerprints of all items add up to more than 0; @open: that is not clear. */
static bool project(const struct nnr_eval *e, const struct nnr_operand *items, double seed,
		    bool *open)
{
	size_t count = e->in[1].dims[0], size = count ? items->size / count : 0;
	double sum = 0, total = 0;
	uint8_t key[MOST_KEY];
	float first = (float)seed;

	memcpy(key, &first, sizeof(first));
	for (size_t i = 0; i < count; i++) {
		double hash, weight = nnr_eval_has(e, 2) ? e->in[2].v[i] : 1;

		memcpy(key + sizeof(first), items->data + i * size, size);
		hash = (double)(int64_t)fingerprint(key, sizeof(first) + size);
		sum += weight * hash;
		total += fabs(weight * hash);
	}
	*open = fabs(sum) <= 1e-6 * total && total > 0;
	return sum > 0;
}

/*
 * seeds [hashes, bits], items [n, ...], weights? [n], kind (1: sparse without offsets, 2: dense,
 * 3: sparse) -> bits as numbers
 */
static int eval_lsh(struct nnr_eval *e)
{
	const struct nnr_operand *items = e->graph->operands[e->operation->in[1]];
	uint32_t hashes = e->in[0].dims[0], bits = e->in[0].dims[1], rest = hashes - 1, room = bits;
	int64_t kind = nnr_eval_int(e, 3, 0);
	struct nnr_eval_tensor *out = &e->out[0];
	int ret;

	for (; rest; rest >>= 1)
		room++;
	if (e->in[0].rank != 2 || !hashes || !bits || kind < 1 || kind > 3 || !e->in[1].rank ||
	    (kind != 2 && room > 32) || (nnr_eval_has(e, 2) && e->in[2].count != e->in[1].dims[0]))
		return -EINVAL;
	if (e->in[1].count && items->size / e->in[1].dims[0] + sizeof(float) > MOST_KEY)
		return -E2BIG;
	ret = nnr_eval_out(e, 0, 1, (uint32_t[]){ kind == 2 ? hashes * bits : hashes });
	for (uint32_t i = 0; i < hashes * bits && !ret; i++) {
		bool open, bit = project(e, items, e->in[0].v[i], &open);
		uint32_t at = kind == 2 ? i : i / bits;

		if (open)
			out->err[at] = INFINITY;
		/* The first bit is the highest. */
		out->v[at] = (kind == 2 ? 0 : 2 * out->v[at]) + bit;
	}
	for (uint32_t i = 0; kind == 3 && i < hashes && !ret; i++)
		out->v[i] += ldexp(i, (int)bits);
	/* 32 bits are a number below 0, too. */
	for (size_t i = 0; i < out->count && !ret; i++)
		out->v[i] = (double)(int32_t)(uint32_t)out->v[i];
	return ret;
}

/*
 * Logarithms of probabilities [batch, classes], samples, seeds -> classes: any that may be drawn,
 * which is no more than the lowest and the highest of them.
 */
static int eval_multinomial(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	int64_t samples = nnr_eval_int(e, 1, 0);
	uint32_t classes = in->dims[1];
	int ret;

	if (in->rank != 2 || !classes || samples < 0 || samples > NNR_MAX_ELEMENTS ||
	    e->in[2].count != 2)
		return -EINVAL;
	ret = nnr_eval_out(e, 0, 2, (uint32_t[]){ in->dims[0], (uint32_t)samples });
	for (size_t i = 0; i < e->out[0].count && !ret; i++) {
		const double *row = in->v + i / (size_t)samples * classes;
		double low = INFINITY, high = 0, most = -INFINITY;

		for (uint32_t k = 0; k < classes; k++)
			most = fmax(most, row[k]);
		for (uint32_t k = 0; k < classes; k++) {
			/* One in 10^26. */
			if (!(row[k] > most - 60))
				continue;
			low = fmin(low, k);
			high = fmax(high, k);
		}
		e->out[0].v[i] = (low + high) / 2;
		e->out[0].err[i] = (high - low) / 2;
	}
	return ret;
}

int nnr_eval_hash(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_LSH_PROJECTION:
		return eval_lsh(e);
	case NNA_OPERATION_RANDOM_MULTINOMIAL:
		return eval_multinomial(e);
	default:
		return -ENOTSUP;
	}
}
