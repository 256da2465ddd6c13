/* SPDX-License-Identifier: MIT */
#ifndef _UAPI_NNA_ACCEL_H_
#define _UAPI_NNA_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: The NNA accelerator's user interface
 *
 * A client opens /dev/accel/accelN, or /dev/dri/renderDN where the kernel has no DRM accelerators
 * (driver name "nna"), creates an address space (VM), creates buffer objects and binds them into
 * the VM, creates a context on the VM and submits jobs to it. Command stream, base table, report
 * and tensors of a job are in the client's own buffers, at addresses of its VM. The kernel reads
 * none of them to run the job: the device's MMU isolates clients from each other. Only a core dump
 * copies a job's report and its current command.
 *
 * Synchronisation is explicit: a submission names the &drm_syncobj it waits for and those it
 * signals, binary or timeline. The syncobj ioctls of the DRM core, with their sync_file import and
 * export, work on that node.
 *
 * Rules that hold for all ioctls:
 *
 * - Fields called pad and unknown flag bits must be zero; they are checked (-EINVAL).
 * - Ids of VMs and contexts belong to the file; 0 is never one of them.
 * - An ioctl that fails has changed nothing, with one exception: if the kernel cannot write to the
 *   argument (-EFAULT), a new object, whose id or handle is then unknown, may exist until the file
 *   is closed.
 * - An ioctl that returns -EINTR can be called again with the same argument.
 * - Points in time are absolute, in nanoseconds of CLOCK_MONOTONIC; 0 means none.
 * - DRM_IOCTL_VERSION returns the version of this interface. Its minor number grows with each
 *   addition; the driver's nna_drv.c has the list. An older kernel refuses a new ioctl (-EINVAL),
 *   and leaves a new field of an answer 0.
 * - Arrays are passed as &struct drm_nna_obj_array with the size of one element, so elements may
 *   grow. Bytes that an older kernel does not know must be zero; bytes that an older client does
 *   not pass are read as zero.
 *
 * Errors that any ioctl may return; each ioctl names its others:
 *
 * ========  ==========================================================================
 * -EINVAL   malformed
 * -ENOENT   no such id or handle
 * -EFAULT   a pointer to memory that cannot be accessed
 * -E2BIG    a count above its limit in HW_INFO, an element of more than 4096 bytes, or
 *           an element with bits set that this kernel does not know
 * -ENOMEM   no memory
 * -EINTR    a signal
 * -ENODEV   the driver has been unbound from the device, or the device is lost
 * ========  ==========================================================================
 *
 * Errors of a job's fence once it has signalled:
 *
 * ===========  ======================================================================= =====
 * 0            done; or the job has yielded, see resume in its report
 * -ETIMEDOUT   deadline, duration or loop limit passed
 * -ETIME       ran longer than its budget, or the device hung on it                    bans
 * -EFAULT      accessed an address that is not mapped or not writable                  bans
 * -EINVAL      malformed command stream                                                bans
 * -ERANGE      an index read from memory is out of range
 * -ENOSPC      an output whose size depends on data does not fit its buffer
 * -ENOMEM      the device has no memory for the job's mappings or scratch data
 * -EIO         the device failed, or was reset from outside, and no job is guilty
 * -ECANCELED   its context was banned or destroyed, or another job's hang caused a reset, or
 *              it did not yield when the system was suspended
 * -ESRCH       its context was destroyed before it could start
 * -ENODEV      the driver has been unbound, or the device is lost
 * any other    the error of an in-fence: the job has not run
 * ===========  ======================================================================= =====
 *
 * "bans": the job's context takes no more jobs (-ECANCELED); see CTX_GET_STATE. Other contexts are
 * not affected, not even those of the same client.
 */

/**
 * enum drm_nna_ioctl_id - Numbers of the ioctls.
 */
enum drm_nna_ioctl_id {
	/** @DRM_NNA_DEV_QUERY: Query properties of the device and the driver. */
	DRM_NNA_DEV_QUERY = 0,
	/** @DRM_NNA_BO_CREATE: Create a buffer object. */
	DRM_NNA_BO_CREATE,
	/** @DRM_NNA_BO_MMAP_OFFSET: Get the file offset to mmap() a buffer object. */
	DRM_NNA_BO_MMAP_OFFSET,
	/** @DRM_NNA_BO_SYNC: Clean or invalidate the CPU's caches for a buffer object. */
	DRM_NNA_BO_SYNC,
	/** @DRM_NNA_BO_SET_LABEL: Name a buffer object, for debugging. */
	DRM_NNA_BO_SET_LABEL,
	/** @DRM_NNA_BO_FROM_USERPTR: Reserved; -EINVAL. */
	DRM_NNA_BO_FROM_USERPTR,
	/** @DRM_NNA_VM_CREATE: Create an address space. */
	DRM_NNA_VM_CREATE,
	/** @DRM_NNA_VM_DESTROY: Destroy an address space. */
	DRM_NNA_VM_DESTROY,
	/** @DRM_NNA_VM_BIND: Map and unmap buffer objects. */
	DRM_NNA_VM_BIND,
	/** @DRM_NNA_CTX_CREATE: Create a context. */
	DRM_NNA_CTX_CREATE,
	/** @DRM_NNA_CTX_DESTROY: Destroy a context. */
	DRM_NNA_CTX_DESTROY,
	/** @DRM_NNA_CTX_GET_STATE: Query whether and why a context is banned. */
	DRM_NNA_CTX_GET_STATE,
	/** @DRM_NNA_SUBMIT: Submit one job. */
	DRM_NNA_SUBMIT,
	/** @DRM_NNA_BO_MADVISE: Mark a buffer object as needed or not needed. Since 1.1. */
	DRM_NNA_BO_MADVISE,
	/** @DRM_NNA_FILE_SET_USER: Say for whom the file has been opened. Since 1.3. */
	DRM_NNA_FILE_SET_USER,
};

/**
 * struct drm_nna_obj_array - An array whose elements may grow.
 */
struct drm_nna_obj_array {
	/**
	 * @stride: Size of one element in bytes, as the client knows it, at most 4096; 0 is allowed
	 * when @count is 0.
	 */
	__u32 stride;
	/** @count: Number of elements. */
	__u32 count;
	/** @array: User pointer to the elements. */
	__u64 array;
};

/** DRM_NNA_OBJ_ARRAY() - Initialiser of a &struct drm_nna_obj_array from a pointer and a count. */
#define DRM_NNA_OBJ_ARRAY(cnt, ptr) \
	{ .stride = sizeof((ptr)[0]), .count = (cnt), .array = (__u64)(unsigned long)(ptr) }

/* ------------------------------------------------------------------------------------ DEV_QUERY */

/**
 * enum drm_nna_dev_query_type - Answers of DEV_QUERY.
 */
enum drm_nna_dev_query_type {
	/** @DRM_NNA_DEV_QUERY_HW_INFO: &struct drm_nna_hw_info. */
	DRM_NNA_DEV_QUERY_HW_INFO = 0,
	/** @DRM_NNA_DEV_QUERY_SCHED_INFO: &struct drm_nna_sched_info. */
	DRM_NNA_DEV_QUERY_SCHED_INFO,
	/** @DRM_NNA_DEV_QUERY_TIMESTAMP: &struct drm_nna_timestamp. Reads the device. */
	DRM_NNA_DEV_QUERY_TIMESTAMP,
	/**
	 * @DRM_NNA_DEV_QUERY_COUNTERS: &struct drm_nna_counters. Reads the device. They show the
	 * activity of other clients, so the caller needs CAP_PERFMON or CAP_SYS_ADMIN: else
	 * -EACCES.
	 */
	DRM_NNA_DEV_QUERY_COUNTERS,
	/** @DRM_NNA_DEV_QUERY_FILE_COUNTERS: &struct drm_nna_file_counters. */
	DRM_NNA_DEV_QUERY_FILE_COUNTERS,
};

/**
 * struct drm_nna_dev_query - Argument of DRM_IOCTL_NNA_DEV_QUERY.
 *
 * If @pointer is 0 the kernel stores the size of the answer in @size. Else it writes at most @size
 * bytes of the answer, fills the rest of the @size bytes with zeros, and stores the size of the
 * answer in @size.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_hw_info info = {};
 *	struct drm_nna_dev_query query = {
 *		.type = DRM_NNA_DEV_QUERY_HW_INFO,
 *		.size = sizeof(info),
 *		.pointer = (uintptr_t)&info,
 *	};
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_DEV_QUERY, &query) == 0 && info.abi_major == 1)
 *		printf("jobs may take %llu ns\n", info.job_limit_ns);
 */
struct drm_nna_dev_query {
	/** @type: One of &enum drm_nna_dev_query_type. */
	__u32 type;
	/** @size: In: bytes at @pointer. Out: bytes of the answer. */
	__u32 size;
	/** @pointer: User pointer to the structure that @type names, or 0. */
	__u64 pointer;
};

/** DRM_NNA_HW_COHERENT - The device snoops the CPU's caches: BO_SYNC does nothing. */
#define DRM_NNA_HW_COHERENT (1u << 0)
/** DRM_NNA_HW_PROFILES - The device supports the profile of SUBMIT. Since 1.2. */
#define DRM_NNA_HW_PROFILES (1u << 1)
/** DRM_NNA_HW_SLICES - The device supports DRM_NNA_SUBMIT_SLICE. Since 1.4. */
#define DRM_NNA_HW_SLICES (1u << 2)

/**
 * struct drm_nna_hw_info - Versions and limits of the device and the driver.
 */
struct drm_nna_hw_info {
	/** @abi_major: Hardware interface version; a client must refuse an unknown one. */
	__u16 abi_major;
	/** @abi_minor: Grows with compatible additions. */
	__u16 abi_minor;
	/** @stream_version: Version of the command stream that the device executes. */
	__u16 stream_version;
	/** @layout_version: Version of the packed weight layouts. */
	__u16 layout_version;
	/** @flags: DRM_NNA_HW_*. */
	__u32 flags;
	/** @job_rings: Number of rings that take jobs: one per priority. */
	__u32 job_rings;
	/** @ring_size: Number of jobs that fit in one ring; others wait in the kernel. */
	__u32 ring_size;
	/** @workers: Number of threads or cores of the device that compute. */
	__u32 workers;
	/** @va_bits: Width of a device address. */
	__u32 va_bits;
	/** @max_slots: Maximum entries of a job's base table. */
	__u32 max_slots;
	/** @va_start: First address that may be mapped. */
	__u64 va_start;
	/** @va_end: First address behind the range that may be mapped. */
	__u64 va_end;
	/**
	 * @page_sizes: Bit n: the device maps pages of 2^n bytes. Addresses, offsets and sizes of
	 * binds are multiples of the smallest page.
	 */
	__u64 page_sizes;
	/** @job_limit_ns: Run time after which the device ends any job, in nanoseconds. */
	__u64 job_limit_ns;
	/** @tick_hz: Frequency of the device's clock, in Hz. */
	__u64 tick_hz;
	/** @max_stream_size: Maximum bytes of a command stream. */
	__u64 max_stream_size;
	/** @max_bo_size: Maximum bytes of a buffer object. */
	__u64 max_bo_size;
	/** @max_syncs: Maximum elements of the syncs array of SUBMIT. */
	__u32 max_syncs;
	/** @max_bind_ops: Maximum elements of the ops array of VM_BIND. */
	__u32 max_bind_ops;
	/** @max_bo_sync_ops: Maximum elements of the ops array of BO_SYNC. */
	__u32 max_bo_sync_ops;
	/** @max_vms: Maximum address spaces of one file. */
	__u32 max_vms;
	/** @max_ctxs: Maximum contexts of one file. */
	__u32 max_ctxs;
	/** @max_label: Maximum bytes of a label, its terminating zero included. */
	__u32 max_label;
	/**
	 * @max_ctx_jobs: Job quota of a context: maximum jobs that have not ended; see SUBMIT. 0: a
	 * kernel without quotas and without DRM_NNA_SUBMIT_NONBLOCK.
	 */
	__u32 max_ctx_jobs;
	/** @max_file_jobs: Job quota of a file: the same over all its contexts. */
	__u32 max_file_jobs;
	/** @max_mappings: Maximum mappings of a VM; see VM_BIND. 0: a kernel without this limit. */
	__u32 max_mappings;
	/** @max_tables: Maximum page tables of a VM; likewise. */
	__u32 max_tables;
	/** @max_user_ctxs: Maximum contexts of one user. 0: a kernel without this limit. */
	__u32 max_user_ctxs;
	/** @pad: MBZ. */
	__u32 pad;
	/**
	 * @work_rate: Work that the device does at least in a second of run time: see its register
	 * WORK_RATE. 0: it is not stated. Since 1.4.
	 */
	__u64 work_rate;
};

/**
 * struct drm_nna_sched_info - Priorities.
 */
struct drm_nna_sched_info {
	/**
	 * @priority_mask: Bit n: the caller may create contexts of priority n, see
	 * &enum drm_nna_ctx_priority.
	 */
	__u32 priority_mask;
	/** @pad: MBZ. */
	__u32 pad;
	/**
	 * @timeout_ns: Time after which the driver checks a job that has not ended. If the device
	 * hangs, the driver aborts a job or resets the device.
	 */
	__u64 timeout_ns;
};

/**
 * struct drm_nna_timestamp - The device's clock and CLOCK_MONOTONIC at the same moment.
 */
struct drm_nna_timestamp {
	/** @monotonic_ns: CLOCK_MONOTONIC in nanoseconds. */
	__u64 monotonic_ns;
	/** @tick: The device's clock, as in a job's report. */
	__u64 tick;
	/** @uncertainty_ns: Maximum time between the two readings. */
	__u64 uncertainty_ns;
};

/**
 * struct drm_nna_counters - Counters of device and driver since the driver was bound.
 *
 * The query reads registers, which @mmio_reads counts, too, and resumes a suspended device.
 */
struct drm_nna_counters {
	/** @jobs: Jobs that the device has ended. */
	__u64 jobs;
	/** @commands: Commands of streams that the device has executed. */
	__u64 commands;
	/** @irqs: Interrupts that the device has raised. */
	__u64 irqs;
	/** @mmio_reads: Register reads that the device has answered. */
	__u64 mmio_reads;
	/** @mmio_writes: Register writes that the device has received. */
	__u64 mmio_writes;
	/** @preemptions: Number of times that a job of another ring has preempted a job. */
	__u64 preemptions;
	/** @faults: Jobs that ended with a status other than OK. */
	__u64 faults;
	/** @busy_ticks: Ticks during which a job ran. */
	__u64 busy_ticks;
	/** @walks: Page table walks. */
	__u64 walks;
	/** @longest_tile_ticks: Run time of the longest tile: bounds the preemption latency. */
	__u64 longest_tile_ticks;
	/** @driver_irqs: Interrupts that the driver has handled. */
	__u64 driver_irqs;
	/**
	 * @driver_completions: Completions that the driver has handled, including those of its own
	 * entries.
	 */
	__u64 driver_completions;
	/** @driver_mmio_reads: Register reads that the driver has done. */
	__u64 driver_mmio_reads;
	/** @driver_resets: Number of times that the driver has reset the device after a failure. */
	__u64 driver_resets;
};

/**
 * struct drm_nna_file_counters - Counters of the file's jobs since it was opened.
 *
 * A job is counted before its fence signals.
 */
struct drm_nna_file_counters {
	/** @jobs: Jobs that the device has ended. */
	__u64 jobs;
	/** @faults: Of these, jobs that ended with a status other than OK or YIELDED. */
	__u64 faults;
	/** @lost: Jobs on the rings that a reset or the loss of the device ended. */
	__u64 lost;
	/** @busy_ticks: Run time of @jobs by &enum drm_nna_ctx_priority, in ticks. */
	__u64 busy_ticks[4];
};

/* --------------------------------------------------------------------------------------- FILE_* */

/**
 * enum drm_nna_user_type - How FILE_SET_USER names a user.
 */
enum drm_nna_user_type {
	/**
	 * @DRM_NNA_USER_UID: A uid in the caller's user namespace. The file counts as one that this
	 * uid has opened.
	 */
	DRM_NNA_USER_UID = 0,
	/**
	 * @DRM_NNA_USER_KEY: A number that the caller chooses. The same number names different
	 * users for callers that are different users.
	 */
	DRM_NNA_USER_KEY,
};

/**
 * struct drm_nna_file_set_user - Argument of DRM_IOCTL_NNA_FILE_SET_USER.
 *
 * The device is shared among users: each gets an equal part of the run time of a priority, however
 * many files it opens, and the limits of users in HW_INFO hold for all its files together. The user
 * of a file is the effective uid that has opened it; in a user namespace other than the initial
 * one, the owner of the outermost namespace below the initial one.
 *
 * A service that opens files for its clients calls this on each, and a container runtime on the
 * files that it hands to a container. The file then belongs to the user for good, whoever uses it.
 *
 * -EACCES: the caller does not have CAP_SYS_NICE. -EINVAL: an unknown @type, or no uid. -EBUSY: the
 * user has been set, or the file has created a buffer object, a VM or a context.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_file_set_user user = { .type = DRM_NNA_USER_UID, .id = client_uid };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_FILE_SET_USER, &user);
 */
struct drm_nna_file_set_user {
	/** @type: One of &enum drm_nna_user_type. */
	__u32 type;
	/** @pad: MBZ. */
	__u32 pad;
	/** @id: The uid, or the number. */
	__u64 id;
};

/* ----------------------------------------------------------------------------------------- BO_* */

/** DRM_NNA_BO_NO_MMAP - The CPU cannot map the buffer object. */
#define DRM_NNA_BO_NO_MMAP (1u << 0)
/**
 * DRM_NNA_BO_CACHED - CPU mappings are cached even if the device does not snoop: use BO_SYNC.
 *
 * Without this flag CPU mappings are coherent with the device: cached if the device snoops the
 * CPU's caches, else write-combined.
 */
#define DRM_NNA_BO_CACHED (1u << 1)
/** DRM_NNA_BO_FLAGS - All flags of BO_CREATE. */
#define DRM_NNA_BO_FLAGS (DRM_NNA_BO_NO_MMAP | DRM_NNA_BO_CACHED)

/**
 * struct drm_nna_bo_create - Argument of DRM_IOCTL_NNA_BO_CREATE.
 *
 * The memory is zero. DRM_IOCTL_GEM_CLOSE closes the handle; mappings in a VM keep the memory
 * alive. DRM_IOCTL_PRIME_FD_TO_HANDLE imports a dma-buf; it returns -EINVAL for one that does not
 * consist of whole pages.
 *
 * A dma-buf that was exported for reading only gives a handle without the right to write: VM_BIND
 * without DRM_NNA_VM_BIND_OP_READONLY, mmap() with PROT_WRITE and BO_MADVISE are refused (-EACCES).
 * This also holds for an object of this driver that comes back as a dma-buf to another file, or to
 * its own file after that has closed its handle. So export with DRM_RDWR
 * (DRM_IOCTL_PRIME_HANDLE_TO_FD) or O_RDWR (dma-buf heaps) what the device shall write. An object
 * has one dma-buf, and its first export decides.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_bo_create create = { .size = 65536, .vm_id = vm_id };
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &create) == 0)
 *		handle = create.handle;
 */
struct drm_nna_bo_create {
	/** @size: In: bytes, more than 0. Out: rounded up to pages. */
	__u64 size;
	/** @flags: DRM_NNA_BO_*. */
	__u32 flags;
	/**
	 * @vm_id: 0, or the only VM that may map the object. Such an object can neither be exported
	 * (-EPERM) nor bound into another VM (-EINVAL).
	 */
	__u32 vm_id;
	/** @handle: Out: GEM handle. */
	__u32 handle;
	/** @pad: MBZ. */
	__u32 pad;
};

/**
 * struct drm_nna_bo_mmap_offset - Argument of DRM_IOCTL_NNA_BO_MMAP_OFFSET.
 *
 * -EPERM: the object was created with DRM_NNA_BO_NO_MMAP, or imported. mmap() with PROT_WRITE is
 * -EACCES if the handle has come from a dma-buf that was exported for reading only.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_bo_mmap_offset arg = { .handle = handle };
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &arg) == 0)
 *		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, arg.offset);
 */
struct drm_nna_bo_mmap_offset {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @pad: MBZ. */
	__u32 pad;
	/** @offset: Out: the offset to pass to mmap(). */
	__u64 offset;
};

/**
 * enum drm_nna_bo_sync_type - Direction of a BO_SYNC operation.
 */
enum drm_nna_bo_sync_type {
	/** @DRM_NNA_BO_SYNC_TO_DEVICE: After the CPU has written, before the device reads. */
	DRM_NNA_BO_SYNC_TO_DEVICE = 0,
	/** @DRM_NNA_BO_SYNC_TO_CPU: After the device has written, before the CPU reads. */
	DRM_NNA_BO_SYNC_TO_CPU,
};

/**
 * struct drm_nna_bo_sync_op - One range of one buffer object.
 */
struct drm_nna_bo_sync_op {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @type: One of &enum drm_nna_bo_sync_type. */
	__u32 type;
	/** @offset: Bytes from the start of the object. */
	__u64 offset;
	/** @size: Bytes. */
	__u64 size;
};

/**
 * struct drm_nna_bo_sync - Argument of DRM_IOCTL_NNA_BO_SYNC.
 *
 * Only needed for objects created with DRM_NNA_BO_CACHED on a device without DRM_NNA_HW_COHERENT.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_bo_sync_op op = {
 *		.handle = handle, .type = DRM_NNA_BO_SYNC_TO_DEVICE, .size = size,
 *	};
 *	struct drm_nna_bo_sync sync = { .ops = DRM_NNA_OBJ_ARRAY(1, &op) };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_BO_SYNC, &sync);
 */
struct drm_nna_bo_sync {
	/** @ops: Array of &struct drm_nna_bo_sync_op. */
	struct drm_nna_obj_array ops;
};

/**
 * struct drm_nna_bo_set_label - Argument of DRM_IOCTL_NNA_BO_SET_LABEL.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_bo_set_label arg = { .handle = handle, .label = (uintptr_t)"weights" };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_BO_SET_LABEL, &arg);
 */
struct drm_nna_bo_set_label {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @pad: MBZ. */
	__u32 pad;
	/**
	 * @label: User pointer to a string (-E2BIG when longer than max_label), or 0 for none.
	 */
	__u64 label;
};

/**
 * enum drm_nna_madv - Whether user space needs the contents of a buffer object.
 */
enum drm_nna_madv {
	/** @DRM_NNA_MADV_WILLNEED: It needs them; the state of a new object. */
	DRM_NNA_MADV_WILLNEED = 0,
	/** @DRM_NNA_MADV_DONTNEED: It does not: the kernel may purge the object at any time. */
	DRM_NNA_MADV_DONTNEED,
};

/**
 * struct drm_nna_bo_madvise - Argument of DRM_IOCTL_NNA_BO_MADVISE.
 *
 * For a cache of buffer objects that a client keeps to reuse them. When the system is short of
 * memory the kernel purges objects that are not needed: it frees the memory of the whole object for
 * good. A purged object keeps its handle and its mappings, but
 *
 * - a job that accesses it ends with a fault (-EFAULT), which bans its context;
 * - VM_BIND and mmap() of it return -EFAULT, and so does BO_SYNC if it has anything to do.
 *
 * The second rule also applies to an object that is not needed and has not been purged. Jobs that
 * were submitted before the ioctl run to their end with its memory. A later job may use the memory
 * only after an ioctl with DRM_NNA_MADV_WILLNEED has returned @retained 1.
 *
 * The kernel never purges an object that has been exported or imported, or that the CPU maps.
 *
 * -EACCES: the handle has come from a dma-buf that was exported for reading only.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_bo_madvise arg = { .handle = handle, .madv = DRM_NNA_MADV_WILLNEED };
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_BO_MADVISE, &arg) == 0 && !arg.retained)
 *		printf("the object has been purged: close it and create a new one\n");
 */
struct drm_nna_bo_madvise {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @madv: One of &enum drm_nna_madv. */
	__u32 madv;
	/** @retained: In: MBZ. Out: 1 if the object has its memory, 0 if it has been purged. */
	__u32 retained;
	/** @pad: MBZ. */
	__u32 pad;
};

/* ----------------------------------------------------------------------------------------- VM_* */

/**
 * struct drm_nna_vm_create - Argument of DRM_IOCTL_NNA_VM_CREATE.
 *
 * -ENOSPC: the file already has max_vms address spaces.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_vm_create create = {};
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &create) == 0)
 *		vm_id = create.id;
 */
struct drm_nna_vm_create {
	/** @flags: MBZ. */
	__u32 flags;
	/** @id: Out: id of the VM. */
	__u32 id;
};

/**
 * struct drm_nna_vm_destroy - Argument of DRM_IOCTL_NNA_VM_DESTROY.
 *
 * The id is invalid at once. The mappings are removed when no context and no job uses the VM.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_vm_destroy destroy = { .id = vm_id };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_VM_DESTROY, &destroy);
 */
struct drm_nna_vm_destroy {
	/** @id: Id of the VM. */
	__u32 id;
	/** @pad: MBZ. */
	__u32 pad;
};

/**
 * enum drm_nna_vm_bind_op_type - Kinds of bind operations.
 */
enum drm_nna_vm_bind_op_type {
	/** @DRM_NNA_VM_BIND_OP_MAP: Map a range of an object; replaces mappings of the range. */
	DRM_NNA_VM_BIND_OP_MAP = 0,
	/**
	 * @DRM_NNA_VM_BIND_OP_UNMAP: Remove all mappings of the range, if there are any.
	 */
	DRM_NNA_VM_BIND_OP_UNMAP,
};

/** DRM_NNA_VM_BIND_OP_READONLY - MAP: the device may not write. */
#define DRM_NNA_VM_BIND_OP_READONLY (1u << 0)

/**
 * struct drm_nna_vm_bind_op - One bind operation.
 */
struct drm_nna_vm_bind_op {
	/** @type: One of &enum drm_nna_vm_bind_op_type. */
	__u32 type;
	/** @flags: MAP: DRM_NNA_VM_BIND_OP_*. UNMAP: MBZ. */
	__u32 flags;
	/** @bo_handle: MAP: GEM handle. UNMAP: MBZ. */
	__u32 bo_handle;
	/** @pad: MBZ. */
	__u32 pad;
	/** @bo_offset: MAP: bytes from the start of the object, page aligned. UNMAP: MBZ. */
	__u64 bo_offset;
	/** @va: Device address, page aligned. */
	__u64 va;
	/** @size: Bytes, page aligned, more than 0. */
	__u64 size;
};

/**
 * struct drm_nna_vm_bind - Argument of DRM_IOCTL_NNA_VM_BIND.
 *
 * The operations are done in order, all of them or none. When the ioctl returns no job can use an
 * old mapping. The driver uses pages of 2 MiB where address and offset are congruent modulo 2 MiB
 * and the object's memory is contiguous.
 *
 * -ENOSPC: the VM might exceed max_mappings or max_tables. A map adds up to two mappings, since it
 * may split an old one; an unmap adds one if it splits one. There is a page table for each 2 MiB of
 * addresses with small pages, one for each 1 GiB with such tables, and so on.
 * -ENOMEM: also if the limit of pinned pages is reached. It holds for all users together; the
 * file's user may have at most three times as many pages as are left below it.
 * -EACCES: a map without DRM_NNA_VM_BIND_OP_READONLY of a handle that has come from a dma-buf which
 * was exported for reading only; see BO_CREATE.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_vm_bind_op op = {
 *		.type = DRM_NNA_VM_BIND_OP_MAP,
 *		.bo_handle = handle, .va = 0x200000, .size = 65536,
 *	};
 *	struct drm_nna_vm_bind bind = { .vm_id = vm_id, .ops = DRM_NNA_OBJ_ARRAY(1, &op) };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_VM_BIND, &bind);
 */
struct drm_nna_vm_bind {
	/** @vm_id: Id of the VM. */
	__u32 vm_id;
	/** @flags: MBZ. */
	__u32 flags;
	/** @ops: Array of &struct drm_nna_vm_bind_op. */
	struct drm_nna_obj_array ops;
	/** @syncs: Reserved for asynchronous binds, MBZ. */
	struct drm_nna_obj_array syncs;
};

/* ---------------------------------------------------------------------------------------- CTX_* */

/**
 * enum drm_nna_ctx_priority - Priority of a context.
 *
 * Jobs of a higher priority preempt those of a lower one. A lower priority that has waited 100 ms
 * gets 25 ms of run time at the next tile, also within a job of a higher one. So with jobs of all
 * priorities each gets run time after at most 175 ms and a tile of each of the others. (Within a
 * priority the jobs of other users and files go in turn.)
 */
enum drm_nna_ctx_priority {
	/** @DRM_NNA_CTX_PRIORITY_LOW: Background work. */
	DRM_NNA_CTX_PRIORITY_LOW = 0,
	/** @DRM_NNA_CTX_PRIORITY_MEDIUM: The default. */
	DRM_NNA_CTX_PRIORITY_MEDIUM,
	/** @DRM_NNA_CTX_PRIORITY_HIGH: Interactive work. */
	DRM_NNA_CTX_PRIORITY_HIGH,
	/** @DRM_NNA_CTX_PRIORITY_REALTIME: Needs CAP_SYS_NICE, else -EACCES. */
	DRM_NNA_CTX_PRIORITY_REALTIME,
};

/**
 * struct drm_nna_ctx_create - Argument of DRM_IOCTL_NNA_CTX_CREATE.
 *
 * Jobs of one context start in the order of their submission; only syncobjs order jobs of different
 * contexts. -ENOSPC: the file already has max_ctxs contexts, or the user max_user_ctxs.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_ctx_create create = {
 *		.vm_id = vm_id, .priority = DRM_NNA_CTX_PRIORITY_MEDIUM,
 *	};
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_CTX_CREATE, &create) == 0)
 *		ctx_id = create.id;
 */
struct drm_nna_ctx_create {
	/** @vm_id: Id of the VM that its jobs use. */
	__u32 vm_id;
	/** @flags: MBZ. */
	__u32 flags;
	/** @priority: One of &enum drm_nna_ctx_priority. */
	__u32 priority;
	/** @id: Out: id of the context. */
	__u32 id;
};

/**
 * struct drm_nna_ctx_destroy - Argument of DRM_IOCTL_NNA_CTX_DESTROY.
 *
 * Its jobs that have not been put on the ring end with -ESRCH, without waiting for their in-fences.
 * Its jobs on the ring are aborted (-ECANCELED).
 *
 * .. code-block:: C
 *
 *	struct drm_nna_ctx_destroy destroy = { .id = ctx_id };
 *
 *	ioctl(fd, DRM_IOCTL_NNA_CTX_DESTROY, &destroy);
 */
struct drm_nna_ctx_destroy {
	/** @id: Id of the context. */
	__u32 id;
	/** @pad: MBZ. */
	__u32 pad;
};

/** DRM_NNA_CTX_STATE_BANNED - The context takes no more jobs. */
#define DRM_NNA_CTX_STATE_BANNED (1u << 0)
/** DRM_NNA_CTX_STATE_TIMEDOUT - A job of it ran longer than its budget, or hung the device. */
#define DRM_NNA_CTX_STATE_TIMEDOUT (1u << 1)
/** DRM_NNA_CTX_STATE_FAULTED - A job of it faulted; see the fault fields. */
#define DRM_NNA_CTX_STATE_FAULTED (1u << 2)
/** DRM_NNA_CTX_STATE_INNOCENT - A reset that another job caused ended a job of it. */
#define DRM_NNA_CTX_STATE_INNOCENT (1u << 3)

/**
 * struct drm_nna_ctx_get_state - Argument of DRM_IOCTL_NNA_CTX_GET_STATE.
 *
 * The fault fields describe the first job that banned the context.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_ctx_get_state arg = { .id = ctx_id };
 *
 *	if (ioctl(fd, DRM_IOCTL_NNA_CTX_GET_STATE, &arg) == 0 &&
 *	    (arg.state & DRM_NNA_CTX_STATE_FAULTED))
 *		printf("fault at %llx\n", arg.fault_address);
 */
struct drm_nna_ctx_get_state {
	/** @id: Id of the context. */
	__u32 id;
	/** @state: Out: DRM_NNA_CTX_STATE_*. */
	__u32 state;
	/** @fault_address: Out: MMU fault: device address; bus fault: bus address; else 0. */
	__u64 fault_address;
	/** @fault_status: Out: the device's status of the job that banned the context, or 0. */
	__u32 fault_status;
	/** @fault_command: Out: malformed stream: byte offset of the command; else 0. */
	__u32 fault_command;
	/** @reset_count: Out: number of jobs of this context that resets ended. */
	__u32 reset_count;
	/** @pad: Out: 0. In: MBZ. */
	__u32 pad;
};

/* --------------------------------------------------------------------------------------- SUBMIT */

/** DRM_NNA_SYNC_TYPE_MASK - Bits of &drm_nna_sync.flags that hold the type. */
#define DRM_NNA_SYNC_TYPE_MASK 0xffu
/** DRM_NNA_SYNC_TYPE_SYNCOBJ - Type: binary syncobj; &drm_nna_sync.point is 0. */
#define DRM_NNA_SYNC_TYPE_SYNCOBJ 0u
/** DRM_NNA_SYNC_TYPE_TIMELINE - Type: a point of a timeline syncobj. */
#define DRM_NNA_SYNC_TYPE_TIMELINE 1u
/** DRM_NNA_SYNC_SIGNAL - The job signals the syncobj; without it the job waits for the syncobj. */
#define DRM_NNA_SYNC_SIGNAL (1u << 31)

/**
 * struct drm_nna_sync - A syncobj to wait for or to signal.
 */
struct drm_nna_sync {
	/** @handle: Handle of the syncobj. */
	__u32 handle;
	/** @flags: A DRM_NNA_SYNC_TYPE_*, and DRM_NNA_SYNC_SIGNAL. */
	__u32 flags;
	/** @point: Timeline: the point, more than 0. */
	__u64 point;
};

/** DRM_NNA_SUBMIT_NONBLOCK - Fail with -EAGAIN instead of waiting for job quota. */
#define DRM_NNA_SUBMIT_NONBLOCK (1u << 0)
/**
 * DRM_NNA_SUBMIT_SLICE - Run a part of the stream and end without an error. Since 1.4.
 *
 * The job yields before its next command when budget_ns is used up: its report then has the status
 * YIELDED, and in resume where another job goes on. So a run that takes longer than the job limit
 * is a row of jobs. Only the last one's fence says that the run has ended.
 */
#define DRM_NNA_SUBMIT_SLICE (1u << 1)
/** DRM_NNA_SUBMIT_FLAGS - All flags of SUBMIT. */
#define DRM_NNA_SUBMIT_FLAGS (DRM_NNA_SUBMIT_NONBLOCK | DRM_NNA_SUBMIT_SLICE)

/**
 * struct drm_nna_submit - Argument of DRM_IOCTL_NNA_SUBMIT.
 *
 * Submits one job. The job starts when all syncs to wait for have signalled. If one of them signals
 * an error the job does not run, and its fence has that error. A sync to wait for must already have
 * a fence (-EINVAL). The syncs to signal get the job's fence when the ioctl succeeds.
 *
 * The users of one priority share the run time of the device equally, and so do the files of one
 * user; see FILE_SET_USER. Jobs that end at a limit or with an error count, too.
 *
 * A timeline syncobj drops a signalled point, and its error, when a later point exists. A client
 * that needs the error waits for the last point or for a binary syncobj.
 *
 * A job has ended when its fence has signalled. If the context already has max_ctx_jobs jobs that
 * have not ended, or the file max_file_jobs, the ioctl waits before it does anything else. A thread
 * must use DRM_NNA_SUBMIT_NONBLOCK if its jobs wait for fences that the same thread signals later.
 *
 * A job may have a profile. The device appends a record of each command to it: begin, end, run
 * time, and the busy time of each worker. It appends as many records as fit, and counts those that
 * do not. The layout is that of the hardware's profile_header and profile_record. Before the first
 * job the client writes zeros to the counts, in the first 64 bytes. A job that resumes a yielded
 * one may have the same profile, and appends to it. The device writes the counts when the job ends,
 * so a job that a reset ended leaves them unchanged. (A job that is put on its ring again after a
 * reset had not begun.) The addresses of the profile must be mapped, and not read-only: else the
 * job faults (-EFAULT).
 *
 * -ECANCELED: the context is banned. -EAGAIN: DRM_NNA_SUBMIT_NONBLOCK, and a quota is used up;
 * libdrm's drmIoctl() then calls again, ioctl() does not. -EOPNOTSUPP: the job has a profile or
 * DRM_NNA_SUBMIT_SLICE, and the device does not support it.
 *
 * .. code-block:: C
 *
 *	struct drm_nna_sync syncs[] = {
 *		{ .handle = in, .flags = DRM_NNA_SYNC_TYPE_SYNCOBJ },
 *		{ .handle = out, .flags = DRM_NNA_SYNC_TYPE_TIMELINE | DRM_NNA_SYNC_SIGNAL,
 *		  .point = 7 },
 *	};
 *	struct drm_nna_submit submit = {
 *		.ctx_id = ctx_id,
 *		.stream_va = stream, .stream_size = 4096,
 *		.base_table_va = table, .slot_count = 5,
 *		.report_va = report,
 *		.duration_ns = 100000000,
 *		.syncs = DRM_NNA_OBJ_ARRAY(2, syncs),
 *	};
 *
 *	ioctl(fd, DRM_IOCTL_NNA_SUBMIT, &submit);
 */
struct drm_nna_submit {
	/** @ctx_id: Id of the context. */
	__u32 ctx_id;
	/** @flags: DRM_NNA_SUBMIT_*. */
	__u32 flags;
	/** @stream_va: Address of the command stream, 64-byte aligned. */
	__u64 stream_va;
	/** @stream_size: Bytes of the command stream, a multiple of 64, more than 0. */
	__u32 stream_size;
	/**
	 * @start: Byte offset of the first command, a multiple of 64: 0, or to resume a job that
	 * has yielded, the value of resume in its report.
	 */
	__u32 start;
	/** @base_table_va: Address of the base table, 16-byte aligned; 0 when @slot_count is 0. */
	__u64 base_table_va;
	/** @slot_count: Entries of the base table, at most max_slots. */
	__u32 slot_count;
	/**
	 * @profile_size: Bytes of the job's profile, at least 64; 0 for none. It was a pad before
	 * 1.2, so an older kernel refuses a profile (-EINVAL).
	 */
	__u32 profile_size;
	/** @report_va: Address of the job's report, 64-byte aligned; 0 for none. */
	__u64 report_va;
	/**
	 * @deadline_ns: Absolute time by which the job must have ended (-ETIMEDOUT); 0 for none.
	 */
	__u64 deadline_ns;
	/**
	 * @duration_ns: Time by which the job must have ended, counted from the signal of the last
	 * in-fence or, if that is later, from SUBMIT; 0 for none. The earlier of this time and
	 * @deadline_ns applies.
	 */
	__u64 duration_ns;
	/**
	 * @budget_ns: Maximum run time of the job, preempted time excluded; 0 for the job limit.
	 */
	__u64 budget_ns;
	/**
	 * @loop_limit_ns: Maximum run time of all loops of the job together; 0 for the job limit.
	 */
	__u64 loop_limit_ns;
	/** @syncs: Array of &struct drm_nna_sync. */
	struct drm_nna_obj_array syncs;
	/** @profile_va: Address of the job's profile, 64-byte aligned; 0 for none. Since 1.2. */
	__u64 profile_va;
};

/* ----------------------------------------------------------------------------- device core dump */

/**
 * DOC: Core dumps
 *
 * When a job bans its context, or the device is reset, the driver makes a core dump,
 * /sys/class/devcoredump/devcdN/data. It begins with a &struct drm_nna_coredump, which has the
 * offsets of the other parts. All numbers are in the byte order of the CPU, except those in ring
 * entries, reports and commands, which are little-endian. A write to the file removes the dump, and
 * so does a timeout of five minutes; until then no other dump is made.
 * ``nnactl dump --coredump FILE`` prints it.
 */

/** DRM_NNA_COREDUMP_MAGIC - The first bytes of a core dump. */
#define DRM_NNA_COREDUMP_MAGIC "NNACORE"
/** DRM_NNA_COREDUMP_VERSION - Version of the layout. */
#define DRM_NNA_COREDUMP_VERSION 1u
/** DRM_NNA_COREDUMP_NO_JOB - &drm_nna_coredump.ring of a dump without a job. */
#define DRM_NNA_COREDUMP_NO_JOB 0xffffffffu

/**
 * enum drm_nna_coredump_reason - Reason of a core dump.
 */
enum drm_nna_coredump_reason {
	/** @DRM_NNA_COREDUMP_FAULT: A job faulted, was malformed or ran longer than its budget. */
	DRM_NNA_COREDUMP_FAULT = 1,
	/** @DRM_NNA_COREDUMP_HANG: The device did not end a job. */
	DRM_NNA_COREDUMP_HANG,
	/** @DRM_NNA_COREDUMP_RESET: The device was reset for another reason. */
	DRM_NNA_COREDUMP_RESET,
};

/**
 * struct drm_nna_coredump_ring - State of a ring in a core dump.
 */
struct drm_nna_coredump_ring {
	/** @reg_control: Ring register CONTROL. */
	__u32 reg_control;
	/** @reg_status: Ring register STATUS. */
	__u32 reg_status;
	/** @reg_head: Ring register HEAD. */
	__u32 reg_head;
	/** @reg_done: Ring register DONE. */
	__u32 reg_done;
	/** @reg_doorbell: Ring register DOORBELL_SHADOW. */
	__u32 reg_doorbell;
	/** @reg_run_time: Ring register RUN_TIME. */
	__u32 reg_run_time;
	/** @size: Number of entries that fit in the ring. */
	__u32 size;
	/** @running: Whether the device serves the ring. */
	__u32 running;
	/** @tail: Entries that the driver has written since the ring was enabled. */
	__u32 tail;
	/** @done: Completions that the driver has read since the ring was enabled. */
	__u32 done;
	/** @seqno: Sequence number of the next entry. */
	__u32 seqno;
	/** @entry_count: Entries that have not completed. */
	__u32 entry_count;
	/** @entries_offset: Byte offset of these entries in the dump; 128 bytes each. */
	__u32 entries_offset;
	/** @pad: Always 0. */
	__u32 pad;
	/** @completions: Completions that the driver has read since it was bound. */
	__u64 completions;
};

/**
 * struct drm_nna_coredump - The beginning of a core dump.
 */
struct drm_nna_coredump {
	/** @magic: DRM_NNA_COREDUMP_MAGIC with its terminating zero. */
	__u8 magic[8];
	/** @version: DRM_NNA_COREDUMP_VERSION. */
	__u32 version;
	/** @size: Bytes of the whole dump. */
	__u32 size;
	/** @monotonic_ns: CLOCK_MONOTONIC when the driver noticed the fault, hang or reset. */
	__u64 monotonic_ns;
	/** @tick: The device's clock when the rings were read. */
	__u64 tick;
	/** @reason: One of &enum drm_nna_coredump_reason. */
	__u32 reason;
	/** @resets: Number of earlier resets of the device. */
	__u32 resets;
	/** @device_status: Register STATUS. */
	__u32 device_status;
	/** @abi: Hardware interface version: major in the upper half. */
	__u32 abi;
	/** @ring: Ring of the job; or DRM_NNA_COREDUMP_NO_JOB: the fields of the job are 0. */
	__u32 ring;
	/** @status: The device's status of the job; 0: the job has not ended. */
	__u32 status;
	/** @detail: Detail of its completion: an address, or a byte offset in the stream. */
	__u64 detail;
	/** @pid: Process that opened the file of the job's context. */
	__u32 pid;
	/** @report_valid: Whether @report could be read. */
	__u32 report_valid;
	/** @comm: Name of the process. */
	__u8 comm[16];
	/** @entry: The job's ring entry. */
	__u8 entry[128];
	/** @report: The job's report, as read from memory. */
	__u8 report[128];
	/**
	 * @command: Byte offset in the stream of the command at which the job was; all ones:
	 * unknown.
	 */
	__u32 command;
	/** @command_offset: Byte offset in the dump of that command. */
	__u32 command_offset;
	/** @command_size: Number of bytes of the stream, from that command on, in the dump. */
	__u32 command_size;
	/**
	 * @rings_offset: Byte offset in the dump of the &struct drm_nna_coredump_ring; the
	 * control ring is the last one.
	 */
	__u32 rings_offset;
	/** @ring_count: Number of rings. */
	__u32 ring_count;
	/** @ring_stride: Bytes from one &struct drm_nna_coredump_ring to the next. */
	__u32 ring_stride;
};

/**
 * DRM_IOCTL_NNA() - Build an ioctl number.
 * @access: R, W or WR: direction of the argument.
 * @id: the ioctl without its prefix.
 * @type: the argument's structure without its prefix.
 */
#define DRM_IOCTL_NNA(access, id, type) \
	DRM_IO##access(DRM_COMMAND_BASE + DRM_NNA_##id, struct drm_nna_##type)

#define DRM_IOCTL_NNA_DEV_QUERY		DRM_IOCTL_NNA(WR, DEV_QUERY, dev_query)
#define DRM_IOCTL_NNA_BO_CREATE		DRM_IOCTL_NNA(WR, BO_CREATE, bo_create)
#define DRM_IOCTL_NNA_BO_MMAP_OFFSET	DRM_IOCTL_NNA(WR, BO_MMAP_OFFSET, bo_mmap_offset)
#define DRM_IOCTL_NNA_BO_SYNC		DRM_IOCTL_NNA(W, BO_SYNC, bo_sync)
#define DRM_IOCTL_NNA_BO_SET_LABEL	DRM_IOCTL_NNA(W, BO_SET_LABEL, bo_set_label)
#define DRM_IOCTL_NNA_VM_CREATE		DRM_IOCTL_NNA(WR, VM_CREATE, vm_create)
#define DRM_IOCTL_NNA_VM_DESTROY	DRM_IOCTL_NNA(W, VM_DESTROY, vm_destroy)
#define DRM_IOCTL_NNA_VM_BIND		DRM_IOCTL_NNA(W, VM_BIND, vm_bind)
#define DRM_IOCTL_NNA_CTX_CREATE	DRM_IOCTL_NNA(WR, CTX_CREATE, ctx_create)
#define DRM_IOCTL_NNA_CTX_DESTROY	DRM_IOCTL_NNA(W, CTX_DESTROY, ctx_destroy)
#define DRM_IOCTL_NNA_CTX_GET_STATE	DRM_IOCTL_NNA(WR, CTX_GET_STATE, ctx_get_state)
#define DRM_IOCTL_NNA_SUBMIT		DRM_IOCTL_NNA(W, SUBMIT, submit)
#define DRM_IOCTL_NNA_BO_MADVISE	DRM_IOCTL_NNA(WR, BO_MADVISE, bo_madvise)
#define DRM_IOCTL_NNA_FILE_SET_USER	DRM_IOCTL_NNA(W, FILE_SET_USER, file_set_user)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_NNA_ACCEL_H_ */
