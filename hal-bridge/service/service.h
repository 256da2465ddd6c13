/* SPDX-License-Identifier: MIT */
/*
 * The NN HAL's service, independent of binder's backend. Its data:
 *
 *	service		options, the clients, the workers
 *	device		an accelerator: an IDevice object
 *	user		what all clients of a uid hold together, on all devices, bounded by quotas
 *	client		(euid, pid, device), with its own nna_device, so with its own address space
 *			and contexts; lives while an object of it or a call needs it
 *	objects		prepared models, bursts, executions, buffers, callbacks of fenced
 *			executions: counted; each holds what it needs (a burst its model, a model
 *			its client)
 *
 * When a client dies, binder drops its references, and the last reference frees an object. So the
 * service has to search for nothing. But the service cancels the client's runs, because they may
 * wait for fences that never signal. A cancelled run holds its objects until it has ended.
 *
 * Locking: nnb_service.lock guards the lists of clients and users. A client's lock guards its
 * device and its table of buffers, its @runs_lock its runs, and the lock of its @memories these. No
 * lock is held while a device works or a callback runs. The service's lock may be taken inside a
 * client's; the watchdog's is taken inside the service's. No other lock is taken inside @runs_lock,
 * that of @memories, or the watchdog's, but for @quota_lock: it guards the counters of users, the
 * library may hold any of its locks when it charges, and nothing is taken inside. @namer_lock is
 * taken inside a client's lock, and nothing inside it.
 */
#ifndef NNB_SERVICE_H
#define NNB_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/binder/object.h"
#include "hal-bridge/common/worker.h"
#include "hal-bridge/service/helper.h"
#include "hal-bridge/service/idle.h"
#include "hal-bridge/service/memory_cache.h"
#include "hal-bridge/service/quota.h"
#include "nnaccel.h"

struct nnb_buffer;
struct nnb_service;

#define NNB_DEVICES 8u /* accelerators at most */

/**
 * struct nnb_service_options - the options of the service
 * @device: names as for nna_device_open(), with commas between. NULL or "auto": all accelerators of
 *	the machine, or what "auto" opens if there is none
 * @version: the interface version that the service announces, 1 to NNB_AIDL_VERSION
 * @hidl: clients come by HIDL, 1.0 to 1.3, in place of AIDL
 * @workers: threads for compiling and callbacks, of which a user has at most a quarter; 0 is 32
 * @quota: fields of 0 are the defaults
 * @held: calls wait until nnb_service_start()
 * @helpers: of nnb_helpers_start(); 0 for none: the calling thread reads and writes all files
 * @helper_ns: the time for a transfer; 0 is NNB_HELPER_NS and more. Only tests set it
 * @fence_ns: the time for fences of a client that the service waits for; 0 is NNB_FENCE_NS. Only
 *	tests set it
 * @namer: of nnb_namer_start(); 0 for none: the files of all clients are the service's user's
 */
struct nnb_service_options {
	const char *device;
	int version;
	bool hidl;
	uint32_t workers;
	struct nnb_quota quota;
	bool held;
	int helpers;
	uint64_t helper_ns, fence_ns;
	int namer;
};

/**
 * struct nnb_device - an accelerator
 * @object: IDevice
 * @service: the service
 * @name: as for nna_device_open(), owned
 * @info: when it was last opened; guarded by the service's lock
 */
struct nnb_device {
	struct nnb_object object;
	struct nnb_service *service;
	char *name;
	struct nna_device_info info;
};

/**
 * struct nnb_user - a uid with clients, or with helpers that its clients have left behind
 * @next: of the service's list
 * @uid: effective user id
 * @clients: the number of its clients, and of files under @closing
 * @closing: files of its clients that are being closed, or wait for that
 * @used: what its clients hold together; under the service's @quota_lock
 * @helpers: @helper_count helpers that are not known to be gone
 * @helper_count: entries of @helpers
 */
struct nnb_user {
	struct nnb_user *next;
	uid_t uid;
	uint32_t clients;
	uint32_t closing;
	struct nnb_quota used;
	struct nnb_helper helpers[NNB_HELPERS_PER_USER];
	uint32_t helper_count;
};

/**
 * struct nnb_client_run - a client's run that is under way
 * @next: of the client's list
 * @execution: the running execution; NULL while the run is on no list
 */
struct nnb_client_run {
	struct nnb_client_run *next;
	struct nna_execution *execution;
};

/**
 * struct nnb_client - a calling process, and the device that it calls
 * @next: of the service's list
 * @refs: references, guarded by the service's lock
 * @service: the service
 * @accelerator: the device that it calls
 * @caller: its user and process ids
 * @user: of its uid
 * @device: its own file of @accelerator, opened when it is first needed
 * @lost: the device is gone, and the client's objects with it: the next call gets another struct
 *	nnb_client. Guarded by the service's lock
 * @dead: its process has ended, or the service ends: no run begins any more
 * @death: the callback for the end of its process
 * @watched: the object of the client that @death watches, a reference; NULL for none
 * @lock: guards @device while it is opened, @watched, and the fields below
 * @buffers: device buffers by token - 1, not owned; NULL for a freed one; @buffer_count entries
 * @buffer_count: entries of @buffers
 * @buffer_room: allocated entries of @buffers
 * @runs_lock: of @runs
 * @runs: the runs under way; not owned
 * @memories: memories that calls bring repeatedly
 * @swept: nnb_service.sweeps at the last sweep of @memories
 */
struct nnb_client {
	struct nnb_client *next;
	uint32_t refs;
	struct nnb_service *service;
	struct nnb_device *accelerator;
	struct nnb_caller caller;
	struct nnb_user *user;
	struct nna_device *device;
	bool lost;
	atomic_bool dead;
	struct nnb_death death;
	struct nnb_object *watched;
	pthread_mutex_t lock;
	struct nnb_buffer **buffers;
	uint32_t buffer_count, buffer_room;
	pthread_mutex_t runs_lock;
	struct nnb_client_run *runs;
	struct nnb_memory_cache memories;
	uint64_t swept;
};

/**
 * struct nnb_service - the service
 * @options: constant, without @device
 * @devices: @device_count accelerators; the list is constant
 * @device_count: entries of @devices
 * @any: the service has found the accelerators itself. One that is unplugged may come back as
 *	another node
 * @workers: compile models and call callbacks
 * @closers: close files of clients: 64 at a time, of which a user has 4
 * @idle: the watchdog
 * @namer_lock: of requests to the namer, and of @unnamed
 * @unnamed: the namer has failed, and the log says why
 * @quota_lock: guards @used of users
 * @started: calls need not wait; set once, with the lock
 * @lock: guards the fields below
 * @dmabufs: st_dev of dma-bufs; 0 if it is not known. Set once, before other threads
 * @clients: the clients
 * @users: the users that have clients or helpers
 * @helper_count: helpers of all users
 * @closing: the number of clients that are off the list and not yet freed
 * @changed: signalled when a client is freed, and when the service is started
 * @sweeps: the number of calls of nnb_service_sweep()
 */
struct nnb_service {
	struct nnb_service_options options;
	struct nnb_device devices[NNB_DEVICES];
	uint32_t device_count;
	bool any;
	struct nnb_workers workers, closers;
	struct nnb_idle idle;
	pthread_mutex_t namer_lock;
	bool unnamed;
	pthread_mutex_t quota_lock;
	atomic_bool started;
	pthread_mutex_t lock;
	dev_t dmabufs;
	struct nnb_client *clients;
	struct nnb_user *users;
	uint32_t helper_count;
	uint32_t closing;
	pthread_cond_t changed;
	uint64_t sweeps;
};

/*
 * Creates a service, and tests whether its devices can be opened. Return: 0, -EINVAL for an unknown
 * version, or another error.
 */
int nnb_service_create(const struct nnb_service_options *options, struct nnb_service **out);
/*
 * Starts to answer calls, first those that wait. A service has to be registered before its process
 * gives up its privileges, because Android's service manager refuses some users; until then it must
 * not work for clients.
 */
void nnb_service_start(struct nnb_service *service);
/* Waits for nnb_service_start(). */
void nnb_service_wait(struct nnb_service *service);
/*
 * Runs the queued tasks, cancels the runs, waits until all clients are freed, and frees the
 * service. All clients must have dropped their objects.
 */
void nnb_service_destroy(struct nnb_service *service);
/* Releases kept memories that were not used since the last sweep. Return: true if any are left. */
bool nnb_service_sweep(struct nnb_service *service);
/* Return: the number of clients that hold anything at the moment. */
uint32_t nnb_service_count_clients(struct nnb_service *service);
/* Writes the versions of the interface in words, with the terminating zero. */
void nnb_service_versions(const struct nnb_service_options *options, char *text, size_t size);
/*
 * Writes the clients, what their users hold, and the last messages as text. Root and the user of
 * this process get all of it. Other callers get their own user and its clients; messages name other
 * users' models and files, so they get none.
 */
void nnb_service_dump(struct nnb_service *service, const struct nnb_caller *caller, int fd);

/* Gets the description of a device when it was last opened. */
void nnb_device_get_info(struct nnb_device *device, struct nna_device_info *info);

/*
 * Gets the calling client of a device, with a reference and an open file. If a client's device has
 * gone, its objects stay but do not work any more; a call gets a new client, with the device that
 * has come back. Return: 0, or a negative errno of the device: -ENODEV or -ENOENT while it is away.
 */
int nnb_client_get(struct nnb_device *device, const struct nnb_caller *caller,
		   struct nnb_client **out);
struct nnb_client *nnb_client_ref(struct nnb_client *client);
/* NULL is allowed. */
void nnb_client_put(struct nnb_client *client);
/*
 * Watches @object of the client's process: when the process ends, the client's runs and
 * compilations are cancelled. One object is enough; later calls do nothing.
 */
void nnb_client_watch(struct nnb_client *client, struct nnb_object *object);

/*
 * Begins a run of the client. The run is cancelled if the client dies before nnb_client_end_run();
 * @execution must live until then. Return: 0, or -ECANCELED if the client is dead.
 */
int nnb_client_begin_run(struct nnb_client *client, struct nnb_client_run *run,
			 struct nna_execution *execution);
/* Ends a run; one that has not begun is allowed. */
void nnb_client_end_run(struct nnb_client *client, struct nnb_client_run *run);

#endif
