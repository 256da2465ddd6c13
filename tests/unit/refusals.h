/* SPDX-License-Identifier: MIT */
/*
 * Refusals of a folder, for a test that collects them all.
 *
 * A refusal is a call of a function that writes one line with what is wrong and what is expected,
 * each a string literal, for example
 *
 *	nna_op_refuse(op, NNA_IN(1), "axis %d", "an axis of -%u to %u", ...)
 *
 * refusals_read() finds these calls in the sources of a folder. The test provokes each by a bad
 * model and hands every line to refusals_mark(). refusals_missing() then counts the calls that no
 * line has the form of, unless the folder's list of exemptions has the reason.
 */
#ifndef TEST_REFUSALS_H
#define TEST_REFUSALS_H

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_REFUSALS 512u

/**
 * struct refusal_function - a function whose calls are refusals
 * @name: its name
 * @between: the text that it writes between what is wrong and what is expected
 */
struct refusal_function {
	const char *name, *between;
};

/**
 * struct refusal_exemption - a refusal that no model can provoke
 * @file: where the call is, within the folder
 * @format: its whole text
 * @reason: the guard before it, or the allocation that would have to fail
 */
struct refusal_exemption {
	const char *file, *format, *reason;
};

/**
 * struct refusal - one call in the sources
 * @file: name of the file, without the folder
 * @line: number of the line
 * @format: the format of the whole line
 * @seen: a line had this form
 */
struct refusal {
	char file[64];
	unsigned int line;
	char format[512];
	bool seen;
};

/**
 * struct refusals - all calls of a folder
 * @list: @count calls
 * @count: entries of @list
 * @errors: calls that are no refusals: without a text, or with one that another call has
 */
struct refusals {
	struct refusal list[MAX_REFUSALS];
	unsigned int count, errors;
};

/* Appends a string literal at @at to @text, and those that follow it. Return: their end. */
static inline const char *refusal_literal(const char *at, char *text, size_t size)
{
	size_t n = strlen(text);

	while (*at == '"') {
		for (at++; *at != '"'; at++) {
			assert_true(*at && n + 1 < size);
			if (*at == '\\')
				at++;
			text[n++] = *at;
		}
		text[n] = 0;
		at++;
		at += strspn(at, " \t\n");
	}
	return at;
}

/* Reads the arguments of the call whose bracket opens at @at: the first two adjacent literals. */
static inline bool refusal_arguments(const char *at, const char *between, struct refusal *r)
{
	char texts[2][256] = { "", "" };
	unsigned int depth = 0, found = 0;

	for (; *at; at++) {
		if (*at == '(')
			depth++;
		if (*at == ')' && !--depth)
			break;
		if (*at != '"')
			continue;
		if (depth != 1 || found == 2)
			return false;
		at = refusal_literal(at, texts[found], sizeof(texts[0]));
		if (!*texts[found++] || (found == 1 && *at != ','))
			return false;
		if (found == 2)
			break;
		at += 1 + strspn(at + 1, " \t\n");
		if (*at != '"')
			return false;
		at--;
	}
	snprintf(r->format, sizeof(r->format), "%s%s%s", texts[0], between, texts[1]);
	return found == 2;
}

/* Replaces comments and macros' definitions by blanks, so that no name in them counts. */
static inline void refusals_blank(char *text)
{
	for (char *at = text; *at; at++) {
		char *end = at;

		if (*at == '"') {
			for (at++; *at && *at != '"'; at++)
				at += *at == '\\';
		} else if (!strncmp(at, "/*", 2)) {
			end = strstr(at, "*/");
			assert_non_null(end);
			end += 2;
		} else if (!strncmp(at, "//", 2)) {
			end += strcspn(at, "\n");
		} else if (!strncmp(at, "#define", 7)) {
			do
				end += strcspn(end + 1, "\n") + 1;
			while (*end && end[-1] == '\\');
		}
		for (; at < end; at++)
			*at = *at == '\n' ? '\n' : ' ';
		if (!*at)
			return;
	}
}

/* Adds the calls in @text, the source of @file. */
static inline void refusals_scan(struct refusals *all, const char *file, char *text,
				 const struct refusal_function *functions)
{
	refusals_blank(text);
	for (; functions->name; functions++) {
		size_t length = strlen(functions->name);
		unsigned int line = 1;
		const char *at = text;

		for (; *at; at++) {
			struct refusal *r = &all->list[all->count];

			line += *at == '\n';
			if (strncmp(at, functions->name, length) || at[length] != '(' ||
			    (at > text && (isalnum(at[-1]) || at[-1] == '_')))
				continue;
			assert_true(all->count < MAX_REFUSALS);
			*r = (struct refusal){ .line = line };
			snprintf(r->file, sizeof(r->file), "%.63s", file);
			if (!refusal_arguments(at + length, functions->between, r)) {
				print_error("%s:%u: %s() without both texts as literals\n", file,
					    line, functions->name);
				all->errors++;
				continue;
			}
			for (unsigned int i = 0; i < all->count; i++) {
				if (strcmp(all->list[i].format, r->format))
					continue;
				print_error("%s:%u: the text of %s:%u again; share a function\n",
					    file, line, all->list[i].file, all->list[i].line);
				all->errors++;
			}
			all->count++;
		}
	}
}

/* Finds the calls of @functions, which end with one without a name, in all sources of @folder. */
static inline void refusals_read(struct refusals *all, const char *folder,
				 const struct refusal_function *functions)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name), size;
		char path[512], *text;
		FILE *file;

		if (length < 3 || strcmp(entry->d_name + length - 2, ".c"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		file = fopen(path, "re");
		assert_non_null(file);
		text = calloc(1, 1 << 20);
		assert_non_null(text);
		size = fread(text, 1, (1 << 20) - 1, file);
		assert_true(size > 0 && size < (1 << 20) - 1);
		fclose(file);
		refusals_scan(all, entry->d_name, text, functions);
		free(text);
	}
	closedir(dir);
}

/* Whether conversion @kind can write character @c. */
static inline bool refusal_writes(char kind, char c)
{
	return kind == 's' || isdigit(c) || c == '-' || (kind == 'g' && strchr(".e+infa", c));
}

/* Whether @format can have written @text: a conversion stands for one or more characters. */
static inline bool refusal_matches(const char *format, const char *text)
{
	for (; *format; format++, text++) {
		if (*format == '%' && format[1] == '%') {
			format++;
		} else if (*format == '%') {
			format += 1 + strcspn(format + 1, "dugs");
			while (*text && refusal_writes(*format, *text))
				if (refusal_matches(format + 1, ++text))
					return true;
			return false;
		}
		if (*format != *text)
			return false;
	}
	return !*text;
}

/*
 * Marks the calls that can have written @text, the line without its prefix. Return: whether there
 * is one.
 */
static inline bool refusals_mark(struct refusals *all, const char *text)
{
	bool found = false;

	for (unsigned int i = 0; i < all->count; i++) {
		if (!refusal_matches(all->list[i].format, text))
			continue;
		all->list[i].seen = true;
		found = true;
	}
	return found;
}

/* Reports refusals that no row provokes, and exemptions without need. Return: how many. */
static inline unsigned int refusals_missing(const struct refusals *all,
					    const struct refusal_exemption *exempt,
					    size_t exempt_count)
{
	unsigned int missing = all->errors;
	bool used[MAX_REFUSALS] = { false };

	for (unsigned int i = 0; i < all->count; i++) {
		const struct refusal *r = &all->list[i];
		size_t k = 0;

		while (k < exempt_count && (strcmp(exempt[k].file, r->file) ||
					    strcmp(exempt[k].format, r->format)))
			k++;
		if (k < exempt_count)
			used[k] = true;
		if (r->seen == (k == exempt_count))
			continue;
		print_error("%s:%u: \"%s\" %s\n", r->file, r->line, r->format, r->seen ?
			    "is exempt, but a row provokes it" : "is provoked by no row");
		missing++;
	}
	for (size_t k = 0; k < exempt_count; k++) {
		if (used[k])
			continue;
		print_error("%s has no refusal \"%s\" to exempt\n", exempt[k].file,
			    exempt[k].format);
		missing++;
	}
	return missing;
}

#endif
