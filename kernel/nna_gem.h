/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffer objects: shmem pages, or the dma-buf of another exporter.
 *
 * A buffer object never points to the file that created it. An address space holds a reference on
 * each object that it maps. An object gets its pages when the CPU or an address space first maps
 * it, and keeps them until it is freed: there is no eviction. The exception is an object that user
 * space has marked as not needed: the shrinker may purge it for good (nna_shrinker.h).
 *
 * Objects that may be purged are in nna_device.unneeded. An object enters when it has pages, the
 * mark, and no user of its pages besides the device; each call that may change one of these puts it
 * on the list or takes it off. An object that has been exported since is taken off by the shrinker.
 *
 * An object may outlive the binding of the driver; its DMA mapping may not. So the device has a
 * list of its objects, and unbind removes their mappings.
 *
 * The right to write belongs to a handle. The file that has created the object has it. A file that
 * has imported the object has it if the dma-buf was exported for writing; a dma-buf has one mode,
 * and an object one dma-buf as long as any file has a handle of it. Without the right the object
 * can neither be bound for writing, nor be mapped for writing by the CPU, nor be marked as not
 * needed.
 *
 * Locking: the object's reservation protects what the shmem helper says, and the label;
 * nna_device.bos_lock the list of all objects, and the DMA mapping against unbind.
 */
#ifndef NNA_GEM_H
#define NNA_GEM_H

#include <linux/container_of.h>
#include <drm/drm_gem_shmem_helper.h>

struct dma_buf;
struct dma_buf_attachment;
struct drm_file;
struct nna_device;
struct nna_user;
struct nna_vm;

/** NNA_MAX_BO_SIZE - Maximum bytes of a buffer object. */
#define NNA_MAX_BO_SIZE		(16ull << 30)
/** NNA_MAX_LABEL - Maximum bytes of a label, its terminating zero included. */
#define NNA_MAX_LABEL		64u

/**
 * struct nna_bo - A buffer object.
 * @base: pages and GEM object.
 * @flags: DRM_NNA_BO_*.
 * @creator: the file that has created it, as long as that has its handle; only compared. Else NULL.
 * @dmabuf_writable: its dma-buf, imported or exported last, was exported for writing. Written
 *	before a file can get a handle by it.
 * @resv_obj: for an object that belongs to one address space, the object whose reservation all such
 *	objects share; a reference. Else NULL.
 * @label: user space's name for it, or NULL; owned, protected by the object's reservation lock.
 * @dmabuf: for an imported object whose attachment unbind has removed, the dma-buf, whose
 *	reservation the object still uses; a reference. Else NULL. Protected by nna_device.bos_lock.
 * @user: the user of the file that has created it, for whom its pages count; a reference. NULL for
 *	an imported object.
 * @counted: nna_pages.c counts its pages. This and the next two are protected by the object's
 *	reservation lock.
 * @allocated: its pages have been allocated, and it has not been purged since. They stay in memory
 *	or in swap even if nothing uses them now.
 * @getting: calls that are about to allocate or use its pages.
 * @node: in nna_device.bos.
 */
struct nna_bo {
	struct drm_gem_shmem_object base;
	u32 flags;
	const struct drm_file *creator;
	bool dmabuf_writable;
	struct drm_gem_object *resv_obj;
	char *label;
	struct dma_buf *dmabuf;
	struct nna_user *user;
	bool counted;
	bool allocated;
	unsigned int getting;
	struct list_head node;
};

static inline struct nna_bo *to_nna_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nna_bo, base);
}

/** nna_gem_init() - Initialise the lists of buffer objects; 0 or -ENOMEM. */
int nna_gem_init(struct nna_device *nna);

/** nna_gem_create_object() - &drm_driver.gem_create_object. */
struct drm_gem_object *nna_gem_create_object(struct drm_device *drm, size_t size);

/** nna_gem_prime_import() - &drm_driver.gem_prime_import. */
struct drm_gem_object *nna_gem_prime_import(struct drm_device *drm, struct dma_buf *dmabuf);

/** nna_gem_prime_import_sg_table() - &drm_driver.gem_prime_import_sg_table. */
struct drm_gem_object *nna_gem_prime_import_sg_table(struct drm_device *drm,
						     struct dma_buf_attachment *attach,
						     struct sg_table *sgt);

/** nna_gem_unmap_all() - Remove all DMA mappings at unbind, with bus mastering disabled. */
void nna_gem_unmap_all(struct nna_device *nna);

/**
 * nna_bo_create() - Create a buffer object and a handle, which holds the only reference.
 * @file: the file that gets the handle.
 * @user: its user, for whom the object's pages count.
 * @vm: the only address space that may map the object, or NULL for any.
 * @size: in: bytes; out: rounded up to whole pages.
 * @flags: DRM_NNA_BO_*.
 * @handle: out: the handle.
 *
 * Return: 0, -EINVAL (a size of 0 or above NNA_MAX_BO_SIZE), -ENOMEM.
 */
int nna_bo_create(struct drm_file *file, struct nna_user *user, struct nna_vm *vm, u64 *size,
		  u32 flags, u32 *handle);

/** nna_bo_may_write() - Whether the file's handle of an object has the right to write. */
bool nna_bo_may_write(struct nna_bo *bo, const struct drm_file *file);

/**
 * nna_bo_get_pages() - Allocate the object's pages and map them for DMA, unless this has been done.
 * @bo: the object. Its reservation lock is taken.
 *
 * Afterwards drm_gem_shmem_object.sgt is the table of DMA addresses. It is valid while the caller
 * locks the reservation, or an address space that maps the object; else the shrinker may purge the
 * object.
 *
 * Must be called inside drm_dev_enter(), as unbind must find the mapping.
 *
 * Return: 0, -ENOMEM (also at the limit of nna_pages.h), -EINTR, -EFAULT (user space has marked the
 * object as not needed).
 */
int nna_bo_get_pages(struct nna_bo *bo);

/**
 * nna_bo_sync() - Clean or invalidate CPU caches for a range, if the device does not snoop.
 * @bo: the object.
 * @to_device: true: clean, after the CPU has written; false: invalidate, before the CPU reads.
 * @offset: first byte.
 * @size: bytes.
 *
 * Must be called inside drm_dev_enter().
 *
 * Return: 0, -EINVAL (outside the object), or an error of nna_bo_get_pages().
 */
int nna_bo_sync(struct nna_bo *bo, bool to_device, u64 offset, u64 size);

/**
 * nna_bo_begin_read() - Make what the device has written visible to the kernel's mapping of pages.
 * @bo: the object, not imported; mapped by an address space that the caller has locked.
 * @offset: first byte, within the object.
 * @size: bytes.
 *
 * The kernel's mapping is cached, whatever those of user space are. Must be called inside
 * drm_dev_enter().
 */
void nna_bo_begin_read(struct nna_bo *bo, u64 offset, u64 size);

/**
 * nna_bo_advise() - Mark an object as needed or not needed by user space.
 * @bo: the object. Its reservation lock is taken.
 * @needed: false: the shrinker may purge the object from now on.
 * @retained: out: whether the object still has its memory.
 *
 * Return: 0, -EINTR.
 */
int nna_bo_advise(struct nna_bo *bo, bool needed, bool *retained);

/**
 * nna_bo_is_purgeable() - Whether nna_bo_purge() may be called, and frees the memory.
 * @bo: the object, its reservation locked.
 *
 * Return: true if it may.
 */
bool nna_bo_is_purgeable(struct nna_bo *bo);

/** nna_bo_unlist() - Take an object off nna_device.unneeded; with the lock of that list. */
void nna_bo_unlist(struct nna_bo *bo);

/**
 * nna_bo_purge() - Free the memory of an object for good; from reclaim.
 * @bo: the object: purgeable, its reservation locked, with no translation in any address space.
 *
 * Must be called inside drm_dev_enter(), with nna_device.unneeded_lock held.
 */
void nna_bo_purge(struct nna_bo *bo);

/** nna_bo_set_label() - Set the label; takes over @label, from kmalloc() or NULL. */
void nna_bo_set_label(struct nna_bo *bo, char *label);

#endif
