/* SPDX-License-Identifier: MIT */
/* Ethos-U: the device models that nna-device lists, one for each configuration. */
#ifndef ETHOSU_MODELS_H
#define ETHOSU_MODELS_H

#include "device/model.h"

/* PCI IDs: there is no such function by Arm; the vendor is that of QEMU's own devices. */
#define ETHOSU_PCI_VENDOR 0x1234u
#define ETHOSU_PCI_DEVICE 0x4555u
#define ETHOSU_PCI_CLASS 0x120000u
#define ETHOSU_PCI_REGISTER_BAR 0u
#define ETHOSU_PCI_MSIX_BAR 2u

extern const struct nnadev_model ethosu_u65_256_model;
extern const struct nnadev_model ethosu_u65_512_model;
extern const struct nnadev_model ethosu_u85_128_model;
extern const struct nnadev_model ethosu_u85_256_model;
extern const struct nnadev_model ethosu_u85_512_model;
extern const struct nnadev_model ethosu_u85_1024_model;
extern const struct nnadev_model ethosu_u85_2048_model;

#endif
