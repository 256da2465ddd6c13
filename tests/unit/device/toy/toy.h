/* SPDX-License-Identifier: MIT */
/*
 * The smallest device model: a DMA engine that copies up to 64 KiB and inverts each byte. It shows
 * what a model has to do, and that the transport serves one that is not the NNA.
 *
 * A write to GO starts the copy. The model's thread reads the source, the pool inverts it, the
 * thread writes the target, sets STATUS and raises vector 0.
 */
#ifndef TEST_TOY_H
#define TEST_TOY_H

#include "device/model.h"

#define TOY_ID_MAGIC 0x746f7931u
#define TOY_SIZE_MAX 65536u

/* Registers of BAR 0. */
#define TOY_ID 0x00u	 /* 32 bits, TOY_ID_MAGIC */
#define TOY_STATUS 0x04u /* 32 bits, enum toy_status */
#define TOY_SOURCE 0x08u /* 64 bits, bus address */
#define TOY_TARGET 0x10u /* 64 bits, bus address */
#define TOY_SIZE 0x18u	 /* 32 bits, bytes */
#define TOY_GO 0x1cu	 /* 32 bits, write only */

enum toy_status {
	TOY_IDLE = 0,
	TOY_BUSY = 1,
	TOY_DONE = 2,
	TOY_FAULT = 3, /* an address reaches no memory, or the size is too large */
	TOY_HUNG = 4,  /* until a reset */
};

/* Faults: "hang" N: the next N copies do not end but by a reset; "fault" N: they end in a fault. */
enum toy_inject {
	TOY_INJECT_HANG = 0,
	TOY_INJECT_FAULT = 1,
};

extern const struct nnadev_model toy_model;

#endif
