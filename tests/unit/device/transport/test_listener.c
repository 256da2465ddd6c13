// SPDX-License-Identifier: MIT
/* Listening sockets: names that are free, stale, in use, no sockets, too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/transport/listener.h"

static void test_listener(void **state)
{
	char dir[] = "/tmp/nna-test.XXXXXX", path[64], why[256], longer[200];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, again, client;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	fd = nnadev_listener_open(path, why, sizeof(why));
	assert_true(fd >= 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	close(client);
	assert_int_equal(nnadev_listener_open(path, why, sizeof(why)), -EADDRINUSE);
	assert_non_null(strstr(why, "in use"));
	/* One that died leaves its name behind. */
	close(fd);
	again = nnadev_listener_open(path, why, sizeof(why));
	assert_true(again >= 0);
	nnadev_listener_close(again, path);
	assert_int_equal(access(path, F_OK), -1);

	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	assert_int_equal(nnadev_listener_open(path, why, sizeof(why)), -EEXIST);
	unlink(path);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	assert_int_equal(nnadev_listener_open(longer, why, sizeof(why)), -ENAMETOOLONG);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
