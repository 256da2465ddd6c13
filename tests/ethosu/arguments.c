// SPDX-License-Identifier: MIT
/* The command line of ethosu_run and ethosu_drive (arguments.h). */
#include "tests/ethosu/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ethosu_arguments_fail(const struct ethosu_arguments *a, const char *what,
			   const char *argument)
{
	fprintf(stderr, "%s: %s: %s\n", a->program, what, argument);
	exit(2);
}

void ethosu_arguments_load(const struct ethosu_arguments *a, const char *path, void *to,
			   size_t size)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		ethosu_arguments_fail(a, "cannot open", path);
	if (fread(to, 1, size, file) == size && fgetc(file) != EOF)
		ethosu_arguments_fail(a, "larger than its place", path);
	fclose(file);
}

size_t ethosu_arguments_size_of(const struct ethosu_arguments *a, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		ethosu_arguments_fail(a, "cannot open", path);
	fclose(file);
	return (size_t)size;
}

bool ethosu_arguments_take(struct ethosu_arguments *a, const char *option, const char *value)
{
	static const struct {
		const char *option;
		size_t texts, count;
	} lists[] = {
		{ "--region", offsetof(struct ethosu_arguments, regions),
		  offsetof(struct ethosu_arguments, region_count) },
		{ "--write", offsetof(struct ethosu_arguments, writes),
		  offsetof(struct ethosu_arguments, write_count) },
		{ "--read", offsetof(struct ethosu_arguments, reads),
		  offsetof(struct ethosu_arguments, read_count) },
	};

	if (!strcmp(option, "--stream")) {
		a->stream = value;
		return true;
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char **texts = (const char **)((char *)a + lists[i].texts);
		int *count = (int *)((char *)a + lists[i].count);

		if (strcmp(option, lists[i].option))
			continue;
		if (*count == ETHOSU_ARGUMENTS)
			ethosu_arguments_fail(a, "too many arguments", option);
		texts[(*count)++] = value;
		return true;
	}
	return false;
}

/* Parse numbers with colons between them, then = and a path. Return: the path; NULL for none. */
static const char *numbers(const struct ethosu_arguments *a, const char *text, uint64_t *values,
			   int count)
{
	const char *at = text;

	for (int i = 0; i < count; i++) {
		char *end;

		values[i] = strtoull(at, &end, 0);
		if (end == at || (i + 1 < count && *end != ':'))
			ethosu_arguments_fail(a, "expected numbers, then =FILE", text);
		at = end + 1;
		if (i + 1 == count && !*end)
			at = NULL;
		else if (i + 1 == count && *end != '=')
			ethosu_arguments_fail(a, "expected =FILE", text);
	}
	if (values[0] >= ETHOSU_REGIONS)
		ethosu_arguments_fail(a, "regions are 0 to 7", text);
	return at;
}

void ethosu_arguments_regions(struct ethosu_arguments *a)
{
	uint64_t v[2];

	for (int i = 0; i < a->region_count; i++) {
		numbers(a, a->regions[i], v, 2);
		if (a->size[v[0]] || !v[1])
			ethosu_arguments_fail(a, "a region is given once, with a size",
					      a->regions[i]);
		a->size[v[0]] = v[1];
	}
}

void ethosu_arguments_fill(const struct ethosu_arguments *a)
{
	uint64_t v[2];

	for (int i = 0; i < a->region_count; i++) {
		const char *path = numbers(a, a->regions[i], v, 2);

		if (path)
			ethosu_arguments_load(a, path, a->memory[v[0]], v[1]);
	}
}

static uint8_t *place(const struct ethosu_arguments *a, const uint64_t *v, uint64_t size,
		      const char *text)
{
	if (!a->size[v[0]] || v[1] > a->size[v[0]] || size > a->size[v[0]] - v[1])
		ethosu_arguments_fail(a, "outside of the region", text);
	return a->memory[v[0]] + v[1];
}

void ethosu_arguments_write(const struct ethosu_arguments *a)
{
	uint64_t v[2];

	for (int i = 0; i < a->write_count; i++) {
		const char *path = numbers(a, a->writes[i], v, 2);
		size_t size;

		if (!path)
			ethosu_arguments_fail(a, "expected =FILE", a->writes[i]);
		size = ethosu_arguments_size_of(a, path);
		ethosu_arguments_load(a, path, place(a, v, size, a->writes[i]), size);
	}
}

void ethosu_arguments_read(const struct ethosu_arguments *a)
{
	uint64_t v[3];

	for (int i = 0; i < a->read_count; i++) {
		const char *path = numbers(a, a->reads[i], v, 3);
		FILE *file = path ? fopen(path, "wb") : NULL;

		if (!file || fwrite(place(a, v, v[2], a->reads[i]), 1, v[2], file) != v[2] ||
		    fclose(file))
			ethosu_arguments_fail(a, "cannot write", a->reads[i]);
	}
}
