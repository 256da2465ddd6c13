// SPDX-License-Identifier: MIT
/*
 * A lowering: its tables, the values of an operation's operands, facts about values, views,
 * commands, and facts about the commands that passes ask for. See lower.h for what operations use,
 * ir.h for the rest.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/ir.h"
#include "libnnaccel/compiler/limits.h"

/* The flags named in the environment variable NNACCEL_DEBUG, separated by commas. */
static uint32_t debug_flags(void)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} names[] = {
		{ "lower", NNA_DEBUG_LOWER },
		{ "fuse", NNA_DEBUG_FUSE },
		{ "elide", NNA_DEBUG_ELIDE },
		{ "pack", NNA_DEBUG_PACK },
		{ "plan", NNA_DEBUG_PLAN },
		{ "emit", NNA_DEBUG_EMIT },
		{ "all", NNA_DEBUG_ALL },
		{ "no-fuse", NNA_DEBUG_NO_FUSE },
		{ "no-elide", NNA_DEBUG_NO_ELIDE },
		{ "no-pack", NNA_DEBUG_NO_PACK },
		{ "no-reuse", NNA_DEBUG_NO_REUSE },
		{ "no-fold", NNA_DEBUG_NO_FOLD },
	};
	const char *text = getenv("NNACCEL_DEBUG");
	uint32_t flags = 0;

	while (text && *text) {
		size_t length = strcspn(text, ",");

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == length &&
			    !strncmp(names[i].name, text, length))
				flags |= names[i].flag;
		text += length;
		text += *text == ',';
	}
	return flags;
}

void nna_debug_print(const struct nna_lower *l, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (l->log.line)
		l->log.line(l->log.user, NNA_LOG_INFO, line);
	else
		fprintf(stderr, "%s\n", line);
}

int nna_lower_create(const struct nna_graph *graph, const struct nna_log *log,
		     struct nna_lower **out)
{
	struct nna_lower *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->graph = graph;
	if (log)
		l->log = *log;
	l->debug = debug_flags();
	*out = l;
	return 0;
}

void nna_lower_destroy(struct nna_lower *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->storage_count; i++)
		free(l->storages[i].owned);
	for (uint32_t i = 0; i < l->command_count; i++)
		free(l->commands[i].raw);
	free(l->storages);
	free(l->values);
	free(l->commands);
	free(l->labels);
	free(l);
}

/* Makes room for one more entry of @size bytes in a table of @count. */
static int table_grow(void **table, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more;
	size_t bytes;
	void *grown;

	if (count < *room)
		return 0;
	more = *room ? *room * 2 : 64;
	if (more > (1u << 28) || __builtin_mul_overflow(size, (size_t)more, &bytes))
		return -ENOMEM;
	grown = realloc(*table, bytes);
	if (!grown)
		return -ENOMEM;
	*table = grown;
	*room = more;
	return 0;
}

int64_t nna_storage_add(struct nna_lower *l, enum nna_storage_kind kind, uint64_t size,
			uint32_t index, const void *data, void *owned)
{
	int ret = table_grow((void **)&l->storages, l->storage_count, &l->storage_room,
			     sizeof(*l->storages));

	if (ret) {
		free(owned);
		return ret;
	}
	l->storages[l->storage_count] = (struct nna_storage){
		.kind = kind,
		.size = size,
		.index = index,
		.data = data,
		.owned = owned,
		.parent = NNA_NONE,
		.count = NNA_NO_VALUE,
	};
	return l->storage_count++;
}

int64_t nna_value_add(struct nna_lower *l, const struct nna_value *value)
{
	struct nna_value copy = *value; /* it may lie in the table that grows */
	int ret;

	ret = table_grow((void **)&l->values, l->value_count, &l->value_room, sizeof(*l->values));
	if (ret)
		return ret;
	for (uint32_t k = copy.rank; k < NNACCEL_MAX_RANK; k++) {
		copy.dims[k] = 0;
		copy.strides[k] = 0;
	}
	l->values[l->value_count] = copy;
	return l->value_count++;
}

/* --------------------------------------------------------------------------- facts about values */

bool nna_value_count(const struct nna_value *v, uint32_t *count)
{
	uint64_t product = 1;
	bool empty = false;

	for (uint32_t k = 0; k < v->rank; k++) {
		if (!v->dims[k])
			empty = true;
		else if (__builtin_mul_overflow(product, (uint64_t)v->dims[k], &product) ||
			 product > INT32_MAX)
			return false;
	}
	*count = empty ? 0 : product;
	return true;
}

static uint32_t value_elements(const struct nna_value *v)
{
	uint32_t count = 0;

	nna_value_count(v, &count);
	return count;
}

bool nna_value_contiguous(const struct nna_value *v)
{
	int64_t stride = 1;

	if (!value_elements(v))
		return true;
	for (uint32_t k = v->rank; k-- > 0;) {
		if (v->dims[k] != 1 && v->strides[k] != stride)
			return false;
		stride *= v->dims[k];
	}
	return true;
}

void nna_value_extent(const struct nna_value *v, uint64_t *begin, uint64_t *end)
{
	int64_t low = 0, high = 0;
	uint32_t size = nnahw_type_size(v->type);

	*begin = v->offset;
	*end = v->offset;
	if (!value_elements(v))
		return;
	for (uint32_t k = 0; k < v->rank; k++) {
		int64_t reach = (int64_t)(v->dims[k] - 1) * v->strides[k];

		if (reach < 0)
			low += reach;
		else
			high += reach;
	}
	*begin = v->offset + low * size;
	*end = v->offset + (high + 1) * size;
}

bool nna_value_whole(const struct nna_lower *l, const struct nna_value *v)
{
	return !v->offset && nna_value_contiguous(v) &&
	       (uint64_t)value_elements(v) * nnahw_type_size(v->type) ==
		       l->storages[v->storage].size;
}

bool nna_value_same_dims(const struct nna_value *a, const struct nna_value *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, sizeof(a->dims[0]) * a->rank);
}

void nna_value_fold(struct nna_value *a, struct nna_value *b)
{
	uint32_t rank = 0;

	for (uint32_t k = 0; k < a->rank; k++) {
		uint32_t dim = a->dims[k], last = rank - 1;

		if (dim == 1)
			continue;
		if (rank && a->strides[last] == (int64_t)a->strides[k] * dim &&
		    b->strides[last] == (int64_t)b->strides[k] * dim)
			dim *= a->dims[last];
		else
			last = rank++;
		a->dims[last] = b->dims[last] = dim;
		a->strides[last] = a->strides[k];
		b->strides[last] = b->strides[k];
	}
	a->rank = b->rank = rank;
}

bool nna_value_overlap(const struct nna_value *a, const struct nna_value *b)
{
	uint64_t a_begin, a_end, b_begin, b_end;

	if (a->storage != b->storage)
		return false;
	nna_value_extent(a, &a_begin, &a_end);
	nna_value_extent(b, &b_begin, &b_end);
	if (a_begin >= b_end || b_begin >= a_end)
		return false;
	/*
	 * Slices of one tensor may interleave in memory and yet have no element in common: they
	 * have the same strides, and ranges of indices in one dim that do not meet.
	 */
	if (a->rank == b->rank && nnahw_type_size(a->type) == nnahw_type_size(b->type)) {
		uint32_t size = nnahw_type_size(a->type);
		int64_t a_at = a->offset / size, b_at = b->offset / size;

		if (a->offset % size || b->offset % size)
			return true;
		for (uint32_t k = 0; k < a->rank; k++)
			if (a->strides[k] != b->strides[k] || a->strides[k] <= 0 ||
			    (k && a->strides[k] > a->strides[k - 1]))
				return true;
		for (uint32_t k = 0; k < a->rank; k++) {
			int64_t a_first = a_at / a->strides[k], b_first = b_at / a->strides[k];
			int64_t room = k ? a->strides[k - 1] / a->strides[k] : INT64_MAX;

			if (k && a->strides[k - 1] % a->strides[k])
				return true;
			/* Indices that carry into the next dim cannot be compared. */
			if (a_first + a->dims[k] > room || b_first + b->dims[k] > room)
				return true;
			if (a_first + a->dims[k] <= b_first || b_first + b->dims[k] <= a_first)
				return false;
			a_at %= a->strides[k];
			b_at %= a->strides[k];
		}
	}
	return true;
}

void nna_value_set_strides(struct nna_value *v)
{
	int64_t stride = 1;

	for (uint32_t k = v->rank; k-- > 0;) {
		v->strides[k] = stride > INT32_MAX ? INT32_MAX : stride;
		stride *= v->dims[k] ? v->dims[k] : 1;
		if (stride > INT32_MAX)
			stride = INT32_MAX;
	}
}

/* --------------------------------------------------------------------------- scales per channel */

/* Without its scales a value means other numbers: to drop them would be silently wrong. */
static int scales_lost(const struct nna_lower *l, const char *what)
{
	nna_log_print(&l->log, NNA_LOG_ERROR,
		      "operation %u: %s would lose the scales per channel of its operand",
		      l->origin, what);
	return -EINVAL;
}

/* Whether two values have the same scales per channel, or none. */
static bool same_channels(const struct nna_value *a, const struct nna_value *b)
{
	if (!a->channel_scales || !b->channel_scales)
		return !a->channel_scales && !b->channel_scales;
	return a->channel_count == b->channel_count && a->channel_dim == b->channel_dim &&
	       !memcmp(a->channel_scales, b->channel_scales,
		       sizeof(a->channel_scales[0]) * a->channel_count);
}

static void take_channels(struct nna_value *to, const struct nna_value *from)
{
	to->channel_scales = from->channel_scales;
	to->channel_count = from->channel_count;
	to->channel_dim = from->channel_dim;
}

/* The dim of @to that has as many elements as the channel dim of @from, and as many around it. */
static bool reshape_channels(const struct nna_value *from, struct nna_value *to)
{
	uint64_t before = 1, outer = 1;

	for (uint32_t k = 0; k < from->channel_dim; k++)
		before *= from->dims[k];
	for (uint32_t k = 0; k < to->rank; outer *= to->dims[k++]) {
		if (outer != before || to->dims[k] != from->channel_count)
			continue;
		take_channels(to, from);
		to->channel_dim = k;
		return true;
	}
	return false;
}

/*
 * Whether a command may have operand @index with scales per channel: weights, whose scales are in
 * the channels table, numbers taken as they are, and copies to where the scales are the same.
 */
static bool may_have_channels(const struct nna_lower *l, const struct nnahw_command *head,
			      const uint32_t *values, uint32_t index)
{
	switch (head->opcode) {
	case NNAHW_OP_CONV:
	case NNAHW_OP_DWCONV:
		return index == NNAHW_CONV_WEIGHTS;
	case NNAHW_OP_MATMUL:
		return index == NNAHW_MATMUL_B;
	case NNAHW_OP_EWISE:
		return ((const struct nnahw_cmd_ewise *)head)->op == NNAHW_EWISE_CAST;
	case NNAHW_OP_COPY:
		return same_channels(&l->values[values[NNAHW_COPY_OUTPUT]],
				     &l->values[values[NNAHW_COPY_INPUT]]);
	default:
		return false;
	}
}

/* ------------------------------------------------------------------------------------- operands */

uint8_t nna_lower_type(enum nna_operand_type type)
{
	switch (type) {
	case NNA_OPERAND_FLOAT32:
	case NNA_OPERAND_TENSOR_FLOAT32:
		return NNAHW_TYPE_F32;
	case NNA_OPERAND_FLOAT16:
	case NNA_OPERAND_TENSOR_FLOAT16:
		return NNAHW_TYPE_F16;
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_TENSOR_INT32:
		return NNAHW_TYPE_S32;
	case NNA_OPERAND_UINT32:
		return NNAHW_TYPE_U32;
	case NNA_OPERAND_TENSOR_INT64:
		return NNAHW_TYPE_S64;
	case NNA_OPERAND_BOOL:
	case NNA_OPERAND_TENSOR_BOOL8:
		return NNAHW_TYPE_BOOL8;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return NNAHW_TYPE_U8;
	case NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		return NNAHW_TYPE_S8;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return NNAHW_TYPE_S16;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return NNAHW_TYPE_U16;
	default:
		return NNAHW_TYPE_NONE;
	}
}

/* A value of the type, dims and quantisation of @shape; the storage is left to the caller. */
static int value_of_shape(const struct nna_shape *shape, struct nna_value *v)
{
	uint32_t count;

	*v = (struct nna_value){ .type = nna_lower_type(shape->type) };
	if (v->type == NNAHW_TYPE_NONE || shape->rank > NNACCEL_MAX_RANK)
		return -EINVAL;
	v->rank = shape->rank;
	memcpy(v->dims, shape->dims, sizeof(v->dims[0]) * shape->rank);
	/* A TENSOR_INT32 may have a scale too, as a bias; commands take its numbers as they are. */
	if (nna_operand_type_is_quantised(shape->type)) {
		v->scale = shape->scale;
		v->zero_point = shape->zero_point;
		v->channel_scales = shape->channel_scales;
		v->channel_count = shape->channel_count;
		v->channel_dim = shape->channel_dim;
	}
	if (!nna_value_count(v, &count))
		return -ENOTSUP;
	nna_value_set_strides(v);
	return 0;
}

/* A new value @v that covers a new storage. */
static int64_t value_in_storage(struct nna_lower *l, struct nna_value *v,
				enum nna_storage_kind kind, uint32_t index, const void *data,
				void *owned)
{
	int64_t storage = nna_storage_add(l, kind,
					  (uint64_t)value_elements(v) * nnahw_type_size(v->type),
					  index, data, owned);

	if (storage < 0)
		return storage;
	v->storage = storage;
	v->offset = 0;
	return nna_value_add(l, v);
}

static uint32_t find_number(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return i;
	return NNA_NONE;
}

static const struct nna_bound_value *frame_bound(const struct nna_frame *f, uint32_t operand)
{
	for (uint32_t i = 0; i < f->bound_count; i++)
		if (f->bound[i].operand == operand)
			return &f->bound[i];
	return NULL;
}

int64_t nna_frame_value(struct nna_lower *l, const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape)
{
	struct nna_frame *f = l->frame;
	const struct nna_operand *o = &sub->operands[operand];
	const struct nna_bound_value *bound;
	struct nna_value v;
	int64_t value;
	uint64_t bytes;
	int ret;

	if (f->values[operand] != NNA_NO_VALUE)
		return f->values[operand];
	if (o->lifetime == NNA_LIFETIME_NO_VALUE || shape->omitted)
		return NNA_NO_VALUE;
	ret = value_of_shape(shape, &v);
	if (ret)
		return ret;
	bytes = (uint64_t)value_elements(&v) * nnahw_type_size(v.type);
	bound = frame_bound(f, operand);
	switch (o->lifetime) {
	case NNA_LIFETIME_CONSTANT:
		if (bytes && (!o->data || o->size < bytes))
			return -EINVAL;
		value = value_in_storage(l, &v, NNA_STORAGE_CONSTANT, operand, o->data, NULL);
		break;
	case NNA_LIFETIME_INPUT:
		if (f->outer)
			return -EINVAL; /* inputs of an inner subgraph have had their values */
		value = value_in_storage(l, &v, NNA_STORAGE_INPUT,
					 find_number(sub->inputs, sub->input_count, operand), NULL,
					 NULL);
		break;
	case NNA_LIFETIME_VARIABLE:
		value = value_in_storage(l, &v, NNA_STORAGE_VARIABLE, operand, NULL, NULL);
		break;
	default:
		/* A temporary without a value can only be one whose bytes are bound. */
		if (!bound || bound->size < bytes)
			return -EINVAL;
		value = nna_lower_constant(l, v.type, v.rank, v.dims, v.scale, v.zero_point,
					   bound->data);
		if (value >= 0)
			take_channels(&l->values[value], &v);
		break;
	}
	if (value >= 0)
		f->values[operand] = value;
	return value;
}

int64_t nna_lower_in(struct nna_op_context *op, uint32_t i)
{
	struct nna_lower *l = op->lower;

	if (i >= op->operation->input_count)
		return NNA_NO_VALUE;
	return nna_frame_value(l, &op->graph->subgraphs[op->subgraph], op->operation->inputs[i],
			       &op->in[i]);
}

int64_t nna_lower_out(struct nna_op_context *op, uint32_t i)
{
	struct nna_lower *l = op->lower;
	const struct nna_subgraph *sub = &op->graph->subgraphs[op->subgraph];
	uint32_t operand;
	const struct nna_operand *o;
	struct nna_value v;
	int64_t value;
	int ret;

	if (i >= op->operation->output_count)
		return -EINVAL;
	operand = op->operation->outputs[i];
	o = &sub->operands[operand];
	/* A variable, or an output of an inner subgraph, has its value already. */
	if (l->frame->values[operand] != NNA_NO_VALUE)
		return l->frame->values[operand];
	ret = value_of_shape(&op->out[i], &v);
	if (ret)
		return ret;
	if (o->lifetime == NNA_LIFETIME_VARIABLE)
		value = value_in_storage(l, &v, NNA_STORAGE_VARIABLE, operand, NULL, NULL);
	else if (o->lifetime == NNA_LIFETIME_OUTPUT && !l->frame->outer)
		value = value_in_storage(l, &v, NNA_STORAGE_OUTPUT,
					 find_number(sub->outputs, sub->output_count, operand),
					 NULL, NULL);
	else
		value = value_in_storage(l, &v, NNA_STORAGE_SCRATCH, operand, NULL, NULL);
	if (value >= 0)
		l->frame->values[operand] = value;
	return value;
}

int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count)
{
	struct nna_lower *l = op->lower;
	int64_t out = nna_lower_out(op, i);

	if (out < 0)
		return out;
	if (count >= l->value_count || l->values[count].type != NNAHW_TYPE_S32 ||
	    l->storages[l->values[count].storage].kind != NNA_STORAGE_SCRATCH)
		return -EINVAL;
	l->storages[l->values[out].storage].count = count;
	return 0;
}

int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value)
{
	struct nna_lower *l = op->lower;
	const struct nna_subgraph *sub = &op->graph->subgraphs[op->subgraph];
	struct nna_value v;
	uint32_t operand;
	int64_t view, out;
	int ret;

	if (i >= op->operation->output_count || value >= l->value_count)
		return -EINVAL;
	operand = op->operation->outputs[i];
	ret = value_of_shape(&op->out[i], &v);
	if (ret)
		return ret;
	view = nna_view_reshape(l, value, v.rank, v.dims);
	if (view < 0)
		return view;
	if (nnahw_type_size(v.type) != nnahw_type_size(l->values[view].type))
		return -EINVAL;
	if (!same_channels(&v, &l->values[view]))
		return scales_lost(l, "another name for a tensor");
	if (l->frame->values[operand] == NNA_NO_VALUE &&
	    sub->operands[operand].lifetime == NNA_LIFETIME_TEMPORARY) {
		const struct nna_value *old = &l->values[view];

		v.storage = old->storage;
		v.offset = old->offset;
		memcpy(v.strides, old->strides, sizeof(v.strides));
		view = nna_value_add(l, &v);
		if (view < 0)
			return view;
		l->frame->values[operand] = view;
		return 0;
	}
	out = nna_lower_out(op, i);
	if (out < 0)
		return out;
	return nna_emit_copy(l, out, view);
}

/* ----------------------------------------------------------------------------- values and views */

const struct nna_value *nna_lower_value(const struct nna_lower *l, uint32_t value)
{
	return value < l->value_count ? &l->values[value] : NULL;
}

/* A row-major value without storage. */
static int value_plain(struct nna_value *v, uint8_t type, uint32_t rank, const uint32_t *dims,
		       float scale, int32_t zero_point)
{
	uint32_t count;

	if (rank > NNACCEL_MAX_RANK || !nnahw_type_size(type))
		return -EINVAL;
	*v = (struct nna_value){
		.type = type,
		.rank = rank,
		.scale = scale,
		.zero_point = zero_point,
	};
	if (rank)
		memcpy(v->dims, dims, sizeof(*dims) * rank);
	if (!nna_value_count(v, &count))
		return -ENOTSUP;
	nna_value_set_strides(v);
	return 0;
}

int64_t nna_lower_scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			  float scale, int32_t zero_point)
{
	struct nna_value v;
	int ret = value_plain(&v, type, rank, dims, scale, zero_point);

	if (ret)
		return ret;
	return value_in_storage(l, &v, NNA_STORAGE_SCRATCH, NNA_NONE, NULL, NULL);
}

int64_t nna_lower_constant(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			   float scale, int32_t zero_point, const void *data)
{
	struct nna_value v;
	size_t bytes;
	void *copy;
	int ret = value_plain(&v, type, rank, dims, scale, zero_point);

	if (ret)
		return ret;
	bytes = (size_t)value_elements(&v) * nnahw_type_size(type);
	copy = malloc(bytes ? bytes : 1);
	if (!copy)
		return -ENOMEM;
	if (bytes)
		memcpy(copy, data, bytes);
	return value_in_storage(l, &v, NNA_STORAGE_CONSTANT, NNA_NONE, copy, copy);
}

const void *nna_lower_constant_data(const struct nna_lower *l, uint32_t value)
{
	const struct nna_value *v = nna_lower_value(l, value);
	const struct nna_storage *s;

	if (!v)
		return NULL;
	s = &l->storages[v->storage];
	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || !nna_value_contiguous(v))
		return NULL;
	return (const char *)s->data + v->offset;
}

/*
 * The strides of a view of @v with other dims; false where there are none. Walks both shapes from
 * the innermost dim outwards, in groups of equal element count; the old dims of a group must merge
 * into one run of elements.
 */
static bool reshape_strides(const struct nna_value *v, uint32_t rank, const uint32_t *dims,
			    int32_t *strides)
{
	int old = v->rank - 1, new = (int)rank - 1;

	while (old >= 0 || new >= 0) {
		uint64_t have = 1, want = 1;
		int64_t run;

		while (old >= 0 && v->dims[old] == 1)
			old--;
		if (old < 0) {
			for (; new >= 0; new--)
				strides[new] = 1; /* dims of 1 */
			break;
		}
		run = v->strides[old];
		have = v->dims[old--];
		do {
			if (new < 0)
				return false;
			if (want > have) {
				/* Take another old dim into the run. */
				while (old >= 0 && v->dims[old] == 1)
					old--;
				if (old < 0 || v->strides[old] != run * (int64_t)have)
					return false;
				have *= v->dims[old--];
				continue;
			}
			if (run * (int64_t)want > INT32_MAX || run * (int64_t)want < INT32_MIN)
				return false;
			strides[new] = run * (int64_t)want;
			want *= dims[new--];
		} while (want != have);
	}
	return true;
}

int64_t nna_view_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims)
{
	struct nna_value v, plain;
	int64_t copy;
	int ret;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	ret = value_plain(&plain, v.type, rank, dims, v.scale, v.zero_point);
	if (ret)
		return ret;
	if (value_elements(&plain) != value_elements(&v))
		return -EINVAL;
	plain.storage = v.storage;
	plain.offset = v.offset;
	if (v.channel_scales && !reshape_channels(&v, &plain))
		return scales_lost(l, "a reshape");
	if (nna_value_contiguous(&v) || reshape_strides(&v, rank, dims, plain.strides))
		return nna_value_add(l, &plain);
	copy = nna_lower_scratch(l, v.type, v.rank, v.dims, v.scale, v.zero_point);
	if (copy < 0)
		return copy;
	take_channels(&l->values[copy], &v);
	ret = nna_emit_copy(l, copy, value);
	if (ret)
		return ret;
	plain.storage = l->values[copy].storage;
	plain.offset = 0;
	nna_value_set_strides(&plain);
	return nna_value_add(l, &plain);
}

int64_t nna_view_permute(struct nna_lower *l, uint32_t value, const uint32_t *axes)
{
	struct nna_value v, out;
	uint32_t seen = 0;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	out = v;
	for (uint32_t k = 0; k < v.rank; k++) {
		if (axes[k] >= v.rank || seen & (1u << axes[k]))
			return -EINVAL;
		seen |= 1u << axes[k];
		out.dims[k] = v.dims[axes[k]];
		out.strides[k] = v.strides[axes[k]];
		if (v.channel_scales && axes[k] == v.channel_dim)
			out.channel_dim = k;
	}
	return nna_value_add(l, &out);
}

int64_t nna_view_slice(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       int32_t step, uint32_t count)
{
	struct nna_value v;
	int64_t last, stride;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis >= v.rank)
		return -EINVAL;
	if (count) {
		last = (int64_t)start + (int64_t)step * (count - 1);
		if (start >= v.dims[axis] || last < 0 || last >= v.dims[axis])
			return -EINVAL;
		v.offset += (int64_t)start * v.strides[axis] * nnahw_type_size(v.type);
	}
	if (count > 1) {
		stride = (int64_t)v.strides[axis] * step;
		if (stride > INT32_MAX || stride < INT32_MIN)
			return -ENOTSUP;
		v.strides[axis] = stride;
	}
	if (v.channel_scales && v.channel_dim == axis) {
		if (step == 1 && count) {
			v.channel_scales += start;
			v.channel_count = count;
		} else if (count != v.dims[axis] || step != 1) {
			return -ENOTSUP;
		}
	}
	v.dims[axis] = count;
	return nna_value_add(l, &v);
}

int64_t nna_view_broadcast(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims)
{
	struct nna_value v, out;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (rank > NNACCEL_MAX_RANK || v.rank > rank)
		return -EINVAL;
	out = v;
	out.rank = rank;
	for (uint32_t k = 0; k < rank; k++) {
		uint32_t gap = rank - v.rank;

		out.dims[k] = dims[k];
		out.strides[k] = 0;
		if (k < gap)
			continue;
		if (v.dims[k - gap] == dims[k])
			out.strides[k] = v.strides[k - gap];
		else if (v.dims[k - gap] != 1)
			return -EINVAL;
	}
	out.channel_dim += rank - v.rank;
	return nna_value_add(l, &out);
}

int64_t nna_view_retype(struct nna_lower *l, uint32_t value, uint8_t type, float scale,
			int32_t zero_point)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (nnahw_type_size(type) != nnahw_type_size(v.type))
		return -EINVAL;
	/* One channel has one scale, which a value can have as its own. */
	if (v.channel_scales && (v.channel_count != 1 || v.channel_scales[0] != scale))
		return scales_lost(l, "another type or scale for a tensor");
	v.type = type;
	v.scale = scale;
	v.zero_point = zero_point;
	v.channel_scales = NULL;
	v.channel_count = 0;
	return nna_value_add(l, &v);
}

int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis > v.rank || v.rank == NNACCEL_MAX_RANK)
		return -EINVAL;
	for (uint32_t k = v.rank; k > axis; k--) {
		v.dims[k] = v.dims[k - 1];
		v.strides[k] = v.strides[k - 1];
	}
	/* The stride of a dim of 1 is free: one that keeps the value row-major where it was. */
	v.strides[axis] = 1;
	if (axis < v.rank) {
		int64_t stride = (int64_t)v.dims[axis + 1] * v.strides[axis + 1];

		if (stride >= INT32_MIN && stride <= INT32_MAX)
			v.strides[axis] = stride;
	}
	v.dims[axis] = 1;
	v.rank++;
	if (v.channel_scales && axis <= v.channel_dim)
		v.channel_dim++;
	return nna_value_add(l, &v);
}

int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis >= v.rank || v.dims[axis] != 1)
		return -EINVAL;
	for (uint32_t k = axis; k + 1 < v.rank; k++) {
		v.dims[k] = v.dims[k + 1];
		v.strides[k] = v.strides[k + 1];
	}
	v.rank--;
	if (v.channel_scales) {
		if (axis == v.channel_dim)
			return -EINVAL;
		if (axis < v.channel_dim)
			v.channel_dim--;
	}
	return nna_value_add(l, &v);
}

/* ------------------------------------------------------------------------------------- commands */

static int command_add(struct nna_lower *l, const void *command, const uint32_t *values,
		       uint32_t label)
{
	const struct nnahw_command *head = command;
	struct nna_ir_command *c;
	uint32_t size, operands, outputs;
	int ret;

	if (!nna_command_find(head->opcode, &size, &operands, &outputs))
		return -EINVAL;
	if (l->command_count >= NNA_IR_MAX_COMMANDS)
		return -ENOTSUP;
	ret = table_grow((void **)&l->commands, l->command_count, &l->command_room,
			 sizeof(*l->commands));
	if (ret)
		return ret;
	c = &l->commands[l->command_count];
	*c = (struct nna_ir_command){
		.operand_count = operands,
		.outputs = outputs,
		.label = label,
	};
	for (uint32_t i = 0; i < c->operand_count; i++) {
		if (values[i] != NNA_NO_VALUE && values[i] >= l->value_count)
			return -EINVAL;
		if (values[i] != NNA_NO_VALUE && l->values[values[i]].rank > NNAHW_MAX_RANK)
			return -ENOTSUP;
		if (values[i] != NNA_NO_VALUE && l->values[values[i]].channel_scales &&
		    !may_have_channels(l, head, values, i))
			return scales_lost(l, nna_command_name(head->opcode));
		c->values[i] = values[i];
	}
	c->raw = malloc(size);
	if (!c->raw)
		return -ENOMEM;
	memcpy(c->raw, command, size);
	c->raw->flags = 0;
	c->raw->size = size;
	c->raw->origin = l->origin;
	c->raw->reserved = 0;
	l->command_count++;
	return 0;
}

int nna_lower_command(struct nna_lower *l, const void *command, const uint32_t *values)
{
	int ret = command_add(l, command, values, NNA_NONE);

	return ret ?: nna_limits_check(l, command, values);
}

int64_t nna_lower_label(struct nna_lower *l)
{
	int ret = table_grow((void **)&l->labels, l->label_count, &l->label_room,
			     sizeof(*l->labels));

	if (ret)
		return ret;
	l->labels[l->label_count] = NNA_NONE;
	return l->label_count++;
}

int nna_lower_place(struct nna_lower *l, uint32_t label)
{
	if (label >= l->label_count || l->labels[label] != NNA_NONE)
		return -EINVAL;
	l->labels[label] = l->command_count;
	return 0;
}

int nna_emit_jump(struct nna_lower *l, uint32_t label)
{
	struct nnahw_cmd_jump c = { .head.opcode = NNAHW_OP_JUMP };

	if (label >= l->label_count)
		return -EINVAL;
	if (l->labels[label] != NNA_NONE)
		l->synchronous = true; /* backwards: a loop */
	return command_add(l, &c, NULL, label);
}

int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label)
{
	struct nnahw_cmd_branch c = { .head.opcode = NNAHW_OP_BRANCH };

	if (label >= l->label_count)
		return -EINVAL;
	if (l->labels[label] != NNA_NONE)
		l->synchronous = true;
	return command_add(l, &c, &condition, label);
}

/* ----------------------------------------------------------------------------- facts about flow */

bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to)
{
	if (!l->label_count)
		return false;
	for (uint32_t i = 0; i < l->label_count; i++)
		if (l->labels[i] != NNA_NONE && l->labels[i] > from && l->labels[i] <= to)
			return true;
	for (uint32_t i = from; i < to; i++)
		if (!l->commands[i].dead && l->commands[i].label != NNA_NONE)
			return true;
	return false;
}

bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only)
{
	for (uint32_t i = from; i < to; i++) {
		const struct nna_ir_command *c = &l->commands[i];

		if (c->dead || i == except)
			continue;
		for (uint32_t k = 0; k < c->operand_count; k++) {
			if (c->values[k] == NNA_NO_VALUE ||
			    (writes_only && !nna_ir_is_output(c, k)))
				continue;
			if (nna_value_overlap(&l->values[c->values[k]], value))
				return true;
		}
	}
	return false;
}

bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_command *c, uint32_t s)
{
	for (uint32_t k = 0; !c->dead && k < c->operand_count; k++)
		if (nna_ir_is_output(c, k) && c->values[k] != NNA_NO_VALUE &&
		    l->values[c->values[k]].storage == s)
			return true;
	return false;
}

uint32_t nna_ir_only_writer(const struct nna_lower *l, uint32_t s)
{
	uint32_t writer = NNA_NONE;

	for (uint32_t i = 0; i < l->command_count; i++) {
		const struct nna_ir_command *c = &l->commands[i];

		if (!nna_ir_writes(l, c, s))
			continue;
		if (writer != NNA_NONE || l->values[c->values[0]].storage != s)
			return NNA_NONE;
		writer = i;
	}
	return writer;
}
