// SPDX-License-Identifier: MIT
/*
 * The driver is unbound from an NPU that clients use. Each test takes an NPU that no other one has
 * touched, as what is left behind may not be usable: it runs by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define DRIVER "/sys/bus/platform/drivers/ethosu/"

static char name[64];

static struct ethosu_submit_job begin(struct npu *npu)
{
	npu_init(npu);
	snprintf(name, sizeof(name), "%s", npu_device(npu));
	return npu_copy_job(npu);
}

static void bind_and_use(void)
{
	struct npu npu;

	write_file(DRIVER "bind", name);
	npu_init(&npu);
	npu_expect_copy(&npu);
}

/* A client that does nothing. Its calls fail, and its file closes. */
TEST(idle)
{
	struct npu npu;
	struct ethosu_submit_job job = begin(&npu);
	int ret;

	npu_expect_copy(&npu);
	write_file(DRIVER "unbind", name);
	ret = npu_submit(&npu, &job);
	printf("# SUBMIT: %d\n", ret);
	CHECK(ret < 0);
	close(npu.fd);
	bind_and_use();
}

TEST(hang)
{
	struct npu npu;
	struct ethosu_submit_job job = begin(&npu);
	int fence;

	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	fence = npu_fence(&npu, npu.out);
	write_file(DRIVER "unbind", name);
	CHECK(npu_fence_wait(fence) < 0);
	close(npu.fd);
	bind_and_use();
}

/* Clients submit until they get an error. */
TEST(load)
{
	pid_t children[4];
	struct npu npu;
	struct ethosu_submit_job job;

	begin(&npu);
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		/* The control socket answers one process at a time. */
		npu_init_beside(&npu);
		job = npu_copy_job(&npu);
		while (!npu_submit(&npu, &job))
			if (npu_bo_wait(&npu, npu.out, LONG_WAIT))
				break;
		_exit(0);
	}
	sleep(1);
	write_file(DRIVER "unbind", name);
	for (int i = 0; i < 4; i++)
		EQ(waitpid(children[i], NULL, 0), children[i]);
	close(npu.fd);
	bind_and_use();
}
