/* SPDX-License-Identifier: MIT */
/* Statuses of a stub of the runtime, which counts them. */
#ifndef TEST_ORT_STATUS_H
#define TEST_ORT_STATUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/ort/ort_abi.h"

struct ort_status {
	int code;
	char text[1024];
};

static unsigned int statuses;

static inline struct ort_status *create_status(int code, const char *text)
{
	struct ort_status *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->code = code;
	snprintf(s->text, sizeof(s->text), "%s", text);
	statuses++;
	return s;
}

static inline const char *status_text(const struct ort_status *s)
{
	return s->text;
}

static inline void release_status(struct ort_status *s)
{
	statuses--;
	free(s);
}

/* An error that says @words. */
static inline void assert_status(struct ort_status *s, int code, const char *words)
{
	assert_non_null(s);
	assert_int_equal(s->code, code);
	if (!strstr(s->text, words))
		fail_msg("\"%s\" does not say \"%s\"", s->text, words);
	release_status(s);
	assert_int_equal(statuses, 0);
}

#endif
