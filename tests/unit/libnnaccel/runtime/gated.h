/* SPDX-License-Identifier: MIT */
/*
 * Tests that run on the loopback or, with --device NODE, on a node, whose in-fences are gates: on a
 * node these are sync_files of vgem.
 */
#ifndef TEST_GATED_H
#define TEST_GATED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "demo/gate.h"
#include "tests/unit/libnnaccel/loopback.h"

static const char *device_name = "loopback";
static int vgem = -1;

/* Reads the command line, and opens what gates need. Return: false, with a line, without it. */
static inline bool gated_begin(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--device"))
		device_name = argv[2];
	if (!strcmp(device_name, "loopback"))
		return true;
	vgem = gate_open_vgem();
	if (vgem < 0)
		fprintf(stderr, "%s: no vgem for in-fences: modprobe vgem\n", argv[0]);
	return vgem >= 0;
}

/* The set-up of a test: its state is the device, which close_device() closes. */
static inline int open_named(void **state)
{
	struct nna_device_options options = { .log = test_log, .threads = 2 };
	struct nna_device *device;

	if (nna_device_open(device_name, &options, &device))
		return -1;
	*state = device;
	return 0;
}

#endif
