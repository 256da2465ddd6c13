/* SPDX-License-Identifier: MIT */
/*
 * A fence that opens when we say so, and memory that another driver owns.
 *
 * A stock kernel has no device that makes fences on request, except vgem: its fences live on its
 * buffers, an ioctl signals them (or they do it themselves after ten seconds, with an error), and
 * the dma-buf of the buffer gives them out as sync_files. Where there is no kernel to wait in (the
 * loopback) an eventfd serves: it polls readable once signalled.
 */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct gate - a fence
 * @vgem: fd of the vgem node, -1 for an eventfd
 * @fd: sync_file or eventfd
 */
struct gate {
	int vgem;
	int fd;
	uint32_t fence;
};

/* The vgem node. Return: an fd, or -ENODEV when the module is not loaded. */
int gate_open_vgem(void);

/* A gate that is shut. @vgem (kept, not owned) may be -1. Return: 0 or a negative errno. */
int gate_create(struct gate *gate, int vgem);
int gate_open(struct gate *gate);
void gate_destroy(struct gate *gate);

/* Whether a fence's fd has signalled. */
bool gate_is_signalled(int fd);
/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or is none. */
uint64_t gate_time(int fd);

/* A dma-buf of @size bytes from vgem. Return: an fd or a negative errno. */
int gate_buffer(int vgem, size_t size);
/* Begin (@begin) or end writing to a dma-buf through a mapping. */
int gate_cpu_access(int fd, bool begin);

#endif
