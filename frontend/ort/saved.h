/* SPDX-License-Identifier: MIT */
/*
 * Nodes with the operator EPContext, which stand for a group that has been compiled before.
 *
 *	source			ORT_EP_NAME; those of other providers are left to them
 *	ep_cache_context	the bytes of ort_program_save(), or the name of a file with them
 *	embed_mode		1: the bytes; 0: the file's name, below the folder of the model
 *	partition_name		of the group, for messages
 *
 * The bytes are written as hexadecimal digits, as an attribute that is text may end at a zero byte.
 * A file has the bytes themselves.
 */
#ifndef ORT_SAVED_H
#define ORT_SAVED_H

#include "frontend/onnx/onnx.h"
#include "frontend/ort/api.h"

#define ORT_SAVED_PATH 4096

/**
 * struct ort_saving - what a session makes of its compiled groups
 * @enabled: a model with such nodes is asked for
 * @embeds: bytes are in the nodes
 * @model: path of the model that the runtime writes, may be ""
 */
struct ort_saving {
	bool enabled, embeds;
	char model[ORT_SAVED_PATH];
};

/* Whether the node is one of ours. */
bool ort_saved_is(const struct onnx_node *node);

/**
 * ort_saved_create() - a node of saved bytes
 * @saving: of the session
 * @graph: the runtime's graph of the group; its path is where files go if @saving has none
 * @node: the fused node, whose name, inputs and outputs the new one gets
 * @number: of the group, for a file's name
 * @bytes, @size: of ort_program_save()
 * @out: the runtime's node, which the runtime takes over
 *
 * Return: NULL, or the error.
 */
struct ort_status *ort_saved_create(const struct ort_api *api, const struct ort_saving *saving,
				    const void *graph, const void *node, size_t number,
				    const void *bytes, size_t size, void **out);

/**
 * ort_saved_read() - the bytes of a node
 * @graph: the runtime's, whose model's folder has the file
 * @node: one of ours
 * @bytes: freed by the caller
 *
 * Return: NULL, or the error.
 */
struct ort_status *ort_saved_read(const struct ort_api *api, const void *graph,
				  const struct onnx_node *node, void **bytes, size_t *size);

#endif
