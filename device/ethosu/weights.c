// SPDX-License-Identifier: MIT
#include "device/ethosu/weights.h"

#include <string.h>

#define PALETTE_MAX 32u
#define RUNS_NONE 6u	/* of the divisor of runs */
#define STREAM_END 7u	/* of the divisor of runs */
#define UNCOMPRESSED 7u /* of the divisor of weights */
#define CHUNK 12u	/* symbols */
#define CHUNK_SHORT 8u	/* symbols where they are long */
#define AHEAD 8u	/* weights that may be read before their runs */
#define FWD_HEADER 256u /* bits */
#define DONE_BETWEEN 32768u /* values and bytes between two questions whether to go on */

/**
 * struct bits - a stream of bits
 * @data: its bytes
 * @size: in bits
 * @at: next bit; beyond @size once more was read than there is
 */
struct bits {
	const uint8_t *data;
	uint64_t size;
	uint64_t at;
};

/* The next @n bits, at most 24; zeros beyond the end. */
static uint32_t take(struct bits *bits, uint32_t n)
{
	uint64_t byte = bits->at / 8;
	uint32_t word = 0;

	for (uint32_t i = 0; i < 4 && (byte + i) * 8 < bits->size; i++)
		word |= (uint32_t)bits->data[byte + i] << 8 * i;
	word >>= bits->at % 8;
	bits->at += n;
	return word & ((1u << n) - 1);
}

/**
 * struct palette - values of indices
 * @size: entries
 * @offset: value of the first index that has no entry
 * @bits: of a value
 * @entries: values, with the sign in bit 0
 */
struct palette {
	uint32_t size;
	uint32_t offset;
	uint32_t bits;
	uint32_t entries[PALETTE_MAX];
};

static void take_palette(struct bits *bits, struct palette *palette)
{
	palette->offset = take(bits, 5);
	palette->size = take(bits, 5);
	if (palette->size)
		palette->size++;
	palette->bits = take(bits, 3) + 2;
	for (uint32_t i = 0; i < palette->size; i++)
		palette->entries[i] = take(bits, palette->bits);
}

static int16_t value_of(const struct palette *palette, uint32_t index)
{
	uint32_t code = index < palette->size ? palette->entries[index]
					      : index - palette->size + palette->offset;

	return (int16_t)(code & 1 ? -(int32_t)(code >> 1) : (int32_t)(code >> 1));
}

static uint32_t index_bits(const struct palette *palette)
{
	uint32_t bits = 0;

	if (!palette->size)
		return palette->bits;
	while (1u << bits < palette->size)
		bits++;
	return bits;
}

/**
 * struct symbols - symbols of a slice: indices of weights, or lengths of runs
 * @total: of the slice
 * @done: whose unary part has been read
 * @divisor: bits of the remainder
 * @quotient: of the symbol that the last chunk has begun
 * @ready: symbols whose remainder comes next
 * @quotients: theirs
 */
struct symbols {
	uint32_t total;
	uint32_t done;
	uint32_t divisor;
	uint32_t quotient;
	uint32_t ready;
	uint32_t quotients[CHUNK];
};

/**
 * struct sink - where values go
 * @values: the values
 * @count: values wanted
 * @at: values written
 * @told: values and bytes of the stream of which @go_on knows
 * @go_on: see ethosu_weights_decode()
 * @context: handed to it
 */
struct sink {
	int16_t *values;
	size_t count;
	size_t at;
	uint64_t told;
	bool (*go_on)(void *context);
	void *context;
};

/* Return: whether to go on; asks from time to time, also where bits give no values. */
static bool goes_on(struct sink *sink, const struct bits *bits)
{
	uint64_t done = sink->at + bits->at / 8;

	if (!sink->go_on || done - sink->told < DONE_BETWEEN)
		return true;
	sink->told = done;
	return sink->go_on(sink->context);
}

static void put(struct sink *sink, int16_t value)
{
	if (sink->at < sink->count)
		sink->values[sink->at++] = value;
}

static void put_zeros(struct sink *sink, uint32_t n)
{
	size_t room = sink->count - sink->at;

	if (n > room)
		n = (uint32_t)room;
	memset(sink->values + sink->at, 0, n * sizeof(*sink->values));
	sink->at += n;
}

/**
 * struct slice - a slice while it is read
 * @palette: its palette
 * @weights: its weights
 * @runs: its runs
 * @truncated: a quotient is at most 2
 * @uncompressed: weights have no quotient
 * @has_runs: there are runs
 * @begins: the slice begins with a run
 */
struct slice {
	const struct palette *palette;
	struct symbols weights;
	struct symbols runs;
	bool truncated;
	bool uncompressed;
	bool has_runs;
	bool begins;
};

/* Symbols end where the total is reached; the other bits of the chunk mean nothing. */
static void end_symbol(struct symbols *s)
{
	if (s->done < s->total) {
		s->quotients[s->ready++] = s->quotient;
		s->done++;
	}
	s->quotient = 0;
}

static void weight_symbols(struct bits *bits, struct slice *slice, uint32_t first)
{
	struct symbols *s = &slice->weights;
	uint32_t second = take(bits, (uint32_t)__builtin_popcount(first));

	for (uint32_t i = 0; i < CHUNK; i++) {
		uint32_t more;

		if (!(first >> i & 1)) {
			end_symbol(s);
			continue;
		}
		more = second & 1;
		second >>= 1;
		s->quotient += 1 + more;
		if (!more || slice->truncated)
			end_symbol(s);
	}
}

static void run_symbols(struct symbols *s, uint32_t unary, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (unary >> i & 1)
			s->quotient++;
		else
			end_symbol(s);
	}
}

#define QUEUE 64u /* a power of two, more than weights and runs are ever apart */

/**
 * struct queue - symbols that wait for the other kind
 * @items: in a ring
 * @in: number put in
 * @out: number taken out
 */
struct queue {
	uint32_t items[QUEUE];
	uint32_t in;
	uint32_t out;
};

static void queue_remainders(struct bits *bits, struct symbols *s, uint32_t ready,
			     const uint32_t *quotients, struct queue *queue)
{
	for (uint32_t i = 0; i < ready; i++)
		queue->items[queue->in++ % QUEUE] =
			(quotients[i] << s->divisor) + take(bits, s->divisor);
}

/* Pair weights with the runs that follow them. */
static void drain(struct slice *slice, struct queue *weights, struct queue *runs,
		  struct sink *sink)
{
	for (;;) {
		if (slice->has_runs && slice->begins) {
			if (runs->out == runs->in)
				return;
			put_zeros(sink, runs->items[runs->out++ % QUEUE]);
			slice->begins = false;
			continue;
		}
		if (weights->out == weights->in)
			return;
		if (!slice->has_runs) {
			put(sink, value_of(slice->palette, weights->items[weights->out++ % QUEUE]));
			continue;
		}
		if (runs->out == runs->in)
			return;
		put(sink, value_of(slice->palette, weights->items[weights->out++ % QUEUE]));
		put_zeros(sink, runs->items[runs->out++ % QUEUE]);
	}
}

static bool is_done(const struct symbols *s)
{
	return s->done == s->total;
}

static void take_chunks(struct bits *bits, struct slice *slice, struct sink *sink)
{
	struct queue weights = { .in = 0 }, runs = { .in = 0 };
	uint32_t run_bits = slice->runs.divisor == 3 ? CHUNK_SHORT : CHUNK;
	uint32_t plain = slice->weights.divisor > 5 ? CHUNK_SHORT : CHUNK;

	for (;;) {
		/* Remainders come after the unary parts of the next chunk. */
		struct symbols old_weights = slice->weights, old_runs = slice->runs;
		int64_t balance = slice->has_runs ? (int64_t)slice->weights.done - slice->runs.done
						  : 0;
		bool do_weights = balance < (int64_t)AHEAD && !is_done(&slice->weights);
		bool do_runs = slice->has_runs && balance >= 0 && !is_done(&slice->runs);
		uint32_t first = 0;

		slice->weights.ready = 0;
		slice->runs.ready = 0;
		if (do_weights && !slice->uncompressed)
			first = take(bits, CHUNK);
		if (do_runs)
			run_symbols(&slice->runs, take(bits, run_bits), run_bits);
		if (do_weights && !slice->uncompressed)
			weight_symbols(bits, slice, first);
		if (do_weights && slice->uncompressed)
			for (uint32_t i = 0; i < plain; i++)
				end_symbol(&slice->weights);
		queue_remainders(bits, &slice->weights, old_weights.ready, old_weights.quotients,
				 &weights);
		queue_remainders(bits, &slice->runs, old_runs.ready, old_runs.quotients, &runs);
		drain(slice, &weights, &runs, sink);
		if (!do_weights && !do_runs && !slice->weights.ready && !slice->runs.ready)
			return;
		if (bits->at > bits->size || sink->at == sink->count || !goes_on(sink, bits))
			return;
	}
}

static void decode_slices(struct bits *bits, struct sink *sink)
{
	struct palette palette = { .size = 0 };

	while (sink->at < sink->count && bits->at < bits->size) {
		struct slice slice = { .palette = &palette };
		uint32_t runs = take(bits, 3), weights;
		bool fresh;

		if (runs == STREAM_END) {
			bits->at = (bits->at + 7) & ~7ull;
			if (!goes_on(sink, bits))
				return;
			continue;
		}
		if (runs > 3 && runs != RUNS_NONE)
			return;
		slice.weights.total = take(bits, 15) + 1;
		weights = take(bits, 3);
		slice.truncated = take(bits, 1);
		fresh = take(bits, 1);
		if (fresh)
			take_palette(bits, &palette);
		slice.has_runs = runs != RUNS_NONE;
		slice.begins = slice.has_runs && fresh;
		slice.uncompressed = weights == UNCOMPRESSED;
		slice.weights.divisor = slice.uncompressed ? index_bits(&palette) : weights;
		slice.runs.divisor = slice.has_runs ? runs : 0;
		slice.runs.total = slice.has_runs ? slice.weights.total + fresh : 0;
		if (weights > 5 && !slice.uncompressed)
			return;
		take_chunks(bits, &slice, sink);
	}
}

/* A header: raw 0, small table 1, zero adjust at 104, 16 entries of 9 bits from 112 on. */
static void decode_fast(struct bits *bits, struct sink *sink)
{
	bool raw = take(bits, 1), small = take(bits, 1);
	int16_t table[16];
	int8_t adjust;

	bits->at = 104;
	adjust = (int8_t)take(bits, 8);
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t code = take(bits, 9);

		table[i] = (int16_t)(code & 1 ? -(int32_t)(code >> 1) : (int32_t)(code >> 1));
	}
	bits->at = FWD_HEADER;
	while (sink->at < sink->count && bits->at < bits->size && goes_on(sink, bits)) {
		if (raw)
			put(sink, (int16_t)((int8_t)take(bits, 8) - adjust));
		else
			put(sink, table[take(bits, small ? 2 : 4)]);
	}
}

size_t ethosu_weights_decode(const uint8_t *data, size_t size, bool fast, int16_t *values,
			     size_t count, bool (*go_on)(void *context), void *context)
{
	struct bits bits = { data, (uint64_t)size * 8, 0 };
	struct sink sink = { .values = values, .count = count, .go_on = go_on, .context = context };

	if (fast)
		decode_fast(&bits, &sink);
	else
		decode_slices(&bits, &sink);
	return sink.at;
}
