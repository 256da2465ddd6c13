// SPDX-License-Identifier: GPL-2.0-only
/*
 * A SoC around the NNA of a virtual machine, to test the platform driver of nna.ko on the device
 * that there is. For tests alone.
 *
 * It binds the NNA's PCI function in place of nna.ko, and registers a platform device on the
 * function's registers and interrupts, whose DMA the function does. The platform device has a power
 * domain, a clock and a reset line, which are made here:
 *
 *	part	it is on if		it may be switched on, and off, if
 *	domain	there is power		.. and the clock is off
 *	clock	it is enabled		there is power, and the reset line is asserted
 *	reset	it is not asserted	there are power and clock ..
 *
 * So parts are switched on in this order, and off in the opposite one. Anything else is a warning
 * of the kernel, and so is a part that is on when the SoC is removed. While a part is off the
 * function decodes no memory and does no DMA: reads of registers return all ones, writes are lost.
 * What puts the device into reset resets it.
 *
 * The domain is a dev_pm_domain and no generic one (genpd): the bus attaches a generic one and
 * switches it on for probe by a device tree alone, which a machine with a PCI function has not. The
 * driver cannot tell them apart: it calls runtime PM, and the PM core calls the operations of
 * whatever dev_pm_domain the device has, of which a generic one is a kind.
 *
 * In debugfs nna_soc/events says what has been switched since it was last written to, and
 * nna_soc/state which parts are on. nna_soc/fault makes something fail, by a line of three words,
 * the last an error as a number: "domain on -5", "clock get -517", "clock on -5", "reset get -517"
 * or "reset on -5"; "clear" ends all of that. Getting the reset line can only be deferred.
 *
 * There is one SoC, so the second function that is found is left alone.
 */

#include <linux/clk-provider.h>
#include <linux/clkdev.h>
#include <linux/debugfs.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/pm_domain.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/reset-controller.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "dma_parent.h"
#include "nna_regs.h"

/* Its name in the device's name, which is constant, as tables of clocks refer to it. */
#define SOC_DEVICE "nna.0"

static int vectors = NNA_RINGS;
module_param(vectors, int, 0444);
MODULE_PARM_DESC(vectors, "interrupts of the platform device, 1 to 5");

enum soc_part { SOC_DOMAIN, SOC_CLOCK, SOC_RESET, SOC_PARTS };

static const char *const soc_parts[SOC_PARTS] = { "domain", "clock", "reset" };

/* Off and on. */
static const char *const soc_events[SOC_PARTS][2] = {
	{ "domain-off", "domain-on" },
	{ "clock-off", "clock-on" },
	{ "reset-asserted", "reset-released" },
};

/**
 * struct soc - The SoC.
 * @pci: the function, from probe to remove; NULL: there is none.
 * @npu: the platform device.
 * @regs: registers of the device.
 * @lock: protects @on, @events and @used; taken with any other lock held.
 * @on: which parts are on.
 * @slept: the domain has been switched off for system sleep.
 * @get_errors: errors of getting a part; written while the device has no driver.
 * @on_errors: errors of switching a part on.
 * @events: what has been switched, a word each.
 * @used: bytes of @events.
 * @domain: the power domain.
 * @clock: the clock.
 * @lookup: under which the platform device finds it.
 * @resets: the controller with the reset line.
 * @resets_there: it is registered.
 */
static struct soc {
	struct pci_dev *pci;
	struct platform_device *npu;
	void __iomem *regs;
	spinlock_t lock;
	bool on[SOC_PARTS];
	bool slept;
	int get_errors[SOC_PARTS];
	int on_errors[SOC_PARTS];
	char events[4096];
	size_t used;
	struct dev_pm_domain domain;
	struct clk_hw clock;
	struct clk_lookup *lookup;
	struct reset_controller_dev resets;
	bool resets_there;
} soc = { .lock = __SPIN_LOCK_UNLOCKED(soc.lock) };

/* ---- the parts ------------------------------------------------------------------------------- */

static bool soc_runs(void)
{
	return soc.on[SOC_DOMAIN] && soc.on[SOC_CLOCK] && soc.on[SOC_RESET];
}

static void soc_decode(bool decode)
{
	const u16 bits = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	u16 command;

	pci_read_config_word(soc.pci, PCI_COMMAND, &command);
	pci_write_config_word(soc.pci, PCI_COMMAND, decode ? command | bits : command & ~bits);
}

/* Switches a part, if that is a change, and writes it down. */
static void soc_switch(enum soc_part part, bool on)
{
	unsigned long flags;
	bool right = true;
	int i;

	spin_lock_irqsave(&soc.lock, flags);
	if (soc.on[part] == on)
		goto out;
	for (i = 0; i < SOC_PARTS; i++)
		if (i < part ? !soc.on[i] : i > part && soc.on[i])
			right = false;
	WARN(!right, "nna_soc: %s with domain %d, clock %d, reset %d\n", soc_events[part][on],
	     soc.on[SOC_DOMAIN], soc.on[SOC_CLOCK], soc.on[SOC_RESET]);
	if (soc_runs()) {
		writel(NNA_RESET_MAGIC, soc.regs + NNA_REG_RESET);
		soc_decode(false);
	}
	soc.on[part] = on;
	if (soc_runs())
		soc_decode(true);
	soc.used += scnprintf(soc.events + soc.used, sizeof(soc.events) - soc.used, "%s ",
			      soc_events[part][on]);
out:
	spin_unlock_irqrestore(&soc.lock, flags);
}

static int soc_switch_on(enum soc_part part)
{
	int ret = READ_ONCE(soc.on_errors[part]);

	if (!ret)
		soc_switch(part, true);
	return ret;
}

/* ---- the power domain ------------------------------------------------------------------------ */

static int soc_domain_activate(struct device *dev)
{
	return soc_switch_on(SOC_DOMAIN);
}

static void soc_domain_dismiss(struct device *dev)
{
	soc_switch(SOC_DOMAIN, false);
}

static void soc_domain_detach(struct device *dev, bool power_off)
{
	if (power_off)
		soc_switch(SOC_DOMAIN, false);
}

static int soc_domain_runtime_suspend(struct device *dev)
{
	int ret = pm_generic_runtime_suspend(dev);

	if (!ret)
		soc_switch(SOC_DOMAIN, false);
	return ret;
}

static int soc_domain_runtime_resume(struct device *dev)
{
	int ret = soc_switch_on(SOC_DOMAIN);

	if (ret)
		return ret;
	ret = pm_generic_runtime_resume(dev);
	if (ret)
		soc_switch(SOC_DOMAIN, false);
	return ret;
}

static int soc_domain_suspend_noirq(struct device *dev)
{
	int ret = pm_generic_suspend_noirq(dev);

	if (ret)
		return ret;
	soc.slept = soc.on[SOC_DOMAIN];
	soc_switch(SOC_DOMAIN, false);
	return 0;
}

static int soc_domain_resume_noirq(struct device *dev)
{
	int ret = soc.slept ? soc_switch_on(SOC_DOMAIN) : 0;

	return ret ?: pm_generic_resume_noirq(dev);
}

static void soc_domain_init(void)
{
	soc.domain = (struct dev_pm_domain) {
		.ops = {
			.runtime_suspend = soc_domain_runtime_suspend,
			.runtime_resume = soc_domain_runtime_resume,
			.suspend = pm_generic_suspend,
			.resume = pm_generic_resume,
			.suspend_noirq = soc_domain_suspend_noirq,
			.resume_noirq = soc_domain_resume_noirq,
		},
		.activate = soc_domain_activate,
		.dismiss = soc_domain_dismiss,
		.detach = soc_domain_detach,
	};
}

/* ---- the clock ------------------------------------------------------------------------------- */

static int soc_clock_enable(struct clk_hw *hw)
{
	return soc_switch_on(SOC_CLOCK);
}

static void soc_clock_disable(struct clk_hw *hw)
{
	soc_switch(SOC_CLOCK, false);
}

static const struct clk_ops soc_clock_ops = {
	.enable = soc_clock_enable,
	.disable = soc_clock_disable,
};

static int soc_clock_init(void)
{
	static const struct clk_init_data init = { .name = "nna_soc", .ops = &soc_clock_ops };
	int ret;

	soc.clock.init = &init;
	ret = clk_hw_register(&soc.pci->dev, &soc.clock);
	if (ret)
		return ret;
	soc.lookup = clkdev_hw_create(&soc.clock, "core", SOC_DEVICE);
	if (soc.lookup)
		return 0;
	clk_hw_unregister(&soc.clock);
	return -ENOMEM;
}

static void soc_clock_fini(void)
{
	clkdev_drop(soc.lookup);
	clk_hw_unregister(&soc.clock);
}

/* ---- the reset line -------------------------------------------------------------------------- */

static int soc_reset_assert(struct reset_controller_dev *resets, unsigned long id)
{
	soc_switch(SOC_RESET, false);
	return 0;
}

static int soc_reset_deassert(struct reset_controller_dev *resets, unsigned long id)
{
	return soc_switch_on(SOC_RESET);
}

static const struct reset_control_ops soc_reset_ops = {
	.assert = soc_reset_assert,
	.deassert = soc_reset_deassert,
};

#ifdef SOC_HAS_RESET_LOOKUP
/* Nothing takes a lookup back, so it outlives this module. */
static int soc_reset_refer(void)
{
	struct reset_control_lookup *lookup = kzalloc(sizeof(*lookup), GFP_KERNEL);

	if (!lookup)
		return -ENOMEM;
	lookup->provider = kstrdup(pci_name(soc.pci), GFP_KERNEL);
	lookup->dev_id = kstrdup(SOC_DEVICE, GFP_KERNEL);
	if (!lookup->provider || !lookup->dev_id) {
		kfree(lookup->provider);
		kfree(lookup->dev_id);
		kfree(lookup);
		return -ENOMEM;
	}
	reset_controller_add_lookup(lookup, 1);
	return 0;
}

static void soc_reset_forget(void)
{
}

static void soc_npu_put(void)
{
	platform_device_put(soc.npu);
}
#else
static const struct property_entry soc_controller_properties[] = {
	PROPERTY_ENTRY_U32("#reset-cells", 1),
	{}
};

static const struct software_node soc_controller = {
	.name = "nna_soc", .properties = soc_controller_properties,
};

static const struct property_entry soc_npu_properties[] = {
	PROPERTY_ENTRY_REF("resets", &soc_controller, 0),
	{}
};

static int soc_reset_refer(void)
{
	int ret = software_node_register(&soc_controller);

	if (ret)
		return ret;
	soc.resets.fwnode = software_node_fwnode(&soc_controller);
	/* It stands for no device, so probe need not wait until one has a driver. */
	fwnode_dev_initialized(soc.resets.fwnode, true);
	ret = device_create_managed_software_node(&soc.npu->dev, soc_npu_properties, NULL);
	if (ret)
		software_node_unregister(&soc_controller);
	return ret;
}

static void soc_reset_forget(void)
{
	software_node_unregister(&soc_controller);
}

/* A device that has not been added keeps its node: only its removal would drop that. */
static void soc_npu_put(void)
{
	device_remove_software_node(&soc.npu->dev);
	platform_device_put(soc.npu);
}
#endif

/* Whoever asks for the reset line of a controller that is not there is to ask later. */
static int soc_reset_offer(bool offer)
{
	int ret = 0;

	if (offer == soc.resets_there)
		return 0;
	if (offer)
		ret = reset_controller_register(&soc.resets);
	else
		reset_controller_unregister(&soc.resets);
	if (!ret)
		soc.resets_there = offer;
	return ret;
}

static int soc_reset_init(void)
{
	int ret;

	soc.resets = (struct reset_controller_dev) {
		.ops = &soc_reset_ops, .owner = THIS_MODULE, .dev = &soc.pci->dev, .nr_resets = 1,
	};
	ret = soc_reset_refer();
	if (ret)
		return ret;
	ret = soc_reset_offer(true);
	if (ret)
		soc_reset_forget();
	return ret;
}

static void soc_reset_fini(void)
{
	soc_reset_offer(false);
	soc_reset_forget();
}

/* ---- debugfs --------------------------------------------------------------------------------- */

static struct dentry *soc_dir;

static int events_show(struct seq_file *m, void *unused)
{
	unsigned long flags;

	spin_lock_irqsave(&soc.lock, flags);
	seq_write(m, soc.events, soc.used);
	spin_unlock_irqrestore(&soc.lock, flags);
	seq_putc(m, '\n');
	return 0;
}

static int events_open(struct inode *inode, struct file *file)
{
	return single_open(file, events_show, NULL);
}

static ssize_t events_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	unsigned long flags;

	spin_lock_irqsave(&soc.lock, flags);
	soc.used = 0;
	spin_unlock_irqrestore(&soc.lock, flags);
	return size;
}

static const struct file_operations events_fops = {
	.owner = THIS_MODULE,
	.open = events_open,
	.read = seq_read,
	.write = events_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int state_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < SOC_PARTS; i++)
		seq_printf(m, "%s %d\n", soc_parts[i], READ_ONCE(soc.on[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int soc_fault(const char *line)
{
	char part[8], step[8];
	int i, error;

	if (sysfs_streq(line, "clear")) {
		memset(soc.get_errors, 0, sizeof(soc.get_errors));
		memset(soc.on_errors, 0, sizeof(soc.on_errors));
	} else if (sscanf(line, "%7s %7s %d", part, step, &error) == 3) {
		i = match_string(soc_parts, SOC_PARTS, part);
		if (i < 0 || error >= 0)
			return -EINVAL;
		if (!strcmp(step, "on"))
			WRITE_ONCE(soc.on_errors[i], error);
		else if (!strcmp(step, "get") && i != SOC_DOMAIN)
			soc.get_errors[i] = error;
		else
			return -EINVAL;
	} else {
		return -EINVAL;
	}
	soc.lookup->clk_hw = soc.get_errors[SOC_CLOCK] ? ERR_PTR(soc.get_errors[SOC_CLOCK]) :
							 &soc.clock;
	return soc_reset_offer(!soc.get_errors[SOC_RESET]);
}

static ssize_t fault_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	char line[32];
	ssize_t ret;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = 0;
	ret = soc_fault(line);
	return ret ?: size;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fault_write,
};

/* ---- the function ---------------------------------------------------------------------------- */

/* The platform device; it gets its driver at once if there is one. */
static int soc_npu_add(void)
{
	static const char *const names[] = { "vector0", "vector1", "vector2", "vector3", "vector4" };
	struct resource resources[1 + NNA_RINGS] = {};
	struct pci_dev *pci = soc.pci;
	struct device *dev = &soc.npu->dev;
	int i;

	resources[0] = DEFINE_RES_MEM(pci_resource_start(pci, NNA_PCI_REGISTER_BAR),
				      pci_resource_len(pci, NNA_PCI_REGISTER_BAR));
	resources[0].parent = pci_resource_n(pci, NNA_PCI_REGISTER_BAR);
	for (i = 0; i < vectors; i++)
		resources[1 + i] = DEFINE_RES_IRQ_NAMED(pci_irq_vector(pci, i), names[i]);

	dev->parent = &pci->dev;
	dev->dma_mask = &soc.npu->platform_dma_mask;
	*dev->dma_mask = DMA_BIT_MASK(52);
	dev->coherent_dma_mask = DMA_BIT_MASK(52);
	if (device_iommu_mapped(&pci->dev))
		set_dma_ops(dev, &dma_parent_ops);
	dev_pm_domain_set(dev, &soc.domain);
	return platform_device_add_resources(soc.npu, resources, 1 + vectors) ?:
	       platform_device_add(soc.npu);
}

static int soc_pci_start(struct pci_dev *pci)
{
	int ret = pcim_enable_device(pci);

	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(52));
	if (ret)
		return ret;
	dma_set_max_seg_size(&pci->dev, SZ_2G);
	soc.regs = pcim_iomap(pci, NNA_PCI_REGISTER_BAR, 0);
	if (!soc.regs)
		return -ENOMEM;
	ret = pci_alloc_irq_vectors(pci, vectors, vectors, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;
	soc_decode(false);
	return 0;
}

static int soc_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int ret;

	if (soc.pci)
		return -EBUSY;
	if (vectors < 1 || vectors > NNA_RINGS)
		return dev_err_probe(&pci->dev, -EINVAL, "vectors=%d: say 1 to %u\n", vectors,
				     NNA_RINGS);
	soc.pci = pci;
	ret = soc_pci_start(pci);
	if (ret)
		goto err_pci;
	soc.npu = platform_device_alloc("nna", 0);
	if (!soc.npu) {
		ret = -ENOMEM;
		goto err_vectors;
	}
	soc_domain_init();
	ret = soc_clock_init();
	if (ret)
		goto err_npu;
	ret = soc_reset_init();
	if (ret)
		goto err_clock;
	ret = soc_npu_add();
	if (ret)
		goto err_reset;
	soc_dir = debugfs_create_dir("nna_soc", NULL);
	debugfs_create_file("events", 0600, soc_dir, NULL, &events_fops);
	debugfs_create_file("state", 0400, soc_dir, NULL, &state_fops);
	debugfs_create_file("fault", 0200, soc_dir, NULL, &fault_fops);
	return 0;

err_reset:
	soc_reset_fini();
err_clock:
	soc_clock_fini();
err_npu:
	soc_npu_put();
err_vectors:
	pci_free_irq_vectors(pci);
err_pci:
	soc.pci = NULL;
	return ret;
}

static void soc_pci_remove(struct pci_dev *pci)
{
	debugfs_remove(soc_dir);
	/* Its driver, and the files that are still open, may use it until they are gone. */
	platform_device_unregister(soc.npu);
	WARN(soc.on[SOC_DOMAIN] || soc.on[SOC_CLOCK] || soc.on[SOC_RESET],
	     "nna_soc: without driver, with domain %d, clock %d, reset %d\n", soc.on[SOC_DOMAIN],
	     soc.on[SOC_CLOCK], soc.on[SOC_RESET]);
	soc_reset_fini();
	soc_clock_fini();
	pci_free_irq_vectors(pci);
	soc.pci = NULL;
}

static const struct pci_device_id soc_pci_ids[] = {
	{ PCI_DEVICE(NNA_PCI_VENDOR, NNA_PCI_DEVICE) },
	{}
};

static struct pci_driver soc_pci_driver = {
	.name = "nna_soc",
	.id_table = soc_pci_ids,
	.probe = soc_pci_probe,
	.remove = soc_pci_remove,
};
module_pci_driver(soc_pci_driver);

MODULE_DESCRIPTION("A SoC around the NNA's PCI function, for tests");
MODULE_LICENSE("GPL");
