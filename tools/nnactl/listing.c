// SPDX-License-Identifier: MIT
/* A compiled program as text: read, named after the model, and laid out for a screen. */
#include "tools/nnactl/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/model.h"
#include "tools/nnactl/text.h"

/* A value that a field has where a command does nothing special; not printed. */
static const struct {
	const char *end, *value;
} DEFAULTS[] = {
	{ "groups", "1" }, { "multiplier", "1" }, { "beta", "1" },
	{ "kernel_h", "1" }, { "kernel_w", "1" },
	{ "stride_h", "1" }, { "stride_w", "1" },
	{ "dilation_h", "1" }, { "dilation_w", "1" },
	{ "residual_q_min", "0" }, { "residual_q_max", "255" },
	{ "residual_q_min", "-128" }, { "residual_q_max", "127" },
	{ "q_min", "0" }, { "q_max", "255" },
	{ "q_min", "-128" }, { "q_max", "127" },
	{ "", "0" }, { "", "-inf" }, { "", "inf" }, { "", "0x0" },
};

static bool is_default(const char *name, const char *value)
{
	size_t n = strlen(name);

	/* Zero means something as an activation's bound, or as an axis. */
	if (!strcmp(value, "0") && (strstr(name, "clamp") || strstr(name, "axis")))
		return false;
	for (size_t i = 0; i < sizeof(DEFAULTS) / sizeof(DEFAULTS[0]); i++) {
		size_t end = strlen(DEFAULTS[i].end);

		if (!strcmp(value, DEFAULTS[i].value) && end <= n &&
		    !strcmp(name + n - end, DEFAULTS[i].end))
			return true;
	}
	return false;
}

static json_t *new_part(const char *title)
{
	return json_pack("{s:s, s:{}, s:[], s:[]}", "title", title, "memory", "slots", "commands");
}

/* "CONV (operation 3) layout=PACKED8 groups=1", behind the offset. */
static json_t *read_command(size_t at, char *text)
{
	char *open = strstr(text, " (operation "), *rest, *save = NULL;
	json_t *fields = json_object();
	unsigned long operation;

	*open = 0;
	operation = strtoul(open + strlen(" (operation "), &rest, 10);
	if (*rest == ')')
		rest++;
	for (char *word = strtok_r(rest, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = 0;
		json_object_set_new(fields, word, json_string(equals + 1));
	}
	return json_pack("{s:I, s:s, s:I, s:o, s:[]}", "at", (json_int_t)at, "name", text,
			 "operation", (json_int_t)operation, "fields", fields, "operands");
}

/* "output    scratch+0x0 U8[1,64,64,8] scale 0.02 zero 0", without the blanks before it. */
static json_t *read_operand(char *text)
{
	char *name = text, *place, *plus, *type, *open, *close;
	json_t *dims;

	place = name + strcspn(name, " ");
	if (!*place)
		return NULL;
	*place++ = 0;
	place += strspn(place, " ");
	plus = strstr(place, "+0x");
	if (!plus)
		return NULL;
	*plus = 0;
	type = plus + 3 + strcspn(plus + 3, " ");
	open = strchr(type, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!*type || !close)
		return NULL;
	*open++ = 0;
	*close++ = 0;
	dims = json_array();
	for (char *at = open; *at; at += *at == ',')
		json_array_append_new(dims, json_integer(strtoll(at, &at, 10)));
	return json_pack("{s:s, s:s, s:I, s:s, s:o, s:s}", "name", name, "place", place, "offset",
			 (json_int_t)strtoull(plus + 1, NULL, 16), "type", type + 1, "dims", dims,
			 "more", close + strspn(close, " "));
}

static void read_memory(json_t *part, char *text)
{
	json_t *memory = json_object_get(part, "memory");
	char *save = NULL;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *name = word + strspn(word, " ");
		const size_t number = strcspn(name, "0123456789");

		/* "shared slot 0 bytes" is "shared". */
		if (name[number]) {
			const json_int_t bytes = strtoll(name + number, NULL, 10);

			name[strcspn(name, " ")] = 0;
			json_object_set_new(memory, name, json_integer(bytes));
		}
	}
}

static void read_slot(json_t *part, const char *text)
{
	const char *name = strstr(text, ": "), *comma = name ? strrchr(name, ',') : NULL;

	if (comma)
		json_array_append_new(json_object_get(part, "slots"),
				      json_pack("{s:s#, s:I}", "name", name + 2,
						(int)(comma - name - 2), "bytes",
						(json_int_t)strtoull(comma + 1, NULL, 10)));
}

static bool is_offset(const char *line)
{
	size_t digits = strspn(line, "0123456789abcdef");

	return digits >= 6 && line[digits] == ' ';
}

/* What nna_program_dump() writes above a program, or in the place of one. */
static bool is_title(const char *line)
{
	return !strncmp(line, "runs in parts", 13) || !strncmp(line, "subgraph ", 9) ||
	       !strncmp(line, "not compiled yet", 16);
}

/* A line of a backend whose program has no such commands, for people to read. */
static void add_line(json_t *part, const char *line)
{
	if (!json_object_get(part, "text"))
		json_object_set_new(part, "text", json_array());
	json_array_append_new(json_object_get(part, "text"), nnactl_json_text(line));
}

/* Reads @text, which is changed. Return: a list, or NULL for no memory. */
static json_t *read_listing(char *text)
{
	json_t *all = json_array(), *part = NULL, *command = NULL;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); all && line;
	     line = strtok_r(NULL, "\n", &save)) {
		/* A part starts with a title, or with its memory where there is none. */
		const bool starts = is_title(line);

		if (starts || !part || (json_object_size(json_object_get(part, "memory")) &&
					!strncmp(line, "memory: ", 8))) {
			part = new_part(starts ? line : "");
			command = NULL;
			if (!part || json_array_append_new(all, part)) {
				json_decref(all);
				return NULL;
			}
		}
		if (starts)
			continue;
		if (!strncmp(line, "memory: ", 8)) {
			read_memory(part, line + 8);
		} else if (!strncmp(line, "slot ", 5)) {
			read_slot(part, line);
		} else if (command && line[0] == ' ') {
			json_array_append_new(json_object_get(command, "operands"),
					      read_operand(line + strspn(line, " ")));
		} else if (is_offset(line) && strstr(line, " (operation ")) {
			command = read_command(strtoul(line, NULL, 16), strchr(line, ' ') + 1);
			json_array_append_new(json_object_get(part, "commands"), command);
		} else if (strncmp(line, "stream ", 7)) {
			add_line(part, line);
		}
	}
	return all;
}

/* Says of the commands of a whole program which operator and tensor of the model they are for. */
static void name_commands(json_t *listing, const struct nnactl_session *s)
{
	json_t *part = json_array_get(listing, 0), *command;
	char text[256];
	size_t i;

	if (json_array_size(listing) != 1)
		return;
	json_array_foreach(json_object_get(part, "commands"), i, command) {
		json_int_t n = json_integer_value(json_object_get(command, "operation"));
		const char *name, *tensor;
		uint32_t number;

		if (!strcmp(json_string_value(json_object_get(command, "name")), "END") || n < 0 ||
		    (uint64_t)n >= s->origin.count ||
		    s->origin.operators[n] >= nnactl_model_operators(s))
			continue;
		number = s->origin.operators[n];
		name = nnactl_model_operator(s, number);
		tensor = nnactl_model_result(s, number);
		json_object_set_new(command, "number", json_integer(number));
		json_object_set_new(command, "operator",
				    nnactl_json_text(tflite_printable(name ? name : "?", text,
								      sizeof(text))));
		if (tensor)
			json_object_set_new(command, "tensor", nnactl_json_text(tflite_printable(
				tensor, text, sizeof(text))));
	}
}

char *nnactl_listing_get_text(struct nnactl_session *s)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int ret;

	if (!to) {
		nnactl_error("out of memory");
		return NULL;
	}
	ret = nna_program_dump(s->program, to);
	if (fclose(to) || ret) {
		nnactl_error("%s: %s", s->path, ret ? strerror(-ret) : "out of memory");
		free(text);
		return NULL;
	}
	return text;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static uint64_t number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

/**
 * struct value - bytes of the scratch memory, from the command that writes them to the last reader
 */
struct value {
	uint64_t from, to;
	size_t first, last;
};

uint64_t nnactl_listing_bytes(const json_t *operand)
{
	const char *type = text_of(operand, "type");
	uint64_t bytes = (uint64_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8;
	json_t *dim;
	size_t i;

	json_array_foreach(json_object_get(operand, "dims"), i, dim)
		bytes *= (uint64_t)json_integer_value(dim);
	return bytes ? bytes : 1;
}

/* An operand that writes starts a value, one that reads makes those that it meets live longer. */
static size_t note_operand(struct value *values, size_t count, const json_t *operand, size_t at)
{
	uint64_t from = number_of(operand, "offset"), to = from + nnactl_listing_bytes(operand);

	if (strcmp(text_of(operand, "place"), "scratch"))
		return count;
	if (strncmp(text_of(operand, "name"), "output", 6)) {
		for (size_t i = count; i-- > 0;)
			if (values[i].from < to && from < values[i].to && values[i].first < at) {
				values[i].last = at;
				break;
			}
		return count;
	}
	values[count] = (struct value){ from, to, at, at };
	return count + 1;
}

/* The values of a part, which the caller frees; NULL for no memory. */
static struct value *get_values(const json_t *part, size_t *count)
{
	const json_t *commands = json_object_get(part, "commands"), *command, *operand;
	size_t operands = 0, i, k;
	struct value *values;

	json_array_foreach(commands, i, command)
		operands += json_array_size(json_object_get(command, "operands"));
	values = calloc(operands + 1, sizeof(*values));
	*count = 0;
	if (!values)
		return NULL;
	json_array_foreach(commands, i, command)
		json_array_foreach(json_object_get(command, "operands"), k, operand)
			*count = note_operand(values, *count, operand, i);
	return values;
}

static int by_place(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/*
 * The most bytes that hold values at the same time: no plan can do with less. What lives on in the
 * same place counts once. It changes the order of @values.
 */
static uint64_t count_live(struct value *values, size_t count, size_t commands)
{
	uint64_t most = 0;

	qsort(values, count, sizeof(*values), by_place);
	for (size_t at = 0; at < commands; at++) {
		uint64_t live = 0, end = 0;

		for (size_t i = 0; i < count; i++) {
			const struct value *v = &values[i];

			if (v->first > at || v->last < at || v->to <= end)
				continue;
			live += v->to - (v->from > end ? v->from : end);
			end = v->to;
		}
		most = live > most ? live : most;
	}
	return most;
}

/* Says of each part beside the size of its scratch memory how much of that is needed. */
static bool note_live(json_t *listing)
{
	json_t *part;
	size_t i;

	json_array_foreach(listing, i, part) {
		const size_t commands = json_array_size(json_object_get(part, "commands"));
		json_t *memory = json_object_get(part, "memory");
		struct value *values;
		uint64_t live;
		size_t count;

		if (!commands || !json_object_get(memory, "scratch"))
			continue;
		values = get_values(part, &count);
		if (!values)
			return false;
		live = count_live(values, count, commands);
		free(values);
		if (json_object_set_new(memory, "scratch_live", json_integer((json_int_t)live)))
			return false;
	}
	return true;
}

json_t *nnactl_listing_get(struct nnactl_session *s)
{
	char *text = nnactl_listing_get_text(s);
	json_t *listing;

	if (!text)
		return NULL;
	listing = read_listing(text);
	free(text);
	if (!listing || !note_live(listing)) {
		json_decref(listing);
		nnactl_error("out of memory");
		return NULL;
	}
	name_commands(listing, s);
	return listing;
}

/* A word behind others, on a new line where the old one has no room for it. */
static void put_word(FILE *to, const char *word, uint32_t *column, uint32_t columns)
{
	uint32_t n = (uint32_t)strlen(word);

	if (*column + 1 + n > columns && *column > 10) {
		fprintf(to, "\n%10s", "");
		*column = 10;
	}
	fprintf(to, " %s", word);
	*column += 1 + n;
}

static void print_operand(const json_t *operand, FILE *to, uint32_t columns)
{
	const json_t *dims = json_object_get(operand, "dims"), *dim;
	uint32_t column;
	char word[400];
	size_t i, n;

	column = (uint32_t)fprintf(to, "    %-9s", text_of(operand, "name"));
	snprintf(word, sizeof(word), "%s+0x%" PRIx64, text_of(operand, "place"),
		 number_of(operand, "offset"));
	put_word(to, word, &column, columns);
	n = (size_t)snprintf(word, sizeof(word), "%s[", text_of(operand, "type"));
	json_array_foreach(dims, i, dim)
		n += (size_t)snprintf(word + n, sizeof(word) - n, "%s%lld", i ? "," : "",
				      (long long)json_integer_value(dim));
	snprintf(word + n, sizeof(word) - n, "]");
	put_word(to, word, &column, columns);
	if (*text_of(operand, "more"))
		put_word(to, text_of(operand, "more"), &column, columns);
	fputc('\n', to);
}

static void print_command(const json_t *command, FILE *to, uint32_t columns)
{
	const char *key, *tensor = text_of(command, "tensor");
	const json_t *operand;
	uint32_t column;
	json_t *value;
	char word[200];
	size_t i;

	column = (uint32_t)snprintf(word, sizeof(word), "%06" PRIx64 " %s",
				    number_of(command, "at"), text_of(command, "name"));
	fprintf(to, "%s%s%s", nnactl_style(to, NNACTL_BOLD), word, nnactl_style(to, NNACTL_PLAIN));
	if (*text_of(command, "operator")) {
		snprintf(word, sizeof(word), "for %s", text_of(command, "operator"));
		put_word(to, word, &column, columns);
		/* The end of a long name tells more than its start. */
		if (strlen(tensor) > columns - 16)
			snprintf(word, sizeof(word), "...%s", nnactl_tail(tensor, columns - 19));
		else
			snprintf(word, sizeof(word), "%s", tensor);
		put_word(to, word, &column, columns);
	}
	fputc('\n', to);
	column = 0;
	json_object_foreach(json_object_get(command, "fields"), key, value) {
		if (is_default(key, json_string_value(value)))
			continue;
		snprintf(word, sizeof(word), "%s=%s", key, json_string_value(value));
		if (!column)
			column = (uint32_t)fprintf(to, "%10s", "");
		put_word(to, word, &column, columns);
	}
	if (column)
		fputc('\n', to);
	json_array_foreach(json_object_get(command, "operands"), i, operand)
		print_operand(operand, to, columns);
}

#define MAP_ROWS 16u

static void draw_values(const struct value *values, size_t count, uint64_t size, size_t commands,
			uint32_t columns, FILE *to)
{
	uint32_t width = columns - 14;
	uint64_t step = (size + MAP_ROWS - 1) / MAP_ROWS;

	if (width > commands)
		width = (uint32_t)commands;
	fprintf(to, "scratch: addresses down, time across, a letter is a value\n");
	for (uint64_t row = 0; row * step < size; row++) {
		fprintf(to, "  %8" PRIx64 "  ", row * step);
		for (uint32_t c = 0; c < width; c++) {
			size_t first = c * commands / width, last = (c + 1) * commands / width;
			char mark = '.';

			for (size_t i = 0; i < count; i++)
				if (values[i].first < last && values[i].last >= first &&
				    values[i].from < (row + 1) * step && values[i].to > row * step)
					mark = (char)('a' + i % 26);
			fputc(mark, to);
		}
		fputc('\n', to);
	}
}

static void print_map(const json_t *part, FILE *to, uint32_t columns)
{
	const json_t *memory = json_object_get(part, "memory"), *slot;
	const uint64_t size = number_of(memory, "scratch");
	struct value *values;
	size_t count, i;

	json_array_foreach(json_object_get(part, "slots"), i, slot) {
		const char *name = text_of(slot, "name");

		fprintf(to, "  %-12s %12" PRIu64 " bytes\n", name, number_of(slot, "bytes"));
		if (json_object_get(memory, "scratch_live") && !strcmp(name, "scratch"))
			fprintf(to, "    %-10s %12" PRIu64 " bytes at once, at least\n", "in use",
				number_of(memory, "scratch_live"));
	}
	values = get_values(part, &count);
	if (!values)
		return;
	if (size && count)
		draw_values(values, count, size, json_array_size(json_object_get(part, "commands")),
			    columns, to);
	free(values);
}

void nnactl_listing_print(const json_t *listing, FILE *to)
{
	uint32_t columns = nnactl_columns();
	const json_t *part, *command, *line;
	size_t i, k;

	json_array_foreach(listing, i, part) {
		if (*text_of(part, "title"))
			fprintf(to, "%s\n", text_of(part, "title"));
		json_array_foreach(json_object_get(part, "text"), k, line)
			fprintf(to, "%s\n", json_string_value(line));
		json_array_foreach(json_object_get(part, "commands"), k, command)
			print_command(command, to, columns);
		if (json_array_size(json_object_get(part, "slots")))
			print_map(part, to, columns);
	}
}
