// SPDX-License-Identifier: GPL-2.0-only
/*
 * Versioned structures and arrays, with callers that are older and newer than the driver.
 */

#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nna_fake.h"
#include "../nna_uobj.h"

/* An element of version 1.0 had 8 bytes; the driver knows 16. */
#define NNA_TEST_MIN	8u
#define NNA_TEST_SIZE	16u
#define NNA_TEST_MAX	5u

struct nna_uobj_case {
	const char *name;
	u32 stride;
	u32 count;
	/* Offset of a nonzero byte that the driver does not know, or 0 for none. */
	u32 dirty;
	int error;
};

static const struct nna_uobj_case nna_uobj_arrays[] = {
	{ "none", 0, 0, 0, 0 },
	{ "none of any size", 3, 0, 0, 0 },
	{ "as the driver knows it", 16, 3, 0, 0 },
	{ "as many as may be", 16, 5, 0, 0 },
	{ "too many", 16, 6, 0, -E2BIG },
	{ "absurdly many", 16, U32_MAX, 0, -E2BIG },
	{ "of version 1.0", 8, 3, 0, 0 },
	{ "between versions", 12, 3, 0, 0 },
	{ "shorter than version 1.0", 7, 1, 0, -EINVAL },
	{ "of no size", 0, 1, 0, -EINVAL },
	{ "newer, rest zero", 24, 3, 0, 0 },
	{ "newer by one byte", 17, 3, 0, 0 },
	{ "much newer", 4000, 3, 0, 0 },
	{ "as large as may be", 4096, 3, 0, 0 },
	{ "larger than any will be", 4104, 1, 0, -E2BIG },
	{ "newer, first one has more", 24, 3, 16, -E2BIG },
	{ "newer, last byte of the last one", 24, 3, 71, -E2BIG },
	{ "newer by one byte that is set", 17, 1, 16, -E2BIG },
	{ "newer, too many", 24, 6, 0, -E2BIG },
};
KUNIT_ARRAY_PARAM_DESC(nna_uobj_array, nna_uobj_arrays, name);

static void nna_uobj_test_get_array(struct kunit *test)
{
	const struct nna_uobj_case *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	u32 known = min(c->stride, NNA_TEST_SIZE), i, k;
	size_t bytes = c->count > 6 ? 0 : (size_t)c->stride * c->count;
	struct drm_nna_obj_array in = { .stride = c->stride, .count = c->count };
	u8 *data = kunit_kzalloc(test, bytes + 1, GFP_KERNEL);
	u8 *out;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i * c->stride < bytes; i++)
		for (k = 0; k < known; k++)
			data[i * c->stride + k] = 1 + i * known + k;
	if (c->dirty)
		data[c->dirty] = 0x80;
	in.array = (unsigned long)nna_fake_user(fake, data, bytes);

	out = nna_uobj_get_array(&in, NNA_TEST_MIN, NNA_TEST_SIZE, NNA_TEST_MAX);
	if (c->error) {
		KUNIT_EXPECT_EQ(test, c->error, PTR_ERR_OR_ZERO(out));
		if (!IS_ERR(out))
			kvfree(out);
		return;
	}
	KUNIT_ASSERT_FALSE(test, IS_ERR(out));
	KUNIT_EXPECT_EQ(test, !c->count, !out);
	for (i = 0; i < c->count; i++)
		for (k = 0; k < NNA_TEST_SIZE; k++)
			KUNIT_EXPECT_EQ(test, k < known ? data[i * c->stride + k] : 0,
					out[i * NNA_TEST_SIZE + k]);
	kvfree(out);
}

struct nna_uobj_fault {
	const char *name;
	u32 stride;
	u32 count;
	/* Number of bytes of the array that can be read. */
	u32 readable;
	int error;
};

static const struct nna_uobj_fault nna_uobj_faults[] = {
	{ "all can be read", 16, 3, 48, 0 },
	{ "nothing can be read", 16, 3, 0, -EFAULT },
	{ "the last word cannot be read", 16, 3, 40, -EFAULT },
	{ "older, all can be read", 8, 3, 24, 0 },
	{ "older, the last word cannot be read", 8, 3, 16, -EFAULT },
	{ "newer, all can be read", 24, 2, 48, 0 },
	{ "newer, the rest of the last one cannot be read", 24, 2, 40, -EFAULT },
};
KUNIT_ARRAY_PARAM_DESC(nna_uobj_fault, nna_uobj_faults, name);

static void nna_uobj_test_get_array_fault(struct kunit *test)
{
	const struct nna_uobj_fault *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_obj_array in = {
		.stride = c->stride,
		.count = c->count,
		.array = (unsigned long)nna_fake_user_end(fake) - c->readable,
	};
	void *out = nna_uobj_get_array(&in, NNA_TEST_MIN, NNA_TEST_SIZE, NNA_TEST_MAX);

	KUNIT_EXPECT_EQ(test, c->error, PTR_ERR_OR_ZERO(out));
	if (!IS_ERR(out))
		kvfree(out);
}

static void nna_uobj_test_get_array_kernel_address(struct kunit *test)
{
	struct drm_nna_obj_array in = { .stride = 16, .count = 1, .array = (unsigned long)&in };

	/* User memory exists, but the address belongs to the kernel. */
	nna_fake_user(to_nna_fake(test), NULL, 16);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			PTR_ERR_OR_ZERO(nna_uobj_get_array(&in, NNA_TEST_MIN, NNA_TEST_SIZE, 1)));
	in.array = U64_MAX - 7;
	KUNIT_EXPECT_EQ(test, -EFAULT,
			PTR_ERR_OR_ZERO(nna_uobj_get_array(&in, NNA_TEST_MIN, NNA_TEST_SIZE, 1)));
}

static const u32 nna_uobj_sizes[] = { 0, 1, 8, 15, 16, 17, 24, 64 };

static void nna_uobj_size_desc(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u bytes of %u", *size, NNA_TEST_SIZE);
}
KUNIT_ARRAY_PARAM(nna_uobj_size, nna_uobj_sizes, nna_uobj_size_desc);

static void nna_uobj_test_set(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 size = *(const u32 *)test->param_value, usize = size, i;
	u8 obj[NNA_TEST_SIZE], user[80];
	void __user *p;

	memset(user, 0xee, sizeof(user));
	memset(obj, 0x11, sizeof(obj));
	p = nna_fake_user(fake, user, sizeof(user));
	KUNIT_ASSERT_EQ(test, 0, nna_uobj_set((unsigned long)p, &usize, obj, sizeof(obj)));
	KUNIT_EXPECT_EQ(test, NNA_TEST_SIZE, usize);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(user, p, sizeof(user)));
	for (i = 0; i < sizeof(user); i++)
		KUNIT_EXPECT_EQ_MSG(test, user[i], i >= size ? 0xee : i < NNA_TEST_SIZE ? 0x11 : 0,
				    "byte %u", i);
}

static void nna_uobj_test_set_asks_size(struct kunit *test)
{
	u8 obj[NNA_TEST_SIZE] = {};
	u32 usize = 12345;

	KUNIT_EXPECT_EQ(test, 0, nna_uobj_set(0, &usize, obj, sizeof(obj)));
	KUNIT_EXPECT_EQ(test, NNA_TEST_SIZE, usize);
}

static const u32 nna_uobj_writables[] = { 0, 8, 16, 24 };

static void nna_uobj_writable_desc(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u bytes of 32 can be written", *size);
}
KUNIT_ARRAY_PARAM(nna_uobj_writable, nna_uobj_writables, nna_uobj_writable_desc);

static void nna_uobj_test_set_fault(struct kunit *test)
{
	u32 writable = *(const u32 *)test->param_value, usize = 32;
	void __user *end = nna_fake_user_end(to_nna_fake(test));
	u8 obj[NNA_TEST_SIZE] = {};

	KUNIT_EXPECT_EQ(test, -EFAULT, nna_uobj_set((unsigned long)end - writable, &usize, obj,
						    sizeof(obj)));
	KUNIT_EXPECT_EQ(test, 32u, usize);
}

static struct kunit_case nna_uobj_cases[] = {
	KUNIT_CASE_PARAM(nna_uobj_test_get_array, nna_uobj_array_gen_params),
	KUNIT_CASE_PARAM(nna_uobj_test_get_array_fault, nna_uobj_fault_gen_params),
	KUNIT_CASE(nna_uobj_test_get_array_kernel_address),
	KUNIT_CASE_PARAM(nna_uobj_test_set, nna_uobj_size_gen_params),
	KUNIT_CASE(nna_uobj_test_set_asks_size),
	KUNIT_CASE_PARAM(nna_uobj_test_set_fault, nna_uobj_writable_gen_params),
	{}
};

static int nna_uobj_test_init(struct kunit *test)
{
	nna_fake_create(test);
	return 0;
}

static struct kunit_suite nna_uobj_suite = {
	.name = "nna_uobj",
	.init = nna_uobj_test_init,
	.test_cases = nna_uobj_cases,
};
kunit_test_suite(nna_uobj_suite);
