// SPDX-License-Identifier: GPL-2.0-only
/* The NNA as a PCI function: see nna_bus.h. The PCI core switches its power. */

#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nna_bus.h"
#include "nna_core.h"
#include "nna_device.h"
#include "nna_drv.h"
#include "nna_regs.h"
#include "nna_reset.h"
#include "nna_suspend.h"

static void nna_pci_enable_bus_master(struct nna_bus *bus)
{
	pci_set_master(to_pci_dev(bus->dev));
}

static void nna_pci_disable_bus_master(struct nna_bus *bus)
{
	pci_clear_master(to_pci_dev(bus->dev));
}

static const struct nna_bus_ops nna_pci_bus_ops = {
	.enable_bus_master = nna_pci_enable_bus_master,
	.disable_bus_master = nna_pci_disable_bus_master,
};

static void nna_pci_free_vectors(void *pdev)
{
	pci_free_irq_vectors(pdev);
}

static int nna_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	struct nna_bus *bus;
	int ret, i, count;

	bus = devm_kzalloc(dev, sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return -ENOMEM;
	bus->ops = &nna_pci_bus_ops;
	bus->dev = dev;

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(dev, ret, "cannot enable the PCI device\n");
	bus->regs = pcim_iomap_region(pdev, NNA_PCI_REGISTER_BAR, NNA_DRIVER_NAME);
	if (IS_ERR(bus->regs))
		return dev_err_probe(dev, PTR_ERR(bus->regs), "cannot map the registers, BAR %u\n",
				     NNA_PCI_REGISTER_BAR);
	if (pci_resource_len(pdev, NNA_PCI_REGISTER_BAR) < NNA_PCI_REGISTER_BAR_SIZE)
		return dev_err_probe(dev, -ENODEV, "BAR %u has less than %u bytes of registers\n",
				     NNA_PCI_REGISTER_BAR, NNA_PCI_REGISTER_BAR_SIZE);

	count = pci_alloc_irq_vectors(pdev, 1, NNA_RINGS, PCI_IRQ_MSIX);
	if (count < 0)
		return dev_err_probe(dev, count, "cannot allocate MSI-X vectors\n");
	ret = devm_add_action_or_reset(dev, nna_pci_free_vectors, pdev);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		bus->irqs[i] = pci_irq_vector(pdev, i);
	bus->irq_count = count;

	ret = nna_drv_probe(bus);
	if (ret) {
		pci_clear_master(pdev);
		return ret;
	}
	/* nna_pci_slot_reset() restores this state. */
	pci_save_state(pdev);
	/*
	 * Drop the PM reference that the PCI core holds for probe; nna_pci_remove() takes it again.
	 */
	pm_runtime_put_autosuspend(dev);
	return 0;
}

static void nna_pci_remove(struct pci_dev *pdev)
{
	pm_runtime_get_noresume(&pdev->dev);
	nna_device_remove(&pdev->dev);
}

/* The device must not write to memory after a reboot or a kexec. */
static void nna_pci_shutdown(struct pci_dev *pdev)
{
	nna_device_shutdown(&pdev->dev);
}

/* Before a function level reset or another reset by user space or the PCI core. */
static void nna_pci_reset_prepare(struct pci_dev *pdev)
{
	nna_reset_bus_begin(pci_get_drvdata(pdev));
}

static void nna_pci_reset_done(struct pci_dev *pdev)
{
	nna_reset_bus_end(pci_get_drvdata(pdev));
}

/*
 * A bus error. After a non-fatal error the link works, but transactions of the device have been
 * lost, so its jobs cannot continue; nna_pci_resume() resets the device by its registers.
 */
static pci_ers_result_t nna_pci_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct nna_device *nna = pci_get_drvdata(pdev);

	if (state == pci_channel_io_perm_failure) {
		nna_reset_bus_lose(nna);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	nna_reset_bus_begin(nna);
	return state == pci_channel_io_normal ? PCI_ERS_RESULT_CAN_RECOVER :
						PCI_ERS_RESULT_NEED_RESET;
}

/* The link reset has cleared the configuration of the device. */
static pci_ers_result_t nna_pci_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	/* Some kernels drop the saved state when it is restored; the next error needs it. */
	pci_save_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void nna_pci_resume(struct pci_dev *pdev)
{
	nna_reset_bus_end(pci_get_drvdata(pdev));
}

static const struct pci_error_handlers nna_pci_error_handlers = {
	.error_detected = nna_pci_error_detected,
	.slot_reset = nna_pci_slot_reset,
	.resume = nna_pci_resume,
	.reset_prepare = nna_pci_reset_prepare,
	.reset_done = nna_pci_reset_done,
};

static const struct pci_device_id nna_pci_ids[] = {
	{ PCI_DEVICE(NNA_PCI_VENDOR, NNA_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, nna_pci_ids);

static struct pci_driver nna_pci_driver = {
	.name = NNA_DRIVER_NAME,
	.id_table = nna_pci_ids,
	.probe = nna_pci_probe,
	.remove = nna_pci_remove,
	.shutdown = nna_pci_shutdown,
	.err_handler = &nna_pci_error_handlers,
	.driver.pm = pm_ptr(&nna_suspend_ops),
};

int nna_pci_register(void)
{
	return pci_register_driver(&nna_pci_driver);
}

void nna_pci_unregister(void)
{
	pci_unregister_driver(&nna_pci_driver);
}
