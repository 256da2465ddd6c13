/* SPDX-License-Identifier: MIT */
/* Messages of a delegate on stderr. */
#ifndef DELEGATE_LOG_H
#define DELEGATE_LOG_H

#include <nnaccel.h>

struct delegate;

/* Writes a line if the option log_level includes @level. */
__attribute__((format(printf, 3, 4)))
void delegate_log(const struct delegate *delegate, enum nna_log_level level, const char *format,
		  ...);

/* The same for struct nna_log, whose user is the delegate. */
void delegate_log_line(void *user, enum nna_log_level level, const char *text);

#endif
