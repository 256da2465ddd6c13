// SPDX-License-Identifier: MIT
/*
 * The table of the backends, one line each. nna_graph_get_supported() without a device asks the
 * first one.
 *
 * It is a file by itself, so that a program which links the archive can link another table in its
 * place, as tests/backend/table.c does.
 */
#include "libnnaccel/backend/backend.h"

#define BACKENDS(X) \
	X(nna) \
	X(ethosu)

#define DECLARE(name) extern const struct nna_backend nna_backend_##name;
BACKENDS(DECLARE)

#define ENTRY(name) &nna_backend_##name,
const struct nna_backend *const nna_backends[] = { BACKENDS(ENTRY) NULL };
