// SPDX-License-Identifier: MIT
/*
 * soak_client: a client of one device for the whole of a soak.
 *
 *	soak_client --device D --models DIR --reference DIR [--save] MODEL.INPUT...
 *
 * DIR of the models holds MODEL.tflite and expected/MODEL.INPUT.in. With --save each model runs
 * once and its outputs become DIR/MODEL.INPUT of the references. Without it the models run in turn,
 * until the end of standard input, and each result is compared with its reference, byte by byte.
 * Models stay compiled between runs. After an error the device is closed and opened again, and all
 * is compiled anew; while the device does not open, the client tries again.
 *
 * One line for each event, at once:
 *
 *	ok MODEL.INPUT
 *	wrong MODEL.INPUT: byte N is X, not Y
 *	error MODEL.INPUT: ERROR: what the library said
 *	opened DEVICE
 *	left BYTES	last: memory that the library has taken and not given back
 *
 * Exit status: 1 after a wrong result, or with --save after an error; 2 for wrong arguments.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <nnaccel.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tflite/translate.h"

#define MODELS_MAX 16
#define PAUSE_US 100000 /* between two attempts to open the device */

/**
 * struct model - a model, with an input and what has to come out
 * @name: MODEL.INPUT
 * @in: the input's bytes
 * @want: the outputs of the loopback, back to back; NULL with --save
 * @out: the outputs of the last run
 * @runs: runs so far; odd ones are submitted with a fence, even ones computed
 */
struct model {
	const char *name;
	uint8_t *in, *want, *out;
	size_t in_size, want_size, out_size;
	struct tflite_model *file;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	unsigned int runs;
};

static struct {
	const char *device_name, *models, *reference;
	bool save;
	struct nna_device *device;
	struct model list[MODELS_MAX];
	unsigned int count;
	bool wrong;
	char said[256];
	_Atomic int64_t charged;
} soak;

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR && !soak.said[0])
		snprintf(soak.said, sizeof(soak.said), "%s", text);
}

static const struct nna_log LOG = { log_line, NULL };

static bool charge(void *account, uint64_t bytes)
{
	atomic_fetch_add(&soak.charged, (int64_t)bytes);
	return true;
}

static void discharge(void *account, uint64_t bytes)
{
	atomic_fetch_sub(&soak.charged, (int64_t)bytes);
}

/* A whole file; NULL when it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	uint8_t *data = NULL;
	struct stat st;

	if (file && !fstat(fileno(file), &st) && st.st_size > 0) {
		*size = (size_t)st.st_size;
		data = malloc(*size);
	}
	if (data && fread(data, 1, *size, file) != *size) {
		free(data);
		data = NULL;
	}
	if (file)
		fclose(file);
	return data;
}

static void model_close(struct model *m)
{
	nna_execution_destroy(m->execution);
	nna_program_destroy(m->program);
	nna_graph_unref(m->graph);
	tflite_free(m->file);
	free(m->out);
	m->execution = NULL;
	m->program = NULL;
	m->graph = NULL;
	m->file = NULL;
	m->out = NULL;
	m->out_size = 0;
}

/* Binds the only input and all outputs. Return: 0 or a negative errno. */
static int model_bind(struct model *m)
{
	uint32_t outputs = nna_program_output_count(m->program);
	struct nna_io_info info;
	size_t at = 0;
	int ret;

	ret = nna_execution_set_input(m->execution, 0, 0, NULL, m->in, m->in_size);
	for (uint32_t i = 0; !ret && i < outputs; i++) {
		ret = nna_program_get_output(m->program, i, &info);
		m->out_size += info.size;
	}
	if (ret)
		return ret;
	m->out = malloc(m->out_size + 1);
	if (!m->out)
		return -ENOMEM;
	for (uint32_t i = 0; !ret && i < outputs; i++) {
		ret = nna_program_get_output(m->program, i, &info);
		if (!ret)
			ret = nna_execution_set_output(m->execution, i, 0, NULL, m->out + at,
						       info.size);
		at += info.size;
	}
	return ret;
}

static int model_open(struct model *m)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	char path[512], why[TFLITE_ERROR_SIZE] = "";
	struct tflite_origin origin;
	int ret;

	snprintf(path, sizeof(path), "%s/%.*s.tflite", soak.models,
		 (int)(strrchr(m->name, '.') - m->name), m->name);
	ret = tflite_load(path, &m->file, why);
	if (!ret) {
		ret = tflite_to_graph(m->file, &LOG, &m->graph, &origin, why);
		if (!ret)
			tflite_origin_free(&origin);
	}
	if (ret && !soak.said[0])
		snprintf(soak.said, sizeof(soak.said), "%s", why);
	if (!ret)
		ret = nna_program_create(soak.device, m->graph, &options, &m->program);
	if (!ret)
		ret = nna_execution_create(m->program, &m->execution);
	if (!ret)
		ret = model_bind(m);
	return ret;
}

static int model_run(struct model *m)
{
	struct nna_fence *fence;
	int ret;

	/* The state of a recurrent model would reach from one run into the next. */
	ret = nna_execution_reset_state(m->execution);
	if (ret)
		return ret;
	memset(m->out, 0xa5, m->out_size);
	if (m->runs++ % 2 == 0)
		return nna_execution_compute(m->execution);
	ret = nna_execution_submit(m->execution, NULL, 0, &fence);
	if (ret)
		return ret;
	ret = nna_fence_wait(fence, -1);
	nna_fence_destroy(fence);
	return ret;
}

static int model_save(const struct model *m)
{
	char path[512];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", soak.reference, m->name);
	file = fopen(path, "we");
	if (!file)
		return -errno;
	ok = fwrite(m->out, 1, m->out_size, file) == m->out_size;
	return fclose(file) || !ok ? -EIO : 0;
}

static void model_compare(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->out_size && i < m->want_size && m->out[i] == m->want[i]; i++)
		;
	if (i == m->out_size && i == m->want_size) {
		printf("ok %s\n", m->name);
		return;
	}
	soak.wrong = true;
	if (m->out_size != m->want_size)
		printf("wrong %s: %zu bytes, not %zu\n", m->name, m->out_size, m->want_size);
	else
		printf("wrong %s: byte %zu is %u, not %u\n", m->name, i, m->out[i], m->want[i]);
}

static void tell_error(const char *name, int error)
{
	printf("error %s: %s: %s\n", name, strerror(-error), soak.said);
	soak.said[0] = 0;
}

static void close_all(void)
{
	for (unsigned int i = 0; i < soak.count; i++)
		model_close(&soak.list[i]);
	nna_device_close(soak.device);
	soak.device = NULL;
}

/* True once standard input has ended. */
static bool is_over(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) > 0;
}

/* Return: 0, or a negative errno after which some of it is open. */
static int open_all(void)
{
	const struct nna_device_options options = {
		.log = LOG,
		.charge = charge,
		.discharge = discharge,
	};
	int ret = nna_device_open(soak.device_name, &options, &soak.device);

	if (ret)
		return ret;
	printf("opened %s\n", soak.device_name);
	for (unsigned int i = 0; !ret && i < soak.count; i++) {
		ret = model_open(&soak.list[i]);
		if (ret)
			tell_error(soak.list[i].name, ret);
	}
	return ret;
}

static int run_all(void)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < soak.count && (soak.save || !is_over()); i++) {
		struct model *m = &soak.list[i];

		ret = model_run(m);
		if (!ret && soak.save)
			ret = model_save(m);
		if (ret)
			tell_error(m->name, ret);
		else if (!soak.save)
			model_compare(m);
	}
	return ret;
}

/* Reads the input and the reference of @m. Return: whether they are there. */
static bool model_read(struct model *m)
{
	char path[512];

	if (!strrchr(m->name, '.'))
		return false;
	snprintf(path, sizeof(path), "%s/expected/%s.in", soak.models, m->name);
	m->in = read_file(path, &m->in_size);
	if (m->in && !soak.save) {
		snprintf(path, sizeof(path), "%s/%s", soak.reference, m->name);
		m->want = read_file(path, &m->want_size);
	}
	if (m->in && (m->want || soak.save))
		return true;
	fprintf(stderr, "soak_client: cannot read %s\n", path);
	return false;
}

static bool parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "models", required_argument, NULL, 'm' },
		{ "reference", required_argument, NULL, 'r' },
		{ "save", no_argument, NULL, 's' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'd')
			soak.device_name = optarg;
		else if (c == 'm')
			soak.models = optarg;
		else if (c == 'r')
			soak.reference = optarg;
		else if (c == 's')
			soak.save = true;
		else
			return false;
	}
	for (; optind < argc && soak.count < MODELS_MAX; optind++)
		soak.list[soak.count++].name = argv[optind];
	return soak.device_name && soak.models && soak.reference && soak.count && optind == argc;
}

int main(int argc, char **argv)
{
	int ret = 0;

	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: soak_client --device D --models DIR --reference DIR "
				"[--save] MODEL.INPUT...\n");
		return 2;
	}
	for (unsigned int i = 0; i < soak.count; i++)
		if (!model_read(&soak.list[i]))
			return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	do {
		if (!soak.device)
			ret = open_all();
		if (!ret)
			ret = run_all();
		if (ret) {
			close_all();
			usleep(PAUSE_US);
		}
	} while (!soak.save && !is_over());
	close_all();
	printf("left %" PRId64 "\n", atomic_load(&soak.charged));
	for (unsigned int i = 0; i < soak.count; i++) {
		free(soak.list[i].in);
		free(soak.list[i].want);
	}
	return soak.wrong || (soak.save && ret);
}
