/* SPDX-License-Identifier: MIT */
/*
 * Streams of an Ethos-U as text, a command on a line:
 *
 *	000138  OFM_BLOCK_DEPTH      8
 *	00013c  CONV                 1:0x0 u8 depth 3 -> 1:0xc000 64x64x8 u8, kernel 3x3 ...
 *
 * in front the byte offset in the stream. An operation shows what it takes from the state: maps as
 * region:address and type, the OFM's with height x width x depth; then the window, the block,
 * weights and scales as region:address+bytes.
 */
#ifndef NNA_ETHOSU_TEXT_H
#define NNA_ETHOSU_TEXT_H

#include "libnnaccel/backend/ethosu/stream.h"

/* Bytes of a line. */
#define NNA_ETHOSU_LINE_SIZE 512u
#define NNA_ETHOSU_CODES 0x100u

/**
 * struct nna_ethosu_text - a walk through a stream
 * @stream: the stream
 * @generation: of the NPU; unknown: names that differ are those of both
 * @at: the next word
 * @shorts: parameters that are set, by opcode - 0x100
 * @params: parameters of settings of two words, by opcode
 * @payloads: their second words
 */
struct nna_ethosu_text {
	const struct nna_ethosu_stream *stream;
	enum nna_ethosu_generation generation;
	uint32_t at;
	uint16_t shorts[NNA_ETHOSU_CODES], params[NNA_ETHOSU_CODES];
	uint32_t payloads[NNA_ETHOSU_CODES];
};

void nna_ethosu_text_begin(struct nna_ethosu_text *text, const struct nna_ethosu_stream *stream,
			   enum nna_ethosu_generation generation);
/* The next line, of NNA_ETHOSU_LINE_SIZE bytes. Return: false at the end. */
bool nna_ethosu_text_next(struct nna_ethosu_text *text, char *line);

#endif
