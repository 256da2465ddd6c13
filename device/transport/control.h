/* SPDX-License-Identifier: MIT */
/*
 * The control socket: faults are injected there, so that drivers can be tested without hooks in
 * them.
 *
 * One client at a time, and lines of text: "NAME VALUE" arms a fault and is answered with "ok" or
 * "error: REASON" once it is in force, "help" lists the names. What is armed stays armed when the
 * client leaves.
 */
#ifndef NNADEV_CONTROL_H
#define NNADEV_CONTROL_H

#include <stddef.h>

#include "device/include/nnadev.h"

struct nnadev_control;

/**
 * nnadev_control_start() - answer at a listening socket, in a thread of its own
 * @dev: the model; must outlive it
 * @listener: a listening stream socket, non-blocking; stays the caller's
 *
 * Return: 0, or a negative errno.
 */
int nnadev_control_start(struct nnadev *dev, int listener, struct nnadev_control **out);

/* Ends the thread and hangs up. NULL is fine. */
void nnadev_control_stop(struct nnadev_control *control);

/**
 * nnadev_control_line() - do what a line says
 * @line: without its newline
 * @answer: gets what to send back, without a newline at its end
 *
 * Return: 0, or -EINVAL when the line is wrong; @answer says how.
 */
int nnadev_control_line(struct nnadev *dev, const char *line, char *answer, size_t size);

/* What "help" answers: one line per fault. */
extern const char nnadev_control_help[];

#endif
