/* SPDX-License-Identifier: MIT */
/*
 * Folding: operations whose inputs are all constants run once, while the program is compiled, in a
 * job on the device (the library does no arithmetic). Their results are constants of the program.
 *
 * Such operations wait, so that they run in one job. The program gets a constant for each result,
 * whose bytes are filled in when the job has run: when an operation asks for them with
 * nna_op_data(), because they decide about its shape; when too many bytes wait; and at the end.
 */
#ifndef NNA_FOLD_H
#define NNA_FOLD_H

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/ops/lower.h"

/**
 * struct nna_fold - operations that wait to be folded while a graph is compiled
 * @demand: operations ask through it for bytes that wait, see struct nna_op_context
 * @options: of the compilation
 * @l: the program in the making, the caller's
 * @frame: operands of its main subgraph, the caller's
 * @job: the operations that wait, in execution order; NULL without any
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

/* Begins without operations that wait. nna_fold_end() frees all memory of @fold. */
void nna_fold_begin(struct nna_fold *f, const struct nna_compile_options *options,
		    struct nna_lower *l, struct nna_frame *frame);
void nna_fold_end(struct nna_fold *f);

/*
 * Adds an operation of the main subgraph to the job, if it can be folded and that is worthwhile.
 * Its results then have values, and small ones are bound. Return: 1 when it was added; 0 when the
 * caller must lower it (its inputs are not all constant, it is only a view, or its result is too
 * large to keep); or a negative errno.
 */
int nna_fold_add(struct nna_fold *f, const struct nna_op *impl, struct nna_op_context *op);

/* Binds the results of an operation that are constants, so that they may decide about shapes. */
int nna_fold_bind_results(struct nna_fold *f, const struct nna_operation *operation);

/* Runs the job. Return: 0 or a negative errno. */
int nna_fold_run_job(struct nna_fold *f);

#endif
