// SPDX-License-Identifier: MIT
/* nnactl: the table of subcommands, and how errors are printed. */
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *arguments, *what;
	int (*main)(int argc, char **argv);
} COMMANDS[] = {
	{ "info", "[--device D]", "what the accelerator is", nnactl_info },
	{ "run", "MODEL.tflite --image F [--labels F] [--output PNG] [--device D]",
	  "run a network on a picture", nnactl_run },
	{ "bench", "MODEL.tflite [--threads N] [--device D] [--runs N] [--json]",
	  "measure a network", nnactl_bench },
	{ "dump", "MODEL.tflite [--device D] | --coredump FILE",
	  "print the compiled program, or a core dump of the driver", nnactl_dump },
	{ "top", "[--interval MS] [--count N]", "print who uses the accelerator", nnactl_top },
	{ "load", "FILE.ko [--param NAME=VALUE]...", "load a kernel module and what it needs",
	  nnactl_load },
	{ "unload", "NAME", "unload a kernel module", nnactl_unload },
};

#define COMMAND_COUNT (sizeof(COMMANDS) / sizeof(COMMANDS[0]))

int nnactl_error(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("nnactl: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
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
	va_list ap;

	fputs("nnactl: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs(" (see nnactl --help)\n", stderr);
	return 2;
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

static void help(FILE *to)
{
	size_t i;

	fputs("nnactl: run and measure neural networks on an NNA accelerator\n\n", to);
	for (i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  nnactl %s %s\n      %s\n", COMMANDS[i].name, COMMANDS[i].arguments,
			COMMANDS[i].what);
	fputs("\nA device D is /dev/accel/accelN, loopback (the accelerator's model in this "
	      "process), or auto\n(the first accelerator, else the loopback; the default). "
	      "'nnactl COMMAND --help' tells more.\n", to);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("nnactl " NNACTL_VERSION);
		return 0;
	}
	for (i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], COMMANDS[i].name))
			continue;
		opterr = 0;
		i = (size_t)COMMANDS[i].main(argc - 1, argv + 1);
		if (fflush(stdout) || ferror(stdout))
			return nnactl_error("cannot write the output: %s", strerror(errno));
		return (int)i;
	}
	return nnactl_misuse("there is no command '%s'", argv[1]);
}
