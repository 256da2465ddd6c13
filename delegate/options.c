// SPDX-License-Identifier: MIT
/* The options of the delegate: "key: value" pairs of text. */
#include "delegate/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A day: more is a mistake, and would overflow no sum of times. */
#define MAX_DEADLINE_MS 86400000UL

/* The number of @value in the list @names, which ends with NULL; -1 when it is not there. */
static int find(const char *const *names, const char *value)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], value))
			return i;
	return -1;
}

static int read_option(struct delegate_options *o, const char *key, const char *value, char *error)
{
	static const char *const priorities[] = { "low", "medium", "high", NULL };
	static const char *const levels[] = { "error", "warning", "info", NULL };
	unsigned long number;
	char *end;
	int which;

	if (!strcmp(key, "device")) {
		if (!*value || strlen(value) >= sizeof(o->device)) {
			snprintf(error, DELEGATE_ERROR_SIZE, "device: a node, auto or loopback");
			return -EINVAL;
		}
		strcpy(o->device, value);
	} else if (!strcmp(key, "priority")) {
		which = find(priorities, value);
		if (which < 0) {
			snprintf(error, DELEGATE_ERROR_SIZE,
				 "priority \"%.60s\": low, medium or high", value);
			return -EINVAL;
		}
		o->priority = (enum nna_priority)which;
	} else if (!strcmp(key, "deadline_ms")) {
		errno = 0;
		number = strtoul(value, &end, 10);
		if (*value < '0' || *value > '9' || *end || errno || number > MAX_DEADLINE_MS) {
			snprintf(error, DELEGATE_ERROR_SIZE,
				 "deadline_ms \"%.60s\": 0 (none) to %lu", value, MAX_DEADLINE_MS);
			return -EINVAL;
		}
		o->duration_ns = (uint64_t)number * 1000000;
	} else if (!strcmp(key, "log_level")) {
		which = find(levels, value);
		if (which < 0) {
			snprintf(error, DELEGATE_ERROR_SIZE,
				 "log_level \"%.60s\": error, warning or info", value);
			return -EINVAL;
		}
		o->log_level = (enum nna_log_level)which;
	} else if (!strcmp(key, "cache_dir")) {
		snprintf(error, DELEGATE_ERROR_SIZE,
			 "cache_dir: compiled programs cannot be saved yet: leave it out");
		return -ENOTSUP;
	} else {
		snprintf(error, DELEGATE_ERROR_SIZE, "there is no option \"%.60s\": "
			 "device, priority, deadline_ms and log_level are known", key);
		return -EINVAL;
	}
	return 0;
}

int delegate_options_read(struct delegate_options *options, const char *const *keys,
			  const char *const *values, size_t count, char *error)
{
	*options = (struct delegate_options){
		.device = "auto",
		.priority = NNA_PRIORITY_MEDIUM,
		.log_level = NNA_LOG_WARNING,
	};
	for (size_t i = 0; i < count; i++) {
		int ret;

		if (!keys || !values || !keys[i] || !values[i]) {
			snprintf(error, DELEGATE_ERROR_SIZE, "option %zu has no name or value", i);
			return -EINVAL;
		}
		ret = read_option(options, keys[i], values[i], error);
		if (ret)
			return ret;
	}
	return 0;
}
