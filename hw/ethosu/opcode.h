/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: words of a command stream, for the device model and for the library.
 *
 * A command is one word, or two where bit 14 is set. Bits 9:0 are the opcode, bits 31:16 the
 * parameter; the second word is the payload. Operations are the opcodes below 0x100 of one word and
 * those from 0x100 on of two words; the others set state. command_list.h has a row for each.
 */
#ifndef ETHOSU_OPCODE_H
#define ETHOSU_OPCODE_H

#define ETHOSU_WORD_OPCODE 0x3ffu
#define ETHOSU_WORD_FORM_SHIFT 14 /* 0 or 1; nothing else is a command */

/* Operations: ETHOSU_OP_STOP and so on; ETHOSU_OP_BRANCH alone has two words. */
enum ethosu_operation_code {
#define ETHOSU_OPERATION(code, name, npu) ETHOSU_OP_##name = (code),
#define ETHOSU_JUMP(code, name, npu) ETHOSU_OP_##name = (code),
#define ETHOSU_SHORT(code, name, npu, reads)
#define ETHOSU_LONG(code, name, npu, reads)
#include "hw/ethosu/command_list.h"
};

/* State of one word: ETHOSU_SET_IFM_PAD_TOP and so on. */
enum ethosu_short_code {
#define ETHOSU_OPERATION(code, name, npu)
#define ETHOSU_JUMP(code, name, npu)
#define ETHOSU_SHORT(code, name, npu, reads) ETHOSU_SET_##name = (code),
#define ETHOSU_LONG(code, name, npu, reads)
#include "hw/ethosu/command_list.h"
};

/* State of two words: ETHOSU_SET_IFM_BASE0 and so on. */
enum ethosu_long_code {
#define ETHOSU_OPERATION(code, name, npu)
#define ETHOSU_JUMP(code, name, npu)
#define ETHOSU_SHORT(code, name, npu, reads)
#define ETHOSU_LONG(code, name, npu, reads) ETHOSU_SET_##name = (code),
#include "hw/ethosu/command_list.h"
};

#endif
