// SPDX-License-Identifier: MIT
/* The engine: checks what concerns all commands, and asks the table of kernels (kernel.h). */
#include "device/engine/kernel.h"

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
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("f16c"))
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

/* The kernel of an instruction set that accepts a command; *status is what the last one said. */
static const struct nnadev_kernel *find(enum nnadev_engine_isa isa,
					const struct nnadev_engine_command *cmd,
					struct nnadev_engine_plan *plan, uint32_t *status)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		const struct nnadev_kernel *k = kernels[i];

		if (k->opcode != cmd->raw->opcode || k->isa != isa)
			continue;
		*status = k->accepts(cmd, plan);
		if (*status == NNAHW_STATUS_OK)
			return k;
	}
	return NULL;
}

uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	uint32_t status = NNAHW_STATUS_BAD_COMMAND, ignored;
	const struct nnadev_kernel *kernel, *faster;
	int bad;

	memset(plan, 0, offsetof(struct nnadev_engine_plan, state));
	bad = bad_zero_point(cmd);
	if (bad >= 0)
		return nnadev_bad_operand(plan, (uint32_t)bad);
	kernel = find(NNADEV_ENGINE_SCALAR, cmd, plan, &status);
	if (!kernel)
		return status;
	/* Without output there is nothing to do, and nothing that a faster kernel could divide. */
	for (; isa > NNADEV_ENGINE_SCALAR && cmd->operands[0].count; isa--) {
		faster = find(isa, cmd, plan, &ignored);
		if (faster) {
			kernel = faster;
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
