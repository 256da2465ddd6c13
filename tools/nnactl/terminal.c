// SPDX-License-Identifier: MIT
/*
 * What nnactl does on a terminal only: colours, lines of its width, and progress, for which a
 * thread writes a line on stderr each second and overwrites it with the next.
 */
#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/text.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/**
 * struct progress - what is being done
 * @lock: of all that follows
 * @wake: signalled when it ends
 * @running: there is a thread
 * @shown: a line stands on the terminal
 * @done: of @total, which is 0 where nobody counts
 * @start: nnactl_now() when it began
 */
static struct progress {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool running, shown;
	uint32_t done, total;
	uint64_t start;
	char text[160];
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

bool nnactl_is_terminal(FILE *to)
{
	const char *terminal = getenv("TERM");

	return !nnactl_json() && isatty(fileno(to)) && !(terminal && !strcmp(terminal, "dumb"));
}

static bool is_rich(FILE *to)
{
	const char *none = getenv("NO_COLOR");

	return nnactl_is_terminal(to) && !(none && *none);
}

const char *nnactl_style(FILE *to, enum nnactl_style style)
{
	static const char *const codes[] = {
		[NNACTL_PLAIN] = "\033[0m",
		[NNACTL_BOLD] = "\033[1m",
		[NNACTL_GOOD] = "\033[1;32m",
		[NNACTL_BAD] = "\033[1;31m",
	};

	return is_rich(to) ? codes[style] : "";
}

/* Of the variable @name or of the terminal, from @least on; else @otherwise. */
static uint32_t extent(const char *name, long least, bool rows, uint32_t otherwise)
{
	const char *text = getenv(name);
	struct winsize size;
	long n = text ? strtol(text, NULL, 10) : 0;

	if (n < least && isatty(1) && !ioctl(1, TIOCGWINSZ, &size))
		n = rows ? size.ws_row : size.ws_col;
	return n >= least && n <= 1000 ? (uint32_t)n : otherwise;
}

uint32_t nnactl_columns(void)
{
	return extent("COLUMNS", 40, false, 80);
}

uint32_t nnactl_rows(void)
{
	return extent("LINES", 5, true, 24);
}

/* What does not fit the terminal's line is cut off in the middle: a new line would be left. */
static void show_line(void)
{
	const unsigned long long seconds = (nnactl_now() - progress.start) / 1000000000u;
	char count[64] = "", line[256];
	struct winsize size;
	int columns = 80, n;

	if (!ioctl(2, TIOCGWINSZ, &size) && size.ws_col >= 20)
		columns = size.ws_col;
	if (progress.total)
		snprintf(count, sizeof(count), ", %u of %u", progress.done, progress.total);
	n = snprintf(line, sizeof(line), ": %llu s%s", seconds, count);
	/* The last column stays free: some terminals go on to the next line behind it. */
	if ((int)strlen(progress.text) + n < columns)
		fprintf(stderr, "\r\033[K%s%s", progress.text, line);
	else if (n + 4 < columns)
		fprintf(stderr, "\r\033[K...%s%s",
			nnactl_tail(progress.text, (size_t)(columns - n - 4)), line);
	else
		fprintf(stderr, "\r\033[K%.*s", columns - 1, line);
	fflush(stderr);
}

static void *show(void *data)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&progress.lock);
	while (progress.running) {
		until.tv_sec++;
		while (progress.running &&
		       !pthread_cond_timedwait(&progress.wake, &progress.lock, &until))
			;
		if (!progress.running)
			break;
		show_line();
		progress.shown = true;
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void nnactl_progress(const char *format, ...)
{
	va_list ap;

	nnactl_progress_end();
	if (nnactl_json() || !isatty(2))
		return;
	va_start(ap, format);
	vsnprintf(progress.text, sizeof(progress.text), format, ap);
	va_end(ap);
	progress.total = 0;
	progress.shown = false;
	progress.start = nnactl_now();
	/* Without a thread there is no progress to be seen, and nothing else is missing. */
	progress.running = true;
	progress.running = !pthread_create(&progress.thread, NULL, show, NULL);
}

void nnactl_progress_at(uint32_t done, uint32_t total)
{
	pthread_mutex_lock(&progress.lock);
	progress.done = done;
	progress.total = total;
	pthread_mutex_unlock(&progress.lock);
}

void nnactl_progress_end(void)
{
	bool ran;

	pthread_mutex_lock(&progress.lock);
	ran = progress.running;
	progress.running = false;
	pthread_cond_signal(&progress.wake);
	pthread_mutex_unlock(&progress.lock);
	if (!ran)
		return;
	pthread_join(progress.thread, NULL);
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}
