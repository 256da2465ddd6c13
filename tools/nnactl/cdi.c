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

/* Whether the library takes the node @path for an accelerator. Return: 1, 0 or a negative errno. */
static int is_accelerator(const char *path)
{
	struct nna_device *device;
	int ret;

	ret = nna_device_open(path, NULL, &device);
	if (!ret)
		nna_device_close(device);
	/* -ENODEV: of another driver; -ENOENT: it has just gone. */
	return !ret ? 1 : ret == -ENODEV || ret == -ENOENT ? 0 : ret;
}

/* The edit that gives a container the node @path. Return: a new reference, or NULL. */
static json_t *node_of(const char *path)
{
	return json_pack("{s:s, s:s}", "path", path, "permissions", "rw");
}

/* The lists of devices and of nodes of a specification, and the number of devices. */
struct device_lists {
	json_t *devices, *nodes;
	int count;
};

/* Add the device of @node if it is an accelerator's. Return: 0 or a negative errno. */
static int add_device(const struct nnactl_node *node, void *user)
{
	struct device_lists *lists = user;
	int ret = is_accelerator(node->path);
	json_t *device;

	if (ret <= 0)
		return ret;
	device = json_pack("{s:s, s:{s:[o]}}", "name", node->name, "containerEdits",
			   "deviceNodes", node_of(node->path));
	if (json_array_append_new(lists->devices, device) ||
	    json_array_append_new(lists->nodes, node_of(node->path)))
		return -ENOMEM;
	lists->count++;
	return 0;
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
	int c, ret = 0, status = 0;
	json_t *spec;

	while ((c = nnactl_option(&NNACTL_CDI, argc, argv, &status)) > 0)
		if (c == 'o')
			path = optarg;
	if (c && optind != argc) {
		status = nnactl_misuse("cdi takes no argument '%s'", argv[optind]);
		c = 0;
	}
	if (c)
		ret = nnactl_nodes_each(add_device, &lists);
	if (c && ret)
		status = nnactl_error("cannot open the devices in " NNACTL_NODE_FOLDERS ": %s",
				      strerror(-ret));
	else if (c && !lists.count)
		status = nnactl_error("no accelerator in " NNACTL_NODE_FOLDERS
				      ": load the driver (nnactl load)");
	if (!c || ret || !lists.count) {
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
						   "devices", lists.count));
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
