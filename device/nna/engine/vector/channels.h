/* SPDX-License-Identifier: MIT */
/* The constants that a quantised CONV, DWCONV or MATMUL has for each output channel. */
#ifndef NNADEV_CHANNELS_H
#define NNADEV_CHANNELS_H

#include "device/nna/engine/conv.h"

/**
 * nnadev_channels_get() - read the constants of neighbouring channels, each once
 * @g: the command; a MATMUL has its operands in the places of CONV's
 * @first: the first channel
 * @count: how many
 * @sums: sums of the channels' centred weights; used for plain weights alone
 * @channels: written
 * @bias: written: initial value of the channels' accumulators
 */
static inline void nnadev_channels_get(const struct nnadev_conv *g, uint32_t first, uint32_t count,
				       const int32_t *sums, struct nnahw_channel *channels,
				       int32_t *bias)
{
	const struct nnahw_channel *from = g->channels->data;
	const bool one = g->channels->desc.dims[0] == 1;

	for (uint32_t i = 0; i < count; i++) {
		channels[i] = from[one ? 0 : first + i];
		bias[i] = channels[i].bias;
	}
	for (uint32_t i = 0; i < count && nnadev_present(g->bias); i++)
		bias[i] = (int32_t)((uint32_t)bias[i] +
				    (uint32_t)nnadev_load_integer(
					    g->bias,
					    (int64_t)(first + i) * g->bias->desc.strides[0]));
	for (uint32_t i = 0; i < count && g->layout == NNAHW_LAYOUT_PLAIN; i++)
		bias[i] = (int32_t)((uint32_t)bias[i] -
				    (uint32_t)g->input->desc.zero_point * (uint32_t)sums[i]);
}

#endif
