// SPDX-License-Identifier: MIT
/* The options of the delegate: pairs of key and value as text. */
#include "frontend/delegate/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A day. A longer limit is a mistake; this one cannot overflow a sum of times. */
#define MAX_DEADLINE_MS 86400000UL
/* What nna_device_open() takes. */
#define MAX_THREADS 64UL

/* Return: the index of @value in the list @names, which ends with NULL; -1 if it is not there. */
static int find(const char *const *names, const char *value)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], value))
			return i;
	return -1;
}

static __attribute__((format(printf, 2, 3))) int refuse(char *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(error, DELEGATE_ERROR_SIZE, format, ap);
	va_end(ap);
	return -EINVAL;
}

static int read_deadline(struct delegate_options *o, const char *value, char *error)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || number > MAX_DEADLINE_MS)
		return refuse(error, "deadline_ms is \"%.60s\", but must be 0 (none) to %lu", value,
			      MAX_DEADLINE_MS);
	o->duration_ns = (uint64_t)number * 1000000;
	return 0;
}

static int read_threads(struct delegate_options *o, const char *value, char *error)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || number > MAX_THREADS)
		return refuse(error, "threads is \"%.60s\", but must be 0 (one per CPU) to %lu",
			      value, MAX_THREADS);
	o->threads = (uint32_t)number;
	return 0;
}

static int read_cache_dir(struct delegate_options *o, const char *value, char *error)
{
	struct stat info;

	if (!*value || strlen(value) >= sizeof(o->cache_dir))
		return refuse(error, "cache_dir is empty, but must be a folder");
	if (stat(value, &info) || !S_ISDIR(info.st_mode) || access(value, W_OK | X_OK))
		return refuse(error, "cache_dir \"%.100s\" is no writable folder: create it",
			      value);
	strcpy(o->cache_dir, value);
	return 0;
}

static int read_option(struct delegate_options *o, const char *key, const char *value, char *error)
{
	static const char *const priorities[] = { "low", "medium", "high", NULL };
	static const char *const levels[] = { "error", "warning", "info", NULL };
	int which;

	if (!strcmp(key, "device")) {
		if (!*value || strlen(value) >= sizeof(o->device))
			return refuse(error,
				      "device is empty or too long: give a node, auto or loopback");
		strcpy(o->device, value);
	} else if (!strcmp(key, "priority")) {
		which = find(priorities, value);
		if (which < 0)
			return refuse(error,
				      "priority is \"%.60s\", but must be low, medium or high",
				      value);
		o->priority = (enum nna_priority)which;
	} else if (!strcmp(key, "deadline_ms")) {
		return read_deadline(o, value, error);
	} else if (!strcmp(key, "log_level")) {
		which = find(levels, value);
		if (which < 0)
			return refuse(error,
				      "log_level is \"%.60s\", but must be error, warning or info",
				      value);
		o->log_level = (enum nna_log_level)which;
	} else if (!strcmp(key, "threads")) {
		return read_threads(o, value, error);
	} else if (!strcmp(key, "cache_dir")) {
		return read_cache_dir(o, value, error);
	} else {
		return refuse(error, "there is no option \"%.60s\": device, threads, "
			      "priority, deadline_ms, cache_dir and log_level are known", key);
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

		if (!keys || !values || !keys[i] || !values[i])
			return refuse(error, "option %zu has no name or value", i);
		ret = read_option(options, keys[i], values[i], error);
		if (ret)
			return ret;
	}
	return 0;
}
