// SPDX-License-Identifier: MIT
/* Trace marks (trace.h). A mark is one write(), which the kernel does not split. */
#include "libnnaccel/support/trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/support/environment.h"

static pthread_once_t nna_trace_once = PTHREAD_ONCE_INIT;
static int nna_trace_fd = -1;

static void nna_trace_open(void)
{
	static const char *const places[] = { "/sys/kernel/tracing/trace_marker",
					      "/sys/kernel/debug/tracing/trace_marker" };
	const char *value = nna_environment_get("NNACCEL_TRACE");

	if (!value || !strcmp(value, "0"))
		return;
	if (strcmp(value, "1")) {
		nna_trace_fd = open(value, O_WRONLY | O_APPEND | O_CLOEXEC);
		return;
	}
	for (int i = 0; i < 2 && nna_trace_fd < 0; i++)
		nna_trace_fd = open(places[i], O_WRONLY | O_CLOEXEC);
}

/* Errors of writing are ignored: a failing trace must not stop its program. */
static void nna_trace_write(const char *mark, int length, size_t room)
{
	size_t size = length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;

	if (write(nna_trace_fd, mark, size) < 0)
		return;
}

void nna_trace_prepare(void)
{
	pthread_once(&nna_trace_once, nna_trace_open);
}

bool nna_trace_begin(const char *layer, const char *phase, const char *name)
{
	char mark[128];
	int length;

	nna_trace_prepare();
	if (nna_trace_fd < 0)
		return false;
	length = snprintf(mark, sizeof(mark), "B|%d|[NN_%s_%s]%s\n", getpid(), layer, phase, name);
	nna_trace_write(mark, length, sizeof(mark));
	return true;
}

void nna_trace_end(bool *began)
{
	char mark[32];

	if (*began)
		nna_trace_write(mark, snprintf(mark, sizeof(mark), "E|%d\n", getpid()),
				sizeof(mark));
}
