// SPDX-License-Identifier: MIT
/* Finds a backend in the table. */
#include <string.h>

#include "libnnaccel/backend/backend.h"

const struct nna_backend *nna_backend_find(const char *name)
{
	for (size_t i = 0; nna_backends[i]; i++)
		if (!strcmp(nna_backends[i]->name, name))
			return nna_backends[i];
	return NULL;
}
