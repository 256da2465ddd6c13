/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the weights of an operation, decoded and in order, and its scale records.
 *
 * Decoding is slow, so a machine keeps what it has decoded, up to ETHOSU_KERNEL_CACHE_MAX bytes. An
 * entry keeps the compressed streams too: it is used again only where memory holds the same bytes
 * and the operation wants the same order.
 */
#ifndef ETHOSU_KERNEL_H
#define ETHOSU_KERNEL_H

#include <stdint.h>

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/output.h"

#define ETHOSU_KERNEL_WEIGHTS_MAX (1u << 27)	/* of an operation, zeros of the stream included */
#define ETHOSU_KERNEL_STREAM_MAX (256ull << 20) /* bytes of all its streams */
#define ETHOSU_KERNEL_CACHE_MAX (384ull << 20)

/* Return: NULL when there is no memory. */
struct ethosu_kernel_cache *ethosu_kernel_cache_create(void);
void ethosu_kernel_cache_clear(struct ethosu_kernel_cache *cache);
void ethosu_kernel_cache_destroy(struct ethosu_kernel_cache *cache);

/**
 * ethosu_kernel_get() - the weights of an operation
 * @machine: the machine
 * @op: CONV or DEPTHWISE
 * @weights: written: as ethosu_order_place() puts them; valid until the next call
 *
 * Return: 0; ETHOSU_BUS(ETHOSU_CHANNEL_WEIGHTS) where memory is not reached or a stream ends before
 * it has all weights; ETHOSU_PARSE where there are too many; ETHOSU_MEMORY.
 */
uint32_t ethosu_kernel_get(struct ethosu_machine *machine, const struct ethosu_operation *op,
			   const int16_t **weights);

/**
 * struct ethosu_packed - weights of 8 bits, as the NNA's engine takes them (LAYOUT_PACKED8)
 * @weights: less @zero_point they are those that ethosu_kernel_get() gives
 * @sums: by OFM channel: sum of its stored weights
 * @zero_point: of all of them
 */
struct ethosu_packed {
	int8_t *weights;
	int32_t *sums;
	int32_t zero_point;
};

/**
 * ethosu_kernel_packed() - the weights that ethosu_kernel_get() has just given, packed
 * @machine: the machine
 * @op: the operation of that call
 *
 * Return: valid until the next ethosu_kernel_get(); NULL where weights span more than 8 bits, or
 * there is no memory.
 */
const struct ethosu_packed *ethosu_kernel_packed(struct ethosu_machine *machine,
						 const struct ethosu_operation *op);

/**
 * ethosu_kernel_scales() - the scale records of an operation
 * @machine: the machine
 * @op: an operation whose scale is not global
 * @scales: written: by OFM channel; the caller's, for free()
 *
 * Return: 0, ETHOSU_BUS(ETHOSU_CHANNEL_SCALES) or ETHOSU_MEMORY.
 */
uint32_t ethosu_kernel_scales(struct ethosu_machine *machine, const struct ethosu_operation *op,
			      struct ethosu_channel_scale **scales);

#endif
