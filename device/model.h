/* SPDX-License-Identifier: MIT */
/*
 * A device model: an accelerator as the transport serves it. A model is one constant
 * struct nnadev_model; device/models.c lists them. Only the model knows its accelerator.
 *
 * Data and ownership
 *
 * The transport makes the bus (host/bus.h) and the pool of threads (host/workers.h), hands both to
 * @create, and keeps them until @destroy has returned. @create returns the device, a pointer that
 * the transport hands to all other functions and never looks into. The transport makes the PCI
 * function from the table: configuration space from @pci, @bars and @vectors, the BAR with the
 * MSI-X table, interrupts, function level reset.
 *
 * Threads
 *
 *   transport thread  @read and @write. They never compute and never wait for work of the device:
 *                     a client whose access is not answered within seconds gives up for good.
 *                     A write that starts work wakes a thread of the model and returns.
 *   memory thread     @reset, and through the bus changes of DMA mappings and bus mastering.
 *   control thread    @inject.
 *   model's threads   everything else: DMA and interrupts by functions of the bus, tiles by the
 *                     pool. The model starts them in @create and ends them in @destroy.
 *
 * The first three call at the same time, so the model locks what they share. @create comes before
 * all of them, @destroy after.
 *
 * Hostile clients
 *
 * Offsets, values and memory are the client's. The transport has checked that an access lies within
 * its BAR and has a width that the BAR takes; the model checks everything else.
 */
#ifndef NNADEV_MODEL_H
#define NNADEV_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nnadev_bus;
struct nnadev_workers;

#define NNADEV_MODEL_BARS 6u
#define NNADEV_MODEL_VECTORS 64u /* at most */

/**
 * struct nnadev_pci - how a driver finds the device
 * @vendor: vendor ID
 * @device: device ID
 * @subsystem_vendor: subsystem vendor ID
 * @subsystem: subsystem ID
 * @class: base class, subclass and interface: 24 bits
 * @revision: revision ID
 */
struct nnadev_pci {
	uint16_t vendor;
	uint16_t device;
	uint16_t subsystem_vendor;
	uint16_t subsystem;
	uint32_t class;
	uint8_t revision;
};

/**
 * enum nnadev_bar_kind - what a BAR holds
 * @NNADEV_BAR_NONE: there is no such BAR
 * @NNADEV_BAR_MODEL: the model's registers or memory: @read and @write of the model
 * @NNADEV_BAR_MSIX: the MSI-X table, which the transport keeps
 */
enum nnadev_bar_kind {
	NNADEV_BAR_NONE = 0,
	NNADEV_BAR_MODEL = 1,
	NNADEV_BAR_MSIX = 2,
};

/**
 * struct nnadev_bar - a 32-bit memory BAR
 * @kind: what it holds
 * @size: bytes, a power of two of at least 16; of NNADEV_BAR_MODEL only
 * @widths: widths of accesses that it takes, in bytes: 1, 2, 4 and 8, or-ed. Other accesses, and
 *	those that are not naturally aligned, read as ones, and their writes are lost.
 */
struct nnadev_bar {
	enum nnadev_bar_kind kind;
	uint32_t size;
	uint32_t widths;
};

/**
 * struct nnadev_option - an option of the command line that belongs to a model
 * @letter: its short form, or 0
 * @name: its long form, without dashes
 * @value: what stands for the value in the help
 * @help: what it does; lines are separated by newlines
 * @expects: the values that @set takes, for the message that refuses another one
 * @set: write a value to the configuration. Return: whether it is one that the option takes.
 */
struct nnadev_option {
	char letter;
	const char *name;
	const char *value;
	const char *help;
	const char *expects;
	bool (*set)(void *config, const char *value);
};

/**
 * struct nnadev_injection - a fault that can be injected
 * @number: names it to @inject of the model
 * @name: names it on the control socket
 * @value: what stands for the value in the help
 * @help: what it does
 * @max: the greatest value that it takes
 * @once: it happens when it is injected, so there is nothing to disarm
 */
struct nnadev_injection {
	uint32_t number;
	const char *name;
	const char *value;
	const char *help;
	uint64_t max;
	bool once;
};

/**
 * struct nnadev_resources - what a model is given
 * @bus: DMA, interrupts and the log
 * @workers: the pool of threads for tiles
 * @threads: of @workers, the caller of nnadev_workers_run() included
 */
struct nnadev_resources {
	struct nnadev_bus *bus;
	struct nnadev_workers *workers;
	uint32_t threads;
};

/**
 * struct nnadev_model - a device model
 * @name: names it on the command line
 * @summary: what it is, in a line for people
 * @pci: its PCI IDs
 * @bars: its BARs; exactly one holds the MSI-X table
 * @vectors: number of MSI-X vectors, 1 to NNADEV_MODEL_VECTORS
 * @options: its options; ended by one without a name
 * @config_size: bytes of its configuration, which @options write; all zeros is the default
 * @injections: faults that can be injected; ended by one without a name
 * @create: make a device, out of reset, that no client uses yet. It calls nnadev_bus_attach().
 *	@config is the caller's. Return: 0 or a negative errno.
 * @destroy: end all work and all threads of the device, and free it. Nothing is called afterwards.
 * @describe: what a person wants to know of the device, e.g. which kernels it uses; lives as long
 *	as the device
 * @read: read a register. Return: the value.
 * @write: write a register
 * @reset: a function level reset, which has ended when it returns: all work has ended, nothing of
 *	it writes to memory or raises an interrupt later, registers are as after @create. DMA
 *	mappings and injected faults stay.
 * @inject: arm a fault, or disarm it with value 0. In force when it returns.
 */
struct nnadev_model {
	const char *name;
	const char *summary;
	struct nnadev_pci pci;
	struct nnadev_bar bars[NNADEV_MODEL_BARS];
	uint32_t vectors;
	const struct nnadev_option *options;
	size_t config_size;
	const struct nnadev_injection *injections;

	int (*create)(const struct nnadev_resources *resources, const void *config, void **device);
	void (*destroy)(void *device);
	const char *(*describe)(void *device);
	uint64_t (*read)(void *device, uint32_t bar, uint64_t offset, uint32_t width);
	void (*write)(void *device, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value);
	void (*reset)(void *device);
	void (*inject)(void *device, uint32_t number, uint64_t value);
};

#endif
