// SPDX-License-Identifier: MIT
/*
 * The process that tells the driver for whom a file is: it passes on the driver's answer, keeps no
 * file, and its end is an error of the request. tests/hal/fair.c has the driver's part.
 */
#include "tests/unit/hal-bridge/service/fixture.h"

#include <errno.h>
#include <poll.h>

#include "hal-bridge/service/namer.h"

static int refuse(void)
{
	return -EPERM;
}

static void other_files(void **state)
{
	int namer = nnb_namer_start(NULL), fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(namer >= 0 && fd >= 0);
	/* It still answers after an error. */
	assert_int_equal(nnb_namer_tell(namer, fd, 1000), -ENOTTY);
	assert_int_equal(nnb_namer_tell(namer, fd, 1001), -ENOTTY);
	close(fd);
	close(namer);
}

/* When the request returns, the namer has closed the file: this end is the pipe's last. */
static void keeps_no_file(void **state)
{
	struct pollfd end = {.events = POLLIN};
	int namer = nnb_namer_start(NULL), fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(nnb_namer_tell(namer, fds[1], 1000), -ENOTTY);
	close(fds[1]);
	end.fd = fds[0];
	assert_int_equal(poll(&end, 1, 0), 1);
	assert_true(end.revents & POLLHUP);
	close(fds[0]);
	close(namer);
}

static void gone(void **state)
{
	int namer = nnb_namer_start(refuse), fd = open("/dev/null", O_RDWR | O_CLOEXEC), ret;
	struct pollfd end = {.fd = namer, .events = POLLIN};

	assert_int_equal(poll(&end, 1, -1), 1);
	ret = nnb_namer_tell(namer, fd, 1000);
	assert_true(ret == -EPIPE || ret == -ECONNRESET);
	close(fd);
	close(namer);
}

/* A service whose namer fails serves all the same. The loopback has no file to name. */
static void service_without(void **state)
{
	const struct nnb_service_options options = {
		.device = "loopback",
		.version = NNB_AIDL_VERSION,
		.namer = nnb_namer_start(refuse),
	};
	struct nnb_service *service;
	struct nnb_client *client;

	assert_int_equal(nnb_service_create(&options, &service), 0);
	assert_int_equal(nnb_client_get(service->devices, &hal_me, &client), 0);
	nnb_client_put(client);
	nnb_service_destroy(service);
	close(options.namer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_files),
		cmocka_unit_test(keeps_no_file),
		cmocka_unit_test(gone),
		cmocka_unit_test(service_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
