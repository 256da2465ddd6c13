/* SPDX-License-Identifier: MIT */
/* Compiled programs in a folder, so that the next process need not compile them. */
#ifndef DELEGATE_CACHE_H
#define DELEGATE_CACHE_H

#include "frontend/delegate/delegate.h"

/*
 * Creates the program of @graph. Loads it from the user's folder if a file there fits; otherwise
 * compiles it and saves it there. A file that does not fit or is damaged is replaced. A failure to
 * save is logged as a warning. Return: as nna_program_create().
 */
int delegate_program_create(const struct delegate *delegate, struct nna_graph *graph,
			    const struct nna_program_options *options, struct nna_program **out);

#endif
