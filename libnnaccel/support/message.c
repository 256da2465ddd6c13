// SPDX-License-Identifier: MIT
/* Messages on standard error, by tags (message.h). */
#include "libnnaccel/support/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/support/environment.h"

static const char *const nna_message_tags[NNA_MESSAGE_TAGS] = {
	[NNA_MESSAGE_MODEL] = "model",
	[NNA_MESSAGE_COMPILATION] = "compilation",
	[NNA_MESSAGE_EXECUTION] = "execution",
	[NNA_MESSAGE_CPUEXE] = "cpuexe",
	[NNA_MESSAGE_MANAGER] = "manager",
	[NNA_MESSAGE_DRIVER] = "driver",
};

static pthread_once_t nna_message_once = PTHREAD_ONCE_INIT;
static uint32_t nna_message_wanted; /* bits, by enum nna_message_tag */

static void nna_message_refuse_tag(const char *tag, size_t length)
{
	fprintf(stderr, "nnaccel: NNACCEL_LOG: there is no tag \"%.*s\": the tags are",
		(int)(length < 64 ? length : 64), tag);
	for (int i = 0; i < NNA_MESSAGE_TAGS; i++)
		fprintf(stderr, " %s,", nna_message_tags[i]);
	fputs(" all\n", stderr);
}

static void nna_message_parse(const char *value)
{
	while (value && *value) {
		size_t length = strcspn(value, ", ");
		bool known = !length || (length == 1 && *value == '0');

		if ((length == 1 && *value == '1') || (length == 3 && !strncmp(value, "all", 3))) {
			nna_message_wanted = (1u << NNA_MESSAGE_TAGS) - 1;
			known = true;
		}
		for (int i = 0; i < NNA_MESSAGE_TAGS; i++) {
			if (strlen(nna_message_tags[i]) == length &&
			    !strncmp(value, nna_message_tags[i], length)) {
				nna_message_wanted |= 1u << i;
				known = true;
			}
		}
		if (!known)
			nna_message_refuse_tag(value, length);
		value += length;
		value += strspn(value, ", ");
	}
}

static void nna_message_read(void)
{
	nna_message_parse(nna_environment_get("NNACCEL_LOG"));
}

static void nna_message_skip(void)
{
}

void nna_message_select(const char *tags)
{
	pthread_once(&nna_message_once, nna_message_skip);
	nna_message_wanted = 0;
	nna_message_parse(tags);
}

#define NNA_MESSAGE_RECENT 16

/* The last lines; @next is the index of the oldest. Global, as standard error is. */
static struct {
	pthread_mutex_t lock;
	char lines[NNA_MESSAGE_RECENT][160];
	unsigned int next;
} nna_message_recent = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void nna_message_vprint(enum nna_message_tag tag, bool always, const char *format,
			       va_list args)
{
	char line[512], *kept;

	vsnprintf(line, sizeof(line), format, args);
	pthread_mutex_lock(&nna_message_recent.lock);
	kept = nna_message_recent.lines[nna_message_recent.next];
	snprintf(kept, sizeof(nna_message_recent.lines[0]), "%.159s", line);
	nna_message_recent.next = (nna_message_recent.next + 1) % NNA_MESSAGE_RECENT;
	pthread_mutex_unlock(&nna_message_recent.lock);
	pthread_once(&nna_message_once, nna_message_read);
	if (always || nna_message_wanted & 1u << tag)
		fprintf(stderr, "nnaccel: %s: %s\n", nna_message_tags[tag], line);
}

void nna_message_print(enum nna_message_tag tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	nna_message_vprint(tag, false, format, args);
	va_end(args);
}

void nna_message_insist(enum nna_message_tag tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	nna_message_vprint(tag, true, format, args);
	va_end(args);
}

void nna_message_print_recent(FILE *out)
{
	char lines[NNA_MESSAGE_RECENT][sizeof(nna_message_recent.lines[0])];
	unsigned int next;

	/* Copied, because a write to the stream may block. */
	pthread_mutex_lock(&nna_message_recent.lock);
	memcpy(lines, nna_message_recent.lines, sizeof(lines));
	next = nna_message_recent.next;
	pthread_mutex_unlock(&nna_message_recent.lock);
	for (unsigned int i = 0; i < NNA_MESSAGE_RECENT; i++) {
		if (*lines[(next + i) % NNA_MESSAGE_RECENT])
			fprintf(out, "  %s\n", lines[(next + i) % NNA_MESSAGE_RECENT]);
	}
}

static void nna_message_line(void *user, enum nna_log_level level, const char *text)
{
	nna_message(DRIVER, "%s", text);
}

const struct nna_log nna_message_log = { .line = nna_message_line };
