/* SPDX-License-Identifier: MIT */
/* Vector kernels for x86: they replace the plan of a command that a scalar kernel has checked. */
#ifndef NNADEV_X86_H
#define NNADEV_X86_H

#include "device/engine/kernel.h"

/* One function per kernel file; each leaves the plan alone when it does not handle the command. */
void nnadev_avx2_gemm8_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan);
void nnadev_avx2_gemmf_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan);
void nnadev_avx2_dwconv8_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan);
void nnadev_avx2_dwconvf_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan);
void nnadev_avx2_pool_plan(const struct nnadev_engine_command *cmd,
			   struct nnadev_engine_plan *plan);
void nnadev_avx2_arg_plan(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan);
void nnadev_avx2_resize_plan(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan);
void nnadev_avx2_ewise_plan(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan);
void nnadev_x86_copy_plan(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan);
void nnadev_x86_fill_plan(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan);

/**
 * nnadev_x86_plan() - take a faster kernel where there is one, on a machine with AVX2
 * @threads: hint for cutting
 * @cmd: checked
 * @plan: the scalar plan; replaced as a whole or left as it is
 */
void nnadev_x86_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
		     struct nnadev_engine_plan *plan);

#endif
