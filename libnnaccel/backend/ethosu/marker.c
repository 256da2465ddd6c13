// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/marker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/ethosu/opcode.h"

/* Words: two waits before, one behind; per region three settings of two words and three words. */
#define WORDS_WAITS 3u
#define WORDS_REGION 9u

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

int nna_ethosu_marker_append(struct nna_ethosu_stream *stream,
			     const uint64_t tails[NNA_ETHOSU_REGIONS], uint32_t to)
{
	const uint32_t more = WORDS_WAITS + WORDS_REGION * NNA_ETHOSU_REGIONS;
	const uint32_t stop = stream->words[stream->count - 1];
	uint32_t *words, *at;

	if (stream->count > UINT32_MAX / 4 - more)
		return -ENOMEM;
	words = realloc(stream->words, ((size_t)stream->count + more) * sizeof(*words));
	if (!words)
		return -ENOMEM;
	stream->words = words;
	at = words + stream->count - 1;
	at = put_short(at, ETHOSU_OP_KERNEL_WAIT, 0);
	at = put_short(at, ETHOSU_OP_DMA_WAIT, 0);
	for (uint32_t i = 0; i < NNA_ETHOSU_REGIONS; i++) {
		if (!tails[i])
			continue;
		at = put_short(at, ETHOSU_SET_DMA_SOURCE_REGION, i);
		at = put_long(at, ETHOSU_SET_DMA_SOURCE, tails[i]);
		at = put_short(at, ETHOSU_SET_DMA_TARGET_REGION, to);
		at = put_long(at, ETHOSU_SET_DMA_TARGET, slot(tails[to], i));
		at = put_long(at, ETHOSU_SET_DMA_LENGTH, NNA_ETHOSU_MARKER_SIZE);
		at = put_short(at, ETHOSU_OP_DMA_START, 0);
	}
	at = put_short(at, ETHOSU_OP_DMA_WAIT, 0);
	*at++ = stop;
	stream->count = (uint32_t)(at - words);
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
