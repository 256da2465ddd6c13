// SPDX-License-Identifier: MIT
/* nnactl info: what devices say of themselves; what is in a model is model_info.c's. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nna_version.h"
#include "tools/nnactl/model_info.h"
#include "tools/nnactl/nodes.h"
#include "tools/nnactl/session.h"

/* Bytes of memory that a device works in: that of the machine. */
static uint64_t machine_memory(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static json_t *device_json(const struct nna_device_info *info)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:I, s:[i, i], s:i, s:i, s:i, s:i, s:i, s:f, s:b}",
			 "device", info->name, "driver", info->driver, "engine", info->engine,
			 "loopback", info->loopback, "memory", (json_int_t)machine_memory(), "abi",
			 info->abi_major, info->abi_minor, "stream_version", info->stream_version,
			 "layout_version", info->layout_version, "job_rings", info->job_rings,
			 "va_bits", info->va_bits, "max_slots", info->max_slots,
			 "job_limit_seconds", (double)info->job_limit_ns / 1e9, "sync_files",
			 info->sync_files);
}

static void print_device(const struct nna_device_info *info)
{
	printf("device           %s\n", info->name);
	printf("driver           %s\n", info->driver);
	if (info->engine[0])
		printf("engine           %s\n", info->engine);
	printf("kind             %s\n",
	       info->loopback		      ? "loopback: computed in this process" :
	       !strcmp(info->driver, "none") ? "a backend alone: programs compile, and none runs" :
						"accelerator");
	printf("memory           the machine's, %.1f GiB\n", (double)machine_memory() / 0x1p30);
	printf("ABI              %u.%u\n", info->abi_major, info->abi_minor);
	printf("command stream   version %u\n", info->stream_version);
	printf("packed weights   version %u\n", info->layout_version);
	printf("job rings        %u\n", info->job_rings);
	printf("virtual address  %u bits\n", info->va_bits);
	printf("operand slots    %u\n", info->max_slots);
	printf("job limit        %.3f s\n", (double)info->job_limit_ns / 1e9);
	printf("sync files       %s\n", info->sync_files ? "yes" : "no");
}

/* Return: 0, or 1 with the error printed. */
static int get_info(const char *name, struct nna_device_info *info)
{
	struct nnactl_log log = { "" };
	struct nna_device *device;

	if (nnactl_device_open(name, 0, &device, &log))
		return 1;
	nna_device_get_info(device, info);
	nna_device_close(device);
	return 0;
}

static int print_one(const char *name)
{
	struct nna_device_info info;
	json_t *value;

	if (get_info(name, &info))
		return 1;
	if (nnactl_json()) {
		value = device_json(&info);
		json_object_set_new(value, "version", json_string(NNA_VERSION));
		return nnactl_json_print(value);
	}
	printf("nnaccel          %s\n", NNA_VERSION);
	print_device(&info);
	return 0;
}

/*
 * All accelerators and the loopback, the default first: with --json what it says of itself, and
 * "devices" with all.
 */
static int print_all(void)
{
	const uint32_t all = nnactl_nodes_count();
	struct nna_device_info info;
	json_t *value, *list;
	char node[64];
	uint32_t i;

	if (get_info("auto", &info))
		return 1;
	value = device_json(&info);
	list = json_array();
	if (!nnactl_json())
		printf("nnaccel          %s\n", NNA_VERSION);
	for (i = 0; !nna_device_find(i, node, sizeof(node)); i++) {
		if (get_info(node, &info))
			break;
		json_array_append_new(list, device_json(&info));
		if (!nnactl_json())
			print_device(&info);
		if (!nnactl_json())
			putchar('\n');
	}
	if (i < all)
		fprintf(stderr, "nnactl: %u of %u accelerators cannot be opened\n", all - i, all);
	if (!get_info("loopback", &info)) {
		json_array_append_new(list, device_json(&info));
		if (!nnactl_json())
			print_device(&info);
	}
	json_object_set_new(value, "version", json_string(NNA_VERSION));
	json_object_set_new(value, "devices", list);
	if (nnactl_json())
		return nnactl_json_print(value);
	json_decref(value);
	return 0;
}

static int info_main(int argc, char **argv)
{
	const char *name = NULL, *signature = NULL;
	uint32_t threads = 0;
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_INFO, argc, argv, &status)) > 0) {
		if (c == 'd')
			name = optarg;
		else if (c == 'g')
			signature = optarg;
		else if (c == 't' && !nnactl_number("--threads", optarg, 1, 64, &threads))
			return 2;
	}
	if (!c)
		return status;
	if (argc - optind > 1)
		return nnactl_misuse("info takes one model file at most, not '%s' too",
				     argv[optind + 1]);
	if (optind < argc)
		return nnactl_model_info(argv[optind], signature, name ? name : "auto", threads);
	if (signature)
		return nnactl_misuse("--signature is one of a model: name its file");
	return name ? print_one(name) : print_all();
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "signature", required_argument, NULL, 'g' },
	{ "threads", required_argument, NULL, 't' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_INFO = {
	.name = "info",
	.arguments = "[MODEL] [--device D] [--signature S]",
	.what = "what the accelerators are, or what a model is and where it runs",
	.help = "nnactl info [--device auto|loopback|/dev/accel/accelN] [--json]\n"
		"nnactl info MODEL [--device D] [--threads N] [--signature S] [--json]\n\n"
		"Prints all devices, their drivers, versions and limits, the default one first;\n"
		"with --device one of them.\n"
		"Of a model it prints inputs and outputs with names, types, shapes and\n"
		"quantisation, signatures, how often it has each operator, how many of them run\n"
		"on the device and why others do not, and what memory the compiled model takes.",
	.options = OPTIONS,
	.main = info_main,
};
