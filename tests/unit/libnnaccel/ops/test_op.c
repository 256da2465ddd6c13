// SPDX-License-Identifier: MIT
/*
 * The rules of all operations, one line each (graph_text.h): an operation that is valid, and then
 * the same with one thing wrong, which must be refused when the graph is finished, by a message
 * that names the operation.
 */
#include "tests/unit/libnnaccel/graph_text.h"

#include <errno.h>

static char said[512];

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

static int finish(const char *line)
{
	static const struct nna_log log = { log_line, NULL };
	struct nna_graph *g;
	int ret;

	said[0] = 0;
	ret = graph_text_build(line, &log, &g);
	nna_graph_unref(g);
	return ret;
}

/* Valid operations, and those that must be refused, which begin with '!'. */
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
	"SELECT t[3,1] f[2] f[1] -> f[3,2]",
	"SELECT t[1] n[4,2] n[2] -> n[4,2]",
	"SELECT t[4,2] t[1] t[4,1] -> t[4,2]",
	"!SELECT t[3,1] f[2] f[4] -> f[3,2]",
	"!SELECT t[2] f[2] f[2] -> f[3,2]",
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
	"MIRROR_PAD t[2,2] n[2,2] i0 -> t[4,4]",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
