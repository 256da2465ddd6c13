/* SPDX-License-Identifier: MIT */
/*
 * Command streams for an Ethos-U that others have compiled.
 *
 *	payload		what Vela writes: "COP1", then words; the low byte of a word is an action:
 *			1 two words follow, CONFIG and ID of the NPU that it is for; 2 the stream
 *			follows, its length in bits 31:16 (low) and 15:8 (high); others do nothing
 *			for us, and have one word
 *	stream		words of commands, owned, in the host's byte order; each is a command
 *			(hw/ethosu/opcode.h); STOP is the last one and stands nowhere else
 *	command		one or two words of a stream
 *
 * Payloads come from files and are not trusted: after nna_ethosu_payload_read() a stream has the
 * form above. The registers of CONFIG and ID name the NPU, in a payload and in a device alike.
 */
#ifndef NNA_ETHOSU_STREAM_H
#define NNA_ETHOSU_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an error line, and of an NPU's name. */
#define NNA_ETHOSU_ERROR_SIZE 192u
#define NNA_ETHOSU_NAME_SIZE 32u

#define NNA_ETHOSU_REGIONS 8u

enum nna_ethosu_generation {
	NNA_ETHOSU_U65,
	NNA_ETHOSU_U85,
	NNA_ETHOSU_UNKNOWN,
};

/**
 * struct nna_ethosu_stream - a stream
 * @words: @count of them, owned
 * @count: at least 1
 * @targeted: the payload names the NPU that it is for
 * @config: its register CONFIG, with @targeted
 * @id: its register ID, with @targeted
 */
struct nna_ethosu_stream {
	uint32_t *words;
	uint32_t count;
	bool targeted;
	uint32_t config, id;
};

/**
 * struct nna_ethosu_command - a command
 * @opcode: 0 to 0x3ff
 * @parameter: bits 31:16 of the first word
 * @payload: the second word, 0 if there is none
 * @words: 1 or 2
 * @sets: it sets state; else it is an operation
 */
struct nna_ethosu_command {
	uint16_t opcode, parameter;
	uint32_t payload;
	uint8_t words;
	bool sets;
};

/**
 * nna_ethosu_payload_read() - the stream of a payload of Vela's
 * @data: @size bytes of any alignment
 * @out: freed by nna_ethosu_stream_free(); left alone on error
 * @error: NNA_ETHOSU_ERROR_SIZE bytes for a line that says what is wrong
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int nna_ethosu_payload_read(const void *data, size_t size, struct nna_ethosu_stream *out,
			    char *error);

/* The same of bare words, as Mesa's emitter writes them. */
int nna_ethosu_words_read(const void *data, size_t size, struct nna_ethosu_stream *out,
			  char *error);
void nna_ethosu_stream_free(struct nna_ethosu_stream *stream);

/* Whether the bytes begin as a payload does. */
bool nna_ethosu_is_payload(const void *data, size_t size);

/*
 * The command that begins at @words, of @count, at least 1. Return: whether it is one whose words
 * are all there.
 */
bool nna_ethosu_command_read(const uint32_t *words, uint64_t count,
			     struct nna_ethosu_command *command);

/* The generation that a register CONFIG tells. */
enum nna_ethosu_generation nna_ethosu_generation(uint32_t config);

/* "ethos-u65-256", from a register CONFIG. Return: @to, of NNA_ETHOSU_NAME_SIZE bytes. */
const char *nna_ethosu_name(uint32_t config, char *to);

/*
 * Whether a stream for an NPU runs on another one: product, multipliers, version of the stream and
 * of the architecture are the same. Sizes of memories are not compared: they follow.
 */
bool nna_ethosu_fits(const struct nna_ethosu_stream *stream, uint32_t config, uint32_t id);

#endif
