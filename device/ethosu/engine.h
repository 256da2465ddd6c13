/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: work that the NNA's engine does, through engine.h alone: a box becomes a command of the
 * NNA, whose operands are in the scratch memory of a thread.
 */
#ifndef ETHOSU_ENGINE_H
#define ETHOSU_ENGINE_H

#include "device/ethosu/machine.h"
#include "device/nna/engine/engine.h"

/* Return: an operand in row-major order, without a scale. */
struct nnadev_engine_operand ethosu_engine_operand(uint8_t type, int32_t zero_point, void *data,
						   uint32_t rank, const uint32_t *dims);

/* Return: an operand that is not there. */
struct nnadev_engine_operand ethosu_engine_absent(void);

/* Return: the engine's type of the elements of @map, which have one byte. */
uint8_t ethosu_engine_type(const struct ethosu_feature_map *map);

/* Return: whether the type of @map, of one byte, has @value. */
bool ethosu_engine_has(const struct ethosu_feature_map *map, int32_t value);

/* Return: whether the engine takes a command, and @size bytes of memory are enough for it. */
bool ethosu_engine_takes(const struct ethosu_machine *machine,
			 const struct nnadev_engine_command *command, uint64_t size);

/*
 * Run a command. @memory: @size bytes, 64-byte aligned, for the engine.
 * Return: whether the engine has done it.
 */
bool ethosu_engine_run(const struct ethosu_machine *machine,
		       const struct nnadev_engine_command *command, uint8_t *memory, uint64_t size);

#endif
