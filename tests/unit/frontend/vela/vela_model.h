/* SPDX-License-Identifier: MIT */
/* Files as Vela writes them, made of the streams of tests/ethosu/streams. */
#ifndef VELA_MODEL_H
#define VELA_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/config.h"
#include "frontend/tflite/tflite.h"
#include "tests/must.h"
#include "tests/unit/frontend/tflite/writer.h"

#define VELA_BYTES 16384u
#define VELA_VALUES 4u
#define VELA_FIRST 4u /* tensor of the first value */

/**
 * struct vela_value - an input or output of a stream
 * @bytes: @size of them, which it begins with or is expected to have
 * @offset: in region 1
 */
struct vela_value {
	uint8_t bytes[VELA_BYTES];
	uint32_t size, offset;
};

/**
 * struct vela_file - a stream
 * @config: that it is for
 * @words: @word_bytes of them
 * @constants: @constant_bytes of region 0
 * @scratch: bytes of region 1
 * @inputs, @outputs: values
 */
struct vela_file {
	const struct ethosu_config *config;
	uint8_t words[VELA_BYTES], constants[VELA_BYTES];
	uint32_t word_bytes, constant_bytes, scratch;
	struct vela_value inputs[VELA_VALUES], outputs[VELA_VALUES];
	uint32_t input_count, output_count;
};

/* Where the bytes of a line's keyword go; their count is at *@size. */
static inline uint8_t *vela_file_take(struct vela_file *f, const char *line, uint32_t **size)
{
	unsigned int region, value;
	struct vela_value *to;
	char name[64];

	if (sscanf(line, "config %63s", name) == 1) {
		f->config = ethosu_config_find(name);
	} else if (sscanf(line, "region 1 %u", &value) == 1) {
		f->scratch = value;
	} else if (!strcmp(line, "stream\n")) {
		*size = &f->word_bytes;
		return f->words;
	} else if (sscanf(line, "put %u %u", &region, &value) == 2 && !region) {
		*size = &f->constant_bytes;
		return f->constants;
	} else if (sscanf(line, "put 1 %u", &value) == 1 ||
		   sscanf(line, "expect 1 %u", &value) == 1) {
		must(f->input_count < VELA_VALUES && f->output_count < VELA_VALUES);
		to = *line == 'p' ? &f->inputs[f->input_count++] : &f->outputs[f->output_count++];
		to->offset = value;
		*size = &to->size;
		return to->bytes;
	}
	return NULL;
}

static inline void vela_file_read(struct vela_file *f, const char *path)
{
	char line[512];
	uint8_t *to = NULL;
	uint32_t *size = NULL;
	unsigned int byte;
	FILE *from = fopen(path, "r");

	must(from);
	memset(f, 0, sizeof(*f));
	while (fgets(line, sizeof(line), from)) {
		if (*line != '\t')
			to = vela_file_take(f, line, &size);
		for (const char *at = line + 1; *line == '\t' && sscanf(at, "%2x", &byte) == 1;
		     at += 2) {
			must(to && *size < VELA_BYTES);
			to[(*size)++] = (uint8_t)byte;
		}
	}
	fclose(from);
	must(f->config && f->word_bytes && f->scratch && f->output_count);
}

/**
 * struct vela_model - a file to be written
 * @payload: @payload_bytes of the operator's first input
 * @specs: its tensors, then the metadata
 * @tensors: without the metadata
 * @offsets: the metadata
 */
struct vela_model {
	uint8_t payload[VELA_BYTES + 64];
	uint32_t payload_bytes;
	struct tensor_spec specs[VELA_FIRST + 2 * VELA_VALUES + 3];
	uint32_t tensors;
	int32_t offsets[3 + VELA_FIRST + 2 * VELA_VALUES + 2];
};

static inline void vela_put(struct vela_model *m, uint32_t word)
{
	memcpy(m->payload + m->payload_bytes, &word, 4);
	m->payload_bytes += 4;
}

static inline void vela_add(struct vela_model *m, const void *data, uint32_t size, int32_t offset)
{
	m->specs[m->tensors] = (struct tensor_spec){
		.type = TFLITE_UINT8, .rank = 1, .dims = { (int32_t)size },
		.data = size ? data : NULL, .size = size, .scale = 1,
	};
	m->offsets[3 + m->tensors++] = offset;
}

/* The tensors of a file; what a test changes, it changes then. */
static inline void vela_model_make(struct vela_model *m, const struct vela_file *f)
{
	memset(m, 0, sizeof(*m));
	vela_put(m, 'C' | 'O' << 8 | 'P' << 16 | (uint32_t)'1' << 24);
	vela_put(m, 1 | 0x10 << 16);
	vela_put(m, f->config->config);
	vela_put(m, f->config->id);
	vela_put(m, 2 | f->word_bytes / 4 << 16);
	memcpy(m->payload + m->payload_bytes, f->words, f->word_bytes);
	m->payload_bytes += f->word_bytes;
	vela_add(m, m->payload, m->payload_bytes, -1);
	vela_add(m, f->constants, f->constant_bytes, -1);
	vela_add(m, NULL, f->scratch, 0);
	vela_add(m, NULL, 0, 0);
	m->specs[1].data = f->constant_bytes ? f->constants : NULL;
	m->specs[2].data = NULL;
	m->specs[2].dims[0] = (int32_t)f->scratch;
	for (uint32_t i = 0; i < f->input_count; i++)
		vela_add(m, NULL, f->inputs[i].size, (int32_t)f->inputs[i].offset);
	for (uint32_t i = 0; i < f->output_count; i++)
		vela_add(m, NULL, f->outputs[i].size, (int32_t)f->outputs[i].offset);
}

/* An operator: @code is a row of the table of codes, 0 the NPU's. */
static inline void vela_write_operator(struct writer *w, size_t list, uint32_t code, uint32_t ins,
				       const int32_t *in, uint32_t outs, const int32_t *out)
{
	size_t op = table(w, 9);

	refer(w, list, op);
	scalar(w, op, 0, code, 4);
	vector(w, op, 1, ins, 4, in);
	vector(w, op, 2, outs, 4, out);
}

/*
 * Write the file. @around: operators MAXIMUM(x, x) in front of the NPU's operator, for its first
 * input, and behind it, for its first output, which add two tensors. @metadata: with offsets.
 */
static inline void vela_model_write(struct writer *w, struct vela_model *m,
				    const struct vela_file *f, bool around, bool metadata)
{
	const uint32_t extra = around ? 2 : 0, tensors = m->tensors + extra;
	const int32_t first = VELA_FIRST, last = (int32_t)(VELA_FIRST + f->input_count);
	const int32_t before = (int32_t)m->tensors, behind = before + 1;
	int32_t in[VELA_FIRST + VELA_VALUES], out[VELA_VALUES];
	size_t root, list, at, sub;
	uint32_t inputs = VELA_FIRST + f->input_count;

	if (around) {
		m->specs[before] = m->specs[first];
		m->specs[behind] = m->specs[last];
		m->offsets[3 + before] = -1;
		m->offsets[3 + behind] = -1;
	}
	m->offsets[1] = 1;
	m->offsets[2] = (int32_t)tensors;
	m->specs[tensors] = (struct tensor_spec){ .data = m->offsets, .size = 4 * (3 + tensors) };
	for (uint32_t i = 0; i < inputs; i++)
		in[i] = (int32_t)i;
	for (uint32_t i = 0; i < f->output_count; i++)
		out[i] = last + (int32_t)i;
	root = model_begin(w);
	list = vector(w, root, 1, 2, 4, NULL);
	at = table(w, 4);
	refer(w, list, at);
	scalar(w, at, 3, TFLITE_CUSTOM, 4);
	text(w, at, 1, "ethos-u");
	at = table(w, 4);
	refer(w, list + 4, at);
	scalar(w, at, 3, TFLITE_MAXIMUM, 4);
	scalar(w, at, 2, 1, 4);
	list = vector(w, root, 2, 1, 4, NULL);
	sub = table(w, 5);
	refer(w, list, sub);
	write_tensors(w, sub, m->specs, tensors);
	if (around)
		in[first] = before;
	vector(w, sub, 1, f->input_count, 4, in + first);
	if (around) {
		in[first] = first;
		out[0] = behind;
	}
	vector(w, sub, 2, f->output_count, 4, out);
	out[0] = last;
	list = vector(w, sub, 3, around ? 3 : 1, 4, NULL);
	if (around)
		vela_write_operator(w, list, 1, 2, (const int32_t[]){ before, before }, 1, &first);
	vela_write_operator(w, list + (around ? 4 : 0), 0, inputs, in, f->output_count, out);
	if (around)
		vela_write_operator(w, list + 8, 1, 2, (const int32_t[]){ last, last }, 1, &behind);
	if (metadata) {
		list = vector(w, root, 6, 1, 4, NULL);
		at = table(w, 2);
		refer(w, list, at);
		text(w, at, 0, "OfflineMemoryAllocation");
		scalar(w, at, 1, tensors + 1, 4);
	}
	write_buffers(w, root, m->specs, tensors + 1);
}

#endif
