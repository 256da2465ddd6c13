// SPDX-License-Identifier: MIT
/*
 * Variants: the graph of a program compiled for one signature, and the list of variants.
 *
 * At first no input is a parameter. If the compiler stops at an operation that needs a value, the
 * inputs that provide it become parameters: their values are part of the signature from then on,
 * and all earlier variants are dropped. If there is no such input, the shapes depend on data, and a
 * variant without code records that. It is made when the program is created, unless there are
 * parameters, because with their values the compiler may stop elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ops/op.h"
#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fold.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/variant.h"

#define MAX_VARIANTS 32u
/* The most bytes of an input that may decide about shapes. */
#define MAX_PARAMETER 4096u

static void variant_destroy(struct nna_device *d, struct nna_variant *v)
{
	if (!v)
		return;
	while (v->spare) {
		struct nna_context *next = v->spare->next;

		nna_context_destroy(d, v->spare);
		v->spare = next;
	}
	if (v->bo)
		nna_winsys_bo_destroy(d->ws, v->bo);
	nna_code_destroy(v->code);
	nna_account_discharge(&d->ws->account, v->charged);
	free(v->places);
	free(v->key);
	free(v);
}

void nna_variant_put(struct nna_program *program, struct nna_variant *variant)
{
	if (variant && atomic_fetch_sub(&variant->references, 1) == 1)
		variant_destroy(program->device, variant);
}

/* Charges for what stays of the code in this process. */
static int charge_code(const struct nna_device *d, struct nna_variant *v)
{
	const struct nna_code *code = v->code;
	const uint64_t bytes =
		code->stream_size + ((uint64_t)code->input_count + code->output_count) *
					    (sizeof(*code->inputs) + sizeof(*v->places));
	int ret = nna_account_charge(&d->ws->account, bytes);

	if (!ret)
		v->charged = bytes;
	return ret;
}

/* Writes the image to a BO. The stream stays in this process for dumps and messages. */
static int upload(struct nna_device *d, struct nna_code *code, struct nna_winsys_bo **bo)
{
	int ret = nna_winsys_bo_create(d->ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY,
				       bo);

	if (ret)
		return ret;
	nna_code_write(code, (*bo)->map);
	nna_code_drop_constants(code);
	return 0;
}

/*
 * Whether a run may exceed the job limit: because of its loops, or of more work than the device
 * does in a slice for certain.
 */
static bool may_take_long(const struct nna_device *d, const struct nna_code *code)
{
	const struct nna_winsys *ws = d->ws;

	if (code->synchronous || !ws->work_limit || !d->backend->measure || !code->stream)
		return code->synchronous;
	return d->backend->measure(code->stream, code->stream_size) > ws->work_limit;
}

static int run_for_compiler(void *user, const struct nna_code *code, void *const *outputs)
{
	return nna_fold_run(user, code, outputs);
}

uint64_t nna_shape_bytes_saturated(const struct nna_shape *shape)
{
	uint64_t bytes = nna_operand_type_size(shape->type);

	for (uint32_t k = 0; k < shape->rank; k++)
		if (__builtin_mul_overflow(bytes, (uint64_t)shape->dims[k], &bytes))
			return UINT64_MAX;
	return bytes;
}

/*
 * Makes the signature: the dims and bytes of each input. Return: NULL without memory. Under @lock.
 */
static uint8_t *make_key(const struct nna_program *p, const struct nna_shape *inputs,
			 const void *const *data, size_t *size)
{
	uint32_t count = p->graph->subgraphs[0].input_count;
	size_t bytes = 1;
	uint8_t *key, *at;

	for (uint32_t i = 0; i < count; i++) {
		bytes += 1 + sizeof(inputs[i].rank) + sizeof(inputs[i].dims);
		if (p->parameters[i] && data && data[i] && !inputs[i].omitted)
			bytes += nna_shape_bytes_saturated(&inputs[i]);
	}
	key = calloc(1, bytes);
	if (!key)
		return NULL;
	at = key + 1;
	for (uint32_t i = 0; i < count; i++) {
		*at++ = inputs[i].omitted;
		if (inputs[i].omitted) {
			at += sizeof(inputs[i].rank) + sizeof(inputs[i].dims);
			continue;
		}
		memcpy(at, &inputs[i].rank, sizeof(inputs[i].rank));
		at += sizeof(inputs[i].rank);
		memcpy(at, inputs[i].dims, sizeof(inputs[i].dims[0]) * inputs[i].rank);
		at += sizeof(inputs[i].dims);
		if (p->parameters[i] && data && data[i]) {
			memcpy(at, data[i], nna_shape_bytes_saturated(&inputs[i]));
			at += nna_shape_bytes_saturated(&inputs[i]);
		}
	}
	*size = bytes;
	return key;
}

/*
 * Finds a variant, and moves it to the front of the list. Return: a reference, or NULL. Under
 * @lock.
 */
static struct nna_variant *find_variant(struct nna_program *p, const uint8_t *key, size_t size)
{
	for (struct nna_variant **link = &p->variants; *link; link = &(*link)->next) {
		struct nna_variant *v = *link;

		if (v->key_size != size || memcmp(v->key, key, size))
			continue;
		*link = v->next;
		v->next = p->variants;
		p->variants = v;
		atomic_fetch_add(&v->references, 1);
		return v;
	}
	return NULL;
}

struct nna_variant *nna_variant_trim(struct nna_program *p, uint32_t keep)
{
	struct nna_variant **link = &p->variants, *rest;

	for (uint32_t i = 0; i < keep && *link; i++)
		link = &(*link)->next;
	rest = *link;
	*link = NULL;
	if (p->variant_count > keep)
		p->variant_count = keep;
	return rest;
}

void nna_variant_put_list(struct nna_program *p, struct nna_variant *v)
{
	while (v) {
		struct nna_variant *next = v->next;

		nna_variant_put(p, v);
		v = next;
	}
}

/*
 * Operation @stop needs a value: those of its inputs that are inputs of the program, and have a
 * suitable type, become parameters. Return: false if no input became one.
 */
static bool add_parameters(struct nna_program *p, uint32_t stop)
{
	const struct nna_subgraph *sub = &p->graph->subgraphs[0];
	const struct nna_operation *o;
	struct nna_variant *stale = NULL;
	bool added = false, floats;

	if (stop == NNA_NONE)
		return false;
	o = &sub->operations[stop];
	floats = nna_op_find(o->type)->asks_floats;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < sub->input_count; i++) {
		enum nna_operand_type type = sub->operands[sub->inputs[i]].stated.type;

		if (p->parameters[i] || (type == NNA_OPERAND_TENSOR_FLOAT32 && !floats) ||
		    type == NNA_OPERAND_TENSOR_FLOAT16 || nna_operand_type_is_quantised(type))
			continue;
		for (uint32_t k = 0; k < o->input_count && !p->parameters[i]; k++)
			if (o->inputs[k] == sub->inputs[i])
				p->parameters[i] = added = true;
	}
	/* Keys that were made before have another meaning now. */
	if (added) {
		atomic_store_explicit(&p->has_parameters, true, memory_order_relaxed);
		p->stated = NULL;
		stale = nna_variant_trim(p, 0);
	}
	pthread_mutex_unlock(&p->lock);
	nna_variant_put_list(p, stale);
	return added;
}

static int compile_variant(struct nna_program *p, const struct nna_shape *inputs,
			   const void *const *data, const struct nna_compile_limit *limit,
			   const struct nna_log *log, uint32_t *stop, struct nna_variant **out)
{
	const struct nna_subgraph *sub = &p->graph->subgraphs[0];
	struct nna_bound_value *values = calloc((size_t)sub->input_count + 1, sizeof(*values));
	struct nna_variant *v = calloc(1, sizeof(*v));
	struct nna_compile_options options = {
		.backend = p->device->backend,
		.inputs = inputs,
		.values = values,
		.max_slots = p->device->info.max_slots,
		.abi_minor = p->device->info.abi_minor,
		.configuration = p->device->ws->configuration,
		.limit = limit ? *limit : (struct nna_compile_limit){ 0 },
		.log = log,
		.account = &p->device->ws->account,
		.run = p->device->ws->compiles_only ? NULL : run_for_compiler,
		.user = p,
	};
	int ret = -ENOMEM;

	if (!values || !v)
		goto out;
	for (uint32_t i = 0; data && i < sub->input_count; i++) {
		uint64_t bytes = nna_shape_bytes_saturated(&inputs[i]);

		if (p->parameters[i] && data[i] && !inputs[i].omitted && bytes <= MAX_PARAMETER)
			values[options.value_count++] =
				(struct nna_bound_value){ sub->inputs[i], data[i], bytes };
	}
	atomic_init(&v->references, 1);
	ret = nna_compile(p->graph, &options, stop, &v->code);
	if (!ret)
		ret = charge_code(p->device, v);
	if (!ret)
		ret = nna_context_place_io(v->code, &v->places, &v->staging_size);
	if (!ret)
		ret = upload(p->device, v->code, &v->bo);
	if (!ret)
		v->synchronous = may_take_long(p->device, v->code);
out:
	free(values);
	if (ret) {
		variant_destroy(p->device, v);
		return ret;
	}
	*out = v;
	return 0;
}

/* Inserts a new variant at the front of the list, which gets a reference. Takes over @key. */
static void insert_variant(struct nna_program *p, struct nna_variant *v, uint8_t *key, size_t size)
{
	struct nna_variant *stale;

	v->key = key;
	v->key_size = size;
	pthread_mutex_lock(&p->lock);
	v->next = p->variants;
	p->variants = v;
	p->variant_count++;
	atomic_fetch_add(&v->references, 1);
	stale = nna_variant_trim(p, MAX_VARIANTS);
	for (struct nna_variant *s = stale; s; s = s->next)
		if (s == p->stated)
			p->stated = NULL;
	pthread_mutex_unlock(&p->lock);
	nna_variant_put_list(p, stale);
}

int nna_variant_adopt(struct nna_program *p, const struct nna_shape *inputs, struct nna_code *code,
		      struct nna_winsys_bo *bo, uint64_t charged, struct nna_variant **out)
{
	struct nna_variant *v = calloc(1, sizeof(*v));
	size_t size = 0;
	uint8_t *key = make_key(p, inputs, NULL, &size);
	int ret = v && key ? nna_context_place_io(code, &v->places, &v->staging_size) : -ENOMEM;

	if (ret) {
		if (v)
			free(v->places);
		free(v);
		free(key);
		return ret;
	}
	atomic_init(&v->references, 1);
	v->code = code;
	v->bo = bo;
	v->charged = charged;
	v->synchronous = may_take_long(p->device, code);
	insert_variant(p, v, key, size);
	*out = v;
	return 0;
}

/*
 * Copies the inputs that the compiler may read, so that all of its steps and the signature see the
 * same values: other threads may write to the inputs at any time. *@out is one allocation.
 */
static int copy_values(const struct nna_program *p, const struct nna_shape *inputs,
		       const void *const *data, const void ***out)
{
	const uint32_t count = p->graph->subgraphs[0].input_count;
	const void **values;
	uint8_t *at;

	values = calloc((size_t)count + 1, sizeof(*values) + MAX_PARAMETER);
	if (!values)
		return -ENOMEM;
	at = (uint8_t *)(values + count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = nna_shape_bytes_saturated(&inputs[i]);

		values[i] = data[i];
		if (!data[i] || inputs[i].omitted || bytes > MAX_PARAMETER)
			continue;
		memcpy(at, data[i], bytes);
		values[i] = at;
		at += (bytes + 7) & ~UINT64_C(7);
	}
	*out = values;
	return 0;
}

static bool has_parameters(const struct nna_program *p)
{
	return atomic_load_explicit(&p->has_parameters, memory_order_relaxed);
}

static int make_variant(struct nna_program *p, const struct nna_shape *inputs,
			const void *const *data, const struct nna_compile_limit *limit,
			struct nna_variant **out)
{
	struct nna_variant *v;
	uint32_t stop = NNA_NONE;
	size_t size;
	uint8_t *key;
	int ret;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		key = make_key(p, inputs, data, &size);
		v = key ? find_variant(p, key, size) : NULL;
		pthread_mutex_unlock(&p->lock);
		if (v || !key)
			break;
		if (p->fixed) {
			free(key);
			nna_log_print(&p->device->log, NNA_LOG_ERROR,
				      "a program that was loaded without its graph has one shape: "
				      "bind all inputs, with the dimensions that it states");
			return -ENOTSUP;
		}
		ret = compile_variant(p, inputs, data, limit, &p->device->log, &stop, &v);
		if (!ret)
			break;
		if (ret != -EAGAIN || !add_parameters(p, stop)) {
			v = ret == -EAGAIN && (data || !has_parameters(p)) ?
				    calloc(1, sizeof(*v)) :
				    NULL;
			if (v) {
				atomic_init(&v->references, 1);
				v->stop = stop;
				break;
			}
			free(key);
			return ret;
		}
		free(key);
	}
	if (!key)
		return -ENOMEM;
	if (v->key) {
		free(key);
		*out = v;
		return 0;
	}
	insert_variant(p, v, key, size);
	*out = v;
	return 0;
}

int nna_variant_make(struct nna_program *p, const struct nna_shape *inputs, const void *const *data,
		     const struct nna_compile_limit *limit, struct nna_variant **out)
{
	const void **values = NULL;
	int ret = data ? copy_values(p, inputs, data, &values) : 0;

	if (!ret)
		ret = make_variant(p, inputs, values, limit, out);
	free(values);
	return ret;
}

int nna_variant_get(struct nna_program *program, const struct nna_shape *inputs,
		    const void *const *data, const struct nna_compile_limit *limit, uint32_t *stop,
		    struct nna_variant **out)
{
	uint8_t *key;
	size_t size;
	int ret = 0;

	/* In the usual case this does not wait for another thread that compiles. */
	pthread_mutex_lock(&program->lock);
	key = make_key(program, inputs, data, &size);
	*out = key ? find_variant(program, key, size) : NULL;
	pthread_mutex_unlock(&program->lock);
	free(key);
	if (!key)
		return -ENOMEM;
	if (!*out) {
		pthread_mutex_lock(&program->compiling);
		ret = nna_variant_make(program, inputs, data, limit, out);
		pthread_mutex_unlock(&program->compiling);
	}
	if (ret || (*out)->code)
		return ret;
	*stop = (*out)->stop;
	nna_variant_put(program, *out);
	return -EAGAIN;
}
