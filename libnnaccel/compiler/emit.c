// SPDX-License-Identifier: MIT
/*
 * Emission, the last step: from the tables of a lowering to the image of a struct nna_code.
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
#include "libnnaccel/compiler/ir.h"

#define PAGE 4096u

/* Slots of the base table; inputs and then outputs follow from SLOT_IO on. */
enum { SLOT_CONSTANTS, SLOT_SCRATCH, SLOT_VARIABLES, SLOT_IO };

void nna_code_destroy(struct nna_code *code)
{
	if (!code)
		return;
	free(code->image);
	free(code->inputs);
	free(code->outputs);
	free(code);
}

static uint64_t align_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

uint32_t nna_code_own_slots(uint32_t total, uint32_t max_slots)
{
	if (max_slots > NNAHW_MAX_SLOTS)
		max_slots = NNAHW_MAX_SLOTS;
	if (max_slots <= SLOT_IO)
		return 0;
	return total <= max_slots - SLOT_IO ? total : max_slots - SLOT_IO - 1;
}

/* Gives each input and output a slot of its own, or all that do not fit the staging slot. */
static int assign_slots(struct nna_code *code, uint32_t max_slots)
{
	uint32_t total, own, next = SLOT_IO;
	bool staging;

	if (max_slots > NNAHW_MAX_SLOTS)
		max_slots = NNAHW_MAX_SLOTS;
	if (max_slots <= SLOT_IO)
		return -ENOTSUP;
	if (__builtin_add_overflow(code->input_count, code->output_count, &total))
		return -EINVAL;
	own = nna_code_own_slots(total, max_slots);
	staging = own < total;
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
		io->staged = true;
		io->offset = code->staging_size;
		if (__builtin_add_overflow(code->staging_size, align_up(io->size, 64),
					   &code->staging_size))
			return -EINVAL;
	}
	if (staging)
		code->slots[next++] = (struct nna_slot){ NNA_SLOT_STAGING, 0, code->staging_size };
	code->slot_count = next;
	return 0;
}

/* The descriptor of an operand: its storage has an address by now. */
static void write_operand(const struct nna_lower *l, const struct nna_code *code, uint32_t value,
			  struct nnahw_tensor *t)
{
	const struct nna_value *v;
	const struct nna_storage *s;

	*t = (struct nnahw_tensor){ .type = NNAHW_TYPE_NONE, .slot = NNAHW_SLOT_NONE };
	if (value == NNA_NO_VALUE)
		return;
	v = &l->values[value];
	s = &l->storages[v->storage];
	t->type = v->type;
	t->rank = v->rank;
	t->offset = v->offset;
	t->scale = v->scale;
	t->zero_point = v->zero_point;
	memcpy(t->dims, v->dims, sizeof(t->dims));
	memcpy(t->strides, v->strides, sizeof(t->strides));
	switch (s->kind) {
	case NNA_STORAGE_CONSTANT:
		t->slot = SLOT_CONSTANTS;
		t->offset += s->offset;
		break;
	case NNA_STORAGE_SCRATCH:
		t->slot = SLOT_SCRATCH;
		t->offset += s->offset;
		break;
	case NNA_STORAGE_VARIABLE:
		t->slot = SLOT_VARIABLES;
		t->offset += s->offset;
		break;
	case NNA_STORAGE_INPUT:
		t->slot = code->inputs[s->index].slot;
		t->offset += code->inputs[s->index].offset;
		break;
	case NNA_STORAGE_OUTPUT:
		t->slot = code->outputs[s->index].slot;
		t->offset += code->outputs[s->index].offset;
		break;
	}
}

/* Writes header, live commands and END; @places: byte offset of each command. */
static int write_stream(const struct nna_lower *l, struct nna_code *code, const uint32_t *places)
{
	struct nnahw_stream_header header = {
		.magic = NNAHW_STREAM_MAGIC,
		.version = NNAHW_STREAM_ABI,
		.layout = NNAHW_LAYOUT_ABI,
		.size = code->stream_size,
		.command_count = code->command_count,
	};
	struct nnahw_cmd_end end = { .head = { .opcode = NNAHW_OP_END, .size = sizeof(end) } };

	memcpy(code->image, &header, sizeof(header));
	for (uint32_t i = 0; i < l->command_count; i++) {
		const struct nna_ir_command *c = &l->commands[i];
		uint8_t *at = code->image + places[i];

		if (c->dead)
			continue;
		memcpy(at, c->raw, c->raw->size);
		for (uint32_t k = 0; k < c->operand_count; k++) {
			struct nnahw_tensor t;

			write_operand(l, code, c->values[k], &t);
			memcpy(at + sizeof(struct nnahw_command) + k * sizeof(t), &t, sizeof(t));
		}
		if (c->label != NNA_NONE) {
			uint32_t index = l->labels[c->label];
			uint32_t target, loop;

			if (index == NNA_NONE)
				return -EINVAL;
			target = places[index];
			loop = target <= places[i];
			if (c->raw->opcode == NNAHW_OP_JUMP) {
				memcpy(at + offsetof(struct nnahw_cmd_jump, target), &target,
				       sizeof(target));
				memcpy(at + offsetof(struct nnahw_cmd_jump, loop), &loop,
				       sizeof(loop));
			} else {
				memcpy(at + offsetof(struct nnahw_cmd_branch, target), &target,
				       sizeof(target));
			}
		}
	}
	memcpy(code->image + places[l->command_count], &end, sizeof(end));
	return 0;
}

/* The byte offset of each command in the stream; a dead command has that of its successor. */
static int place_commands(const struct nna_lower *l, uint32_t *places, struct nna_code *code)
{
	uint64_t at = sizeof(struct nnahw_stream_header);

	for (uint32_t i = 0; i < l->command_count; i++) {
		places[i] = at;
		if (l->commands[i].dead)
			continue;
		at += l->commands[i].raw->size;
		code->command_count++;
		if (at > NNAHW_MAX_STREAM_SIZE - sizeof(struct nnahw_cmd_end))
			return -ENOTSUP;
	}
	places[l->command_count] = at;
	code->command_count++;
	code->stream_size = at + sizeof(struct nnahw_cmd_end);
	return 0;
}

int nna_emit_code(struct nna_lower *l, uint32_t input_count, uint32_t output_count,
		  uint32_t max_slots, struct nna_code **out)
{
	struct nna_code *code = calloc(1, sizeof(*code));
	uint32_t *places = malloc(sizeof(*places) * ((size_t)l->command_count + 1));
	struct nna_areas areas;
	int ret = -ENOMEM;

	if (!code || !places)
		goto fail;
	code->input_count = input_count;
	code->output_count = output_count;
	code->inputs = calloc(input_count + 1, sizeof(*code->inputs));
	code->outputs = calloc(output_count + 1, sizeof(*code->outputs));
	if (!code->inputs || !code->outputs)
		goto fail;
	ret = nna_pass_plan(l, &areas);
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
	ret = assign_slots(code, max_slots);
	if (ret)
		goto fail;
	ret = place_commands(l, places, code);
	if (ret)
		goto fail;
	code->constants = align_up(code->stream_size, PAGE);
	code->image_size = align_up(code->constants + code->constants_size, PAGE);
	code->image = calloc(1, code->image_size);
	if (!code->image) {
		ret = -ENOMEM;
		goto fail;
	}
	for (uint32_t s = 0; s < l->storage_count; s++) {
		const struct nna_storage *storage = &l->storages[s];

		if (storage->kind == NNA_STORAGE_CONSTANT && storage->used && storage->size)
			memcpy(code->image + code->constants + storage->offset, storage->data,
			       storage->size);
	}
	ret = write_stream(l, code, places);
	if (ret)
		goto fail;
	free(places);
	if (l->debug & NNA_DEBUG_EMIT)
		nna_debug_print(l,
				"emit: %u commands, %u bytes of stream, %" PRIu64
				" of constants, %" PRIu64 " of scratch",
				code->command_count, code->stream_size, code->constants_size,
				code->scratch_size);
	*out = code;
	return 0;
fail:
	free(places);
	nna_code_destroy(code);
	return ret;
}

int nna_code_print(const struct nna_code *code, FILE *to)
{
	static const char *const kinds[] = {
		[NNA_SLOT_CONSTANTS] = "constants",
		[NNA_SLOT_SCRATCH] = "scratch",
		[NNA_SLOT_VARIABLES] = "variables",
		[NNA_SLOT_STAGING] = "staging",
		[NNA_SLOT_INPUT] = "input",
		[NNA_SLOT_OUTPUT] = "output",
	};
	char names[64][24];
	const char *pointers[64];

	fprintf(to,
		"memory: constants %" PRIu64 ", scratch %" PRIu64 ", variables %" PRIu64
		", staging %" PRIu64 " bytes\n",
		code->constants_size, code->scratch_size, code->variables_size, code->staging_size);
	for (uint32_t i = 0; i < code->slot_count; i++) {
		const struct nna_slot *s = &code->slots[i];

		if (s->kind == NNA_SLOT_INPUT || s->kind == NNA_SLOT_OUTPUT)
			snprintf(names[i], sizeof(names[i]), "%s%u", kinds[s->kind], s->index);
		else
			snprintf(names[i], sizeof(names[i]), "%s", kinds[s->kind]);
		pointers[i] = names[i];
		fprintf(to, "slot %u: %s, %" PRIu64 " bytes\n", i, names[i], s->size);
	}
	return nna_commands_print(to, code->image, code->stream_size, pointers, code->slot_count);
}
