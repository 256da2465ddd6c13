// SPDX-License-Identifier: MIT
/* Environment variables (environment.h). */
#include "libnnaccel/support/environment.h"

#include <stdlib.h>

static const char *nna_environment_check(const char *value)
{
	return value && *value ? value : NULL;
}

const char *nna_environment_get(const char *name)
{
	return nna_environment_check(getenv(name));
}

const char *nna_environment_get_path(const char *name)
{
	return nna_environment_check(secure_getenv(name));
}
