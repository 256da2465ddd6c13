// SPDX-License-Identifier: MIT
/* Messages on standard error. The environment is asked each time: a client may set it late. */
#include "hal-bridge/common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool nnb_log_wanted(void)
{
	const char *value = getenv("NNACCEL_LOG");

	return value && *value && strcmp(value, "0");
}

void nnb_log(const char *format, ...)
{
	char line[512];
	va_list args;

	if (!nnb_log_wanted())
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "nnaccel: %s\n", line);
}

static void nnb_log_line(void *user, enum nna_log_level level, const char *text)
{
	nnb_log("%s", text);
}

const struct nna_log nnb_log_sink = { .line = nnb_log_line };
