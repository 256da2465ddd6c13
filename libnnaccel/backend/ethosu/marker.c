// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/marker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/ethosu/opcode.h"

/* Words: two waits before, one behind; a copy has three settings of two words and three words. */
#define WORDS_WAITS 3u
#define WORDS_COPY 9u

const uint8_t nna_ethosu_marker[NNA_ETHOSU_MARKER_SIZE] = {
	0x6e, 0x6e, 0x61, 0x20, 0xa5, 0x5a, 0xc3, 0x3c,
	0x96, 0x69, 0x0f, 0xf0, 0x64, 0x6f, 0x6e, 0x65,
};

static uint32_t *put_short(uint32_t *at, uint32_t opcode, uint32_t parameter)
{
	*at++ = opcode | parameter << 16;
	return at;
}

static uint32_t *put_long(uint32_t *at, uint32_t opcode, uint64_t value)
{
	*at++ = opcode | 1u << ETHOSU_WORD_FORM_SHIFT | (uint32_t)(value >> 32 & 0xff) << 16;
	*at++ = (uint32_t)value;
	return at;
}

static uint64_t slot(uint64_t tail, uint32_t region)
{
	return tail + NNA_ETHOSU_MARKER_SIZE * (1 + region);
}

static uint32_t *put_copy(uint32_t *at, uint32_t from_region, uint64_t from, uint32_t to_region,
			  uint64_t to)
{
	at = put_short(at, ETHOSU_SET_DMA_SOURCE_REGION, from_region);
	at = put_long(at, ETHOSU_SET_DMA_SOURCE, from);
	at = put_short(at, ETHOSU_SET_DMA_TARGET_REGION, to_region);
	at = put_long(at, ETHOSU_SET_DMA_TARGET, to);
	at = put_long(at, ETHOSU_SET_DMA_LENGTH, NNA_ETHOSU_MARKER_SIZE);
	return put_short(at, ETHOSU_OP_DMA_START, 0);
}

/* Make room for waits and @copies copies. Return: where STOP is, or NULL. */
static uint32_t *grow(struct nna_ethosu_stream *stream, uint32_t copies)
{
	const uint32_t more = WORDS_WAITS + WORDS_COPY * copies;
	uint32_t *words;

	if (stream->count > UINT32_MAX / 4 - more)
		return NULL;
	words = realloc(stream->words, ((size_t)stream->count + more) * sizeof(*words));
	if (!words)
		return NULL;
	stream->words = words;
	return words + stream->count - 1;
}

static uint32_t *put_waits(uint32_t *at)
{
	at = put_short(at, ETHOSU_OP_KERNEL_WAIT, 0);
	return put_short(at, ETHOSU_OP_DMA_WAIT, 0);
}

static void finish(struct nna_ethosu_stream *stream, uint32_t *at, uint32_t stop)
{
	at = put_short(at, ETHOSU_OP_DMA_WAIT, 0);
	*at++ = stop;
	stream->count = (uint32_t)(at - stream->words);
}

int nna_ethosu_marker_append(struct nna_ethosu_stream *stream,
			     const uint64_t tails[NNA_ETHOSU_REGIONS], uint32_t to)
{
	const uint32_t stop = stream->words[stream->count - 1];
	uint32_t *at = grow(stream, NNA_ETHOSU_REGIONS);

	if (!at)
		return -ENOMEM;
	at = put_waits(at);
	for (uint32_t i = 0; i < NNA_ETHOSU_REGIONS; i++)
		if (tails[i])
			at = put_copy(at, i, tails[i], to, slot(tails[to], i));
	finish(stream, at, stop);
	return 0;
}

int nna_ethosu_marker_append_one(struct nna_ethosu_stream *stream, uint32_t region, uint64_t from,
				 uint64_t to)
{
	const uint32_t stop = stream->words[stream->count - 1];
	uint32_t *at = grow(stream, 1);

	if (!at)
		return -ENOMEM;
	finish(stream, put_copy(put_waits(at), region, from, region, to), stop);
	return 0;
}

void nna_ethosu_marker_clear(uint8_t *memory, uint64_t tail)
{
	memset(memory + slot(tail, 0), 0, NNA_ETHOSU_MARKER_SIZE * NNA_ETHOSU_REGIONS);
}

bool nna_ethosu_marker_is_set(const uint8_t *memory, uint64_t tail,
			      const uint64_t tails[NNA_ETHOSU_REGIONS])
{
	for (uint32_t i = 0; i < NNA_ETHOSU_REGIONS; i++)
		if (tails[i] && memcmp(memory + slot(tail, i), nna_ethosu_marker,
				       NNA_ETHOSU_MARKER_SIZE))
			return false;
	return true;
}
