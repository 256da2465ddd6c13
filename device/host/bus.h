/* SPDX-License-Identifier: MIT */
/*
 * The bus: how a device model reaches its host. It carries DMA to the host's memory, interrupts and
 * lines for the log. It knows no model.
 *
 * Data and ownership
 *
 * A struct nnadev_bus belongs to the owner of the model: the transport, or libnnadev's user. The
 * owner initialises it, adds and removes DMA mappings, and frees it after the model has been
 * destroyed. The model borrows it and says by nnadev_bus_attach() how it is to be called.
 *
 * Threads and locks
 *
 * The gate (sync.h) separates both sides. A thread of the model is inside the gate, between
 * nnadev_bus_enter() and nnadev_bus_leave(), whenever it reads or writes bus memory or keeps a host
 * pointer into it. One thread per model is inside at a time; while it waits for others, which run
 * tiles for it, they may use the pointers too. The owner's threads are guests: they change mappings
 * while no thread of the model is inside. So the model must not stay inside for long: it asks
 * nnadev_bus_is_wanted() between two pieces of work.
 *
 * Before mappings go, the owner calls @drop of the model, inside the gate: that is how the model
 * is quiesced. When it returns, the model keeps no host pointer into the range.
 *
 * A client may truncate a file that is mapped here. The kernel then raises SIGBUS in the thread
 * that touches the lost page. nnadev_bus_sigbus() puts a page of zeros there, notes that the file
 * is broken, and sets @lost, which the model reads and clears. This works for threads that have
 * called nnadev_bus_enter_thread().
 */
#ifndef NNADEV_BUS_H
#define NNADEV_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/host/memory.h"
#include "device/host/sync.h"

/**
 * struct nnadev_bus_host - the owner's callbacks
 * @raise_irq: MSI-X vector @vector is raised. Called from any thread of the model, inside the gate
 *	or outside. Must not block, and must not call functions of the bus. May be NULL.
 * @log: takes a line for people, without a newline; may be NULL. It is not rate-limited.
 * @user: handed to both
 */
struct nnadev_bus_host {
	void (*raise_irq)(void *user, uint32_t vector);
	void (*log)(void *user, const char *line);
	void *user;
};

/**
 * struct nnadev_bus_ops - the model's callbacks
 * @drop: forget host pointers into [@address, @address + @size). Called inside the gate by the
 *	owner's threads. NULL: the model keeps none while it is outside the gate.
 * @owns: whether @address lies in a mapping that the model has made of a file of the bus; marks
 *	that file as broken. Async-signal-safe. NULL: the model makes no mappings.
 */
struct nnadev_bus_ops {
	void (*drop)(void *model, uint64_t address, uint64_t size);
	bool (*owns)(void *model, const void *address);
};

/**
 * struct nnadev_bus - the bus
 * @host: the owner's callbacks
 * @memory: DMA mappings; guarded by @gate
 * @gate: see above
 * @lost: a file became shorter under a thread of the model; the model clears it
 * @ops: the model's callbacks
 * @model: handed to them
 * @knock: raised to make the model's thread ask nnadev_bus_is_wanted(); the model's
 */
struct nnadev_bus {
	struct nnadev_bus_host host;
	struct nnadev_memory memory;
	struct nnadev_gate gate;
	_Atomic bool lost;
	const struct nnadev_bus_ops *ops;
	void *model;
	struct nnadev_event *knock;
};

/* ---- for the owner --------------------------------------------------------------------------- */

/* A bus without mappings, whose device is a bus master. Return: 0 or a negative errno. */
int nnadev_bus_init(struct nnadev_bus *bus, const struct nnadev_bus_host *host);

/* Removes all mappings. The model is gone by then. */
void nnadev_bus_fini(struct nnadev_bus *bus);

/**
 * nnadev_bus_map() - let a range of bus addresses reach a range of a file
 * @bus: the bus
 * @iova: first bus address, page aligned
 * @size: bytes, page aligned, not 0; must not overlap a mapping
 * @fd: the file (memfd or similar); duplicated. Mappings of one file (by device and inode) share
 *	one mmap
 * @offset: bytes into the file, page aligned
 * @prot: NNADEV_PROT_*, not 0; what is mapped for writing can be read as well
 *
 * The file may be shorter than the range: nothing beyond its end is reached.
 *
 * Return: 0, -EINVAL, -EEXIST (overlap), -ENOSPC (NNADEV_MEMORY_MAPPINGS exist), -ENOMEM, or an
 * errno of mmap.
 */
int nnadev_bus_map(struct nnadev_bus *bus, uint64_t iova, uint64_t size, int fd, uint64_t offset,
		   uint32_t prot);

/*
 * The same for memory of this process: @data is page aligned, and writable until the range is
 * unmapped.
 */
int nnadev_bus_map_data(struct nnadev_bus *bus, uint64_t iova, uint64_t size, void *data);

/*
 * Remove every mapping inside a range. Blocks until no tile uses them. Return: 0; -ENOENT, with
 * nothing changed, when a mapping is only partly inside or there is none.
 */
int nnadev_bus_unmap(struct nnadev_bus *bus, uint64_t iova, uint64_t size);

/*
 * Enable or disable bus mastering. While it is disabled nothing is reached and no interrupt is
 * raised; mappings stay. Blocks until no tile uses memory.
 */
void nnadev_bus_set_master(struct nnadev_bus *bus, bool on);

/*
 * To be called by the process's handler of SIGBUS, with si_addr. Async-signal-safe. Return: whether
 * the calling thread works for a model and the address lies in a file of its bus: the handler then
 * returns, and the access is repeated.
 */
bool nnadev_bus_sigbus(void *address);

/* ---- for the model --------------------------------------------------------------------------- */

/* Before the first use. @knock and @ops must outlive the use of the bus. */
void nnadev_bus_attach(struct nnadev_bus *bus, const struct nnadev_bus_ops *ops, void *model,
		       struct nnadev_event *knock);

/* The calling thread works for the model behind @bus from now on; NULL: for none any more. */
void nnadev_bus_enter_thread(struct nnadev_bus *bus);

static inline void nnadev_bus_enter(struct nnadev_bus *bus)
{
	nnadev_gate_enter(&bus->gate);
}

static inline void nnadev_bus_leave(struct nnadev_bus *bus)
{
	nnadev_gate_leave(&bus->gate);
}

/* Whether the owner waits for the gate. */
static inline bool nnadev_bus_is_wanted(struct nnadev_bus *bus)
{
	return nnadev_gate_wanted(&bus->gate);
}

/*
 * Copy from or to bus memory, inside the gate. The range may span mappings. nnadev_memory_find()
 * gives the host address instead. Return: false when a byte is not reached; then nothing is copied,
 * unless a file became shorter meanwhile.
 */
bool nnadev_bus_read(struct nnadev_bus *bus, uint64_t address, void *to, size_t size);
bool nnadev_bus_write(struct nnadev_bus *bus, uint64_t address, const void *from, size_t size);

/* Raise MSI-X vector @vector, if the device is a bus master. */
void nnadev_bus_interrupt(struct nnadev_bus *bus, uint32_t vector);

/* Write a line to the owner's log. */
void nnadev_bus_log(struct nnadev_bus *bus, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
