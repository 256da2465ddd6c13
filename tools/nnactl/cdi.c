// SPDX-License-Identifier: MIT
/*
 * nnactl cdi: a specification of the accelerators for container engines.
 *
 * The Container Device Interface (CDI 0.3.0) names devices KIND=NAME. An engine that reads the
 * file, as podman, containerd and Kubernetes do, gives a container the nodes of the devices that
 * its user asks for. The kind is nnaccel/npu; a device has the name of its node in /dev/accel, and
 * "all" stands for all of them. The node is enough: libnnaccel asks it for the rest.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/nnactl/nnactl.h"

#define ACCEL_DIR "/dev/accel"
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

/* Add one device and its node. Return: 1 or -ENOMEM. */
static int add_device(json_t *devices, json_t *nodes, const char *name, const char *path)
{
	json_t *device = json_pack("{s:s, s:{s:[o]}}", "name", name, "containerEdits",
				   "deviceNodes", node_of(path));

	if (json_array_append_new(devices, device) ||
	    json_array_append_new(nodes, node_of(path)))
		return -ENOMEM;
	return 1;
}

/*
 * Add each accelerator's device to @devices and its node to @nodes. Return: their number, or a
 * negative errno.
 */
static int add_devices(json_t *devices, json_t *nodes)
{
	struct dirent **names;
	int count, found = 0;

	count = scandir(ACCEL_DIR, &names, NULL, versionsort);
	if (count < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;
		char path[64];

		snprintf(path, sizeof(path), ACCEL_DIR "/%.40s", name);
		if (found >= 0 && !strncmp(name, "accel", 5)) {
			int ret = is_accelerator(path);

			if (ret == 1)
				ret = add_device(devices, nodes, name, path);
			found = ret < 0 ? ret : found + ret;
		}
		free(names[i]);
	}
	free(names);
	return found;
}

/* Write @spec to @path, or to the output if it is NULL. Return: an exit status. */
static int write_spec(const json_t *spec, const char *path)
{
	char temporary[4096];
	int n;

	if (!path) {
		if (json_dumpf(spec, stdout, JSON_INDENT(2)) || putchar('\n') == EOF || fflush(stdout))
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
	json_t *spec, *devices = json_array(), *nodes = json_array();
	const char *path = NULL;
	int c, found, status = 0;

	while ((c = nnactl_option(&NNACTL_CDI, argc, argv, &status)) > 0)
		if (c == 'o')
			path = optarg;
	if (c && optind != argc) {
		status = nnactl_misuse("cdi takes no argument '%s'", argv[optind]);
		c = 0;
	}
	found = c ? add_devices(devices, nodes) : 0;
	if (c && found == 0)
		status = nnactl_error("no accelerator in " ACCEL_DIR ": load the driver (nnactl load)");
	else if (c && found < 0)
		status = nnactl_error("cannot open the devices in " ACCEL_DIR ": %s", strerror(-found));
	if (!c || found <= 0) {
		json_decref(devices);
		json_decref(nodes);
		return status;
	}
	json_array_append_new(devices, json_pack("{s:s, s:{s:o}}", "name", "all", "containerEdits",
						 "deviceNodes", nodes));
	spec = json_pack("{s:s, s:s, s:o}", "cdiVersion", CDI_VERSION, "kind", CDI_KIND, "devices",
			 devices);
	if (!spec)
		return nnactl_error("out of memory");
	status = write_spec(spec, path);
	json_decref(spec);
	if (!status && path && nnactl_json())
		return nnactl_json_print(json_pack("{s:s, s:s, s:i}", "output", path, "kind", CDI_KIND,
						   "devices", found));
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
