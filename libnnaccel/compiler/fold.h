/* SPDX-License-Identifier: MIT */
/*
 * Folding: operations on constants alone run once, while the program is compiled, in a job on the
 * device (no arithmetic runs in the library); their results are constants of the program.
 *
 * Such operations wait, so that all of them are one job: what the program gets of each is a
 * constant whose bytes come later. They come when somebody asks for them (an operation whose shape
 * one of them decides, by nna_op_data()), when too much waits, and at the end.
 */
#ifndef NNA_FOLD_H
#define NNA_FOLD_H

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/ops/lower.h"

/**
 * struct nna_fold - what waits to be folded while a graph is compiled
 * @demand: by which operations ask for what waits, see struct nna_op_context
 * @options: of the compilation
 * @l: the program in the making, the caller's
 * @frame: operands of its main subgraph, the caller's
 * @job: what waits, in execution order; NULL when nothing does
 * @job_frame: operands in @job
 * @results: @count storages of @l that wait for their bytes, and where @job writes them
 * @bytes: of all results
 * @adding: an operation is being added to @job, which cannot run now
 */
struct nna_fold {
	struct nna_demand demand;
	const struct nna_compile_options *options;
	struct nna_lower *l;
	struct nna_frame *frame;
	struct nna_lower *job;
	struct nna_frame job_frame;
	struct nna_fold_result {
		uint32_t storage, job_storage;
	} *results;
	uint32_t count, room;
	uint64_t bytes;
	bool adding;
};

/* Nothing waits. nna_fold_end() frees what there is. */
void nna_fold_begin(struct nna_fold *f, const struct nna_compile_options *options,
		    struct nna_lower *l, struct nna_frame *frame);
void nna_fold_end(struct nna_fold *f);

/*
 * Lets an operation of the main subgraph wait, if it can be folded and that is worthwhile. Its
 * results have their values then, and small ones are bound. Return: 1 when that is done, 0 when the
 * operation is to be lowered as any other (its inputs are not all constant, it is a mere view, or
 * its result is too large to keep), or a negative errno.
 */
int nna_fold_add(struct nna_fold *f, const struct nna_op *impl, struct nna_op_context *op);

/* Binds those results of an operation that are constants, so that they may decide about shapes. */
int nna_fold_bind_results(struct nna_fold *f, const struct nna_operation *operation);

/* Runs what waits. Return: 0 or a negative errno. */
int nna_fold_run_job(struct nna_fold *f);

#endif
