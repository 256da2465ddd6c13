/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libbinder_ndk, which Android's vendors have: what its files share.
 *
 *	link	the connection: the service manager, classes, how many calls a user may have
 *	node	objects that are served here: an AIBinder for each, and the calls of others
 *	proxy	objects of other processes: an AIBinder for each, calls, deaths
 *	parcel	our reader and writer of an AParcel
 *
 * libbinder has a pool of threads that the driver makes grow, and a call is answered on the thread
 * that it has come to. So a call beyond what a user may have at a time cannot wait for its turn, as
 * with libgbinder: it is refused (STATUS_WOULD_BLOCK), or one user could hold all threads.
 *
 * libbinder's own data and threads are the process's and never freed: a process has one link, to
 * its end.
 */
#ifndef NNB_NDK_LINK_H
#define NNB_NDK_LINK_H

#include <pthread.h>

#include <android/binder_ibinder.h>
#include <android/binder_parcel.h>

#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/parcel.h"

/* These functions are C; binder_manager.h and binder_stability.h, which declare them, are not. */
binder_exception_t AServiceManager_addService(AIBinder *binder, const char *instance);
AIBinder *AServiceManager_checkService(const char *instance);
void AIBinder_markVintfStability(AIBinder *binder);

/**
 * struct nnb_ndk - a connection
 * @binder: what callers have of it
 * @recipient: of all deaths; its cookie is a struct nnb_ndk_watch
 * @threads: that answer calls, constant
 * @per_user: calls of a user at a time, constant
 * @lock: of what follows and of the node of each object
 * @classes: that were needed, owned
 * @users: whose calls are under way, @calls entries; room for @threads, owned
 * @calls: entries of @users
 */
struct nnb_ndk {
	struct nnb_binder binder;
	AIBinder_DeathRecipient *recipient;
	uint32_t threads, per_user;
	pthread_mutex_t lock;
	struct nnb_ndk_class *classes;
	uid_t *users;
	uint32_t calls;
};

/*
 * The class of an interface, for objects here and elsewhere; with the lock. @descriptor has to
 * stay. NULL without memory.
 */
const AIBinder_Class *nnb_ndk_class(struct nnb_ndk *link, const char *descriptor);
/* Defines it, for nnb_ndk_class(). NULL without memory. */
AIBinder_Class *nnb_ndk_class_define(const char *descriptor);

/* Begins a call of a user. Return: false when it has too many under way. */
bool nnb_ndk_enter(struct nnb_ndk *link, uid_t user);
void nnb_ndk_leave(struct nnb_ndk *link, uid_t user);

/* What stands for an object that is served here, a reference; NULL without memory. */
AIBinder *nnb_ndk_node_get(struct nnb_ndk *link, struct nnb_object *object);
/* The object that @binder, of this process, stands for; a reference. */
struct nnb_object *nnb_ndk_node_object(AIBinder *binder);

/* An object of another process; takes over the reference. NULL without memory. */
struct nnb_object *nnb_ndk_proxy_create(struct nnb_ndk *link, AIBinder *binder);
/* The AIBinder of such a one, not a reference; NULL for others. */
AIBinder *nnb_ndk_proxy_binder(struct nnb_object *object);
int nnb_ndk_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);
/* What a link's recipient calls. */
void nnb_ndk_watch_died(void *cookie);
void nnb_ndk_watch_unlinked(void *cookie);

/**
 * struct nnb_ndk_reader - reads an AParcel
 * @reader: ours
 * @parcel: not owned
 * @link: whose parcel it is
 * @arena: keeps what is read
 */
struct nnb_ndk_reader {
	struct nnb_reader reader;
	const AParcel *parcel;
	struct nnb_ndk *link;
	struct nnb_arena *arena;
};

/**
 * struct nnb_ndk_writer - writes an AParcel, at its end
 * @writer: ours
 * @parcel: not owned
 * @link: whose parcel it is
 */
struct nnb_ndk_writer {
	struct nnb_writer writer;
	AParcel *parcel;
	struct nnb_ndk *link;
};

void nnb_ndk_reader_init(struct nnb_ndk_reader *reader, struct nnb_ndk *link,
			 struct nnb_arena *arena, const AParcel *parcel);
void nnb_ndk_writer_init(struct nnb_ndk_writer *writer, struct nnb_ndk *link, AParcel *parcel);

#endif
