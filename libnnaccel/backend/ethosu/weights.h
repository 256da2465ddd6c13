/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: streams of compressed weights, and records of biases and scales.
 *
 *	values		weights of 9 bits, in the order of order.h
 *	section		a run of values with a palette: its most frequent values, which get the
 *			shortest symbols. Others follow the palette by magnitude.
 *	slice		a run of symbols with one pair of Golomb-Rice divisors: for weights, and for
 *			runs of zeros between them, where a section has such runs
 *	stream		sections of slices, an end; a multiple of 16 bytes
 *
 * Sections are halved while that saves bits, and a section is cut into slices where the saved bits
 * pay for a header. FWD, of the U85, has an index of fixed width for each value; it is taken where
 * it is not longer, since it is decoded faster.
 */
#ifndef NNA_ETHOSU_WEIGHTS_H
#define NNA_ETHOSU_WEIGHTS_H

#include "libnnaccel/backend/ethosu/order.h"

#define NNA_ETHOSU_RECORD_SIZE 10u
/* Multiple of bytes that a stream of weights and one of records has, and their alignment. */
#define NNA_ETHOSU_STREAM_UNIT 16u

/**
 * struct nna_ethosu_encoded - streams of an operation
 * @bytes: all of them, one after the other; from malloc()
 * @sizes: bytes of each, 0 for none
 * @fast: they are FWD, of which there is one
 */
struct nna_ethosu_encoded {
	uint8_t *bytes;
	uint32_t sizes[NNA_ETHOSU_STREAMS];
	bool fast;
};

/**
 * nna_ethosu_weights_encode() - encode all streams of a convolution
 * @weights: the weights
 * @out: freed by its user; left alone on error
 *
 * Return: 0, -EINVAL (a weight that has more than 9 bits, or weights without an order), -E2BIG or
 * -ENOMEM.
 */
int nna_ethosu_weights_encode(const struct nna_ethosu_weights *weights,
			      struct nna_ethosu_encoded *out);

#define NNA_ETHOSU_SIZES_SIZE (NNA_ETHOSU_STREAMS * 4)

/*
 * What a constant has in front of its streams, so that it is known when commands are written:
 * NNA_ETHOSU_SIZES_SIZE bytes. Reading them leaves @bytes alone.
 */
void nna_ethosu_sizes_write(const struct nna_ethosu_encoded *encoded, uint8_t *to);
void nna_ethosu_sizes_read(const uint8_t *from, struct nna_ethosu_encoded *encoded);

/**
 * nna_ethosu_values_encode() - encode one stream
 * @values: @count values of -255 to 255
 * @fast: FWD
 * @bytes: from malloc()
 * @size: a multiple of NNA_ETHOSU_STREAM_UNIT
 *
 * Return: 0, -EINVAL (a value beyond 255; values that FWD has no form for), -E2BIG or -ENOMEM.
 */
int nna_ethosu_values_encode(const int16_t *values, uint64_t count, bool fast, uint8_t **bytes,
			     uint32_t *size);

/**
 * struct nna_ethosu_record - a bias and a factor, of a channel
 * @bias: added to the sum; 40 bits of a U65, 32 of a U85, 48 with wide sums
 * @scale: 32 bits of a U65, 31 of a U85, 15 with wide sums
 * @shift: 6 bits, to the right
 */
struct nna_ethosu_record {
	int64_t bias;
	uint32_t scale;
	uint32_t shift;
};

/**
 * nna_ethosu_record_write() - write a record
 * @generation: of the NPU
 * @wide: a U85's sums have more than 32 bits
 * @record: what it says
 * @to: NNA_ETHOSU_RECORD_SIZE bytes
 *
 * Return: 0, or -ERANGE where a number has too many bits.
 */
int nna_ethosu_record_write(enum nna_ethosu_generation generation, bool wide,
			    const struct nna_ethosu_record *record, uint8_t *to);

#endif
