/* SPDX-License-Identifier: MIT */
/*
 * Variants: the graph of a program compiled for one signature, that is for the dimensions of all
 * inputs and the values of those inputs that decide about shapes.
 *
 * A variant owns a read-only BO with the stream and the constants, and its spare contexts. It is
 * reference-counted: the program's list has a reference, and so has each execution that uses it.
 */
#ifndef NNA_RUNTIME_VARIANT_H
#define NNA_RUNTIME_VARIANT_H

#include <stdatomic.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_context;
struct nna_program;

/**
 * struct nna_variant - the graph compiled for one signature
 * @next: the next variant of the program's list
 * @references: of the list and of executions
 * @key: the signature, @key_size bytes
 * @code: the compiler's output; NULL when the graph cannot be compiled as a whole
 * @stop: without @code: the operation that needs a value which only a run provides
 * @bo: stream and constants of @code, read-only for the device
 * @places: offset in staging memory of each input and then each output, in bytes
 * @staging_size: bytes of staging memory in a context
 * @spare: @spare_count contexts that no run uses
 * @synchronous: a run may exceed the job limit, so that nobody but the library can get its fence
 * @charged: bytes that are charged to the device's account for @code's stream and tables
 */
struct nna_variant {
	struct nna_variant *next;
	atomic_uint references;
	uint8_t *key;
	size_t key_size;
	struct nna_code *code;
	uint32_t stop;
	struct nna_winsys_bo *bo;
	uint64_t *places;
	uint64_t staging_size;
	struct nna_context *spare;
	uint32_t spare_count;
	bool synchronous;
	uint64_t charged;
};

/**
 * nna_variant_get() - the variant for a signature, compiled if the program does not have it yet
 * @program: the program
 * @inputs: final shapes of all inputs
 * @data: bytes of each input that this process can read, else NULL
 * @limit: when compiling gives up; NULL is never
 * @stop: with -EAGAIN: the operation that needs a value which only a run provides
 * @out: the variant, a reference
 *
 * Return: 0, -EAGAIN, or another negative errno.
 */
int nna_variant_get(struct nna_program *program, const struct nna_shape *inputs,
		    const void *const *data, const struct nna_compile_limit *limit, uint32_t *stop,
		    struct nna_variant **out);
/* The same for a caller that holds @compiling. A variant without code is no error here. */
int nna_variant_make(struct nna_program *program, const struct nna_shape *inputs,
		     const void *const *data, const struct nna_compile_limit *limit,
		     struct nna_variant **out);
/*
 * Makes a variant of @code, which lies in @bo, for @inputs whose values do not matter. Return: 0
 * and a reference, and the variant owns @code, @bo and the charge of @charged bytes; or -ENOMEM,
 * and the caller still owns them.
 */
int nna_variant_adopt(struct nna_program *program, const struct nna_shape *inputs,
		      struct nna_code *code, struct nna_winsys_bo *bo, uint64_t charged,
		      struct nna_variant **out);
void nna_variant_put(struct nna_program *program, struct nna_variant *variant);

/*
 * Removes all but the first @keep variants from the program's list. Return: the removed variants,
 * with the list's references.
 */
struct nna_variant *nna_variant_trim(struct nna_program *program, uint32_t keep);
/* Drops one reference to each variant of a list. */
void nna_variant_put_list(struct nna_program *program, struct nna_variant *variants);

/* Bytes of a final shape, or UINT64_MAX on overflow. */
uint64_t nna_shape_bytes_saturated(const struct nna_shape *shape);

#endif
