// SPDX-License-Identifier: GPL-2.0-only
/* The DRM driver: see nna_drv.h. */

#include <linux/module.h>
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_ioctl.h>

#include "nna_core.h"
#include "nna_debugfs.h"
#include "nna_device.h"
#include "nna_drv.h"
#include "nna_fdinfo.h"
#include "nna_file.h"
#include "nna_gem.h"
#include "nna_ioctl.h"

static const struct file_operations nna_drm_fops = {
	.owner = THIS_MODULE,
	DRM_ACCEL_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

/*
 * Versions of the user interface:
 *
 * 1.0 first version
 * 1.1 limits of jobs, mappings and page tables in HW_INFO, DRM_NNA_SUBMIT_NONBLOCK, BO_MADVISE
 * 1.2 profiles of jobs: profile_va and profile_size of SUBMIT, DRM_NNA_HW_PROFILES
 * 1.3 FILE_SET_USER, max_user_ctxs in HW_INFO
 * 1.4 DRM_NNA_SUBMIT_SLICE, DRM_NNA_HW_SLICES, work_rate in HW_INFO
 */
static const struct drm_driver nna_drm_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = nna_file_open,
	.postclose = nna_file_close,
	.ioctls = nna_ioctls,
	.num_ioctls = NNA_IOCTL_COUNT,
	.fops = &nna_drm_fops,
	.show_fdinfo = nna_fdinfo_show,
	.gem_create_object = nna_gem_create_object,
	.gem_prime_import = nna_gem_prime_import,
	.gem_prime_import_sg_table = nna_gem_prime_import_sg_table,
	.name = NNA_DRIVER_NAME,
	.desc = "NNA accelerator",
	.major = 1,
	.minor = 4,
};

int nna_drv_probe(struct nna_bus *bus)
{
	struct nna_device *nna;

	nna = nna_device_probe(bus, &nna_drm_driver);
	if (IS_ERR(nna))
		return PTR_ERR(nna);
	nna_debugfs_init(nna);
	return nna_device_register(nna);
}
