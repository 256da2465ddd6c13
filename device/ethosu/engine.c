// SPDX-License-Identifier: MIT
#include "device/ethosu/engine.h"

struct nnadev_engine_operand ethosu_engine_operand(uint8_t type, int32_t zero_point, void *data,
						   uint32_t rank, const uint32_t *dims)
{
	struct nnadev_engine_operand o = { .data = data, .count = 1, .contiguous = true };

	o.desc.type = type;
	o.desc.rank = (uint8_t)rank;
	o.desc.zero_point = zero_point;
	for (uint32_t k = rank; k-- > 0;) {
		o.desc.dims[k] = dims[k];
		o.desc.strides[k] = (int32_t)o.count;
		o.count *= dims[k];
	}
	return o;
}

struct nnadev_engine_operand ethosu_engine_absent(void)
{
	return (struct nnadev_engine_operand){ .desc.slot = NNAHW_SLOT_NONE };
}

uint8_t ethosu_engine_type(const struct ethosu_feature_map *map)
{
	return map->is_signed ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
}

bool ethosu_engine_has(const struct ethosu_feature_map *map, int32_t value)
{
	return map->is_signed ? value >= -128 && value <= 127 : value >= 0 && value <= 255;
}

/* Bytes of scratch memory: what is shared comes behind it. */
static uint64_t shared_at(const struct nnadev_engine_plan *plan)
{
	return ((uint64_t)plan->scratch_size + 63) / 64 * 64;
}

static bool prepare(const struct ethosu_machine *machine,
		    const struct nnadev_engine_command *command, uint64_t size,
		    struct nnadev_engine_plan *plan)
{
	return nnadev_engine_prepare(machine->isa, 1, command, plan) == NNAHW_STATUS_OK &&
	       !plan->counted && shared_at(plan) + plan->shared_size <= size;
}

bool ethosu_engine_takes(const struct ethosu_machine *machine,
			 const struct nnadev_engine_command *command, uint64_t size)
{
	struct nnadev_engine_plan plan;

	return prepare(machine, command, size, &plan);
}

bool ethosu_engine_run(const struct ethosu_machine *machine,
		       const struct nnadev_engine_command *command, uint8_t *memory, uint64_t size)
{
	struct nnadev_engine_plan plan;

	if (!prepare(machine, command, size, &plan))
		return false;
	for (uint32_t phase = 0; phase < plan.phases; phase++) {
		uint64_t rounds = plan.rounds[phase] ? plan.rounds[phase] : 1;

		for (plan.round = 0; plan.round < rounds; plan.round++)
			for (uint32_t tile = 0; tile < plan.phase_tiles[phase]; tile++)
				if (plan.run(command, &plan, phase, tile, memory,
					     memory + shared_at(&plan)) != NNAHW_STATUS_OK)
					return false;
	}
	return true;
}
