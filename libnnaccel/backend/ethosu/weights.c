// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 255
#define CODES 512u	    /* magnitude, and the sign in bit 0 */
#define PALETTE_MAX 32u
#define PALETTE_BITS_MIN 2u
#define OFFSET_MAX 31u	    /* of symbols without an entry in the palette */
#define QUOTIENT_MAX 31u
#define TRUNCATED_MAX 2u
#define CHUNK 12u	    /* symbols */
#define CHUNK_SHORT 8u	    /* symbols where they are long */
#define AHEAD 8		    /* weights that come before their runs */
#define RUNS_NONE 6u	    /* divisor of runs */
#define STREAM_END 7u	    /* divisor of runs */
#define UNCOMPRESSED 7u	    /* divisor of weights */
#define GROUP 64u	    /* symbols that have one pair of divisors */
#define SLICE_GROUPS 511u   /* in a slice of at most 32767 symbols */
#define SLICE_BITS 40u	    /* header of a slice, and what its last chunks leave unused */
#define PALETTE_HEADER 13u  /* bits */
#define SECTION_MIN 1024u   /* values */
#define FAST_HEADER 32u	    /* bytes */
#define NEVER (1u << 20)    /* bits of a symbol that cannot be written */

/* ---- bits ------------------------------------------------------------------------------------ */

/**
 * struct bits - a stream while it is written
 * @bytes: @room of them, from malloc()
 * @at: next bit
 * @error: 0, -ENOMEM or -E2BIG; then nothing more is written
 */
struct bits {
	uint8_t *bytes;
	uint64_t room, at;
	int error;
};

/* At most 24 bits. */
static void put(struct bits *bits, uint32_t n, uint32_t value)
{
	uint64_t byte = bits->at / 8;
	uint32_t word = value << bits->at % 8;
	uint8_t *bytes;

	if (byte + 4 > bits->room && !bits->error) {
		uint64_t room = bits->room * 2 + 4096;

		bytes = room > UINT32_MAX ? NULL : realloc(bits->bytes, room);
		if (!bytes) {
			bits->error = room > UINT32_MAX ? -E2BIG : -ENOMEM;
			return;
		}
		memset(bytes + bits->room, 0, room - bits->room);
		bits->bytes = bytes;
		bits->room = room;
	}
	if (bits->error)
		return;
	for (uint32_t i = 0; i < 4; i++)
		bits->bytes[byte + i] |= (uint8_t)(word >> 8 * i);
	bits->at += n;
}

/* Ones up to a whole unit: each three of them are an end. */
static void pad(struct bits *bits)
{
	while (bits->at % (NNA_ETHOSU_STREAM_UNIT * 8) && !bits->error)
		put(bits, 1, 1);
}

static uint32_t code_of(int32_t value)
{
	return value < 0 ? (uint32_t)-value << 1 | 1 : (uint32_t)value << 1;
}

static uint32_t bits_of(uint32_t n)
{
	return n ? 32 - (uint32_t)__builtin_clz(n) : 0;
}

/* ---- ways to write a symbol ------------------------------------------------------------------ */

/* Divisors 0 to 5 of weights, the same truncated, and uncompressed. */
#define DIVISORS 6u
#define WAYS (2 * DIVISORS + 1)
#define WAY_PLAIN (WAYS - 1)
#define RUN_WAYS 4u

static bool is_truncated(uint32_t way)
{
	return way >= DIVISORS && way < WAY_PLAIN;
}

/* Bits of a symbol. @plain: those of an uncompressed one, 0 if there is none. */
static uint32_t symbol_bits(uint32_t way, uint32_t symbol, uint32_t plain)
{
	uint32_t divisor = way % DIVISORS, quotient = symbol >> divisor;

	if (way == WAY_PLAIN)
		return plain ? plain : NEVER;
	if (is_truncated(way))
		return quotient > TRUNCATED_MAX ? NEVER : (quotient ? 2 : 1) + divisor;
	return quotient > QUOTIENT_MAX ? NEVER : quotient + 1 + divisor;
}

/* ---- palettes -------------------------------------------------------------------------------- */

/**
 * struct counts - values of a section
 * @codes: how often each code occurs
 * @run_bits: bits of all runs of zeros, by divisor
 */
struct counts {
	uint32_t codes[CODES];
	uint64_t run_bits[RUN_WAYS];
};

/**
 * struct palette - symbols of a section
 * @runs: zeros are in runs
 * @size: entries, 0 or 2 to PALETTE_MAX
 * @offset: code of the first symbol without an entry
 * @bits: of an entry
 * @plain: bits of an uncompressed symbol; 0 where there are symbols that have none
 * @entries: codes
 * @symbols: by code
 */
struct palette {
	bool runs;
	uint32_t size, offset, bits, plain;
	uint16_t entries[PALETTE_MAX];
	uint16_t symbols[CODES];
};

static void count_run(struct counts *counts, uint64_t run)
{
	for (uint32_t way = 0; way < RUN_WAYS; way++)
		counts->run_bits[way] += (run >> way) + 1 + way;
}

static void count(const int16_t *values, uint64_t n, struct counts *counts)
{
	uint64_t run = 0;

	memset(counts, 0, sizeof(*counts));
	for (uint64_t i = 0; i < n; i++) {
		counts->codes[code_of(values[i])]++;
		if (values[i]) {
			count_run(counts, run);
			run = 0;
		} else {
			run++;
		}
	}
	count_run(counts, run);
}

/* The codes that occur, the most frequent first. Return: how many there are. */
static uint32_t rank(const struct counts *counts, uint16_t *ranked)
{
	uint32_t n = 0;

	for (uint32_t code = 0; code < CODES; code++) {
		uint32_t at = n;

		if (!counts->codes[code])
			continue;
		for (; at && counts->codes[ranked[at - 1]] < counts->codes[code]; at--)
			ranked[at] = ranked[at - 1];
		ranked[at] = (uint16_t)code;
		n++;
	}
	return n;
}

/* The palette of the first @size of @n codes. */
static void fill(struct palette *palette, const uint16_t *ranked, uint32_t n, uint32_t size)
{
	uint32_t lowest = CODES, highest = 0, widest = 0;

	palette->size = size;
	for (uint32_t i = 0; i < n; i++) {
		if (i < size) {
			palette->entries[i] = ranked[i];
			widest = ranked[i] > widest ? ranked[i] : widest;
			continue;
		}
		lowest = ranked[i] < lowest ? ranked[i] : lowest;
		highest = ranked[i] > highest ? ranked[i] : highest;
	}
	palette->offset = lowest < OFFSET_MAX ? lowest : lowest == CODES ? 0 : OFFSET_MAX;
	if (!size)
		widest = highest - palette->offset;
	palette->bits = bits_of(widest) > PALETTE_BITS_MIN ? bits_of(widest) : PALETTE_BITS_MIN;
	/* Uncompressed symbols are all entries, or there is no palette. */
	if (!size)
		palette->plain = palette->bits;
	else
		palette->plain = n <= size ? bits_of(size - 1) : 0;
	for (uint32_t i = 0; i < n; i++)
		palette->symbols[ranked[i]] =
			(uint16_t)(i < size ? i : ranked[i] - palette->offset + size);
}

/* Bits of a section with one way to write all of its symbols. */
static uint64_t palette_bits(const struct palette *palette, const struct counts *counts,
			     const uint16_t *ranked, uint32_t n)
{
	uint64_t best = UINT64_MAX, runs = palette->runs ? UINT64_MAX : 0;

	for (uint32_t way = 0; way < RUN_WAYS && palette->runs; way++)
		runs = counts->run_bits[way] < runs ? counts->run_bits[way] : runs;
	for (uint32_t way = 0; way < WAYS; way++) {
		uint64_t bits = 0;

		for (uint32_t i = 0; i < n; i++)
			bits += (uint64_t)counts->codes[ranked[i]] *
				symbol_bits(way, palette->symbols[ranked[i]], palette->plain);
		best = bits < best ? bits : best;
	}
	return best + runs + SLICE_BITS + PALETTE_HEADER +
	       (uint64_t)palette->size * palette->bits;
}

/* The palette with which a section takes the fewest bits. Return: these. */
static uint64_t choose(struct counts *counts, struct palette *chosen)
{
	static const uint8_t sizes[] = { 0, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
	uint64_t best = UINT64_MAX, bits;
	uint16_t ranked[CODES];
	struct palette palette;
	uint32_t n;

	for (uint32_t runs = 0; runs < 2; runs++) {
		uint32_t zeros = counts->codes[0];

		if (runs) {
			/* A section has a weight, although all may be zeros. */
			counts->codes[0] = 0;
			if (!rank(counts, ranked))
				counts->codes[0] = 1;
		}
		n = rank(counts, ranked);
		for (uint32_t i = 0; i < sizeof(sizes); i++) {
			/* A palette has two entries at least: one that does not occur is 0. */
			uint32_t size = sizes[i] < n || sizes[i] < 3 ? sizes[i] : n;

			if (n < 2 && size)
				break;
			memset(&palette, 0, sizeof(palette));
			palette.runs = runs;
			fill(&palette, ranked, n, size);
			bits = palette_bits(&palette, counts, ranked, n);
			if (bits < best) {
				best = bits;
				*chosen = palette;
			}
			if (size == n)
				break;
		}
		counts->codes[0] = zeros;
	}
	return best;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/**
 * struct symbols - symbols of a section
 * @weights: @count of them
 * @runs: @count + 1, of which the first is before the first weight; NULL for none
 */
struct symbols {
	uint16_t *weights;
	uint32_t *runs;
	uint64_t count;
};

/**
 * struct chunk - remainders that come after the unary parts of the next chunk
 */
struct chunk {
	uint32_t count;
	uint32_t remainders[CHUNK];
};

/**
 * struct unary - quotients of weights or of runs, while they are written
 * @total: symbols
 * @done: symbols whose quotient has been written
 * @divisor: bits of a remainder
 * @begun: the quotient of the next symbol has begun
 * @left: what is left of it
 */
struct unary {
	uint64_t total, done;
	uint32_t divisor;
	bool begun;
	uint32_t left;
};

static void end_symbol(struct unary *u, uint32_t symbol, struct chunk *chunk)
{
	chunk->remainders[chunk->count++] = symbol & ((1u << u->divisor) - 1);
	u->done++;
	u->begun = false;
}

static void begin_symbol(struct unary *u, uint32_t symbol)
{
	if (!u->begun)
		u->left = symbol >> u->divisor;
	u->begun = true;
}

/* Return: the first bits of a chunk; the second ones are in *@second, *@seconds of them. */
static uint32_t weight_chunk(struct unary *u, const uint16_t *weights, bool truncated,
			     struct chunk *chunk, uint32_t *second, uint32_t *seconds)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < CHUNK && u->done < u->total; i++) {
		uint32_t weight = weights[u->done];

		begin_symbol(u, weight);
		if (u->left) {
			first |= 1u << i;
			*second |= (uint32_t)(u->left > 1) << (*seconds)++;
		}
		if (u->left < 2 || truncated)
			end_symbol(u, weight, chunk);
		else
			u->left -= 2;
	}
	return first;
}

static uint32_t run_chunk(struct unary *u, const uint32_t *runs, uint32_t n, struct chunk *chunk)
{
	uint32_t unary = 0;

	for (uint32_t i = 0; i < n && u->done < u->total; i++) {
		uint32_t run = runs[u->done];

		begin_symbol(u, run);
		if (u->left) {
			unary |= 1u << i;
			u->left--;
		} else {
			end_symbol(u, run, chunk);
		}
	}
	return unary;
}

static void put_remainders(struct bits *bits, const struct unary *u, const struct chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->count; i++)
		put(bits, u->divisor, chunk->remainders[i]);
}

/**
 * struct slice - a slice
 * @weights: @count of them, 1 to 32767
 * @runs: those that it has; NULL for none
 * @way: of weights
 * @run_way: of runs
 * @fresh: it begins the section
 */
struct slice {
	const uint16_t *weights;
	const uint32_t *runs;
	uint32_t count, way, run_way;
	bool fresh;
};

static void put_header(struct bits *bits, const struct slice *slice, const struct palette *palette)
{
	put(bits, 3, slice->runs ? slice->run_way : RUNS_NONE);
	put(bits, 15, slice->count - 1);
	put(bits, 3, slice->way == WAY_PLAIN ? UNCOMPRESSED : slice->way % DIVISORS);
	put(bits, 1, is_truncated(slice->way));
	put(bits, 1, slice->fresh);
	if (!slice->fresh)
		return;
	put(bits, 5, palette->offset);
	put(bits, 5, palette->size ? palette->size - 1 : 0);
	put(bits, 3, palette->bits - PALETTE_BITS_MIN);
	for (uint32_t i = 0; i < palette->size; i++)
		put(bits, palette->bits, palette->entries[i]);
}

static void put_slice(struct bits *bits, const struct slice *slice, const struct palette *palette)
{
	const bool plain = slice->way == WAY_PLAIN;
	struct unary weights = { .total = slice->count,
				 .divisor = plain ? palette->plain : slice->way % DIVISORS };
	struct unary runs = { .total = slice->runs ? slice->count + slice->fresh : 0,
			      .divisor = slice->run_way };
	const uint32_t run_bits = runs.divisor == 3 ? CHUNK_SHORT : CHUNK;
	const uint32_t plain_count = weights.divisor > 5 ? CHUNK_SHORT : CHUNK;
	struct chunk old_weights = { 0 }, old_runs = { 0 };
	bool more = true;

	put_header(bits, slice, palette);
	while (more && !bits->error) {
		int64_t balance = slice->runs ? (int64_t)weights.done - (int64_t)runs.done : 0;
		bool do_weights = balance < AHEAD && weights.done < weights.total;
		bool do_runs = balance >= 0 && runs.done < runs.total;
		struct chunk new_weights = { 0 }, new_runs = { 0 };
		uint32_t second = 0, seconds = 0;

		if (do_weights && plain)
			for (uint32_t i = 0; i < plain_count && weights.done < weights.total; i++)
				end_symbol(&weights, slice->weights[weights.done], &new_weights);
		else if (do_weights)
			put(bits, CHUNK, weight_chunk(&weights, slice->weights,
						      is_truncated(slice->way), &new_weights,
						      &second, &seconds));
		if (do_runs)
			put(bits, run_bits, run_chunk(&runs, slice->runs, run_bits, &new_runs));
		put(bits, seconds, second);
		put_remainders(bits, &weights, &old_weights);
		put_remainders(bits, &runs, &old_runs);
		old_weights = new_weights;
		old_runs = new_runs;
		more = do_weights || do_runs;
	}
}

/**
 * struct plan - how groups of symbols are written
 * @groups: how many
 * @states: pairs of ways: way + WAYS * run way
 * @changed: by group and state: the group before has another one
 * @best: by group: the state with the fewest bits up to its end
 */
struct plan {
	uint64_t groups;
	uint32_t states;
	uint8_t *changed, *best;
};

static void group_bits(const struct symbols *s, const struct palette *palette, uint64_t group,
		       uint32_t states, uint64_t *bits)
{
	uint64_t first = group * GROUP, end = first + GROUP < s->count ? first + GROUP : s->count;
	uint64_t weights[WAYS] = { 0 }, runs[RUN_WAYS] = { 0 };

	for (uint32_t way = 0; way < WAYS; way++)
		for (uint64_t i = first; i < end; i++)
			weights[way] += symbol_bits(way, s->weights[i], palette->plain);
	for (uint32_t way = 0; way < RUN_WAYS && s->runs; way++)
		for (uint64_t i = first; i < end; i++)
			runs[way] += (s->runs[i + 1] >> way) + 1 + way;
	for (uint32_t i = 0; i < states; i++)
		bits[i] = weights[i % WAYS] + runs[i / WAYS];
}

/* The cheapest sequence of states, a change of which costs a slice. */
static void make_plan(struct plan *plan, const struct symbols *s, const struct palette *palette)
{
	uint64_t sums[WAYS * RUN_WAYS] = { 0 }, bits[WAYS * RUN_WAYS];
	uint64_t change = 0;

	for (uint64_t g = 0; g < plan->groups; g++) {
		uint32_t best = 0;

		group_bits(s, palette, g, plan->states, bits);
		for (uint32_t i = 0; i < plan->states; i++) {
			bool changed = g && change < sums[i];

			plan->changed[g * plan->states + i] = changed;
			sums[i] = (changed ? change : sums[i]) + bits[i];
			best = sums[i] < sums[best] ? i : best;
		}
		plan->best[g] = (uint8_t)best;
		change = sums[best] + SLICE_BITS;
	}
}

/* Turns @best into the state that each group has. */
static void follow_plan(struct plan *plan)
{
	uint32_t state = plan->best[plan->groups - 1];

	for (uint64_t g = plan->groups; g-- > 0;) {
		uint32_t before = g && plan->changed[g * plan->states + state] ? plan->best[g - 1]
									       : state;

		plan->best[g] = (uint8_t)state;
		state = before;
	}
}

static void put_symbols(struct bits *bits, const struct symbols *s, const struct palette *palette)
{
	struct plan plan = { .groups = (s->count + GROUP - 1) / GROUP,
			     .states = s->runs ? WAYS * RUN_WAYS : WAYS };
	uint64_t end;

	plan.changed = malloc(plan.groups * plan.states);
	plan.best = malloc(plan.groups);
	if (!plan.changed || !plan.best) {
		bits->error = -ENOMEM;
		goto out;
	}
	make_plan(&plan, s, palette);
	follow_plan(&plan);
	for (uint64_t g = 0; g < plan.groups; g = end) {
		struct slice slice = {
			.weights = s->weights + g * GROUP,
			.runs = s->runs ? s->runs + g * GROUP + (g != 0) : NULL,
			.way = plan.best[g] % WAYS,
			.run_way = plan.best[g] / WAYS,
			.fresh = g == 0,
		};

		for (end = g + 1; end < plan.groups && end - g < SLICE_GROUPS; end++)
			if (plan.best[end] != plan.best[g])
				break;
		slice.count = (uint32_t)((end * GROUP < s->count ? end * GROUP : s->count) -
					 g * GROUP);
		put_slice(bits, &slice, palette);
	}
out:
	free(plan.changed);
	free(plan.best);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Values as symbols. @s has room for as many, and for one run more. */
static void take_symbols(const int16_t *values, uint64_t n, const struct palette *palette,
			 struct symbols *s)
{
	uint32_t run = 0;

	s->count = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (palette->runs && !values[i]) {
			run++;
			continue;
		}
		if (palette->runs)
			s->runs[s->count] = run;
		run = 0;
		s->weights[s->count++] = palette->symbols[code_of(values[i])];
	}
	if (!palette->runs) {
		s->runs = NULL;
		return;
	}
	/* All zeros: the first one is the weight that a slice must have. */
	if (!s->count) {
		s->weights[s->count++] = palette->symbols[0];
		s->runs[0] = 0;
		run--;
	}
	s->runs[s->count] = run;
}

static void put_section(struct bits *bits, const int16_t *values, uint64_t n,
			const struct palette *palette)
{
	uint32_t *runs = malloc((n + 1) * sizeof(*runs));
	struct symbols s = { .weights = malloc(n * sizeof(*s.weights)), .runs = runs };

	if (!s.weights || !runs) {
		bits->error = -ENOMEM;
	} else {
		take_symbols(values, n, palette, &s);
		put_symbols(bits, &s, palette);
	}
	free(s.weights);
	free(runs);
}

/*
 * Writes a section, or its halves where they take fewer bits. @bits_whole and @palette are those of
 * choose(). The depth of the recursion is the logarithm of @n.
 */
static void put_sections(struct bits *bits, const int16_t *values, uint64_t n, uint64_t bits_whole,
			 const struct palette *palette)
{
	struct palette palettes[2];
	uint64_t half = n / 2, parts[2];
	struct counts counts;

	if (n >= 2 * SECTION_MIN) {
		for (uint32_t i = 0; i < 2; i++) {
			count(values + i * half, i ? n - half : half, &counts);
			parts[i] = choose(&counts, &palettes[i]);
		}
		if (parts[0] + parts[1] < bits_whole) {
			put_sections(bits, values, half, parts[0], &palettes[0]);
			put_sections(bits, values + half, n - half, parts[1], &palettes[1]);
			return;
		}
	}
	if (!bits->error)
		put_section(bits, values, n, palette);
}

static void encode_slices(struct bits *bits, const int16_t *values, uint64_t n)
{
	struct palette palette;
	struct counts counts;

	if (n) {
		count(values, n, &counts);
		put_sections(bits, values, n, choose(&counts, &palette), &palette);
	}
	put(bits, 3, STREAM_END);
	pad(bits);
}

/* ---- FWD ------------------------------------------------------------------------------------- */

/* Header: raw 0, small table 1, what values are moved by at 104, the table from 112 on. */
static int encode_fast(struct bits *bits, const int16_t *values, uint64_t n)
{
	uint16_t table[CODES], index[CODES] = { 0 };
	int32_t least = 0, most = 0, move;
	struct counts counts;
	uint32_t distinct, width;

	count(values, n, &counts);
	distinct = rank(&counts, table);
	for (uint64_t i = 0; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	move = least < INT8_MIN ? INT8_MIN - least : most > INT8_MAX ? INT8_MAX - most : 0;
	if (distinct > 16 && (least + move < INT8_MIN || most + move > INT8_MAX))
		return -EINVAL;
	width = distinct > 16 ? 8 : distinct > 4 ? 4 : 2;
	put(bits, 1, width == 8);
	put(bits, 1, width == 2);
	while (bits->at < 104 && !bits->error)
		put(bits, 1, 0);
	put(bits, 8, width == 8 ? (uint8_t)move : 0);
	for (uint32_t i = 0; i < 16; i++) {
		put(bits, 9, width < 8 && i < distinct ? table[i] : 0);
		if (i < distinct)
			index[table[i]] = (uint16_t)i;
	}
	for (uint64_t i = 0; i < n; i++)
		put(bits, width, width == 8 ? (uint8_t)(values[i] + move)
					    : index[code_of(values[i])]);
	while (bits->at % (NNA_ETHOSU_STREAM_UNIT * 8) && !bits->error)
		put(bits, 1, 0);
	return 0;
}

/* ---- streams --------------------------------------------------------------------------------- */

int nna_ethosu_values_encode(const int16_t *values, uint64_t count, bool fast, uint8_t **bytes,
			     uint32_t *size)
{
	struct bits bits = { 0 };

	if (count > NNA_ETHOSU_VALUES_MAX)
		return -E2BIG;
	for (uint64_t i = 0; i < count; i++)
		if (values[i] < -VALUE_MAX || values[i] > VALUE_MAX)
			return -EINVAL;
	if (fast)
		bits.error = encode_fast(&bits, values, count) ?: bits.error;
	else
		encode_slices(&bits, values, count);
	if (bits.error) {
		free(bits.bytes);
		return bits.error;
	}
	*bytes = bits.bytes;
	*size = (uint32_t)(bits.at / 8);
	return 0;
}

/* Encodes a stream behind the @size bytes of those before. */
static int add_stream(const struct nna_ethosu_weights *weights, uint32_t stream,
		      struct nna_ethosu_encoded *out, uint32_t *size)
{
	/* More decoders than one take turns in FWD; only Arm knows how. */
	const bool may_be_fast = weights->target->generation == NNA_ETHOSU_U85 &&
				 weights->target->streams == 1;
	uint64_t count = nna_ethosu_order_count(weights, stream);
	uint8_t *bytes = NULL, *fast = NULL, *all;
	uint32_t own = 0, fast_size = 0;
	int16_t *values;
	int ret;

	if (count > NNA_ETHOSU_VALUES_MAX)
		return count == UINT64_MAX ? -EINVAL : -E2BIG;
	if (!count)
		return 0;
	values = malloc(count * sizeof(*values));
	if (!values)
		return -ENOMEM;
	nna_ethosu_order_write(weights, stream, values);
	ret = nna_ethosu_values_encode(values, count, false, &bytes, &own);
	if (!ret && may_be_fast && count / 4 + FAST_HEADER <= own) {
		ret = nna_ethosu_values_encode(values, count, true, &fast, &fast_size);
		out->fast = !ret && fast_size <= own;
		ret = ret == -EINVAL ? 0 : ret;
	}
	if (out->fast) {
		free(bytes);
		bytes = fast;
		own = fast_size;
		fast = NULL;
	}
	free(fast);
	free(values);
	if (!ret && own > UINT32_MAX - *size)
		ret = -E2BIG;
	all = ret ? NULL : realloc(out->bytes, (size_t)*size + own);
	if (!ret && !all)
		ret = -ENOMEM;
	if (!ret) {
		memcpy(all + *size, bytes, own);
		out->bytes = all;
		out->sizes[stream] = own;
		*size += own;
	}
	free(bytes);
	return ret;
}

int nna_ethosu_weights_encode(const struct nna_ethosu_weights *weights,
			      struct nna_ethosu_encoded *out)
{
	struct nna_ethosu_encoded encoded = { 0 };
	uint32_t size = 0;
	int ret = 0;

	for (uint32_t stream = 0; stream < weights->target->streams && !ret; stream++)
		ret = add_stream(weights, stream, &encoded, &size);
	if (ret)
		free(encoded.bytes);
	else
		*out = encoded;
	return ret;
}

/* ---- records --------------------------------------------------------------------------------- */

static void write_little(uint8_t *to, uint32_t bytes, uint64_t value)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static bool fits(int64_t value, uint32_t bits)
{
	return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* Sizes are multiples of 16; bit 0 of the first says FWD. */
void nna_ethosu_sizes_write(const struct nna_ethosu_encoded *encoded, uint8_t *to)
{
	for (uint32_t i = 0; i < NNA_ETHOSU_SIZES_SIZE; i++)
		to[i] = (uint8_t)(encoded->sizes[i / 4] >> 8 * (i % 4));
	to[0] |= encoded->fast;
}

void nna_ethosu_sizes_read(const uint8_t *from, struct nna_ethosu_encoded *encoded)
{
	encoded->fast = from[0] & 1;
	for (uint32_t i = 0; i < NNA_ETHOSU_STREAMS; i++, from += 4)
		encoded->sizes[i] = (from[0] & ~1u) | (uint32_t)from[1] << 8 |
				    (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

int nna_ethosu_record_write(enum nna_ethosu_generation generation, bool wide,
			    const struct nna_ethosu_record *record, uint8_t *to)
{
	/* U65: 40 bits, 32, 6. U85: 32, 31, 6; with wide sums 48, 15, 6. */
	const bool u65 = generation == NNA_ETHOSU_U65;
	const uint32_t bias = u65 ? 5 : wide ? 6 : 4, factor = u65 ? 4 : wide ? 2 : 4;

	if (!fits(record->bias, bias * 8) || record->shift > 63 ||
	    (!u65 && record->scale >> (factor * 8 - 1)))
		return -ERANGE;
	memset(to, 0, NNA_ETHOSU_RECORD_SIZE);
	write_little(to, bias, (uint64_t)record->bias);
	write_little(to + bias, factor, record->scale);
	to[bias + factor] = (uint8_t)record->shift;
	return 0;
}
