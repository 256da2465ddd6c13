// SPDX-License-Identifier: MIT
/* The registry of extensions: codes and what they mean, and allow-lists. */
#include "hal-bridge/common/extension.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "nnaccel.h"

static void codes_are_unique(void **state)
{
	assert_int_equal(nnb_extension_code("com.example", 0), 0);
	assert_int_equal(nnb_extension_code("", 0), 0);
	for (uint32_t i = 0; i < nnb_extension_count(); i++) {
		const char *name = nnb_extension_name(i);

		assert_non_null(name);
		assert_int_equal(nnb_extension_code(name, 3), ((i + 1) << 16) + 3);
		assert_true(nnb_extension_has(nnb_extension_code(name, 0)));
		for (uint32_t k = 0; k < 1u << 16; k++) {
			const struct nnb_extension_operand *operand =
				nnb_extension_operand(nnb_extension_code(name, k));
			const struct nnb_extension_operation *operation =
				nnb_extension_operation(nnb_extension_code(name, k));

			assert_int_equal(!!operand, k < nnb_extension_operand_count(i));
			if (operand)
				assert_int_equal(operand->size,
						 nna_operand_type_size(operand->type));
			if (operation)
				assert_non_null(nna_operation_name(operation->type));
		}
	}
	assert_null(nnb_extension_name(nnb_extension_count()));
	/* Codes of NNAPI's, and of extensions that there are not. */
	for (uint32_t code = 0; code < 1u << 16; code += 15) {
		assert_false(nnb_extension_has(code));
		assert_null(nnb_extension_operand(code));
		assert_null(nnb_extension_operation(code));
		assert_null(nnb_extension_operand(code | 0x7fff0000));
		assert_null(nnb_extension_operation(code | 0xffff0000));
	}
}

static bool allows(const char *text, const char *program)
{
	char path[] = "/tmp/nnb-list-XXXXXX";
	int fd = mkstemp(path);
	bool ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = nnb_extension_list_allows(path, program);
	unlink(path);
	return ret;
}

static void lists_allow_what_they_name(void **state)
{
	assert_true(nnb_extension_list_allows("/nowhere/list", "/bin/app"));
	assert_false(nnb_extension_list_allows("/dev/null", "/bin/app"));
	assert_false(allows("", "/bin/app"));
	assert_true(allows("/bin/app", "/bin/app"));
	assert_true(allows("# who may\n\n/bin/other\n/bin/app  # ours\n", "/bin/app"));
	assert_true(allows("/bin/app\r\n", "/bin/app"));
	assert_false(allows("/bin/apps\n/bin/ap\n/bin\n", "/bin/app"));
	assert_false(allows("#/bin/app\n", "/bin/app"));
	assert_false(allows("\n\n", ""));
	/* A directory cannot be read as a list: nobody may. */
	assert_false(nnb_extension_list_allows("/proc/self/fd", "/bin/app"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_unique),
		cmocka_unit_test(lists_allow_what_they_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
