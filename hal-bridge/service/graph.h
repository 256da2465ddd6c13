/* SPDX-License-Identifier: MIT */
/*
 * Makes libnnaccel's graph of a client's model: the model is checked, and its constants are copied.
 */
#ifndef NNB_GRAPH_H
#define NNB_GRAPH_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/quota.h"
#include "nnaccel.h"

/**
 * nnb_graph_create() - make a graph of a model
 * @client: whose device opens the model's pools, and whose user is charged
 * @call: gets messages
 * @model: the client's
 * @charged: the charge for the graph's memory, which the caller takes back when the last reference
 *	to the graph is dropped; nothing after an error
 * @out: a finished graph; operations of unknown extensions are not supported
 *
 * If the model has several subgraphs they keep their numbers: subgraph 0 is the main one, i + 1 is
 * referenced[i]. Constants are read once, here. Pools that no constant lies in are not opened.
 *
 * Return: 0 or an ErrorStatus.
 */
int nnb_graph_create(struct nnb_client *client, struct nnb_aidl_call *call,
		     const struct nnb_aidl_model *model, struct nnb_quota *charged,
		     struct nna_graph **out);

#endif
