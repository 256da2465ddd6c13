// SPDX-License-Identifier: MIT
#include "device/ethosu/lut.h"

#include <string.h>

#define U65_TANH 3u
#define U65_SIGMOID 4u
#define U65_TABLE0 16u
#define U65_TABLES 8u
#define U65_FORCE_UINT8 2u
#define U65_FORCE_INT8 3u
#define U65_FORCE_INT16 5u
#define SLOT 256u

#define U85_U8_U8 1u
#define U85_S8_S8 4u
#define U85_S8_S16 5u
#define U85_S8_S32 7u
#define U85_S16_S16 8u
#define U85_S16_S32 9u
#define U85_TANH 10u
#define U85_SIGMOID 11u

/* The sigmoid in steps of 1 / 24, in 16 bits after the point, as TFLite's kernels have it. */
static const uint16_t sigmoid[256] = {
	32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
	41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
	48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
	54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
	58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
	61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
	63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
	64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
	64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
	65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
	65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
	65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
	65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
	65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
	65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
	65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
	65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
	65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
	65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
	65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};

bool ethosu_lut_is_function(const struct ethosu_config *config, const struct ethosu_operation *op)
{
	if (config->generation == ETHOSU_U65)
		return op->activation == U65_TANH || op->activation == U65_SIGMOID;
	return op->activation == U85_TANH || op->activation == U85_SIGMOID;
}

bool ethosu_lut_used(const struct ethosu_config *config, const struct ethosu_operation *op)
{
	if (config->generation == ETHOSU_U85)
		return op->activation != 0;
	return ethosu_lut_is_function(config, op) ||
	       (op->activation >= U65_TABLE0 && op->activation < U65_TABLE0 + U65_TABLES);
}

/* 2^16 times the sigmoid of @magnitude / 2^@bits / 24, in @bits more bits, between its entries. */
static uint32_t interpolate(uint32_t magnitude, uint32_t bits)
{
	uint32_t at = magnitude >> bits, part = magnitude & ((1u << bits) - 1);

	return ((uint32_t)sigmoid[at] << bits) + part * (uint32_t)(sigmoid[at + 1] - sigmoid[at]);
}

static uint32_t magnitude_of(int64_t value)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;

	return magnitude > UINT32_MAX ? UINT32_MAX : (uint32_t)magnitude;
}

/* @value is in steps of 1 / (3 * 4096); the result is in 15 bits after the point. */
static int32_t sigmoid_of(int64_t value)
{
	uint32_t magnitude = magnitude_of(value);
	int32_t sum;

	sum = magnitude >> 9 >= 255 ? 0x7fff << 10 : (int32_t)interpolate(magnitude, 9);
	sum = value >= 0 ? sum + (1 << 9) : (1 << 25) - sum + (1 << 9) - 1;
	return sum >> 10;
}

static int32_t tanh_of(int64_t value)
{
	uint32_t magnitude = magnitude_of(value);
	int32_t sum;

	sum = magnitude >> 8 >= 255 ? 0xffff << 8 : (int32_t)interpolate(magnitude, 8);
	sum = value >= 0 ? sum - (1 << 23) + (1 << 7) : -sum + (1 << 23) + (1 << 7) - 1;
	return sum >> 8;
}

/* An entry of @bytes; 0 where there is no memory. */
static int32_t entry(const struct ethosu_machine *machine, uint32_t table, uint32_t index,
		     uint32_t bytes, bool is_signed)
{
	uint64_t at = (uint64_t)machine->config->lut + table + (uint64_t)index * bytes;
	const uint8_t *from = machine->internal + at;

	if (at + bytes > machine->config->internal)
		return 0;
	switch (bytes) {
	case 1:
		return is_signed ? (int8_t)*from : *from;
	case 2:
		return (int16_t)(from[0] | from[1] << 8);
	default:
		return (int32_t)(from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24);
	}
}

static int32_t between(const struct ethosu_machine *machine, uint32_t table, int64_t value)
{
	int32_t v = value < -32768 ? -32768 : value > 32767 ? 32767 : (int32_t)value;
	int32_t word = entry(machine, table, (uint32_t)(v + 32768) >> 7, 4, true);

	return (int16_t)word + (((word >> 16) * (v & 127) + 64) >> 7);
}

static int32_t apply_u65(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			 int64_t value)
{
	uint32_t table = (op->activation - U65_TABLE0) * SLOT;
	bool is_signed = op->ofm.is_signed;
	uint32_t bytes = op->ofm.bytes;

	if (op->activation == U65_TANH)
		return tanh_of(value);
	if (op->activation == U65_SIGMOID)
		return sigmoid_of(value);
	if (op->clip == U65_FORCE_UINT8)
		is_signed = false;
	else if (op->clip == U65_FORCE_INT8)
		is_signed = true;
	else if (op->clip == U65_FORCE_INT16 || bytes == 2)
		return between(machine, table, value);
	return entry(machine, table, (uint32_t)(value + (is_signed ? 128 : 0)) & 0xff, bytes,
		     op->ofm.is_signed);
}

static int32_t apply_u85(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			 int64_t value)
{
	uint32_t signed_index = (uint32_t)(value + 128) & 0xff;

	switch (op->activation) {
	case U85_U8_U8:
		return entry(machine, op->table * SLOT, (uint32_t)value & 0xff, 1, false);
	case U85_S8_S8:
		return entry(machine, op->table * SLOT, signed_index, 1, true);
	case U85_S8_S16:
		return entry(machine, op->table * SLOT * 2, signed_index, 2, true);
	case U85_S8_S32:
		return entry(machine, op->table * SLOT * 4, signed_index, 4, true);
	case U85_S16_S16:
	case U85_S16_S32:
		return between(machine, op->table * SLOT * 8, value);
	case U85_TANH:
		return tanh_of(value);
	case U85_SIGMOID:
		return sigmoid_of(value);
	default:
		return (int32_t)value;
	}
}

int32_t ethosu_lut_apply(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			 int64_t value)
{
	return machine->config->generation == ETHOSU_U65 ? apply_u65(machine, op, value)
							 : apply_u85(machine, op, value);
}
