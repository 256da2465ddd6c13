// SPDX-License-Identifier: MIT
/* nnactl dump: the commands of a compiled model; core dumps are printed by coredump.c. */
#include "tools/nnactl/session.h"

#include <stdio.h>
#include <string.h>

static const char HELP[] =
	"nnactl dump MODEL.tflite [--device auto|loopback|/dev/accel/accelN]\n"
	"nnactl dump --coredump /sys/class/devcoredump/devcdN/data\n\n"
	"Prints the commands and the memory plan of the compiled model, or what the driver\n"
	"left behind when a job faulted or hung.";

int nnactl_dump(int argc, char **argv)
{
	static const struct option options[] = {
		{ "coredump", required_argument, NULL, 'c' },
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *device = "auto", *coredump = NULL;
	struct nnactl_session session;
	int c, ret;

	while ((c = getopt_long(argc, argv, ":c:d:h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			coredump = optarg;
			break;
		case 'd':
			device = optarg;
			break;
		case 'h':
			puts(HELP);
			return 0;
		case ':':
			return nnactl_misuse("%s needs a value", argv[optind - 1]);
		default:
			return nnactl_misuse("dump knows no option %s", argv[optind - 1]);
		}
	}
	if (coredump)
		return optind == argc
			       ? nnactl_coredump_print(coredump)
			       : nnactl_misuse("dump takes a model or a core dump, not both");
	if (optind + 1 != argc)
		return nnactl_misuse("dump takes one model file");
	ret = nnactl_session_open(&session, argv[optind], device, 0, NULL);
	if (!ret) {
		ret = nna_program_dump(session.program, stdout);
		if (ret)
			ret = nnactl_error("%s: %s", argv[optind], strerror(-ret));
	}
	nnactl_session_close(&session);
	return ret;
}
