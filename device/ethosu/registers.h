/* SPDX-License-Identifier: MIT */
/* Ethos-U: registers of BAR 0, each of 32 bits. */
#ifndef ETHOSU_REGISTERS_H
#define ETHOSU_REGISTERS_H

#define ETHOSU_BAR_SIZE 0x10000u

#define ETHOSU_REG_ID 0x0000u
#define ETHOSU_REG_STATUS 0x0004u
#define ETHOSU_REG_CMD 0x0008u
#define ETHOSU_REG_RESET 0x000cu
#define ETHOSU_REG_QBASE 0x0010u
#define ETHOSU_REG_QBASE_HI 0x0014u
#define ETHOSU_REG_QREAD 0x0018u
#define ETHOSU_REG_QCONFIG 0x001cu
#define ETHOSU_REG_QSIZE 0x0020u
#define ETHOSU_REG_PROT 0x0024u
#define ETHOSU_REG_CONFIG 0x0028u
#define ETHOSU_REG_LOCK 0x002cu
#define ETHOSU_REG_COND_STATUS 0x0030u
#define ETHOSU_REG_REGIONCFG 0x003cu
#define ETHOSU_REG_AXI_LAST 0x0054u /* 0x40 to here: limits and attributes, of no effect */
#define ETHOSU_REG_BASEP 0x0080u    /* 8 pairs of low and high */
#define ETHOSU_REG_PMU_U65 0x0180u
#define ETHOSU_REG_PMU_U85 0x1180u
#define ETHOSU_REG_KEPT_END 0x0800u /* registers below it are kept as written */
#define ETHOSU_REG_STATE 0x0800u    /* what the stream has set, to be read: stream.h */
#define ETHOSU_REG_STATE_END 0x0c00u

/* STATUS */
#define ETHOSU_STATUS_RUNNING (1u << 0)
#define ETHOSU_STATUS_IRQ (1u << 1)
#define ETHOSU_STATUS_BUS (1u << 2)
#define ETHOSU_STATUS_RESET (1u << 3)
#define ETHOSU_STATUS_PARSE (1u << 4)
#define ETHOSU_STATUS_END (1u << 5)
#define ETHOSU_STATUS_PMU_IRQ (1u << 6)
#define ETHOSU_STATUS_CHANNEL_SHIFT 12
#define ETHOSU_STATUS_HISTORY_SHIFT 16

/* CMD */
#define ETHOSU_CMD_RUN (1u << 0)
#define ETHOSU_CMD_CLEAR_IRQ (1u << 1)
#define ETHOSU_CMD_STOP (1u << 4)

/* RESET and PROT */
#define ETHOSU_PROT_PRIVILEGED (1u << 0)
#define ETHOSU_PROT_NONSECURE (1u << 1)

/* PMU, from its base on. */
#define ETHOSU_PMU_PMCR 0x00u
#define ETHOSU_PMU_CNTENSET 0x04u
#define ETHOSU_PMU_CNTENCLR 0x08u
#define ETHOSU_PMU_OVSSET 0x0cu
#define ETHOSU_PMU_OVSCLR 0x10u
#define ETHOSU_PMU_INTSET 0x14u
#define ETHOSU_PMU_INTCLR 0x18u
#define ETHOSU_PMU_CCNTR 0x20u
#define ETHOSU_PMU_CCNTR_HI 0x24u
#define ETHOSU_PMU_CCNTR_CFG 0x28u
#define ETHOSU_PMU_EVCNTR 0x180u
#define ETHOSU_PMU_EVTYPER 0x200u
#define ETHOSU_PMU_SIZE 0x280u

#define ETHOSU_PMCR_ENABLE (1u << 0)
#define ETHOSU_PMCR_EVENT_RESET (1u << 1)
#define ETHOSU_PMCR_CYCLE_RESET (1u << 2)
#define ETHOSU_PMCR_COUNTERS_SHIFT 11

#endif
