/* SPDX-License-Identifier: MIT */
/*
 * A model on a device: a TFLite or an ONNX file, read, translated to a graph, and compiled; or one
 * that Vela has compiled, with its NPU's node and, for what Vela left, the NNA. With a fallback a
 * TFLite file may have two devices, too: then it is split (frontend/split/). What both kinds of
 * file have is asked of model.h.
 */
#ifndef NNACTL_SESSION_H
#define NNACTL_SESSION_H

#define NNACTL_MAX_SHAPES 16u

#include "tools/nnactl/nnactl.h"
#include "frontend/onnx/translate.h"
#include "frontend/tflite/translate.h"

struct split_program;

/* What runs operators that the device cannot: nothing, or the loopback. */
enum nnactl_fallback { NNACTL_FALLBACK_NONE, NNACTL_FALLBACK_LOOPBACK };

/**
 * struct nnactl_session - everything is owned but @path
 * @path: of the model
 * @device_name: as the device calls itself
 * @loopback: the device is in this process
 * @signature: names of inputs and outputs; NULL where the file has none for the subgraph that runs
 * @rounding: of quantised results; TFLite's unless it is set between loading and compiling
 * @log: given to the library, so that a session must not move
 * @model: a TFLite file; NULL with @onnx
 * @onnx: an ONNX file; NULL with @model
 * @shapes: of each input of @onnx
 * @origin: operators of the model, by operation of the graph; for messages
 * @takes_vela: the subcommand runs what Vela has compiled; set between loading and compiling
 * @fallback: set between loading and compiling
 * @device: the accelerator; of a model that Vela has compiled the NNA, NULL if it needs none
 * @rest: the device of @fallback, once it is needed
 * @graph: NULL for a model that Vela has compiled
 * @program: NULL with @split
 * @split: the program of a model on two devices, else NULL
 * @operators, @left: of @split: how many there are, and how many @rest has
 */
struct nnactl_session {
	const char *path;
	char device_name[64];
	bool loopback;
	enum nna_rounding rounding;
	struct nnactl_log log;
	struct tflite_model *model;
	struct onnx_model *onnx;
	struct onnx_shape *shapes;
	const struct tflite_signature *signature;
	struct tflite_origin origin;
	struct nna_device *device, *rest;
	struct nna_graph *graph;
	struct nna_program *program;
	bool takes_vela;
	enum nnactl_fallback fallback;
	struct split_program *split;
	uint32_t operators, left;
};

/* Read "none" or "loopback". Return: false with the error printed. */
bool nnactl_fallback_read(const char *text, enum nnactl_fallback *fallback);

/* Open a device. Return: 0, or 1 with the error printed. */
int nnactl_device_open(const char *name, uint32_t threads, struct nna_device **device,
		       struct nnactl_log *log);

/**
 * struct nnactl_shapes - shapes of inputs that the command line states
 * @count: inputs, in the order of the model
 * @rank: of each
 * @dims: of each
 */
struct nnactl_shapes {
	uint32_t count;
	uint32_t rank[NNACTL_MAX_SHAPES];
	uint32_t dims[NNACTL_MAX_SHAPES][TFLITE_MAX_RANK];
};

/* Read "1,224,224,3" as the shape of the next input. Return: false with the error printed. */
bool nnactl_shapes_add(struct nnactl_shapes *shapes, const char *text);

/*
 * Load, translate and compile the model, or the signature @signature of it. NULL is the main
 * subgraph: where the file has several signatures, lines on stderr say what they are. Return: 0, or
 * 1 with the error printed; close it in both cases.
 */
int nnactl_session_open(struct nnactl_session *session, const char *path, const char *signature,
			const char *device, uint32_t threads);
/* The same in two steps, between which shapes of inputs can be set in the model. */
int nnactl_session_load(struct nnactl_session *session, const char *path, const char *signature);
int nnactl_session_compile(struct nnactl_session *session, const char *device, uint32_t threads);
/* State shapes. Return: 0, or 1 with the error printed. */
int nnactl_session_shape(struct nnactl_session *session, const struct nnactl_shapes *shapes);
/*
 * Give input @index the shape of an array where the model leaves it open; where it does not, the
 * array has to have the input's. @what names the array. Return: 0, or 1 with the error printed,
 * which states both shapes.
 */
int nnactl_session_fit(struct nnactl_session *session, uint32_t index, const uint32_t *dims,
		       uint32_t rank, const char *what);
/* The parts of nnactl_session_compile(): the device, and where the library's messages go. */
int nnactl_session_device(struct nnactl_session *session, const char *device, uint32_t threads);
struct nna_log nnactl_session_log(struct nnactl_session *session);
/* Inputs or outputs of the program, and what one of them is. Return: of the latter 0 or -EINVAL. */
uint32_t nnactl_session_count(const struct nnactl_session *session, bool input);
int nnactl_session_io(const struct nnactl_session *session, bool input, uint32_t index,
		      struct nna_io_info *info);
void nnactl_session_close(struct nnactl_session *session);

/*
 * Find the input or output that @name means: the signature's name of it, the tensor's, or a number;
 * NULL is the only one. @option is that of the command line, for messages. Return: false with the
 * error printed.
 */
bool nnactl_session_find(const struct nnactl_session *session, bool input, const char *name,
			 const char *option, uint32_t *index);

/* The model's name of an input or output, with printable characters only. Return: @to. */
const char *nnactl_input_name(const struct nnactl_session *session, uint32_t index, char *to,
			      size_t size);
const char *nnactl_output_name(const struct nnactl_session *session, uint32_t index, char *to,
			       size_t size);

#endif
