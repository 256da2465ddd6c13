/* SPDX-License-Identifier: MIT */
/* Making libnnaccel's graph of a client's model: checked, and with its constants copied. */
#ifndef NNB_GRAPH_H
#define NNB_GRAPH_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "nnaccel.h"

/**
 * nnb_graph_create() - make a graph of a model
 * @call: takes messages
 * @version: of the interface
 * @device: pools are opened for it
 * @model: as the client sent it
 * @out: a finished graph; what of it is of an extension that is not known here is not supported
 *
 * What a model of two subgraphs or more refers to keeps its numbers: subgraph 0 is the main one,
 * i + 1 is referenced[i]. Constants are read once, here.
 *
 * Return: 0 or an ErrorStatus.
 */
int nnb_graph_create(struct nnb_aidl_call *call, int version, struct nna_device *device,
		     const struct nnb_aidl_model *model, struct nna_graph **out);

#endif
