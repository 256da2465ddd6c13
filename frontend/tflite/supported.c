// SPDX-License-Identifier: MIT
/* Graphs of models that a device runs as a whole (supported.h). */
#include "frontend/tflite/supported.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps libnnaccel's first message about a graph, which is the reason of a refusal. */
struct reason {
	const struct nna_log *log;
	char line[TFLITE_ERROR_SIZE];
};

static void keep_reason(void *user, enum nna_log_level level, const char *text)
{
	struct reason *reason = user;

	if (level == NNA_LOG_ERROR && !reason->line[0])
		snprintf(reason->line, sizeof(reason->line), "%s", text);
	else if (level != NNA_LOG_ERROR && reason->log && reason->log->line)
		reason->log->line(reason->log->user, level, text);
}

/* Appends the library's message, if there is one, to that of a translation. */
static void add_reason(char *error, const struct reason *reason)
{
	size_t length = strlen(error);

	if (reason->line[0])
		snprintf(error + length, TFLITE_ERROR_SIZE - length, "%s%s", length ? ": " : "",
			 reason->line);
}

static int check(const struct nna_graph *graph, const struct nna_device *device)
{
	uint32_t count = nna_graph_operation_count(graph, 0);
	bool *supported = calloc((size_t)count + 1, sizeof(*supported));
	int ret;

	if (!supported)
		return -ENOMEM;
	ret = nna_graph_get_supported(graph, device, supported);
	for (uint32_t i = 0; i < count && !ret; i++)
		if (!supported[i])
			ret = -ENOTSUP;
	free(supported);
	return ret;
}

int tflite_to_supported_graph(struct tflite_model *model, const struct nna_device *device,
			      const struct nna_log *log, struct nna_graph **out, char *error)
{
	struct reason reason = { .log = log };
	struct nna_log kept = { keep_reason, &reason };
	struct nna_graph *graph;
	int ret;

	ret = tflite_to_graph(model, &kept, &graph, NULL, error);
	if (ret) {
		add_reason(error, &reason);
		return ret;
	}
	ret = check(graph, device);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "%s", ret == -ENOTSUP && !reason.line[0] ?
			 "the device cannot run it" : strerror(-ret));
		add_reason(error, &reason);
		nna_graph_unref(graph);
		return ret;
	}
	*out = graph;
	return 0;
}
