// SPDX-License-Identifier: MIT
/* nnactl info: what a device says of itself. */
#include <stdio.h>

#include "tools/nnactl/session.h"

static int print_json(const struct nna_device_info *info)
{
	return nnactl_json_print(json_pack(
		"{s:s, s:s, s:s, s:b, s:[i, i], s:i, s:i, s:i, s:i, s:i, s:f, s:b}", "device",
		info->name, "driver", info->driver, "engine", info->engine, "loopback",
		info->loopback, "abi", info->abi_major, info->abi_minor, "stream_version",
		info->stream_version, "layout_version", info->layout_version, "job_rings",
		info->job_rings, "va_bits", info->va_bits, "max_slots", info->max_slots,
		"job_limit_seconds", (double)info->job_limit_ns / 1e9, "sync_files",
		info->sync_files));
}

static void print_text(const struct nna_device_info *info)
{
	printf("device           %s\n", info->name);
	printf("driver           %s\n", info->driver);
	if (info->engine[0])
		printf("engine           %s\n", info->engine);
	printf("kind             %s\n",
	       info->loopback ? "loopback: computed in this process" : "accelerator");
	printf("ABI              %u.%u\n", info->abi_major, info->abi_minor);
	printf("command stream   version %u\n", info->stream_version);
	printf("packed weights   version %u\n", info->layout_version);
	printf("job rings        %u\n", info->job_rings);
	printf("virtual address  %u bits\n", info->va_bits);
	printf("operand slots    %u\n", info->max_slots);
	printf("job limit        %.3f s\n", (double)info->job_limit_ns / 1e9);
	printf("sync files       %s\n", info->sync_files ? "yes" : "no");
}

static int info_main(int argc, char **argv)
{
	const char *name = "auto";
	struct nna_device_info info;
	struct nna_device *device;
	struct nnactl_log log = { "" };
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_INFO, argc, argv, &status)) > 0)
		if (c == 'd')
			name = optarg;
	if (!c)
		return status;
	if (optind != argc)
		return nnactl_misuse("info takes no argument '%s'", argv[optind]);
	if (nnactl_device_open(name, 0, &device, &log))
		return 1;
	nna_device_get_info(device, &info);
	nna_device_close(device);
	if (nnactl_json())
		return print_json(&info);
	print_text(&info);
	return 0;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_INFO = {
	.name = "info",
	.arguments = "[--device D]",
	.what = "what the accelerator is",
	.help = "nnactl info [--device auto|loopback|/dev/accel/accelN] [--json]\n\n"
		"Prints the device, its driver, versions and limits.",
	.options = OPTIONS,
	.main = info_main,
};
