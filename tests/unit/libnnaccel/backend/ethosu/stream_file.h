/* SPDX-License-Identifier: MIT */
/* The words of a file of tests/ethosu/streams. */
#ifndef STREAM_FILE_H
#define STREAM_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/must.h"

#define STREAM_FILE_BYTES 16384u

/**
 * struct stream_file - the words
 * @bytes: @size bytes of them
 */
struct stream_file {
	uint8_t bytes[STREAM_FILE_BYTES];
	size_t size;
};

static inline void stream_file_read(struct stream_file *file, const char *name)
{
	char path[256], line[512];
	unsigned int byte;
	int inside = 0;
	FILE *from;

	snprintf(path, sizeof(path), "tests/ethosu/streams/%s.stream", name);
	from = fopen(path, "r");
	must(from);
	file->size = 0;
	while (fgets(line, sizeof(line), from)) {
		if (*line != '\t') {
			inside = !strcmp(line, "stream\n");
			continue;
		}
		for (const char *at = line + 1; inside && sscanf(at, "%2x", &byte) == 1; at += 2) {
			must(file->size < STREAM_FILE_BYTES);
			file->bytes[file->size++] = (uint8_t)byte;
		}
	}
	fclose(from);
	must(file->size);
}

#endif
