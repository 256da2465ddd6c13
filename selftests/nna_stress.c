// SPDX-License-Identifier: MIT
/*
 * nna_stress [--expect-unbind | --hold] [SECONDS]: threads and processes that submit, bind, fault,
 * create, destroy and die at random, for SECONDS. An unexpected error, a wrong result or a job that
 * does not end is a failure.
 *
 *  --expect-unbind	the driver may be unbound meanwhile: -ENODEV ends a client without failure
 *  --hold		one client keeps its mappings all the time
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nna_test.h"

#define THREADS 3
#define PROCESSES 3

static uint64_t end_ns;
static atomic_uint jobs_done;

static void fail(const char *what, int ret)
{
	if (test_unbind_expected && (ret == -ENODEV || ret == -ENOENT))
		exit(0);
	fprintf(stderr, "nna_stress: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static void must(int ret, const char *what)
{
	if (ret)
		fail(what, ret);
}

/* A client: a thread with an address space, contexts and buffers of its own. */
static void *client(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;
	struct env env;
	uint32_t out, extra = 0;

	env_init(&env);
	out = syncobj_create(env.fd);
	while (now_ns() < end_ns) {
		unsigned int what = (unsigned int)rand_r(&seed) % 16;
		uint8_t value = (uint8_t)rand_r(&seed);
		int ret;

		if (what < 10) {
			stream_begin(&env);
			stream_fill(&env, 0, 0x4000, value);
			stream_end(&env);
			stream_finish(&env);
			must(submit(&env, 0, out), "submit");
			must(syncobj_wait(env.fd, out, LONG_WAIT), "wait");
			ret = syncobj_status(env.fd, out);
			if (ret != 1)
				fail("job", ret);
			if (env.map[ENV_DATA] != value || env.map[ENV_DATA + 0x3fff] != value)
				fail("result", -EIO);
			atomic_fetch_add(&jobs_done, 1);
		} else if (what < 12) {
			extra = bo_create(env.fd, 1 << 20, env.vm, 0);
			must(vm_map(env.fd, env.vm, extra, 0, 0x40000000, 1 << 20, 0), "map");
			bo_close(env.fd, extra);
			must(vm_unmap(env.fd, env.vm, 0x40000000 + 0x1000u * (what + 1), 1 << 19),
			     "unmap");
			must(vm_unmap(env.fd, env.vm, 0x40000000, 1 << 20), "unmap");
		} else if (what < 13) {
			((struct nnahw_base *)(env.map + ENV_TABLE))->address += 0x4000000000;
			stream_begin(&env);
			stream_fill(&env, 0, 64, value);
			stream_end(&env);
			stream_finish(&env);
			must(submit(&env, 0, out), "submit");
			must(syncobj_wait(env.fd, out, LONG_WAIT), "wait");
			ret = syncobj_status(env.fd, out);
			if (ret != -EFAULT)
				fail("job that must fault", ret == 1 ? -EIO : ret);
			((struct nnahw_base *)(env.map + ENV_TABLE))->address -= 0x4000000000;
			must(ctx_destroy(env.fd, env.ctx), "destroy");
			must(ctx_create(env.fd, env.vm, (uint32_t)rand_r(&seed) % 3, &env.ctx),
			     "context");
		} else {
			/* End with jobs that are running. */
			stream_endless(&env);
			must(submit(&env, 0, 0), "submit");
			/* On a slow machine the first may use up its budget by then: that bans. */
			for (int i = 0; i < 3; i++) {
				ret = submit(&env, 0, 0);
				if (ret == -ECANCELED)
					break;
				must(ret, "submit");
			}
			must(ctx_destroy(env.fd, env.ctx), "destroy");
			must(ctx_create(env.fd, env.vm, (uint32_t)rand_r(&seed) % 3, &env.ctx),
			     "context");
		}
	}
	drmSyncobjDestroy(env.fd, out);
	env_fini(&env);
	return NULL;
}

static int process(unsigned int seed)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, client,
				   (void *)(uintptr_t)(seed * 17 + (unsigned int)i + 1)))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&jobs_done) || test_unbind_expected ? 0 : 1;
}

static int hold(unsigned int seconds)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	memset(env.map + ENV_DATA, 0x3c, 0x4000);
	sleep(seconds);
	for (int i = 0; i < 0x4000; i++)
		if (env.map[ENV_DATA + i] != 0x3c)
			return 1;
	/* This file stays unusable, also when the driver has been bound again. */
	return submit(&env, 0, 0) == -ENODEV ? 0 : 1;
}

int main(int argc, char **argv)
{
	unsigned int seconds = 10, restarts = 0;
	pid_t pids[PROCESSES];
	int failed = 0;

	if (argc > 1 && !strcmp(argv[1], "--hold"))
		return hold(argc > 2 ? (unsigned int)atoi(argv[2]) : 5);
	if (argc > 1 && !strcmp(argv[1], "--expect-unbind")) {
		test_unbind_expected = true;
		argc--;
		argv++;
	}
	if (argc > 1)
		seconds = (unsigned int)atoi(argv[1]);
	end_ns = now_ns() + PATIENCE(seconds * SECOND);

	for (unsigned int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			exit(process(i));
	}
	/* Kill the last process again and again, and start it anew. */
	while (!test_unbind_expected && now_ns() + SECOND < end_ns) {
		usleep(300000);
		kill(pids[PROCESSES - 1], SIGKILL);
		waitpid(pids[PROCESSES - 1], NULL, 0);
		restarts++;
		pids[PROCESSES - 1] = fork();
		if (!pids[PROCESSES - 1])
			exit(process(100 + restarts));
	}
	for (unsigned int i = 0; i < PROCESSES; i++) {
		int status;

		if (waitpid(pids[i], &status, 0) != pids[i] || !WIFEXITED(status) ||
		    WEXITSTATUS(status)) {
			/* The last process may have been killed before it finished a job. */
			if (i < PROCESSES - 1 || (WIFEXITED(status) && WEXITSTATUS(status) != 1))
				failed = 1;
		}
	}
	printf("# %u processes killed\n", restarts);
	return failed;
}
