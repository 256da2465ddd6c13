// SPDX-License-Identifier: MIT
/*
 * nnactl cdi: a specification of the accelerators for container engines.
 *
 * The Container Device Interface (CDI 0.3.0) names devices KIND=NAME. An engine that reads the
 * file, as podman, containerd and Kubernetes do, gives a container the nodes of the devices that
 * its user asks for. The kind is nnaccel/npu; a device has the name of its node, such as accel0,
 * and "all" stands for all of them. The node is enough: libnnaccel asks it for the rest.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/nodes.h"

#define CDI_VERSION "0.3.0"
#define CDI_KIND "nnaccel/npu"

/* The edit that gives a container the node @path. Return: a new reference, or NULL. */
static json_t *node_of(const char *path)
{
	return json_pack("{s:s, s:s}", "path", path, "permissions", "rw");
}

/* The lists of devices and of nodes of a specification, and the number of devices. */
struct device_lists {
	json_t *devices, *nodes;
	uint32_t count;
};

/* Add the device of the node @path. Return: 0 or -ENOMEM. */
static int add_device(struct device_lists *lists, const char *path)
{
	json_t *device = json_pack("{s:s, s:{s:[o]}}", "name", strrchr(path, '/') + 1,
				   "containerEdits", "deviceNodes", node_of(path));

	if (json_array_append_new(lists->devices, device) ||
	    json_array_append_new(lists->nodes, node_of(path)))
		return -ENOMEM;
	lists->count++;
	return 0;
}

/* Add all that can be opened. Return: an exit status. */
static int add_devices(struct device_lists *lists)
{
	const uint32_t all = nnactl_nodes_count();
	char path[64];

	for (uint32_t i = 0; !nna_device_find(i, path, sizeof(path)); i++)
		if (add_device(lists, path))
			return nnactl_error("out of memory");
	if (all <= lists->count && lists->count)
		return 0;
	if (!all)
		return nnactl_error("no accelerator in " NNACTL_NODE_FOLDERS
				    ": load the driver (nnactl load)");
	/* A specification that says "all" has all. */
	return nnactl_error("%u of %u accelerators in " NNACTL_NODE_FOLDERS " cannot be opened: "
			    "join the group that owns them (render), or be root",
			    all - lists->count, all);
}

/* Write @spec to @path, or to the output if it is NULL. Return: an exit status. */
static int write_spec(const json_t *spec, const char *path)
{
	char temporary[4096];
	int n;

	if (!path) {
		if (json_dumpf(spec, stdout, JSON_INDENT(2)) || putchar('\n') == EOF ||
		    fflush(stdout))
			return nnactl_error("cannot print the specification: %s", strerror(errno));
		return 0;
	}
	/* An engine may read the folder at any time: the file appears whole. */
	n = snprintf(temporary, sizeof(temporary), "%s.new", path);
	if (n < 0 || (size_t)n >= sizeof(temporary))
		return nnactl_error("--output: the path is longer than %zu bytes", sizeof(temporary) - 5);
	if (json_dump_file(spec, temporary, JSON_INDENT(2)) || chmod(temporary, 0644) ||
	    rename(temporary, path)) {
		int error = errno;

		unlink(temporary);
		return nnactl_error("cannot write %s: %s", path, strerror(error));
	}
	return 0;
}

static int cdi_main(int argc, char **argv)
{
	struct device_lists lists = { .devices = json_array(), .nodes = json_array() };
	const char *path = NULL;
	int c, status = 0;
	json_t *spec;

	while ((c = nnactl_option(&NNACTL_CDI, argc, argv, &status)) > 0)
		if (c == 'o')
			path = optarg;
	if (c && optind != argc) {
		status = nnactl_misuse("cdi takes no argument '%s'", argv[optind]);
		c = 0;
	}
	if (c)
		status = add_devices(&lists);
	if (!c || status) {
		json_decref(lists.devices);
		json_decref(lists.nodes);
		return status;
	}
	json_array_append_new(lists.devices, json_pack("{s:s, s:{s:o}}", "name", "all",
						       "containerEdits", "deviceNodes",
						       lists.nodes));
	spec = json_pack("{s:s, s:s, s:o}", "cdiVersion", CDI_VERSION, "kind", CDI_KIND, "devices",
			 lists.devices);
	if (!spec)
		return nnactl_error("out of memory");
	status = write_spec(spec, path);
	json_decref(spec);
	if (!status && path && nnactl_json())
		return nnactl_json_print(json_pack("{s:s, s:s, s:i}", "output", path, "kind", CDI_KIND,
						   "devices", (int)lists.count));
	return status;
}

static const struct option OPTIONS[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_CDI = {
	.name = "cdi",
	.arguments = "[--output FILE]",
	.what = "describe the accelerators to container engines",
	.help = "nnactl cdi [--output FILE] [--json]\n\n"
		"Prints a specification of the Container Device Interface: a device " CDI_KIND "=accelN\n"
		"for each accelerator, and " CDI_KIND "=all. Engines read it in /etc/cdi or /run/cdi:\n\n"
		"  nnactl cdi --output /etc/cdi/nnaccel.json\n"
		"  podman run --device " CDI_KIND "=all IMAGE COMMAND",
	.options = OPTIONS,
	.main = cdi_main,
};
