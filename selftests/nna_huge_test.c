// SPDX-License-Identifier: MIT
/*
 * Pages of 2 MiB: memory that is contiguous in such pieces is mapped by large pages, as the number
 * of page tables shows. Needs root, and enables huge pages of shmem while it runs.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ksft.h"
#include "nna_test.h"

#define PAGE 4096ull
#define LARGE (2ull << 20)
#define COUNT 4
#define SIZE (COUNT * LARGE)
#define VA (64 * LARGE)
#define SETTING "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* Page tables of the environment's address space; no other one has mappings. */
static long long tables(struct env *env)
{
	char *text = debugfs_read(env->fd, "gpuvas"), *at;
	long long asid, count = 0;

	for (at = text; (at = strstr(at, "asid ")); at++) {
		long long n = 0;

		if (sscanf(at, "asid %lld, %lld tables", &asid, &n) == 2)
			count += n;
	}
	free(text);
	return count;
}

/* An object of large pages, in an address space that has the tables for small mappings already. */
static uint32_t set_up(struct env *env, uint8_t **map)
{
	char *before;
	uint32_t bo;

	if (access(SETTING, W_OK))
		SKIP("no " SETTING);
	env_init(env);
	before = read_file(SETTING);
	write_file(SETTING, "force");
	bo = bo_create(env->fd, SIZE, 0, 0);
	*map = bo_map(env->fd, bo, SIZE);
	/* The first map allocates the pages. */
	EQ(vm_map(env->fd, env->vm, bo, 0, VA + SIZE, SIZE, 0), 0);
	EQ(vm_unmap(env->fd, env->vm, VA + SIZE, SIZE), 0);
	write_file(SETTING, strstr(before, "[always]") ? "always" :
			    strstr(before, "[force]") ? "force" :
							"never");
	free(before);
	return bo;
}

static void fill(struct env *env, uint64_t offset, uint64_t size, uint8_t value, int expected)
{
	struct nnahw_base *table = (struct nnahw_base *)(env->map + ENV_TABLE);

	table->address = VA;
	table->size = SIZE;
	stream_begin(env);
	stream_fill(env, (uint32_t)offset, (uint32_t)size, value);
	stream_end(env);
	stream_finish(env);
	EQ(submit_and_wait(env), expected);
}

TEST(no_tables_for_large_pages)
{
	long long before, large, small;
	struct env env;
	uint8_t *map;
	uint32_t bo;

	bo = set_up(&env, &map);
	EQ(vm_map(env.fd, env.vm, env.bo, 0, VA - LARGE, PAGE, 0), 0);
	before = tables(&env);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	large = tables(&env) - before;
	EQ(vm_unmap(env.fd, env.vm, VA, SIZE), 0);
	EQ(tables(&env), before);
	/* One page off the alignment: each 2 MiB needs a table. */
	EQ(vm_map(env.fd, env.vm, bo, PAGE, VA, SIZE - PAGE, 0), 0);
	small = tables(&env) - before;
	EQ(small, COUNT);
	if (large)
		SKIP("the kernel gave no huge pages: %lld tables", large);
	fill(&env, 0, SIZE - PAGE, 0x15, 0);
	EQ(map[PAGE], 0x15);
	EQ(map[SIZE - 1], 0x15);
	EQ(map[PAGE - 1], 0);
}

TEST(large_pages_hold_data)
{
	struct env env;
	uint8_t *map;
	uint32_t bo;

	bo = set_up(&env, &map);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	fill(&env, 0, SIZE, 0x42, 0);
	for (uint64_t i = 0; i < SIZE; i += PAGE)
		EQ(map[i], 0x42);
	EQ(map[SIZE - 1], 0x42);
}

/* A hole in a large page splits it, and the rest stays mapped. */
TEST(hole_in_a_large_page)
{
	long long before;
	struct env env;
	uint8_t *map;
	uint32_t bo;

	bo = set_up(&env, &map);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	fill(&env, 0, SIZE, 1, 0);
	before = tables(&env);
	EQ(vm_unmap(env.fd, env.vm, VA + LARGE + 5 * PAGE, PAGE), 0);
	CHECK(tables(&env) <= before + 1);
	fill(&env, 0, LARGE + 5 * PAGE, 2, 0);
	EQ(map[LARGE + 5 * PAGE - 1], 2);
	EQ(map[LARGE + 5 * PAGE], 1);
	fill(&env, LARGE + 6 * PAGE, SIZE - LARGE - 6 * PAGE, 3, 0);
	EQ(map[LARGE + 6 * PAGE], 3);
	EQ(map[SIZE - 1], 3);
	fill(&env, LARGE + 5 * PAGE, 1, 4, -EFAULT);
	EQ(map[LARGE + 5 * PAGE], 1);
}

TEST(large_page_replaces_small_ones)
{
	struct env env;
	uint8_t *map;
	uint32_t bo;

	bo = set_up(&env, &map);
	for (uint64_t i = 0; i < 512; i += 64)
		EQ(vm_map(env.fd, env.vm, env.bo, 0, VA + i * PAGE, PAGE, 0), 0);
	fill(&env, 0, 1, 0, 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, LARGE, 0), 0);
	fill(&env, 0, LARGE, 7, 0);
	for (uint64_t i = 0; i < LARGE; i += PAGE)
		EQ(map[i], 7);
	/* Map a small object in the hole. */
	EQ(vm_map(env.fd, env.vm, env.bo, ENV_DATA, VA + 3 * PAGE, PAGE, 0), 0);
	fill(&env, 0, LARGE, 8, 0);
	EQ(map[2 * PAGE], 8);
	EQ(map[3 * PAGE], 7);
	EQ(map[4 * PAGE], 8);
	EQ(env.map[ENV_DATA], 8);
}

TEST(large_page_read_only)
{
	struct env env;
	uint8_t *map;
	uint32_t bo;

	bo = set_up(&env, &map);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, DRM_NNA_VM_BIND_OP_READONLY), 0);
	fill(&env, 0, LARGE, 7, -EFAULT);
	EQ(map[0], 0);
}
