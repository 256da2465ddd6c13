// SPDX-License-Identifier: MIT
/* Trace marks (trace.h). A mark is one write(), which the kernel keeps together. */
#include "hal-bridge/common/trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t nnb_trace_once = PTHREAD_ONCE_INIT;
static int nnb_trace_fd = -1;

static void nnb_trace_open(void)
{
	static const char *const places[] = { "/sys/kernel/tracing/trace_marker",
					      "/sys/kernel/debug/tracing/trace_marker" };
	const char *value = getenv("NNACCEL_TRACE");

	if (!value || !*value || !strcmp(value, "0"))
		return;
	if (strcmp(value, "1")) {
		nnb_trace_fd = open(value, O_WRONLY | O_APPEND | O_CLOEXEC);
		return;
	}
	for (int i = 0; i < 2 && nnb_trace_fd < 0; i++)
		nnb_trace_fd = open(places[i], O_WRONLY | O_CLOEXEC);
}

/* What cannot be written is lost: a trace is no reason to fail. */
static void nnb_trace_write(const char *mark, int length, size_t room)
{
	size_t size = length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;

	if (write(nnb_trace_fd, mark, size) < 0)
		return;
}

void nnb_trace_prepare(void)
{
	pthread_once(&nnb_trace_once, nnb_trace_open);
}

bool nnb_trace_begin(const char *layer, const char *phase, const char *name)
{
	char mark[128];
	int length;

	nnb_trace_prepare();
	if (nnb_trace_fd < 0)
		return false;
	length = snprintf(mark, sizeof(mark), "B|%d|[NN_%s_%s]%s\n", getpid(), layer, phase, name);
	nnb_trace_write(mark, length, sizeof(mark));
	return true;
}

void nnb_trace_end(bool *began)
{
	char mark[32];

	if (*began)
		nnb_trace_write(mark, snprintf(mark, sizeof(mark), "E|%d\n", getpid()),
				sizeof(mark));
}
