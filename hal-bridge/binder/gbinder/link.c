// SPDX-License-Identifier: MIT
/* Calls on libgbinder's main thread (link.h). */
#include "hal-bridge/binder/gbinder/link.h"

/**
 * struct nnb_invocation - a function call on the main thread
 * @function: called with @data
 * @data: its argument
 * @lock: of @done
 * @changed: signalled when @done is set
 * @done: the function has returned
 */
struct nnb_invocation {
	void (*function)(void *data);
	void *data;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done;
};

static gboolean nnb_invocation_run(gpointer data)
{
	struct nnb_invocation *invocation = data;

	invocation->function(invocation->data);
	pthread_mutex_lock(&invocation->lock);
	invocation->done = true;
	pthread_cond_signal(&invocation->changed);
	pthread_mutex_unlock(&invocation->lock);
	return G_SOURCE_REMOVE;
}

void nnb_link_post(struct nnb_link *link, GSourceFunc function, void *data)
{
	GSource *source = g_idle_source_new();

	g_source_set_priority(source, G_PRIORITY_HIGH);
	g_source_set_callback(source, function, data, NULL);
	g_source_attach(source, NULL);
	g_source_unref(source);
}

void nnb_link_invoke(struct nnb_link *link, void (*function)(void *data), void *data)
{
	struct nnb_invocation invocation = { .function = function, .data = data };

	if (pthread_equal(pthread_self(), link->thread)) {
		function(data);
		return;
	}
	pthread_mutex_init(&invocation.lock, NULL);
	pthread_cond_init(&invocation.changed, NULL);
	nnb_link_post(link, nnb_invocation_run, &invocation);
	pthread_mutex_lock(&invocation.lock);
	while (!invocation.done)
		pthread_cond_wait(&invocation.changed, &invocation.lock);
	pthread_mutex_unlock(&invocation.lock);
	pthread_cond_destroy(&invocation.changed);
	pthread_mutex_destroy(&invocation.lock);
}
