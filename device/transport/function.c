// SPDX-License-Identifier: MIT
#include "device/transport/function.h"

#include <assert.h>
#include <linux/pci_regs.h>
#include <string.h>

#define PM_CAP 0x40u
#define MSIX_CAP 0x50u
#define EXPRESS_CAP 0x60u

static_assert(NNADEV_MSIX_PBA >= NNADEV_MSIX_TABLE + NNADEV_VECTORS_MAX * 16,
	      "the table ends before the PBA");
static_assert(NNADEV_MODEL_VECTORS == NNADEV_VECTORS_MAX, "a model may have all vectors");

static void put16(uint8_t *at, uint32_t offset, uint32_t value)
{
	at[offset] = value & 0xff;
	at[offset + 1] = value >> 8 & 0xff;
}

static void put32(uint8_t *at, uint32_t offset, uint32_t value)
{
	put16(at, offset, value & 0xffff);
	put16(at, offset + 2, value >> 16);
}

/* A 32-bit memory BAR. Address bits below its size are read-only: so a client probes the size. */
static void put_bar(struct nnadev_function *f, uint32_t bar, uint32_t size)
{
	uint32_t offset = PCI_BASE_ADDRESS_0 + 4 * bar;

	put32(f->config, offset, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_32);
	put32(f->writable, offset, ~(size - 1));
}

static bool bar_fits(const struct nnadev_bar *bar)
{
	return bar->kind != NNADEV_BAR_MODEL ||
	       (bar->size >= 16 && !(bar->size & (bar->size - 1)) && bar->widths &&
		!(bar->widths & ~15u));
}

bool nnadev_function_fits(const struct nnadev_model *model)
{
	uint32_t tables = 0;

	for (uint32_t i = 0; i < NNADEV_MODEL_BARS; i++) {
		if (!bar_fits(&model->bars[i]))
			return false;
		tables += model->bars[i].kind == NNADEV_BAR_MSIX;
	}
	return tables == 1 && model->vectors >= 1 && model->vectors <= NNADEV_VECTORS_MAX &&
	       model->pci.vendor != 0xffff && !(model->pci.class >> 24);
}

uint32_t nnadev_function_bar_size(const struct nnadev_model *model, uint32_t bar)
{
	if (bar >= NNADEV_MODEL_BARS || model->bars[bar].kind == NNADEV_BAR_NONE)
		return 0;
	return model->bars[bar].kind == NNADEV_BAR_MSIX ? NNADEV_MSIX_BAR_SIZE
							: model->bars[bar].size;
}

/* The number of the BAR with the MSI-X table. */
static uint32_t msix_bar(const struct nnadev_model *model)
{
	uint32_t bar = 0;

	while (model->bars[bar].kind != NNADEV_BAR_MSIX)
		bar++;
	return bar;
}

static void put_header(struct nnadev_function *f)
{
	const struct nnadev_pci *pci = &f->model->pci;
	uint8_t *c = f->config, *w = f->writable;

	put16(c, PCI_VENDOR_ID, pci->vendor);
	put16(c, PCI_DEVICE_ID, pci->device);
	put16(w, PCI_COMMAND,
	      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		      PCI_COMMAND_INTX_DISABLE);
	put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put32(c, PCI_CLASS_REVISION, pci->class << 8 | pci->revision);
	w[PCI_CACHE_LINE_SIZE] = 0xff;
	for (uint32_t i = 0; i < NNADEV_MODEL_BARS; i++)
		if (f->model->bars[i].kind != NNADEV_BAR_NONE)
			put_bar(f, i, nnadev_function_bar_size(f->model, i));
	put16(c, PCI_SUBSYSTEM_VENDOR_ID, pci->subsystem_vendor);
	put16(c, PCI_SUBSYSTEM_ID, pci->subsystem);
	c[PCI_CAPABILITY_LIST] = PM_CAP;
	w[PCI_INTERRUPT_LINE] = 0xff;
}

static void put_capabilities(struct nnadev_function *f)
{
	const uint32_t bar = msix_bar(f->model);
	uint8_t *c = f->config, *w = f->writable;

	/* Power management: D0 and D3hot, which keeps all state. */
	c[PM_CAP] = PCI_CAP_ID_PM;
	c[PM_CAP + 1] = MSIX_CAP;
	put16(c, PM_CAP + PCI_PM_PMC, 3);
	put16(c, PM_CAP + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
	put16(w, PM_CAP + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);

	c[MSIX_CAP] = PCI_CAP_ID_MSIX;
	c[MSIX_CAP + 1] = EXPRESS_CAP;
	put16(c, MSIX_CAP + PCI_MSIX_FLAGS, f->vectors->count - 1);
	put16(w, MSIX_CAP + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	put32(c, MSIX_CAP + PCI_MSIX_TABLE, NNADEV_MSIX_TABLE | bar);
	put32(c, MSIX_CAP + PCI_MSIX_PBA, NNADEV_MSIX_PBA | bar);

	/* PCI Express: version 2, function level reset, payload 128 bytes, one lane of 2.5 GT/s. */
	c[EXPRESS_CAP] = PCI_CAP_ID_EXP;
	put16(c, EXPRESS_CAP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(c, EXPRESS_CAP + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR);
	put16(c, EXPRESS_CAP + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN);
	put16(w, EXPRESS_CAP + PCI_EXP_DEVCTL, 0x7fff);
	put32(c, EXPRESS_CAP + PCI_EXP_LNKCAP, 1 | 1 << 4);
	put16(c, EXPRESS_CAP + PCI_EXP_LNKSTA, 1 | 1 << 4);
}

void nnadev_function_init(struct nnadev_function *f, const struct nnadev_model *model,
			  struct nnadev_vectors *vectors)
{
	memset(f, 0, sizeof(*f));
	f->model = model;
	f->vectors = vectors;
	put_header(f);
	put_capabilities(f);
}

bool nnadev_function_is_master(const struct nnadev_function *f)
{
	return f->config[PCI_COMMAND] & PCI_COMMAND_MASTER;
}

void nnadev_function_config_read(const struct nnadev_function *f, uint32_t offset, uint32_t size,
				 uint8_t *data)
{
	memcpy(data, f->config + offset, size);
}

bool nnadev_function_config_write(struct nnadev_function *f, uint32_t offset, uint32_t size,
				  const uint8_t *data)
{
	const uint32_t flr = EXPRESS_CAP + PCI_EXP_DEVCTL + 1;
	bool reset = false;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t at = offset + i;
		uint8_t mask = f->writable[at];

		f->config[at] = (f->config[at] & ~mask) | (data[i] & mask);
		if (at == flr && (data[i] & PCI_EXP_DEVCTL_BCR_FLR >> 8))
			reset = true;
	}
	return reset;
}

void nnadev_function_msix_read(const struct nnadev_function *f, uint32_t offset, uint32_t size,
			       uint8_t *data)
{
	uint64_t pending = nnadev_vectors_pending(f->vectors);

	for (uint32_t i = 0; i < size; i++) {
		uint32_t at = offset + i;

		if (at < NNADEV_MSIX_TABLE + f->vectors->count * 16)
			data[i] = f->table[at - NNADEV_MSIX_TABLE];
		else if (at >= NNADEV_MSIX_PBA && at < NNADEV_MSIX_PBA + 8)
			data[i] = pending >> 8 * (at - NNADEV_MSIX_PBA) & 0xff;
		else
			data[i] = 0;
	}
}

void nnadev_function_msix_write(struct nnadev_function *f, uint32_t offset, uint32_t size,
				const uint8_t *data)
{
	for (uint32_t i = 0; i < size; i++)
		if (offset + i < NNADEV_MSIX_TABLE + f->vectors->count * 16)
			f->table[offset + i - NNADEV_MSIX_TABLE] = data[i];
}
