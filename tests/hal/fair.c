// SPDX-License-Identifier: MIT
/*
 * fair: what one app has of the accelerator while another one asks for all of it.
 *
 * An app is a user. The greedy one has 16 executions under way at any time, of a priority that is
 * called high, in one process or in four; the modest one runs one after the other. What counts is
 * how many of the greedy app's end during one of the modest app's: time plays no part in it. A job
 * that cannot be taken back is on the device when the modest app's comes, and each process is a
 * client of the driver's, which has at most two jobs before those of others (kernel/nna_share.h).
 * If jobs ran as they come, it would be 16.
 *
 * A busy host may give the device time while it gives the guest none; then others' executions end
 * while the modest app's call is only on its way. So the quarter of its calls with the fewest
 * judges: what the driver or the service owes an app would be missing from each of them.
 *
 * The service's clients are users of the driver's, as who opens the device directly is: a direct
 * client, 15 modest apps and a greedy one with 16 processes get as much each. If they counted by
 * file, the greedy app would get 16 times as much as a modest one; if the service's files were one
 * user's, the direct client would get as much as all apps together. Jobs that end are counted from
 * when all have begun.
 *
 * And what one app gives back is free for it again, whatever another one's calls wait for.
 *
 *	fair [CALLS]	of the modest app, in each part; as root, beside a service
 *
 * Prints a line for each part, and last "N passed, N failed".
 */
#include "tests/hal/client.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define GREEDY 20001 /* user ids, of nobody else */
#define MODEST 20002
#define THREADS 16 /* of the greedy app, in all its processes */
#define MOST_CALLS 1000
#define BLOCKED 40 /* calls: more than a user may have under way */
#define MODELS 300 /* more than a user may have at a time */
#define SIDE 768 /* of the matrices: a turn of all apps takes longer than a slow guest's call */
#define PRODUCTS 4 /* of them, one after the other, in a job */
#define APPS 15 /* modest ones, beside the greedy and the direct one */
#define FIRST_APP 20100
#define DIRECT 20200
#define USERS (APPS + 2)
/*
 * Times as many jobs that a user may get as another one. Equal parts are not quite equal jobs,
 * since a client with one process has no job waiting while it is on its way to the next. By files
 * they would be 16 times as many.
 */
#define UNEQUAL (THREADS / 2)

/**
 * struct score - what the processes tell one another; shared
 * @ended: executions of the greedy app that have ended
 * @begun: threads of the greedy app that have run once
 * @during: of @ended, those during each call of the modest app
 * @jobs: jobs that have ended of each of many users: the greedy one, the direct one, the apps
 */
struct score {
	atomic_ulong ended;
	atomic_uint begun;
	unsigned long during[MOST_CALLS];
	atomic_ulong jobs[USERS];
};

static struct score *score;

static uint32_t bytes_of_matrix(void)
{
	return SIDE * SIDE * (uint32_t)sizeof(float);
}

enum { IN, NO, PRODUCT, OUT = PRODUCT + PRODUCTS - 1, OPERANDS };

/* out = in * in * in and so on, matrices */
struct power {
	struct nnb_aidl_model model;
	struct nnb_aidl_operand operands[OPERANDS];
	struct nnb_aidl_operation operations[PRODUCTS];
	int32_t dims[3], inputs[PRODUCTS][4], outputs[PRODUCTS], in;
	uint8_t no;
};

static void power_init(struct power *p)
{
	memset(p, 0, sizeof(*p));
	p->dims[0] = 1;
	p->dims[1] = SIDE;
	p->dims[2] = SIDE;
	for (int i = 0; i < OPERANDS; i++) {
		p->operands[i].type = NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32;
		p->operands[i].dimensions = (struct nnb_ints){3, p->dims};
		p->operands[i].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE;
	}
	p->in = IN;
	p->operands[IN].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT;
	p->operands[OUT].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	p->operands[NO].type = NNB_AIDL_OPERAND_TYPE_BOOL;
	p->operands[NO].dimensions.count = 0;
	p->operands[NO].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY;
	p->operands[NO].location.length = 1;
	for (int i = 0; i < PRODUCTS; i++) {
		p->inputs[i][0] = i ? PRODUCT + i - 1 : IN;
		p->inputs[i][1] = IN;
		p->inputs[i][2] = NO;
		p->inputs[i][3] = NO;
		p->outputs[i] = PRODUCT + i;
		p->operations[i].type = NNB_AIDL_OPERATION_TYPE_BATCH_MATMUL;
		p->operations[i].inputs = (struct nnb_ints){4, p->inputs[i]};
		p->operations[i].outputs = (struct nnb_ints){1, &p->outputs[i]};
	}
	p->model.main.operands.count = OPERANDS;
	p->model.main.operands.data = p->operands;
	p->model.main.operations.count = PRODUCTS;
	p->model.main.operations.data = p->operations;
	p->model.main.input_indexes = (struct nnb_ints){1, &p->in};
	p->model.main.output_indexes = (struct nnb_ints){1, &p->outputs[PRODUCTS - 1]};
	p->model.operand_values = (struct nnb_bytes){1, &p->no};
}

/* The model, prepared; NULL after an error. */
static struct nnb_object *prepare_power(int priority)
{
	struct nnb_aidl_device_prepare_model_in in = {
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_SUSTAINED_SPEED,
		.priority = priority,
		.deadline_ns = -1,
	};
	struct nnb_object *model;
	struct power power;

	power_init(&power);
	in.model = power.model;
	prepare_with(connect_service(), &in, &model);
	return model;
}

static void request_init(struct hal_request *r)
{
	const uint32_t bytes = bytes_of_matrix();

	hal_request_init(r, true);
	assert_int_equal(ftruncate(r->fd, 2 * bytes), 0);
	hal_memory(&r->pool.pool, r->fd, 2 * bytes);
	r->in.location.length = bytes;
	r->out.location.offset = bytes;
	r->out.location.length = bytes;
}

/* ----------------------------------------------------------------------------------------- apps */

static void *greedy_thread(void *model)
{
	struct hal_request r;
	bool first = true;

	request_init(&r);
	while (!hal_execute(model, &r)) {
		atomic_fetch_add(&score->ended, 1);
		if (first)
			atomic_fetch_add(&score->begun, 1);
		first = false;
	}
	/* Whoever has started this process waits for its end, and finds that it was not killed. */
	_exit(1);
}

static void greedy(int threads)
{
	struct nnb_object *model = prepare_power(NNB_AIDL_PRIORITY_HIGH);
	pthread_t thread;

	if (!model)
		_exit(2);
	for (int i = 1; i < threads; i++) {
		if (pthread_create(&thread, NULL, greedy_thread, model))
			_exit(3);
	}
	greedy_thread(model);
}

static void modest(int calls)
{
	struct nnb_object *model = prepare_power(NNB_AIDL_PRIORITY_MEDIUM);
	struct hal_request r;
	unsigned long begin;

	if (!model)
		_exit(2);
	request_init(&r);
	while (atomic_load(&score->begun) < THREADS)
		usleep(10000);
	for (int i = 0; i < calls; i++) {
		begin = atomic_load(&score->ended);
		if (hal_execute(model, &r))
			_exit(3);
		score->during[i] = atomic_load(&score->ended) - begin;
	}
	_exit(0);
}

static pid_t start(uid_t uid, void (*app)(int number), int number)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fair: fork");
		exit(1);
	}
	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(4);
		app(number);
	}
	return pid;
}

/* ----------------------------------------------------------------------------------- many users */

static int compare(const void *a, const void *b)
{
	const unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

/* The model of struct power. Return: the graph; NULL after an error. */
static struct nna_graph *graph_of_power(void)
{
	const uint32_t dims[] = {1, SIDE, SIDE};
	const struct nna_operand_desc matrix = {
		.type = NNA_OPERAND_TENSOR_FLOAT32,
		.rank = 3,
		.dims = dims,
	};
	const struct nna_operand_desc flag = {.type = NNA_OPERAND_BOOL};
	const uint32_t in = IN, out = OUT;
	static const uint8_t no;
	struct nna_graph *graph;
	int ret = nna_graph_create(NULL, &graph);

	if (ret)
		return NULL;
	for (int i = 0; i < OPERANDS && ret >= 0; i++)
		ret = nna_graph_add_operand(graph, 0, i == NO ? &flag : &matrix);
	if (ret >= 0)
		ret = nna_graph_set_constant(graph, 0, NO, &no, sizeof(no), true);
	for (uint32_t i = 0; i < PRODUCTS && ret >= 0; i++) {
		const uint32_t inputs[] = {i ? PRODUCT + i - 1 : IN, IN, NO, NO};
		const uint32_t output = PRODUCT + i;

		ret = nna_graph_add_operation(graph, 0, NNA_OPERATION_BATCH_MATMUL, 4, inputs, 1,
					      &output);
	}
	if (ret >= 0)
		ret = nna_graph_set_io(graph, 0, 1, &in, 1, &out);
	return ret < 0 || nna_graph_finish(graph) ? NULL : graph;
}

/* A client of the driver's, without the service. */
static void direct(int user)
{
	struct nna_graph *graph = graph_of_power();
	struct nna_execution *execution;
	struct nna_program *program;
	struct nna_device *device;
	void *in = calloc(1, bytes_of_matrix()), *out = calloc(1, bytes_of_matrix());

	if (!graph || !in || !out || nna_device_open(NULL, NULL, &device) ||
	    nna_program_create(device, graph, NULL, &program) ||
	    nna_execution_create(program, &execution) ||
	    nna_execution_set_input(execution, 0, 0, NULL, in, bytes_of_matrix()) ||
	    nna_execution_set_output(execution, 0, 0, NULL, out, bytes_of_matrix()))
		_exit(2);
	while (!nna_execution_compute(execution))
		atomic_fetch_add(&score->jobs[user], 1);
	_exit(1);
}

/* One of the modest apps, or of the greedy one's processes. */
static void one_of_many(int user)
{
	struct nnb_object *model = prepare_power(user ? NNB_AIDL_PRIORITY_MEDIUM :
							NNB_AIDL_PRIORITY_HIGH);
	struct hal_request r;

	if (!model)
		_exit(2);
	request_init(&r);
	while (!hal_execute(model, &r))
		atomic_fetch_add(&score->jobs[user], 1);
	_exit(1);
}

/* Waits until every user but the greedy one has had @more jobs. Return: false if a process ends. */
static bool all_have(const unsigned long *from, unsigned long more)
{
	int user = 1;

	while (user < USERS) {
		if (waitpid(-1, NULL, WNOHANG))
			return false;
		if (atomic_load(&score->jobs[user]) - from[user] >= more)
			user++;
		else
			usleep(10000);
	}
	return true;
}

/* Return: whether no user has had more than UNEQUAL times as many jobs as another one. */
static bool users(int calls)
{
	unsigned long from[USERS] = {0}, least = ULONG_MAX, most = 0;
	pid_t pids[THREADS + USERS];
	int count = 0;
	bool ok;

	for (int i = 0; i < THREADS; i++)
		pids[count++] = start(GREEDY, one_of_many, 0);
	pids[count++] = start(DIRECT, direct, 1);
	for (int i = 2; i < USERS; i++)
		pids[count++] = start(FIRST_APP + (uid_t)i, one_of_many, i);
	ok = all_have(from, 1);
	for (int i = 0; i < USERS; i++)
		from[i] = atomic_load(&score->jobs[i]);
	ok = ok && all_have(from, (unsigned long)calls);
	for (int i = 0; i < USERS; i++)
		from[i] = atomic_load(&score->jobs[i]) - from[i];
	for (int i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < USERS; i++) {
		least = from[i] < least ? from[i] : least;
		most = from[i] > most ? from[i] : most;
	}
	qsort(from + 2, APPS, sizeof(*from), compare);
	printf("jobs of the greedy app with 16 processes %lu, of a direct client %lu, of 15 other "
	       "apps %lu to %lu, median %lu; at most %d times as many as another user\n",
	       from[0], from[1], from[2], from[USERS - 1], from[2 + APPS / 2], UNEQUAL);
	if (!ok)
		printf("a process has ended\n");
	return ok && least && most <= UNEQUAL * least;
}

/* ---------------------------------------------------------------------------------------- parts */

/*
 * The greedy app has so many processes. Return: whether at most @most of its executions have ended
 * during each of a quarter of the modest app's, and some during the others.
 */
static bool part(int processes, unsigned long most, int calls)
{
	unsigned long *during = score->during;
	pid_t pids[THREADS], pid;
	int status = 0, other;
	bool ok;

	atomic_store(&score->ended, 0);
	atomic_store(&score->begun, 0);
	for (int i = 0; i < processes; i++)
		pids[i] = start(GREEDY, greedy, THREADS / processes);
	pid = start(MODEST, modest, calls);
	/* A greedy process that ends by itself leaves the modest one waiting. */
	ok = wait(&status) == pid && !status;
	if (!ok)
		kill(pid, SIGKILL);
	for (int i = 0; i < processes; i++)
		kill(pids[i], SIGKILL);
	while (wait(&other) > 0)
		;
	qsort(during, (size_t)calls, sizeof(*during), compare);
	printf("16 executions under way in %d: during one of another app's end %lu to %lu of them, "
	       "median %lu, lower quartile %lu, at most %lu\n",
	       processes, during[0], during[calls - 1], during[calls / 2], during[calls / 4], most);
	if (!ok)
		printf("a process failed: status %#x\n", (unsigned int)status);
	return ok && during[calls - 1] && during[calls / 4] <= most;
}

/* Has the service say what it does, in a pipe that is full: that ends with this process. */
static void *blocked_thread(void *device)
{
	static const char page[4096];
	int fds[2];

	if (pipe2(fds, O_NONBLOCK))
		_exit(5);
	while (write(fds[1], page, sizeof(page)) > 0)
		;
	if (fcntl(fds[1], F_SETFL, 0))
		_exit(5);
	binder->ops->dump(binder, device, fds[1]);
	_exit(6);
}

static void blocked(int threads)
{
	struct nnb_object *device = connect_service();
	pthread_t thread;

	for (int i = 1; i < threads; i++) {
		if (pthread_create(&thread, NULL, blocked_thread, device))
			_exit(3);
	}
	blocked_thread(device);
}

/* Has models, one at a time, but in all more than it may have. */
static void frugal(int models)
{
	struct nnb_object *device = connect_service(), *model;

	for (int i = 0; i < models; i++) {
		model = prepare(device);
		if (!model)
			_exit(7);
		nnb_object_unref(model);
	}
	_exit(0);
}

/* While all that root may have under way is blocked, others' objects are given back. */
static bool releases(void)
{
	pid_t pid = start(0, blocked, BLOCKED), other = start(MODEST, frugal, MODELS);
	int status = 0;
	bool ok = waitpid(other, &status, 0) == other && !status;

	printf("%d models one after the other beside %d blocked calls of root's: status %#x\n",
	       MODELS, BLOCKED, (unsigned int)status);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return ok;
}

/* Lets all users open the accelerator. */
static bool open_to_all(void)
{
	struct nna_device_info info;
	struct nna_device *device;

	if (nna_device_open(NULL, NULL, &device))
		return false;
	nna_device_get_info(device, &info);
	nna_device_close(device);
	return !info.loopback && !chmod(info.name, 0666) && !chmod("/dev/binder", 0666);
}

int main(int argc, char **argv)
{
	const int calls = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
	int passed;

	score = mmap(NULL, sizeof(*score), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (calls < 1 || calls > MOST_CALLS || score == MAP_FAILED || !open_to_all()) {
		fputs("usage: fair [CALLS], as root, beside a service and its accelerator\n",
		      stderr);
		return 2;
	}
	passed = part(1, 3, calls) + part(4, 10, calls) + users(calls / 2 + 1) + releases();
	printf("%d passed, %d failed\n", passed, 4 - passed);
	return passed == 4 ? 0 : 1;
}
