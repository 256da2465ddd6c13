// SPDX-License-Identifier: MIT
/* Messages on stderr (log.h). */
#include "frontend/delegate/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "frontend/delegate/delegate.h"

void delegate_log(const struct delegate *delegate, enum nna_log_level level, const char *format,
		  ...)
{
	char line[512];
	va_list ap;

	if (level > delegate->options.log_level)
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	fprintf(stderr, "nnaccel: %s\n", line);
}

void delegate_log_line(void *user, enum nna_log_level level, const char *text)
{
	delegate_log(user, level, "%s", text);
}
