/* SPDX-License-Identifier: MIT */
/* The accelerator that LiteRT's libraries use, and what they say of errors. */
#ifndef LITERT_DEVICE_H
#define LITERT_DEVICE_H

#include <nnaccel.h>

/*
 * Opens the device that $NNACCEL_DEVICE names: a node, "loopback", or "auto", the default. LiteRT
 * has no text for errors, so a line on stderr says what is wrong, as for all errors here. Return: 0
 * or a negative errno.
 */
int litert_device_open(struct nna_device **out);

/* LiteRT's status for a negative errno, or for 0. */
int litert_status(int error);

#endif
