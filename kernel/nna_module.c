// SPDX-License-Identifier: GPL-2.0-only
/* The module: it registers a driver on each bus that the kernel has. */

#include <linux/init.h>
#include <linux/module.h>

#include "nna_bus.h"

static int __init nna_module_init(void)
{
	int ret = nna_pci_register();

	if (ret)
		return ret;
	ret = nna_platform_register();
	if (ret)
		nna_pci_unregister();
	return ret;
}
module_init(nna_module_init);

static void __exit nna_module_exit(void)
{
	nna_platform_unregister();
	nna_pci_unregister();
}
module_exit(nna_module_exit);

MODULE_DESCRIPTION("NNA neural network accelerator");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("DMA_BUF");
