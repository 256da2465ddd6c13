// SPDX-License-Identifier: MIT
#include "nna_vfu_caps.h"

#include <errno.h>
#include <string.h>

#define MAX_DEPTH 16

/* Position in the text; no byte at or behind end is looked at. */
struct json {
	const char *at;
	const char *end;
	struct nna_vfu_caps *caps;
};

static void skip_blanks(struct json *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
		j->at++;
}

static bool take(struct json *j, char c)
{
	skip_blanks(j);
	if (j->at == j->end || *j->at != c)
		return false;
	j->at++;
	return true;
}

/* A string; *start and *size get what is between the quotes, with escapes left as they are. */
static bool take_string(struct json *j, const char **start, size_t *size)
{
	if (!take(j, '"'))
		return false;
	*start = j->at;
	while (j->at < j->end && *j->at != '"') {
		if ((unsigned char)*j->at < ' ')
			return false;
		if (*j->at == '\\' && ++j->at == j->end)
			return false;
		j->at++;
	}
	if (j->at == j->end)
		return false;
	*size = (size_t)(j->at - *start);
	j->at++;
	return true;
}

static bool take_word(struct json *j, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0)
		return false;
	j->at += n;
	return true;
}

static bool take_number(struct json *j)
{
	const char *start = j->at;

	while (j->at < j->end && *j->at && strchr("+-.0123456789eE", *j->at))
		j->at++;
	return j->at != start;
}

static bool is_name(const char *s, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(s, name, n) == 0;
}

/* One value. @inside: this is the object of capabilities, at depth 1 of the text. */
static bool take_value(struct json *j, int depth, bool inside, bool *is_true)
{
	const char *name;
	size_t size;

	*is_true = false;
	if (depth > MAX_DEPTH)
		return false;
	skip_blanks(j);
	if (j->at == j->end)
		return false;
	switch (*j->at) {
	case '{':
		j->at++;
		if (take(j, '}'))
			return true;
		do {
			bool value;

			if (!take_string(j, &name, &size) || !take(j, ':'))
				return false;
			if (!take_value(j, depth + 1, depth == 0 && is_name(name, size, "capabilities"), &value))
				return false;
			if (inside && is_name(name, size, "write_multiple"))
				j->caps->write_multiple = value;
		} while (take(j, ','));
		return take(j, '}');
	case '[':
		j->at++;
		if (take(j, ']'))
			return true;
		do {
			bool value;

			if (!take_value(j, depth + 1, false, &value))
				return false;
		} while (take(j, ','));
		return take(j, ']');
	case '"':
		return take_string(j, &name, &size);
	case 't':
		*is_true = true;
		return take_word(j, "true");
	case 'f':
		return take_word(j, "false");
	case 'n':
		return take_word(j, "null");
	default:
		return take_number(j);
	}
}

int nna_vfu_caps_parse(const char *text, size_t size, struct nna_vfu_caps *caps)
{
	struct json j = { .at = text, .end = text + size, .caps = caps };
	bool value;

	memset(caps, 0, sizeof(*caps));
	while (j.end > j.at && j.end[-1] == '\0')
		j.end--;
	skip_blanks(&j);
	if (j.at == j.end)
		return 0;
	if (*j.at != '{' || !take_value(&j, 0, false, &value))
		return -EINVAL;
	skip_blanks(&j);
	return j.at == j.end ? 0 : -EINVAL;
}
