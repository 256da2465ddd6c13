/* SPDX-License-Identifier: MIT */
/* What reads Vela's part of a model, on any bytes. */
#ifndef FUZZ_VELA_H
#define FUZZ_VELA_H

#include <stdlib.h>
#include <string.h>

#include "frontend/vela/arena.h"
#include "frontend/vela/offsets.h"
#include "libnnaccel/backend/ethosu/marker.h"
#include "libnnaccel/backend/ethosu/text.h"

/* A stream that has been read is printed, each line within its room, and takes the marker. */
static inline void fuzz_ethosu_stream(struct nna_ethosu_stream *stream)
{
	static const uint64_t tails[NNA_ETHOSU_REGIONS] = { 16, 32, 48 };
	const uint32_t before = stream->count;
	char line[NNA_ETHOSU_LINE_SIZE];
	struct nna_ethosu_text text;

	nna_ethosu_text_begin(&text, stream, nna_ethosu_generation(stream->config));
	while (nna_ethosu_text_next(&text, line))
		if (strlen(line) >= sizeof(line))
			abort();
	if (!nna_ethosu_marker_append(stream, tails, 1) && stream->count <= before)
		abort();
	nna_ethosu_stream_free(stream);
}

/* Bytes as nnactl dump takes them: a payload, or bare words. */
static inline void fuzz_ethosu_bytes(const uint8_t *data, size_t size)
{
	char error[NNA_ETHOSU_ERROR_SIZE] = "";
	struct nna_ethosu_stream stream;

	if (!nna_ethosu_payload_read(data, size, &stream, error))
		fuzz_ethosu_stream(&stream);
	else if (!error[0])
		abort();
	error[0] = 0;
	if (!nna_ethosu_words_read(data, size, &stream, error))
		fuzz_ethosu_stream(&stream);
	else if (!error[0])
		abort();
}

/* A model's operators, and where their values are. A refusal without a reason is a defect. */
static inline void fuzz_vela_model(const struct tflite_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	char error[TFLITE_ERROR_SIZE] = "";
	uint64_t scratch, fast;
	int64_t *offsets;

	if (!vela_is_model(model))
		return;
	for (uint32_t i = 0; i < sub->operator_count; i++) {
		struct vela_operator op;

		if (!vela_is_operator(&sub->operators[i]))
			continue;
		error[0] = 0;
		if (!vela_operator_read(model, i, &op, error))
			fuzz_ethosu_bytes(op.payload, op.payload_size);
		else if (!error[0])
			abort();
	}
	error[0] = 0;
	if (vela_arena_sizes(model, &scratch, &fast, error) && !error[0])
		abort();
	error[0] = 0;
	if (!vela_offsets_of(model, &offsets, error))
		free(offsets);
	else if (!error[0])
		abort();
}

#endif
