// SPDX-License-Identifier: MIT
/*
 * Names at the service manager by libbinder_ndk, whose part this program plays: what is registered
 * is registered again by the connection when the service manager has returned, and reported when
 * that fails. The connection looks from time to time; here that is when a test says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <android/binder_process.h>

#include "hal-bridge/binder/ndk/object.h"

#define NAME "android.hardware.neuralnetworks.IDevice/nnaccel"

/**
 * struct AIBinder - the one object that is registered
 * @refs: references
 */
struct AIBinder {
	atomic_int refs;
};

static AIBinder node;

/* The service manager: whether it knows the name, what it answers, and how often it was asked. */
static struct {
	atomic_bool knows;
	atomic_int answer, added, looked;
} manager;

/* The connection's thread: it has gone to sleep, or ended; it may look again. */
static sem_t rests, look;
static char lost_name[64];
static int lost_error;

/* -------------------------------------------------------------------------------- libbinder_ndk */

binder_exception_t AServiceManager_addService(AIBinder *binder, const char *instance);
AIBinder *AServiceManager_checkService(const char *instance);

binder_exception_t AServiceManager_addService(AIBinder *binder, const char *instance)
{
	assert_ptr_equal(binder, &node);
	assert_string_equal(instance, NAME);
	atomic_fetch_add(&manager.added, 1);
	if (atomic_load(&manager.answer) == EX_NONE)
		atomic_store(&manager.knows, true);
	return atomic_load(&manager.answer);
}

AIBinder *AServiceManager_checkService(const char *instance)
{
	atomic_fetch_add(&manager.looked, 1);
	if (strcmp(instance, NAME) || !atomic_load(&manager.knows))
		return NULL;
	atomic_fetch_add(&node.refs, 1);
	return &node;
}

void AIBinder_decStrong(AIBinder *binder)
{
	assert_true(atomic_fetch_sub(&binder->refs, 1) > 0);
}

AIBinder_DeathRecipient *AIBinder_DeathRecipient_new(void (*died)(void *cookie))
{
	return (AIBinder_DeathRecipient *)&node;
}

void AIBinder_DeathRecipient_delete(AIBinder_DeathRecipient *recipient)
{
}

void AIBinder_DeathRecipient_setOnUnlinked(AIBinder_DeathRecipient *recipient,
					   void (*unlinked)(void *cookie))
{
}

bool ABinderProcess_setThreadPoolMaxThreadCount(uint32_t threads)
{
	return true;
}

void ABinderProcess_startThreadPool(void)
{
}

/* ------------------------------------------------------------------------------------- object.h */

AIBinder *nnb_ndk_node_get(struct nnb_ndk *link, struct nnb_object *object)
{
	atomic_fetch_add(&node.refs, 1);
	return &node;
}

struct nnb_object *nnb_ndk_proxy_create(struct nnb_ndk *link, AIBinder *binder)
{
	return NULL;
}

int nnb_ndk_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd)
{
	return -ENOSYS;
}

void nnb_ndk_watch_died(void *cookie)
{
}

void nnb_ndk_watch_unlinked(void *cookie)
{
}

void nnb_ndk_object_ops(struct nnb_reader_ops *reader, struct nnb_writer_ops *writer)
{
}

/* ----------------------------------------------------------------------------------------- time */

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *pause,
			   struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *pause,
			   struct timespec *left)
{
	sem_post(&rests);
	while (sem_wait(&look))
		;
	return 0;
}

/* Lets the connection look, and waits until it has. */
static void let_look(void)
{
	sem_post(&look);
	while (sem_wait(&rests))
		;
}

static void lost(const char *name, int error)
{
	snprintf(lost_name, sizeof(lost_name), "%s", name);
	lost_error = error;
	sem_post(&rests);
}

/* ---------------------------------------------------------------------------------------- tests */

static void keep(struct nnb_object *object)
{
}

static struct nnb_object object;

/* Opens a connection and registers the object; its thread rests. */
static void add(void)
{
	static const struct nnb_object_ops ops = {.release = keep};
	const struct nnb_binder_options options = {.lost = lost};
	struct nnb_binder *binder;

	nnb_object_init(&object, &ops);
	atomic_store(&manager.knows, false);
	atomic_store(&manager.answer, EX_NONE);
	atomic_store(&manager.added, 0);
	atomic_store(&manager.looked, 0);
	lost_name[0] = '\0';
	assert_int_equal(nnb_binder_open(&options, &binder), 0);
	assert_int_equal(binder->ops->add(binder, NAME, &object), 0);
	while (sem_wait(&rests))
		;
	assert_int_equal(atomic_load(&manager.added), 1);
}

/* The service manager does not take the object back: that is reported, and the thread ends. */
static void refuse(int answer, int error)
{
	atomic_store(&manager.knows, false);
	atomic_store(&manager.answer, answer);
	let_look();
	assert_string_equal(lost_name, NAME);
	assert_int_equal(lost_error, error);
}

static void test_again(void **state)
{
	add();
	for (int round = 1; round <= 3; round++) {
		/* What is known is left alone. */
		let_look();
		let_look();
		assert_int_equal(atomic_load(&manager.added), round);
		/* A new one knows nothing. */
		atomic_store(&manager.knows, false);
		let_look();
		assert_int_equal(atomic_load(&manager.added), round + 1);
		assert_true(atomic_load(&manager.knows));
	}
	assert_int_equal(atomic_load(&manager.looked), 9);
	assert_string_equal(lost_name, "");
	refuse(EX_SECURITY, -EPERM);
	assert_int_equal(atomic_load(&node.refs), 0);
}

/* libbinder may keep the dead service manager for good. */
static void test_dead(void **state)
{
	add();
	refuse(EX_ILLEGAL_STATE, -EIO);
	assert_int_equal(atomic_load(&node.refs), 0);
}

/* What was refused at first is not looked after. */
static void test_refused(void **state)
{
	const struct nnb_binder_options options = {.lost = lost};
	struct nnb_binder *binder;

	atomic_store(&manager.answer, EX_SECURITY);
	assert_int_equal(nnb_binder_open(&options, &binder), 0);
	assert_int_equal(binder->ops->add(binder, NAME, &object), -EPERM);
	assert_int_equal(atomic_load(&node.refs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_refused),
	};

	sem_init(&rests, 0, 0);
	sem_init(&look, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
