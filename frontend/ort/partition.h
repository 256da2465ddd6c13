/* SPDX-License-Identifier: MIT */
/*
 * Groups of nodes that one program computes.
 *
 * A group has to be convex: no path from one of its nodes to another one leads through a node of
 * another owner, or the runtime gives the whole group to its CPU provider. Each node has a level:
 * the most changes from this provider to another one on a way to it. Nodes of this provider with
 * one level are a group: a node of another provider behind one of them has their level or a higher
 * one, and what of this provider is behind that node has a higher one.
 *
 * A node on quantised tensors and its DequantizeLinear and QuantizeLinear are one operation (struct
 * onnx_origin): they have one level, or none of them is taken.
 */
#ifndef ORT_PARTITION_H
#define ORT_PARTITION_H

#include "frontend/onnx/translate.h"

#define ORT_NO_GROUP UINT32_MAX

/**
 * ort_partition() - divide a model into groups
 * @units: of each node, the node in whose operation it is
 * @taken: of each node, whether the device takes it; cleared for those whose unit is not taken
 * whole
 * @groups: filled: of each node its group, or ORT_NO_GROUP
 * @count: groups
 *
 * Return: 0 or -ENOMEM.
 */
int ort_partition(const struct onnx_model *model, const uint32_t *units, bool *taken,
		  uint32_t *groups, uint32_t *count);

#endif
