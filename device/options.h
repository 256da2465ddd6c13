/* SPDX-License-Identifier: MIT */
/*
 * The command line of nna-device: options of the program, and those of the model that it serves.
 *
 * Options of models may stand before --model. So they are kept until the model is known, and are
 * written to its configuration then.
 */
#ifndef NNADEV_OPTIONS_H
#define NNADEV_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/model.h"

/**
 * struct nnadev_setting - an option of a model, as it was given
 * @code: what getopt_long() returned for it
 * @value: its value
 */
struct nnadev_setting {
	int code;
	const char *value;
};

/**
 * struct nnadev_options - the command line
 * @model: what to serve
 * @config: its configuration; owned
 * @settings: options of models, in their order; owned
 * @setting_count: entries of @settings
 * @socket: where to listen for clients
 * @control: where to listen for faults to inject, or NULL
 * @threads: threads that run tiles; 0 is one per CPU
 * @client_timeout_ms: as in struct nnadev_vfu_params
 * @once: end when the first client has left
 * @no_sandbox: keep all rights
 * @verbose: log more
 */
struct nnadev_options {
	const struct nnadev_model *model;
	void *config;
	struct nnadev_setting *settings;
	size_t setting_count;
	const char *socket;
	const char *control;
	uint32_t threads;
	uint32_t client_timeout_ms;
	bool once;
	bool no_sandbox;
	bool verbose;
};

/**
 * nnadev_options_parse() - read the command line
 * @argc: of main()
 * @argv: of main(); must outlive @options
 * @options: written, to be given to nnadev_options_free() in any case
 *
 * Return: 0; 1 when the program is done, because it was asked for help; -1 when the command line is
 * wrong, which has been said.
 */
int nnadev_options_parse(int argc, char **argv, struct nnadev_options *options);

void nnadev_options_free(struct nnadev_options *options);

#endif
