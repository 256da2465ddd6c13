/* SPDX-License-Identifier: MIT */
/*
 * The control socket: faults are injected there, so that drivers can be tested without hooks in
 * them. It serves one client at a time, with lines of text:
 *
 *   NAME VALUE  arms a fault
 *   clear       disarms all
 *   disconnect  ends the connection of the virtual machine
 *   help        lists the names
 *
 * The answer is "ok" or "error: REASON", and comes when the fault is in force. What is armed stays
 * armed when the client leaves.
 */
#ifndef NNADEV_CONTROL_H
#define NNADEV_CONTROL_H

#include <stddef.h>

#include "device/model.h"

struct nnadev_control;

/**
 * nnadev_control_start() - answer at a listening socket, in a thread of its own
 * @model: the model; its injections are what can be armed
 * @device: of the model; must outlive it
 * @listener: a listening stream socket, non-blocking; stays the caller's
 * @disconnect: ends the vfio-user client's connection, with @user; from the thread; may be NULL
 * @user: see @disconnect
 * @out: to be given to nnadev_control_stop()
 *
 * Return: 0, or a negative errno.
 */
int nnadev_control_start(const struct nnadev_model *model, void *device, int listener,
			 void (*disconnect)(void *user), void *user, struct nnadev_control **out);

/* End the thread and close the connection. NULL is fine. */
void nnadev_control_stop(struct nnadev_control *control);

/**
 * nnadev_control_line() - do what a line says
 * @model: the model
 * @device: of the model
 * @line: without its newline
 * @answer: written: what to send back, without a newline at its end
 * @size: bytes that @answer has room for
 *
 * Return: 0, or -EINVAL when the line is wrong; @answer says how.
 */
int nnadev_control_line(const struct nnadev_model *model, void *device, const char *line,
			char *answer, size_t size);

/* Write the answer to "help", a line for each fault and command, to @text of @size bytes. */
void nnadev_control_help(const struct nnadev_model *model, char *text, size_t size);

#endif
