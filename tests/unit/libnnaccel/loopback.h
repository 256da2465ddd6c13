/* SPDX-License-Identifier: MIT */
/* The loopback as the state of a test; its last message, and all of them with NNA_TEST_VERBOSE. */
#ifndef TEST_LOOPBACK_H
#define TEST_LOOPBACK_H

#include <stdio.h>
#include <stdlib.h>

#include "nnaccel.h"

static char last_line[256];

static inline void log_line(void *user, enum nna_log_level level, const char *text)
{
	snprintf(last_line, sizeof(last_line), "%s", text);
	if (getenv("NNA_TEST_VERBOSE"))
		fprintf(stderr, "%d: %s\n", level, text);
}

static const struct nna_log test_log = { log_line, NULL };

static inline int open_device(void **state)
{
	struct nna_device_options options = { .log = test_log, .threads = 2 };
	struct nna_device *device;

	if (nna_device_open("loopback", &options, &device))
		return -1;
	*state = device;
	return 0;
}

static inline int close_device(void **state)
{
	nna_device_close(*state);
	return 0;
}

#endif
