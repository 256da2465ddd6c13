/* SPDX-License-Identifier: MIT */
/*
 * nnactl: one file per subcommand; each main function gets argv from its own name on and returns
 * the exit status (0, 1 for an error, 2 for a wrong command line). nnactl_error() prints the one
 * line that an error is.
 */
#ifndef NNACTL_H
#define NNACTL_H

#include <getopt.h>
#include <nnaccel.h>
#include <stdbool.h>

#include "tools/tflite/translate.h"

#define NNACTL_VERSION "0.1"

int nnactl_info(int argc, char **argv);
int nnactl_run(int argc, char **argv);
int nnactl_bench(int argc, char **argv);
int nnactl_dump(int argc, char **argv);
int nnactl_top(int argc, char **argv);
int nnactl_load(int argc, char **argv);
int nnactl_unload(int argc, char **argv);

/* Print a core dump of the driver. Return: the exit status. */
int nnactl_dump_coredump(const char *path);

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
 * struct nnactl_log - what the library says
 * @error: its first error line since it was last emptied, "" for none; printed when a call has
 *	failed
 *
 * Warnings and notes go to stderr as they come.
 */
struct nnactl_log {
	char error[320];
};

/* Prints the library's word for a failure, or @format when it said nothing. Return: 1. */
__attribute__((format(printf, 2, 3))) int nnactl_failed(const struct nnactl_log *log,
							const char *format, ...);

/**
 * struct nnactl_session - a model on a device
 * @path: of the model
 * @device_name: as the device calls itself
 * @log: given to the library, so a session must not move
 */
struct nnactl_session {
	const char *path;
	char device_name[64];
	struct nnactl_log log;
	struct tflite_model *model;
	struct tflite_origin origin;
	struct nna_device *device;
	struct nna_graph *graph;
	struct nna_program *program;
};

/* Open a device; says on stderr why not. Return: 0 or 1. */
int nnactl_open_device(const char *name, uint32_t threads, struct nna_device **device,
		       struct nnactl_log *log);
/* Load, translate and compile. Return: 0, or 1 with one line on stderr; close it in both cases. */
int nnactl_session_open(struct nnactl_session *session, const char *path, const char *device,
			uint32_t threads);
void nnactl_session_close(struct nnactl_session *session);

/**
 * struct nnactl_outputs - memory for all outputs of a program
 * @count: outputs
 * @info: of each
 * @data: of each; all of it is one allocation
 */
struct nnactl_outputs {
	uint32_t count;
	struct nna_io_info *info;
	void **data;
	size_t total;
};

int nnactl_outputs_bind(struct nnactl_outputs *outputs, struct nnactl_session *session,
			struct nna_execution *execution);
void nnactl_outputs_free(struct nnactl_outputs *outputs);

/* The real value of element @index of a tensor. */
double nnactl_value(const struct nna_io_info *info, const void *data, size_t index);
/* Elements of a tensor. */
size_t nnactl_elements(const struct nna_io_info *info);
/* "QUANT8_ASYMM [1, 224, 224, 3]" */
const char *nnactl_describe(const struct nna_io_info *info, char *to, size_t size);

#endif
