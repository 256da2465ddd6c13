// SPDX-License-Identifier: GPL-2.0-only
/*
 * The NNA as part of a SoC: see nna_bus.h, and for what describes it
 * Documentation/devicetree/bindings/npu/nnaccel,nna.yaml.
 *
 * Its power has three parts, which are switched in this order, and off in the opposite one:
 *
 *  1. the power domain: the platform bus switches it on for probe, and off afterwards; in between
 *     it follows runtime PM;
 *  2. the clocks;
 *  3. the reset line, which is asserted whenever there are no clocks.
 *
 * So the device comes out of reset with power and clocks, and stops before it loses them.
 */

#include <linux/clk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/reset.h>

#include "nna_bus.h"
#include "nna_core.h"
#include "nna_device.h"
#include "nna_drv.h"
#include "nna_regs.h"
#include "nna_suspend.h"

/* Names of the binding: of each kind the first one must be there. */
static const char *const nna_platform_vectors[NNA_RINGS] = {
	"vector0", "vector1", "vector2", "vector3", "vector4",
};

static const char *const nna_platform_clocks[] = { "core", "bus" };

/**
 * struct nna_platform - The device as a platform device.
 * @bus: what the rest of the driver knows of it. Its registers are off as long as @running is
 *	false, or once the reset line has been asserted for good.
 * @clocks: those of the binding; a clock that there is not is NULL.
 * @reset: the reset line.
 * @running: the clocks are enabled. Changed by probe, remove and power management alone.
 */
struct nna_platform {
	struct nna_bus bus;
	struct clk_bulk_data clocks[ARRAY_SIZE(nna_platform_clocks)];
	struct reset_control *reset;
	bool running;
};

static struct nna_platform *to_nna_platform(struct nna_bus *bus)
{
	return container_of(bus, struct nna_platform, bus);
}

static int nna_platform_power_on(struct nna_bus *bus)
{
	struct nna_platform *p = to_nna_platform(bus);
	int ret;

	ret = clk_bulk_prepare_enable(ARRAY_SIZE(p->clocks), p->clocks);
	if (ret)
		return ret;
	ret = reset_control_deassert(p->reset);
	if (ret) {
		clk_bulk_disable_unprepare(ARRAY_SIZE(p->clocks), p->clocks);
		return ret;
	}
	p->running = true;
	WRITE_ONCE(bus->off, false);
	return 0;
}

/* A device that is held in reset does no DMA. */
static void nna_platform_hold(struct nna_bus *bus)
{
	WRITE_ONCE(bus->off, true);
	if (reset_control_assert(to_nna_platform(bus)->reset))
		dev_err(bus->dev, "the reset line cannot be asserted\n");
}

static void nna_platform_power_off(struct nna_bus *bus)
{
	struct nna_platform *p = to_nna_platform(bus);

	if (!p->running)
		return;
	nna_platform_hold(bus);
	clk_bulk_disable_unprepare(ARRAY_SIZE(p->clocks), p->clocks);
	p->running = false;
}

static const struct nna_bus_ops nna_platform_bus_ops = {
	.disable_bus_master = nna_platform_hold,
	.power_on = nna_platform_power_on,
	.power_off = nna_platform_power_off,
};

static int nna_platform_get_irqs(struct platform_device *pdev, struct nna_bus *bus)
{
	int irq;

	for (; bus->irq_count < NNA_RINGS; bus->irq_count++) {
		irq = platform_get_irq_byname_optional(pdev,
						       nna_platform_vectors[bus->irq_count]);
		if (irq == -ENXIO && bus->irq_count)
			break;
		if (irq < 0)
			return dev_err_probe(&pdev->dev, irq, "no interrupt %s\n",
					     nna_platform_vectors[bus->irq_count]);
		bus->irqs[bus->irq_count] = irq;
	}
	return 0;
}

/* Gets what the device consists of; switches nothing on. */
static int nna_platform_get(struct platform_device *pdev, struct nna_platform *p)
{
	struct device *dev = &pdev->dev;
	struct resource *res;
	unsigned int i;
	int ret;

	p->bus.regs = devm_platform_get_and_ioremap_resource(pdev, 0, &res);
	if (IS_ERR(p->bus.regs))
		return dev_err_probe(dev, PTR_ERR(p->bus.regs), "cannot map the registers\n");
	if (resource_size(res) < NNA_PCI_REGISTER_BAR_SIZE)
		return dev_err_probe(dev, -ENODEV, "reg has less than %u bytes of registers\n",
				     NNA_PCI_REGISTER_BAR_SIZE);
	ret = nna_platform_get_irqs(pdev, &p->bus);
	if (ret)
		return ret;

	for (i = 0; i < ARRAY_SIZE(p->clocks); i++)
		p->clocks[i].id = nna_platform_clocks[i];
	ret = devm_clk_bulk_get_optional(dev, ARRAY_SIZE(p->clocks), p->clocks);
	if (ret)
		return dev_err_probe(dev, ret, "cannot get the clocks\n");
	if (!p->clocks[0].clk)
		return dev_err_probe(dev, -ENOENT, "no clock %s\n", p->clocks[0].id);
	p->reset = devm_reset_control_get_exclusive(dev, NULL);
	if (IS_ERR(p->reset))
		return dev_err_probe(dev, PTR_ERR(p->reset), "cannot get the reset line\n");
	/* Whoever used the device before may have left it running. */
	ret = reset_control_assert(p->reset);
	if (ret)
		return dev_err_probe(dev, ret, "the reset line cannot be asserted\n");
	return 0;
}

static int nna_platform_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct nna_platform *p;
	int ret;

	p = devm_kzalloc(dev, sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	p->bus.ops = &nna_platform_bus_ops;
	p->bus.dev = dev;
	p->bus.off = true;
	ret = nna_platform_get(pdev, p);
	if (ret)
		return ret;

	/* The bus has switched the power domain on. */
	pm_runtime_get_noresume(dev);
	ret = pm_runtime_set_active(dev);
	if (ret) {
		dev_err_probe(dev, ret, "the bus above it has no power\n");
		goto err_active;
	}
	pm_runtime_enable(dev);
	ret = nna_platform_power_on(&p->bus);
	if (ret) {
		dev_err_probe(dev, ret, "no power\n");
		goto err_pm;
	}
	ret = nna_drv_probe(&p->bus);
	if (ret)
		goto err_power;
	pm_runtime_put_autosuspend(dev);
	return 0;

err_power:
	nna_platform_power_off(&p->bus);
err_pm:
	pm_runtime_disable(dev);
	pm_runtime_set_suspended(dev);
err_active:
	pm_runtime_put_noidle(dev);
	return ret;
}

static void nna_platform_remove(struct platform_device *pdev)
{
	struct nna_device *nna = platform_get_drvdata(pdev);

	nna_device_remove(&pdev->dev);
	/* Suspends the device, and its power domain with it. Without CONFIG_PM nothing does. */
	pm_runtime_force_suspend(&pdev->dev);
	nna_platform_power_off(nna->bus);
}

/* The device must not write to memory after a reboot or a kexec; for that it needs its clocks. */
static void nna_platform_shutdown(struct platform_device *pdev)
{
	pm_runtime_resume(&pdev->dev);
	nna_device_shutdown(&pdev->dev);
}

static const struct of_device_id nna_platform_of_ids[] = {
	{ .compatible = "nnaccel,nna" },
	{}
};
MODULE_DEVICE_TABLE(of, nna_platform_of_ids);

/* For devices that no device tree describes. */
static const struct platform_device_id nna_platform_ids[] = {
	{ .name = NNA_DRIVER_NAME },
	{}
};
MODULE_DEVICE_TABLE(platform, nna_platform_ids);

static struct platform_driver nna_platform_driver = {
	.probe = nna_platform_probe,
	.remove = nna_platform_remove,
	.shutdown = nna_platform_shutdown,
	.id_table = nna_platform_ids,
	.driver = {
		.name = NNA_DRIVER_NAME,
		.of_match_table = nna_platform_of_ids,
		.pm = pm_ptr(&nna_suspend_ops),
	},
};

int nna_platform_register(void)
{
	return platform_driver_register(&nna_platform_driver);
}

void nna_platform_unregister(void)
{
	platform_driver_unregister(&nna_platform_driver);
}
