/* SPDX-License-Identifier: MIT */
/*
 * The wire format of the vfio-user protocol, as far as a server without migration needs it.
 *
 * A message is a header and a payload; files are passed beside it as SCM_RIGHTS. All fields are in
 * host byte order, because both ends are on one machine. Most payloads are structs of VFIO's
 * ioctls, so flags and indices are those of <linux/vfio.h>. The structs are defined here, because
 * the wire format is fixed and the kernel's structs may grow. Specification:
 * docs/interop/vfio-user.rst of QEMU.
 */
#ifndef NNADEV_VFU_PROTOCOL_H
#define NNADEV_VFU_PROTOCOL_H

#include <assert.h>
#include <stdint.h>

enum nnadev_vfu_command {
	NNADEV_VFU_VERSION = 1,
	NNADEV_VFU_DMA_MAP = 2,
	NNADEV_VFU_DMA_UNMAP = 3,
	NNADEV_VFU_DEVICE_GET_INFO = 4,
	NNADEV_VFU_DEVICE_GET_REGION_INFO = 5,
	NNADEV_VFU_DEVICE_GET_REGION_IO_FDS = 6,
	NNADEV_VFU_DEVICE_GET_IRQ_INFO = 7,
	NNADEV_VFU_DEVICE_SET_IRQS = 8,
	NNADEV_VFU_REGION_READ = 9,
	NNADEV_VFU_REGION_WRITE = 10,
	NNADEV_VFU_DEVICE_RESET = 13,
};

/* Header flags: the low four bits are the type. */
#define NNADEV_VFU_TYPE_MASK 0xfu
#define NNADEV_VFU_TYPE_COMMAND 0x0u
#define NNADEV_VFU_TYPE_REPLY 0x1u
#define NNADEV_VFU_NO_REPLY 0x10u
#define NNADEV_VFU_ERROR 0x20u

#define NNADEV_VFU_MAJOR 0u
#define NNADEV_VFU_MINOR 1u

/* Limits that the server announces. */
#define NNADEV_VFU_MAX_FDS 16u
#define NNADEV_VFU_MAX_XFER 65536u
#define NNADEV_VFU_MAX_MAPS 65535u
#define NNADEV_VFU_PAGE 4096u

/**
 * struct nnadev_vfu_header - start of every message
 * @id: chosen by the sender of a command, echoed in its reply
 * @command: enum nnadev_vfu_command
 * @size: bytes of the message with this header
 * @flags: NNADEV_VFU_*
 * @error: errno value, in a reply with NNADEV_VFU_ERROR
 */
struct nnadev_vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;
	uint32_t flags;
	uint32_t error;
};

/* VERSION; optional JSON text with its NUL follows. */
struct nnadev_vfu_version {
	uint16_t major;
	uint16_t minor;
};

/**
 * struct nnadev_vfu_dma_map - DMA_MAP
 * @argsz: bytes of this struct
 * @flags: VFIO_DMA_MAP_FLAG_READ, _WRITE
 * @offset: bytes into the file that came with the message
 * @iova: first bus address
 * @size: bytes
 */
struct nnadev_vfu_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t iova;
	uint64_t size;
};

/**
 * struct nnadev_vfu_dma_unmap - DMA_UNMAP
 * @argsz: bytes of this struct
 * @flags: VFIO_DMA_UNMAP_FLAG_ALL
 * @iova: first bus address
 * @size: bytes
 */
struct nnadev_vfu_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t iova;
	uint64_t size;
};

/* The next five are structs of VFIO's ioctls without their variable parts. */
struct nnadev_vfu_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t num_regions;
	uint32_t num_irqs;
};

struct nnadev_vfu_region_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t cap_offset;
	uint64_t size;
	uint64_t offset;
};

struct nnadev_vfu_region_io_fds {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t count;
};

struct nnadev_vfu_irq_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t count;
};

/* With VFIO_IRQ_SET_DATA_BOOL one byte for each of count follows. */
struct nnadev_vfu_irq_set {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
};

/* REGION_READ, REGION_WRITE; count bytes of data follow a write and the reply to a read. */
struct nnadev_vfu_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

static_assert(sizeof(struct nnadev_vfu_header) == 16, "wire format");
static_assert(sizeof(struct nnadev_vfu_version) == 4, "wire format");
static_assert(sizeof(struct nnadev_vfu_dma_map) == 32, "wire format");
static_assert(sizeof(struct nnadev_vfu_dma_unmap) == 24, "wire format");
static_assert(sizeof(struct nnadev_vfu_device_info) == 16, "wire format");
static_assert(sizeof(struct nnadev_vfu_region_info) == 32, "wire format");
static_assert(sizeof(struct nnadev_vfu_region_io_fds) == 16, "wire format");
static_assert(sizeof(struct nnadev_vfu_irq_info) == 16, "wire format");
static_assert(sizeof(struct nnadev_vfu_irq_set) == 20, "wire format");
static_assert(sizeof(struct nnadev_vfu_region_access) == 16, "wire format");

#endif
