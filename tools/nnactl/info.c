// SPDX-License-Identifier: MIT
/* nnactl info: what a device says of itself. */
#include "tools/nnactl/session.h"

#include <stdio.h>

int nnactl_info(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *device_name = "auto";
	struct nna_device_info info;
	struct nna_device *device;
	struct nnactl_log log = { "" };
	int c;

	while ((c = getopt_long(argc, argv, ":d:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			device_name = optarg;
			break;
		case 'h':
			puts("nnactl info [--device auto|loopback|/dev/accel/accelN]\n\n"
			     "Prints the device, its driver, versions and limits.");
			return 0;
		case ':':
			return nnactl_misuse("%s needs a value", argv[optind - 1]);
		default:
			return nnactl_misuse("info knows no option %s", argv[optind - 1]);
		}
	}
	if (optind != argc)
		return nnactl_misuse("info takes no argument '%s'", argv[optind]);
	if (nnactl_device_open(device_name, 0, &device, &log))
		return 1;
	nna_device_get_info(device, &info);
	printf("device           %s\n", info.name);
	printf("driver           %s\n", info.driver);
	if (info.engine[0])
		printf("engine           %s\n", info.engine);
	printf("kind             %s\n",
	       info.loopback ? "loopback: computed in this process" : "accelerator");
	printf("ABI              %u.%u\n", info.abi_major, info.abi_minor);
	printf("command stream   version %u\n", info.stream_version);
	printf("packed weights   version %u\n", info.layout_version);
	printf("job rings        %u\n", info.job_rings);
	printf("virtual address  %u bits\n", info.va_bits);
	printf("operand slots    %u\n", info.max_slots);
	printf("job limit        %.3f s\n", (double)info.job_limit_ns / 1e9);
	printf("sync files       %s\n", info.sync_files ? "yes" : "no");
	nna_device_close(device);
	return 0;
}
