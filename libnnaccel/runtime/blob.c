// SPDX-License-Identifier: MIT
/* Saving and loading programs. blob.h says what a blob is, and what is believed of it. */
#include "libnnaccel/runtime/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/digest.h"
#include "libnnaccel/runtime/runtime.h"
#include "libnnaccel/support/sized.h"
#include "nna_build_id.h"

_Static_assert(sizeof(NNA_BUILD_ID) == sizeof(((struct nna_blob_header *)0)->build_id) + 1,
	       "a build id fills its field");

/* A digest of what the compiler depends on beside the graph and the versions in the header. */
static void identify_device(const struct nna_device *device, uint64_t identity[2])
{
	const struct nna_device_info *info = &device->info;
	const uint32_t numbers[] = { info->abi_minor, info->max_slots, info->va_bits,
				     info->loopback, nna_debug_flags() };
	const char *const names[] = { device->backend->name, info->driver, info->engine };
	struct nna_digest d;

	nna_digest_begin(&d);
	nna_digest_add(&d, numbers, sizeof(numbers));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		nna_digest_add(&d, names[i], strlen(names[i]));
	nna_digest_end(&d, identity);
}

/* What a blob says first, for this device and a graph that is still to be filled in. */
static struct nna_blob_header begin_header(const struct nna_device *device, uint32_t preference)
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

/* Bytes of a blob; only sums that fit are asked for. */
static uint64_t blob_size(const struct nna_blob_header *h)
{
	return sizeof(*h) +
	       ((uint64_t)h->input_count + h->output_count) * sizeof(struct nna_blob_io) +
	       (uint64_t)h->operation_count * sizeof(uint32_t) + h->stream_size +
	       h->constants_size + 2 * sizeof(uint64_t);
}

/* --------------------------------------------------------------------------------------- saving */

/* The variant that a blob of a program is made of, a reference; NULL when there is none. */
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
	*h = begin_header(p->device, p->preference);
	h->constants_size = code->constants_size;
	h->scratch_size = code->scratch_size;
	h->variables_size = code->variables_size;
	h->stream_size = code->stream_size;
	h->command_count = code->command_count;
	h->input_count = code->input_count;
	h->output_count = code->output_count;
	h->operation_count = p->graph->subgraphs[0].operation_count;
	h->synchronous = code->synchronous;
	h->size = blob_size(h);
}

static void fill_io(const struct nna_code_io *io, const struct nna_shape *shape,
		    struct nna_blob_io *out)
{
	*out = (struct nna_blob_io){
		.type = io->type,
		.flags = (io->used ? NNA_BLOB_USED : 0) | (io->counted ? NNA_BLOB_COUNTED : 0) |
			 (shape->rank_known ? NNA_BLOB_RANK_KNOWN : 0),
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
		fill_io(&code->inputs[i], &sub->operands[sub->inputs[i]].shape, &ios[i]);
	for (uint32_t i = 0; i < code->output_count && !ret; i++)
		fill_io(&code->outputs[i], &sub->operands[sub->outputs[i]].shape,
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
			      "the program cannot be saved: its shapes depend on what is bound");
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

/* -------------------------------------------------------------------------------------- loading */

/**
 * struct nna_loading - a program that is being loaded; what is owned is given up piece by piece
 * @device: that it is for
 * @from: where the bytes come from
 * @digest: of those that were read
 * @ios: owned: arguments, inputs first
 * @graph: a reference: the caller's, or one that has the interface only
 * @code: owned
 * @bo: owned
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
};

/* Says why a blob is refused. Return: @error. */
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

/* The header: first whether the blob is ours, then whether its sizes agree. */
static int get_header(struct nna_loading *l, uint32_t preference)
{
	const struct nna_blob_header ours = begin_header(l->device, preference);
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
	    blob_size(h) != h->size || h->scratch_size > limit || h->variables_size > limit ||
	    h->synchronous > 1 || h->constants_size > SIZE_MAX / 2)
		return refuse(l, -EBADMSG, "its sizes do not agree");
	return 0;
}

/* The interface of the program as a finished graph: nothing can be compiled of it. */
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
	}
	l->graph->finished = true;
	return 0;
}

/* Whether an argument is complete in itself and as part of this program. */
static bool io_is_valid(const struct nna_loading *l, uint32_t index)
{
	const struct nna_blob_io *io = &l->ios[index];
	uint64_t size = nna_operand_type_size(io->type);
	bool input = index < l->header.input_count;
	bool counted = io->flags & NNA_BLOB_COUNTED;

	if (!size || io->type == NNA_OPERAND_OPAQUE || io->rank > NNACCEL_MAX_RANK ||
	    io->stated_rank > NNACCEL_MAX_RANK ||
	    io->flags & ~(NNA_BLOB_USED | NNA_BLOB_COUNTED | NNA_BLOB_RANK_KNOWN))
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

/* Whether an argument is the one that the graph has at this place. */
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

/* Arguments and types of operations; afterwards there is a graph for them. */
static int get_tables(struct nna_loading *l, struct nna_graph *graph)
{
	const struct nna_blob_header *h = &l->header;
	uint32_t total, *types;
	int ret;

	/* The header's size bounds each of them, and so what is allocated here. */
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

/* What the header and the arguments say, as code without its image. */
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

/* Stream and constants, into a BO; the stream stays in this process, too. */
static int get_image(struct nna_loading *l)
{
	struct nna_winsys *ws = l->device->ws;
	struct nna_code *code = l->code;
	uint64_t checksum[2], found[2];
	int ret;

	ret = ws->ops->bo_create(ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY, &l->bo);
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

/* The program of what has been read, which it takes over. */
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
		ret = nna_variant_adopt(p, inputs, l->code, l->bo, &v);
	free(inputs);
	if (ret) {
		nna_program_destroy(p);
		return ret;
	}
	l->code = NULL;
	l->bo = NULL;
	p->stated = v;
	p->fixed = fixed;
	nna_variant_put(p, v);
	*out = p;
	return 0;
}

/* Whether the blob is of this graph. After its header, so that others cost no more than that. */
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

	if (!device || !from || !from->read || !out ||
	    (graph && (!graph->finished || graph->failed)))
		return -EINVAL;
	ret = nna_compile_check_limit(&limit);
	if (ret)
		return ret;
	nna_digest_begin(&l.digest);
	ret = get_header(&l, options ? options->preference : 0);
	if (!ret && graph)
		ret = compare_graph(&l, graph);
	if (!ret)
		ret = get_tables(&l, graph);
	if (!ret)
		ret = make_code(&l);
	if (!ret)
		ret = get_image(&l);
	if (!ret)
		ret = make_program(&l, options, !graph, out);
	if (l.bo)
		device->ws->ops->bo_destroy(device->ws, l.bo);
	nna_code_destroy(l.code);
	nna_graph_unref(l.graph);
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
