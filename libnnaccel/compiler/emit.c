// SPDX-License-Identifier: MIT
/*
 * Emission, the last step: from the tables of a lowering to a struct nna_code.
 *
 * It plans memory (plan.c), gives inputs and outputs their slots in the base table, places the
 * commands in the stream, and writes each with its descriptors (slot and offset) and the targets of
 * jumps. The image is the stream, then on the next page the constants that a command reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/passes.h"

#define PAGE 4096u

/* Slots of the base table. Slots of inputs, then outputs, begin at SLOT_IO. */
enum { SLOT_CONSTANTS, SLOT_SCRATCH, SLOT_VARIABLES, SLOT_IO };

void nna_code_drop_constants(struct nna_code *code)
{
	for (uint32_t i = 0; i < code->piece_count; i++)
		free(code->pieces[i].owned);
	free(code->pieces);
	code->pieces = NULL;
	code->piece_count = 0;
	nna_account_discharge(code->account, code->charged);
	code->charged = 0;
}

void nna_code_destroy(struct nna_code *code)
{
	if (!code)
		return;
	nna_code_drop_constants(code);
	free(code->stream);
	free(code->inputs);
	free(code->outputs);
	free(code);
}

static uint64_t align_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

void nna_code_place_constants(struct nna_code *code)
{
	code->constants = align_up(code->stream_size, PAGE);
	code->image_size = align_up(code->constants + code->constants_size, PAGE);
}

void nna_code_write(const struct nna_code *code, void *to)
{
	memcpy(to, code->stream, code->stream_size);
	for (uint32_t i = 0; i < code->piece_count; i++) {
		const struct nna_code_constant *piece = &code->pieces[i];
		uint8_t *at = (uint8_t *)to + code->constants + piece->offset;

		if (!piece->size)
			continue;
		if (piece->fill)
			piece->fill(piece->owned, at);
		else
			memcpy(at, piece->data, piece->size);
	}
}

uint32_t nna_code_own_slots(uint32_t total, uint32_t max_slots)
{
	if (max_slots > NNA_BACKEND_MAX_SLOTS)
		max_slots = NNA_BACKEND_MAX_SLOTS;
	if (max_slots <= SLOT_IO)
		return 0;
	return total <= max_slots - SLOT_IO ? total : max_slots - SLOT_IO - 1;
}

int nna_code_assign_slots(struct nna_code *code, uint32_t max_slots)
{
	uint32_t total, own, next = SLOT_IO;
	bool sharing;

	if (max_slots > NNA_BACKEND_MAX_SLOTS)
		max_slots = NNA_BACKEND_MAX_SLOTS;
	if (max_slots <= SLOT_IO)
		return -ENOTSUP;
	if (__builtin_add_overflow(code->input_count, code->output_count, &total))
		return -EINVAL;
	own = nna_code_own_slots(total, max_slots);
	sharing = own < total;
	code->slots[SLOT_CONSTANTS] = (struct nna_slot){ NNA_SLOT_CONSTANTS, 0,
							 code->constants_size };
	code->slots[SLOT_SCRATCH] = (struct nna_slot){ NNA_SLOT_SCRATCH, 0, code->scratch_size };
	code->slots[SLOT_VARIABLES] = (struct nna_slot){ NNA_SLOT_VARIABLES, 0,
							 code->variables_size };
	for (uint32_t i = 0; i < total; i++) {
		bool input = i < code->input_count;
		uint32_t index = input ? i : i - code->input_count;
		struct nna_code_io *io = input ? &code->inputs[index] : &code->outputs[index];

		if (i < own) {
			io->slot = next;
			code->slots[next++] = (struct nna_slot){
				input ? NNA_SLOT_INPUT : NNA_SLOT_OUTPUT, index, io->size };
			continue;
		}
		io->slot = max_slots - 1;
		io->shared = true;
		io->offset = code->shared_size;
		if (__builtin_add_overflow(code->shared_size, align_up(io->size, 64),
					   &code->shared_size))
			return -EINVAL;
	}
	if (sharing)
		code->slots[next++] = (struct nna_slot){ NNA_SLOT_SHARED, 0, code->shared_size };
	code->slot_count = next;
	return 0;
}

/* Sets the slots and offsets of storages. */
static void place_storages(struct nna_lower *l, const struct nna_code *code)
{
	for (uint32_t i = 0; i < l->storage_count; i++) {
		struct nna_storage *s = &l->storages[i];

		switch (s->kind) {
		case NNA_STORAGE_CONSTANT:
			s->slot = SLOT_CONSTANTS;
			break;
		case NNA_STORAGE_SCRATCH:
			s->slot = SLOT_SCRATCH;
			break;
		case NNA_STORAGE_VARIABLE:
			s->slot = SLOT_VARIABLES;
			break;
		case NNA_STORAGE_INPUT:
			s->slot = code->inputs[s->index].slot;
			s->offset = code->inputs[s->index].offset;
			break;
		case NNA_STORAGE_OUTPUT:
			s->slot = code->outputs[s->index].slot;
			s->offset = code->outputs[s->index].offset;
			break;
		}
	}
}

/*
 * Lists the constants that commands read, and the data that other constants own if those are
 * written from it, as packed weights are written from folded ones.
 */
static int take_constants(struct nna_lower *l, struct nna_code *code)
{
	code->pieces = calloc((size_t)l->storage_count + 1, sizeof(*code->pieces));
	if (!code->pieces)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->storage_count; i++) {
		struct nna_storage *s = &l->storages[i];

		if (s->kind != NNA_STORAGE_CONSTANT || !s->size || (!s->used && !s->owned))
			continue;
		code->pieces[code->piece_count++] = (struct nna_code_constant){
			.offset = s->used ? s->offset : 0,
			.size = s->used ? s->size : 0,
			.data = s->data,
			.fill = s->fill,
			.owned = s->owned,
		};
		s->owned = NULL;
	}
	code->account = l->account;
	code->charged = l->charged;
	l->charged = 0;
	return 0;
}

int nna_emit_code(struct nna_lower *l, const struct nna_backend *backend, uint32_t input_count,
		  uint32_t output_count, uint32_t max_slots, struct nna_code **out)
{
	struct nna_code *code = calloc(1, sizeof(*code));
	struct nna_stream stream = { 0 };
	struct nna_areas areas;
	int ret = -ENOMEM;

	if (!code)
		goto fail;
	code->backend = backend;
	code->input_count = input_count;
	code->output_count = output_count;
	code->inputs = calloc(input_count + 1, sizeof(*code->inputs));
	code->outputs = calloc(output_count + 1, sizeof(*code->outputs));
	if (!code->inputs || !code->outputs)
		goto fail;
	ret = nna_pass_plan(l, backend, &areas);
	if (ret)
		goto fail;
	code->constants_size = areas.constants;
	code->scratch_size = areas.scratch;
	code->variables_size = areas.variables;
	code->synchronous = l->synchronous;
	for (uint32_t s = 0; s < l->storage_count; s++) {
		const struct nna_storage *storage = &l->storages[s];
		struct nna_code_io *io;

		if (storage->kind != NNA_STORAGE_INPUT && storage->kind != NNA_STORAGE_OUTPUT)
			continue;
		io = storage->kind == NNA_STORAGE_INPUT ? code->inputs : code->outputs;
		if (storage->index >=
		    (storage->kind == NNA_STORAGE_INPUT ? input_count : output_count)) {
			ret = -EINVAL;
			goto fail;
		}
		io[storage->index].used |= storage->used;
		io[storage->index].size = storage->size;
		if (storage->count != NNA_NO_VALUE) {
			const struct nna_value *count = &l->values[storage->count];

			io[storage->index].counted = true;
			io[storage->index].count = l->storages[count->storage].offset +
						   count->offset;
			code->synchronous = true;
		}
	}
	ret = nna_code_assign_slots(code, max_slots);
	if (ret)
		goto fail;
	place_storages(l, code);
	ret = backend->emit(l, &stream);
	if (ret)
		goto fail;
	code->stream = stream.bytes;
	code->stream_size = stream.size;
	code->command_count = stream.commands;
	stream.bytes = NULL;
	nna_code_place_constants(code);
	ret = take_constants(l, code);
	if (ret)
		goto fail;
	if (l->debug & NNA_DEBUG_EMIT)
		nna_debug_print(l,
				"emit: %u commands, %u bytes of stream, %" PRIu64
				" of constants, %" PRIu64 " of scratch",
				code->command_count, code->stream_size, code->constants_size,
				code->scratch_size);
	*out = code;
	return 0;
fail:
	free(stream.bytes);
	nna_code_destroy(code);
	return ret;
}

int nna_code_print(const struct nna_code *code, FILE *to)
{
	static const char *const kinds[] = { "constants", "scratch", "variables",
					     "shared",	  "input",   "output" };
	char names[NNA_BACKEND_MAX_SLOTS][24];
	const char *pointers[NNA_BACKEND_MAX_SLOTS];

	fprintf(to,
		"memory: constants %" PRIu64 ", scratch %" PRIu64 ", variables %" PRIu64
		", shared slot %" PRIu64 " bytes\n",
		code->constants_size, code->scratch_size, code->variables_size, code->shared_size);
	for (uint32_t i = 0; i < code->slot_count; i++) {
		const struct nna_slot *s = &code->slots[i];

		if (s->kind == NNA_SLOT_INPUT || s->kind == NNA_SLOT_OUTPUT)
			snprintf(names[i], sizeof(names[i]), "%s%u", kinds[s->kind], s->index);
		else
			snprintf(names[i], sizeof(names[i]), "%s", kinds[s->kind]);
		pointers[i] = names[i];
		fprintf(to, "slot %u: %s, %" PRIu64 " bytes\n", i, names[i], s->size);
	}
	return code->backend->print(to, code->stream, code->stream_size, pointers,
				    code->slot_count);
}
