// SPDX-License-Identifier: MIT
#include "device/ethosu/output.h"

#include "device/ethosu/feature_map.h"
#include "device/ethosu/lut.h"
#include "device/ethosu/rounding.h"

enum {
	REVERSE_H = 1,
	REVERSE_W = 2,
	REVERSE_C = 3,
};

enum {
	TRANSPOSE_WHC = 1,
	TRANSPOSE_HCW = 2,
	TRANSPOSE_WCH = 3,
	TRANSPOSE_CHW = 6,
	TRANSPOSE_CWH = 7,
};

uint32_t ethosu_output_prepare(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	const struct ethosu_feature_map *ofm = &op->ofm;

	if (ofm->storage != ETHOSU_IN_CHAIN)
		return 0;
	if (op->transpose || op->reverse)
		return ETHOSU_PARSE;
	/* An operation that continues a chain reads and writes one buffer, pixel by pixel. */
	if (machine->chains[ofm->chain].height == ofm->height &&
	    machine->chains[ofm->chain].width == ofm->width &&
	    machine->chains[ofm->chain].depth == ofm->depth)
		return 0;
	return ethosu_machine_chain(machine, ofm->chain, ofm->height, ofm->width, ofm->depth);
}

struct ethosu_output ethosu_output(struct ethosu_machine *machine,
				   const struct ethosu_operation *op, enum ethosu_scaling scaling,
				   const struct ethosu_channel_scale *channels)
{
	return (struct ethosu_output){
		.machine = machine,
		.op = op,
		.channels = channels,
		.scaling = scaling,
		.port = ethosu_port(machine->bus, ETHOSU_CHANNEL_OFM),
	};
}

/* Values of 64 bits are the guest's. */
static int64_t wrapping_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void scale(const struct ethosu_output *output, uint32_t c, uint32_t n, int64_t *values)
{
	struct ethosu_scale s = output->op->ofm_scale;

	if (output->scaling == ETHOSU_SCALED) {
		for (uint32_t i = 0; i < n; i++)
			values[i] = ethosu_scale_apply(&s, values[i]);
	} else if (output->scaling == ETHOSU_BY_CHANNEL) {
		s.extra = 0;
		for (uint32_t i = 0; i < n; i++) {
			const struct ethosu_channel_scale *channel = &output->channels[c + i];

			s.scale = channel->scale;
			s.shift = channel->shift;
			values[i] = ethosu_scale_apply(&s, wrapping_sum(values[i], channel->bias));
		}
	}
}

/* Whether results are clamped: 32-bit ones of a full range are not. */
static bool is_clamped(const struct ethosu_output *output)
{
	const struct ethosu_operation *op = output->op;

	if (output->machine->config->generation == ETHOSU_U85)
		return !(op->clip & 1);
	return op->ofm.bytes < 4 || op->clip || op->min != -32768 || op->max != 32767;
}

static void activate(const struct ethosu_output *output, uint32_t n, int64_t *values)
{
	const struct ethosu_operation *op = output->op;
	const struct ethosu_config *config = output->machine->config;
	bool lut = ethosu_lut_used(config, op), clamped = is_clamped(output);

	if (ethosu_lut_is_function(config, op))
		clamped = false;
	for (uint32_t i = 0; i < n; i++)
		values[i] = wrapping_sum(values[i], op->ofm.zero_point);
	for (uint32_t i = 0; clamped && i < n; i++)
		values[i] = values[i] < op->min	  ? op->min
			    : values[i] > op->max ? op->max
						  : values[i];
	for (uint32_t i = 0; lut && i < n; i++)
		values[i] = ethosu_lut_apply(output->machine, op, values[i]);
}

/* Write values one by one to where they go when the OFM is reversed or transposed. */
static uint32_t scatter(struct ethosu_output *output, uint32_t y, uint32_t x, uint32_t c,
			uint32_t n, const int64_t *values)
{
	/* Of y, x and c: the coordinate that is the row, the column and the channel in memory. */
	static const uint8_t orders[8][3] = {
		[0] = { 0, 1, 2 }, [4] = { 0, 1, 2 }, [5] = { 0, 1, 2 }, /* 4, 5: reserved */
		[TRANSPOSE_WHC] = { 1, 0, 2 }, [TRANSPOSE_HCW] = { 0, 2, 1 },
		[TRANSPOSE_WCH] = { 1, 2, 0 }, [TRANSPOSE_CHW] = { 2, 0, 1 },
		[TRANSPOSE_CWH] = { 2, 1, 0 },
	};
	const struct ethosu_feature_map *ofm = &output->op->ofm;
	const uint8_t *order = orders[output->op->transpose & 7];
	uint32_t status = 0;

	for (uint32_t i = 0; i < n && !status; i++) {
		uint32_t at[3] = { y, x, c + i };

		switch (output->op->reverse) {
		case REVERSE_H:
			at[0] = ofm->height - 1 - at[0];
			break;
		case REVERSE_W:
			at[1] = ofm->width - 1 - at[1];
			break;
		case REVERSE_C:
			at[2] = ofm->depth - 1 - at[2];
			break;
		}
		status = ethosu_map_write(ofm, output->machine, &output->port, at[order[0]],
					  at[order[1]], at[order[2]], 1, &values[i]);
	}
	return status;
}

void ethosu_output_finish(const struct ethosu_output *output, uint32_t c, uint32_t n,
			  int64_t *values)
{
	scale(output, c, n, values);
	activate(output, n, values);
}

uint32_t ethosu_output_put(struct ethosu_output *output, uint32_t y, uint32_t x, uint32_t c,
			   uint32_t n, int64_t *values)
{
	const struct ethosu_operation *op = output->op;

	if (op->ofm.storage == ETHOSU_NOWHERE)
		return 0;
	ethosu_output_finish(output, c, n, values);
	if (op->reverse || op->transpose)
		return scatter(output, y, x, c, n, values);
	return ethosu_map_write(&op->ofm, output->machine, &output->port, y, x, c, n, values);
}
