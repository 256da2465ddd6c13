/* SPDX-License-Identifier: MIT */
/*
 * nnactl, a program of subcommands: what all of them use.
 *
 * A subcommand is a file with a struct nnactl_command, whose function gets argv from its own name
 * on and returns the exit status: 0, 1 for an error, 2 for a wrong command line. An error is one
 * line on stderr, which nnactl_error(), nnactl_failed() or nnactl_misuse() prints where it is
 * found; callers only pass its status on. run, bench, compare and dump open a session (session.h):
 * a model compiled for a device.
 *
 * With --json, which main() takes out of argv, a command prints one JSON value on stdout instead of
 * its text, and an error is {"error": "text", "status": 1} there. nnactl_json() tells; what is
 * printed is built with jansson and handed to nnactl_json_print().
 */
#ifndef NNACTL_H
#define NNACTL_H

#include <getopt.h>
#include <jansson.h>
#include <nnaccel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct nnactl_command - a subcommand
 * @arguments: one line of them for the list of commands
 * @what: what it does, in some words
 * @help: its own text, which shows its arguments again, in full
 * @options: for getopt_long(): a letter for each, "help" last
 */
struct nnactl_command {
	const char *name, *arguments, *what, *help;
	const struct option *options;
	int (*main)(int argc, char **argv);
};

extern const struct nnactl_command NNACTL_INFO, NNACTL_RUN, NNACTL_BENCH, NNACTL_PROFILE,
	NNACTL_COMPARE, NNACTL_DUMP, NNACTL_TOP, NNACTL_LOAD, NNACTL_UNLOAD, NNACTL_CDI;

/*
 * The next option of @command. Return: its letter, with its value in optarg; -1 where there is none
 * any more; 0 where the command has to end with @status: after help, and after a misuse, which has
 * been printed.
 */
int nnactl_option(const struct nnactl_command *command, int argc, char **argv, int *status);

/* Print a core dump of the driver. Return: the exit status. */
int nnactl_coredump_print(const char *path);

/* "nnactl: text" on stderr. Return: 1. */
__attribute__((format(printf, 1, 2))) int nnactl_error(const char *format, ...);
/* A wrong command line: the same, and where help is. Return: 2. */
__attribute__((format(printf, 1, 2))) int nnactl_misuse(const char *format, ...);
/*
 * A whole number in [@min, @max] out of @text. Return: false, with the error printed, for anything
 * else.
 */
bool nnactl_number(const char *option, const char *text, long min, long max, uint32_t *value);
/* The one of @names, of @count, that looks most like @text; NULL where none does. */
const char *nnactl_nearest(const char *text, const char *const *names, size_t count);

/* Whether --json was given. */
bool nnactl_json(void);
void nnactl_json_set(bool json);
/* Print @value, which is taken, NULL for no memory. Return: 0, or 1 with the error printed. */
int nnactl_json_print(json_t *value);
/* Text of any origin: what is not UTF-8 gets '?'. */
json_t *nnactl_json_text(const char *text);
/* A number, or null for one that JSON does not know (infinity, NaN). */
json_t *nnactl_json_number(double value);

/* enum nnactl_style - how text stands on a terminal */
enum nnactl_style { NNACTL_PLAIN, NNACTL_BOLD, NNACTL_GOOD, NNACTL_BAD };

/*
 * What switches a style on: "" where @to is no terminal, where NO_COLOR is set, and with --json.
 */
const char *nnactl_style(FILE *to, enum nnactl_style style);
/* Whether @to is a terminal that can be written over, and --json is not given. */
bool nnactl_is_terminal(FILE *to);
/* Columns of the terminal at stdout, of $COLUMNS, or 80; and rows, of $LINES, or 24. */
uint32_t nnactl_columns(void);
uint32_t nnactl_rows(void);

/*
 * Say on a terminal at stderr, once it takes over a second, what is being done; "file.tflite:
 * compiling". Errors and nnactl_progress_end() end it.
 */
__attribute__((format(printf, 1, 2))) void nnactl_progress(const char *format, ...);
/* How far that is: @done of @total. */
void nnactl_progress_at(uint32_t done, uint32_t total);
void nnactl_progress_end(void);

/**
 * struct nnactl_log - what the library logs
 * @error: its first error line since this was last set to "", for nnactl_failed()
 *
 * Warnings and notes go to stderr as they come.
 */
struct nnactl_log {
	char error[320];
};

/* Print what the library logged about a failure, or @format when it said nothing. Return: 1. */
__attribute__((format(printf, 2, 3))) int nnactl_failed(const struct nnactl_log *log,
							const char *format, ...);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t nnactl_now(void);

/* A path as messages name it: "-" is the standard input. */
const char *nnactl_file_name(const char *path);

/**
 * nnactl_file_read() - a whole file of any kind
 * @path: "-" is the standard input
 * @limit: bytes above which it cannot be what is wanted; a multiple of 64 KiB
 * @size: how many there are; a NUL that is not counted follows them
 *
 * Return: memory that the caller frees, or NULL with the error printed.
 */
char *nnactl_file_read(const char *path, size_t limit, size_t *size);

#endif
