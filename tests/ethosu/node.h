/* SPDX-License-Identifier: MIT */
/*
 * A node of the kernel's driver for Ethos-U in the calling process, with the device model behind
 * it.
 *
 * The functions open(), scandir(), ioctl() and uname() of the C library are replaced: in a program
 * that is linked with node.o, and in any program under LD_PRELOAD of libethosu_node.so. The path is
 * ETHOSU_NODE. The NPU is that of $ETHOSU_NODE_MODEL, which may change while no node is open. It
 * checks less than the kernel does: that a stream ends with STOP, has no RESIZE, and stays in its
 * buffers.
 *
 * $ETHOSU_NODE_FAULT is what goes wrong with each job, as the driver's ABI shows it:
 *
 *	hang	it does not run, and its fence has ECANCELED
 *	quick	it does not run, and its fence has no error: it failed before the fence was exported
 *	late	it runs, and its fence has ECANCELED: the interrupt was late
 *
 * $ETHOSU_NODE_CONFIG is the register CONFIG that it says it has; without a model, and so without a
 * node, $ETHOSU_NODE_KERNEL is the release that the kernel says it is of.
 * $ETHOSU_NODE_STREAMS is a folder that gets a copy of each stream, 0, 1 and so on.
 */
#ifndef TESTS_ETHOSU_NODE_H
#define TESTS_ETHOSU_NODE_H

#define ETHOSU_NODE "/dev/accel/accel77"
#define ETHOSU_NODE_MODEL "ETHOSU_NODE_MODEL"
#define ETHOSU_NODE_FAULT "ETHOSU_NODE_FAULT"
#define ETHOSU_NODE_CONFIG "ETHOSU_NODE_CONFIG"
#define ETHOSU_NODE_KERNEL "ETHOSU_NODE_KERNEL"
#define ETHOSU_NODE_STREAMS "ETHOSU_NODE_STREAMS"

/* Jobs that ran to their ends; for a program that is linked with node.o. */
unsigned int ethosu_node_jobs(void);

#endif
