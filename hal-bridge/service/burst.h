/* SPDX-License-Identifier: MIT */
/*
 * IBurst: executions of one model. A client sends each memory once, and names it by a token later.
 */
#ifndef NNB_BURST_H
#define NNB_BURST_H

#include "hal-bridge/service/prepared_model.h"

/* Creates a burst, with a reference in *@out. Return: 0 or -ENOMEM. */
int nnb_burst_create(struct nnb_prepared_model *model, struct nnb_object **out);

#endif
