/* SPDX-License-Identifier: MIT */
/* Compiled programs in a folder, so that the next process need not compile. */
#ifndef DELEGATE_CACHE_H
#define DELEGATE_CACHE_H

#include "frontend/delegate/delegate.h"

/*
 * The program of @graph: out of the folder that the user named, else compiled, and saved there. A
 * file that does not fit or is damaged is replaced; that nothing can be saved is a warning. Return:
 * as nna_program_create().
 */
int delegate_program_create(const struct delegate *delegate, struct nna_graph *graph,
			    const struct nna_program_options *options, struct nna_program **out);

#endif
