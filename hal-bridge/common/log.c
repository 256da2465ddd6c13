// SPDX-License-Identifier: MIT
/* Messages on standard error. The environment is asked each time: a client may set it late. */
#include "hal-bridge/common/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool nnb_log_wanted(void)
{
	const char *value = getenv("NNACCEL_LOG");

	return value && *value && strcmp(value, "0");
}

#define NNB_LOG_RECENT 16

/* The last lines, @next being the oldest. They are the process's, as its standard error is. */
static struct {
	pthread_mutex_t lock;
	char lines[NNB_LOG_RECENT][160];
	unsigned int next;
} nnb_recent = { .lock = PTHREAD_MUTEX_INITIALIZER };

void nnb_log(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pthread_mutex_lock(&nnb_recent.lock);
	snprintf(nnb_recent.lines[nnb_recent.next], sizeof(nnb_recent.lines[0]), "%.159s", line);
	nnb_recent.next = (nnb_recent.next + 1) % NNB_LOG_RECENT;
	pthread_mutex_unlock(&nnb_recent.lock);
	if (nnb_log_wanted())
		fprintf(stderr, "nnaccel: %s\n", line);
}

void nnb_log_recent(int fd)
{
	char lines[NNB_LOG_RECENT][sizeof(nnb_recent.lines[0])];
	unsigned int next;

	/* The descriptor may be somebody's who does not read. */
	pthread_mutex_lock(&nnb_recent.lock);
	memcpy(lines, nnb_recent.lines, sizeof(lines));
	next = nnb_recent.next;
	pthread_mutex_unlock(&nnb_recent.lock);
	for (unsigned int i = 0; i < NNB_LOG_RECENT; i++) {
		if (*lines[(next + i) % NNB_LOG_RECENT])
			dprintf(fd, "  %s\n", lines[(next + i) % NNB_LOG_RECENT]);
	}
}

static void nnb_log_line(void *user, enum nna_log_level level, const char *text)
{
	nnb_log("%s", text);
}

const struct nna_log nnb_log_sink = { .line = nnb_log_line };
