/* SPDX-License-Identifier: MIT */
/*
 * The PCI function of a model: configuration space and the BAR with the MSI-X table.
 *
 * Configuration space is an array of bytes, with a mask of writable bits beside it. It is made from
 * the model's table. The capabilities are power management, MSI-X and PCI Express (for function
 * level reset). Used by the transport thread alone.
 */
#ifndef NNADEV_FUNCTION_H
#define NNADEV_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "device/model.h"
#include "device/transport/vectors.h"

#define NNADEV_CONFIG_SIZE 4096u
#define NNADEV_MSIX_BAR_SIZE 4096u
#define NNADEV_MSIX_TABLE 0x0u
#define NNADEV_MSIX_PBA 0x800u

/**
 * struct nnadev_function - a PCI function
 * @model: what it is made from
 * @vectors: its MSI-X vectors
 * @config: configuration space
 * @writable: a bit for each bit of @config that a client may write
 * @table: the MSI-X table, as the client wrote it
 */
struct nnadev_function {
	const struct nnadev_model *model;
	struct nnadev_vectors *vectors;
	uint8_t config[NNADEV_CONFIG_SIZE];
	uint8_t writable[NNADEV_CONFIG_SIZE];
	uint8_t table[NNADEV_VECTORS_MAX * 16];
};

/*
 * Whether a function can be made from a model's table: it has IDs and vectors, one BAR for MSI-X,
 * and the sizes of the others are powers of two.
 */
bool nnadev_function_fits(const struct nnadev_model *model);

/* Set up as after a reset. @vectors has as many vectors as @model; both outlive the function. */
void nnadev_function_init(struct nnadev_function *function, const struct nnadev_model *model,
			  struct nnadev_vectors *vectors);

/* Bytes of a BAR; 0 when there is none of that number. */
uint32_t nnadev_function_bar_size(const struct nnadev_model *model, uint32_t bar);

/* Whether the client has enabled bus mastering. */
bool nnadev_function_is_master(const struct nnadev_function *function);

/* Read configuration space; [@offset, @offset + @size) must lie inside it. */
void nnadev_function_config_read(const struct nnadev_function *function, uint32_t offset,
				 uint32_t size, uint8_t *data);

/* Write, likewise. Return: true when the write asks for a function level reset of the device. */
bool nnadev_function_config_write(struct nnadev_function *function, uint32_t offset, uint32_t size,
				  const uint8_t *data);

/*
 * Access the BAR of the MSI-X table, by the same rules. The table is stored for the client to read
 * back, and has no effect: the client masks a vector by removing its eventfd.
 */
void nnadev_function_msix_read(const struct nnadev_function *function, uint32_t offset,
			       uint32_t size, uint8_t *data);
void nnadev_function_msix_write(struct nnadev_function *function, uint32_t offset, uint32_t size,
				const uint8_t *data);

#endif
