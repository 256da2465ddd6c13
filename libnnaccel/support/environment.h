/* SPDX-License-Identifier: MIT */
/*
 * The environment variables that the library and its front ends read. No other file reads the
 * environment (tests/layers). Programs read further ones of their own.
 *
 *	NNACCEL_DEBUG		what the compiler does, step by step (libnnaccel/ir/ir.h)
 *	NNACCEL_PLUGIN_DIR	the folder of the loopback's plug-in (libnnaccel/winsys/plugin.h)
 *	NNACCEL_LOG		messages on standard error, by tags (libnnaccel/support/message.h)
 *	NNACCEL_TRACE		marks in the kernel's trace (libnnaccel/support/trace.h)
 *	NNACCEL_DEVICE		the accelerator of the NNAPI (hal-bridge/nnapi/nnapi.h)
 *				and of LiteRT (frontend/litert/device.h)
 *	NNACCEL_DOT		the folder for drawings of models (hal-bridge/common/dot.h)
 *	NNACCEL_DEAL		for tests: operations go to random devices (hal-bridge/nnapi/plan.h)
 */
#ifndef NNA_ENVIRONMENT_H
#define NNA_ENVIRONMENT_H

/*
 * Return: the value of a variable; NULL when it is not set or empty, and in a program that runs
 * with more privileges than its user (AT_SECURE): the user must choose neither the files and
 * devices that such a program opens nor the output that it writes.
 */
const char *nna_environment_get(const char *name);

#endif
