// SPDX-License-Identifier: MIT
/*
 * The job that computes constants: see fold.h.
 *
 * The job is a lowering of its own, to which operations are appended in their order. An operand
 * that an earlier operation of the job has written is read there; all other inputs are constants
 * over the same bytes as in the program. Each result is an output of the job.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/fold.h"
#include "libnnaccel/compiler/passes.h"
#include "libnnaccel/support/array.h"

/*
 * A folded result is kept as a constant if it has at most this many bytes, or at most four times
 * the bytes of its inputs; else it is computed in every run.
 */
#define FOLD_LIMIT (64u << 10)
/* Constant results of at most this many bytes can be parameters of later operations. */
#define BOUND_LIMIT 4096u
/*
 * The most bytes of results that wait in one job: they are in the device's memory and in this
 * process at the same time, and a job has a time limit.
 */
#define JOB_LIMIT (64u << 20)

static uint64_t value_bytes(const struct nna_value *v)
{
	uint32_t count = 0;

	nna_value_count(v, &count);
	return (uint64_t)count * nna_type_size(v->type);
}

/* Return: the result whose bytes a storage of the program waits for; NULL: it waits for none. */
static const struct nna_fold_result *find_result(const struct nna_fold *f, uint32_t storage)
{
	for (uint32_t i = f->count; i-- > 0;)
		if (f->results[i].storage == storage)
			return &f->results[i];
	return NULL;
}

/* Return: true if a value of the program is a constant with contiguous elements. */
static bool is_constant(const struct nna_fold *f, uint32_t value)
{
	const struct nna_value *v;

	if (value == NNA_NO_VALUE)
		return false;
	v = &f->l->values[value];
	return nna_lower_constant_data(f->l, value) ||
	       (find_result(f, v->storage) && nna_value_contiguous(v));
}

int nna_fold_bind_results(struct nna_fold *f, const struct nna_operation *operation)
{
	for (uint32_t i = 0; i < operation->output_count; i++) {
		uint32_t value = f->frame->values[operation->outputs[i]];
		uint64_t bytes;
		int ret;

		if (!is_constant(f, value))
			continue;
		bytes = value_bytes(&f->l->values[value]);
		if (bytes > BOUND_LIMIT)
			continue;
		ret = nna_frame_bind(f->frame, operation->outputs[i],
				     nna_lower_constant_data(f->l, value), bytes);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * True if an operation can be folded: its inputs are constants, its outputs are temporaries, and
 * the same inputs always give the same outputs. @in_bytes: the size of its inputs.
 */
static bool can_fold(const struct nna_fold *f, const struct nna_op_context *op, uint64_t *in_bytes)
{
	bool any = false;

	*in_bytes = 0;
	if (op->operation->type == NNA_OPERATION_IF || op->operation->type == NNA_OPERATION_WHILE ||
	    op->operation->type == NNA_OPERATION_RANDOM_MULTINOMIAL)
		return false;
	for (uint32_t i = 0; i < op->operation->output_count; i++)
		if (op->out_operand[i]->lifetime != NNA_LIFETIME_TEMPORARY || op->out[i].bounded)
			return false;
	for (uint32_t i = 0; i < op->operation->input_count; i++) {
		uint32_t value = f->frame->values[op->operation->inputs[i]];

		switch (op->in_operand[i]->lifetime) {
		case NNA_LIFETIME_CONSTANT:
			*in_bytes += op->in_operand[i]->size;
			any = true;
			break;
		case NNA_LIFETIME_NO_VALUE:
			break;
		case NNA_LIFETIME_TEMPORARY:
			if (!is_constant(f, value))
				return false;
			*in_bytes += value_bytes(&f->l->values[value]);
			any = true;
			break;
		default:
			return false;
		}
	}
	return any;
}

static int begin_job(struct nna_fold *f)
{
	int ret;

	if (f->job)
		return 0;
	ret = nna_lower_create(f->l->graph, &f->l->log, &f->job);
	if (ret)
		return ret;
	f->job->account = f->l->account;
	f->job->configuration = f->l->configuration;
	ret = nna_frame_begin(&f->job_frame, f->l->graph, f->frame->subgraph, NULL);
	if (ret) {
		nna_lower_destroy(f->job);
		f->job = NULL;
	}
	return ret;
}

static void end_job(struct nna_fold *f)
{
	if (!f->job)
		return;
	nna_frame_end(&f->job_frame);
	nna_lower_destroy(f->job);
	f->job = NULL;
	f->count = 0;
	f->bytes = 0;
}

/* Return: the storage of the job with the bytes of a storage of the program. */
static int64_t job_storage(struct nna_fold *f, uint32_t storage)
{
	const struct nna_fold_result *result = find_result(f, storage);
	const struct nna_storage *s = &f->l->storages[storage];

	if (result)
		return result->job_storage;
	return nna_storage_add(f->job, NNA_STORAGE_CONSTANT, s->size, s->index, s->data, NULL);
}

/* Adds the inputs that no operation of the job has written. */
static int take_inputs(struct nna_fold *f, const struct nna_op_context *op)
{
	for (uint32_t i = 0; i < op->operation->input_count; i++) {
		uint32_t operand = op->operation->inputs[i];
		int64_t storage, copy;
		struct nna_value v;

		if (op->in_operand[i]->lifetime != NNA_LIFETIME_TEMPORARY ||
		    f->job_frame.values[operand] != NNA_NO_VALUE)
			continue;
		v = f->l->values[f->frame->values[operand]];
		storage = job_storage(f, v.storage);
		if (storage < 0)
			return storage;
		v.storage = storage;
		copy = nna_value_add(f->job, &v);
		if (copy < 0)
			return copy;
		f->job_frame.values[operand] = copy;
	}
	return 0;
}

/* The bytes of all results of an operation of the job. A result without a size is an error. */
static int result_bytes(const struct nna_fold *f, const struct nna_operation *operation,
			uint64_t *bytes)
{
	*bytes = 0;
	for (uint32_t i = 0; i < operation->output_count; i++) {
		uint32_t value = f->job_frame.values[operation->outputs[i]];

		if (value == NNA_NO_VALUE)
			return -EINVAL;
		*bytes += value_bytes(&f->job->values[value]);
	}
	return 0;
}

/* Makes an output of the job from a result. Return: its storage there. */
static int64_t make_output(struct nna_fold *f, uint32_t operand)
{
	struct nna_lower *job = f->job;
	uint32_t value = f->job_frame.values[operand];
	struct nna_value v = job->values[value];
	int64_t storage, out;
	int ret;

	if (job->storages[v.storage].kind == NNA_STORAGE_SCRATCH && nna_value_whole(job, &v)) {
		job->storages[v.storage].kind = NNA_STORAGE_OUTPUT;
		job->storages[v.storage].index = f->count;
		return v.storage;
	}
	storage = nna_storage_add(job, NNA_STORAGE_OUTPUT, value_bytes(&v), f->count, NULL, NULL);
	if (storage < 0)
		return storage;
	v.storage = storage;
	v.offset = 0;
	nna_value_set_strides(&v);
	out = nna_value_add(job, &v);
	if (out < 0)
		return out;
	f->job_frame.values[operand] = out;
	ret = nna_emit_copy(job, out, value);
	return ret ? ret : storage;
}

/* Makes a constant of the program from a result; its bytes come later. */
static int make_constant(struct nna_fold *f, uint32_t operand)
{
	int64_t output = make_output(f, operand), storage, value;
	struct nna_fold_result *grown;
	struct nna_value v;

	if (output < 0)
		return output;
	grown = nna_array_reserve(f->results, (uint64_t)f->count + 1, &f->room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->results = grown;
	v = f->job->values[f->job_frame.values[operand]];
	storage = nna_storage_add(f->l, NNA_STORAGE_CONSTANT, value_bytes(&v), operand, NULL, NULL);
	if (storage < 0)
		return storage;
	f->results[f->count++] = (struct nna_fold_result){ storage, output };
	v.storage = storage;
	v.offset = 0;
	nna_value_set_strides(&v);
	value = nna_value_add(f->l, &v);
	if (value < 0)
		return value;
	f->frame->values[operand] = value;
	return 0;
}

/*
 * Lowers an operation into the job. Return: 1, 0 (folding is not worthwhile), -EAGAIN (it needs the
 * bytes of a result that waits in the job), or another negative errno.
 */
static int lower(struct nna_fold *f, const struct nna_op *impl, struct nna_op_context *op,
		 uint64_t in_bytes)
{
	uint32_t from = f->job->op_count;
	uint64_t bytes = 0;
	int ret = take_inputs(f, op);

	f->job->origin = op->index;
	op->lower = f->job;
	op->frame = &f->job_frame;
	f->adding = true;
	if (!ret)
		ret = impl->lower(op);
	if (!ret && f->demand.asked)
		ret = -EAGAIN;
	f->adding = false;
	op->lower = f->l;
	op->frame = f->frame;
	if (!ret)
		ret = nna_pass_accept(f->job, f->options->backend, from);
	if (ret || f->job->op_count == from || f->job->synchronous)
		return ret;
	ret = result_bytes(f, op->operation, &bytes);
	if (ret || (bytes > FOLD_LIMIT && bytes > 4 * in_bytes))
		return ret;
	for (uint32_t i = 0; !ret && i < op->operation->output_count; i++)
		ret = make_constant(f, op->operation->outputs[i]);
	f->bytes += bytes;
	return ret ? ret : 1;
}

/* Removes the ir operations that an operation has added to the job. */
static void drop(struct nna_fold *f, const struct nna_operation *operation, uint32_t from)
{
	for (uint32_t i = from; i < f->job->op_count; i++)
		f->job->ops[i].dead = true;
	for (uint32_t i = 0; i < operation->output_count; i++)
		f->job_frame.values[operation->outputs[i]] = NNA_NO_VALUE;
	f->job->synchronous = false;
}

int nna_fold_add(struct nna_fold *f, const struct nna_op *impl, struct nna_op_context *op)
{
	uint64_t in_bytes;
	int ret;

	if (!f->options->run || f->l->debug & NNA_DEBUG_NO_FOLD || !can_fold(f, op, &in_bytes))
		return 0;
	for (int tries = 0; tries < 2; tries++) {
		uint32_t from;

		ret = begin_job(f);
		if (ret)
			return ret;
		from = f->job->op_count;
		f->demand.asked = false;
		ret = lower(f, impl, op, in_bytes);
		if (ret <= 0)
			drop(f, op->operation, from);
		if (!f->demand.asked)
			break;
		/*
		 * The operation needs the bytes of a result that waits in the job, so the job runs
		 * first.
		 */
		ret = nna_fold_run_job(f);
		if (ret)
			return ret;
	}
	if (ret > 0 && f->bytes >= JOB_LIMIT)
		ret = nna_fold_run_job(f) ?: 1;
	return ret;
}

/* Emits the job, and has it run. */
static int run(struct nna_fold *f, void **outputs)
{
	const struct nna_compile_options *o = f->options;
	struct nna_code *code = NULL;
	int ret = o->backend->select(f->job) ?:
		  nna_emit_code(f->job, o->backend, 0, f->count, o->max_slots, &code);

	for (uint32_t i = 0; !ret && i < f->count; i++) {
		ret = nna_lower_charge(f->l, code->outputs[i].size);
		if (ret)
			break;
		outputs[i] = calloc(1, code->outputs[i].size ? code->outputs[i].size : 1);
		if (!outputs[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = o->run(o->user, code, outputs);
	nna_code_destroy(code);
	return ret;
}

int nna_fold_run_job(struct nna_fold *f)
{
	void **outputs;
	int ret;

	if (!f->count) {
		end_job(f);
		return 0;
	}
	outputs = calloc(f->count, sizeof(*outputs));
	if (!outputs)
		return -ENOMEM;
	ret = run(f, outputs);
	for (uint32_t i = 0; i < f->count; i++) {
		struct nna_storage *s = &f->l->storages[f->results[i].storage];

		s->owned = outputs[i];
		s->data = s->owned;
	}
	free(outputs);
	end_job(f);
	/* Values that were bound without their bytes. */
	for (uint32_t i = 0; !ret && i < f->frame->bound_count; i++) {
		struct nna_bound_value *bound = &f->frame->bound[i];

		if (!bound->data)
			bound->data = nna_lower_constant_data(f->l,
							      f->frame->values[bound->operand]);
	}
	return ret;
}

/* An operation asks for the bytes of a result that waits. */
static void meet(struct nna_demand *demand)
{
	struct nna_fold *f = (struct nna_fold *)demand;

	demand->asked = true;
	if (!f->adding && !demand->error)
		demand->error = nna_fold_run_job(f);
}

void nna_fold_begin(struct nna_fold *f, const struct nna_compile_options *options,
		    struct nna_lower *l, struct nna_frame *frame)
{
	*f = (struct nna_fold){
		.demand = { .meet = meet },
		.options = options,
		.l = l,
		.frame = frame,
	};
}

void nna_fold_end(struct nna_fold *f)
{
	end_job(f);
	free(f->results);
}
