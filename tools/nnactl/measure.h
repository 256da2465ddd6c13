/* SPDX-License-Identifier: MIT */
/* What bench and profile, which run one model many times, have in common: options and medians. */
#ifndef NNACTL_MEASURE_H
#define NNACTL_MEASURE_H

#include "tools/nnactl/session.h"

/**
 * struct nnactl_measure - what such a command is told, of which it comes with the defaults
 * @path: the model's file
 * @signature: of the model, which runs; NULL: its main subgraph
 * @device: a name for nna_device_open()
 * @trace: a file for a trace; NULL: none
 * @peaks: a file with peaks of a machine; NULL: none
 * @threads: of the loopback; 0: one for each CPU
 * @runs: that count
 * @most_runs: that may be asked for
 * @streams: of runs at once
 * @sorted: rows by time, not in the order of the program
 * @output: a file for a page; NULL: none
 * @fallback: what runs operators that the device cannot
 * @shared: inputs and outputs lie in buffers that the device works on itself
 */
struct nnactl_measure {
	const char *path, *signature, *device, *trace, *peaks;
	uint32_t threads, runs, most_runs, streams;
	const char *output;
	bool shared, sorted;
	enum nnactl_fallback fallback;
};

/*
 * Reads a command line: the model, and --device, --fallback, --threads, --runs, --streams, --trace,
 * --peaks, --signature, --shared, --sort and --output, as far as @command has these options.
 * Return: false where the command has to end with @status.
 */
bool nnactl_measure_read(const struct nnactl_command *command, int argc, char **argv,
			 struct nnactl_measure *measure, int *status);

/* Sorts @count times, at least one. Return: their median. */
double nnactl_times_sort(uint64_t *times, uint32_t count);

#endif
