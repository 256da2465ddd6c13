// SPDX-License-Identifier: MIT
/* The engine: checks what concerns all commands, and asks the table of kernels (kernel.h). */
#include "device/engine/kernel.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

/* Made by device/engine.mk: a line KERNEL(name) for each NNADEV_KERNEL(name) of the sources. */
#define KERNEL(name) extern NNADEV_KERNEL(name);
#include "device/engine/kernels.inc"
#undef KERNEL

#define KERNEL(name) &nnadev_kernel_##name,
static const struct nnadev_kernel *const kernels[] = {
#include "device/engine/kernels.inc"
};
#undef KERNEL

enum nnadev_engine_isa nnadev_engine_isa_detect(void)
{
#ifdef __x86_64__
	unsigned int a, b, c, d;

	__builtin_cpu_init();
	/* Of F16C, clang 14 cannot be asked. */
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C)
		return NNADEV_ENGINE_AVX2;
#endif
	return NNADEV_ENGINE_SCALAR;
}

/*
 * Zero points lie in the range of 8- and 16-bit types and are 0 for others. Return: the first
 * operand at fault, or -1.
 */
static int bad_zero_point(const struct nnadev_engine_command *cmd)
{
	for (uint32_t i = 0; i < cmd->operand_count; i++) {
		const struct nnahw_tensor *t = &cmd->operands[i].desc;
		int64_t min = 0, max = 0;

		if (nnahw_type_size(t->type) <= 2 && nnadev_present(&cmd->operands[i]) &&
		    t->type != NNAHW_TYPE_F16 && t->type != NNAHW_TYPE_BOOL8)
			nnadev_type_range(t->type, &min, &max);
		if (t->zero_point < min || t->zero_point > max)
			return (int)i;
	}
	return -1;
}

/* Kernels of one command, the scalar one included. */
#define MOST_KERNELS 8

/* The kernels of a command's opcode, in the order of the table. Return: how many. */
static uint32_t find(uint32_t opcode, const struct nnadev_kernel *found[MOST_KERNELS])
{
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (kernels[i]->opcode == opcode && count < MOST_KERNELS)
			found[count++] = kernels[i];
	return count;
}

uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnadev_kernel *found[MOST_KERNELS], *kernel = NULL;
	const uint32_t count = find(cmd->raw->opcode, found);
	uint32_t status = NNAHW_STATUS_BAD_COMMAND;
	int bad;

	memset(plan, 0, offsetof(struct nnadev_engine_plan, state));
	bad = bad_zero_point(cmd);
	if (bad >= 0)
		return nnadev_bad_operand(plan, (uint32_t)bad);
	for (uint32_t i = 0; i < count; i++)
		if (found[i]->isa == NNADEV_ENGINE_SCALAR)
			kernel = found[i];
	if (!kernel)
		return status;
	status = kernel->accepts(cmd, plan);
	if (status != NNAHW_STATUS_OK)
		return status;
	/* Without output there is nothing to do, and nothing that a faster kernel could divide. */
	for (; isa > NNADEV_ENGINE_SCALAR && cmd->operands[0].count; isa--) {
		uint32_t i = 0;

		while (i < count &&
		       (found[i]->isa != isa || found[i]->accepts(cmd, plan) != NNAHW_STATUS_OK))
			i++;
		if (i < count) {
			kernel = found[i];
			break;
		}
	}
	plan->run = kernel->tile;
	kernel->plan(cmd, threads, plan);
	if (plan->scratch_size > NNADEV_ENGINE_MAX_SCRATCH ||
	    plan->shared_size > NNADEV_ENGINE_MAX_SCRATCH)
		return NNAHW_STATUS_NO_MEMORY;
	return NNAHW_STATUS_OK;
}
