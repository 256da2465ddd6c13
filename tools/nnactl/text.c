// SPDX-License-Identifier: MIT
/* Parts of texts that have too little room: see text.h. */
#include "tools/nnactl/text.h"

#include <stdio.h>
#include <string.h>

const char *nnactl_tail(const char *text, size_t size)
{
	const size_t length = strlen(text);

	if (length > size)
		text += length - size;
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

const char *nnactl_layer(const char *tensor, char *to, size_t size)
{
	snprintf(to, size, "%.*s", (int)strcspn(tensor, ";"), tensor);
	return to;
}
