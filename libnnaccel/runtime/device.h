/* SPDX-License-Identifier: MIT */
/*
 * An open device.
 *
 * It owns the winsys, the waiter (waiter.h) and the watchdog over spare contexts (spare.h), each of
 * which has threads only when they are needed. Programs and buffers borrow the device. All members
 * but those two are constant.
 */
#ifndef NNA_RUNTIME_DEVICE_H
#define NNA_RUNTIME_DEVICE_H

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/runtime/spare.h"
#include "libnnaccel/runtime/waiter.h"
#include "libnnaccel/winsys/winsys.h"

/**
 * struct nna_device - an open device
 * @ws: how the library reaches it; owned
 * @backend: the backend for this kind of accelerator
 * @log: where messages go
 * @info: the result of nna_device_get_info()
 * @waiter: waits for in-fences that the device cannot wait for
 * @spares: frees contexts that have been spare for a while
 */
struct nna_device {
	struct nna_winsys *ws;
	const struct nna_backend *backend;
	struct nna_log log;
	struct nna_device_info info;
	struct nna_waiter waiter;
	struct nna_spares spares;
};

#endif
