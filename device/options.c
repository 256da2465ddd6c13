// SPDX-License-Identifier: MIT
#include "device/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/models.h"
#include "device/transport/control.h"
#include "nna_version.h"

#define PROGRAM "nna-device"
#define HELP_COLUMN 22
#define HELP_MAX 4096
#define LONG_MAX_COUNT 64u /* options of the program and of all models */
#define LONG_CODE 256	   /* getopt_long() returns this and more for models' options */

/* The options of the program. Those of models follow them in the help. */
static const struct nnadev_option common[] = {
	{ 's', "socket", "PATH", "where to listen; removed at the end if the process may", NULL,
	  NULL },
	{ 'm', "model", "NAME", "the accelerator to serve; see below", NULL, NULL },
	{ 'c', "control", "PATH",
	  "where to listen for faults to inject, to test drivers; see below", NULL, NULL },
	{ 't', "threads", "N", "threads that compute, 1 to 64 (default: one per CPU)", NULL, NULL },
	{ 'T', "client-timeout", "MS",
	  "time after which a client that stops within a message, or does not take\n"
	  "an answer, is ended, 1 to 600000 (default: 10000)",
	  NULL, NULL },
	{ 'S', "sandbox", "on|off",
	  "off: keep the user, the capabilities and all system calls, to debug\n"
	  "(default: on)",
	  NULL, NULL },
	{ '1', "once", NULL, "end when the first client has left", NULL, NULL },
	{ 'v', "verbose", NULL, "log connections, mappings and refused messages", NULL, NULL },
	{ 'h', "help", NULL, "this text", NULL, NULL },
	{ 'V', "version", NULL, "the version of the program and of its models", NULL, NULL },
	{ 0 },
};

/* ---- help ------------------------------------------------------------------------------------ */

static void print_option(FILE *to, const struct nnadev_option *option)
{
	const char *line = option->help;
	size_t length = strcspn(line, "\n");
	int used;

	used = option->letter ? fprintf(to, "  -%c, ", option->letter) : fprintf(to, "      ");
	used += fprintf(to, "--%s %s", option->name, option->value ? option->value : "");
	if (used >= HELP_COLUMN) {
		fputc('\n', to);
		used = 0;
	}
	fprintf(to, "%*s%.*s\n", HELP_COLUMN - used, "", (int)length, line);
	for (line += length; *line; line += length) {
		line++;
		length = strcspn(line, "\n");
		fprintf(to, "%*s%.*s\n", HELP_COLUMN, "", (int)length, line);
	}
}

static void print_options(FILE *to, const struct nnadev_option *options)
{
	for (; options->name; options++)
		print_option(to, options);
}

static void print_model(FILE *to, const struct nnadev_model *model)
{
	bool has_options = model->options[0].name;
	char text[HELP_MAX];

	fprintf(to, "\n--model %s%s: %s.%s\n", model->name,
		model == nnadev_models[0] ? " (the default)" : "", model->summary,
		has_options ? " Its options:" : " It has no options.");
	print_options(to, model->options);
	fputs("\nIts control socket takes one client at a time, and lines of text; each is "
	      "answered with \"ok\" or\n\"error: REASON\" once it is in force:\n",
	      to);
	nnadev_control_help(model, text, sizeof(text));
	fprintf(to, "%s\n", text);
}

static void usage(FILE *to)
{
	fputs("usage: nna-device --socket PATH [options]\n"
	      "\n"
	      "Serves an accelerator as a PCI device at a unix socket (vfio-user). QEMU 10.1 or "
	      "newer attaches it:\n"
	      "  -object memory-backend-memfd,id=ram,size=1G,share=on "
	      "-machine q35,memory-backend=ram\n"
	      "  -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":"
	      "\"PATH\"},\"x-msg-timeout\":60000}'\n"
	      "\n",
	      to);
	print_options(to, common);
	for (size_t i = 0; nnadev_models[i]; i++)
		print_model(to, nnadev_models[i]);
}

static void print_version(void)
{
	printf(PROGRAM " " NNA_VERSION " (");
	for (size_t i = 0; nnadev_models[i]; i++)
		printf("%s%s: %s, PCI %04x:%04x", i ? "; " : "", nnadev_models[i]->name,
		       nnadev_models[i]->summary, nnadev_models[i]->pci.vendor,
		       nnadev_models[i]->pci.device);
	printf(")\n");
}

/* ---- the command line ------------------------------------------------------------------------ */

/**
 * struct longs - what getopt_long() takes
 * @longs: long forms, ended by zeros
 * @letters: short forms
 * @names: of options of models, by code - LONG_CODE
 * @count: entries of @longs
 * @name_count: entries of @names
 */
struct longs {
	struct option longs[LONG_MAX_COUNT + 1];
	char letters[3 * LONG_MAX_COUNT + 1];
	const char *names[LONG_MAX_COUNT];
	size_t count;
	int name_count;
};

static bool has_long(const struct longs *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->longs[i].name, name) == 0)
			return true;
	return false;
}

/* Two models may have options of one name, or of one letter. */
static void add_option(struct longs *l, const struct nnadev_option *option, bool of_model)
{
	size_t used = strlen(l->letters);
	int code = option->letter;

	if (option->letter && !strchr(l->letters, option->letter))
		snprintf(l->letters + used, sizeof(l->letters) - used, "%c%s", option->letter,
			 option->value ? ":" : "");
	if (has_long(l, option->name) || l->count == LONG_MAX_COUNT)
		return;
	if (of_model) {
		code = LONG_CODE + l->name_count;
		l->names[l->name_count++] = option->name;
	}
	l->longs[l->count++] = (struct option){
		option->name, option->value ? required_argument : no_argument, NULL, code };
}

static void collect_options(struct longs *l)
{
	for (const struct nnadev_option *o = common; o->name; o++)
		add_option(l, o, false);
	for (size_t i = 0; nnadev_models[i]; i++)
		for (const struct nnadev_option *o = nnadev_models[i]->options; o->name; o++)
			add_option(l, o, true);
}

static int parse_number(const char *option, const char *text, uint32_t max, uint32_t *number)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n < 1 || n > max) {
		fprintf(stderr, PROGRAM ": --%s '%s': must be a number from 1 to %u\n", option,
			text, max);
		return -1;
	}
	*number = (uint32_t)n;
	return 0;
}

static int choose_model(struct nnadev_options *o, const char *name)
{
	char names[256];

	o->model = nnadev_models_find(name);
	if (o->model)
		return 0;
	nnadev_models_list(names, sizeof(names));
	fprintf(stderr, PROGRAM ": --model '%s': there is no such model; there is: %s\n", name,
		names);
	return -1;
}

static int choose_sandbox(struct nnadev_options *o, const char *text)
{
	o->no_sandbox = strcmp(text, "off") == 0;
	if (o->no_sandbox || strcmp(text, "on") == 0)
		return 0;
	fprintf(stderr, PROGRAM ": --sandbox '%s': must be on or off\n", text);
	return -1;
}

/* Return: 0, 1 when the program is done (--help), -1 when it is wrong, which has been said. */
static int take_option(struct nnadev_options *o, int code, const char *value)
{
	switch (code) {
	case 's':
		o->socket = value;
		return 0;
	case 'm':
		return choose_model(o, value);
	case 'c':
		o->control = value;
		return 0;
	case 't':
		return parse_number("threads", value, 64, &o->threads);
	case 'T':
		return parse_number("client-timeout", value, 600000, &o->client_timeout_ms);
	case 'S':
		return choose_sandbox(o, value);
	case '1':
		o->once = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case 'h':
		usage(stdout);
		return 1;
	case 'V':
		print_version();
		return 1;
	case '?':
		return -1;
	default:
		/* The model may be named later. */
		o->settings[o->setting_count++] = (struct nnadev_setting){ code, value };
		return 0;
	}
}

/* The option of the chosen model that a setting is for; NULL when it has none. */
static const struct nnadev_option *find_option(const struct nnadev_options *o,
					       const struct longs *l, int code)
{
	for (const struct nnadev_option *at = o->model->options; at->name; at++)
		if (code < LONG_CODE ? at->letter == code
				     : strcmp(at->name, l->names[code - LONG_CODE]) == 0)
			return at;
	return NULL;
}

static int apply_settings(struct nnadev_options *o, const struct longs *l)
{
	o->config = calloc(1, o->model->config_size + 1);
	if (!o->config) {
		fprintf(stderr, PROGRAM ": %s\n", strerror(ENOMEM));
		return -1;
	}
	for (size_t i = 0; i < o->setting_count; i++) {
		const struct nnadev_setting *s = &o->settings[i];
		const struct nnadev_option *option = find_option(o, l, s->code);

		if (!option) {
			fprintf(stderr,
				PROGRAM ": the model %s does not take '%s': it is an option "
					"of another one (try --help)\n",
				o->model->name, s->value);
			return -1;
		}
		if (!option->set(o->config, s->value)) {
			fprintf(stderr, PROGRAM ": --%s '%s': must be %s\n", option->name, s->value,
				option->expects);
			return -1;
		}
	}
	return 0;
}

int nnadev_options_parse(int argc, char **argv, struct nnadev_options *o)
{
	struct longs l = { 0 };
	int code, ret;

	memset(o, 0, sizeof(*o));
	o->model = nnadev_models[0];
	o->settings = calloc((size_t)argc + 1, sizeof(*o->settings));
	if (!o->settings) {
		fprintf(stderr, PROGRAM ": %s\n", strerror(ENOMEM));
		return -1;
	}
	collect_options(&l);
	while ((code = getopt_long(argc, argv, l.letters, l.longs, NULL)) != -1) {
		ret = take_option(o, code, optarg);
		if (ret)
			return ret;
	}
	if (optind < argc) {
		fprintf(stderr, PROGRAM ": unexpected argument '%s' (try --help)\n", argv[optind]);
		return -1;
	}
	if (!o->socket || !*o->socket) {
		fprintf(stderr, PROGRAM ": --socket PATH is needed (try --help)\n");
		return -1;
	}
	return apply_settings(o, &l);
}

void nnadev_options_free(struct nnadev_options *o)
{
	free(o->config);
	free(o->settings);
}
