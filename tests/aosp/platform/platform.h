/* SPDX-License-Identifier: MIT */
/*
 * Included before each file of AOSP's that platform.mk builds: what bionic and libc++ include by
 * themselves and glibc and libstdc++ do not, and names of Android's binder.h that the kernel of
 * others lacks.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <atomic>
#include <bitset>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

/* AOSP's header would take B_PACK_CHARS away, which it knows by the name of this guard. */
#define _UAPI_LINUX_BINDER_H
#include <linux/android/binder.h>

/* Flags of an object that Linux's driver passes over. */
#define FLAT_BINDER_FLAG_SCHED_POLICY_SHIFT 9
#define FLAT_BINDER_FLAG_INHERIT_RT 0x800
/* Security contexts fail every call where no security module has them, as in the VM. */
#define FLAT_BINDER_FLAG_TXN_SECURITY_CTX 0

#endif
