// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with bugs: loading it does one thing that a kernel with debugging checks reports, chosen
 * by a parameter, and then fails. nna_watched_test.sh checks with it that selftests/watched sees
 * each kind of report. Not for a kernel that is in use.
 */

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *kind = "none";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "none, warn, kasan, atomic, lockdep, dma or leak");

static DEFINE_MUTEX(splat_a);
static DEFINE_MUTEX(splat_b);
static DEFINE_SPINLOCK(splat_lock);

static void splat_kasan(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(p[24], 1);
	kfree(p);
}

static void splat_atomic(void)
{
	spin_lock(&splat_lock);
	mutex_lock(&splat_a);
	mutex_unlock(&splat_a);
	spin_unlock(&splat_lock);
}

static void splat_lockdep(void)
{
	mutex_lock(&splat_a);
	mutex_lock(&splat_b);
	mutex_unlock(&splat_b);
	mutex_unlock(&splat_a);
	mutex_lock(&splat_b);
	mutex_lock(&splat_a);
	mutex_unlock(&splat_a);
	mutex_unlock(&splat_b);
}

static void splat_dma(void)
{
	struct platform_device *pdev = platform_device_register_simple("nna-splat", -1, NULL, 0);

	if (IS_ERR(pdev))
		return;
	if (!dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32)))
		dma_unmap_page(&pdev->dev, PAGE_SIZE, PAGE_SIZE, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
}

static void splat_leak(void)
{
	unsigned int i;

	/* Several, as stale pointers in registers and on stacks hide some from kmemleak. */
	for (i = 0; i < 16; i++) {
		void *p = kmalloc(777, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static int __init splat_init(void)
{
	if (!strcmp(kind, "warn"))
		WARN(1, "splat: on purpose\n");
	else if (!strcmp(kind, "kasan"))
		splat_kasan();
	else if (!strcmp(kind, "atomic"))
		splat_atomic();
	else if (!strcmp(kind, "lockdep"))
		splat_lockdep();
	else if (!strcmp(kind, "dma"))
		splat_dma();
	else if (!strcmp(kind, "leak"))
		splat_leak();
	else if (strcmp(kind, "none"))
		return -EINVAL;
	return -ECANCELED;
}
module_init(splat_init);

MODULE_DESCRIPTION("What a kernel's debugging checks must complain of");
MODULE_LICENSE("GPL");
