/* SPDX-License-Identifier: MIT */
/* IBurst: executions of one model, with memory that the client names instead of sending it anew. */
#ifndef NNB_BURST_H
#define NNB_BURST_H

#include "hal-bridge/service/prepared_model.h"

/* Return: 0, with a reference in *@out, or -ENOMEM. */
int nnb_burst_create(struct nnb_prepared_model *model, struct nnb_object **out);

#endif
