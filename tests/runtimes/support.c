// SPDX-License-Identifier: MIT
/*
 * support: what Python's tests of runtimes have no module for, as a library for ctypes: gates
 * (demo/gate.h), a model that nna_execution_compute() runs without a runtime, and the calls that a
 * library makes while a runtime runs it.
 *
 * Calls are counted where they leave the library: the addresses in its tables of functions, of
 * DT_JMPREL and DT_RELA, are replaced, so that a library that was opened with its own scope
 * is seen, too. What is linked into it is part of it.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <nnaccel.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demo/gate.h"
#include "frontend/onnx/translate.h"
#include "frontend/tflite/supported.h"

#define EXPORT __attribute__((visibility("default")))

/* -------------------------------------------------------------------------------------- gates */

EXPORT int support_buffer(size_t size);
EXPORT struct gate *support_gate(void);
EXPORT int support_gate_fd(const struct gate *gate);
EXPORT int support_gate_open(struct gate *gate);
EXPORT void support_gate_free(struct gate *gate);

/* The node of vgem, for as long as the process lives. */
static int vgem(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = gate_open_vgem();
	return fd;
}

/* A dma-buf of vgem's. Return: its fd, or a negative errno. */
int support_buffer(size_t size)
{
	return gate_buffer(vgem(), size);
}

/* A gate of vgem that is closed; NULL without vgem. */
struct gate *support_gate(void)
{
	struct gate *gate = malloc(sizeof(*gate));

	if (gate && (vgem() < 0 || gate_create(gate, vgem()))) {
		free(gate);
		gate = NULL;
	}
	return gate;
}

int support_gate_fd(const struct gate *gate)
{
	return gate->fd;
}

int support_gate_open(struct gate *gate)
{
	return gate_open(gate);
}

void support_gate_free(struct gate *gate)
{
	gate_destroy(gate);
	free(gate);
}

/* ---------------------------------------------------------------------------- a direct model */

/**
 * struct direct - a model with one input and one output
 * @input, @output: device memory, or NULL where the caller's is bound
 */
struct direct {
	struct nna_device *device;
	struct tflite_model *tflite;
	struct onnx_model *onnx;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	struct nna_buffer *input, *output;
};

EXPORT void direct_free(struct direct *direct);
EXPORT struct direct *direct_create(const char *device, const char *path);
EXPORT int direct_bind(struct direct *direct, void *input, void *output);
EXPORT int direct_compute(struct direct *direct);
EXPORT void *direct_input(const struct direct *direct);
EXPORT void *direct_output(const struct direct *direct);

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR)
		fprintf(stderr, "support: %s\n", text);
}

void direct_free(struct direct *d)
{
	if (!d)
		return;
	nna_execution_destroy(d->execution);
	nna_buffer_destroy(d->input);
	nna_buffer_destroy(d->output);
	nna_program_destroy(d->program);
	nna_graph_unref(d->graph);
	nna_device_close(d->device);
	tflite_free(d->tflite);
	onnx_model_free(d->onnx);
	free(d);
}

static int read_model(struct direct *d, const char *path, char *error)
{
	const struct nna_log log = { log_line, NULL };
	const size_t length = strlen(path);

	if (length > 5 && !strcmp(path + length - 5, ".onnx"))
		return onnx_load(path, &d->onnx, error) ?:
		       onnx_to_graph(d->onnx, NULL, &log, &d->graph, NULL, error);
	return tflite_load(path, &d->tflite, error) ?:
	       tflite_to_supported_graph(d->tflite, d->device, &log, &d->graph, error);
}

/* Compiles the model. Its priority is the one that front ends give by default. */
struct direct *direct_create(const char *device, const char *path)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	const struct nna_device_options device_options = { .log = { log_line, NULL } };
	struct direct *d = calloc(1, sizeof(*d));
	char error[TFLITE_ERROR_SIZE + ONNX_ERROR_SIZE] = "";

	if (!d)
		return NULL;
	if (nna_device_open(device, &device_options, &d->device) || read_model(d, path, error) ||
	    nna_program_create(d->device, d->graph, &options, &d->program) ||
	    nna_execution_create(d->program, &d->execution)) {
		fprintf(stderr, "support: %s: %s\n", path, error);
		direct_free(d);
		return NULL;
	}
	return d;
}

/* Binds the caller's memory, or memory of the device for NULL. */
int direct_bind(struct direct *d, void *input, void *output)
{
	struct nna_io_info in, out;
	int ret;

	ret = nna_program_get_input(d->program, 0, &in) ?:
	      nna_program_get_output(d->program, 0, &out);
	if (ret || input || output)
		return ret ?: nna_execution_set_input(d->execution, 0, 0, NULL, input, in.size) ?:
		       nna_execution_set_output(d->execution, 0, 0, NULL, output, out.size);
	return nna_buffer_create(d->device, in.size, &d->input) ?:
	       nna_buffer_create(d->device, out.size, &d->output) ?:
	       nna_execution_set_input_buffer(d->execution, 0, 0, NULL, d->input, 0, in.size) ?:
	       nna_execution_set_output_buffer(d->execution, 0, 0, NULL, d->output, 0, out.size);
}

int direct_compute(struct direct *d)
{
	return nna_execution_compute(d->execution);
}

void *direct_input(const struct direct *d)
{
	return nna_buffer_map(d->input);
}

void *direct_output(const struct direct *d)
{
	return nna_buffer_map(d->output);
}

/* ------------------------------------------------------------------ ONNX Runtime's interface */

EXPORT void *CreateEpFactories(const char *name, const void *base, const void *logger,
			       void **factories, size_t room, size_t *count);
EXPORT void *ReleaseEpFactory(void *factory);
EXPORT const void *support_ort_base(void);

/* OrtApiBase of the runtime that has registered this library; see ort_c.py. */
static const void *ort_base;

void *CreateEpFactories(const char *name, const void *base, const void *logger, void **factories,
			size_t room, size_t *count)
{
	ort_base = base;
	*count = 0;
	return NULL;
}

void *ReleaseEpFactory(void *factory)
{
	return NULL;
}

const void *support_ort_base(void)
{
	return ort_base;
}

/* -------------------------------------------------------------------------------------- calls */

static _Atomic uint64_t allocations, copied;

static void *count_malloc(size_t size)
{
	allocations++;
	return malloc(size);
}

static void *count_calloc(size_t count, size_t size)
{
	allocations++;
	return calloc(count, size);
}

static void *count_realloc(void *old, size_t size)
{
	allocations++;
	return realloc(old, size);
}

static void *count_aligned(size_t alignment, size_t size)
{
	allocations++;
	return aligned_alloc(alignment, size);
}

static int count_memalign(void **out, size_t alignment, size_t size)
{
	allocations++;
	return posix_memalign(out, alignment, size);
}

static void *count_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	allocations++;
	return mmap(at, size, protection, flags, fd, offset);
}

static void *count_memcpy(void *to, const void *from, size_t size)
{
	copied += size;
	return memcpy(to, from, size);
}

static void *count_memmove(void *to, const void *from, size_t size)
{
	copied += size;
	return memmove(to, from, size);
}

static const struct {
	const char *name;
	void (*function)(void);
} COUNTED[] = {
	{ "malloc", (void (*)(void))count_malloc },
	{ "calloc", (void (*)(void))count_calloc },
	{ "realloc", (void (*)(void))count_realloc },
	{ "aligned_alloc", (void (*)(void))count_aligned },
	{ "posix_memalign", (void (*)(void))count_memalign },
	{ "mmap", (void (*)(void))count_mmap },
	{ "mmap64", (void (*)(void))count_mmap },
	{ "memcpy", (void (*)(void))count_memcpy },
	{ "__memcpy_chk", (void (*)(void))count_memcpy },
	{ "memmove", (void (*)(void))count_memmove },
	{ "__memmove_chk", (void (*)(void))count_memmove },
};

/**
 * struct search - a library whose table is replaced
 * @part: of its path
 * @replaced: addresses
 */
struct search {
	const char *part;
	int replaced;
};

static void replace(struct search *s, uintptr_t base, const ElfW(Rela) *list, size_t size,
		    const ElfW(Sym) *symbols, const char *names)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; list && i < size / sizeof(*list); i++) {
		const char *name = names + symbols[ELF64_R_SYM(list[i].r_info)].st_name;
		void (**slot)(void) = (void (**)(void))(base + list[i].r_offset);
		const uintptr_t start = (uintptr_t)slot & ~(page - 1);

		for (size_t k = 0; k < sizeof(COUNTED) / sizeof(COUNTED[0]); k++) {
			if (strcmp(name, COUNTED[k].name))
				continue;
			if (mprotect((void *)start, page, PROT_READ | PROT_WRITE))
				return;
			*slot = COUNTED[k].function;
			s->replaced++;
		}
	}
}

static int look(struct dl_phdr_info *info, size_t size, void *user)
{
	const ElfW(Rela) *calls = NULL, *others = NULL;
	size_t calls_size = 0, others_size = 0;
	const ElfW(Sym) *symbols = NULL;
	const ElfW(Dyn) *dynamic = NULL;
	const char *names = NULL;
	struct search *s = user;

	if (!strstr(info->dlpi_name, s->part))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		const void *at = (const void *)dynamic->d_un.d_ptr;

		switch (dynamic->d_tag) {
		case DT_JMPREL: calls = at; break;
		case DT_PLTRELSZ: calls_size = dynamic->d_un.d_val; break;
		case DT_RELA: others = at; break;
		case DT_RELASZ: others_size = dynamic->d_un.d_val; break;
		case DT_SYMTAB: symbols = at; break;
		case DT_STRTAB: names = at; break;
		}
	}
	if (!symbols || !names)
		return 0;
	replace(s, info->dlpi_addr, calls, calls_size, symbols, names);
	replace(s, info->dlpi_addr, others, others_size, symbols, names);
	return 0;
}

EXPORT int watch_begin(const char *part);
EXPORT void watch_take(uint64_t *allocated, uint64_t *bytes);

/*
 * Counts the allocations and the bytes of copies of the library with @part in its path. Return: how
 * many of the functions it calls; 0: it is not there.
 */
int watch_begin(const char *part)
{
	struct search s = { .part = part };

	dl_iterate_phdr(look, &s);
	return s.replaced;
}

/* What was counted since the last call. */
void watch_take(uint64_t *allocated, uint64_t *bytes)
{
	*allocated = atomic_exchange(&allocations, 0);
	*bytes = atomic_exchange(&copied, 0);
}
