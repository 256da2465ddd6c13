// SPDX-License-Identifier: MIT
/*
 * The rules of operations, one line each: an operation that is right, and then the same with one
 * thing wrong, which must be refused when the graph is finished, by a message that names the
 * operation.
 *
 * An operand is written as its kind and its dimensions or value: f[2,3] FLOAT32, h[..] FLOAT16,
 * u[..] QUANT8_ASYMM in steps of 0.5 around 128, v[..] the same in steps of 1/256 from 0 on, s[..]
 * QUANT8_ASYMM_SIGNED in steps of 0.5, w[..] QUANT16_ASYMM in steps of 0.125, x[..] the same in
 * steps of 0.5, n[..] INT32, m[..] INT32 with scale 0.25, t[..] BOOL8, n{1,2} constant INT32, i5
 * INT32, r0.5 FLOAT32, b1 BOOL, - nothing. ? is an unknown rank. Results stand behind the arrow.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"

#define MAX_OPERANDS 16u

static char said[512];

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

static uint32_t type_of(const char *name)
{
	for (uint32_t type = 0; type < NNA_OPERATION_EXTENSION + 64; type++) {
		const char *known = nna_operation_name(type);

		if (known && !strcmp(known, name))
			return type;
	}
	fail_msg("there is no operation %s", name);
	return 0;
}

/* Numbers between brackets. Return: how many. */
static uint32_t numbers(const char *text, uint32_t *to)
{
	uint32_t count = 0;
	char *end;

	while (*text && *text != ']' && *text != '}') {
		assert_true(count < NNACCEL_MAX_RANK);
		to[count++] = (uint32_t)strtol(text, &end, 10);
		text = *end == ',' ? end + 1 : end;
	}
	return count;
}

static uint32_t add(struct nna_graph *g, const char *word, bool *input)
{
	static const struct {
		char kind;
		uint32_t type;
		float scale;
		int32_t zero_point;
	} kinds[] = {
		{ 'f', NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
		{ 'h', NNA_OPERAND_TENSOR_FLOAT16, 0, 0 },
		{ 'u', NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.5f, 128 },
		{ 'v', NNA_OPERAND_TENSOR_QUANT8_ASYMM, 1.0f / 256, 0 },
		{ 'w', NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.125f, 0 },
		{ 'x', NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.5f, 0 },
		{ 's', NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0 },
		{ 'n', NNA_OPERAND_TENSOR_INT32, 0, 0 },
		{ 'm', NNA_OPERAND_TENSOR_INT32, 0.25f, 0 },
		{ 't', NNA_OPERAND_TENSOR_BOOL8, 0, 0 },
		{ 'i', NNA_OPERAND_INT32, 0, 0 },
		{ 'r', NNA_OPERAND_FLOAT32, 0, 0 },
		{ 'b', NNA_OPERAND_BOOL, 0, 0 },
		{ '-', NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
	};
	uint32_t dims[NNACCEL_MAX_RANK] = { 0 }, count;
	struct nna_operand_desc desc = { .dims = dims };
	int32_t whole = atoi(word + 1);
	float real = strtof(word + 1, NULL);
	int operand, ret = 0;
	size_t k = 0;

	while (kinds[k].kind != word[0])
		assert_true(++k < sizeof(kinds) / sizeof(kinds[0]));
	desc.type = kinds[k].type;
	desc.scale = kinds[k].scale;
	desc.zero_point = kinds[k].zero_point;
	if (word[1] == '[')
		desc.rank = numbers(word + 2, dims);
	*input = word[1] == '[' || word[1] == '?';
	if (word[1] == '{') {
		desc.rank = 1;
		count = numbers(word + 2, dims);
		operand = nna_graph_add_operand(g, 0, &(struct nna_operand_desc){
			.type = desc.type, .rank = 1, .dims = &count });
		assert_true(operand >= 0);
		ret = nna_graph_set_constant(g, 0, operand, dims, count * sizeof(*dims), false);
	} else {
		operand = nna_graph_add_operand(g, 0, &desc);
		assert_true(operand >= 0);
		if (!word[1] || word[1] == '[' || word[1] == '?')
			; /* a tensor, or a scalar that is a result */
		else if (word[0] == 'i')
			ret = nna_graph_set_constant(g, 0, operand, &whole, sizeof(whole), false);
		else if (word[0] == 'r')
			ret = nna_graph_set_constant(g, 0, operand, &real, sizeof(real), false);
		else if (word[0] == 'b')
			ret = nna_graph_set_constant(g, 0, operand, &(uint8_t){ whole != 0 }, 1,
						     false);
		if (word[0] == '-')
			ret = nna_graph_set_no_value(g, 0, operand);
	}
	assert_int_equal(ret, 0);
	return operand;
}

/* What a line says as a graph; *built is the caller's, finished or not. */
static int build(const char *line, struct nna_graph **built)
{
	static const struct nna_log log = { log_line, NULL };
	uint32_t in[MAX_OPERANDS], out[MAX_OPERANDS], given[MAX_OPERANDS];
	uint32_t ins = 0, outs = 0, givens = 0, type = 0;
	char text[256], *word, *rest = NULL;
	bool results = false, input;
	struct nna_graph *g;
	int ret;

	said[0] = 0;
	assert_int_equal(nna_graph_create(&log, &g), 0);
	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		uint32_t operand;

		if (word == text) {
			type = type_of(word);
			continue;
		}
		if (!strcmp(word, "->")) {
			results = true;
			continue;
		}
		operand = add(g, word, &input);
		assert_true(ins < MAX_OPERANDS && outs < MAX_OPERANDS);
		if (results)
			out[outs++] = operand;
		else
			in[ins++] = operand;
		if (!results && input)
			given[givens++] = operand;
	}
	ret = nna_graph_add_operation(g, 0, type, ins, in, outs, out);
	if (!ret)
		ret = nna_graph_set_io(g, 0, givens, given, outs, out);
	*built = g;
	return ret ? ret : nna_graph_finish(g);
}

static int finish(const char *line)
{
	struct nna_graph *g;
	int ret = build(line, &g);

	nna_graph_unref(g);
	return ret;
}

/*
 * Lines that begin with an operation's name are right; those after it, which begin with '!', are
 * wrong.
 */
static const char *const lines[] = {
	"ADD f[2,3] f[3] i0 -> f[2,3]",
	"!ADD f[2,3] h[3] i0 -> f[2,3]",
	"!ADD f[2,3] f[2] i0 -> f[2,3]",
	"!ADD f[2,3] f[3] i0 -> f[3,3]",
	"!ADD f[2,3] f[3] i4 -> f[2,3]",
	"!ADD f[2,3] f[3] r0 -> f[2,3]",
	"!ADD f[2,3] f[3] -> f[2,3]",
	"!ADD f[2,3] f[3] i0 i0 -> f[2,3]",
	"!ADD f[2,3] f[3] i0 -> f[2,3] f[2,3]",
	"!ADD f[2,3] - i0 -> f[2,3]",
	"!ADD t[2,3] t[3] i0 -> t[2,3]",
	"ADD n[2] n[2] i0 -> n[2]",
	"!ADD n[2] n[2] i1 -> n[2]",
	"!DIV u[2] u[2] i0 -> u[2]",
	"CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,2] f[4] i1 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[3] i1 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i3 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i0 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i-1 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i9 -> f[1,4,4,4]",
	"!CONV_2D f[8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i0 -> f[1,5,5,4]",
	"!CONV_2D f[1,2,2,3] f[4,3,3,3] f[4] i2 i1 i1 i0 -> f[1,1,1,4]",
	"!CONV_2D f[1,8,8,3] u[4,3,3,3] f[4] i1 i2 i2 i0 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i0 b0 i1 -> f[1,4,4,4]",
	"!CONV_2D f[1,8,8,3] f[4,3,3,3] f[4] i1 i2 i2 i0 b0 i0 i1 -> f[1,4,4,4]",
	"CONV_2D u[1,8,8,3] u[4,3,3,3] m[4] i1 i2 i2 i0 -> v[1,4,4,4]",
	"!CONV_2D u[1,8,8,3] u[4,3,3,3] n[4] i1 i2 i2 i0 -> v[1,4,4,4]",
	"!CONV_2D u[1,8,8,3] s[4,3,3,3] m[4] i1 i2 i2 i0 -> v[1,4,4,4]",
	"DEPTHWISE_CONV_2D f[1,8,8,3] f[1,3,3,6] f[6] i1 i1 i1 i2 i0 -> f[1,8,8,6]",
	"!DEPTHWISE_CONV_2D f[1,8,8,3] f[1,3,3,6] f[6] i1 i1 i1 i3 i0 -> f[1,8,8,6]",
	"!DEPTHWISE_CONV_2D f[1,8,8,3] f[2,3,3,6] f[6] i1 i1 i1 i2 i0 -> f[1,8,8,6]",
	"GROUPED_CONV_2D f[1,8,8,4] f[6,3,3,2] f[6] i1 i1 i1 i2 i0 b0 -> f[1,8,8,6]",
	"!GROUPED_CONV_2D f[1,8,8,4] f[6,3,3,2] f[6] i1 i1 i1 i4 i0 b0 -> f[1,8,8,6]",
	"!GROUPED_CONV_2D f[1,8,8,4] f[6,3,3,2] f[6] i1 i1 i1 i0 i0 b0 -> f[1,8,8,6]",
	"FULLY_CONNECTED f[2,6] f[4,6] f[4] i0 -> f[2,4]",
	"!FULLY_CONNECTED f[2,6] f[4,5] f[4] i0 -> f[2,4]",
	"!FULLY_CONNECTED f[2,6] f[4,6] f[5] i0 -> f[2,4]",
	"!FULLY_CONNECTED f[2,6] f[4,6,1] f[4] i0 -> f[2,4]",
	"AVERAGE_POOL_2D f[1,8,8,3] i2 i2 i2 i2 i2 i0 -> f[1,4,4,3]",
	"!AVERAGE_POOL_2D f[1,8,8,3] i2 i2 i2 i0 i2 i0 -> f[1,4,4,3]",
	"!AVERAGE_POOL_2D u[1,8,8,3] i2 i2 i2 i2 i2 i0 -> v[1,4,4,3]",
	"!L2_POOL_2D u[1,8,8,3] i2 i2 i2 i2 i2 i0 -> u[1,4,4,3]",
	"CONCATENATION f[2,3] f[2,1] i1 -> f[2,4]",
	"!CONCATENATION f[2,3] f[3,1] i1 -> f[2,4]",
	"!CONCATENATION f[2,3] f[2,1] i2 -> f[2,4]",
	"!CONCATENATION f[2,3] f[2] i1 -> f[2,4]",
	"!CONCATENATION f[2,3] h[2,1] i1 -> f[2,4]",
	"SOFTMAX v[2,4] r1 -> v[2,4]",
	"!SOFTMAX v[2,4] r1 -> u[2,4]",
	"!SOFTMAX v[2,4] i1 -> v[2,4]",
	"!SOFTMAX f[2,4] r1 i2 -> f[2,4]",
	"LOGISTIC u[2,4] -> v[2,4]",
	"!LOGISTIC u[2,4] -> u[2,4]",
	"!TANH u[2,4] -> v[2,4]",
	"!FLOOR u[2,4] -> u[2,4]",
	"!RELU u[2,4] -> v[2,4]",
	"RESHAPE f[2,6] n{3,4} -> f[3,4]",
	"!RESHAPE f[2,6] n{5,3} -> f[5,3]",
	"!RESHAPE f[2,6] n{-1,-1} -> f[3,4]",
	"!RESHAPE f[2,6] n{-2,4} -> f[3,4]",
	"SQUEEZE f[2,1,3] n{1} -> f[2,3]",
	"!SQUEEZE f[2,1,3] n{0} -> f[1,3]",
	"!SQUEEZE f[2,1,3] n{3} -> f[2,3]",
	"EXPAND_DIMS f[2,3] i-1 -> f[2,3,1]",
	"!EXPAND_DIMS f[2,3] i3 -> f[2,3,1]",
	"TRANSPOSE f[2,3] n{1,0} -> f[3,2]",
	"!TRANSPOSE f[2,3] n{1,1} -> f[3,2]",
	"!TRANSPOSE f[2,3] n{1,2} -> f[3,2]",
	"!TRANSPOSE f[2,3] n{1} -> f[3,2]",
	"SLICE f[4,4] n{1,0} n{2,-1} -> f[2,4]",
	"!SLICE f[4,4] n{3,0} n{2,-1} -> f[2,4]",
	"!SLICE f[4,4] n{-1,0} n{2,-1} -> f[2,4]",
	"!SLICE f[4,4] n{1} n{2,-1} -> f[2,4]",
	"STRIDED_SLICE f[4,4] n{0,0} n{4,4} n{2,1} i0 i0 i0 -> f[2,4]",
	"!STRIDED_SLICE f[4,4] n{0,0} n{4,4} n{0,1} i0 i0 i0 -> f[2,4]",
	"!STRIDED_SLICE f[4,4] n{0,0} n{4} n{2,1} i0 i0 i0 -> f[2,4]",
	"SPLIT f[4,4] i0 i2 -> f[2,4] f[2,4]",
	"!SPLIT f[4,4] i0 i3 -> f[2,4] f[2,4]",
	"!SPLIT f[5,4] i0 i2 -> f[2,4] f[2,4]",
	"!SPLIT f[4,4] i2 i2 -> f[2,4] f[2,4]",
	"TOPK_V2 f[2,5] i3 -> f[2,3] n[2,3]",
	"!TOPK_V2 f[2,5] i0 -> f[2,1] n[2,1]",
	"!TOPK_V2 f[2,5] i6 -> f[2,6] n[2,6]",
	"!TOPK_V2 f[2,5] r3 -> f[2,3] n[2,3]",
	"!TOPK_V2 f[2,5] i3 -> h[2,3] n[2,3]",
	"!TOPK_V2 f[2,5] i3 -> f[2,3] f[2,3]",
	"!TOPK_V2 f[2,5] i3 -> f[2,3] n[2,4]",
	"!TOPK_V2 t[2,5] i3 -> t[2,3] n[2,3]",
	"!TOPK_V2 u[2,5] i3 -> v[2,3] n[2,3]",
	"LSH_PROJECTION f[4,2] n[3,2] f[3] i2 -> n[8]",
	"LSH_PROJECTION h[4,2] f[3] - i3 -> n[4]",
	"!LSH_PROJECTION f[4,2] n[3,2] f[3] i2 -> n[4]",
	"!LSH_PROJECTION f[4,2] n[3,2] f[3] i2 -> f[8]",
	"!LSH_PROJECTION f[4,2] n[3,2] f[3] i0 -> n[4]",
	"!LSH_PROJECTION f[4,2] n[3,2] f[3] i4 -> n[4]",
	"!LSH_PROJECTION f[8] n[3,2] f[3] i2 -> n[8]",
	"!LSH_PROJECTION n[4,2] n[3,2] f[3] i2 -> n[8]",
	"!LSH_PROJECTION f[4,2] t[3,2] f[3] i2 -> n[8]",
	"!LSH_PROJECTION f[4,2] n[3,2] f[2] i2 -> n[8]",
	"!LSH_PROJECTION f[4,2] n[3,2] h[3] i2 -> n[8]",
	"LSH_PROJECTION f[4,30] n[3,2] - i1 -> n[4]",
	"!LSH_PROJECTION f[5,30] n[3,2] - i1 -> n[5]",
	"RANDOM_MULTINOMIAL f[2,9] i5 n[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[9] i5 n[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL u[2,9] i5 n[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] i-1 n[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] r5 n[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] i5 n[3] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] i5 f[2] -> n[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] i5 n[2] -> f[2,5]",
	"!RANDOM_MULTINOMIAL f[2,9] i5 n[2] -> n[2,4]",
	"HEATMAP_MAX_KEYPOINT f[2,4,4,3] f[2,4] b0 -> f[2,3] f[2,3,2]",
	"HEATMAP_MAX_KEYPOINT f[2,3,4,4] f[2,4] b1 -> f[2,3] f[2,3,2]",
	"HEATMAP_MAX_KEYPOINT u[2,4,4,3] w[2,4] b0 -> v[2,3] w[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,3,4,4] f[2,4] b0 -> f[2,4] f[2,4,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,1,1,3] f[2,4] b0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[4,4,3] f[2,4] b0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,4,4,3] f[3,4] b0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,4,4,3] f[2,5] b0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,4,4,3] h[2,4] b0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,4,4,3] f[2,4] i0 -> f[2,3] f[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT f[2,4,4,3] f[2,4] b0 -> f[2,3] f[2,3]",
	"!HEATMAP_MAX_KEYPOINT u[2,4,4,3] u[2,4] b0 -> u[2,3] w[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT u[2,4,4,3] x[2,4] b0 -> u[2,3] w[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT u[2,4,4,3] w[2,4] b0 -> u[2,3] x[2,3,2]",
	"!HEATMAP_MAX_KEYPOINT u[2,4,4,3] w[2,4] b0 -> s[2,3] w[2,3,2]",
	"GATHER f[4,4] i0 n[3] -> f[3,4]",
	"!GATHER f[4,4] i2 n[3] -> f[3,4]",
	"!GATHER f[4,4] i0 f[3] -> f[3,4]",
	"MEAN f[2,3] n{1} i1 -> f[2,1]",
	"!MEAN f[2,3] n{2} i1 -> f[2,1]",
	"!MEAN f[2,3] n{1} b1 -> f[2,1]",
	"!REDUCE_ALL f[2,3] n{1} b1 -> f[2,1]",
	"ARGMAX f[2,3] i1 -> n[2]",
	"!ARGMAX f[2,3] i2 -> n[2]",
	"!ARGMAX f[2,3] i1 -> f[2]",
	"RESIZE_BILINEAR f[1,4,4,1] i8 i8 -> f[1,8,8,1]",
	"!RESIZE_BILINEAR f[1,4,4,1] i0 i8 -> f[1,8,8,1]",
	"!RESIZE_BILINEAR f[1,4,4,1] i8 r2.0 -> f[1,8,8,1]",
	"!RESIZE_BILINEAR f[1,4,4,1] i8 i8 b0 b1 b1 -> f[1,8,8,1]",
	"DEPTH_TO_SPACE f[1,2,2,4] i2 -> f[1,4,4,1]",
	"!DEPTH_TO_SPACE f[1,2,2,3] i2 -> f[1,4,4,1]",
	"!DEPTH_TO_SPACE f[1,2,2,4] i0 -> f[1,4,4,1]",
	"SPACE_TO_DEPTH f[1,4,4,1] i2 -> f[1,2,2,4]",
	"!SPACE_TO_DEPTH f[1,3,4,1] i2 -> f[1,2,2,4]",
	"CHANNEL_SHUFFLE f[1,6] i2 i1 -> f[1,6]",
	"!CHANNEL_SHUFFLE f[1,6] i4 i1 -> f[1,6]",
	"TILE f[2,3] n{2,1} -> f[4,3]",
	"!TILE f[2,3] n{2} -> f[4,3]",
	"!TILE f[2,3] n{-2,1} -> f[4,3]",
	"CAST f[2] -> n[2]",
	"!CAST f[2] -> n[3]",
	"DEQUANTIZE u[2] -> f[2]",
	"!DEQUANTIZE n[2] -> f[2]",
	"!QUANTIZE f[2] -> n[2]",
	"EQUAL f[2] f[2] -> t[2]",
	"!EQUAL f[2] f[2] -> f[2]",
	"!LOGICAL_AND f[2] f[2] -> t[2]",
	"SELECT t[2] f[2] f[2] -> f[2]",
	"!SELECT f[2] f[2] f[2] -> f[2]",
	"!SELECT t[3] f[2] f[2] -> f[2]",
	"!SELECT t[2] f[2] h[2] -> f[2]",
	"BATCH_MATMUL f[2,3,4] f[2,4,5] b0 b0 -> f[2,3,5]",
	"!BATCH_MATMUL f[2,3,4] f[2,5,5] b0 b0 -> f[2,3,5]",
	"!BATCH_MATMUL f[2,3,4] f[2,4,5] i0 b0 -> f[2,3,5]",
	"TRANSPOSE_CONV_2D f[1,4,4,2] f[3,3,3,2] f[3] n{1,8,8,3} i1 i2 i2 i0 b0 -> f[1,8,8,3]",
	"!TRANSPOSE_CONV_2D f[1,4,4,2] f[3,3,3,2] f[2] n{1,8,8,3} i1 i2 i2 i0 b0 -> f[1,8,8,3]",
	"!TRANSPOSE_CONV_2D f[1,4,4,2] f[3,3,3,1] f[3] n{1,8,8,3} i1 i2 i2 i0 b0 -> f[1,8,8,3]",
	"PAD f[2,2] n[2,2] -> f[4,4]",
	"!PAD f[2,2] n[3,2] -> f[4,4]",
	"!PAD f[2,2] n[4] -> f[4,4]",
	"MIRROR_PAD f[2,2] n[2,2] i1 -> f[4,4]",
	"MIRROR_PAD f[1,2,1,2,1,2,1,2,1,2] n[10,2] i0 -> f[1,2,1,2,1,2,1,2,1,3]",
	"!MIRROR_PAD f[2,2] n[2,2] i2 -> f[4,4]",
	"!MIRROR_PAD f[2,2] n[2,2] b1 -> f[4,4]",
	"!MIRROR_PAD f[2,2] n[3,2] i0 -> f[4,4]",
	"!MIRROR_PAD f[2,2] f[2,2] i0 -> f[4,4]",
	"!MIRROR_PAD t[2,2] n[2,2] i0 -> t[4,4]",
	"EMBEDDING_LOOKUP n[3] f[5,2] -> f[3,2]",
	"!EMBEDDING_LOOKUP f[3] f[5,2] -> f[3,2]",
	"!EMBEDDING_LOOKUP n[3] f[5,2] -> f[3,3]",
	"HASHTABLE_LOOKUP n[3] n[5] f[5,2] -> f[3,2] v[3]",
	"!HASHTABLE_LOOKUP n[3] n[4] f[5,2] -> f[3,2] v[3]",
	"FILL n{2,3} r1 -> f[2,3]",
	"!FILL n{2,3} i1 -> f[2,3]",
	"RANK f[2,3] -> i",
	"PACK i0 f[2] f[2] -> f[2,2]",
	"!PACK i2 f[2] f[2] -> f[2,2]",
	"!PACK i0 f[2] f[3] -> f[2,2]",
	"REVERSE f[2,3] n{1} -> f[2,3]",
	"!REVERSE f[2,3] n{2} -> f[2,3]",
	"!REVERSE f[2,3] n{0,1} -> f[2,3]",
	"RNN f[1,2] f[3,2] f[3,3] f[3] f[1,3] i1 -> f[1,3] f[1,3]",
	"!RNN f[1,2] f[3,2] f[3,2] f[3] f[1,3] i1 -> f[1,3] f[1,3]",
	"!RNN f[1,2] f[3,1] f[3,3] f[3] f[1,3] i1 -> f[1,3] f[1,3]",
	"SVDF f[1,2] f[4,2] f[4,3] f[2] f[1,12] i2 i0 -> f[1,12] f[1,2]",
	"!SVDF f[1,2] f[4,2] f[4,3] f[2] f[1,12] i3 i0 -> f[1,12] f[1,2]",
	"!SVDF f[1,2] f[4,2] f[4,3] f[2] f[1,11] i2 i0 -> f[1,12] f[1,2]",
	"L2_NORMALIZATION f[2,3] i1 -> f[2,3]",
	"!L2_NORMALIZATION f[2,3] i2 -> f[2,3]",
	"LOCAL_RESPONSE_NORMALIZATION f[1,2,2,3] i1 r1 r1 r1 -> f[1,2,2,3]",
	"!LOCAL_RESPONSE_NORMALIZATION f[1,2,2,3] r1 r1 r1 r1 -> f[1,2,2,3]",
	"INSTANCE_NORMALIZATION f[1,2,2,3] r1 r0 r0.1 b0 -> f[1,2,2,3]",
	"!INSTANCE_NORMALIZATION f[1,2,2,3] r1 r0 r0.1 i0 -> f[1,2,2,3]",
	"!INSTANCE_NORMALIZATION f[2,2,3] r1 r0 r0.1 b0 -> f[2,2,3]",
	"UNPACK f[2,3] i0 -> f[3] f[3]",
	"!UNPACK f[2,3] i0 -> f[3] f[3] f[3]",
	"GATHER_ND f[2,3] n[4,2] -> f[4]",
	"!GATHER_ND f[2,3] n[4,3] -> f[4]",
	"!FLOOR_DIV u[2] u[2] -> u[2]",
	"ADD f? f[3] i0 -> f?",
};

static void test_rules(void **state)
{
	uint32_t wrong = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		bool refuse = lines[i][0] == '!';
		const char *line = lines[i] + refuse;
		char name[64];
		int ret = finish(line);

		snprintf(name, sizeof(name), "%.*s ", (int)strcspn(line, " "), line);
		if (refuse ? ret == -EINVAL && strstr(said, name) : !ret)
			continue;
		wrong++;
		print_error("%s: returned %d, said \"%s\"\n", lines[i], ret, said);
	}
	assert_int_equal(wrong, 0);
}

/* Right ones that the device takes, and those one larger, which it does not ('!'). */
static const char *const limits[] = {
	"SOFTMAX f[1,1048576] r1 -> f[1,1048576]",
	"!SOFTMAX f[1,1048577] r1 -> f[1,1048577]",
	"ARGMAX f[1,1048576] i1 -> n[1]",
	"!ARGMAX f[1,1048577] i1 -> n[1]",
	"TOPK_V2 f[1048576] i3 -> f[3] n[3]",
	"!TOPK_V2 f[1048577] i3 -> f[3] n[3]",
	"FULLY_CONNECTED f[1,1048576] f[1,1048576] f[1] i0 -> f[1,1]",
	"!FULLY_CONNECTED f[1,1048577] f[1,1048577] f[1] i0 -> f[1,1]",
	"!FULLY_CONNECTED u[1,1048577] u[1,1048577] m[1] i0 -> v[1,1]",
	"BATCH_MATMUL f[1,1,1048576] f[1,1048576,1] -> f[1,1,1]",
	"!BATCH_MATMUL f[1,1,1048577] f[1,1048577,1] -> f[1,1,1]",
	"CONV_2D f[1,1,1,1048576] f[1,1,1,1048576] f[1] i1 i1 i1 i0 -> f[1,1,1,1]",
	"!CONV_2D f[1,1,1,1048577] f[1,1,1,1048577] f[1] i1 i1 i1 i0 -> f[1,1,1,1]",
	"!CONV_2D f[1,2,2,262145] f[1,2,2,262145] f[1] i2 i1 i1 i0 -> f[1,1,1,1]",
	"HEATMAP_MAX_KEYPOINT f[1,1024,1024,1] f[1,4] b0 -> f[1,1] f[1,1,2]",
	"!HEATMAP_MAX_KEYPOINT f[1,1025,1025,1] f[1,4] b0 -> f[1,1] f[1,1,2]",
	"ROI_ALIGN f[1,8,8,1] f[1,4] n[1] i2 i2 r1 r1 i1024 i1024 b0 -> f[1,2,2,1]",
	"!ROI_ALIGN f[1,8,8,1] f[1,4] n[1] i2 i2 r1 r1 i1025 i1 b0 -> f[1,2,2,1]",
	"!ROI_POOLING f[1,2048,2048,1] f[1,4] n[1] i1 i1 r1 r1 b0 -> f[1,1,1,1]",
	"LSH_PROJECTION f[2,2] u[1,16777216] - i2 -> n[4]",
	"!LSH_PROJECTION f[2,2] u[1,16777217] - i2 -> n[4]",
};

static char first_line[512];

static void keep_first(void *user, enum nna_log_level level, const char *text)
{
	if (!first_line[0])
		snprintf(first_line, sizeof(first_line), "%s", text);
}

/*
 * What is too large for the device is refused when it is compiled, by a line that names the
 * operand.
 */
static void test_limits(void **state)
{
	const struct nna_device_options options = { .log = { .line = keep_first }, .threads = 1 };
	const struct nna_program_options how = { .priority = NNA_PRIORITY_MEDIUM };
	struct nna_device *device;
	uint32_t wrong = 0;

	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		bool refuse = limits[i][0] == '!';
		struct nna_program *program = NULL;
		struct nna_graph *g;
		int ret;

		assert_int_equal(build(limits[i] + refuse, &g), 0);
		first_line[0] = 0;
		ret = nna_program_create(device, g, &how, &program);
		if (refuse ? ret != -ENOTSUP || !strstr(first_line, "operand ") : ret) {
			wrong++;
			print_error("%s: returned %d, said \"%s\"\n", limits[i], ret, first_line);
		}
		nna_program_destroy(program);
		nna_graph_unref(g);
	}
	nna_device_close(device);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rules),
					    cmocka_unit_test(test_limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
