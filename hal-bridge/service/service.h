/* SPDX-License-Identifier: MIT */
/*
 * The NN HAL's service, whatever carries its parcels. Its data:
 *
 *	service		options, the clients, the workers; one IDevice object
 *	user		what all clients of a uid use together: bounded by the quotas
 *	client		(euid, pid), with its own nna_device, so its own address space and contexts;
 *			lives as long as an object of its or a call that needs it
 *	objects		prepared models, bursts, executions, buffers, callbacks of fenced
 *			executions: counted, each keeps what it needs (a burst its model, a model
 *			its client)
 *
 * A client that dies takes its references along: binder drops them, and with the last one goes an
 * object. So nothing has to be searched and freed. But its runs are cancelled, which may wait for
 * what never comes, and keep what they use until they end.
 *
 * Locking: nnb_service.lock guards the lists of clients and users and the users' counters; a
 * client's lock its table of buffers, its @runs_lock its runs, the lock of its @memories those. No
 * lock is held while a device works or a callback is called. The service's is never taken inside a
 * client's, and no other inside @runs_lock or that of @memories.
 */
#ifndef NNB_SERVICE_H
#define NNB_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/binder/object.h"
#include "hal-bridge/common/worker.h"
#include "hal-bridge/service/idle.h"
#include "hal-bridge/service/memory_cache.h"
#include "hal-bridge/service/quota.h"
#include "nnaccel.h"

struct nnb_buffer;

/**
 * struct nnb_service_options - how to serve
 * @device: as for nna_device_open()
 * @version: of the interface that the service claims to have, 1 to NNB_AIDL_VERSION
 * @workers: threads that compile and tell clients, of which a user has at most a quarter; 0 is 32
 * @quota: fields of 0 are the defaults
 * @held: calls wait until nnb_service_start()
 */
struct nnb_service_options {
	const char *device;
	int version;
	uint32_t workers;
	struct nnb_quota quota;
	bool held;
};

/**
 * struct nnb_user - what the clients of a uid use
 * @next: of the service's list
 * @uid: effective user id
 * @clients: how many clients there are
 * @used: of the quota
 */
struct nnb_user {
	struct nnb_user *next;
	uid_t uid;
	uint32_t clients;
	struct nnb_quota used;
};

/**
 * struct nnb_client_run - a run of a client's that is under way
 * @next: of the client's list
 * @execution: what runs; NULL while the run is on no list
 */
struct nnb_client_run {
	struct nnb_client_run *next;
	struct nna_execution *execution;
};

/**
 * struct nnb_client - a process that calls
 * @next: of the service's list
 * @refs: references, guarded by the service's lock
 * @service: whose client it is
 * @caller: who it is
 * @user: its uid's
 * @device: its own, opened when it is first needed
 * @lost: the device is gone, and with it what the client has of it: the next call is of another
 *	struct nnb_client. Guarded by the service's lock
 * @dead: its process has ended, or the service ends: no run begins any more
 * @death: says so
 * @watched: the object of the client's whose death that is, a reference; NULL for none
 * @lock: of @device while that is opened, of @watched, and of what follows
 * @buffers: device buffers by token - 1, not owned; NULL where one is gone; @buffer_count entries
 * @buffer_count: entries of @buffers
 * @runs_lock: of @runs
 * @runs: those that are under way; not owned
 * @memories: those that calls bring again and again
 * @swept: nnb_service.sweeps when that was last done
 */
struct nnb_client {
	struct nnb_client *next;
	uint32_t refs;
	struct nnb_service *service;
	struct nnb_caller caller;
	struct nnb_user *user;
	struct nna_device *device;
	bool lost;
	atomic_bool dead;
	struct nnb_death death;
	struct nnb_object *watched;
	pthread_mutex_t lock;
	struct nnb_buffer **buffers;
	uint32_t buffer_count;
	pthread_mutex_t runs_lock;
	struct nnb_client_run *runs;
	struct nnb_memory_cache memories;
	uint64_t swept;
};

/**
 * struct nnb_service - the service
 * @options: constant; @options.device is a copy
 * @object: IDevice
 * @workers: compile
 * @idle: sweeps
 * @started: calls need not wait; set once, with the lock
 * @lock: of what follows
 * @info: of the device, when it was opened last
 * @clients: those that there are
 * @users: those that have clients
 * @closing: clients that are off the list and not yet gone
 * @changed: a client has gone, or the service was started
 * @sweeps: how often nnb_service_sweep() was called
 */
struct nnb_service {
	struct nnb_service_options options;
	struct nnb_object object;
	struct nnb_workers workers;
	struct nnb_idle idle;
	atomic_bool started;
	pthread_mutex_t lock;
	struct nna_device_info info;
	struct nnb_client *clients;
	struct nnb_user *users;
	uint32_t closing;
	pthread_cond_t changed;
	uint64_t sweeps;
};

/*
 * Tries whether the device can be opened. Return: 0, -EINVAL for a version that there is not, or
 * another error.
 */
int nnb_service_create(const struct nnb_service_options *options, struct nnb_service **out);
/*
 * Answers calls, those that wait first. A service is registered while its process may still do what
 * it must not do for a client: Android's service manager refuses some users.
 */
void nnb_service_start(struct nnb_service *service);
/* Waits for that. */
void nnb_service_wait(struct nnb_service *service);
/*
 * Ends what is queued, cancels what runs, waits until the clients are gone, which have dropped all
 * objects, and frees everything.
 */
void nnb_service_destroy(struct nnb_service *service);
/*
 * Gives back what is kept for clients' calls and has not been used since the last time. Return:
 * whether anything is left.
 */
bool nnb_service_sweep(struct nnb_service *service);
/* How many clients have something at the moment. */
uint32_t nnb_service_count_clients(struct nnb_service *service);
/* Writes for people to read who the clients are, what their users have, and the last messages. */
void nnb_service_dump(struct nnb_service *service, int fd);

/* What the device is, as it was opened last. */
void nnb_service_get_info(struct nnb_service *service, struct nna_device_info *info);

/*
 * The client that calls, with a reference and an open device. One whose device has gone keeps what
 * it has, of which nothing works any more, and is another client from then on, with the device that
 * has come back; there is none before that. Return: 0, or a negative errno of the device: -ENODEV
 * or -ENOENT while it is away.
 */
int nnb_client_get(struct nnb_service *service, const struct nnb_caller *caller,
		   struct nnb_client **out);
struct nnb_client *nnb_client_ref(struct nnb_client *client);
/* NULL is allowed. */
void nnb_client_put(struct nnb_client *client);
/*
 * @object is in the client's process: when that ends, what has begun for the client is given up.
 * One object is enough, so there is nothing to do for the next ones.
 */
void nnb_client_watch(struct nnb_client *client, struct nnb_object *object);

/*
 * A run of the client begins, and is cancelled if the client dies before it ends; @execution must
 * live until then. Return: 0, or -ECANCELED when the client is dead.
 */
int nnb_client_begin_run(struct nnb_client *client, struct nnb_client_run *run,
			 struct nna_execution *execution);
/* The run has ended; one that has not begun is allowed. */
void nnb_client_end_run(struct nnb_client *client, struct nnb_client_run *run);

#endif
