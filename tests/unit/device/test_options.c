// SPDX-License-Identifier: MIT
/* The command line of nna-device: what it takes, and one line for each thing that it refuses. */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/include/nnadev.h"
#include "device/nna/model.h"
#include "device/options.h"

#define ARGS 12

/* Parse a command line, without the program's name, and end with what it says at @text. */
static int parse(struct nnadev_options *options, char text[1024], const char *const *args)
{
	char *argv[ARGS + 2] = { "nna-device" };
	int argc = 1, saved = dup(STDERR_FILENO), ret;
	FILE *said = tmpfile();
	size_t n;

	assert_non_null(said);
	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	/* Starts getopt_long() anew. */
	optind = 0;
	fflush(stderr);
	dup2(fileno(said), STDERR_FILENO);
	ret = nnadev_options_parse(argc, argv, options);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(said);
	n = fread(text, 1, 1023, said);
	text[n] = 0;
	fclose(said);
	return ret;
}

static void test_all(void **state)
{
	static const char *const args[] = {
		"-l", "20", "--socket=s",  "--isa", "scalar",	     "-f1000000",
		"-t", "3",  "--model=nna", "-1v",   "--sandbox=off", NULL,
	};
	const struct nnadev_params *params;
	struct nnadev_options o;
	char text[1024];

	assert_int_equal(parse(&o, text, args), 0);
	params = o.config;
	assert_ptr_equal(o.model, &nnadev_nna_model);
	assert_string_equal(o.socket, "s");
	assert_int_equal(o.threads, 3);
	assert_true(o.once && o.verbose && o.no_sandbox);
	assert_int_equal(params->job_limit_ns, 20000000);
	assert_int_equal(params->isa, NNADEV_ISA_SCALAR);
	assert_int_equal(params->tick_hz, 1000000);
	nnadev_options_free(&o);
}

static void test_default(void **state)
{
	static const char *const args[] = { "-s", "s", NULL };
	static const struct nnadev_params none;
	struct nnadev_options o;
	char text[1024];

	assert_int_equal(parse(&o, text, args), 0);
	assert_ptr_equal(o.model, &nnadev_nna_model);
	assert_memory_equal(o.config, &none, sizeof(none));
	assert_string_equal(text, "");
	nnadev_options_free(&o);
}

static void test_refused(void **state)
{
	static const struct {
		const char *args[4];
		const char *says[2];
	} cases[] = {
		{ { "-s", "s", "--model=ethos" }, { "--model 'ethos'", "there is: nna" } },
		{ { "-s", "s", "--model=" }, { "--model ''", "there is: nna" } },
		{ { "-s", "s", "--isa=sse" }, { "--isa 'sse'", "must be auto, scalar" } },
		{ { "-s", "s", "-l0" }, { "--job-limit '0'", "from 1 to 5000" } },
		{ { "-s", "s", "-f5" }, { "--tick-hz '5'", "from 1000000 to 4000000000" } },
		{ { "-s", "s", "-t65" }, { "--threads '65'", "from 1 to 64" } },
		{ { "-s", "s", "-t-1" }, { "--threads '-1'", "from 1 to 64" } },
		{ { "-s", "s", "-T0" }, { "--client-timeout '0'", "from 1 to 600000" } },
		{ { "-s", "s", "-Sno" }, { "--sandbox 'no'", "on or off" } },
		{ { "-s", "s", "more" }, { "'more'", "--help" } },
		{ { "-t1" }, { "--socket PATH", "--help" } },
		{ { "-s", "s", "--frequency=1" }, { "--frequency", "unrecognized" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nnadev_options o;
		char text[1024];

		assert_int_equal(parse(&o, text, cases[i].args), -1);
		for (size_t k = 0; k < 2; k++)
			if (!strstr(text, cases[i].says[k]))
				fail_msg("'%s' is not in: %s", cases[i].says[k], text);
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		nnadev_options_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
