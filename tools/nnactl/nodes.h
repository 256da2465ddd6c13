/* SPDX-License-Identifier: MIT */
/*
 * What sysfs says of the nodes of accelerators: for messages about nodes that cannot be opened.
 * Those that can be opened nna_device_find() finds.
 */
#ifndef TOOLS_NNACTL_NODES_H
#define TOOLS_NNACTL_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Folders of nodes, as messages name them. */
#define NNACTL_NODE_FOLDERS "/dev/accel and /dev/dri"

/**
 * nnactl_nodes_name() - The node that a device's name stands for
 * @device: "auto" or a path
 * @path: receives the first node of the nna driver for "auto", else a copy of @device; "auto" if
 *	there is no such node
 * @size: bytes of @path
 *
 * Return: whether sysfs says that the nna driver has that node.
 */
bool nnactl_nodes_name(const char *device, char *path, size_t size);

/* Devices of the nna driver that sysfs has, whether or not they can be opened. */
uint32_t nnactl_nodes_count(void);

/* Whether sysfs has a device of any driver that may have an engine: an accel or a render node. */
bool nnactl_nodes_any(void);

#endif
