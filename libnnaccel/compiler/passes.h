/* SPDX-License-Identifier: MIT */
/* The passes over the ir. They leave its tables consistent; errors are negative errno. */
#ifndef NNA_PASSES_H
#define NNA_PASSES_H

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/ir/ir.h"

/*
 * Asks the backend about all ir operations from @from on, which come from operation @l->origin of
 * the graph. A refusal is logged. Return: 0 or -ENOTSUP.
 */
int nna_pass_accept(struct nna_lower *l, const struct nna_backend *backend, uint32_t from);

/* The passes, in their order. */
int nna_pass_repeat(struct nna_lower *l);
int nna_pass_fuse(struct nna_lower *l, const struct nna_backend *backend);
int nna_pass_match(struct nna_lower *l, const struct nna_backend *backend);
int nna_pass_whole(struct nna_lower *l, const struct nna_backend *backend);
int nna_pass_join(struct nna_lower *l, const struct nna_backend *backend);
int nna_pass_elide(struct nna_lower *l);

/**
 * struct nna_areas - bytes of the areas that a plan lays out
 */
struct nna_areas {
	uint64_t constants, scratch, variables;
};

int nna_pass_plan(struct nna_lower *l, const struct nna_backend *backend,
		  struct nna_areas *areas);

#endif
