// SPDX-License-Identifier: MIT
/*
 * nnactl dump: the commands of a compiled model. Core dumps are printed by coredump.c, streams of
 * an Ethos-U by stream.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/vela/operator.h"
#include "tools/nnactl/dot.h"
#include "tools/nnactl/listing.h"
#include "tools/nnactl/stream.h"

static int dump(struct nnactl_session *s, bool all)
{
	json_t *listing;
	char *text;

	if (all && !nnactl_json()) {
		text = nnactl_listing_get_text(s);
		if (text)
			fputs(text, stdout);
		free(text);
		return !text;
	}
	listing = nnactl_listing_get(s);
	if (!listing)
		return 1;
	if (nnactl_json())
		return nnactl_json_print(json_pack("{s:o?, s:s, s:o}", "model",
						   nnactl_json_text(s->path), "device",
						   s->device_name, "parts", listing));
	nnactl_listing_print(listing, stdout);
	json_decref(listing);
	return 0;
}

static void print_dot(const struct nnactl_session *s, FILE *to)
{
	if (s->onnx)
		nnactl_dot_print_onnx(s->onnx, to);
	else
		nnactl_dot_print(s->model, to);
}

/* The graph in Graphviz's language, for --json as one text. */
static int dump_dot(const struct nnactl_session *s)
{
	char *text = NULL;
	json_t *value;
	size_t size;
	FILE *to;

	if (!nnactl_json()) {
		print_dot(s, stdout);
		return 0;
	}
	to = open_memstream(&text, &size);
	if (!to)
		return nnactl_error("out of memory");
	print_dot(s, to);
	value = fclose(to) ? NULL : json_pack("{s:o?}", "dot", nnactl_json_text(text));
	free(text);
	return nnactl_json_print(value);
}

/* "u65" or "u85". Return: false with the error printed. */
static bool read_npu(const char *text, enum nna_ethosu_generation *generation)
{
	if (!strcmp(text, "u65")) {
		*generation = NNA_ETHOSU_U65;
	} else if (!strcmp(text, "u85")) {
		*generation = NNA_ETHOSU_U85;
	} else {
		nnactl_misuse("--npu is u65 or u85");
		return false;
	}
	return true;
}

/* The device that is a backend alone. Return: false with the error printed. */
static bool name_backend(const char *backend, char *name, size_t size)
{
	if ((size_t)snprintf(name, size, "backend-%s", backend) < size)
		return true;
	nnactl_misuse("--backend: no backend has a name as long as '%.40s...'", backend);
	return false;
}

static int open_session(struct nnactl_session *s, const char *path, const char *signature,
			const char *device, const char *backend)
{
	int status = nnactl_session_load(s, path, signature);

	if (!status && backend && s->model && vela_is_model(s->model))
		return nnactl_error("%s has been compiled by Vela: dump it without --backend, or "
				    "the model that Vela was given", s->path);
	return status ?: nnactl_session_compile(s, device, 0);
}

static int dump_main(int argc, char **argv)
{
	const char *device = NULL, *backend = NULL, *coredump = NULL, *signature = NULL;
	enum nna_ethosu_generation generation = NNA_ETHOSU_UNKNOWN;
	bool all = false, dot = false;
	struct nnactl_session session;
	char name[64];
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_DUMP, argc, argv, &status)) > 0) {
		if (c == 'c')
			coredump = optarg;
		else if (c == 'd')
			device = optarg;
		else if (c == 'b')
			backend = optarg;
		else if (c == 'g')
			signature = optarg;
		else if (c == 'a')
			all = true;
		else if (c != 'n')
			dot = true;
		else if (!read_npu(optarg, &generation))
			return 2;
	}
	if (!c)
		return status;
	if (coredump)
		return optind == argc
			       ? nnactl_coredump_print(coredump)
			       : nnactl_misuse("dump takes a model or a core dump, not both");
	if (optind + 1 != argc)
		return nnactl_misuse("dump takes one model file");
	if (backend && (device || dot))
		return nnactl_misuse("--backend compiles without a device and prints the program: "
				     "leave %s away", device ? "--device" : "--dot");
	if (backend && !name_backend(backend, name, sizeof(name)))
		return 2;
	if (!dot && !backend) {
		status = nnactl_stream_dump(argv[optind], generation);
		if (status >= 0)
			return status;
	}
	if (dot) {
		status = nnactl_session_load(&session, argv[optind], signature) ?:
			 dump_dot(&session);
	} else {
		status = open_session(&session, argv[optind], signature,
				      backend ? name : device ?: "auto", backend) ?:
			 dump(&session, all);
	}
	nnactl_session_close(&session);
	return status;
}

static const struct option OPTIONS[] = {
	{ "coredump", required_argument, NULL, 'c' },
	{ "device", required_argument, NULL, 'd' },
	{ "backend", required_argument, NULL, 'b' },
	{ "signature", required_argument, NULL, 'g' },
	{ "all", no_argument, NULL, 'a' },
	{ "dot", no_argument, NULL, 'D' },
	{ "npu", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_DUMP = {
	.name = "dump",
	.arguments = "MODEL [--all | --dot] [--signature S] [--device D | --backend B] | "
		     "--coredump FILE",
	.what = "print the compiled program, or a core dump of the driver",
	.help = "nnactl dump MODEL [--all] [--device auto|loopback|/dev/accel/accelN |\n"
		"            --backend B] [--signature S]\n"
		"nnactl dump MODEL.tflite --dot\n"
		"nnactl dump MODEL_vela.tflite | STREAM [--npu u65|u85]\n"
		"nnactl dump --coredump /sys/class/devcoredump/devcdN/data\n"
		"       each: [--json]\n\n"
		"Prints the commands of the compiled model, with the operators and tensors that\n"
		"they are for, and a map of its memory. What has its usual value is left out;\n"
		"--all prints everything, a command on a line. --backend compiles for a kind of\n"
		"accelerator without any device; as nothing runs, the program has the operations\n"
		"on constants, too, which a device computes beforehand. --dot prints the model's\n"
		"operators as a graph: nnactl dump M --dot | dot -Tsvg. --coredump prints what the\n"
		"driver left behind when a job faulted or hung. --signature names one of the\n"
		"model's signatures; --dot prints all subgraphs.\n"
		"Of a model that Vela has compiled, and of a file with a command stream for an\n"
		"Ethos-U (a payload of Vela's, or bare words), it prints the stream, a command on\n"
		"a line, and needs no device. --npu says for which NPU bare words are.\n\n"
		"Backends: nna, ethosu, ethos-u65-256, ethos-u65-512, ethos-u85-128,\n"
		"ethos-u85-256, ethos-u85-512, ethos-u85-1024, ethos-u85-2048.",
	.options = OPTIONS,
	.main = dump_main,
};
