/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that was built for pages of another size. The kernel refuses it by its version, unless
 * it is forced to take it; then its own idea of a page would map memory that is not the client's.
 * So the module refuses itself. A driver in a kernel tree is built with the kernel. Kbuild includes
 * this file before each source file.
 */
#ifndef NNA_COMPAT_PAGE_H
#define NNA_COMPAT_PAGE_H

#include <linux/errno.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/printk.h>

/* The kernel's functions have been built with its size of a page, and these with the module's. */
static inline int nna_compat_check_page(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	if (info.mem_unit == PAGE_SIZE)
		return 0;
	pr_err("nna: built for pages of %lu bytes, and this kernel's have %u: build nna.ko with the headers of this kernel\n",
	       PAGE_SIZE, info.mem_unit);
	return -ENOEXEC;
}

static inline int nna_compat_register_pci(struct pci_driver *driver)
{
	return nna_compat_check_page() ?: pci_register_driver(driver);
}

static inline int nna_compat_register_platform(struct platform_driver *driver)
{
	return nna_compat_check_page() ?: platform_driver_register(driver);
}

/* Whichever of them nna_module.c calls first. */
#undef pci_register_driver
#define pci_register_driver nna_compat_register_pci
#undef platform_driver_register
#define platform_driver_register nna_compat_register_platform

#endif
