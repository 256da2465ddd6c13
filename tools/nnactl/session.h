/* SPDX-License-Identifier: MIT */
/* A model on a device: read, translated to a graph, and compiled. */
#ifndef NNACTL_SESSION_H
#define NNACTL_SESSION_H

#include "tools/nnactl/nnactl.h"
#include "tools/tflite/translate.h"

/**
 * struct nnactl_session - everything is owned but @path
 * @path: of the model
 * @device_name: as the device calls itself
 * @log: given to the library, so that a session must not move
 * @origin: operators of the model, by operation of the graph; for messages
 */
struct nnactl_session {
	const char *path;
	char device_name[64];
	struct nnactl_log log;
	struct tflite_model *model;
	struct tflite_origin origin;
	struct nna_device *device;
	struct nna_graph *graph;
	struct nna_program *program;
};

/* Open a device. Return: 0, or 1 with the error printed. */
int nnactl_device_open(const char *name, uint32_t threads, struct nna_device **device,
		       struct nnactl_log *log);

/* Load, translate and compile. Return: 0, or 1 with the error printed; close it in both cases. */
int nnactl_session_open(struct nnactl_session *session, const char *path, const char *device,
			uint32_t threads);
void nnactl_session_close(struct nnactl_session *session);

#endif
