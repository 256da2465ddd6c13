/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffer objects: shmem pages, or somebody else's dma-buf.
 *
 * A buffer object never points to the file that made it. While it is mapped in an address space,
 * that holds a reference, and its pages stay where they are: there is no eviction.
 *
 * An object may outlive the device, its DMA mapping may not: the device lists its objects.
 */
#ifndef NNA_GEM_H
#define NNA_GEM_H

#include <linux/container_of.h>
#include <drm/drm_gem_shmem_helper.h>

struct dma_buf;
struct dma_buf_attachment;
struct drm_file;
struct nna_device;
struct nna_vm;

/** NNA_MAX_BO_SIZE - Most bytes of a buffer object. */
#define NNA_MAX_BO_SIZE		(16ull << 30)
/** NNA_MAX_LABEL - Most bytes of a label, its terminating zero included. */
#define NNA_MAX_LABEL		64u

/**
 * struct nna_bo - A buffer object.
 * @base: pages and GEM object.
 * @flags: DRM_NNA_BO_*.
 * @resv_obj: of an object that belongs to one address space: the object whose reservation it
 *	shares; holds a reference. Else NULL.
 * @label: name for people, or NULL; protected by the object's reservation lock.
 * @dmabuf: of an imported object that the device has been taken from: what it was imported from; a
 *	reference.
 * @node: in &nna_device.bos.
 */
struct nna_bo {
	struct drm_gem_shmem_object base;
	u32 flags;
	struct drm_gem_object *resv_obj;
	char *label;
	struct dma_buf *dmabuf;
	struct list_head node;
};

static inline struct nna_bo *to_nna_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nna_bo, base);
}

/** nna_gem_create_object() - &drm_driver.gem_create_object. */
struct drm_gem_object *nna_gem_create_object(struct drm_device *drm, size_t size);

/** nna_gem_prime_import() - &drm_driver.gem_prime_import. */
struct drm_gem_object *nna_gem_prime_import(struct drm_device *drm, struct dma_buf *dmabuf);

/** nna_gem_prime_import_sg_table() - &drm_driver.gem_prime_import_sg_table. */
struct drm_gem_object *nna_gem_prime_import_sg_table(struct drm_device *drm,
						     struct dma_buf_attachment *attach,
						     struct sg_table *sgt);

/** nna_gem_unmap_all() - Give back all objects' DMA mappings; the device must reach no memory. */
void nna_gem_unmap_all(struct nna_device *nna);

/**
 * nna_bo_create() - Create a buffer object and a handle of it.
 * @file: who gets the handle.
 * @vm: the only address space it may be bound into, or NULL.
 * @size: in: bytes; out: rounded up to pages.
 * @flags: DRM_NNA_BO_*.
 * @handle: out.
 *
 * Return: 0 or a negative errno.
 */
int nna_bo_create(struct drm_file *file, struct nna_vm *vm, u64 *size, u32 flags, u32 *handle);

/**
 * nna_bo_get_pages() - Have the object's memory there, mapped for the device, as long as it lives.
 * @bo: the object.
 *
 * Return: the table, which is the object's, or an ERR_PTR: -ENOMEM, -EINTR.
 */
struct sg_table *nna_bo_get_pages(struct nna_bo *bo);

/** nna_bo_sync() - Clean or invalidate CPU caches for a range; 0 or a negative errno. */
int nna_bo_sync(struct nna_bo *bo, bool to_device, u64 offset, u64 size);

/** nna_bo_set_label() - Name the object; takes over @label, which may be NULL. */
void nna_bo_set_label(struct nna_bo *bo, char *label);

#endif
