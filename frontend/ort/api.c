// SPDX-License-Identifier: MIT
#include "frontend/ort/api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool ort_good(const struct ort_api *api, struct ort_status *status, char *text)
{
	const char *(*message)(const struct ort_status *) =
		(const char *(*)(const struct ort_status *))api->table[ORT_GET_ERROR_MESSAGE];
	void (*release)(struct ort_status *) =
		(void (*)(struct ort_status *))api->table[ORT_RELEASE_STATUS];

	if (!status)
		return true;
	if (text)
		snprintf(text, ORT_TEXT_SIZE, "%s", message(status));
	release(status);
	return false;
}

bool ort_get(const struct ort_api *api, enum ort_slot slot, const void *object, void *out)
{
	struct ort_status *(*get)(const void *, void *) =
		(struct ort_status *(*)(const void *, void *))api->table[slot];

	return ort_good(api, get(object, out), NULL);
}

const void **ort_list(const struct ort_api *api, enum ort_slot slot, const void *object,
		      size_t *count)
{
	struct ort_status *(*elements)(const void *, const void **, size_t) =
		(struct ort_status *(*)(const void *, const void **, size_t))api->table[slot + 1];
	const void **list;

	*count = 0;
	if (!ort_get(api, slot, object, count))
		return NULL;
	list = calloc(*count + 1, sizeof(*list));
	if (list && *count && !ort_good(api, elements(object, list, *count), NULL)) {
		free(list);
		list = NULL;
	}
	return list;
}

struct ort_status *ort_fail(const struct ort_api *api, enum ort_error code, const char *format, ...)
{
	struct ort_status *(*create)(int, const char *) =
		(struct ort_status *(*)(int, const char *))api->table[ORT_CREATE_STATUS];
	char text[2 * ORT_TEXT_SIZE];
	va_list args;
	int n;

	n = snprintf(text, sizeof(text), "nnaccel: ");
	va_start(args, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
	va_end(args);
	return create(code, text);
}

void ort_log_line(void *user, enum nna_log_level level, const char *text)
{
	struct ort_log *log = user;
	struct ort_status *(*message)(const void *, int, const char *, const char *, int,
				      const char *) =
		(struct ort_status *(*)(const void *, int, const char *, const char *, int,
					const char *))log->api->table[ORT_LOG];

	if (level == NNA_LOG_ERROR && !log->error[0])
		snprintf(log->error, sizeof(log->error), "%s", text);
	if (log->logger)
		ort_good(log->api, message(log->logger, level == NNA_LOG_INFO ? ORT_INFO :
					   ORT_WARNING, text, "nnaccel", 0, "nnaccel"), NULL);
}
