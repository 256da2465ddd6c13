/* SPDX-License-Identifier: MIT */
/*
 * The NPU that code is made for. A register CONFIG tells all that a compiler has to know, so the
 * winsys hands that number on as the configuration of the device (ir.h).
 */
#ifndef NNA_ETHOSU_TARGET_H
#define NNA_ETHOSU_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "libnnaccel/backend/ethosu/stream.h"

/* Bytes of a lookup table for results of 8 bits, which begins at a multiple of them. */
#define NNA_ETHOSU_TABLE_SIZE 256u

/**
 * struct nna_ethosu_target - an NPU
 * @generation: U65 or U85
 * @macs: products of 8-bit numbers per cycle
 * @streams: streams of weights that a convolution reads: cores of a U65, decoders of a U85
 * @input_memory: U85: bytes for blocks of inputs
 * @sum_memory: U85: bytes for accumulators
 * @tables: address of the lookup tables in internal memory; of a U65 they are the end of the memory
 *	of a core, whose blocks have what lies before
 */
struct nna_ethosu_target {
	enum nna_ethosu_generation generation;
	uint32_t macs, streams;
	uint32_t input_memory, sum_memory;
	uint32_t tables;
};

/* Return: whether @config, a register CONFIG, is that of an NPU that we know. */
bool nna_ethosu_target_read(uint32_t config, struct nna_ethosu_target *target);

#endif
