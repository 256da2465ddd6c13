// SPDX-License-Identifier: MIT
/* nnactl: the table of subcommands, their options, and how errors and JSON are printed. */
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nna_version.h"

static const struct nnactl_command *const COMMANDS[] = {
	&NNACTL_INFO,
	&NNACTL_RUN,
	&NNACTL_BENCH,
	&NNACTL_PROFILE,
	&NNACTL_COMPARE,
	&NNACTL_DUMP,
	&NNACTL_TOP,
	&NNACTL_LOAD,
	&NNACTL_UNLOAD,
	&NNACTL_CDI,
};

#define COMMAND_COUNT (sizeof(COMMANDS) / sizeof(COMMANDS[0]))
#define NAMES_MAX 32
#define NAME_MAX_SIZE 32

int nnactl_json_print(json_t *value)
{
	int ret;

	if (!value)
		return nnactl_error("out of memory");
	ret = json_dumpf(value, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	json_decref(value);
	putchar('\n');
	return ret ? nnactl_error("cannot write the output") : 0;
}

/* An error's line, as text or as JSON. Return: @status. */
static int tell(int status, const char *text, const char *hint)
{
	json_t *value;

	nnactl_progress_end();
	if (nnactl_json()) {
		value = json_pack("{s:o?, s:i}", "error", nnactl_json_text(text), "status", status);
		if (value)
			json_dumpf(value, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(value);
		return status;
	}
	fflush(stdout);
	fprintf(stderr, "%snnactl:%s %s%s\n", nnactl_style(stderr, NNACTL_BAD),
		nnactl_style(stderr, NNACTL_PLAIN), text, hint);
	return status;
}

int nnactl_error(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return tell(1, text, "");
}

int nnactl_failed(const struct nnactl_log *log, const char *format, ...)
{
	char text[320];
	va_list ap;

	if (log->error[0])
		return nnactl_error("%s", log->error);
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return nnactl_error("%s", text);
}

int nnactl_misuse(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return tell(2, text, " (see nnactl --help)");
}

bool nnactl_number(const char *option, const char *text, long min, long max, uint32_t *value)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max) {
		nnactl_misuse("%s must be a number from %ld to %ld, not '%s'", option, min, max,
			      text);
		return false;
	}
	*value = (uint32_t)n;
	return true;
}

/*
 * Letters to put in, leave out or exchange, to make one text of the other; a large number where one
 * is longer than any name.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_SIZE], n = strlen(a), m = strlen(b), i, k;

	if (n >= NAME_MAX_SIZE || m >= NAME_MAX_SIZE)
		return NAME_MAX_SIZE;
	for (k = 0; k <= m; k++)
		row[k] = k;
	for (i = 1; i <= n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (k = 1; k <= m; k++) {
			size_t best = corner + (a[i - 1] != b[k - 1]);

			corner = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[m];
}

const char *nnactl_nearest(const char *text, const char *const *names, size_t count)
{
	const char *nearest = NULL;
	size_t best = 3;

	for (size_t i = 0; i < count; i++) {
		size_t d = distance(text, names[i]);

		/* A name of which nothing is left is no likeness. */
		if (d < best && d < strlen(names[i])) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}

static int unknown_option(const struct nnactl_command *command, const char *text)
{
	const char *names[NAMES_MAX], *nearest = NULL;
	char name[NAME_MAX_SIZE];
	size_t count = 0;

	if (!strncmp(text, "--", 2)) {
		for (; command->options[count].name && count < NAMES_MAX - 1; count++)
			names[count] = command->options[count].name;
		names[count++] = "json";
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + 2, "="), text + 2);
		nearest = nnactl_nearest(name, names, count);
	}
	if (nearest)
		return nnactl_misuse("%s knows no option %s: did you mean --%s?", command->name,
				     text, nearest);
	return nnactl_misuse("%s knows no option %s", command->name, text);
}

static int print_command_help(const struct nnactl_command *command)
{
	if (nnactl_json())
		return nnactl_json_print(json_pack("{s:s, s:s, s:s}", "command", command->name,
						   "what", command->what, "help", command->help));
	puts(command->help);
	return 0;
}

int nnactl_option(const struct nnactl_command *command, int argc, char **argv, int *status)
{
	char letters[2 * NAMES_MAX + 2] = ":";
	size_t n = 1;
	int c;

	/* Small letters are short options, too. */
	for (const struct option *o = command->options; o->name && n < 2 * NAMES_MAX - 2; o++) {
		if (o->val < 'a' || o->val > 'z')
			continue;
		letters[n++] = (char)o->val;
		if (o->has_arg)
			letters[n++] = ':';
	}
	c = getopt_long(argc, argv, letters, command->options, NULL);
	switch (c) {
	case 'h':
		*status = print_command_help(command);
		return 0;
	case ':':
		*status = nnactl_misuse("%s needs a value", argv[optind - 1]);
		return 0;
	case '?':
		*status = unknown_option(command, argv[optind - 1]);
		return 0;
	default:
		return c;
	}
}

static int help(FILE *to)
{
	const char *bold = nnactl_style(to, NNACTL_BOLD), *plain = nnactl_style(to, NNACTL_PLAIN);
	json_t *list = json_array();

	for (size_t i = 0; nnactl_json() && i < COMMAND_COUNT; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "command",
						      COMMANDS[i]->name, "arguments",
						      COMMANDS[i]->arguments, "what",
						      COMMANDS[i]->what));
	if (nnactl_json())
		return nnactl_json_print(json_pack("{s:o}", "commands", list));
	json_decref(list);
	fputs("nnactl: run and measure neural networks on an NNA accelerator\n\n", to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  nnactl %s%s%s %s\n      %s\n", bold, COMMANDS[i]->name, plain,
			COMMANDS[i]->arguments, COMMANDS[i]->what);
	fputs("\nA device D is /dev/accel/accelN, loopback (the accelerator's model in this "
	      "process), or auto\n(the first accelerator, else the loopback; the default). "
	      "'nnactl help COMMAND' tells more.\nEvery command takes --json: one JSON value on "
	      "stdout, also for an error.\n", to);
	return 0;
}

static const struct nnactl_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(name, COMMANDS[i]->name))
			return COMMANDS[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMAND_COUNT + 1], *nearest;

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = COMMANDS[i]->name;
	names[COMMAND_COUNT] = "help";
	nearest = nnactl_nearest(name, names, COMMAND_COUNT + 1);
	if (nearest)
		return nnactl_misuse("there is no command '%s': did you mean %s?", name, nearest);
	return nnactl_misuse("there is no command '%s'", name);
}

static int run_command(int argc, char **argv)
{
	const struct nnactl_command *command;

	if (argc < 2) {
		help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		if (argc < 3)
			return help(stdout);
		command = find_command(argv[2]);
		return command ? print_command_help(command) : unknown_command(argv[2]);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		if (nnactl_json())
			return nnactl_json_print(json_pack("{s:s}", "version", NNA_VERSION));
		puts("nnactl " NNA_VERSION);
		return 0;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	opterr = 0;
	return command->main(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int kept = 0, status;

	for (int i = 0; i < argc; i++) {
		if (i && !strcmp(argv[i], "--json"))
			nnactl_json_set(true);
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	status = run_command(kept, argv);
	nnactl_progress_end();
	if (fflush(stdout) || ferror(stdout)) {
		nnactl_json_set(false);
		return nnactl_error("cannot write the output: %s", strerror(errno));
	}
	return status;
}
