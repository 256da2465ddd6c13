// SPDX-License-Identifier: MIT
/* Commands as text, and those that are refused: unknown, without their operands, cut off. */
#include "tests/unit/libnnaccel/ir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hw/gen/nnahw.h"
#include "libnnaccel/backend/nna/commands.h"

static void test_commands(void **state)
{
	struct nna_lower *l = *state;
	const struct nna_backend *nna = nna_backend_find("nna");
	struct nna_ir_op bad = { .kind = NNA_IR_KINDS }, fill = { .kind = NNA_IR_FILL };
	char text[4096] = "";
	struct nna_code *code;
	FILE *to;

	assert_int_equal(nna_ir_add(l, &bad, NULL), -EINVAL);
	assert_int_equal(nna_ir_add(l, &fill, (uint32_t[]){ 5 }), -EINVAL);
	assert_int_equal(nna_emit_fill(l, scratch(l, NNA_TYPE_U8, 1, (uint32_t[]){ 5 }), 0x1ff),
			 0);
	assert_int_equal(l->ops[0].fill.bits, 0xff);
	assert_int_equal(nna_emit_code(l, nna, 0, 0, NNAHW_MAX_SLOTS, &code), 0);
	to = fmemopen(text, sizeof(text), "w");
	assert_int_equal(nna_code_print(code, to), 0);
	fclose(to);
	assert_non_null(strstr(text, "FILL (operation 0) value=0xff"));
	assert_non_null(strstr(text, "scratch+0x0 U8[5]"));
	assert_non_null(strstr(text, "END"));
	/* A damaged stream is refused, wherever it is cut. */
	to = fopen("/dev/null", "w");
	for (uint32_t size = 0; size < code->stream_size; size += 7)
		assert_int_equal(nna_commands_print(to, code->stream, size, NULL, 0), -EINVAL);
	fclose(to);
	nna_code_destroy(code);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
