// SPDX-License-Identifier: MIT
/* Tensors between the parts of a run, and the frames that hold them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/parts.h"
#include "libnnaccel/runtime/program.h"

const struct nna_log *nna_parts_log(const struct nna_parts *run)
{
	return &run->program->device->log;
}

struct nna_parts_tensor *nna_parts_tensor_ref(struct nna_parts_tensor *t)
{
	t->references++;
	return t;
}

void nna_parts_tensor_put(struct nna_parts *run, struct nna_parts_tensor *t)
{
	if (!t || --t->references)
		return;
	if (t->owned && run->spare_count < NNA_PARTS_MAX_SPARE)
		run->spare[run->spare_count++] = t->buffer;
	else if (t->owned)
		nna_buffer_destroy(t->buffer);
	free(t);
}

/* Takes a spare buffer of at least @size and at most 4 * @size bytes, or creates one. */
static int get_buffer(struct nna_parts *run, size_t size, struct nna_buffer **out)
{
	if (!size)
		size = 1;
	for (uint32_t i = 0; i < run->spare_count; i++) {
		struct nna_buffer *b = run->spare[i];

		if (b->size < size || b->size / 4 > size)
			continue;
		run->spare[i] = run->spare[--run->spare_count];
		*out = b;
		return 0;
	}
	return nna_buffer_create(run->program->device, size, out);
}

struct nna_parts_tensor *nna_parts_tensor_create(struct nna_parts *run, const size_t *size)
{
	struct nna_parts_tensor *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->references = 1;
	if (size && get_buffer(run, *size, &t->buffer)) {
		free(t);
		return NULL;
	}
	t->size = size ? *size : 0;
	t->owned = size != NULL;
	return t;
}

const void *nna_parts_tensor_data(const struct nna_parts_tensor *t)
{
	return t->data ? t->data : (const char *)nna_buffer_map(t->buffer) + t->offset;
}

/* True if a tensor has the dimensions that the model states; unknown ones match all. */
static bool fits(const struct nna_shape *stated, const struct nna_parts_tensor *t)
{
	if (t->omitted || !stated->rank_known)
		return true;
	if (stated->rank != t->rank)
		return false;
	for (uint32_t k = 0; k < t->rank; k++)
		if (stated->dims[k] && stated->dims[k] != t->dims[k])
			return false;
	return true;
}

void nna_parts_frame_end(struct nna_parts *run, struct nna_parts_frame *f)
{
	for (uint32_t i = 0; f->tensors && i < f->subgraph->operand_count; i++)
		nna_parts_tensor_put(run, f->tensors[i]);
	free(f->tensors);
}

int nna_parts_frame_begin(struct nna_parts *run, struct nna_parts_frame *f, uint32_t number)
{
	*f = (struct nna_parts_frame){
		.number = number,
		.subgraph = &run->program->graph->subgraphs[number],
	};
	f->tensors = calloc((size_t)f->subgraph->operand_count + 1, sizeof(*f->tensors));
	return f->tensors ? 0 : -ENOMEM;
}

int nna_parts_frame_set(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor *t)
{
	nna_parts_tensor_put(run, f->tensors[operand]);
	f->tensors[operand] = t;
	if (fits(&f->subgraph->operands[operand].stated, t))
		return 0;
	nna_log_print(
		nna_parts_log(run), NNA_LOG_ERROR,
		"operand %u of subgraph %u has other dimensions in this run than the model "
		"states: leave them unknown in the model",
		operand, f->number);
	return -EINVAL;
}

int nna_parts_frame_get(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor **out)
{
	const struct nna_operand *o = &f->subgraph->operands[operand];
	struct nna_parts_tensor *t = f->tensors[operand];

	if (!t) {
		if (o->lifetime != NNA_LIFETIME_CONSTANT && o->lifetime != NNA_LIFETIME_NO_VALUE) {
			nna_log_print(nna_parts_log(run), NNA_LOG_ERROR,
				      "operand %u of subgraph %u is a state variable, which is "
				      "not supported in a graph whose shapes depend on data",
				      operand, f->number);
			return -ENOTSUP;
		}
		t = nna_parts_tensor_create(run, NULL);
		if (!t)
			return -ENOMEM;
		t->omitted = o->lifetime == NNA_LIFETIME_NO_VALUE;
		t->rank = o->stated.rank;
		memcpy(t->dims, o->stated.dims, sizeof(t->dims));
		t->data = o->data;
		t->size = o->size;
		f->tensors[operand] = t;
	}
	*out = t;
	return 0;
}
