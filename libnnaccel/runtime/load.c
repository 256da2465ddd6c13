// SPDX-License-Identifier: MIT
/* Loading a program from a blob, which is not trusted (blob.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/blob.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/digest.h"
#include "libnnaccel/support/sized.h"

/**
 * struct nna_loading - a program that is being loaded; the program takes over the owned members one
 * by one
 * @device: the device of the program
 * @from: the reader
 * @digest: of the bytes that were read
 * @ios: the arguments, inputs first; owned
 * @graph: a reference to the caller's graph, or to one with only the interface
 * @code: owned
 * @bo: owned
 * @charged: bytes that are charged to the device's account for the tables and the stream; owned
 */
struct nna_loading {
	struct nna_device *device;
	const struct nna_blob_reader *from;
	struct nna_digest digest;
	struct nna_blob_header header;
	struct nna_blob_io *ios;
	struct nna_graph *graph;
	struct nna_code *code;
	struct nna_winsys_bo *bo;
	uint64_t charged;
};

/* Logs why a blob is refused. Return: @error. */
static int refuse(const struct nna_loading *l, int error, const char *why)
{
	nna_log_print(&l->device->log, NNA_LOG_WARNING, "a saved program is not used: %s", why);
	return error;
}

static int get(struct nna_loading *l, void *data, size_t size)
{
	int ret = size ? l->from->read(l->from->user, data, size) : 0;

	if (ret)
		return refuse(l, ret < 0 ? ret : -EIO, "it cannot be read");
	nna_digest_add(&l->digest, data, size);
	return 0;
}

/*
 * Reads the header. Checks whether the blob is of this build and device, then whether its sizes
 * agree.
 */
static int get_header(struct nna_loading *l, uint32_t preference)
{
	const struct nna_blob_header ours = nna_blob_header_begin(l->device, preference);
	struct nna_blob_header *h = &l->header;
	uint64_t limit;
	int ret;

	if (l->from->size < sizeof(*h))
		return refuse(l, -EBADMSG, "it is too short");
	ret = get(l, h, sizeof(*h));
	if (ret)
		return ret;
	if (h->magic != ours.magic)
		return refuse(l, -EBADMSG, "it is no saved program");
	if (h->version != ours.version || memcmp(h->build_id, ours.build_id, sizeof(h->build_id)))
		return refuse(l, -ESTALE, "it is of another build");
	if (h->abi_major != ours.abi_major || h->stream_version != ours.stream_version ||
	    h->layout_version != ours.layout_version ||
	    memcmp(h->device, ours.device, sizeof(h->device)))
		return refuse(l, -ESTALE, "it is for another device, or other settings");
	if (h->preference != preference)
		return refuse(l, -ESTALE, "it is for another preference");
	limit = 1ull << (l->device->info.va_bits < 62 ? l->device->info.va_bits : 62);
	if (h->size != l->from->size || h->constants_size > h->size || !h->stream_size ||
	    nna_blob_size(h) != h->size || h->scratch_size > limit || h->variables_size > limit ||
	    h->synchronous > 1 || h->constants_size > SIZE_MAX / 2)
		return refuse(l, -EBADMSG, "its sizes do not agree");
	return 0;
}

/*
 * Charges what the stream and the tables take in this process, before they are read. The counts are
 * bounded by the size of the blob. The BO is charged when it is made.
 */
static int charge_tables(struct nna_loading *l)
{
	const struct nna_blob_header *h = &l->header;
	const uint64_t bytes =
		h->stream_size + (uint64_t)h->operation_count * sizeof(struct nna_operation) +
		((uint64_t)h->input_count + h->output_count) *
			(sizeof(struct nna_blob_io) + sizeof(struct nna_operand) +
			 sizeof(struct nna_code_io) + sizeof(struct nna_shape));
	int ret = nna_account_charge(&l->device->ws->account, bytes);

	if (!ret)
		l->charged = bytes;
	return ret;
}

/* Makes a finished graph of the program's interface, which cannot be compiled. */
static int make_interface(struct nna_loading *l)
{
	const struct nna_blob_header *h = &l->header;
	uint32_t total = h->input_count + h->output_count;
	struct nna_subgraph *sub;
	int ret = nna_graph_create(&l->device->log, &l->graph);

	if (ret)
		return ret;
	sub = &l->graph->subgraphs[0];
	sub->operands = calloc((size_t)total + 1, sizeof(*sub->operands));
	sub->operations = calloc((size_t)h->operation_count + 1, sizeof(*sub->operations));
	sub->inputs = calloc((size_t)h->input_count + 1, sizeof(*sub->inputs));
	sub->outputs = calloc((size_t)h->output_count + 1, sizeof(*sub->outputs));
	if (!sub->operands || !sub->operations || !sub->inputs || !sub->outputs)
		return -ENOMEM;
	sub->operand_count = total;
	sub->operation_count = h->operation_count;
	sub->input_count = h->input_count;
	sub->output_count = h->output_count;
	for (uint32_t i = 0; i < total; i++) {
		bool input = i < h->input_count;
		const struct nna_blob_io *io = &l->ios[i];
		struct nna_operand *o = &sub->operands[i];

		*(input ? &sub->inputs[i] : &sub->outputs[i - h->input_count]) = i;
		o->lifetime = input ? NNA_LIFETIME_INPUT : NNA_LIFETIME_OUTPUT;
		o->producer = NNA_NONE;
		o->stated = (struct nna_shape){
			.type = io->type,
			.rank_known = io->flags & NNA_BLOB_RANK_KNOWN,
			.rank = io->stated_rank,
			.scale = io->scale,
			.zero_point = io->zero_point,
		};
		o->stated.final = o->stated.rank_known;
		for (uint32_t k = 0; k < io->stated_rank; k++) {
			o->stated.dims[k] = io->stated[k];
			o->stated.final &= io->stated[k] != 0;
		}
		o->shape = o->stated;
		o->stated.final &= (io->flags & NNA_BLOB_STATED) != 0;
	}
	l->graph->finished = true;
	return 0;
}

/* True if an argument is consistent in itself and with the header. */
static bool io_is_valid(const struct nna_loading *l, uint32_t index)
{
	const struct nna_blob_io *io = &l->ios[index];
	uint64_t size = nna_operand_type_size(io->type);
	bool input = index < l->header.input_count;
	bool counted = io->flags & NNA_BLOB_COUNTED;

	if (!size || io->type == NNA_OPERAND_OPAQUE || io->rank > NNACCEL_MAX_RANK ||
	    io->stated_rank > NNACCEL_MAX_RANK ||
	    io->flags & ~(NNA_BLOB_USED | NNA_BLOB_COUNTED | NNA_BLOB_RANK_KNOWN | NNA_BLOB_STATED))
		return false;
	for (uint32_t k = 0; k < io->rank; k++)
		if (__builtin_mul_overflow(size, (uint64_t)io->dims[k], &size))
			return false;
	if (size != io->size || size >> 62)
		return false;
	if (counted)
		return !input && io->rank && l->header.synchronous && io->count % 4 == 0 &&
		       l->header.scratch_size >= 4 && io->count <= l->header.scratch_size - 4;
	return !io->count;
}

/* True if an argument agrees with the graph's argument at this index. */
static bool io_fits(const struct nna_loading *l, uint32_t index)
{
	const struct nna_subgraph *sub = &l->graph->subgraphs[0];
	bool input = index < l->header.input_count;
	uint32_t k = input ? index : index - l->header.input_count;
	const struct nna_shape *shape =
		&sub->operands[input ? sub->inputs[k] : sub->outputs[k]].shape;
	const struct nna_blob_io *io = &l->ios[index];

	if (io->type != shape->type || (input && !shape->final) ||
	    (shape->rank_known && shape->rank && shape->rank != io->rank))
		return false;
	for (k = 0; k < shape->rank; k++)
		if (shape->dims[k] && shape->dims[k] != io->dims[k] &&
		    (k || !(io->flags & NNA_BLOB_COUNTED)))
			return false;
	return true;
}

/* Reads the arguments and the types of operations. Afterwards @graph is set. */
static int get_tables(struct nna_loading *l, struct nna_graph *graph)
{
	const struct nna_blob_header *h = &l->header;
	uint32_t total, *types;
	int ret;

	/* The size in the header bounds each count, and so the memory that is allocated here. */
	if (__builtin_add_overflow(h->input_count, h->output_count, &total))
		return refuse(l, -EBADMSG, "its sizes do not agree");
	if (graph && (graph->subgraphs[0].input_count != h->input_count ||
		      graph->subgraphs[0].output_count != h->output_count ||
		      graph->subgraphs[0].operation_count != h->operation_count))
		return refuse(l, -EBADMSG, "its arguments are not the graph's");
	l->ios = calloc((size_t)total + 1, sizeof(*l->ios));
	if (!l->ios)
		return -ENOMEM;
	ret = get(l, l->ios, total * sizeof(*l->ios));
	if (ret)
		return ret;
	for (uint32_t i = 0; i < total; i++)
		if (!io_is_valid(l, i))
			return refuse(l, -EBADMSG, "an argument makes no sense");
	l->graph = nna_graph_ref(graph);
	ret = graph ? 0 : make_interface(l);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < total; i++)
		if (!io_fits(l, i))
			return refuse(l, -EBADMSG, "an argument is not the graph's");
	types = calloc((size_t)h->operation_count + 1, sizeof(*types));
	ret = types ? get(l, types, h->operation_count * sizeof(*types)) : -ENOMEM;
	for (uint32_t i = 0; !ret && !graph && i < h->operation_count; i++)
		l->graph->subgraphs[0].operations[i].type = types[i];
	free(types);
	return ret;
}

/* Makes the code that the header and the arguments describe, without its image. */
static int make_code(struct nna_loading *l)
{
	const struct nna_blob_header *h = &l->header;
	struct nna_code *code = calloc(1, sizeof(*code));
	int ret;

	l->code = code;
	if (!code)
		return -ENOMEM;
	code->backend = l->device->backend;
	code->constants_size = h->constants_size;
	code->scratch_size = h->scratch_size;
	code->variables_size = h->variables_size;
	code->stream_size = h->stream_size;
	code->command_count = h->command_count;
	code->synchronous = h->synchronous;
	code->input_count = h->input_count;
	code->output_count = h->output_count;
	code->inputs = calloc((size_t)h->input_count + 1, sizeof(*code->inputs));
	code->outputs = calloc((size_t)h->output_count + 1, sizeof(*code->outputs));
	if (!code->inputs || !code->outputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->input_count + h->output_count; i++) {
		struct nna_code_io *io = i < h->input_count ? &code->inputs[i] :
							      &code->outputs[i - h->input_count];
		const struct nna_blob_io *from = &l->ios[i];

		io->used = from->flags & NNA_BLOB_USED;
		io->counted = from->flags & NNA_BLOB_COUNTED;
		io->size = from->size;
		io->count = from->count;
		io->type = from->type;
		io->rank = from->rank;
		memcpy(io->dims, from->dims, sizeof(io->dims));
	}
	ret = nna_code_assign_slots(code, l->device->info.max_slots);
	if (ret)
		return refuse(l, -EBADMSG, "its arguments do not fit the device");
	nna_code_place_constants(code);
	return 0;
}

/* Reads stream and constants into a BO. A copy of the stream stays in this process. */
static int get_image(struct nna_loading *l)
{
	struct nna_winsys *ws = l->device->ws;
	struct nna_code *code = l->code;
	uint64_t checksum[2], found[2];
	int ret;

	ret = nna_winsys_bo_create(ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY, &l->bo);
	if (!ret)
		ret = get(l, l->bo->map, code->stream_size);
	if (!ret)
		ret = get(l, (char *)l->bo->map + code->constants, code->constants_size);
	if (ret)
		return ret;
	nna_digest_end(&l->digest, checksum);
	ret = get(l, found, sizeof(found));
	if (ret)
		return ret;
	if (memcmp(found, checksum, sizeof(found)))
		return refuse(l, -EBADMSG, "its checksum is wrong");
	code->stream = malloc(code->stream_size);
	if (!code->stream)
		return -ENOMEM;
	memcpy(code->stream, l->bo->map, code->stream_size);
	return 0;
}

/* Makes the program, which takes over the code and the BO. */
static int make_program(struct nna_loading *l, const struct nna_program_options *options,
			bool fixed, struct nna_program **out)
{
	const struct nna_subgraph *sub = &l->graph->subgraphs[0];
	struct nna_shape *inputs = calloc((size_t)sub->input_count + 1, sizeof(*inputs));
	struct nna_program *p = inputs ? nna_program_begin(l->device, l->graph, options) : NULL;
	struct nna_variant *v;
	int ret = -ENOMEM;

	for (uint32_t i = 0; p && i < sub->input_count; i++)
		inputs[i] = sub->operands[sub->inputs[i]].shape;
	if (p)
		ret = nna_variant_adopt(p, inputs, l->code, l->bo, l->charged, &v);
	free(inputs);
	if (ret) {
		nna_program_destroy(p);
		return ret;
	}
	l->code = NULL;
	l->bo = NULL;
	l->charged = 0;
	p->stated = v;
	p->fixed = fixed;
	nna_variant_put(p, v);
	*out = p;
	return 0;
}

/*
 * Checks whether the blob is of this graph. Called after the header was read, so that a blob of
 * another build is refused without reading the constants of the graph.
 */
static int compare_graph(struct nna_loading *l, const struct nna_graph *graph)
{
	uint64_t identity[2];

	nna_graph_identify(graph, identity);
	if (memcmp(identity, l->header.graph, sizeof(identity)))
		return refuse(l, -ESTALE, "it is of another graph");
	return 0;
}

static int load(struct nna_device *device, struct nna_graph *graph,
		const struct nna_program_options *options, const struct nna_blob_reader *from,
		struct nna_program **out)
{
	const struct nna_compile_limit limit = nna_program_limit(options);
	struct nna_loading l = { .device = device, .from = from };
	int ret;

	if (!device)
		return -EINVAL;
	if (!from || !from->read || !out || (graph && (!graph->finished || graph->failed))) {
		nna_log_print(&device->log, NNA_LOG_ERROR, "a saved program cannot be loaded: %s",
			      !from || !from->read ? "there is no reader" :
			      !out ? "there is no place for the program" :
				     "its graph is not finished, or failed to");
		return -EINVAL;
	}
	ret = nna_compile_check_limit(&limit);
	if (ret)
		return ret;
	nna_digest_begin(&l.digest);
	ret = get_header(&l, options ? options->preference : 0);
	if (!ret && graph)
		ret = compare_graph(&l, graph);
	if (!ret)
		ret = charge_tables(&l);
	if (!ret)
		ret = get_tables(&l, graph);
	if (!ret)
		ret = make_code(&l);
	if (!ret)
		ret = get_image(&l);
	if (!ret)
		ret = make_program(&l, options, !graph, out);
	if (l.bo)
		nna_winsys_bo_destroy(device->ws, l.bo);
	nna_code_destroy(l.code);
	nna_graph_unref(l.graph);
	nna_account_discharge(&device->ws->account, l.charged);
	free(l.ios);
	return ret;
}

int nna_program_load_sized(struct nna_device *device, struct nna_graph *graph,
			   const struct nna_program_options *options, size_t size,
			   const struct nna_blob_reader *from, struct nna_program **out)
{
	struct nna_program_options own;
	int ret = nna_sized_read(&own, sizeof(own), options, size);

	return ret ? ret : load(device, graph, options ? &own : NULL, from, out);
}
