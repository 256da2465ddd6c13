// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery from bus errors, and resets by the PCI core: the driver's handlers, called in the order
 * of Documentation/PCI/pci-error-recovery.rst for a PCI function whose configuration space is an
 * array.
 */

#include <linux/device/driver.h>
#include <linux/pci.h>

#include "nna_fake.h"
#include "../nna_ctx.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

/* Offset of the lowest BAR in configuration space, and a value for it. */
#define NNA_TEST_BAR	PCI_BASE_ADDRESS_0
#define NNA_TEST_BASE	0xfeb00000u

/* Converts a result of the PCI core: KUnit's macros cannot print its type. */
#define NNA_PCI_EXPECT_EQ(test, result, call) \
	KUNIT_EXPECT_EQ(test, (__force unsigned int)(result), (__force unsigned int)(call))

/**
 * struct nna_pci_function - A function without capabilities.
 * @pdev: the argument of the handlers.
 * @bus: reads and writes @config.
 * @config: its configuration space.
 * @handlers: the handlers of the driver.
 */
struct nna_pci_function {
	struct pci_dev pdev;
	struct pci_bus bus;
	u8 config[PCI_CFG_SPACE_SIZE];
	const struct pci_error_handlers *handlers;
};

static struct nna_pci_function *to_function(struct pci_bus *bus)
{
	return container_of(bus, struct nna_pci_function, bus);
}

static int nna_pci_config_read(struct pci_bus *bus, unsigned int devfn, int where, int size,
			       u32 *value)
{
	*value = 0;
	memcpy(value, &to_function(bus)->config[where], size);
	return PCIBIOS_SUCCESSFUL;
}

static int nna_pci_config_write(struct pci_bus *bus, unsigned int devfn, int where, int size,
				u32 value)
{
	memcpy(&to_function(bus)->config[where], &value, size);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops nna_pci_config_ops = {
	.read = nna_pci_config_read,
	.write = nna_pci_config_write,
};

/* Creates the function in its state after probe, with its configuration saved. */
static struct nna_pci_function *nna_pci_function(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_pci_function *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct device_driver *driver = driver_find(NNA_DRIVER_NAME, &pci_bus_type);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, driver);
	f->handlers = to_pci_driver(driver)->err_handler;
	KUNIT_ASSERT_NOT_NULL(test, f->handlers);
	f->bus.ops = &nna_pci_config_ops;
	f->pdev.bus = &f->bus;
	f->pdev.cfg_size = sizeof(f->config);
	pci_set_drvdata(&f->pdev, fake->nna);
	pci_write_config_dword(&f->pdev, NNA_TEST_BAR, NNA_TEST_BASE);
	KUNIT_ASSERT_EQ(test, 0, pci_save_state(&f->pdev));
	return f;
}

static struct nna_ctx *nna_pci_ctx(struct kunit *test)
{
	u32 vm;

	nna_fake_vm(to_nna_fake(test), &vm);
	return nna_fake_ctx(to_nna_fake(test), vm, NNA_TEST_RING, NULL);
}

/* One more reset ends the running job without a ban, and the next job runs. */
static void nna_pci_recovered(struct kunit *test, struct nna_ctx *ctx, struct dma_fence *begun,
			      int resets)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence;

	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(begun));
	KUNIT_EXPECT_FALSE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(ctx));
	KUNIT_EXPECT_EQ(test, resets, atomic_read(&fake->nna->resets));
	fence = nna_fake_start(fake, ctx, 0);
	nna_fake_succeed(fake, NNA_TEST_RING, fence);
}

/* The link works, but transactions have been lost. */
static void nna_pci_error_that_is_not_fatal(struct kunit *test)
{
	struct nna_pci_function *f = nna_pci_function(test);
	struct nna_ctx *ctx = nna_pci_ctx(test);
	struct dma_fence *begun = nna_fake_start(to_nna_fake(test), ctx, 0);

	NNA_PCI_EXPECT_EQ(test, PCI_ERS_RESULT_CAN_RECOVER,
			  f->handlers->error_detected(&f->pdev, pci_channel_io_normal));
	KUNIT_EXPECT_EQ(test, 0u, to_nna_fake(test)->control);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
	f->handlers->resume(&f->pdev);
	nna_pci_recovered(test, ctx, begun, 1);
}

/* Registers do not answer until the link has been reset, which clears the configuration. */
static void nna_pci_error_that_is_fatal(struct kunit *test)
{
	struct nna_pci_function *f = nna_pci_function(test);
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pci_ctx(test);
	struct dma_fence *begun;
	int i;
	u32 bar;

	/* The saved state serves for several errors. */
	for (i = 1; i <= 3; i++) {
		begun = nna_fake_start(fake, ctx, 0);
		fake->gone = true;
		NNA_PCI_EXPECT_EQ(test, PCI_ERS_RESULT_NEED_RESET,
				  f->handlers->error_detected(&f->pdev, pci_channel_io_frozen));
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
		fake->gone = false;
		spin_lock_irq(&fake->lock);
		fake->control = 0;
		memset(fake->rings, 0, sizeof(fake->rings));
		spin_unlock_irq(&fake->lock);
		memset(f->config, 0, sizeof(f->config));
		NNA_PCI_EXPECT_EQ(test, PCI_ERS_RESULT_RECOVERED,
				  f->handlers->slot_reset(&f->pdev));
		pci_read_config_dword(&f->pdev, NNA_TEST_BAR, &bar);
		KUNIT_EXPECT_EQ(test, NNA_TEST_BASE, bar);
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
		f->handlers->resume(&f->pdev);
		nna_pci_recovered(test, ctx, begun, i);
	}
}

/* Recovery fails at once, or after the driver has requested a reset. */
static void nna_pci_error_that_is_the_last(struct kunit *test)
{
	const bool *at_once = test->param_value;
	struct nna_pci_function *f = nna_pci_function(test);
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pci_ctx(test);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0);

	fake->gone = true;
	if (!*at_once)
		NNA_PCI_EXPECT_EQ(test, PCI_ERS_RESULT_NEED_RESET,
				  f->handlers->error_detected(&f->pdev, pci_channel_io_frozen));
	NNA_PCI_EXPECT_EQ(test, PCI_ERS_RESULT_DISCONNECT,
			  f->handlers->error_detected(&f->pdev, pci_channel_io_perm_failure));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(begun));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

static const bool nna_pci_lasts[] = { true, false };

static void nna_pci_last_desc(const bool *at_once, char *desc)
{
	strscpy(desc, *at_once ? "at once" : "after a reset", KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nna_pci_last, nna_pci_lasts, nna_pci_last_desc);

/* A reset on request of user space: the PCI core saves and restores the configuration. */
static void nna_pci_reset_that_is_asked_for(struct kunit *test)
{
	struct nna_pci_function *f = nna_pci_function(test);
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pci_ctx(test);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0);
	u64 ns, tick, uncertainty;

	nna_clock_get(&fake->nna->clock, &ns, &tick, &uncertainty);
	KUNIT_EXPECT_NE(test, 0ull, ns);
	f->handlers->reset_prepare(&f->pdev);
	KUNIT_EXPECT_EQ(test, 0u, fake->control);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
	spin_lock_irq(&fake->lock);
	memset(fake->rings, 0, sizeof(fake->rings));
	spin_unlock_irq(&fake->lock);
	f->handlers->reset_done(&f->pdev);
	/* The device's clock may have restarted, so the pair of readings is invalid. */
	nna_clock_get(&fake->nna->clock, &ns, &tick, &uncertainty);
	KUNIT_EXPECT_EQ(test, 0ull, ns);
	nna_pci_recovered(test, ctx, begun, 1);
}

static struct kunit_case nna_pci_cases[] = {
	KUNIT_CASE(nna_pci_error_that_is_not_fatal),
	KUNIT_CASE(nna_pci_error_that_is_fatal),
	KUNIT_CASE_PARAM(nna_pci_error_that_is_the_last, nna_pci_last_gen_params),
	KUNIT_CASE(nna_pci_reset_that_is_asked_for),
	{}
};

static struct kunit_suite nna_pci_suite = {
	.name = "nna_pci",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_pci_cases,
};
kunit_test_suite(nna_pci_suite);
