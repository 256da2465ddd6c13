/* SPDX-License-Identifier: MIT */
/*
 * The backend of the NNA: its commands and their constants, layouts of weights, streams.
 * docs/hardware.md describes the commands, hw/gen/nnahw.h declares them.
 *
 * Operands of an operation of the ir and of its command have the same order. The private operand of
 * CONV2D and MATMUL is the channels table (struct nnahw_channel per output channel), which select
 * makes from the scales; an operation's form is the layout of its weights.
 */
#ifndef NNA_BACKEND_NNA_H
#define NNA_BACKEND_NNA_H

#include "hw/gen/nnahw.h"
#include "libnnaccel/backend/backend.h"

struct nnahw_command_info;

int nna_hw_accepts(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		   size_t size);
bool nna_hw_can_fuse(const struct nna_lower *l, const struct nna_ir_op *first,
		     const struct nna_ir_op *second);
uint32_t nna_hw_in_place(const struct nna_ir_op *op);
int nna_hw_select(struct nna_lower *l);
int nna_hw_pack(struct nna_lower *l);
int nna_hw_emit(const struct nna_lower *l, struct nna_stream *out);
void nna_hw_prepare_job(void *table, const struct nna_area *areas, uint32_t count);
void nna_hw_clear_report(void *report);
void nna_hw_read_report(const void *report, uint64_t tick_hz, const void *stream, size_t size,
			struct nna_report *out);
uint64_t nna_hw_measure(const void *stream, size_t size);
size_t nna_hw_profile_size(uint32_t commands);
void nna_hw_clear_profile(void *profile);
uint32_t nna_hw_count_profile(const void *profile, size_t size, uint32_t *dropped);
void nna_hw_read_profile(const void *profile, uint64_t tick_hz, uint32_t index,
			 struct nna_profile_command *out);

/* True if DWCONV does the convolution: several channels, and a group for each. */
bool nna_hw_is_depthwise(const struct nna_lower *l, const struct nna_ir_op *op);
/* True for CONV2D and MATMUL of 8-bit numbers whose result is F32: the sums. */
bool nna_hw_has_sums(const struct nna_lower *l, const struct nna_ir_op *op);

/* Return: the work of a command, whose operands follow its head; the first one is an output. */
uint64_t nna_hw_work(const struct nnahw_command_info *info, const void *command);

/*
 * Return: in how many commands to do the work of one, 1 for not to split it, and in *@axis along
 * which axis of the output.
 */
uint32_t nna_hw_split(const void *command, uint32_t *axis);
/* Makes @command the one that does part @piece of @pieces, along @axis. */
void nna_hw_cut(void *command, uint32_t axis, uint32_t piece, uint32_t pieces);

/* Return: the enum nnahw_type of an enum nna_type. */
uint8_t nna_hw_type(uint8_t type);

/* Return: the enum nnahw_ewise of an enum nna_function. */
uint8_t nna_hw_function(uint8_t function);

/* Writes the EWISE command of an element-wise operation. Return: false for other kinds. */
bool nna_hw_ewise(const struct nna_lower *l, const struct nna_ir_op *op,
		  struct nnahw_cmd_ewise *command);
/*
 * Computes the constants of a sum of two quantised values; a_scale is 0 if there is no integer rule
 * for them. Only types and scales of @out, @a and @b are used.
 */
void nna_hw_sum(struct nnahw_cmd_ewise *command, const struct nna_value *out,
		const struct nna_value *a, const struct nna_value *b, uint8_t rounding);

#endif
