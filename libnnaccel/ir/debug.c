// SPDX-License-Identifier: MIT
/* Debug flags of the environment variable NNACCEL_DEBUG, and debug output of passes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/ir/ir.h"
#include "libnnaccel/support/environment.h"

uint32_t nna_debug_flags(void)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} names[] = {
		{ "lower", NNA_DEBUG_LOWER },
		{ "fuse", NNA_DEBUG_FUSE },
		{ "repeat", NNA_DEBUG_REPEAT },
		{ "match", NNA_DEBUG_MATCH },
		{ "join", NNA_DEBUG_JOIN },
		{ "elide", NNA_DEBUG_ELIDE },
		{ "pack", NNA_DEBUG_PACK },
		{ "plan", NNA_DEBUG_PLAN },
		{ "emit", NNA_DEBUG_EMIT },
		{ "all", NNA_DEBUG_ALL },
		{ "no-fuse", NNA_DEBUG_NO_FUSE },
		{ "no-repeat", NNA_DEBUG_NO_REPEAT },
		{ "no-match", NNA_DEBUG_NO_MATCH },
		{ "no-join", NNA_DEBUG_NO_JOIN },
		{ "no-elide", NNA_DEBUG_NO_ELIDE },
		{ "no-pack", NNA_DEBUG_NO_PACK },
		{ "no-reuse", NNA_DEBUG_NO_REUSE },
		{ "no-fold", NNA_DEBUG_NO_FOLD },
	};
	const char *text = nna_environment_get("NNACCEL_DEBUG");
	uint32_t flags = 0;

	while (text && *text) {
		size_t length = strcspn(text, ",");

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == length &&
			    !strncmp(names[i].name, text, length))
				flags |= names[i].flag;
		text += length;
		text += *text == ',';
	}
	return flags;
}

void nna_debug_print(const struct nna_lower *l, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (l->log.line)
		l->log.line(l->log.user, NNA_LOG_INFO, line);
	else
		fprintf(stderr, "%s\n", line);
}
