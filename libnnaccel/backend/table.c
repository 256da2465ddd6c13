// SPDX-License-Identifier: MIT
/*
 * The table of the backends, one line each. The first is what a graph is judged by that has no
 * device yet (nna_graph_get_supported() without one).
 *
 * It is a file by itself so that a program which links the archive may have a table of its own in
 * its place: tests/backend/table.c.
 */
#include "libnnaccel/backend/backend.h"

#define BACKENDS(X) \
	X(nna)

#define DECLARE(name) extern const struct nna_backend nna_backend_##name;
BACKENDS(DECLARE)

#define ENTRY(name) &nna_backend_##name,
const struct nna_backend *const nna_backends[] = { BACKENDS(ENTRY) NULL };
