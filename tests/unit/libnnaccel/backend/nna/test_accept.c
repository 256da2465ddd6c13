// SPDX-License-Identifier: MIT
/*
 * What is too large for the device is refused when it is compiled, by a message that names the
 * operand.
 */
#include "tests/unit/libnnaccel/graph_text.h"

#include <errno.h>

/* The largest operations that the device takes, and those one larger, which begin with '!'. */
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
		bool supported;
		int ret;

		assert_int_equal(graph_text_build(limits[i] + refuse, NULL, &g), 0);
		/* What is said beforehand is what is done. */
		assert_int_equal(nna_graph_get_supported(g, device, &supported), 0);
		first_line[0] = 0;
		ret = nna_program_create(device, g, &how, &program);
		if ((refuse ? ret != -ENOTSUP || !strstr(first_line, "operand ") : ret) ||
		    supported == refuse) {
			wrong++;
			print_error("%s: returned %d, said \"%s\", supported: %d\n",
				    limits[i], ret, first_line, supported);
		}
		nna_program_destroy(program);
		nna_graph_unref(g);
	}
	nna_device_close(device);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
