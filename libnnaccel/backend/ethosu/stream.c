// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/stream.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/ethosu/opcode.h"

/* Actions of a payload, in the low byte of a word. */
#define ACTION_NPU 1u
#define ACTION_STREAM 2u
#define ACTION_NOTHING 5u

/* Fields of CONFIG and ID that a stream depends on. */
#define CONFIG_MACS 0x0000000fu
#define CONFIG_STREAM_VERSION 0x000000f0u
#define CONFIG_PRODUCT_SHIFT 28
#define ID_ARCH_MAJOR_SHIFT 28

static const char MAGIC[4] = { 'C', 'O', 'P', '1' };

static __attribute__((format(printf, 2, 3))) int refuse(char *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, NNA_ETHOSU_ERROR_SIZE, format, args);
	va_end(args);
	return -EINVAL;
}

static uint32_t word_at(const uint8_t *data, size_t index)
{
	uint32_t word;

	memcpy(&word, data + index * 4, sizeof(word));
	return le32toh(word);
}

bool nna_ethosu_is_payload(const void *data, size_t size)
{
	return size >= sizeof(MAGIC) && !memcmp(data, MAGIC, sizeof(MAGIC));
}

bool nna_ethosu_command_read(const uint32_t *words, uint64_t count,
			     struct nna_ethosu_command *command)
{
	const uint32_t form = (words[0] & 0xffff) >> ETHOSU_WORD_FORM_SHIFT;

	*command = (struct nna_ethosu_command){
		.opcode = words[0] & ETHOSU_WORD_OPCODE,
		.parameter = (uint16_t)(words[0] >> 16),
		.words = 1,
	};
	if (form > 1 || form >= count)
		return false;
	command->sets = (command->opcode >= 0x100) == (form == 0);
	if (form) {
		command->words = 2;
		command->payload = words[1];
	}
	return true;
}

/* Each word is part of a command, and the last one alone is STOP. */
static int check(const struct nna_ethosu_stream *stream, char *error)
{
	struct nna_ethosu_command command;

	for (uint32_t at = 0; at < stream->count; at += command.words) {
		const uint32_t *words = stream->words + at;

		if (!nna_ethosu_command_read(words, stream->count - at, &command))
			return refuse(error, "word %u of the command stream, 0x%08x, is no command",
				      at, *words);
		if (command.sets || command.opcode != ETHOSU_OP_STOP || command.words > 1)
			continue;
		if (at + 1 == stream->count)
			return 0;
		return refuse(error, "the command stream goes on for %u words after its STOP",
			      stream->count - at - 1);
	}
	return refuse(error, "the command stream of %u words has no STOP at its end: it is cut off",
		      stream->count);
}

/* Take @count words from @data on, and check them. */
static int take(const uint8_t *data, size_t count, struct nna_ethosu_stream *stream, char *error)
{
	int ret;

	if (!count)
		return refuse(error, "the command stream is empty");
	if (count > UINT32_MAX / 4)
		return refuse(error, "the command stream has %zu words, at most %u are possible",
			      count, UINT32_MAX / 4);
	stream->words = malloc(count * sizeof(*stream->words));
	if (!stream->words) {
		refuse(error, "out of memory");
		return -ENOMEM;
	}
	stream->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		stream->words[i] = word_at(data, i);
	ret = check(stream, error);
	if (ret)
		nna_ethosu_stream_free(stream);
	return ret;
}

int nna_ethosu_payload_read(const void *data, size_t size, struct nna_ethosu_stream *out,
			    char *error)
{
	const uint8_t *bytes = data;
	const size_t count = size / 4;
	struct nna_ethosu_stream stream = { 0 };
	size_t at = 1;

	if (size >= 4 && !memcmp(data, "COP2", 4))
		return refuse(error, "the payload has the format COP2: compile with "
				     "--cop-format COP1");
	if (!nna_ethosu_is_payload(data, size))
		return refuse(error, "the payload does not begin with COP1");
	while (at < count) {
		const uint32_t word = word_at(bytes, at), action = word & 0xff;

		if (action == ACTION_NPU) {
			if (count - at < 3)
				break;
			stream.config = word_at(bytes, at + 1);
			stream.id = word_at(bytes, at + 2);
			stream.targeted = true;
			at += 3;
		} else if (action == ACTION_STREAM) {
			const size_t length = (word >> 16) | (word >> 8 & 0xff) << 16;
			int ret;

			if (length > count - at - 1)
				return refuse(error, "the payload is cut off: it has %zu of the "
						     "%zu words of its command stream",
					      count - at - 1, length);
			ret = take(bytes + (at + 1) * 4, length, &stream, error);
			if (!ret)
				*out = stream;
			return ret;
		} else if (action > ACTION_NOTHING) {
			return refuse(error, "word %zu of the payload has action %u, which is not "
					     "known", at, action);
		} else {
			at++;
		}
	}
	return refuse(error, "the payload of %zu bytes has no command stream: it is cut off", size);
}

int nna_ethosu_words_read(const void *data, size_t size, struct nna_ethosu_stream *out,
			  char *error)
{
	struct nna_ethosu_stream stream = { 0 };
	int ret;

	if (size % 4)
		return refuse(error, "%zu bytes are no words of a command stream", size);
	ret = take(data, size / 4, &stream, error);
	if (!ret)
		*out = stream;
	return ret;
}

void nna_ethosu_stream_free(struct nna_ethosu_stream *stream)
{
	free(stream->words);
	*stream = (struct nna_ethosu_stream){ 0 };
}

enum nna_ethosu_generation nna_ethosu_generation(uint32_t config)
{
	switch (config >> CONFIG_PRODUCT_SHIFT) {
	case 1:
		return NNA_ETHOSU_U65;
	case 2:
		return NNA_ETHOSU_U85;
	default:
		return NNA_ETHOSU_UNKNOWN;
	}
}

const char *nna_ethosu_name(uint32_t config, char *to)
{
	static const char *const products[] = { "ethos-u55", "ethos-u65", "ethos-u85" };
	const uint32_t product = config >> CONFIG_PRODUCT_SHIFT;

	if (product < sizeof(products) / sizeof(products[0]))
		snprintf(to, NNA_ETHOSU_NAME_SIZE, "%s-%u", products[product],
			 1u << (config & CONFIG_MACS));
	else
		snprintf(to, NNA_ETHOSU_NAME_SIZE, "NPU 0x%08x", config);
	return to;
}

bool nna_ethosu_fits(const struct nna_ethosu_stream *stream, uint32_t config, uint32_t id)
{
	const uint32_t compared = CONFIG_MACS | CONFIG_STREAM_VERSION |
				  0xfu << CONFIG_PRODUCT_SHIFT;

	return !stream->targeted || (!((stream->config ^ config) & compared) &&
				     !((stream->id ^ id) >> ID_ARCH_MAJOR_SHIFT));
}
