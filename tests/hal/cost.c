// SPDX-License-Identifier: MIT
/*
 * cost: what a call of the NN HAL over binder costs, with a model of two operations on four
 * numbers.
 *
 *	empty		getType(): a call to the same service that does nothing
 *	library		the same model through libnnaccel, in this process
 *	sync, burst	executeSynchronously() of the model, and of a burst that has the memory; of
 *			HIDL through fast message queues
 *
 * They take turns, so that a busy neighbour meets all of them. Prints the median of each in
 * microseconds; then sync / (empty + library), and how many calls a
 * second 16 clients get together for each that one gets alone.
 *
 *	cost [--hidl] DEVICE [CALLS]	DEVICE is the service's, such as /dev/accel/accel0
 */
#include "tests/hal/client.h"

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#include "hal-bridge/service/graph.h"

#define CLIENTS 16
#define ROUNDS 5 /* of one client and of all, in turns */

static int calls = 2000;

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/**
 * struct subject - what is called
 * @device: IDevice
 * @model: IPreparedModel
 * @burst: IBurst
 * @request: of the model
 * @execution: of the library
 */
struct subject {
	struct nnb_object *device, *model, *burst;
	struct hal_request request;
	struct nna_execution *execution;
};

static int call_empty(struct subject *subject)
{
	struct nnb_aidl_device_get_type_out out;
	struct nnb_arena arena = {0};
	int ret = HAL_CALL(subject->device, &hal_me, device, NNB_AIDL_DEVICE_GET_TYPE, NULL, &arena,
			   &out);

	nnb_arena_fini(&arena);
	return ret;
}

static int call_library(struct subject *subject)
{
	return nna_execution_compute(subject->execution);
}

static int call_sync(struct subject *subject)
{
	return hal_execute(subject->model, &subject->request);
}

static int call_burst(struct subject *subject)
{
	return hal_execute_burst(subject->burst, &subject->request, 1);
}

/**
 * struct kind - a kind of call
 * @call: makes one
 * @times: of all calls, in microseconds; @calls of them
 */
struct kind {
	int (*call)(struct subject *subject);
	double *times;
};

static void call_once(const struct kind *kind, struct subject *subject, int index)
{
	double begin = now_us();

	if (kind->call(subject)) {
		fputs("cost: a call failed\n", stderr);
		exit(1);
	}
	/* The first few warm up. */
	if (index >= 0)
		kind->times[index] = now_us() - begin;
}

static void measure(struct kind *kinds, int count, struct subject *subject, double *medians)
{
	for (int k = 0; k < count; k++) {
		kinds[k].times = calloc((size_t)calls, sizeof(*kinds[k].times));
		if (!kinds[k].times)
			exit(1);
	}
	for (int i = -20; i < calls; i++) {
		for (int k = 0; k < count; k++)
			call_once(&kinds[k], subject, i);
	}
	for (int k = 0; k < count; k++) {
		qsort(kinds[k].times, (size_t)calls, sizeof(*kinds[k].times), compare);
		medians[k] = kinds[k].times[calls / 2];
		free(kinds[k].times);
	}
}

/* The model through the library, as the service compiles it. */
static void open_library(const char *name, struct subject *subject)
{
	static const float in[4] = {0, 1, 2, 3};
	static float out[4];
	const struct nnb_service_options options = {.device = name, .version = NNB_AIDL_VERSION};
	static struct nnb_arena arena;
	struct nnb_aidl_call call = {.caller = &hal_me, .arena = &arena};
	struct nnb_quota charged;
	struct nna_program *program;
	struct nnb_service *service;
	struct nnb_client *client;
	struct nna_graph *graph;
	struct hal_model m;

	hal_model_init(&m);
	if (nnb_service_create(&options, &service) ||
	    nnb_client_get(service->devices, &hal_me, &client) ||
	    nnb_graph_create(client, &call, &m.model, &charged, &graph) ||
	    nna_program_create(client->device, graph, NULL, &program) ||
	    nna_execution_create(program, &subject->execution) ||
	    nna_execution_set_input(subject->execution, 0, 0, NULL, in, sizeof(in)) ||
	    nna_execution_set_output(subject->execution, 0, 0, NULL, out, sizeof(out))) {
		fprintf(stderr, "cost: %s cannot be used\n", name);
		exit(1);
	}
	hal_model_fini(&m);
}

/* A round of so many clients at once: seconds for each call. They begin when all are ready. */
static double one_round(int clients)
{
	const int each = calls / ROUNDS / clients;
	int ready[2], go[2];
	char byte = 0;
	double begin;

	if (pipe(ready) || pipe(go))
		exit(1);
	for (int i = 0; i < clients; i++) {
		if (!fork()) {
			struct subject subject = {.device = connect_service()};
			int ret = 0;

			subject.model = prepare(subject.device);
			hal_request_init(&subject.request, true);
			ret |= !subject.model || call_sync(&subject);
			ret |= write(ready[1], &byte, 1) != 1;
			close(go[1]);
			ret |= read(go[0], &byte, 1) != 0;
			for (int k = 0; k < each && !ret; k++)
				ret = call_sync(&subject);
			_exit(ret ? 1 : 0);
		}
	}
	for (int i = 0; i < clients; i++) {
		if (read(ready[0], &byte, 1) != 1)
			exit(1);
	}
	begin = now_us();
	close(go[1]);
	for (int i = 0; i < clients; i++) {
		int status;

		if (wait(&status) < 0 || status) {
			fputs("cost: a client failed\n", stderr);
			exit(1);
		}
	}
	close(go[0]);
	close(ready[0]);
	close(ready[1]);
	return (now_us() - begin) / 1e6 / (each * clients);
}

/* Calls a second of one client and of CLIENTS, which take turns. */
static void throughput(double *one, double *many)
{
	double seconds_one = 0, seconds_many = 0;

	for (int i = 0; i < ROUNDS; i++) {
		seconds_one += one_round(1);
		seconds_many += one_round(CLIENTS);
	}
	*one = ROUNDS / seconds_one;
	*many = ROUNDS / seconds_many;
}

int main(int argc, char **argv)
{
	enum { EMPTY, LIBRARY, SYNC, BURST, KINDS };
	struct kind kinds[KINDS] = {
		{.call = call_empty},
		{.call = call_library},
		{.call = call_sync},
		{.call = call_burst},
	};
	struct subject subject = {0};
	double one, many, us[KINDS];

	client_hidl = argc > 1 && !strcmp(argv[1], "--hidl");
	argc -= client_hidl;
	argv += client_hidl;
	if (argc < 2) {
		fputs("usage: cost [--hidl] DEVICE [CALLS]\n", stderr);
		return 2;
	}
	if (argc > 2)
		calls = (int)strtol(argv[2], NULL, 10);
	if (calls < ROUNDS * CLIENTS) {
		fprintf(stderr, "cost: at least %d calls\n", ROUNDS * CLIENTS);
		return 2;
	}
	/* Before this process has a connection, whose threads are not for fork(). */
	throughput(&one, &many);
	subject.device = connect_service();
	subject.model = prepare(subject.device);
	subject.burst = hal_burst(subject.model);
	hal_request_init(&subject.request, true);
	open_library(argv[1], &subject);
	measure(kinds, KINDS, &subject, us);
	printf("empty %.0f us, library %.0f us, sync %.0f us, burst %.0f us\n", us[EMPTY],
	       us[LIBRARY], us[SYNC], us[BURST]);
	printf("sync is %.2f times empty and library together, burst %.2f times sync\n",
	       us[SYNC] / (us[EMPTY] + us[LIBRARY]), us[BURST] / us[SYNC]);
	printf("one client %.0f calls a second, %d clients %.0f: %.2f times as many\n", one,
	       CLIENTS, many, many / one);
	return 0;
}
