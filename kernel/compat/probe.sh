#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh INCLUDE: prints a -DNNA_HAVE_* option for each interface that the kernel headers in
# INCLUDE have. The version does not tell: point releases of one version differ, as fixes backport
# interfaces.

inc=$1

has() { # NAME FILE EXTENDED-REGEX
	grep -qsE "$3" "$inc/$2" && printf -- '-DNNA_HAVE_%s ' "$1"
}

has SCHED_INIT_ARGS drm/gpu_scheduler.h 'struct drm_sched_init_args \{'
has SCHED_CLIENT_ID drm/gpu_scheduler.h 'u64 drm_client_id'
has SCHED_STAT_RESET drm/gpu_scheduler.h 'DRM_GPU_SCHED_STAT_RESET'
has SCHED_STAT_NO_HANG drm/gpu_scheduler.h 'DRM_GPU_SCHED_STAT_NO_HANG'
has GPUVM_MAP_REQ drm/drm_gpuvm.h 'struct drm_gpuvm_map_req \{'
has GPUVM_BO_OBTAIN_LOCKED drm/drm_gpuvm.h 'drm_gpuvm_bo_obtain_locked'
has DRIVER_GEM_GPUVA drm/drm_drv.h 'DRIVER_GEM_GPUVA[[:space:]]*='
has GEM_IS_IMPORTED drm/drm_gem.h 'drm_gem_is_imported'
has SHMEM_LOCKED drm/drm_gem_shmem_helper.h 'drm_gem_shmem_purge_locked'
has SHMEM_REFCOUNT drm/drm_gem_shmem_helper.h 'refcount_t pages_use_count'
has WQ_PERCPU linux/workqueue.h 'WQ_PERCPU[[:space:]]*='
has IMPORT_NS_STRING linux/module.h 'MODULE_IMPORT_NS\(ns\)[[:space:]]*MODULE_INFO\(import_ns, ns\)'
exit 0
