// SPDX-License-Identifier: MIT
/* Blobs of programs: their header, and saving one (blob.h). */
#include "libnnaccel/runtime/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/digest.h"
#include "nna_build_id.h"

_Static_assert(sizeof(NNA_BUILD_ID) == sizeof(((struct nna_blob_header *)0)->build_id) + 1,
	       "a build id fills its field");

/*
 * Computes a digest of the properties that the compiler depends on, except the graph and the
 * versions in the header.
 */
static void identify_device(const struct nna_device *device, uint64_t identity[2])
{
	const struct nna_device_info *info = &device->info;
	const uint32_t numbers[] = { info->abi_minor, info->max_slots, info->va_bits,
				     info->loopback, nna_debug_flags(),
				     device->ws->configuration };
	const char *const names[] = { device->backend->name, info->driver, info->engine };
	struct nna_digest d;

	nna_digest_begin(&d);
	nna_digest_add(&d, numbers, sizeof(numbers));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		nna_digest_add(&d, names[i], strlen(names[i]));
	nna_digest_end(&d, identity);
}

struct nna_blob_header nna_blob_header_begin(const struct nna_device *device, uint32_t preference)
{
	struct nna_blob_header h = {
		.magic = NNA_BLOB_MAGIC,
		.version = NNA_BLOB_VERSION,
		.abi_major = device->backend->abi_major,
		.stream_version = device->backend->stream_version,
		.layout_version = device->backend->layout_version,
		.preference = preference,
	};

	memcpy(h.build_id, NNA_BUILD_ID, sizeof(h.build_id));
	identify_device(device, h.device);
	return h;
}

uint64_t nna_blob_size(const struct nna_blob_header *h)
{
	return sizeof(*h) +
	       ((uint64_t)h->input_count + h->output_count) * sizeof(struct nna_blob_io) +
	       (uint64_t)h->operation_count * sizeof(uint32_t) + h->stream_size +
	       h->constants_size + 2 * sizeof(uint64_t);
}

/* --------------------------------------------------------------------------------------- saving */

/*
 * Return: the variant that is saved in a blob of the program, a reference; NULL if there is none.
 */
static struct nna_variant *saved_variant(const struct nna_program *program)
{
	struct nna_program *p = (struct nna_program *)program;
	struct nna_variant *v = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->stated && p->stated->code && !p->fixed && !p->graph->whole)
		v = p->stated;
	if (v)
		atomic_fetch_add(&v->references, 1);
	pthread_mutex_unlock(&p->lock);
	return v;
}

static void fill_header(const struct nna_program *p, const struct nna_code *code,
			struct nna_blob_header *h)
{
	*h = nna_blob_header_begin(p->device, p->preference);
	h->constants_size = code->constants_size;
	h->scratch_size = code->scratch_size;
	h->variables_size = code->variables_size;
	h->stream_size = code->stream_size;
	h->command_count = code->command_count;
	h->input_count = code->input_count;
	h->output_count = code->output_count;
	h->operation_count = p->graph->subgraphs[0].operation_count;
	h->synchronous = code->synchronous;
	h->size = nna_blob_size(h);
}

static void fill_io(const struct nna_code_io *io, const struct nna_operand *operand,
		    struct nna_blob_io *out)
{
	const struct nna_shape *shape = &operand->shape;

	*out = (struct nna_blob_io){
		.type = io->type,
		.flags = (io->used ? NNA_BLOB_USED : 0) | (io->counted ? NNA_BLOB_COUNTED : 0) |
			 (shape->rank_known ? NNA_BLOB_RANK_KNOWN : 0) |
			 (operand->stated.final ? NNA_BLOB_STATED : 0),
		.rank = io->rank,
		.stated_rank = shape->rank,
		.scale = shape->scale,
		.zero_point = shape->zero_point,
		.size = io->size,
		.count = io->counted ? io->count : 0,
	};
	memcpy(out->dims, io->dims, io->rank * sizeof(out->dims[0]));
	memcpy(out->stated, shape->dims, shape->rank * sizeof(out->stated[0]));
}

int nna_program_saved_size(const struct nna_program *program, uint64_t *size)
{
	struct nna_blob_header h;
	struct nna_variant *v;

	if (!program || !size)
		return -EINVAL;
	v = saved_variant(program);
	if (!v)
		return -ENOTSUP;
	fill_header(program, v->code, &h);
	nna_variant_put((struct nna_program *)program, v);
	*size = h.size;
	return 0;
}

static int put(const struct nna_blob_writer *to, struct nna_digest *d, const void *data,
	       size_t size)
{
	nna_digest_add(d, data, size);
	return size ? to->write(to->user, data, size) : 0;
}

static int put_tables(const struct nna_blob_writer *to, struct nna_digest *d,
		      const struct nna_code *code, const struct nna_subgraph *sub)
{
	size_t total = (size_t)code->input_count + code->output_count;
	struct nna_blob_io *ios = calloc(total + 1, sizeof(*ios));
	uint32_t *types = calloc((size_t)sub->operation_count + 1, sizeof(*types));
	int ret = ios && types ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < code->input_count && !ret; i++)
		fill_io(&code->inputs[i], &sub->operands[sub->inputs[i]], &ios[i]);
	for (uint32_t i = 0; i < code->output_count && !ret; i++)
		fill_io(&code->outputs[i], &sub->operands[sub->outputs[i]],
			&ios[code->input_count + i]);
	for (uint32_t i = 0; i < sub->operation_count && !ret; i++)
		types[i] = sub->operations[i].type;
	if (!ret)
		ret = put(to, d, ios, total * sizeof(*ios));
	if (!ret)
		ret = put(to, d, types, sub->operation_count * sizeof(*types));
	free(ios);
	free(types);
	return ret;
}

int nna_program_save(const struct nna_program *program, const struct nna_blob_writer *to)
{
	struct nna_blob_header h;
	struct nna_variant *v;
	struct nna_digest d;
	uint64_t checksum[2];
	int ret;

	if (!program || !to || !to->write)
		return -EINVAL;
	v = saved_variant(program);
	if (!v) {
		nna_log_print(&program->device->log, NNA_LOG_INFO,
			      "the program cannot be saved: its shapes depend on bindings or data");
		return -ENOTSUP;
	}
	nna_digest_begin(&d);
	fill_header(program, v->code, &h);
	nna_graph_identify(program->graph, h.graph);
	ret = put(to, &d, &h, sizeof(h));
	if (!ret)
		ret = put_tables(to, &d, v->code, &program->graph->subgraphs[0]);
	if (!ret)
		ret = put(to, &d, v->code->stream, v->code->stream_size);
	if (!ret)
		ret = put(to, &d, (const char *)v->bo->map + v->code->constants,
			  v->code->constants_size);
	nna_digest_end(&d, checksum);
	if (!ret)
		ret = to->write(to->user, checksum, sizeof(checksum));
	nna_variant_put((struct nna_program *)program, v);
	return ret;
}
