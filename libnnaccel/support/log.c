// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>

#include "libnnaccel/support/log.h"

void nna_log_print(const struct nna_log *log, enum nna_log_level level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!log || !log->line)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log->line(log->user, level, text);
}
