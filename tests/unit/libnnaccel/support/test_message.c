// SPDX-License-Identifier: MIT
/* Messages by tags: each case is a process, which reads the environment once. */
#include "libnnaccel/support/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/support/process.h"

static void speak(void)
{
	nna_message(MODEL, "one");
	nna_message(COMPILATION, "two %d", 2);
	nna_message(EXECUTION, "three");
	nna_message(CPUEXE, "four");
	nna_message(MANAGER, "five");
	nna_message_log.line(NULL, NNA_LOG_ERROR, "six");
	unsetenv("NNACCEL_LOG");
	nna_message(DRIVER, "seven");
}

static void tags_choose_messages(void **state)
{
	static const char *const wanted[][2] = {
		{ "", "" },
		{ "0", "" },
		{ "modle driver",
		  "nnaccel: NNACCEL_LOG: there is no tag \"modle\": the tags are model, "
		  "compilation, execution, cpuexe, manager, driver, all\n"
		  "nnaccel: driver: six\nnnaccel: driver: seven\n" },
		{ "model", "nnaccel: model: one\n" },
		{ "manager,cpuexe", "nnaccel: cpuexe: four\nnnaccel: manager: five\n" },
		{ "execution  compilation",
		  "nnaccel: compilation: two 2\nnnaccel: execution: three\n" },
		{ "driver", "nnaccel: driver: six\nnnaccel: driver: seven\n" },
		{ "1", "nnaccel: model: one\nnnaccel: compilation: two 2\n"
		       "nnaccel: execution: three\nnnaccel: cpuexe: four\nnnaccel: manager: five\n"
		       "nnaccel: driver: six\nnnaccel: driver: seven\n" },
	};
	char text[1024], all[1024];

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		run_with("NNACCEL_LOG", wanted[i][0], speak, text, sizeof(text));
		assert_string_equal(text, wanted[i][1]);
	}
	run_with("NNACCEL_LOG", "all", speak, all, sizeof(all));
	assert_string_equal(all, text);
	run_with(NULL, NULL, speak, text, sizeof(text));
	assert_string_equal(text, "");
}

static void speak_as_selected(void)
{
	nna_message_select("model,driver");
	nna_message(MODEL, "one");
	nna_message(MANAGER, "five");
	nna_message(DRIVER, "seven");
}

/* A program's choice replaces the variable. */
static void program_selects(void **state)
{
	char text[1024];

	run_with("NNACCEL_LOG", "1", speak_as_selected, text, sizeof(text));
	assert_string_equal(text, "nnaccel: model: one\nnnaccel: driver: seven\n");
}

static void insist(void)
{
	nna_message_insist(NNA_MESSAGE_MANAGER, "no %s", "accelerator");
}

static void insisting_needs_no_tag(void **state)
{
	char text[1024];

	run_with(NULL, NULL, insist, text, sizeof(text));
	assert_string_equal(text, "nnaccel: manager: no accelerator\n");
	run_with("NNACCEL_LOG", "0", insist, text, sizeof(text));
	assert_string_equal(text, "nnaccel: manager: no accelerator\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_choose_messages),
		cmocka_unit_test(program_selects),
		cmocka_unit_test(insisting_needs_no_tag),
	};

	unsetenv("NNACCEL_LOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
