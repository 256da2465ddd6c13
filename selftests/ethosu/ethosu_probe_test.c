// SPDX-License-Identifier: MIT
/* The driver binds the NPU, and says what it is. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

static int ask(int fd, uint32_t type, void *data, uint32_t *size)
{
	struct ethosu_query args = { .type = type, .size = *size, .pointer = (uintptr_t)data };
	int ret = xioctl(fd, ETHOSU_QUERY, &args);

	*size = args.size;
	return ret;
}

/* ID and CONFIG fit each other, and the counters are those of the generation. */
TEST(identifies_the_npu)
{
	struct npu npu;
	uint32_t macs;

	npu_init(&npu);
	macs = 1u << (npu.info.config & 0xf);
	EQ(npu.info.id >> 28, npu.info.config >> 28);
	CHECK(npu.info.id >> 28 == 1 || npu.info.id >> 28 == 2);
	EQ(npu.info.pmu_counters, npu.u65 ? 4 : 8);
	CHECK(macs >= 128 && macs <= 2048);
	/* There is no device tree, so no pool of SRAM. */
	EQ(npu.info.sram_size, 0);
}

TEST(query_without_memory_gives_the_size)
{
	uint32_t size = 0;

	EQ(ask(npu_open(), 0, NULL, &size), 0);
	EQ(size, sizeof(struct ethosu_npu_info));
}

/* A client of an older header, without the counters. */
TEST(query_gives_what_fits)
{
	uint32_t size = offsetof(struct ethosu_npu_info, pmu_counters);
	struct ethosu_npu_info info = { .pmu_counters = 77 };

	EQ(ask(npu_open(), 0, &info, &size), 0);
	CHECK(info.id);
	EQ(info.pmu_counters, 77);
	size = offsetof(struct ethosu_npu_info, sram_size);
	EQ(ask(npu_open(), 0, &info, &size), -EINVAL);
}

/* One of a newer header: what the driver does not know is zero. */
TEST(query_clears_what_it_does_not_know)
{
	struct {
		struct ethosu_npu_info info;
		uint8_t more[16];
	} data;
	uint32_t size = sizeof(data);

	memset(&data, 0x55, sizeof(data));
	EQ(ask(npu_open(), 0, &data, &size), 0);
	for (size_t i = 0; i < sizeof(data.more); i++)
		EQ(data.more[i], 0);
}

TEST(query_says_how_much_it_has)
{
	uint8_t data[64];
	uint32_t size = sizeof(data);

	EQ(ask(npu_open(), 0, data, &size), 0);
	npu_defect(size != sizeof(struct ethosu_npu_info), NULL,
		   "DEV_QUERY leaves size as it is, which its documentation says it updates");
}

TEST(query_of_another_type)
{
	uint8_t data[64];
	uint32_t size = sizeof(data);

	EQ(ask(npu_open(), 1, data, &size), -EINVAL);
	EQ(ask(npu_open(), 1, NULL, &size), -EINVAL);
}

TEST(query_to_bad_memory)
{
	uint32_t size = sizeof(struct ethosu_npu_info);
	void *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EQ(ask(npu_open(), 0, none, &size), -EFAULT);
}

TEST(unknown_ioctl)
{
	uint64_t args[4] = { 0 };

	EQ(xioctl(npu_open(), ETHOSU_COMMAND(10, uint64_t[4]), args), -EINVAL);
}

static int write_name(const char *path, const char *name)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	CHECK(fd >= 0);
	if (write(fd, name, strlen(name)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

#define DRIVER "/sys/bus/platform/drivers/ethosu/"

/* Without a client: with one, see ethosu_unbind_test. */
TEST(binds_again)
{
	struct npu npu;
	char name[64];

	npu_init(&npu);
	snprintf(name, sizeof(name), "%s", npu_device(&npu));
	npu_fini(&npu);
	for (int i = 0; i < 5; i++) {
		EQ(write_name(DRIVER "unbind", name), 0);
		EQ(write_name(DRIVER "bind", name), 0);
		npu_init(&npu);
		npu_expect_copy(&npu);
		npu_fini(&npu);
	}
}

/* The reset of probe does not end: there is no node, and the next bind succeeds. */
TEST(probe_fails_with_its_reset)
{
	struct npu npu;
	char name[64];

	npu_init(&npu);
	snprintf(name, sizeof(name), "%s", npu_device(&npu));
	npu_fini(&npu);
	EQ(write_name(DRIVER "unbind", name), 0);
	inject("refuse-reset 1");
	EQ(write_name(DRIVER "bind", name), -ETIMEDOUT);
	EQ(write_name(DRIVER "bind", name), 0);
	npu_init(&npu);
	npu_expect_copy(&npu);
}
