// SPDX-License-Identifier: MIT
/*
 * The engine's table: which function plans which command. The scalar kernels (ref/) define what a
 * command does and check it; after that a faster kernel may take its place.
 */
#include "device/engine/kernel.h"

#ifdef __x86_64__
#include "device/engine/x86/x86.h"
#endif

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

static uint32_t prepare(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan)
{
	switch (cmd->raw->opcode) {
	case NNAHW_OP_CONV:
	case NNAHW_OP_DWCONV:
		return nnadev_prepare_conv(cmd, plan);
	case NNAHW_OP_MATMUL:
		return nnadev_prepare_matmul(cmd, plan);
	case NNAHW_OP_POOL:
		return nnadev_prepare_pool(cmd, plan);
	case NNAHW_OP_EWISE:
		return nnadev_prepare_ewise(cmd, plan);
	case NNAHW_OP_COPY:
		return nnadev_prepare_copy(cmd, plan);
	case NNAHW_OP_FILL:
		return nnadev_prepare_fill(cmd, plan);
	case NNAHW_OP_REDUCE:
		return nnadev_prepare_reduce(cmd, plan);
	case NNAHW_OP_ARG:
		return nnadev_prepare_arg(cmd, plan);
	case NNAHW_OP_TOPK:
		return nnadev_prepare_topk(cmd, plan);
	case NNAHW_OP_SOFTMAX:
		return nnadev_prepare_softmax(cmd, plan);
	case NNAHW_OP_NORM16:
		return nnadev_prepare_norm16(cmd, plan);
	case NNAHW_OP_RESIZE:
		return nnadev_prepare_resize(cmd, plan);
	case NNAHW_OP_ROI:
		return nnadev_prepare_roi(cmd, plan);
	case NNAHW_OP_GATHER:
		return nnadev_prepare_gather(cmd, plan);
	case NNAHW_OP_NMS:
		return nnadev_prepare_nms(cmd, plan);
	case NNAHW_OP_LSH:
		return nnadev_prepare_lsh(cmd, plan);
	case NNAHW_OP_MULTINOMIAL:
		return nnadev_prepare_multinomial(cmd, plan);
	case NNAHW_OP_KEYPOINT:
		return nnadev_prepare_keypoint(cmd, plan);
	default:
		return NNAHW_STATUS_BAD_COMMAND;
	}
}

uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	uint32_t status;
	int bad;

	memset(plan, 0, sizeof(*plan));
	bad = bad_zero_point(cmd);
	if (bad >= 0)
		return nnadev_bad_operand(plan, (uint32_t)bad);
	status = prepare(cmd, plan);
	if (status != NNAHW_STATUS_OK || !plan->phases)
		return status;
#ifdef __x86_64__
	if (isa >= NNADEV_ENGINE_AVX2)
		nnadev_x86_plan(threads, cmd, plan);
#endif
	if (plan->scratch_size > NNADEV_ENGINE_MAX_SCRATCH ||
	    plan->shared_size > NNADEV_ENGINE_MAX_SCRATCH)
		return NNAHW_STATUS_NO_MEMORY;
	return NNAHW_STATUS_OK;
}
