// SPDX-License-Identifier: MIT
/* The table of the backends: one line each. */
#include <string.h>

#include "libnnaccel/backend/backend.h"

#define BACKENDS(X) \
	X(nna)

#define DECLARE(name) extern const struct nna_backend nna_backend_##name;
BACKENDS(DECLARE)

static const struct nna_backend *const backends[] = {
#define ENTRY(name) &nna_backend_##name,
	BACKENDS(ENTRY)
};

const struct nna_backend *nna_backend_find(const char *name)
{
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}
