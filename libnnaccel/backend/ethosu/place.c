// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/place.h"

#include "hw/ethosu/opcode.h"

#define INTERNAL 0x100u
#define REGION (NNA_ETHOSU_REGIONS - 1)
#define ADDRESS_HIGH 0xffu

/* What a stream has regions for. */
enum side { IFM, IFM2, OFM, WEIGHTS, SCALES, SOURCE, TARGET, SIDES, NO_SIDE = SIDES };

/**
 * struct walk - a walk through a stream
 * @areas: that the last settings name, NNA_ETHOSU_REGIONS for internal memory
 */
struct walk {
	uint32_t areas[SIDES];
	bool u85;
};

static enum side side_of_region(uint32_t opcode)
{
	switch (opcode) {
	case ETHOSU_SET_IFM_REGION:
		return IFM;
	case ETHOSU_SET_IFM2_REGION:
		return IFM2;
	case ETHOSU_SET_OFM_REGION:
		return OFM;
	case ETHOSU_SET_WEIGHT_REGION:
		return WEIGHTS;
	case ETHOSU_SET_SCALE_REGION:
		return SCALES;
	case ETHOSU_SET_DMA_SOURCE_REGION:
		return SOURCE;
	case ETHOSU_SET_DMA_TARGET_REGION:
		return TARGET;
	default:
		return NO_SIDE;
	}
}

static enum side side_of_address(const struct walk *walk, uint32_t opcode)
{
	if (opcode <= ETHOSU_SET_IFM_BASE3)
		return IFM;
	if (opcode >= ETHOSU_SET_IFM2_BASE0 && opcode <= ETHOSU_SET_IFM2_BASE3)
		return IFM2;
	if (opcode >= ETHOSU_SET_OFM_BASE0 && opcode <= ETHOSU_SET_OFM_BASE3)
		return OFM;
	switch (opcode) {
	case ETHOSU_SET_WEIGHT_BASE:
	case ETHOSU_SET_WEIGHT1_BASE:
	case ETHOSU_SET_WEIGHT3_BASE:
		return WEIGHTS;
	case ETHOSU_SET_WEIGHT2_BASE: /* of a U65, the records of the second core */
		return walk->u85 ? WEIGHTS : SCALES;
	case ETHOSU_SET_SCALE_BASE:
		return SCALES;
	case ETHOSU_SET_DMA_SOURCE:
		return SOURCE;
	case ETHOSU_SET_DMA_TARGET:
		return TARGET;
	default:
		return NO_SIDE;
	}
}

/* A region whose side no operation uses is not counted: the compiler sets what it uses. */
static void place_region(struct walk *walk, enum side side, uint32_t *word,
			 const struct nna_ethosu_place *places, uint32_t *used)
{
	const uint32_t parameter = *word >> 16, area = parameter & REGION;

	if (parameter & INTERNAL) {
		walk->areas[side] = NNA_ETHOSU_REGIONS;
		return;
	}
	walk->areas[side] = area;
	*word = (*word & ~(REGION << 16)) | places[area].region << 16;
	*used |= 1u << places[area].region;
}

static void place_address(uint32_t *words, uint64_t offset)
{
	const uint64_t address = words[1] | (uint64_t)(words[0] >> 16 & ADDRESS_HIGH) << 32;
	const uint64_t placed = address + offset;

	words[0] = (words[0] & ~(ADDRESS_HIGH << 16)) |
		   (uint32_t)(placed >> 32 & ADDRESS_HIGH) << 16;
	words[1] = (uint32_t)placed;
}

void nna_ethosu_stream_place(struct nna_ethosu_stream *stream,
			     const struct nna_ethosu_place *places, uint32_t *used)
{
	struct walk walk = { .u85 = nna_ethosu_generation(stream->config) == NNA_ETHOSU_U85 };
	struct nna_ethosu_command command;

	*used = 0;
	for (uint32_t at = 0; at < stream->count; at += command.words) {
		uint32_t *words = stream->words + at;
		enum side side;

		if (!nna_ethosu_command_read(words, stream->count - at, &command))
			return;
		if (!command.sets)
			continue;
		side = command.words == 1 ? side_of_region(command.opcode) :
					    side_of_address(&walk, command.opcode);
		if (side == NO_SIDE)
			continue;
		if (command.words == 1)
			place_region(&walk, side, words, places, used);
		else if (walk.areas[side] < NNA_ETHOSU_REGIONS)
			place_address(words, places[walk.areas[side]].offset);
	}
}
