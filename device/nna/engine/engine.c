// SPDX-License-Identifier: MIT
/*
 * The engine: does the checks that all commands share, and picks a kernel from the table
 * (kernel.h).
 */
#include "device/nna/engine/kernel.h"

#ifdef __x86_64__
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* Most kernels of one opcode, the scalar one included. */
#define MOST_KERNELS 24

/* Made by device/nna/module.mk: a line OPCODE(opcode, KERNEL(name) ...) for each opcode. */
#define OPCODE(opcode, list) list
#define KERNEL(name) extern NNADEV_KERNEL(name);
#include "device/nna/engine/kernels.inc"
#undef KERNEL
#undef OPCODE

/* By opcode; each list ends with NULL. */
#define OPCODE(opcode, list) [opcode] = { list },
#define KERNEL(name) &nnadev_kernel_##name,
static const struct nnadev_kernel *const kernels[][MOST_KERNELS + 1] = {
#include "device/nna/engine/kernels.inc"
};
#undef KERNEL
#undef OPCODE

bool nnadev_engine_isa_has(enum nnadev_engine_isa isa)
{
#ifdef __x86_64__
	unsigned int a, b, c, d;

	if (isa <= NNADEV_ENGINE_VECTOR)
		return true;
	/* Builtins report a feature only if the operating system saves its registers. */
	__builtin_cpu_init();
	if (isa == NNADEV_ENGINE_AVX512 &&
	    (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	     !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
	     !__builtin_cpu_supports("avx512vnni")))
		return false;
	/* clang 14's builtins do not know AVX-VNNI and F16C. */
	if (isa == NNADEV_ENGINE_AVXVNNI &&
	    (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a & bit_AVXVNNI)))
		return false;
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#elif defined(__aarch64__)
	if (isa >= NNADEV_ENGINE_DOTPROD && !(getauxval(AT_HWCAP) & HWCAP_ASIMDDP))
		return false;
	if (isa == NNADEV_ENGINE_I8MM)
		return getauxval(AT_HWCAP2) & HWCAP2_I8MM;
	return isa < NNADEV_ENGINE_ISAS;
#else
	return isa <= NNADEV_ENGINE_VECTOR;
#endif
}

enum nnadev_engine_isa nnadev_engine_isa_detect(void)
{
	enum nnadev_engine_isa isa = NNADEV_ENGINE_ISAS - 1;

	while (!nnadev_engine_isa_has(isa))
		isa--;
	return isa == NNADEV_ENGINE_VECTOR ? NNADEV_ENGINE_SCALAR : isa;
}

enum nnadev_engine_isa nnadev_engine_isa_below(enum nnadev_engine_isa isa)
{
#ifndef __aarch64__
	/* A CPU with AVX-512 may lack AVX-VNNI. */
	if (isa == NNADEV_ENGINE_AVX512)
		return NNADEV_ENGINE_AVX2;
#endif
	/* No other set needs the kernels in plain C. */
	return isa > NNADEV_ENGINE_VECTOR + 1 ? isa - 1 : NNADEV_ENGINE_SCALAR;
}

const char *nnadev_engine_isa_name(enum nnadev_engine_isa isa)
{
#ifdef __aarch64__
	static const char *const names[] = { "scalar", "vector", "neon", "dotprod", "i8mm" };
#else
	static const char *const names[] = { "scalar", "vector", "avx2", "avxvnni", "avx512" };
#endif

	return names[isa];
}

/*
 * Zero points must lie in the range of 8- and 16-bit types, and be 0 for other types. Return: the
 * first operand at fault, or -1.
 */
static int bad_zero_point(const struct nnadev_engine_command *cmd)
{
	for (uint32_t i = 0; i < cmd->operand_count; i++) {
		const struct nnahw_tensor *t = &cmd->operands[i].desc;
		int64_t min = 0, max = 0;

		if (!t->zero_point)
			continue;
		if (nnahw_type_size(t->type) <= 2 && nnadev_present(&cmd->operands[i]) &&
		    t->type != NNAHW_TYPE_F16 && t->type != NNAHW_TYPE_BOOL8)
			nnadev_type_range(t->type, &min, &max);
		if (t->zero_point < min || t->zero_point > max)
			return (int)i;
	}
	return -1;
}

/*
 * Return: the first kernel of @isa in a list that accepts the command, or NULL. @status: its
 * reason.
 */
static const struct nnadev_kernel *choose(const struct nnadev_kernel *const *list,
					  enum nnadev_engine_isa isa,
					  const struct nnadev_engine_command *cmd,
					  struct nnadev_engine_plan *plan, uint32_t *status)
{
	for (; *list; list++) {
		if ((*list)->isa != isa)
			continue;
		*status = (*list)->accepts(cmd, plan);
		if (*status == NNAHW_STATUS_OK)
			return *list;
	}
	return NULL;
}

/*
 * A tile of fewer than per_tile / 32 pieces ends before another thread wakes up, so it is not
 * split.
 */
#define LEAST_PART 32
/*
 * Pieces may be bytes. With this multiple, two threads never write to the same cache line if pieces
 * are contiguous.
 */
#define PIECES_TOGETHER 64

/*
 * Cuts the phase of nnadev_cut() into smaller tiles, so that all threads get the same number of
 * tiles and none is idle.
 */
static void share_out(struct nnadev_engine_plan *plan, uint32_t threads)
{
	const uint32_t tiles = plan->phase_tiles[0];
	uint32_t per_tile;

	if (threads < 2 || plan->phases != 1 || !plan->pieces || plan->steps ||
	    (tiles == 1 && plan->pieces < plan->per_tile / LEAST_PART))
		return;
	per_tile = nnadev_div_up(plan->pieces, nnadev_div_up(tiles, threads) * threads);
	if (per_tile >= 8 * PIECES_TOGETHER)
		per_tile = nnadev_div_up(per_tile, PIECES_TOGETHER) * PIECES_TOGETHER;
	if (per_tile < plan->per_tile)
		nnadev_cut(plan, plan->pieces, per_tile);
}

uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnadev_kernel *const *list = kernels[0], *kernel;
	const struct nnadev_kernel *faster = NULL;
	uint32_t status = NNAHW_STATUS_BAD_COMMAND, ignored;
	int bad;

	memset(plan, 0, offsetof(struct nnadev_engine_plan, state));
	bad = bad_zero_point(cmd);
	if (bad >= 0)
		return nnadev_bad_operand(plan, (uint32_t)bad);
	if (cmd->raw->opcode < sizeof(kernels) / sizeof(kernels[0]))
		list = kernels[cmd->raw->opcode];
	kernel = choose(list, NNADEV_ENGINE_SCALAR, cmd, plan, &status);
	if (!kernel)
		return status;
	/*
	 * Without output elements there is nothing to do, and a faster kernel may divide by their
	 * number.
	 */
	for (; !faster && isa > NNADEV_ENGINE_SCALAR && cmd->operands[0].count;
	     isa = nnadev_engine_isa_below(isa))
		faster = choose(list, isa, cmd, plan, &ignored);
	if (faster)
		kernel = faster;
	plan->run = kernel->tile;
	kernel->plan(cmd, threads, plan);
	share_out(plan, threads);
	if (plan->scratch_size > NNADEV_ENGINE_MAX_SCRATCH ||
	    plan->shared_size > NNADEV_ENGINE_MAX_SCRATCH)
		return NNAHW_STATUS_NO_MEMORY;
	return NNAHW_STATUS_OK;
}
