/* SPDX-License-Identifier: MIT */
/*
 * A fence that signals when it is told to (a gate), and memory that another driver owns.
 *
 * In a stock kernel only vgem makes fences on request: an ioctl attaches one to a buffer, the
 * buffer's dma-buf exports it as a sync_file, and another ioctl signals it. One that is not
 * signalled within ten seconds signals by itself, with an error. The loopback has no kernel to wait
 * in: there an eventfd is the fence, since it polls readable once it is written to.
 */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct gate - a fence
 * @vgem: fd of the vgem node, not owned; -1 for an eventfd
 * @fd: sync_file or eventfd, owned; -1 for none
 * @fence: vgem's handle of the fence
 */
struct gate {
	int vgem;
	int fd;
	uint32_t fence;
};

/* The vgem node. Return: an fd, or -ENODEV when the module is not loaded. */
int gate_open_vgem(void);

/* Make a gate that has not signalled. Return: 0 or a negative errno; destroy it in both cases. */
int gate_create(struct gate *gate, int vgem);
/* Signal it. Return: 0 or a negative errno. */
int gate_open(struct gate *gate);
void gate_destroy(struct gate *gate);

/* Whether a fence's fd has signalled. */
bool gate_is_signalled(int fd);
/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or with an error. */
uint64_t gate_time(int fd);

/* A dma-buf of @size bytes from vgem. Return: an fd or a negative errno. */
int gate_buffer(int vgem, size_t size);
/* Begin or end writing to a dma-buf through a mapping. Return: 0 or a negative errno. */
int gate_cpu_access(int fd, bool begin);

#endif
