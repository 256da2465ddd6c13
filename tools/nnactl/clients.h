/* SPDX-License-Identifier: MIT */
/*
 * Who has the files of accelerators and GPUs open, as /proc tells: the kernel's drm-usage-stats, in
 * the fdinfo of each open file. The keys are those of all drivers; none of nna is needed.
 */
#ifndef NNACTL_CLIENTS_H
#define NNACTL_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNACTL_MAX_ENGINES 16u

/**
 * struct nnactl_engine - what a client had of an engine
 * @name: the driver's, such as "medium" or "render"
 * @ns: run time in nanoseconds
 * @cycles: run time in cycles, of @total_cycles that went by; 0 where the driver counts @ns
 * @capacity: how many engines of that name there are, at least 1
 * @use: share of the time between two snapshots, 0 to 1; of nnactl_clients_compare()
 */
struct nnactl_engine {
	char name[24];
	uint64_t ns, cycles, total_cycles;
	uint32_t capacity;
	double use;
};

/**
 * struct nnactl_client - an open file of a driver
 * @driver: its name
 * @device: address on the bus; "" where the driver does not tell
 * @id: of the file, unique for the device
 * @pid: one process that has it open
 * @name: of that process
 * @memory: resident bytes of its buffers
 * @busy: the largest share of an engine's time; of nnactl_clients_compare()
 */
struct nnactl_client {
	char driver[24], device[24];
	uint64_t id;
	long pid;
	char name[64];
	struct nnactl_engine engines[NNACTL_MAX_ENGINES];
	uint32_t engine_count;
	uint64_t memory;
	double busy;
};

/**
 * struct nnactl_clients - all clients at one moment
 * @at: @count of them, with room for @room
 * @hidden: processes whose files this process may not see
 * @when: nnactl_now()
 */
struct nnactl_clients {
	struct nnactl_client *at;
	size_t count, room;
	uint32_t hidden;
	uint64_t when;
};

/* Take a snapshot, in memory that @clients has from before. Return: 0 or a negative errno. */
int nnactl_clients_take(struct nnactl_clients *clients);

/*
 * Fill in what the clients of @now did since @before, and sort them: by driver, nna first, by
 * device, and the busiest first. Who has come since then was not busy.
 */
void nnactl_clients_compare(struct nnactl_clients *now, const struct nnactl_clients *before);

void nnactl_clients_free(struct nnactl_clients *clients);

/* Whether two clients are of one device. */
bool nnactl_client_same_device(const struct nnactl_client *a, const struct nnactl_client *b);

#endif
