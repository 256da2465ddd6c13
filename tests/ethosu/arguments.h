/* SPDX-License-Identifier: MIT */
/*
 * What ethosu_run and ethosu_drive are given of a command stream on the command line.
 *
 *	--stream FILE			the stream's words
 *	--region N:SIZE[=FILE]		memory of region N, which begins with FILE
 *	--write N:OFFSET=FILE		put FILE there before each run
 *	--read N:OFFSET:SIZE=FILE	write what is there after the last run to FILE
 *
 * The caller provides the memory of the regions: bytes that it owns, in @memory.
 */
#ifndef TESTS_ETHOSU_ARGUMENTS_H
#define TESTS_ETHOSU_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/ethosu/config.h"

#define ETHOSU_ARGUMENTS 64

/**
 * struct ethosu_arguments - of one command line
 * @program: the name of the program, for messages
 * @stream: path of the stream
 * @regions: texts of --region; @region_count of them
 * @writes: of --write
 * @reads: of --read
 * @size: of each region in bytes, 0 if there is none; ethosu_arguments_regions() sets it
 * @memory: of each region; the caller sets it
 */
struct ethosu_arguments {
	const char *program, *stream;
	const char *regions[ETHOSU_ARGUMENTS], *writes[ETHOSU_ARGUMENTS], *reads[ETHOSU_ARGUMENTS];
	int region_count, write_count, read_count;
	uint64_t size[ETHOSU_REGIONS];
	uint8_t *memory[ETHOSU_REGIONS];
};

/* All of these end the program with status 2 after a message if something is wrong. */
_Noreturn void ethosu_arguments_fail(const struct ethosu_arguments *a, const char *what,
				     const char *argument);
/* Take one option. Return: false if it is not one of these. */
bool ethosu_arguments_take(struct ethosu_arguments *a, const char *option, const char *value);
/* Read the sizes of the regions. */
void ethosu_arguments_regions(struct ethosu_arguments *a);
/* Fill the regions, once they have memory. */
void ethosu_arguments_fill(const struct ethosu_arguments *a);
void ethosu_arguments_write(const struct ethosu_arguments *a);
void ethosu_arguments_read(const struct ethosu_arguments *a);
/* Size of a file, and its bytes into @to, which has room for @size. */
size_t ethosu_arguments_size_of(const struct ethosu_arguments *a, const char *path);
void ethosu_arguments_load(const struct ethosu_arguments *a, const char *path, void *to,
			   size_t size);

#endif
