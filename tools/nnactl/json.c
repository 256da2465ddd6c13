// SPDX-License-Identifier: MIT
/* JSON: whether it is wanted, and values that jansson refuses (nnactl.h). */
#include "tools/nnactl/nnactl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool as_json;

bool nnactl_json(void)
{
	return as_json;
}

void nnactl_json_set(bool json)
{
	as_json = json;
}

json_t *nnactl_json_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	for (char *at = copy; at && *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	value = copy ? json_string(copy) : NULL;
	free(copy);
	return value;
}

json_t *nnactl_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}
