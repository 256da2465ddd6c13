/* SPDX-License-Identifier: MIT */
/*
 * Makes libnnaccel's graph of a client's model: the model is checked, and its constants are copied.
 */
#ifndef NNB_GRAPH_H
#define NNB_GRAPH_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "nnaccel.h"

/**
 * nnb_graph_create() - make a graph of a model
 * @call: gets messages
 * @version: of the interface
 * @device: opens the model's pools
 * @model: the client's
 * @out: a finished graph; operations of unknown extensions are not supported
 *
 * If the model has several subgraphs they keep their numbers: subgraph 0 is the main one, i + 1 is
 * referenced[i]. Constants are read once, here.
 *
 * Return: 0 or an ErrorStatus.
 */
int nnb_graph_create(struct nnb_aidl_call *call, int version, struct nna_device *device,
		     const struct nnb_aidl_model *model, struct nna_graph **out);

#endif
