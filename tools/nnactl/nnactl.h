/* SPDX-License-Identifier: MIT */
/*
 * nnactl, a program of subcommands: what all of them use.
 *
 * A subcommand is a file with one function that gets argv from its own name on and returns the exit
 * status: 0, 1 for an error, 2 for a wrong command line. An error is one line on stderr, which
 * nnactl_error(), nnactl_failed() or nnactl_misuse() prints where it is found; callers only pass
 * its status on. run, bench and dump open a session (session.h): a model compiled for a device.
 */
#ifndef NNACTL_H
#define NNACTL_H

#include <getopt.h>
#include <nnaccel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNACTL_VERSION "0.1"

int nnactl_info(int argc, char **argv);
int nnactl_run(int argc, char **argv);
int nnactl_bench(int argc, char **argv);
int nnactl_dump(int argc, char **argv);
int nnactl_top(int argc, char **argv);
int nnactl_load(int argc, char **argv);
int nnactl_unload(int argc, char **argv);

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

/**
 * nnactl_file_read() - a whole file of any kind
 * @limit: bytes above which it cannot be what is wanted; a multiple of 64 KiB
 * @size: how many there are; a NUL that is not counted follows them
 *
 * Return: memory that the caller frees, or NULL with the error printed.
 */
char *nnactl_file_read(const char *path, size_t limit, size_t *size);

#endif
