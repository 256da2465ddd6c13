/* SPDX-License-Identifier: MIT */
/* A user's options of the delegate: the keys and values of load_delegate(). */
#ifndef DELEGATE_OPTIONS_H
#define DELEGATE_OPTIONS_H

#include <nnaccel.h>

#define DELEGATE_ERROR_SIZE 256

/**
 * struct delegate_options - the options, or their defaults
 * @device: a name for nna_device_open()
 * @priority: of all runs
 * @duration_ns: the time limit of a run, 0 for no limit
 * @cache_dir: the folder for compiled programs, "" for none
 * @threads: of the loopback, 0 for one per CPU
 * @log_level: messages up to this level go to stderr
 */
struct delegate_options {
	char device[128];
	enum nna_priority priority;
	uint64_t duration_ns;
	char cache_dir[512];
	uint32_t threads;
	enum nna_log_level log_level;
};

/*
 * Reads @count options. Return: 0, or -EINVAL with a line at @error, which has
 * DELEGATE_ERROR_SIZE bytes.
 */
int delegate_options_read(struct delegate_options *options, const char *const *keys,
			  const char *const *values, size_t count, char *error);

#endif
