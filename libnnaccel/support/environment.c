// SPDX-License-Identifier: MIT
/* Environment variables (environment.h). */
#include "libnnaccel/support/environment.h"

#include <stdlib.h>

const char *nna_environment_get(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}
