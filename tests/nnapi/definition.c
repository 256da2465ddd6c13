// SPDX-License-Identifier: MIT
/* The table of definitions, and its expansion into configurations (definition.h). */
#include "tests/nnapi/definition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "nnaccel.h"

#define FLOATS "f32 f16"
#define FQ "f32 f16 q8 q8s"
#define FQI "f32 f16 q8 q8s i32"
#define FI "f32 f16 i32"

/* An LSTM cell's weights, peephole weights, biases, projection. */
#define CELL "T2? 3T2 T2? 3T2 3T1? T1? 3T1 T2? T1?"

static const struct row {
	const char *operation, *types, *in, *out;
} rows[] = {
	{ "ADD", FQI, "2T1-4! i", "T1-4" },
	{ "AVERAGE_POOL_2D", FQ, "T4 9i [b?]", "T4" },
	{ "AVERAGE_POOL_2D", FQ, "T4 6i [b?]", "T4" },
	{ "CONCATENATION", FQ, "NT1-4! i", "T1-4" },
	{ "CONV_2D", FQ, "T4! F4! B1 7i [b? [2i?]]", "T4" },
	{ "CONV_2D", FQ, "T4! F4! B1 4i [b? [2i?]]", "T4" },
	{ "DEPTHWISE_CONV_2D", FQ, "T4 F4 B1 8i [b? [2i?]]", "T4" },
	{ "DEPTHWISE_CONV_2D", FQ, "T4 F4 B1 5i [b? [2i?]]", "T4" },
	{ "DEPTH_TO_SPACE", FQ, "T4 i [b?]", "T4" },
	{ "DEQUANTIZE", "q8 q8s q8symm q8channel", "T1-4!", "R1-4" },
	{ "EMBEDDING_LOOKUP", FQI, "I1 T2+", "T2+" },
	{ "FLOOR", FLOATS, "T1-4!", "T1-4" },
	{ "FULLY_CONNECTED", FQ, "T2-4! T2! B1! i", "T2" },
	{ "HASHTABLE_LOOKUP", "f32 i32 q8", "2I1 T2+", "T2+ q1" },
	{ "L2_NORMALIZATION", FQ, "T1-4! [i?]", "T1-4" },
	{ "L2_POOL_2D", FLOATS, "T4 9i [b?]", "T4" },
	{ "L2_POOL_2D", FLOATS, "T4 6i [b?]", "T4" },
	{ "LOCAL_RESPONSE_NORMALIZATION", FLOATS, "T1-4! i 3f [i?]", "T1-4" },
	{ "LOGISTIC", FQ, "T1-4!", "T1-4" },
	{ "LSH_PROJECTION", FLOATS, "T2 C1+ T1? i", "I1" },
	{ "LSTM", FLOATS, "T2 " CELL " 2T2 i 2f [4T1?]", "4T2" },
	{ "MAX_POOL_2D", FQ, "T4 9i [b?]", "T4" },
	{ "MAX_POOL_2D", FQ, "T4 6i [b?]", "T4" },
	{ "MUL", FQI, "2T1-4! i", "T1-4" },
	{ "RELU", FQ, "T1-4!", "T1-4" },
	{ "RELU1", FQ, "T1-4!", "T1-4" },
	{ "RELU6", FQ, "T1-4!", "T1-4" },
	{ "RESHAPE", FQI, "T1-4! I1", "T1-4" },
	{ "RESIZE_BILINEAR", FQ, "T4 2i [b? [b? [b?]]]", "T4" },
	{ "RESIZE_BILINEAR", FQ, "T4 2f [b? [b? [b?]]]", "T4" },
	{ "RNN", FLOATS, "3T2 T1 T2 i?", "2T2" },
	{ "SOFTMAX", FQ, "T1-4! f [i?]", "T1-4" },
	{ "SPACE_TO_DEPTH", FQ, "T4 i [b?]", "T4" },
	{ "SVDF", FLOATS, "3T2 T1? T2 i i?", "2T2" },
	{ "TANH", FQ, "T1-4!", "T1-4" },
	{ "BATCH_TO_SPACE_ND", FQ, "T4 I1 [b?]", "T4" },
	{ "DIV", FI, "2T1-4! i", "T1-4" },
	{ "MEAN", FQ, "T1-4! I1 i", "T1-4" },
	{ "PAD", FQ, "T1-4! I2", "T1-4" },
	{ "SPACE_TO_BATCH_ND", FQ, "T4 I1 I2 [b?]", "T4" },
	{ "SQUEEZE", FQ, "T1-4! I1?", "T1-4" },
	{ "STRIDED_SLICE", FQ, "T1-4! 3I1 3i", "T1-4" },
	{ "SUB", FQI, "2T1-4! i", "T1-4" },
	{ "TRANSPOSE", FQ, "T1-4! I1?", "T1-4" },
	{ "ABS", FI, "T1+", "T1+" },
	{ "ARGMAX", FQI, "T1+ i", "I1+" },
	{ "ARGMIN", FQI, "T1+ i", "I1+" },
	{ "AXIS_ALIGNED_BBOX_TRANSFORM", "f32 f16 q16", "T2 D2 I1 T2", "T2" },
	{ "BIDIRECTIONAL_SEQUENCE_LSTM", FLOATS,
	  "T3 " CELL " " CELL " 4T2 T3? 8T2? i 2f 2b 8T1?", "2T3 [4T2]" },
	{ "BIDIRECTIONAL_SEQUENCE_LSTM", FLOATS,
	  "T3 " CELL " " CELL " 4T2 T3? 8T2? i 2f 2b 8T1?", "T3 [4T2]" },
	{ "BIDIRECTIONAL_SEQUENCE_RNN", FLOATS, "T3 2T2 T1 3T2 T1 T2 T3? 2T2? i 2b", "2T3 [2T2]" },
	{ "BIDIRECTIONAL_SEQUENCE_RNN", FLOATS, "T3 2T2 T1 3T2 T1 T2 T3? 2T2? i 2b", "T3 [2T2]" },
	{ "BOX_WITH_NMS_LIMIT", FQ, "T2 X2 I1 f 2i 3f", "T1 X2 2I1" },
	{ "CAST", "f32 f16 i32 q8", "T1+", "C1+" },
	{ "CAST", "b8 q16 q16symm q8s q8symm", "T1+", "T1+" },
	{ "CHANNEL_SHUFFLE", FQ, "T1-4! 2i", "T1-4" },
	{ "DETECTION_POSTPROCESSING", FLOATS, "2T3 T2 4f b 3i 2f b", "T2 T3 I2 I1" },
	{ "EQUAL", FQI " b8", "2T1+", "L1+" },
	{ "EXP", FLOATS, "T1+", "T1+" },
	{ "EXPAND_DIMS", FQI, "T1+ i", "T1+" },
	{ "GATHER", FQI, "T1+ i I1+", "T1+" },
	{ "GENERATE_PROPOSALS", FQ, "2T4 A2 X2 2f 2i 2f b", "T1 X2 I1" },
	{ "GREATER", FQI " b8", "2T1+", "L1+" },
	{ "GREATER_EQUAL", FQI " b8", "2T1+", "L1+" },
	{ "GROUPED_CONV_2D", FQ, "T4 F4 B1 8i b", "T4" },
	{ "GROUPED_CONV_2D", FQ, "T4 F4 B1 5i b", "T4" },
	{ "HEATMAP_MAX_KEYPOINT", FQ, "T4 X2 b", "T2 X3" },
	{ "INSTANCE_NORMALIZATION", FLOATS, "T4 3f b", "T4" },
	{ "LESS", FQI " b8", "2T1+", "L1+" },
	{ "LESS_EQUAL", FQI " b8", "2T1+", "L1+" },
	{ "LOG", FLOATS, "T1+", "T1+" },
	{ "LOGICAL_AND", "b8", "2T1+", "T1+" },
	{ "LOGICAL_NOT", "b8", "T1+", "T1+" },
	{ "LOGICAL_OR", "b8", "2T1+", "T1+" },
	{ "LOG_SOFTMAX", FLOATS, "T1+ f i", "T1+" },
	{ "MAXIMUM", FQI, "2T1+", "T1+" },
	{ "MINIMUM", FQI, "2T1+", "T1+" },
	{ "NEG", FI, "T1+", "T1+" },
	{ "NOT_EQUAL", FQI " b8", "2T1+", "L1+" },
	{ "PAD_V2", FQ, "T1-4! I2 e", "T1-4" },
	{ "POW", FLOATS, "2T1+", "T1+" },
	{ "PRELU", FQ, "2T1+", "T1+" },
	{ "QUANTIZE", FLOATS, "T1+", "Q1+" },
	{ "QUANTIZED_16BIT_LSTM", "-", "9q2 4I1 h2 q2", "h2 q2" },
	{ "RANDOM_MULTINOMIAL", FLOATS, "T2 i I1", "I2" },
	{ "REDUCE_ALL", "b8", "T1-4! I1 b", "T1-4" },
	{ "REDUCE_ANY", "b8", "T1-4! I1 b", "T1-4" },
	{ "REDUCE_MAX", FQ, "T1-4! I1 b", "T1-4" },
	{ "REDUCE_MIN", FQ, "T1-4! I1 b", "T1-4" },
	{ "REDUCE_PROD", FLOATS, "T1-4! I1 b", "T1-4" },
	{ "REDUCE_SUM", FLOATS, "T1-4! I1 b", "T1-4" },
	{ "ROI_ALIGN", FQ, "T4 X2 I1 2i 2f 2i b", "T4" },
	{ "ROI_POOLING", FQ, "T4 X2 I1 2i 2f b", "T4" },
	{ "RSQRT", FQ, "T1+", "T1+" },
	{ "SELECT", FQI, "L1+ 2T1+", "T1+" },
	{ "SIN", FLOATS, "T1+", "T1+" },
	{ "SLICE", FQI, "T1+ 2I1", "T1+" },
	{ "SPLIT", FQI, "T1+ 2i", "NT1+" },
	{ "SQRT", FLOATS, "T1+", "T1+" },
	{ "TILE", FQI, "T1+ I1", "T1+" },
	{ "TOPK_V2", FQI, "T1+ i", "T1+ I1+" },
	{ "TRANSPOSE_CONV_2D", FQ, "T4 F4 B1 7i b", "T4" },
	{ "TRANSPOSE_CONV_2D", FQ, "T4 F4 B1 I1 4i b", "T4" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM", FLOATS, "T3 " CELL " 2T2 i 2f b 4T1?", "T3 [2T2]" },
	{ "UNIDIRECTIONAL_SEQUENCE_RNN", FLOATS, "T3 2T2 T1 T2 2i", "T3 [T2]" },
	{ "RESIZE_NEAREST_NEIGHBOR", FQ, "T4 2i b [b? [b?]]", "T4" },
	{ "RESIZE_NEAREST_NEIGHBOR", FQ, "T4 2f b [b? [b?]]", "T4" },
	{ "QUANTIZED_LSTM", "-",
	  "g2 s2? 3s2 s2? 3s2 3h1? I1? 3I1 s2? I1? g2 h2 4h1? 2n? 4n i n", "g2 h2 g2" },
	{ "ELU", FLOATS, "T1+ f", "T1+" },
	{ "HARD_SWISH", FQ, "T1+", "T1+" },
	{ "FILL", FI, "I1 e", "T1+" },
	{ "RANK", FQI " b8 q16 q16symm q8symm q8channel", "T1+", "i" },
	{ "BATCH_MATMUL", FI " q8s", "2T2-4 2b", "T2-4" },
	{ "PACK", FQI, "i NT1+", "P" },
	{ "MIRROR_PAD", FQI, "T1+ I2! i", "T1+" },
	{ "REVERSE", FQI, "T1+ I1!", "T1+" },
};

static const struct name {
	const char *name;
	int32_t number;
} types[] = {
	{ "-", ANEURALNETWORKS_TENSOR_INT32 },
	{ "f32", ANEURALNETWORKS_TENSOR_FLOAT32 },
	{ "f16", ANEURALNETWORKS_TENSOR_FLOAT16 },
	{ "i32", ANEURALNETWORKS_TENSOR_INT32 },
	{ "b8", ANEURALNETWORKS_TENSOR_BOOL8 },
	{ "q8", ANEURALNETWORKS_TENSOR_QUANT8_ASYMM },
	{ "q8s", ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED },
	{ "q8symm", ANEURALNETWORKS_TENSOR_QUANT8_SYMM },
	{ "q8channel", ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL },
	{ "q16", ANEURALNETWORKS_TENSOR_QUANT16_ASYMM },
	{ "q16symm", ANEURALNETWORKS_TENSOR_QUANT16_SYMM },
};

bool definition_is_tensor(int32_t type)
{
	for (size_t i = 1; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].number == type)
			return true;
	}
	return false;
}

bool definition_is_quantised(int32_t type)
{
	return definition_is_tensor(type) && type != ANEURALNETWORKS_TENSOR_FLOAT32 &&
	       type != ANEURALNETWORKS_TENSOR_FLOAT16 && type != ANEURALNETWORKS_TENSOR_INT32 &&
	       type != ANEURALNETWORKS_TENSOR_BOOL8;
}

/* Names are the library's, which has them in NNAPI's order. */
const char *definition_operation_name(int32_t operation)
{
	return nna_operation_name(operation);
}

const char *definition_type_name(int32_t type)
{
	const char *name = nna_operand_type_name(type);

	return name ? name : "?";
}

/**
 * struct expansion - one configuration in the making
 * @t: what T is
 * @choice: of the letters that leave one
 * @choices: how many there are in this row
 * @many: how often a word with N is there
 * @ends: how many "[" are passed, of inputs and of outputs
 * @ended: a list ended early
 */
struct expansion {
	struct configuration configuration;
	int32_t t;
	uint32_t choice, choices;
	uint32_t many;
	uint32_t ends[2];
	bool ended, has_many;
};

/* One of @count types, by the expansion's choice. */
static int32_t choose(struct expansion *e, uint32_t count, const int32_t *from)
{
	if (count > e->choices)
		e->choices = count;
	return from[e->choice % count];
}

static int32_t letter_type(struct expansion *e, char letter)
{
	static const int32_t floats[] = { ANEURALNETWORKS_TENSOR_FLOAT32,
					  ANEURALNETWORKS_TENSOR_FLOAT16 };
	static const int32_t quants[] = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
					  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED };
	static const int32_t casts[] = { ANEURALNETWORKS_TENSOR_FLOAT32,
					 ANEURALNETWORKS_TENSOR_FLOAT16,
					 ANEURALNETWORKS_TENSOR_INT32,
					 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM };
	const int32_t filters[] = { e->t, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL };
	bool quantised = definition_is_quantised(e->t);
	bool half = e->t == ANEURALNETWORKS_TENSOR_FLOAT16;

	switch (letter) {
	case 'T':
	case 'P':
		return e->t;
	case 'F':
		return quantised ? choose(e, 2, filters) : e->t;
	case 'B':
		return quantised ? ANEURALNETWORKS_TENSOR_INT32 : e->t;
	case 'X':
		return quantised ? ANEURALNETWORKS_TENSOR_QUANT16_ASYMM : e->t;
	case 'A':
		return quantised ? ANEURALNETWORKS_TENSOR_QUANT16_SYMM : e->t;
	case 'D':
		return quantised ? choose(e, 2, quants) : e->t;
	case 'R':
		return choose(e, 2, floats);
	case 'Q':
		return choose(e, 2, quants);
	case 'C':
		return choose(e, 4, casts);
	case 'I':
		return ANEURALNETWORKS_TENSOR_INT32;
	case 'L':
		return ANEURALNETWORKS_TENSOR_BOOL8;
	case 'q':
		return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
	case 'g':
		return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
	case 's':
		return ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
	case 'h':
		return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
	case 'f':
		return half ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_FLOAT32;
	case 'e':
		if (e->t == ANEURALNETWORKS_TENSOR_FLOAT32)
			return ANEURALNETWORKS_FLOAT32;
		return half ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_INT32;
	case 'i':
		return ANEURALNETWORKS_INT32;
	case 'b':
		return ANEURALNETWORKS_BOOL;
	case 'n':
		return ANEURALNETWORKS_FLOAT32;
	default:
		fprintf(stderr, "definition.c: there is no letter '%c'\n", letter);
		abort();
	}
}

/* Adds the operands of a list of words. Return: how many there are. */
static uint32_t expand_list(struct expansion *e, const char *words, struct spot *spots,
			    uint32_t ends)
{
	uint32_t count = 0, passed = 0;

	while (*words) {
		struct spot spot = { 0 };
		uint32_t times = 1;

		if (*words == ' ' || *words == ']') {
			words++;
			continue;
		}
		if (*words == '[') {
			if (passed++ == ends) {
				e->ended = true;
				return count;
			}
			words++;
			continue;
		}
		if (*words == 'N') {
			times = e->many;
			e->has_many = true;
			words++;
		} else if (*words >= '0' && *words <= '9') {
			times = strtoul(words, (char **)&words, 10);
		}
		spot.more = *words == 'P';
		spot.type = letter_type(e, *words++);
		if (*words >= '0' && *words <= '9') {
			spot.low = spot.high = strtoul(words, (char **)&words, 10);
			if (*words == '+') {
				spot.high = ANY_RANK;
				words++;
			} else if (*words == '-') {
				spot.high = strtoul(words + 1, (char **)&words, 10);
			}
		} else if (spot.more) {
			spot.low = 2;
			spot.high = ANY_RANK;
		}
		if (*words == '!') {
			spot.checked = true;
			words++;
		}
		if (*words == '?') {
			spot.optional = true;
			words++;
		}
		while (times--)
			spots[count++] = spot;
	}
	return count;
}

/* How many early ends a list has. */
static uint32_t count_ends(const char *words)
{
	uint32_t count = 0;

	while ((words = strchr(words, '['))) {
		count++;
		words++;
	}
	return count;
}

static void expand_row(const struct row *row, int32_t operation, int32_t t,
		       void (*take)(void *user, const struct configuration *configuration),
		       void *user)
{
	struct expansion e = { .t = t, .choices = 1 };
	uint32_t ends[2] = { count_ends(row->in), count_ends(row->out) };

	for (e.choice = 0; e.choice < e.choices; e.choice++) {
		for (e.many = 1; e.many <= 4; e.many++) {
			for (uint32_t end = 0; end < (ends[0] + 1) * (ends[1] + 1); end++) {
				struct configuration *c = &e.configuration;

				memset(c, 0, sizeof(*c));
				e.ended = e.has_many = false;
				c->operation = operation;
				c->in = expand_list(&e, row->in, c->spots, end % (ends[0] + 1));
				c->out = expand_list(&e, row->out, c->spots + c->in,
						     end / (ends[0] + 1));
				c->whole = !e.ended && (!e.has_many || e.many == 2);
				c->many = e.has_many ? e.many : 0;
				take(user, c);
			}
			if (!e.has_many)
				break;
		}
	}
}

void definition_expand(int32_t operation,
		       void (*take)(void *user, const struct configuration *configuration),
		       void *user)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int32_t number = 0;
		const char *word;

		while (strcmp(definition_operation_name(number), rows[i].operation))
			number++;
		if (operation >= 0 && operation != number)
			continue;
		for (word = rows[i].types; word; word = strchr(word, ' ')) {
			size_t length;

			word += *word == ' ';
			length = strcspn(word, " ");
			for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
				if (strlen(types[k].name) == length &&
				    !strncmp(types[k].name, word, length))
					expand_row(&rows[i], number, types[k].number, take, user);
			}
		}
	}
}
