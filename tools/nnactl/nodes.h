/* SPDX-License-Identifier: MIT */
/*
 * The nodes that an accelerator may have: accel nodes, or render nodes where the kernel has no DRM
 * accelerators.
 */
#ifndef TOOLS_NNACTL_NODES_H
#define TOOLS_NNACTL_NODES_H

#include <stdbool.h>
#include <stddef.h>

/* Folders of nodes, as messages name them. */
#define NNACTL_NODE_FOLDERS "/dev/accel and /dev/dri"

/**
 * struct nnactl_node - a node that an accelerator may have
 * @name: "accel0", "renderD128"; valid during the visit
 * @path: its path
 * @ours: sysfs says that the nna driver has it; else sysfs does not say who
 */
struct nnactl_node {
	const char *name;
	char path[64];
	bool ours;
};

/**
 * nnactl_nodes_each() - Call a function for each node
 * @visit: called with the node and @user, accel nodes before render nodes and each kind by number.
 *	Another value than 0 ends the walk. Nodes of which sysfs says that another driver has them
 *	are left out
 * @user: for @visit
 *
 * Return: 0, what @visit returned, or a negative errno if a folder cannot be read.
 */
int nnactl_nodes_each(int (*visit)(const struct nnactl_node *node, void *user), void *user);

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

/* Whether sysfs has a device of the nna driver; no permission for its node is needed. */
bool nnactl_nodes_any(void);

#endif
