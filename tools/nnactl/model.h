/* SPDX-License-Identifier: MIT */
/*
 * What subcommands ask of a session's model, whichever kind of file it is from: its inputs, outputs
 * and operators.
 */
#ifndef NNACTL_MODEL_H
#define NNACTL_MODEL_H

#include "frontend/tflite/label.h"
#include "tools/nnactl/session.h"

/**
 * struct nnactl_tensor - an input or output of the model
 * @name: as the file has it, unchecked characters
 * @type: the name of its type
 * @rank: at most TFLITE_MAX_RANK
 * @dims: where the file leaves one open, the one that runs
 * @open: the file leaves one or more open
 */
struct nnactl_tensor {
	const char *name, *type;
	uint32_t rank;
	uint32_t dims[TFLITE_MAX_RANK];
	bool open;
};

uint32_t nnactl_model_count(const struct nnactl_session *session, bool input);
void nnactl_model_tensor(const struct nnactl_session *session, bool input, uint32_t index,
			 struct nnactl_tensor *tensor);
/* Give an input another shape. Return: 0, or -EINVAL with a line at @error. */
int nnactl_model_reshape(struct nnactl_session *session, uint32_t index, uint32_t rank,
			 const uint32_t *dims, char *error);

uint32_t nnactl_model_operators(const struct nnactl_session *session);
/* The name of an operator: "CONV_2D"; with unchecked characters. NULL for a code without one. */
const char *nnactl_model_operator(const struct nnactl_session *session, uint32_t number);
/* The name of its first output; NULL for none. */
const char *nnactl_model_result(const struct nnactl_session *session, uint32_t number);
/* How messages name it. Return: @to. */
const char *nnactl_model_label(const struct nnactl_session *session, uint32_t number,
			       char to[TFLITE_LABEL_SIZE]);

/*
 * The graph of the model, and which operator each of its operations is of. Return: 0, or an error
 * with a line at @error.
 */
int nnactl_model_graph(struct nnactl_session *session, const struct nna_log *log, char *error);

#endif
