// SPDX-License-Identifier: MIT
/* Messages on standard error, by tags (log.h). */
#include "hal-bridge/common/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum nnb_tag { NNB_MODEL, NNB_COMPILATION, NNB_EXECUTION, NNB_CPUEXE, NNB_MANAGER, NNB_DRIVER,
	       NNB_TAGS };

static const char *const nnb_tags[NNB_TAGS] = { "model", "compilation", "execution", "cpuexe",
						"manager", "driver" };

/* The tags of files, by the beginnings of their paths: the first that fits counts. */
static const struct {
	const char *path;
	enum nnb_tag tag;
} nnb_files[] = {
	{ "hal-bridge/common/model", NNB_MODEL },
	{ "hal-bridge/common/signature", NNB_MODEL },
	{ "hal-bridge/common/cache", NNB_COMPILATION },
	{ "hal-bridge/common/dot", NNB_COMPILATION },
	{ "hal-bridge/common/extension", NNB_MANAGER },
	{ "hal-bridge/nnapi/model", NNB_MODEL },
	{ "hal-bridge/nnapi/compilation", NNB_COMPILATION },
	{ "hal-bridge/nnapi/plan", NNB_COMPILATION },
	{ "hal-bridge/nnapi/device", NNB_MANAGER },
	{ "hal-bridge/nnapi/driver_table", NNB_MANAGER },
	{ "hal-bridge/nnapi/fallback", NNB_CPUEXE },
	{ "hal-bridge/nnapi/", NNB_EXECUTION },
};

static pthread_once_t nnb_log_once = PTHREAD_ONCE_INIT;
static uint32_t nnb_log_tags; /* bits, by enum nnb_tag */

static void nnb_log_read(void)
{
	const char *value = getenv("NNACCEL_LOG");

	while (value && *value) {
		size_t length = strcspn(value, ", ");

		if ((length == 1 && *value == '1') || (length == 3 && !strncmp(value, "all", 3)))
			nnb_log_tags = (1u << NNB_TAGS) - 1;
		for (int i = 0; i < NNB_TAGS; i++) {
			if (strlen(nnb_tags[i]) == length && !strncmp(value, nnb_tags[i], length))
				nnb_log_tags |= 1u << i;
		}
		value += length;
		value += strspn(value, ", ");
	}
}

static enum nnb_tag nnb_log_tag(const char *file)
{
	for (size_t i = 0; i < sizeof(nnb_files) / sizeof(nnb_files[0]); i++) {
		if (!strncmp(file, nnb_files[i].path, strlen(nnb_files[i].path)))
			return nnb_files[i].tag;
	}
	return NNB_DRIVER;
}

#define NNB_LOG_RECENT 16

/* The last lines, @next being the oldest. They are the process's, as its standard error is. */
static struct {
	pthread_mutex_t lock;
	char lines[NNB_LOG_RECENT][160];
	unsigned int next;
} nnb_recent = { .lock = PTHREAD_MUTEX_INITIALIZER };

void nnb_log_from(const char *file, const char *format, ...)
{
	enum nnb_tag tag;
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pthread_mutex_lock(&nnb_recent.lock);
	snprintf(nnb_recent.lines[nnb_recent.next], sizeof(nnb_recent.lines[0]), "%.159s", line);
	nnb_recent.next = (nnb_recent.next + 1) % NNB_LOG_RECENT;
	pthread_mutex_unlock(&nnb_recent.lock);
	pthread_once(&nnb_log_once, nnb_log_read);
	if (!nnb_log_tags)
		return;
	tag = nnb_log_tag(file);
	if (nnb_log_tags & 1u << tag)
		fprintf(stderr, "nnaccel: %s: %s\n", nnb_tags[tag], line);
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
	nnb_log_from("", "%s", text);
}

const struct nna_log nnb_log_sink = { .line = nnb_log_line };
