/* SPDX-License-Identifier: MIT */
/*
 * IBurst: executions of one model. A client sends each memory once, and names it by a token later.
 */
#ifndef NNB_BURST_H
#define NNB_BURST_H

#include "hal-bridge/service/prepared_model.h"

/* Creates a burst, with a reference in *@out. Return: 0 or -ENOMEM. */
int nnb_burst_create(struct nnb_prepared_model *model, struct nnb_object **out);

/* Return: true if the burst keeps a memory under this token. */
bool nnb_burst_has(struct nnb_object *object, int64_t token);
/* The methods of IBurst, by their code - 1. */
extern const nnb_aidl_handler nnb_burst_handlers[];

#endif
