// SPDX-License-Identifier: MIT
/*
 * nnactl top: which processes use accelerators. Drivers tell in the fdinfo of each of their open
 * files how long their engines have run jobs of that file (clients.h); two snapshots give the share
 * of the time between them. On a terminal each list takes the place of the one before.
 */
#include "tools/nnactl/clients.h"
#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BAR_SIZE 10
/* Columns of an engine, unless its name is longer. */
#define ENGINE_COLUMNS 8

static int columns_of(const struct nnactl_engine *engine)
{
	const int length = (int)strlen(engine->name);

	return length > ENGINE_COLUMNS ? length : ENGINE_COLUMNS;
}

static void print_memory(FILE *to, uint64_t bytes)
{
	if (bytes >= UINT64_C(10) << 30)
		fprintf(to, " %6.1f GiB", (double)bytes / 0x1p30);
	else if (bytes >= UINT64_C(10) << 20)
		fprintf(to, " %6.1f MiB", (double)bytes / 0x1p20);
	else
		fprintf(to, " %6" PRIu64 " KiB", bytes >> 10);
}

/* "[||||      ]", at least one for what is not idle. */
static void print_bar(FILE *to, double share)
{
	int length = (int)(share * BAR_SIZE + .5);

	length = length > BAR_SIZE ? BAR_SIZE : length ?: share > 0;
	fprintf(to, "  [%.*s%*s]", length, "||||||||||", BAR_SIZE - length, "");
}

/* The head of the clients of one device; all have the same engines. */
static void print_head(FILE *to, const struct nnactl_client *client)
{
	fprintf(to, "%s%s%s%s%s\n", nnactl_style(stdout, NNACTL_BOLD), client->driver,
		client->device[0] ? " at " : "", client->device,
		nnactl_style(stdout, NNACTL_PLAIN));
	fprintf(to, "%8s %10s  %-*s", "PID", "MEMORY", BAR_SIZE + 2, "BUSIEST");
	for (uint32_t k = 0; k < client->engine_count; k++)
		fprintf(to, " %*s", columns_of(&client->engines[k]), client->engines[k].name);
	fprintf(to, "  NAME\n");
}

static void print_clients(FILE *to, const struct nnactl_clients *clients)
{
	for (size_t i = 0; i < clients->count; i++) {
		const struct nnactl_client *c = &clients->at[i];

		if (!i || !nnactl_client_same_device(c, c - 1))
			print_head(to, c);
		fprintf(to, "%8ld", c->pid);
		print_memory(to, c->memory);
		print_bar(to, c->busy);
		for (uint32_t k = 0; k < c->engine_count; k++)
			fprintf(to, " %*.1f%%", columns_of(&c->engines[k]) - 1,
				100 * c->engines[k].use);
		fprintf(to, "  %s\n", c->name);
	}
	if (!clients->count)
		fprintf(to, "nobody uses an accelerator%s\n",
			clients->hidden ? ", as far as can be seen" : "");
	if (clients->hidden)
		fprintf(to, "%u process%s of other users cannot be seen: be root to see them\n",
			clients->hidden, clients->hidden == 1 ? "" : "es");
}

/* Bytes of @text that take @columns columns at most; control sequences take none. */
static size_t cut(const char *text, size_t length, uint32_t columns)
{
	bool in_sequence = false;
	size_t i;

	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (in_sequence) {
			in_sequence = c != 'm';
		} else if (c == 033) {
			in_sequence = true;
		} else if ((c & 0xc0) != 0x80) {
			if (!columns)
				break;
			columns--;
		}
	}
	return i;
}

/* Print over what stands on the terminal, as much as it has room for. */
static void refresh(const char *text, bool first)
{
	const uint32_t columns = nnactl_columns(), rows = nnactl_rows();

	fputs(first ? "\033[2J\033[H" : "\033[H", stdout);
	for (uint32_t row = 1; *text && row < rows; row++) {
		const size_t length = strcspn(text, "\n");

		fwrite(text, 1, cut(text, length, columns), stdout);
		fputs("\033[K\n", stdout);
		text += length + (text[length] == '\n');
	}
	fputs("\033[J", stdout);
}

/* Return: 0, or 1 with the error printed. */
static int print(const struct nnactl_clients *clients, bool on_terminal, bool first)
{
	char *text = NULL, clock[16];
	time_t now = time(NULL);
	struct tm local;
	size_t size;
	FILE *to;

	if (!on_terminal) {
		print_clients(stdout, clients);
		return 0;
	}
	to = open_memstream(&text, &size);
	if (!to)
		return nnactl_error("out of memory");
	if (localtime_r(&now, &local) && strftime(clock, sizeof(clock), "%H:%M:%S", &local))
		fprintf(to, "nnactl top  %s, %zu client%s; Ctrl-C ends it\n\n", clock,
			clients->count, clients->count == 1 ? "" : "s");
	print_clients(to, clients);
	if (fclose(to)) {
		free(text);
		return nnactl_error("out of memory");
	}
	refresh(text, first);
	free(text);
	return 0;
}

/* For --json: one value for each interval. */
static int print_json(const struct nnactl_clients *clients, double seconds)
{
	json_t *list = json_array();

	for (size_t i = 0; i < clients->count; i++) {
		const struct nnactl_client *c = &clients->at[i];
		json_t *use = json_object();

		for (uint32_t k = 0; k < c->engine_count; k++)
			json_object_set_new(use, c->engines[k].name,
					    nnactl_json_number(c->engines[k].use));
		json_array_append_new(list, json_pack("{s:I, s:o?, s:o?, s:o?, s:I, s:o}", "pid",
						      (json_int_t)c->pid, "name",
						      nnactl_json_text(c->name), "driver",
						      nnactl_json_text(c->driver), "device",
						      nnactl_json_text(c->device), "memory",
						      (json_int_t)c->memory, "use", use));
	}
	return nnactl_json_print(json_pack("{s:f, s:i, s:o}", "seconds", seconds, "hidden",
					   clients->hidden, "clients", list));
}

static int watch(uint32_t interval, uint32_t count)
{
	const struct timespec pause = { interval / 1000, interval % 1000 * 1000000L };
	const bool on_terminal = nnactl_is_terminal(stdout);
	struct nnactl_clients shots[2] = { 0 };
	int ret;

	ret = nnactl_clients_take(&shots[0]);
	for (uint32_t i = 0; !ret && (!count || i < count); i++) {
		const struct nnactl_clients *before = &shots[i % 2];
		struct nnactl_clients *now = &shots[(i + 1) % 2];

		nanosleep(&pause, NULL);
		ret = nnactl_clients_take(now);
		if (ret)
			break;
		nnactl_clients_compare(now, before);
		if (nnactl_json())
			ret = print_json(now, (double)(now->when - before->when) / 1e9);
		else
			ret = print(now, on_terminal, !i);
		fflush(stdout);
	}
	if (ret < 0)
		ret = nnactl_error("/proc: %s", strerror(-ret));
	nnactl_clients_free(&shots[0]);
	nnactl_clients_free(&shots[1]);
	return ret;
}

static int top_main(int argc, char **argv)
{
	uint32_t interval = 1000, count = 0;
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_TOP, argc, argv, &status)) > 0) {
		if (c == 'i' && !nnactl_number("--interval", optarg, 10, 3600000, &interval))
			return 2;
		if (c == 'n' && !nnactl_number("--count", optarg, 1, 1000000, &count))
			return 2;
	}
	if (!c)
		return status;
	if (optind != argc)
		return nnactl_misuse("top takes no argument '%s'", argv[optind]);
	if (!nnactl_nodes_any())
		return nnactl_error("there is no accelerator on this machine: load the driver "
				    "(nnactl load nna.ko); the loopback runs in its own process");
	return watch(interval, count);
}

static const struct option OPTIONS[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_TOP = {
	.name = "top",
	.arguments = "[--interval MS] [--count N]",
	.what = "show who uses the accelerator",
	.help = "nnactl top [--interval MS] [--count N] [--json]\n\n"
		"Shows who uses the accelerator: how much of the time its rings ran jobs of each\n"
		"process, as a bar for the busiest ring and a number for each, and the memory of its\n"
		"buffers. It shows accelerators and GPUs of other drivers, too, whose engines take the\n"
		"place of the rings. On a terminal the list is refreshed in its place. Only root sees\n"
		"other users' processes; a line, or \"hidden\" with --json, says how many are not seen.",
	.options = OPTIONS,
	.main = top_main,
};
