/* SPDX-License-Identifier: MIT */
/*
 * The control socket. Tests inject faults there, so that drivers need no hooks for tests. It serves
 * one client at a time. A client sends lines of text:
 *
 *   NAME VALUE  arm a fault of the model
 *   clear       disarm all
 *   disconnect  end the connection of the virtual machine
 *   help        list the names
 *
 * The answer is "ok" or "error: REASON". It is sent when the fault is in force. Faults stay armed
 * when the client leaves.
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
 * nnadev_control_line() - execute a line
 * @model: the model
 * @device: of the model
 * @line: without its newline
 * @answer: written: the answer, without a newline
 * @size: bytes that @answer has room for
 *
 * Return: 0, or -EINVAL when the line is wrong; @answer says why.
 */
int nnadev_control_line(const struct nnadev_model *model, void *device, const char *line,
			char *answer, size_t size);

/* Write the answer to "help", a line for each fault and command, to @text of @size bytes. */
void nnadev_control_help(const struct nnadev_model *model, char *text, size_t size);

#endif
